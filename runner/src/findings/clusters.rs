//! Deviations of random programs that are one: a thousand seeds, one finding.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use expectations::{
    case_id::{self, CaseId},
    judge::{Finding, FindingKind, Reason},
    outcome::Outcome,
};
use generator::{random::RandomCase, templates::Kernel};
use regex::Regex;
use reports::results::CaseResult;

use crate::device::text::telling_line;

/// What wrong values look like, whatever computes them.
const WRONG_VALUES: &str = "computes wrong values";
/// Programs with wrong values that are reduced: how many kinds of them there are is seen then.
const REDUCED_OF_WRONG_VALUES: usize = 6;

/// Deviations that look the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// What they look like.
    pub shape: String,
    /// How many.
    pub count: usize,
    /// The number of the smallest program among the results.
    pub smallest: usize,
    /// The next smallest, in order, where the shape does not tell kinds apart before programs are reduced.
    pub next: Vec<usize>,
}

impl Cluster {
    /// Whether there may be more than one kind of deviation behind it.
    pub fn is_several_kinds(&self) -> bool {
        self.shape == WRONG_VALUES
    }
}

/// What is known of one deviation.
#[derive(Clone, Copy, Debug)]
pub struct Looks<'c> {
    /// The judgement.
    pub finding: Finding,
    /// What the device did.
    pub outcome: &'c Outcome,
    /// What it said of the control, where that was rejected.
    pub control_log: Option<&'c str>,
    /// The rule the program breaks.
    pub rule: Option<&'c str>,
    /// The program that the message speaks of.
    pub kernel: &'c Kernel,
    /// How it was edited, see [`generator::random::Pair::shape`].
    pub edit: &'c str,
}

/// What a random program's deviation looks like, whatever its seed; `None` of other cases and where there is none.
pub fn shape(result: &CaseResult) -> Option<String> {
    if !result.finding.kind.needs_explanation() || !CaseId::new(&result.id).is_random() {
        return None;
    }
    let case = RandomCase::from_id(&result.id).ok()?;
    let control_log = result.control_log.as_deref();
    let told = match (control_log, case.control()) {
        (Some(_), Some(control)) => control,
        _ => case,
    };
    look(Looks {
        finding: result.finding,
        outcome: &result.outcome,
        control_log,
        rule: case.broken_rule(),
        kernel: &told.kernel().0,
        edit: case.pair().shape(),
    })
}

/// `accepts declaration/static-space: static private T x;`, `rejects: conflicting types for Q`,
/// `crash: SIGABRT: panicked at core/program.rs:588`.
pub fn look(looks: Looks<'_>) -> Option<String> {
    let Looks { finding, outcome, control_log, rule, kernel, edit } = looks;
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
            format!("{}: {}", reason.text(), complaint(&outcome.log, kernel))
        }
        _ => return None,
    })
}

/// What `PoCL` adds to places in macros.
static SPELLING: LazyLock<Regex> = LazyLock::new(|| pattern(r" <Spelling=[^>]*>"));
static LOCATION: LazyLock<Regex> = LazyLock::new(|| pattern(r"\S*?:(?<line>\d+):\d+:\s*"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"'[^']*'( \(aka '[^']*'\))?|`[^`]*`"));
/// A name of a case's own.
static OWN_NAME: LazyLock<Regex> = LazyLock::new(|| pattern(case_id::OWN_NAME));
/// A number that is no line or column.
static NUMBER_OUT_OF_PLACE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?<before>^|[^:\d])\d+"));
/// As the worker tells it, behind the name of a step: the same wherever the library is loaded.
static PLACE_OF_DEATH: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^([-+.\w ]+: )?SIG[A-Z]+(: [a-z ]+)? in "));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d+"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is constant and tested")
}

/// The first error without what varies, and what stands in the place it names.
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

/// The first error of a log without places, names, types and numbers.
pub fn first_message(log: &str) -> String {
    message(&SPELLING.replace_all(telling_line(log).unwrap_or_default(), ""))
}

