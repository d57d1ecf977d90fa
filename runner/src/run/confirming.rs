//! A run of cases whose every finding survives a second look: every finding that no entry explains is tried again,
//! alone in a worker that has built nothing else, before it is reported. If there are too many for that, the others are
//! built in other batches, except for wrong values, whose cause may be in the same batch.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use expectations::{
    baseline::{Deviation, PatternIndex},
    device::DeviceFile,
    evidence::Evidence,
    judge::{Direction, Finding, FindingKind, Reason},
    outcome::{Outcome, OutcomeKind},
    wrong_values::{Shape, WRONG_VALUES},
};
use generator::suite::Suite;
use results::{
    line::{CaseResult, Confirmation, Interaction, UnreproducedFailure},
    shared_check::SharedCheck,
    worker_time::WorkerTime,
};

use crate::{
    device::{DeviceFacts, text::telling_line},
    engine::{
        self, AcceptedBatches, Cancel, Company, Config, Depth, DeviceReport, EngineError, Event,
        ExpectedVerdict, FirstLook, Job, LearnedFacts, Placement, Record, SampleSize, SecondLooks,
        Symptom, Until, computes_wrong_values, processor_time,
    },
    findings::{
        baseline, clusters,
        judging::{Judging, PreparedCase, SettledCase},
    },
    run::{
        interactions::{Flaky, InteractionFindings, MOST_FAULTS, look_for},
        interrupted::InterruptedCases,
        shared_check::Check,
    },
};

/// Number of findings that get a second look alone, at any cost.
const ALONE_AT_LEAST: usize = 12;
/// Looking at findings alone may take such a part of the processor time of the first look.
const PART_FOR_SECOND_LOOKS: u32 = 25;

