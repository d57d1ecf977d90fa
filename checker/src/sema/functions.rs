//! Functions, kernels and their parameters.

use crate::{
    dialect::Version,
    fix::{Mend, Places, SpaceSite},
    parse::syntax::{Declarator, Specifiers, Storage},
    rule::Rule,
    sema::{
        analyser::Analyser,
        report::{Finding, inferred},
        scopes::{Binding, Duration, Function, FunctionBody, FunctionId, Object, Role},
        sites::FunctionDeclaration,
    },
    space::Space,
    span::Span,
    symbol::Symbol,
    types::{Agreement, Length, Opaque, Parameter, QualifiedType, SignatureId, Type},
};

/// Most functions of one name that are overloaded.
const OVERLOAD_LIMIT: usize = 1000;

impl Analyser<'_> {
    /// Judges a parameter and returns its type: arrays become pointers, and the parameter itself is in private.
    pub(crate) fn parameter_type(&mut self, declarator: &Declarator) -> QualifiedType {
        let ty = match self.arena.types.of(declarator.ty) {
            Type::Array { element, length } => {
                let variable = Some("arrays of variable length are not supported");
                if length == Length::Variable || self.unsupported_size(element) == variable {
                    self.broken(
                        Rule::DeclarationArraySize,
                        declarator.span,
                        "arrays of variable length are not supported",
                    );
                }
                let ty = self.arena.types.pointer(element);
                QualifiedType { id: ty, quals: declarator.array_quals }
            }
            Type::Function(_) => {
                self.broken(
                    Rule::TypeFunctionPointer,
                    declarator.span,
                    "a parameter of function type would be a pointer to a function",
                );
                QualifiedType::ERROR
            }
            _ => declarator.ty,
        };
        let is_sound = self.parameter_space(ty, declarator);
        if is_sound && !self.extensions.half_arithmetic && self.is_half(ty) {
            self.report_half(declarator.span);
        }
        self.arena.types.in_space(ty, Space::Private)
    }

    /// Judges the space written for a parameter itself. Returns `false` if it reported an error.
    fn parameter_space(&mut self, ty: QualifiedType, declarator: &Declarator) -> bool {
        let Some(space) = self.written_space(ty) else { return true };
        let span = declarator.space_span;
        let (rule, message) = match (self.arena.types.of(ty), space) {
            (Type::Error, _) => return false,
            (Type::Image { .. }, Space::Private) => {
                self.disputed(
                    Rule::TypeImageQualified,
                    span,
                    "an image parameter is qualified by `private`",
                    "[restrictions] allows no address space with an image type; \
                     [addr-spaces-inference] puts every parameter into private",
                );
                return true;
            }
            (_, Space::Private) => {
                self.disputed(
                    Rule::ParameterQualified,
                    span,
                    "a parameter is qualified by `private`",
                    "[address-space-qualifiers] allows no address space on a parameter; \
                     [addr-spaces-inference] puts every parameter into private",
                );
                return true;
            }
            (Type::Image { .. }, _) => {
                (Rule::TypeImageQualified, "an image type cannot be qualified by an address space")
            }
            (Type::Opaque(Opaque::Sampler), Space::Global | Space::Local) => {
                (Rule::TypeSamplerQualified, "a sampler cannot be in global or local")
            }
            (Type::Opaque(Opaque::Event), _) => {
                (Rule::TypeEventQualified, "an event cannot be in global, local or constant")
            }
            _ => (Rule::ParameterQualified, "a parameter itself is always in private"),
        };
        let mut finding = Finding::new(rule, span, message);
        if rule == Rule::ParameterQualified && self.arena.types.pointee(ty).is_some() {
            finding = finding
                .help("write the address space before the `*` to qualify what is pointed to");
        }
        let is_pointer = self.arena.types.pointee(ty).is_some();
        let place = declarator.places.pointee.missing().filter(|_| is_pointer);
        let moved = place.map(|place| Mend::Move { span, place });
        self.report(finding.mend(moved).mend(Mend::Remove(span)));
        false
    }

    /// Declares a parameter.
    pub(crate) fn add_parameter(
        &mut self,
        name: Symbol,
        ty: QualifiedType,
        span: Span,
        pointee: SpaceSite,
    ) {
        self.declare_object(Object {
            name,
            ty,
            span,
            duration: Duration::Automatic,
            level: self.body.map_or(0, |body| body.level),
            role: Role::Parameter,
            is_initialized: true,
            wants_initializer: false,
            value: None,
            // The parameter's own space is never written.
            places: Places { object: None, pointee },
        });
    }

    /// Judges and declares a function; returns it where it has a name.
    pub(crate) fn declare_function(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
        signature: SignatureId,
        ty: QualifiedType,
    ) -> Option<FunctionId> {
        self.function_storage(specifiers);
        if ty.quals.space.is_some() {
            self.superfluous(
                Rule::QualifierFunctionType,
                declarator.space_span,
                "a function type cannot be qualified by an address space",
            );
        }
        if specifiers.kernel.is_some() {
            self.kernel(declarator.span, signature);
        }
        let is_kernel = specifiers.kernel.is_some();
        let name = declarator.name?;
        if self.interner.text(name) == "main" {
            self.broken(Rule::KernelMain, declarator.span, "no function can be called `main`");
        }
        let function = Function {
            signature,
            result_pointee: declarator.places.pointee,
            span: declarator.span,
            is_overloadable: specifiers.attributes.overloadable,
            is_kernel,
            body: FunctionBody::Missing,
            next: None,
        };
        let id = self.register(name, function);
        let declaration = FunctionDeclaration {
            function: id,
            signature,
            name: declarator.span,
            result: declarator.places.pointee,
        };
        self.arena.sites.functions.push(declaration);
        self.mention_function(id, self.interner.text(name), declarator.span);
        Some(id)
    }

    /// Notes that the body of a function follows.
    pub(super) fn define_function(&mut self, id: FunctionId, span: Span) {
        let function = self.function(id);
        if function.body != FunctionBody::Missing {
            self.repeated(Rule::CDefinedTwice, span, "this function has a body", function.span);
        }
        let known = &mut self.arena.functions[id.0 as usize];
        known.body = FunctionBody::Open;
        known.span = span;
    }

    fn function_storage(&mut self, specifiers: &Specifiers) {
        let Some((storage, span)) = specifiers.storage else { return };
        if self.dialect.version < Version::V1_2 {
            self.storage_class_too_new(storage, span);
        } else if let (Storage::Static, Some(_)) = (storage, specifiers.kernel) {
            self.superfluous(Rule::DeclarationStaticKernel, span, "a kernel cannot be static");
        }
    }

    /// Adds a function to those of its name, or merges it with one of them.
    fn register(&mut self, name: Symbol, function: Function) -> FunctionId {
        let mut next = match self.arena.names.get(name) {
            Some(Binding::Function(id)) => Some(id),
            _ => None,
        };
        let first = next;
        let mut conflict = None;
        let mut overloadable = function.is_overloadable;
        let mut count = 0;
        while let Some(id) = next {
            count += 1;
            let known = self.function(id);
            overloadable |= known.is_overloadable;
            match self.arena.types.signature_agreement(known.signature, function.signature) {
                Agreement::Same => {
                    let (one, other) = (known.signature, function.signature);
                    if !overloadable && !self.arena.types.parameters_qualified_alike(one, other) {
                        let name = self.interner.text(name);
                        let message = format!("`{name}` was declared with other qualifiers");
                        self.mistake(Rule::COtherType, function.span, message);
                    }
                    let merged = &mut self.arena.functions[id.0 as usize];
                    merged.signature = function.signature;
                    merged.result_pointee = function.result_pointee;
                    merged.is_overloadable |= function.is_overloadable;
                    merged.is_kernel |= function.is_kernel;
                    return id;
                }
                Agreement::SpacesDiffer => conflict = conflict.or(Some(known)),
                Agreement::Different => {}
            }
            next = known.next;
        }
        if !overloadable && first.is_some() {
            self.conflicting_functions(name, &function, conflict);
        }
        // After a conflict both stay callable: a call must not be reported as well.
        let next = first.filter(|_| count < OVERLOAD_LIMIT);
        self.arena.functions.push(Function { next, ..function });
        let id = FunctionId(self.arena.functions.len() as u32 - 1);
        match self.arena.names.get_here(name) {
            Some(Binding::Function(_)) => {
                self.arena.names.redeclare(name, Binding::Function(id));
            }
            earlier => {
                if !matches!(earlier, None | Some(Binding::Unknown)) {
                    let message =
                        format!("`{}` was declared with another meaning", self.interner.text(name));
                    self.mistake(Rule::COtherType, function.span, message);
                }
                self.arena.names.declare(name, Binding::Function(id));
            }
        }
        id
    }

    fn conflicting_functions(
        &mut self,
        name: Symbol,
        function: &Function,
        conflict: Option<Function>,
    ) {
        let name = self.interner.text(name);
        let Some(known) = conflict else {
            let message = format!("`{name}` was declared with another type");
            self.mistake(Rule::COtherType, function.span, message);
            return;
        };
        let [here, there] = self.agreeing_mends(function, &known);
        self.report(
            Finding::new(
                Rule::DeclarationConflicting,
                function.span,
                format!("`{name}` was declared with other address spaces"),
            )
            .label(known.span, "declared here before")
            .mend(here)
            .mend(there),
        );
    }

    /// Returns the changes that give a parameter or the result of one declaration the space it has in the other: in the
    /// first one, and in the second one.
    fn agreeing_mends(&self, one: &Function, other: &Function) -> [Option<Mend>; 2] {
        let types = &self.arena.types;
        let [(first, of_first), (second, of_second)] = [one, other].map(|function| {
            let signature = types.signature(function.signature);
            (signature, (signature.result, function.result_pointee))
        });
        let parameters = |signature| {
            let parameters: &[Parameter] = types.parameters(signature);
            parameters.iter().map(|parameter| (parameter.ty, parameter.pointee))
        };
        let pairs = parameters(&first).zip(parameters(&second));
        let mut mends = pairs.chain([(of_first, of_second)]).filter_map(|(a, b)| {
            let spaces = [a.0, b.0].map(|ty| types.space(types.pointee(ty)?));
            let ([Some(of_a), Some(of_b)], true) = (spaces, spaces[0] != spaces[1]) else {
                return None;
            };
            Some([a.1.adapted(of_b), b.1.adapted(of_a)])
        });
        mends.next().unwrap_or_default()
    }

    fn kernel(&mut self, span: Span, signature: SignatureId) {
        let signature = self.arena.types.signature(signature);
        if !matches!(self.arena.types.of(signature.result), Type::Void | Type::Error) {
            self.broken(Rule::KernelReturnType, span, "a kernel must return void");
        }
        let mut index = 0;
        while let Some(parameter) = self.arena.types.parameter(&signature, index) {
            self.judge_kernel_parameter(&parameter);
            index += 1;
        }
    }

    fn judge_kernel_parameter(&mut self, parameter: &Parameter) {
        let (rule, message) = match self.arena.types.of(parameter.ty) {
            Type::Pointer(pointee) => return self.judge_kernel_pointer(parameter, pointee),
            Type::Scalar(scalar) if scalar.is_unportable() => (
                Rule::ParameterKernelType,
                format!("a kernel parameter cannot be of type `{}`", scalar.name()),
            ),
            Type::Record(id) if self.arena.types.record(id).contents.unportable => (
                Rule::ParameterKernelType,
                "a kernel parameter cannot contain a bool, size_t, ptrdiff_t, intptr_t or uintptr_t"
                    .to_owned(),
            ),
            Type::Record(id) if self.arena.types.record(id).contents.pointer => {
                self.disputed(
                    Rule::ParameterKernelType,
                    parameter.span,
                    "a kernel parameter contains a pointer",
                    "[restrictions] is about pointers as parameters, not inside them; a host can \
                     fill in such a pointer only with shared virtual memory",
                );
                return;
            }
            Type::Opaque(Opaque::Event) => {
                (Rule::TypeEventUse, "an event cannot be a kernel parameter".to_owned())
            }
            Type::Opaque(opaque @ (Opaque::ClkEvent | Opaque::NdRange | Opaque::ReserveId)) => {
                self.disputed(
                    Rule::ParameterKernelType,
                    parameter.span,
                    format!("a kernel parameter is of type `{}`", opaque.name()),
                    "[restrictions] forbids it for kernels that are enqueued from the host; the \
                     program does not show which kernels are",
                );
                return;
            }
            Type::Block(_) => {
                (Rule::ParameterKernelType, "a kernel parameter cannot be a block".to_owned())
            }
            _ => return,
        };
        self.broken(rule, parameter.span, message);
    }

    fn judge_kernel_pointer(&mut self, parameter: &Parameter, pointee: QualifiedType) {
        let space = self.arena.types.space(pointee).unwrap_or(Space::Private);
        if matches!(space, Space::Private | Space::Generic) {
            let finding = Finding::new(
                Rule::ParameterKernelPointee,
                parameter.span,
                format!(
                    "a kernel's pointer must point to global, local or constant, not to {}",
                    match space {
                        Space::Private => "private",
                        _ => "the generic address space",
                    }
                ),
            );
            let innermost = self.arena.types.innermost(pointee);
            let is_of_pointers = self.arena.types.pointee(innermost).is_some();
            let finding = if is_of_pointers {
                finding.help(self.instead_of_pointers())
            } else {
                finding
                    .help("qualify what is pointed to, by `global` for a buffer")
                    .mend(parameter.pointee.requalified(Space::Global))
            };
            let note = inferred("it", space, parameter.pointee.missing());
            self.report(finding.maybe_note(note));
            return;
        }
        let inner = self.arena.types.innermost(pointee);
        let Some(inner) = self.arena.types.pointee(inner) else { return };
        if self.dialect.version >= Version::V2_0 {
            if matches!(self.space_of(inner), Space::Private | Space::Generic) {
                self.disputed(
                    Rule::ParameterKernelPointee,
                    parameter.span,
                    "the inner pointer of this kernel parameter points to no named memory space",
                    "[usage-for-declaration-scopes-and-variable-types] requires the parameter to \
                     point to a named space; it does not say whether that holds for each pointer \
                     within",
                );
            }
        } else {
            self.report(
                Finding::new(
                    Rule::ParameterKernelPointerToPointer,
                    parameter.span,
                    "a kernel parameter cannot be a pointer to a pointer",
                )
                .help(self.instead_of_pointers())
                .note("accepted in OpenCL C 2.0 and newer"),
            );
        }
    }

    /// Returns advice on a kernel parameter that is a pointer to a pointer.
    fn instead_of_pointers(&self) -> &'static str {
        if self.dialect.version < Version::V2_0 {
            "before OpenCL C 2.0 a kernel takes no pointer to a pointer: pass one `global` buffer, and \
             where each part of it begins"
        } else {
            "pass one `global` buffer, and where each part of it begins; a buffer of pointers, which the host can \
             fill only with shared virtual memory, is written `global int *global *`"
        }
    }
}
