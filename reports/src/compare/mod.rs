//! Two runs compared, case by case: regressions, fixes and other changes.

mod data;
pub(crate) mod groups;
mod markdown;
mod text;

use std::{borrow::Cow, cmp::Ordering, mem};

use expectations::{
    device::family,
    outcome::{OutcomeKind, Phase},
    verdict::Verdict,
};

pub use self::{
    data::{FORMAT, json, schema},
    markdown::markdown,
    text::{About, text},
};
use results::{
    cases::Brief,
    line::{CaseResult, Header},
    run::Run,
    text::one_line,
};

use crate::versions::Versions;

/// Factor from which on a case counts as slower or faster ...
const TIME_FACTOR: f64 = 3.0;
/// ... and difference in seconds: below, batches and other load decide.
const TIME_SECONDS: f64 = 1.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// The finding got worse.
    Regression,
    /// The finding got better.
    Fix,
    /// The finding is as bad as before, for another reason; or the device reads a disputed case in another way.
    Reason,
    /// The device lost a feature that the case needs: nothing is known about the case any more.
    NoLongerSupported,
    /// The device gained the features that the case needs.
    NewlySupported,
    /// The suite expects another verdict: the device may be unchanged.
    Expectation,
    /// Only the new run has the case.
    New,
    /// Only the old run has the case.
    Gone,
    /// The finding is the same, and the case took much longer.
    Slower,
    /// The finding is the same, and the case took much less time.
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

    /// Returns the name in machine formats.
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

    /// Returns the heading in reports.
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

    /// Returns a sign for the kind.
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

/// A changed case, by its numbers in both runs.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Kind of the change.
    kind: ChangeKind,
    /// Case in the old run.
    old: Option<u32>,
    /// Case in the new run.
    new: Option<u32>,
}

/// A changed case with its results.
#[derive(Clone, Debug)]
pub struct ChangedCase<'r> {
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Case in the old run.
    pub old: Option<Cow<'r, CaseResult>>,
    /// Case in the new run.
    pub new: Option<Cow<'r, CaseResult>>,
}

impl ChangedCase<'_> {
    /// Returns the id of the case.
    pub fn id(&self) -> &str {
        self.new.as_ref().or(self.old.as_ref()).map_or("", |case| case.id.as_str())
    }
}

/// Two runs of one device.
#[derive(Clone, Debug)]
pub struct Comparison<'r> {
    /// The old run.
    pub old: &'r Run,
    /// The new run.
    pub new: &'r Run,
    /// Changes, in the order of the ids.
    changes: Vec<Change>,
    /// Number of unchanged cases.
    pub same: usize,
    /// Reasons for which the runs are less comparable.
    pub notes: Vec<String>,
}

impl<'r> Comparison<'r> {
    /// Returns the name of the device of both runs, or both names.
    pub fn devices(&self) -> String {
        let (old, new) = (self.old.name(), self.new.name());
        if old == new { new.into_owned() } else { format!("{old} and {new}") }
    }

    /// Returns the changes of one kind, in the order of the ids.
    pub fn of(&self, kind: ChangeKind) -> impl Iterator<Item = Change> {
        self.changes.iter().copied().filter(move |change| change.kind == kind)
    }

    /// Returns the number of changes of one kind.
    pub fn count(&self, kind: ChangeKind) -> usize {
        self.of(kind).count()
    }

    /// Returns a change with its results.
    pub fn changed(&self, change: Change) -> ChangedCase<'r> {
        let case = |run: &'r Run, number: Option<u32>| Some(run.cases.get(number? as usize));
        ChangedCase {
            kind: change.kind,
            old: case(self.old, change.old),
            new: case(self.new, change.new),
        }
    }
}

/// Two runs of one device, with the versions of the device that they and the runs between them tested.
#[derive(Clone, Debug)]
pub struct Pair<'r> {
    /// Comparison of the oldest run with the newest.
    pub comparison: Comparison<'r>,
    /// All versions, by cause.
    pub versions: Versions<'r>,
}

