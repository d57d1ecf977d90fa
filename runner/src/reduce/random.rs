//! Random programs that a device gets wrong, made as small as they can be while it does so in the same way.

use std::sync::{Arc, LazyLock};

use expectations::{
    case_id::CaseId,
    judge::{Finding, FindingKind, Reason, judge},
    outcome::{Outcome, OutcomeKind},
    probe::Probe,
    rule::Expectation,
    wrong_values::{Constructs, RemainingConstructs, WRONG_VALUES},
};
use generator::{
    random::{Pair, RandomCase, Shrink, Side},
    templates::Kernel,
};
use proptest::strategy::ValueTree as _;
use regex::Regex;

use crate::{
    device::checker,
    engine::{ExpectedVerdict, Job, Placement, RunWith, Until},
    findings::clusters::{self, DeviationFacts},
    reduce::{
        builds::{Builds, Look, ReduceError},
        progress::{Progress, Trial, smallest_first},
        text,
    },
};

/// Times that a program has to show its deviation in a row before it is reduced.
const TIMES_SHOWN: usize = 3;

/// Prefix of every file-scope name in programs that are shown.
const PREFIX: &str = "p_";
static OWN_NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"\b{PREFIX}")).expect("the pattern is constant"));

/// A program and its control after reduction.
#[derive(Clone, Debug)]
pub struct ReducedPair {
    /// The random program it began with.
    pub id: String,
    /// Shape of the deviation.
    pub shape: String,
    /// Constructs that remain in a program with wrong values; `None` for other programs.
    pub left: Option<RemainingConstructs>,
    /// Probe of the program, if it is executed.
    pub probe: Option<Probe>,
    /// The valid program; `None` if it is the one that is rejected.
    pub control: Option<String>,
    /// The program the device gets wrong.
    pub edited: String,
}

impl ReducedPair {
    /// Returns the shape of the deviation, with the remaining constructs of a program with wrong values: `computes
    /// wrong values: barrier; global, local`.
    pub fn looks(&self) -> String {
        self.constructs().map_or_else(|| self.shape.clone(), Constructs::shape)
    }

    /// Returns the constructs that could not be removed from a program with wrong values.
    pub fn constructs(&self) -> Option<&Constructs> {
        match &self.left {
            Some(RemainingConstructs::Reduced(constructs)) => Some(constructs),
            _ => None,
        }
    }
}

/// A program on its way.
pub(super) struct Task {
    case: RandomCase,
    expectation: Expectation,
    shape: String,
    progress: Progress,
    is_done: bool,
}

/// Reduces these programs, each given with the shape of its deviation. Programs that do not show it again stay as they
/// are.
pub fn reduce(
    cases: Vec<(RandomCase, Expectation, String)>,
    builds: &Builds<'_>,
) -> Result<Vec<ReducedPair>, ReduceError> {
    let mut tasks: Vec<Task> = cases
        .into_iter()
        .map(|(case, expectation, shape)| Task::new(case, expectation, shape, Shrink::of(&case)))
        .collect();
    let others = other_outcomes(&tasks.iter().collect::<Vec<_>>(), builds)?;
    let steady = tasks.iter_mut().zip(others).filter(|(_, other)| other.is_none());
    reduce_further(&mut steady.map(|(task, _)| task).collect::<Vec<_>>(), builds)?;
    tasks.iter().map(|task| task.finish(builds)).collect()
}

/// The end of a reduction of one program.
#[derive(Debug)]
pub enum Reduction {
    /// The device gets the program right.
    Right,
    /// The device gets the program wrong at times, and did this at another time.
    ComesAndGoes(Outcome),
    /// The program is smaller, or as small as it was.
    Smaller {
        /// The program.
        reduced: Box<ReducedPair>,
        /// Number of programs that are left to try; none if it is as small as it can be.
        left_to_try: usize,
    },
}

/// Reduces a program that a device gets wrong.
///
/// # Errors
///
/// The device cannot be run, or the log of `builds` cannot be written.
pub fn reduce_one(
    case: RandomCase,
    expectation: Expectation,
    builds: &Builds<'_>,
) -> Result<Reduction, ReduceError> {
    let mut task = Task::new(case, expectation, String::new(), Shrink::of(&case));
    let Some(shape) = task.find_shape(builds)? else { return Ok(Reduction::Right) };
    let computes_wrong_values = shape == WRONG_VALUES;
    task.shape = shape;
    if let Some(Some(other)) = other_outcomes(&[&task], builds)?.pop() {
        return Ok(Reduction::ComesAndGoes(other));
    }
    reduce_further(&mut [&mut task], builds)?;
    let constructs = task.tree().current().constructs().filter(|_| computes_wrong_values);
    let left =
        if task.is_done { RemainingConstructs::Reduced } else { RemainingConstructs::Partly };
    let reduced = ReducedPair { left: constructs.map(left), ..task.finish(builds)? };
    let left_to_try = if task.is_done { 0 } else { task.progress.left() };
    Ok(Reduction::Smaller { reduced: Box::new(reduced), left_to_try })
}

