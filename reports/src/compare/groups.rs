//! Groups of changes: of one rule, with one transition.

use std::{
    collections::{BTreeMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher as _},
};

use expectations::case_id::CaseId;

use super::{Change, ChangeKind, ChangedCase, Comparison, outcome};
use results::line::CaseResult;

/// The number of changes, and the first of them.
#[derive(Default)]
pub(crate) struct ChangeSample {
    pub(crate) count: usize,
    pub(crate) first: Vec<Change>,
}

impl ChangeSample {
    /// Counts a change, and keeps it while there are fewer than `limit`.
    pub(crate) fn push(&mut self, change: Change, limit: usize) {
        self.count += 1;
        if self.first.len() < limit {
            self.first.push(change);
        }
    }
}

/// The changes of one rule with one transition.
pub(crate) struct Group {
    pub(crate) rule: String,
    /// `pass, now fail (accepts an invalid program)`
    pub(crate) transition: String,
    pub(crate) gathered: ChangeSample,
}

/// The limits of what is kept.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) groups: usize,
    pub(crate) of_a_group: usize,
}

/// Returns the groups of a kind of change, those that deviate first, and the number of groups that are not kept.
pub(crate) fn groups(
    comparison: &Comparison<'_>,
    kind: ChangeKind,
    limits: Limits,
) -> (Vec<Group>, usize) {
    let mut groups: BTreeMap<(bool, String, String), ChangeSample> = BTreeMap::new();
    // All of them, by a hash of 8 bytes each.
    let mut all: HashSet<u64> = HashSet::new();
    for change in comparison.of(kind) {
        let changed = comparison.changed(change);
        let deviates =
            changed.new.as_ref().is_some_and(|case| case.finding.kind.needs_explanation());
        let rule = CaseId::new(changed.id()).rule().to_owned();
        // What deviates comes first: that is what somebody has to look at.
        let key = (!deviates, rule, transition(kind, &changed));
        all.insert(hash(&key));
        groups.entry(key).or_default().push(change, limits.of_a_group);
        // The group that is last now stays behind those that are shown, whatever comes next.
        if groups.len() > limits.groups {
            groups.pop_last();
        }
    }
    let left_out = all.len() - groups.len();
    let group = |((_, rule, transition), gathered)| Group { rule, transition, gathered };
    (groups.into_iter().map(group).collect(), left_out)
}

/// Describes on one line how a case changed from one run to the other.
pub(super) fn transition(kind: ChangeKind, change: &ChangedCase<'_>) -> String {
    let state = |case: &CaseResult| match case.finding.reason.text() {
        "as expected" => case.finding.kind.name().to_owned(),
        reason => format!("{} ({reason})", case.finding.kind.name()),
    };
    match (kind, change.old.as_deref(), change.new.as_deref()) {
        (ChangeKind::Slower | ChangeKind::Faster, Some(old), Some(new)) => {
            format!("{:.2} s, now {:.2} s", old.seconds, new.seconds)
        }
        (ChangeKind::Expectation, Some(old), Some(new)) => format!(
            "{} expected, now {}; {}, now {}",
            old.expectation.name(),
            new.expectation.name(),
            state(old),
            state(new)
        ),
        (ChangeKind::Reason, Some(old), Some(new)) if old.finding == new.finding => {
            format!("{}: {}, now {}", state(new), outcome(old), outcome(new))
        }
        (_, Some(old), Some(new)) => format!("{}, now {}", state(old), state(new)),
        (_, Some(only), None) | (_, None, Some(only)) => state(only),
        (_, None, None) => String::new(),
    }
}

fn hash(key: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