/// Progress report of a run.
#[derive(Debug)]
pub enum RunProgress<'t> {
    /// The device is open.
    Opened(&'t DeviceFacts),
    /// This number of cases was built for the first time.
    Built(u64),
    /// This number of cases is not built: the device does not meet their requirements, or other cases represent them.
    NotBuilt(u64),
    /// This number of findings gets a second look.
    LooksAgain(usize),
    /// Workers have ended; what their time went into.
    Worked(&'t WorkerTime),
    /// A final result.
    Result(&'t CaseResult),
    /// Results that were reported and are withdrawn: these cases are built again.
    Withdrawn(&'t BTreeSet<&'t str>),
    /// The verdicts of shared builds were checked.
    Checked(SharedCheck),
    /// A failure or an answer of a build of several cases that none of them shows alone.
    Unreproduced(UnreproducedFailure),
    /// A fault that takes several programs or kernels.
    Interaction(Interaction),
    /// Something a reader of the run's record should know.
    Warning(String),
}

/// Device, cases and settings of a run.
#[derive(Clone, Copy)]
pub struct Scene<'r, 's> {
    /// The suite, for what is known of the device.
    pub suite: &'s Suite,
    /// The device with its baseline entries.
    pub device: &'r DeviceFile,
    /// The cases that are run on the device.
    pub prepared: &'r [PreparedCase<'s>],
    /// Configuration of the engine.
    pub config: &'r Config,
    /// Depth to which cases are taken.
    pub depth: Depth,
    /// The cases that were being built when the run was killed before.
    pub interrupted: &'r InterruptedCases,
    /// Asks for an end.
    pub cancel: &'r Cancel,
}

#[derive(Debug)]
pub enum RunEnding {
    /// The run ended by itself. These programs compute wrong values in both looks, or may die of a known kind of them;
    /// they are neither stored nor reported yet, because their kind is known only after reduction.
    WithWrongValues(Vec<CaseResult>),
    /// The run was stopped.
    Stopped,
}

/// Builds and judges those of the cases that `judging` has no outcome of. Unexpected findings are kept and reported
/// only after they were confirmed; a run that is stopped does not complete them.
pub fn run(
    scene: Scene<'_, '_>,
    cases: &[usize],
    judging: &mut Judging<'_, '_>,
    tell: &mut dyn FnMut(RunProgress<'_>),
) -> Result<RunEnding, EngineError> {
    let Scene { device, prepared, config, interrupted, cancel, .. } = scene;
    let (mut killers, mut left) = (Vec::new(), Vec::new());
    for index in cases.iter().copied().filter(|&index| !judging.is_finished(index)) {
        match interrupted.verdict(&prepared[index].id) {
            Some(record) => killers.push((index, record)),
            None => left.push(index),
        }
    }
    left.sort_by_key(|&index| interrupted.kills(&prepared[index].id));
    let workers = if interrupted.leaves_one_worker() { 1 } else { config.workers };
    let config = &Config { workers, ..config.clone() };
    let scene = Scene { config, ..scene };
    let known = PatternIndex::new(&device.deviations);
    let mut first = Pass {
        scene,
        known: &known,
        killers,
        doubtful: Vec::new(),
        failed_twice: BTreeSet::new(),
        check: Check::default(),
    };
    let begun = processor_time();
    let sampled = Config { sample: Some(SampleSize::USUAL), ..config.clone() };
    let report = first.build(&left, &sampled, judging, tell)?;
    let spent = processor_time().saturating_sub(begun);
    if report.cancelled {
        return Ok(RunEnding::Stopped);
    }
    first.check_entries(&report.learned, judging, tell)?;
    if !first.check.doubted().is_empty() {
        let again = judging.withdraw(first.check.doubted());
        first.doubtful.retain(|settled| !again.contains(&settled.index));
        let ids = again.iter().map(|&index| prepared[index].id.as_str()).collect();
        tell(RunProgress::Withdrawn(&ids));
        let alone = Config { isolate: true, learned: report.learned.clone(), ..config.clone() };
        if first.build(&again, &alone, judging, tell)?.cancelled {
            return Ok(RunEnding::Stopped);
        }
        // Its numbers are those of other jobs.
        for settled in first.doubtful.iter_mut().filter(|settled| again.contains(&settled.index)) {
            settled.record.company = None;
        }
    }
    if cancel.is_cancelled() {
        return Ok(RunEnding::Stopped);
    }
    let Pass { doubtful, failed_twice, check, .. } = first;
    tell(RunProgress::Checked(check.into_report(prepared)));
    if doubtful.is_empty() {
        return Ok(RunEnding::WithWrongValues(Vec::new()));
    }
    let mut looks = SecondLook {
        scene,
        left: &left,
        spent,
        learned: report.learned,
        failed_twice,
        seen: BTreeMap::new(),
        looked: BTreeMap::new(),
        in_company: Vec::new(),
    };
    looks.take(&doubtful, judging, tell)?;
    if cancel.is_cancelled() {
        return Ok(RunEnding::Stopped);
    }
    let wrong_values = looks.conclude(doubtful, judging, tell);
    if !looks.in_company.is_empty() {
        let jobs = scene.jobs(&known, &left);
        let found = look_for(device, &jobs, config, cancel, looks.in_company)?;
        for interaction in found.interactions {
            tell(RunProgress::Interaction(interaction));
        }
    }
    Ok(RunEnding::WithWrongValues(wrong_values))
}

/// Cases of builds that failed, and the faults that were seen.
#[derive(Default)]
struct Suspects {
    /// Cases of batches that failed.
    cases: BTreeSet<usize>,
    /// Results of suspects that need no second look: the cases may be flaky.
    withheld: Vec<SettledCase>,
    /// The faults, each with the programs of its worker.
    seen: Vec<Company>,
}

impl Suspects {
    fn has(&self, settled: &SettledCase) -> bool {
        fault_of(&settled.record).is_some() || self.cases.contains(&settled.index)
    }

    /// Looks for the faults; stores and reports them and the results.
    fn look_for(
        self,
        scene: Scene<'_, '_>,
        jobs: &[Job],
        left: &[usize],
        judging: &mut Judging<'_, '_>,
        tell: &mut dyn FnMut(RunProgress<'_>),
    ) -> Result<(), EngineError> {
        let Scene { device, config, cancel, .. } = scene;
        let InteractionFindings { interactions, flaky, unshown } =
            look_for(device, jobs, config, cancel, self.seen)?;
        if cancel.is_cancelled() {
            return Ok(());
        }
        let mut told = interactions.len();
        for interaction in interactions {
            tell(RunProgress::Interaction(interaction));
        }
        for Company { programs, symptom, what } in unshown {
            let ids =
                |built: &Arc<[usize]>| built.iter().map(|&job| jobs[job].id.clone()).collect();
            // A failure that was seen once is not a finding; a known-good program that was not built was built before.
            if symptom == Symptom::RejectsGood && told < MOST_FAULTS {
                let programs = programs.iter().map(ids).collect();
                tell(RunProgress::Interaction(Interaction { programs, what, times: 1, builds: 1 }));
                told += 1;
            } else {
                let cases = programs.last().map(ids).unwrap_or_default();
                tell(RunProgress::Unreproduced(UnreproducedFailure { cases, what }));
            }
        }
        let mut flaky: BTreeMap<usize, Flaky> =
            flaky.into_iter().map(|(job, flaky)| (left[job], flaky)).collect();
        for SettledCase { index, record, result } in self.withheld {
            let result = match flaky.remove(&index) {
                Some(flaky) => {
                    let result = judging.result(index, &flaky.record(&record));
                    CaseResult { finding: FLAKY, ..result }
                }
                None => result,
            };
            tell(RunProgress::Result(&result));
            judging.keep(result);
        }
        for (case, flaky) in flaky {
            let id = scene.prepared[case].id.clone();
            tell(RunProgress::Interaction(flaky.into_interaction(id)));
        }
        Ok(())
    }
}

/// Returns what a case failed in, where it failed only after other programs.
fn fault_of(record: &Record) -> Option<&Company> {
    record.company.as_deref().filter(|company| is_fault(company))
}

/// Whether the driver failed, and not the machine.
fn is_fault(company: &Company) -> bool {
    matches!(company.symptom, Symptom::Fails(OutcomeKind::Crashed | OutcomeKind::TimedOut))
}

/// The first look at the cases of a run.
struct Pass<'r, 's, 'k> {
    scene: Scene<'r, 's>,
    known: &'k PatternIndex<'k>,
    /// Cases that killed the run each time before, with what is recorded of them.
    killers: Vec<(usize, Record)>,
    /// Findings that nothing explains.
    doubtful: Vec<SettledCase>,
    /// Cases that failed alone, and in a batch before.
    failed_twice: BTreeSet<usize>,
    /// The check of the verdicts that shared builds gave.
    check: Check,
}

impl Pass<'_, '_, '_> {
    /// Builds these cases, stores and reports the results that need no second look, and collects the others.
    fn build(
        &mut self,
        cases: &[usize],
        config: &Config,
        judging: &mut Judging<'_, '_>,
        tell: &mut dyn FnMut(RunProgress<'_>),
    ) -> Result<DeviceReport, EngineError> {
        let jobs = self.scene.jobs(self.known, cases);
        let Self { scene, killers, doubtful, failed_twice, check, .. } = self;
        let Scene { device, cancel, .. } = *scene;
        let mut suspects = Suspects::default();
        let report = engine::run(device, &jobs, config, cancel, &mut |event| match event {
            Event::Opened(facts) => {
                tell(RunProgress::Opened(&facts));
                for result in judging.take_left_out() {
                    tell(RunProgress::Result(&result));
                    judging.keep(result);
                }
                for (index, record) in killers.drain(..) {
                    tell(RunProgress::Built(1));
                    doubtful.extend(scene.settle(index, record, &mut suspects, judging, tell));
                }
            }
            Event::Finished { job, record } => {
                let was_built = record.outcome.kind != OutcomeKind::Unsupported;
                tell(if was_built { RunProgress::Built(1) } else { RunProgress::NotBuilt(1) });
                doubtful.extend(scene.settle(cases[job], record, &mut suspects, judging, tell));
            }
            Event::FailedTwice { job } => {
                failed_twice.insert(cases[job]);
            }
            // An acceptance that is doubtful is looked at again anyway, in search of a case that hides errors.
            Event::Checked { job, alone } => {
                let is_doubtful = doubtful.iter().any(|settled| settled.index == cases[job]);
                if !is_doubtful || judging.evidence(cases[job]) != Some(Evidence::Program) {
                    check.compare(judging, cases[job], &alone);
                }
            }
            Event::BatchFailed { jobs } => {
                suspects.cases.extend(jobs.into_iter().map(|job| cases[job]));
            }
            Event::Lost(company) => suspects.seen.push(company),
            Event::Unreproduced { company: Some(company), .. } if is_fault(&company) => {
                suspects.seen.push(company);
            }
            Event::Unreproduced { jobs: built, what, .. } => {
                let cases = built.into_iter().map(|job| jobs[job].id.clone()).collect();
                tell(RunProgress::Unreproduced(UnreproducedFailure { cases, what }));
            }
            Event::TwoAnswers { jobs: built, first } => {
                tell(RunProgress::Interaction(two_answers(&jobs, &built, &first)));
            }
            Event::Warning(text) => tell(RunProgress::Warning(text)),
        })?;
        check.add_verdicts(report.shared_verdicts);
        tell(RunProgress::Worked(&report.worker_time));
        if !report.cancelled {
            suspects.look_for(*scene, &jobs, cases, judging, tell)?;
        }
        Ok(report)
    }

    /// Builds cases alone of those baseline entries that would be reported.
    fn check_entries(
        &mut self,
        learned: &LearnedFacts,
        judging: &Judging<'_, '_>,
        tell: &mut dyn FnMut(RunProgress<'_>),
    ) -> Result<(), EngineError> {
        let Scene { suite, device, prepared, config, depth, cancel, .. } = self.scene;
        let cases = self.check.cases_of_entries(suite, device, judging);
        if cases.is_empty() || cancel.is_cancelled() {
            return Ok(());
        }
        let config = Config { isolate: true, learned: learned.clone(), ..config.clone() };
        let job = |&index: &usize| adjust_expected_verdict(self.known, prepared[index].job(depth));
        let jobs: Vec<Job> = cases.iter().map(job).collect();
        let check = &mut self.check;
        let report = engine::run(device, &jobs, &config, cancel, &mut |event| match event {
            Event::Finished { job, record } => {
                check.compare(judging, cases[job], &record.outcome);
            }
            Event::Warning(text) => tell(RunProgress::Warning(text)),
            Event::Opened(_)
            | Event::FailedTwice { .. }
            | Event::Checked { .. }
            | Event::BatchFailed { .. }
            | Event::Lost(_)
            | Event::Unreproduced { .. }
            | Event::TwoAnswers { .. } => {}
        })?;
        tell(RunProgress::Worked(&report.worker_time));
        Ok(())
    }
}

/// Quarantines a case that is known to crash or hang the device: it is tried once if it crashes each time, with a
/// shorter time limit if it hangs. Where an entry matches controls too, it means the controls of cases to reject, and cases to reject are built with others.
fn quarantine(known: &PatternIndex<'_>, job: Job) -> Job {
    let is_rejected = job.expected == ExpectedVerdict::Reject;
    let of_control = |entry: &Deviation| entry.directions().contains(&Direction::Inconclusive);
    let harmful = |entry: &&Deviation| !(is_rejected && of_control(entry));
    let entries: Vec<&Deviation> = known.harmful(&job.id).filter(harmful).collect();
    let any = |direction| entries.iter().any(|entry| entry.directions().contains(&direction));
    let placement = if any(Direction::Timeout) {
        Placement::KnownToHang
    } else if entries.is_empty() {
        return job;
    } else if any(Direction::Crash) && !any(Direction::Flaky) {
        Placement::KnownToCrash
    } else {
        Placement::Quarantine
    };
    Job { placement, ..job }
}

/// Quarantines a case that was being built when the run was killed.
fn suspect(interrupted: &InterruptedCases, job: Job) -> Job {
    if interrupted.is_suspect(&job.id) {
        return Job { placement: Placement::Quarantine, ..job };
    }
    job
}

/// Takes a case with baseline entries further: its deviation may show after the front end, and no other case
/// represents it there.
fn further(known: &PatternIndex<'_>, depth: Depth, job: Job) -> Job {
    let stops_short = depth == Depth::Run
        && job.until == Until::FrontEnd
        && job.expected == ExpectedVerdict::Accept;
    if stops_short && !known.matching(&job.id).is_empty() {
        return Job { until: Until::Code, ..job };
    }
    job
}

/// Returns the job as the device is known to judge it. A valid case that is known to be rejected is built with those to
/// be rejected, or the others' batch would be built again without it; where it is accepted it is launched all the same.
/// A rejection of an invalid case that is known to be accepted needs two programs that show it.
fn adjust_expected_verdict(known: &PatternIndex<'_>, job: Job) -> Job {
    let expected = match job.expected {
        ExpectedVerdict::Accept if known.is_rejected(&job.id) => ExpectedVerdict::Reject,
        ExpectedVerdict::Reject if known.is_accepted(&job.id) => ExpectedVerdict::Either,
        expected => expected,
    };
    Job { expected, ..job }
}

impl Scene<'_, '_> {
    /// Returns the jobs of these cases.
    fn jobs(&self, known: &PatternIndex<'_>, cases: &[usize]) -> Vec<Job> {
        let Scene { prepared, depth, interrupted, .. } = *self;
        let job = |&index: &usize| {
            let job = further(known, depth, quarantine(known, prepared[index].job(depth)));
            adjust_expected_verdict(known, suspect(interrupted, job))
        };
        cases.iter().map(job).collect()
    }

    /// Judges a case. Stores and reports the results that need no second look, adds suspects to the second look, and
    /// returns the others.
    fn settle(
        &self,
        index: usize,
        record: Record,
        suspects: &mut Suspects,
        judging: &mut Judging<'_, '_>,
        tell: &mut dyn FnMut(RunProgress<'_>),
    ) -> Vec<SettledCase> {
        let mut doubtful = Vec::new();
        for settled in judging.finish(index, record) {
            suspects.seen.extend(fault_of(&settled.record).cloned());
            if settled.record.blamed.is_some() || !self.is_explained(&settled.result) {
                doubtful.push(settled);
            } else if suspects.has(&settled) {
                suspects.withheld.push(settled);
            } else {
                tell(RunProgress::Result(&settled.result));
                judging.keep(settled.result);
            }
        }
        doubtful
    }

    fn is_explained(&self, result: &CaseResult) -> bool {
        !result.finding.kind.needs_explanation()
            || !clusters::computes_wrong_values(result)
                && !clusters::may_be_of_a_kind(result, &self.device.deviations)
                && baseline::explains(self.suite, self.device, result)
    }
}

/// Second looks at the findings of a run.
struct SecondLook<'r, 's> {
    scene: Scene<'r, 's>,
    /// The case of each job of the first look.
    left: &'r [usize],
    /// Processor time of the first look.
    spent: Duration,
    learned: LearnedFacts,
    /// Cases that failed alone, and in a batch before.
    failed_twice: BTreeSet<usize>,
    /// Results of the first look, by case.
    seen: BTreeMap<usize, FirstLook>,
    /// Records of the second look, by case.
    looked: BTreeMap<usize, Record>,
    /// Faults for which the first look saw other answers than the second.
    in_company: Vec<Company>,
}

impl SecondLook<'_, '_> {
    /// Takes a second look at findings and their controls, then at cases that may hide the errors of others in a batch,
    /// then at cases alone whose answers differ between batches.
    fn take(
        &mut self,
        doubtful: &[SettledCase],
        judging: &Judging<'_, '_>,
        tell: &mut dyn FnMut(RunProgress<'_>),
    ) -> Result<(), EngineError> {
        for settled in doubtful {
            let SettledCase { index, record, result } = settled;
            let outcome = record.blamed.as_deref().unwrap_or(&result.outcome).clone();
            let is_contradicted = record.is_contradicted;
            self.seen.insert(*index, FirstLook { outcome, is_contradicted });
        }
        let mut suspects: Vec<usize> = Vec::new();
        for settled in doubtful {
            if !self.is_seen_twice(settled) {
                suspects.push(settled.index);
            }
        }
        suspects = first_of_each_cluster_first(doubtful, &suspects);
        for settled in doubtful {
            if settled.result.finding.reason == Reason::ControlRejected
                && let Some(control) = judging.control_of(settled.index)
                && let Some(outcome) = judging.outcome(control)
                && judging.is_unreported(control)
                && !self.seen.contains_key(&control)
            {
                self.seen.insert(control, seen_once(outcome));
                suspects.push(control);
            }
        }
        tell(RunProgress::LooksAgain(suspects.len()));
        let limit = SecondLooks {
            at_least: ALONE_AT_LEAST,
            processor_time: self.spent / PART_FOR_SECOND_LOOKS,
        };
        self.look(&suspects, Some(limit), tell)?;
        let candidates = self.candidates(doubtful, judging);
        for &(case, ref outcome) in &candidates {
            self.seen.insert(case, seen_once(outcome));
        }
        let candidates: Vec<usize> = candidates.into_iter().map(|(case, _)| case).collect();
        self.look(&candidates, None, tell)?;
        let unsettled: Vec<usize> = doubtful
            .iter()
            .filter(|settled| {
                let contradicted = |second: &Record| {
                    second.batch > 1 && !second.outcome.agrees_with(&settled.result.outcome)
                };
                self.looked.get(&settled.index).is_some_and(contradicted)
                    && self.find_error_hiding_case(&settled.record).is_none()
            })
            .map(|settled| settled.index)
            .collect();
        self.look(&unsettled, None, tell)
    }

    /// Whether a failure was seen alone in a new worker and at another time too.
    fn is_seen_twice(&self, SettledCase { index, record, .. }: &SettledCase) -> bool {
        let alone = record.attempts.iter().filter(|attempt| attempt.is_evidence());
        let again = alone.filter(|attempt| attempt.kind == record.outcome.kind).count();
        record.is_fresh && (self.failed_twice.contains(index) || again > 1)
    }

    /// Runs these cases once more.
    fn look(
        &mut self,
        cases: &[usize],
        limit: Option<SecondLooks>,
        tell: &mut dyn FnMut(RunProgress<'_>),
    ) -> Result<(), EngineError> {
        let Scene { device, prepared, config, depth, cancel, .. } = self.scene;
        if cases.is_empty() || cancel.is_cancelled() {
            return Ok(());
        }
        let config = Config {
            accepted_batches: AcceptedBatches::Checked,
            second_looks: limit.filter(|_| !config.isolate),
            learned: self.learned.clone(),
            ..config.clone()
        };
        let known = PatternIndex::new(&device.deviations);
        let job = |&case: &usize| {
            let seen = &self.seen[&case];
            let of_case = prepared[case].job(depth);
            let expected = match seen.outcome.kind {
                OutcomeKind::Accepted => ExpectedVerdict::Accept,
                OutcomeKind::Rejected => ExpectedVerdict::Reject,
                _ => ExpectedVerdict::Either,
            };
            let placement = Placement::SecondLook(Arc::new(seen.clone()));
            let job = further(&known, depth, of_case);
            Job { expected, placement, ..job }
        };
        let jobs: Vec<Job> = cases.iter().map(job).collect();
        let looked = &mut self.looked;
        let report = engine::run(device, &jobs, &config, cancel, &mut |event| match event {
            Event::Finished { job, record } => {
                looked.insert(cases[job], record);
            }
            // A failure of such a build is a finding of nobody.
            Event::Opened(_)
            | Event::FailedTwice { .. }
            | Event::Checked { .. }
            | Event::BatchFailed { .. }
            | Event::Lost(_)
            | Event::Unreproduced { .. } => {}
            Event::TwoAnswers { jobs: built, first } => {
                tell(RunProgress::Interaction(two_answers(&jobs, &built, &first)));
            }
            Event::Warning(text) => tell(RunProgress::Warning(text)),
        })?;
        tell(RunProgress::Worked(&report.worker_time));
        Ok(())
    }

    /// Returns cases that are not in doubt themselves, and that may have made the device accept a batch whose other
    /// cases it rejects.
    fn candidates(
        &self,
        doubtful: &[SettledCase],
        judging: &Judging<'_, '_>,
    ) -> Vec<(usize, Outcome)> {
        let mut candidates = BTreeMap::new();
        for SettledCase { index, record, result } in doubtful {
            let second = self.looked.get(index);
            // Who hides errors makes nobody compute wrong values.
            let is_contradicted =
                second.is_some_and(|second| second.outcome.kind != result.outcome.kind);
            if !is_contradicted || self.find_error_hiding_case(record).is_some() {
                continue;
            }
            for &job in record.batch_jobs.iter().flat_map(|jobs| jobs.iter()) {
                let case = self.left[job];
                if let Some(outcome) = judging.outcome(case)
                    && outcome.kind == OutcomeKind::Accepted
                    && !self.looked.contains_key(&case)
                {
                    candidates.insert(case, outcome.clone());
                }
            }
        }
        candidates.into_iter().collect()
    }

    /// Returns the case that made the device accept the batch in which this one was accepted.
    fn find_error_hiding_case(&self, record: &Record) -> Option<usize> {
        let cases = record.batch_jobs.as_deref()?.iter().map(|&job| self.left[job]);
        let mut cases = cases;
        cases.find(|case| self.looked.get(case).is_some_and(|second| second.hides_errors))
    }

    /// Judges every case again by both looks and returns the programs that compute wrong values.
    fn conclude(
        &mut self,
        doubtful: Vec<SettledCase>,
        judging: &mut Judging<'_, '_>,
        tell: &mut dyn FnMut(RunProgress<'_>),
    ) -> Vec<CaseResult> {
        let flaky_controls: BTreeSet<usize> = self
            .looked
            .iter()
            .filter(|(_, second)| second.answers.len() > 1)
            .map(|(&case, _)| case)
            .collect();
        // The control of a case must be right first.
        for (&case, second) in &self.looked {
            if let [answer] = second.answers.as_slice() {
                judging.correct(case, answer.clone());
            } else if second.batch > 1 {
                judging.correct(case, second.outcome.clone());
            }
        }
        let mut told: BTreeSet<Vec<usize>> = BTreeSet::new();
        let mut wrong_values = Vec::new();
        for SettledCase { index, record, result } in doubtful {
            let (mut result, comparison) = self.concluded(index, &record, result, judging);
            let control = judging.control_of(index);
            if result.finding.reason == Reason::ControlRejected
                && control.is_some_and(|control| flaky_controls.contains(&control))
            {
                result.finding = FLAKY;
                result.remarks.push("its control is flaky".to_owned());
            }
            if self.looked.get(&index).is_some_and(|second| second.hides_errors) {
                result.remarks.push(HIDES_ERRORS.to_owned());
            }
            if comparison == Comparison::Corrected {
                // Failures were looked for after the first look.
                let company = record.company.as_deref().filter(|company| !is_fault(company));
                self.in_company.extend(company.cloned());
            }
            if comparison == Comparison::Corrected
                && let Some(what) = self.unreproduced(index, &record, &mut told)
            {
                tell(RunProgress::Unreproduced(what));
            }
            let entries = &self.scene.device.deviations;
            if clusters::computes_wrong_values(&result)
                || clusters::may_be_of_a_kind(&result, entries)
            {
                wrong_values.push(result);
                continue;
            }
            tell(RunProgress::Result(&result));
            judging.keep(result);
        }
        wrong_values
    }

    /// Returns the result of one case by both looks, and their comparison.
    fn concluded(
        &self,
        index: usize,
        record: &Record,
        result: CaseResult,
        judging: &Judging<'_, '_>,
    ) -> (CaseResult, Comparison) {
        let repeated = |how| {
            let again = judging.result(index, record);
            (CaseResult { confirmed: Some(how), ..again }, Comparison::Repeated)
        };
        let Some(second) = self.looked.get(&index) else {
            // It was seen twice already.
            return repeated(Confirmation::Alone);
        };
        let how = if second.batch > 1 { Confirmation::Batch } else { Confirmation::Alone };
        let answers = match second.answers.as_slice() {
            [] => std::slice::from_ref(&second.outcome),
            answers => answers,
        };
        // Where it is accepted now, it is what it was before that is doubted.
        let before = record.blamed.as_deref().unwrap_or(&record.outcome);
        let first = judging.judged(index, before);
        let findings: Vec<Finding> =
            answers.iter().map(|answer| judging.judged(index, answer)).collect();
        let repeats = findings.iter().all(|&finding| finding == first);
        if repeats && record.blamed.is_none() {
            return repeated(how);
        }
        let differ = findings.windows(2).any(|pair| pair[0] != pair[1]);
        let mut attempts = second.attempts.clone();
        if differ || repeats || (record.is_fresh && record.blamed.is_none()) {
            attempts.push(record.first_attempt());
            let outcome = result.outcome;
            let others = answers.iter().filter(|answer| !answer.agrees_with(&outcome)).cloned();
            let answers: Vec<Outcome> = others.collect();
            let both = Record { attempts, ..Record::unbuilt(outcome) };
            let mut flaky = judging.result(index, &both);
            flaky.remarks.extend(answers.iter().map(also_answered));
            let flaky = CaseResult { finding: FLAKY, seconds: record.seconds, answers, ..flaky };
            return (flaky, Comparison::Changed);
        }
        // The batch, or what its worker had built before, was to blame.
        let corrected =
            Record { outcome: answers[0].clone(), attempts: Vec::new(), ..second.clone() };
        let mut again = judging.result(index, &corrected);
        again.remarks.push(format!(
            "{} {}, {:?} {}",
            in_words(before),
            match record.batch {
                1 => "after others".to_owned(),
                cases => format!("in a batch of {cases}"),
            },
            again.outcome.kind,
            if second.batch > 1 {
                format!("in a batch of {}", second.batch)
            } else {
                format!("alone {}", results::text::plural(second.attempts.len(), "time"))
            }
        ));
        again.confirmed = again.finding.kind.needs_explanation().then_some(how);
        (again, Comparison::Corrected)
    }

    /// Returns the report about a batch whose answer differs from those of its cases; each batch is reported once.
    fn unreproduced(
        &self,
        index: usize,
        record: &Record,
        told: &mut BTreeSet<Vec<usize>>,
    ) -> Option<UnreproducedFailure> {
        let id = |case: usize| self.scene.prepared[case].id.clone();
        let said = telling_line(&record.outcome.log).unwrap_or(&record.outcome.detail);
        let said = if said.is_empty() { String::new() } else { format!(" ({said})") };
        let what = format!("{}{said}, but not when built again", in_words(&record.outcome));
        let Some(jobs) = record.batch_jobs.as_deref() else {
            return Some(UnreproducedFailure { cases: vec![id(index)], what });
        };
        if !told.insert(jobs.to_vec()) {
            return None;
        }
        let hiding_case =
            self.find_error_hiding_case(record).filter(|_| !computes_wrong_values(&record.outcome));
        let what = match hiding_case {
            Some(case) => format!("{}: {HIDES_ERRORS}", id(case)),
            None => what,
        };
        Some(UnreproducedFailure {
            cases: jobs.iter().map(|&job| id(self.left[job])).collect(),
            what,
        })
    }
}

/// Returns the report about a program that the device rejected, and accepted when it was built again.
fn two_answers(jobs: &[Job], built: &[usize], rejection: &str) -> Interaction {
    let ids = built.iter().map(|&job| jobs[job].id.clone()).collect();
    let log = results::text::one_line(telling_line(rejection).unwrap_or(rejection), MOST_OF_LOG);
    let what = format!("rejected, but accepted when built again: {log}");
    Interaction { programs: vec![ids], what, times: 1, builds: 2 }
}

/// Comparison of the second look with the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    /// The device does the same.
    Repeated,
    /// The answers differ from one build to the next.
    Changed,
    /// The answer is always the same, and only the programs built before or with the case changed it.
    Corrected,
}

fn seen_once(outcome: &Outcome) -> FirstLook {
    FirstLook { outcome: outcome.clone(), is_contradicted: false }
}

/// Returns the outcome of a case in a shared build, in words.
fn in_words(outcome: &Outcome) -> String {
    if computes_wrong_values(outcome) {
        return "wrong values".to_owned();
    }
    format!("{:?}", outcome.kind)
}

fn also_answered(answer: &Outcome) -> String {
    let said = telling_line(&answer.log).unwrap_or(&answer.detail);
    format!("it also answered {:?}: {said}", answer.kind)
}

const FLAKY: Finding = Finding { kind: FindingKind::Flaky, reason: Reason::AnswersDiffer };

/// Number of characters of a log that an interaction shows.
const MOST_OF_LOG: usize = 200;

const HIDES_ERRORS: &str = "the device accepts everything that is built with it";

/// Returns the cases in an order in which the first ones differ as much as possible.
fn first_of_each_cluster_first(doubtful: &[SettledCase], suspects: &[usize]) -> Vec<usize> {
    let suspects: BTreeSet<usize> = suspects.iter().copied().collect();
    let mut clusters: BTreeMap<String, usize> = BTreeMap::new();
    let mut ordered: Vec<(usize, usize)> = Vec::new();
    for SettledCase { index, result, .. } in doubtful {
        if !suspects.contains(index) {
            continue;
        }
        let cluster = match clusters::shape(result) {
            Some(Shape::Known(shape)) => shape,
            Some(Shape::WrongValues(_) | Shape::WrongValuesAmong(_)) => WRONG_VALUES.to_owned(),
            None => {
                let rule: Vec<&str> = result.id.splitn(3, '/').take(2).collect();
                format!("{} {:?} {:?}", rule.join("/"), result.finding.reason, result.outcome.kind)
            }
        };
        let before = clusters.entry(cluster).or_default();
        ordered.push((*before, *index));
        *before += 1;
    }
    ordered.sort_unstable();
    ordered.into_iter().map(|(_, index)| index).collect()
}
