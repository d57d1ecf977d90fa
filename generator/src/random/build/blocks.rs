//! Blocks: what they may capture, and that they can be called from then on.

use expectations::{requirement::Requirement, space::AddressSpace};

use super::{Builder, Callee, Place, Scope, Variable};
use crate::random::{
    tree::{Closure, Expression, Parameter, Statement},
    types::{INT, Kind},
};

impl Builder<'_> {
    /// `int (^b)(int p) = ^(int p) { ...; return x; };`
    pub(super) fn closure(&mut self) -> Statement {
        self.requirements.push(Requirement::DeviceEnqueue);
        let name = self.local_name('b');
        let mut parameters = Vec::new();
        self.repeat(2, |builder| {
            let ty = if builder.choices.one_in(2) { builder.pointer_type() } else { INT };
            let name = builder.local_name('p');
            parameters.push(Parameter { name, ty, as_array: None });
        });
        // An edit is judged by what is around it, and much of that is different in a block.
        let pending = self.pending.take();
        let (outside, callees) = (self.variables.clone(), self.callees.clone());
        // A block does not capture another.
        self.callees.retain(|callee| callee.name.is_file_scope);
        for variable in &mut self.variables {
            captured(variable, self.types.kind(variable.ty));
        }
        let body = self.scoped(Place::Helper, |builder| {
            let scope = std::mem::replace(&mut builder.scope, 0);
            builder.declare_parameters(&parameters, &[]);
            let mut body = Vec::new();
            builder.repeat(2, |builder| body.push(builder.assignment()));
            let value = builder.value(INT, 1);
            body.push(Statement::Return(Some(Expression::Cast(INT, Box::new(value)))));
            builder.scope = scope;
            body
        });
        self.variables = outside;
        self.callees = callees;
        self.pending = pending;
        let types = parameters.iter().map(|parameter| parameter.ty).collect();
        self.callees.push(Callee { name, result: INT, parameters: types });
        Statement::Closure(Box::new(Closure { name, parameters, body }))
    }
}

/// What a variable is in a block: automatic ones are captured by value, and can then not be written; arrays and
/// images are not captured, and of variables in local the text does not say whether they are.
fn captured(variable: &mut Variable, kind: Kind) {
    match (variable.space, kind) {
        _ if variable.declared_in == Scope::Program => {}
        (AddressSpace::Local, _) | (AddressSpace::Private, Kind::Array(..) | Kind::Opaque(_)) => {
            variable.is_hidden = true;
        }
        (AddressSpace::Private, _) => variable.is_const = true,
        _ => {}
    }
}
