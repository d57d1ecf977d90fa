//! Calls of names that the program does not declare: built-in functions, which the table judges.

use crate::{
    builtins::{self, Arg, Outcome, Pointee, Shape},
    rule::Rule,
    sema::{
        analyser::Analyser,
        operand::{Constness, Operand, Trait},
        report::Finding,
        scopes::Binding,
    },
    space::Space,
    span::Span,
    symbol::Symbol,
    types::{Access, ImageKind, Opaque, QualifiedType, Type, TypeId},
};

/// Number of arguments that are compared with the table; no built-in function takes more.
const ARGUMENT_LIMIT: usize = 16;

/// Functions that take a block to enqueue, or ask about one.
const BLOCK_TAKERS: [&str; 5] = [
    "enqueue_kernel",
    "get_kernel_work_group_size",
    "get_kernel_preferred_work_group_size_multiple",
    "get_kernel_sub_group_count_for_ndrange",
    "get_kernel_max_sub_group_size_for_ndrange",
];

/// Parts of the names of functions that vendors' extensions declare.
pub(in crate::sema) const VENDORS: [&str; 16] = [
    "altera", "amd", "apple", "arm", "ext", "fpga", "img", "intel", "khr", "nv", "nvidia", "pocl",
    "powervr", "qcom", "xcl", "xilinx",
];

/// Returns the words for a number of arguments.
fn counted(count: usize) -> String {
    match count {
        0 => "no argument".to_owned(),
        1 => "1 argument".to_owned(),
        count => format!("{count} arguments"),
    }
}

