//! Declarations that the evaluator does not know: types, variables and parameters.

use expectations::{dialect::Version, requirement::Requirement, space::AddressSpace};

use super::{Builder, OWN, Position, Purpose, place_of, places::Base, read};
use crate::random::{
    settings::Feature,
    tree::{Expression, Initializer, Item, Node, VariableId},
    types::{INT, Pointer, Ty, Type},
};

/// Types whose objects only built-in functions take, by the versions that have them. Writes of images of three
/// dimensions are optional, and not among these.
const OPAQUE: [(&str, Version); 6] = [
    ("sampler_t", Version::V1_0),
    ("read_only image2d_t", Version::V1_0),
    ("write_only image2d_t", Version::V1_0),
    ("read_only image3d_t", Version::V1_0),
    ("read_only image1d_t", Version::V1_2),
    ("write_only image1d_t", Version::V1_2),
];

pub(super) const SAMPLER: Type = Type::Opaque("sampler_t");
pub(super) const FLAG: Type = Type::Opaque("atomic_flag");

const SAMPLERS: [&str; 3] = [
    "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST",
    "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST",
    "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR",
];

impl Builder<'_> {
    /// Makes enumerated types, and names for types that are not used yet.
    pub(super) fn declined_types(&mut self) {
        if self.purpose == Purpose::Answer {
            return;
        }
        let mut turns = self.turns(0, 2);
        while self.has(Feature::Enumerations) && self.takes_turn(&mut turns) {
            let count = 1 + self.choices.below(3);
            let values = (0..count).map(|_| {
                let is_given = self.choices.one_in(3);
                is_given.then(|| self.choices.below(16))
            });
            let values = values.collect();
            let ty = self.program.types.add_enumeration(values);
            if let Type::Enumeration(number) = self.program.types.get(ty) {
                self.program.file_scope.push(Item::Enumeration(number));
            }
            self.elements.push(ty);
            self.choices.close();
        }
        if self.has(Feature::Typedefs) {
            let mut turns = self.turns(0, 4);
            while self.takes_turn(&mut turns) {
                let known = self.program.types.count();
                let element = self.element_type();
                let ty = match self.choices.below(3) {
                    0 => self.program.types.intern(Type::Array(element, OWN)),
                    _ => self.pointer_type(element, 1),
                };
                if self.program.types.add_alias(ty, known) {
                    self.program.file_scope.push(Item::Alias(ty));
                }
                self.choices.close();
            }
        }
    }

    /// Declares a variable at program scope, where the program has them with a storage class.
    pub(super) fn declare_at_program_scope(&mut self, variable: VariableId) {
        if self.has_more(Feature::StorageClasses) {
            self.known(variable).storage = self.choices.pick(&["", "static ", "extern "]);
        }
        self.program.file_scope.push(Item::Variable(variable));
    }

    /// Defines what was declared `extern`.
    pub(super) fn definitions(&mut self) {
        let variables: Vec<VariableId> = self.program.file_scope_variables().collect();
        for variable in variables {
            if self.known(variable).storage == "extern " {
                self.program.file_scope.push(Item::Definition(variable));
            }
        }
    }

    /// Declares a variable at program scope that the evaluator does not know, in some programs.
    pub(super) fn declined_variable(&mut self) -> bool {
        if self.one_in_with(Feature::Images, 3) {
            let variable = self.sampler();
            self.program.file_scope.push(Item::Variable(variable));
            return true;
        }
        if self.one_in_with(Feature::ArraysOfArrays, 3) {
            let element = self.element_without_pointers();
            let row = self.program.types.intern(Type::Array(element, 2));
            let ty = self.program.types.intern(Type::Array(row, 2));
            let initializer = self.constants(ty);
            let variable = self.variable(ty, AddressSpace::Constant, Some(initializer));
            self.declare_at_program_scope(variable);
            self.add_variable_roots(variable);
            return true;
        }
        false
    }

    /// Returns a constant sampler; `const` alone means the same.
    pub(super) fn sampler(&mut self) -> VariableId {
        self.requirements.push(Requirement::Images);
        let ty = self.program.types.intern(SAMPLER);
        let flags = Expression::new(ty, Node::Form(self.choices.pick(&SAMPLERS), Vec::new()));
        let is_spelled = self.choices.one_in(2);
        let space = if is_spelled { AddressSpace::Constant } else { AddressSpace::Private };
        let variable = self.variable(ty, space, Some(Initializer::Value(flags)));
        self.known(variable).is_const = !is_spelled;
        self.opaque.push(variable);
        variable
    }

    /// Returns a parameter that is an image or a sampler, in some programs.
    pub(super) fn opaque_parameter(&mut self) -> Option<VariableId> {
        if !self.one_in_with(Feature::Images, 3) {
            return None;
        }
        self.requirements.push(Requirement::Images);
        let count = OPAQUE.iter().filter(|(_, since)| *since <= self.dialect.version).count();
        let (spelling, _) = OPAQUE[self.choices.below(count as u32) as usize];
        let ty = self.program.types.intern(Type::Opaque(spelling));
        let parameter = self.variable(ty, AddressSpace::Private, None);
        self.opaque.push(parameter);
        Some(parameter)
    }

    /// Returns an image, sampler or flag of a type that can be used here.
    pub(super) fn opaque_of(&mut self, ty: Ty) -> Option<Expression> {
        let is_it = |known: &&VariableId| self.program.variables[usize::from(known.0)].ty == ty;
        let known = self.opaque.iter().rev().find(is_it).copied()?;
        Some(read(place_of(known, ty)))
    }

    /// Returns an array of such rows, in some programs; else the row.
    pub(super) fn array_of_arrays(&mut self, row: Ty) -> Ty {
        if self.one_in_with(Feature::ArraysOfArrays, 2) {
            self.program.types.intern(Type::Array(row, 2))
        } else {
            row
        }
    }

    /// Returns the type of pointers to such pointers where the program has those, or to rows; else the inner type.
    pub(super) fn pointer_to_pointer(&mut self, inner: Ty) -> Ty {
        if self.one_in_with(Feature::ArraysOfArrays, 3) {
            let element = self.element_without_pointers();
            let row = self.program.types.intern(Type::Array(element, 2));
            return self.pointer_type(row, 1);
        }
        if self.has(Feature::NestedPointers) { self.pointer_type(inner, 1) } else { inner }
    }

    /// Makes a variable of a function `const` or `volatile`, in some programs.
    pub(super) fn qualify(&mut self, variable: VariableId) {
        if self.has(Feature::Qualifiers) {
            let is_const = self.choices.one_in(6);
            let is_volatile = self.choices.one_in(10);
            let known = self.known(variable);
            (known.is_const, known.is_volatile) = (is_const, is_volatile);
        }
    }

    /// Returns the same type of pointers, without `volatile`: functions of vectors do not take it.
    pub(super) fn without_volatile(&mut self, ty: Ty) -> Ty {
        match self.program.types.as_pointer(ty) {
            Some(pointer) if pointer.is_volatile => {
                let pointer = Pointer { is_volatile: false, ..pointer };
                self.program.types.intern(Type::Pointer(pointer))
            }
            _ => ty,
        }
    }

    /// Returns a constant of an enumerated type.
    pub(super) fn enumerator(&mut self, number: u16, ty: Ty) -> Expression {
        let count = self.program.types.enumerations()[usize::from(number)].len() as u32;
        let constant = self.choices.below(count) as u16;
        Expression::new(ty, Node::Enumerator(number, constant))
    }

    /// Returns a constant of some enumerated type, as `int`.
    pub(super) fn any_enumerator(&mut self) -> Option<Expression> {
        let count = self.program.types.enumerations().len() as u32;
        (count > 0).then(|| {
            let number = self.choices.below(count) as u16;
            self.enumerator(number, INT)
        })
    }

    /// Hides a variable of program scope or a parameter by another, until its roots are brought back.
    pub(super) fn hide(&mut self) -> Option<VariableId> {
        let can_be_hidden =
            |variable: VariableId| self.program.variables[usize::from(variable.0)].is_program_scope;
        let mut named: Vec<VariableId> =
            self.roots.iter().filter_map(|root| variable_of(&root.base)).collect();
        named.retain(|&variable| can_be_hidden(variable));
        named.sort_unstable();
        named.dedup();
        if named.is_empty() {
            return None;
        }
        let hidden = self.choices.pick(&named);
        // In its own initializer the new one is there already.
        self.roots.retain(|root| variable_of(&root.base) != Some(hidden));
        let element = self.element_type();
        let variable = self.declared(element)?;
        self.known(variable).named_as = hidden;
        self.add_variable_roots(variable);
        Some(variable)
    }

    /// Whether statements are in the outermost scope of a kernel.
    pub(super) fn is_in_kernel(&self) -> bool {
        self.position == Position::Kernel && self.depth == 0
    }
}

/// Returns the variable that a root is part of, or is reached through.
pub(super) fn variable_of(base: &Base) -> Option<VariableId> {
    use crate::random::tree::PlaceNode;
    let place = match base {
        Base::Place(place)
        | Base::Array(place, _)
        | Base::Pointer(Expression { node: Node::Read(place), .. }, _) => place,
        Base::Pointer(..) => return None,
    };
    match place.node {
        PlaceNode::Variable(variable) => Some(variable),
        _ => None,
    }
}