/// Builds each of these programs [`TIMES_SHOWN`] times alone, and returns an outcome that does not show its deviation,
/// if there is one: a deviation that comes and goes cannot be reduced. Without time for it, there is none.
pub(super) fn other_outcomes(
    tasks: &[&Task],
    builds: &Builds<'_>,
) -> Result<Vec<Option<Outcome>>, ReduceError> {
    let mut jobs = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        for time in 0..TIMES_SHOWN {
            for &side in task.sides() {
                jobs.push(task.job(task.tree(), side, &format!("{number}/{time}/{side:?}")));
            }
        }
    }
    let outcomes = builds.alone(&jobs)?;
    if builds.is_over() {
        return Ok(vec![None; tasks.len()]);
    }
    let mut outcomes = outcomes.into_iter();
    let mut other_of = |task: &&Task| {
        let sides = task.sides().len();
        let of_task: Vec<Outcome> = outcomes.by_ref().take(sides * TIMES_SHOWN).collect();
        let mut others = of_task
            .chunks_exact(sides)
            .filter(|of_time| !task.shows(task.tree(), &of_time[0], &of_time[sides - 1]));
        others.next().map(|of_time| of_time[sides - 1].clone())
    };
    Ok(tasks.iter().map(&mut other_of).collect())
}

/// Reduces programs until nothing can be removed, or until the time is over.
pub(super) fn reduce_further(
    tasks: &mut [&mut Task],
    builds: &Builds<'_>,
) -> Result<(), ReduceError> {
    while !builds.is_over() && tasks.iter().any(|task| !task.is_done) {
        round(tasks, builds)?;
    }
    Ok(())
}

/// Tries the next candidates of every program in one round.
fn round(tasks: &mut [&mut Task], builds: &Builds<'_>) -> Result<(), ReduceError> {
    let width = builds.width();
    let mut jobs = Vec::new();
    let mut tried = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        let trials = if task.is_done { Vec::new() } else { task.progress.next(width) };
        let first = jobs.len();
        for (index, trial) in trials.iter().enumerate() {
            for &side in task.sides() {
                jobs.push(task.job(&trial.tree, side, &format!("{number}/{index}/{side:?}")));
            }
        }
        tried.push(TrialBatch { trials, first, sides: task.sides().len() });
    }
    let mut look = builds.look(&jobs)?;
    let mut shows: Vec<Vec<bool>> = tasks
        .iter()
        .zip(&tried)
        .map(|(task, tried)| {
            (0..tried.trials.len()).map(|index| tried.shows(index, task, &look)).collect()
        })
        .collect();
    // Only the smallest is taken, and what is next where that shows it in company alone.
    for count in std::iter::successors(Some(1), |count| Some(count * 2)) {
        let doubtful = |(number, (tried, shows)): (usize, (&TrialBatch, &Vec<bool>))| {
            let smallest = smallest_first(&tried.trials, shows).into_iter();
            let doubtful = smallest.take_while(|&index| look.is_doubtful(tried.edited(index)));
            doubtful.take(count).map(|index| (number, index)).collect::<Vec<_>>()
        };
        let doubtful: Vec<(usize, usize)> =
            tried.iter().zip(&shows).enumerate().flat_map(doubtful).collect();
        if doubtful.is_empty() {
            break;
        }
        let which = doubtful.iter().map(|&(number, index)| tried[number].edited(index));
        look.confirm(&which.collect::<Vec<_>>())?;
        for (number, index) in doubtful {
            shows[number][index] = tried[number].shows(index, tasks[number], &look);
        }
    }
    for (task, (tried, shows)) in tasks.iter_mut().zip(tried.iter().zip(&shows)) {
        // Programs that were not built for lack of time show nothing.
        task.is_done =
            task.is_done || task.progress.take(&tried.trials, shows, width) && !builds.is_over();
    }
    Ok(())
}

/// The trials of a program, and where their jobs are.
struct TrialBatch {
    trials: Vec<Trial>,
    /// The first of their jobs.
    first: usize,
    /// The jobs of each, the edited side last.
    sides: usize,
}

impl TrialBatch {
    fn control(&self, index: usize) -> usize {
        self.first + index * self.sides
    }

    fn edited(&self, index: usize) -> usize {
        self.control(index) + self.sides - 1
    }

