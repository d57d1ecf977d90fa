//! Random programs as a proptest strategy: made of choices, reduced by taking choices out and making them smaller.

use std::collections::BTreeSet;

use expectations::{
    dialect::Dialect, probe::Probe, requirement::Requirement, wrong_values::Constructs,
};
use proptest::{
    prelude::Rng as _,
    strategy::{NewTree, Strategy, ValueTree},
    test_runner::TestRunner,
};

use super::{
    Feature, Kind, Settings, Side,
    answers::DefinedProgram,
    build::{self, EditedProgram},
    choices::{Choices, Span},
    pending, print,
    reach::ReachedPart,
    smaller::Without,
};
use crate::templates::Kernel;

/// A program with one edit, or without any.
#[derive(Clone, Debug)]
pub struct Pair {
    kind: Kind,
    dialect: Dialect,
    program: ProgramByUse,
}

/// A program for one of the two uses.
#[derive(Clone, Debug)]
enum ProgramByUse {
    /// Two programs that differ in an edit.
    ToBuild(EditedProgram),
    /// A program whose answer is known.
    ToRun(DefinedProgram),
}

impl Pair {
    /// Returns the program of these choices; `None` if it should be executed and the text does not define what it
    /// computes.
    pub(super) fn build(pairs: Pairs, mut choices: Choices) -> Option<(Self, Choices)> {
        let Pairs { kind, dialect, settings } = pairs;
        let program = if kind == Kind::Run {
            ProgramByUse::ToRun(DefinedProgram::build(dialect, settings, &mut choices)?)
        } else {
            let pending = pending(kind, dialect, &mut choices);
            ProgramByUse::ToBuild(build::edited(dialect, settings, pending, &mut choices))
        };
        Some((Self { kind, dialect, program }, choices))
    }

    fn built(&self) -> Option<&EditedProgram> {
        match &self.program {
            ProgramByUse::ToBuild(program) => Some(program),
            ProgramByUse::ToRun(_) => None,
        }
    }

    /// Returns the purpose.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Returns one of its programs; `prefix` begins every file-scope name.
    pub fn kernel(&self, side: Side, prefix: &str) -> Kernel {
        match &self.program {
            ProgramByUse::ToBuild(EditedProgram { program, .. }) => {
                print::print(program, None, self.dialect, side, prefix)
            }
            ProgramByUse::ToRun(defined) => {
                Kernel { source: defined.source(prefix), guilty_lines: Vec::new() }
            }
        }
    }

    /// Returns the probe of a program that is executed; `prefix` is that of its kernel.
    pub fn probe(&self, prefix: &str) -> Option<Probe> {
        match &self.program {
            ProgramByUse::ToBuild(_) => None,
            ProgramByUse::ToRun(defined) => Some(defined.probe(prefix)),
        }
    }

    /// Returns the parts of the language that an executed program uses, with their spaces.
    pub fn reached(&self) -> BTreeSet<ReachedPart> {
        match &self.program {
            ProgramByUse::ToBuild(_) => BTreeSet::new(),
            ProgramByUse::ToRun(defined) => defined.reached(),
        }
    }

    /// Returns the constructs of a program that is executed.
    pub fn constructs(&self) -> Option<Constructs> {
        match &self.program {
            ProgramByUse::ToBuild(_) => None,
            ProgramByUse::ToRun(defined) => Some(defined.constructs()),
        }
    }

    /// Returns the shape of the edit, the same for every seed that edits alike: `local from global`.
    pub fn shape(&self) -> &str {
        self.built().map_or("", |program| &program.shape)
    }

    /// Whether it may use `feature`, of those that programs to be built choose from.
    pub fn has(&self, feature: Feature) -> bool {
        self.built().is_some_and(|program| program.features & 1 << feature as u32 != 0)
    }

    /// Returns the requirements besides the dialect.
    pub fn requirements(&self) -> &[Requirement] {
        match &self.program {
            ProgramByUse::ToBuild(program) => &program.requirements,
            ProgramByUse::ToRun(defined) => defined.requirements(),
        }
    }
}

/// Programs of one kind in one dialect.
#[derive(Clone, Copy, Debug)]
pub struct Pairs {
    /// Their purpose.
    pub kind: Kind,
    /// Their dialect.
    pub dialect: Dialect,
    /// Size and features.
    pub settings: Settings,
}

impl Strategy for Pairs {
    type Tree = Shrink;
    type Value = Pair;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let attempts = std::iter::repeat_with(|| {
            let mut seed = [0; 32];
            runner.rng().fill_bytes(&mut seed);
            Pair::build(*self, Choices::from_seed(&seed))
        });
        let (pair, choices) = attempts.flatten().next().ok_or("no program is defined")?;
        Ok(Shrink::new(*self, pair, choices))
    }
}

