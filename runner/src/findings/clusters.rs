//! Deviations of random programs that are one: a thousand seeds, one finding.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use expectations::{
    baseline::{Deviation, Explanation},
    case_id::{self, CaseId},
    judge::{Finding, FindingKind, Reason},
    outcome::{Outcome, Phase, RunKind},
    wrong_values::{Constructs, RemainingConstructs, Shape, WRONG_VALUES},
};
use generator::{random::RandomCase, templates::Kernel};
use regex::Regex;
use results::{
    cluster::{Cluster, Reductions},
    line::CaseResult,
};

use crate::device::text::telling_line;

/// Whether a result is a random program that computes wrong values.
pub fn computes_wrong_values(result: &CaseResult) -> bool {
    result.finding.reason == Reason::WrongValue
        && result.finding.kind.needs_explanation()
        && CaseId::new(&result.id).is_random()
}

/// Whether a kind of wrong values that an entry names may explain a result: a random program that has the constructs of
/// the kind, and that fails, dies or does not end where it is executed.
pub fn may_be_of_a_kind(result: &CaseResult, entries: &[Deviation]) -> bool {
    let is_death = matches!(result.finding.kind, FindingKind::Crash | FindingKind::Timeout)
        && result.outcome.phase == Phase::Run;
    let fails = result.outcome.run.as_deref().is_some_and(|run| run.kind == RunKind::Failed);
    if !(is_death || fails) || !CaseId::new(&result.id).is_random() {
        return false;
    }
    let constructs = RandomCase::from_id(&result.id).ok().and_then(|case| case.pair().constructs());
    constructs.is_some_and(|constructs| {
        entries.iter().filter(|entry| entry.matches(&result.id)).any(|entry| match &entry.known {
            Explanation::Shape(pattern) => pattern.within(&constructs).is_some(),
            Explanation::Findings(_) | Explanation::BehavesAs(_) => false,
        })
    })
}

/// Facts about one deviation that determine its shape.
#[derive(Clone, Copy, Debug)]
pub struct DeviationFacts<'c> {
    /// The judgement.
    pub finding: Finding,
    /// Outcome on the device.
    pub outcome: &'c Outcome,
    /// Log of the control, where it was rejected.
    pub control_log: Option<&'c str>,
    /// The rule the program breaks.
    pub rule: Option<&'c str>,
    /// The program that the message is about.
    pub kernel: &'c Kernel,
    /// Shape of the edit, see [`generator::random::Pair::shape`].
    pub edit: &'c str,
}

/// Returns the shape of a random program's deviation, which does not depend on its seed; `None` for other cases and
/// if there is none.
pub fn shape(result: &CaseResult) -> Option<Shape> {
    if !result.finding.kind.needs_explanation() || !CaseId::new(&result.id).is_random() {
        return None;
    }
    let case = RandomCase::from_id(&result.id).ok()?;
    // Of a program that fails, dies or does not end, nothing else is known.
    if let Some(RemainingConstructs::RightWithout(kind)) = &result.left {
        return Some(Shape::WrongValues(kind.clone()));
    }
    if computes_wrong_values(result) {
        return Some(match &result.left {
            Some(RemainingConstructs::Reduced(left) | RemainingConstructs::RightWithout(left)) => {
                Shape::WrongValues(left.clone())
            }
            Some(RemainingConstructs::Partly(left)) => Shape::WrongValuesAmong(left.clone()),
            None => Shape::WrongValuesAmong(case.pair().constructs().unwrap_or_default()),
        });
    }
    let control_log = result.control_log.as_deref();
    let told = match (control_log, case.control()) {
        (Some(_), Some(control)) => control,
        _ => case,
    };
    let shape = shape_text(DeviationFacts {
        finding: result.finding,
        outcome: &result.outcome,
        control_log,
        rule: case.broken_rule(),
        kernel: &told.kernel().0,
        edit: case.pair().shape(),
    });
    shape.map(Shape::Known)
}

