//! Functions: helpers, with prototypes or without, and kernels.

use expectations::{dialect::Version, space::AddressSpace};

use super::{Builder, Place, Variable};
use crate::random::{
    tree::{Function, Header, Item, Parameter, Statement},
    types::{Pointee, Ty, VOID},
};

impl Builder<'_> {
    pub(super) fn function_item(&mut self) {
        if self.choices.one_in(3) {
            self.kernel(false);
        } else {
            self.helper();
        }
    }

    fn parameters(&mut self, most: u32, mut ty: impl FnMut(&mut Self) -> Ty) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        self.repeat(most, |builder| {
            let ty = ty(builder);
            let name = builder.local_name('p');
            parameters.push(Parameter { name, ty, before: "", opaque: None });
        });
        parameters
    }

    fn declare_parameters(&mut self, parameters: &[Parameter]) {
        let usable = parameters.iter().filter(|parameter| parameter.opaque.is_none());
        let variables = usable.map(|parameter| Variable {
            name: parameter.name,
            ty: parameter.ty,
            space: AddressSpace::Private,
            is_const: false,
            is_volatile: false,
        });
        self.variables.extend(variables);
    }

    pub(in crate::random) fn helper(&mut self) {
        let parameters = self.parameters(3, |builder| {
            if builder.choices.one_in(3) { builder.value_type() } else { builder.pointer_type() }
        });
        let result = match self.choices.below(4) {
            0 | 1 => self.value_type(),
            2 => self.pointer_type(),
            _ => VOID,
        };
        let before = if self.since(Version::V1_2) {
            self.choices.pick(&["", "", "static ", "static inline "])
        } else {
            ""
        };
        let name = self.file_name('f');
        let header = Header { is_kernel: false, before, name, result, parameters };
        if self.choices.one_in(3) {
            self.items.push(Item::Prototype(Box::new(header.clone())));
        }
        let body = self.scoped(Place::Helper, |builder| {
            builder.declare_parameters(&header.parameters);
            let mut body = builder.statements(builder.size.statements);
            builder.statement_faults(&mut body);
            if result != VOID {
                body.push(builder.return_statement(result));
            }
            body
        });
        self.push_callee(&header);
        self.items.push(Item::Function(Box::new(Function { header, body })));
    }

    fn kernel_parameter_type(&mut self) -> Ty {
        let to = self.plain_type();
        if self.choices.one_in(4) {
            return to;
        }
        let space =
            self.choices.pick(&[AddressSpace::Global, AddressSpace::Local, AddressSpace::Constant]);
        let to = if self.since(Version::V2_0) && self.choices.one_in(8) {
            self.types.pointer(Pointee::new(to, AddressSpace::Global))
        } else {
            to
        };
        let pointee = Pointee {
            is_const: self.choices.one_in(4),
            is_volatile: self.choices.one_in(8),
            ..Pointee::new(to, space)
        };
        self.types.pointer(pointee)
    }

    /// A kernel; in the last one every edit not yet made is made.
    pub(super) fn kernel(&mut self, is_last: bool) {
        let mut parameters = self.parameters(3, Self::kernel_parameter_type);
        self.opaque_parameters(&mut parameters);
        let attribute = "__attribute__((reqd_work_group_size(1, 1, 1))) ";
        let before = if self.choices.one_in(6) { attribute } else { "" };
        let name = self.file_name('k');
        let header = Header { is_kernel: true, before, name, result: VOID, parameters };
        let body = self.scoped(Place::Kernel, |builder| {
            builder.declare_parameters(&header.parameters);
            let mut body = builder.statements(builder.size.statements + 2);
            builder.statement_faults(&mut body);
            if is_last {
                builder.last_statement_fault(&mut body);
            }
            if builder.choices.one_in(6) {
                body.push(Statement::Return(None));
            }
            body
        });
        self.items.push(Item::Function(Box::new(Function { header, body })));
    }

    /// Images and samplers beside the others.
    fn opaque_parameters(&mut self, parameters: &mut Vec<Parameter>) {
        if !self.choices.one_in(12) {
            return;
        }
        self.requirements.push(expectations::requirement::Requirement::Images);
        for (before, opaque) in [("read_only ", "image2d_t"), ("", "sampler_t")] {
            let name = self.local_name('p');
            parameters.push(Parameter { name, ty: VOID, before, opaque: Some(opaque) });
        }
    }
}
