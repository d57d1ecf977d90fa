//! Calls of built-in functions that take pointers, and of a few that do not.

use expectations::{dialect::Version, space::AddressSpace};

use super::{Builder, Place, pointers::Fit};
use crate::random::{
    settings::Feature,
    tree::Expression,
    types::{FLOAT, FLOAT4, INT, INT4, Pointee, Ty, UINT, UINT2, VALUES},
};

/// A built-in function that takes a pointer.
struct PointerBuiltin {
    name: &'static str,
    result: Ty,
    arguments: &'static [Argument],
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

const fn builtin(name: &'static str, result: Ty, arguments: &'static [Argument]) -> PointerBuiltin {
    PointerBuiltin { name, result, arguments }
}

/// Functions that give a value and take a pointer ([math-functions], [vector-data-load-and-store-functions],
/// [atomic-legacy]).
const POINTER_BUILTINS: [PointerBuiltin; 18] = [
    builtin("fract", FLOAT, &[Value(FLOAT), Written(FLOAT)]),
    builtin("modf", FLOAT, &[Value(FLOAT), Written(FLOAT)]),
    builtin("sincos", FLOAT, &[Value(FLOAT), Written(FLOAT)]),
    builtin("frexp", FLOAT, &[Value(FLOAT), Written(INT)]),
    builtin("lgamma_r", FLOAT, &[Value(FLOAT), Written(INT)]),
    builtin("remquo", FLOAT, &[Value(FLOAT), Value(FLOAT), Written(INT)]),
    builtin("fract", FLOAT4, &[Value(FLOAT4), Written(FLOAT4)]),
    builtin("frexp", FLOAT4, &[Value(FLOAT4), Written(INT4)]),
    builtin("vload4", FLOAT4, &[Offset, Read(FLOAT)]),
    builtin("vload4", INT4, &[Offset, Read(INT)]),
    builtin("vload2", UINT2, &[Offset, Read(UINT)]),
    builtin("sincos", FLOAT4, &[Value(FLOAT4), Written(FLOAT4)]),
    builtin("atomic_add", INT, &[Atomic(INT), Value(INT)]),
    builtin("atomic_inc", UINT, &[Atomic(UINT)]),
    builtin("atomic_cmpxchg", INT, &[Atomic(INT), Value(INT), Value(INT)]),
    builtin("atomic_xchg", FLOAT, &[Atomic(FLOAT), Value(FLOAT)]),
    builtin("atomic_min", UINT, &[Atomic(UINT), Value(UINT)]),
    builtin("atomic_or", INT, &[Atomic(INT), Value(INT)]),
];

impl Builder<'_> {
    /// A call of a function that takes no pointer.
    pub(super) fn plain_builtin(&mut self, ty: Ty, fuel: u32) -> Expression {
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

    /// A call of a function that gives `ty` and takes a pointer, if there is one.
    pub(super) fn pointer_builtin(&mut self, ty: Ty, fuel: u32) -> Option<Expression> {
        let atomics = self.has(Feature::LegacyAtomics);
        let is_atomic = |known: &PointerBuiltin| matches!(known.arguments[0], Atomic(_));
        let fitting = || {
            POINTER_BUILTINS
                .iter()
                .filter(move |known| known.result == ty && (atomics || !is_atomic(known)))
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

    /// A statement's call of a built-in for what it does.
    pub(super) fn writing_builtin(&mut self, fuel: u32) -> Expression {
        let pointers = self.has(Feature::Builtins);
        match self.choices.below(5) {
            0 if pointers => {
                let arguments = [Value(FLOAT4), Offset, Written(FLOAT)];
                let arguments = arguments.map(|argument| self.argument(argument, fuel)).into();
                Expression::CallBuiltin("vstore4", arguments)
            }
            1 if pointers => {
                let wanted = Pointee { is_const: true, ..Pointee::new(INT, AddressSpace::Global) };
                let pointer = self.pointer(wanted, Fit::Same, fuel);
                Expression::CallBuiltin("prefetch", vec![pointer, Expression::Number(1, "")])
            }
            2 if pointers && self.place == Place::Kernel => self.async_copy(fuel),
            3 if pointers && self.since(Version::V1_2) && self.has(Feature::StringLiterals) => {
                self.printf(fuel)
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

    /// A copy between global and local, of which every work-item is told.
    fn async_copy(&mut self, fuel: u32) -> Expression {
        use AddressSpace::{Global, Local};
        let ty = self.choices.pick(&VALUES);
        let (into, from) = self.choices.pick(&[(Local, Global), (Global, Local)]);
        let target = self.pointer(Pointee::new(ty, into), Fit::Same, fuel);
        let wanted = Pointee { is_const: true, ..Pointee::new(ty, from) };
        let source = self.pointer(wanted, Fit::Same, fuel);
        let count = Expression::Number(1 + self.choices.below(4), "");
        let event = Expression::Number(0, "");
        Expression::CallBuiltin("async_work_group_copy", vec![target, source, count, event])
    }

    /// A number or a pointer, printed.
    fn printf(&mut self, fuel: u32) -> Expression {
        let (format, value) = if self.choices.one_in(2) {
            let wanted = self.any_pointee();
            ("\"%p\"", self.pointer(wanted, Fit::Same, fuel))
        } else {
            let number = self.value(INT, fuel);
            ("\"%d\"", Expression::Cast(INT, Box::new(number)))
        };
        Expression::CallBuiltin("printf", vec![Expression::Word(format), value])
    }

    /// A pointer to `wanted` out of a generic one.
    pub(super) fn named_pointer(&mut self, wanted: Pointee, fuel: u32) -> Option<Expression> {
        let name = match wanted.space {
            AddressSpace::Global => "to_global",
            AddressSpace::Local => "to_local",
            AddressSpace::Private => "to_private",
            AddressSpace::Constant | AddressSpace::Generic => return None,
        };
        let is_plain = !wanted.is_const && !wanted.is_volatile && !self.types.is_array(wanted.to);
        if !self.dialect.generic || !is_plain {
            return None;
        }
        let generic = Pointee { space: AddressSpace::Generic, ..wanted };
        let pointer = self.pointer(generic, Fit::Same, fuel);
        Some(Expression::CallBuiltin(name, vec![pointer]))
    }
}
