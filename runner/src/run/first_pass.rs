//! The first look at the cases of a run: what is as the text requires, or explained, is reported. Verdicts of shared
//! builds are checked on a sample, and withdrawn where one of their kind is wrong.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    sync::Arc,
    time::Duration,
};

use expectations::{evidence::Evidence, outcome::OutcomeKind};
use results::line::{CaseResult, Interaction, UnreproducedFailure};

use super::{
    interactions::{
        FLAKY, Flaky, InteractionFindings, MOST_FAULTS, is_fault, look_for, two_answers,
    },
    scene::{Reporter, RunProgress, Scene},
    shared_check::Check,
};
use crate::{
    engine::{
        self, Company, Config, DeviceReport, EngineError, Event, Job, LearnedFacts, Record,
        SampleSize, Symptom, processor_time,
    },
    findings::{baseline, clusters, judging::SettledCase},
};

/// The first look at the cases of a run, and what it leaves to the second one.
pub(super) struct FirstPass<'r, 's> {
    pub(super) scene: Scene<'r, 's>,
    /// Findings that nothing explains.
    pub(super) doubtful: Vec<SettledCase>,
    /// Cases that failed alone, and in a batch before.
    pub(super) failed_twice: BTreeSet<usize>,
    /// The case of each job.
    pub(super) left: Vec<usize>,
    /// Processor time of the builds.
    pub(super) spent: Duration,
    /// Facts about the device from the builds.
    pub(super) learned: LearnedFacts,
    /// Cases that killed the run each time before, with what is recorded of them.
    killers: Vec<(usize, Record)>,
    /// Cases of batches that failed.
    suspects: BTreeSet<usize>,
    /// Results of suspects that need no second look: the cases may be flaky.
    withheld: Vec<SettledCase>,
    /// Faults, each with the programs of its worker.
    faults: Vec<Company>,
    /// The check of the verdicts that shared builds gave.
    check: Check,
}

/// Builds and judges those of the cases that have no outcome yet. Stores and reports what is as required or explained;
/// returns the rest, or `None` if the run was stopped.
pub(super) fn first_pass<'r, 's>(
    scene: Scene<'r, 's>,
    cases: &[usize],
    reporter: &mut Reporter<'_, '_, '_>,
) -> Result<Option<FirstPass<'r, 's>>, EngineError> {
    let Scene { prepared, config, interrupted, cancel, .. } = scene;
    let (mut killers, mut left) = (Vec::new(), Vec::new());
    for index in cases.iter().copied().filter(|&index| !reporter.judging.is_finished(index)) {
        match interrupted.verdict(&prepared[index].id) {
            Some(record) => killers.push((index, record)),
            None => left.push(index),
        }
    }
    left.sort_by_key(|&index| interrupted.kills(&prepared[index].id));
    let mut first = FirstPass {
        scene,
        doubtful: Vec::new(),
        failed_twice: BTreeSet::new(),
        left: Vec::new(),
        spent: Duration::ZERO,
        learned: LearnedFacts::default(),
        killers,
        suspects: BTreeSet::new(),
        withheld: Vec::new(),
        faults: Vec::new(),
        check: Check::default(),
    };
    let begun = processor_time();
    let sampled = Config { sample: Some(SampleSize::USUAL), ..config.clone() };
    let DeviceReport { cancelled, learned, .. } = first.build(&left, &sampled, reporter)?;
    let spent = processor_time().saturating_sub(begun);
    if !cancelled {
        let alone = Config { isolate: true, learned: learned.clone(), ..config.clone() };
        first.check_entries(&alone, reporter)?;
        first.build_doubted_again(&alone, reporter)?;
    }
    if cancel.is_cancelled() {
        return Ok(None);
    }
    let check = mem::take(&mut first.check).into_report(prepared);
    reporter.tell(RunProgress::Checked(check));
    Ok(Some(FirstPass { left, spent, learned, ..first }))
}

