//! Results compared with what is known of the device.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use expectations::{
    baseline::{
        Baseline, BaselineReport, Coverage, Deviation, JudgedCase, Part, PatternIndex, is_explained,
    },
    case_id::CaseId,
    device::DeviceFile,
    dialect::Dialect,
    evidence::Evidence,
    judge::Reason,
    renamed,
    rule::{Expectation, Rule},
    wrong_values::Shape,
};
use generator::suite::{Case, Suite};
use results::{
    cases::Cases,
    cluster::Reductions,
    line::CaseResult,
    run::{ExplainedCases, Judgement, StaleEntry, WideEntry},
    shared_check::SharedCheck,
};

use crate::findings::clusters::{self, Clusters};

/// Part of the suite that results cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole suite: an entry that matches no case is wrong.
    Suite,
    /// Every selected case.
    Selection,
    /// Some of the selected cases: entries are not judged.
    Unfinished,
}

/// Whether a baseline entry of the device explains a finding.
pub fn explains(suite: &Suite, device: &DeviceFile, result: &CaseResult) -> bool {
    let shape = clusters::shape(result);
    let judged = judged(result, shape.as_ref());
    is_explained(&device.deviations, &judged, |dialect| meets(suite, judged, dialect))
}

/// Returns a result as baseline entries are compared with it.
fn judged<'c>(result: &'c CaseResult, shape: Option<&'c Shape>) -> JudgedCase<'c> {
    JudgedCase {
        id: &result.id,
        shape,
        verdict: result.expectation,
        finding: result.finding,
        reached: result.outcome.reached(),
        broken: result.outcome.module.as_deref().map(|module| &module.broken[..]),
    }
}

/// Returns, for each baseline entry that by these results seems to explain nothing, or too few of the cases that it
/// matches, the ids of those that pass by the evidence of a shared build, ascending.
pub fn passing_of_questionable(
    suite: &Suite,
    device: &DeviceFile,
    results: &[CaseResult],
) -> Vec<Vec<String>> {
    if device.deviations.is_empty() {
        return Vec::new();
    }
    let mut known = Baseline::new(&device.deviations);
    for result in results {
        // Only what deviates has a shape.
        let deviates = result.finding.kind.needs_explanation();
        let shape = deviates.then(|| clusters::shape(result)).flatten();
        let judged = judged(result, shape.as_ref());
        known.record(&judged, |dialect| meets(suite, judged, dialect));
    }
    let (stale, parts) = known.stale();
    let of_parts = parts.into_iter().map(|(entry, _)| entry);
    let wide = device.deviations.iter().zip(known.coverage()).enumerate();
    let wide = wide.filter(|(_, (deviation, coverage))| {
        coverage.deviating > 0 && deviation.is_too_wide(coverage)
    });
    let entries: BTreeSet<usize> =
        stale.into_iter().chain(of_parts).chain(wide.map(|(entry, _)| entry)).collect();
    let entries = entries.into_iter().map(|entry| &device.deviations[entry]);
    let passing = |deviation: &Deviation| {
        let of_entry = results.iter().filter(|result| {
            result.evidence.is_some_and(Evidence::is_shared)
                && !result.finding.kind.needs_explanation()
                && deviation.matches(&result.id)
        });
        let mut ids: Vec<String> = of_entry.map(|result| result.id.clone()).collect();
        ids.sort_unstable();
        ids
    };
    let entries = entries.filter(|deviation| !deviation.is_of_random_programs());
    entries.map(passing).collect()
}

/// Returns the entries with a passing case that has evidence of its own: a build of the case alone, at first or in the
/// check of shared builds. Results of formats without evidence count as they are.
fn confirmed(
    device: &DeviceFile,
    entries: BTreeSet<usize>,
    results: &Cases,
    check: Option<&SharedCheck>,
) -> BTreeSet<usize> {
    let Some(check) = check.filter(|_| !entries.is_empty()) else { return entries };
    let is_confirmed = |id: &String| check.confirmed.binary_search(id).is_ok();
    let mut confirmed = BTreeSet::new();
    for case in results.briefs().filter(|case| !case.finding.kind.needs_explanation()) {
        if case.evidence.is_some_and(Evidence::is_shared) && !is_confirmed(&case.id) {
            continue;
        }
        let of_case = |entry: &&usize| device.deviations[**entry].matches(&case.id);
        confirmed.extend(entries.iter().filter(of_case).copied());
    }
    confirmed
}

