//! Declarations at program scope and in functions, and function definitions.

use crate::{
    parse::{
        attributes::Attributes,
        declarators::Declarator,
        specifiers::{DeclaratorContext, Specifiers, Storage},
    },
    sema::analyser::{Analyser, Parsed},
    sema::{objects::Declared, scopes::Binding},
    span::Span,
    symbol::Symbol,
    token::{Keyword, Punct, TokenKind},
    types::{Qualified, SignatureId, Type},
};

impl Analyser<'_> {
    /// The whole program.
    pub(crate) fn translation_unit(&mut self) -> Parsed<()> {
        loop {
            match self.current.kind {
                TokenKind::End => return Ok(()),
                TokenKind::Punct(Punct::Semi) => {
                    self.bump();
                }
                TokenKind::Keyword(Keyword::Asm) => {
                    self.attributes(&mut Attributes::default())?;
                }
                _ => self.recovering_at_program_scope()?,
            }
        }
    }

    /// A declaration, or a function definition where one may stand.
    pub(crate) fn declaration(&mut self) -> Parsed<()> {
        if self.is_keyword(Keyword::StaticAssert) {
            return self.static_assertion();
        }
        let start = self.at;
        let mut specifiers = self.specifiers(DeclaratorContext::Declaration)?;
        if self.eat(Punct::Semi) {
            if let Some(space) = self.written_space(specifiers.ty) {
                self.without_effect(space, specifiers.space_span);
            }
            return Ok(());
        }
        if specifiers.has_tag
            && matches!(self.current.kind, TokenKind::Keyword(_))
            && self.space_word().is_none()
        {
            return self.end_of_item("after a declaration");
        }
        let mut is_first = true;
        loop {
            let declarator = self.declarator(specifiers.base(), DeclaratorContext::Declaration)?;
            self.attributes(&mut specifiers.attributes)?;
            if is_first && declarator.is_function && self.is_definition() {
                return self.function_definition(&specifiers, &declarator);
            }
            if declarator.is_function {
                self.headless_function(&declarator, start)?;
            }
            self.init_declarator(&specifiers, declarator)?;
            is_first = false;
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.end_of_item("after a declaration")
    }

    fn is_definition(&self) -> bool {
        self.is(Punct::LBrace) && self.body.is_none()
    }

    fn init_declarator(&mut self, specifiers: &Specifiers, declarator: Declarator) -> Parsed<()> {
        let mut ty = declarator.ty;
        if let Some(width) = specifiers.attributes.vector_width
            && !matches!(self.arena.types.of(ty), Type::Vector { .. })
        {
            ty = self.widened(ty, width);
        }
        if let Some((Storage::Typedef, _)) = specifiers.storage {
            self.declare_typedef(declarator.name, ty, declarator.span, declarator.space_span);
            return Ok(());
        }
        if let Type::Function(signature) = self.arena.types.of(ty) {
            self.declare_function(specifiers, &declarator, signature, ty);
            return Ok(());
        }
        self.endian_attribute(&specifiers.attributes, ty);
        let has_initializer = self.is(Punct::Eq);
        let declared = Declared {
            name: declarator.name,
            span: declarator.span,
            ty,
            space_span: declarator.space_span,
            places: declarator.places,
            storage: specifiers.storage,
            has_initializer,
            start: specifiers.span.start,
        };
        let variable = self.declare_variable(&declared);
        if has_initializer {
            self.bump();
            let initialized = self.variable_initializer(&variable)?;
            self.finish_variable(&declared, &variable, Some(initialized));
        } else {
            self.finish_variable(&declared, &variable, None);
        }
        Ok(())
    }

    fn function_definition(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
    ) -> Parsed<()> {
        let Type::Function(signature) = self.arena.types.of(declarator.ty) else {
            return self.unexpected("`;` after a declaration");
        };
        let is_kernel = self.declare_function(specifiers, declarator, signature, declarator.ty);
        self.enter_scope();
        let count = self.parameter_count(signature);
        for index in 0..count {
            self.enter_parameter(signature, index);
        }
        let result = self.arena.types.signature(signature).result;
        self.enter_body(result, declarator.places.pointee, is_kernel);
        self.body_statements()?;
        self.body = None;
        self.leave_scope();
        Ok(())
    }

    fn parameter_count(&self, signature: SignatureId) -> u32 {
        let signature = self.arena.types.signature(signature);
        self.arena.types.parameters(&signature).len() as u32
    }

    /// Declare a parameter in the scope of the body.
    pub(crate) fn enter_parameter(&mut self, signature: SignatureId, index: u32) {
        let signature = self.arena.types.signature(signature);
        if let Some(parameter) = self.arena.types.parameter(&signature, index)
            && let Some(name) = parameter.name
        {
            self.declare_parameter(name, parameter.ty, parameter.span, parameter.pointee_place);
        }
    }

    fn declare_typedef(
        &mut self,
        name: Option<Symbol>,
        ty: Qualified,
        span: Span,
        space_span: Span,
    ) {
        let ty = self.typedef_type(ty, span, space_span);
        if let Some(name) = name {
            self.arena.names.declare(name, Binding::Typedef(ty));
        }
    }
}
