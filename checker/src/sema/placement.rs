//! The space and lifetime of variables: where each space may be declared, and the space that is inferred.

use crate::{
    dialect::Version,
    fix::{Mend, Places},
    parse::syntax::Storage,
    rule::Rule,
    sema::{
        analyser::{Analyser, Body},
        report::{Finding, WITH_PROGRAM_SCOPE_GLOBALS},
        scopes::Duration,
    },
    space::Space,
    span::Span,
    symbol::Symbol,
    types::{Opaque, QualifiedType, Type},
};

/// Declaration of one variable, with the places at which its address space can be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VariableDeclaration {
    pub(crate) name: Option<Symbol>,
    pub(crate) span: Span,
    pub(crate) ty: QualifiedType,
    pub(crate) space_span: Span,
    pub(crate) places: Places,
    pub(crate) storage: Option<(Storage, Span)>,
    pub(crate) has_initializer: bool,
    /// Start of the whole declaration.
    pub(crate) start: u32,
}

impl VariableDeclaration {
    /// Returns the change that writes the missing space.
    fn qualified(&self, space: Space) -> Option<Mend> {
        self.places.object.map(|place| Mend::Qualify { place, space })
    }

    /// Returns the change that replaces the space by `constant`.
    fn requalified(&self) -> Mend {
        Mend::Requalify { span: self.space_span, space: Space::Constant }
    }

    /// Returns the change that makes the variable static, where a static variable in constant is the same object.
    fn static_mend(&self, space: Space, body: Body) -> Option<Mend> {
        let may_be_static = space == Space::Constant && body.for_declaration != Some(self.start);
        may_be_static.then_some(Mend::MakeStatic { place: self.start })
    }

    /// Returns the change that moves a local or constant variable out of a function that is not a kernel.
    fn moved_out(&self, space: Space, body: Body) -> Option<Mend> {
        match space {
            Space::Local => Some(Mend::Pass { name: self.span }),
            _ => body.before.map(|place| Mend::Lift { start: self.start, place }),
        }
    }
}

/// The space and lifetime of a declared object, and whether it may be there.
pub(super) struct Placement {
    pub(super) space: Space,
    pub(super) duration: Duration,
    pub(super) is_sound: bool,
}

impl Placement {
    fn sound(space: Space, duration: Duration) -> Self {
        Self { space, duration, is_sound: true }
    }

    fn unsound(space: Space, duration: Duration) -> Self {
        Self { space, duration, is_sound: false }
    }
}