/// Compares results with the baseline entries of the device. Entries are reported only if `check` or a build of a
/// case alone confirms it, and none of them is tolerated yet.
pub fn judge_by_baseline(
    suite: &Suite,
    device: &DeviceFile,
    results: &Cases,
    extent: Extent,
    check: Option<&SharedCheck>,
) -> Judgement {
    let mut known = Baseline::new(&device.deviations);
    let mut baseline = BaselineReport::default();
    let mut clusters = Clusters::default();
    let mut wrong_values: BTreeMap<usize, Reductions> = BTreeMap::new();
    for (number, case) in results.briefs().enumerate() {
        let deviates = case.finding.kind.needs_explanation();
        let result = deviates.then(|| results.get(number));
        let shape = result.as_deref().and_then(clusters::shape);
        let judged = JudgedCase {
            id: &case.id,
            shape: shape.as_ref(),
            verdict: case.expectation,
            finding: case.finding,
            reached: case.outcome.reached(),
            broken: case
                .outcome
                .module
                .map(|_| result.as_deref().map_or(&[][..], |result| result.outcome.broken_laws())),
        };
        let entry = known.record(&judged, |dialect| meets(suite, judged, dialect));
        let Some(result) = result else { continue };
        if let Some(entry) = entry {
            if clusters::computes_wrong_values(&result) {
                wrong_values.entry(entry).or_default().add(result.left.as_ref());
            }
            baseline.explained.push((number, entry));
            continue;
        }
        baseline.unexpected.push(number);
        if let Some(shape) = shape {
            clusters.add(shape, number, &result);
        }
    }
    (baseline.stale, baseline.stale_parts) = known.stale();
    baseline.coverage = known.coverage();
    let parts = baseline.stale_parts.iter().map(|&(entry, _)| entry);
    let unexplaining = baseline.stale.iter().copied().chain(parts).collect();
    let unexplaining = confirmed(device, unexplaining, results, check);
    baseline.stale.retain(|entry| unexplaining.contains(entry));
    baseline.stale_parts.retain(|(entry, _)| unexplaining.contains(entry));
    let (stale, wide) = match extent {
        Extent::Unfinished => (Vec::new(), Vec::new()),
        Extent::Selection | Extent::Suite => (
            stale(suite, device, &baseline, results, extent),
            wide(suite, device, &baseline, results, extent, check),
        ),
    };
    let coverage = coverage(device, &baseline);
    let clusters = clusters.keep_one_of_each(&mut baseline.unexpected);
    let found = Judgement { baseline, clusters, wrong_values, ..Judgement::default() };
    Judgement { stale, wide, coverage, ..found }
}

/// Returns the cases that the entries explain, by cause.
fn coverage(device: &DeviceFile, baseline: &BaselineReport) -> Vec<ExplainedCases> {
    let mut causes: Vec<ExplainedCases> = Vec::new();
    let of_entries = device.deviations.iter().zip(&baseline.coverage);
    let of_entries = of_entries
        .filter(|(deviation, coverage)| coverage.cases > 0 && !deviation.is_of_random_programs());
    for (deviation, &Coverage { cases, deviating, .. }) in of_entries {
        let (path, line) = (&deviation.path, deviation.line);
        let entry = format!("{deviating} of {cases}  {path}:{line}  {}", speaks_of(deviation));
        let is_known =
            |known: &&mut ExplainedCases| known.cause.is_some() && known.cause == deviation.cause;
        if let Some(known) = causes.iter_mut().find(is_known) {
            known.deviating += deviating;
            known.entries.push(entry);
        } else {
            causes.push(ExplainedCases {
                cause: deviation.cause.clone(),
                reason: deviation.reason.clone(),
                deviating,
                entries: vec![entry],
            });
        }
    }
    causes
}

