//! Objects and what they begin with: program scope, arguments, variables.

use std::rc::Rc;

use expectations::{dialect::Version, space::AddressSpace};

use super::{
    Builder, OWN, Purpose, place_of,
    places::{Base, Root},
    read,
};
use crate::random::{
    settings::Feature,
    tree::{
        Argument, Binary, Expression, Initializer, Node, Place, PlaceNode, Statement, VariableId,
        WorkItem,
    },
    types::{Pointer, Scalar, Ty, Type, UINT},
};

/// Counters of the device, one for each kind of functions that commute.
const COUNTERS: u16 = 8;

/// An argument of every kernel, and who may use which part of it.
#[derive(Clone, Debug)]
pub(super) struct KernelArgument {
    /// The argument of the host.
    pub(super) argument: Argument,
    /// The type of the kernels' parameter.
    pub(super) ty: Ty,
    /// The way it is shared.
    sharing: Sharing,
}

/// The way work-items share memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// All work-items read it.
    Read,
    /// Each work-item owns this many elements, found by this number.
    Own(WorkItem, u16),
    /// Only atomic functions change it, and nobody uses their results.
    Counters,
}

impl Builder<'_> {
    /// Tables in constant, and objects in global where the dialect has them.
    pub(super) fn program_scope(&mut self) {
        let mut turns = self.turns(0, 3);
        while self.takes_turn(&mut turns) {
            let is_own = self.dialect.program_scope_globals && self.choices.below(2) == 1;
            if self.declined_variable() {
                // Made.
            } else if is_own {
                let element = self.shared_element();
                let length = OWN * self.program.items as u16;
                let ty = self.program.types.intern(Type::Array(element, length));
                let variable = self.variable(ty, AddressSpace::Global, None);
                self.declare_at_program_scope(variable);
                self.add_own_part(place_of(variable, ty), element, WorkItem::GlobalId, OWN);
            } else {
                self.constant();
            }
            self.choices.close();
            self.item_faults();
        }
    }

    fn constant(&mut self) {
        let element = self.element_without_pointers();
        let ty = match self.choices.below(4) {
            3 if self.has(Feature::StringLiterals) => return self.table_of_characters(),
            0 => self.program.types.intern(Type::Array(element, OWN)),
            1 => element,
            // A pointer into another table.
            _ => {
                let tables: Vec<usize> = (0..self.roots.len())
                    .filter(|&root| {
                        self.roots[root].space == AddressSpace::Constant
                            && matches!(*self.roots[root].base, Base::Array(_, None))
                    })
                    .collect();
                if !tables.is_empty() {
                    let table = self.choices.pick(&tables);
                    return self.constant_pointer(table);
                }
                element
            }
        };
        let initializer = self.constants(ty);
        let variable = self.variable(ty, AddressSpace::Constant, Some(initializer));
        self.declare_at_program_scope(variable);
        self.add_variable_roots(variable);
    }

    /// Adds a pointer in constant memory to an element of a table there.
    fn constant_pointer(&mut self, table: usize) {
        let root = self.roots[table].clone();
        let Base::Array(array, _) = &*root.base else { return };
        let is_const = true;
        let pointer = Pointer {
            to: root.element,
            space: AddressSpace::Constant,
            is_const,
            is_volatile: false,
            run: 2,
        };
        let ty = self.program.types.intern(Type::Pointer(pointer));
        let ahead = self.choices.below(u32::from(root.run) - 1);
        let index = Box::new(Expression::literal(UINT, ahead.into()));
        let node = PlaceNode::Element(Box::new(array.clone()), index);
        let address = Node::Address(Place { ty: root.element, node });
        let initializer = Initializer::Value(Expression::new(ty, address));
        let variable = self.variable(ty, AddressSpace::Constant, Some(initializer));
        self.declare_at_program_scope(variable);
        self.add_variable_roots(variable);
    }

    /// Returns literals for every number of a type.
    pub(super) fn constants(&mut self, ty: Ty) -> Initializer {
        match self.program.types.get(ty) {
            Type::Scalar(scalar) | Type::Atomic(scalar) => {
                let value = self.literal(scalar);
                let ty = super::Types::scalar(scalar);
                Initializer::Value(Expression::literal(ty, value))
            }
            Type::Vector(scalar, length) => {
                let part = super::Types::scalar(scalar);
                let parts = (0..length).map(|_| {
                    let value = self.literal(scalar);
                    Expression::literal(part, value)
                });
                let parts = parts.collect();
                Initializer::Value(Expression::new(ty, Node::Vector(parts)))
            }
            Type::Array(element, length) => {
                Initializer::List((0..length).map(|_| self.constants(element)).collect())
            }
            Type::Record(record) => {
                let members = self.initialized_members(record);
                Initializer::List(members.into_iter().map(|ty| self.constants(ty)).collect())
            }
            Type::Enumeration(number) => Initializer::Value(self.enumerator(number, ty)),
            Type::Pointer(_) | Type::Opaque(_) => {
                Initializer::Value(Expression::new(ty, Node::Null))
            }
        }
    }

    /// Returns the members that an initializer has values for: only the first of a union (C99 6.7.8).
    fn initialized_members(&self, record: u16) -> Vec<Ty> {
        let record = &self.program.types.records()[usize::from(record)];
        let count = if record.is_union { 1 } else { record.members.len() };
        record.members[..count].to_vec()
    }

    /// Returns a number that objects of a type may hold.
    fn literal(&mut self, scalar: Scalar) -> i128 {
        let (least, greatest) = scalar.kept();
        let count = u32::try_from(greatest - least + 1).unwrap_or(u32::MAX).min(1 << 20);
        let value = i128::from(self.choices.below(count));
        if scalar.is_signed() { value + least } else { value }
    }

    /// Makes the arguments of kernels: a buffer to read, one to write, and some more.
    pub(super) fn arguments(&mut self) {
        let items = self.program.items as u16;
        self.give(UINT, AddressSpace::Global, Sharing::Read, OWN * items);
        let own = Sharing::Own(WorkItem::GlobalId, OWN);
        self.give(UINT, AddressSpace::Global, own, OWN * items);
        if self.has(Feature::ByValue) {
            self.object_by_value();
        }
        let mut turns = self.turns(0, 3);
        while self.takes_turn(&mut turns) {
            if self.one_in_with(Feature::ByValue, 3) {
                self.object_by_value();
                self.choices.close();
                continue;
            }
            let element = self.element_without_pointers();
            match self.choices.below(if self.uses_atomic_types { 9 } else { 6 }) {
                0 => self.give(element, AddressSpace::Global, own, OWN * items),
                1 => self.give(element, AddressSpace::Constant, Sharing::Read, OWN),
                2 | 3 => {
                    let per_item = self.choices.pick(&[1, 2, OWN]);
                    let of_group = Sharing::Own(WorkItem::LocalId, per_item);
                    self.give(element, AddressSpace::Local, of_group, per_item);
                }
                4 if self.dialect.version >= Version::V1_1 => {
                    self.give(UINT, AddressSpace::Global, Sharing::Counters, COUNTERS);
                }
                6 => {
                    let atomic = self.atomic_type();
                    self.give(atomic, AddressSpace::Global, own, OWN * items);
                }
                7 => {
                    let (atomic, per_item) = (self.atomic_type(), self.choices.pick(&[1, 2]));
                    let of_group = Sharing::Own(WorkItem::LocalId, per_item);
                    self.give(atomic, AddressSpace::Local, of_group, per_item);
                }
                8 if self.counts_for_all() => {
                    let atomic = self.atomic_type();
                    self.give(atomic, AddressSpace::Global, Sharing::Counters, COUNTERS);
                }
                _ => {
                    let among = self.scalars();
                    let scalar = self.choices.pick(among);
                    let value = self.literal(scalar);
                    let argument = Argument::Scalar(scalar, value);
                    let (ty, sharing) = (super::Types::scalar(scalar), Sharing::Read);
                    self.given.push(KernelArgument { argument, ty, sharing });
                }
            }
            self.choices.close();
        }
        self.program.arguments = self.given.iter().map(|given| given.argument.clone()).collect();
    }

    /// Gives a structure, a union or a vector.
    fn object_by_value(&mut self) {
        let types = &self.program.types;
        let is_whole = |&ty: &Ty| types.as_scalar(ty).is_none() && !types.has_pointer(ty);
        let fit: Vec<Ty> = self.elements.iter().copied().filter(is_whole).collect();
        let ty = match fit.as_slice() {
            [] => self.program.types.intern(Type::Vector(Scalar::Uint, 4)),
            fit => self.choices.pick(fit),
        };
        let values = self.first_contents(ty, 1);
        let argument = Argument::Object { ty, values };
        self.given.push(KernelArgument { argument, ty, sharing: Sharing::Read });
    }

    fn give(&mut self, element: Ty, space: AddressSpace, sharing: Sharing, length: u16) {
        let (is_const, run) = match sharing {
            Sharing::Read => (true, power_of_two(length)),
            Sharing::Own(_, run) => (false, run),
            Sharing::Counters => (false, length),
        };
        let pointer = Pointer { to: element, space, is_const, is_volatile: false, run };
        let ty = self.program.types.intern(Type::Pointer(pointer));
        let argument = if space == AddressSpace::Local {
            Argument::Local { element, per_item: length }
        } else {
            Argument::Buffer { element, values: self.first_contents(element, length) }
        };
        self.given.push(KernelArgument { argument, ty, sharing });
    }

    /// Returns the values in a buffer at first; there is none if a program is only built.
    fn first_contents(&mut self, element: Ty, length: u16) -> Vec<i128> {
        if self.purpose == Purpose::Edit {
            return Vec::new();
        }
        let of_one: Vec<Scalar> =
            self.program.types.layout(element).fields.iter().map(|field| field.0).collect();
        let all = (0..length).flat_map(|_| of_one.clone());
        all.map(|scalar| self.literal(scalar)).collect()
    }

    /// Returns a kernel's own variables for what it is given.
    pub(super) fn parameters(&mut self) -> Vec<VariableId> {
        let mut parameters = Vec::new();
        for KernelArgument { ty, sharing, .. } in self.given.clone() {
            let parameter = self.variable(ty, AddressSpace::Private, None);
            parameters.push(parameter);
            let pointer = self.program.types.as_pointer(ty);
            match (sharing, pointer) {
                (Sharing::Read, _) => self.add_variable_roots(parameter),
                (Sharing::Own(by, own), Some(pointer)) => {
                    let from = own_from(by, own);
                    let base = Base::Pointer(read(place_of(parameter, ty)), Some(from));
                    self.add_own(base, pointer.to, pointer.space, own);
                }
                _ => {}
            }
        }
        parameters
    }

    /// Returns pointers to counters that every work-item may change.
    pub(super) fn shared_counters(&self, parameters: &[VariableId]) -> Vec<Expression> {
        let both = self.given.iter().zip(parameters);
        both.filter(|(given, _)| given.sharing == Sharing::Counters)
            .map(|(given, &parameter)| read(place_of(parameter, given.ty)))
            .collect()
    }

    /// Adds each work-item's own elements of an array that all work-items can reach.
    pub(super) fn add_own_part(&mut self, array: Place, element: Ty, by: WorkItem, own: u16) {
        let PlaceNode::Variable(variable) = array.node else { return };
        let space = self.program.variables[usize::from(variable.0)].space;
        self.add_own(Base::Array(array, Some(own_from(by, own))), element, space, own);
    }

    pub(super) fn add_own(&mut self, base: Base, element: Ty, space: AddressSpace, run: u16) {
        let depth = self.depth;
        let (is_writable, is_volatile) = (true, false);
        let keeps = depth;
        let base = Rc::new(base);
        let root = Root { base, element, run, space, is_writable, is_volatile, depth, keeps };
        self.roots.push(root);
    }

    /// Returns an initializer of a private variable.
    pub(super) fn initializer(&mut self, ty: Ty, fuel: u32) -> Option<Initializer> {
        Some(match self.program.types.get(ty) {
            Type::Scalar(scalar) => Initializer::Value(self.number_of(scalar, fuel)),
            // None is in private.
            Type::Atomic(_) | Type::Opaque(_) => return None,
            Type::Enumeration(number) => Initializer::Value(self.enumerator(number, ty)),
            Type::Vector(scalar, length) => {
                Initializer::Value(self.vector(ty, scalar, length, fuel))
            }
            Type::Pointer(_) => Initializer::Value(self.converted(ty, self.depth)?),
            Type::Array(element, length) if self.one_in_with(Feature::Designators, 3) => {
                let place = self.choices.below(length.into()) as u16;
                Initializer::Designated(place, Box::new(self.initializer(element, fuel.min(1))?))
            }
            Type::Array(element, length) => {
                let parts = (0..length).map(|_| self.initializer(element, fuel.min(1)));
                Initializer::List(parts.collect::<Option<_>>()?)
            }
            Type::Record(record) => {
                let parts = self.initialized_members(record).into_iter();
                let parts = parts.map(|member| self.initializer(member, fuel.min(1)));
                Initializer::List(parts.collect::<Option<Vec<_>>>()?)
            }
        })
    }

    /// Statements that write every part of a place.
    pub(super) fn fill(&mut self, place: &Place, keeps: u8) -> Option<Vec<Statement>> {
        let ty = place.ty;
        let assign = |value| vec![Statement::Assign(place.clone(), value)];
        Some(match self.program.types.get(ty) {
            Type::Scalar(scalar) => assign(self.number_of(scalar, 1)),
            Type::Atomic(scalar) => vec![self.atomic_first(place.clone(), scalar)],
            Type::Enumeration(number) => assign(self.enumerator(number, ty)),
            Type::Opaque(_) => return None,
            Type::Vector(scalar, length) => assign(self.vector(ty, scalar, length, 0)),
            Type::Pointer(_) => assign(self.pointer_to_keep(ty, keeps)?),
            Type::Array(element, length) => {
                let mut all = Vec::new();
                for index in 0..length {
                    let index = Box::new(Expression::literal(UINT, index.into()));
                    let node = PlaceNode::Element(Box::new(place.clone()), index);
                    all.extend(self.fill(&Place { ty: element, node }, keeps)?);
                }
                all
            }
            Type::Record(record) => {
                let mut all = Vec::new();
                for (member, ty) in (0..).zip(self.initialized_members(record)) {
                    let node = PlaceNode::Member(Box::new(place.clone()), member);
                    all.extend(self.fill(&Place { ty, node }, keeps)?);
                }
                all
            }
        })
    }
}

/// Returns the number of a work-item's first own element.
pub(super) fn own_from(by: WorkItem, own: u16) -> Expression {
    let number = Expression::new(UINT, Node::WorkItem(by));
    if own == 1 {
        return number;
    }
    let own = Box::new(Expression::literal(UINT, own.into()));
    Expression::new(UINT, Node::Binary(Binary::Multiply, Box::new(number), own))
}

/// Returns the largest power of two that is not larger.
fn power_of_two(number: u16) -> u16 {
    1 << number.ilog2()
}
