//! Primary expressions and what follows them: calls, indices, members.

use crate::{
    sema::{
        analyser::{Analyser, Parsed},
        constants::string_length,
        operand::{Constness, Operand, Trait},
    },
    span::Span,
    symbol::Symbol,
    token::{Keyword, Punct, TokenKind},
    types::{Length, Qualified},
};

impl Analyser<'_> {
    /// A primary expression with everything behind it.
    pub(crate) fn postfix(&mut self) -> Parsed<Operand> {
        let token = self.current;
        let primary = match token.kind {
            TokenKind::Identifier => {
                self.bump();
                if self.is(Punct::LParen) {
                    self.called_name(token.symbol, token.span)?
                } else {
                    self.named(token.symbol, token.span)
                }
            }
            TokenKind::Integer | TokenKind::Float | TokenKind::Character => {
                self.bump();
                self.literal(token.kind, token.symbol, token.span)
            }
            TokenKind::String => self.string_literal(),
            TokenKind::Punct(Punct::LParen) => self.parenthesized()?,
            TokenKind::Punct(Punct::Caret) => self.block_literal()?,
            TokenKind::Keyword(Keyword::Generic_) => self.generic_selection()?,
            TokenKind::Keyword(_) if self.space_word().is_some() => {
                let token = self.reserved_name();
                Operand::error(token.span)
            }
            _ => return self.unexpected("an expression"),
        };
        self.postfix_operators(primary)
    }

    fn parenthesized(&mut self) -> Parsed<Operand> {
        let open = self.bump().span;
        self.enter()?;
        let operand = if self.is(Punct::LBrace) {
            let value = self.compound()?;
            // A block of statements has no constant value.
            let value = value.map_or(Operand::value(Qualified::VOID, open), |value| {
                let value = self.rvalue(value);
                Operand { constness: Constness::Variable, ..value }
            });
            value.at(open.to(self.previous))
        } else {
            self.expression()?
        };
        self.leave();
        self.expect(Punct::RParen, "after an expression")?;
        Ok(operand.at(open.to(self.previous)))
    }

    /// `[]`, `()`, `.`, `->`, `++` and `--` behind `operand`.
    pub(crate) fn postfix_operators(&mut self, operand: Operand) -> Parsed<Operand> {
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
                    self.element(operand, index, operand.span.to(self.previous))
                }
                Punct::LParen => {
                    let start = self.arguments()?;
                    let span = operand.span.to(self.previous);
                    let result = self.call(operand, start, span);
                    self.arena.arguments.truncate(start);
                    result
                }
                Punct::Dot | Punct::Arrow => {
                    self.bump();
                    let at = self.current.span;
                    match self.name("a member's name")? {
                        Some(name) if punct == Punct::Dot => self.member(&operand, name, at),
                        Some(name) => {
                            let object = self.dereference(operand, operand.span);
                            self.member(&object, name, at)
                        }
                        None => Operand::error(operand.span.to(at)),
                    }
                }
                Punct::PlusPlus | Punct::MinusMinus => {
                    let end = self.bump().span;
                    self.step(&operand, operand.span.to(end))
                }
                _ => return Ok(operand),
            };
        }
    }

    /// A name followed by a parenthesis.
    fn called_name(&mut self, name: Symbol, span: Span) -> Parsed<Operand> {
        if self.arena.names.get(name).is_some() {
            let function = self.callee(name);
            if let Some(function) = function {
                let start = self.arguments()?;
                let whole = span.to(self.previous);
                let result = self.call_function(function, name, start, span, whole);
                self.arena.arguments.truncate(start);
                return Ok(result);
            }
            return Ok(self.named(name, span));
        }
        let start = self.arguments()?;
        let whole = span.to(self.previous);
        let result = self.call_by_name(name, start, span, whole);
        self.arena.arguments.truncate(start);
        Ok(result)
    }

    /// Read an argument list onto the stack of arguments; returns where it starts there.
    fn arguments(&mut self) -> Parsed<usize> {
        self.enter()?;
        self.bump();
        let start = self.arena.arguments.len();
        while !self.is(Punct::RParen) {
            // Some programs pass a type to a vendor's function.
            let argument = if self.starts_type(0) {
                let span = self.current.span;
                self.type_name()?;
                Operand::error(span)
            } else {
                self.assignment()?
            };
            self.arena.arguments.push(argument);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RParen, "after the arguments")?;
        self.leave();
        Ok(start)
    }

    fn string_literal(&mut self) -> Operand {
        let start = self.current.span;
        let mut length = 1_u64;
        while self.current.kind == TokenKind::String {
            length += string_length(self.interner.text(self.current.symbol));
            self.bump();
        }
        let ty = self.string_type(Length::Known(length));
        Operand {
            trait_: Trait::StringLiteral,
            constness: Constness::Address,
            ..Operand::lvalue(ty, start.to(self.previous))
        }
    }

    /// C11's `_Generic`: every branch is read, the result is not worked out.
    fn generic_selection(&mut self) -> Parsed<Operand> {
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
        Ok(Operand::error(start.to(self.previous)))
    }
}
