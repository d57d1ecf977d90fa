//! Past runs as text: an overview of all series, and the changes of one case.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use results::{
    history::{History, PastChange},
    text::{one_line, plural},
};

/// Returns the runs of every series, newest last, with terminal styles.
pub fn overview(history: &History) -> String {
    let mut out = String::new();
    for series in &history.series {
        let bold = Style::new().bold();
        let _ = writeln!(out, "{bold}{}{bold:#}", series.name());
        for (index, run) in series.runs.iter().enumerate() {
            let (worse, better) = series.balance(index);
            let changed = if index == 0 {
                String::new()
            } else {
                format!("  {worse} worse, {better} better")
            };
            let partial = if run.partial.is_empty() {
                String::new()
            } else {
                format!("  partial results: {}", one_line(&run.partial, 200))
            };
            let style = if worse > 0 { AnsiColor::Red.on_default() } else { Style::new() };
            let _ = writeln!(
                out,
                "  {}  {:<28} {:>7} as required {:>6} deviating {:>6} unexpected{style}{changed}{style:#}{partial}",
                one_line(&run.begun, 24),
                one_line(&run.driver, 28),
                run.passing(),
                run.deviating(),
                run.unexpected,
            );
        }
        out.push('\n');
    }
    if history.series.is_empty() {
        out.push_str(
            "no run yet: `address-spaces history add DIR` adds those of a results folder\n",
        );
    }
    out
}

/// Returns the changes of a case, each with its moment and driver.
pub fn of_case(history: &History, case: &str) -> String {
    let mut out = String::new();
    for series in &history.series {
        let changes: Vec<&PastChange> =
            series.changes.iter().filter(|change| change.case == case).collect();
        let bold = Style::new().bold();
        let _ = writeln!(
            out,
            "{bold}{}{bold:#}  {} in {}",
            series.name(),
            plural(changes.len(), "change"),
            plural(series.runs.len(), "run")
        );
        for change in changes {
            let run = &series.runs[change.run];
            let _ = writeln!(
                out,
                "  {}  {}: {}",
                one_line(&run.begun, 24),
                one_line(&run.driver, 60),
                change.text()
            );
        }
    }
    out
}
