//! Distinction of programs that compute wrong values: the constructs that cause them are found before they are compared
//! with the baseline.
//!
//! A program that has the constructs of a known kind is built without them first: if it is then right, the kind
//! explains it; if it is still wrong, something else is wrong too, and the rest of the program shows it. Programs
//! without the constructs of any known kind are reduced, and what is left of them are kinds that are known from then
//! on.

use std::collections::{BTreeMap, BTreeSet};

use expectations::{
    baseline::{Deviation, Explanation},
    judge::{Finding, FindingKind, Reason},
    outcome::Outcome,
    wrong_values::{Constructs, RemainingConstructs, Shape, WRONG_VALUES},
};
use generator::{
    random::{RandomCase, Shrink, Side},
    suite::Suite,
};
use proptest::strategy::ValueTree as _;
use results::line::CaseResult;

use super::{
    builds::{Builds, ReduceError},
    random::{self, ReducedPair, Task},
};
use crate::{engine::Job, findings::clusters};

/// Number of programs that are reduced together. The rest of one may explain others, and a driver that compiles kernels
/// at launch takes each candidate by itself.
const AT_ONCE: usize = 4;
/// Largest number of programs of a device that are reduced; the others are explained by the kinds that are known then.
const REDUCED: usize = 32;

/// Kinds that are known before a run, besides those of the device's entries.
#[derive(Clone, Copy, Debug)]
pub struct KnownKinds<'k> {
    /// Entries of the device.
    pub entries: &'k [Deviation],
    /// Kinds that were reported before.
    pub told: &'k [Constructs],
}

/// Finds the constructs of each of these programs with wrong values, as far as time allows. Returns the programs that
/// were reduced.
pub fn tell_apart(
    suite: &Suite,
    results: &mut [CaseResult],
    known: KnownKinds<'_>,
    builds: &Builds<'_>,
) -> Result<Vec<ReducedPair>, ReduceError> {
    let program = |(number, result): (usize, &CaseResult)| {
        let case = RandomCase::from_id(&result.id).ok()?;
        let expectation = suite.random_expectation(&case).clone();
        let (shape, state) = match clusters::shape(result)? {
            Shape::Known(shape) => (shape, State::Death),
            Shape::WrongValues(_) | Shape::WrongValuesAmong(_) => {
                (WRONG_VALUES.to_owned(), State::Whole)
            }
        };
        let task = Task::new(case, expectation, shape, Shrink::of(&case));
        Some(Program { result: number, task, state, tried: BTreeSet::new() })
    };
    let mut programs: Vec<Program> = results.iter().enumerate().filter_map(program).collect();
    programs.sort_by_cached_key(|program| length(program.tree()));
    let mut apart = Apart { programs, known, builds, reduced: 0 };
    loop {
        apart.try_without_known()?;
        if !apart.reduce_some()? {
            break;
        }
    }
    let mut reduced = Vec::new();
    for Program { result, task, state, .. } in apart.programs {
        if let State::ComesAndGoes(other) = state {
            let result = &mut results[result];
            result.finding = Finding { kind: FindingKind::Flaky, reason: Reason::AnswersDiffer };
            result.remarks.push("built again, it does not always compute wrong values".to_owned());
            result.answers.push(other);
            continue;
        }
        let left = state.left(task.tree());
        if let Some(RemainingConstructs::Reduced(_) | RemainingConstructs::Partly(_)) = &left {
            reduced.push(ReducedPair { left: left.clone(), ..task.finish(builds)? });
        }
        results[result].left = left;
    }
    Ok(reduced)
}

/// A program on its way.
struct Program {
    /// The number of its result.
    result: usize,
    /// Task whose current program shows wrong values.
    task: Task,
    state: State,
    /// Kinds whose constructs the program cannot be built without, or whose removal does not decide anything.
    tried: BTreeSet<Constructs>,
}

/// The state of the knowledge about a program.
enum State {
    /// Nothing was taken out yet.
    Whole,
    /// The same of a program that dies or does not end: kinds that are known may explain it, and it shows none itself.
    Death,
    /// The program computes wrong values without its constructs of known kinds.
    Smaller,
    /// Nothing more can be taken out.
    Minimal,
    /// The time was over before that.
    Unfinished,
    /// The program computes right values without one of these.
    RightWithout(Constructs),
    /// Built again, it did this: what it does comes and goes.
    ComesAndGoes(Outcome),
}

