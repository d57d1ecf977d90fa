//! Programs a little smaller: a launch, an argument, a step, a statement or an operation less.

use std::ops::Range;

use super::{
    constructs::Within,
    tree::{Expression, Loop, Node, Program, Statement, Step},
    used::UsedParts,
    visit::Visitor,
};

/// The rest of a program without one of its parts.
pub(super) enum Without<T> {
    Rest(T),
    /// Nothing that could be run: the rest needs the part.
    Nothing,
    /// No part has that number.
    NoSuchPart,
}

impl<T> Without<T> {
    /// Returns the same of what the rest becomes; nothing where it becomes nothing.
    pub(super) fn and_then<U>(self, make: impl FnOnce(T) -> Option<U>) -> Without<U> {
        match self {
            Self::Rest(rest) => make(rest).map_or(Without::Nothing, Without::Rest),
            Self::Nothing => Without::Nothing,
            Self::NoSuchPart => Without::NoSuchPart,
        }
    }
}

impl Program {
    /// Returns the program without the part of that number, the largest parts first. The evaluator decides whether the
    /// rest is defined.
    pub(super) fn without(&self, number: usize) -> Without<Self> {
        let mut program = self.clone();
        if number < program.launches.len() {
            program.launches.remove(number);
            let is_run = !program.launches.is_empty();
            return if is_run { Without::Rest(program) } else { Without::Nothing };
        }
        let mut parts =
            Parts { what: What::Step, chooser: TheOne { left: number - program.launches.len() } };
        for what in [What::Step, What::Statement, What::Operation] {
            parts.what = what;
            program.visit(&mut parts);
            if parts.chooser.left == DONE {
                break;
            }
        }
        let mut chooser = parts.chooser;
        if let Some(place) = chooser.choose(program.arguments.len(), |_| false) {
            program.arguments.remove(place);
            for kernel in &mut program.kernels {
                kernel.parameters.remove(place);
            }
        }
        if chooser.left != DONE {
            return Without::NoSuchPart;
        }
        let is_whole = UsedParts::of(&program).is_declared(&program);
        if is_whole { Without::Rest(program) } else { Without::Nothing }
    }

    /// Returns the numbers of the parts that may use a construct, ascending, see [`Self::without`]: without any other
    /// part the program uses it as often.
    pub(super) fn parts_that_may_use(&self, construct: &str) -> Vec<usize> {
        let launches = self.launches.len();
        let within = Within::new(self, construct);
        let chooser = Users { within, number: launches, found: (0..launches).collect() };
        let mut parts = Parts { what: What::Step, chooser };
        let mut program = self.clone();
        for what in [What::Step, What::Statement, What::Operation] {
            parts.what = what;
            program.visit(&mut parts);
        }
        parts.chooser.found
    }
}

/// The parts of a kind, one after the other: the chooser replaces what it takes by what it chooses.
struct Parts<C> {
    what: What,
    chooser: C,
}

/// Kinds of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Several at once, half of them at first.
    Step,
    /// One is replaced by nothing, one with blocks also by each of these.
    Statement,
    /// One gives way to an operand, or to 0.
    Operation,
}

