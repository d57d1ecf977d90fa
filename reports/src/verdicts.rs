//! What became of cases, in the words of every summary, and a table of it.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use expectations::judge::FindingKind;

/// What became of a case, with its baseline in view; every case is one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As the text asks.
    Pass,
    /// Not so, and an entry of the baseline explains it.
    ExpectedFailure,
    /// Not so, and nothing explains it.
    Fail,
    /// The text is disputed: shown, not judged.
    Disputed,
    /// The device lacks what it needs, or others stand for it.
    Unsupported,
}

impl Verdict {
    /// Every one, in the order of tables.
    pub const ALL: [Self; 5] =
        [Self::Pass, Self::ExpectedFailure, Self::Fail, Self::Disputed, Self::Unsupported];

    /// Of a finding, and whether nothing explains it where it is none that was asked for.
    pub fn of(finding: FindingKind, is_unexpected: bool) -> Self {
        match finding {
            FindingKind::Pass => Self::Pass,
            FindingKind::Disputed => Self::Disputed,
            FindingKind::Unsupported => Self::Unsupported,
            _ if is_unexpected => Self::Fail,
            _ => Self::ExpectedFailure,
        }
    }

    /// What people read.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::ExpectedFailure => "expected failure",
            Self::Fail => "FAIL",
            Self::Disputed => "disputed",
            Self::Unsupported => "unsupported",
        }
    }

    /// How it looks.
    pub fn style(self) -> Style {
        match self {
            Self::Pass => AnsiColor::Green.on_default(),
            Self::Fail => AnsiColor::Red.on_default().bold(),
            Self::ExpectedFailure | Self::Disputed | Self::Unsupported => Style::new(),
        }
    }
}

/// How many cases each verdict has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts([usize; Verdict::ALL.len()]);

impl Counts {
    /// One more.
    pub(crate) fn add(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }

    fn of(self, verdict: Verdict) -> usize {
        self.0[verdict as usize]
    }
}

/// A line of a table.
pub(crate) struct Row {
    /// What is counted there.
    pub(crate) name: String,
    /// The counts.
    pub(crate) counts: Counts,
    /// How long it took, where that is told.
    pub(crate) seconds: Option<f64>,
}

/// A table with terminal styles. Columns of nothing but zeros are left out, but for those that say whether all is well.
pub(crate) fn table(out: &mut String, title: &str, rows: &[Row]) {
    let always = [Verdict::Pass, Verdict::Fail];
    let is_shown = |verdict: &Verdict| {
        always.contains(verdict) || rows.iter().any(|row| row.counts.of(*verdict) > 0)
    };
    let shown: Vec<Verdict> = Verdict::ALL.into_iter().filter(is_shown).collect();
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max(title.len());
    let column = |verdict: Verdict| verdict.name().len().max("999999".len());
    let _ = write!(out, "{title:width$}");
    for &verdict in &shown {
        let _ = write!(out, "  {:>column$}", verdict.name(), column = column(verdict));
    }
    let is_timed = rows.iter().any(|row| row.seconds.is_some());
    out.push_str(if is_timed { "  seconds\n" } else { "\n" });
    for Row { name, counts, seconds } in rows {
        let _ = write!(out, "{name:width$}");
        for &verdict in &shown {
            let count = counts.of(verdict);
            let style = if count > 0 { verdict.style() } else { Style::new().dimmed() };
            let _ = write!(out, "  {style}{count:>column$}{style:#}", column = column(verdict));
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
    use super::*;

    fn check(cases: &[(&str, &[(FindingKind, bool)])], expected: &expect_test::Expect) {
        let rows: Vec<Row> = cases
            .iter()
            .map(|(name, findings)| {
                let mut counts = Counts::default();
                for &(finding, is_unexpected) in *findings {
                    counts.add(Verdict::of(finding, is_unexpected));
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