impl Analyser<'_> {
    /// Judges a call of an undeclared name.
    pub(crate) fn call_by_name(
        &mut self,
        name: Symbol,
        name_span: Span,
        arguments: &mut [Operand],
        span: Span,
    ) -> Operand {
        let mut all_constant = true;
        for argument in &mut *arguments {
            *argument = self.rvalue(*argument);
            all_constant &= argument.is_constant();
        }
        self.list_accesses_by_arguments(arguments);
        let text = self.interner.text(name);
        if matches!(text, "__atomic_var_init" | "ATOMIC_VAR_INIT") {
            let value = arguments.first().copied();
            let value = value.unwrap_or(Operand::error(span));
            return Operand { trait_: Trait::AtomicMacro, ..value.at(span) };
        }
        let Some(function) = builtins::find(text) else {
            if self.arena.names.get(name).is_none() {
                self.undeclared_function(text, name_span);
                self.arena.names.declare(name, Binding::Unknown);
            }
            return Operand::error(span);
        };
        if BLOCK_TAKERS.contains(&text) {
            self.judge_enqueued_blocks(arguments);
        }
        let mut described = [Arg::Unknown; ARGUMENT_LIMIT];
        for (slot, argument) in described.iter_mut().zip(&*arguments) {
            *slot = self.table_argument(argument);
        }
        let described = &described[..arguments.len().min(ARGUMENT_LIMIT)];
        let outcome = function.resolve(described, self.dialect);
        let shape = self.judge_outcome(outcome, text, arguments, name_span);
        let ty = self.call_type(shape, arguments);
        let is_conversion = text.starts_with("convert_") || text.starts_with("as_");
        let constness = if ty.is_error() || (is_conversion && all_constant) {
            Constness::Arithmetic
        } else {
            Constness::Variable
        };
        let result = Operand { constness, ..Operand::value(ty, span) };
        self.without_half(result)
    }

    /// Reports a call of a function that is not declared. Extensions of vendors declare functions that the table does
    /// not have: names that are reserved to the implementation (C99 7.1.3) or contain a vendor's name are accepted.
    fn undeclared_function(&mut self, name: &str, span: Span) {
        if name.starts_with('_') || name.split('_').any(|part| VENDORS.contains(&part)) {
            let message = format!("`{name}` is not declared; any call of it is accepted");
            self.warn(span, message);
            return;
        }
        if self.has_skipped {
            return;
        }
        let message = format!("the function `{name}` is not declared");
        let help = self.suggested_function(name).map(|meant| format!("did you mean `{meant}`?"));
        let mut finding = Finding::new(Rule::CUndeclaredFunction, span, message);
        if let Some(help) = help {
            finding = finding.help(help);
        }
        self.report(finding);
    }

    fn judge_outcome(
        &mut self,
        outcome: Outcome,
        text: &str,
        arguments: &[Operand],
        name_span: Span,
    ) -> Shape {
        match outcome {
            Outcome::Match(shape) => shape,
            Outcome::WrongSpace { argument, takes, result } => {
                let argument = arguments[usize::from(argument)];
                let points_to = self.arena.types.pointee(argument.ty);
                let space = points_to.map_or(Space::Private, |pointee| self.space_of(pointee));
                let is_atomic = points_to.is_some_and(|pointee| self.is_atomic(pointee));
                if is_atomic && space == Space::Private {
                    self.disputed(
                        Rule::BuiltinArgument,
                        argument.span,
                        format!("`{text}` is listed for pointers to {takes} here, not for private"),
                        "a pointer to private converts to neither ([addr-spaces-conversions]); what the \
                         function does with one is undefined, which requires no diagnostic \
                         ([atomic-restrictions])",
                    );
                    return result;
                }
                let message = format!(
                    "`{text}` takes a pointer to {takes} here, not one to {}",
                    space.name()
                );
                let labels = self.origins([&argument]);
                self.report(
                    Finding::new(Rule::BuiltinArgument, argument.span, message).labels(labels),
                );
                result
            }
            Outcome::WrongAccess { argument, result } => {
                let argument = arguments[usize::from(argument)];
                let message = format!("`{text}` needs another access qualifier here");
                self.warn(argument.span, message);
                result
            }
            Outcome::WrongCount(shape) => {
                let message = format!("no overload of `{text}` takes {}", counted(arguments.len()));
                self.mistake(Rule::CArgumentCount, name_span, message);
                shape
            }
            Outcome::Mismatch(shape) => {
                let message = format!("no overload of `{text}` takes these arguments");
                self.warn(name_span, message);
                shape
            }
            Outcome::Unavailable(gate) => {
                self.report(
                    Finding::new(
                        Rule::BuiltinUnavailable,
                        name_span,
                        format!("`{text}` does not exist in this dialect"),
                    )
                    .note(format!("it requires {gate}")),
                );
                Shape::Unknown
            }
        }
    }

    fn is_atomic(&self, ty: QualifiedType) -> bool {
        let innermost = self.arena.types.innermost(ty);
        matches!(self.arena.types.of(innermost), Type::Atomic(_) | Type::Opaque(Opaque::AtomicFlag))
    }

    /// Judges blocks to be enqueued: their parameters point to local void.
    fn judge_enqueued_blocks(&mut self, arguments: &[Operand]) {
        for argument in arguments {
            let Type::Block(signature) = self.arena.types.of(argument.ty) else { continue };
            let signature = self.arena.types.signature(signature);
            let mut position = 0;
            while let Some(parameter) = self.arena.types.parameter(&signature, position) {
                position += 1;
                let pointee = self.arena.types.pointee(parameter.ty);
                let is_local = pointee
                    .is_some_and(|pointee| self.arena.types.space(pointee) == Some(Space::Local));
                let is_void = pointee.is_some_and(|pointee| pointee.id == TypeId::VOID);
                if (is_local && is_void) || parameter.ty.is_error() {
                    continue;
                }
                if is_local {
                    self.disputed(
                        Rule::BlockEnqueueParameter,
                        parameter.span,
                        "a parameter of an enqueued block points to local, but not to void",
                        "[enqueuing-kernels] requires pointers to local void; the extension \
                         cl_khr_device_enqueue_local_arg_types lifts that, and devices may have it",
                    );
                    continue;
                }
                let mend = parameter.pointee.qualified(Space::Local).filter(|_| is_void);
                self.report(
                    Finding::new(
                        Rule::BlockEnqueueParameter,
                        parameter.span,
                        "the parameters of an enqueued block are pointers to local void",
                    )
                    .help("declare it as `local void *`")
                    .mend(mend),
                );
            }
        }
    }

    /// Returns an argument in the terms of the table.
    fn table_argument(&self, argument: &Operand) -> Arg {
        if argument.trait_ == Trait::NullPointer {
            return Arg::Null;
        }
        match self.arena.types.of(argument.ty) {
            Type::Scalar(scalar) => {
                if argument.integer() == Some(0) {
                    Arg::Zero(scalar.underlying())
                } else {
                    Arg::Scalar(scalar.underlying())
                }
            }
            Type::Vector { element, width } => match u8::try_from(width) {
                Ok(width) => Arg::Vector(element.underlying(), width),
                Err(_) => Arg::Unknown,
            },
            Type::Pointer(pointee) => self.table_pointer(pointee),
            Type::Image { kind, access } => Arg::Image(table_image(kind), table_access(access)),
            Type::Opaque(opaque) => match opaque {
                Opaque::Sampler => Arg::Sampler,
                Opaque::Event => Arg::Event,
                Opaque::ClkEvent => Arg::ClkEvent,
                Opaque::ReserveId => Arg::ReserveId,
                Opaque::Queue => Arg::Queue,
                Opaque::NdRange => Arg::NdRange,
                Opaque::AtomicFlag => Arg::Other,
            },
            Type::Block(_) => Arg::Block,
            Type::Record(_) => Arg::Other,
            Type::Pipe(_)
            | Type::Error
            | Type::Void
            | Type::Atomic(_)
            | Type::Array { .. }
            | Type::Function(_) => Arg::Unknown,
        }
    }

    fn table_pointer(&self, pointee: QualifiedType) -> Arg {
        let innermost = self.arena.types.innermost(pointee);
        let what = match self.arena.types.of(innermost) {
            Type::Scalar(scalar) => Pointee::Value(scalar.underlying(), 1),
            Type::Vector { element, width } => match u8::try_from(width) {
                Ok(width) => Pointee::Value(element.underlying(), width),
                Err(_) => Pointee::Unknown,
            },
            Type::Void => Pointee::Void,
            Type::Atomic(scalar) => Pointee::Atomic(scalar.underlying()),
            Type::Opaque(Opaque::AtomicFlag) => Pointee::AtomicFlag,
            Type::Opaque(Opaque::Event) => Pointee::Event,
            Type::Opaque(Opaque::ClkEvent) => Pointee::ClkEvent,
            Type::Error => Pointee::Unknown,
            _ => Pointee::Other,
        };
        let space = match self.space_of(pointee) {
            Space::Global => builtins::Space::Global,
            Space::Local => builtins::Space::Local,
            Space::Private => builtins::Space::Private,
            Space::Constant => builtins::Space::Constant,
            Space::Generic => builtins::Space::Generic,
            Space::Vendor | Space::Unstated => return Arg::Unknown,
        };
        Arg::Pointer { pointee: what, space, constant: innermost.quals.is_const }
    }

    /// Returns the type that the table gives a call.
    fn call_type(&mut self, shape: Shape, arguments: &[Operand]) -> QualifiedType {
        let opaque = |opaque| TypeId::opaque(opaque).plain();
        match shape {
            Shape::Unknown => QualifiedType::ERROR,
            Shape::Void => QualifiedType::VOID,
            Shape::Scalar(scalar) => TypeId::scalar(scalar).plain(),
            Shape::Vector(scalar, width) => {
                self.arena.types.vector(scalar, u32::from(width)).plain()
            }
            Shape::SamePointer { argument, space } => {
                let argument = arguments.get(usize::from(argument)).copied();
                match argument.and_then(|argument| self.arena.types.pointee(argument.ty)) {
                    Some(pointee) => {
                        let pointee = self.arena.types.in_space(pointee, own_space(space));
                        self.arena.types.pointer(pointee).plain()
                    }
                    None => QualifiedType::ERROR,
                }
            }
            Shape::Event => opaque(Opaque::Event),
            Shape::ClkEvent => opaque(Opaque::ClkEvent),
            Shape::Queue => opaque(Opaque::Queue),
            Shape::NdRange => opaque(Opaque::NdRange),
            Shape::ReserveId => opaque(Opaque::ReserveId),
        }
    }
}