/// Returns the shape as text, such as `accepts declaration/static-space: static private T x;`, `rejects: conflicting
/// types for Q` or `crash: SIGABRT: panicked at core/program.rs:588`.
pub fn shape_text(looks: DeviationFacts<'_>) -> Option<String> {
    let DeviationFacts { finding, outcome, control_log, rule, kernel, edit } = looks;
    let rule = rule.unwrap_or("nothing");
    Some(match (finding.kind, finding.reason) {
        (FindingKind::Crash | FindingKind::Timeout, _) => {
            format!("{}: {}", finding.kind.name(), death(outcome))
        }
        (FindingKind::Fail | FindingKind::Inconclusive, Reason::AcceptsInvalid) => {
            format!("accepts {rule}: {edit}")
        }
        (_, Reason::WrongValue) => WRONG_VALUES.to_owned(),
        (_, Reason::FailsLater) => {
            let said = outcome.run.as_ref().map_or("", |run| run.detail.as_str());
            format!("fails: {}", message(said))
        }
        (_, Reason::RejectsValid) => format!("rejects: {}", complaint(&outcome.log, kernel)),
        (_, Reason::ControlRejected) => {
            format!("rejects: {}", complaint(control_log.unwrap_or(&outcome.log), kernel))
        }
        (_, Reason::WrongPlace | Reason::WrongRule) => {
            format!("rejects {rule} elsewhere: {}", complaint(&outcome.log, kernel))
        }
        (kind, reason) if kind.needs_explanation() => {
            in_words(reason.text(), &complaint(&outcome.log, kernel))
        }
        _ => return None,
    })
}

/// Text that `PoCL` adds to places in macros.
static SPELLING: LazyLock<Regex> = LazyLock::new(|| pattern(r" <Spelling=[^>]*>"));
static LOCATION: LazyLock<Regex> = LazyLock::new(|| pattern(r"\S*?:(?<line>\d+):\d+:\s*"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"'[^']*'( \(aka '[^']*'\))?|`[^`]*`"));
/// A name of a case's own.
static OWN_NAME: LazyLock<Regex> = LazyLock::new(|| pattern(case_id::OWN_NAME));
/// A number that is not a line or column.
static NUMBER_OUT_OF_PLACE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?<before>^|[^:\d])\d+"));
/// Place of death as the worker reports it, after the name of a step. It is the same wherever the library is loaded.
static PLACE_OF_DEATH: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^([-+.\w ]+: )?SIG[A-Z]+(: [a-z ]+)? in "));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d+"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is constant and tested")
}

/// Returns the first error without the varying parts, and the construct at the place that it names.
fn complaint(log: &str, kernel: &Kernel) -> String {
    let line = SPELLING.replace_all(telling_line(log).unwrap_or_default(), "").into_owned();
    let said = message(&line);
    let place = LOCATION.captures(&line).and_then(|place| place["line"].parse::<usize>().ok());
    let source = place.and_then(|place| kernel.source.lines().nth(place.checked_sub(1)?));
    match source.and_then(construct) {
        Some(construct) => format!("{said} ({construct})"),
        None => said,
    }
}

/// Returns the first error of a log without places, names, types and numbers.
pub fn first_message(log: &str) -> String {
    message(&SPELLING.replace_all(telling_line(log).unwrap_or_default(), ""))
}

/// Returns the errors and warnings of a log without places, names, types and numbers.
pub fn messages(log: &str) -> BTreeSet<String> {
    let is_told = |line: &&str| line.contains("error: ") || line.contains("warning: ");
    log.lines().filter(is_told).map(|line| message(&SPELLING.replace_all(line, ""))).collect()
}

/// Returns how a driver ended without an answer: `SIGABRT: Assertion ...`, `SIGSEGV in libLLVM-15.so.1:
/// llvm::CastInst::Create`.
pub fn death(outcome: &Outcome) -> String {
    // Its earlier messages about the program vary.
    if PLACE_OF_DEATH.is_match(&outcome.detail) {
        return message(&outcome.detail);
    }
    in_words(&message(&outcome.detail), &last_words(&outcome.log))
}

