//! Numbers: unsigned ones wrap, and for signed ones it is known how large they get.

use expectations::dialect::Version;

use super::{Builder, places::Search, pointers::explicit, read};
use crate::random::{
    settings::Feature,
    tree::{Binary, Compare, Expression, Node, NumberFunction, WorkItem},
    types::{FLOAT, INT, Pointer, Scalar, Ty, Type, Types, UINT},
};

/// A signed number and what it may be.
struct SignedNumber {
    expression: Expression,
    range: (i128, i128),
}

impl Builder<'_> {
    /// Returns a number that objects of a type may hold.
    pub(super) fn number_of(&mut self, scalar: Scalar, fuel: u32) -> Expression {
        let ty = Types::scalar(scalar);
        match scalar {
            Scalar::Uint | Scalar::Ulong => self.unsigned(scalar, fuel),
            Scalar::Uchar | Scalar::Ushort => {
                let number = self.unsigned(Scalar::Uint, fuel);
                Expression::new(ty, Node::Convert(Box::new(number)))
            }
            Scalar::Char | Scalar::Short | Scalar::Int => self.kept(scalar, Scalar::Int, fuel),
            Scalar::Long | Scalar::Float => self.kept(scalar, scalar, fuel),
        }
    }

    /// Returns a signed number brought into the range that objects hold.
    fn kept(&mut self, scalar: Scalar, computed: Scalar, fuel: u32) -> Expression {
        let SignedNumber { mut expression, range } = self.signed(computed, fuel);
        let (least, greatest) = scalar.kept();
        if range.0 < least || range.1 > greatest {
            // There is no remainder of floating-point numbers.
            let ty = if computed.is_float() { INT } else { expression.ty };
            expression = Self::convert(ty, expression);
            let divisor = Expression::literal(ty, greatest + 1);
            let node = Node::Binary(Binary::Remainder, Box::new(expression), Box::new(divisor));
            expression = Expression::new(ty, node);
        }
        Self::convert(Types::scalar(scalar), expression)
    }

    /// Returns another type of the same number, or of the same lowest bits.
    pub(super) fn convert(to: Ty, number: Expression) -> Expression {
        let convert = |to, number| Expression::new(to, Node::Convert(Box::new(number)));
        match number.ty {
            ty if ty == to => number,
            // Of what is negative an unsigned type has nothing (C99 6.3.1.4).
            FLOAT if to != INT => convert(to, convert(INT, number)),
            _ => convert(to, number),
        }
    }

    /// Returns a `uint` or `ulong`, any.
    fn unsigned(&mut self, scalar: Scalar, fuel: u32) -> Expression {
        let ty = Types::scalar(scalar);
        self.choices.open();
        if fuel == 0 || self.choices.below(3) == 0 {
            let number = self.simple(scalar);
            self.choices.close();
            return number;
        }
        let number = match self.choices.below(10) {
            0..=4 => {
                let operator = self.choices.pick(&[
                    Binary::Add,
                    Binary::Xor,
                    Binary::Subtract,
                    Binary::Multiply,
                    Binary::And,
                    Binary::Or,
                ]);
                let (left, right) =
                    (self.unsigned(scalar, fuel - 1), self.unsigned(scalar, fuel - 1));
                Node::Binary(operator, Box::new(left), Box::new(right))
            }
            5 => {
                let operator = self.choices.pick(&[
                    Binary::ShiftRight,
                    Binary::ShiftLeft,
                    Binary::Divide,
                    Binary::Remainder,
                ]);
                let left = self.unsigned(scalar, fuel - 1);
                let value = 1 + i128::from(self.choices.below(scalar.bits() - 1));
                let right = Expression::literal(ty, value);
                Node::Binary(operator, Box::new(left), Box::new(right))
            }
            6 => Node::Complement(Box::new(self.unsigned(scalar, fuel - 1))),
            7 => {
                let condition = self.condition(fuel - 1);
                let (yes, no) = (self.unsigned(scalar, fuel - 1), self.unsigned(scalar, fuel - 1));
                Node::Conditional(Box::new(condition), Box::new(yes), Box::new(no))
            }
            8 if self.choices.one_in(6) => {
                let operand = self.unsigned(scalar, fuel - 1);
                let least = i128::from(self.choices.below(1 << 16));
                let greatest = least + i128::from(self.choices.below(1 << 16));
                let ends = [least, greatest].map(|end| Expression::literal(ty, end));
                self.clamped(ty, operand, ends)
            }
            8 => {
                let (function, operands) = self.choices.pick(&[
                    (NumberFunction::Minimum, 2),
                    (NumberFunction::Maximum, 2),
                    (NumberFunction::Rotate, 2),
                    (NumberFunction::LeadingZeros, 1),
                    (NumberFunction::HalvingAdd, 2),
                    (NumberFunction::HighProduct, 2),
                    (NumberFunction::SaturatingAdd, 2),
                    (NumberFunction::SaturatingSubtract, 2),
                ]);
                let operands = (0..operands).map(|_| self.unsigned(scalar, fuel - 1)).collect();
                Node::Function(function, operands)
            }
            _ => {
                let signed = match scalar {
                    Scalar::Ulong => Scalar::Long,
                    _ => self.choices.pick(&[Scalar::Int, Scalar::Float]),
                };
                let bits = self.signed(signed, fuel - 1).expression;
                if self.choices.below(2) == 0 {
                    let number = if signed.is_float() { Self::convert(INT, bits) } else { bits };
                    Node::Convert(Box::new(number))
                } else {
                    Node::Reinterpret(Box::new(bits))
                }
            }
        };
        self.choices.close();
        Expression::new(ty, number)
    }

    /// Returns a literal, an id, or what is in a place.
    fn simple(&mut self, scalar: Scalar) -> Expression {
        let ty = Types::scalar(scalar);
        if let Some(form) = self.form_of(scalar) {
            return form;
        }
        match self.choices.below(8) {
            0 => {
                let value = i128::from(self.choices.below(1 << 16));
                Expression::literal(ty, value)
            }
            1 => {
                let what = self.choices.pick(&[
                    WorkItem::GlobalId,
                    WorkItem::LocalId,
                    WorkItem::GroupId,
                    WorkItem::LocalSize,
                    WorkItem::Groups,
                ]);
                Self::convert(ty, Self::work_item(what))
            }
            2 if !self.counters.is_empty() => {
                let number = self.choices.below(self.counters.len() as u32) as usize;
                let (counter, _) = self.counters[number];
                Self::convert(ty, read(super::place_of(counter, UINT)))
            }
            4 if scalar == Scalar::Uint && self.choices.below(2) == 1 => {
                let found = self.bytes().or_else(|| self.other_member());
                found.unwrap_or_else(|| Expression::literal(UINT, 3))
            }
            3 if self.uses_atomic_types => {
                let loaded = self.loaded_atomic();
                Self::convert(ty, loaded.unwrap_or_else(|| Expression::literal(UINT, 1)))
            }
            _ => {
                let scalars = self.scalars();
                let from = self.choices.pick(scalars);
                let found = self.readable(from).or_else(|| self.readable(Scalar::Uint));
                match found {
                    Some(number) => Self::convert(ty, number),
                    None => Expression::literal(ty, 1),
                }
            }
        }
    }

    /// Returns an `int` or `long` with its range.
    fn signed(&mut self, scalar: Scalar, fuel: u32) -> SignedNumber {
        let ty = Types::scalar(scalar);
        self.choices.open();
        if fuel == 0 || self.choices.below(3) == 0 {
            let number = self.simple_signed(scalar);
            self.choices.close();
            return number;
        }
        let signed = match self.choices.below(5) {
            2 | 4 if scalar.is_float() => {
                let left = self.signed(scalar, fuel - 1);
                if self.choices.below(3) == 2 {
                    let least = i128::from(self.choices.below(50)) - 20;
                    let range = (least, least + i128::from(self.choices.below(50)));
                    let ends = [range.0, range.1].map(|end| Expression::literal(ty, end));
                    let operands = [left.expression].into_iter().chain(ends).collect();
                    let node = Node::Function(NumberFunction::Clamp, operands);
                    SignedNumber { expression: Expression::new(ty, node), range }
                } else {
                    let right = self.signed(scalar, fuel - 1);
                    self.extreme(ty, left, right)
                }
            }
            0..=2 => {
                let operator =
                    self.choices.pick(&[Binary::Add, Binary::Subtract, Binary::Multiply]);
                let (left, right) = (self.signed(scalar, fuel - 1), self.signed(scalar, fuel - 1));
                combined(scalar, operator, left, right)
            }
            3 => {
                let condition = self.condition(fuel - 1);
                let (left, right) = (self.signed(scalar, fuel - 1), self.signed(scalar, fuel - 1));
                let range = (left.range.0.min(right.range.0), left.range.1.max(right.range.1));
                let node = Node::Conditional(
                    Box::new(condition),
                    Box::new(left.expression),
                    Box::new(right.expression),
                );
                SignedNumber { expression: Expression::new(ty, node), range }
            }
            _ => {
                let operand = self.signed(scalar, fuel - 1);
                let divisor = 1 + i128::from(self.choices.below(9));
                let range = (operand.range.0.min(0), operand.range.1.max(0));
                let operator = self.choices.pick(&[Binary::Divide, Binary::Remainder]);
                let right = Box::new(Expression::literal(ty, divisor));
                let node = Node::Binary(operator, Box::new(operand.expression), right);
                SignedNumber { expression: Expression::new(ty, node), range }
            }
        };
        self.choices.close();
        signed
    }

    /// Returns the smaller or the larger of two numbers.
    fn extreme(&mut self, ty: Ty, left: SignedNumber, right: SignedNumber) -> SignedNumber {
        let (lower, upper) = (left.range, right.range);
        let (function, range) = if self.choices.below(2) == 0 {
            (NumberFunction::Minimum, (lower.0.min(upper.0), lower.1.min(upper.1)))
        } else {
            (NumberFunction::Maximum, (lower.0.max(upper.0), lower.1.max(upper.1)))
        };
        let node = Node::Function(function, vec![left.expression, right.expression]);
        SignedNumber { expression: Expression::new(ty, node), range }
    }

    fn simple_signed(&mut self, scalar: Scalar) -> SignedNumber {
        let ty = Types::scalar(scalar);
        if let Some(expression) = self.form_of(scalar) {
            return SignedNumber { expression, range: scalar.kept() };
        }
        match self.choices.below(6) {
            0 => {
                let value = i128::from(self.choices.below(200)) - 99;
                SignedNumber { expression: Expression::literal(ty, value), range: (value, value) }
            }
            1 => {
                let condition = self.condition(0);
                SignedNumber { expression: Self::convert(ty, condition), range: (0, 1) }
            }
            2 => {
                let number = self.simple(Scalar::Uint);
                let mask = Box::new(Expression::literal(UINT, 63));
                let masked = Node::Binary(Binary::And, Box::new(number), mask);
                let expression = Self::convert(ty, Expression::new(UINT, masked));
                SignedNumber { expression, range: (0, 63) }
            }
            5 if self.has(Feature::StringLiterals) && self.choices.below(2) == 1 => {
                SignedNumber { expression: Self::convert(ty, self.character()), range: (0, 63) }
            }
            3 if let Some(distance) = self.distance() => {
                SignedNumber { expression: Self::convert(ty, distance), range: (-64, 64) }
            }
            _ => {
                let from = self.choices.pick(&[
                    if scalar.is_float() { Scalar::Float } else { Scalar::Int },
                    Scalar::Char,
                    Scalar::Short,
                    Scalar::Long,
                    Scalar::Float,
                    Scalar::Int,
                ]);
                match self.readable(from) {
                    Some(number) => {
                        SignedNumber { expression: Self::convert(ty, number), range: from.kept() }
                    }
                    None => SignedNumber { expression: Expression::literal(ty, 1), range: (1, 1) },
                }
            }
        }
    }

    /// Returns a condition: 0 or 1, as `int`.
    pub(super) fn condition(&mut self, fuel: u32) -> Expression {
        self.choices.open();
        let node = match self.choices.below(6) {
            3 => self.pointer_comparison(),
            4 => {
                let scalar = self.choices.pick(&[Scalar::Int, Scalar::Float]);
                let (left, right) = (self.signed(scalar, fuel), self.signed(scalar, fuel));
                let operator =
                    self.choices.pick(&[Compare::Less, Compare::Equal, Compare::LessOrEqual]);
                let (left, right) = (left.expression, right.expression);
                Some(Node::Compare(operator, Box::new(left), Box::new(right)))
            }
            _ => None,
        };
        let node = match node {
            Some(node) => node,
            None => {
                let operator = self.choices.pick(&[
                    Compare::Less,
                    Compare::Equal,
                    Compare::Unequal,
                    Compare::LessOrEqual,
                ]);
                let (left, right) =
                    (self.unsigned(Scalar::Uint, fuel), self.unsigned(Scalar::Uint, fuel));
                // Small numbers are equal now and then.
                let mask = |number| {
                    let mask = Box::new(Expression::literal(UINT, 3));
                    Expression::new(UINT, Node::Binary(Binary::And, Box::new(number), mask))
                };
                Node::Compare(operator, Box::new(mask(left)), Box::new(mask(right)))
            }
        };
        self.choices.close();
        Expression::new(INT, node)
    }

    /// Returns pointers that can be compared: of one type.
    fn two_pointers(&mut self) -> Option<(Expression, Expression)> {
        let element = self.element_type();
        let ty = self.pointer_type(element, 1);
        Some((explicit(self.pointer(ty)?), explicit(self.pointer(ty)?)))
    }

    fn pointer_comparison(&mut self) -> Option<Node> {
        let (left, right) = self.two_pointers()?;
        let wanted = self.choices.below(2) == 0;
        Some(if self.choices.below(3) == 2 {
            Node::IsNull(wanted, Box::new(left))
        } else {
            Node::SamePlace(wanted, Box::new(left), Box::new(right))
        })
    }

    /// Returns `(int)(p - q)` for two pointers into one array.
    fn distance(&mut self) -> Option<Expression> {
        let element = self.element_type();
        let fits: Vec<usize> = (0..self.roots.len())
            .filter(|&root| self.roots[root].element == element && self.roots[root].run > 1)
            .collect();
        if fits.is_empty() {
            return None;
        }
        let root = self.choices.pick(&fits);
        let root = self.roots[root].clone();
        let is_const = !root.is_writable;
        let (space, is_volatile) = (root.space, root.is_volatile);
        let pointer = Pointer { to: element, space, is_const, is_volatile, run: 1 };
        let ty = self.program.types.intern(Type::Pointer(pointer));
        let mut end = || {
            let place = self.element(&root);
            Box::new(Expression::new(ty, Node::Address(place)))
        };
        let (left, right) = (end(), end());
        let is_order = self.choices.below(3) == 2;
        let node = if is_order { Node::Before(left, right) } else { Node::Distance(left, right) };
        Some(Expression::new(INT, node))
    }

    /// Returns a value of a vector type.
    pub(super) fn vector(&mut self, ty: Ty, scalar: Scalar, length: u8, fuel: u32) -> Expression {
        let found = match self.choices.below(4) {
            1 => self.place(Search::Type(ty), |_| true).map(|(place, _)| Node::Read(place)),
            2 if self.has(Feature::Builtins) => self.load(scalar, u16::from(length)),
            3 if fuel > 0 => {
                let left = self.vector(ty, scalar, length, fuel - 1);
                let right = self.vector(ty, scalar, length, fuel - 1);
                Some(self.vectors_combined(ty, scalar, left, right))
            }
            _ => None,
        };
        let node = found.unwrap_or_else(|| {
            Node::Vector((0..length).map(|_| self.number_of(scalar, 0)).collect())
        });
        Expression::new(ty, node)
    }

    /// Combines two vectors component by component; those of floating-point numbers stay as small as objects hold.
    fn vectors_combined(
        &mut self,
        ty: Ty,
        scalar: Scalar,
        left: Expression,
        right: Expression,
    ) -> Node {
        let binary =
            |operator, left, right| Node::Binary(operator, Box::new(left), Box::new(right));
        match self.choices.below(4) {
            0 if !scalar.is_float() => binary(Binary::Xor, left, right),
            2 => Node::Function(NumberFunction::Minimum, vec![left, right]),
            3 => Node::Function(NumberFunction::Maximum, vec![left, right]),
            _ if !scalar.is_float() => binary(Binary::Add, left, right),
            other => {
                let operator = if other == 0 { Binary::Subtract } else { Binary::Add };
                let number = Expression::new(ty, binary(operator, left, right));
                let length = match self.program.types.get(ty) {
                    Type::Vector(_, length) => usize::from(length),
                    _ => 1,
                };
                let all = |value| {
                    let part = Expression::literal(Types::scalar(scalar), value);
                    Expression::new(ty, Node::Vector(vec![part; length]))
                };
                let (least, greatest) = scalar.kept();
                let operands = vec![number, all(least), all(greatest)];
                Node::Function(NumberFunction::Clamp, operands)
            }
        }
    }

    /// Returns an integer within two literals. `clamp` takes integers from 1.1 on ([integer-functions]).
    fn clamped(&self, ty: Ty, number: Expression, [least, greatest]: [Expression; 2]) -> Node {
        if self.dialect.version > Version::V1_0 {
            return Node::Function(NumberFunction::Clamp, vec![number, least, greatest]);
        }
        let raised = Node::Function(NumberFunction::Maximum, vec![number, least]);
        Node::Function(NumberFunction::Minimum, vec![Expression::new(ty, raised), greatest])
    }

    /// Returns a call such as `vload4(0, p)`.
    fn load(&mut self, scalar: Scalar, length: u16) -> Option<Node> {
        let pointer = self.pointer_type(Types::scalar(scalar), length);
        let pointer = self.without_volatile(pointer);
        let pointer = self.pointer(pointer)?;
        Some(Node::LoadVector(Box::new(Expression::literal(UINT, 0)), Box::new(pointer)))
    }
}

