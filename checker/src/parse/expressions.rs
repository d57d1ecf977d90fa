//! Expressions from the comma operator down to unary operators.

use crate::{
    parse::{ParseResult, Parser, actions::Actions, syntax::TypeName},
    span::Span,
    token::{Keyword, Punct, TokenKind},
    types::QualifiedType,
};

/// A binary operator whose right operand is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingOperator<O> {
    left: O,
    operator: Punct,
    span: Span,
    strength: u8,
}

/// Returns the operator of a compound assignment.
fn compound(punct: Punct) -> Option<Punct> {
    Some(match punct {
        Punct::StarEq => Punct::Star,
        Punct::SlashEq => Punct::Slash,
        Punct::PercentEq => Punct::Percent,
        Punct::PlusEq => Punct::Plus,
        Punct::MinusEq => Punct::Minus,
        Punct::ShlEq => Punct::Shl,
        Punct::ShrEq => Punct::Shr,
        Punct::AmpEq => Punct::Amp,
        Punct::CaretEq => Punct::Caret,
        Punct::PipeEq => Punct::Pipe,
        _ => return None,
    })
}

impl<A: Actions> Parser<'_, A> {
    /// Reads an expression, commas included.
    pub(crate) fn expression(&mut self) -> ParseResult<A::Operand> {
        let mut left = self.assignment()?;
        while self.eat(Punct::Comma) {
            let right = self.assignment()?;
            left = self.actions.comma(&left, right);
        }
        Ok(left)
    }

    /// Reads an expression without a comma of its own.
    pub(crate) fn assignment(&mut self) -> ParseResult<A::Operand> {
        let left = self.conditional()?;
        let TokenKind::Punct(punct) = self.current.kind else { return Ok(left) };
        if punct == Punct::Eq {
            self.bump();
            self.enter()?;
            let right = self.assignment()?;
            self.leave();
            return Ok(self.actions.assign(&left, right));
        }
        let Some(operator) = compound(punct) else { return Ok(left) };
        self.bump();
        self.enter()?;
        let right = self.assignment()?;
        self.leave();
        Ok(self.actions.assign_compound(&left, operator, right))
    }

    /// Reads `a ? b : c ? d : e`, without recursion for the last operand: chains may be long.
    pub(crate) fn conditional(&mut self) -> ParseResult<A::Operand> {
        let condition = self.binary()?;
        if !self.is(Punct::Question) {
            return Ok(condition);
        }
        let mut pending = vec![self.condition_and_choice(condition)?];
        let last = loop {
            let next = self.binary()?;
            if !self.is(Punct::Question) {
                break next;
            }
            pending.push(self.condition_and_choice(next)?);
        };
        let join = |last, (condition, choice): (A::Operand, Option<A::Operand>)| {
            self.actions.join(condition, choice.unwrap_or(condition), last)
        };
        Ok(pending.into_iter().rev().fold(last, join))
    }

    /// Reads the middle operand, which GNU C allows to be missing.
    fn condition_and_choice(
        &mut self,
        condition: A::Operand,
    ) -> ParseResult<(A::Operand, Option<A::Operand>)> {
        self.bump();
        if self.eat(Punct::Colon) {
            return Ok((condition, None));
        }
        self.enter()?;
        let choice = self.expression()?;
        self.leave();
        self.expect(Punct::Colon, "in a conditional expression")?;
        Ok((condition, Some(choice)))
    }

    /// Reads unary expressions joined by binary operators, by precedence and without recursion.
    fn binary(&mut self) -> ParseResult<A::Operand> {
        let start = self.stacks.pending.len();
        let mut operand = self.unary()?;
        loop {
            let next = match self.current.kind {
                TokenKind::Punct(operator) => operator.precedence().map(|own| (operator, own)),
                _ => None,
            };
            let strength = next.map_or(0, |(_, strength)| strength);
            while self.stacks.pending.len() > start
                && let Some(last) = self.stacks.pending.pop_if(|last| last.strength >= strength)
            {
                operand = self.actions.combine(last.left, last.operator, last.span, operand);
            }
            let Some((operator, strength)) = next else { return Ok(operand) };
            let span = self.bump().span;
            self.stacks.pending.push(PendingOperator { left: operand, operator, span, strength });
            operand = self.unary()?;
        }
    }

    /// Reads unary operators and casts.
    fn unary(&mut self) -> ParseResult<A::Operand> {
        let start = self.current.span;
        let operator = match self.current.kind {
            TokenKind::Punct(Punct::LParen) if self.starts_type(1) => {
                return self.parenthesized_type();
            }
            TokenKind::Punct(
                punct @ (Punct::Plus
                | Punct::Minus
                | Punct::Tilde
                | Punct::Bang
                | Punct::Star
                | Punct::Amp
                | Punct::PlusPlus
                | Punct::MinusMinus),
            ) => punct,
            // The address of a label, as GNU C has it.
            TokenKind::Punct(Punct::AmpAmp) => {
                self.bump();
                self.name("a label")?;
                return Ok(A::unknown_value(start.to(self.previous)));
            }
            TokenKind::Keyword(Keyword::Sizeof | Keyword::Alignof | Keyword::VecStep) => {
                return self.size_query();
            }
            TokenKind::Keyword(Keyword::Extension) => {
                self.bump();
                self.enter()?;
                let operand = self.unary()?;
                self.leave();
                return Ok(operand);
            }
            _ => return self.postfix(),
        };
        self.bump();
        self.enter()?;
        let operand = self.unary()?;
        self.leave();
        let span = start.to(A::span_of(&operand));
        Ok(match operator {
            Punct::Star => self.actions.dereference(operand, span),
            Punct::Amp => self.actions.address_of(operand, span),
            Punct::PlusPlus | Punct::MinusMinus => self.actions.step(&operand, span),
            _ => self.actions.sign(operator, operand, span),
        })
    }

    /// Reads a cast, a vector literal or a compound literal.
    fn parenthesized_type(&mut self) -> ParseResult<A::Operand> {
        let open = self.bump().span;
        self.enter()?;
        let TypeName { ty, space_span, places } = self.type_name()?;
        self.expect(Punct::RParen, "after a type")?;
        let operand = if self.is(Punct::LBrace) {
            self.compound_literal(ty, open, space_span)?
        } else if self.is_vector_literal(ty) {
            self.vector_literal(ty, open)?
        } else {
            let operand = self.unary()?;
            self.actions.cast(ty, operand, open.to(A::span_of(&operand)), places.pointee.missing())
        };
        self.leave();
        Ok(operand)
    }

    /// Whether the parentheses after `(ty)` hold the components of a vector rather than an operand to cast. No
    /// component begins with a type: `(float4)(float)x` casts twice.
    fn is_vector_literal(&self, ty: QualifiedType) -> bool {
        self.is(Punct::LParen) && !self.starts_type(1) && self.actions.is_vector(ty)
    }

    fn vector_literal(&mut self, ty: QualifiedType, open: Span) -> ParseResult<A::Operand> {
        self.bump();
        let start = self.stacks.arguments.len();
        loop {
            let component = self.assignment()?;
            let component = self.actions.use_value(component);
            self.stacks.arguments.push(component);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RParen, "after a vector literal")?;
        let components = &self.stacks.arguments[start..];
        let literal = self.actions.vector_literal(ty, components, open.to(self.previous));
        self.stacks.arguments.truncate(start);
        self.postfix_operators(literal)
    }

    /// Reads `sizeof`, `_Alignof` and `vec_step`.
    fn size_query(&mut self) -> ParseResult<A::Operand> {
        let start = self.current.span;
        let keyword = self.bump().kind;
        self.enter()?;
        let (id, literal) = if self.is(Punct::LParen) && self.starts_type(1) {
            self.bump();
            let TypeName { ty, space_span, .. } = self.type_name()?;
            self.expect(Punct::RParen, "after a type")?;
            if self.is(Punct::LBrace) { (ty.id, Some((ty, space_span))) } else { (ty.id, None) }
        } else {
            self.actions.begin_unevaluated();
            let operand = self.unary()?;
            self.actions.end_unevaluated();
            (A::type_of(&operand).id, None)
        };
        if let Some((ty, space_span)) = literal {
            self.actions.begin_unevaluated();
            let literal = self.compound_literal(ty, start, space_span)?;
            self.postfix_operators(literal)?;
            self.actions.end_unevaluated();
        }
        self.leave();
        let is_sizeof = keyword == TokenKind::Keyword(Keyword::Sizeof);
        Ok(self.actions.size_query(is_sizeof, id, start.to(self.previous)))
    }
}
