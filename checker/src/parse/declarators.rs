//! Declarators: the stars, brackets and parameter lists around a name.

use crate::{
    fix::Places,
    parse::{
        attributes::Attributes,
        cursor::space_of,
        specifiers::{Base, DeclaratorContext, Storage},
    },
    rule::Rule,
    sema::{
        analyser::{Analyser, Parsed},
        operand::{Constness, Operand},
    },
    span::Span,
    symbol::Symbol,
    token::{Keyword, Punct, TokenKind},
    types::{Length, Parameter, Qualified, Qualifiers, Type, TypeId},
};

/// One level of a declarator, from the name outward.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Chunk {
    Pointer { quals: Qualifiers, span: Span, space_span: Span },
    Block { quals: Qualifiers, span: Span },
    Array { length: Length, beside: BesideLength, span: Span },
    Function { first: u32, count: u32, variadic: bool },
}

/// What stands within the brackets of an array beside its length.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BesideLength {
    quals: Qualifiers,
    /// The first qualifier or `static`.
    first: Option<Span>,
    space: Option<Span>,
}

/// A declarator applied to the type before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declarator {
    pub(crate) name: Option<Symbol>,
    /// The name's place, or the whole declarator's where there is none.
    pub(crate) span: Span,
    pub(crate) ty: Qualified,
    /// What put the declared object into its space.
    pub(crate) space_span: Span,
    /// Qualifiers inside the brackets of an array parameter.
    pub(crate) array_quals: Qualifiers,
    /// Where the spaces that are not written would be.
    pub(crate) places: Places,
    /// The outermost level was written here as a parameter list.
    pub(crate) is_function: bool,
}

/// A type name, as in a cast.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeName {
    pub(crate) ty: Qualified,
    /// What gave it its space.
    pub(crate) space_span: Span,
    pub(crate) places: Places,
}

