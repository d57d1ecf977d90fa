//! Ways out of loops and kernels that a whole group takes in front of barriers, counted loops around barriers, and
//! functions of whole groups.

use expectations::space::AddressSpace;

use super::{Builder, place_of, read};
use crate::random::{
    settings::Feature,
    tree::{Binary, Fence, Leave, Loop, Step, VariableId},
    types::UINT,
};

/// Largest number of work-items in launches with ways out: with more of them the evaluator takes too
/// long.
const MOST_ITEMS: u32 = 128;

impl Builder<'_> {
    /// Returns steps with a way out, if the program has some.
    pub(super) fn exit_step(&mut self) -> Option<Vec<Step>> {
        if self.program.items > MOST_ITEMS || !self.one_in_with(Feature::GroupExits, 2) {
            return None;
        }
        let equal = self.equal_numbers();
        let mut steps = Vec::new();
        match self.choices.below(8) {
            3 | 4 if self.has(Feature::Loops) && self.has(Feature::Jumps) => {
                let made = self.left_loop(Leave::Break, &mut steps);
                steps.push(Step::Loop(made));
            }
            5 if self.has(Feature::Loops) && self.has(Feature::Jumps) => {
                let made = self.left_loop(Leave::Continue, &mut steps);
                steps.push(Step::Loop(made));
            }
            6 if self.has(Feature::Jumps) => {
                let condition = self.equal_condition(&mut steps);
                steps.push(Step::Return(condition, None));
                self.meet(&mut steps);
            }
            7 => {
                self.collective(&mut steps);
                self.meet(&mut steps);
            }
            _ => {
                let made = self.counted(&mut steps);
                steps.push(made);
            }
        }
        self.forget_equal_numbers(equal);
        let mut all = self.flow_declarations();
        all.extend(steps);
        Some(all)
    }

    /// Returns a loop that the whole group leaves or continues, in front of a barrier.
    fn left_loop(&mut self, leave: Leave, into: &mut Vec<Step>) -> Loop {
        let form = self.loop_form();
        let number = self.equal_here(into);
        let bound = Self::binary(Binary::And, number, Self::uint(3));
        let counter = self.variable(UINT, AddressSpace::Private, None);
        self.counters.push((counter, 3));
        let body = self.in_loop(counter, |builder, body| {
            builder.plain_steps(body);
            let condition = builder.equal_condition(body);
            body.push(Step::Leave(condition, leave));
            builder.meet(body);
            builder.plain_steps(body);
        });
        self.counters.pop();
        Loop { form, counter, bound, body }
    }

    /// Returns a loop of this many iterations, with a barrier or without one.
    fn counted(&mut self, into: &mut Vec<Step>) -> Step {
        let times = 1 + self.choices.below(2);
        let meets = self.choices.below(2) == 0;
        if !meets {
            self.meet(into);
        }
        let counter = self.variable(UINT, AddressSpace::Private, None);
        self.counters.push((counter, times));
        let body = self.in_loop(counter, |builder, body| {
            if meets {
                builder.meet(body);
            }
            builder.plain_steps(body);
        });
        self.counters.pop();
        Step::Repeat(counter, times, body)
    }

    /// Returns the body of a loop, at whose end what it declares is forgotten.
    fn in_loop(
        &mut self,
        counter: VariableId,
        body: impl FnOnce(&mut Self, &mut Vec<Step>),
    ) -> Vec<Step> {
        let (known, equal) = (self.roots.len(), self.equal_numbers());
        self.know_equal(read(place_of(counter, UINT)));
        self.depth += 1;
        let mut steps = Vec::new();
        body(self, &mut steps);
        self.depth -= 1;
        self.roots.truncate(known);
        self.forget_equal_numbers(equal);
        steps
    }

    /// Adds an exchange between work-items, or a barrier for both spaces.
    fn meet(&mut self, into: &mut Vec<Step>) {
        let known = self.roots.len();
        match self.exchange() {
            Some(made) => self.add_made(made, into),
            None => {
                self.roots.truncate(known);
                into.push(Step::Barrier(Fence::Both));
            }
        }
    }
}
