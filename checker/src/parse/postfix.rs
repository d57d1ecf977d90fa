//! Primary expressions and what follows them: calls, indices, members.

use crate::{
    parse::{ParseResult, Parser, actions::Actions},
    span::Span,
    symbol::Symbol,
    token::{Keyword, Punct, TokenKind},
};

impl<A: Actions> Parser<'_, A> {
    /// Reads a primary expression and the operators after it.
    pub(crate) fn postfix(&mut self) -> ParseResult<A::Operand> {
        let token = self.current;
        let primary = match token.kind {
            TokenKind::Identifier => {
                self.bump();
                if self.is(Punct::LParen) {
                    self.called_name(token.symbol, token.span)?
                } else {
                    self.actions.name(token.symbol, token.span)
                }
            }
            TokenKind::Integer | TokenKind::Float | TokenKind::Character => {
                self.bump();
                self.actions.literal(token.kind, token.symbol, token.span)
            }
            TokenKind::String => self.string_literal(),
            TokenKind::Punct(Punct::LParen) => self.parenthesized()?,
            TokenKind::Punct(Punct::Caret) => self.block_literal()?,
            TokenKind::Keyword(Keyword::Generic_) => self.generic_selection()?,
            TokenKind::Keyword(_) if self.space_word().is_some() => {
                let token = self.reserved_name();
                A::unknown_value(token.span)
            }
            _ => return self.unexpected("an expression"),
        };
        self.postfix_operators(primary)
    }

    fn parenthesized(&mut self) -> ParseResult<A::Operand> {
        let open = self.bump().span;
        self.enter()?;
        let operand = if self.is(Punct::LBrace) {
            let value = self.compound()?;
            self.actions.statement_value(value, open.to(self.previous))
        } else {
            self.expression()?
        };
        self.leave();
        self.expect(Punct::RParen, "after an expression")?;
        Ok(A::at(operand, open.to(self.previous)))
    }

    /// Reads `[]`, `()`, `.`, `->`, `++` and `--` after `operand`.
    pub(crate) fn postfix_operators(&mut self, operand: A::Operand) -> ParseResult<A::Operand> {
        let mut operand = operand;
        loop {
            let TokenKind::Punct(punct) = self.current.kind else { return Ok(operand) };
            operand = match punct {
                Punct::LBracket => {
                    self.bump();
                    self.enter()?;
                    let index = self.expression()?;
                    self.leave();
                    self.expect(Punct::RBracket, "after an index")?;
                    let span = A::span_of(&operand).to(self.previous);
                    self.actions.element(operand, index, span)
                }
                Punct::LParen => {
                    let start = self.arguments()?;
                    let span = A::span_of(&operand).to(self.previous);
                    let arguments = &self.stacks.arguments[start..];
                    let result = self.actions.call(operand, arguments, span);
                    self.stacks.arguments.truncate(start);
                    result
                }
                Punct::Dot | Punct::Arrow => {
                    self.bump();
                    let at = self.current.span;
                    match self.name("a member's name")? {
                        Some(name) if punct == Punct::Dot => {
                            self.actions.select(&operand, name, at)
                        }
                        Some(name) => {
                            let object = self.actions.dereference(operand, A::span_of(&operand));
                            self.actions.select(&object, name, at)
                        }
                        None => A::unknown_value(A::span_of(&operand).to(at)),
                    }
                }
                Punct::PlusPlus | Punct::MinusMinus => {
                    let end = self.bump().span;
                    self.actions.step(&operand, A::span_of(&operand).to(end))
                }
                _ => return Ok(operand),
            };
        }
    }

    /// Reads a call of a name.
    fn called_name(&mut self, name: Symbol, span: Span) -> ParseResult<A::Operand> {
        if !self.actions.is_function_name(name) {
            return Ok(self.actions.name(name, span));
        }
        let start = self.arguments()?;
        let whole = span.to(self.previous);
        let arguments = &mut self.stacks.arguments[start..];
        let result = self.actions.call_name(name, span, arguments, whole);
        self.stacks.arguments.truncate(start);
        Ok(result)
    }

    /// Reads an argument list onto the stack of arguments. Returns the index of its first argument.
    fn arguments(&mut self) -> ParseResult<usize> {
        self.enter()?;
        self.bump();
        let start = self.stacks.arguments.len();
        while !self.is(Punct::RParen) {
            // Some programs pass a type to a vendor's function.
            let argument = if self.starts_type(0) {
                let span = self.current.span;
                self.type_name()?;
                A::unknown_value(span)
            } else {
                self.assignment()?
            };
            self.stacks.arguments.push(argument);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RParen, "after the arguments")?;
        self.leave();
        Ok(start)
    }

    fn string_literal(&mut self) -> A::Operand {
        let start = self.current.span;
        let mut pieces = vec![self.bump().symbol];
        while self.current.kind == TokenKind::String {
            pieces.push(self.bump().symbol);
        }
        self.actions.string_literal(&pieces, start.to(self.previous))
    }

    /// Reads C11's `_Generic`. Every branch is read; the result stays unknown.
    fn generic_selection(&mut self) -> ParseResult<A::Operand> {
        let start = self.bump().span;
        self.enter()?;
        self.expect(Punct::LParen, "after `_Generic`")?;
        self.assignment()?;
        while self.eat(Punct::Comma) {
            if !self.eat_keyword(Keyword::Default) {
                self.type_name()?;
            }
            self.expect(Punct::Colon, "in a generic selection")?;
            self.assignment()?;
        }
        self.expect(Punct::RParen, "after a generic selection")?;
        self.leave();
        Ok(A::unknown_value(start.to(self.previous)))
    }
}
