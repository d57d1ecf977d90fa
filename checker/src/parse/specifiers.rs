//! Declaration specifiers: storage classes, qualifiers and the type they stand around.

use crate::{
    parse::{attributes::Attributes, cursor::space_of},
    rule::Rule,
    sema::{
        analyser::{Analyser, Parsed},
        scopes::Binding,
    },
    space::Space,
    span::Span,
    symbol::Symbol,
    token::{Keyword, Punct, TokenKind},
    types::{Access, Qualified, Qualifiers, Scalar, Type, TypeId},
};

/// A storage-class specifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    Typedef,
    Extern,
    Static,
}

/// Where specifiers stand: decides what a trailing address space can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclaratorContext {
    /// A declarator with a name follows.
    Declaration,
    /// A declarator with or without a name follows.
    Parameter,
    /// A declarator without a name may follow.
    TypeName,
}

/// What stood before the declarators.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Specifiers {
    pub(crate) ty: Qualified,
    pub(crate) span: Span,
    pub(crate) storage: Option<(Storage, Span)>,
    pub(crate) kernel: Option<Span>,
    /// The last qualifier or typedef name that gave `ty` its space.
    pub(crate) space_span: Span,
    /// Where a qualifier of `ty` would be written: behind storage classes and `kernel`.
    pub(crate) qualifier_place: u32,
    pub(crate) attributes: Attributes,
    /// They declare or name a struct, union or enum.
    pub(crate) has_tag: bool,
}

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
    Type(Qualified),
    Int,
    Char,
    Double,
}

impl Words {
    fn any(self) -> bool {
        self.base.is_some() || self.long > 0 || self.short || self.signed || self.unsigned
    }

