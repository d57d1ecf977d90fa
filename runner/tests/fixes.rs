//! What the checker's fixes do to the programs of the suite that it rejects: the finding is gone, there is no new one,
//! and an independent compiler agrees.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
    process::{Command, Stdio},
    sync::OnceLock,
};

use checker::{
    Checker, Rule, Verdict,
    diagnostic::{Diagnostic, Severity},
    fix,
    mending::Mender,
};
use expectations::{
    baseline::{Deviation, PatternIndex},
    case_id::CaseId,
    dialect::{Dialect, Language, Version},
    judge::Direction,
};
use generator::suite::Suite;
use rayon::prelude::*;
use runner::{
    device::{checker::checker_dialect, files},
    findings::judging::PreparedCase,
};

/// A rejected program with every possible fix applied.
struct Fixed {
    id: String,
    dialect: Dialect,
    /// The rules that were broken.
    rules: BTreeSet<&'static str>,
    before: String,
    after: String,
    /// Something is left that no fix mends.
    is_rest: bool,
}

fn errors(diagnostics: &[Diagnostic]) -> Vec<(Option<&'static str>, String)> {
    let errors = diagnostics.iter().filter(|said| said.severity >= Severity::Error);
    errors.map(|said| (said.rule.map(Rule::id), said.message.clone())).collect()
}

/// A checker and what tries its fixes, kept as long as the dialect stays the same.
type Kept = Option<(Checker, Mender)>;

/// Every program of the suite with a fix, and the faults of the fixed ones; computed once for all tests.
fn fixed() -> &'static (Vec<Fixed>, Vec<String>) {
    static FIXED: OnceLock<(Vec<Fixed>, Vec<String>)> = OnceLock::new();
    FIXED.get_or_init(|| {
        let suite = Suite::embedded().expect("the suite");
        let all: Vec<(Option<Fixed>, Vec<String>)> = suite
            .all_cases()
            .into_par_iter()
            .filter(|case| case.dialect.language == Language::OpenclC)
            .map_init(
                || None,
                |kept: &mut Kept, case| {
                    let prepared = PreparedCase::new(&suite, case, true).expect("a case");
                    let dialect = checker_dialect(prepared.dialect, &prepared.requirements);
                    let (checker, mender) = match kept {
                        Some(kept) if kept.0.dialect() == dialect => kept,
                        kept => {
                            let checker = Checker::new(dialect);
                            let mender = Mender::new(&checker);
                            kept.insert((checker, mender))
                        }
                    };
                    one(&prepared, checker, mender)
                },
            )
            .collect();
        let (fixed, wrong): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        (fixed.into_iter().flatten().collect(), wrong.into_iter().flatten().collect())
    })
}

fn one(
    prepared: &PreparedCase<'_>,
    checker: &mut Checker,
    mender: &mut Mender,
) -> (Option<Fixed>, Vec<String>) {
    let source = prepared.kernel.source.as_bytes();
    let report = checker.check("case.cl", source);
    if report.verdict != Verdict::Broken {
        return (None, Vec::new());
    }
    let before = errors(report.diagnostics);
    let rules = before.iter().filter_map(|(rule, _)| *rule).collect();
    let fixes = mender.fixes("case.cl", source, report);
    let mut wrong = Vec::new();
    for fix in fixes.iter().flatten() {
        let after = fix::apply(source, &fix.edits).expect("edits that do not overlap");
        let left = errors(checker.check("case.cl", after).diagnostics);
        if !left.iter().all(|error| before.contains(error)) || left.len() >= before.len() {
            wrong.push(format!("{}: {}: {left:?}", prepared.id, fix.title));
        }
    }
    if fixes.iter().all(Option::is_none) {
        return (None, wrong);
    }
    let result = mender.mend(checker, "case.cl", source);
    let whole = Fixed {
        id: prepared.id.clone(),
        dialect: prepared.dialect,
        rules,
        before: prepared.kernel.source.clone(),
        after: String::from_utf8(result.text).expect("UTF-8"),
        is_rest: checker.last_report().verdict != Verdict::Accepted,
    };
    (Some(whole), wrong)
}

/// The version in which clang gets a program. It does not know 3.1, which changes no rule on address spaces: what is
/// right there is right in 3.0.
fn std_option(dialect: Dialect) -> String {
    Dialect { version: dialect.version.min(Version::V3_0), ..dialect }.std_option()
}

/// The errors of clang on a program; `None` if it accepts it.
fn clang(fixed: &Fixed) -> Option<String> {
    let mut child = Command::new("clang-19")
        .args(["-cc1", "-triple", "spir64", "-finclude-default-header"])
        .args(["-fdeclare-opencl-builtins", "-fsyntax-only", "-x", "cl"])
        .arg(std_option(fixed.dialect))
        .arg("-")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("clang-19 is here");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(fixed.after.as_bytes()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_fixed_program_lacks_the_finding_and_has_no_new_one() {
    let (fixed, wrong) = fixed();
    assert!(
        wrong.is_empty(),
        "{} fixes:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    let rules: BTreeSet<&str> = fixed.iter().flat_map(|fixed| fixed.rules.clone()).collect();
    assert!(rules.len() > 10 && fixed.len() > 1000, "{} programs, {rules:?}", fixed.len());
    let whole = fixed.iter().filter(|fixed| !fixed.is_rest).count();
    println!("{} programs have fixes, {whole} are accepted then; rules: {rules:?}", fixed.len());
}

/// An error of clang on a valid program, where a block changes what it captures: a disputed reading, as its baseline says
/// of random programs.
const DISPUTED: &str = "taking address of a capture is not allowed";

#[test]
fn clang_takes_what_is_fixed() {
    let clang_19 = files::load("clang-19").expect("a device of the suite");
    let known = PatternIndex::new(&clang_19.deviations);
    let rejects_valid = |id: &str| {
        let entries = known.matching(id).into_iter().map(|(entry, _)| &clang_19.deviations[entry]);
        entries.flat_map(Deviation::directions).any(|known| *known == Direction::RejectsValid)
    };
    // Clang need not accept what the checker still rejects.
    let is_for_clang = |fixed: &&Fixed| !fixed.is_rest && !rejects_valid(&fixed.id);
    let fixed: Vec<&Fixed> = fixed().0.iter().filter(is_for_clang).collect();
    // Dialects of one version often have the same program except for its names: once is enough.
    let text = |fixed: &Fixed| {
        let prefix = CaseId::new(&fixed.id).prefix();
        (std_option(fixed.dialect), fixed.after.replace(&prefix, ""))
    };
    let different: BTreeMap<_, &Fixed> = fixed.iter().map(|fixed| (text(fixed), *fixed)).collect();
    let rejected: Vec<String> = different
        .par_iter()
        .filter_map(|(_, fixed)| {
            let log = clang(fixed)?;
            let rules = &fixed.rules;
            let mut errors = log.lines().filter(|line| line.contains("error:"));
            let first = errors.find(|line| !line.contains(DISPUTED))?;
            Some(format!("{rules:?} {}: {first}\n{}--\n{}", fixed.id, fixed.before, fixed.after))
        })
        .collect();
    let asked = different.len();
    println!("{asked} programs, {} with those that are the same, were given to clang", fixed.len());
    let shown = rejected.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(rejected.is_empty(), "clang rejects {} of {asked}:\n{shown}", rejected.len());
}
