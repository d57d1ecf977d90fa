//! Variables: where each space may be declared, what it is when not written, and how objects are initialized.

use crate::{
    dialect::Version,
    fix::{Mend, Places},
    parse::syntax::{Attributes, Storage},
    rule::Rule,
    sema::{
        analyser::{Analyser, Body},
        initializers::Values,
        operand::{Constness, Operand},
        report::{Finding, WITH_PROGRAM_SCOPE_GLOBALS},
        scopes::{Binding, Duration, Object, ObjectId},
    },
    space::Space,
    span::Span,
    symbol::Symbol,
    types::{Agreement, Length, Opaque, Qualified, Type},
};

/// A variable's declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared {
    pub(crate) name: Option<Symbol>,
    pub(crate) span: Span,
    pub(crate) ty: Qualified,
    pub(crate) space_span: Span,
    pub(crate) places: Places,
    pub(crate) storage: Option<(Storage, Span)>,
    pub(crate) has_initializer: bool,
    /// Where the whole declaration begins.
    pub(crate) start: u32,
}

impl Declared {
    /// Write the space that is left out.
    fn qualified(&self, space: Space) -> Option<Mend> {
        self.places.object.map(|place| Mend::Qualify { place, space })
    }

    /// Write `constant` in place of the space it has.
    fn requalified(&self) -> Mend {
        Mend::Requalify { span: self.space_span, space: Space::Constant }
    }

    /// A static variable in constant is the same object, and allowed in more places.
    fn made_static(&self, space: Space, body: Body) -> Option<Mend> {
        let may_be_static = space == Space::Constant && body.for_declaration != Some(self.start);
        may_be_static.then_some(Mend::MakeStatic { place: self.start })
    }
}

/// A variable whose initializer may follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) object: Option<ObjectId>,
    /// With its space.
    pub(crate) ty: Qualified,
    /// Why its initializer must be constant, if it must.
    pub(crate) constant_for: Option<&'static str>,
    /// The declaration breaks no rule, so its initializer is worth judging.
    is_sound: bool,
}

/// Where a declared object is, and whether it may be there.
struct Placed {
    space: Space,
    duration: Duration,
    is_sound: bool,
}

impl Placed {
    fn sound(space: Space, duration: Duration) -> Self {
        Self { space, duration, is_sound: true }
    }

    fn unsound(space: Space, duration: Duration) -> Self {
        Self { space, duration, is_sound: false }
    }
}

