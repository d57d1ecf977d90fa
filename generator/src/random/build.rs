//! Programs, well formed by construction: what is in scope, and the program scope itself.

mod constants;
mod expressions;
mod functions;
mod places;
pub(super) mod pointers;
mod statements;

use expectations::{
    dialect::{Dialect, Version},
    requirement::Requirement,
    space::AddressSpace,
};

use super::{
    choices::Choices,
    faults::Pending,
    print::Printer,
    tree::{Declaration, Expression, Header, Item, Name, Program, Side, Style},
    types::{CHAR, INT, Member, Pointee, Record, SCALARS, Ty, Types, VALUES},
};

/// How large programs are.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// At most so many structures, unions and typedefs.
    pub types: u32,
    /// At most so many variables at program scope.
    pub objects: u32,
    /// At most so many functions besides the last kernel.
    pub functions: u32,
    /// At most so many statements in one list.
    pub statements: u32,
    /// How deep statements nest.
    pub depth: u32,
    /// How deep expressions nest.
    pub fuel: u32,
}

impl Default for Size {
    fn default() -> Self {
        Self { types: 3, objects: 3, functions: 2, statements: 4, depth: 2, fuel: 2 }
    }
}

/// An object that can be named.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) name: Name,
    pub(super) ty: Ty,
    pub(super) space: AddressSpace,
    pub(super) is_const: bool,
    pub(super) is_volatile: bool,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub(super) name: Name,
    pub(super) result: Ty,
    pub(super) parameters: Vec<Ty>,
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At program scope.
    Program,
    /// The outermost scope of a kernel.
    Kernel,
    /// A scope within a kernel.
    Nested,
    /// A function that is no kernel.
    Helper,
}

pub(super) struct Builder<'c> {
    pub(super) dialect: Dialect,
    pub(super) choices: &'c mut Choices,
    pub(super) size: Size,
    pub(super) types: Types,
    pub(super) values: Vec<Ty>,
    pub(super) variables: Vec<Variable>,
    pub(super) callees: Vec<Callee>,
    pub(super) items: Vec<Item>,
    pub(super) style: Style,
    pub(super) requirements: Vec<Requirement>,
    pub(super) pending: Option<Pending>,
    pub(super) place: Place,
    pub(super) depth: u32,
    pub(super) shape: String,
    loops: u32,
    next: u16,
}

/// A program of this dialect; `pending` is the edit to be made in it.
pub(super) fn program(
    dialect: Dialect,
    size: Size,
    pending: Option<Pending>,
    choices: &mut Choices,
) -> Program {
    let mut builder = Builder {
        dialect,
        choices,
        size,
        types: Types::new(),
        values: VALUES.to_vec(),
        variables: Vec::with_capacity(32),
        callees: Vec::new(),
        items: Vec::with_capacity(16),
        style: Style::default(),
        requirements: Vec::new(),
        pending,
        place: Place::Program,
        depth: 0,
        shape: String::new(),
        loops: 0,
        next: 0,
    };
    builder.program_scope();
    let Builder { types, items, style, mut requirements, shape, .. } = builder;
    requirements.sort_unstable();
    requirements.dedup();
    Program { types, items, style, requirements, shape }
}

