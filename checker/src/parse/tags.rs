//! `struct`, `union` and `enum`.

use crate::{
    parse::{
        ParseResult, Parser,
        actions::Actions,
        syntax::{Attributes, DeclaratorContext, Specifiers},
    },
    symbol::Symbol,
    token::{Keyword, Punct, TokenKind},
    types::QualifiedType,
};

impl<A: Actions> Parser<'_, A> {
    /// Reads `struct` or `union` with a tag, a list of members or both.
    pub(crate) fn record_specifier(&mut self) -> ParseResult<QualifiedType> {
        let is_union = self.is_keyword(Keyword::Union);
        self.bump();
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let span = self.current.span;
        let tag = self.tag(if is_union { "a union's name" } else { "a struct's name" })?;
        self.attributes(&mut attributes)?;
        if !self.is(Punct::LBrace) {
            let has_semicolon = self.is(Punct::Semi);
            return Ok(self.actions.tagged_type(tag, is_union, has_semicolon, span).plain());
        }
        let id = self.actions.begin_record(tag, is_union, span);
        self.enter()?;
        self.bump();
        let start = self.stacks.members.len();
        while !self.is(Punct::RBrace) {
            self.member_declaration()?;
        }
        self.bump();
        self.leave();
        self.attributes(&mut attributes)?;
        self.actions.complete_record(id, &self.stacks.members[start..], attributes.layout);
        self.stacks.members.truncate(start);
        Ok(id.plain())
    }

    fn tag(&mut self, what: &str) -> ParseResult<Option<Symbol>> {
        if self.is(Punct::LBrace) { Ok(None) } else { self.name(what) }
    }

    fn member_declaration(&mut self) -> ParseResult<()> {
        if self.eat(Punct::Semi) {
            return Ok(());
        }
        if self.is_keyword(Keyword::StaticAssert) {
            return self.static_assertion();
        }
        let specifiers = self.specifiers(DeclaratorContext::Declaration)?;
        if self.eat(Punct::Semi) {
            self.stacks.members.extend(self.actions.anonymous_member(&specifiers));
            return Ok(());
        }
        loop {
            self.member_declarator(&specifiers)?;
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.end_of_item("after a member")?;
        Ok(())
    }

    fn member_declarator(&mut self, specifiers: &Specifiers) -> ParseResult<()> {
        let start = self.current.span;
        let mut attributes =
            Attributes { layout: specifiers.attributes.layout, ..Attributes::default() };
        if self.eat(Punct::Colon) {
            self.conditional()?;
            return self.attributes(&mut attributes);
        }
        let declarator = self.declarator(specifiers.base(), DeclaratorContext::Declaration)?;
        let is_bit_field = self.eat(Punct::Colon);
        if is_bit_field {
            self.actions.warn(self.previous, "bit-fields are not supported by the language");
            self.conditional()?;
        }
        self.attributes(&mut attributes)?;
        let span = if declarator.name.is_some() { declarator.span } else { start };
        let member = self.actions.member(&declarator, span, &attributes, is_bit_field);
        self.stacks.members.extend(member);
        Ok(())
    }

    /// Reads an `enum`. The type and its constants are `int`.
    pub(crate) fn enum_specifier(&mut self) -> ParseResult<QualifiedType> {
        self.bump();
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let tag_span = self.current.span;
        let tag = self.tag("an enumeration's name")?;
        self.attributes(&mut attributes)?;
        if self.eat(Punct::LBrace) {
            self.enter()?;
            let mut next = 0_i64;
            while !self.is(Punct::RBrace) {
                let span = self.current.span;
                let name = self.name("an enumeration constant")?;
                self.attributes(&mut attributes)?;
                let value = if self.eat(Punct::Eq) { Some(self.conditional()?) } else { None };
                next = self.actions.enumerator(name, span, value, next);
                if !self.eat(Punct::Comma) && !self.is(Punct::RBrace) {
                    return self.unexpected("`,` or `}` after an enumeration constant");
                }
            }
            self.bump();
            self.leave();
            self.attributes(&mut attributes)?;
        }
        self.actions.declare_enumeration(tag, tag_span);
        Ok(QualifiedType::INT)
    }

    /// Reads `_Static_assert(condition, "message");`.
    pub(crate) fn static_assertion(&mut self) -> ParseResult<()> {
        self.bump();
        self.expect(Punct::LParen, "after `_Static_assert`")?;
        let condition = self.conditional()?;
        self.actions.static_assertion(&condition);
        if self.eat(Punct::Comma) {
            while self.current.kind == TokenKind::String {
                self.bump();
            }
        }
        self.expect(Punct::RParen, "after a static assertion")?;
        self.end_of_item("after a static assertion")?;
        Ok(())
    }
}
