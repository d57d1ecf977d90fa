//! Declarations as a whole: typedef names, variables, functions with their bodies, and block literals.

use crate::{
    dialect::Feature,
    fix::SpaceSite,
    parse::syntax::{Attributes, Declarator, Specifiers, Storage},
    rule::Rule,
    sema::{
        analyser::{Analyser, Body},
        initializers::Values,
        inventory::DefinedFunction,
        jumps::FlowMark,
        objects::Variable,
        operand::{Constness, Operand},
        placement::VariableDeclaration,
        report::Finding,
        scopes::{Binding, FunctionBody},
    },
    span::Span,
    symbol::Symbol,
    types::{Agreement, LayoutAttributes, Parameter, QualifiedType, SignatureId, Type},
};

/// A declared variable whose initializer may follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenVariable {
    declared: VariableDeclaration,
    variable: Variable,
    layout: LayoutAttributes,
}

/// A block literal whose body is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenBlock {
    signature: SignatureId,
    has_result: bool,
    /// The body around it.
    outer: Option<Body>,
    outer_flow: FlowMark,
}

impl Analyser<'_> {
    /// Declares a typedef name, a function or a variable; returns a variable, which may have an initializer.
    pub(super) fn declare_one(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
        has_initializer: bool,
    ) -> Option<OpenVariable> {
        let mut ty = declarator.ty;
        if let Some(width) = specifiers.attributes.vector_width
            && !matches!(self.arena.types.of(ty), Type::Vector { .. })
        {
            ty = self.widened(ty, width);
        }
        if let Some((Storage::Typedef, _)) = specifiers.storage {
            let ty = self.typedef_type(ty, declarator.span, declarator.space_span);
            if let Some(name) = declarator.name {
                self.declare_typedef(name, ty, declarator.span);
            }
            return None;
        }
        if let Type::Function(signature) = self.arena.types.of(ty) {
            self.declare_function(specifiers, declarator, signature, ty);
            return None;
        }
        self.endian_attribute(&specifiers.attributes, ty);
        self.arena.sites.note_variable(specifiers.span.start);
        let declared = VariableDeclaration {
            name: declarator.name,
            span: declarator.span,
            ty,
            space_span: declarator.space_span,
            places: declarator.places,
            storage: specifiers.storage,
            has_initializer,
            start: specifiers.span.start,
        };
        let variable = self.declare_variable(&declared);
        Some(OpenVariable { declared, variable, layout: specifiers.attributes.layout })
    }

    /// Returns the type of a variable, and its initializer without values.
    pub(super) fn initializer_of(open: &OpenVariable) -> (QualifiedType, Values) {
        let Variable { object, ty, constant_for, .. } = open.variable;
        (ty, Values::new(object, constant_for))
    }

    /// Judges the values of a variable, or that it has none.
    pub(super) fn close_variable(&mut self, open: &OpenVariable, values: Option<&Values>) {
        self.judge_values(&open.declared, &open.variable, values);
        if let Some(id) = open.variable.object {
            self.list_variable(id, open.declared.storage.map(|(storage, _)| storage), open.layout);
        }
    }

    /// Judges and declares a parameter.
    pub(super) fn parameter(
        &mut self,
        declarator: &Declarator,
        attributes: &Attributes,
    ) -> Parameter {
        self.endian_attribute(attributes, declarator.ty);
        let ty = self.parameter_type(declarator);
        let pointee = declarator.places.pointee;
        if let Some(name) = declarator.name {
            if let Some(Binding::Object(id)) = self.arena.names.get_here(name) {
                let earlier = self.object(id).span;
                let message =
                    format!("this function has a parameter `{}`", self.interner.text(name));
                self.repeated(Rule::CDeclaredTwice, declarator.span, message, earlier);
            }
            self.add_parameter(name, ty, declarator.span, pointee);
        }
        Parameter { name: declarator.name, ty, span: declarator.span, pointee }
    }

    /// Declares a function and opens its body. Returns `false` where the declarator declares no function.
    pub(super) fn open_function(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
    ) -> bool {
        let Type::Function(signature) = self.arena.types.of(declarator.ty) else { return false };
        let function = self.declare_function(specifiers, declarator, signature, declarator.ty);
        let is_kernel = match function {
            Some(id) => self.function(id).is_kernel,
            None => specifiers.kernel.is_some(),
        };
        if let Some(id) = function {
            self.define_function(id, declarator.span);
        }
        self.judge_complete_types(signature, declarator.span);
        self.open_scope();
        self.add_parameters(signature);
        if let Some(name) = declarator.name {
            self.arena.inventory.open_function(DefinedFunction {
                name,
                signature,
                span: declarator.span,
                is_kernel,
            });
        }
        let result = self.arena.types.signature(signature).result;
        self.body = Some(Body {
            result: Some(result),
            result_pointee: declarator.places.pointee,
            is_kernel,
            is_block: false,
            function,
            before: Some(specifiers.span.start),
            start: None,
            level: 0,
            nesting: 0,
            for_declaration: None,
            has_jump: false,
        });
        let outer_flow = self.open_flow();
        debug_assert!(outer_flow == FlowMark::default(), "no body is open around a function");
        true
    }

    pub(super) fn close_function(&mut self) {
        self.close_flow(FlowMark::default());
        if let Some(id) = self.body.and_then(|body| body.function) {
            self.arena.functions[id.0 as usize].body = FunctionBody::Read;
        }
        self.body = None;
        self.arena.inventory.close_function();
        self.close_scope();
    }

    /// Declares a typedef name. C11, and every compiler, lets a declaration be repeated.
    fn declare_typedef(&mut self, name: Symbol, ty: QualifiedType, span: Span) {
        let is_other = match self.arena.names.get_here(name) {
            None | Some(Binding::Unknown) => false,
            Some(Binding::Typedef(earlier)) => {
                self.arena.types.agreement(earlier, ty) == Agreement::Different
                    || !self.arena.types.qualified_alike(earlier, ty)
            }
            Some(_) => true,
        };
        if is_other {
            let message =
                format!("`{}` was declared with another meaning", self.interner.text(name));
            self.mistake(Rule::COtherType, span, message);
        }
        if let Type::Record(id) = self.arena.types.of(ty) {
            self.arena.types.name_record(id, name);
        }
        self.arena.names.declare(name, Binding::Typedef(ty));
    }

    /// Judges that the types of a function's result and parameters are complete (C99 6.7.5.3, 6.9.1).
    fn judge_complete_types(&mut self, signature: SignatureId, span: Span) {
        let signature = self.arena.types.signature(signature);
        if self.is_incomplete_record(signature.result) {
            let message = format!("`{}` is incomplete", self.spelled(signature.result));
            self.mistake(Rule::CIncompleteType, span, message);
        }
        let mut index = 0;
        while let Some(parameter) = self.arena.types.parameter(&signature, index) {
            index += 1;
            if self.is_incomplete(parameter.ty) {
                self.report_incomplete(parameter.ty, parameter.span);
            }
        }
    }

    /// Declares the parameters of a signature in the scope of its body.
    fn add_parameters(&mut self, signature: SignatureId) {
        let signature = self.arena.types.signature(signature);
        let mut index = 0;
        while let Some(parameter) = self.arena.types.parameter(&signature, index) {
            index += 1;
            if let Some(name) = parameter.name {
                self.add_parameter(name, parameter.ty, parameter.span, parameter.pointee);
            }
        }
    }

    /// Reports the first block of a program in a dialect without blocks: the note at the head of `[blocks]`.
    pub(super) fn judge_block_support(&mut self, caret: Span) {
        if self.block_reported || self.dialect.has(Feature::DeviceEnqueue) {
            return;
        }
        self.block_reported = true;
        if !self.has_skipped {
            self.report(
                Finding::new(Rule::CBlock, caret, "there are no blocks in this dialect")
                    .note("they require OpenCL C 2.0, or 3.0 with __opencl_c_device_enqueue"),
            );
        }
    }

    /// Opens the body of a block literal. `declared` is the type that was written for it.
    pub(super) fn open_block(&mut self, declared: QualifiedType, has_result: bool) -> OpenBlock {
        let signature = match self.arena.types.of(declared) {
            Type::Function(signature) => signature,
            _ => self.arena.types.add_signature(declared, &[], false),
        };
        let outer = self.body;
        let result = has_result.then_some(self.arena.types.signature(signature).result);
        self.body = Some(Body {
            result,
            is_kernel: outer.is_some_and(|body| body.is_kernel),
            is_block: true,
            function: None,
            before: None,
            start: None,
            level: outer.map_or(0, |body| body.level) + 1,
            nesting: 0,
            for_declaration: None,
            has_jump: false,
            result_pointee: SpaceSite::Nowhere,
        });
        self.open_scope();
        self.add_parameters(signature);
        let outer_flow = self.open_flow();
        OpenBlock { signature, has_result, outer, outer_flow }
    }

    /// Closes the body of a block literal and returns the literal.
    pub(super) fn close_block(&mut self, open: &OpenBlock, span: Span) -> Operand {
        self.close_flow(open.outer_flow);
        self.close_scope();
        let inferred = self.body.and_then(|body| body.result).unwrap_or(QualifiedType::VOID);
        self.body = open.outer;
        if !open.has_result {
            self.arena.types.set_result(open.signature, inferred);
        }
        let id = self.arena.types.block(open.signature);
        Operand::constant(id, Constness::Address, span)
    }

    /// Judges `return`; `keyword` is its place.
    pub(super) fn judge_return(&mut self, keyword: Span, value: Option<Operand>) {
        self.note_jump();
        let Some(value) = value else {
            if let Some(body) = &mut self.body
                && body.result.is_none()
            {
                body.result = Some(QualifiedType::VOID);
            }
            let result = self.body.and_then(|body| body.result).unwrap_or(QualifiedType::VOID);
            if !matches!(self.arena.types.of(result), Type::Void | Type::Error) {
                let message = format!("this function returns `{}`", self.spelled(result));
                self.mistake(Rule::CReturnValue, keyword, message);
            }
            return;
        };
        let Some(body) = self.body else { return };
        match body.result {
            Some(result) if matches!(self.arena.types.of(result), Type::Void) => {
                if !value.is_error() && !matches!(self.arena.types.of(value.ty), Type::Void) {
                    self.mistake(Rule::CReturnValue, keyword, "a void function returns no value");
                }
            }
            Some(result) => self.convert_returned(&value, result),
            None => {
                let value = self.rvalue(value);
                if let Some(body) = &mut self.body {
                    body.result = Some(value.ty);
                }
            }
        }
    }

    pub(super) fn open_scope(&mut self) {
        self.arena.names.enter();
        self.arena.tags.enter();
    }

    pub(super) fn close_scope(&mut self) {
        self.arena.names.leave();
        self.arena.tags.leave();
    }
}