impl FirstPass<'_, '_> {
    /// Builds these cases, stores and reports the results that need no second look, and collects the others.
    fn build(
        &mut self,
        cases: &[usize],
        config: &Config,
        reporter: &mut Reporter<'_, '_, '_>,
    ) -> Result<DeviceReport, EngineError> {
        let Scene { device, cancel, .. } = self.scene;
        let jobs = self.scene.jobs(cases);
        let report = engine::run(device, &jobs, config, cancel, &mut |event| {
            self.take(event, cases, &jobs, reporter);
        })?;
        self.check.verdicts += report.shared_verdicts;
        reporter.tell(RunProgress::Worked(&report.worker_time));
        if !report.cancelled {
            self.look_for_faults(&jobs, cases, reporter)?;
        }
        Ok(report)
    }

    /// Takes in what the engine says about jobs of these cases.
    fn take(
        &mut self,
        event: Event,
        cases: &[usize],
        jobs: &[Job],
        reporter: &mut Reporter<'_, '_, '_>,
    ) {
        match event {
            Event::Opened(facts) => {
                reporter.tell(RunProgress::Opened(&facts));
                for result in reporter.judging.take_left_out() {
                    reporter.keep(result);
                }
                for (index, record) in mem::take(&mut self.killers) {
                    reporter.tell(RunProgress::Built);
                    self.settle(index, record, reporter);
                }
            }
            Event::Finished { job, record } => {
                let was_built = record.outcome.kind != OutcomeKind::Unsupported;
                reporter.tell(if was_built { RunProgress::Built } else { RunProgress::NotBuilt });
                self.settle(cases[job], record, reporter);
            }
            Event::FailedTwice { job } => {
                self.failed_twice.insert(cases[job]);
            }
            // An acceptance that is doubtful is looked at again anyway, in search of a case that hides errors.
            Event::Checked { job, alone } => {
                let (index, judging) = (cases[job], &*reporter.judging);
                let is_doubtful = self.doubtful.iter().any(|settled| settled.index == index);
                if !is_doubtful || judging.evidence(index) != Some(Evidence::Program) {
                    self.check.compare(judging, index, &alone);
                }
            }
            Event::BatchFailed { jobs } => {
                self.suspects.extend(jobs.into_iter().map(|job| cases[job]));
            }
            Event::Lost(company) => self.faults.push(company),
            Event::Unreproduced { company: Some(company), .. } if is_fault(&company) => {
                self.faults.push(company);
            }
            Event::Unreproduced { jobs: built, what, .. } => {
                let cases = built.into_iter().map(|job| jobs[job].id.clone()).collect();
                reporter.tell(RunProgress::Unreproduced(UnreproducedFailure { cases, what }));
            }
            Event::TwoAnswers { jobs: built, first } => {
                reporter.tell(RunProgress::Interaction(two_answers(jobs, &built, &first)));
            }
            Event::Warning(text) => reporter.tell(RunProgress::Warning(text)),
        }
    }

    /// Judges a case. Stores and reports the results that need no second look, and collects the others.
    fn settle(&mut self, index: usize, record: Record, reporter: &mut Reporter<'_, '_, '_>) {
        for settled in reporter.judging.finish(index, record) {
            self.faults.extend(fault_of(&settled.record).cloned());
            if settled.record.blamed.is_some() || !self.is_explained(&settled.result) {
                self.doubtful.push(settled);
            } else if fault_of(&settled.record).is_some() || self.suspects.contains(&settled.index)
            {
                self.withheld.push(settled);
            } else {
                reporter.keep(settled.result);
            }
        }
    }

    fn is_explained(&self, result: &CaseResult) -> bool {
        let Scene { suite, device, .. } = self.scene;
        !result.finding.kind.needs_explanation()
            || !clusters::computes_wrong_values(result)
                && !clusters::may_be_of_a_kind(result, &device.deviations)
                && baseline::explains(suite, device, result)
    }

