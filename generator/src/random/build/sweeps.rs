//! Loops over an array, one after another, with ends that are known only when the program runs. An iteration reads what
//! others have written.

use std::rc::Rc;

use expectations::{dialect::Version, space::AddressSpace};

use super::{
    Builder, place_of,
    places::{Root, Search, element_of},
    read,
};
use crate::random::{
    settings::Feature,
    tree::{
        Binary, Compare, Expression, Initializer, Leave, Loop, Node, Place, Statement, Step,
        WorkItem,
    },
    types::{INT, Scalar, Type, Types, UINT, ULONG},
};

/// Largest number of work-items in launches with such loops: with more of them the evaluator takes too long.
const MOST_ITEMS: u32 = 128;

/// Elements of an array of each work-item, a power of two.
const LENGTH: u16 = 16;

/// Elements of an array in local memory that each work-item owns, a power of two.
const LOCAL_LENGTH: u16 = 8;

impl Builder<'_> {
    /// Returns loops over an array, if the program has some.
    pub(super) fn sweeps(&mut self) -> Option<Vec<Step>> {
        if self.program.items > MOST_ITEMS
            || !self.has(Feature::Loops)
            || !self.one_in_with(Feature::Sweeps, 2)
        {
            return None;
        }
        let (known, equal) = (self.roots.len(), self.equal_numbers());
        let mut steps = Vec::new();
        let swept = self.swept(&mut steps)?;
        let mut turns = self.turns(1, 2);
        while self.takes_turn(&mut turns) {
            self.sweep(&swept, &mut steps);
            self.choices.close();
        }
        self.fold(&swept, &mut steps)?;
        self.forget_equal_numbers(equal);
        if self.depth > 0 {
            self.roots.truncate(known);
        }
        let mut all = self.flow_declarations();
        all.extend(steps);
        Some(all)
    }

    /// Returns an array of numbers that every work-item has for itself, after the steps that write it.
    fn swept(&mut self, into: &mut Vec<Step>) -> Option<Root> {
        let small: &[Scalar] = &[Scalar::Uint, Scalar::Ulong, Scalar::Uchar, Scalar::Ushort];
        let scalars = if self.dialect.version < Version::V1_1 { &small[..2] } else { small };
        let element = Types::scalar(self.choices.pick(scalars));
        if self.choices.below(4) == 3 && self.depth == 0 {
            let own = if element == ULONG { LOCAL_LENGTH / 2 } else { LOCAL_LENGTH };
            let length = own * self.program.group as u16;
            let ty = self.program.types.intern(Type::Array(element, length));
            let variable = self.variable(ty, AddressSpace::Local, None);
            self.add_own_part(place_of(variable, ty), element, WorkItem::LocalId, own);
            into.push(Step::Local(variable));
        } else {
            let ty = self.program.types.intern(Type::Array(element, LENGTH));
            let variable = self.variable(ty, AddressSpace::Private, None);
            into.push(Step::Each(Statement::Declare(variable)));
            self.add_variable_roots(variable);
        }
        // Nothing may read it before it is written.
        let root = self.roots.pop()?;
        let counter = self.variable(UINT, AddressSpace::Private, None);
        let count = || read(place_of(counter, UINT));
        let base = self.unsigned_number(1);
        let factor = Self::uint(1 + 2 * self.choices.below(50));
        let value =
            Self::binary(Binary::Add, base, Self::binary(Binary::Multiply, count(), factor));
        let value = Self::convert(element, value);
        let first = Step::Each(Statement::Assign(element_of(&root, &count()), value));
        into.push(Step::Repeat(counter, root.run.into(), vec![first]));
        self.roots.push(root.clone());
        Some(root)
    }

    fn unsigned_number(&mut self, fuel: u32) -> Expression {
        self.number_of(Scalar::Uint, fuel)
    }

    /// Adds a loop over the array.
    fn sweep(&mut self, root: &Root, into: &mut Vec<Step>) {
        let last = u32::from(root.run) - 1;
        let counter = self.variable(UINT, AddressSpace::Private, None);
        let count = || read(place_of(counter, UINT));
        let plus = |number, by| match by {
            0 => number,
            by => Self::binary(Binary::Add, number, Self::uint(by)),
        };
        let from_last = |number, by| Self::binary(Binary::Subtract, Self::uint(last - by), number);
        // Largest number of iterations, with the indices of what is written and read.
        let (most, written, other) = match self.choices.below(6) {
            1 => {
                let distance = 1 + self.choices.below(last / 2);
                (last + 1 - distance, from_last(count(), distance), from_last(count(), 0))
            }
            2 => {
                let sums = 1 + self.choices.below(5).min(last);
                let index = Self::binary(Binary::Remainder, count(), Self::uint(sums));
                (last + 1, index.clone(), index)
            }
            3 => {
                let factor = Self::uint(1 + 2 * self.choices.below(8));
                let product = Self::binary(Binary::Multiply, count(), factor);
                let product = plus(product, self.choices.below(last));
                (last + 1, Self::binary(Binary::And, product, Self::uint(last)), count())
            }
            4 => (last + 1, count(), from_last(count(), 0)),
            5 => {
                let number = self.unsigned_number(1);
                let index = Self::binary(Binary::And, number, Self::uint(last));
                (last + 1, index, count())
            }
            _ => {
                let distance = 1 + self.choices.below(last / 2);
                (last + 1 - distance, plus(count(), distance), count())
            }
        };
        let bound = self.end_below(most, into);
        self.counters.push((counter, most));
        let body = self.sweep_body(root, &written, &other);
        self.counters.pop();
        let form = self.loop_form();
        let swept = Step::Loop(Loop { form, counter, bound, body });
        if self.choices.below(4) == 3 {
            let outer = self.variable(UINT, AddressSpace::Private, None);
            let bound = self.end_below(3, into);
            let form = self.loop_form();
            into.push(Step::Loop(Loop { form, counter: outer, bound, body: vec![swept] }));
        } else {
            into.push(swept);
        }
    }

    /// Returns a number of iterations, at most this many.
    fn end_below(&mut self, most: u32, into: &mut Vec<Step>) -> Expression {
        let mask = (most + 1).next_power_of_two() / 2 - 1;
        let least = self.choices.below(most - mask + 1);
        let number = if self.one_in_with(Feature::ItemFlow, 3) {
            self.unsigned_number(1)
        } else {
            self.equal_here(into)
        };
        let few = Self::binary(Binary::And, number, Self::uint(mask));
        if least == 0 { few } else { Self::binary(Binary::Add, few, Self::uint(least)) }
    }

    /// Returns the body of a loop that computes one element from another.
    fn sweep_body(&mut self, root: &Root, written: &Expression, other: &Expression) -> Vec<Step> {
        let to = element_of(root, written);
        let from = element_of(root, other);
        let wide = if root.element == ULONG { ULONG } else { UINT };
        let number = |place: &Place| Self::convert(wide, read(place.clone()));
        let scalar = if wide == ULONG { Scalar::Ulong } else { Scalar::Uint };
        let operators = [Binary::Add, Binary::Xor, Binary::Subtract, Binary::Multiply];
        let binary = |operator, left, right| {
            Expression::new(wide, Node::Binary(operator, Box::new(left), Box::new(right)))
        };
        let operator = self.choices.pick(&operators);
        let further = self.number_of(scalar, 1);
        let value = match self.choices.below(4) {
            1 => binary(operator, number(&from), further),
            2 => binary(operator, number(&to), further),
            3 => {
                let product = binary(Binary::Multiply, number(&from), Expression::literal(wide, 3));
                binary(operator, binary(Binary::Add, number(&to), product), further)
            }
            _ => binary(operator, number(&to), number(&from)),
        };
        let assigned = Step::Each(Statement::Assign(to, Self::convert(root.element, value)));
        let is_odd = |value: Expression| {
            let one = || Expression::literal(wide, 1);
            let low = Box::new(binary(Binary::And, value, one()));
            Expression::new(INT, Node::Compare(Compare::Equal, low, Box::new(one())))
        };
        match self.choices.below(6) {
            3 => vec![Step::If(is_odd(number(&from)), vec![assigned], Vec::new())],
            4 if self.has(Feature::Jumps) => {
                let leave = self.choices.pick(&[Leave::Continue, Leave::Break]);
                vec![Step::Leave(is_odd(number(&from)), leave), assigned]
            }
            5 if self.has(Feature::Jumps) => {
                let leave = self.choices.pick(&[Leave::Continue, Leave::Break]);
                vec![assigned, Step::Leave(is_odd(number(&from)), leave)]
            }
            _ => vec![assigned],
        }
    }

    /// Adds a loop that makes one number of all elements, which is known afterwards.
    fn fold(&mut self, root: &Root, into: &mut Vec<Step>) -> Option<()> {
        let sum =
            self.variable(UINT, AddressSpace::Private, Some(Initializer::Value(Self::uint(0))));
        let sum = (sum, place_of(sum, UINT));
        let counter = self.variable(UINT, AddressSpace::Private, None);
        let element = element_of(root, &read(place_of(counter, UINT)));
        let number = Self::convert(UINT, read(element));
        let product = Self::binary(Binary::Multiply, read(sum.1.clone()), Self::uint(31));
        let value = Self::binary(Binary::Add, product, number);
        let added = Step::Each(Statement::Assign(sum.1.clone(), value));
        into.push(Step::Each(Statement::Declare(sum.0)));
        into.push(Step::Repeat(counter, root.run.into(), vec![added]));
        if self.depth == 0 {
            self.add_variable_roots(sum.0);
            return Some(());
        }
        let (seen, _) = self.place(Search::Type(UINT), |known| {
            known.is_writable && !Rc::ptr_eq(&known.base, &root.base)
        })?;
        let shown = Statement::Update(Binary::Add, seen, read(sum.1));
        into.push(Step::Each(shown));
        Some(())
    }
}