/// Compares two runs, case by case.
pub fn compare<'r>(old: &'r Run, new: &'r Run) -> Comparison<'r> {
    let (mut changes, mut same) = (Vec::new(), 0);
    let (mut before, mut after) = (numbered(old), numbered(new));
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
    Comparison { notes: notes(old, new), old, new, changes, same }
}

fn numbered(run: &Run) -> impl Iterator<Item = (u32, Brief)> {
    (0..).zip(run.cases.briefs())
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

fn notes(old: &Run, new: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    let (before, after) = (&old.header, &new.header);
    if before.device != after.device {
        let names = format!("{} and {}", before.device, after.device);
        notes.push(if family(&before.device) == family(&after.device) {
            format!("one device from two places is compared: {names}")
        } else {
            format!(
                "two devices are compared: {names}; a difference between them is not a change \
                 of either"
            )
        });
    }
    if before.suite != after.suite {
        notes.push(
            "the suite is not the same: rules or kernels changed, and a case may differ for that \
             reason"
                .to_owned(),
        );
    }
    if before.selection != after.selection || before.shard != after.shard {
        notes.push(
            "the runs selected different cases: new and gone show what was selected, not what \
             changed"
                .to_owned(),
        );
    }
    let depth = |header: &Header| header.options.get("--depth").cloned();
    if let (Some(before), Some(after)) = (depth(before), depth(after))
        && before != after
    {
        notes.push(format!(
            "the runs have different depths, {before} and {after}: a run cannot show what it did \
             not try"
        ));
    }
    for (run, which) in [(old, "old"), (new, "new")] {
        if let Some(partial) = run.partial() {
            notes.push(format!("partial results, the {which} run: {partial}"));
        }
    }
    let is_of = |header: &Header, dialect: &str| {
        let chosen = header.selection.get("--dialect");
        chosen.is_none_or(|chosen| chosen.split(' ').any(|name| name == dialect))
    };
    let is_asked = |dialect: &String| is_of(before, dialect) || is_of(after, dialect);
    for (dialect, why) in after.unsupported.iter().filter(|(dialect, _)| is_asked(dialect)) {
        if !before.unsupported.contains_key(dialect) {
            notes.push(format!("{dialect} is no longer supported: {why}"));
        }
    }
    for dialect in before.unsupported.keys().filter(|dialect| is_asked(dialect)) {
        if !after.unsupported.contains_key(dialect) {
            notes.push(format!("{dialect} is newly supported"));
        }
    }
    notes
}

/// Describes the outcome of a case.
pub(crate) fn outcome(case: &CaseResult) -> String {
    use OutcomeKind as O;
    let what = match (case.outcome.kind, case.outcome.phase) {
        (O::Accepted, _) if case.outcome.run.is_some() => "built and run",
        (O::Accepted, _) => "accepted",
        (O::Rejected, Phase::Build) => "rejected",
        (O::Rejected, Phase::MakeModule) => "accepted by the front end, but no module made",
        (O::Rejected, Phase::TakeModule) => "made into a module, which the driver rejects",
        (O::Rejected, Phase::CreateKernel) => "built, but its kernel cannot be created",
        (O::Rejected, Phase::GenerateCode) => "accepted by the front end, but no code generated",
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

/// Describes outcome and judgement in one phrase without repetition.
pub(crate) fn judged(case: &CaseResult) -> String {
    let outcome = outcome(case);
    match case.finding.reason.text() {
        "as expected" => outcome,
        reason if outcome.starts_with(reason) => outcome,
        reason => format!("{outcome}: {reason}"),
    }
}

/// Describes the verdict of the text on a case.
pub(crate) fn expected(case: &CaseResult) -> String {
    match (case.expectation, &case.breaks) {
        (Verdict::Accept, _) => "accept: the program is valid".to_owned(),
        (Verdict::Reject, Some(rule)) => format!("reject: it breaks {}", one_line(rule, 120)),
        (verdict @ (Verdict::Reject | Verdict::Disputed), _) => verdict.name().to_owned(),
    }
}

#[cfg(test)]
mod tests;
