//! The matrix of a run on several devices: a row of counts for each, then what is unsupported, missing and broken.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use crate::{
    folding::folded,
    summary::{Summary, idle_rules},
    text::{one_line, plural},
    verdicts::{self, Counts, Verdict},
};

/// What a run on several devices left.
pub struct Matrix<'r> {
    /// The devices that were run.
    pub rows: &'r [Row<'r>],
    /// Devices that are not on this machine, each with what would bring it.
    pub absent: &'r [(String, String)],
    /// Devices that are here and cannot be judged, each with why.
    pub broken: &'r [(String, String)],
    /// Columns of the terminal that it is for, where it is for one.
    pub columns: Option<usize>,
}

/// One device.
pub struct Row<'r> {
    /// What came of it.
    pub summary: Summary<'r>,
    /// The front end inside.
    pub front_end: &'r str,
}

/// Devices by their front end; only front ends that several of them share.
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

/// The matrix, with terminal styles; strip them where the output is no terminal.
pub fn render(matrix: &Matrix<'_>) -> String {
    let mut out = String::new();
    table(&mut out, matrix.rows);
    let mut prose = String::new();
    unsupported(&mut prose, matrix.rows);
    out.push_str(&folded(&prose, matrix.columns));
    for (title, devices) in [("not here", matrix.absent), ("broken, not judged", matrix.broken)] {
        if !devices.is_empty() {
            let _ = writeln!(out, "\n{title}:");
        }
        for (device, why) in devices {
            let _ = writeln!(out, "  {}: {}", one_line(device, 60), one_line(why, 240));
        }
    }
    closing(&mut out, matrix.rows);
    out
}

fn table(out: &mut String, rows: &[Row<'_>]) {
    let rows = rows.iter().map(|Row { summary, .. }| {
        let unexpected: BTreeSet<usize> = summary.unexpected.iter().copied().collect();
        let mut counts = Counts::default();
        for (index, case) in summary.cases.briefs().enumerate() {
            counts.add(Verdict::of(case.finding.kind, unexpected.contains(&index)));
        }
        verdicts::Row { name: one_line(summary.device, 40), counts, seconds: Some(summary.seconds) }
    });
    verdicts::table(out, "device", &rows.collect::<Vec<_>>());
}

/// Reasons that several devices share are written once.
fn unsupported(out: &mut String, rows: &[Row<'_>]) {
    let mut devices: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        let mut dialects: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (dialect, why) in row.summary.unsupported {
            dialects.entry(one_line(why, 160)).or_default().push(dialect);
        }
        for (why, dialects) in dialects {
            let line = format!("{}: {why}", dialects.join(" "));
            devices.entry(line).or_default().push(one_line(row.summary.device, 40));
        }
    }
    if devices.is_empty() {
        return;
    }
    out.push_str("\nnot run:\n");
    for (line, devices) in devices {
        let _ = writeln!(out, "  {line} ({})", devices.join(", "));
    }
    for row in rows {
        let (idle, all) = idle_rules(row.summary.cases);
        if idle > 0 {
            let _ = writeln!(
                out,
                "  {}: of {}, {idle} skipped",
                one_line(row.summary.device, 40),
                plural(all, "rule")
            );
        }
    }
}

fn closing(out: &mut String, rows: &[Row<'_>]) {
    let pairs = || rows.iter().map(|row| (row.summary.device, row.front_end));
    for (front_end, devices) in shared_front_ends(pairs()) {
        let _ = writeln!(
            out,
            "\n{} are the same front end, {}: their verdicts count once",
            devices.iter().map(|device| one_line(device, 40)).collect::<Vec<_>>().join(", "),
            one_line(front_end, 40),
        );
    }
    let front_ends: BTreeSet<&str> = rows.iter().map(|row| row.front_end).collect();
    let unexpected: usize = rows.iter().map(|row| row.summary.unexpected.len()).sum();
    let explained: usize = rows.iter().map(|row| row.summary.explained).sum();
    let _ = writeln!(
        out,
        "\n{} with {}: {}, {}",
        plural(rows.len(), "device"),
        plural(front_ends.len(), "front end"),
        plural(unexpected, "unexpected failure"),
        plural(explained, "expected failure"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cases::Cases, results::CaseResult};
    use expectations::{
        judge::{Finding, FindingKind, Reason},
        outcome::{Outcome, OutcomeKind},
        rule::Expectation,
    };

    fn case(id: &str, kind: FindingKind) -> CaseResult {
        let finding = Finding { kind, reason: Reason::AsExpected };
        let outcome = Outcome::new(OutcomeKind::Accepted);
        CaseResult::new(id, "cl12", &Expectation::Accept, outcome, finding)
    }

    #[test]
    fn one_matrix_says_it_all() {
        let good = Cases::new(vec![
            case("a/b/cl12/x=1", FindingKind::Pass),
            case("a/c/cl12/x=1", FindingKind::Unsupported),
        ]);
        let bad = Cases::new(vec![case("a/b/cl12/x=1", FindingKind::Crash)]);
        let unsupported = BTreeMap::from([("cl10".to_owned(), "no switch".to_owned())]);
        let programs = BTreeMap::new();
        let row = |device, cases, unexpected, front_end| Row {
            summary: Summary {
                device,
                cases,
                unexpected,
                programs: &programs,
                explained: 0,
                stale: &[],
                wide: &[],
                coverage: &[],
                shared_check: None,
                unsupported: &unsupported,
                partial: None,
                seconds: 1.5,
                columns: None,
            },
            front_end,
        };
        let rows = [
            row("pocl", &good, &[][..], "clang 15"),
            row("rusticl", &bad, &[0][..], "clang 15"),
            row("other\u{1b}[31m", &good, &[][..], "its own"),
        ];
        let text = render(&Matrix {
            rows: &rows,
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
            pocl                  1       0            1      1.5
            rusticl               0       1            0      1.5
            other\u{1b}[31m       1       0            1      1.5

            not run:
              cl10: no switch (pocl, rusticl, other\u{1b}[31m)
              pocl: of 2 rules, 1 skipped
              other\u{1b}[31m: of 2 rules, 1 skipped

            not here:
              oclgrind: address-spaces --device oclgrind --install

            broken, not judged:
              pocl-3.0: rejects a known-good program

            pocl, rusticl are the same front end, clang 15: their verdicts count once

            3 devices with 2 front ends: 1 unexpected failure, 0 expected failures
        "#]]
        .assert_eq(&plain);
    }
}
