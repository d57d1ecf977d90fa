//! What the checker says: findings as data, rendered elsewhere.

use crate::{fix::Mend, rule::Rule, span::Span};

/// How much a diagnostic weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Additional information, a disputed clause for example.
    Note,
    /// Plain C trouble that no address-space rule is concerned with.
    Warning,
    /// A rule of the language is broken.
    Error,
    /// The program could not be understood: from here on (syntax, a limit, an include not found), or as far as a name
    /// without a declaration goes.
    Fatal,
}

/// A place and what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// Lower case, no full stop.
    pub message: String,
}

/// Why a finding does not count: a comment in the program allows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The comment.
    pub span: Span,
    /// What it gives as the reason.
    pub reason: String,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it weighs; `Error` exactly when `rule` is broken.
    pub severity: Severity,
    /// The rule concerned, if any.
    pub rule: Option<Rule>,
    /// Lower case, no full stop.
    pub message: String,
    /// The smallest guilty range.
    pub span: Span,
    /// The declarations involved.
    pub labels: Vec<Label>,
    /// How to repair it, where that is obvious.
    pub help: Option<String>,
    /// In which dialects it would be fine, or both readings of a disputed clause.
    pub note: Option<String>,
    /// What allows it.
    pub suppression: Option<Suppression>,
    /// Changes that would mend it, the best first; [`crate::mending::Mender`] tries them.
    pub(crate) mends: [Option<Mend>; 2],
}
