//! The second stage of a run: its cases are rendered for an open device, or get the reason why they are not tried on it.

use std::time::Instant;

use expectations::{
    baseline::PatternIndex, device::DeviceFile, dialect::Dialect, judge::Reason,
    requirement::Requirement,
};
use generator::{
    duplicates::reject_duplicates,
    random::RandomCase,
    suite::{Case, Suite},
    templates::TemplateError,
};
use rayon::{iter::Either, prelude::*};
use results::{cases::Cases, folder::FolderError};

use super::{
    choosing::ChosenRun,
    covering::Parts,
    devices::{self, ReportedDevice},
    error::RunError,
    header::header,
    interrupted::InterruptedCases,
    plan::RunPlan,
    recording::Recording,
    select::{Random, Selection},
};
use crate::{
    device::{Capabilities, support},
    engine::{Config, Depth, Until, can_run},
    findings::judging::{LeftOut, Part, PreparedCase, until},
};

/// Random programs that are in memory at a time, with what becomes of them.
pub(super) const PORTION: usize = 10_000;

/// A run that is ready to be executed on one device.
pub(super) struct PreparedRun<'r> {
    pub(super) chosen: &'r ChosenRun,
    pub(super) conditions: CaseConditions<'r, 'r>,
    pub(super) cases: RunCases<'r>,
    pub(super) config: Config,
    /// The cases that were being built when the run was killed before.
    pub(super) interrupted: InterruptedCases,
    /// Results of the run that is resumed.
    pub(super) found: Cases,
    pub(super) recording: Recording,
}

/// The cases of a run on one device.
pub(super) enum RunCases<'r> {
    Whole(OnDevice<'r>),
    /// Random programs, too many to be in memory at a time.
    InPortions(&'r Random),
}

/// Returns the run on an open device, with its cases and with the folder for its results.
pub(super) fn prepare<'r>(
    chosen: &'r ChosenRun,
    reported: &'r ReportedDevice,
) -> Result<PreparedRun<'r>, RunError> {
    let begun = Instant::now();
    let ChosenRun { plan, suite, selection, .. } = chosen;
    let ReportedDevice { device, capabilities } = reported;
    let (capabilities, depth) = (capabilities.as_ref(), plan.depth_on(device));
    let conditions = CaseConditions { suite, device, capabilities, depth };
    let config = devices::config(&plan.builds, device)?;
    let random = &selection.random;
    let cases = if random.len() > PORTION {
        RunCases::InPortions(random)
    } else {
        RunCases::Whole(conditions.prepare(plan, selection)?)
    };
    let header = header(suite, plan, device, depth, selection.cases.len() + random.len());
    let keep = chosen.keep_on(device);
    let (recording, found) = Recording::open(&keep, header, begun)?;
    let journal = keep.folder().cloned();
    let interrupted = match &journal {
        Some(folder) => InterruptedCases::take(folder)
            .map_err(|source| FolderError::Io { path: folder.display().to_string(), source })?,
        None => InterruptedCases::default(),
    };
    let config = Config { journal, ..config };
    Ok(PreparedRun { chosen, conditions, cases, config, interrupted, found, recording })
}

/// The cases of a run on one device.
#[derive(Default)]
pub struct OnDevice<'s> {
    /// Cases that are run, the suite's in the order of their ids, followed by random programs.
    pub prepared: Vec<PreparedCase<'s>>,
    /// The others.
    pub left_out: Vec<LeftOut<'s>>,
}

/// Reason of a case that a device could execute and that is not run.
const NOT_TRIED: &str =
    "not tried at this depth, others of its rule are: `--depth all` executes every case";

/// Reason of a case that is known to hang a device.
const HANGS: &str = "not tried at this depth, because a baseline entry says that it hangs: \
     `--depth all` executes every case";

/// Facts that decide which cases of a device are run.
#[derive(Clone, Copy)]
pub struct CaseConditions<'r, 's> {
    /// The suite that is run.
    pub suite: &'s Suite,
    pub device: &'r DeviceFile,
    /// Capabilities that the device reports, where they are known before it is run; the engine queries them again.
    pub capabilities: Option<&'r Capabilities>,
    /// Depth to which cases are taken.
    pub depth: Depth,
}