/// The choice of the part of a program that is replaced, and of its replacement.
trait Chooser {
    /// Returns the number of the part that replaces this one, below `others`; `None` if this part stays. `may_use`
    /// is whether this part may use a construct.
    fn choose(&mut self, others: usize, may_use: impl FnOnce(&Within<'_>) -> bool)
    -> Option<usize>;
}

/// Takes the one that has this many others before it.
struct TheOne {
    left: usize,
}

/// The value of [`TheOne::left`] once the part was taken.
const DONE: usize = usize::MAX;

impl Chooser for TheOne {
    fn choose(&mut self, others: usize, _: impl FnOnce(&Within<'_>) -> bool) -> Option<usize> {
        if self.left == DONE {
            return None;
        }
        if self.left < others {
            return Some(std::mem::replace(&mut self.left, DONE));
        }
        self.left -= others;
        None
    }
}

/// Takes none, and keeps the numbers of those that may use a construct.
struct Users<'p> {
    within: Within<'p>,
    number: usize,
    found: Vec<usize>,
}

impl Chooser for Users<'_> {
    fn choose(
        &mut self,
        others: usize,
        may_use: impl FnOnce(&Within<'_>) -> bool,
    ) -> Option<usize> {
        if others > 0 && may_use(&self.within) {
            self.found.extend(self.number..self.number + others);
        }
        self.number += others;
        None
    }
}

impl<C: Chooser> Visitor for Parts<C> {
    fn steps(&mut self, steps: &mut Vec<Step>) {
        match self.what {
            What::Step => {}
            What::Statement => return self.parts_of_steps(steps),
            What::Operation => return,
        }
        for range in ranges(steps.len()) {
            let part = &steps[range.clone()];
            if self.chooser.choose(1, |within| within.steps(part)).is_some() {
                steps.drain(range);
                return;
            }
        }
    }

    fn statements(&mut self, statements: &mut Vec<Statement>) {
        if self.what != What::Statement {
            return;
        }
        for place in 0..statements.len() {
            let part = &statements[place];
            let others = in_place_of(part);
            if let Some(other) = self.chooser.choose(others.len(), |within| within.statement(part))
            {
                statements.splice(place..=place, others[other].clone());
                return;
            }
        }
    }

    fn value(&mut self, value: &mut Expression) {
        if self.what != What::Operation {
            return;
        }
        let mut others = instead_of(value);
        if let Some(place) = self.chooser.choose(others.len(), |within| within.value(value)) {
            *value = others.swap_remove(place);
        }
    }
}

impl<C: Chooser> Parts<C> {
    /// Offers for each step with blocks every one of these.
    fn parts_of_steps(&mut self, steps: &mut Vec<Step>) {
        for place in 0..steps.len() {
            let part = &steps[place..=place];
            let others = blocks_of(&steps[place]);
            if let Some(other) = self.chooser.choose(others.len(), |within| within.steps(part)) {
                steps.splice(place..=place, others[other].clone());
                return;
            }
        }
    }
}

/// Returns the blocks of steps that can stand in place of a step.
fn blocks_of(step: &Step) -> Vec<Vec<Step>> {
    match step {
        Step::If(_, then, otherwise) => vec![then.clone(), otherwise.clone()],
        Step::Switch(_, cases) => cases.clone(),
        Step::Skip(_, body) => vec![body.clone()],
        Step::Loop(Loop { body, .. }) => vec![without_leaves(body)],
        // Removing it was already tried.
        Step::Each(statement) => {
            let others = in_place_of(statement).into_iter().skip(1);
            others.map(|other| other.into_iter().map(Step::Each).collect()).collect()
        }
        Step::Local(_)
        | Step::Static(_)
        | Step::Barrier(_)
        | Step::Repeat(..)
        | Step::Copy { .. }
        | Step::Leave(..)
        | Step::Return(..)
        | Step::Call(..)
        | Step::Collective(..) => Vec::new(),
    }
}

/// Returns the body of a loop without what leaves the loop or its iteration.
fn without_leaves(body: &[Step]) -> Vec<Step> {
    let inside = |steps: &Vec<Step>| without_leaves(steps);
    let steps = body.iter().filter(|step| !matches!(step, Step::Leave(..)));
    steps
        .map(|step| match step {
            Step::If(condition, then, otherwise) => {
                Step::If(condition.clone(), inside(then), inside(otherwise))
            }
            Step::Switch(value, cases) => {
                Step::Switch(value.clone(), cases.iter().map(inside).collect())
            }
            Step::Skip(condition, body) => Step::Skip(condition.clone(), inside(body)),
            other => other.clone(),
        })
        .collect()
}

/// Halves, quarters and so on of this many parts, down to single ones.
fn ranges(parts: usize) -> Vec<Range<usize>> {
    let lengths = std::iter::successors(Some(parts.div_ceil(2)), |&length| {
        (length > 1).then_some(length.div_ceil(2))
    });
    let of_length = |length: usize| {
        (0..parts).step_by(length.max(1)).map(move |start| start..parts.min(start + length))
    };
    lengths.flat_map(of_length).collect()
}

/// Returns the statements that can stand in place of one.
fn in_place_of(statement: &Statement) -> Vec<Vec<Statement>> {
    match statement {
        // A helper ends with it.
        Statement::Return(_) => Vec::new(),
        Statement::Once(body) | Statement::For(_, 1, body) => vec![Vec::new(), body.clone()],
        Statement::If(_, then, otherwise) => vec![Vec::new(), then.clone(), otherwise.clone()],
        Statement::Switch(_, cases) => [Vec::new()].into_iter().chain(cases.clone()).collect(),
        _ => vec![Vec::new()],
    }
}

/// Returns the values that can stand in place of one: an operand of its type, or 0.
fn instead_of(value: &Expression) -> Vec<Expression> {
    let mut others: Vec<Expression> =
        operands(value).into_iter().filter(|operand| operand.ty == value.ty).cloned().collect();
    let is_number = matches!(
        value.node,
        Node::WorkItem(_)
            | Node::Complement(_)
            | Node::Binary(..)
            | Node::Compare(..)
            | Node::Convert(_)
            | Node::Reinterpret(_)
            | Node::Bytes(_)
            | Node::Function(..)
            | Node::SamePlace(..)
            | Node::IsNull(..)
            | Node::AtomicLoad(..)
            | Node::Before(..)
            | Node::Distance(..)
    );
    if is_number
        && !matches!(&value.node, Node::Binary(_, left, _) if matches!(left.node, Node::Vector(_)))
    {
        others.push(Expression::literal(value.ty, 0));
    }
    others
}

fn operands(value: &Expression) -> Vec<&Expression> {
    match &value.node {
        Node::Complement(inner) | Node::Implicit(inner) | Node::Cast(inner) => vec![inner],
        Node::Binary(_, left, right) => vec![left, right],
        Node::Conditional(_, yes, no) => vec![yes, no],
        Node::Offset(pointer, _) => vec![pointer],
        Node::Function(_, values) => values.iter().collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_parts_goes_first() {
        assert_eq!(ranges(4), [0..2, 2..4, 0..1, 1..2, 2..3, 3..4]);
        assert_eq!(ranges(3), [0..2, 2..3, 0..1, 1..2, 2..3]);
        assert!(ranges(0).is_empty());
    }
}