impl State {
    fn left(self, tree: &Shrink) -> Option<RemainingConstructs> {
        let constructs = constructs(tree);
        Some(match self {
            Self::Whole | Self::Death | Self::ComesAndGoes(_) => return None,
            Self::Smaller | Self::Unfinished => RemainingConstructs::Partly(constructs),
            Self::Minimal => RemainingConstructs::Reduced(constructs),
            Self::RightWithout(kind) => RemainingConstructs::RightWithout(kind),
        })
    }
}

impl Program {
    fn tree(&self) -> &Shrink {
        self.task.tree()
    }

    fn is_to_be_told(&self) -> bool {
        matches!(self.state, State::Whole | State::Smaller)
    }
}

fn constructs(tree: &Shrink) -> Constructs {
    tree.current().constructs().unwrap_or_default()
}

fn length(tree: &Shrink) -> usize {
    tree.current().kernel(Side::Edited, "").source.len()
}

/// A program that is built without a construct of a kind.
struct Trial {
    program: usize,
    kind: Constructs,
    tree: Shrink,
}

/// All of them.
struct Apart<'r> {
    /// The smallest first.
    programs: Vec<Program>,
    known: KnownKinds<'r>,
    builds: &'r Builds<'r>,
    /// Number of reduced programs.
    reduced: usize,
}

