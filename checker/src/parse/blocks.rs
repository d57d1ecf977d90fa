//! Block literals.

use crate::{
    parse::{
        ParseResult, Parser,
        actions::Actions,
        syntax::{Base, DeclaratorContext},
    },
    span::Span,
    token::{Punct, TokenKind},
    types::QualifiedType,
};

impl<A: Actions> Parser<'_, A> {
    /// Reads `^ result? (parameters)? { ... }`.
    pub(crate) fn block_literal(&mut self) -> ParseResult<A::Operand> {
        let caret = self.bump().span;
        self.enter()?;
        let (declared, has_result) = self.block_type(caret)?;
        let block = self.actions.begin_block(declared, has_result, caret);
        self.body_statements()?;
        let literal = self.actions.end_block(&block, caret.to(self.previous));
        self.leave();
        if self.actions.is_type_too_deep() {
            return self.give_up_at(caret, "this type is nested too deeply");
        }
        Ok(literal)
    }

    /// Returns the type that is written for a block literal, and whether its result is written.
    fn block_type(&mut self, caret: Span) -> ParseResult<(QualifiedType, bool)> {
        let (base, has_result) = if self.starts_type(0) {
            let specifiers = self.specifiers(DeclaratorContext::TypeName)?;
            (specifiers.base(), true)
        } else {
            (Base { ty: QualifiedType::VOID, space_span: caret, place: caret.end }, false)
        };
        let declarator = self.declarator(base, DeclaratorContext::TypeName)?;
        if self.current.kind != TokenKind::Punct(Punct::LBrace) {
            return self.unexpected("the body of a block literal");
        }
        Ok((declarator.ty, has_result))
    }
}
