//! `address-spaces dev probe-adequacy --device`: whether every probe detects the wrong kernels of its rule, on a real
//! device.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::Arc,
};

use expectations::{
    case_id::{CaseId, own_prefix},
    outcome::{Outcome, OutcomeKind, RunKind},
};
use generator::{covering_part::covering_part, suite::Case};
use results::text::one_line;

use super::CommandError;
use crate::{
    cli::exit,
    engine::{self, Cancel, Depth, Event, ExpectedVerdict, Job, Placement, Until},
    findings::judging::PreparedCase,
    output::print,
    overlay,
    run::{
        covering::EXECUTED_OF_A_RULE,
        devices::{choose_one, config},
        plan::RunPlan,
        select,
    },
};

/// Between a case and the wrong kernel it is run with.
const AS: &str = " as ";

/// Number of wrong kernels with one name of one rule that were noticed.
#[derive(Default)]
struct NoticedKernels {
    what: String,
    times: usize,
    not_run: usize,
    why_not_run: String,
    /// Cases whose probe found nothing wrong, and those whose kernel could not be used as intended.
    missed: Vec<String>,
}

/// Runs every wrong kernel with the probe of its case, prints which ones were noticed, and returns the exit status.
pub fn adequacy_of_probes(plan: &RunPlan) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let device = choose_one(&plan.devices)?;
    let selection = select::select(&suite, &plan.filter, std::slice::from_ref(&device))?;
    let mut jobs = Vec::new();
    let mut of_job = Vec::new();
    let mut table: BTreeMap<(String, String), NoticedKernels> = BTreeMap::new();
    let rules: BTreeSet<usize> = selection.cases.iter().map(|case| case.rule).collect();
    let rules: Vec<usize> = rules.into_iter().collect();
    let part = covering_part(&suite, &rules, EXECUTED_OF_A_RULE, |_| true);
    let is_tried = |case: &Case| plan.depth == Some(Depth::All) || part.contains(&case.id);
    for case in selection.cases.into_iter().filter(is_tried) {
        let prepared = PreparedCase::new(&suite, case.clone(), true)?;
        for (wrong, kernel) in suite.wrong_kernels(&case)? {
            let key = (suite.rule(&case).id.clone(), wrong.name.clone());
            table.entry(key.clone()).or_default().what.clone_from(&wrong.what);
            of_job.push(key);
            jobs.push(Job {
                id: format!("{}{AS}{}", prepared.id, wrong.name),
                dialect: prepared.dialect,
                requirements: prepared.requirements.clone(),
                source: kernel.source,
                required: ExpectedVerdict::Accept,
                expected: ExpectedVerdict::Accept,
                until: Until::Execution,
                placement: Placement::Batch,
                run_with: prepared.run_with.clone(),
            });
        }
    }
    let mut sink = |event: Event| {
        if let Event::Finished { job, record } = event
            && let Some(noticed) = table.get_mut(&of_job[job])
        {
            let id = &jobs[job].id;
            let case = id.split(AS).next().unwrap_or_default();
            let known = device.deviations.iter().find(|deviation| deviation.matches(case));
            match known {
                // Its right kernel is not used as it should be either.
                Some(deviation) => {
                    noticed.not_run(&format!("expected failure: {}", deviation.reason));
                }
                None => noticed.add(id, &record.outcome),
            }
        }
    };
    engine::run(
        &device,
        &alone(&jobs),
        &config(&plan.builds, &device)?,
        &Cancel::default(),
        &mut sink,
    )?;
    let mut out = String::new();
    let _ = writeln!(out, "{:<64}{:>9}{:>9}{:>9}", "wrong kernel", "noticed", "missed", "not run");
    let mut survivors = 0;
    let mut never_run = 0;
    for ((rule, name), noticed) in &table {
        let NoticedKernels { times: count, not_run, missed, .. } = noticed;
        let label = format!("{rule} as {name}");
        let _ = writeln!(out, "{label:<64}{count:>9}{:>9}{not_run:>9}", missed.len());
        survivors += missed.len();
        never_run += usize::from(*count == 0 && missed.is_empty());
        for line in missed.iter().take(5) {
            let _ = writeln!(out, "  MISSED {line} ({})", noticed.what);
        }
        if *count == 0 && missed.is_empty() {
            let _ = writeln!(out, "  never run: {}", one_line(&noticed.why_not_run, 160));
        }
    }
    let _ = writeln!(
        out,
        "{} wrong kernels in {} cases, {survivors} not detected, {never_run} kinds never run on {}",
        table.len(),
        jobs.len(),
        device.name
    );
    print(&out);
    Ok(if survivors == 0 { exit::EXPECTED } else { exit::UNEXPECTED })
}

/// Returns the jobs with names of their own: wrong kernels of one case have the names of its right kernel, and each is
/// built in a program of its own.
fn alone(jobs: &[Job]) -> Vec<Job> {
    let own_prefix = |(number, job): (usize, &Job)| {
        let old = CaseId::new(job.id.split(AS).next().unwrap_or_default()).prefix();
        let new = own_prefix(number as u64);
        Job {
            source: job.source.replace(&old, &new),
            run_with: job.run_with.probe().map(|probe| Arc::new(probe.renamed(&old, &new))).into(),
            ..job.clone()
        }
    };
    jobs.iter().enumerate().map(own_prefix).collect()
}

impl NoticedKernels {
    fn not_run(&mut self, why: &str) {
        self.not_run += 1;
        why.clone_into(&mut self.why_not_run);
    }

    fn add(&mut self, job: &str, outcome: &Outcome) {
        let mut miss = |why: &str| self.missed.push(format!("{job}: {why}"));
        match (outcome.kind, &outcome.run) {
            (OutcomeKind::Unsupported, _) => self.not_run(&outcome.detail),
            (OutcomeKind::Accepted, Some(run)) => match run.kind {
                RunKind::BuildsOnly | RunKind::Lacking => self.not_run(&run.detail),
                _ if run.differing > 0 => self.times += 1,
                RunKind::Failed => miss(&run.detail),
                RunKind::Completed => miss("its probe found nothing wrong"),
            },
            (kind, _) => {
                let log = outcome.log.lines().find(|line| line.contains("error")).unwrap_or("");
                miss(&format!("{kind:?} {} {}", outcome.detail, one_line(log, 160)));
            }
        }
    }
}