    fn ty(self) -> Qualified {
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

/// The type before a declarator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    pub(crate) ty: Qualified,
    /// What gave it its space.
    pub(crate) space_span: Span,
    /// Where a qualifier of it would be written.
    pub(crate) place: u32,
}

impl Specifiers {
    /// The type for the declarators behind them.
    pub(crate) fn base(&self) -> Base {
        Base { ty: self.ty, space_span: self.space_span, place: self.qualifier_place }
    }
}

impl Analyser<'_> {
    /// Read declaration specifiers, or the specifiers and qualifiers of a type name.
    pub(crate) fn specifiers(&mut self, context: DeclaratorContext) -> Parsed<Specifiers> {
        let start = self.current.span;
        let mut words = Words::default();
        let mut quals = Qualifiers::default();
        let mut found = Specifiers {
            ty: Qualified::ERROR,
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
        let mut pipe = false;
        loop {
            let span = self.current.span;
            if !is_type_begun {
                is_type_begun = !self.precedes_type();
                found.qualifier_place = span.start;
            }
            match self.current.kind {
                TokenKind::Identifier if !words.any() => {
                    let Some(ty) = self.named_type(self.current.symbol) else { break };
                    words.base = Some(Word::Type(ty));
                    if self.arena.types.space(ty).is_some() && quals.space.is_none() {
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
                        self.qualify(&mut quals, space, span);
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
                        Keyword::Auto | Keyword::Register => self.superfluous(
                            Rule::DeclarationAutoRegister,
                            span,
                            "`auto` and `register` are not supported",
                        ),
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
                        Keyword::Pipe => pipe = true,
                        Keyword::Inline
                        | Keyword::Complex
                        | Keyword::Imaginary
                        | Keyword::Atomic => {}
                        Keyword::Alignas => {
                            self.bump();
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
        let mut ty = words.ty();
        if let Some(access) = access
            && let Type::Image { kind, .. } = self.arena.types.of(ty)
        {
            ty.id = TypeId::image(kind, access);
        }
        if pipe {
            ty = self.arena.types.pipe(ty).plain();
        }
        if let Some(width) = found.attributes.vector_width {
            ty = self.widened(ty, width);
        }
        if let Some(span) = restrict
            && !matches!(self.arena.types.of(ty), Type::Pointer(_) | Type::Error)
        {
            self.superfluous(Rule::QualifierRestrict, span, "`restrict` qualifies pointers only");
            quals.is_restrict = false;
        }
        if found.attributes.vendor_space {
            quals.space = Some(Space::Vendor);
        }
        found.ty = self.with_qualifiers(ty, quals, found.space_span);
        Ok(found)
    }

    /// Whether `keyword`, behind a struct, union or enum, can only begin another declaration.
    fn begins_declaration(&self, keyword: Keyword) -> bool {
        keyword.names_type() || keyword == Keyword::Kernel && self.is_behind(Punct::RBrace)
    }

    /// Whether the current token stands before a type and its qualifiers.
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

    /// Qualifiers written beside a type whose own, from a typedef, they must not contradict.
    fn with_qualifiers(&mut self, ty: Qualified, quals: Qualifiers, span: Span) -> Qualified {
        if quals == Qualifiers::default() {
            return ty;
        }
        let mut own = self.arena.types.quals(ty);
        if let Some(space) = quals.space {
            self.qualify_again(&mut own, space, span);
        }
        self.arena.types.requalified(ty, |_| own.union(quals))
    }

    /// Read one type specifier into `words`; `false` if `keyword` is none.
    fn type_word(&mut self, keyword: Keyword, words: &mut Words) -> Parsed<bool> {
        let scalar = |scalar| Some(Word::Type(TypeId::scalar(scalar).plain()));
        match keyword {
            Keyword::Void => words.base = Some(Word::Type(Qualified::VOID)),
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

    fn typeof_specifier(&mut self) -> Parsed<Qualified> {
        self.bump();
        self.expect(Punct::LParen, "after `typeof`")?;
        self.enter()?;
        let ty = if self.starts_type(0) {
            self.type_name()?.ty
        } else {
            // An expression's space is inferred, nobody asked for it here.
            let ty = self.expression()?.ty;
            self.arena.types.requalified(ty, |quals| Qualifiers { space: None, ..quals })
        };
        self.leave();
        self.expect(Punct::RParen, "after the operand of `typeof`")?;
        Ok(ty)
    }

    /// The type `symbol` names here, if any.
    fn named_type(&self, symbol: Symbol) -> Option<Qualified> {
        match self.arena.names.get(symbol) {
            Some(Binding::Typedef(ty)) => Some(ty),
            Some(_) => None,
            None => {
                let name = self.arena.predefined.get(symbol)?;
                name.exists_in(self.dialect).then(|| name.id.plain())
            }
        }
    }

    /// `ext_vector_type`: a vector of `ty`.
    pub(crate) fn widened(&mut self, ty: Qualified, width: u32) -> Qualified {
        match self.arena.types.of(ty) {
            Type::Scalar(element) if (1..=64).contains(&width) => {
                Qualified { id: self.arena.types.vector(element, width), ..ty }
            }
            _ => Qualified { id: TypeId::ERROR, ..ty },
        }
    }

    fn storage(&mut self, found: &mut Specifiers, storage: Storage) {
        let span = self.current.span;
        if found.storage.is_some() {
            self.warn(span, "a declaration has one storage class at most");
            return;
        }
        found.storage = Some((storage, span));
    }

    /// Add a space to the qualifiers of one level.
    pub(crate) fn qualify(&mut self, quals: &mut Qualifiers, space: Space, span: Span) {
        if space == Space::Generic {
            if !self.dialect.generic_space() {
                self.superfluous(
                    Rule::QualifierGenericSpelled,
                    span,
                    "`generic` is reserved and not a qualifier",
                );
                // What it was meant to say is unknown here, so nothing more is said of it.
                quals.space = quals.space.or(Some(Space::Vendor));
                return;
            }
            self.disputed(
                Rule::QualifierGenericSpelled,
                span,
                "`generic` is written as a qualifier",
                "[address-space-qualifiers] reserves the name for future use; the pages of OpenCL \
                 2.0 list it among the qualifiers",
            );
        }
        self.qualify_again(quals, space, span);
        quals.space = quals.space.or(Some(space));
    }

    fn qualify_again(&mut self, quals: &mut Qualifiers, space: Space, span: Span) {
        match quals.space {
            Some(other) if other == space => self.disputed(
                Rule::QualifierConflicting,
                span,
                format!("`{}` is written twice for one level of a type", space.name()),
                "[address-space-qualifiers] allows no multiple address spaces; C99 6.7.3 lets a \
                 qualifier be repeated",
            ),
            Some(other) => self.broken(
                Rule::QualifierConflicting,
                span,
                format!("this type is already in `{}`", other.name()),
            ),
            None => {}
        }
    }

    /// Whether the space's name at the current token, after a type or a star, can only be meant as an ordinary name:
    /// a name is needed, and nothing behind it could be one. `has_tag`: what stands before declares something itself.
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

    fn no_type(&mut self, quals: Qualifiers) -> Parsed<Specifiers> {
        if self.current.kind == TokenKind::Identifier {
            let name = self.interner.text(self.current.symbol);
            let message = if self.arena.predefined.get(self.current.symbol).is_some() {
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
