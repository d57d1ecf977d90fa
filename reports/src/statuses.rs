//! Tables that count cases by their status.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use results::run::Status;

/// Returns the terminal style of a status.
pub fn style(status: Status) -> Style {
    match status {
        Status::Pass => AnsiColor::Green.on_default(),
        Status::Fail => AnsiColor::Red.on_default().bold(),
        Status::ExpectedFailure | Status::Disputed | Status::Unsupported => Style::new(),
    }
}

/// The number of cases of each status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts([usize; Status::ALL.len()]);

impl Counts {
    /// Counts a case.
    pub(crate) fn add(&mut self, status: Status) {
        self.0[status as usize] += 1;
    }

    fn of(self, status: Status) -> usize {
        self.0[status as usize]
    }
}

/// A row of a table.
pub(crate) struct Row {
    /// Name of the counted cases.
    pub(crate) name: String,
    /// Counts of the cases.
    pub(crate) counts: Counts,
    /// Seconds of the run, where the table has them.
    pub(crate) seconds: Option<f64>,
}

/// Appends a table with terminal styles. Columns of zeros are left out, except for passes and failures.
pub(crate) fn table(out: &mut String, title: &str, rows: &[Row]) {
    let always = [Status::Pass, Status::Fail];
    let is_shown = |status: &Status| {
        always.contains(status) || rows.iter().any(|row| row.counts.of(*status) > 0)
    };
    let shown: Vec<Status> = Status::ALL.into_iter().filter(is_shown).collect();
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max(title.len());
    let column = |status: Status| status.name().len().max("999999".len());
    let _ = write!(out, "{title:width$}");
    for &status in &shown {
        let _ = write!(out, "  {:>column$}", status.name(), column = column(status));
    }
    let is_timed = rows.iter().any(|row| row.seconds.is_some());
    out.push_str(if is_timed { "  seconds\n" } else { "\n" });
    for Row { name, counts, seconds } in rows {
        let _ = write!(out, "{name:width$}");
        for &status in &shown {
            let count = counts.of(status);
            let style = if count > 0 { style(status) } else { Style::new().dimmed() };
            let _ = write!(out, "  {style}{count:>column$}{style:#}", column = column(status));
        }
        match seconds {
            Some(seconds) => {
                let _ = writeln!(out, "  {seconds:>7.1}");
            }
            None => out.push('\n'),
        }
    }
}

#[cfg(test)]
mod tests {
    use expectations::judge::FindingKind;

    use super::*;

    fn check(cases: &[(&str, &[(FindingKind, bool)])], expected: &expect_test::Expect) {
        let rows: Vec<Row> = cases
            .iter()
            .map(|(name, findings)| {
                let mut counts = Counts::default();
                for &(finding, is_unexpected) in *findings {
                    counts.add(Status::of(finding, is_unexpected));
                }
                Row { name: (*name).to_owned(), counts, seconds: None }
            })
            .collect();
        let mut text = String::new();
        table(&mut text, "rule family", &rows);
        expected.assert_eq(&anstream::adapter::strip_str(&text).to_string());
    }

    #[test]
    fn columns_of_zeros_are_left_out_but_not_those_that_say_that_all_is_well() {
        check(
            &[("block", &[(FindingKind::Pass, false), (FindingKind::Pass, false)])],
            &expect_test::expect![[r#"
                rule family    pass    FAIL
                block             2       0
            "#]],
        );
    }

    #[test]
    fn every_case_is_in_one_column() {
        let all: Vec<(FindingKind, bool)> =
            FindingKind::ALL.into_iter().flat_map(|kind| [(kind, false), (kind, true)]).collect();
        check(
            &[("attribute", &all)],
            &expect_test::expect![[r#"
                rule family    pass  expected failure    FAIL  disputed  unsupported
                attribute         2                 5       5         2            2
            "#]],
        );
    }
}