/// A program that can be made smaller.
#[derive(Clone, Debug)]
pub struct Shrink {
    pairs: Pairs,
    current: Pair,
    choices: Vec<u32>,
    spans: Vec<Span>,
    attempt: Attempt,
    /// The program to go back to.
    before: Option<(Pair, Vec<u32>, Vec<Span>)>,
    /// Number of attempts that worked.
    taken: u32,
    /// Number of attempts that worked before this pass over the program.
    taken_before: u32,
}

/// The next attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    /// Take out the part of this place in the order of size.
    Part(usize),
    /// Set the part to its simplest.
    Zero(usize),
    /// Lower one choice: to nothing, to half, by one.
    Lower {
        index: usize,
        step: u8,
    },
    /// Take the part of this number out of a program that is executed.
    Without(usize),
    Over,
}

impl Shrink {
    fn new(pairs: Pairs, current: Pair, choices: Choices) -> Self {
        let (choices, mut spans) = choices.into_parts();
        sort(&mut spans);
        let attempt = first_attempt(pairs);
        Self { pairs, current, choices, spans, attempt, before: None, taken: 0, taken_before: 0 }
    }

    /// Returns the program of a case, to be made smaller.
    pub fn of(case: &super::RandomCase) -> Self {
        let (pair, choices) = case.built();
        Self::new(case.pairs(), pair, choices)
    }

    /// Programs a step smaller, the largest steps first: what [`ValueTree::simplify`] would try, for a test that
    /// answers many at once.
    pub fn candidates(&self) -> impl Iterator<Item = Self> {
        let attempt = first_attempt(self.pairs);
        let mut next = Self { attempt, before: None, taken: 0, taken_before: 0, ..self.clone() };
        std::iter::from_fn(move || {
            let mut candidate = next.clone();
            // Stepped on first: to simplify is to stay at the place that worked.
            if !candidate.simplify() {
                return None;
            }
            next.attempt = match candidate.attempt {
                Attempt::Part(index) => Attempt::Part(index + 1),
                Attempt::Zero(index) => Attempt::Zero(index + 1),
                Attempt::Without(part) => Attempt::Without(part + 1),
                other => other,
            };
            candidate.before = None;
            Some(candidate)
        })
    }

    /// Returns the program without every part that one of these [`candidates`](Self::candidates) lacks, if the rest is
    /// still defined; `None` if at most one part can go, and for programs that are not executed.
    pub fn combined(&self, candidates: &[&Self]) -> Option<Self> {
        let ProgramByUse::ToRun(whole) = &self.current.program else { return None };
        let parts: BTreeSet<usize> = candidates.iter().filter_map(|of| of.part()).collect();
        let (mut rest, mut taken) = (whole.clone(), 0);
        // The last first: parts before one that is gone keep their numbers.
        for &part in parts.iter().rev() {
            if let Without::Rest(smaller) = rest.without(part) {
                rest = smaller;
                taken += 1;
            }
        }
        let current = Pair { program: ProgramByUse::ToRun(rest), ..self.current.clone() };
        let attempt = first_attempt(self.pairs);
        (taken > 1).then(|| Self { current, attempt, before: None, ..self.clone() })
    }

    /// Returns the program without a construct; `None` if the program needs it, and for programs that are not
    /// executed.
    pub fn without_construct(&self, construct: &str) -> Option<Self> {
        let ProgramByUse::ToRun(whole) = &self.current.program else { return None };
        let rest = whole.without_construct(construct)?;
        let current = Pair { program: ProgramByUse::ToRun(rest), ..self.current.clone() };
        Some(Self { current, attempt: first_attempt(self.pairs), before: None, ..self.clone() })
    }

    /// Returns the part of its program that a candidate does without.
    fn part(&self) -> Option<usize> {
        match self.attempt {
            Attempt::Without(part) => Some(part),
            _ => None,
        }
    }

    /// Takes a part out of a program that is executed; another part is in its place then.
    fn take_out(&mut self, part: usize) -> bool {
        let ProgramByUse::ToRun(defined) = &self.current.program else {
            self.attempt = Attempt::Over;
            return false;
        };
        match defined.without(part) {
            // What a part was needed for may be gone now.
            Without::NoSuchPart => self.end_pass(),
            Without::Nothing => self.attempt = Attempt::Without(part + 1),
            Without::Rest(defined) => {
                let smaller =
                    Pair { program: ProgramByUse::ToRun(defined), ..self.current.clone() };
                let before = std::mem::replace(&mut self.current, smaller);
                self.before = Some((before, self.choices.clone(), self.spans.clone()));
                self.taken += 1;
                return true;
            }
        }
        false
    }