impl Analyser<'_> {
    /// Judge a variable's declaration up to its initializer and make its name known.
    pub(crate) fn declare_variable(&mut self, declared: &Declared) -> Variable {
        let is_extern = matches!(declared.storage, Some((Storage::Extern, _)));
        let is_static = matches!(declared.storage, Some((Storage::Static, _)));
        let placed = match self.restricted_variable(declared) {
            Some(placed) => placed,
            None => self.placed(declared),
        };
        let mut is_sound = placed.is_sound;
        if let Some(message) = self.unsupported_size(declared.ty)
            && !self.may_be_unsized(declared, is_extern)
        {
            self.broken(Rule::DeclarationArraySize, declared.span, message);
            is_sound = false;
        }
        let ty = self.arena.types.in_space(declared.ty, placed.space);
        let constant_for = match (self.body, placed.space) {
            _ if !is_sound => None,
            (_, Space::Constant) => Some("a variable in constant"),
            (None, _) => Some("a variable at program scope"),
            (Some(_), _) if is_static => Some("a static variable"),
            _ => None,
        };
        let object = Object {
            name: declared.name.unwrap_or(Symbol::EMPTY),
            ty,
            span: declared.span,
            duration: placed.duration,
            level: self.body.map_or(0, |body| body.level),
            is_at_program_scope: self.body.is_none(),
            is_initialized: declared.has_initializer,
            wants_initializer: is_sound
                && self.body.is_none()
                && placed.space == Space::Constant
                && !is_extern
                && !declared.has_initializer,
            value: None,
            places: declared.places,
        };
        let object = declared.name.map(|_| self.declare_or_merge(object, is_extern));
        Variable { object, ty, constant_for, is_sound }
    }

    fn may_be_unsized(&self, declared: &Declared, is_extern: bool) -> bool {
        let Type::Array { element, length: Length::Unsized } = self.arena.types.of(declared.ty)
        else {
            return false;
        };
        (declared.has_initializer || is_extern) && self.unsupported_size(element).is_none()
    }

    /// Declare `object`, or find that it is the one declared before.
    fn declare_or_merge(&mut self, object: Object, is_extern: bool) -> ObjectId {
        let name = object.name;
        let in_function = self.body.is_some();
        let visible = match (in_function, is_extern) {
            (true, true) => self.arena.names.get(name),
            _ => self.arena.names.get_here(name),
        };
        let previous = match visible {
            Some(Binding::Object(id)) if !in_function || self.object(id).is_at_program_scope => {
                Some(id)
            }
            Some(_) if !is_extern => {
                let name = self.interner.text(name);
                let message = format!("`{name}` was declared before");
                self.warn(object.span, message);
                None
            }
            _ => None,
        };
        let linked = if in_function && !is_extern { None } else { self.arena.linked.get(name) };
        if let Some(id) = previous.or(linked)
            && self.agrees_with(id, &object)
            && previous.is_some()
        {
            let merged = self.object_mut(id);
            if object.wants_initializer && !merged.wants_initializer {
                // An `extern` declaration before it lacks nothing.
                merged.span = object.span;
            }
            merged.is_initialized |= object.is_initialized;
            merged.wants_initializer |= object.wants_initializer;
            return id;
        }
        let id = self.declare_object(object);
        if in_function && is_extern && linked.is_none() {
            self.arena.linked.declare(name, id);
        }
        id
    }

    /// Judge a further declaration of an object; `false` if the types differ by more than spaces.
    fn agrees_with(&mut self, id: ObjectId, object: &Object) -> bool {
        let previous = *self.object(id);
        let name = self.interner.text(object.name);
        match self.arena.types.agreement(previous.ty, object.ty) {
            Agreement::Same => true,
            Agreement::SpacesDiffer => {
                let finding = Finding::new(
                    Rule::DeclarationConflicting,
                    object.span,
                    format!("`{name}` was declared with other address spaces"),
                )
                .label(previous.span, format!("as `{}` here", self.spelled(previous.ty)));
                self.report(finding);
                true
            }
            Agreement::Different => {
                let message = format!("`{name}` was declared with another type");
                self.warn(object.span, message);
                false
            }
        }
    }

    /// Types with rules of their own; `None` leaves the variable to the rules for all.
    fn restricted_variable(&mut self, declared: &Declared) -> Option<Placed> {
        let innermost = self.arena.types.innermost(declared.ty);
        let space = self.written_space(declared.ty);
        let (rule, span, message) = match self.arena.types.of(innermost) {
            Type::Image { .. } => {
                (Rule::TypeImageUse, declared.span, "an image can only be a parameter")
            }
            Type::Pipe(_) => (Rule::TypePipeUse, declared.span, "a pipe can only be a parameter"),
            Type::Opaque(opaque) => return self.opaque_variable(declared, opaque, space),
            _ if !self.extensions.half_arithmetic && self.is_half(innermost) => {
                self.half_used(declared.span);
                return Some(self.unsound_place(space));
            }
            _ => return None,
        };
        self.broken(rule, span, message);
        Some(self.unsound_place(space))
    }

    fn unsound_place(&self, space: Option<Space>) -> Placed {
        let (inferred, duration) = match self.body {
            Some(_) => (Space::Private, Duration::Automatic),
            None => (Space::Global, Duration::Program),
        };
        Placed::unsound(space.unwrap_or(inferred), duration)
    }

    fn opaque_variable(
        &mut self,
        declared: &Declared,
        opaque: Opaque,
        space: Option<Space>,
    ) -> Option<Placed> {
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
        // Static or extern, it would still be inferred to be where it may not be.
        match declared.storage {
            Some(_) => self.broken(rule, span, message),
            None => self.superfluous(rule, span, message),
        }
        Some(self.unsound_place(space))
    }

    /// Samplers are variables of a kernel's outermost scope; deeper in a kernel the implementation decides.
    fn function_sampler(&mut self, declared: &Declared) -> Option<Placed> {
        let body = self.body.filter(|_| declared.storage.is_none())?;
        if !body.is_kernel {
            self.broken(
                Rule::TypeSamplerUse,
                declared.span,
                "a sampler can be a variable at program scope or in a kernel only",
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

    /// `const sampler_t` is as good as `constant sampler_t` in every version.
    fn program_scope_sampler(&mut self, declared: &Declared) -> Option<Placed> {
        if let Some((Storage::Static | Storage::Extern, _)) = declared.storage
            && self.dialect.version < Version::V1_2
        {
            return None;
        }
        if self.arena.types.quals(declared.ty).is_const {
            return Some(Placed::sound(Space::Constant, Duration::Program));
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

    /// Where a variable is, as `[usage-for-declaration-scopes-and-variable-types]` and `[addr-spaces-inference]` say.
    fn placed(&mut self, declared: &Declared) -> Placed {
        if let Some((storage, span)) = declared.storage
            && self.dialect.version < Version::V1_2
        {
            self.storage_class_too_new(storage, span);
            return self.unsound_place(self.written_space(declared.ty));
        }
        match (self.body, declared.storage) {
            (None, _) => self.placed_at_program_scope(declared),
            (Some(_), Some((storage, _))) => self.placed_static(declared, storage),
            (Some(body), None) => self.placed_in_function(declared, body),
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

    fn placed_at_program_scope(&mut self, declared: &Declared) -> Placed {
        let written = self.arena.types.space(declared.ty);
        match written {
            Some(space @ (Space::Private | Space::Local)) => {
                // What was meant to be shared by a work-group is not mended by a wider space.
                let constant = (space == Space::Private).then(|| declared.requalified());
                self.report(
                    Finding::new(
                        Rule::DeclarationProgramScopeSpace,
                        declared.space_span,
                        format!("a variable at program scope cannot be in `{}`", space.name()),
                    )
                    .mend(constant),
                );
                Placed::unsound(space, Duration::Program)
            }
            Some(Space::Generic) => self.generic_object(declared),
            Some(space @ (Space::Constant | Space::Vendor | Space::Unstated)) => {
                Placed::sound(space, Duration::Program)
            }
            Some(Space::Global) | None if self.dialect.program_scope_globals() => {
                self.note_implicit_pointer(declared, written);
                Placed::sound(Space::Global, Duration::Program)
            }
            Some(Space::Global) | None => self.no_globals(declared, written),
        }
    }

    /// Without globals everything that lives as long as the program must be in constant.
    fn no_globals(&mut self, declared: &Declared, written: Option<Space>) -> Placed {
        if self.arena.types.innermost(declared.ty).is_error()
            || matches!(self.arena.types.of(declared.ty), Type::Block(_))
        {
            return Placed::sound(Space::Global, Duration::Program);
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
                .help("qualify the variable itself by `constant` and initialize it")
                .note(format!("accepted in {WITH_PROGRAM_SCOPE_GLOBALS}"))
                .mend(mend),
        );
        Placed::unsound(Space::Global, Duration::Program)
    }

    fn note_implicit_pointer(&mut self, declared: &Declared, written: Option<Space>) {
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

    fn generic_object(&mut self, declared: &Declared) -> Placed {
        self.broken(
            Rule::QualifierGenericSpelled,
            declared.space_span,
            "no object can be in the generic address space, it is for pointers only",
        );
        self.unsound_place(Some(Space::Private))
    }

    fn placed_static(&mut self, declared: &Declared, storage: Storage) -> Placed {
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
                return Placed::unsound(space, Duration::Program);
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
        Placed::sound(written.unwrap_or(Space::Global), Duration::Program)
    }

    fn placed_in_function(&mut self, declared: &Declared, body: Body) -> Placed {
        match self.arena.types.space(declared.ty) {
            None | Some(Space::Private) => Placed::sound(Space::Private, Duration::Automatic),
            Some(space @ (Space::Vendor | Space::Unstated)) => {
                Placed::sound(space, Duration::Program)
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
                Placed::unsound(Space::Global, Duration::Program)
            }
            Some(space @ (Space::Local | Space::Constant)) => {
                self.placed_in_kernel(declared, body, space)
            }
        }
    }

    /// Local and constant variables belong into the outermost block of a kernel.
    fn placed_in_kernel(&mut self, declared: &Declared, body: Body, space: Space) -> Placed {
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
                        "a variable in `{name}` cannot be declared in a function that is no kernel"
                    ),
                )
                .mend(declared.made_static(space, body)),
            );
            return Placed::unsound(space, duration);
        }
        if body.nesting > 0 {
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
                .mend(declared.made_static(space, body)),
            );
            return Placed::unsound(space, duration);
        }
        if body.is_block {
            self.disputed(
                Rule::DeclarationLocalNestedScope,
                declared.space_span,
                format!("a variable in `{name}` is declared in a block literal"),
                "[usage-for-declaration-scopes-and-variable-types] wants the kernel's outermost scope, which \
                 [block-literal-expressions] leaves; read as a function of its own, the body is one",
            );
        }
        Placed::sound(space, duration)
    }

    /// `endian` is for pointers to global and constant memory.
    pub(crate) fn endian_attribute(&mut self, attributes: &Attributes, ty: Qualified) {
        let Some(span) = attributes.endian else { return };
        let pointee = self.arena.types.pointee(ty);
        let space = pointee.and_then(|pointee| self.arena.types.space(pointee));
        if !matches!(space, Some(Space::Global | Space::Constant)) {
            self.disputed(
                None,
                span,
                "`endian` stands with something other than a pointer to global or constant",
                "the pages on attributes limit it to such pointers; the unified specification does not \
                 mention it, and unknown attributes are ignored",
            );
        }
    }

    /// Judge how a variable was, or was not, initialized.
    pub(crate) fn judge_values(
        &mut self,
        declared: &Declared,
        variable: &Variable,
        values: Option<&Values>,
    ) {
        match values {
            Some(values) => self.judge_initializer(declared, variable, values),
            None => self.judge_missing_initializer(declared, variable),
        }
    }

    fn judge_initializer(&mut self, declared: &Declared, variable: &Variable, values: &Values) {
        let space = self.arena.types.space(variable.ty);
        if variable.is_sound {
            if space == Some(Space::Local) {
                self.report(
                    Finding::new(
                        Rule::InitializerLocal,
                        values.span,
                        "a variable in `local` cannot have an initializer",
                    )
                    .help("assign to it in a statement"),
                );
            } else if let (Some(_), Some((Storage::Extern, _))) = (self.body, declared.storage) {
                self.broken(
                    Rule::InitializerExternInFunction,
                    values.span,
                    "an extern declaration inside a function cannot have an initializer",
                );
            } else if let Some(span) = values.atomic_macro {
                self.judge_atomic_macro(span, space);
            }
        }
        let ty = self.completed(variable.ty, values.length);
        let quals = self.arena.types.quals(ty);
        let is_integer = match self.arena.types.of(ty) {
            Type::Scalar(scalar) => !scalar.is_float(),
            _ => false,
        };
        let value = match values.constness {
            Constness::Integer(value) | Constness::Folded(value)
                if is_integer && (quals.is_const || quals.space == Some(Space::Constant)) =>
            {
                Some(value)
            }
            _ => None,
        };
        if let Some(id) = variable.object {
            let object = self.object_mut(id);
            object.ty = ty;
            object.value = value;
        }
    }

    fn judge_atomic_macro(&mut self, span: Span, space: Option<Space>) {
        let message = "this macro initializes program-scope objects in `global` only";
        if space == Some(Space::Constant) {
            self.broken(Rule::InitializerAtomicMacro, span, message);
        } else if self.body.is_some() || space != Some(Space::Global) {
            self.disputed(
                Rule::InitializerAtomicMacro,
                span,
                message,
                "[atomic-functions] limits the macro to such objects, and asks for no diagnosis elsewhere",
            );
        }
    }

    fn judge_missing_initializer(&mut self, declared: &Declared, variable: &Variable) {
        let is_extern = matches!(declared.storage, Some((Storage::Extern, _)));
        if let Type::Block(_) = self.arena.types.of(variable.ty) {
            self.broken(
                Rule::BlockInitializer,
                declared.span,
                "a block variable must be initialized where it is declared",
            );
            return;
        }
        if variable.is_sound
            && self.body.is_some()
            && !is_extern
            && self.arena.types.space(variable.ty) == Some(Space::Constant)
        {
            self.constant_missing(declared.span);
        }
    }

    fn constant_missing(&mut self, span: Span) {
        self.broken(
            Rule::InitializerConstantMissing,
            span,
            "a variable in `constant` must be initialized where it is declared",
        );
    }

    /// Report the value of an initializer that is not constant though it must be.
    pub(crate) fn not_constant(&mut self, value: Operand, reason: &str) {
        if self.arena.types.of(value.ty) == Type::Error {
            return;
        }
        let labels = self.origins([&value]);
        self.report(
            Finding::new(
                Rule::InitializerNotConstant,
                value.span,
                format!("{reason} is initialized by constant expressions only"),
            )
            .labels(labels),
        );
    }

    /// What can be judged only when the whole program was seen.
    pub(crate) fn finish(&mut self) {
        for index in 0..self.arena.objects.len() {
            let object = self.arena.objects[index];
            if object.wants_initializer && !object.is_initialized {
                self.constant_missing(object.span);
            }
        }
    }
}
