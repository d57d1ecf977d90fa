//! Declarators applied to the type before them.

use crate::{
    fix::{Places, SpaceSite},
    parse::syntax::{Base, Brackets, Declarator, DeclaratorContext, Level, WrittenDeclarator},
    rule::Rule,
    sema::{
        analyser::Analyser,
        operand::{Constness, Operand},
    },
    types::{Length, QualifiedType, Type, TypeId},
};

impl Analyser<'_> {
    /// Applies a declarator to the type before it.
    pub(super) fn apply_declarator(
        &mut self,
        base: Base,
        written: &WrittenDeclarator<'_>,
    ) -> Declarator {
        let &WrittenDeclarator { name, span, levels, .. } = written;
        let outermost = levels.first();
        let (parameter, inner) = match levels {
            [Level::Array { brackets, .. }, inner @ ..]
                if written.context == DeclaratorContext::Parameter =>
            {
                (*brackets, inner)
            }
            _ => (Brackets::default(), levels),
        };
        let mut space_span = base.space_span;
        for level in levels {
            match *level {
                Level::Array { .. } => {}
                Level::Pointer { space_span: own, .. } => {
                    space_span = own;
                    break;
                }
                _ => break,
            }
        }
        let space_span = parameter.space.unwrap_or(space_span);
        let out_of_place = inner.iter().find_map(|level| match level {
            Level::Array { brackets, .. } => brackets.first,
            _ => None,
        });
        if let Some(span) = out_of_place {
            self.superfluous(
                Rule::QualifierArrayBrackets,
                span,
                "these are not the outermost brackets of an array parameter",
            );
        }
        let places = self.places(base, written);
        let ty = self.build(base, written);
        let is_function = matches!(outermost, Some(Level::Function { .. }));
        let array_quals = parameter.quals;
        Declarator { name, span, ty, space_span, array_quals, places, is_function }
    }

    pub(super) fn array_length(&mut self, size: Operand) -> Length {
        let size = self.rvalue(size);
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

    /// Returns the places for the spaces of what a declarator declares.
    fn places(&self, base: Base, written: &WrittenDeclarator<'_>) -> Places {
        let levels = written.levels;
        let is_array = |level: &&Level| matches!(level, Level::Array { .. });
        let is_written = self.arena.types.space(base.ty).is_some();
        let base_place = (!is_written).then_some(base.place);
        let object = match levels.iter().find(|level| !is_array(level)) {
            Some(Level::Pointer { quals, .. }) => {
                quals.space.is_none().then_some(written.span.start)
            }
            Some(_) => None,
            None => base_place,
        };
        let of_value = match levels {
            [Level::Function { .. }, result @ ..] => result,
            levels => levels,
        };
        let of_target = match of_value {
            [Level::Pointer { .. }, inner @ ..] => Some(inner),
            [Level::Array { .. }, inner @ ..]
                if written.context == DeclaratorContext::Parameter =>
            {
                Some(inner)
            }
            _ => None,
        };
        let pointee = match of_target.map(|levels| levels.iter().find(|level| !is_array(level))) {
            Some(Some(Level::Pointer { quals, span, space_span })) => match quals.space {
                Some(_) => SpaceSite::Written(*space_span),
                None => SpaceSite::Missing(span.end),
            },
            Some(None) if is_written => SpaceSite::Written(base.space_span),
            Some(None) => SpaceSite::Missing(base.place),
            Some(Some(_)) | None => SpaceSite::Nowhere,
        };
        Places { object, pointee }
    }

    /// Applies the levels of a declarator to `base`, innermost first.
    fn build(&mut self, base: Base, written: &WrittenDeclarator<'_>) -> QualifiedType {
        let Base { mut ty, mut space_span, .. } = base;
        for (index, &level) in written.levels.iter().enumerate().rev() {
            ty = match level {
                Level::Pointer { quals, span, space_span: own } => {
                    let pointed_at = ty;
                    let ty = self.pointer_type(pointed_at, span);
                    space_span = own;
                    QualifiedType { quals, ..ty }
                }
                Level::Array { length, span, .. } => self.array_type(ty, length, span),
                Level::Function { first, count, variadic } => {
                    // The text does not restrict the result of a block.
                    let outer = index.checked_sub(1).and_then(|outer| written.levels.get(outer));
                    let of_block = matches!(outer, Some(Level::Block { .. }));
                    let result = if of_block {
                        self.without_space(ty)
                    } else {
                        self.result_type(ty, space_span)
                    };
                    let parameters = &written.parameters[first as usize..][..count as usize];
                    let signature = self.arena.types.add_signature(result, parameters, variadic);
                    self.arena.types.function(signature).plain()
                }
                Level::Block { quals, span } => {
                    space_span = span;
                    self.judge_block_support(span);
                    match self.arena.types.of(ty) {
                        Type::Function(signature) => {
                            let id = self.arena.types.block(signature);
                            QualifiedType { id, quals }
                        }
                        Type::Error => ty,
                        _ => {
                            self.warn(span, "only a function type can be made a block type");
                            QualifiedType { id: TypeId::ERROR, quals }
                        }
                    }
                }
            };
        }
        ty
    }
}
