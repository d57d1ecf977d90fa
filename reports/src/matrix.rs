//! The matrix of a run on several devices: a row of counts for each, then what is unsupported, missing and broken.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use results::{
    run::{Run, Status},
    text::{one_line, plural},
};

use crate::{
    folding::folded,
    laws::LawCounts,
    statuses::{self, Counts, Row},
    summary::idle_rules,
};

/// The runs on several devices.
pub struct Matrix<'r> {
    /// Runs of the devices.
    pub runs: &'r [Run],
    /// Devices that are not on this machine, each with the way to install it.
    pub absent: &'r [(String, String)],
    /// Devices that are here and cannot be judged, each with the reason.
    pub broken: &'r [(String, String)],
    /// Width of the terminal, if there is one.
    pub columns: Option<usize>,
}

/// Returns the devices of each front end that several devices share.
pub fn shared_front_ends<'r>(
    devices: impl Iterator<Item = (&'r str, &'r str)>,
) -> BTreeMap<&'r str, Vec<&'r str>> {
    let mut by_front_end: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (device, front_end) in devices.filter(|(_, front_end)| !front_end.is_empty()) {
        by_front_end.entry(front_end).or_default().push(device);
    }
    by_front_end.retain(|_, devices| devices.len() > 1);
    by_front_end
}

/// Returns the matrix with terminal styles, which the caller strips where the output is not a terminal.
pub fn render(matrix: &Matrix<'_>) -> String {
    let mut out = String::new();
    table(&mut out, matrix.runs);
    let mut prose = String::new();
    laws(&mut prose, matrix.runs);
    unsupported(&mut prose, matrix.runs);
    out.push_str(&folded(&prose, matrix.columns));
    for (title, devices) in [("not here", matrix.absent), ("broken, not judged", matrix.broken)] {
        if !devices.is_empty() {
            let _ = writeln!(out, "\n{title}:");
        }
        for (device, why) in devices {
            let _ = writeln!(out, "  {}: {}", one_line(device, 60), one_line(why, 240));
        }
    }
    closing(&mut out, matrix.runs);
    out
}

fn table(out: &mut String, runs: &[Run]) {
    let rows = runs.iter().map(|run| {
        let unexpected: BTreeSet<usize> = run.unexpected().iter().copied().collect();
        let mut counts = Counts::default();
        for (index, case) in run.cases.briefs().enumerate() {
            counts.add(Status::of(case.finding.kind, unexpected.contains(&index)));
        }
        Row { name: one_line(&run.name(), 40), counts, seconds: Some(run.seconds()) }
    });
    statuses::table(out, "device", &rows.collect::<Vec<_>>());
}

/// Appends the laws of the devices whose modules were compared with the text.
fn laws(out: &mut String, runs: &[Run]) {
    let texts = runs.iter().map(|run| (run.name(), LawCounts::of(run).text()));
    let texts: Vec<_> = texts.filter(|(_, text)| !text.is_empty()).collect();
    if !texts.is_empty() {
        out.push_str("\nlaws:\n");
    }
    for (name, text) in texts {
        let _ = writeln!(out, "  {}: {text}", one_line(&name, 40));
    }
}

/// Appends the dialects that were not run; reasons that several devices share are written once.
fn unsupported(out: &mut String, runs: &[Run]) {
    let mut devices: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for run in runs {
        let mut dialects: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (dialect, why) in run.unsupported_dialects() {
            dialects.entry(one_line(why, 160)).or_default().push(dialect);
        }
        for (why, dialects) in dialects {
            let line = format!("{}: {why}", dialects.join(" "));
            devices.entry(line).or_default().push(one_line(&run.name(), 40));
        }
    }
    if devices.is_empty() {
        return;
    }
    out.push_str("\nnot run:\n");
    for (line, devices) in devices {
        let _ = writeln!(out, "  {line} ({})", devices.join(", "));
    }
    for run in runs {
        let (idle, all) = idle_rules(&run.cases);
        if idle > 0 {
            let _ = writeln!(
                out,
                "  {}: of {}, {idle} skipped",
                one_line(&run.name(), 40),
                plural(all, "rule")
            );
        }
    }
}

