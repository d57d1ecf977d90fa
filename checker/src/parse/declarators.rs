//! Declarators: the stars, brackets and parameter lists around a name.

use crate::{
    fix::Places,
    parse::{
        ParseResult, Parser,
        actions::Actions,
        cursor::space_of,
        syntax::{
            Attributes, Base, Brackets, Declarator, DeclaratorContext, Level, Storage, TypeName,
            WrittenDeclarator,
        },
    },
    span::Span,
    symbol::Symbol,
    token::{Keyword, Punct, TokenKind},
    types::{Length, Parameter, Qualifiers},
};

impl<A: Actions> Parser<'_, A> {
    /// Reads a declarator; in [`DeclaratorContext::Declaration`] it must have a name.
    pub(crate) fn declarator(
        &mut self,
        base: Base,
        context: DeclaratorContext,
    ) -> ParseResult<Declarator> {
        let start = self.stacks.levels.len();
        let first_parameter = self.stacks.parameters.len();
        let at = self.current.span;
        let name = self.declarator_levels(context)?;
        let whole = if self.previous.start >= at.start { at.to(self.previous) } else { at };
        let (name, span) = match name {
            Some((name, span)) => (name, span),
            None => (None, whole),
        };
        let written = WrittenDeclarator {
            name,
            span,
            levels: &self.stacks.levels[start..],
            parameters: &self.stacks.parameters,
            context,
        };
        let declarator = self.actions.declarator(base, &written);
        self.stacks.levels.truncate(start);
        self.stacks.parameters.truncate(first_parameter);
        if self.actions.is_type_too_deep() {
            return self.give_up_at(span, "this type is nested too deeply");
        }
        Ok(declarator)
    }

    /// Pushes the levels of one declarator, outermost first, and returns its name: `Some((None, _))` where a reserved
    /// word is in place of a name.
    fn declarator_levels(
        &mut self,
        context: DeclaratorContext,
    ) -> ParseResult<Option<(Option<Symbol>, Span)>> {
        self.enter()?;
        let pointers = self.pointer_levels(context)?;
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let name = match self.current.kind {
            TokenKind::Identifier => {
                let token = self.bump();
                Some((Some(token.symbol), token.span))
            }
            TokenKind::Punct(Punct::LParen) if self.is_nested_declarator(context) => {
                self.bump();
                self.attributes(&mut attributes)?;
                let name = self.declarator_levels(context)?;
                self.expect(Punct::RParen, "after a declarator")?;
                name
            }
            TokenKind::Keyword(_) if self.space_word().is_some() => {
                let token = self.reserved_name();
                Some((None, token.span))
            }
            _ if context == DeclaratorContext::Declaration => {
                return self.unexpected("a name to declare");
            }
            _ => None,
        };
        self.suffix_levels()?;
        // The pointers before the name apply after the suffixes after it, the nearest pointer first.
        self.stacks.levels.extend(pointers.into_iter().rev());
        self.leave();
        Ok(name)
    }

    fn pointer_levels(&mut self, context: DeclaratorContext) -> ParseResult<Vec<Level>> {
        let mut pointers = Vec::new();
        loop {
            let span = self.current.span;
            let is_block = match self.current.kind {
                TokenKind::Punct(Punct::Star) => false,
                TokenKind::Punct(Punct::Caret) => true,
                _ => return Ok(pointers),
            };
            if pointers.len() > 200 {
                return self.give_up_at(span, "this type is nested too deeply");
            }
            self.bump();
            let (quals, space_span) = self.pointer_qualifiers(context, span)?;
            pointers.push(if is_block {
                Level::Block { quals, span }
            } else {
                Level::Pointer { quals, span, space_span }
            });
        }
    }

    fn pointer_qualifiers(
        &mut self,
        context: DeclaratorContext,
        star: Span,
    ) -> ParseResult<(Qualifiers, Span)> {
        let mut quals = Qualifiers::default();
        let mut space_span = star;
        let mut attributes = Attributes::default();
        loop {
            let span = self.current.span;
            if let Some(space) = space_of(self.current.kind) {
                if self.space_is_name(context, false) {
                    return Ok((quals, space_span));
                }
                self.bump();
                self.actions.qualify(&mut quals, space, span);
                space_span = span;
                continue;
            }
            match self.current.kind {
                TokenKind::Keyword(Keyword::Const) => quals.is_const = true,
                TokenKind::Keyword(Keyword::Volatile) => quals.is_volatile = true,
                TokenKind::Keyword(Keyword::Restrict) => quals.is_restrict = true,
                TokenKind::Keyword(Keyword::Atomic) => {}
                TokenKind::Keyword(Keyword::Attribute | Keyword::Extension) => {
                    self.attributes(&mut attributes)?;
                    continue;
                }
                _ => return Ok((quals, space_span)),
            }
            self.bump();
        }
    }

    /// Whether the parenthesis here holds a declarator rather than parameters.
    fn is_nested_declarator(&self, context: DeclaratorContext) -> bool {
        if context == DeclaratorContext::Declaration {
            return true;
        }
        match self.peek(1) {
            TokenKind::Punct(Punct::Star | Punct::Caret | Punct::LParen | Punct::LBracket)
            | TokenKind::Keyword(Keyword::Attribute) => true,
            TokenKind::Identifier => !self.starts_type(1),
            _ => false,
        }
    }

    fn suffix_levels(&mut self) -> ParseResult<()> {
        let start = self.stacks.levels.len();
        loop {
            match self.current.kind {
                TokenKind::Punct(Punct::LBracket) => self.array_level()?,
                TokenKind::Punct(Punct::LParen) => self.function_level()?,
                _ => return Ok(()),
            }
            if self.stacks.levels.len() - start > 200 {
                return self.give_up_at(self.current.span, "this type is nested too deeply");
            }
        }
    }

    fn array_level(&mut self) -> ParseResult<()> {
        let open = self.bump().span;
        let mut brackets = Brackets::default();
        loop {
            let span = self.current.span;
            match self.current.kind {
                TokenKind::Keyword(Keyword::Static) => {}
                TokenKind::Keyword(Keyword::Const) => brackets.quals.is_const = true,
                TokenKind::Keyword(Keyword::Volatile) => brackets.quals.is_volatile = true,
                TokenKind::Keyword(Keyword::Restrict) => brackets.quals.is_restrict = true,
                kind => match space_of(kind) {
                    Some(space) => {
                        self.actions.qualify(&mut brackets.quals, space, span);
                        brackets.space = Some(span);
                    }
                    None => break,
                },
            }
            brackets.first = brackets.first.or(Some(span));
            self.bump();
        }
        let is_star = self.is(Punct::Star) && self.peek(1) == TokenKind::Punct(Punct::RBracket);
        let length = if self.is(Punct::RBracket) {
            Length::Unsized
        } else if is_star {
            self.bump();
            Length::Variable
        } else {
            self.enter()?;
            let size = self.assignment()?;
            self.leave();
            self.actions.array_length(size)
        };
        self.expect(Punct::RBracket, "after an array's size")?;
        let span = open.to(self.previous);
        self.stacks.levels.push(Level::Array { length, brackets, span });
        Ok(())
    }

    fn function_level(&mut self) -> ParseResult<()> {
        self.bump();
        self.enter()?;
        let start = self.stacks.parameters.len();
        let mut variadic = false;
        let outer = self.list_is_of_definition.take();
        self.actions.enter_scope();
        let is_void =
            self.is_keyword(Keyword::Void) && self.peek(1) == TokenKind::Punct(Punct::RParen);
        if is_void {
            self.bump();
        }
        while !self.is(Punct::RParen) {
            if self.is(Punct::Ellipsis) {
                variadic = true;
                let span = self.bump().span;
                self.actions.variadic(span);
                break;
            }
            let parameter = self.parameter()?;
            self.stacks.parameters.push(parameter);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.actions.leave_scope();
        self.list_is_of_definition = outer;
        self.expect(Punct::RParen, "after the parameters")?;
        self.leave();
        let first = start as u32;
        let count = self.stacks.parameters.len() as u32 - first;
        self.stacks.levels.push(Level::Function { first, count, variadic });
        Ok(())
    }

    /// Whether a body follows the parameter list that is being read.
    pub(crate) fn parameters_are_of_definition(&mut self) -> bool {
        if let Some(known) = self.list_is_of_definition {
            return known;
        }
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        let mut kinds = rest
            .iter()
            .map(|token| token.kind)
            .filter(|kind| *kind != TokenKind::Pragma)
            .peekable();
        skip_to_end_of_list(&mut kinds);
        while kinds.next_if_eq(&TokenKind::Keyword(Keyword::Attribute)).is_some() {
            kinds.next();
            skip_to_end_of_list(&mut kinds);
        }
        let is_definition = kinds.next() == Some(TokenKind::Punct(Punct::LBrace));
        self.list_is_of_definition = Some(is_definition);
        is_definition
    }

    fn parameter(&mut self) -> ParseResult<Parameter> {
        let specifiers = self.specifiers(DeclaratorContext::Parameter)?;
        if let Some((Storage::Static | Storage::Extern | Storage::Typedef, span)) =
            specifiers.storage
        {
            self.actions.warn(span, "a parameter has no storage class");
        }
        let mut declarator = self.declarator(specifiers.base(), DeclaratorContext::Parameter)?;
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        if declarator.name.is_none() && self.previous.end > specifiers.span.start {
            declarator.span = specifiers.span.to(self.previous);
        }
        Ok(self.actions.declare_parameter(&declarator, &attributes))
    }

    /// Reads a type name, as in a cast.
    pub(crate) fn type_name(&mut self) -> ParseResult<TypeName> {
        let specifiers = self.specifiers(DeclaratorContext::TypeName)?;
        if self.is(Punct::RParen) {
            let places = Places::default();
            return Ok(TypeName { ty: specifiers.ty, space_span: specifiers.space_span, places });
        }
        let declarator = self.declarator(specifiers.base(), DeclaratorContext::TypeName)?;
        Ok(TypeName {
            ty: declarator.ty,
            space_span: declarator.space_span,
            places: declarator.places,
        })
    }
}

/// Moves past the parenthesis that closes the list.
fn skip_to_end_of_list(kinds: &mut impl Iterator<Item = TokenKind>) {
    let mut depth = 1_u32;
    for kind in kinds {
        match kind {
            TokenKind::Punct(Punct::LParen) => depth += 1,
            TokenKind::Punct(Punct::RParen) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}
