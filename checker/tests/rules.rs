//! Programs with the findings that they must cause, written below the guilty places.
//!
//! Each file in `rules/` holds programs. A line `//# DIALECT... | TITLE` starts one. A comment below a line marks
//! errors with `^` and disputed constructs with `~`, followed by the rule's id. Nothing else may be found. `.ci/bless`
//! rewrites the marks as the checker gives them; read the difference before keeping it.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path, process::Command};

use checker::{
    Checker, Dialect, Feature, Rule, Verdict, Version,
    diagnostic::{Diagnostic, Severity},
};

const DIALECTS: [&str; 8] =
    ["1.0", "1.1", "1.2", "2.0", "3.0", "3.0-none", "3.0-generic", "3.0-globals"];

fn dialect(name: &str) -> Dialect {
    let none = Dialect::new(Version::V3_0).without_features();
    match name {
        "1.0" => Dialect::new(Version::V1_0),
        "1.0-none" => Dialect::new(Version::V1_0).without_features(),
        "1.1" => Dialect::new(Version::V1_1),
        "1.2" => Dialect::new(Version::V1_2),
        "2.0" => Dialect::new(Version::V2_0),
        "3.0" => Dialect::new(Version::V3_0),
        "3.1" => Dialect::new(Version::V3_1),
        "3.0-none" => none,
        "3.0-generic" => none.with(Feature::GenericAddressSpace),
        "3.0-globals" => none.with(Feature::ProgramScopeGlobalVariables),
        _ => panic!("unknown dialect {name}"),
    }
}

/// One program of a file.
struct Case<'a> {
    dialects: Vec<&'a str>,
    title: &'a str,
    /// The program without marks.
    program: String,
    marks: String,
    header: &'a str,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    for line in text.lines() {
        if let Some(header) = line.strip_prefix("//# ") {
            let (dialects, title) = header.split_once(" | ").expect("a header has a title");
            let dialects = match dialects {
                "all" => DIALECTS.to_vec(),
                "generic" => vec!["2.0", "3.0", "3.0-generic"],
                "no-generic" => vec!["1.0", "1.1", "1.2", "3.0-none", "3.0-globals"],
                "globals" => vec!["2.0", "3.0", "3.0-globals"],
                "no-globals" => vec!["1.0", "1.1", "1.2", "3.0-none", "3.0-generic"],
                "since-1.2" => DIALECTS[2..].to_vec(),
                "device-enqueue" => vec!["2.0", "3.0"],
                list => list.split(' ').collect(),
            };
            let (program, marks) = (String::new(), String::new());
            cases.push(Case { dialects, title, program, marks, header: line });
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        if is_mark(line) {
            let _ = writeln!(case.marks, "{} {line}", case.program.lines().count());
        } else {
            case.program.push_str(line);
            case.program.push('\n');
        }
    }
    cases
}

fn is_mark(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix("//") else { return false };
    rest.trim_start().starts_with(['^', '~'])
}

/// Returns the findings as marks, each with the number of its line.
fn found(checker: &mut Checker, program: &str) -> Result<String, String> {
    let report = checker.check("case.cl", program);
    if report.verdict == Verdict::NotUnderstood {
        return Err(report.diagnostics.iter().map(|said| said.message.clone()).collect());
    }
    let mut marks = Vec::new();
    for said in report.diagnostics {
        if said.severity == Severity::Warning {
            continue;
        }
        let start = report.sources.position(said.span.start);
        marks.push((start.line, start.column, mark(said, start.column)));
    }
    marks.sort();
    marks.dedup();
    let lines = marks.into_iter().map(|(line, _, mark)| format!("{line} {mark}\n"));
    Ok(lines.collect())
}

fn mark(said: &Diagnostic, column: u32) -> String {
    let sign = if said.severity == Severity::Note { "~" } else { "^" };
    let width = (said.span.end - said.span.start).max(1) as usize;
    let signs = sign.repeat(width);
    let id = said.rule.map_or("-", Rule::id);
    let column = column as usize;
    // Marks need two columns for the slashes.
    match column.checked_sub(3) {
        Some(gap) => format!("//{}{signs} {id}", " ".repeat(gap)),
        None => format!("//^{column}:{width}{sign} {id}"),
    }
}

