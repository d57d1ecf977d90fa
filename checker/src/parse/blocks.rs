//! Block literals.

use crate::{
    parse::specifiers::{Base, DeclaratorContext},
    sema::{
        analyser::{Analyser, Body, Parsed},
        operand::{Constness, Operand},
    },
    span::Span,
    token::{Punct, TokenKind},
    types::{Qualified, SignatureId, Type},
};

impl Analyser<'_> {
    /// `^ result? (parameters)? { ... }`
    pub(crate) fn block_literal(&mut self) -> Parsed<Operand> {
        let caret = self.bump().span;
        self.enter()?;
        let (signature, has_result) = self.block_type(caret)?;
        let outer = self.body;
        let parameters = self.arena.types.signature(signature);
        let result = has_result.then_some(parameters.result);
        let count = self.arena.types.parameters(&parameters).len() as u32;
        self.body = Some(Body {
            result,
            is_kernel: outer.is_some_and(|body| body.is_kernel),
            is_block: true,
            level: outer.map_or(0, |body| body.level) + 1,
            nesting: 0,
            for_declaration: None,
            result_pointee: None,
        });
        self.enter_scope();
        for index in 0..count {
            self.enter_parameter(signature, index);
        }
        self.body_statements()?;
        self.leave_scope();
        let inferred = self.body.and_then(|body| body.result).unwrap_or(Qualified::VOID);
        self.body = outer;
        self.leave();
        if !has_result {
            self.arena.types.set_result(signature, inferred);
        }
        let id = self.arena.types.block(signature);
        if self.arena.types.overflowed() {
            return self.hopeless(caret, "this type is nested too deeply");
        }
        Ok(Operand::constant(id, Constness::Address, caret.to(self.previous)))
    }

    /// The signature of a block literal and whether its result was written.
    fn block_type(&mut self, caret: Span) -> Parsed<(SignatureId, bool)> {
        let (base, has_result) = if self.starts_type(0) {
            let specifiers = self.specifiers(DeclaratorContext::TypeName)?;
            (specifiers.base(), true)
        } else {
            (Base { ty: Qualified::VOID, space_span: caret, place: caret.end }, false)
        };
        let declarator = self.declarator(base, DeclaratorContext::TypeName)?;
        if self.current.kind != TokenKind::Punct(Punct::LBrace) {
            return self.unexpected("the body of a block literal");
        }
        let signature = match self.arena.types.of(declarator.ty) {
            Type::Function(signature) => signature,
            _ => self.arena.types.add_signature(declarator.ty, &[], false),
        };
        Ok((signature, has_result))
    }
}
