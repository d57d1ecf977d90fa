//! Two runs compared with each other: what got worse, what got better, what else changed.

mod data;
pub(crate) mod groups;
mod markdown;
mod text;

use std::{borrow::Cow, cmp::Ordering, mem};

use expectations::{
    device::family,
    outcome::{OutcomeKind, Phase},
};

pub use self::{
    data::{FORMAT, json, schema},
    markdown::markdown,
    text::{About, text},
};
use crate::{
    cases::{Brief, Cases, Results},
    results::{CaseResult, Header},
    text::one_line,
    versions::Versions,
};

/// A case counts as slower or faster from this factor on ...
const TIME_FACTOR: f64 = 3.0;
/// ... and this many seconds: below, batches and other load decide.
const TIME_SECONDS: f64 = 1.0;

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// The finding got worse.
    Regression,
    /// The finding got better.
    Fix,
    /// The finding is as bad as before, for another reason; or a disputed case is read otherwise.
    Reason,
    /// The device no longer has what the case needs: nothing is known of it any more.
    NoLongerSupported,
    /// The device has what the case needs now.
    NewlySupported,
    /// The suite expects something else of the case: the device may be what it was.
    Expectation,
    /// Only the new run has the case.
    New,
    /// Only the old run has the case.
    Gone,
    /// The same finding, but it took much longer.
    Slower,
    /// The same finding, in much less time.
    Faster,
}

impl ChangeKind {
    /// Every kind, in the order of reports.
    pub const ALL: [Self; 10] = [
        Self::Regression,
        Self::Fix,
        Self::Reason,
        Self::NoLongerSupported,
        Self::NewlySupported,
        Self::Expectation,
        Self::New,
        Self::Gone,
        Self::Slower,
        Self::Faster,
    ];

    /// Name in machine formats.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Fix => "fix",
            Self::Reason => "changed-reason",
            Self::NoLongerSupported => "no-longer-supported",
            Self::NewlySupported => "newly-supported",
            Self::Expectation => "changed-expectation",
            Self::New => "new",
            Self::Gone => "gone",
            Self::Slower => "slower",
            Self::Faster => "faster",
        }
    }

    /// Heading of its part of a report.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Regression => "Regressions",
            Self::Fix => "Fixes",
            Self::Reason => "Changed reason",
            Self::NoLongerSupported => "No longer supported",
            Self::NewlySupported => "Newly supported",
            Self::Expectation => "Changed expectation",
            Self::New => "New",
            Self::Gone => "Gone",
            Self::Slower => "Slower",
            Self::Faster => "Faster",
        }
    }

    /// One sign for it.
    pub const fn sign(self) -> char {
        match self {
            Self::Regression => '✗',
            Self::Fix => '✓',
            Self::Reason | Self::Expectation => '~',
            Self::NoLongerSupported | Self::Gone => '-',
            Self::NewlySupported | Self::New => '+',
            Self::Slower => '▲',
            Self::Faster => '▼',
        }
    }
}

/// One case that is not what it was, by its numbers in both runs.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// What became of it.
    kind: ChangeKind,
    /// In the old run.
    old: Option<u32>,
    /// In the new run.
    new: Option<u32>,
}

/// A change with the results it is one of.
#[derive(Clone, Debug)]
pub struct Changed<'r> {
    /// What became of the case.
    pub kind: ChangeKind,
    /// In the old run.
    pub old: Option<Cow<'r, CaseResult>>,
    /// In the new run.
    pub new: Option<Cow<'r, CaseResult>>,
}

impl Changed<'_> {
    /// The case.
    pub fn id(&self) -> &str {
        self.new.as_ref().or(self.old.as_ref()).map_or("", |case| case.id.as_str())
    }
}

/// One side of a comparison.
#[derive(Clone, Debug)]
pub struct Side<'r> {
    /// Where it lies, as typed.
    pub path: String,
    /// Its header.
    pub header: &'r Header,
    /// Its cases.
    pub results: &'r Cases,
    /// Seconds it took, where it reached its end.
    pub seconds: Option<f64>,
    /// Why it is not whole, where it is taken all the same.
    pub partial: Option<String>,
}

