//! Calls of built-in functions that take pointers, and of a few that do not.

use expectations::space::AddressSpace;

use super::{Builder, Place, pointers::Fit};
use crate::random::{
    settings::Feature,
    tree::Expression,
    types::{FLOAT, FLOAT4, INT, INT4, Pointee, Ty, UINT},
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
const POINTER_BUILTINS: [PointerBuiltin; 16] = [
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

    /// A statement's call of a built-in that only writes.
    pub(super) fn writing_builtin(&mut self, fuel: u32) -> Expression {
        let pointers = self.has(Feature::Builtins);
        match self.choices.below(3) {
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
