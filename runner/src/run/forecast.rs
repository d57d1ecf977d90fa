//! Forecast of a run on several devices: the time that each will take, by what it took before.

use std::fmt::Write as _;

use expectations::device::DeviceFile;
use jiff::Timestamp;
use results::text::{one_line, plural};

use super::{
    choosing::ChosenRun,
    devices::Breadth,
    header::selecting_options,
    machine,
    times::{self, RunKind, TimedRun},
};

/// Part of the cases that an earlier run must have had: a run of fewer cases tells little of one of more.
const LEAST_PART: f64 = 0.5;

/// Returns a line for each device whose time is known, in the order they are run, and one for the others.
pub(super) fn text(chosen: &ChosenRun) -> String {
    let ChosenRun { plan, devices, breadth, selection, .. } = chosen;
    let cases = selection.cases.len() + selection.random.len();
    let kept = times::kept();
    let asked = devices.iter().map(|device| {
        let options = machine::options(&plan.builds, plan.depth_on(device));
        RunKind::new(name(device), selecting_options(plan), options)
    });
    let asked: Vec<RunKind> = asked.collect();
    lines(&kept, &asked, cases, *breadth, Timestamp::now())
}

/// Returns the name that results have of a device and its compiler.
fn name(device: &DeviceFile) -> String {
    match &device.through {
        Some(producer) => format!("{} through {}", device.name, producer.name),
        None => device.name.clone(),
    }
}

fn lines(
    kept: &[TimedRun],
    asked: &[RunKind],
    cases: usize,
    breadth: Breadth,
    now: Timestamp,
) -> String {
    let mut known = Vec::new();
    let mut others = Vec::new();
    for kind in asked {
        let device = one_line(&kind.device, 60);
        match expected(kept, kind, cases) {
            Some((seconds, run)) => known.push((device, seconds, basis(run, kind, now))),
            None => others.push(device),
        }
    }
    let mut text = "time by earlier runs on this machine, for devices that are here:".to_owned();
    let width = known.iter().map(|(device, ..)| device.len()).max().unwrap_or_default();
    for (device, seconds, basis) in &known {
        let _ = write!(text, "\n  {device:width$}  {}, {basis}", rounded(*seconds));
    }
    if known.len() > 1 {
        let all = rounded(known.iter().map(|(_, seconds, _)| seconds).sum());
        let _ = write!(text, "\n  together {all}");
    }
    let others = match breadth {
        _ if others.is_empty() => return text,
        Breadth::One | Breadth::Several => others.join(", "),
        // Most of the devices that nobody named are not here.
        Breadth::All => plural(others.len(), "other device"),
    };
    let _ = write!(text, "\n  not known: {others}");
    text
}

/// Returns the seconds that a run of so many cases will take, and the earlier run that says so: one of the same
/// selection, or the one whose number of cases is nearest.
fn expected<'t>(kept: &'t [TimedRun], kind: &RunKind, cases: usize) -> Option<(f64, &'t TimedRun)> {
    let is_random = |kind: &RunKind| kind.selection.contains_key("--random");
    let tells = |run: &&TimedRun| {
        run.kind.device == kind.device
            && run.kind.options == kind.options
            && is_random(&run.kind) == is_random(kind)
            && run.cases as f64 >= cases as f64 * LEAST_PART
    };
    let distance =
        |run: &TimedRun| (run.kind.selection != kind.selection, run.cases.abs_diff(cases));
    let run = kept.iter().filter(tells).min_by_key(|run| distance(run))?;
    Some((run.seconds * cases as f64 / run.cases as f64, run))
}

/// Returns what a forecast rests on, in words.
fn basis(run: &TimedRun, kind: &RunKind, now: Timestamp) -> String {
    let day = day(&run.begun, now);
    if run.kind.selection == kind.selection {
        format!("as on {day}")
    } else {
        format!("by the {} cases of {day}", run.cases)
    }
}

/// Returns the day of a moment, with its year if that is another one than now.
fn day(begun: &str, now: Timestamp) -> String {
    let Ok(begun) = begun.parse::<Timestamp>() else { return "an unknown day".to_owned() };
    let year = |moment: Timestamp| moment.strftime("%Y").to_string();
    let form = if year(begun) == year(now) { "%-d %B" } else { "%-d %B %Y" };
    begun.strftime(form).to_string()
}