impl Builder<'_> {
    pub(super) fn file_name(&mut self, letter: char) -> Name {
        self.next += 1;
        Name { letter, index: self.next, is_file_scope: true }
    }

    pub(super) fn local_name(&mut self, letter: char) -> Name {
        self.next += 1;
        Name { letter, index: self.next, is_file_scope: false }
    }

    pub(super) fn since(&self, version: Version) -> bool {
        self.dialect.version >= version
    }

    /// Repeat up to `most` times; each time can be taken out.
    pub(super) fn repeat(&mut self, most: u32, mut make: impl FnMut(&mut Self)) {
        for _ in 0..most {
            self.choices.open();
            let goes_on = self.choices.below(4) > 0;
            if goes_on {
                make(self);
            }
            self.choices.close();
            if !goes_on {
                break;
            }
        }
    }

    fn program_scope(&mut self) {
        self.style();
        self.repeat(self.size.types, Self::type_item);
        self.repeat(self.size.objects, |builder| {
            builder.object_item();
            builder.item_faults();
        });
        self.repeat(self.size.functions, |builder| {
            builder.function_item();
            builder.item_faults();
        });
        self.last_item_fault();
        self.kernel(true);
        let items = self.deferred();
        self.items.extend(items);
    }

    fn style(&mut self) {
        self.style = Style {
            underscored: self.choices.below(32) as u8,
            through_macro: if self.choices.one_in(4) { self.choices.below(32) as u8 } else { 0 },
            space_last: self.choices.one_in(4),
            explicit_private: !self.dialect.generic && self.choices.one_in(3),
            underscored_kernel: self.choices.one_in(3),
        };
    }

    /// Definitions that `extern` declarations announced.
    fn deferred(&mut self) -> Vec<Item> {
        let announced: Vec<Declaration> = self
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Object(declaration) if declaration.storage == "extern " => {
                    Some(declaration.clone())
                }
                _ => None,
            })
            .collect();
        let mut items = Vec::new();
        for declaration in announced {
            let initializer = Some(self.constant_initializer(declaration.ty));
            items.push(Item::Object(Declaration { storage: "", initializer, ..declaration }));
        }
        items
    }

    fn type_item(&mut self) {
        match self.choices.below(4) {
            0 | 1 => {
                let is_union = self.choices.one_in(3);
                let count = 1 + self.choices.below(3);
                let members = (0..count)
                    .map(|_| {
                        let ty = self.member_type();
                        Member { name: self.local_name('m'), ty }
                    })
                    .collect();
                let name = self.file_name('S');
                let ty = self.types.record(Record { name, is_union, members });
                self.values.push(ty);
                self.items.push(Item::Record(ty));
            }
            2 => {
                let known = self.types.count();
                let ty = self.pointer_type();
                // Only a type that nothing declared so far mentions can get a name now.
                self.alias(ty, known);
            }
            _ => {
                let known = self.types.count();
                let element = self.value_type();
                let length = 2 + self.choices.below(3) as u8;
                let ty = self.types.array(element, length);
                self.alias(ty, known);
            }
        }
    }

    fn alias(&mut self, ty: Ty, known: usize) {
        if ty.is_among_first(known) {
            return;
        }
        let name = self.file_name('T');
        self.types.name(ty, name);
        self.items.push(Item::Typedef(ty, name));
    }

    fn member_type(&mut self) -> Ty {
        match self.choices.below(4) {
            0 | 1 => self.value_type(),
            2 => {
                let element = self.choices.pick(&SCALARS);
                self.types.array(element, 2)
            }
            _ => self.pointer_type(),
        }
    }

    /// A type of values other than pointers.
    pub(super) fn value_type(&mut self) -> Ty {
        let index = self.choices.below(self.values.len() as u32) as usize;
        self.values[index]
    }

    /// A type of values without a pointer anywhere in them.
    pub(super) fn plain_type(&mut self) -> Ty {
        let ty = self.value_type();
        if self.types.holds_pointer(ty) { INT } else { ty }
    }

    /// A space that a pointee can be in.
    pub(super) fn pointee_space(&mut self) -> AddressSpace {
        use AddressSpace::{Constant, Generic, Global, Local, Private};
        if self.dialect.generic {
            self.choices.pick(&[Global, Generic, Local, Private, Constant])
        } else {
            self.choices.pick(&[Global, Private, Local, Constant])
        }
    }

    /// The type of a pointer; as often as not one that some variable has already, so that values flow.
    pub(super) fn pointer_type(&mut self) -> Ty {
        if let Some(pointee) = self.known_pointee() {
            return self.types.pointer(pointee);
        }
        if self.choices.one_in(12) {
            let text = Pointee { is_const: true, ..Pointee::new(CHAR, AddressSpace::Constant) };
            return self.types.pointer(text);
        }
        let space = self.pointee_space();
        let to = if self.choices.one_in(5) {
            let inner = Pointee::new(self.choices.pick(&SCALARS), self.pointee_space());
            self.types.pointer(inner)
        } else {
            self.value_type()
        };
        let pointee = Pointee {
            is_const: self.choices.one_in(4),
            is_volatile: self.choices.one_in(8),
            ..Pointee::new(to, space)
        };
        self.types.pointer(pointee)
    }

    /// What some pointer in scope points to.
    pub(super) fn known_pointee(&mut self) -> Option<Pointee> {
        if !self.choices.one_in(2) {
            return None;
        }
        let (_, spot) = self.place_where(|types, spot| types.pointee(spot.ty).is_some())?;
        self.types.pointee(spot.ty)
    }

    /// Something of which there is a pointer in scope, or anything.
    pub(super) fn any_pointee(&mut self) -> Pointee {
        match self.known_pointee() {
            Some(pointee) => pointee,
            None => Pointee::new(self.choices.pick(&VALUES), self.pointee_space()),
        }
    }

    pub(super) fn object_type(&mut self) -> Ty {
        match self.choices.below(4) {
            0 | 1 => self.value_type(),
            2 => self.pointer_type(),
            _ => {
                let element =
                    if self.choices.one_in(3) { self.pointer_type() } else { self.value_type() };
                let length = 1 + self.choices.below(4) as u8;
                self.types.array(element, length)
            }
        }
    }

    /// A variable at program scope.
    fn object_item(&mut self) {
        let ty = self.object_type();
        let name = self.file_name('v');
        let globals = self.dialect.program_scope_globals;
        let space = if globals && self.choices.one_in(2) {
            AddressSpace::Global
        } else {
            AddressSpace::Constant
        };
        let storage = if self.since(Version::V1_2) {
            self.choices.pick(&["", "", "static ", "extern "])
        } else {
            ""
        };
        let is_global = space == AddressSpace::Global;
        // In 2.0 two sentences disagree on an unqualified pointer to a qualified pointee.
        let is_inferred = is_global && !self.types.ends_in_pointer(ty) && self.choices.one_in(2);
        let is_const = self.choices.one_in(4);
        let needs_value = !is_global && storage != "extern ";
        let may_have = is_global && storage != "extern " && self.choices.one_in(2);
        let initializer = (needs_value || may_have).then(|| self.constant_initializer(ty));
        let declaration = Declaration {
            storage,
            space: (!is_inferred).then_some(space),
            is_const,
            is_volatile: false,
            ty,
            name,
            initializer,
        };
        self.items.push(Item::Object(declaration));
        self.variables.push(Variable { name, ty, space, is_const, is_volatile: false });
    }

    /// How an expression is spelled in this program.
    pub(super) fn spell(&self, expression: &Expression) -> String {
        let mut printer = Printer::new(&self.types, self.style, self.dialect, Side::Control);
        printer.expression(expression);
        printer.into_text()
    }

    pub(super) fn spell_type(&self, ty: Ty) -> String {
        let mut printer = Printer::new(&self.types, self.style, self.dialect, Side::Control);
        printer.type_name(ty);
        printer.into_text()
    }

    /// Forget what was declared since, when a scope ends.
    pub(super) fn scoped<T>(&mut self, place: Place, make: impl FnOnce(&mut Self) -> T) -> T {
        let (variables, outer) = (self.variables.len(), self.place);
        self.place = place;
        self.depth += 1;
        let result = make(self);
        self.depth -= 1;
        self.place = outer;
        self.variables.truncate(variables);
        result
    }

    pub(super) fn push_callee(&mut self, header: &Header) {
        self.callees.push(Callee {
            name: header.name,
            result: header.result,
            parameters: header.parameters.iter().map(|parameter| parameter.ty).collect(),
        });
    }
}
