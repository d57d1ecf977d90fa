//! Programs, well formed by construction: what is in scope, and the program scope itself.

mod atomics;
mod blocks;
mod builtins;
mod constants;
mod expressions;
pub(super) mod faults;
mod functions;
mod images;
mod initializers;
mod places;
pub(super) mod pointers;
mod statements;

use expectations::{
    dialect::{Dialect, Version},
    requirement::Requirement,
    space::AddressSpace,
};

use self::faults::Pending;
use super::{
    choices::Choices,
    print::Printer,
    settings::{FEATURES, Feature, Limits, Mix, Settings, Share},
    tree::{Declaration, Expression, Header, Item, Name, Program, Side, Style},
    types::{ATOMICS, CHAR, Enumeration, INT, Member, Pointee, Record, SCALARS, Ty, Types, VALUES},
};

/// Where a variable was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// At program scope: it is there before the program runs.
    Program,
    /// In a function, its parameters included.
    Function,
}

/// An object that can be named.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) name: Name,
    pub(super) ty: Ty,
    pub(super) space: AddressSpace,
    pub(super) is_const: bool,
    pub(super) is_volatile: bool,
    /// Where it was declared.
    pub(super) declared_in: Scope,
    /// The variable whose name it has, by its place.
    pub(super) hides: Option<usize>,
    /// Another has its name, or it cannot be used here.
    pub(super) is_hidden: bool,
}

impl Variable {
    /// What a declaration declares, hiding nothing.
    fn of(declaration: &Declaration, space: AddressSpace, declared_in: Scope) -> Self {
        Self {
            name: declaration.name,
            ty: declaration.ty,
            space,
            is_const: declaration.is_const,
            is_volatile: declaration.is_volatile,
            declared_in,
            hides: None,
            is_hidden: false,
        }
    }
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
    pub(super) limits: Limits,
    mix: Mix,
    /// A bit per feature that this program has.
    features: u32,
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
    /// What the function returns; `None` where nothing can.
    pub(super) result: Option<Ty>,
    /// Orders other than relaxed, and the scope of a device, may be used though they are optional.
    pub(super) every_order: bool,
    /// Where the variables of the innermost scope begin.
    pub(super) scope: usize,
    next: u16,
}

