//! Values and places.

use super::{Device, Evaluator, UndefinedBehaviour, arithmetic};
use crate::random::{
    memory::{Leaf, Pointer},
    tree::{Expression, Node, NumberFunction, Place, PlaceNode, WorkItem},
    types::{Scalar, Ty, Type},
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Number(i128),
    Pointer(Option<Pointer>),
    Vector(Vec<i128>),
    /// The leaves of a structure or union.
    Record(Vec<Leaf>),
}

impl<D: Device> Evaluator<'_, D> {
    pub(super) fn number(&mut self, expression: &Expression) -> Result<i128, UndefinedBehaviour> {
        match self.value(expression)? {
            Value::Number(number) => Ok(number),
            _ => Err(UndefinedBehaviour::OtherType),
        }
    }

    /// Returns the target of a pointer that is used.
    pub(super) fn pointer(
        &mut self,
        expression: &Expression,
    ) -> Result<Pointer, UndefinedBehaviour> {
        self.maybe_null(expression)?.ok_or(UndefinedBehaviour::Null)
    }

    fn maybe_null(
        &mut self,
        expression: &Expression,
    ) -> Result<Option<Pointer>, UndefinedBehaviour> {
        match self.value(expression)? {
            Value::Pointer(pointer) => Ok(pointer),
            _ => Err(UndefinedBehaviour::OtherType),
        }
    }

    /// Returns the type of number that values of a type are.
    pub(super) fn scalar_of(&self, ty: Ty) -> Result<Scalar, UndefinedBehaviour> {
        self.program.types.as_scalar(ty).ok_or(UndefinedBehaviour::OtherType)
    }

    /// Returns the number of leaves of an element that pointers of this type point to.
    fn step_of(&self, pointer: Ty) -> Result<i128, UndefinedBehaviour> {
        let to = self.program.types.as_pointer(pointer).ok_or(UndefinedBehaviour::OtherType)?.to;
        Ok(self.program.types.leaves(to).into())
    }

    pub(super) fn value(&mut self, expression: &Expression) -> Result<Value, UndefinedBehaviour> {
        self.tick()?;
        let truth = |holds: bool| Value::Number(holds.into());
        let ty = expression.ty;
        Ok(match &expression.node {
            Node::Literal(value) => Value::Number(*value),
            Node::WorkItem(what) => Value::Number(self.work_item(*what).into()),
            Node::Read(place) => {
                let at = self.place(place)?;
                self.read(at, ty)?
            }
            Node::Complement(operand) => {
                let scalar = self.scalar_of(ty)?;
                Value::Number(scalar.of_bits(!self.number(operand)?))
            }
            Node::Binary(operator, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                match (self.program.types.get(ty), left, right) {
                    (Type::Scalar(scalar), Value::Number(left), Value::Number(right)) => {
                        Value::Number(arithmetic::binary(scalar, *operator, left, right)?)
                    }
                    (Type::Vector(scalar, _), Value::Vector(left), Value::Vector(right)) => {
                        let both = left.into_iter().zip(right);
                        let each = both.map(|(left, right)| {
                            arithmetic::binary(scalar, *operator, left, right)
                        });
                        Value::Vector(each.collect::<Result<_, _>>()?)
                    }
                    _ => return Err(UndefinedBehaviour::OtherType),
                }
            }
            Node::Compare(operator, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                Value::Number(arithmetic::compare(*operator, left, right))
            }
            Node::Convert(operand) => {
                let (from, to) = (self.scalar_of(operand.ty)?, self.scalar_of(ty)?);
                Value::Number(arithmetic::convert(from, to, self.number(operand)?)?)
            }
            Node::Reinterpret(operand) => {
                let (from, to) = (self.scalar_of(operand.ty)?, self.scalar_of(ty)?);
                Value::Number(arithmetic::reinterpret(from, to, self.number(operand)?)?)
            }
            Node::Bytes(pointer) => {
                let at = self.pointer(pointer)?;
                let Leaf::Number(scalar, number) = self.read_leaf(at)? else {
                    return Err(UndefinedBehaviour::OtherType);
                };
                Value::Number(arithmetic::sum_of_bytes(scalar, number))
            }
            Node::Conditional(condition, yes, no) => {
                let taken = if self.number(condition)? != 0 { yes } else { no };
                self.value(taken)?
            }
            Node::Function(function, operands) => {
                let scalar =
                    self.program.types.number_in(ty).ok_or(UndefinedBehaviour::OtherType)?;
                if let Type::Vector(_, length) = self.program.types.get(ty) {
                    return self.of_each(scalar, *function, operands, length.into());
                }
                let mut values = [0; 3];
                for (value, operand) in values.iter_mut().zip(operands) {
                    *value = self.number(operand)?;
                }
                Value::Number(arithmetic::function(scalar, *function, &values)?)
            }
            Node::Vector(parts) => {
                let parts = parts.iter().map(|part| self.number(part));
                Value::Vector(parts.collect::<Result<_, _>>()?)
            }
            Node::AtomicLoad(pointer, _) => {
                let at = self.pointer(pointer)?;
                Value::Number(self.leaf_number(at)?)
            }
            Node::LoadVector(index, pointer) => {
                let Type::Vector(_, length) = self.program.types.get(ty) else {
                    return Err(UndefinedBehaviour::OtherType);
                };
                let first = self.number(index)? * i128::from(length);
                let pointer = self.pointer(pointer)?;
                let leaves = first..first + i128::from(length);
                let numbers = leaves.map(|leaf| self.leaf_number(pointer.offset(leaf)?));
                Value::Vector(numbers.collect::<Result<_, _>>()?)
            }
            Node::Address(place) => Value::Pointer(Some(self.address(place)?)),
            Node::Offset(pointer, index) => {
                let step = self.step_of(pointer.ty)?;
                let (from, index) = (self.pointer(pointer)?, self.number(index)?);
                Value::Pointer(Some(from.offset(index * step)?))
            }
            Node::Implicit(pointer) => Value::Pointer(self.maybe_null(pointer)?),
            Node::Cast(pointer) => {
                let to =
                    self.program.types.as_pointer(ty).ok_or(UndefinedBehaviour::OtherType)?.space;
                let pointer = self.maybe_null(pointer)?;
                if pointer.is_some_and(|pointer| !to.encloses(self.memory.space(pointer))) {
                    return Err(UndefinedBehaviour::NotReachable);
                }
                Value::Pointer(pointer)
            }
            Node::ToSpace(pointer) => {
                let to =
                    self.program.types.as_pointer(ty).ok_or(UndefinedBehaviour::OtherType)?.space;
                let pointer = self.maybe_null(pointer)?;
                if pointer.is_some_and(|pointer| self.memory.space(pointer) != to) {
                    return Err(UndefinedBehaviour::NotReachable);
                }
                Value::Pointer(pointer)
            }
            Node::SamePlace(wanted, left, right) => {
                let (left, right) = (self.maybe_null(left)?, self.maybe_null(right)?);
                let is_same = match (left, right) {
                    (Some(left), Some(right)) => left.same_place(right),
                    (left, right) => left.is_none() && right.is_none(),
                };
                truth(is_same == *wanted)
            }
            Node::IsNull(wanted, pointer) => truth(self.maybe_null(pointer)?.is_none() == *wanted),
            Node::Before(left, right) => {
                let (left, right) = (self.pointer(left)?, self.pointer(right)?);
                truth(left.distance(right)? < 0)
            }
            Node::Distance(left, right) => {
                let step = self.step_of(left.ty)?;
                let (left, right) = (self.pointer(left)?, self.pointer(right)?);
                Value::Number(left.distance(right)? / step)
            }
            Node::Text(text) => {
                let object = self.text(text);
                Value::Pointer(Some(self.memory.whole(object)))
            }
            Node::Null => Value::Pointer(None),
            Node::Form(..) | Node::Enumerator(..) | Node::CompoundLiteral(_) | Node::Fork(_) => {
                return Err(UndefinedBehaviour::NotKnown);
            }
        })
    }

    /// Returns a function of vectors, component by component.
    fn of_each(
        &mut self,
        scalar: Scalar,
        function: NumberFunction,
        operands: &[Expression],
        length: usize,
    ) -> Result<Value, UndefinedBehaviour> {
        let mut components = vec![[0; 3]; length];
        for (position, operand) in operands.iter().enumerate() {
            let Value::Vector(numbers) = self.value(operand)? else {
                return Err(UndefinedBehaviour::OtherType);
            };
            for (component, number) in components.iter_mut().zip(numbers) {
                component[position] = number;
            }
        }
        let each = components.iter().map(|values| arithmetic::function(scalar, function, values));
        each.collect::<Result<_, _>>().map(Value::Vector)
    }

    fn work_item(&self, what: WorkItem) -> u32 {
        let (item, group) = (self.by.item, self.program.group);
        match what {
            WorkItem::GlobalId => item,
            WorkItem::LocalId => item % group,
            WorkItem::GroupId => item / group,
            WorkItem::LocalSize => group,
            WorkItem::Groups => self.program.items / group,
        }
    }

    pub(super) fn leaf_number(&mut self, at: Pointer) -> Result<i128, UndefinedBehaviour> {
        match self.read_leaf(at)? {
            Leaf::Number(_, number) => Ok(number),
            Leaf::Pointer(_) | Leaf::Indeterminate => Err(UndefinedBehaviour::OtherType),
        }
    }

    fn read(&mut self, at: Pointer, ty: Ty) -> Result<Value, UndefinedBehaviour> {
        Ok(match self.program.types.get(ty) {
            Type::Scalar(scalar) => match self.read_leaf(at)? {
                // In unions alone ([reinterpreting-types-using-unions]).
                Leaf::Number(written, number) => {
                    Value::Number(arithmetic::reinterpret(written, scalar, number)?)
                }
                _ => return Err(UndefinedBehaviour::OtherType),
            },
            Type::Vector(_, length) => {
                let leaves = 0..i128::from(length);
                let numbers = leaves.map(|leaf| self.leaf_number(at.offset(leaf)?));
                Value::Vector(numbers.collect::<Result<_, _>>()?)
            }
            Type::Pointer(_) => match self.read_leaf(at)? {
                Leaf::Pointer(pointer) => Value::Pointer(pointer),
                _ => return Err(UndefinedBehaviour::OtherType),
            },
            // An atomic object is used only by atomic functions ([atomic-restrictions]).
            Type::Atomic(_) => return Err(UndefinedBehaviour::OtherType),
            Type::Enumeration(_) | Type::Opaque(_) => return Err(UndefinedBehaviour::NotKnown),
            Type::Record(_) | Type::Array(..) => {
                let leaves = 0..i128::from(self.program.types.leaves(ty));
                let read = leaves.map(|leaf| self.read_leaf(at.offset(leaf)?));
                Value::Record(read.collect::<Result<_, _>>()?)
            }
        })
    }

    /// Returns a place, no larger than the object.
    pub(super) fn place(&mut self, place: &Place) -> Result<Pointer, UndefinedBehaviour> {
        self.address(place)?.part(0, self.program.types.leaves(place.ty))
    }

    /// Returns a pointer to a place; where that is an element of an array, a pointer into the array.
    fn address(&mut self, place: &Place) -> Result<Pointer, UndefinedBehaviour> {
        self.tick()?;
        let leaves = self.program.types.leaves(place.ty);
        let size = i128::from(leaves);
        match &place.node {
            PlaceNode::Variable(variable) => Ok(self.memory.whole(self.object(*variable)?)),
            PlaceNode::Element(array, index) => {
                let (array, index) = (self.place(array)?, self.number(index)?);
                array.offset(index * size)
            }
            PlaceNode::Member(record, member) => {
                let Type::Record(known) = self.program.types.get(record.ty) else {
                    return Err(UndefinedBehaviour::OtherType);
                };
                let before = self.program.types.leaves_before(known, *member);
                self.place(record)?.part(before, leaves)
            }
            PlaceNode::Component(vector, component) => {
                self.place(vector)?.part(u32::from(*component), 1)
            }
            PlaceNode::Target(pointer, index) => {
                let pointer = self.pointer(pointer)?;
                match index {
                    Some(index) => pointer.offset(self.number(index)? * size),
                    None => Ok(pointer),
                }
            }
        }
    }
}
