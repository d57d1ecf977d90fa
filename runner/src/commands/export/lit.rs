//! `address-spaces dev export --layout lit`: tests for clang's own `-verify`, run by LLVM's lit, a file for each rule.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use expectations::{
    baseline::{Deviation, Explanation, PatternIndex},
    device::DeviceFile,
    dialect::Version,
    judge::Direction,
    rule::{Expectation, Rule},
};

use super::files;
use crate::{
    commands::CommandError,
    device::{self, feature_option},
    engine::batch_key,
    findings::judging::PreparedCase,
};

/// Name of the file that lit reads first.
const CONFIGURATION: &str = "lit.cfg.py";
const CONFIGURATION_TEXT: &str = include_str!("../../../../templates/lit/lit.cfg.py");

/// The targets each program is compiled for.
const TRIPLES: [&str; 2] = ["spir64-unknown-unknown", "spir-unknown-unknown"];

/// Options for the language of clang, besides the version.
const HEADER: &str = "-finclude-default-header -fdeclare-opencl-builtins -fsyntax-only";

/// Writes the cases below a folder: to `FAMILY/RULE.cl` those that every clang judges rightly, to
/// `FAMILY/RULE.wrong-N.cl` those that the same versions are known to judge wrongly.
pub(super) fn write(
    folder: &Path,
    cases: &[(&Rule, &PreparedCase<'_>)],
) -> Result<(), CommandError> {
    let compilers = compilers()?;
    let versions: Vec<String> = compilers.iter().map(|(version, _)| version.to_string()).collect();
    files::write(
        &folder.join(CONFIGURATION),
        &CONFIGURATION_TEXT.replace("@VERSIONS@", &versions.join(", ")),
    )?;
    let entries: Vec<(u32, PatternIndex<'_>)> = compilers
        .iter()
        .map(|(version, compiler)| (*version, PatternIndex::new(&compiler.deviations)))
        .collect();
    let mut of_rules: BTreeMap<&str, (&Rule, BTreeMap<FileProperties, Vec<&PreparedCase<'_>>>)> =
        BTreeMap::new();
    for (rule, case) in cases {
        let (_, files) = of_rules.entry(&rule.id).or_insert_with(|| (rule, BTreeMap::new()));
        let wrong_in = entries.iter().filter_map(|(version, index)| {
            is_wrong(case, &compilers, *version, index).then_some(*version)
        });
        let kept = FileProperties {
            wrong_in: wrong_in.collect(),
            is_of_3_1: case.dialect.version == Version::V3_1,
        };
        files.entry(kept).or_default().push(case);
    }
    for (id, (rule, files)) in of_rules {
        for (number, (kept, cases)) in files.iter().enumerate() {
            let name = match (kept.wrong_in.is_empty(), kept.is_of_3_1) {
                (true, false) => format!("{id}.cl"),
                (true, true) => format!("{id}.cl31.cl"),
                (false, _) => format!("{id}.wrong-{number}.cl"),
            };
            files::write(&folder.join(name), &text(rule, kept, versions.len(), cases))?;
        }
    }
    Ok(())
}

/// Common properties of the cases of one file.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct FileProperties {
    /// The versions of clang that are known to get them wrong.
    wrong_in: Vec<u32>,
    /// Whether a clang has to know the version 3.1.
    is_of_3_1: bool,
}

/// Returns the devices that are clang as an offline compiler, by version.
fn compilers() -> Result<Vec<(u32, DeviceFile)>, CommandError> {
    let mut compilers = Vec::new();
    for name in device::files::names_of_suite()? {
        let version = name.strip_prefix("clang-").and_then(|version| version.parse().ok());
        if let Some(version) = version {
            compilers.push((version, device::files::load(&name)?));
        }
    }
    Ok(compilers)
}

/// Whether that version of clang is known to deviate in a way that `-verify` detects.
fn is_wrong(
    case: &PreparedCase<'_>,
    compilers: &[(u32, DeviceFile)],
    version: u32,
    index: &PatternIndex<'_>,
) -> bool {
    let Some((_, compiler)) = compilers.iter().find(|(known, _)| *known == version) else {
        return false;
    };
    let shows = |deviation: &Deviation| match &deviation.known {
        Explanation::Findings(directions) => directions.iter().any(|direction| {
            let is_seen = matches!(
                direction,
                Direction::AcceptsInvalid
                    | Direction::RejectsValid
                    | Direction::WrongLine
                    | Direction::Crash
                    | Direction::Timeout
                    | Direction::Fail
            );
            is_seen && direction.concerns(case.expectation.verdict())
        }),
        Explanation::BehavesAs(_) => true,
        Explanation::Shape(_) => false,
    };
    let matching = index.matching(&case.id);
    matching.into_iter().any(|(entry, _)| shows(&compiler.deviations[entry]))
}

/// Cases that one run of clang judges.
struct Build<'c, 's> {
    /// The macro that brings them in.
    name: String,
    options: String,
    checked: CheckKind,
    cases: Vec<&'c PreparedCase<'s>>,
}

/// Way in which clang judges the cases.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CheckKind {
    /// No error anywhere.
    Accepted,
    /// An error on each guilty line; further errors that follow from it may be elsewhere, as everywhere in the suite.
    Marked,
    /// Errors only on the guilty lines, at least one: a case on whose lines more than one place may be named.
    AnyOf,
}

fn text(
    rule: &Rule,
    kept: &FileProperties,
    versions: usize,
    cases: &[&PreparedCase<'_>],
) -> String {
    let mut out = format!("// {}: {}\n//\n", rule.id, rule.statement.replace('\n', " "));
    if kept.is_of_3_1 {
        out.push_str("// REQUIRES: cl31\n");
    }
    if kept.wrong_in.len() == versions {
        out.push_str("// XFAIL: *\n");
    } else if !kept.wrong_in.is_empty() {
        let names: Vec<String> =
            kept.wrong_in.iter().map(|version| format!("clang-{version}")).collect();
        let _ = writeln!(out, "// XFAIL: {}", names.join(" || "));
    }
    let builds = builds(cases);
    for build in &builds {
        for triple in TRIPLES {
            let Build { name, options, checked, .. } = build;
            let command = format!("%clang_cc1 %s -triple {triple} {options} {HEADER} -D{name}");
            let ignored = match checked {
                CheckKind::Marked => "note,warning,error",
                CheckKind::Accepted | CheckKind::AnyOf => "note,warning",
            };
            let _ = writeln!(out, "// RUN: {command} -verify -verify-ignore-unexpected={ignored}");
            if *checked == CheckKind::AnyOf {
                let _ = writeln!(out, "// RUN: not {command}");
            }
        }
    }
    for build in &builds {
        let _ = writeln!(out, "\n#ifdef {}", build.name);
        if build.checked == CheckKind::Accepted {
            out.push_str("// expected-no-diagnostics\n");
        }
        for case in &build.cases {
            let _ = writeln!(out, "\n// {}", case.id);
            out.push_str(&marked(case, build.checked));
        }
        let _ = writeln!(out, "\n#endif // {}", build.name);
    }
    out
}

/// Returns the runs of clang that judge these cases. Cases that may share a program are judged together.
fn builds<'c, 's>(cases: &[&'c PreparedCase<'s>]) -> Vec<Build<'c, 's>> {
    let mut builds: Vec<Build<'c, 's>> = Vec::new();
    let mut shared: BTreeMap<(String, CheckKind, Vec<String>), usize> = BTreeMap::new();
    for case in cases {
        let checked = checked(case);
        let features = feature_option(case.dialect, &case.requirements);
        let options = [Some(case.dialect.std_option()), features];
        let options = options.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let key = batch_key(&case.kernel.source).filter(|_| checked != CheckKind::AnyOf);
        let key = key.map(|extensions| (options.clone(), checked, extensions));
        if let Some(&build) = key.as_ref().and_then(|key| shared.get(key)) {
            builds[build].cases.push(case);
            continue;
        }
        let name = format!(
            "{}_{}",
            case.dialect.name().to_uppercase().replace('-', "_"),
            builds.len() + 1
        );
        if let Some(key) = key {
            shared.insert(key, builds.len());
        }
        builds.push(Build { name, options, checked, cases: vec![case] });
    }
    builds
}

fn checked(case: &PreparedCase<'_>) -> CheckKind {
    let lines = &case.kernel.guilty_lines;
    match case.expectation {
        Expectation::Accept | Expectation::Disputed { .. } => CheckKind::Accepted,
        Expectation::Reject { .. } if lines.len() == 1 && can_be_marked(case, lines[0]) => {
            CheckKind::Marked
        }
        Expectation::Reject { .. } => CheckKind::AnyOf,
    }
}

/// Whether a comment at the end of a line leaves the program as it is.
fn can_be_marked(case: &PreparedCase<'_>, line: u32) -> bool {
    let text = case.kernel.source.lines().nth(line as usize - 1).unwrap_or_default();
    !text.trim_end().ends_with('\\')
}

/// Returns the program with the diagnostics that clang has to report at the ends of its guilty lines.
fn marked(case: &PreparedCase<'_>, checked: CheckKind) -> String {
    let mut out = String::new();
    for (line, number) in case.kernel.source.lines().zip(1..) {
        out.push_str(line);
        if case.kernel.guilty_lines.contains(&number) && can_be_marked(case, number) {
            match checked {
                CheckKind::Accepted => {}
                CheckKind::Marked => out.push_str(" // expected-error 1+ {{}}"),
                CheckKind::AnyOf => out.push_str(" // expected-error 0+ {{}}"),
            }
        }
        out.push('\n');
    }
    out
}