/// Returns a time in words, no more exact than a forecast is.
fn rounded(seconds: f64) -> String {
    let nearest = |unit: f64| (seconds / unit).round();
    match seconds {
        ..10.0 => "under 10 s".to_owned(),
        ..115.0 => format!("about {} s", nearest(10.0) * 10.0),
        ..570.0 => format!("about {} minutes", nearest(60.0)),
        ..6900.0 => format!("about {} minutes", nearest(300.0) * 5.0),
        _ => format!("about {} hours", nearest(3600.0)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn times_are_no_more_exact_than_they_are_known() {
        for (seconds, text) in [
            (0.2, "under 10 s"),
            (9.9, "under 10 s"),
            (12.0, "about 10 s"),
            (87.0, "about 90 s"),
            (114.9, "about 110 s"),
            (115.0, "about 2 minutes"),
            (190.0, "about 3 minutes"),
            (569.0, "about 9 minutes"),
            (600.0, "about 10 minutes"),
            (4000.0, "about 65 minutes"),
            (7300.0, "about 2 hours"),
            (86400.0, "about 24 hours"),
        ] {
            assert_eq!(rounded(seconds), text, "{seconds}");
        }
    }

    fn kind(device: &str, selection: &[(&str, &str)], depth: &str) -> RunKind {
        let map = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
        };
        RunKind::new(device.to_owned(), map(selection), map(&[("--depth", depth)]))
    }

    fn run(kind: RunKind, cases: usize, seconds: f64, begun: &str) -> TimedRun {
        TimedRun { kind, cases, seconds, begun: format!("{begun}T15:00:00Z") }
    }

    #[test]
    fn a_forecast_rests_on_the_run_that_is_most_like_it() {
        let (rule, random) = ([("--rule", "conversion")], [("--random", "5000")]);
        let kept = [
            run(kind("pocl", &[], "covering"), 280_000, 90.0, "2026-11-28"),
            run(kind("pocl", &rule, "covering"), 30_000, 20.0, "2026-11-27"),
            run(kind("pocl", &[], "all"), 280_000, 900.0, "2025-11-26"),
            run(kind("pocl", &random, "covering"), 5000, 60.0, "2026-11-25"),
        ];
        for (asked, cases, text) in [
            (kind("pocl", &[], "covering"), 280_000, "pocl  about 90 s, as on 28 November"),
            // The suite has grown.
            (kind("pocl", &[], "covering"), 311_111, "pocl  about 100 s, as on 28 November"),
            (kind("pocl", &rule, "covering"), 30_000, "pocl  about 20 s, as on 27 November"),
            (
                kind("pocl", &[("--rule", "cxx")], "covering"),
                45_000,
                "pocl  about 30 s, by the 30000 cases of 27 November",
            ),
            (
                kind("pocl", &[("--rule", "cxx")], "covering"),
                1000,
                "pocl  under 10 s, by the 30000 cases of 27 November",
            ),
            (kind("pocl", &[], "all"), 280_000, "pocl  about 15 minutes, as on 26 November 2025"),
            (kind("pocl", &random, "covering"), 10_000, "pocl  about 2 minutes, as on 25 November"),
            (kind("pocl", &random, "covering"), 20_000, "not known: pocl"),
            (kind("pocl", &[], "covering"), 600_000, "not known: pocl"),
            (kind("pocl", &[], "run"), 2000, "not known: pocl"),
            (kind("rusticl", &[], "covering"), 280_000, "not known: rusticl"),
        ] {
            let text = format!(":\n  {text}");
            let said = lines(&kept, std::slice::from_ref(&asked), cases, Breadth::Several, now());
            assert!(said.ends_with(&text), "{asked:?}: {said}");
        }
    }

    fn now() -> Timestamp {
        "2026-11-29T10:00:00Z".parse().unwrap()
    }

    #[test]
    fn devices_are_in_the_order_of_the_run() {
        let whole = |device: &str| kind(device, &[], "covering");
        let kept = [
            run(whole("rusticl"), 280_000, 190.0, "2026-11-28"),
            run(whole("pocl"), 280_000, 85.0, "2026-11-28"),
        ];
        let asked = ["clang-22", "pocl", "ocloc", "rusticl"].map(whole);
        for (unknown, others) in
            [(Breadth::Several, "clang-22, ocloc"), (Breadth::All, "2 other devices")]
        {
            let known = "time by earlier runs on this machine, for devices that are here:\n  \
                 pocl     about 90 s, as on 28 November\n  \
                 rusticl  about 3 minutes, as on 28 November\n  \
                 together about 5 minutes\n  \
                 not known: ";
            let said = lines(&kept, &asked, 280_000, unknown, now());
            assert_eq!(said, format!("{known}{others}"));
        }
    }
}