/// A program of this dialect; `pending` is the edit to be made in it.
pub(super) fn program(
    dialect: Dialect,
    settings: Settings,
    pending: Option<Pending>,
    choices: &mut Choices,
) -> Program {
    let mut builder = Builder {
        dialect,
        choices,
        limits: settings.size.limits(),
        mix: settings.mix,
        features: 0,
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
        result: None,
        every_order: false,
        scope: 0,
        next: 0,
    };
    builder.program_scope();
    let Builder { types, items, features, style, mut requirements, shape, .. } = builder;
    requirements.sort_unstable();
    requirements.dedup();
    Program { types, items, features, style, requirements, shape }
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

    /// Whether this program has `feature`.
    pub(super) fn has(&self, feature: Feature) -> bool {
        self.features & 1 << feature as u32 != 0
    }

    /// Once in `count` times, if this program has `feature`.
    pub(super) fn one_in_with(&mut self, feature: Feature, count: u32) -> bool {
        self.has(feature) && self.choices.one_in(count)
    }

    /// Which features this program has.
    fn choose_features(&mut self) {
        for row in &FEATURES {
            let has = match self.mix.share(row.feature) {
                Share::Without => false,
                Share::More => true,
                Share::Usual => self.choices.below(12) >= 12 - row.of_twelve,
            };
            if has && (row.exists_in)(self.dialect) {
                self.features |= 1 << row.feature as u32;
            }
        }
    }

    fn program_scope(&mut self) {
        self.choose_features();
        self.every_order = self.one_in_with(Feature::Atomics, 3);
        self.style();
        self.repeat(self.limits.types, Self::type_item);
        self.repeat(self.limits.objects, |builder| {
            builder.object_item();
            builder.item_faults();
        });
        self.repeat(self.limits.functions, |builder| {
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
            through_macro: if self.has(Feature::Macros) { self.choices.below(32) as u8 } else { 0 },
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
        match self.choices.below(6) {
            1 if self.has(Feature::Unions) => self.record_item(true),
            2 if self.has(Feature::Enumerations) => self.enumeration_item(),
            3 | 4 if self.has(Feature::Typedefs) => {
                let known = self.types.count();
                let ty = self.pointer_type();
                // Only a type that nothing declared so far mentions can get a name now.
                self.alias(ty, known);
            }
            5 if self.has(Feature::Typedefs) => {
                let known = self.types.count();
                let element = self.element_type();
                let length = 2 + self.choices.below(3) as u8;
                let ty = self.types.array(element, length);
                self.alias(ty, known);
            }
            _ if self.has(Feature::Structures) => self.record_item(false),
            _ => {}
        }
    }

    fn record_item(&mut self, is_union: bool) {
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

    fn enumeration_item(&mut self) {
        let count = 1 + self.choices.below(3);
        let constants = (0..count)
            .map(|_| {
                let value = self.choices.one_in(3).then(|| self.choices.below(16));
                (self.file_name('e'), value)
            })
            .collect();
        let name = self.file_name('E');
        let ty = self.types.enumeration(Enumeration { name, constants });
        self.values.push(ty);
        self.items.push(Item::Enumeration(ty));
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
                let row = self.types.array(element, 2);
                if self.one_in_with(Feature::ArraysOfArrays, 2) {
                    self.types.array(row, 2)
                } else {
                    row
                }
            }
            _ => self.pointer_type(),
        }
    }

    /// What an array is made of: values, and where the program has them arrays.
    fn element_type(&mut self) -> Ty {
        let ty = self.value_type();
        if self.one_in_with(Feature::ArraysOfArrays, 2) {
            let length = 1 + self.choices.below(3) as u8;
            self.types.array(ty, length)
        } else {
            ty
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
        if self.one_in_with(Feature::StringLiterals, 8) {
            let text = Pointee { is_const: true, ..Pointee::new(CHAR, AddressSpace::Constant) };
            return self.types.pointer(text);
        }
        let pointee = if self.one_in_with(Feature::Atomics, 4) {
            let space = self.atomic_space();
            let to = self.choices.pick(&ATOMICS);
            Pointee { is_volatile: self.choices.one_in(3), ..Pointee::new(to, space) }
        } else {
            let space = self.pointee_space();
            let to = if self.one_in_with(Feature::NestedPointers, 4) {
                let inner = Pointee::new(self.choices.pick(&SCALARS), self.pointee_space());
                self.types.pointer(inner)
            } else {
                self.element_type()
            };
            Pointee {
                is_const: self.choices.one_in(4),
                is_volatile: self.choices.one_in(8),
                ..Pointee::new(to, space)
            }
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
                    if self.choices.one_in(3) { self.pointer_type() } else { self.element_type() };
                let length = 1 + self.choices.below(4) as u8;
                self.types.array(element, length)
            }
        }
    }

    /// A variable at program scope.
    fn object_item(&mut self) {
        if self.one_in_with(Feature::Images, 3) {
            return self.sampler_item();
        }
        if self.dialect.program_scope_globals && self.one_in_with(Feature::Atomics, 3) {
            return self.atomic_item();
        }
        let globals = self.dialect.program_scope_globals;
        let space = if globals && self.choices.one_in(2) {
            AddressSpace::Global
        } else {
            AddressSpace::Constant
        };
        if self.one_in_with(Feature::StringLiterals, 6) {
            return self.text_item(space);
        }
        let ty = self.object_type();
        let storage = self.storage();
        let is_global = space == AddressSpace::Global;
        // In 2.0 two sentences disagree on an unqualified pointer to a qualified pointee.
        let is_inferred = is_global && !self.types.ends_in_pointer(ty) && self.choices.one_in(2);
        let is_const = self.choices.one_in(4);
        let needs_value = !is_global && storage != "extern ";
        let may_have = is_global && storage != "extern " && self.choices.one_in(2);
        let initializer = (needs_value || may_have).then(|| self.constant_initializer(ty));
        let is_unsized = self.may_be_unsized(ty, initializer.as_ref());
        let declaration = Declaration {
            storage,
            space: (!is_inferred).then_some(space),
            is_const,
            is_unsized,
            ..Declaration::plain(ty, self.file_name('v'), initializer)
        };
        self.push_object(declaration, space);
    }

    fn storage(&mut self) -> &'static str {
        if self.has(Feature::StorageClasses) {
            self.choices.pick(&["", "static ", "extern "])
        } else {
            ""
        }
    }

    /// `constant char v[4] = "abc";`
    fn text_item(&mut self, space: AddressSpace) {
        let ty = self.types.array(CHAR, 4);
        let initializer = Some(self.text_initializer());
        let declaration = Declaration {
            space: Some(space),
            is_const: self.choices.one_in(4),
            is_unsized: self.choices.one_in(2),
            ..Declaration::plain(ty, self.file_name('v'), initializer)
        };
        self.push_object(declaration, space);
    }

    pub(super) fn push_object(&mut self, declaration: Declaration, space: AddressSpace) {
        self.variables.push(Variable::of(&declaration, space, Scope::Program));
        self.items.push(Item::Object(declaration));
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
        let (variables, callees) = (self.variables.len(), self.callees.len());
        let (outer, scope) = (self.place, self.scope);
        self.place = place;
        self.scope = variables;
        self.depth += 1;
        let result = make(self);
        self.depth -= 1;
        self.place = outer;
        self.scope = scope;
        for index in (variables..self.variables.len()).rev() {
            if let Some(hidden) = self.variables[index].hides {
                self.variables[hidden].is_hidden = false;
            }
        }
        self.variables.truncate(variables);
        self.callees.truncate(callees);
        result
    }

    /// A name for a variable of the innermost scope; in programs that have it sometimes that of a variable outside,
    /// which is hidden from here on.
    pub(super) fn inner_name(&mut self, letter: char) -> (Name, Option<usize>) {
        if self.scope > 0 && self.one_in_with(Feature::Shadowing, 3) {
            let start = self.choices.below(self.scope as u32) as usize;
            let hidden = (start..self.scope).find(|&index| !self.variables[index].is_hidden);
            if let Some(index) = hidden {
                self.variables[index].is_hidden = true;
                return (self.variables[index].name, Some(index));
            }
        }
        (self.local_name(letter), None)
    }

    pub(super) fn push_callee(&mut self, header: &Header) {
        self.callees.push(Callee {
            name: header.name,
            result: header.result,
            parameters: header.parameters.iter().map(|parameter| parameter.ty).collect(),
        });
    }
}
