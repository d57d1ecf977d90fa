//! Types with restricted uses: images, samplers, events, pipes, blocks, half.

use crate::{
    fix::Mend,
    rule::Rule,
    sema::{analyser::Analyser, report::Finding},
    space::Space,
    span::Span,
    types::{Length, Opaque, QualifiedType, Qualifiers, Type},
};

impl Analyser<'_> {
    /// Returns the type of pointers to `pointee`. Reports that there are none.
    pub(crate) fn pointer_type(&mut self, pointee: QualifiedType, span: Span) -> QualifiedType {
        let (rule, message) = match self.arena.types.of(pointee) {
            Type::Error => return QualifiedType::ERROR,
            Type::Function(_) => {
                (Rule::TypeFunctionPointer, "pointers to functions are not allowed")
            }
            Type::Block(_) => (Rule::TypeBlockPointer, "pointers to blocks are not allowed"),
            Type::Image { .. } => (Rule::TypeImageUse, "pointers to images are not allowed"),
            Type::Pipe(_) => (Rule::TypePipeUse, "pointers to pipes are not allowed"),
            Type::Opaque(Opaque::Sampler) => {
                (Rule::TypeSamplerUse, "pointers to samplers are not allowed")
            }
            _ => return self.arena.types.pointer(pointee).plain(),
        };
        self.broken(rule, span, message);
        QualifiedType::ERROR
    }

    /// Returns the type of arrays of `element`. Reports that there are none.
    pub(crate) fn array_type(
        &mut self,
        element: QualifiedType,
        length: Length,
        span: Span,
    ) -> QualifiedType {
        let (rule, message) = match self.arena.types.of(element) {
            Type::Error => return QualifiedType::ERROR,
            Type::Block(_) => (Rule::TypeBlockPointer, "arrays of blocks are not allowed"),
            Type::Image { .. } => (Rule::TypeImageUse, "arrays of images are not allowed"),
            Type::Pipe(_) => (Rule::TypePipeUse, "arrays of pipes are not allowed"),
            Type::Opaque(Opaque::Sampler) => {
                (Rule::TypeSamplerUse, "arrays of samplers are not allowed")
            }
            Type::Function(_) => {
                self.mistake(Rule::CIncompleteType, span, "an array cannot be made of functions");
                return QualifiedType::ERROR;
            }
            Type::Void | Type::Record(_) if self.is_incomplete(element) => {
                self.report_incomplete(element, span);
                return QualifiedType::ERROR;
            }
            _ => return self.arena.types.array(element, length).plain(),
        };
        self.broken(rule, span, message);
        QualifiedType::ERROR
    }

    /// Judges the result type of a function: `[address-space-qualifiers]` allows no space on the value itself.
    pub(crate) fn result_type(&mut self, result: QualifiedType, space_span: Span) -> QualifiedType {
        let (rule, message) = match self.arena.types.of(result) {
            Type::Image { .. } => (Rule::TypeImageUse, "a function cannot return an image"),
            Type::Pipe(_) => (Rule::TypePipeUse, "a function cannot return a pipe"),
            Type::Opaque(Opaque::Sampler) => {
                (Rule::TypeSamplerUse, "a function cannot return a sampler")
            }
            _ => {
                if let Some(space) = self.written_space(result) {
                    self.report(
                        Finding::new(
                            Rule::ReturnQualified,
                            space_span,
                            format!("a returned value cannot be in `{}`", space.name()),
                        )
                        .help("only what a returned pointer points to can be qualified")
                        .mend(Mend::Remove(space_span)),
                    );
                } else if !self.extensions.half_arithmetic && self.is_half(result) {
                    self.report_half(space_span);
                }
                return self.without_space(result);
            }
        };
        self.broken(rule, space_span, message);
        QualifiedType::ERROR
    }

    /// Judges the type of a member.
    pub(crate) fn member_type(
        &mut self,
        ty: QualifiedType,
        space_span: Span,
        span: Span,
    ) -> QualifiedType {
        let (rule, message) = match self.arena.types.of(self.arena.types.innermost(ty)) {
            Type::Image { .. } => (Rule::TypeImageUse, "an image cannot be a member"),
            Type::Pipe(_) => (Rule::TypePipeUse, "a pipe cannot be a member"),
            Type::Opaque(Opaque::Sampler) => (Rule::TypeSamplerUse, "a sampler cannot be a member"),
            Type::Opaque(Opaque::Event) => (Rule::TypeEventUse, "an event cannot be a member"),
            _ => {
                self.member_space_and_size(ty, space_span, span);
                return self.without_space(ty);
            }
        };
        self.broken(rule, span, message);
        QualifiedType::ERROR
    }

    fn member_space_and_size(&mut self, ty: QualifiedType, space_span: Span, span: Span) {
        if let Some(space) = self.written_space(ty) {
            self.report(
                Finding::new(
                    Rule::MemberQualified,
                    space_span,
                    format!("a member cannot be in `{}`", space.name()),
                )
                .help("a member is in the space of the object it is a part of")
                .mend(Mend::Remove(space_span)),
            );
        } else if let Some(message) = self.unsupported_size(ty) {
            self.broken(Rule::DeclarationArraySize, span, message);
        } else if !self.extensions.half_arithmetic && self.is_half(self.arena.types.innermost(ty)) {
            self.report_half(span);
        }
    }

    /// Returns the mistake in an array's size, where a size is needed.
    pub(crate) fn unsupported_size(&self, ty: QualifiedType) -> Option<&'static str> {
        let mut ty = ty;
        while let Type::Array { element, length } = self.arena.types.of(ty) {
            match length {
                Length::Variable => return Some("arrays of variable length are not supported"),
                Length::Unsized => return Some("arrays without a size are not supported here"),
                Length::Known(_) | Length::Opaque => {}
            }
            ty = element;
        }
        None
    }

    /// Judges the type of a typedef.
    pub(crate) fn typedef_type(
        &mut self,
        ty: QualifiedType,
        span: Span,
        space_span: Span,
    ) -> QualifiedType {
        let space = self.written_space(ty);
        let (rule, message) = match (self.arena.types.of(ty), space) {
            (Type::Image { .. }, Some(Space::Private)) => {
                self.disputed(
                    Rule::TypeImageQualified,
                    space_span,
                    "an image type is qualified by `private`",
                    "[restrictions] allows no address space with an image type; \
                     [addr-spaces-inference] puts every parameter into private",
                );
                return self.without_space(ty);
            }
            (Type::Image { .. }, Some(_)) => {
                (Rule::TypeImageQualified, "an image type cannot be qualified by an address space")
            }
            (Type::Function(_), Some(_)) => (
                Rule::QualifierFunctionType,
                "a function type cannot be qualified by an address space",
            ),
            (Type::Array { .. }, _)
                if self.unsupported_size(ty)
                    == Some("arrays of variable length are not supported") =>
            {
                self.broken(
                    Rule::DeclarationArraySize,
                    span,
                    "arrays of variable length are not supported",
                );
                // Uses of the name must not be reported again.
                return QualifiedType::ERROR;
            }
            _ => return ty,
        };
        self.superfluous(rule, space_span, message);
        self.without_space(ty)
    }

    /// Returns the space that is written for the object itself; a vendor's space is not judged.
    pub(crate) fn written_space(&self, ty: QualifiedType) -> Option<Space> {
        self.arena.types.space(ty).filter(|&space| !space.is_unknown())
    }

    pub(crate) fn without_space(&mut self, ty: QualifiedType) -> QualifiedType {
        self.arena.types.requalified(ty, |quals| Qualifiers { space: None, ..quals })
    }
}
