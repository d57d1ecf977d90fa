//! Statements.

use crate::{
    parse::{ParseResult, Parser, actions::Actions, syntax::Attributes},
    token::{Keyword, Punct, TokenKind},
};

impl<A: Actions> Parser<'_, A> {
    /// Reads a body, in the scope of its parameters.
    pub(crate) fn body_statements(&mut self) -> ParseResult<()> {
        self.enter()?;
        self.expect(Punct::LBrace, "before a body")?;
        self.items()?;
        self.bump();
        self.leave();
        Ok(())
    }

    /// Reads declarations and statements up to a closing brace. Returns the value of the last expression statement.
    fn items(&mut self) -> ParseResult<Option<A::Operand>> {
        let mut last = None;
        while !self.is(Punct::RBrace) {
            if self.current.kind == TokenKind::End {
                return self.unexpected("`}`");
            }
            last = self.recovering(|parser| {
                if parser.starts_declaration() {
                    parser.declaration()?;
                    Ok(None)
                } else {
                    parser.statement()
                }
            })?;
        }
        Ok(last)
    }

    fn starts_declaration(&self) -> bool {
        match self.current.kind {
            TokenKind::Identifier => {
                if self.actions.named_type(self.current.symbol).is_some() {
                    return self.peek(1) != TokenKind::Punct(Punct::Colon);
                }
                // `unknown_t x` can only be a declaration with an unknown type.
                self.peek(1) == TokenKind::Identifier
                    && !self.actions.is_declared(self.current.symbol)
            }
            TokenKind::Keyword(Keyword::Attribute) => self.attribute_declares(),
            TokenKind::Keyword(
                Keyword::Typedef
                | Keyword::Extern
                | Keyword::Static
                | Keyword::Auto
                | Keyword::Register
                | Keyword::Inline
                | Keyword::Kernel
                | Keyword::Alignas
                | Keyword::Extension
                | Keyword::StaticAssert,
            ) => true,
            TokenKind::Keyword(_) if self.space_word().is_some() => !matches!(
                self.peek(1),
                TokenKind::Punct(punct) if !matches!(punct, Punct::Star | Punct::LParen)
            ),
            _ => self.starts_type(0),
        }
    }

    /// Whether the attributes here belong to a declaration rather than to a statement.
    fn attribute_declares(&self) -> bool {
        let mut distance = 1;
        let mut depth = 0_u32;
        loop {
            match self.peek(distance) {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                TokenKind::End => return false,
                _ if distance > 200 => return false,
                _ => {}
            }
            distance += 1;
        }
        self.starts_type(distance + 1)
            || matches!(
                self.peek(distance + 1),
                TokenKind::Keyword(Keyword::Static | Keyword::Extern | Keyword::Typedef)
            )
    }

    /// Reads a statement. Returns the value of an expression statement.
    pub(crate) fn statement(&mut self) -> ParseResult<Option<A::Operand>> {
        self.enter()?;
        self.labels()?;
        let mut value = None;
        match self.current.kind {
            TokenKind::Punct(Punct::LBrace) => {
                self.compound()?;
            }
            TokenKind::Punct(Punct::Semi) => {
                self.bump();
            }
            // A label may stand before the closing brace in real programs.
            TokenKind::Punct(Punct::RBrace) => {}
            TokenKind::Keyword(Keyword::If) => self.if_statement()?,
            TokenKind::Keyword(Keyword::While) => {
                self.bump();
                let condition = self.condition("after `while`")?;
                self.loop_body(condition)?;
            }
            TokenKind::Keyword(Keyword::Do) => self.do_statement()?,
            TokenKind::Keyword(Keyword::For) => self.for_statement()?,
            TokenKind::Keyword(Keyword::Switch) => {
                self.bump();
                self.switch_statement()?;
            }
            TokenKind::Keyword(Keyword::Goto) => {
                self.bump();
                if self.eat(Punct::Star) {
                    self.expression()?;
                } else {
                    let span = self.current.span;
                    if let Some(name) = self.name("a label")? {
                        self.actions.goto(name, span);
                    }
                }
                self.end_of_item("after `goto`")?;
            }
            TokenKind::Keyword(Keyword::Break) => {
                let keyword = self.bump().span;
                self.actions.break_statement(keyword);
                self.end_of_item("after a jump")?;
            }
            TokenKind::Keyword(Keyword::Continue) => {
                let keyword = self.bump().span;
                self.actions.continue_statement(keyword);
                self.end_of_item("after a jump")?;
            }
            TokenKind::Keyword(Keyword::Return) => self.return_statement()?,
            TokenKind::Keyword(Keyword::Asm) => {
                self.attributes(&mut Attributes::default())?;
                self.end_of_item("after assembler text")?;
            }
            _ if self.starts_declaration() => self.declaration()?,
            _ => {
                let operand = self.expression()?;
                self.actions.discard_value(&operand);
                value = Some(operand);
                self.end_of_item("after an expression")?;
            }
        }
        self.leave();
        Ok(value)
    }

    /// Reads any number of labels, `case`s and attributes before a statement.
    fn labels(&mut self) -> ParseResult<()> {
        loop {
            match self.current.kind {
                TokenKind::Identifier if self.peek(1) == TokenKind::Punct(Punct::Colon) => {
                    let label = self.bump();
                    self.actions.label(label.symbol, label.span);
                    self.bump();
                }
                TokenKind::Keyword(_)
                    if self.space_word().is_some()
                        && self.peek(1) == TokenKind::Punct(Punct::Colon) =>
                {
                    self.reserved_name();
                    self.bump();
                }
                TokenKind::Keyword(Keyword::Case) => {
                    let keyword = self.bump().span;
                    let first = self.conditional()?;
                    let last =
                        if self.eat(Punct::Ellipsis) { Some(self.conditional()?) } else { None };
                    self.actions.case(keyword, first, last);
                    self.expect(Punct::Colon, "after `case`")?;
                }
                TokenKind::Keyword(Keyword::Default) => {
                    let keyword = self.bump().span;
                    self.actions.default_label(keyword);
                    self.expect(Punct::Colon, "after `default`")?;
                }
                TokenKind::Keyword(Keyword::Attribute) if !self.attribute_declares() => {
                    self.attributes(&mut Attributes::default())?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Reads a compound statement, in a scope of its own.
    pub(crate) fn compound(&mut self) -> ParseResult<Option<A::Operand>> {
        self.enter()?;
        self.bump();
        self.actions.enter_nested_scope();
        let value = self.items()?;
        self.actions.leave_nested_scope();
        self.bump();
        self.leave();
        Ok(value)
    }

    /// Returns whether the condition holds, where it is a constant.
    fn condition(&mut self, place: &str) -> ParseResult<Option<bool>> {
        self.expect(Punct::LParen, place)?;
        let condition = self.expression()?;
        let value = self.actions.condition(condition);
        self.expect(Punct::RParen, "after a condition")?;
        Ok(value)
    }

    /// Reads a statement that is executed where the condition before it holds.
    fn dependent(&mut self, condition: Option<bool>) -> ParseResult<()> {
        if condition != Some(false) {
            return self.statement().map(drop);
        }
        self.actions.begin_unevaluated();
        let read = self.statement();
        self.actions.end_unevaluated();
        read.map(drop)
    }

    fn switch_statement(&mut self) -> ParseResult<()> {
        self.expect(Punct::LParen, "after `switch`")?;
        let condition = self.expression()?;
        self.expect(Punct::RParen, "after a condition")?;
        self.actions.begin_switch(condition);
        self.statement()?;
        self.actions.end_target();
        Ok(())
    }

    fn loop_body(&mut self, condition: Option<bool>) -> ParseResult<()> {
        self.actions.begin_loop();
        self.dependent(condition)?;
        self.actions.end_target();
        Ok(())
    }

    fn if_statement(&mut self) -> ParseResult<()> {
        while self.eat_keyword(Keyword::If) {
            let condition = self.condition("after `if`")?;
            self.dependent(condition)?;
            if !self.eat_keyword(Keyword::Else) {
                return Ok(());
            }
            if !self.is_keyword(Keyword::If) {
                return self.dependent(condition.map(|holds| !holds));
            }
        }
        Ok(())
    }

    fn do_statement(&mut self) -> ParseResult<()> {
        self.bump();
        // The body is executed once before its condition is evaluated.
        self.loop_body(None)?;
        if !self.eat_keyword(Keyword::While) {
            return self.unexpected("`while` after the body of `do`");
        }
        self.condition("after `while`")?;
        self.end_of_item("after a `do` statement")?;
        Ok(())
    }

    fn for_statement(&mut self) -> ParseResult<()> {
        self.bump();
        self.expect(Punct::LParen, "after `for`")?;
        self.actions.enter_nested_scope();
        if self.starts_declaration() {
            self.actions.begin_for_declaration(self.current.span.start);
            self.declaration()?;
        } else {
            if !self.is(Punct::Semi) {
                let operand = self.expression()?;
                self.actions.discard_value(&operand);
            }
            self.expect(Punct::Semi, "in `for`")?;
        }
        let mut holds = None;
        if !self.is(Punct::Semi) {
            let condition = self.expression()?;
            holds = self.actions.condition(condition);
        }
        self.expect(Punct::Semi, "in `for`")?;
        if !self.is(Punct::RParen) {
            let operand = self.expression()?;
            self.actions.discard_value(&operand);
        }
        self.expect(Punct::RParen, "in `for`")?;
        self.loop_body(holds)?;
        self.actions.leave_nested_scope();
        Ok(())
    }

    fn return_statement(&mut self) -> ParseResult<()> {
        let keyword = self.bump().span;
        if self.eat(Punct::Semi) {
            self.actions.return_value(keyword, None);
            return Ok(());
        }
        let value = self.expression()?;
        self.end_of_item("after `return`")?;
        self.actions.return_value(keyword, Some(value));
        Ok(())
    }
}