    /// Builds cases alone of those baseline entries that would be reported.
    fn check_entries(
        &mut self,
        alone: &Config,
        reporter: &mut Reporter<'_, '_, '_>,
    ) -> Result<(), EngineError> {
        let Scene { suite, device, .. } = self.scene;
        let cases = self.check.cases_of_entries(suite, device, reporter.judging);
        let jobs = self.scene.jobs_alone(&cases);
        for (job, record) in self.scene.rebuild(&jobs, alone, reporter)? {
            self.check.compare(reporter.judging, cases[job], &record.outcome);
        }
        Ok(())
    }

    /// Withdraws the verdicts of shared builds that the check found doubtful, and builds their cases alone.
    fn build_doubted_again(
        &mut self,
        alone: &Config,
        reporter: &mut Reporter<'_, '_, '_>,
    ) -> Result<(), EngineError> {
        if self.check.doubted().is_empty() {
            return Ok(());
        }
        let again = reporter.judging.withdraw(self.check.doubted());
        self.doubtful.retain(|settled| !again.contains(&settled.index));
        let prepared = self.scene.prepared;
        let ids = again.iter().map(|&index| prepared[index].id.as_str()).collect();
        reporter.tell(RunProgress::Withdrawn(&ids));
        self.build(&again, alone, reporter)?;
        // Its numbers are those of other jobs.
        for settled in self.doubtful.iter_mut().filter(|settled| again.contains(&settled.index)) {
            settled.record.company = None;
        }
        Ok(())
    }

    /// Looks for the faults that were seen; stores and reports them and the results that were withheld.
    fn look_for_faults(
        &mut self,
        jobs: &[Job],
        cases: &[usize],
        reporter: &mut Reporter<'_, '_, '_>,
    ) -> Result<(), EngineError> {
        let Scene { device, config, cancel, .. } = self.scene;
        let InteractionFindings { interactions, flaky, unshown } =
            look_for(device, jobs, config, cancel, mem::take(&mut self.faults))?;
        if cancel.is_cancelled() {
            return Ok(());
        }
        self.suspects.clear();
        let mut told = interactions.len();
        for interaction in interactions {
            reporter.tell(RunProgress::Interaction(interaction));
        }
        for Company { programs, symptom, what } in unshown {
            let ids =
                |built: &Arc<[usize]>| built.iter().map(|&job| jobs[job].id.clone()).collect();
            // A failure that was seen once is not a finding; a known-good program that was not built was built before.
            if symptom == Symptom::RejectsGood && told < MOST_FAULTS {
                let programs = programs.iter().map(ids).collect();
                let once = Interaction { programs, what, times: 1, builds: 1 };
                reporter.tell(RunProgress::Interaction(once));
                told += 1;
            } else {
                let cases = programs.last().map(ids).unwrap_or_default();
                reporter.tell(RunProgress::Unreproduced(UnreproducedFailure { cases, what }));
            }
        }
        let mut flaky: BTreeMap<usize, Flaky> =
            flaky.into_iter().map(|(job, flaky)| (cases[job], flaky)).collect();
        for SettledCase { index, record, result } in mem::take(&mut self.withheld) {
            let result = match flaky.remove(&index) {
                Some(flaky) => {
                    let result = reporter.judging.result(index, &flaky.record(&record));
                    CaseResult { finding: FLAKY, ..result }
                }
                None => result,
            };
            reporter.keep(result);
        }
        for (case, flaky) in flaky {
            let id = self.scene.prepared[case].id.clone();
            reporter.tell(RunProgress::Interaction(flaky.into_interaction(id)));
        }
        Ok(())
    }
}

/// Returns what a case failed in, where it failed only after other programs.
fn fault_of(record: &Record) -> Option<&Company> {
    record.company.as_deref().filter(|company| is_fault(company))
}