/// Returns the cases that an entry matches, in words.
fn speaks_of(deviation: &Deviation) -> String {
    let cases = deviation.cases.join(", ");
    match deviation.when() {
        Some(when) => format!("{cases} when {when}"),
        None => cases,
    }
}

/// Returns the entries that match too many passing cases, among those all of whose cases were run.
fn wide(
    suite: &Suite,
    device: &DeviceFile,
    baseline: &BaselineReport,
    results: &Cases,
    extent: Extent,
    check: Option<&SharedCheck>,
) -> Vec<WideEntry> {
    let entries = device.deviations.iter().zip(&baseline.coverage).enumerate();
    // What explains nothing at all is stale.
    let candidates: Vec<_> = entries
        .filter(|(_, (entry, coverage))| coverage.deviating > 0 && entry.is_too_wide(coverage))
        .collect();
    let numbers = candidates.iter().map(|&(entry, _)| entry).collect();
    let numbers = confirmed(device, numbers, results, check);
    let candidates: Vec<_> =
        candidates.into_iter().filter(|(entry, _)| numbers.contains(entry)).collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let all = match extent {
        Extent::Suite => Vec::new(),
        _ => cases_spoken_of(suite, candidates.iter().map(|(_, (deviation, _))| *deviation)),
    };
    let matched = |deviation: &Deviation| -> BTreeSet<&str> {
        all.iter().map(|case| case.id.as_str()).filter(|id| deviation.matches(id)).collect()
    };
    let mut left: Vec<BTreeSet<&str>> =
        candidates.iter().map(|(_, (deviation, _))| matched(deviation)).collect();
    for case in results.briefs().filter(|_| !all.is_empty()) {
        for ids in &mut left {
            ids.remove(case.id.as_str());
        }
    }
    candidates
        .into_iter()
        .zip(left)
        .filter(|(_, left)| left.is_empty())
        .map(|((entry, (deviation, Coverage { cases, deviating, passing })), _)| {
            let text = format!(
                "{}:{}: {}: only {deviating} of its {cases} cases deviate as it says, so the \
                 others are not protected: narrow `cases`, or select by the axes in `when`{}",
                deviation.path,
                deviation.line,
                speaks_of(deviation),
                passing.as_ref().map(|id| format!("; one that passes is {id}")).unwrap_or_default(),
            );
            WideEntry { entry, text }
        })
        .collect()
}

/// Returns the cases of the rules that entries match.
fn cases_spoken_of<'d>(suite: &Suite, entries: impl Iterator<Item = &'d Deviation>) -> Vec<Case> {
    let patterns = entries.flat_map(|entry| &entry.cases);
    let beginnings: BTreeSet<&str> =
        patterns.map(|cases| cases.split(['*', '?']).next().unwrap_or_default()).collect();
    let begins = |rule: &str| {
        let id = format!("{rule}/");
        beginnings.iter().any(|text| text.starts_with(&id) || id.starts_with(text))
    };
    let is_named = |rule: &Rule| {
        begins(&rule.id) || renamed::former(&rule.id).is_some_and(|rule| begins(&rule))
    };
    let rules = suite.rules().iter().enumerate().filter(|(_, rule)| is_named(rule));
    suite.cases(&rules.map(|(index, _)| index).collect::<Vec<_>>(), &Dialect::ALL)
}

