//! Rules for pages.

use expectations::case_id::{self, CaseId};
use serde::Serialize;

/// Name of the rules that share a page because the suite does not have them.
pub(super) const FOREIGN: &str = "other cases";

#[derive(Serialize)]
pub(in crate::html) struct RuleLink {
    pub(super) id: String,
    pub(super) path: String,
}

/// A rule of the suite or of a results file.
pub(in crate::html) struct RuleModel {
    pub(in crate::html) id: String,
    pub(in crate::html) path: String,
    pub(in crate::html) statement: String,
    pub(in crate::html) in_suite: Option<usize>,
}

impl RuleModel {
    pub(in crate::html) fn family(&self) -> &str {
        let family = CaseId::new(&self.id).family();
        if self.in_suite.is_some() || family == case_id::RANDOM { family } else { FOREIGN }
    }
}
