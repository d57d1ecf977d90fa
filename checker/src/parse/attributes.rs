//! `__attribute__((...))`: skipped, except for those that change what is declared.

use crate::{
    parse::{ParseResult, Parser, actions::Actions, syntax::Attributes},
    token::{Keyword, Punct, TokenKind},
};

impl<A: Actions> Parser<'_, A> {
    /// Reads any number of attributes, `__extension__` and assembler names into `attributes`.
    pub(crate) fn attributes(&mut self, attributes: &mut Attributes) -> ParseResult<()> {
        loop {
            match self.current.kind {
                TokenKind::Keyword(Keyword::Attribute) => {
                    self.bump();
                    self.expect(Punct::LParen, "after `__attribute__`")?;
                    self.expect(Punct::LParen, "after `__attribute__`")?;
                    while !self.is(Punct::RParen) {
                        self.attribute(attributes)?;
                        if !self.eat(Punct::Comma) && !self.is(Punct::RParen) {
                            return self.unexpected("`,` or `)` in an attribute");
                        }
                    }
                    self.bump();
                    self.expect(Punct::RParen, "after an attribute")?;
                }
                TokenKind::Keyword(Keyword::Asm) => {
                    self.bump();
                    self.eat_keyword(Keyword::Volatile);
                    if self.is(Punct::LParen) {
                        self.balanced()?;
                    }
                }
                TokenKind::Keyword(Keyword::Extension | Keyword::Noreturn) => {
                    self.bump();
                }
                _ => return Ok(()),
            }
        }
    }

    fn attribute(&mut self, attributes: &mut Attributes) -> ParseResult<()> {
        let name = match self.current.kind {
            TokenKind::Identifier => self.interner.text(self.current.symbol),
            TokenKind::Keyword(_) => "",
            TokenKind::Punct(Punct::Comma) => return Ok(()),
            _ => return self.unexpected("the name of an attribute"),
        };
        self.bump();
        match name.trim_matches('_') {
            "overloadable" => attributes.overloadable = true,
            "endian" => attributes.endian = Some(self.previous),
            "address_space" => attributes.vendor_space = true,
            "ext_vector_type" => attributes.vector_width = Some(self.plain_argument()),
            "packed" => attributes.layout.is_packed = true,
            "aligned" => self.alignment(attributes),
            _ => {}
        }
        if self.is(Punct::LParen) {
            self.balanced()?;
        }
        Ok(())
    }

    fn alignment(&self, attributes: &mut Attributes) {
        let alignment = u64::from(self.plain_argument());
        if alignment.is_power_of_two() && self.peek(2) == TokenKind::Punct(Punct::RParen) {
            let known = attributes.layout.alignment.unwrap_or(0);
            attributes.layout.alignment = Some(known.max(alignment));
        } else {
            attributes.layout.is_unknown = true;
        }
    }

    fn plain_argument(&self) -> u32 {
        match self.peek_token(1) {
            Some(token) if token.kind == TokenKind::Integer => {
                self.interner.text(token.symbol).parse().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Skips a parenthesised group.
    pub(crate) fn balanced(&mut self) -> ParseResult<()> {
        let open = self.current.span;
        let mut depth = 0_u32;
        loop {
            match self.current.kind {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                TokenKind::End => return self.fatal(open, "this parenthesis is never closed"),
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
