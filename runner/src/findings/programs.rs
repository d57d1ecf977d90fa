//! The programs of unexpected findings, for summaries.

use std::{collections::BTreeSet, fmt::Write as _};

use expectations::{case_id::CaseId, rule::Expectation};
use generator::suite::{Case, Suite};
use reports::summary::{self, Programs};
use results::{run::Run, text::printable};

/// Longer programs are not shown; `address-spaces show` prints them.
const MOST_LINES: usize = 30;

/// Returns the programs of the findings that a summary prints in full, with marks at the guilty lines and with the
/// lines that only the control has. Random programs have none here.
pub fn of_unexpected(suite: &Suite, run: &Run) -> Programs {
    let printed = summary::printed_cases(run).into_iter();
    let text = |index: usize| text(suite, &suite.case(&run.cases.get(index).id).ok()?);
    printed.filter_map(|index| Some((index, text(index)?))).collect()
}

fn text(suite: &Suite, case: &Case) -> Option<String> {
    let (source, guilty) = program(suite, case)?;
    if source.lines().count() > MOST_LINES {
        return None;
    }
    // A program to accept has no guilty line, if it has one that its neighbours break the rule on.
    let is_guilty = matches!(suite.expectation(case), Expectation::Reject { .. });
    let mut out = String::new();
    for (line, number) in source.lines().zip(1..) {
        let mark = if is_guilty && guilty.contains(&number) { '>' } else { ' ' };
        let _ = writeln!(out, "  {mark}{number:>4} | {}", printable(line));
    }
    let Some(control) = case.control.as_deref().and_then(|id| suite.case(id).ok()) else {
        return Some(out);
    };
    let (control, _) = program(suite, &control)?;
    let there: BTreeSet<&str> = source.lines().map(str::trim).collect();
    let lines = control.lines().zip(1..);
    let others: Vec<_> = lines.filter(|(line, _)| !there.contains(line.trim())).collect();
    if !others.is_empty() {
        out.push_str("  in its control, which is valid:\n");
    }
    for (line, number) in others {
        let _ = writeln!(out, "   {number:>4} | {}", printable(line));
    }
    Some(out)
}

/// Returns the source of a case with plain names, which its control has then too, and its guilty lines.
fn program(suite: &Suite, case: &Case) -> Option<(String, Vec<u32>)> {
    let kernel = suite.render(case).ok()?;
    Some((kernel.source.replace(&CaseId::new(&case.id).prefix(), ""), kernel.guilty_lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_points_at_its_guilty_line_and_stands_beside_its_control() {
        let suite = Suite::embedded().unwrap();
        let id = "conversion/cast/cl12/form=condition,from=constant,spelling=plain,to=global,type=struct";
        let shown = text(&suite, &suite.case(id).unwrap()).unwrap();
        let (program, control) = shown.split_once("  in its control, which is valid:\n").unwrap();
        let guilty: Vec<&str> =
            program.lines().filter_map(|line| line.strip_prefix("  >")).collect();
        assert_eq!(guilty, ["   4 |   return (global struct S *)s ? 2 : 3;"], "{shown}");
        let control: Vec<&str> = control.lines().map(str::trim).collect();
        let expected = [
            "3 | int f(global struct S *s) {",
            "6 | kernel void k(global struct S *a, global int *o) {",
        ];
        assert_eq!(control, expected, "{shown}");
    }
}
