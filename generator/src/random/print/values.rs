//! Values and places: pieces of a line, one after the other.

use std::fmt::Write as _;

use super::{
    GUILTY, Printer, comparison_text, function_name, operator_text, string_literal, words::equality,
};
use crate::random::{
    tree::{Binary, Expression, Initializer, Node, Place, PlaceNode, VariableId},
    types::{Scalar, Ty, Type},
};

/// A piece of a line.
#[derive(Clone, Copy)]
pub(super) enum Piece<'e> {
    Text(&'e str),
    Value(&'e Expression),
    /// Values with commas between.
    Values(&'e [Expression]),
    Place(&'e Place),
    Type(Ty),
    Name(VariableId),
    Number(u64),
}

use Piece::{Number, Text, Type as TypeName, Value, Values};

impl Printer<'_> {
    pub(super) fn vector_length(&self, ty: Ty) -> u8 {
        match self.program.types.get(ty) {
            Type::Vector(_, length) => length,
            _ => 1,
        }
    }

    /// Returns a value, in parentheses where it has an operator.
    pub(in crate::random) fn value(&self, expression: &Expression) -> String {
        let mut out = String::new();
        self.put_value(&mut out, expression);
        out
    }

    /// Appends pieces one after the other.
    pub(super) fn put(&self, out: &mut String, pieces: &[Piece<'_>]) {
        for piece in pieces {
            match *piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Value(value) => self.put_value(out, value),
                Piece::Values(values) => self.put_values(out, values),
                Piece::Place(place) => self.put_place(out, place),
                Piece::Type(ty) => self.put_type_name(out, ty),
                Piece::Name(variable) => self.put_name(out, variable),
                Piece::Number(number) => put_number(out, number),
            }
        }
    }

    pub(super) fn put_values(&self, out: &mut String, values: &[Expression]) {
        for (number, value) in values.iter().enumerate() {
            out.push_str(if number == 0 { "" } else { ", " });
            self.put_value(out, value);
        }
    }

    /// Appends a value, in parentheses where it has an operator.
    pub(super) fn put_value(&self, out: &mut String, expression: &Expression) {
        let ty = expression.ty;
        let pieces: &[Piece<'_>] = match &expression.node {
            Node::Literal(value) => return self.put_literal(out, ty, *value),
            Node::WorkItem(what) => return self.put_work_item(out, *what),
            Node::Read(place) => return self.put_place(out, place),
            Node::Complement(operand) => &[Text("~"), Value(operand)],
            Node::Binary(operator, left, right) => {
                out.push('(');
                self.put_binary(out, *operator, left, right);
                return out.push(')');
            }
            Node::Compare(operator, left, right) => {
                &compared(left, comparison_text(*operator), right)
            }
            Node::Convert(operand) | Node::Cast(operand) => {
                &[Text("("), TypeName(ty), Text(")"), Value(operand)]
            }
            Node::Reinterpret(operand) => {
                &[Text("as_"), TypeName(ty), Text("("), Value(operand), Text(")")]
            }
            Node::Bytes(pointer) => return out.push_str(&self.sum_of_bytes(pointer)),
            Node::Conditional(condition, yes, no) => &[
                Text("("),
                Value(condition),
                Text(" ? "),
                Value(yes),
                Text(" : "),
                Value(no),
                Text(")"),
            ],
            Node::Function(function, operands) => {
                let is_float = self.program.types.number_in(ty).is_some_and(Scalar::is_float);
                let name = function_name(*function, is_float);
                &[Text(name), Text("("), Values(operands), Text(")")]
            }
            Node::Vector(parts) => &[Text("("), TypeName(ty), Text(")("), Values(parts), Text(")")],
            Node::LoadVector(index, pointer) => {
                let length = Number(self.vector_length(ty).into());
                &[
                    Text("vload"),
                    length,
                    Text("("),
                    Value(index),
                    Text(", "),
                    Value(pointer),
                    Text(")"),
                ]
            }
            Node::AtomicLoad(object, manner) => {
                return self.put_atomic_load(out, object, *manner);
            }
            Node::Address(Place { node: PlaceNode::Element(array, index), .. })
                if matches!(index.node, Node::Literal(0)) =>
            {
                return self.put_place(out, array);
            }
            Node::Address(place) => &[Text("&"), Piece::Place(place)],
            Node::Offset(pointer, index) => {
                &[Text("("), Value(pointer), Text(" + "), Value(index), Text(")")]
            }
            Node::Implicit(pointer) => return self.put_value(out, pointer),
            Node::ToSpace(pointer) => {
                let to = self.program.types.as_pointer(ty).map(|pointer| pointer.space);
                let name = to.map_or("generic", |space| space.facts().name);
                &[Text("to_"), Text(name), Text("("), Value(pointer), Text(")")]
            }
            Node::SamePlace(wanted, left, right) => &compared(left, equality(*wanted), right),
            Node::IsNull(wanted, pointer) => {
                &[Text("("), Value(pointer), Text(" "), Text(equality(*wanted)), Text(" 0)")]
            }
            Node::Before(left, right) => {
                &[Text("("), Value(left), Text(" < "), Value(right), Text(")")]
            }
            Node::Distance(left, right) => {
                &[Text("(int)("), Value(left), Text(" - "), Value(right), Text(")")]
            }
            Node::Text(text) => return out.push_str(&string_literal(text)),
            Node::Null => &[Text("0")],
            Node::Form(pattern, values) => {
                return self.put_filled(out, pattern, Some(ty), &mut values.iter());
            }
            Node::Enumerator(enumeration, constant) => {
                return out.push_str(&self.enumerator(*enumeration, *constant));
            }
            Node::CompoundLiteral(initializer) => {
                self.put(out, &[Text("("), TypeName(ty), Text(")")]);
                if matches!(**initializer, Initializer::List(_) | Initializer::Designated(..)) {
                    return self.put_initializer(out, initializer);
                }
                out.push_str("{ ");
                self.put_initializer(out, initializer);
                return out.push_str(" }");
            }
            Node::Fork(fork) => {
                self.put_value(out, fork.on(self.side));
                return out.push(GUILTY);
            }
        };
        self.put(out, pieces);
    }

    pub(super) fn put_binary(
        &self,
        out: &mut String,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) {
        let operator = operator_text(operator);
        self.put(out, &[Value(left), Text(" "), Text(operator), Text(" "), Value(right)]);
    }

    pub(super) fn put_literal(&self, out: &mut String, ty: Ty, value: i128) {
        let suffix = match self.program.types.as_scalar(ty) {
            Some(Scalar::Uint) => "u",
            Some(Scalar::Ulong) => "ul",
            Some(Scalar::Long) => "l",
            Some(Scalar::Float) => ".0f",
            _ => "",
        };
        if let Ok(value) = u64::try_from(value) {
            put_number(out, value);
            return out.push_str(suffix);
        }
        let _ = write!(out, "({value}{suffix})");
    }

    pub(super) fn put_place(&self, out: &mut String, place: &Place) {
        match &place.node {
            PlaceNode::Variable(variable) => self.put_name(out, *variable),
            PlaceNode::Element(array, index) => {
                self.put_aggregate(out, array);
                self.put_index(out, index);
            }
            PlaceNode::Member(record, member) => {
                match &record.node {
                    PlaceNode::Target(pointer, None) => {
                        self.put_operand(out, pointer);
                        out.push_str("->");
                    }
                    _ => self.put(out, &[Piece::Place(record), Text(".")]),
                }
                out.push('m');
                put_number(out, (*member).into());
            }
            PlaceNode::Component(vector, component) => {
                self.put_aggregate(out, vector);
                let _ = write!(out, ".s{component:x}");
            }
            PlaceNode::Target(pointer, None) => {
                out.push('*');
                self.put_operand(out, pointer);
            }
            PlaceNode::Target(pointer, Some(index)) => {
                self.put_operand(out, pointer);
                self.put_index(out, index);
            }
        }
    }

    /// Appends a place that a part is taken of, in parentheses where it needs them.
    pub(super) fn put_aggregate(&self, out: &mut String, place: &Place) {
        match &place.node {
            PlaceNode::Target(_, None) => {
                self.put(out, &[Text("("), Piece::Place(place), Text(")")]);
            }
            _ => self.put_place(out, place),
        }
    }

    /// Appends an operand of `*`, `->` or `[]`.
    pub(super) fn put_operand(&self, out: &mut String, pointer: &Expression) {
        let is_simple = match &pointer.node {
            Node::Read(place) => !matches!(place.node, PlaceNode::Target(_, None)),
            _ => false,
        };
        if is_simple {
            self.put_value(out, pointer);
        } else {
            self.put(out, &[Text("("), Value(pointer), Text(")")]);
        }
    }

    /// Appends an index in its brackets, which need no parentheses in them.
    pub(super) fn put_index(&self, out: &mut String, index: &Expression) {
        out.push('[');
        match &index.node {
            Node::Binary(operator, left, right) => self.put_binary(out, *operator, left, right),
            _ => self.put_value(out, index),
        }
        out.push(']');
    }
}

pub(super) fn put_number(out: &mut String, number: u64) {
    if number >= 10 {
        put_number(out, number / 10);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

/// Returns a comparison in parentheses.
fn compared<'e>(left: &'e Expression, operator: &'e str, right: &'e Expression) -> [Piece<'e>; 7] {
    let operator = Text(operator);
    [Text("("), Value(left), Text(" "), operator, Text(" "), Value(right), Text(")")]
}
