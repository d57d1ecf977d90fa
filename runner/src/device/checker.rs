//! Our own front end as a device: each case is read as its dialect, with what it needs and nothing more.

use std::cell::RefCell;

use checker::{Checker, Feature, Rule, Verdict, Version, VersionError, diagnostic::Severity};
use expectations::{
    dialect::Dialect,
    outcome::{Outcome, OutcomeKind},
    requirement::Requirement,
};

use worker::{Capabilities, OpenError};

use super::InProcess;

/// Opens the checker, which judges within this process.
pub fn open() -> Result<Box<dyn InProcess>, OpenError> {
    Ok(Box::new(EmbeddedChecker))
}

struct EmbeddedChecker;

thread_local! {
    /// Making a checker costs more than checking a case: each thread keeps its last one.
    static CHECKER: RefCell<Option<Checker>> = const { RefCell::new(None) };
}

impl InProcess for EmbeddedChecker {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            platform: "address-space checker".to_owned(),
            platform_version: env!("CARGO_PKG_VERSION").to_owned(),
            device: "none".to_owned(),
            driver_version: env!("CARGO_PKG_VERSION").to_owned(),
            features: Feature::ALL.iter().map(|feature| feature.name().to_owned()).collect(),
            images: true,
            fp64: true,
            fp16: true,
            ..Capabilities::default()
        }
    }

    fn judge(&self, dialect: Dialect, requirements: &[Requirement], source: &str) -> Outcome {
        judge(dialect, requirements, source)
    }
}

/// Returns the reason why the checker does not read programs of a dialect; `None` if it reads them.
pub fn not_read(dialect: Dialect) -> Option<String> {
    let unread = version(dialect).is_err();
    unread.then(|| format!("the checker does not read {}", dialect.language.name()))
}

/// Returns the checker's version for a dialect. The checker itself names the languages that it reads.
fn version(dialect: Dialect) -> Result<Version, VersionError> {
    dialect.std_name().parse()
}

/// Judges a program with the suite's own front end, in this dialect and with these requirements.
pub fn judge(dialect: Dialect, requirements: &[Requirement], source: &str) -> Outcome {
    if let Some(why) = not_read(dialect) {
        return Outcome::new(OutcomeKind::Unsupported).with_detail(why);
    }
    let dialect = checker_dialect(dialect, requirements);
    CHECKER.with_borrow_mut(|kept| {
        let checker = match kept.take() {
            Some(checker) if checker.dialect() == dialect => checker,
            _ => Checker::new(dialect),
        };
        outcome(kept.insert(checker), source)
    })
}

fn outcome(checker: &mut Checker, source: &str) -> Outcome {
    let report = checker.check("case.cl", source);
    if report.verdict == Verdict::Accepted {
        return Outcome::new(OutcomeKind::Accepted);
    }
    let mut outcome = Outcome::new(OutcomeKind::Rejected);
    for diagnostic in
        report.diagnostics.iter().filter(|diagnostic| diagnostic.severity >= Severity::Error)
    {
        let place = report.sources.position(diagnostic.span.start);
        let rule = diagnostic.rule.map_or("not understood", Rule::id);
        let line = format!(
            "case.cl:{}:{}: error: {} [{rule}]\n",
            place.line, place.column, diagnostic.message
        );
        outcome.log.push_str(&line);
        outcome.error_lines.push(place.line);
        if !outcome.rules.iter().any(|known| known == rule) {
            outcome.rules.push(rule.to_owned());
        }
    }
    outcome
}

/// Returns the checker's dialect for a case: the features of the case's dialect and those it requires, no others.
///
/// # Panics
///
/// If the checker does not read the dialect ([`not_read`]).
pub fn checker_dialect(dialect: Dialect, requirements: &[Requirement]) -> checker::Dialect {
    let version = version(dialect).expect("a dialect that the checker reads");
    // Every full profile has 64-bit integers; the suite does not vary them.
    let mut language = checker::Dialect::new(version).without_features().with(Feature::Int64);
    let needed = requirements.iter().flat_map(|requirement| requirement.facts().features).copied();
    for name in dialect.features().into_iter().chain(needed) {
        if let Some(&feature) = Feature::ALL.iter().find(|feature| feature.name() == name) {
            language = language.with(feature);
        }
    }
    language.fp16 = requirements.contains(&Requirement::Fp16);
    language.byte_store = requirements.contains(&Requirement::ByteAddressableStore);
    language
}
