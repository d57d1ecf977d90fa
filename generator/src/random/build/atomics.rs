//! Atomic objects and the functions of [atomic-functions].

use expectations::{dialect::Version, requirement::Requirement, space::AddressSpace};

use super::{Builder, pointers::Fit};
use crate::random::{
    tree::{Declaration, Expression},
    types::{ATOMIC_FLAG, ATOMICS, FLOAT, Kind, Pointee, Ty},
};

/// How much of order and scope is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `f_explicit(..., order, scope)`
    OrderAndScope,
    /// `f_explicit(..., order)`
    Order,
    /// `f(...)`
    Short,
}

/// What a function does to the object, which limits its orders.
#[derive(Clone, Copy)]
enum Access {
    Load,
    Store,
    Both,
}

impl Access {
    fn orders(self) -> &'static [&'static str] {
        match self {
            Self::Load => &["memory_order_acquire", "memory_order_seq_cst"],
            Self::Store => &["memory_order_release", "memory_order_seq_cst"],
            Self::Both => &[
                "memory_order_acq_rel",
                "memory_order_acquire",
                "memory_order_release",
                "memory_order_seq_cst",
            ],
        }
    }
}

const RELAXED: &str = "memory_order_relaxed";

/// The three forms of one function: plain, and with `_explicit`.
type Names = [&'static str; 2];

const LOAD: Names = ["atomic_load", "atomic_load_explicit"];
const STORE: Names = ["atomic_store", "atomic_store_explicit"];
const EXCHANGE: Names = ["atomic_exchange", "atomic_exchange_explicit"];
const FETCH: [Names; 7] = [
    ["atomic_fetch_add", "atomic_fetch_add_explicit"],
    ["atomic_fetch_sub", "atomic_fetch_sub_explicit"],
    ["atomic_fetch_or", "atomic_fetch_or_explicit"],
    ["atomic_fetch_xor", "atomic_fetch_xor_explicit"],
    ["atomic_fetch_and", "atomic_fetch_and_explicit"],
    ["atomic_fetch_min", "atomic_fetch_min_explicit"],
    ["atomic_fetch_max", "atomic_fetch_max_explicit"],
];
const COMPARE_EXCHANGE: [Names; 2] = [
    ["atomic_compare_exchange_strong", "atomic_compare_exchange_strong_explicit"],
    ["atomic_compare_exchange_weak", "atomic_compare_exchange_weak_explicit"],
];
const TEST_AND_SET: Names = ["atomic_flag_test_and_set", "atomic_flag_test_and_set_explicit"];
const CLEAR: Names = ["atomic_flag_clear", "atomic_flag_clear_explicit"];

impl Builder<'_> {
    /// A space whose atomic objects functions take.
    pub(super) fn atomic_space(&mut self) -> AddressSpace {
        use AddressSpace::{Generic, Global, Local};
        if self.dialect.generic {
            self.choices.pick(&[Global, Local, Generic])
        } else {
            self.choices.pick(&[Global, Local])
        }
    }

    /// An atomic object at program scope: in global, for there is no other space it can be written in.
    pub(super) fn atomic_item(&mut self) {
        let is_flag = self.choices.one_in(5);
        let ty = if is_flag { ATOMIC_FLAG } else { self.choices.pick(&ATOMICS) };
        let is_static = self.choices.one_in(4);
        let initializer = self.choices.one_in(2).then(|| match self.types.kind(ty) {
            Kind::Atomic(_, value) if !is_flag => {
                let number = self.number(value);
                Expression::CallBuiltin("ATOMIC_VAR_INIT", vec![number])
            }
            _ => Expression::Word("ATOMIC_FLAG_INIT"),
        });
        let declaration = Declaration {
            storage: if is_static { "static " } else { "" },
            space: self.choices.one_in(2).then_some(AddressSpace::Global),
            is_volatile: self.choices.one_in(4),
            ..Declaration::plain(ty, self.file_name('v'), initializer)
        };
        self.push_object(declaration, AddressSpace::Global);
    }

    /// A pointer to an atomic object, as the functions take it.
    fn atomic_object(&mut self, to: Ty, fuel: u32) -> Expression {
        let has_function = |space| matches!(space, AddressSpace::Global | AddressSpace::Local);
        let near = self.place_where(|_, spot| spot.ty == to && has_function(spot.space));
        if let Some((object, _)) = near {
            return Expression::Prefix("&", Box::new(object));
        }
        let space = self.atomic_space();
        let wanted = Pointee { is_volatile: true, ..Pointee::new(to, space) };
        self.pointer(wanted, Fit::Same, fuel)
    }

    /// The form of one call: every dialect has the one with order and scope.
    fn form(&mut self) -> Form {
        match self.choices.below(6) {
            4 if self.has_every_order() => Form::Order,
            5 if self.has_every_order() => Form::Short,
            _ => Form::OrderAndScope,
        }
    }

    /// Whether orders other than relaxed, and the scope of a device, can be used; from now on they are needed.
    fn has_every_order(&mut self) -> bool {
        if self.since(Version::V3_0) {
            if !self.every_order {
                return false;
            }
            self.requirements.push(Requirement::SeqCstAtomics);
        }
        true
    }

    fn order(&mut self, access: Access) -> &'static str {
        if self.choices.one_in(2) && self.has_every_order() {
            self.choices.pick(access.orders())
        } else {
            RELAXED
        }
    }

    fn scope(&mut self) -> &'static str {
        if self.choices.one_in(3) && self.has_every_order() {
            "memory_scope_device"
        } else {
            "memory_scope_work_group"
        }
    }

    /// A call of one form of a function with these arguments and what its form adds.
    fn atomic_call(
        &mut self,
        names: Names,
        access: Access,
        mut arguments: Vec<Expression>,
    ) -> Expression {
        let form = self.form();
        if form != Form::Short {
            arguments.push(Expression::Word(self.order(access)));
        }
        if form == Form::OrderAndScope {
            arguments.push(Expression::Word(self.scope()));
        }
        Expression::CallBuiltin(names[usize::from(form != Form::Short)], arguments)
    }

    /// A value of type `ty` that an atomic function gives, if one does.
    pub(super) fn atomic_value(&mut self, ty: Ty, fuel: u32) -> Option<Expression> {
        let atomic = ATOMICS.into_iter().find(
            |&atomic| matches!(self.types.kind(atomic), Kind::Atomic(_, value) if value == ty),
        )?;
        let is_integer = ty != FLOAT;
        let kinds = if is_integer { 5 } else { 2 };
        Some(match self.choices.below(kinds) {
            0 => {
                let object = self.atomic_object(atomic, fuel);
                self.atomic_call(LOAD, Access::Load, vec![object])
            }
            1 => {
                let arguments = self.object_and_value(atomic, ty, fuel);
                self.atomic_call(EXCHANGE, Access::Both, arguments)
            }
            2 => {
                let names = self.choices.pick(&FETCH);
                let arguments = self.object_and_value(atomic, ty, fuel);
                self.atomic_call(names, Access::Both, arguments)
            }
            3 => {
                let call = self.compare_exchange(atomic, ty, fuel);
                Expression::Cast(ty, Box::new(call))
            }
            _ => {
                let object = self.atomic_object(ATOMIC_FLAG, fuel);
                let call = self.atomic_call(TEST_AND_SET, Access::Both, vec![object]);
                Expression::Cast(ty, Box::new(call))
            }
        })
    }

    fn object_and_value(&mut self, atomic: Ty, ty: Ty, fuel: u32) -> Vec<Expression> {
        let object = self.atomic_object(atomic, fuel);
        let value = self.value(ty, fuel);
        vec![object, Expression::Cast(ty, Box::new(value))]
    }

    fn compare_exchange(&mut self, atomic: Ty, ty: Ty, fuel: u32) -> Expression {
        use AddressSpace::{Global, Local, Private};
        let object = self.atomic_object(atomic, fuel);
        let space = self.choices.pick(&[Private, Global, Local]);
        let expected = self.pointer(Pointee::new(ty, space), Fit::Same, fuel);
        let desired = self.value(ty, fuel);
        let names = self.choices.pick(&COMPARE_EXCHANGE);
        let form = self.form();
        let mut arguments = vec![object, expected, Expression::Cast(ty, Box::new(desired))];
        if form != Form::Short {
            let success = self.order(Access::Both);
            // On failure nothing is stored, and no stronger order than on success is allowed.
            let failure = match success {
                "memory_order_seq_cst" => self.choices.pick(&[RELAXED, "memory_order_seq_cst"]),
                "memory_order_acquire" | "memory_order_acq_rel" => {
                    self.choices.pick(&[RELAXED, "memory_order_acquire"])
                }
                _ => RELAXED,
            };
            arguments.extend([Expression::Word(success), Expression::Word(failure)]);
        }
        if form == Form::OrderAndScope {
            arguments.push(Expression::Word(self.scope()));
        }
        Expression::CallBuiltin(names[usize::from(form != Form::Short)], arguments)
    }

    /// A statement's call that gives an atomic object a value.
    pub(super) fn atomic_statement(&mut self, fuel: u32) -> Expression {
        let atomic = self.choices.pick(&ATOMICS);
        let Kind::Atomic(_, ty) = self.types.kind(atomic) else { return self.number(atomic) };
        match self.choices.below(3) {
            0 => {
                let arguments = self.object_and_value(atomic, ty, fuel);
                self.atomic_call(STORE, Access::Store, arguments)
            }
            1 => {
                let arguments = self.object_and_value(atomic, ty, fuel);
                Expression::CallBuiltin("atomic_init", arguments)
            }
            _ => {
                let object = self.atomic_object(ATOMIC_FLAG, fuel);
                self.atomic_call(CLEAR, Access::Store, vec![object])
            }
        }
    }
}
