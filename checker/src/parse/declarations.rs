//! Declarations at program scope and in functions, and function definitions.

use crate::{
    parse::{
        ParseResult, Parser,
        actions::Actions,
        syntax::{Attributes, Declarator, DeclaratorContext, Specifiers},
    },
    token::{Keyword, Punct, TokenKind},
};

impl<A: Actions> Parser<'_, A> {
    /// Reads the whole program.
    pub(crate) fn translation_unit(&mut self) -> ParseResult<()> {
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

    /// Reads a declaration, or a function definition where one may stand.
    pub(crate) fn declaration(&mut self) -> ParseResult<()> {
        if self.is_keyword(Keyword::StaticAssert) {
            return self.static_assertion();
        }
        let start = self.at;
        let mut specifiers = self.specifiers(DeclaratorContext::Declaration)?;
        if self.eat(Punct::Semi) {
            self.actions.empty_declaration(&specifiers);
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
                self.function_without_body(&declarator, start)?;
            }
            self.init_declarator(&specifiers, &declarator)?;
            is_first = false;
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.end_of_item("after a declaration")
    }

    fn is_definition(&self) -> bool {
        self.is(Punct::LBrace) && !self.actions.is_in_body()
    }

    fn init_declarator(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
    ) -> ParseResult<()> {
        let has_initializer = self.is(Punct::Eq);
        let Some(variable) = self.actions.declare(specifiers, declarator, has_initializer) else {
            return Ok(());
        };
        if has_initializer {
            self.bump();
            let (ty, mut values) = self.actions.begin_initializer(&variable);
            self.initializer(ty, &mut values)?;
            self.actions.finish_variable(&variable, Some(&values));
        } else {
            self.actions.finish_variable(&variable, None);
        }
        Ok(())
    }

    fn function_definition(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
    ) -> ParseResult<()> {
        if !self.actions.begin_function(specifiers, declarator) {
            return self.unexpected("`;` after a declaration");
        }
        self.actions.open_body(self.current.span.end);
        self.body_statements()?;
        self.actions.end_function();
        Ok(())
    }
}
