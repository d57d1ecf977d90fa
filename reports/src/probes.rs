//! Results of probes, in lines for people.

use expectations::outcome::{Outcome, Run};
use results::text::{one_line, plural};

/// Length of the longest line.
const WIDTH: usize = 240;

/// Returns the reason for which a case is not judged on the device.
pub fn reason_not_judged(outcome: &Outcome) -> &str {
    outcome.run.as_ref().map_or(&outcome.detail, |run| &run.detail)
}

/// Describes the wrong values and failed steps of an execution, one line each.
pub fn run_lines(run: &Run) -> Vec<String> {
    let mut lines: Vec<String> = run
        .differences
        .iter()
        .map(|difference| {
            let line = format!(
                "{}: {} expected, {} seen",
                difference.place, difference.expected, difference.seen
            );
            one_line(&line, WIDTH)
        })
        .collect();
    if run.differing > run.differences.len() {
        let more = run.differing - run.differences.len();
        lines.push(format!("and {}", plural(more, "more difference")));
    }
    if !run.detail.is_empty() {
        lines.push(one_line(&run.detail, WIDTH));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use expectations::outcome::{Difference, RunKind};

    #[test]
    fn differences_come_before_the_call_that_failed() {
        let difference = Difference {
            place: "out[3] at step 2".to_owned(),
            expected: "7".to_owned(),
            seen: "9".to_owned(),
        };
        let run = Run {
            differences: vec![difference],
            differing: 3,
            ..Run::new(RunKind::Failed, "clFinish: CL_\u{1b}[31mX")
        };
        assert_eq!(
            run_lines(&run),
            [
                "out[3] at step 2: 7 expected, 9 seen",
                "and 2 more differences",
                &one_line("clFinish: CL_\u{1b}[31mX", WIDTH)
            ]
        );
        assert_eq!(run_lines(&Run::new(RunKind::Completed, "")), [""; 0]);
    }
}
