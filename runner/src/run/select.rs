//! Selection of the cases of a run.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use expectations::{
    case_id::CaseId, device::DeviceFile, dialect::Dialect, predicate::suggestion, renamed,
};
use generator::{
    random::RandomCase,
    suite::{Case, Suite},
};
use results::{
    folder::{Completeness, read_runs},
    text::one_line,
};
use thiserror::Error;
use wildmatch::WildMatch;

use super::{
    changed::{ChangedCases, ChangedError},
    plan::{CaseFilter, Programs, RandomCount, RandomPrograms, Scope},
    quick,
};
use crate::findings::judged_run::{StoredError, judge_stored};

/// The option of the few cases, as results name it.
const QUICK: &str = "--quick";
/// The option of the cases that failed before, as results name it.
const FAILED_IN: &str = "--failed-in";
/// The option of the cases that changed, as results name it.
const CHANGED_SINCE: &str = "--changed-since";
/// Value that stands for an option without one.
const GIVEN: &str = "yes";

/// The cases of a run.
#[derive(Debug, Default)]
pub struct Selection {
    /// The selected cases, in the order of their ids.
    pub cases: Vec<Case>,
    /// Controls of selected cases that are not selected themselves: they are run and not judged.
    pub controls: Vec<Case>,
    /// Random programs; their controls go with them.
    pub random: Random,
    /// A line on what changed, where that decided.
    pub what_changed: Option<String>,
}

/// Random programs, generated one by one: any number of them takes no memory.
#[derive(Clone, Debug, Default)]
pub enum Random {
    #[default]
    None,
    /// The one that was named.
    Named(RandomCase),
    /// Numbered programs that match the filter.
    Numbered {
        /// Numbers of the programs.
        programs: RandomPrograms,
        /// Filter that they match.
        filter: CaseFilter,
        /// Number of programs that match.
        count: usize,
    },
}

impl Random {
    /// Returns the number of programs.
    pub const fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Named(_) => 1,
            Self::Numbered { count, .. } => *count,
        }
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns each program, in the order of their numbers.
    pub fn cases(&self) -> Box<dyn Iterator<Item = RandomCase> + '_> {
        match self {
            Self::None => Box::new(std::iter::empty()),
            Self::Named(case) => Box::new(std::iter::once(*case)),
            Self::Numbered { programs, filter, .. } => Box::new(numbered(programs, filter)),
        }
    }
}

/// Error of a selection without cases.
#[derive(Debug, Error)]
pub enum SelectError {
    /// A rule that is none.
    #[error("`--rule {name}` names no rule or family{hint}")]
    NoSuchRule {
        /// Name that the user typed.
        name: String,
        /// Name that was probably meant.
        hint: String,
    },
    /// A case that is none.
    #[error("{0}")]
    NoSuchCase(String),
    /// The results of an earlier run cannot be judged.
    #[error(transparent)]
    Stored(#[from] StoredError),
    /// Changes cannot be found.
    #[error(transparent)]
    Changed(#[from] ChangedError),
    /// A revision since which no case changed.
    #[error(
        "no rule, template of a rule or entry of the device changed since `{0}`; `git diff --stat \
         {0}` lists the files that did"
    )]
    NothingChanged(String),
    /// The cases of an earlier run are as expected.
    #[error("no case of the suite failed in the run of {0}")]
    NothingFailed(String),
    /// Nothing is left.
    #[error("no case matches {what}{hint}; `address-spaces list` prints every case")]
    Nothing {
        /// The conditions.
        what: String,
        /// Remark on a filter that looks like a pattern.
        hint: &'static str,
    },
}

/// Returns what a run of these programs on these devices consists of.
pub fn select_programs(
    suite: &Suite,
    programs: &Programs,
    filter: &CaseFilter,
    devices: &[DeviceFile],
) -> Result<Selection, SelectError> {
    match programs {
        Programs::Random(random) => select_random(random, filter),
        Programs::Suite => select(suite, filter, devices),
    }
}

