//! Findings as data; `render` writes them.

use crate::{fix::Mend, rule::Rule, span::Span};

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Additional information, a disputed clause for example.
    Note,
    /// A mistake in plain C that breaks no address-space rule.
    Warning,
    /// A rule of the language is broken.
    Error,
    /// The program could not be understood, from here on (syntax, a limit, a missing file) or for a name without a
    /// declaration.
    Fatal,
}

/// A place with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// Lower case, no full stop.
    pub message: String,
}

/// A comment in the program that allows a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The comment.
    pub span: Span,
    /// The reason that the comment gives.
    pub reason: String,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Severity of the finding: `Error` when `rule` is broken, or for a warning that is denied.
    pub severity: Severity,
    /// The rule that is broken or disputed.
    pub rule: Option<Rule>,
    /// Lower case, no full stop.
    pub message: String,
    /// The smallest guilty range.
    pub span: Span,
    /// The declarations involved.
    pub labels: Vec<Label>,
    /// Advice on the repair, where it is obvious.
    pub help: Option<String>,
    /// Dialects that allow the construct, or both readings of a disputed clause.
    pub note: Option<String>,
    /// The comment that allows the finding.
    pub suppression: Option<Suppression>,
    /// Proposed changes that mend it, the best first; [`crate::mending::Mender`] tries them.
    pub(crate) mends: [Option<Mend>; 2],
}
