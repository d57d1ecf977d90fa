//! Atomic objects: of one work-item, whose results are read, or of several that change them in ways that commute.

use expectations::{dialect::Version, space::AddressSpace};

use super::{Builder, place_of, places::Root, read};
use crate::random::{
    settings::Feature,
    tree::{
        AtomicCall, AtomicFunction, AtomicOperation, CallForm, Compare, Expression, Fence,
        Initializer, Manner, Node, Order, Place, PlaceNode, Scope, Statement, Step, VariableId,
        WorkItem,
    },
    types::{INT, Pointer, Scalar, Ty, Type, Types, UINT},
};

/// An access by an atomic function, which limits its orders.
#[derive(Clone, Copy)]
enum Does {
    Load,
    Store,
    Both,
}

impl Does {
    fn orders(self) -> &'static [Order] {
        use Order::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
        match self {
            Self::Load => &[Relaxed, Acquire, SequentiallyConsistent],
            Self::Store => &[Relaxed, Release, SequentiallyConsistent],
            Self::Both => &[Relaxed, AcquireRelease, Acquire, Release, SequentiallyConsistent],
        }
    }
}

/// Functions on integers.
const FUNCTIONS: [AtomicFunction; 7] = [
    AtomicFunction::Add,
    AtomicFunction::Xor,
    AtomicFunction::Minimum,
    AtomicFunction::Maximum,
    AtomicFunction::And,
    AtomicFunction::Or,
    AtomicFunction::Subtract,
];

