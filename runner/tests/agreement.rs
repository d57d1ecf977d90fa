//! The checker and the expectations, derived independently, have the same rules, and agree on every case.

use std::collections::BTreeSet;

use checker::{Checker, Rule, Verdict};
use expectations::{
    baseline::{Deviation, Program},
    case_id::CaseId,
    device::DeviceFile,
    dialect::{Dialect, Language},
    rule::Expectation,
};
use generator::suite::Suite;
use rayon::prelude::*;
use regex::Regex;
use runner::{
    device::{
        checker::{checker_dialect, judge, not_read},
        files,
    },
    findings::judging::PreparedCase,
};

/// Ids of the rules of OpenCL C that some case breaks; the checker reads no other language.
fn broken(suite: &Suite) -> BTreeSet<String> {
    suite
        .rules()
        .iter()
        .filter(|rule| rule.is_of(Language::OpenclC))
        .flat_map(|rule| &rule.expect)
        .filter_map(|(_, expectation)| match expectation {
            Expectation::Reject { breaks } => Some(breaks.to_string()),
            _ => None,
        })
        .collect()
}

fn checker_reads(dialect: Dialect) -> bool {
    not_read(dialect).is_none()
}

#[test]
fn every_rule_of_the_checker_is_a_rule_of_the_suite_and_the_other_way_round() {
    let suite = Suite::embedded().unwrap();
    let known: BTreeSet<String> =
        Rule::of_address_spaces().map(|rule| rule.id().to_owned()).collect();
    let of_c = suite.rules().iter().filter(|rule| rule.is_of(Language::OpenclC));
    let files: BTreeSet<String> = of_c.map(|rule| rule.id.clone()).collect();
    assert_eq!(known.difference(&files).collect::<Vec<_>>(), Vec::<&String>::new(), "no rule file");
    assert_eq!(
        broken(&suite).difference(&known).collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "not in the checker"
    );
}

#[test]
fn programs_of_known_deviations_are_valid() {
    let devices: Vec<DeviceFile> =
        files::names().unwrap().iter().map(|name| files::load(name).unwrap()).collect();
    let deviations = devices.iter().flat_map(|device| &device.deviations);
    let programs: Vec<(&Deviation, &Program)> =
        deviations.filter_map(|deviation| Some((deviation, deviation.program.as_ref()?))).collect();
    let programs: Vec<_> =
        programs.into_iter().filter(|(_, program)| checker_reads(program.dialect)).collect();
    assert!(!programs.is_empty());
    for (deviation, program) in programs {
        let mut checker = Checker::new(checker_dialect(program.dialect, &[]));
        let report = checker.check("program.cl", &program.source);
        let place = format!("{}:{}", deviation.path, deviation.line);
        assert_eq!(report.verdict, Verdict::Accepted, "{place}: {:?}", report.diagnostics);
    }
}