/// Returns the cases that match the filter; it may depend on the devices that they are for.
pub fn select(
    suite: &Suite,
    filter: &CaseFilter,
    devices: &[DeviceFile],
) -> Result<Selection, SelectError> {
    if filter.scope == Scope::Suite
        && let Some(named) = named_random(filter)
    {
        return named;
    }
    let rules = rules(suite, &filter.rules)?;
    let dialects = dialects(filter);
    let mut cases = match (filter.scope, &filter.text, filter.exact) {
        (Scope::Quick, ..) => quick::cases(suite),
        // Answered without generating anything else: harnesses ask for one case per process.
        (Scope::Suite, Some(id), true) => {
            let case =
                suite.case(id).map_err(|error| SelectError::NoSuchCase(error.to_string()))?;
            vec![case]
        }
        (Scope::Suite, ..) => suite.cases(&rules, &dialects),
    };
    // A named case may have its axes in another order.
    let is_named = filter.exact && filter.scope == Scope::Suite;
    let ordered = filter.text.as_deref().map(|text| ordered_id(suite, text));
    let has = |case: &Case, text: &str| has_text(&case.id, &renamed::current(text), filter.exact);
    cases.retain(|case| {
        rules.contains(&case.rule)
            && dialects.contains(&case.dialect)
            && (is_named || ordered.as_ref().is_none_or(|text| has(case, text)))
            && !filter.skip.iter().any(|text| has(case, text))
            && filter.shard.is_none_or(|shard| shard.has(&case.id))
    });
    let mut what_changed = None;
    if let Some(revision) = &filter.changed_since {
        let changed = ChangedCases::since(revision, suite, devices)?;
        if changed.is_empty() {
            return Err(SelectError::NothingChanged(one_line(revision, 80)));
        }
        what_changed = Some(changed.text(revision, suite));
        cases.retain(|case| changed.has(case));
    }
    if let Some(folder) = &filter.failed_in {
        let failed = failed_in(suite, folder)?;
        if failed.is_empty() {
            return Err(SelectError::NothingFailed(folder.display().to_string()));
        }
        cases.retain(|case| failed.contains(&case.id));
    }
    if cases.is_empty() {
        return Err(id_of_nothing(suite, filter).unwrap_or_else(|| nothing(filter)));
    }
    let controls = controls(suite, &cases);
    Ok(Selection { cases, controls, random: Random::None, what_changed })
}

/// Returns a filter as it stands in ids: the id of a case has its axes in one order.
fn ordered_id<'t>(suite: &Suite, text: &'t str) -> Cow<'t, str> {
    match suite.case(text) {
        Ok(case) => Cow::Owned(case.id),
        Err(_) => Cow::Borrowed(text),
    }
}

/// Returns the ids of the cases whose findings in the runs of a folder no baseline entry explains.
pub(super) fn failed_in(suite: &Suite, folder: &Path) -> Result<BTreeSet<String>, SelectError> {
    let mut failed = BTreeSet::new();
    for run in read_runs(folder, Completeness::Partial).map_err(StoredError::from)? {
        let run = judge_stored(suite, run, None)?;
        let ids = run.unexpected().iter().map(|case| run.cases.get(*case).id.clone());
        failed.extend(ids.filter(|id| !CaseId::new(id).is_random()));
    }
    Ok(failed)
}

/// Returns the random programs that match the filter.
fn select_random(programs: &RandomPrograms, filter: &CaseFilter) -> Result<Selection, SelectError> {
    let count = numbered(programs, filter).count();
    if count == 0 {
        return Err(nothing(filter));
    }
    let (programs, filter) = (programs.clone(), filter.clone());
    let random = Random::Numbered { programs, filter, count };
    Ok(Selection { random, ..Selection::default() })
}

fn numbered<'f>(
    programs: &RandomPrograms,
    filter: &'f CaseFilter,
) -> impl Iterator<Item = RandomCase> + 'f {
    /// Most numbers that are looked at for each program that is wanted.
    const SPARSE: u64 = 10_000;
    let dialects = dialects(filter);
    let patterns: Vec<WildMatch> = filter.rules.iter().map(|name| WildMatch::new(name)).collect();
    let is_of_rule = move |case: &RandomCase| {
        let rule = case.kind.rule().unwrap_or_default();
        let family = rule.split('/').next().unwrap_or_default();
        filter.rules.is_empty()
            || patterns.iter().any(|pattern| pattern.matches(rule))
            || filter.rules.iter().any(|name| name == family || *name == case.kind.name())
    };
    let is_selected = move |case: &RandomCase| {
        let id = case.id();
        dialects.contains(&case.dialect)
            && is_of_rule(case)
            && filter.text.as_ref().is_none_or(|text| has_text(&id, text, filter.exact))
            && !filter.skip.iter().any(|skipped| has_text(&id, skipped, filter.exact))
    };
    let RandomPrograms { count, seed, settings, kinds, .. } = *programs;
    let (numbers, most) = match count {
        RandomCount::Numbers(count) => (count, usize::MAX),
        RandomCount::Matching(count) => {
            (count.saturating_mul(SPARSE), usize::try_from(count).unwrap_or(usize::MAX))
        }
    };
    RandomCase::numbers(numbers, seed, settings, kinds.unwrap_or_default())
        .filter(is_selected)
        .take(most)
        .filter(move |case| filter.shard.is_none_or(|shard| shard.has(&case.id())))
}

/// Returns the random program that a filter names in full.
fn named_random(filter: &CaseFilter) -> Option<Result<Selection, SelectError>> {
    let id = filter.text.as_deref()?;
    CaseId::new(id).is_random().then(|| match RandomCase::from_id(id) {
        Ok(case) => {
            let random = Random::Named(case);
            Ok(Selection { random, ..Selection::default() })
        }
        Err(error) => Err(SelectError::NoSuchCase(error.to_string())),
    })
}

