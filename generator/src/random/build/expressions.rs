//! Expressions whose value is a number, a vector or a structure.

use expectations::{dialect::Version, space::AddressSpace};

use super::{Builder, Place, pointers::Fit};
use crate::random::{
    tree::{Expression, Name},
    types::{CHAR, FLOAT, FLOAT4, INT, INT4, Kind, Pointee, Ty, UINT},
};

/// A built-in function that takes a pointer.
struct PointerBuiltin {
    name: &'static str,
    result: Ty,
    arguments: &'static [Argument],
    since: Version,
}

#[derive(Clone, Copy)]
enum Argument {
    Value(Ty),
    Offset,
    /// A pointer into any space that can be written.
    Written(Ty),
    /// A pointer into any space.
    Read(Ty),
    /// A pointer into global or local, volatile or not.
    Atomic(Ty),
}

use Argument::{Atomic, Offset, Read, Value, Written};

const fn builtin(
    name: &'static str,
    result: Ty,
    arguments: &'static [Argument],
    since: Version,
) -> PointerBuiltin {
    PointerBuiltin { name, result, arguments, since }
}

/// Functions that give a value and take a pointer ([math-functions], [vector-data-load-and-store-functions],
/// [atomic-legacy]).
const POINTER_BUILTINS: [PointerBuiltin; 16] = [
    builtin("fract", FLOAT, &[Value(FLOAT), Written(FLOAT)], Version::V1_0),
    builtin("modf", FLOAT, &[Value(FLOAT), Written(FLOAT)], Version::V1_0),
    builtin("sincos", FLOAT, &[Value(FLOAT), Written(FLOAT)], Version::V1_0),
    builtin("frexp", FLOAT, &[Value(FLOAT), Written(INT)], Version::V1_0),
    builtin("lgamma_r", FLOAT, &[Value(FLOAT), Written(INT)], Version::V1_0),
    builtin("remquo", FLOAT, &[Value(FLOAT), Value(FLOAT), Written(INT)], Version::V1_0),
    builtin("fract", FLOAT4, &[Value(FLOAT4), Written(FLOAT4)], Version::V1_0),
    builtin("frexp", FLOAT4, &[Value(FLOAT4), Written(INT4)], Version::V1_0),
    builtin("vload4", FLOAT4, &[Offset, Read(FLOAT)], Version::V1_0),
    builtin("vload4", INT4, &[Offset, Read(INT)], Version::V1_0),
    builtin("atomic_add", INT, &[Atomic(INT), Value(INT)], Version::V1_1),
    builtin("atomic_inc", UINT, &[Atomic(UINT)], Version::V1_1),
    builtin("atomic_cmpxchg", INT, &[Atomic(INT), Value(INT), Value(INT)], Version::V1_1),
    builtin("atomic_xchg", FLOAT, &[Atomic(FLOAT), Value(FLOAT)], Version::V1_1),
    builtin("atomic_min", UINT, &[Atomic(UINT), Value(UINT)], Version::V1_1),
    builtin("atomic_or", INT, &[Atomic(INT), Value(INT)], Version::V1_1),
];