    fn shows(&self, index: usize, task: &Task, look: &Look<'_>) -> bool {
        let [control, edited] =
            [self.control(index), self.edited(index)].map(|job| look.outcome(job));
        task.shows(&self.trials[index].tree, control, edited)
    }
}

impl Task {
    /// Creates the task for a program that shows a deviation of this shape.
    pub(super) fn new(
        case: RandomCase,
        expectation: Expectation,
        shape: String,
        tree: Shrink,
    ) -> Self {
        Self { case, expectation, shape, progress: Progress::of(tree), is_done: false }
    }

    /// Continues with a smaller program that shows the deviation.
    pub(super) fn continue_with(&mut self, tree: Shrink) {
        self.progress = Progress::of(tree);
        self.is_done = false;
    }

    /// Returns the smallest program that shows the deviation.
    pub(super) fn tree(&self) -> &Shrink {
        self.progress.tree()
    }

    /// Whether nothing more can be removed from the program.
    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Returns the id of the original program.
    pub(super) fn id(&self) -> String {
        self.case.id()
    }

    /// Returns the programs to build for a candidate, the edited one last.
    fn sides(&self) -> &'static [Side] {
        match self.case.control() {
            Some(_) => &[Side::Control, Side::Edited],
            None => &[Side::Edited],
        }
    }

    fn kernel(tree: &Shrink, side: Side, name: &str) -> Kernel {
        tree.current().kernel(side, &CaseId::new(name).prefix())
    }

    /// Returns the job that builds a candidate.
    pub(super) fn job(&self, tree: &Shrink, side: Side, name: &str) -> Job {
        let probe = tree.current().probe(&CaseId::new(name).prefix());
        // What is executed is valid: it is to share batches with what is launched, not with what may be rejected.
        let (expected, until) = match probe {
            Some(_) => (ExpectedVerdict::Accept, Until::Execution),
            None => (ExpectedVerdict::Either, self.until(side)),
        };
        Job {
            id: name.to_owned(),
            dialect: self.case.dialect,
            requirements: tree.current().requirements().to_vec(),
            source: Self::kernel(tree, side, name).source,
            required: expected,
            expected,
            until,
            placement: Placement::Batch,
            run_with: probe.map(Arc::new).into(),
        }
    }

    /// Returns the phase up to which a side is taken: of an invalid program only the front end is judged.
    fn until(&self, side: Side) -> Until {
        match (side, &self.expectation) {
            (Side::Control, _) | (_, Expectation::Accept) => Until::Code,
            _ => Until::FrontEnd,
        }
    }

    /// Returns the shape of the device's deviation.
    fn find_shape(&self, builds: &Builds<'_>) -> Result<Option<String>, ReduceError> {
        let jobs: Vec<Job> = self
            .sides()
            .iter()
            .map(|&side| self.job(self.tree(), side, &format!("{side:?}")))
            .collect();
        let outcomes = builds.alone(&jobs)?;
        Ok(self.shape_of(self.tree(), &outcomes[0], &outcomes[jobs.len() - 1]))
    }

    /// Whether the device still gets it wrong in the same way.
    pub(super) fn shows(&self, tree: &Shrink, control: &Outcome, edited: &Outcome) -> bool {
        self.shape_of(tree, control, edited).as_deref() == Some(self.shape.as_str())
    }

    fn shape_of(&self, tree: &Shrink, control: &Outcome, edited: &Outcome) -> Option<String> {
        let pair = tree.current();
        let kernel = pair.kernel(Side::Edited, "");
        let finding = judge(&self.expectation, &kernel.guilty_lines, edited, Some(control));
        self.look(
            finding,
            [control, edited],
            [&pair.kernel(Side::Control, ""), &kernel],
            pair.shape(),
        )
    }

    /// Judges a candidate that has no control.
    pub(super) fn judged(&self, tree: &Shrink, outcome: &Outcome) -> Finding {
        let kernel = tree.current().kernel(Side::Edited, "");
        judge(&self.expectation, &kernel.guilty_lines, outcome, None)
    }

    /// Returns whether two texts show the deviation; the error belongs on the line in which they differ.
    fn text_shows(&self, pair: &Pair, outcomes: &[Outcome], texts: &[String; 2]) -> bool {
        let [control, edited] =
            texts.each_ref().map(|text| Kernel { source: text.clone(), guilty_lines: Vec::new() });
        let before =
            control.source.lines().zip(edited.source.lines()).take_while(|(a, b)| a == b).count();
        let expectation = self.expectation_of(texts);
        let finding = judge(expectation, &[before as u32 + 1], &outcomes[1], Some(&outcomes[0]));
        let shape =
            self.look(finding, [&outcomes[0], &outcomes[1]], [&control, &edited], pair.shape());
        shape.as_deref() == Some(self.shape.as_str())
    }

    fn look(
        &self,
        finding: Finding,
        [control, edited]: [&Outcome; 2],
        kernels: [&Kernel; 2],
        edit: &str,
    ) -> Option<String> {
        let is_of_control = finding.reason == Reason::ControlRejected;
        clusters::shape_text(DeviationFacts {
            finding,
            outcome: edited,
            control_log: is_of_control.then_some(control.log.as_str()),
            rule: self.case.broken_rule(),
            kernel: kernels[usize::from(!is_of_control)],
            edit,
        })
    }

    /// Returns the expectation for two texts: a text that equals its control is valid.
    fn expectation_of(&self, [control, edited]: &[String; 2]) -> &Expectation {
        if control == edited { &Expectation::Accept } else { &self.expectation }
    }

    /// Reduces the smallest program as text, by lines that no choice of the generator could remove.
    pub(super) fn finish(&self, builds: &Builds<'_>) -> Result<ReducedPair, ReduceError> {
        let pair = self.progress.tree().current();
        let mut texts = [Side::Control, Side::Edited].map(|side| pair.kernel(side, PREFIX).source);
        let probe = pair.probe(PREFIX);
        if probe.is_some() {
            // Of a text nobody knows whether it is still defined.
            let [_, edited] = texts;
            let (id, shape) = (self.case.id(), self.shape.clone());
            return Ok(ReducedPair { id, shape, left: None, probe, control: None, edited });
        }
        let show = |texts: &[[String; 2]]| self.which_show(&pair, texts, builds);
        // Where the neighbour shows it as well, the edit has nothing to do with it.
        let alone = [texts[0].clone(), texts[0].clone()];
        if alone != texts && show(std::slice::from_ref(&alone))? == [true] {
            texts = alone;
        }
        let [control, edited] = text::reduce_pair(&texts, show)?;
        Ok(ReducedPair {
            id: self.case.id(),
            shape: self.shape.clone(),
            left: None,
            probe: None,
            control: (control != edited).then_some(control),
            edited,
        })
    }

    fn which_show(
        &self,
        pair: &Pair,
        texts: &[[String; 2]],
        builds: &Builds<'_>,
    ) -> Result<Vec<bool>, ReduceError> {
        let pairs: Vec<[Job; 2]> =
            (0..).zip(texts).map(|(index, texts)| self.text_jobs(pair, index, texts)).collect();
        // Taken apart as text, a program is what it should be only if our own front end confirms it.
        let sound: Vec<bool> =
            pairs.iter().zip(texts).map(|(jobs, texts)| self.is_sound(jobs, texts)).collect();
        let jobs: Vec<Job> = pairs
            .into_iter()
            .zip(&sound)
            .filter(|(_, sound)| **sound)
            .flat_map(|(jobs, _)| jobs)
            .collect();
        let outcomes = builds.outcomes(&jobs)?;
        let mut outcomes = outcomes.chunks_exact(2);
        let shows = |(texts, sound): (&[String; 2], &bool)| {
            *sound && outcomes.next().is_some_and(|pair_of| self.text_shows(pair, pair_of, texts))
        };
        Ok(texts.iter().zip(&sound).map(shows).collect())
    }

    fn text_jobs(&self, pair: &Pair, index: usize, texts: &[String; 2]) -> [Job; 2] {
        [(0, Side::Control), (1, Side::Edited)].map(|(number, side)| {
            let name = format!("{index}/{number}");
            Job {
                dialect: self.case.dialect,
                requirements: pair.requirements().to_vec(),
                source: OWN_NAME
                    .replace_all(&texts[number], CaseId::new(&name).prefix())
                    .into_owned(),
                required: ExpectedVerdict::Either,
                expected: ExpectedVerdict::Either,
                until: self.until(side),
                placement: Placement::Batch,
                run_with: RunWith::Nothing,
                id: name,
            }
        })
    }

    /// Whether our own front end accepts the control and gives the expected answer for the other.
    fn is_sound(&self, jobs: &[Job; 2], texts: &[String; 2]) -> bool {
        let [control, edited] =
            jobs.each_ref().map(|job| checker::judge(job.dialect, &job.requirements, &job.source));
        // Which line is guilty is not known of a text; which rule is broken is.
        let expectation = self.expectation_of(texts);
        let finding = judge(expectation, &edited.error_lines, &edited, Some(&control));
        control.kind == OutcomeKind::Accepted && finding.kind == FindingKind::Pass
    }
}
