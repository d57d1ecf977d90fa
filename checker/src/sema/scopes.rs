//! The meaning of names: scopes, objects and functions.

use crate::{
    fix::{Places, SpaceSite},
    span::Span,
    symbol::Symbol,
    types::{QualifiedType, SignatureId},
};

/// The meaning of an ordinary identifier.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Binding {
    Typedef(QualifiedType),
    Object(ObjectId),
    /// The last declared of the functions of this name.
    Function(FunctionId),
    Enumerator(i64),
    /// A name without a declaration; it is reported once.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ObjectId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FunctionId(pub(crate) u32);

/// The lifetime of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duration {
    /// The execution of its block. Block literals capture a copy.
    Automatic,
    /// The execution of the kernel by a work-group.
    WorkGroup,
    /// The life of the program.
    Program,
}

/// The part of a program that an object belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A variable outside every function.
    ProgramScope,
    /// A variable of a function.
    InFunction,
    Parameter,
}

/// A variable or parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    pub(crate) name: Symbol,
    /// Type, with its space.
    pub(crate) ty: QualifiedType,
    pub(crate) span: Span,
    pub(crate) duration: Duration,
    /// Number of block literals around the declaration.
    pub(crate) level: u32,
    pub(crate) role: Role,
    pub(crate) is_initialized: bool,
    /// Whether it is declared at program scope in constant without an initializer.
    pub(crate) wants_initializer: bool,
    /// The value of a const or constant integer.
    pub(crate) value: Option<i64>,
    /// Places of its spaces.
    pub(crate) places: Places,
}

/// The part of a function's body that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionBody {
    /// The function is declared only.
    Missing,
    /// The body is open.
    Open,
    Read,
}

/// A function, or one of several overloadable ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) signature: SignatureId,
    /// Place of the space that the result points into.
    pub(crate) result_pointee: SpaceSite,
    pub(crate) span: Span,
    pub(crate) is_overloadable: bool,
    pub(crate) is_kernel: bool,
    pub(crate) body: FunctionBody,
    /// The function of this name declared before.
    pub(crate) next: Option<FunctionId>,
}

#[derive(Debug)]
struct Entry<T> {
    symbol: Symbol,
    value: T,
    scope: u32,
    shadowed: u32,
}

/// A name space. A lookup costs one index; leaving a scope costs time for each of its names.
#[derive(Debug)]
pub(crate) struct Names<T> {
    /// For each symbol, one more than the index of its visible entry; 0 when it has none.
    visible: Vec<u32>,
    entries: Vec<Entry<T>>,
    scope: u32,
    starts: Vec<u32>,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self { visible: Vec::new(), entries: Vec::new(), scope: 0, starts: Vec::new() }
    }
}

impl<T: Copy> Names<T> {
    pub(crate) fn clear(&mut self) {
        self.leave_to(0);
        self.starts.clear();
        self.scope = 0;
    }

    pub(crate) fn enter(&mut self) {
        self.starts.push(self.entries.len() as u32);
        self.scope += 1;
    }

    pub(crate) fn leave(&mut self) {
        let start = self.starts.pop().unwrap_or(0);
        self.leave_to(start as usize);
        self.scope = self.scope.saturating_sub(1);
    }

    /// Returns the number of open scopes.
    pub(crate) fn depth(&self) -> u32 {
        self.scope
    }

    fn leave_to(&mut self, start: usize) {
        for entry in self.entries.drain(start..).rev() {
            self.visible[entry.symbol.0 as usize] = entry.shadowed;
        }
    }

    /// Declares `symbol` as `value` until the current scope ends.
    pub(crate) fn declare(&mut self, symbol: Symbol, value: T) {
        self.declare_in(symbol, value, self.scope);
    }

    fn declare_in(&mut self, symbol: Symbol, value: T, scope: u32) {
        let index = symbol.0 as usize;
        if self.visible.len() <= index {
            self.visible.resize(index + 1, 0);
        }
        let shadowed = self.visible[index];
        self.entries.push(Entry { symbol, value, scope, shadowed });
        self.visible[index] = self.entries.len() as u32;
    }

    /// Changes the meaning of a name declared before.
    pub(crate) fn redeclare(&mut self, symbol: Symbol, value: T) {
        match self.entry(symbol) {
            Some(index) => self.entries[index].value = value,
            None => self.declare(symbol, value),
        }
    }

    fn entry(&self, symbol: Symbol) -> Option<usize> {
        let visible = *self.visible.get(symbol.0 as usize)?;
        visible.checked_sub(1).map(|index| index as usize)
    }

    /// Returns the names that are declared here.
    pub(crate) fn visible(&self) -> impl Iterator<Item = Symbol> {
        self.entries.iter().map(|entry| entry.symbol)
    }

    pub(crate) fn get(&self, symbol: Symbol) -> Option<T> {
        self.entry(symbol).map(|index| self.entries[index].value)
    }

    /// Returns the meaning of `symbol` if the current scope declares it.
    pub(crate) fn get_here(&self, symbol: Symbol) -> Option<T> {
        let entry = &self.entries[self.entry(symbol)?];
        (entry.scope == self.scope).then_some(entry.value)
    }
}
