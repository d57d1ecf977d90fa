//! Results held against what is known of the device.

use expectations::{
    device::{BaselineReport, DeviceFile, JudgedCase, compare_with_baseline},
    dialect::Dialect,
    judge::Reason,
    rule::Expectation,
};
use generator::suite::Suite;
use reports::results::CaseResult;

/// How much of the suite results speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it: an entry that matches no case is wrong.
    Suite,
    /// Every selected case.
    Selection,
    /// Some of the selected cases: nothing is said of entries.
    Unfinished,
}

/// Results held against the known deviations.
pub struct Held {
    /// What is explained and what is not.
    pub baseline: BaselineReport,
    /// Entries that explain nothing, as they read.
    pub stale: Vec<String>,
}

/// Hold results against the known deviations of the device.
pub fn hold(suite: &Suite, device: &DeviceFile, results: &[CaseResult], extent: Extent) -> Held {
    let judged: Vec<JudgedCase<'_>> = results
        .iter()
        .map(|result| JudgedCase { id: &result.id, finding: result.finding })
        .collect();
    let baseline = compare_with_baseline(&device.deviations, &judged, |index, dialect| {
        meets(suite, judged[index], dialect)
    });
    let stale = match extent {
        Extent::Suite => {
            let fixed = baseline.stale.iter().map(|&entry| (entry, FIXED));
            fixed.chain(matching_nothing(suite, device)).collect()
        }
        Extent::Selection => baseline.stale.iter().map(|&entry| (entry, FIXED)).collect(),
        Extent::Unfinished => Vec::new(),
    };
    let describe = |(entry, why): (usize, &str)| {
        let deviation = &device.deviations[entry];
        format!("{}:{}: {} ({why})", deviation.path, deviation.line, deviation.cases)
    };
    Held { stale: stale.into_iter().map(describe).collect(), baseline }
}

const FIXED: &str = "its cases do as they should now";

fn matching_nothing(suite: &Suite, device: &DeviceFile) -> Vec<(usize, &'static str)> {
    if device.deviations.is_empty() {
        return Vec::new();
    }
    let cases = suite.all_cases();
    let speaks =
        |entry: &usize| cases.iter().any(|case| device.deviations[*entry].matches(&case.id));
    let silent = (0..device.deviations.len()).filter(|entry| !speaks(entry));
    silent.map(|entry| (entry, "no case has such an id")).collect()
}

/// Whether what was found is right for the same case of another dialect.
fn meets(suite: &Suite, judged: JudgedCase<'_>, dialect: Dialect) -> bool {
    let elsewhere = |id: &str| {
        let mut parts: Vec<&str> = id.splitn(4, '/').collect();
        *parts.get_mut(2)? = dialect.name();
        suite.case(&parts.join("/")).ok()
    };
    match judged.finding.reason {
        Reason::AcceptsInvalid => elsewhere(judged.id)
            .is_some_and(|case| !matches!(suite.expectation(&case), Expectation::Reject { .. })),
        Reason::RejectsValid => elsewhere(judged.id)
            .is_some_and(|case| !matches!(suite.expectation(&case), Expectation::Accept)),
        // Its control is to be refused there.
        Reason::ControlRejected => {
            let control = suite.case(judged.id).ok().and_then(|case| case.control);
            control
                .and_then(|control| elsewhere(&control))
                .is_some_and(|control| !matches!(suite.expectation(&control), Expectation::Accept))
        }
        _ => false,
    }
}