/// Joins a kind and a message, if there is one.
fn in_words(what: &str, said: &str) -> String {
    [what, said].join(": ").trim_end_matches(": ").to_owned()
}

/// Returns the last message of a dying driver. The place in the driver distinguishes crashes; names and numbers of the
/// program do not.
fn last_words(log: &str) -> String {
    let line = OWN_NAME.replace_all(telling_line(log).unwrap_or_default(), "Q");
    let line = NUMBER_OUT_OF_PLACE.replace_all(&line, "${before}N");
    results::text::one_line(line.trim(), 160)
}

/// Returns the construct on a line that is often the cause of an error, and would hide other causes with the same
/// message.
fn construct(line: &str) -> Option<&'static str> {
    line.contains("){ ").then_some("compound literal")
}

/// Returns a message without places, names, types and numbers.
fn message(line: &str) -> String {
    if PLACE_OF_DEATH.is_match(line) {
        return results::text::one_line(line, 160);
    }
    let line = LOCATION.replace_all(line, "");
    let line = line.replace("error: ", "");
    let line = QUOTED.replace_all(&line, "Q");
    let line = OWN_NAME.replace_all(&line, "Q");
    let line = NUMBER.replace_all(&line, "N");
    results::text::one_line(line.trim(), 160)
}

/// Unexpected deviations of random programs while they are counted.
#[derive(Default)]
pub struct Clusters {
    by_shape: BTreeMap<String, Members>,
    /// Kinds of wrong values among the shapes.
    kinds: BTreeSet<Constructs>,
    /// Wrong values of programs that were not reduced to their end, with what these are made of.
    unreduced: Vec<(Constructs, Member)>,
    /// Numbers of all their results, in order.
    members: Vec<usize>,
}

/// Number of programs, and the smallest of them.
#[derive(Default)]
struct Members {
    count: usize,
    smallest: Option<Member>,
    reductions: Option<Reductions>,
}

impl Members {
    fn add(&mut self, member: Member) {
        self.count += 1;
        self.smallest = Some(self.smallest.map_or(member, |smallest| smallest.min(member)));
    }
}

/// Rank of a program among those that may represent its cluster: whether there is a reason against it, its length in
/// bytes, and its number. A program that was reduced to the constructs of its kind is preferred, and so is a valid
/// program that is rejected over an invalid one whose control is.
type Member = (bool, usize, usize);

impl Clusters {
    /// Adds the deviation with this number, which is greater than all before, and this shape.
    pub fn add(&mut self, shape: Shape, number: usize, result: &CaseResult) {
        self.members.push(number);
        let case = RandomCase::from_id(&result.id);
        let length = case.map_or(usize::MAX, |case| case.kernel().0.source.len());
        let left = result.left.as_ref();
        let is_second = result.finding.reason == Reason::ControlRejected
            || matches!(left, Some(RemainingConstructs::RightWithout(_)));
        let member = (is_second, length, number);
        match shape {
            Shape::WrongValuesAmong(constructs) => self.unreduced.push((constructs, member)),
            Shape::WrongValues(kind) => {
                let members = self.by_shape.entry(kind.shape()).or_default();
                members.add(member);
                members.reductions.get_or_insert_default().add(left);
                self.kinds.insert(kind);
            }
            Shape::Known(shape) => self.by_shape.entry(shape).or_default().add(member),
        }
    }

