//! Calls of atomic functions ([atomic-functions]).

use super::{
    super::tree::{
        AtomicCall, AtomicFunction, AtomicOperation, CallForm, Expression, Manner, Order, Scope,
    },
    Printer,
};

/// Returns the name of a function without `_explicit`.
pub(in crate::random) fn atomic_name(operation: &AtomicOperation, form: CallForm) -> &'static str {
    use AtomicFunction as F;
    match (operation, form) {
        (AtomicOperation::Initialize, _) => "atomic_init",
        (AtomicOperation::Store, _) => "atomic_store",
        (AtomicOperation::Exchange, _) => "atomic_exchange",
        (AtomicOperation::CompareExchange(_), _) => "atomic_compare_exchange_strong",
        (AtomicOperation::Fetch(function), CallForm::Legacy) => match function {
            F::Add => "atomic_add",
            F::Subtract => "atomic_sub",
            F::Minimum => "atomic_min",
            F::Maximum => "atomic_max",
            F::And => "atomic_and",
            F::Or => "atomic_or",
            F::Xor => "atomic_xor",
        },
        (AtomicOperation::Fetch(function), _) => match function {
            F::Add => "atomic_fetch_add",
            F::Subtract => "atomic_fetch_sub",
            F::Minimum => "atomic_fetch_min",
            F::Maximum => "atomic_fetch_max",
            F::And => "atomic_fetch_and",
            F::Or => "atomic_fetch_or",
            F::Xor => "atomic_fetch_xor",
        },
    }
}

impl Printer<'_> {
    pub(super) fn atomic(&self, call: &AtomicCall) -> String {
        let AtomicCall { operation, object, operand, manner } = call;
        let mut orders = vec![manner.order];
        let mut arguments = vec![self.value(object)];
        if let AtomicOperation::CompareExchange(expected) = operation {
            arguments.push(self.value(expected));
            orders.push(on_failure(manner.order));
        }
        arguments.push(self.value(operand));
        let manner = match operation {
            AtomicOperation::Initialize => Manner { form: CallForm::Short, ..*manner },
            _ => *manner,
        };
        called(atomic_name(operation, manner.form), arguments, &orders, manner)
    }

    pub(super) fn atomic_load(&self, object: &Expression, manner: Manner) -> String {
        called("atomic_load", vec![self.value(object)], &[manner.order], manner)
    }
}

/// Returns a call with what its form adds.
fn called(name: &str, mut arguments: Vec<String>, orders: &[Order], manner: Manner) -> String {
    let explicit = match manner.form {
        CallForm::Legacy | CallForm::Short => "",
        CallForm::Order | CallForm::OrderAndScope => {
            arguments.extend(orders.iter().map(|&order| order_text(order).to_owned()));
            "_explicit"
        }
    };
    if manner.form == CallForm::OrderAndScope {
        let scope = match manner.scope {
            Scope::Group => "memory_scope_work_group",
            Scope::Device => "memory_scope_device",
        };
        arguments.push(scope.to_owned());
    }
    format!("{name}{explicit}({})", arguments.join(", "))
}

fn order_text(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "memory_order_relaxed",
        Order::Acquire => "memory_order_acquire",
        Order::Release => "memory_order_release",
        Order::AcquireRelease => "memory_order_acq_rel",
        Order::SequentiallyConsistent => "memory_order_seq_cst",
    }
}

/// The strongest order that a comparison which fails may have: it stores nothing ([operations-on-atomic-types]).
fn on_failure(order: Order) -> Order {
    match order {
        Order::Relaxed | Order::Release => Order::Relaxed,
        Order::Acquire | Order::AcquireRelease => Order::Acquire,
        Order::SequentiallyConsistent => order,
    }
}
