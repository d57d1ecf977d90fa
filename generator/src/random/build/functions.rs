//! Functions: helpers, with prototypes or without, and kernels.

use expectations::{dialect::Version, space::AddressSpace};

use super::{Builder, Place, Scope, Variable};
use crate::random::{
    settings::Feature,
    tree::{Function, Header, Item, Parameter, Statement},
    types::{ATOMIC_FLAG, ATOMIC_FLOAT, ATOMIC_INT, ATOMIC_UINT, Pointee, Ty, VOID},
};

impl Builder<'_> {
    pub(super) fn function_item(&mut self) {
        if self.choices.one_in(3) {
            self.kernel(false);
        } else {
            self.helper();
        }
    }

    /// Parameters, and which variable of file scope each hides.
    fn parameters(
        &mut self,
        most: u32,
        mut ty: impl FnMut(&mut Self) -> Ty,
    ) -> (Vec<Parameter>, Vec<Option<usize>>) {
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut hidden = Vec::new();
        self.repeat(most, |builder| {
            let ty = ty(builder);
            let as_array = builder.as_array(ty);
            let hides = builder.hidden_by_parameter(&parameters);
            let name = match hides {
                Some(index) => builder.variables[index].name,
                None => builder.local_name('p'),
            };
            parameters.push(Parameter { name, ty, as_array });
            hidden.push(hides);
        });
        (parameters, hidden)
    }

    /// Whether a parameter is written as an array.
    fn as_array(&mut self, ty: Ty) -> Option<u8> {
        let pointee = self.types.pointee(ty)?;
        // Of a pointer to generic nothing would be written, and its array would be read in two ways.
        let is_array = self.types.alias(ty).is_none()
            && pointee.space != AddressSpace::Generic
            && self.choices.one_in(4);
        is_array.then(|| self.choices.pick(&[0, 2, 4]))
    }

    fn hidden_by_parameter(&mut self, others: &[Parameter]) -> Option<usize> {
        let count = self.variables.len() as u32;
        if count == 0 || !self.one_in_with(Feature::Shadowing, 4) {
            return None;
        }
        let index = self.choices.below(count) as usize;
        let name = self.variables[index].name;
        others.iter().all(|other| other.name != name).then_some(index)
    }

    pub(super) fn declare_parameters(
        &mut self,
        parameters: &[Parameter],
        hidden: &[Option<usize>],
    ) {
        for (position, parameter) in parameters.iter().enumerate() {
            let hides = hidden.get(position).copied().flatten();
            if let Some(index) = hides {
                self.variables[index].is_hidden = true;
            }
            self.variables.push(Variable {
                name: parameter.name,
                ty: parameter.ty,
                space: AddressSpace::Private,
                is_const: false,
                is_volatile: false,
                declared_in: Scope::Function,
                hides,
                is_hidden: false,
            });
        }
    }

    pub(in crate::random) fn helper(&mut self) {
        let (parameters, hidden) = self.parameters(3, |builder| {
            if builder.one_in_with(Feature::Images, 3) {
                builder.image_type()
            } else if builder.choices.one_in(3) {
                builder.value_type()
            } else {
                builder.pointer_type()
            }
        });
        let result = match self.choices.below(4) {
            0 | 1 => self.value_type(),
            2 => self.pointer_type(),
            _ => VOID,
        };
        let before = if self.has(Feature::StorageClasses) {
            self.choices.pick(&["", "", "static ", "static inline "])
        } else {
            ""
        };
        let name = self.file_name('f');
        let header = Header { is_kernel: false, before, name, result, parameters };
        if self.one_in_with(Feature::Prototypes, 2) {
            self.items.push(Item::Prototype(Box::new(header.clone())));
        }
        let body = self.scoped(Place::Helper, |builder| {
            builder.declare_parameters(&header.parameters, &hidden);
            builder.result = Some(result);
            let mut body = builder.statements(builder.limits.statements);
            builder.statement_faults(&mut body);
            builder.result = None;
            if result != VOID {
                body.push(builder.return_statement(result));
            }
            body
        });
        self.push_callee(&header);
        self.items.push(Item::Function(Box::new(Function { header, body })));
    }

    fn kernel_parameter_type(&mut self) -> Ty {
        use AddressSpace::{Constant, Global, Local};
        if self.one_in_with(Feature::Images, 3) {
            return self.image_type();
        }
        if self.one_in_with(Feature::Atomics, 4) {
            let to = self.choices.pick(&[ATOMIC_INT, ATOMIC_UINT, ATOMIC_FLOAT, ATOMIC_FLAG]);
            let space = self.choices.pick(&[Global, Local]);
            let is_volatile = self.choices.one_in(3);
            return self.types.pointer(Pointee { is_volatile, ..Pointee::new(to, space) });
        }
        let to = self.plain_type();
        if self.choices.one_in(4) {
            return to;
        }
        let space = self.choices.pick(&[Global, Local, Constant]);
        let nests = self.since(Version::V2_0);
        let to = if nests && self.one_in_with(Feature::NestedPointers, 6) {
            self.types.pointer(Pointee::new(to, Global))
        } else if self.one_in_with(Feature::ArraysOfArrays, 4) {
            self.types.array(to, 2)
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
        let (parameters, hidden) = self.parameters(3, Self::kernel_parameter_type);
        let attribute = "__attribute__((reqd_work_group_size(1, 1, 1))) ";
        let before = if self.choices.one_in(6) { attribute } else { "" };
        let name = self.file_name('k');
        let header = Header { is_kernel: true, before, name, result: VOID, parameters };
        let body = self.scoped(Place::Kernel, |builder| {
            builder.declare_parameters(&header.parameters, &hidden);
            builder.result = Some(VOID);
            let mut body = builder.statements(builder.limits.statements + 2);
            builder.statement_faults(&mut body);
            if is_last {
                builder.last_statement_fault(&mut body);
            }
            if builder.choices.one_in(6) {
                body.push(Statement::Return(None));
            }
            builder.result = None;
            body
        });
        self.items.push(Item::Function(Box::new(Function { header, body })));
    }
}