#[test]
fn programs_of_causes_are_what_they_are_said_to_be() {
    let mut wrong = Vec::new();
    for cause in &files::causes().unwrap().causes {
        let Some(shown) = &cause.shown else { continue };
        if !checker_reads(shown.dialect) {
            continue;
        }
        let guilty = shown.guilty_lines();
        let control = shown.control.iter().map(|control| ("control", control, Vec::new()));
        for (what, source, guilty) in
            std::iter::once(("kernel", &shown.kernel, guilty)).chain(control)
        {
            let mut judged = judge(shown.dialect, &shown.requirements, source);
            judged.error_lines.dedup();
            if judged.error_lines != guilty {
                wrong.push(format!("{}: {what}: {}", cause.id, judged.log));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_of_questions_are_accepted_by_the_checker() {
    let suite = Suite::embedded().unwrap();
    for question in suite.questions() {
        for program in question.programs.iter().filter(|program| checker_reads(program.dialect)) {
            let mut checker = Checker::new(checker_dialect(program.dialect, &program.needs));
            let report = checker.check("program.cl", &program.source);
            let place = format!("{}:{}: {}", question.path, program.line, question.id);
            // It accepts what the text leaves open.
            assert_eq!(report.verdict, Verdict::Accepted, "{place}: {:?}", report.diagnostics);
        }
    }
}

/// Sections of the document that no rule cites and reasons name all the same.
const OTHER_SECTIONS: [&str; 2] =
    ["built-in-image-query-functions", "built-in-image-read-functions"];

#[test]
fn reasons_of_known_deviations_name_sections_that_exist() {
    let suite = Suite::embedded().unwrap();
    let cited: BTreeSet<&str> = suite
        .rules()
        .iter()
        .flat_map(|rule| &rule.clauses)
        .map(|clause| clause.anchor.as_str())
        .chain(OTHER_SECTIONS)
        .collect();
    let section = Regex::new(r"(?:^|[ (])\[([^\]]+)\]").unwrap();
    let mut named = 0;
    for name in files::names().unwrap() {
        for deviation in files::load(&name).unwrap().deviations {
            for found in section.captures_iter(&deviation.reason) {
                let Deviation { path, line, .. } = &deviation;
                let anchor = &found[1];
                assert!(cited.contains(anchor), "{path}:{line}: no rule rests on [{anchor}]");
                named += 1;
            }
        }
    }
    assert!(named > 100, "{named}");
}

/// Each program is checked with its prefix and without it, as reports and the book print it: two names that differ only in
/// the prefix would make it a different program.
#[test]
fn checker_and_expectations_agree_on_every_case() {
    let suite = Suite::embedded().expect("the suite");
    let disagreements: Vec<String> = suite
        .all_cases()
        .into_par_iter()
        .filter(|case| checker_reads(case.dialect))
        .filter_map(|case| {
            let prepared = PreparedCase::new(&suite, case, true).expect("a case");
            let source = &prepared.kernel.source;
            let prefix = CaseId::new(&prepared.id).prefix();
            disagreement(&prepared, source)
                .or_else(|| disagreement(&prepared, &source.replace(&prefix, "")))
        })
        .collect();
    assert!(
        disagreements.is_empty(),
        "{} disagreements\n{}",
        disagreements.len(),
        disagreements.iter().take(30).cloned().collect::<Vec<_>>().join("\n")
    );
}

/// Differences of the checker from the expectation, with rule and line.
fn disagreement(prepared: &PreparedCase<'_>, source: &str) -> Option<String> {
    let mut checker = Checker::new(checker_dialect(prepared.dialect, &prepared.requirements));
    let report = checker.check("case.cl", source);
    let rules: BTreeSet<&str> = report
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity >= checker::diagnostic::Severity::Error)
        .map(|diagnostic| diagnostic.rule.map_or("not understood", Rule::id))
        .collect();
    let agrees = match prepared.expectation {
        // The checker accepts what the text leaves open.
        Expectation::Accept | Expectation::Disputed { .. } => report.verdict == Verdict::Accepted,
        Expectation::Reject { breaks } => rules.iter().copied().eq([breaks.as_str()]),
    };
    (!agrees).then(|| {
        format!(
            "{}: {} expected, {:?} {rules:?}",
            prepared.id,
            prepared.expectation.verdict().name(),
            report.verdict
        )
    })
}

#[test]
fn wrong_kernels_are_valid_programs() {
    let suite = Suite::embedded().unwrap();
    let rejected: Vec<String> = suite
        .all_cases()
        .into_par_iter()
        .filter(|case| checker_reads(case.dialect))
        .flat_map_iter(|case| {
            let mut checker = Checker::new(checker_dialect(case.dialect, &case.requirements));
            let wrong = suite.wrong_kernels(&case).unwrap().into_iter();
            let rejected = wrong.filter_map(move |(wrong, kernel)| {
                let report = checker.check("case.cl", &kernel.source);
                let why = report.diagnostics.first().map(|diagnostic| diagnostic.message.clone());
                (report.verdict != Verdict::Accepted)
                    .then(|| format!("{} as {}: {why:?}", case.id, wrong.name))
            });
            rejected.collect::<Vec<_>>()
        })
        .collect();
    assert!(rejected.is_empty(), "{}", rejected[..rejected.len().min(30)].join("\n"));
}

#[test]
fn dialects_of_the_suite_are_dialects_of_the_checker() {
    // C++ for OpenCL is a language that the checker does not read.
    for dialect in Dialect::ALL {
        assert_eq!(checker_reads(dialect), Dialect::OPENCL_C.contains(&dialect), "{dialect}");
    }
    for dialect in Dialect::OPENCL_C {
        let checker = checker_dialect(dialect, &[]);
        assert_eq!(checker.generic_space(), dialect.generic, "{dialect}");
        assert_eq!(checker.program_scope_globals(), dialect.program_scope_globals, "{dialect}");
    }
}