const fn own_space(space: builtins::Space) -> Space {
    match space {
        builtins::Space::Global => Space::Global,
        builtins::Space::Local => Space::Local,
        builtins::Space::Private => Space::Private,
        builtins::Space::Constant => Space::Constant,
        builtins::Space::Generic => Space::Generic,
    }
}

const fn table_image(kind: ImageKind) -> builtins::ImageKind {
    match kind {
        ImageKind::D1 => builtins::ImageKind::Image1d,
        ImageKind::D1Buffer => builtins::ImageKind::Image1dBuffer,
        ImageKind::D1Array => builtins::ImageKind::Image1dArray,
        ImageKind::D2 => builtins::ImageKind::Image2d,
        ImageKind::D2Array => builtins::ImageKind::Image2dArray,
        ImageKind::D2Depth => builtins::ImageKind::Image2dDepth,
        ImageKind::D2ArrayDepth => builtins::ImageKind::Image2dArrayDepth,
        ImageKind::D2Msaa => builtins::ImageKind::Image2dMsaa,
        ImageKind::D2ArrayMsaa => builtins::ImageKind::Image2dArrayMsaa,
        ImageKind::D2MsaaDepth => builtins::ImageKind::Image2dMsaaDepth,
        ImageKind::D2ArrayMsaaDepth => builtins::ImageKind::Image2dArrayMsaaDepth,
        ImageKind::D3 => builtins::ImageKind::Image3d,
    }
}

const fn table_access(access: Access) -> builtins::Access {
    match access {
        Access::Read => builtins::Access::ReadOnly,
        Access::Write => builtins::Access::WriteOnly,
        Access::ReadWrite => builtins::Access::ReadWrite,
    }
}