/// Returns the entries and parts of entries to remove. An entry is removed when all its cases pass; a run of only some
/// of them does not decide that.
fn stale(
    suite: &Suite,
    device: &DeviceFile,
    baseline: &BaselineReport,
    results: &Cases,
    extent: Extent,
) -> Vec<StaleEntry> {
    let whole = extent == Extent::Suite;
    let candidates = !baseline.stale.is_empty() || !baseline.stale_parts.is_empty();
    if device.deviations.is_empty() || !(whole || candidates) {
        return Vec::new();
    }
    let parts = baseline.stale_parts.iter().map(|&(entry, _)| entry);
    let candidates = baseline.stale.iter().copied().chain(parts);
    let cases = match extent {
        Extent::Suite => suite.all_cases(),
        _ => cases_spoken_of(suite, candidates.map(|entry| &device.deviations[entry])),
    };
    let number: HashMap<&str, usize> =
        cases.iter().enumerate().map(|(number, case)| (case.id.as_str(), number)).collect();
    let mut run = vec![whole; cases.len()];
    for result in results.briefs().filter(|_| !whole) {
        if let Some(&number) = number.get(result.id.as_str()) {
            run[number] = true;
        }
    }
    // Of each pattern, whether it matches a case of the suite, and whether one of these was not run.
    let patterns = device.deviations.iter().map(|entry| vec![(false, false); entry.cases.len()]);
    let mut patterns: Vec<Vec<(bool, bool)>> = patterns.collect();
    let index = PatternIndex::new(&device.deviations);
    for (case, was_run) in cases.iter().zip(run) {
        for (entry, pattern) in index.matching(&case.id) {
            let (matches, lacks) = &mut patterns[entry][pattern];
            *matches = true;
            *lacks |= !was_run;
        }
    }
    let all_run = |patterns: &[(bool, bool)]| patterns.iter().all(|(_, lacks)| !lacks);
    let stale_entry = |entry: usize, parts: Vec<String>, why: &str, is_whole: bool| {
        let Deviation { path, line, .. } = &device.deviations[entry];
        StaleEntry { entry, place: format!("{path}:{line}"), parts, why: why.to_owned(), is_whole }
    };
    let mut stale = Vec::new();
    for &entry in &baseline.stale {
        if all_run(&patterns[entry]) {
            stale.push(stale_entry(entry, device.deviations[entry].cases.clone(), FIXED, true));
        }
    }
    let mut parts: BTreeMap<(usize, &str), Vec<String>> = BTreeMap::new();
    for &(entry, part) in &baseline.stale_parts {
        let deviation = &device.deviations[entry];
        let decided = match part {
            Part::Pattern(pattern) => all_run(&patterns[entry][pattern..=pattern]),
            Part::Finding(_) => all_run(&patterns[entry]),
            Part::Example => true,
        };
        if decided {
            parts.entry((entry, FIXED)).or_default().push(deviation.part_text(part));
        }
    }
    for (entry, deviation) in device.deviations.iter().enumerate().filter(|_| whole) {
        if deviation.is_of_random_programs() {
            continue;
        }
        for (pattern, (matches, _)) in deviation.cases.iter().zip(&patterns[entry]) {
            if !matches {
                parts.entry((entry, UNKNOWN)).or_default().push(pattern.clone());
            }
        }
    }
    let parts = parts.into_iter();
    stale.extend(parts.map(|((entry, why), parts)| stale_entry(entry, parts, why, false)));
    stale
}

const UNKNOWN: &str = "no case has such an id";

const FIXED: &str = "its cases now behave as required";

/// Whether what was found is right for the same case of another dialect.
fn meets(suite: &Suite, judged: JudgedCase<'_>, dialect: Dialect) -> bool {
    let elsewhere = |id: &str| suite.case(&CaseId::new(id).in_dialect(dialect)).ok();
    match judged.finding.reason {
        Reason::AcceptsInvalid => elsewhere(judged.id)
            .is_some_and(|case| !matches!(suite.expectation(&case), Expectation::Reject { .. })),
        Reason::RejectsValid => elsewhere(judged.id)
            .is_some_and(|case| !matches!(suite.expectation(&case), Expectation::Accept)),
        // Its control should be rejected there.
        Reason::ControlRejected => {
            let control = suite.case(judged.id).ok().and_then(|case| case.control);
            control
                .and_then(|control| elsewhere(&control))
                .is_some_and(|control| !matches!(suite.expectation(&control), Expectation::Accept))
        }
        _ => false,
    }
}
