//! Initializers: values and braced lists (C99 6.7.8).

use crate::{
    parse::{ParseResult, Parser, actions::Actions},
    span::Span,
    token::{Punct, TokenKind},
    types::QualifiedType,
};

impl<A: Actions> Parser<'_, A> {
    /// Reads a value or a braced list for an object of type `ty`.
    pub(crate) fn initializer(
        &mut self,
        ty: QualifiedType,
        values: &mut A::Values,
    ) -> ParseResult<()> {
        let start = self.current.span;
        if self.is(Punct::LBrace) {
            let parts = self.actions.begin_parts(ty);
            let parts = self.braced(parts, values)?;
            self.actions.finish_list(&parts, start.to(self.previous), values);
            return Ok(());
        }
        let value = self.assignment()?;
        self.actions.single_value(ty, value, values);
        Ok(())
    }

    /// Reads `{ ... }` for the object whose first part is at the position.
    fn braced(&mut self, mut parts: A::Parts, values: &mut A::Values) -> ParseResult<A::Parts> {
        self.enter()?;
        self.bump();
        while !self.is(Punct::RBrace) {
            if self.is(Punct::Dot) || self.is(Punct::LBracket) || self.is_old_designator() {
                self.designators(&mut parts)?;
            }
            self.part_initializer(&mut parts, values)?;
            self.actions.advance(&mut parts);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RBrace, "after an initializer")?;
        self.leave();
        Ok(parts)
    }

    /// Reads the value for the next part of an object, or for the first scalar within that part.
    fn part_initializer(
        &mut self,
        parts: &mut A::Parts,
        values: &mut A::Values,
    ) -> ParseResult<()> {
        let Some(part) = self.actions.part(parts) else {
            self.actions.warn(self.current.span, "more values than the object has parts");
            return self.initializer(QualifiedType::ERROR, values);
        };
        if self.is(Punct::LBrace) {
            let inner = self.actions.begin_inner_parts(parts, part);
            self.braced(inner, values)?;
            return Ok(());
        }
        let value = self.assignment()?;
        self.actions.initialize_part(part, value, parts, values);
        Ok(())
    }

    /// Whether GNU's `member: value` stands here.
    fn is_old_designator(&self) -> bool {
        self.current.kind == TokenKind::Identifier && self.peek(1) == TokenKind::Punct(Punct::Colon)
    }

    fn designators(&mut self, parts: &mut A::Parts) -> ParseResult<()> {
        self.actions.begin_designation(parts);
        if self.is_old_designator() {
            let name = self.bump().symbol;
            self.bump();
            self.actions.designate_member(parts, name);
            return Ok(());
        }
        let mut is_first = true;
        while self.is(Punct::Dot) || self.is(Punct::LBracket) {
            if !is_first {
                self.actions.enter_designated(parts);
            }
            is_first = false;
            if self.eat(Punct::Dot) {
                if let Some(name) = self.name("a member's name")? {
                    self.actions.designate_member(parts, name);
                }
            } else {
                self.designate_element(parts)?;
            }
            if self.actions.is_too_deep(parts) {
                return self.unexpected("fewer designators");
            }
        }
        self.expect(Punct::Eq, "after a designator")?;
        Ok(())
    }

    fn designate_element(&mut self, parts: &mut A::Parts) -> ParseResult<()> {
        self.bump();
        let mut index = self.conditional()?;
        if self.eat(Punct::Ellipsis) {
            index = self.conditional()?;
        }
        self.expect(Punct::RBracket, "after a designator")?;
        self.actions.designate_element(parts, &index);
        Ok(())
    }

    /// Reads the braces of `(type){ ... }` and the operators after them.
    pub(crate) fn compound_literal(
        &mut self,
        ty: QualifiedType,
        open: Span,
        space_span: Span,
    ) -> ParseResult<A::Operand> {
        let (ty, mut values) = self.actions.begin_compound_literal(ty, space_span);
        let parts = self.actions.begin_parts(ty);
        let parts = self.braced(parts, &mut values)?;
        let span = open.to(self.previous);
        let literal = self.actions.end_compound_literal(ty, &parts, &values, span);
        self.postfix_operators(literal)
    }
}