impl Apart<'_> {
    /// Kinds that are known by now, as far as all of their constructs are in a program; in one that is reduced, and
    /// more.
    fn kinds_within(&self, program: &Program) -> BTreeSet<Constructs> {
        let own = constructs(program.tree());
        let id = program.task.id();
        let of_entries = self.known.entries.iter().filter(|entry| entry.matches(&id));
        let of_entries = of_entries.filter_map(|entry| match &entry.known {
            Explanation::Shape(pattern) => pattern.within(&own),
            Explanation::Findings(_) | Explanation::BehavesAs(_) => None,
        });
        let minimal = self.programs.iter().filter(|other| matches!(other.state, State::Minimal));
        let of_programs = minimal.map(|other| constructs(other.tree()));
        let found = of_programs.chain(self.known.told.iter().cloned());
        let mut kinds: BTreeSet<Constructs> =
            of_entries.chain(found.filter(|kind| kind.are_within(&own))).collect();
        if matches!(program.state, State::Minimal) {
            kinds.remove(&own);
        }
        kinds
    }

    /// Returns the kinds that the program should be built without next.
    fn kinds_to_try(&self, program: &Program) -> Vec<Constructs> {
        if !program.is_to_be_told() && !matches!(program.state, State::Minimal | State::Death) {
            return Vec::new();
        }
        let mut kinds: Vec<Constructs> =
            self.kinds_within(program).difference(&program.tried).cloned().collect();
        if matches!(program.state, State::Death) {
            // Each trial may have no end either.
            kinds.sort_by_key(Constructs::count);
            kinds.truncate(1);
        }
        kinds
    }

    /// Builds every program without each of its constructs of known kinds. If the values are right then, the program
    /// shows nothing new.
    fn try_without_known(&mut self) -> Result<(), ReduceError> {
        while !self.builds.is_over() {
            let mut trials = Vec::new();
            for number in 0..self.programs.len() {
                let kinds = self.kinds_to_try(&self.programs[number]);
                let program = &mut self.programs[number];
                for kind in &kinds {
                    trials.extend(kind.parts.iter().filter_map(|part| {
                        let tree = program.tree().without_construct(part)?;
                        Some(Trial { program: number, kind: kind.clone(), tree })
                    }));
                }
                program.tried.extend(kinds);
            }
            if trials.is_empty() {
                break;
            }
            self.take(trials)?;
        }
        Ok(())
    }

    /// Builds the trials and records their results.
    fn take(&mut self, trials: Vec<Trial>) -> Result<(), ReduceError> {
        let jobs: Vec<Job> = trials
            .iter()
            .enumerate()
            .map(|(number, trial)| {
                let task = &self.programs[trial.program].task;
                task.job(&trial.tree, Side::Edited, &number.to_string())
            })
            .collect();
        let outcomes = self.builds.outcomes(&jobs)?;
        let mut trials: Vec<(Trial, TrialResult)> = trials
            .into_iter()
            .zip(&outcomes)
            .map(|(trial, outcome)| {
                let task = &self.programs[trial.program].task;
                let seen = if task.shows(&trial.tree, outcome, outcome) {
                    TrialResult::Wrong
                } else if task.judged(&trial.tree, outcome).kind == FindingKind::Pass {
                    TrialResult::Right
                } else {
                    TrialResult::Other
                };
                (trial, seen)
            })
            .collect();
        trials.sort_by_cached_key(|(trial, _)| (trial.program, trial.kind.clone()));
        for of_program in trials.chunk_by(|(a, _), (b, _)| a.program == b.program) {
            let program = &mut self.programs[of_program[0].0.program];
            let mut of_kinds = of_program.chunk_by(|(a, _), (b, _)| a.kind == b.kind);
            // It takes all constructs of a kind to show it: where it is wrong without one, it shows another.
            let explaining = of_kinds
                .find(|of_kind| of_kind.iter().all(|(_, seen)| *seen == TrialResult::Right));
            if let Some(of_kind) = explaining {
                program.state = State::RightWithout(of_kind[0].0.kind.clone());
                continue;
            }
            if matches!(program.state, State::Death) {
                continue;
            }
            let wrong = of_program.iter().filter(|(_, seen)| *seen == TrialResult::Wrong);
            if let Some((trial, _)) = wrong.min_by_key(|(trial, _)| length(&trial.tree)) {
                program.task.continue_with(trial.tree.clone());
                program.state = State::Smaller;
                program.tried.clear();
            }
        }
        Ok(())
    }

    /// Reduces some of the remaining programs, the smallest first and those without known constructs before the others.
    /// Returns whether there were any.
    fn reduce_some(&mut self) -> Result<bool, ReduceError> {
        let count = AT_ONCE.min(REDUCED.saturating_sub(self.reduced));
        if count == 0 || self.builds.is_over() {
            return Ok(false);
        }
        let left = self.programs.iter().enumerate().filter(|(_, program)| program.is_to_be_told());
        let mut left: Vec<(bool, usize, usize)> = left
            .map(|(number, program)| {
                (!self.kinds_within(program).is_empty(), length(program.tree()), number)
            })
            .collect();
        left.sort_unstable();
        // What shows a new kind may tell of those that may show a known one.
        let is_known = left.first().is_none_or(|&(is_known, ..)| is_known);
        let chosen: BTreeSet<usize> = left
            .iter()
            .filter(|(known, ..)| *known == is_known)
            .map(|&(.., number)| number)
            .take(count)
            .collect();
        if chosen.is_empty() {
            return Ok(false);
        }
        let changing = self.which_change(&chosen)?;
        self.reduced += chosen.len();
        for (&number, other) in &changing {
            self.programs[number].state = State::ComesAndGoes(other.clone());
        }
        let chosen: BTreeSet<usize> =
            chosen.into_iter().filter(|number| !changing.contains_key(number)).collect();
        let mut programs: Vec<&mut Program> = self
            .programs
            .iter_mut()
            .enumerate()
            .filter(|(number, _)| chosen.contains(number))
            .map(|(_, program)| program)
            .collect();
        let mut tasks: Vec<&mut Task> =
            programs.iter_mut().map(|program| &mut program.task).collect();
        random::reduce_further(&mut tasks, self.builds)?;
        for program in programs {
            let is_done = program.task.is_done();
            program.state = if is_done { State::Minimal } else { State::Unfinished };
            program.tried.clear();
        }
        Ok(true)
    }

    /// Returns those of the programs that do not show wrong values each time, with what they did instead.
    fn which_change(
        &self,
        chosen: &BTreeSet<usize>,
    ) -> Result<BTreeMap<usize, Outcome>, ReduceError> {
        let tasks: Vec<&Task> = chosen.iter().map(|&number| &self.programs[number].task).collect();
        let others = random::other_outcomes(&tasks, self.builds)?;
        let changed = chosen.iter().copied().zip(others);
        Ok(changed.filter_map(|(number, other)| Some((number, other?))).collect())
    }
}

/// Result of a trial on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TrialResult {
    Wrong,
    Right,
    /// Neither was seen.
    Other,
}
