//! The diagnostics of our own front end on a program that is reduced. A candidate with a diagnostic that the whole
//! program does not have shows something else, or is not a program at all.

use std::collections::BTreeSet;

use ::checker::{Checker, Rule, diagnostic::Severity};
use expectations::dialect::Dialect;

use crate::device::checker::{checker_dialect, not_read};

/// Our own front end for the dialect of a program.
#[derive(Debug)]
pub struct FrontEnd {
    /// The checker; `None` if it does not read the dialect.
    checker: Option<Checker>,
}

/// The diagnostics of one program, without their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnoses(BTreeSet<Diagnosis>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Diagnosis {
    severity: Severity,
    rule: Option<Rule>,
    message: String,
}

impl FrontEnd {
    /// Returns the front end for that dialect.
    pub fn new(dialect: Dialect) -> Self {
        let is_read = not_read(dialect).is_none();
        Self { checker: is_read.then(|| Checker::new(checker_dialect(dialect, &[]))) }
    }

    /// Returns the diagnostics of a program; none in a dialect that the front end does not read.
    pub fn diagnoses(&mut self, source: &str) -> Diagnoses {
        let Some(checker) = &mut self.checker else { return Diagnoses::default() };
        let said = checker.check("case.cl", source).diagnostics.iter();
        let diagnoses = said.filter(|said| said.suppression.is_none()).map(|said| Diagnosis {
            severity: said.severity,
            rule: said.rule,
            message: said.message.clone(),
        });
        Diagnoses(diagnoses.collect())
    }
}

impl Diagnoses {
    /// Whether every diagnostic is one of `whole`.
    pub fn are_within(&self, whole: &Self) -> bool {
        self.0.is_subset(&whole.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "kernel void k(global int *o, local int *l) {\n  o = l;\n}\n";

    #[track_caller]
    fn check(candidate: &str, whole: &str, is_one: bool) {
        let mut front_end = FrontEnd::new(Dialect::from_name("cl12").unwrap());
        let whole = front_end.diagnoses(whole);
        assert_eq!(front_end.diagnoses(candidate).are_within(&whole), is_one, "{candidate}");
    }

    #[test]
    fn a_candidate_has_no_diagnostic_of_its_own() {
        check(WHOLE, WHOLE, true);
        check("void k(global int *o, local int *l) { o = l; }", WHOLE, true);
        check("kernel void k() {}", WHOLE, true);
        // No program.
        check("k(global *o, *l) {\n o = l", WHOLE, false);
        check("", "kernel void k(global int *o) {}", true);
        // A name without a declaration.
        check("kernel void k(global int *o) { o = l; }", WHOLE, false);
        // The same rule broken in another way, and another rule.
        check("void k(global int *o, int *l) { o = l; }", WHOLE, false);
        check("kernel void k(global int *o, int *l) { o = l; }", WHOLE, false);
        check("kernel void k(global int *o) { float f = o; }", WHOLE, false);
        // A program that the front end does not understand keeps what it does not understand.
        check("kernel void k() { strange; }", "int a; kernel void k() { strange; }", true);
        check("kernel void k() { strange }", "int a; kernel void k() { strange; }", false);
    }

    #[test]
    fn a_dialect_that_is_not_read_has_no_diagnostics() {
        let dialect = Dialect::ALL.into_iter().find(|dialect| not_read(*dialect).is_some());
        let mut front_end = FrontEnd::new(dialect.unwrap());
        assert_eq!(front_end.diagnoses("k(("), Diagnoses::default());
    }
}
