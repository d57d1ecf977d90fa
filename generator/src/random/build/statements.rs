//! Statements of one work-item.

use expectations::space::AddressSpace;

use super::{
    Builder, place_of,
    places::{Base, Root, Search, element_of},
    read,
};
use crate::random::{
    settings::Feature,
    tree::{
        Binary, Call, Expression, Initializer, Leave, Node, Place, PlaceNode, Statement, VariableId,
    },
    types::{INT, Pointer, Scalar, Ty, Type, Types, UINT},
};

/// Parts of an object that are added up at most.
const SEEN: usize = 4;

impl Builder<'_> {
    /// Returns a few statements; their declarations are gone after them.
    pub(super) fn statements(&mut self, nesting: u32) -> Vec<Statement> {
        let known = self.roots.len();
        let mut statements = Vec::new();
        let mut turns = self.turns(1, self.limits.statements - 1);
        while self.takes_turn(&mut turns) {
            self.statement_faults(&mut statements);
            self.statement(nesting, &mut statements);
            self.choices.close();
        }
        self.statement_faults(&mut statements);
        self.roots.truncate(known);
        statements
    }

    /// Returns the same, one scope deeper.
    pub(super) fn block(&mut self, nesting: u32) -> Vec<Statement> {
        self.depth += 1;
        let statements = self.statements(nesting);
        self.depth -= 1;
        statements
    }

    /// Adds one statement, or a few that belong together.
    pub(super) fn statement(&mut self, nesting: u32, into: &mut Vec<Statement>) {
        let (known, pending) = (self.roots.len(), self.pending);
        let opaque = self.opaque.len();
        if let Some(form) = self.form(nesting) {
            return into.extend(form);
        }
        self.roots.truncate(known);
        self.opaque.truncate(opaque);
        self.pending = pending;
        let simple = if self.uses_atomic_types { 9 } else { 8 };
        let made = match self.choices.below(if nesting > 0 { simple + 6 } else { simple }) {
            1 => self.declaration(),
            2 => self.update(),
            3 => self.pointer_assignment(),
            4 => {
                if self.choices.one_in(3) && self.has(Feature::Loops) {
                    self.copy_bytes()
                } else {
                    self.copy()
                }
            }
            5 if self.has(Feature::Builtins) => self.store_vector(),
            6 | 7 => self.call(),
            8 if simple == 9 => self.atomic_of_one_owner(),
            other if other >= simple => match other - simple {
                0 | 1 => Some(vec![self.branch(nesting - 1)]),
                2 if self.has(Feature::Loops) => Some(vec![self.counted_loop(nesting - 1)]),
                3 if self.has(Feature::Jumps) => Some(vec![self.switch(nesting - 1)]),
                4 => self.null_until(nesting - 1),
                5 if self.has(Feature::Builtins) => self.by_space(nesting - 1),
                _ => None,
            },
            _ => None,
        };
        match made {
            Some(statements) => into.extend(statements),
            None => {
                // What was half made is not there.
                self.roots.truncate(known);
                self.opaque.truncate(opaque);
                self.pending = pending;
                into.extend(self.assignment());
            }
        }
    }

    /// Returns `place = number;`.
    fn assignment(&mut self) -> Option<Statement> {
        let scalars = self.scalars();
        let scalar = self.choices.pick(scalars);
        let wanted = |scalar| Search::Type(Types::scalar(scalar));
        let writable = |root: &Root| root.is_writable;
        let (place, scalar) = match self.place(wanted(scalar), writable) {
            Some((place, _)) => (place, scalar),
            None => (self.place(wanted(Scalar::Uint), writable)?.0, Scalar::Uint),
        };
        let value = self.number_of(scalar, self.limits.fuel);
        Some(Statement::Assign(place, value))
    }

    /// Returns an update such as `place ^= number;`.
    fn update(&mut self) -> Option<Vec<Statement>> {
        let scalar = self.choices.pick(&[Scalar::Uint, Scalar::Ulong]);
        let wanted = Search::Type(Types::scalar(scalar));
        let (place, _) = self.place(wanted, |root| root.is_writable)?;
        let operator = self.choices.pick(&[
            Binary::Add,
            Binary::Xor,
            Binary::Subtract,
            Binary::Multiply,
            Binary::Or,
        ]);
        let operand = self.number_of(scalar, self.limits.fuel);
        Some(vec![Statement::Update(operator, place, operand)])
    }

    /// Returns a private variable of any type.
    pub(super) fn declaration(&mut self) -> Option<Vec<Statement>> {
        let element = self.element_type();
        let ty = match self.choices.below(if self.uses_atomic_types { 8 } else { 7 }) {
            0 => element,
            6 => self.text_type(),
            1 => {
                let row = self.program.types.intern(Type::Array(element, 4));
                self.array_of_arrays(row)
            }
            2 | 3 => {
                let run = self.choices.pick(&[1, 2]);
                self.pointer_type(element, run)
            }
            4 => {
                let pointer = self.pointer_type(element, 1);
                self.program.types.intern(Type::Array(pointer, 2))
            }
            7 => self.atomic_pointer_type(1),
            _ => {
                let inner = self.pointer_type(element, 1);
                self.pointer_to_pointer(inner)
            }
        };
        let variable = self.declared(ty)?;
        self.add_variable_roots(variable);
        Some(vec![Statement::Declare(variable)])
    }

    /// Returns a private variable with its initial value.
    pub(super) fn declared(&mut self, ty: Ty) -> Option<VariableId> {
        let initializer = self.initializer(ty, self.limits.fuel)?;
        let variable = self.variable(ty, AddressSpace::Private, Some(initializer));
        self.qualify(variable);
        Some(variable)
    }

    /// Returns a pointer made to point elsewhere.
    fn pointer_assignment(&mut self) -> Option<Vec<Statement>> {
        let element = self.element_type();
        let run = self.choices.pick(&[1, 2]);
        let ty = self.pointer_type(element, run);
        let (place, root) = self.place(Search::Type(ty), |root| root.is_writable)?;
        let value = self.converted(ty, root.keeps)?;
        Some(vec![Statement::Assign(place, value)])
    }

    /// Returns a structure or vector copied as a whole. One with pointers goes where they live as long.
    fn copy(&mut self) -> Option<Vec<Statement>> {
        let ty = self.element_type();
        let (to, root) = self.place(Search::Type(ty), |root| root.is_writable)?;
        let keeps = root.keeps;
        let (from, _) = self.place(Search::Type(ty), |root| root.depth <= keeps)?;
        Some(vec![Statement::Assign(to, read(from))])
    }

    /// Returns a call such as `vstore4(value, 0, p);`.
    fn store_vector(&mut self) -> Option<Vec<Statement>> {
        let scalar = self.choices.pick(&[Scalar::Uint, Scalar::Ulong, Scalar::Float]);
        let length = self.choices.pick(&[2, 4]);
        let pointer = self.pointer_type(Types::scalar(scalar), u16::from(length));
        let pointer = self.without_volatile(pointer);
        if self.program.types.as_pointer(pointer)?.is_const {
            return None;
        }
        let pointer = self.pointer(pointer)?;
        let ty = self.program.types.intern(Type::Vector(scalar, length));
        let value = self.vector(ty, scalar, length, 1);
        Some(vec![Statement::StoreVector(value, Expression::literal(UINT, 0), pointer)])
    }

    /// Returns a variable with the result of a call.
    pub(super) fn call(&mut self) -> Option<Vec<Statement>> {
        let helpers = self.plain_helpers();
        if helpers == 0 {
            return None;
        }
        let helper = self.choices.below(helpers) as usize;
        let known = &self.program.helpers[helper];
        let (result, parameters) = (known.result, known.parameters.clone());
        let mut arguments = Vec::new();
        for parameter in parameters {
            let ty = self.program.variables[usize::from(parameter.0)].ty;
            arguments.push(self.argument(ty)?);
        }
        let variable = self.variable(result, AddressSpace::Private, None);
        self.add_variable_roots(variable);
        Some(vec![Statement::DeclareCall(variable, Call { helper, arguments })])
    }

    pub(super) fn argument(&mut self, ty: Ty) -> Option<Expression> {
        match self.program.types.get(ty) {
            Type::Scalar(scalar) => Some(self.number_of(scalar, 1)),
            Type::Vector(scalar, length) => Some(self.vector(ty, scalar, length, 1)),
            Type::Pointer(_) => self.converted(ty, self.depth),
            Type::Enumeration(number) => Some(self.enumerator(number, ty)),
            Type::Opaque(_) => self.opaque_of(ty),
            Type::Record(_) | Type::Array(..) | Type::Atomic(_) => {
                self.place(Search::Type(ty), |_| true).map(|(place, _)| read(place))
            }
        }
    }

    fn branch(&mut self, nesting: u32) -> Statement {
        let condition = self.condition(self.limits.fuel);
        let then = self.block(nesting);
        let otherwise = if self.choices.below(2) == 1 { self.block(nesting) } else { Vec::new() };
        Statement::If(condition, then, otherwise)
    }

    fn counted_loop(&mut self, nesting: u32) -> Statement {
        let times = 1 + self.choices.below(4);
        let counter = self.variable(UINT, AddressSpace::Private, None);
        self.counters.push((counter, times));
        let mut body = self.block(nesting);
        if self.has(Feature::Jumps) && self.choices.below(4) == 3 {
            let condition = self.condition(0);
            let leave = self.choices.pick(&[Leave::Break, Leave::Continue]);
            body.insert(0, Statement::Leave(condition, leave));
        }
        self.counters.pop();
        Statement::For(counter, times, body)
    }

    fn switch(&mut self, nesting: u32) -> Statement {
        let value = self.below(4);
        let count = 2 + self.choices.below(2);
        let cases = (0..count).map(|_| self.block(nesting)).collect();
        Statement::Switch(value, cases)
    }

    /// Returns a pointer that is null until a condition holds, and is used where it is not.
    fn null_until(&mut self, nesting: u32) -> Option<Vec<Statement>> {
        let element = self.element_type();
        let ty = self.pointer_type(element, 1);
        let value = self.pointer(ty)?;
        let null = Initializer::Value(Expression::new(ty, Node::Null));
        let variable = self.variable(ty, AddressSpace::Private, Some(null));
        let place = place_of(variable, ty);
        let condition = self.condition(self.limits.fuel);
        let set = vec![Statement::Assign(place.clone(), value)];
        let is_set = Expression::new(INT, Node::IsNull(false, Box::new(read(place))));
        let then = self.with_variable(variable, nesting);
        let otherwise = if self.choices.below(2) == 1 { self.block(nesting) } else { Vec::new() };
        Some(vec![
            Statement::Declare(variable),
            Statement::If(condition, set, Vec::new()),
            Statement::If(is_set, then, otherwise),
        ])
    }

    /// Converts a generic pointer into a space, or null, to a pointer into that space, and uses it where it is not
    /// null. The result of the functions for a pointer into another space depends on the device
    /// ([table-builtin-address-qualifier]).
    fn by_space(&mut self, nesting: u32) -> Option<Vec<Statement>> {
        if !self.dialect.generic {
            return None;
        }
        let to = self.element_type();
        if self.program.types.as_pointer(to).is_some() {
            return None;
        }
        let space =
            self.choices.pick(&[AddressSpace::Private, AddressSpace::Local, AddressSpace::Global]);
        let named = Pointer { to, space, is_const: false, is_volatile: false, run: 1 };
        let ty = self.program.types.intern(Type::Pointer(named));
        let generic = Pointer { space: AddressSpace::Generic, ..named };
        let generic = self.program.types.intern(Type::Pointer(generic));
        let pointer = Box::new(self.pointer(ty)?);
        let there = Expression::new(generic, Node::Cast(pointer));
        let null = Expression::new(generic, Node::Null);
        let condition = Box::new(self.condition(self.limits.fuel));
        let either = Node::Conditional(condition, Box::new(there), Box::new(null));
        let asked = Node::ToSpace(Box::new(Expression::new(generic, either)));
        let asked = Expression::new(ty, asked);
        let variable = self.variable(ty, AddressSpace::Private, Some(Initializer::Value(asked)));
        let place = place_of(variable, ty);
        let is_there = Expression::new(INT, Node::IsNull(false, Box::new(read(place))));
        let then = self.with_variable(variable, nesting);
        let otherwise = self.block(nesting);
        Some(vec![Statement::Declare(variable), Statement::If(is_there, then, otherwise)])
    }

    /// Returns statements that use a variable which others may not use.
    fn with_variable(&mut self, variable: VariableId, nesting: u32) -> Vec<Statement> {
        let known = self.roots.len();
        // It is declared outside; what it points to stays as long.
        self.add_variable_roots(variable);
        let through = self.roots.last().cloned();
        let mut statements = self.block(nesting);
        self.roots.truncate(known);
        if let Some(root) = through {
            statements.extend(self.touch(&root));
        }
        statements
    }

    /// Returns a number in a root changed.
    fn touch(&mut self, root: &Root) -> Option<Statement> {
        let wanted = Search::Type(UINT);
        if !root.is_writable || !self.holds(root.element, wanted) {
            return None;
        }
        let element = self.element(root);
        let place = self.within(element, wanted);
        let operand = self.number_of(Scalar::Uint, 1);
        Some(Statement::Update(Binary::Add, place, operand))
    }

    /// Adds the numbers in a root to one that the host sees.
    pub(super) fn show(&mut self, root: &Root, sum: &Place) -> Vec<Statement> {
        let mut parts = Vec::new();
        let count = if matches!(*root.base, Base::Place(_)) { 1 } else { root.run };
        for index in 0..count {
            let place = element_at(root, index);
            self.numbers_in(place, root.space, &mut parts);
        }
        parts.truncate(SEEN);
        let parts = parts.into_iter().zip([1, 3, 5, 7]);
        parts
            .map(|(number, factor)| {
                let number = Self::convert(UINT, number);
                let factor = Box::new(Expression::literal(UINT, factor));
                let product = Node::Binary(Binary::Multiply, Box::new(number), factor);
                let product = Expression::new(UINT, product);
                Statement::Update(Binary::Add, sum.clone(), product)
            })
            .collect()
    }

    /// Adds every number in a place.
    fn numbers_in(&mut self, place: Place, space: AddressSpace, into: &mut Vec<Expression>) {
        match self.program.types.get(place.ty) {
            Type::Scalar(_) | Type::Enumeration(_) => into.push(read(place)),
            Type::Opaque(_) => {}
            Type::Atomic(scalar) => into.push(self.atomic_load(place, scalar, space)),
            Type::Vector(scalar, length) => {
                let ty = Types::scalar(scalar);
                into.extend((0..length).map(|component| {
                    let node = PlaceNode::Component(Box::new(place.clone()), component);
                    read(Place { ty, node })
                }));
            }
            Type::Array(ty, length) => {
                for index in 0..length {
                    let index = Box::new(Expression::literal(UINT, index.into()));
                    let node = PlaceNode::Element(Box::new(place.clone()), index);
                    self.numbers_in(Place { ty, node }, space, into);
                }
            }
            Type::Record(record) => {
                let record = self.program.types.records()[usize::from(record)].clone();
                let count = if record.is_union { 1 } else { record.members.len() };
                for (member, &ty) in (0..).zip(&record.members[..count]) {
                    let node = PlaceNode::Member(Box::new(place.clone()), member);
                    self.numbers_in(Place { ty, node }, space, into);
                }
            }
            Type::Pointer(pointer) => {
                let ty = pointer.to;
                let node = PlaceNode::Target(Box::new(read(place)), None);
                self.numbers_in(Place { ty, node }, pointer.space, into);
            }
        }
    }
}

/// Returns one of a root's elements, by number.
pub(super) fn element_at(root: &Root, index: u16) -> Place {
    element_of(root, &Expression::literal(UINT, index.into()))
}
