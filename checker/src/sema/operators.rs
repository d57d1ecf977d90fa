//! Operators: their results, and the pointers that they may bring together.

use crate::{
    access::AccessKind,
    rule::Rule,
    sema::{
        analyser::Analyser,
        constants::folded,
        conversions::Purpose,
        operand::{Category, Constness, Operand, Trait},
        report::Finding,
        scopes::Role,
    },
    space::Space,
    span::Span,
    token::Punct,
    types::{Opaque, QualifiedType, Qualifiers, Scalar, Type, TypeId},
};

impl Analyser<'_> {
    /// Judges `left operator right`.
    pub(crate) fn combine(
        &mut self,
        left: Operand,
        operator: Punct,
        operator_span: Span,
        right: Operand,
    ) -> Operand {
        let span = left.span.to(right.span);
        let (left, right) = (self.rvalue(left), self.rvalue(right));
        let constness = folded(left.constness, operator, right.constness);
        if !self.takes_operands(&left, operator, &right, operator_span) {
            return Operand::error(span);
        }
        let (left_type, right_type) = (self.arena.types.of(left.ty), self.arena.types.of(right.ty));
        match operator {
            Punct::AmpAmp | Punct::PipePipe => {
                let ty = self.truth_type(&left, &right);
                Operand { constness, ..Operand::value(ty, span) }
            }
            Punct::EqEq | Punct::Ne | Punct::Lt | Punct::Gt | Punct::Le | Punct::Ge => {
                if let (Type::Pointer(a), Type::Pointer(b)) = (left_type, right_type) {
                    self.judge_meeting(&left, &right, (a, b), Meeting::Compare, operator_span);
                }
                let ty = self.truth_type(&left, &right);
                Operand { constness, ..Operand::value(ty, span) }
            }
            Punct::Minus if matches!(left_type, Type::Pointer(_)) => {
                if let (Type::Pointer(a), Type::Pointer(b)) = (left_type, right_type) {
                    self.judge_meeting(&left, &right, (a, b), Meeting::Subtract, operator_span);
                    return Operand::value(TypeId::scalar(Scalar::PtrDiff).plain(), span);
                }
                Self::offset_pointer(left, right, span)
            }
            Punct::Plus if matches!(left_type, Type::Pointer(_)) => {
                Self::offset_pointer(left, right, span)
            }
            Punct::Plus if matches!(right_type, Type::Pointer(_)) => {
                Self::offset_pointer(right, left, span)
            }
            _ => {
                let ty = match operator {
                    Punct::Shl | Punct::Shr => self.shifted_type(&left, &right),
                    _ => self.common_type(&left, &right),
                };
                Operand { constness, ..Operand::value(ty, span) }
            }
        }
    }

    /// Returns a pointer plus or minus an integer.
    fn offset_pointer(pointer: Operand, distance: Operand, span: Span) -> Operand {
        let constness = if distance.is_constant() {
            pointer.constness.of_address()
        } else {
            Constness::Variable
        };
        let trait_ = match pointer.trait_ {
            Trait::DisputedJoin | Trait::StringLiteral => pointer.trait_,
            _ => Trait::Nothing,
        };
        Operand { span, constness, trait_, ..pointer }
    }

    /// Judges two pointers that an operator brings together. Returns `false` if it reported an error.
    fn judge_meeting(
        &mut self,
        left: &Operand,
        right: &Operand,
        (left_pointee, right_pointee): (QualifiedType, QualifiedType),
        meeting: Meeting,
        span: Span,
    ) -> bool {
        if left.trait_ == Trait::NullPointer || right.trait_ == Trait::NullPointer {
            return true;
        }
        let (a, b) = (self.space_of(left_pointee), self.space_of(right_pointee));
        let (rule, message) = if !a.overlaps(b) {
            let message = format!(
                "a pointer to `{}` and a pointer to `{}` cannot be {}",
                a.name(),
                b.name(),
                meeting.verb()
            );
            (meeting.rule(), message)
        } else if !self.arena.types.nested_spaces_agree(left_pointee, right_pointee) {
            let message = format!(
                "`{}` and `{}` cannot be {}: below the outermost pointer their address spaces differ",
                self.spelled(left.ty),
                self.spelled(right.ty),
                meeting.verb()
            );
            if meeting != Meeting::Join {
                self.disputed(Rule::ExpressionNested, span, message, NO_CONVERSION);
                return true;
            }
            (Rule::ExpressionNested, message)
        } else {
            return true;
        };
        let labels = self.origins([left, right]);
        self.report(Finding::new(rule, span, message).labels(labels));
        false
    }

    /// Returns the type of a comparison: `int`, or a vector of integers.
    fn truth_type(&mut self, left: &Operand, right: &Operand) -> QualifiedType {
        let common = self.common_type(left, right);
        match self.arena.types.of(common) {
            Type::Vector { element, width } => {
                self.arena.types.vector(element.comparison(), width).plain()
            }
            _ => QualifiedType::INT,
        }
    }

    fn shifted_type(&self, left: &Operand, right: &Operand) -> QualifiedType {
        match (self.arena.types.of(left.ty), self.arena.types.of(right.ty)) {
            (Type::Scalar(scalar), Type::Scalar(_)) => TypeId::scalar(promoted(scalar)).plain(),
            (Type::Scalar(_), Type::Vector { .. }) => right.ty.id.plain(),
            _ => left.ty.id.plain(),
        }
    }

    /// Returns the type after the usual arithmetic conversions; a scalar beside a vector is widened.
    fn common_type(&self, left: &Operand, right: &Operand) -> QualifiedType {
        match (self.arena.types.of(left.ty), self.arena.types.of(right.ty)) {
            (Type::Error, _) | (_, Type::Error) => QualifiedType::ERROR,
            (Type::Scalar(a), Type::Scalar(b)) => TypeId::scalar(usual(a, b)).plain(),
            (Type::Vector { .. }, _) => left.ty.id.plain(),
            (_, Type::Vector { .. }) => right.ty.id.plain(),
            (Type::Scalar(_) | Type::Atomic(_), Type::Atomic(scalar))
            | (Type::Atomic(scalar), _) => TypeId::scalar(scalar).plain(),
            (Type::Pointer(_), _) | (_, Type::Pointer(_)) => QualifiedType::INT,
            _ => left.ty.id.plain(),
        }
    }

    /// Judges `condition ? left : right`.
    pub(crate) fn join(&mut self, condition: Operand, left: Operand, right: Operand) -> Operand {
        let condition = self.rvalue(condition);
        let (left, right) = (self.rvalue(left), self.rvalue(right));
        let span = condition.span.to(right.span);
        if !self.takes_choice(&condition, &left, &right, span) {
            return Operand::error(span);
        }
        let constness = match (condition.constness, left.constness, right.constness) {
            (Constness::Integer(0), _, taken) | (Constness::Integer(_), taken, _) => taken,
            _ if condition.is_constant() && left.is_constant() && right.is_constant() => {
                Constness::Arithmetic
            }
            _ => Constness::Variable,
        };
        let joined = match (self.arena.types.of(left.ty), self.arena.types.of(right.ty)) {
            (Type::Error, _) | (_, Type::Error) => Operand::error(span),
            (Type::Pointer(a), Type::Pointer(b)) => self.join_pointers(&left, &right, (a, b), span),
            (Type::Pointer(_), _) => left,
            (_, Type::Pointer(_)) => right,
            (Type::Block(_), _) => {
                self.warn(span, "blocks cannot be operands of ?:");
                left
            }
            (Type::Scalar(_) | Type::Vector { .. }, _) => {
                let ty = match (self.arena.types.of(condition.ty), self.common_type(&left, &right))
                {
                    // A vector condition chooses component by component.
                    (Type::Vector { width, .. }, common) => match self.arena.types.of(common) {
                        Type::Scalar(element) => self.arena.types.vector(element, width).plain(),
                        _ => common,
                    },
                    (_, common) => common,
                };
                Operand::value(ty, span)
            }
            _ => left,
        };
        let trait_ = match (joined.trait_, left.trait_, right.trait_) {
            (Trait::DisputedJoin, _, _) => Trait::DisputedJoin,
            (_, Trait::StringLiteral, Trait::StringLiteral) => Trait::StringLiteral,
            _ => Trait::Nothing,
        };
        Operand { span, constness, trait_, category: Category::Value, ..joined }
    }

    fn join_pointers(
        &mut self,
        left: &Operand,
        right: &Operand,
        (a, b): (QualifiedType, QualifiedType),
        span: Span,
    ) -> Operand {
        match (left.trait_, right.trait_) {
            (Trait::NullPointer, _) => return *right,
            (_, Trait::NullPointer) => return *left,
            _ => {}
        }
        let (a_space, b_space) = (self.space_of(a), self.space_of(b));
        let outer = if a_space.encloses(b_space) { a_space } else { b_space };
        let disputed = !a_space.overlaps(b_space) && self.is_disputed_join(a_space, b_space);
        if disputed && self.arena.types.nested_spaces_agree(a, b) {
            self.disputed(
                Rule::ExpressionConditional,
                span,
                format!(
                    "?: chooses between pointers to `{}` and `{}`",
                    a_space.name(),
                    b_space.name()
                ),
                "an example of [the-generic-address-space] lets the result point to the generic address \
                 space; clause 6.5.15 in [addr-spaces-conversions] forbids operands in disjoint spaces",
            );
            let ty = self.joined_type(a, b, Space::Generic);
            return Operand { trait_: Trait::DisputedJoin, ..Operand::value(ty, span) };
        }
        if !self.judge_meeting(left, right, (a, b), Meeting::Join, span) {
            return Operand::error(span);
        }
        let ty = self.joined_type(a, b, outer);
        let origin = left.origin.filter(|_| left.origin == right.origin);
        Operand { origin, ..Operand::value(ty, span) }
    }

    fn is_disputed_join(&self, a: Space, b: Space) -> bool {
        self.dialect.generic_space()
            && (a == Space::Private || b == Space::Private)
            && a != Space::Constant
            && b != Space::Constant
    }

    fn joined_type(&mut self, a: QualifiedType, b: QualifiedType, space: Space) -> QualifiedType {
        let pointee = if b.id == TypeId::VOID { b } else { a };
        let (a, b) = (self.arena.types.quals(a), self.arena.types.quals(b));
        let pointee = self.arena.types.requalified(pointee, |_| Qualifiers {
            is_const: a.is_const || b.is_const,
            is_volatile: a.is_volatile || b.is_volatile,
            is_restrict: false,
            space: Some(space),
        });
        self.arena.types.pointer(pointee).plain()
    }

    /// Judges `left, right`.
    pub(super) fn comma(&mut self, left: &Operand, right: Operand) -> Operand {
        self.list_access(left, AccessKind::Read);
        let right = self.rvalue(right);
        let constness = match left.constness {
            Constness::Variable => Constness::Variable,
            _ => right.constness,
        };
        // A constant expression holds no comma, so this is not a null pointer constant.
        let trait_ = match right.trait_ {
            Trait::NullPointer => Trait::Nothing,
            other => other,
        };
        Operand { constness, trait_, ..right.at(left.span.to(right.span)) }
    }

    /// Returns the value of `sizeof`, `_Alignof` or `vec_step` for a type.
    pub(super) fn size_value(&mut self, is_sizeof: bool, ty: TypeId, span: Span) -> Operand {
        if self.is_incomplete_record(ty.plain()) {
            let message = format!("`{}` is incomplete: it has no size", self.spelled(ty.plain()));
            self.mistake(Rule::CIncompleteType, span, message);
        }
        let size = if is_sizeof { self.arena.types.size_of(ty) } else { None };
        let size = size.and_then(|size| i64::try_from(size).ok());
        let constness = size.map_or(Constness::Arithmetic, Constness::Integer);
        Operand::constant(TypeId::scalar(Scalar::Size), constness, span)
    }

    /// Judges unary `+`, `-`, `~` and `!`.
    pub(crate) fn sign(&mut self, operator: Punct, operand: Operand, span: Span) -> Operand {
        let operand = self.rvalue(operand);
        if !self.takes_operand(operator, &operand, span) {
            return Operand::error(span);
        }
        let constness = match (operator, operand.constness) {
            (Punct::Minus, Constness::Integer(value)) => Constness::Integer(value.wrapping_neg()),
            (Punct::Tilde, Constness::Integer(value)) => Constness::Integer(!value),
            (Punct::Bang, Constness::Integer(value)) => Constness::Integer(i64::from(value == 0)),
            (Punct::Minus, Constness::Folded(value)) => Constness::Folded(value.wrapping_neg()),
            (_, Constness::Folded(_)) => Constness::Variable,
            (_, Constness::Floating(_)) => Constness::Arithmetic,
            (_, other) => other,
        };
        let ty = match (operator, self.arena.types.of(operand.ty)) {
            (_, Type::Error) => QualifiedType::ERROR,
            (Punct::Bang, Type::Vector { element, width }) => {
                self.arena.types.vector(element.comparison(), width).plain()
            }
            (Punct::Bang, _) => QualifiedType::INT,
            (_, Type::Scalar(scalar)) => TypeId::scalar(promoted(scalar)).plain(),
            _ => operand.ty.id.plain(),
        };
        Operand { constness, ..Operand::value(ty, span) }
    }

    /// Judges `++` and `--`, before or after.
    pub(crate) fn step(&mut self, operand: &Operand, span: Span) -> Operand {
        self.write(operand);
        self.list_access(operand, AccessKind::Read);
        let origin = operand.origin;
        Operand { origin, ..Operand::value(operand.ty.id.plain(), span) }
    }

    /// Judges `left = right`.
    pub(crate) fn assign(&mut self, left: &Operand, right: Operand) -> Operand {
        let span = left.span.to(right.span);
        self.write(left);
        let variable = left.origin.filter(|_| left.category == Category::Variable);
        self.convert(right, left.ty, Purpose::Assign(variable));
        Operand::value(left.ty.id.plain(), span)
    }

    /// Judges `left operator= right`.
    pub(crate) fn assign_compound(
        &mut self,
        left: &Operand,
        operator: Punct,
        right: Operand,
    ) -> Operand {
        let span = left.span.to(right.span);
        self.write(left);
        self.list_access(left, AccessKind::Read);
        let right = self.rvalue(right);
        let pointers = (self.arena.types.pointee(left.ty), self.arena.types.pointee(right.ty));
        if let (Punct::Minus, (Some(a), Some(b))) = (operator, pointers) {
            let left_value = Operand { trait_: Trait::Nothing, ..*left };
            self.judge_meeting(&left_value, &right, (a, b), Meeting::Subtract, span);
        }
        self.judge_compound_operands(left, operator, &right, span);
        Operand { origin: left.origin, ..Operand::value(left.ty.id.plain(), span) }
    }

    /// Judges a write to the object that `target` designates.
    fn write(&mut self, target: &Operand) {
        self.list_access(target, AccessKind::Write);
        let quals = self.arena.types.quals(target.ty);
        let (rule, message) = match self.arena.types.of(target.ty) {
            Type::Error => return,
            Type::Image { .. } => (Rule::TypeImageAccess, "an image cannot be modified"),
            Type::Opaque(Opaque::Sampler) => (Rule::TypeSamplerUse, "a sampler cannot be modified"),
            Type::Pipe(_) => (Rule::TypePipeUse, "a pipe cannot be modified"),
            Type::Block(_) => {
                (Rule::BlockInitializer, "a block variable cannot be assigned to again")
            }
            _ if quals.space == Some(Space::Constant) && target.is_lvalue() => {
                (Rule::ConstantWrite, "nothing in `constant` can be written")
            }
            _ if target.trait_ == Trait::Captured => (
                Rule::BlockCaptureWrite,
                "a captured variable is a const copy inside the block and cannot be written",
            ),
            _ if quals.is_const && target.is_lvalue() => {
                (Rule::QualifierConstWrite, "a const object cannot be written")
            }
            _ if !self.extensions.half_arithmetic && self.is_half(target.ty) => {
                self.report_half(target.span);
                return;
            }
            _ if self.is_unsupported_store(target) => {
                (Rule::TypeByteStore, "OpenCL C 1.0 cannot store objects smaller than 32 bits")
            }
            // [vector-literals] leaves it to the implementation whether a literal is an object.
            _ if target.trait_ == Trait::VectorLiteral => return,
            Type::Array { .. } | Type::Function(_) => {
                (Rule::CAssignable, "an array or a function cannot be written as a whole")
            }
            _ if !target.is_lvalue() => (Rule::CAssignable, "only an object can be written"),
            _ => return,
        };
        if rule == Rule::CAssignable {
            return self.mistake(rule, target.span, message);
        }
        let labels = self.origins([target]);
        let finding = Finding::new(rule, target.span, message).labels(labels);
        let finding = match rule {
            Rule::ConstantWrite => self.with_remedy_for_constant(target, finding),
            _ => finding,
        };
        self.report(finding);
    }

    /// Adds advice on a write to `constant`, or the change that mends it.
    fn with_remedy_for_constant(&self, target: &Operand, finding: Finding) -> Finding {
        let Some(object) = target.origin.map(|id| *self.object(id)) else { return finding };
        if object.role == Role::ProgramScope {
            return finding.help(
                "a kernel can write to a copy of the value in a variable of its own, or to a buffer, which it takes as \
                 `global int *`",
            );
        }
        let body = self.body.filter(|body| object.role == Role::Parameter && body.is_kernel);
        // The host passes the same buffer for both.
        finding.mend(body.and_then(|_| object.places.pointee.redirected(Space::Global)))
    }

    fn is_unsupported_store(&self, target: &Operand) -> bool {
        if self.extensions.byte_stores || target.category == Category::Variable {
            return false;
        }
        match self.arena.types.of(target.ty) {
            Type::Scalar(scalar) => scalar != Scalar::Bool && scalar.size() < 4,
            Type::Vector { element, width } => element.size() == 1 && width == 2,
            _ => false,
        }
    }
}