impl Analyser<'_> {
    /// Read a declarator; in [`DeclaratorContext::Declaration`] it must have a name.
    pub(crate) fn declarator(
        &mut self,
        base: Base,
        context: DeclaratorContext,
    ) -> Parsed<Declarator> {
        let start = self.arena.chunks.len();
        let first_parameter = self.arena.parameters.len();
        let at = self.current.span;
        let name = self.declarator_levels(context)?;
        let whole = if self.previous.start >= at.start { at.to(self.previous) } else { at };
        let (name, span) = match name {
            Some((name, span)) => (name, span),
            None => (None, whole),
        };
        let outermost = self.arena.chunks.get(start).copied();
        let levels = &self.arena.chunks[start..];
        let (parameter, inner) = match levels {
            [Chunk::Array { beside, .. }, inner @ ..]
                if context == DeclaratorContext::Parameter =>
            {
                (*beside, inner)
            }
            _ => (BesideLength::default(), levels),
        };
        let mut space_span = base.space_span;
        for level in levels {
            match *level {
                Chunk::Array { .. } => {}
                Chunk::Pointer { space_span: own, .. } => {
                    space_span = own;
                    break;
                }
                _ => break,
            }
        }
        let space_span = parameter.space.unwrap_or(space_span);
        let out_of_place = inner.iter().find_map(|level| match level {
            Chunk::Array { beside, .. } => beside.first,
            _ => None,
        });
        if let Some(span) = out_of_place {
            self.superfluous(
                Rule::QualifierArrayBrackets,
                span,
                "these are not the outermost brackets of an array parameter",
            );
        }
        let places = self.places(base, start, span, context);
        let ty = self.build(base.ty, base.space_span, start);
        self.arena.chunks.truncate(start);
        self.arena.parameters.truncate(first_parameter);
        if self.arena.types.overflowed() {
            return self.hopeless(span, "this type is nested too deeply");
        }
        let is_function = matches!(outermost, Some(Chunk::Function { .. }));
        let array_quals = parameter.quals;
        Ok(Declarator { name, span, ty, space_span, array_quals, places, is_function })
    }

    /// Push the levels of one declarator, outermost first, and return its name: `Some((None, _))` where a name
    /// was wanted and a reserved word found.
    fn declarator_levels(
        &mut self,
        context: DeclaratorContext,
    ) -> Parsed<Option<(Option<Symbol>, Span)>> {
        self.enter()?;
        let pointers = self.pointer_levels(context)?;
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let name = match self.current.kind {
            TokenKind::Identifier => {
                let token = self.bump();
                Some((Some(token.symbol), token.span))
            }
            TokenKind::Punct(Punct::LParen) if self.is_nested_declarator(context) => {
                self.bump();
                self.attributes(&mut attributes)?;
                let name = self.declarator_levels(context)?;
                self.expect(Punct::RParen, "after a declarator")?;
                name
            }
            TokenKind::Keyword(_) if self.space_word().is_some() => {
                let token = self.reserved_name();
                Some((None, token.span))
            }
            _ if context == DeclaratorContext::Declaration => {
                return self.unexpected("a name to declare");
            }
            _ => None,
        };
        self.suffix_levels()?;
        // The pointers before the name apply after the suffixes behind it, the nearest first.
        self.arena.chunks.extend(pointers.into_iter().rev());
        self.leave();
        Ok(name)
    }

    fn pointer_levels(&mut self, context: DeclaratorContext) -> Parsed<Vec<Chunk>> {
        let mut pointers = Vec::new();
        loop {
            let span = self.current.span;
            let is_block = match self.current.kind {
                TokenKind::Punct(Punct::Star) => false,
                TokenKind::Punct(Punct::Caret) => true,
                _ => return Ok(pointers),
            };
            if pointers.len() > 200 {
                return self.hopeless(span, "this type is nested too deeply");
            }
            self.bump();
            let (quals, space_span) = self.pointer_qualifiers(context, span)?;
            pointers.push(if is_block {
                Chunk::Block { quals, span }
            } else {
                Chunk::Pointer { quals, span, space_span }
            });
        }
    }

    fn pointer_qualifiers(
        &mut self,
        context: DeclaratorContext,
        star: Span,
    ) -> Parsed<(Qualifiers, Span)> {
        let mut quals = Qualifiers::default();
        let mut space_span = star;
        let mut attributes = Attributes::default();
        loop {
            let span = self.current.span;
            if let Some(space) = space_of(self.current.kind) {
                if self.space_is_name(context, false) {
                    return Ok((quals, space_span));
                }
                self.bump();
                self.qualify(&mut quals, space, span);
                space_span = span;
                continue;
            }
            match self.current.kind {
                TokenKind::Keyword(Keyword::Const) => quals.is_const = true,
                TokenKind::Keyword(Keyword::Volatile) => quals.is_volatile = true,
                TokenKind::Keyword(Keyword::Restrict) => quals.is_restrict = true,
                TokenKind::Keyword(Keyword::Atomic) => {}
                TokenKind::Keyword(Keyword::Attribute | Keyword::Extension) => {
                    self.attributes(&mut attributes)?;
                    continue;
                }
                _ => return Ok((quals, space_span)),
            }
            self.bump();
        }
    }

    /// Whether the parenthesis here holds a declarator rather than parameters.
    fn is_nested_declarator(&self, context: DeclaratorContext) -> bool {
        if context == DeclaratorContext::Declaration {
            return true;
        }
        match self.peek(1) {
            TokenKind::Punct(Punct::Star | Punct::Caret | Punct::LParen | Punct::LBracket)
            | TokenKind::Keyword(Keyword::Attribute) => true,
            TokenKind::Identifier => !self.starts_type(1),
            _ => false,
        }
    }

    fn suffix_levels(&mut self) -> Parsed<()> {
        let start = self.arena.chunks.len();
        loop {
            match self.current.kind {
                TokenKind::Punct(Punct::LBracket) => self.array_level()?,
                TokenKind::Punct(Punct::LParen) => self.function_level()?,
                _ => return Ok(()),
            }
            if self.arena.chunks.len() - start > 200 {
                return self.hopeless(self.current.span, "this type is nested too deeply");
            }
        }
    }

    fn array_level(&mut self) -> Parsed<()> {
        let open = self.bump().span;
        let mut beside = BesideLength::default();
        loop {
            let span = self.current.span;
            match self.current.kind {
                TokenKind::Keyword(Keyword::Static) => {}
                TokenKind::Keyword(Keyword::Const) => beside.quals.is_const = true,
                TokenKind::Keyword(Keyword::Volatile) => beside.quals.is_volatile = true,
                TokenKind::Keyword(Keyword::Restrict) => beside.quals.is_restrict = true,
                kind => match space_of(kind) {
                    Some(space) => {
                        self.qualify(&mut beside.quals, space, span);
                        beside.space = Some(span);
                    }
                    None => break,
                },
            }
            beside.first = beside.first.or(Some(span));
            self.bump();
        }
        let is_star = self.is(Punct::Star) && self.peek(1) == TokenKind::Punct(Punct::RBracket);
        let length = if self.is(Punct::RBracket) {
            Length::Unsized
        } else if is_star {
            self.bump();
            Length::Variable
        } else {
            self.enter()?;
            let size = self.assignment()?;
            self.leave();
            let size = self.rvalue(size);
            self.array_length(&size)
        };
        self.expect(Punct::RBracket, "after an array's size")?;
        let span = open.to(self.previous);
        self.arena.chunks.push(Chunk::Array { length, beside, span });
        Ok(())
    }

    fn array_length(&mut self, size: &Operand) -> Length {
        match size.constness {
            Constness::Integer(value) | Constness::Folded(value) => {
                if let Constness::Folded(_) = size.constness {
                    self.disputed(
                        Rule::DeclarationArraySize,
                        size.span,
                        "the size of this array is the value of a variable",
                        "C99 6.6 does not count a const variable among constant expressions, which makes the \
                         array one of variable length; it also lets implementations accept further forms",
                    );
                }
                if let Ok(length) = u64::try_from(value) {
                    return Length::Known(length);
                }
                self.broken(
                    Rule::DeclarationArraySize,
                    size.span,
                    "an array cannot have a negative size",
                );
                Length::Opaque
            }
            Constness::Floating(_)
            | Constness::Arithmetic
            | Constness::Address
            | Constness::IntegerAddress => Length::Opaque,
            Constness::Variable => Length::Variable,
        }
    }

    fn function_level(&mut self) -> Parsed<()> {
        self.bump();
        self.enter()?;
        let start = self.arena.parameters.len();
        let mut variadic = false;
        let outer = self.list_is_of_definition.take();
        self.enter_scope();
        let is_void =
            self.is_keyword(Keyword::Void) && self.peek(1) == TokenKind::Punct(Punct::RParen);
        if is_void {
            self.bump();
        }
        while !self.is(Punct::RParen) {
            if self.is(Punct::Ellipsis) {
                variadic = true;
                let span = self.bump().span;
                self.broken(
                    Rule::ParameterVariadic,
                    span,
                    "functions with a variable number of arguments are not supported",
                );
                break;
            }
            let parameter = self.parameter()?;
            self.arena.parameters.push(parameter);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.leave_scope();
        self.list_is_of_definition = outer;
        self.expect(Punct::RParen, "after the parameters")?;
        self.leave();
        let first = start as u32;
        let count = self.arena.parameters.len() as u32 - first;
        self.arena.chunks.push(Chunk::Function { first, count, variadic });
        Ok(())
    }

    /// Whether a body follows the parameter list that is being read.
    pub(crate) fn parameters_are_of_definition(&mut self) -> bool {
        if let Some(known) = self.list_is_of_definition {
            return known;
        }
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        let mut kinds = rest
            .iter()
            .map(|token| token.kind)
            .filter(|kind| *kind != TokenKind::Pragma)
            .peekable();
        skip_to_end_of_list(&mut kinds);
        while kinds.next_if_eq(&TokenKind::Keyword(Keyword::Attribute)).is_some() {
            kinds.next();
            skip_to_end_of_list(&mut kinds);
        }
        let is_definition = kinds.next() == Some(TokenKind::Punct(Punct::LBrace));
        self.list_is_of_definition = Some(is_definition);
        is_definition
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let specifiers = self.specifiers(DeclaratorContext::Parameter)?;
        if let Some((Storage::Static | Storage::Extern | Storage::Typedef, span)) =
            specifiers.storage
        {
            self.warn(span, "a parameter has no storage class");
        }
        let mut declarator = self.declarator(specifiers.base(), DeclaratorContext::Parameter)?;
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        if declarator.name.is_none() && self.previous.end > specifiers.span.start {
            declarator.span = specifiers.span.to(self.previous);
        }
        self.endian_attribute(&attributes, declarator.ty);
        let ty = self.parameter_type(&declarator);
        if let Some(name) = declarator.name {
            self.declare_parameter(name, ty, declarator.span, declarator.places.pointee);
        }
        let pointee_place = declarator.places.pointee;
        Ok(Parameter { name: declarator.name, ty, span: declarator.span, pointee_place })
    }

    /// Where the spaces that the levels from `start` on leave out would be written; `name` is the declared name.
    fn places(&self, base: Base, start: usize, name: Span, context: DeclaratorContext) -> Places {
        let levels = &self.arena.chunks[start..];
        let is_array = |level: &&Chunk| matches!(level, Chunk::Array { .. });
        let base_place = self.arena.types.space(base.ty).is_none().then_some(base.place);
        let object = match levels.iter().find(|level| !is_array(level)) {
            Some(Chunk::Pointer { quals, .. }) => quals.space.is_none().then_some(name.start),
            Some(_) => None,
            None => base_place,
        };
        let of_value = match levels {
            [Chunk::Function { .. }, result @ ..] => result,
            levels => levels,
        };
        let of_target = match of_value {
            [Chunk::Pointer { .. }, inner @ ..] => Some(inner),
            [Chunk::Array { .. }, inner @ ..] if context == DeclaratorContext::Parameter => {
                Some(inner)
            }
            _ => None,
        };
        let pointee =
            of_target.and_then(|levels| match levels.iter().find(|level| !is_array(level)) {
                Some(Chunk::Pointer { quals, span, .. }) => {
                    quals.space.is_none().then_some(span.end)
                }
                Some(_) => None,
                None => base_place,
            });
        Places { object, pointee }
    }

    /// Apply the levels from `start` on to `base`, innermost first.
    fn build(&mut self, base: Qualified, base_space_span: Span, start: usize) -> Qualified {
        let mut ty = base;
        let mut space_span = base_space_span;
        for index in (start..self.arena.chunks.len()).rev() {
            ty = match self.arena.chunks[index] {
                Chunk::Pointer { quals, span, space_span: own } => {
                    let pointed_at = ty;
                    let ty = self.pointer_type(pointed_at, span);
                    space_span = own;
                    Qualified { quals, ..ty }
                }
                Chunk::Array { length, span, .. } => self.array_type(ty, length, span),
                Chunk::Function { first, count, variadic } => {
                    // What a block returns is nowhere restricted.
                    let of_block = index > start
                        && matches!(self.arena.chunks[index - 1], Chunk::Block { .. });
                    let result = if of_block {
                        self.without_space(ty)
                    } else {
                        self.result_type(ty, space_span)
                    };
                    let parameters = &self.arena.parameters[first as usize..][..count as usize];
                    let signature = self.arena.types.add_signature(result, parameters, variadic);
                    self.arena.types.function(signature).plain()
                }
                Chunk::Block { quals, span } => {
                    space_span = span;
                    match self.arena.types.of(ty) {
                        Type::Function(signature) => {
                            let id = self.arena.types.block(signature);
                            Qualified { id, quals }
                        }
                        Type::Error => ty,
                        _ => {
                            self.warn(span, "only a function type can be made a block type");
                            Qualified { id: TypeId::ERROR, quals }
                        }
                    }
                }
            };
        }
        ty
    }

    /// A type name, as in a cast, with the place of its space.
    pub(crate) fn type_name(&mut self) -> Parsed<TypeName> {
        let specifiers = self.specifiers(DeclaratorContext::TypeName)?;
        if self.is(Punct::RParen) {
            let places = Places::default();
            return Ok(TypeName { ty: specifiers.ty, space_span: specifiers.space_span, places });
        }
        let declarator = self.declarator(specifiers.base(), DeclaratorContext::TypeName)?;
        Ok(TypeName {
            ty: declarator.ty,
            space_span: declarator.space_span,
            places: declarator.places,
        })
    }
}

/// Step behind the parenthesis that closes the list inside which `kinds` begins.
fn skip_to_end_of_list(kinds: &mut impl Iterator<Item = TokenKind>) {
    let mut depth = 1_u32;
    for kind in kinds {
        match kind {
            TokenKind::Punct(Punct::LParen) => depth += 1,
            TokenKind::Punct(Punct::RParen) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}