fn has_text(id: &str, text: &str, exact: bool) -> bool {
    if exact { id == text } else { id.contains(text) }
}

/// Returns the indices of the rules that `--rule` names; all without that option.
pub fn rules(suite: &Suite, names: &[String]) -> Result<Vec<usize>, SelectError> {
    let all = suite.rules();
    if names.is_empty() {
        return Ok((0..all.len()).collect());
    }
    let mut chosen = BTreeSet::new();
    for name in names {
        let pattern = WildMatch::new(name);
        let matching = all.iter().enumerate().filter(|(_, rule)| {
            let is_asked = |id: &str| pattern.matches(id) || CaseId::new(id).family() == name;
            is_asked(&rule.id) || renamed::former(&rule.id).is_some_and(|old| is_asked(&old))
        });
        let found: Vec<usize> = matching.map(|(index, _)| index).collect();
        if found.is_empty() {
            let mut known: Vec<&str> =
                all.iter().flat_map(|rule| [rule.id.as_str(), rule.family()]).collect();
            known.dedup();
            let hint = match expectations::predicate::nearest(name, known.iter().copied()) {
                Some(candidate) => format!("; did you mean `{candidate}`?"),
                None => {
                    let families: BTreeSet<&str> =
                        all.iter().map(expectations::rule::Rule::family).collect();
                    suggestion("", &families.into_iter().collect::<Vec<_>>())
                }
            };
            return Err(SelectError::NoSuchRule { name: name.escape_debug().to_string(), hint });
        }
        chosen.extend(found);
    }
    Ok(chosen.into_iter().collect())
}

/// Returns the dialects that `--dialect` names; all without that option.
pub fn dialects(filter: &CaseFilter) -> Vec<Dialect> {
    if filter.dialects.is_empty() { Dialect::ALL.to_vec() } else { filter.dialects.clone() }
}

fn controls(suite: &Suite, cases: &[Case]) -> Vec<Case> {
    let selected: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    let missing: BTreeSet<&str> = cases
        .iter()
        .filter_map(|case| case.control.as_deref())
        .filter(|id| !selected.contains(id))
        .collect();
    missing.into_iter().filter_map(|id| suite.case(id).ok()).collect()
}

/// Returns the options that select, by name and without the shard; empty for the whole suite.
pub fn describe(filter: &CaseFilter) -> BTreeMap<String, String> {
    let mut parts = BTreeMap::new();
    if let Some(text) = &filter.text {
        let name = if filter.exact { "exact filter" } else { "filter" };
        parts.insert(name.to_owned(), text.clone());
    }
    let dialects: Vec<String> =
        filter.dialects.iter().map(|dialect| dialect.name().to_owned()).collect();
    for (name, values) in
        [("--rule", &filter.rules), ("--dialect", &dialects), ("--skip", &filter.skip)]
    {
        if !values.is_empty() {
            parts.insert(name.to_owned(), values.join(" "));
        }
    }
    if let Some(folder) = &filter.failed_in {
        parts.insert(FAILED_IN.to_owned(), folder.display().to_string());
    }
    if let Some(revision) = &filter.changed_since {
        parts.insert(CHANGED_SINCE.to_owned(), revision.clone());
    }
    if filter.scope == Scope::Quick {
        parts.insert(QUICK.to_owned(), GIVEN.to_owned());
    }
    parts
}

/// Returns the error about a filter that is the whole id of a case: what is wrong with it, or that its axes stand in
/// another order.
fn id_of_nothing(suite: &Suite, filter: &CaseFilter) -> Option<SelectError> {
    let id = filter.text.as_deref().filter(|text| CaseId::new(text).is_whole())?;
    suite.rule_place(CaseId::new(id).rule())?;
    Some(SelectError::NoSuchCase(match suite.case(id) {
        Err(error) => error.to_string(),
        Ok(case) if case.id != id => format!(
            "`{}` has its axes in another order than the ids of cases: write `{}`, or `--exact`",
            id.escape_debug(),
            case.id
        ),
        Ok(_) => return None,
    }))
}

/// Returns the error of a selection without cases.
fn nothing(filter: &CaseFilter) -> SelectError {
    let is_pattern = filter.text.as_deref().is_some_and(|text| text.contains('*'));
    let hint = if is_pattern {
        "; a filter is a part of an id, and `*` in it is not a pattern"
    } else {
        ""
    };
    SelectError::Nothing { what: in_words(filter), hint }
}

/// Returns the selection in words.
fn in_words(filter: &CaseFilter) -> String {
    let mut parts: Vec<String> = describe(filter)
        .iter()
        .map(|(name, value)| match value.as_str() {
            GIVEN if name == QUICK => format!("`{QUICK}`"),
            value => format!("the {name} `{}`", value.escape_debug()),
        })
        .collect();
    parts.extend(filter.shard.map(|shard| format!("the shard {shard}")));
    if parts.is_empty() { "this suite".to_owned() } else { parts.join(" with ") }
}