impl Builder<'_> {
    /// A value of type `ty`, or one that converts to it.
    pub(in crate::random) fn value(&mut self, ty: Ty, fuel: u32) -> Expression {
        match self.types.kind(ty) {
            Kind::Void | Kind::Array(..) | Kind::Integer(_) | Kind::Floating(_) => {
                self.number_value(ty, fuel)
            }
            Kind::Vector(..) => self.vector_value(ty, fuel),
            Kind::Record(_) => self.record_value(ty, fuel),
            Kind::Pointer(pointee) => self.pointer(pointee, Fit::Converts, fuel),
        }
    }

    /// Something to decide on.
    pub(in crate::random) fn condition(&mut self, fuel: u32) -> Expression {
        if fuel > 0 && self.choices.one_in(3) {
            return self.comparison(fuel - 1);
        }
        self.value(INT, fuel)
    }

    pub(super) fn number(&mut self, ty: Ty) -> Expression {
        let value = self.choices.below(16);
        let suffix = match self.types.kind(ty) {
            Kind::Floating(_) => ".0f",
            _ if ty == UINT => "u",
            _ => "",
        };
        Expression::Number(value, suffix)
    }

    fn number_value(&mut self, ty: Ty, fuel: u32) -> Expression {
        let kinds = if fuel == 0 { 4 } else { 13 };
        match self.choices.below(kinds) {
            0 => self.number(ty),
            1..=3 => self.read(ty).unwrap_or_else(|| self.number(ty)),
            4 | 5 => {
                let operator = self.operator(ty);
                let left = self.value(ty, fuel - 1);
                let right = self.value(ty, fuel - 1);
                Expression::Binary(operator, Box::new([left, right]))
            }
            6 => {
                let condition = self.condition(fuel - 1);
                let left = self.value(ty, fuel - 1);
                let right = self.value(ty, fuel - 1);
                Expression::Conditional(Box::new([condition, left, right]))
            }
            7 => {
                let from = self.choices.pick(&crate::random::types::SCALARS);
                let inner = self.value(from, fuel - 1);
                Expression::Cast(ty, Box::new(inner))
            }
            8 => match self.callees.iter().position(|callee| callee.result == ty) {
                Some(index) => self.call(index, fuel - 1),
                None => self.comparison(fuel - 1),
            },
            9 => self.pointer_builtin(ty, fuel - 1).unwrap_or_else(|| self.number(ty)),
            10 => self.plain_builtin(ty, fuel - 1),
            11 => self.component(ty).unwrap_or_else(|| self.number(ty)),
            _ => {
                let operator = if self.is_integer(ty) { "~" } else { "-" };
                let operand = self.value(ty, fuel - 1);
                Expression::Prefix(self.choices.pick(&["-", operator]), Box::new(operand))
            }
        }
    }

    fn is_integer(&self, ty: Ty) -> bool {
        matches!(self.types.kind(ty), Kind::Integer(_))
    }

    fn operator(&mut self, ty: Ty) -> &'static str {
        if self.is_integer(ty) {
            self.choices.pick(&[" + ", " - ", " * ", " & ", " | ", " ^ "])
        } else {
            self.choices.pick(&[" + ", " - ", " * "])
        }
    }

    fn read(&mut self, ty: Ty) -> Option<Expression> {
        // Integers smaller than int are numbers too.
        let also = if ty == INT { CHAR } else { ty };
        let place = self.place_where(|_, spot| spot.ty == ty || spot.ty == also);
        place.map(|(expression, _)| expression)
    }

    fn vector_value(&mut self, ty: Ty, fuel: u32) -> Expression {
        let Kind::Vector(_, element, length) = self.types.kind(ty) else { return self.number(ty) };
        let kinds = if fuel == 0 { 3 } else { 6 };
        let made = match self.choices.below(kinds) {
            0 => None,
            1 | 2 => self.read(ty),
            3 => {
                let is_integer = self.is_integer(element);
                let operator =
                    self.choices.pick(&[" + ", " * ", if is_integer { " & " } else { " - " }]);
                let left = self.value(ty, fuel - 1);
                let right = self.value(ty, fuel - 1);
                Some(Expression::Binary(operator, Box::new([left, right])))
            }
            4 => self.pointer_builtin(ty, fuel - 1),
            _ => {
                let count = if self.choices.one_in(2) { u32::from(length) } else { 1 };
                let components = (0..count).map(|_| self.value(element, fuel - 1)).collect();
                Some(Expression::VectorLiteral(ty, components))
            }
        };
        made.unwrap_or_else(|| {
            let number = self.number(element);
            Expression::VectorLiteral(ty, vec![number])
        })
    }

    fn record_value(&mut self, ty: Ty, fuel: u32) -> Expression {
        let fuel = fuel.saturating_sub(1);
        let made = match self.choices.below(3) {
            0 | 1 => self.read(ty),
            _ => {
                let index = self.callees.iter().position(|callee| callee.result == ty);
                index.map(|index| self.call(index, fuel))
            }
        };
        made.unwrap_or_else(|| {
            let elements = self.elements(ty, fuel);
            Expression::CompoundLiteral(ty, elements)
        })
    }

    /// A comparison of two pointers, or of a pointer with null; an integer.
    fn comparison(&mut self, fuel: u32) -> Expression {
        let left = self.any_pointee();
        let first = self.pointer(left, Fit::Same, fuel);
        let operator = self.choices.pick(&[" == ", " != ", " < ", " - ", " && ", " || "]);
        let null = matches!(operator, " == " | " != ") && self.choices.one_in(2);
        let second = if null {
            Expression::Word(self.choices.pick(&["0", "NULL"]))
        } else if operator == " && " || operator == " || " {
            let other = self.any_pointee();
            self.pointer(other, Fit::Same, fuel)
        } else {
            let mixes = operator != " - " && self.dialect.generic && left.space.facts().in_generic;
            let space = if mixes && left.space != AddressSpace::Generic && self.choices.one_in(3) {
                AddressSpace::Generic
            } else {
                left.space
            };
            self.pointer(Pointee { space, ..left }, Fit::Same, fuel)
        };
        let compared = Expression::Binary(operator, Box::new([first, second]));
        Expression::Cast(INT, Box::new(compared))
    }

    /// A call of a function of the program, by its place among those that can be called.
    pub(super) fn call(&mut self, index: usize, fuel: u32) -> Expression {
        let name = self.callees[index].name;
        let count = self.callees[index].parameters.len();
        let arguments = (0..count)
            .map(|position| {
                let ty = self.callees[index].parameters[position];
                self.converted(ty, fuel)
            })
            .collect();
        Expression::Call(name, arguments)
    }

    /// A component of a vector.
    fn component(&mut self, ty: Ty) -> Option<Expression> {
        let (vector, _) = self.place_where(
            |types, spot| matches!(types.kind(spot.ty), Kind::Vector(_, element, _) if element == ty),
        )?;
        let index = self.choices.below(2) as u16;
        let component = Name { letter: 's', index, is_file_scope: false };
        Some(Expression::Member(Box::new(vector), ".", component))
    }

    fn plain_builtin(&mut self, ty: Ty, fuel: u32) -> Expression {
        match (self.is_integer(ty), self.choices.below(3)) {
            (true, 0) => {
                let query = self.choices.pick(&["get_global_id", "get_local_id", "get_group_id"]);
                let call = Expression::CallBuiltin(query, vec![Expression::Number(0, "")]);
                Expression::Cast(ty, Box::new(call))
            }
            (is_integer, choice) => {
                let name = match (is_integer, choice) {
                    (true, _) => "min",
                    (false, 0) => "fmax",
                    (false, _) => "fmin",
                };
                let arguments = (0..2)
                    .map(|_| {
                        let value = self.value(ty, fuel);
                        // Both arguments must be of the very type for one overload to fit.
                        Expression::Cast(ty, Box::new(value))
                    })
                    .collect();
                Expression::CallBuiltin(name, arguments)
            }
        }
    }

    fn pointer_builtin(&mut self, ty: Ty, fuel: u32) -> Option<Expression> {
        let version = self.dialect.version;
        let fitting = || {
            POINTER_BUILTINS
                .iter()
                .filter(move |known| known.result == ty && known.since <= version)
        };
        let count = fitting().count() as u32;
        if count == 0 {
            return None;
        }
        let chosen = fitting().nth(self.choices.below(count) as usize)?;
        let arguments =
            chosen.arguments.iter().map(|argument| self.argument(*argument, fuel)).collect();
        Some(Expression::CallBuiltin(chosen.name, arguments))
    }

    fn argument(&mut self, argument: Argument, fuel: u32) -> Expression {
        use AddressSpace::{Constant, Global, Local, Private};
        match argument {
            Value(ty) => {
                let value = self.value(ty, fuel);
                if self.types.is_number(ty) { Expression::Cast(ty, Box::new(value)) } else { value }
            }
            Offset => Expression::Number(self.choices.below(4), ""),
            Written(to) => {
                let space = self.choices.pick(&[Global, Private, Local]);
                self.pointer(Pointee::new(to, space), Fit::Same, fuel)
            }
            Read(to) => {
                let space = self.choices.pick(&[Global, Private, Local, Constant]);
                let wanted = Pointee { is_const: true, ..Pointee::new(to, space) };
                self.pointer(wanted, Fit::Same, fuel)
            }
            Atomic(to) => {
                let space = self.choices.pick(&[Global, Local]);
                let wanted = Pointee { is_volatile: true, ..Pointee::new(to, space) };
                self.pointer(wanted, Fit::Same, fuel)
            }
        }
    }

    /// A statement's call of a built-in that only writes.
    pub(super) fn writing_builtin(&mut self, fuel: u32) -> Expression {
        match self.choices.below(3) {
            0 => {
                let arguments = [Value(FLOAT4), Offset, Written(FLOAT)];
                let arguments = arguments.map(|argument| self.argument(argument, fuel)).into();
                Expression::CallBuiltin("vstore4", arguments)
            }
            1 => {
                let wanted = Pointee { is_const: true, ..Pointee::new(INT, AddressSpace::Global) };
                let pointer = self.pointer(wanted, Fit::Same, fuel);
                Expression::CallBuiltin("prefetch", vec![pointer, Expression::Number(1, "")])
            }
            _ if self.place == Place::Kernel => {
                let flags = self.choices.pick(&["CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE"]);
                Expression::CallBuiltin("barrier", vec![Expression::Word(flags)])
            }
            _ => {
                let flags = Expression::Word("CLK_LOCAL_MEM_FENCE");
                Expression::CallBuiltin("mem_fence", vec![flags])
            }
        }
    }
}
