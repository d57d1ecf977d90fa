//! The selected points of every rule in every dialect, each chosen once. Dialects with equal classes of points share
//! the selection.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use expectations::{dialect::Dialect, rule::Rule};
use rustc_hash::FxHashMap;

use crate::points::{Classes, SelectedPoint, select};

/// Selected points, by the index of the rule.
pub(crate) struct Selections {
    of_rules: Vec<OfRule>,
}

#[derive(Default)]
struct OfRule {
    by_dialect: [OnceLock<Arc<[SelectedPoint]>>; Dialect::ALL.len()],
    by_classes: Mutex<FxHashMap<Classes, Arc<[SelectedPoint]>>>,
}

impl Selections {
    /// Creates an empty set of selections for this number of rules.
    pub(crate) fn new(rules: usize) -> Self {
        Self { of_rules: (0..rules).map(|_| OfRule::default()).collect() }
    }

    /// Returns the selected points of a rule, which has this index among all, in a dialect.
    pub(crate) fn of(&self, place: usize, rule: &Rule, dialect: Dialect) -> &[SelectedPoint] {
        let of_rule = &self.of_rules[place];
        let of_dialect = Dialect::ALL.iter().zip(&of_rule.by_dialect);
        let mut found = of_dialect.filter(|(known, _)| **known == dialect);
        let (_, selected) = found.next().expect("every dialect is one of all");
        selected.get_or_init(|| {
            let classes = Classes::of(rule, dialect);
            let mut known = of_rule.by_classes.lock().unwrap_or_else(PoisonError::into_inner);
            let selected = known.entry(classes);
            Arc::clone(selected.or_insert_with_key(|classes| select(rule, classes).into()))
        })
    }
}
