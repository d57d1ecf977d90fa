//! Calls of the program's functions, of blocks and of built-in functions.

mod by_name;

pub(super) use by_name::VENDORS;

use crate::{
    builtins,
    rule::Rule,
    sema::{analyser::Analyser, conversions::Purpose, operand::Operand, scopes::FunctionId},
    space::Space,
    span::Span,
    symbol::Symbol,
    types::{Agreement, Parameter, QualifiedType, SignatureId, Type},
};

/// Costs of an argument that does not match its parameter; the overload with the lowest sum is called.
mod misfit {
    pub(super) const CONVERSION: u32 = 1;
    pub(super) const GENERIC: u32 = 2;
    pub(super) const TYPE: u32 = 100;
    pub(super) const KIND: u32 = 100_000;
    pub(super) const SPACE: u32 = 10_000;
    pub(super) const COUNT: u32 = 1_000_000;
}

impl Analyser<'_> {
    /// Judges a call of a declared function.
    pub(crate) fn call_function(
        &mut self,
        function: FunctionId,
        name: Symbol,
        name_span: Span,
        arguments: &mut [Operand],
        span: Span,
    ) -> Operand {
        let (best, misfit) = self.best_overload(function, arguments);
        let is_overloadable = self.function(best).is_overloadable;
        if is_overloadable
            && misfit >= misfit::TYPE
            && builtins::find(self.interner.text(name)).is_some()
        {
            // The program adds overloads to a built-in function, and the call is of the built-in one.
            return self.call_by_name(name, name_span, arguments, span);
        }
        self.note_call(best, name_span);
        self.arena.inventory.call(name);
        self.mention_function(best, self.interner.text(name), name_span);
        let signature = self.function(best).signature;
        self.pass(signature, arguments, span);
        Operand::value(self.arena.types.signature(signature).result, span)
    }

    /// Judges a call of a value.
    pub(crate) fn call_value(
        &mut self,
        callee: Operand,
        arguments: &[Operand],
        span: Span,
    ) -> Operand {
        match self.arena.types.of(callee.ty) {
            Type::Function(signature) | Type::Block(signature) => {
                self.pass(signature, arguments, span);
                Operand::value(self.arena.types.signature(signature).result, span)
            }
            Type::Error => Operand::error(span),
            _ => {
                self.mistake(
                    Rule::CCallee,
                    callee.span,
                    "only a function or a block can be called",
                );
                Operand::error(span)
            }
        }
    }

    /// Converts each argument to its parameter.
    fn pass(&mut self, signature: SignatureId, arguments: &[Operand], span: Span) {
        let signature = self.arena.types.signature(signature);
        let expected = self.arena.types.parameters(&signature).len();
        let given = arguments.len();
        if given != expected && !(signature.variadic && given > expected) {
            let noun = if expected == 1 { "argument is" } else { "arguments are" };
            let message = format!("{expected} {noun} expected here, not {given}");
            self.mistake(Rule::CArgumentCount, span, message);
        }
        for (index, &argument) in arguments.iter().enumerate() {
            match self.arena.types.parameter(&signature, index as u32) {
                Some(parameter) => {
                    self.convert(argument, parameter.ty, Purpose::Pass(parameter));
                }
                None => {
                    self.rvalue(argument);
                }
            }
        }
    }

    fn best_overload(&self, function: FunctionId, arguments: &[Operand]) -> (FunctionId, u32) {
        let mut best = (function, u32::MAX);
        let mut next = Some(function);
        while let Some(id) = next {
            let candidate = self.function(id);
            next = candidate.next;
            if best.1 == u32::MAX && next.is_none() && !candidate.is_overloadable {
                return (id, 0);
            }
            let misfit = self.misfit(candidate.signature, arguments);
            if misfit < best.1 {
                best = (id, misfit);
            }
        }
        best
    }

    fn misfit(&self, signature: SignatureId, arguments: &[Operand]) -> u32 {
        let signature = self.arena.types.signature(signature);
        let parameters = self.arena.types.parameters(&signature);
        if parameters.len() != arguments.len() && !signature.variadic {
            return misfit::COUNT;
        }
        let pairs = parameters.iter().zip(arguments);
        pairs.fold(0, |sum: u32, (parameter, argument)| {
            sum.saturating_add(self.argument_misfit(parameter, argument))
        })
    }

    fn argument_misfit(&self, parameter: &Parameter, argument: &Operand) -> u32 {
        let argument_pointee = match self.arena.types.of(argument.ty) {
            Type::Array { element, .. } => Some(element),
            Type::Pointer(pointee) => Some(pointee),
            _ => None,
        };
        match (self.arena.types.of(parameter.ty), self.arena.types.of(argument.ty)) {
            (_, Type::Error) | (Type::Error, _) => 0,
            (Type::Pointer(to), _) if argument_pointee.is_some() => {
                let from = argument_pointee.unwrap_or(QualifiedType::ERROR);
                self.pointer_misfit(to, from)
            }
            (a, b) if a == b => 0,
            (Type::Scalar(_), Type::Scalar(_)) => misfit::CONVERSION,
            (Type::Pointer(_), Type::Scalar(_)) if argument.integer() == Some(0) => {
                misfit::CONVERSION
            }
            (Type::Vector { .. }, Type::Scalar(_)) => misfit::TYPE / 2,
            (Type::Pointer(_), _) => misfit::KIND,
            _ if argument_pointee.is_some() => misfit::KIND,
            _ => misfit::TYPE,
        }
    }

    fn pointer_misfit(&self, to: QualifiedType, from: QualifiedType) -> u32 {
        let (to_space, from_space) = (self.space_of(to), self.space_of(from));
        let space = if to_space == from_space {
            0
        } else if to_space.encloses(from_space) && to_space == Space::Generic {
            misfit::GENERIC
        } else {
            misfit::SPACE
        };
        let ty = match self.arena.types.unqualified_agreement(to.id, from.id) {
            Agreement::Same => 0,
            _ => misfit::TYPE,
        };
        space + ty
    }
}