/// Returns two numbers combined, if the result fits the type; otherwise only the first.
fn combined(
    scalar: Scalar,
    operator: Binary,
    left: SignedNumber,
    right: SignedNumber,
) -> SignedNumber {
    // Of a zero and what is negative the product is a negative zero.
    let is_positive = |number: &SignedNumber| number.range.0 > 0;
    let is_plain = !scalar.is_float() || is_positive(&left) || is_positive(&right);
    let operator =
        if operator == Binary::Multiply && !is_plain { Binary::Subtract } else { operator };
    let ends = [left.range.0, left.range.1].into_iter().flat_map(|a| {
        [right.range.0, right.range.1].into_iter().map(move |b| match operator {
            Binary::Subtract => a - b,
            Binary::Multiply => a * b,
            _ => a + b,
        })
    });
    let ends: Vec<i128> = ends.collect();
    let range = (
        ends.iter().copied().min().unwrap_or_default(),
        ends.iter().copied().max().unwrap_or_default(),
    );
    if !(scalar.holds(range.0) && scalar.holds(range.1)) {
        return left;
    }
    let ty = Types::scalar(scalar);
    let node = Node::Binary(operator, Box::new(left.expression), Box::new(right.expression));
    SignedNumber { expression: Expression::new(ty, node), range }
}
