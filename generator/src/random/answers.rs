//! Programs that run: every one is defined on every path, and what it computes follows only from the text.
//!
//! [`build`] makes a program from choices, [`evaluate`] computes what every buffer holds after every launch or finds
//! that the text does not define it, on the ideal [`device`](super::device) or one that tests make wrong, and [`probe`]
//! describes what a device has to do with it and what must be seen.

use std::collections::BTreeSet;

use expectations::{
    dialect::Dialect, probe::Probe, requirement::Requirement, wrong_values::Constructs,
};

use super::{
    build,
    choices::Choices,
    constructs,
    evaluate::{self, Answer},
    print, probe,
    reach::{self, ReachedPart},
    requirements,
    settings::Settings,
    smaller::Without,
    tree::{Program, Side},
    used::UsedParts,
};

/// A program with what it computes.
#[derive(Clone, Debug)]
pub(super) struct DefinedProgram {
    program: Program,
    answer: Answer,
    dialect: Dialect,
    requirements: Vec<Requirement>,
}

impl DefinedProgram {
    /// Returns the program of these choices; `None` if the text does not define what it computes.
    ///
    /// The program has that size and these features and, if `emi` is not zero, is written in the way of that number.
    pub(super) fn build(
        dialect: Dialect,
        settings: Settings,
        choices: &mut Choices,
    ) -> Option<Self> {
        let plain = Self::of(build::evaluated(dialect, settings, choices), dialect)?;
        let varied = (0..settings.emi).map(|_| plain.program.varied(choices)).last();
        let varied = varied.and_then(|program| Self::of(program, dialect));
        // It takes a little longer, and may take too long to be worth it.
        Some(varied.filter(|varied| varied.answer == plain.answer).unwrap_or(plain))
    }

    /// Returns a program with what it computes and needs, if the text defines it.
    pub(super) fn of(mut program: Program, dialect: Dialect) -> Option<Self> {
        let answer = evaluate::evaluate(&program).ok()?;
        let requirements = requirements(&mut program, dialect).into_iter().collect();
        Some(Self { program, answer, dialect, requirements })
    }

    /// Returns the program without one of its parts, see [`Program::without`]; what is left is defined.
    pub(super) fn without(&self, part: usize) -> Without<Self> {
        self.program.without(part).and_then(|program| Self::of(program, self.dialect))
    }

    /// Returns the program as a tree.
    #[cfg(test)]
    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the requirements besides the dialect.
    pub(super) fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// Returns the program without a construct: takes out the smallest parts that use it, if the rest is still
    /// defined. `None` if the program needs the construct.
    pub(super) fn without_construct(&self, construct: &str) -> Option<Self> {
        self.without_construct_among(construct, |rest| rest.parts_that_may_use(construct))
    }

    /// Returns the same, but tries only these parts of the rest.
    pub(super) fn without_construct_among(
        &self,
        construct: &str,
        parts: impl Fn(&Program) -> Vec<usize>,
    ) -> Option<Self> {
        let (mut rest, mut uses) = (self.clone(), constructs::uses(&self.program, construct));
        // The last first: they are the smallest.
        let mut left = parts(&rest.program);
        while let Some(part) = left.pop().filter(|_| uses > 0) {
            let Without::Rest(program) = rest.program.without(part) else { continue };
            let fewer = constructs::uses(&program, construct);
            if fewer < uses
                && let Some(program) = Self::of(program, self.dialect)
            {
                (rest, uses) = (program, fewer);
                left = parts(&rest.program);
                left.retain(|&other| other < part);
            }
        }
        (uses == 0).then_some(rest)
    }

    /// Returns its text; `prefix` begins every name of file scope.
    pub(super) fn source(&self, prefix: &str) -> String {
        let used = UsedParts::of(&self.program);
        print::print(&self.program, Some(&used), self.dialect, Side::Control, prefix).source
    }

    /// Returns the probe: buffers, launches and the values that must be seen.
    pub(super) fn probe(&self, prefix: &str) -> Probe {
        probe::probe(&self.program, &self.answer, prefix)
    }

    /// Returns the parts of the language it uses, with their spaces.
    pub(super) fn reached(&self) -> BTreeSet<ReachedPart> {
        reach::reached(&self.program)
    }

    /// Returns the constructs it is made of.
    pub(super) fn constructs(&self) -> Constructs {
        constructs::of(&self.program)
    }
}
