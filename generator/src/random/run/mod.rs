//! Programs that run: every one is defined on every path, and what it computes is known from the text alone.
//!
//! [`build`] makes a program from choices, [`evaluate`] computes what every buffer holds after every launch or finds
//! that the text does not say, on the ideal [`device`] or one that tests make wrong, [`print`](mod@print) writes it
//! down, and [`probe`] says what a device is to do with it and what must be seen.

mod build;
mod constructs;
mod device;
mod evaluate;
mod memory;
mod print;
mod probe;
mod reach;
mod smaller;
mod tree;
mod types;
mod used;
mod visit;

use std::collections::BTreeSet;

use expectations::{dialect::Dialect, probe::Probe, wrong_values::Constructs};

pub use self::reach::Reached;
pub(super) use self::smaller::Without;
use self::{evaluate::Answer, tree::Program};
use super::{choices::Choices, settings::Size};

/// A program with what it computes.
#[derive(Clone, Debug)]
pub(super) struct Defined {
    program: Program,
    answer: Answer,
    dialect: Dialect,
}

impl Defined {
    /// The program of these choices; `None` where the text does not say what it computes.
    pub(super) fn build(dialect: Dialect, size: Size, choices: &mut Choices) -> Option<Self> {
        let program = build::program(dialect, size, choices);
        let answer = evaluate::evaluate(&program).ok()?;
        Some(Self { program, answer, dialect })
    }

    /// The program without one of its parts, see [`Program::without`]; what is left is defined.
    pub(super) fn without(&self, part: usize) -> Without<Self> {
        self.program.without(part).and_then(|program| {
            let answer = evaluate::evaluate(&program).ok()?;
            Some(Self { program, answer, dialect: self.dialect })
        })
    }

    /// The program without a construct, wherever it is used: the smallest parts it is used in are taken out, so far as
    /// the rest is defined. `None` where it cannot do without.
    pub(super) fn without_construct(&self, construct: &str) -> Option<Self> {
        let mut parts = 0;
        while !matches!(self.program.without(parts), Without::NoSuchPart) {
            parts += 1;
        }
        let (mut rest, mut uses) = (self.clone(), constructs::uses(&self.program, construct));
        // The last first: they are the smallest, and parts before one that is gone keep their numbers.
        for part in (0..parts).rev() {
            if uses == 0 {
                break;
            }
            let Without::Rest(program) = rest.program.without(part) else { continue };
            let left = constructs::uses(&program, construct);
            if left < uses
                && let Ok(answer) = evaluate::evaluate(&program)
            {
                (rest, uses) = (Self { program, answer, dialect: self.dialect }, left);
            }
        }
        (uses == 0).then_some(rest)
    }

    /// Its text; `prefix` begins every name of file scope.
    pub(super) fn source(&self, prefix: &str) -> String {
        print::print(&self.program, self.dialect, prefix)
    }

    /// What it is run with and what must be seen.
    pub(super) fn probe(&self, prefix: &str) -> Probe {
        probe::probe(&self.program, &self.answer, prefix)
    }

    /// Which parts of the language it uses, in which spaces.
    pub(super) fn reached(&self) -> BTreeSet<Reached> {
        reach::reached(&self.program)
    }

    /// What it is made of.
    pub(super) fn constructs(&self) -> Constructs {
        constructs::of(&self.program)
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod wrong_memory;