impl Side<'_> {
    /// Version of the driver, or what comes nearest.
    pub fn version(&self) -> &str {
        self.header.driver()
    }
}

/// Two runs of one device.
#[derive(Clone, Debug)]
pub struct Comparison<'r> {
    /// The old run.
    pub old: Side<'r>,
    /// The new run.
    pub new: Side<'r>,
    /// What is not as it was, in the order of the ids.
    changes: Vec<Change>,
    /// Cases that are.
    pub same: usize,
    /// What makes the runs less comparable.
    pub notes: Vec<String>,
}

impl<'r> Comparison<'r> {
    /// The changes of one kind, in the order of the ids.
    pub fn of(&self, kind: ChangeKind) -> impl Iterator<Item = Change> {
        self.changes.iter().copied().filter(move |change| change.kind == kind)
    }

    /// How many changes of one kind there are.
    pub fn count(&self, kind: ChangeKind) -> usize {
        self.of(kind).count()
    }

    /// A change with its results.
    pub fn changed(&self, change: Change) -> Changed<'r> {
        let case = |side: &Side<'r>, number: Option<u32>| Some(side.results.get(number? as usize));
        Changed {
            kind: change.kind,
            old: case(&self.old, change.old),
            new: case(&self.new, change.new),
        }
    }
}

/// Two runs of one device, and what they and those between them say of its versions.
#[derive(Clone, Debug)]
pub struct Pair<'r> {
    /// The oldest run and the newest.
    pub comparison: Comparison<'r>,
    /// All of them, by cause.
    pub versions: Versions<'r>,
}

/// A run to be compared.
#[derive(Clone, Debug)]
pub struct Stored<'r> {
    /// Where it was read from.
    pub path: String,
    /// What it holds.
    pub results: &'r Results,
    /// Why it is not whole, where it is taken all the same.
    pub partial: Option<String>,
}

/// Hold `new` against `old`.
pub fn compare<'r>(old: Stored<'r>, new: Stored<'r>) -> Comparison<'r> {
    let (mut changes, mut same) = (Vec::new(), 0);
    let (mut before, mut after) = (numbered(old.results), numbered(new.results));
    let (mut old_case, mut new_case) = (before.next(), after.next());
    loop {
        let order = match (&old_case, &new_case) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((_, old)), Some((_, new))) => old.id.cmp(&new.id),
        };
        let of_old = if order.is_le() { mem::replace(&mut old_case, before.next()) } else { None };
        let of_new = if order.is_ge() { mem::replace(&mut new_case, after.next()) } else { None };
        let kind = change(
            of_old.as_ref().map(|(_, brief)| brief),
            of_new.as_ref().map(|(_, brief)| brief),
        );
        match kind {
            Some(kind) => {
                let number = |numbered: Option<(u32, Brief)>| numbered.map(|(number, _)| number);
                changes.push(Change { kind, old: number(of_old), new: number(of_new) });
            }
            None => same += 1,
        }
    }
    Comparison { notes: notes(&old, &new), old: side(old), new: side(new), changes, same }
}

fn numbered(results: &Results) -> impl Iterator<Item = (u32, Brief)> {
    (0..).zip(results.cases.briefs())
}

