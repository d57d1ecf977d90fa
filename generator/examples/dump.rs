//! Prints cases as JSON lines: id, dialect, expectation, rule broken, guilty lines, control, source.
//! Usage: dump [RULE-SUBSTRING]

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use expectations::{dialect::Dialect, rule::Expectation};
use generator::suite::Suite;

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let suite = match Suite::embedded() {
        Ok(suite) => suite,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2);
        }
    };
    let rules: Vec<usize> = (0..suite.rules().len()).filter(|&i| suite.rules()[i].id.contains(&filter)).collect();
    for case in suite.cases(&rules, &Dialect::ALL) {
        let kernel = match suite.render(&case) {
            Ok(kernel) => kernel,
            Err(error) => {
                eprintln!("{error}");
                std::process::exit(2);
            }
        };
        let expectation = suite.expectation(&case);
        let breaks = if let Expectation::Reject { breaks } = expectation { breaks.as_str() } else { "" };
        let distance = case.control.as_deref().map(|control| {
            let control = suite.case(control).expect("controls exist");
            generator::points::distance(&case.point, &control.point)
        });
        let requirements: Vec<&str> = case.requirements.iter().map(|r| r.facts().name).collect();
        println!(
            "{{\"id\":{:?},\"dialect\":{:?},\"expect\":{:?},\"breaks\":{breaks:?},\"guilty\":{:?},\"control\":{:?},\"distance\":{},\"requires\":{requirements:?},\"source\":{:?}}}",
            case.id,
            case.dialect.name(),
            expectation.name(),
            kernel.guilty_lines,
            case.control.unwrap_or_default(),
            distance.map_or("null".to_owned(), |d| d.to_string()),
            kernel.source,
        );
    }
}
