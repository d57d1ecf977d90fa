//! The objects and functions of a program, in the order of their declarations.

use crate::{
    access::{Access, AccessKind},
    parse::syntax::Storage,
    sema::scopes::ObjectId,
    space::Space,
    span::Span,
    symbol::Symbol,
    types::{LayoutAttributes, QualifiedType, SignatureId},
};

/// A function with a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefinedFunction {
    pub(crate) name: Symbol,
    pub(crate) signature: SignatureId,
    pub(crate) span: Span,
    pub(crate) is_kernel: bool,
}

/// Index of a function in [`Inventory::functions`].
pub(crate) type FunctionIndex = u32;

/// The construct that makes an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectOrigin {
    Variable { id: ObjectId, storage: Option<Storage>, layout: LayoutAttributes },
    StringLiteral,
    CompoundLiteral,
}

/// An object of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedObject {
    pub(crate) origin: ObjectOrigin,
    pub(crate) ty: QualifiedType,
    pub(crate) span: Span,
    /// Function around it.
    pub(crate) function: Option<FunctionIndex>,
    /// Whether a block literal is around it.
    pub(crate) is_in_block: bool,
}

/// A number that an initializer stores in a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredNumber {
    pub(crate) object: ObjectId,
    /// Offset in bytes.
    pub(crate) offset: u64,
    /// Size in bytes.
    pub(crate) size: u64,
    /// The bytes as a little-endian number.
    pub(crate) bits: u64,
}

/// The objects and functions of one program.
#[derive(Debug, Default)]
pub(crate) struct Inventory {
    pub(crate) functions: Vec<DefinedFunction>,
    pub(crate) objects: Vec<ListedObject>,
    pub(crate) numbers: Vec<StoredNumber>,
    /// Variables that are named, each with the function around the name.
    pub(crate) uses: Vec<(ObjectId, Option<FunctionIndex>)>,
    /// Accesses in each function, without repetition and in the order of the functions.
    pub(crate) accesses: Vec<(FunctionIndex, Access)>,
    /// Functions of the program that each function calls, without repetition and in the order of the callers.
    pub(crate) calls: Vec<(FunctionIndex, Symbol)>,
    open: Option<FunctionIndex>,
    /// Number of operands around the current one that are not evaluated.
    unevaluated: u32,
}

impl Inventory {
    /// Adds an object. A literal that is not evaluated makes none.
    pub(super) fn add(
        &mut self,
        origin: ObjectOrigin,
        ty: QualifiedType,
        span: Span,
        is_in_block: bool,
    ) {
        let is_variable = matches!(origin, ObjectOrigin::Variable { .. });
        if is_variable || self.unevaluated == 0 {
            self.objects.push(ListedObject { origin, ty, span, function: self.open, is_in_block });
        }
    }

    pub(crate) fn clear(&mut self) {
        self.functions.clear();
        self.objects.clear();
        self.numbers.clear();
        self.uses.clear();
        self.accesses.clear();
        self.calls.clear();
        self.open = None;
        self.unevaluated = 0;
    }

    /// Notes that the operand which follows is not evaluated: it uses no objects and makes none.
    pub(super) fn begin_unevaluated(&mut self) {
        self.unevaluated += 1;
    }

    /// Notes the end of an operand that is not evaluated.
    pub(super) fn end_unevaluated(&mut self) {
        self.unevaluated = self.unevaluated.saturating_sub(1);
    }

    /// Notes that the body of a function begins.
    pub(super) fn open_function(&mut self, function: DefinedFunction) {
        self.unevaluated = 0;
        self.open = Some(self.functions.len() as u32);
        self.functions.push(function);
    }

    /// Notes that the body of a function ends.
    pub(super) fn close_function(&mut self) {
        self.open = None;
    }

    /// Notes that an expression names a variable.
    pub(super) fn use_object(&mut self, object: ObjectId) {
        let last_use = (object, self.open);
        if self.unevaluated == 0 && self.uses.last() != Some(&last_use) {
            self.uses.push(last_use);
        }
    }

    /// Notes that an object is read or written.
    pub(super) fn access(&mut self, kind: AccessKind, space: Space) {
        let Some(open) = self.open.filter(|_| self.unevaluated == 0) else { return };
        push_new(&mut self.accesses, open, Access { kind, space });
    }

    /// Notes that a function of the program is called.
    pub(super) fn call(&mut self, callee: Symbol) {
        if let Some(open) = self.open.filter(|_| self.unevaluated == 0) {
            push_new(&mut self.calls, open, callee);
        }
    }

    /// Forgets the last string literal, which initializes an array and is not an object of its own.
    pub(super) fn drop_string(&mut self, span: Span) {
        let is_it = |object: &ListedObject| {
            object.origin == ObjectOrigin::StringLiteral && object.span == span
        };
        if let Some(index) = self.objects.iter().rposition(is_it) {
            self.objects.remove(index);
        }
    }
}

/// Appends a fact about a function, the last one of the list, unless the list has it.
fn push_new<T: PartialEq>(list: &mut Vec<(FunctionIndex, T)>, function: FunctionIndex, fact: T) {
    let mut of_function = list.iter().rev().take_while(|(other, _)| *other == function);
    if !of_function.any(|(_, known)| *known == fact) {
        list.push((function, fact));
    }
}