impl<'s> CaseConditions<'_, 's> {
    /// Returns the selected cases with their controls.
    pub fn prepare(
        &self,
        plan: &RunPlan,
        selection: &Selection,
    ) -> Result<OnDevice<'s>, TemplateError> {
        let mut all = self.suites(plan, selection)?;
        let random = self.prepare_random(selection.random.cases().collect());
        all.prepared.extend(random.prepared);
        all.left_out.extend(random.left_out);
        Ok(all)
    }

    /// Returns random programs in the order of their ids, each with its control.
    pub fn prepare_random(&self, mut programs: Vec<RandomCase>) -> OnDevice<'s> {
        programs.sort_by_cached_key(RandomCase::id);
        let both: Vec<_> = programs
            .into_iter()
            .flat_map(|case| [Some((case, true)), case.control().map(|control| (control, false))])
            .flatten()
            .collect();
        let one = |(case, selected): (RandomCase, bool)| match self.lacks(case.dialect, &[]) {
            None => Either::Left(PreparedCase::random(self.suite, &case, selected)),
            Some(why) => Either::Right(LeftOut {
                id: case.id(),
                dialect: case.dialect,
                control: case.control().map(|control| control.id()),
                expectation: self.suite.random_expectation(&case),
                selected,
                why,
                reason: Reason::Lacking,
            }),
        };
        let (prepared, left_out) = both.into_par_iter().partition_map(one);
        OnDevice { prepared, left_out }
    }

    /// Returns the selected cases of the suite.
    fn suites(&self, plan: &RunPlan, selection: &Selection) -> Result<OnDevice<'s>, TemplateError> {
        let selected = selection.cases.iter().map(|case| (case, true));
        let all = selected.chain(selection.controls.iter().map(|case| (case, false)));
        let known = PatternIndex::new(&self.device.deviations);
        let hangs = |case: &Case| self.depth != Depth::All && known.hangs(&case.id);
        let parts = plan.has_covering_part().then(|| {
            let ids = all.clone().map(|(case, _)| case.id.as_str());
            let is_possible = |case: &Case| match self.depth {
                Depth::OneDialect => self.lacks(case.dialect, &case.requirements).is_none(),
                _ => !hangs(case) && self.can_execute(case),
            };
            Parts::new(self.suite, self.depth, ids, is_possible)
        });
        let part = |case: &Case, is_covering: bool| match &parts {
            Some(parts) => parts.of(&case.id),
            None => Part { is_covering, is_control: !is_covering },
        };
        let mut asked = Vec::new();
        let mut left_out = Vec::new();
        for (case, selected) in all {
            let part = part(case, selected);
            match self.why_not(case, part, hangs) {
                Some((reason, why)) => left_out.push(self.left_out(case, selected, reason, why)),
                None => asked.push((case, part, selected)),
            }
        }
        let render = |(case, part, selected): (&Case, Part, bool)| {
            let is_read = part != Part::default();
            let render = if is_read { PreparedCase::new } else { PreparedCase::with_probe_unread };
            Ok(PreparedCase { part, ..render(self.suite, case.clone(), selected)? })
        };
        let prepared: Vec<_> =
            asked.into_par_iter().map(render).collect::<Result<_, TemplateError>>()?;
        reject_duplicates(self.suite, prepared.iter().map(|p| (p.id.as_str(), &p.kernel)))?;
        Ok(OnDevice { prepared, left_out })
    }

    /// Returns why a case of the suite is not tried on the device; `hangs` is whether it is known to hang.
    fn why_not(
        &self,
        case: &Case,
        part: Part,
        hangs: impl Fn(&Case) -> bool,
    ) -> Option<(Reason, String)> {
        if let Some(lacks) = self.lacks(case.dialect, &case.requirements) {
            return Some((Reason::Lacking, lacks));
        }
        let (expectation, has_probe) = (self.suite.expectation(case), self.suite.has_probe(case));
        let until = until(expectation, has_probe, part, self.depth);
        let is_executed = has_probe && until == Until::Execution;
        if !can_run(&self.device.kind) || !is_executed && until != Until::OthersStandForIt {
            return None;
        }
        if hangs(case) {
            return Some((Reason::KnownToHang, HANGS.to_owned()));
        }
        (!is_executed).then(|| (Reason::Lacking, NOT_TRIED.to_owned()))
    }

    /// Whether the device has what a case and its probe need, as far as that is known.
    fn can_execute(&self, case: &Case) -> bool {
        let Some(capabilities) = self.capabilities else { return true };
        self.lacks(case.dialect, &case.requirements).is_none()
            && self.suite.probe(case).is_ok_and(|probe| {
                probe.is_none_or(|probe| {
                    probe.missing(&capabilities.limits).is_none()
                        && probe.possible_shapes(&capabilities.limits).next().is_some()
                })
            })
    }

    /// Returns the requirement that the device does not meet. Dialects that are known to be broken are left to the
    /// engine, which checks whether they still are.
    fn lacks(&self, dialect: Dialect, requirements: &[Requirement]) -> Option<String> {
        let capabilities = self.capabilities?;
        if support::broken(self.device, dialect).is_some() {
            return None;
        }
        support::missing(self.device, capabilities, dialect, requirements)
    }

    fn left_out(&self, case: &Case, selected: bool, reason: Reason, why: String) -> LeftOut<'s> {
        LeftOut {
            id: case.id.clone(),
            dialect: case.dialect,
            control: case.control.clone(),
            expectation: self.suite.expectation(case),
            selected,
            why,
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::{
        device::files,
        run::{plan::CaseFilter, select::select},
    };

    /// Least number of cases that a run of usual depth executes on PoCL 3.1.
    const EXECUTED_AT_LEAST: usize = 1200;

    #[test]
    fn a_usual_run_executes_many_cases_on_a_device_without_generic_pointers() {
        let suite = Suite::embedded().unwrap();
        let device = files::load("pocl").unwrap();
        let capabilities: Capabilities =
            toml::from_str(include_str!("capabilities-of-pocl-3.1.toml")).unwrap();
        let filter = CaseFilter { rules: executed_rules(&suite), ..CaseFilter::default() };
        let selection = select(&suite, &filter, &[]).unwrap();
        let plan = RunPlan { filter, ..RunPlan::default() };
        let depth = plan.depth_on(&device);
        let conditions = CaseConditions {
            suite: &suite,
            device: &device,
            capabilities: Some(&capabilities),
            depth,
        };
        let prepared = conditions.prepare(&plan, &selection).unwrap().prepared;
        let is_executed = |case: &&PreparedCase<'_>| {
            case.run_with.is_something() && case.job(depth).until == Until::Execution
        };
        let executed = prepared.iter().filter(is_executed).count();
        assert!(executed >= EXECUTED_AT_LEAST, "{executed} of {}", prepared.len());
    }

    fn executed_rules(suite: &Suite) -> Vec<String> {
        let executed = suite.rules().iter().filter(|rule| rule.probe.is_some());
        executed.map(|rule| rule.id.clone()).collect()
    }
}
