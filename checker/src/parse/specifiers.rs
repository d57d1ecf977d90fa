//! Declaration specifiers: storage classes, qualifiers and the type they stand around.

use crate::{
    parse::{
        ParseResult, Parser,
        actions::Actions,
        cursor::space_of,
        syntax::{Attributes, DeclaratorContext, Specifiers, Storage, TypeSpecifiers},
    },
    token::{Keyword, Punct, TokenKind},
    types::{Access, QualifiedType, Qualifiers, Scalar, TypeId},
};

/// The type words seen so far.
#[derive(Clone, Copy, Debug, Default)]
struct Words {
    base: Option<Word>,
    long: u8,
    short: bool,
    signed: bool,
    unsigned: bool,
}

#[derive(Clone, Copy, Debug)]
enum Word {
    Type(QualifiedType),
    Int,
    Char,
    Double,
}

impl Words {
    fn any(self) -> bool {
        self.base.is_some() || self.long > 0 || self.short || self.signed || self.unsigned
    }

    fn ty(self) -> QualifiedType {
        let scalar = match self.base {
            Some(Word::Type(ty)) => return ty,
            Some(Word::Double) => Scalar::Double,
            Some(Word::Char) if self.unsigned => Scalar::UChar,
            Some(Word::Char) => Scalar::Char,
            Some(Word::Int) | None => match (self.short, self.long > 0, self.unsigned) {
                (true, _, false) => Scalar::Short,
                (true, _, true) => Scalar::UShort,
                (false, true, false) => Scalar::Long,
                (false, true, true) => Scalar::ULong,
                (false, false, false) => Scalar::Int,
                (false, false, true) => Scalar::UInt,
            },
        };
        TypeId::scalar(scalar).plain()
    }
}