/// How a driver ended without an answer: `SIGABRT: Assertion ...`, `SIGSEGV in libLLVM-15.so.1: llvm::CastInst::Create`.
pub fn death(outcome: &Outcome) -> String {
    // What it said of the program on the way varies.
    if PLACE_OF_DEATH.is_match(&outcome.detail) {
        return message(&outcome.detail);
    }
    let said = [message(&outcome.detail), last_words(&outcome.log)];
    said.join(": ").trim_end_matches(": ").to_owned()
}

/// What a dying driver said: where in the driver it died tells crashes apart, names and numbers of the program do not.
fn last_words(log: &str) -> String {
    let line = OWN_NAME.replace_all(telling_line(log).unwrap_or_default(), "Q");
    let line = NUMBER_OUT_OF_PLACE.replace_all(&line, "${before}N");
    reports::text::one_line(line.trim(), 160)
}

/// What on a line is often the cause, and would hide others with the same message.
fn construct(line: &str) -> Option<&'static str> {
    line.contains("){ ").then_some("compound literal")
}

/// A message without places, names, types and numbers.
fn message(line: &str) -> String {
    if PLACE_OF_DEATH.is_match(line) {
        return reports::text::one_line(line, 160);
    }
    let line = LOCATION.replace_all(line, "");
    let line = line.replace("error: ", "");
    let line = QUOTED.replace_all(&line, "Q");
    let line = OWN_NAME.replace_all(&line, "Q");
    let line = NUMBER.replace_all(&line, "N");
    reports::text::one_line(line.trim(), 160)
}

/// Unexpected deviations of random programs while they are counted.
#[derive(Default)]
pub struct Clusters {
    by_shape: BTreeMap<String, Members>,
    /// Numbers of all their results, in order.
    members: Vec<usize>,
}

/// How many programs, and the smallest of them, in order.
#[derive(Default)]
struct Members {
    count: usize,
    smallest: Vec<(Size, usize)>,
}

/// Whether the control is rejected, and how long the program is. A valid program that is rejected tells more than an
/// invalid one whose neighbour is.
type Size = (bool, usize);

impl Clusters {
    /// Add the deviation of that number, greater than all before, which looks like this.
    pub fn add(&mut self, shape: String, number: usize, result: &CaseResult) {
        self.members.push(number);
        let case = RandomCase::from_id(&result.id);
        let length = case.map_or(usize::MAX, |case| case.kernel().0.source.len());
        let size = (result.finding.reason == Reason::ControlRejected, length);
        let kept = if shape == WRONG_VALUES { REDUCED_OF_WRONG_VALUES } else { 1 };
        let members = self.by_shape.entry(shape).or_default();
        members.count += 1;
        let place = members.smallest.partition_point(|&smaller| smaller < (size, number));
        members.smallest.insert(place, (size, number));
        members.smallest.truncate(kept);
    }

    /// The clusters; of the numbers given, which are in order, one of each cluster is kept.
    pub fn keep_one_of_each(self, numbers: &mut Vec<usize>) -> Vec<Cluster> {
        let cluster = |(shape, members): (String, Members)| {
            let mut numbers = members.smallest.into_iter().map(|(_, number)| number);
            let smallest = numbers.next()?;
            Some(Cluster { shape, count: members.count, smallest, next: numbers.collect() })
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
            CaseResult::new(id, "cl12", &Expectation::Accept, outcome, finding)
        };
        let (small, large) = (result(Reason::RejectsValid), result(Reason::ControlRejected));
        let mut clusters = Clusters::default();
        for (number, result) in [(1, &large), (2, &small), (4, &large)] {
            clusters.add("rejects: Q".to_owned(), number, result);
        }
        // The others are none of random programs, or of random programs that this version does not know.
        let mut unexpected = vec![0, 1, 2, 3, 4];
        let clusters = clusters.keep_one_of_each(&mut unexpected);
        assert_eq!(unexpected, [0, 2, 3]);
        let shape = "rejects: Q".to_owned();
        assert_eq!(clusters, [Cluster { shape, count: 3, smallest: 2, next: Vec::new() }]);
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
        // Of a control, whose outcome is told by a line.
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