fn side(Stored { path, results, partial }: Stored<'_>) -> Side<'_> {
    Side {
        path,
        partial,
        header: &results.header,
        results: &results.cases,
        seconds: results.end.as_ref().map(|end| end.seconds),
    }
}

fn change(old: Option<&Brief>, new: Option<&Brief>) -> Option<ChangeKind> {
    let (Some(old), Some(new)) = (old, new) else {
        return Some(if old.is_some() { ChangeKind::Gone } else { ChangeKind::New });
    };
    if old.expectation != new.expectation || old.breaks != new.breaks {
        return Some(ChangeKind::Expectation);
    }
    match (old.finding.kind.badness(), new.finding.kind.badness()) {
        (Some(_), None) => return Some(ChangeKind::NoLongerSupported),
        (None, Some(_)) => return Some(ChangeKind::NewlySupported),
        (Some(old), Some(new)) if new > old => return Some(ChangeKind::Regression),
        (Some(old), Some(new)) if new < old => return Some(ChangeKind::Fix),
        _ => {}
    }
    if old.finding != new.finding
        || old.outcome.kind != new.outcome.kind
        || old.outcome.phase != new.outcome.phase
        || old.outcome.run != new.outcome.run
    {
        return Some(ChangeKind::Reason);
    }
    let much = |long: f64, short: f64| long - short >= TIME_SECONDS && long >= short * TIME_FACTOR;
    if much(new.seconds, old.seconds) {
        Some(ChangeKind::Slower)
    } else if much(old.seconds, new.seconds) {
        Some(ChangeKind::Faster)
    } else {
        None
    }
}

fn notes(old: &Stored<'_>, new: &Stored<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let (before, after) = (&old.results.header, &new.results.header);
    if before.device != after.device {
        let names = format!("{} and {}", before.device, after.device);
        notes.push(if family(&before.device) == family(&after.device) {
            format!("one device from two places is compared: {names}")
        } else {
            format!("two devices are compared: {names}; a difference between them is no change of either")
        });
    }
    if before.suite != after.suite {
        notes.push(
            "the suite is another one: rules or kernels changed, so a case may differ for that reason".to_owned(),
        );
    }
    if before.selection != after.selection || before.shard != after.shard {
        notes.push(
            "the runs selected different cases: new and gone say what was selected, not what changed".to_owned(),
        );
    }
    let depth = |header: &Header| header.options.get("--depth").cloned();
    if let (Some(before), Some(after)) = (depth(before), depth(after))
        && before != after
    {
        notes.push(format!(
            "the runs went to different depths, {before} and {after}: what one did not try it cannot show"
        ));
    }
    for (run, which) in [(old, "old"), (new, "new")] {
        if let Some(partial) = &run.partial {
            notes.push(format!("partial results, the {which} run: {partial}"));
        }
    }
    for (dialect, why) in &after.unsupported {
        if !before.unsupported.contains_key(dialect) {
            notes.push(format!("{dialect} is no longer supported: {why}"));
        }
    }
    for dialect in before.unsupported.keys() {
        if !after.unsupported.contains_key(dialect) {
            notes.push(format!("{dialect} is newly supported"));
        }
    }
    notes
}

/// What a device did, in words.
pub(crate) fn outcome(case: &CaseResult) -> String {
    use OutcomeKind as O;
    let what = match (case.outcome.kind, case.outcome.phase) {
        (O::Accepted, _) if case.outcome.run.is_some() => "built and run",
        (O::Accepted, _) => "accepted",
        (O::Rejected, Phase::Build) => "rejected",
        (O::Rejected, Phase::CreateKernel) => "built, but its kernel cannot be created",
        (O::Rejected, Phase::GenerateCode) => "taken by the front end, and no code generated",
        (O::Rejected, Phase::Run) => "built, but it cannot be run",
        (O::Crashed, _) => "the driver died",
        (O::TimedOut, _) => "no answer in time",
        (O::OutOfMemory, _) => "out of memory",
        (O::Unsupported, _) => "not supported",
        (O::Failed, _) => "no verdict",
    };
    if let Some(difference) = case.outcome.run.as_deref().and_then(|run| run.differences.first()) {
        return format!(
            "{what} ({}: {} expected, {} seen)",
            one_line(&difference.place, 60),
            one_line(&difference.expected, 60),
            one_line(&difference.seen, 60)
        );
    }
    match case.outcome.detail.as_str() {
        "" => what.to_owned(),
        detail => format!("{what} ({})", one_line(detail, 120)),
    }
}

/// Outcome and judgement in one phrase, nothing said twice.
pub(crate) fn judged(case: &CaseResult) -> String {
    let outcome = outcome(case);
    match case.finding.reason.text() {
        "as expected" => outcome,
        reason if outcome.starts_with(reason) => outcome,
        reason => format!("{outcome}: {reason}"),
    }
}

/// What is expected of it, in words.
pub(crate) fn expected(case: &CaseResult) -> String {
    match (case.expectation.as_str(), &case.breaks) {
        ("accept", _) => "accept: the program is valid".to_owned(),
        ("reject", Some(rule)) => format!("reject: it breaks {}", one_line(rule, 120)),
        (other, _) => one_line(other, 120),
    }
}

#[cfg(test)]
mod tests;
