//! `struct`, `union` and `enum`.

use crate::{
    parse::{
        attributes::Attributes,
        specifiers::{Base, DeclaratorContext},
    },
    sema::{
        analyser::{Analyser, Parsed},
        scopes::Binding,
    },
    symbol::Symbol,
    token::{Keyword, Punct, TokenKind},
    types::{Member, Qualified, RecordId, Type, TypeId},
};

impl Analyser<'_> {
    /// `struct` or `union` with a tag, a list of members or both.
    pub(crate) fn record_specifier(&mut self) -> Parsed<Qualified> {
        let is_union = self.is_keyword(Keyword::Union);
        self.bump();
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let tag = self.tag(if is_union { "a union's name" } else { "a struct's name" })?;
        self.attributes(&mut attributes)?;
        if !self.is(Punct::LBrace) {
            return Ok(self.tagged(tag, is_union).plain());
        }
        let id = self.new_record(tag, is_union);
        self.enter()?;
        self.bump();
        let start = self.arena.members.len();
        while !self.is(Punct::RBrace) {
            self.member_declaration()?;
        }
        self.bump();
        self.leave();
        self.attributes(&mut attributes)?;
        if let Type::Record(record) = self.arena.types.get(id) {
            self.complete(record, start);
        }
        self.arena.members.truncate(start);
        Ok(id.plain())
    }

    fn complete(&mut self, record: RecordId, start: usize) {
        self.arena.types.complete_record(record, &self.arena.members[start..]);
    }

    fn tag(&mut self, what: &str) -> Parsed<Option<Symbol>> {
        if self.is(Punct::LBrace) { Ok(None) } else { self.name(what) }
    }

    /// The type `tag` names, declared here if it is new.
    fn tagged(&mut self, tag: Option<Symbol>, is_union: bool) -> TypeId {
        let Some(tag) = tag else { return TypeId::ERROR };
        let here = self.is(Punct::Semi);
        let known = if here { self.arena.tags.get_here(tag) } else { self.arena.tags.get(tag) };
        if let Some(id) = known {
            return id;
        }
        let id = self.arena.types.add_record(Some(tag), is_union);
        self.arena.tags.declare(tag, id);
        id
    }

    /// The type a list of members is about to complete.
    fn new_record(&mut self, tag: Option<Symbol>, is_union: bool) -> TypeId {
        if let Some(tag) = tag {
            if let Some(id) = self.arena.tags.get_here(tag)
                && let Type::Record(record) = self.arena.types.get(id)
                && !self.arena.types.record(record).complete
            {
                return id;
            }
            let id = self.arena.types.add_record(Some(tag), is_union);
            self.arena.tags.declare(tag, id);
            return id;
        }
        self.arena.types.add_record(None, is_union)
    }

    fn member_declaration(&mut self) -> Parsed<()> {
        if self.eat(Punct::Semi) {
            return Ok(());
        }
        if self.is_keyword(Keyword::StaticAssert) {
            return self.static_assertion();
        }
        let specifiers = self.specifiers(DeclaratorContext::Declaration)?;
        if self.eat(Punct::Semi) {
            // Only a definition without a tag makes its members those of the record around.
            if let Type::Record(id) = self.arena.types.of(specifiers.ty)
                && specifiers.has_tag
                && self.arena.types.record(id).tag.is_none()
            {
                let ty = self.member_type(specifiers.ty, specifiers.space_span, specifiers.span);
                self.arena.members.push(Member { name: None, ty, is_bit_field: false });
            }
            return Ok(());
        }
        loop {
            self.member_declarator(specifiers.base())?;
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.end_of_item("after a member")?;
        Ok(())
    }

    fn member_declarator(&mut self, base: Base) -> Parsed<()> {
        let start = self.current.span;
        let mut attributes = Attributes::default();
        if self.eat(Punct::Colon) {
            self.conditional()?;
            return self.attributes(&mut attributes);
        }
        let declarator = self.declarator(base, DeclaratorContext::Declaration)?;
        let is_bit_field = self.eat(Punct::Colon);
        if is_bit_field {
            self.warn(self.previous, "bit-fields are not supported by the language");
            self.conditional()?;
        }
        self.attributes(&mut attributes)?;
        let span = if declarator.name.is_some() { declarator.span } else { start };
        let mut ty = self.member_type(declarator.ty, declarator.space_span, span);
        if let Some(width) = attributes.vector_width {
            ty = self.widened(ty, width);
        }
        if declarator.name.is_some() {
            self.arena.members.push(Member { name: declarator.name, ty, is_bit_field });
        }
        Ok(())
    }

    /// `enum`: its constants and it itself are `int`.
    pub(crate) fn enum_specifier(&mut self) -> Parsed<Qualified> {
        self.bump();
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let tag = self.tag("an enumeration's name")?;
        self.attributes(&mut attributes)?;
        if self.eat(Punct::LBrace) {
            self.enter()?;
            let mut next = 0_i64;
            while !self.is(Punct::RBrace) {
                let name = self.name("an enumeration constant")?;
                self.attributes(&mut attributes)?;
                if self.eat(Punct::Eq) {
                    next = self.conditional()?.integer().unwrap_or(next);
                }
                if let Some(name) = name {
                    self.arena.names.declare(name, Binding::Enumerator(next));
                }
                next = next.wrapping_add(1);
                if !self.eat(Punct::Comma) && !self.is(Punct::RBrace) {
                    return self.unexpected("`,` or `}` after an enumeration constant");
                }
            }
            self.bump();
            self.leave();
            self.attributes(&mut attributes)?;
        }
        if let Some(tag) = tag
            && self.arena.tags.get_here(tag).is_none()
        {
            self.arena.tags.declare(tag, TypeId::INT);
        }
        Ok(Qualified::INT)
    }

    /// `_Static_assert(condition, "message");`
    pub(crate) fn static_assertion(&mut self) -> Parsed<()> {
        self.bump();
        self.expect(Punct::LParen, "after `_Static_assert`")?;
        let condition = self.conditional()?;
        if condition.integer() == Some(0) {
            self.warn(condition.span, "this static assertion fails");
        }
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
