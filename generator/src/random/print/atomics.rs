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
    pub(super) fn put_atomic(&self, out: &mut String, call: &AtomicCall) {
        let AtomicCall { operation, object, operand, manner } = call;
        let mut manner = *manner;
        if matches!(operation, AtomicOperation::Initialize) {
            manner.form = CallForm::Short;
        }
        put_function(out, atomic_name(operation, manner.form), manner);
        self.put_value(out, object);
        if let AtomicOperation::CompareExchange(expected) = operation {
            out.push_str(", ");
            self.put_value(out, expected);
        }
        out.push_str(", ");
        self.put_value(out, operand);
        if let AtomicOperation::CompareExchange(_) = operation {
            put_orders(out, &[manner.order, on_failure(manner.order)], manner);
        } else {
            put_orders(out, &[manner.order], manner);
        }
    }

    pub(super) fn put_atomic_load(&self, out: &mut String, object: &Expression, manner: Manner) {
        put_function(out, "atomic_load", manner);
        self.put_value(out, object);
        put_orders(out, &[manner.order], manner);
    }
}

/// Appends the beginning of a call.
fn put_function(out: &mut String, name: &str, manner: Manner) {
    out.push_str(name);
    out.push_str(match manner.form {
        CallForm::Legacy | CallForm::Short => "(",
        CallForm::Order | CallForm::OrderAndScope => "_explicit(",
    });
}

/// Appends the arguments that the form of a call adds, and its end.
fn put_orders(out: &mut String, orders: &[Order], manner: Manner) {
    if matches!(manner.form, CallForm::Order | CallForm::OrderAndScope) {
        for &order in orders {
            out.push_str(", ");
            out.push_str(order_text(order));
        }
    }
    if manner.form == CallForm::OrderAndScope {
        out.push_str(match manner.scope {
            Scope::Group => ", memory_scope_work_group",
            Scope::Device => ", memory_scope_device",
        });
    }
    out.push(')');
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

/// Returns the strongest order that a comparison which fails may have: it stores nothing
/// ([operations-on-atomic-types]).
fn on_failure(order: Order) -> Order {
    match order {
        Order::Relaxed | Order::Release => Order::Relaxed,
        Order::Acquire | Order::AcquireRelease => Order::Acquire,
        Order::SequentiallyConsistent => order,
    }
}