    /// Returns the clusters. Of the given numbers, which are in order, one for each cluster is kept.
    pub fn keep_one_of_each(mut self, numbers: &mut Vec<usize>) -> Vec<Cluster> {
        for (constructs, (_, length, number)) in std::mem::take(&mut self.unreduced) {
            let kind = self.kinds.iter().find(|kind| kind.are_within(&constructs));
            let shape = kind.map_or_else(|| WRONG_VALUES.to_owned(), Constructs::shape);
            let is_of_a_kind = kind.is_some();
            let members = self.by_shape.entry(shape).or_default();
            members.add((true, length, number));
            if is_of_a_kind {
                members.reductions.get_or_insert_default().add(None);
            }
        }
        let cluster = |(shape, members): (String, Members)| {
            let Members { count, smallest, reductions } = members;
            let (_, _, smallest) = smallest?;
            Some(Cluster { shape, count, smallest, reductions })
        };
        let clusters: Vec<Cluster> = self.by_shape.into_iter().filter_map(cluster).collect();
        let kept: BTreeSet<usize> = clusters.iter().map(|cluster| cluster.smallest).collect();
        numbers
            .retain(|number| kept.contains(number) || self.members.binary_search(number).is_err());
        clusters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expectations::{outcome::OutcomeKind, rule::Expectation};

    #[test]
    fn of_each_cluster_the_smallest_stays_unexpected() {
        let result = |reason| {
            let finding = Finding { kind: FindingKind::Fail, reason };
            let outcome = Outcome::new(OutcomeKind::Rejected);
            let id = "random/valid/cl12/seed=7";
            CaseResult::new(
                id,
                expectations::dialect::Dialect::from_name("cl12").unwrap(),
                &Expectation::Accept,
                outcome,
                finding,
            )
        };
        let (small, large) = (result(Reason::RejectsValid), result(Reason::ControlRejected));
        let mut clusters = Clusters::default();
        for (number, result) in [(1, &large), (2, &small), (4, &large)] {
            clusters.add(Shape::Known("rejects: Q".to_owned()), number, result);
        }
        // The others are none of random programs, or of random programs that this version does not know.
        let mut unexpected = vec![0, 1, 2, 3, 4];
        let clusters = clusters.keep_one_of_each(&mut unexpected);
        assert_eq!(unexpected, [0, 2, 3]);
        let shape = "rejects: Q".to_owned();
        assert_eq!(clusters, [Cluster { shape, count: 3, smallest: 2, reductions: None }]);
    }

    fn constructs(parts: &[&str], spaces: &[&str]) -> Constructs {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Constructs { parts: owned(parts), spaces: owned(spaces) }
    }

    #[test]
    fn wrong_values_are_of_the_kinds_that_programs_were_reduced_to() {
        let result = |left: Option<RemainingConstructs>| {
            let finding = Finding { kind: FindingKind::Fail, reason: Reason::WrongValue };
            let outcome = Outcome::new(OutcomeKind::Accepted);
            let id = "random/run/cl12/seed=7";
            let result = CaseResult::new(
                id,
                expectations::dialect::Dialect::from_name("cl12").unwrap(),
                &Expectation::Accept,
                outcome,
                finding,
            );
            CaseResult { left, ..result }
        };
        let max = constructs(&["max"], &["global"]);
        let results = [
            result(Some(RemainingConstructs::RightWithout(max.clone()))),
            result(Some(RemainingConstructs::Reduced(max))),
            // What it was reduced to tells of a kind of its own, though it has more than another.
            result(Some(RemainingConstructs::Reduced(constructs(&["max", "switch"], &["global"])))),
            result(Some(RemainingConstructs::Partly(constructs(
                &["barrier", "max"],
                &["global", "local"],
            )))),
            result(Some(RemainingConstructs::Partly(constructs(
                &["barrier"],
                &["global", "local"],
            )))),
        ];
        let mut clusters = Clusters::default();
        for (number, result) in results.iter().enumerate() {
            clusters.add(shape(result).unwrap(), number, result);
        }
        let mut unexpected = vec![0, 1, 2, 3, 4];
        let clusters = clusters.keep_one_of_each(&mut unexpected);
        assert_eq!(unexpected, [1, 2, 4]);
        let told: Vec<(&str, usize, String)> = clusters
            .iter()
            .map(|cluster| {
                let reductions = cluster.reductions.as_ref().map(ToString::to_string);
                (cluster.shape.as_str(), cluster.count, reductions.unwrap_or_default())
            })
            .collect();
        let by = |text: &str| text.to_owned();
        assert_eq!(
            told,
            [
                ("computes wrong values", 1, String::new()),
                ("computes wrong values: max, switch; global", 1, by("1 reduced to it")),
                (
                    "computes wrong values: max; global",
                    3,
                    by("1 reduced to it, 1 right without it, 1 not reduced that contain it")
                ),
            ]
        );
    }

    #[test]
    fn answers_that_differ_are_told_without_a_log_too() {
        let finding = Finding { kind: FindingKind::Flaky, reason: Reason::AnswersDiffer };
        let kernel = Kernel { source: String::new(), guilty_lines: Vec::new() };
        for (log, expected) in [
            ("", "gives different answers"),
            ("k.cl:1:1: error: bad 7", "gives different answers: bad N"),
        ] {
            let outcome = Outcome { log: log.to_owned(), ..Outcome::new(OutcomeKind::Accepted) };
            let (kernel, outcome) = (&kernel, &outcome);
            let looks = DeviationFacts {
                finding,
                outcome,
                control_log: None,
                rule: None,
                kernel,
                edit: "",
            };
            assert_eq!(shape_text(looks).as_deref(), Some(expected));
        }
    }

    #[test]
    fn crashes_are_told_apart_by_where_the_driver_died() {
        let died = |detail: &str, log: &str| {
            let (detail, log) = (detail.to_owned(), log.to_owned());
            death(&Outcome { detail, log, ..Outcome::new(OutcomeKind::Crashed) })
        };
        for (detail, log, expected) in [
            (
                "SIGABRT",
                "PLEASE submit a bug report\nthread '<unnamed>' panicked at 'called `Option::unwrap()`', ../core/program.rs:588:14\nfatal runtime error: x",
                "SIGABRT: thread '<unnamed>' panicked at 'called `Option::unwrap()`', ../core/program.rs:588:14",
            ),
            (
                "SIGABRT",
                "exe: ./lib/SPIRVInstruction.h:551: Assertion `a.size() == 12' failed: c0123456789_k7",
                "SIGABRT: exe: ./lib/SPIRVInstruction.h:551: Assertion `a.size() == N' failed: Q",
            ),
            ("SIGSEGV", "", "SIGSEGV"),
            ("SIGSEGV in libx-15.so.1+0x1f20", "12 warnings", "SIGSEGV in libx-15.so.1+0x1f20"),
            (
                "llc -O2: SIGSEGV in libx.so.1: f<4>",
                "Stack dump:",
                "llc -O2: SIGSEGV in libx.so.1: f<4>",
            ),
            (
                "SIGSEGV: stack overflow in libx-15.so.1",
                "thread 'main' has overflowed its stack",
                "SIGSEGV: stack overflow in libx-15.so.1",
            ),
        ] {
            assert_eq!(died(detail, log), expected);
        }
        // Of a control, whose outcome is given by a line.
        let kernel = Kernel { source: String::new(), guilty_lines: Vec::new() };
        let told = complaint("SIGSEGV in libx-15.so.1: f<12>", &kernel);
        assert_eq!(told, "SIGSEGV in libx-15.so.1: f<12>");
    }

    #[test]
    fn messages_lose_what_varies() {
        let kernel = Kernel {
            source: "int *p = &(int){ 1 };\nint b;\n".to_owned(),
            guilty_lines: Vec::new(),
        };
        for (log, expected) in [
            (
                "error: kernel.cl:2:70: comparison ('float *' (aka 'x') and '__private y') differs",
                "comparison (Q and Q) differs",
            ),
            ("/tmp/x/case.cl:1:1: error: 12 things", "N things (compound literal)"),
            ("kernel.cl:2:9 <Spelling=/lib/a.h:22:4>: error: no function", "no function"),
            ("error: in function c0123456789_k: no memory", "in function Q: no memory"),
            ("", ""),
        ] {
            assert_eq!(complaint(log, &kernel), expected);
        }
        assert_eq!(message("SIGSEGV"), "SIGSEGV");
    }
}