impl Analyser<'_> {
    /// Judges variables of types with rules of their own. `None` leaves a variable to the rules for all.
    pub(super) fn restricted_variable(
        &mut self,
        declared: &VariableDeclaration,
    ) -> Option<Placement> {
        let innermost = self.arena.types.innermost(declared.ty);
        let space = self.written_space(declared.ty);
        let (rule, span, message) = match self.arena.types.of(innermost) {
            Type::Image { .. } => {
                (Rule::TypeImageUse, declared.span, "an image can only be a parameter")
            }
            Type::Pipe(_) => (Rule::TypePipeUse, declared.span, "a pipe can only be a parameter"),
            Type::Opaque(opaque) => return self.opaque_variable(declared, opaque, space),
            _ if !self.extensions.half_arithmetic && self.is_half(innermost) => {
                self.report_half(declared.span);
                return Some(self.unsound_place(space));
            }
            _ => return None,
        };
        self.broken(rule, span, message);
        Some(self.unsound_place(space))
    }

    fn unsound_place(&self, space: Option<Space>) -> Placement {
        let (inferred, duration) = match self.body {
            Some(_) => (Space::Private, Duration::Automatic),
            None => (Space::Global, Duration::Program),
        };
        Placement::unsound(space.unwrap_or(inferred), duration)
    }

    fn opaque_variable(
        &mut self,
        declared: &VariableDeclaration,
        opaque: Opaque,
        space: Option<Space>,
    ) -> Option<Placement> {
        let at_program_scope = self.body.is_none();
        let (rule, span, message) = match (opaque, space) {
            (Opaque::Sampler, Some(Space::Global | Space::Local)) => (
                Rule::TypeSamplerQualified,
                declared.space_span,
                "a sampler cannot be in global or local",
            ),
            (Opaque::Sampler, None) if at_program_scope => {
                return self.program_scope_sampler(declared);
            }
            (Opaque::Sampler, None | Some(Space::Private)) => {
                return self.function_sampler(declared);
            }
            (Opaque::Event, _) if at_program_scope => {
                (Rule::TypeEventUse, declared.span, "an event cannot be at program scope")
            }
            (Opaque::Event, Some(Space::Global | Space::Local | Space::Constant)) => (
                Rule::TypeEventQualified,
                declared.space_span,
                "an event cannot be in global, local or constant",
            ),
            (Opaque::ClkEvent | Opaque::ReserveId | Opaque::Queue | Opaque::NdRange, _)
                if at_program_scope =>
            {
                (
                    Rule::TypeProgramScope,
                    declared.span,
                    "variables of this type cannot be at program scope",
                )
            }
            _ => return None,
        };
        // A static or extern variable would still be inferred to be in a forbidden space.
        match declared.storage {
            Some(_) => self.broken(rule, span, message),
            None => self.superfluous(rule, span, message),
        }
        Some(self.unsound_place(space))
    }

    /// Judges a sampler in a function: the outermost scope of a kernel is its place; deeper in a kernel the
    /// implementation decides.
    fn function_sampler(&mut self, declared: &VariableDeclaration) -> Option<Placement> {
        let body = self.body.filter(|_| declared.storage.is_none())?;
        if !body.is_kernel {
            self.broken(
                Rule::TypeSamplerUse,
                declared.span,
                "a sampler can only be a variable at program scope or in a kernel",
            );
            return Some(self.unsound_place(Some(Space::Private)));
        }
        if self.written_space(declared.ty).is_some() {
            self.disputed(
                Rule::TypeSamplerQualified,
                declared.space_span,
                "a sampler is qualified by `private`",
                "[restrictions] keeps samplers out of global and local and does not mention private",
            );
        }
        if body.nesting > 0 {
            self.disputed(
                Rule::TypeSamplerUse,
                declared.span,
                "a sampler is declared in a nested scope",
                "[restrictions] leaves it to the implementation",
            );
        }
        None
    }

    /// Judges a sampler at program scope: `const sampler_t` is as good as `constant sampler_t` in every version.
    fn program_scope_sampler(&mut self, declared: &VariableDeclaration) -> Option<Placement> {
        if let Some((Storage::Static | Storage::Extern, _)) = declared.storage
            && self.dialect.version < Version::V1_2
        {
            return None;
        }
        if self.arena.types.quals(declared.ty).is_const {
            return Some(Placement::sound(Space::Constant, Duration::Program));
        }
        if !self.dialect.program_scope_globals() {
            return None;
        }
        self.report(
            Finding::new(
                Rule::TypeSamplerQualified,
                declared.span,
                "this sampler is inferred to be in global, where no sampler can be",
            )
            .help("declare it `constant sampler_t` or `const sampler_t`")
            .mend(declared.qualified(Space::Constant)),
        );
        Some(self.unsound_place(Some(Space::Constant)))
    }

    /// Returns the space and lifetime of a variable (`[usage-for-declaration-scopes-and-variable-types]`,
    /// `[addr-spaces-inference]`).
    pub(super) fn place_variable(&mut self, declared: &VariableDeclaration) -> Placement {
        if let Some((storage, span)) = declared.storage
            && self.dialect.version < Version::V1_2
        {
            self.storage_class_too_new(storage, span);
            return self.unsound_place(self.written_space(declared.ty));
        }
        match (self.body, declared.storage) {
            (None, _) => self.place_at_program_scope(declared),
            (Some(_), Some((storage, _))) => self.place_static(declared, storage),
            (Some(body), None) => self.place_in_function(declared, body),
        }
    }

    pub(crate) fn storage_class_too_new(&mut self, storage: Storage, span: Span) {
        let word = if storage == Storage::Static { "static" } else { "extern" };
        // Without `extern` a declaration becomes another definition.
        let mend = (storage == Storage::Static).then_some(Mend::Remove(span));
        self.report(
            Finding::new(
                Rule::DeclarationStorageClassVersion,
                span,
                format!("`{word}` needs OpenCL C 1.2"),
            )
            .note("accepted in OpenCL C 1.2 and newer")
            .mend(mend),
        );
    }

    fn place_at_program_scope(&mut self, declared: &VariableDeclaration) -> Placement {
        let written = self.arena.types.space(declared.ty);
        match written {
            Some(space @ (Space::Private | Space::Local)) => {
                // A wider space is not a fix for a variable that a work-group should share.
                let constant = (space == Space::Private).then(|| declared.requalified());
                self.report(
                    Finding::new(
                        Rule::DeclarationProgramScopeSpace,
                        declared.space_span,
                        format!("a variable at program scope cannot be in `{}`", space.name()),
                    )
                    .mend(constant),
                );
                Placement::unsound(space, Duration::Program)
            }
            Some(Space::Generic) => self.generic_object(declared),
            Some(space @ (Space::Constant | Space::Vendor | Space::Unstated)) => {
                Placement::sound(space, Duration::Program)
            }
            Some(Space::Global) | None if self.dialect.program_scope_globals() => {
                self.note_implicit_pointer(declared, written);
                Placement::sound(Space::Global, Duration::Program)
            }
            Some(Space::Global) | None => self.no_globals(declared, written),
        }
    }

    /// Reports a variable that must be in constant, because the dialect has no globals.
    fn no_globals(&mut self, declared: &VariableDeclaration, written: Option<Space>) -> Placement {
        if self.arena.types.innermost(declared.ty).is_error()
            || matches!(self.arena.types.of(declared.ty), Type::Block(_))
        {
            return Placement::sound(Space::Global, Duration::Program);
        }
        let (span, message) = match written {
            Some(_) => (declared.space_span, "variables cannot be in `global` in this dialect"),
            None => (declared.span, "this variable needs an address space: `constant`"),
        };
        let mend = match written {
            Some(_) => Some(declared.requalified()),
            None => declared.qualified(Space::Constant),
        };
        self.report(
            Finding::new(Rule::DeclarationGlobalUnsupported, span, message)
                .help(
                    "a variable that is never written can be in `constant`, with an initializer; \
                     one that is written goes into a buffer, which the kernels take as `global int *`",
                )
                .note(format!("accepted in {WITH_PROGRAM_SCOPE_GLOBALS}"))
                .mend(mend),
        );
        Placement::unsound(Space::Global, Duration::Program)
    }

    fn note_implicit_pointer(&mut self, declared: &VariableDeclaration, written: Option<Space>) {
        if written.is_some() || self.dialect.version != Version::V2_0 {
            return;
        }
        let Some(pointee) = self.arena.types.pointee(declared.ty) else { return };
        if matches!(
            self.arena.types.space(pointee),
            Some(Space::Global | Space::Local | Space::Constant | Space::Private)
        ) {
            self.disputed(
                Rule::DeclarationGlobalUnsupported,
                declared.span,
                "the space written here is the pointee's; the pointer itself is inferred to be in global",
                "[addr-spaces-inference] infers global for every variable at program scope; an example of \
                 the OpenCL 2.0 page on global calls such a pointer an error for lack of an address space",
            );
        }
    }

    fn generic_object(&mut self, declared: &VariableDeclaration) -> Placement {
        self.broken(
            Rule::QualifierGenericSpelled,
            declared.space_span,
            "no object can be in the generic address space, which is only for pointers",
        );
        self.unsound_place(Some(Space::Private))
    }

    fn place_static(&mut self, declared: &VariableDeclaration, storage: Storage) -> Placement {
        let written = self.arena.types.space(declared.ty);
        match written {
            Some(space @ (Space::Private | Space::Local | Space::Generic)) => {
                let (rule, word) = match storage {
                    Storage::Extern => (Rule::DeclarationExternSpace, "an extern"),
                    _ => (Rule::DeclarationStaticSpace, "a static"),
                };
                self.broken(
                    rule,
                    declared.space_span,
                    format!("{word} variable cannot be in `{}`", space.name()),
                );
                return Placement::unsound(space, Duration::Program);
            }
            Some(Space::Global) | None if !self.dialect.program_scope_globals() => {
                return self.no_globals(declared, written);
            }
            Some(Space::Constant) if self.dialect.version == Version::V1_2 => self.disputed(
                Rule::DeclarationStorageClassVersion,
                declared.span,
                "a static or extern variable inside a function, in OpenCL C 1.2",
                "[storage-class-specifiers] allows them from 1.2 on; the 1.2 page on storage classes \
                 limits both to program scope",
            ),
            _ => {}
        }
        Placement::sound(written.unwrap_or(Space::Global), Duration::Program)
    }

    fn place_in_function(&mut self, declared: &VariableDeclaration, body: Body) -> Placement {
        match self.arena.types.space(declared.ty) {
            None | Some(Space::Private) => Placement::sound(Space::Private, Duration::Automatic),
            Some(space @ (Space::Vendor | Space::Unstated)) => {
                Placement::sound(space, Duration::Program)
            }
            Some(Space::Generic) => self.generic_object(declared),
            Some(Space::Global) => {
                self.report(
                    Finding::new(
                        Rule::DeclarationAutomaticGlobal,
                        declared.space_span,
                        "a variable in `global` inside a function must be static or extern",
                    )
                    .note(format!("`static global` is accepted in {WITH_PROGRAM_SCOPE_GLOBALS}")),
                );
                Placement::unsound(Space::Global, Duration::Program)
            }
            Some(space @ (Space::Local | Space::Constant)) => {
                self.place_in_kernel(declared, body, space)
            }
        }
    }

    /// Judges a local or constant variable in a function: the outermost block of a kernel is its place.
    fn place_in_kernel(
        &mut self,
        declared: &VariableDeclaration,
        body: Body,
        space: Space,
    ) -> Placement {
        let duration = if space == Space::Local { Duration::WorkGroup } else { Duration::Program };
        let name = space.name();
        if !body.is_kernel {
            let rule = match space {
                Space::Local => Rule::DeclarationLocalOutsideKernel,
                _ => Rule::DeclarationConstantOutsideKernel,
            };
            self.report(
                Finding::new(
                    rule,
                    declared.space_span,
                    format!(
                        "a variable in `{name}` cannot be declared in a function that is not a \
                         kernel"
                    ),
                )
                .mend(declared.static_mend(space, body))
                .mend(declared.moved_out(space, body)),
            );
            return Placement::unsound(space, duration);
        }
        if body.nesting > 0 {
            let hoisted = body.start.map(|place| Mend::Hoist { start: declared.start, place });
            let rule = match space {
                Space::Local => Rule::DeclarationLocalNestedScope,
                _ => Rule::DeclarationConstantNestedScope,
            };
            self.report(
                Finding::new(
                    rule,
                    declared.space_span,
                    format!(
                        "a variable in `{name}` must be declared in the kernel's outermost scope"
                    ),
                )
                .help("move the declaration to the beginning of the kernel")
                .mend(declared.static_mend(space, body))
                .mend(hoisted),
            );
            return Placement::unsound(space, duration);
        }
        if body.is_block {
            self.disputed(
                Rule::DeclarationLocalNestedScope,
                declared.space_span,
                format!("a variable in `{name}` is declared in a block literal"),
                "[usage-for-declaration-scopes-and-variable-types] requires the kernel's outermost \
                 scope, and by [block-literal-expressions] the body is a scope of its own; read as \
                 a function, the body is an outermost scope",
            );
        }
        Placement::sound(space, duration)
    }
}