/// Reason why pointers whose inner pointers point into different spaces may be compared and subtracted.
const NO_CONVERSION: &str = "for nested pointers implicit conversions between address spaces are \
     disallowed, in operations too; but these operators convert neither operand, and for pointers \
     to types that are not compatible C99 only requires a diagnostic";

/// An operator on two pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
    Compare,
    Subtract,
    Join,
}

impl Meeting {
    const fn verb(self) -> &'static str {
        match self {
            Self::Compare => "compared",
            Self::Subtract => "subtracted",
            Self::Join => "joined by ?:",
        }
    }

    const fn rule(self) -> Rule {
        match self {
            Self::Compare => Rule::ExpressionCompare,
            Self::Subtract => Rule::ExpressionSubtract,
            Self::Join => Rule::ExpressionConditional,
        }
    }
}

/// Returns the type after the integer promotions.
pub(super) fn promoted(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool | Scalar::Char | Scalar::UChar | Scalar::Short | Scalar::UShort => Scalar::Int,
        other => other,
    }
}

/// Returns the type of two scalars after the usual arithmetic conversions.
fn usual(a: Scalar, b: Scalar) -> Scalar {
    let plain = |scalar| match promoted(scalar) {
        Scalar::Size | Scalar::UIntPtr => Scalar::ULong,
        Scalar::PtrDiff | Scalar::IntPtr => Scalar::Long,
        other => other,
    };
    // The order of the variants is the order of conversion ranks.
    plain(a).max(plain(b))
}