impl<A: Actions> Parser<'_, A> {
    /// Reads declaration specifiers, or the specifiers and qualifiers of a type name.
    pub(crate) fn specifiers(&mut self, context: DeclaratorContext) -> ParseResult<Specifiers> {
        let start = self.current.span;
        let mut words = Words::default();
        let mut quals = Qualifiers::default();
        let mut found = Specifiers {
            ty: QualifiedType::ERROR,
            span: start,
            storage: None,
            kernel: None,
            space_span: start,
            qualifier_place: start.start,
            attributes: Attributes::default(),
            has_tag: false,
        };
        let mut is_type_begun = false;
        let mut access = None;
        let mut restrict = None;
        let mut is_pipe = false;
        loop {
            let span = self.current.span;
            if !is_type_begun {
                is_type_begun = !self.precedes_type();
                found.qualifier_place = span.start;
            }
            match self.current.kind {
                TokenKind::Identifier if !words.any() => {
                    let Some(ty) = self.actions.named_type(self.current.symbol) else { break };
                    words.base = Some(Word::Type(ty));
                    if self.actions.has_space(ty) && quals.space.is_none() {
                        found.space_span = span;
                    }
                    self.bump();
                }
                TokenKind::Keyword(keyword) => {
                    let has_tag = found.has_tag;
                    if let Some(space) = space_of(self.current.kind) {
                        if words.any() && self.space_is_name(context, has_tag) {
                            break;
                        }
                        self.bump();
                        self.actions.qualify(&mut quals, space, span);
                        found.space_span = span;
                        continue;
                    }
                    if found.has_tag && self.begins_declaration(keyword) {
                        break;
                    }
                    if self.type_word(keyword, &mut words)? {
                        found.has_tag |=
                            matches!(keyword, Keyword::Struct | Keyword::Union | Keyword::Enum);
                        continue;
                    }
                    match keyword {
                        Keyword::Typedef => self.storage(&mut found, Storage::Typedef),
                        Keyword::Extern => self.storage(&mut found, Storage::Extern),
                        Keyword::Static => self.storage(&mut found, Storage::Static),
                        Keyword::Auto | Keyword::Register => {
                            self.actions.unsupported_storage_class(span);
                        }
                        Keyword::Kernel => found.kernel = Some(span),
                        Keyword::Const => quals.is_const = true,
                        Keyword::Volatile => quals.is_volatile = true,
                        Keyword::Restrict => {
                            quals.is_restrict = true;
                            restrict = Some(span);
                        }
                        Keyword::ReadOnly => access = Some(Access::Read),
                        Keyword::WriteOnly => access = Some(Access::Write),
                        Keyword::ReadWrite => access = Some(Access::ReadWrite),
                        Keyword::Pipe => is_pipe = true,
                        Keyword::Inline
                        | Keyword::Complex
                        | Keyword::Imaginary
                        | Keyword::Atomic => {}
                        Keyword::Alignas => {
                            self.bump();
                            found.attributes.layout.is_unknown = true;
                            if self.is(Punct::LParen) {
                                self.balanced()?;
                            }
                            continue;
                        }
                        Keyword::Attribute | Keyword::Extension | Keyword::Noreturn => {
                            self.attributes(&mut found.attributes)?;
                            continue;
                        }
                        _ => break,
                    }
                    self.bump();
                }
                _ => break,
            }
        }
        found.span = start.to(self.previous);
        if !words.any() {
            return self.no_type(quals);
        }
        found.ty = self.actions.specified_type(&TypeSpecifiers {
            base: words.ty(),
            quals,
            space_span: found.space_span,
            access,
            is_pipe,
            restrict,
            attributes: found.attributes,
        });
        Ok(found)
    }

    /// Whether `keyword`, after a struct, union or enum, can only begin another declaration.
    fn begins_declaration(&self, keyword: Keyword) -> bool {
        keyword.names_type() || keyword == Keyword::Kernel && self.is_behind(Punct::RBrace)
    }

    /// Whether the current token comes before a type and its qualifiers.
    fn precedes_type(&self) -> bool {
        matches!(
            self.current.kind,
            TokenKind::Keyword(
                Keyword::Typedef
                    | Keyword::Extern
                    | Keyword::Static
                    | Keyword::Auto
                    | Keyword::Register
                    | Keyword::Kernel
                    | Keyword::Inline
                    | Keyword::Noreturn
                    | Keyword::Extension
                    | Keyword::Attribute
            )
        )
    }

    /// Reads one type specifier into `words`. Returns `false` if `keyword` is none.
    fn type_word(&mut self, keyword: Keyword, words: &mut Words) -> ParseResult<bool> {
        let scalar = |scalar| Some(Word::Type(TypeId::scalar(scalar).plain()));
        match keyword {
            Keyword::Void => words.base = Some(Word::Type(QualifiedType::VOID)),
            Keyword::Bool => words.base = scalar(Scalar::Bool),
            Keyword::Half => words.base = scalar(Scalar::Half),
            Keyword::Float => words.base = scalar(Scalar::Float),
            Keyword::Char => words.base = Some(Word::Char),
            Keyword::Int => words.base = words.base.or(Some(Word::Int)),
            Keyword::Double => words.base = Some(Word::Double),
            Keyword::Short => words.short = true,
            Keyword::Long => words.long = words.long.saturating_add(1),
            Keyword::Signed => words.signed = true,
            Keyword::Unsigned => words.unsigned = true,
            Keyword::Struct | Keyword::Union => {
                words.base = Some(Word::Type(self.record_specifier()?));
                return Ok(true);
            }
            Keyword::Enum => {
                words.base = Some(Word::Type(self.enum_specifier()?));
                return Ok(true);
            }
            Keyword::Typeof => {
                words.base = Some(Word::Type(self.typeof_specifier()?));
                return Ok(true);
            }
            Keyword::Atomic if self.peek(1) == TokenKind::Punct(Punct::LParen) => {
                self.bump();
                self.bump();
                words.base = Some(Word::Type(self.type_name()?.ty));
                self.expect(Punct::RParen, "after a type")?;
                return Ok(true);
            }
            _ => return Ok(false),
        }
        self.bump();
        Ok(true)
    }

    fn typeof_specifier(&mut self) -> ParseResult<QualifiedType> {
        self.bump();
        self.expect(Punct::LParen, "after `typeof`")?;
        self.enter()?;
        let ty = if self.starts_type(0) {
            self.type_name()?.ty
        } else {
            self.actions.begin_unevaluated();
            let operand = self.expression()?;
            self.actions.end_unevaluated();
            self.actions.typeof_operand(operand)
        };
        self.leave();
        self.expect(Punct::RParen, "after the operand of `typeof`")?;
        Ok(ty)
    }

    fn storage(&mut self, found: &mut Specifiers, storage: Storage) {
        let span = self.current.span;
        if found.storage.is_some() {
            self.actions.warn(span, "a declaration has one storage class at most");
            return;
        }
        found.storage = Some((storage, span));
    }

    /// Whether the name of a space at the current token, after a type or a star, can only be meant as an ordinary
    /// name: a name is needed and the next token is none. `has_tag` means that the specifiers declare a type on their
    /// own.
    pub(crate) fn space_is_name(&mut self, context: DeclaratorContext, has_tag: bool) -> bool {
        let TokenKind::Punct(next) = self.peek(1) else { return false };
        match context {
            DeclaratorContext::TypeName => false,
            // C99 6.9.1: only the parameters of a definition need names.
            DeclaratorContext::Parameter => {
                matches!(next, Punct::Comma | Punct::RParen | Punct::LBracket)
                    && self.parameters_are_of_definition()
            }
            DeclaratorContext::Declaration => match next {
                Punct::Semi => !has_tag,
                Punct::Eq | Punct::Comma | Punct::LBracket | Punct::RParen | Punct::Colon => true,
                Punct::LParen => {
                    self.peek(2) == TokenKind::Punct(Punct::RParen) || self.starts_type(2)
                }
                _ => false,
            },
        }
    }

    fn no_type(&mut self, quals: Qualifiers) -> ParseResult<Specifiers> {
        if self.current.kind == TokenKind::Identifier {
            let name = self.interner.text(self.current.symbol);
            let message = if self.actions.is_predefined_type(self.current.symbol) {
                format!("there is no type `{name}` in this dialect")
            } else {
                format!("unknown type name `{name}`")
            };
            return self.fatal(self.current.span, message);
        }
        let wanted =
            if quals.space.is_some() { "a type after an address space" } else { "a declaration" };
        self.unexpected(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::{Word, Words};
    use crate::types::{Scalar, TypeId};

    #[test]
    fn words_combine() {
        let words = Words { unsigned: true, ..Words::default() };
        assert_eq!(words.ty().id, TypeId::scalar(Scalar::UInt));
        let words = Words { base: Some(Word::Int), long: 2, unsigned: true, ..Words::default() };
        assert_eq!(words.ty().id, TypeId::scalar(Scalar::ULong));
    }
}