/// Checks every case of a file in every dialect it names.
fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules").join(name);
    let text = fs::read_to_string(&path).expect("the file of cases is there");
    let mut wrong = String::new();
    let mut blessed = String::new();
    for case in cases(&text) {
        let mut first = None;
        for name in &case.dialects {
            let mut checker = Checker::new(dialect(name));
            let marks = found(&mut checker, &case.program).unwrap_or_else(|message| {
                let _ = writeln!(wrong, "{} [{name}]: not understood: {message}", case.title);
                String::new()
            });
            if marks != case.marks {
                let _ = writeln!(
                    wrong,
                    "{} [{name}]\n{}expected\n{}found\n{marks}",
                    case.title, case.program, case.marks
                );
            }
            first.get_or_insert(marks);
        }
        let _ = writeln!(blessed, "{}", case.header);
        for (number, line) in case.program.lines().enumerate() {
            let _ = writeln!(blessed, "{line}");
            for mark in first.as_deref().unwrap_or_default().lines() {
                let (at, mark) = mark.split_once(' ').expect("a mark has a line");
                if at == (number + 1).to_string() {
                    let _ = writeln!(blessed, "{mark}");
                }
            }
        }
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, blessed).expect("the file of cases can be written");
        return;
    }
    assert!(wrong.is_empty(), "{wrong}if that is right, run `.ci/bless` and read the difference");
}

macro_rules! families {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(concat!(stringify!($name), ".cl")); })*

        /// The files that are checked.
        const FAMILIES: &[&str] = &[$(stringify!($name)),*];
    };
}

families! {
    qualifiers declarations initializers functions kernels conversions expressions members opaque blocks builtins
    language c
}

/// A second judge of plain C: clang rejects what the rules of C reject, and accepts what they accept. It has recursion,
/// and does not know functions of vendors.
#[test]
fn clang_judges_plain_c_alike() {
    if Command::new("clang-19").arg("--version").output().is_err() {
        eprintln!("clang-19 is not installed: the programs have one judge only");
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules/c.cl");
    let text = fs::read_to_string(path).expect("the file of cases is there");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c-judged-by-clang.cl");
    let mut wrong = String::new();
    let mut rejected = 0;
    for case in cases(&text) {
        if case.marks.contains("c/recursion") || case.title == "a vendor's function" {
            continue;
        }
        fs::write(&program, &case.program).expect("written");
        let output = Command::new("clang-19")
            .args(["-fsyntax-only", "-w", "-x", "cl", "--target=spir64"])
            .arg(if case.dialects.contains(&"3.0") { "-cl-std=CL3.0" } else { "-cl-std=CL1.2" })
            .args(["-Xclang", "-cl-ext=+all"])
            .arg(&program)
            .output()
            .expect("clang starts");
        rejected += usize::from(!output.status.success());
        if output.status.success() == case.marks.contains('^') {
            let log = String::from_utf8_lossy(&output.stderr);
            let _ = writeln!(wrong, "{}\n{}{log}", case.title, case.program);
        }
    }
    assert!(wrong.is_empty(), "clang disagrees:\n{wrong}");
    assert!(rejected >= 60, "{rejected} programs");
}

/// Every rule is broken by some case here.
#[test]
fn every_rule_is_broken_somewhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let mut broken = BTreeSet::new();
    for family in FAMILIES {
        let text =
            fs::read_to_string(folder.join(format!("{family}.cl"))).expect("a file of cases");
        for line in text.lines().filter(|line| is_mark(line) && line.contains('^')) {
            broken.insert(line.split_whitespace().last().unwrap_or_default().to_owned());
        }
    }
    let missing: Vec<_> =
        Rule::ALL.iter().map(|rule| rule.id()).filter(|id| !broken.contains(*id)).collect();
    assert!(missing.is_empty(), "no case breaks {missing:?}");
}
