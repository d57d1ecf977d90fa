//! Conversions between pointers, implicit and explicit, as `[addr-spaces-conversions]` allows them.

use crate::{
    access::AccessKind,
    fix::{Mend, SpaceSite},
    rule::Rule,
    sema::{
        analyser::Analyser,
        constants::wrapped,
        operand::{Category, Constness, Operand, Trait},
        report::{Finding, WITH_GENERIC, inferred},
        scopes::{ObjectId, Role},
    },
    space::Space,
    span::Span,
    types::{Agreement, Parameter, QualifiedType, Scalar, SignatureId, Type, TypeId},
};

/// The purpose of a conversion.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// The variable of that name, or a part of an object.
    Initialize(Option<ObjectId>),
    /// A variable, or another object.
    Assign(Option<ObjectId>),
    Return,
    Pass(Parameter),
}

impl Purpose {
    const fn verb(self) -> &'static str {
        match self {
            Self::Initialize(_) => "initialize",
            Self::Assign(_) => "be assigned to",
            Self::Return => "be returned as",
            Self::Pass(_) => "be passed as",
        }
    }

    /// Returns a phrase for the target.
    const fn target(self) -> &'static str {
        match self {
            Self::Initialize(_) | Self::Assign(_) => "the variable",
            Self::Return => "the result",
            Self::Pass(_) => "the parameter",
        }
    }
}

/// Returns both notes as one.
fn joined(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    }
}

/// Whether a value of one type becomes another in an assignment: C99 6.5.16.1, `[implicit-conversions]`. Other rules
/// judge pointers and opaque types.
fn converts(to: Type, from: Type) -> bool {
    match (to, from) {
        (
            Type::Vector { element: to, width: to_width },
            Type::Vector { element: from, width: from_width },
        ) => to_width == from_width && to.underlying() == from.underlying(),
        (Type::Record(to), Type::Record(from)) => to == from,
        (Type::Image { kind: to, .. }, Type::Image { kind: from, .. }) => to == from,
        // GNU C initializes an array by a compound literal, which became a pointer.
        (Type::Array { .. } | Type::Scalar(Scalar::Bool), Type::Pointer(_)) => true,
        (Type::Scalar(_), from) => {
            !matches!(from, Type::Vector { .. } | Type::Pointer(_) | Type::Record(_) | Type::Void)
        }
        (Type::Vector { .. }, from) => {
            !matches!(from, Type::Pointer(_) | Type::Record(_) | Type::Void)
        }
        (Type::Pointer(_), Type::Scalar(from)) => !from.is_float(),
        (Type::Pointer(_), from) => {
            !matches!(from, Type::Vector { .. } | Type::Record(_) | Type::Void)
        }
        (Type::Record(_), from) => {
            !matches!(from, Type::Scalar(_) | Type::Vector { .. } | Type::Pointer(_) | Type::Void)
        }
        (Type::Array { .. }, from) => {
            !matches!(from, Type::Scalar(_) | Type::Vector { .. } | Type::Record(_))
        }
        _ => true,
    }
}