    /// Begins again if something changed: the reason for which a part was needed may be gone.
    fn end_pass(&mut self) {
        self.attempt =
            if self.taken > self.taken_before { first_attempt(self.pairs) } else { Attempt::Over };
        self.taken_before = self.taken;
    }

    /// Returns the candidate of the attempt, and the attempt after it.
    fn candidate(&self) -> (Option<Vec<u32>>, Attempt) {
        match self.attempt {
            Attempt::Part(index) => match self.spans.get(index) {
                Some(span) => {
                    let mut shorter = self.choices.clone();
                    shorter.drain(span.start as usize..span.end as usize);
                    (Some(shorter), Attempt::Part(index + 1))
                }
                None => (None, Attempt::Zero(0)),
            },
            Attempt::Zero(index) => match self.spans.get(index) {
                Some(span) => {
                    let range = span.start as usize..span.end as usize;
                    let is_zero = self.choices[range.clone()].iter().all(|&choice| choice == 0);
                    let mut simpler = self.choices.clone();
                    simpler[range].fill(0);
                    ((!is_zero).then_some(simpler), Attempt::Zero(index + 1))
                }
                None => (None, Attempt::Lower { index: 0, step: 0 }),
            },
            Attempt::Lower { index, step } => match self.choices.get(index) {
                Some(&choice) => {
                    let lower = match step {
                        0 => 0,
                        1 => choice / 2,
                        _ => choice.saturating_sub(1),
                    };
                    let next = if step < 2 {
                        Attempt::Lower { index, step: step + 1 }
                    } else {
                        Attempt::Lower { index: index + 1, step: 0 }
                    };
                    let mut simpler = self.choices.clone();
                    simpler[index] = lower;
                    ((lower < choice).then_some(simpler), next)
                }
                None => (None, Attempt::Over),
            },
            Attempt::Without(_) | Attempt::Over => (None, Attempt::Over),
        }
    }
}

/// Returns the first attempt. A program that is executed is taken apart as it is: other choices would make another
/// one.
fn first_attempt(pairs: Pairs) -> Attempt {
    if pairs.kind == Kind::Run { Attempt::Without(0) } else { Attempt::Part(0) }
}

/// Sorts parts, the largest first.
fn sort(spans: &mut [Span]) {
    spans.sort_by_key(|span| (std::cmp::Reverse(span.end - span.start), span.start));
}

impl ValueTree for Shrink {
    type Value = Pair;

    fn current(&self) -> Pair {
        self.current.clone()
    }

    fn simplify(&mut self) -> bool {
        while self.attempt != Attempt::Over {
            if let Attempt::Without(part) = self.attempt {
                if self.take_out(part) {
                    return true;
                }
                continue;
            }
            let (candidate, next) = self.candidate();
            self.attempt = next;
            if next == Attempt::Over {
                self.end_pass();
            }
            let Some(candidate) = candidate else { continue };
            let built = Pair::build(self.pairs, Choices::replay(candidate));
            let Some((pair, choices)) = built else { continue };
            let (choices, mut spans) = choices.into_parts();
            if (choices.len(), &choices) >= (self.choices.len(), &self.choices) {
                continue;
            }
            sort(&mut spans);
            let before = (
                std::mem::replace(&mut self.current, pair),
                std::mem::replace(&mut self.choices, choices),
                std::mem::replace(&mut self.spans, spans),
            );
            self.before = Some(before);
            self.taken += 1;
            // Places passed over may work now; the end is reached because the choices only become fewer or lower.
            if let Attempt::Part(_) | Attempt::Zero(_) = self.attempt {
                self.attempt = step_back(self.attempt);
            }
            return true;
        }
        false
    }

    fn complicate(&mut self) -> bool {
        match self.before.take() {
            Some((pair, choices, spans)) => {
                self.current = pair;
                self.choices = choices;
                self.spans = spans;
                self.taken -= 1;
                // The place that was stepped back to did not work: go past it.
                if let Attempt::Part(index) = self.attempt {
                    self.attempt = Attempt::Part(index + 1);
                } else if let Attempt::Zero(index) = self.attempt {
                    self.attempt = Attempt::Zero(index + 1);
                } else if let Attempt::Without(part) = self.attempt {
                    self.attempt = Attempt::Without(part + 1);
                }
                true
            }
            None => false,
        }
    }
}

/// Returns the attempt after a part was taken out: another part is in its place.
fn step_back(attempt: Attempt) -> Attempt {
    match attempt {
        Attempt::Part(index) => Attempt::Part(index.saturating_sub(1)),
        Attempt::Zero(index) => Attempt::Zero(index.saturating_sub(1)),
        other => other,
    }
}