fn closing(out: &mut String, runs: &[Run]) {
    let names: Vec<_> = runs.iter().map(Run::name).collect();
    let pairs = || names.iter().map(AsRef::as_ref).zip(runs.iter().map(Run::front_end));
    for (front_end, devices) in shared_front_ends(pairs()) {
        let _ = writeln!(
            out,
            "\n{} have the same front end, {}: their verdicts count once",
            devices.iter().map(|device| one_line(device, 40)).collect::<Vec<_>>().join(", "),
            one_line(front_end, 40),
        );
    }
    let front_ends: BTreeSet<&str> = runs.iter().map(Run::front_end).collect();
    let unexpected: usize = runs.iter().map(|run| run.unexpected().len()).sum();
    let explained: usize = runs.iter().map(|run| run.judgement.baseline.explained.len()).sum();
    let _ = writeln!(
        out,
        "\n{} with {}: {}, {}",
        plural(runs.len(), "device"),
        plural(front_ends.len(), "front end"),
        plural(unexpected, "unexpected failure"),
        plural(explained, "expected failure"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::line::CaseResult;

    use crate::fixtures;

    use expectations::{
        judge::{Finding, FindingKind, Reason},
        outcome::{Outcome, OutcomeKind},
        rule::Expectation,
    };

    fn case(id: &str, kind: FindingKind) -> CaseResult {
        let finding = Finding { kind, reason: Reason::AsExpected };
        let outcome = Outcome::new(OutcomeKind::Accepted);
        CaseResult::new(
            id,
            expectations::dialect::Dialect::from_name("cl12").unwrap(),
            &Expectation::Accept,
            outcome,
            finding,
        )
    }

    #[test]
    fn one_matrix_says_it_all() {
        let run = |device, front_end: &str, cases| {
            let mut run = fixtures::run(device, "", cases);
            run.header.front_end = front_end.to_owned();
            run.header.unsupported = BTreeMap::from([("cl12".to_owned(), "no switch".to_owned())]);
            run
        };
        let good = || {
            vec![
                case("a/b/cl12/x=1", FindingKind::Pass),
                case("a/c/cl12/x=1", FindingKind::Unsupported),
            ]
        };
        let mut bad = run("rusticl", "clang 15", vec![case("a/b/cl12/x=1", FindingKind::Crash)]);
        bad.judgement.baseline.unexpected = vec![0];
        let runs =
            [run("pocl", "clang 15", good()), bad, run("other\u{1b}[31m", "its own", good())];
        let text = render(&Matrix {
            runs: &runs,
            absent: &[(
                "oclgrind".to_owned(),
                "address-spaces --device oclgrind --install".to_owned(),
            )],
            broken: &[("pocl-3.0".to_owned(), "rejects a known-good program".to_owned())],
            columns: None,
        });
        let plain = anstream::adapter::strip_str(&text).to_string();
        expect_test::expect![[r#"
            device             pass    FAIL  unsupported  seconds
            pocl                  1       0            1      2.0
            rusticl               0       1            0      2.0
            other\u{1b}[31m       1       0            1      2.0

            not run:
              cl12: no switch (pocl, rusticl, other\u{1b}[31m)
              pocl: of 2 rules, 1 skipped
              other\u{1b}[31m: of 2 rules, 1 skipped

            not here:
              oclgrind: address-spaces --device oclgrind --install

            broken, not judged:
              pocl-3.0: rejects a known-good program

            pocl, rusticl have the same front end, clang 15: their verdicts count once

            3 devices with 2 front ends: 1 unexpected failure, 0 expected failures
        "#]]
        .assert_eq(&plain);
    }
}