impl Analyser<'_> {
    pub(crate) fn convert_returned(&mut self, value: &Operand, result: QualifiedType) {
        self.convert(*value, result, Purpose::Return);
    }

    pub(crate) fn convert_initializer(
        &mut self,
        value: Operand,
        ty: QualifiedType,
        variable: Option<ObjectId>,
    ) -> Operand {
        self.convert(value, ty, Purpose::Initialize(variable))
    }

    /// Converts `value` implicitly to the unqualified `target`.
    pub(crate) fn convert(
        &mut self,
        value: Operand,
        target: QualifiedType,
        purpose: Purpose,
    ) -> Operand {
        let value = self.rvalue(value);
        match (self.arena.types.of(target), self.arena.types.of(value.ty)) {
            (Type::Pointer(to), Type::Pointer(from)) => {
                self.judge_conversion(&value, to, from, target, purpose);
            }
            (Type::Block(to), Type::Block(from)) => self.judge_block(&value, to, from, purpose),
            (Type::Pointer(_), Type::Scalar(scalar))
                if !scalar.is_float() && value.integer() != Some(0) && !value.is_error() =>
            {
                self.integer_conversion(&value, scalar);
            }
            (Type::Scalar(scalar), Type::Pointer(_))
                if !scalar.is_float() && scalar != Scalar::Bool =>
            {
                let message = format!("a pointer becomes a `{}` without a cast", scalar.name());
                self.warn(value.span, message);
            }
            (to, from) => {
                if !converts(to, from) {
                    let message = format!(
                        "`{}` does not convert to `{}`",
                        self.spelled(value.ty),
                        self.spelled(target)
                    );
                    self.mistake(Rule::CAssignment, value.span, message);
                }
            }
        }
        Operand { ty: target.id.plain(), category: Category::Value, ..value }
    }

    fn integer_conversion(&mut self, value: &Operand, scalar: Scalar) {
        let message = format!("a `{}` becomes a pointer without a cast", scalar.name());
        if self.dialect.generic_space() && value.integer().is_some() {
            self.disputed(
                None,
                value.span,
                message,
                "C99 6.5.16.1 requires a cast; an example of clause 6.5.9 in \
                 [addr-spaces-conversions] initializes pointers by such a constant",
            );
        } else {
            self.warn(value.span, message);
        }
    }

    fn judge_conversion(
        &mut self,
        value: &Operand,
        to: QualifiedType,
        from: QualifiedType,
        target: QualifiedType,
        purpose: Purpose,
    ) {
        if value.trait_ == Trait::NullPointer {
            return;
        }
        let (to_space, from_space) = (self.space_of(to), self.space_of(from));
        if from_space == Space::Unstated && to_space != Space::Local {
            self.disputed(
                None,
                value.span,
                "the address space of this object is not stated",
                "[addr-spaces-inference] infers constant only for string literals; C99 makes this \
                 object static, which would put it into global where variables may be in global",
            );
        }
        if !to_space.encloses(from_space) {
            self.implicit_conversion(value, target, to_space, from_space, purpose);
        } else if !self.arena.types.nested_spaces_agree(to, from) {
            let message = format!(
                "`{}` cannot {} `{}`: below the outermost pointer their address spaces differ",
                self.spelled(value.ty),
                purpose.verb(),
                self.spelled(target)
            );
            let finding = Finding::new(Rule::ConversionNested, value.span, message);
            let labels = self.origins([value]);
            self.report(
                finding
                    .labels(labels)
                    .help("only an explicit cast changes the spaces of nested pointers"),
            );
        } else if self.are_incompatible(to, from) {
            let message = format!(
                "`{}` and `{}` point to incompatible types",
                self.spelled(value.ty),
                self.spelled(target)
            );
            self.warn(value.span, message);
        }
    }

    /// Whether two pointees differ by more than their spaces.
    fn are_incompatible(&self, to: QualifiedType, from: QualifiedType) -> bool {
        to.id != from.id
            && to.id != TypeId::VOID
            && from.id != TypeId::VOID
            && self.arena.types.unqualified_agreement(to.id, from.id) == Agreement::Different
    }

    fn implicit_conversion(
        &mut self,
        value: &Operand,
        target: QualifiedType,
        to: Space,
        from: Space,
        purpose: Purpose,
    ) {
        if self.disabled.contains(Rule::ConversionImplicit) && value.trait_ != Trait::DisputedJoin {
            return;
        }
        let (rule, what) = match value.trait_ {
            Trait::DisputedJoin => (Rule::ExpressionConditional, "this choice between two spaces"),
            Trait::StringLiteral => (Rule::ConversionImplicit, "a string literal"),
            _ => (Rule::ConversionImplicit, "a pointer"),
        };
        let what = match value.trait_ {
            Trait::StringLiteral => format!("{what}, stored in `constant`,"),
            _ => format!("{what} to `{}`", from.name()),
        };
        let message = format!(
            "{what} cannot {} a pointer to `{}` (`{}`)",
            purpose.verb(),
            to.name(),
            self.spelled(target)
        );
        let labels = self.origins([value]);
        let mut finding = Finding::new(rule, value.span, message).labels(labels);
        if let Purpose::Pass(parameter) = purpose {
            finding =
                finding.label(parameter.span, format!("the parameter points to `{}`", to.name()));
        }
        if to.overlaps(from) {
            finding = finding.help(format!(
                "cast explicitly where the object is known to be in `{}`",
                to.name()
            ));
        }
        let generic_helps = to == Space::Private
            && !self.dialect.generic_space()
            && matches!(from, Space::Global | Space::Local);
        let note =
            generic_helps.then(|| format!("accepted for an unqualified pointer in {WITH_GENERIC}"));
        let site = self.pointee_site(purpose);
        let note = joined(inferred(purpose.target(), to, site.missing()), note);
        let target = self.target_mend(value, purpose, from).filter(|_| from.is_named());
        let origin = value.origin.map(|id| self.object(id).places.pointee);
        let source = origin.filter(|_| to.is_named()).and_then(|site| site.qualified(to));
        self.report(finding.maybe_note(note).mend(target).mend(source));
    }

    /// Returns the place of the space that the conversion's target points into.
    fn pointee_site(&self, purpose: Purpose) -> SpaceSite {
        let of_variable = |id| self.object(id).places.pointee;
        match purpose {
            Purpose::Initialize(variable) | Purpose::Assign(variable) => {
                variable.map(of_variable).unwrap_or_default()
            }
            Purpose::Return => self.body.map(|body| body.result_pointee).unwrap_or_default(),
            Purpose::Pass(parameter) => parameter.pointee,
        }
    }

    /// Returns the change that makes the target of a conversion point into the space `from`, into which `value` points.
    fn target_mend(&self, value: &Operand, purpose: Purpose, from: Space) -> Option<Mend> {
        let site = self.pointee_site(purpose);
        if self.is_doubtful(value, from) || self.is_assigned_parameter(purpose) {
            return site.qualified(from);
        }
        site.redirected(from)
    }

    /// Whether the space of a value may be the mistake, rather than the space that is written for its target.
    fn is_doubtful(&self, value: &Operand, from: Space) -> bool {
        match value.origin {
            _ if value.trait_ == Trait::DisputedJoin => true,
            Some(id) if self.is_space_inferred(self.object(id)) => true,
            Some(id) if self.arena.types.pointee(self.object(id).ty).is_some() => {
                from == Space::Private && self.object(id).places.pointee.written().is_none()
            }
            Some(_) => false,
            None => from == Space::Private,
        }
    }

    /// Whether a parameter is assigned to: its own space is what calls pass.
    fn is_assigned_parameter(&self, purpose: Purpose) -> bool {
        matches!(purpose, Purpose::Assign(Some(id)) if self.object(id).role == Role::Parameter)
    }

    fn judge_block(
        &mut self,
        value: &Operand,
        to: SignatureId,
        from: SignatureId,
        purpose: Purpose,
    ) {
        if self.arena.types.signature_agreement(to, from) != Agreement::SpacesDiffer {
            return;
        }
        let message = format!(
            "this block cannot {} a block whose parameters or result are in other address spaces",
            purpose.verb()
        );
        self.broken(Rule::BlockTypeMismatch, value.span, message);
    }

    /// Judges `(ty)operand`. `pointee_place` is the place for the space that `ty` points into, if none is written.
    pub(crate) fn cast(
        &mut self,
        ty: QualifiedType,
        operand: Operand,
        span: Span,
        pointee_place: Option<u32>,
    ) -> Operand {
        if matches!(self.arena.types.of(ty), Type::Void) {
            self.list_access(&operand, AccessKind::Read);
            return Operand::value(QualifiedType::VOID, span);
        }
        let operand = self.rvalue(operand);
        if let Some(space) = self.written_space(ty) {
            self.without_effect(space, span);
        }
        let result = Operand::value(ty.id.plain(), span);
        let types = (self.arena.types.of(ty), self.arena.types.of(operand.ty));
        if !self.casts(types.0, types.1) {
            let message =
                format!("`{}` cannot be cast to `{}`", self.spelled(operand.ty), self.spelled(ty));
            self.mistake(Rule::CCast, span, message);
            return Operand::error(span);
        }
        match types {
            (Type::Error, _) => Operand::error(span),
            (Type::Pointer(to), Type::Pointer(from)) => {
                self.judge_cast(&operand, to, from, span, pointee_place);
                let constness = operand.constness;
                Operand { constness, origin: self.cast_origin(to, &operand), ..result }
            }
            (Type::Pointer(to), _) => {
                let is_null = operand.integer() == Some(0) && self.is_plain_void(to);
                let trait_ = if is_null { Trait::NullPointer } else { Trait::Nothing };
                let constness = if operand.is_constant() {
                    Constness::IntegerAddress
                } else {
                    Constness::Variable
                };
                Operand { constness, trait_, ..result }
            }
            (Type::Scalar(scalar), _) => {
                let constness = match operand.constness {
                    // C99 6.6: a floating constant may be the immediate operand of a cast.
                    Constness::Integer(value) | Constness::Floating(value)
                        if !scalar.is_float() =>
                    {
                        Constness::Integer(wrapped(value, scalar))
                    }
                    Constness::Folded(value) if !scalar.is_float() => {
                        Constness::Folded(wrapped(value, scalar))
                    }
                    Constness::Variable | Constness::Folded(_) => Constness::Variable,
                    _ => Constness::Arithmetic,
                };
                self.without_half(Operand { constness, ..result })
            }
            (Type::Vector { .. }, _) => {
                let result = Operand { constness: operand.constness, ..result };
                self.without_half(result)
            }
            _ => Operand { constness: operand.constness, ..result },
        }
    }

    /// Whether a cast takes one type to the other: C99 6.5.4, `[explicit-casts]`. Other rules judge address spaces.
    fn casts(&self, to: Type, from: Type) -> bool {
        match (to, from) {
            (Type::Vector { .. }, Type::Vector { .. }) => converts(to, from),
            (Type::Scalar(to), Type::Pointer(_)) => !to.is_float(),
            (Type::Pointer(_), Type::Scalar(from)) => !from.is_float(),
            (Type::Scalar(_) | Type::Pointer(_), Type::Vector { .. })
            | (Type::Vector { .. }, Type::Pointer(_))
            | (
                Type::Scalar(_) | Type::Vector { .. } | Type::Pointer(_),
                Type::Record(_) | Type::Void,
            )
            | (Type::Array { .. }, _) => false,
            // GNU C casts a structure to its own type, and the type of a member to its union.
            (Type::Record(to), Type::Record(from)) if to == from => true,
            (Type::Record(to), from) => from == Type::Error || self.arena.types.record(to).is_union,
            _ => true,
        }
    }

    /// Reports a space that qualifies no object.
    pub(crate) fn without_effect(&mut self, space: Space, span: Span) {
        self.disputed(
            None,
            span,
            format!("`{}` has no effect here: no object is declared", space.name()),
            "no text forbids it, and no text gives it a meaning; C99 6.7.3 lets qualifiers of a value have none",
        );
    }

    /// Returns the variable that a cast's result comes from: the operand's, if both point into the same space.
    fn cast_origin(&self, to: QualifiedType, operand: &Operand) -> Option<ObjectId> {
        let from = self.arena.types.pointee(operand.ty)?;
        operand.origin.filter(|_| self.space_of(to) == self.space_of(from))
    }

    fn is_plain_void(&self, pointee: QualifiedType) -> bool {
        pointee.id == TypeId::VOID
            && !pointee.quals.is_const
            && !pointee.quals.is_volatile
            && pointee.quals.space == Some(Space::default_pointee(self.dialect))
    }

    fn judge_cast(
        &mut self,
        operand: &Operand,
        to: QualifiedType,
        from: QualifiedType,
        span: Span,
        pointee_place: Option<u32>,
    ) {
        let (to, from) = (self.space_of(to), self.space_of(from));
        if to.overlaps(from) {
            return;
        }
        if operand.trait_ == Trait::NullPointer {
            self.disputed(
                Rule::ConversionCast,
                span,
                format!("a null pointer constant is cast to a pointer to `{}`", to.name()),
                "C99 6.3.2.3 converts a null pointer constant to any pointer type; if only its \
                 type `void *` counts, [addr-spaces-conversions] forbids the cast",
            );
            return;
        }
        let message = format!(
            "a pointer to `{}` cannot be cast to a pointer to `{}`: the spaces do not overlap",
            from.name(),
            to.name()
        );
        let labels = self.origins([operand]);
        let generic_helps = to == Space::Private
            && !self.dialect.generic_space()
            && matches!(from, Space::Global | Space::Local);
        let note =
            generic_helps.then(|| format!("accepted for an unqualified pointer in {WITH_GENERIC}"));
        let note = joined(inferred("the cast's type", to, pointee_place), note);
        let place = pointee_place.filter(|_| from.is_named());
        let mend = place.map(|place| Mend::Qualify { place, space: from });
        self.report(
            Finding::new(Rule::ConversionCast, span, message)
                .labels(labels)
                .maybe_note(note)
                .mend(mend),
        );
    }

    /// Returns the space of a pointer's target.
    pub(crate) fn space_of(&self, pointee: QualifiedType) -> Space {
        self.arena.types.space(pointee).unwrap_or(Space::default_pointee(self.dialect))
    }
}
