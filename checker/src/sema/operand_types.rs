//! The types that operators are defined for: `[operators]` and its sections, which take the place of C99 6.5.3 to
//! 6.5.16.

use crate::{
    rule::Rule,
    sema::{analyser::Analyser, operand::Operand},
    span::Span,
    token::Punct,
    types::{QualifiedType, Scalar, Type},
};

/// The kind of type that decides whether an operator takes an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Float,
    /// A vector with these elements.
    Vector(Scalar, u32),
    Pointer,
    /// A structure, a union or nothing: no operator takes it.
    NoOperand,
    /// A type that other rules judge, or an unknown one.
    Unjudged,
}

impl Kind {
    /// Whether the type is made of numbers with a fraction.
    fn is_float(self) -> bool {
        match self {
            Self::Float => true,
            Self::Vector(element, _) => element.is_float(),
            _ => false,
        }
    }
}

impl Analyser<'_> {
    fn kind(&self, ty: QualifiedType) -> Kind {
        match self.arena.types.of(ty) {
            Type::Scalar(scalar) if scalar.is_float() => Kind::Float,
            Type::Scalar(_) => Kind::Integer,
            Type::Vector { element, width } => Kind::Vector(element.underlying(), width),
            Type::Pointer(_) => Kind::Pointer,
            Type::Record(_) | Type::Void => Kind::NoOperand,
            _ => Kind::Unjudged,
        }
    }

    /// Judges the types of two operands whose values were used. Returns `false` if it reported an error.
    pub(super) fn takes_operands(
        &mut self,
        left: &Operand,
        operator: Punct,
        right: &Operand,
        span: Span,
    ) -> bool {
        let (a, b) = (self.kind(left.ty), self.kind(right.ty));
        if a == Kind::Integer && b == Kind::Integer || a == Kind::Unjudged || b == Kind::Unjudged {
            return true;
        }
        if let (Kind::Vector(one, width), Kind::Vector(other, other_width)) = (a, b) {
            let is_shift = matches!(operator, Punct::Shl | Punct::Shr);
            if width != other_width || one != other && !is_shift {
                self.differing_vectors(left, right, span);
                return false;
            }
        }
        let is_taken = match operator {
            Punct::Shl | Punct::Shr if !matches!(a, Kind::Vector(..)) => {
                a == Kind::Integer && b == Kind::Integer
            }
            Punct::Percent | Punct::Amp | Punct::Pipe | Punct::Caret | Punct::Shl | Punct::Shr => {
                !a.is_float() && !b.is_float() && a != Kind::Pointer && b != Kind::Pointer
            }
            Punct::Star | Punct::Slash => a != Kind::Pointer && b != Kind::Pointer,
            Punct::Plus => match (a, b) {
                (Kind::Pointer, other) | (other, Kind::Pointer) => other == Kind::Integer,
                _ => true,
            },
            Punct::Minus => match (a, b) {
                (Kind::Pointer, other) => matches!(other, Kind::Integer | Kind::Pointer),
                (_, Kind::Pointer) => false,
                _ => true,
            },
            Punct::EqEq | Punct::Ne | Punct::Lt | Punct::Gt | Punct::Le | Punct::Ge => {
                match (a, b) {
                    (Kind::Pointer, other) | (other, Kind::Pointer) => {
                        matches!(other, Kind::Integer | Kind::Pointer)
                    }
                    _ => true,
                }
            }
            _ => match (a, b) {
                (Kind::Pointer, other) | (other, Kind::Pointer) => {
                    !matches!(other, Kind::Vector(..))
                }
                _ => true,
            },
        };
        if is_taken && a != Kind::NoOperand && b != Kind::NoOperand {
            return true;
        }
        let message = format!(
            "`{}` cannot be applied to `{}` and `{}`",
            operator.text(),
            self.spelled(left.ty),
            self.spelled(right.ty)
        );
        self.mistake(Rule::COperands, span, message);
        false
    }

    pub(super) fn differing_vectors(&mut self, left: &Operand, right: &Operand, span: Span) {
        let message = format!(
            "`{}` and `{}` are different vectors, and none converts to the other",
            self.spelled(left.ty),
            self.spelled(right.ty)
        );
        self.mistake(Rule::CVectorOperands, span, message);
    }

    /// Judges the type of the operand of unary `+`, `-`, `~` or `!`, whose value was used. Returns `false` if it
    /// reported an error.
    pub(super) fn takes_operand(&mut self, operator: Punct, operand: &Operand, span: Span) -> bool {
        let kind = self.kind(operand.ty);
        let is_taken = match kind {
            Kind::NoOperand => false,
            Kind::Pointer => operator == Punct::Bang,
            _ => operator != Punct::Tilde || !kind.is_float(),
        };
        if !is_taken {
            let message = format!(
                "`{}` cannot be applied to `{}`",
                operator.text(),
                self.spelled(operand.ty)
            );
            self.mistake(Rule::COperands, span, message);
        }
        is_taken
    }

    /// Judges the types of the second and third operand of `?:`, and a vector that chooses between them. Returns
    /// `false` if it reported an error.
    pub(super) fn takes_choice(
        &mut self,
        condition: &Operand,
        left: &Operand,
        right: &Operand,
        span: Span,
    ) -> bool {
        let (a, b) = (self.kind(left.ty), self.kind(right.ty));
        if self.kind(condition.ty) == Kind::NoOperand {
            self.judge_condition(condition);
            return false;
        }
        match (a, b) {
            (Kind::Unjudged, _) | (_, Kind::Unjudged) => return true,
            (Kind::Vector(..), Kind::Vector(..)) if a != b => {
                self.differing_vectors(left, right, span);
                return false;
            }
            (Kind::NoOperand, Kind::NoOperand) if left.ty.id == right.ty.id => return true,
            (Kind::NoOperand, _) | (_, Kind::NoOperand) => {
                // GNU C has `void` beside a value.
                if matches!(self.arena.types.of(left.ty), Type::Void)
                    || matches!(self.arena.types.of(right.ty), Type::Void)
                {
                    return true;
                }
                return self.no_choice(left, right, span);
            }
            (Kind::Pointer, Kind::Vector(..)) | (Kind::Vector(..), Kind::Pointer) => {
                return self.no_choice(left, right, span);
            }
            _ => {}
        }
        let (Kind::Vector(_, width), Some(chosen)) = (self.kind(condition.ty), vector_width(a, b))
        else {
            return true;
        };
        if width != chosen {
            let longer = if matches!(a, Kind::Vector(..)) { left } else { right };
            let message = format!(
                "`{}` chooses between components, and `{}` has another number of them",
                self.spelled(condition.ty),
                self.spelled(longer.ty)
            );
            self.mistake(Rule::CVectorOperands, span, message);
        }
        width == chosen
    }

    fn no_choice(&mut self, left: &Operand, right: &Operand, span: Span) -> bool {
        let message = format!(
            "`?:` does not choose between `{}` and `{}`",
            self.spelled(left.ty),
            self.spelled(right.ty)
        );
        self.mistake(Rule::COperands, span, message);
        false
    }

    /// Judges `target operator= value`: the result must convert to the target.
    pub(super) fn judge_compound_operands(
        &mut self,
        target: &Operand,
        operator: Punct,
        value: &Operand,
        span: Span,
    ) {
        if !self.takes_operands(target, operator, value, span) {
            return;
        }
        let (a, b) = (self.kind(target.ty), self.kind(value.ty));
        match (a, b) {
            (Kind::Integer | Kind::Float, Kind::Vector(..)) | (Kind::Float, Kind::Pointer) => {
                let message = format!(
                    "the result of this operation does not convert to `{}`",
                    self.spelled(target.ty)
                );
                self.mistake(Rule::CAssignment, span, message);
            }
            (Kind::Integer, Kind::Pointer) => {
                let message =
                    format!("a pointer becomes a `{}` without a cast", self.spelled(target.ty));
                self.warn(span, message);
            }
            _ => {}
        }
    }
}

fn vector_width(one: Kind, other: Kind) -> Option<u32> {
    match (one, other) {
        (Kind::Vector(_, width), _) | (_, Kind::Vector(_, width)) => Some(width),
        _ => None,
    }
}
