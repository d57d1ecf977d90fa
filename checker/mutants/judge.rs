//! Gives mutants of the checker every case of the suite: `judge MANIFEST`.
//!
//! In: a manifest of `address-spaces dev export`, each line with the program itself as `source`; on standard input the
//! numbers of mutants, one a line. Out: a line of JSON for each mutant, with how many cases reach it and the first one
//! that the checker does not pass then, if any. 0 is the checker as it is and comes first, unasked. The variable
//! `MUTANT` makes it one mutant from the start on.
//!
//! This program is not part of the workspace: `run` builds it with a checker that is every mutant (`schema.py`).

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
};

use checker::{
    Checker, Dialect, Feature, Rule, Verdict, Version, VersionError, diagnostic::Severity, mutants,
};
use serde::{Deserialize, Serialize};

/// The fields of a manifest's line that judging needs.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Case {
    id: String,
    options: String,
    needs: Vec<String>,
    features: Vec<String>,
    expectation: String,
    breaks: Option<String>,
    guilty_lines: Vec<u32>,
    source: String,
    /// Index of the checker that reads the case. Not in the manifest.
    #[serde(skip)]
    dialect: usize,
    /// The mutants that the case reaches, as bits. Not in the manifest.
    #[serde(skip)]
    reaches: Vec<u64>,
}

/// The outcome of one mutant.
#[derive(Serialize)]
struct MutantOutcome<'c> {
    mutant: u32,
    /// Number of cases that execute the changed code. `None` if that code makes tables, so that the mutant must be
    /// chosen at the start.
    reached: Option<usize>,
    deviation: Option<Deviation<'c>>,
}

/// A case the checker does not pass.
#[derive(Serialize)]
struct Deviation<'c> {
    id: &'c str,
    expected: &'c str,
    seen: String,
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: judge MANIFEST")?;
    let mut cases = Vec::new();
    let mut dialects: BTreeMap<String, usize> = BTreeMap::new();
    let mut known: Vec<Dialect> = Vec::new();
    for line in fs::read_to_string(path)?.lines() {
        let mut case: Case = serde_json::from_str(line)?;
        let Some(dialect) = dialect(&case)? else { continue };
        let key = format!("{} {:?} {:?}", case.options, case.needs, case.features);
        if !dialects.contains_key(&key) {
            dialects.insert(key.clone(), known.len());
            known.push(dialect);
        }
        case.dialect = dialects[&key];
        cases.push(case);
    }
    // A mutant chosen from the start on makes the tables as well.
    let from_start = mutants::chosen();
    let mut checkers = Checkers::new(&known);
    let deviation = checkers.first_deviation(&cases);
    say(&MutantOutcome { mutant: from_start, reached: Some(cases.len()), deviation })?;
    if from_start != 0 {
        return Ok(());
    }
    let at_first = mutants::take_reached();
    let mut checkers = Checkers::new(&known);
    let while_made = mutants::take_reached();
    let mut by_cases = vec![0; at_first.len()];
    for case in &mut cases {
        let _ = checkers.deviation(case);
        case.reaches = mutants::take_reached();
        by_cases.iter_mut().zip(&case.reaches).for_each(|(all, own)| *all |= own);
    }
    for line in io::stdin().lines() {
        let mutant: u32 = line?.trim().parse()?;
        let is_in = |bits: &[u64]| bits[mutant as usize / 64] >> (mutant % 64) & 1 == 1;
        if is_in(&while_made) || (is_in(&at_first) && !is_in(&by_cases)) {
            say(&MutantOutcome { mutant, reached: None, deviation: None })?;
            continue;
        }
        let reaching: Vec<&Case> = cases.iter().filter(|case| is_in(&case.reaches)).collect();
        mutants::choose(mutant);
        let deviation = Checkers::new(&known).first_deviation(reaching.iter().copied());
        mutants::choose(0);
        say(&MutantOutcome { mutant, reached: Some(reaching.len()), deviation })?;
    }
    Ok(())
}

fn say(tried: &MutantOutcome<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, tried)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

/// A checker for each dialect.
struct Checkers {
    made: Vec<Checker>,
}

impl Checkers {
    fn new(dialects: &[Dialect]) -> Self {
        Self { made: dialects.iter().map(|&dialect| Checker::new(dialect)).collect() }
    }

    fn first_deviation<'c>(
        &mut self,
        cases: impl IntoIterator<Item = &'c Case>,
    ) -> Option<Deviation<'c>> {
        cases.into_iter().find_map(|case| {
            let seen = catch_unwind(AssertUnwindSafe(|| self.deviation(case)))
                .unwrap_or_else(|_| Some("the checker panics".to_owned()))?;
            let expected = case.breaks.as_deref().unwrap_or(&case.expectation);
            Some(Deviation { id: &case.id, expected, seen })
        })
    }

    /// Returns the checker's mistake in a case: a wrong verdict, another rule, or no error on the guilty line.
    fn deviation(&mut self, case: &Case) -> Option<String> {
        let report = self.made[case.dialect].check("case.cl", &case.source);
        let errors: Vec<(u32, &str)> = report
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity >= Severity::Error)
            .map(|diagnostic| {
                let line = report.sources.position(diagnostic.span.start).line;
                (line, diagnostic.rule.map_or("not understood", Rule::id))
            })
            .collect();
        let passes = match case.breaks.as_deref() {
            // The checker accepts what the text leaves open, and is not judged by it.
            None => case.expectation == "disputed" || report.verdict == Verdict::Accepted,
            Some(breaks) => {
                report.verdict != Verdict::Accepted
                    && errors.iter().all(|(_, rule)| *rule == breaks)
                    && errors.iter().any(|(line, _)| case.guilty_lines.contains(line))
            }
        };
        (!passes).then(|| format!("{:?} {errors:?}", report.verdict))
    }
}

/// Returns the dialect to read a case in; `None` if it is of a language that the checker does not read.
fn dialect(case: &Case) -> Result<Option<Dialect>, String> {
    let unknown = |what: &str| format!("{}: unknown {what}", case.id);
    let name = case.options.strip_prefix("-cl-std=").ok_or_else(|| unknown(&case.options))?;
    let version = match name.parse::<Version>() {
        Ok(version) => version,
        Err(VersionError::CxxForOpencl) => return Ok(None),
        Err(error) => return Err(format!("{}: {}: {error}", case.id, case.options)),
    };
    let bare = Dialect::new(version).without_features().with(Feature::Int64);
    let mut dialect = case.features.iter().try_fold(bare, |dialect, name| {
        Feature::from_name(name).map(|feature| dialect.with(feature)).ok_or_else(|| unknown(name))
    })?;
    dialect.fp16 = case.needs.iter().any(|need| need == "fp16");
    dialect.byte_store = case.needs.iter().any(|need| need == "byte-addressable-store");
    Ok(Some(dialect))
}