impl Builder<'_> {
    /// Whether this program has objects of atomic types ([atomic-functions]): one in three, because programs
    /// with them have little else.
    pub(super) fn chooses_atomic_types(&mut self) -> bool {
        self.dialect.version >= Version::V2_0 && self.choices.one_in(3)
    }

    /// Whether this program uses what 3.0 leaves to the device.
    pub(super) fn chooses_every_order(&mut self) -> bool {
        match self.dialect.version {
            Version::V2_0 => true,
            Version::V3_0 | Version::V3_1 => self.choices.below(2) == 1,
            _ => false,
        }
    }

    /// Whether functions can be atomic for all work-items.
    pub(super) fn counts_for_all(&self) -> bool {
        self.every_order || self.is_one_group()
    }

    fn is_one_group(&self) -> bool {
        self.program.items == self.program.group
    }

    pub(super) fn atomic_type(&mut self) -> Ty {
        let scalar = self.choices.pick(&[Scalar::Uint, Scalar::Int]);
        self.program.types.intern(Type::Atomic(scalar))
    }

    /// Returns pointers to atomic objects, which are only in global and local ([atomic-restrictions]).
    pub(super) fn atomic_pointer_type(&mut self, run: u16) -> Ty {
        use AddressSpace::{Generic, Global, Local};
        let to = self.atomic_type();
        let spaces: &[AddressSpace] =
            if self.dialect.generic { &[Local, Global, Generic] } else { &[Local, Global] };
        let space = self.choices.pick(spaces);
        self.program.types.intern(Type::Pointer(Pointer {
            to,
            space,
            is_const: false,
            is_volatile: false,
            run,
        }))
    }

    /// Returns a type of objects at program scope that are written.
    pub(super) fn shared_element(&mut self) -> Ty {
        if self.uses_atomic_types && self.choices.one_in(4) {
            self.atomic_type()
        } else {
            self.element_without_pointers()
        }
    }

    fn manner(&mut self, does: Does) -> Manner {
        if !self.every_order {
            let (order, scope) = (Order::Relaxed, Scope::Group);
            return Manner { order, scope, form: CallForm::OrderAndScope };
        }
        let order = self.choices.pick(does.orders());
        match self.choices.below(4) {
            2 => Manner { order, scope: Scope::Device, form: CallForm::Order },
            3 => {
                let (order, scope) = (Order::SequentiallyConsistent, Scope::Device);
                Manner { order, scope, form: CallForm::Short }
            }
            _ => {
                let scope = self.choices.pick(&[Scope::Group, Scope::Device]);
                Manner { order, scope, form: CallForm::OrderAndScope }
            }
        }
    }

    /// Returns the same, atomic for every work-item.
    fn manner_for_all(&mut self) -> Manner {
        let manner = self.manner(Does::Both);
        let scope = if self.is_one_group() { manner.scope } else { Scope::Device };
        Manner { scope, ..manner }
    }

    /// Returns the statement that initializes an atomic object: nothing else may use it yet.
    pub(super) fn atomic_first(&mut self, place: Place, scalar: Scalar) -> Statement {
        let operand = self.number_of(scalar, 1);
        let object = self.address_of_atomic(place, AddressSpace::Local);
        let (order, scope, form) = (Order::Relaxed, Scope::Group, CallForm::OrderAndScope);
        let manner = Manner { order, scope, form };
        let operation = AtomicOperation::Initialize;
        Statement::Atomic(AtomicCall { operation, object, operand, manner })
    }

    fn address_of_atomic(&mut self, place: Place, space: AddressSpace) -> Expression {
        if let PlaceNode::Target(pointer, None) = place.node {
            return *pointer;
        }
        let pointer = Pointer { to: place.ty, space, is_const: false, is_volatile: false, run: 1 };
        let ty = self.program.types.intern(Type::Pointer(pointer));
        Expression::new(ty, Node::Address(place))
    }

    /// Returns a load of an atomic object.
    pub(super) fn atomic_load(
        &mut self,
        place: Place,
        scalar: Scalar,
        space: AddressSpace,
    ) -> Expression {
        let object = Box::new(self.address_of_atomic(place, space));
        let manner = self.manner(Does::Load);
        Expression::new(Types::scalar(scalar), Node::AtomicLoad(object, manner))
    }

    /// Returns a load of an atomic object of this work-item's own, as `uint`.
    pub(super) fn loaded_atomic(&mut self) -> Option<Expression> {
        let ty = self.atomic_pointer_type(1);
        let scalar = self.scalar_of_pointee(ty)?;
        let object = Box::new(self.pointer(ty)?);
        let manner = self.manner(Does::Load);
        let loaded = Expression::new(Types::scalar(scalar), Node::AtomicLoad(object, manner));
        Some(Self::as_uint(loaded))
    }

    /// Converts a number to `uint`: nobody knows how large an atomic `int` is.
    fn as_uint(number: Expression) -> Expression {
        match number.ty {
            UINT => number,
            _ => Expression::new(UINT, Node::Convert(Box::new(number))),
        }
    }

    fn scalar_of_pointee(&self, pointer: Ty) -> Option<Scalar> {
        let to = self.program.types.as_pointer(pointer)?.to;
        self.program.types.as_atomic(to)
    }

    /// Returns statements that change an object that no other work-item uses, or compare and change it, and keep the
    /// result.
    pub(super) fn atomic_of_one_owner(&mut self) -> Option<Vec<Statement>> {
        let ty = self.atomic_pointer_type(1);
        let scalar = self.scalar_of_pointee(ty)?;
        let object = self.pointer(ty)?;
        let operand = self.number_of(scalar, 1);
        let (operation, does) = match self.choices.below(5) {
            0 | 1 => (AtomicOperation::Fetch(self.choices.pick(&FUNCTIONS)), Does::Both),
            2 => (AtomicOperation::Store, Does::Store),
            3 if scalar == Scalar::Uint => return self.compare_exchange(object, operand),
            _ => (AtomicOperation::Exchange, Does::Both),
        };
        let has_result = !matches!(operation, AtomicOperation::Store);
        let manner = self.manner(does);
        let call = AtomicCall { operation, object, operand, manner };
        if has_result && self.choices.below(3) > 0 {
            Some(vec![self.with_result(call)])
        } else {
            Some(vec![Statement::Atomic(call)])
        }
    }

    /// Returns some of these one after the other, on existing or new objects.
    pub(super) fn atomic_steps(&mut self) -> Option<Vec<Step>> {
        let is_there =
            |this: &Self, root: &Root| this.program.types.as_atomic(root.element).is_some();
        let mut steps = Vec::new();
        if self.choices.below(2) == 0 || !self.roots.iter().any(|root| is_there(self, root)) {
            let element = self.atomic_type();
            steps.extend(self.new_local(element, 2)?);
        }
        for _ in 0..=self.choices.below(3) {
            let statements = self.atomic_of_one_owner().unwrap_or_default();
            steps.extend(statements.into_iter().map(Step::Each));
        }
        Some(steps)
    }

    fn with_result(&mut self, call: AtomicCall) -> Statement {
        let variable = self.variable(UINT, AddressSpace::Private, None);
        self.add_variable_roots(variable);
        Statement::DeclareAtomic(variable, call)
    }

    /// Returns a comparison with some number, or with the current value.
    fn compare_exchange(
        &mut self,
        object: Expression,
        operand: Expression,
    ) -> Option<Vec<Statement>> {
        let mut statements = Vec::new();
        let expected = if self.choices.below(3) == 2 {
            let space = self.choices.pick(&[
                AddressSpace::Private,
                AddressSpace::Global,
                AddressSpace::Local,
            ]);
            let pointer = Pointer { to: UINT, space, is_const: false, is_volatile: false, run: 1 };
            let ty = self.program.types.intern(Type::Pointer(pointer));
            self.pointer(ty)?
        } else {
            let there = if self.choices.below(2) == 0 {
                let manner = self.manner(Does::Load);
                Expression::new(UINT, Node::AtomicLoad(Box::new(object.clone()), manner))
            } else {
                self.number_of(Scalar::Uint, 0)
            };
            let value = Some(Initializer::Value(there));
            let variable = self.variable(UINT, AddressSpace::Private, value);
            self.add_variable_roots(variable);
            statements.push(Statement::Declare(variable));
            let (to, space, is_const) = (UINT, AddressSpace::Private, false);
            let pointer =
                Type::Pointer(Pointer { to, space, is_const, is_volatile: false, run: 1 });
            let pointer = self.program.types.intern(pointer);
            Expression::new(pointer, Node::Address(place_of(variable, UINT)))
        };
        let operation = AtomicOperation::CompareExchange(expected);
        let manner = self.manner(Does::Both);
        statements.push(self.with_result(AtomicCall { operation, object, operand, manner }));
        Some(statements)
    }

    /// Returns a counter that every work-item changes, of the device or of the group.
    pub(super) fn counter(&mut self, parameters: &[VariableId]) -> Option<Vec<Step>> {
        if self.dialect.version < Version::V1_1 {
            return None;
        }
        let mut counters = self.shared_counters(parameters);
        let has_legacy = self.has(Feature::LegacyAtomics);
        counters.retain(|counter| has_legacy || self.scalar_of_pointee(counter.ty).is_some());
        let counter = self.choices.below(counters.len() as u32 + 1) as usize;
        let function = self.choices.pick(&FUNCTIONS);
        let Some(counter) = counters.get(counter) else {
            return if self.depth == 0 { self.group_counter(function) } else { None };
        };
        // Functions of different kinds do not commute: each has a counter of its own.
        let index = match function {
            AtomicFunction::Add | AtomicFunction::Subtract => 0,
            AtomicFunction::Xor => 1,
            AtomicFunction::Maximum => 2,
            AtomicFunction::Minimum => 3,
            AtomicFunction::And => 4,
            AtomicFunction::Or => 5,
        };
        let index = Box::new(Expression::literal(UINT, index));
        let object = Expression::new(counter.ty, Node::Offset(Box::new(counter.clone()), index));
        let scalar = self.scalar_of_pointee(counter.ty);
        let operand = self.number_of(scalar.unwrap_or(Scalar::Uint), 1);
        let (object, manner) = match scalar {
            Some(_) => (self.through_generic(object), self.manner_for_all()),
            None => (object, Manner::LEGACY),
        };
        let operation = AtomicOperation::Fetch(function);
        let call = AtomicCall { operation, object, operand, manner };
        Some(vec![Step::Each(Statement::Atomic(call))])
    }

    /// Returns the same pointer, now and then as one to generic.
    fn through_generic(&mut self, object: Expression) -> Expression {
        if !self.dialect.generic || self.choices.below(3) < 2 {
            return object;
        }
        let Some(named) = self.program.types.as_pointer(object.ty) else { return object };
        let generic = Pointer { space: AddressSpace::Generic, ..named };
        let generic = self.program.types.intern(Type::Pointer(generic));
        Expression::new(generic, Node::Cast(Box::new(object)))
    }

    /// Returns a local counter: made by one, changed by all, read by all.
    fn group_counter(&mut self, function: AtomicFunction) -> Option<Vec<Step>> {
        let is_atomic = self.uses_atomic_types && self.choices.below(3) > 0;
        if !is_atomic && !self.has(Feature::LegacyAtomics) {
            return None;
        }
        let ty = if is_atomic { self.atomic_type() } else { UINT };
        let scalar = self.program.types.as_atomic(ty);
        let variable = self.variable(ty, AddressSpace::Local, None);
        let place = place_of(variable, ty);
        let local = Expression::new(UINT, Node::WorkItem(WorkItem::LocalId));
        let zero = Expression::literal(UINT, 0);
        let is_first = Node::Compare(Compare::Equal, Box::new(local), Box::new(zero));
        let is_first = Expression::new(INT, is_first);
        let start = match scalar {
            Some(scalar) => self.atomic_first(place.clone(), scalar),
            None => Statement::Assign(place.clone(), self.number_of(Scalar::Uint, 1)),
        };
        let operand = self.number_of(scalar.unwrap_or(Scalar::Uint), 1);
        let object = self.address_of_atomic(place.clone(), AddressSpace::Local);
        let (object, manner) = match scalar {
            Some(_) => (self.through_generic(object), self.manner(Does::Both)),
            None => (object, Manner::LEGACY),
        };
        let seen = match scalar {
            Some(scalar) => Self::as_uint(self.atomic_load(place, scalar, AddressSpace::Local)),
            None => read(place),
        };
        let copy = self.variable(UINT, AddressSpace::Private, Some(Initializer::Value(seen)));
        self.add_variable_roots(copy);
        let operation = AtomicOperation::Fetch(function);
        let call = AtomicCall { operation, object, operand, manner };
        Some(vec![
            Step::Local(variable),
            Step::Each(Statement::If(is_first, vec![start], Vec::new())),
            Step::Barrier(Fence::Local),
            Step::Each(Statement::Atomic(call)),
            Step::Barrier(Fence::Local),
            Step::Each(Statement::Declare(copy)),
        ])
    }

    /// Returns the number in another work-item's element, which may be an atomic object.
    pub(super) fn seen_of(&mut self, other: &Root) -> Expression {
        let place = self.element(other);
        match self.program.types.as_atomic(place.ty) {
            Some(scalar) => Self::as_uint(self.atomic_load(place, scalar, other.space)),
            None => read(self.within(place, super::places::Search::Type(UINT))),
        }
    }
}
