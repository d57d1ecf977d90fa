//! An entry of a baseline: the cases that it matches, the findings that it explains, and the reason.

use std::collections::BTreeSet;

use serde::Deserialize;
use wildmatch::WildMatch;

use crate::{
    case_id::CaseId,
    dialect::Dialect,
    implementation::{Identity, Implementation},
    judge::{Direction, Finding, Reason},
    load::FileError,
    outcome::{BrokenLaw, Phase},
    predicate::{self, Axes, Predicate, suggestion},
    renamed,
    rule::{Rule, choice},
    verdict::Verdict,
    wrong_values::{Shape, ShapePattern},
};

/// Reason class of a deviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviationKind {
    /// The driver is wrong.
    DriverBug,
    /// The driver claims, or was tested for, a feature that it does not have.
    FeatureNotSupported,
    /// The driver follows another reading of the text.
    DisputedReading,
    /// Written by `--bless`, not yet looked at: may not land.
    Unreviewed,
}

/// Findings that a deviation explains.
#[derive(Clone, Debug, PartialEq)]
pub enum Explanation {
    /// The case deviates in one of these ways.
    Findings(Vec<Direction>),
    /// The device treats the case as one of this dialect: it accepts what is valid there and rejects what is invalid
    /// there.
    BehavesAs(Dialect),
    /// Deviations of random programs that look like this.
    Shape(ShapePattern),
}

/// A baseline entry: every case it matches may have such a finding, and some case must.
#[derive(Clone, Debug)]
pub struct Deviation {
    /// Case ids, with `*` and `?`.
    pub cases: Vec<String>,
    pub(super) patterns: Vec<WildMatch>,
    /// Condition on the axes of the rules; without one the entry matches all cases of its patterns.
    pub(super) when: Option<When>,
    /// Findings that the entry explains.
    pub known: Explanation,
    /// The one law that modules of its cases break, where their finding is `lowered-wrong`.
    pub law: Option<String>,
    /// The phase in which the deviation appears, if it is known. A case that did not reach the phase is not evidence.
    pub phase: Option<Phase>,
    /// Reason class of the deviation.
    pub kind: DeviationKind,
    /// The id of what is wrong, which other entries may name too.
    pub cause: Option<String>,
    /// Description of the defect for a driver developer.
    pub reason: String,
    /// The case that shows it best, with its control: one whose finding the entry explains.
    pub example: Option<String>,
    /// The program that shows it best, where no case of the suite does.
    pub program: Option<Program>,
    /// The front ends and devices that the entry is about, in some of their versions. An entry without any, in a
    /// device's file, is about every version of the device.
    pub implementations: Vec<Implementation>,
    /// The compilers through whose modules a driver is given its programs in the runs that the entry is about. An entry
    /// without any is about what the driver makes of sources, and about its own part in runs through a compiler.
    pub through: Vec<String>,
    /// The part of a run through a compiler that the entry is about.
    pub part: RunPart,
    /// A bug report or passage.
    pub link: Option<String>,
    /// The file of the entry.
    pub path: String,
    /// Line in that file.
    pub line: usize,
}

/// A condition over the axes of the rules that an entry matches.
#[derive(Clone, Debug)]
pub(super) struct When {
    pub(super) text: String,
    /// Line and column of its first character.
    pub(super) place: (usize, usize),
    /// Parsed condition for each rule; empty until [`resolve`] has seen the rules.
    pub(super) of_rules: Vec<(String, Axes, Predicate)>,
}

impl When {
    fn resolve(
        &mut self,
        path: &str,
        cases: &[String],
        rules: &[Rule],
        known: &[&str],
    ) -> Result<(), FileError> {
        let (line, column) = self.place;
        let error = |offset: usize, message: String| FileError {
            path: path.to_owned(),
            line,
            column: column + offset,
            message,
        };
        self.of_rules.clear();
        for pattern in cases {
            let rule = rule_of(pattern);
            if rule.contains(['*', '?']) {
                let message = format!(
                    "`when` is about the axes of a rule: name the rule in `{pattern}`, as `family/rule/*`"
                );
                return Err(error(0, message));
            }
            if self.of_rules.iter().any(|(other, ..)| *other == rule) {
                continue;
            }
            let Some(found) = rules.iter().find(|known| known.id == rule) else {
                return Err(error(
                    0,
                    format!("`{rule}` is not a rule{}", suggestion(&rule, known)),
                ));
            };
            let predicate = predicate::parse(&self.text, &found.axes)
                .map_err(|wrong| error(wrong.offset, format!("of `{rule}`: {}", wrong.message)))?;
            self.of_rules.push((rule, found.axes.clone(), predicate));
        }
        Ok(())
    }

    fn holds(&self, case: &str) -> bool {
        let id = CaseId::new(case);
        let Some(dialect) = Dialect::from_name(id.dialect()) else { return false };
        self.of_rules.iter().any(|(rule, axes, predicate)| {
            rule == id.rule()
                && choice(axes, id.point()).is_some_and(|choice| predicate.holds(&choice, dialect))
        })
    }
}

/// Returns the current name of the rule that a pattern names.
fn rule_of(pattern: &str) -> String {
    CaseId::new(&renamed::current(pattern)).rule().to_owned()
}

/// The part of a run that an entry is about, where a driver is given the modules that a compiler makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunPart {
    /// All of it.
    #[default]
    Whole,
    /// The compiler's part: its front end, and the making of the module.
    Producer,
    /// The driver's part: everything that happens to the module.
    Consumer,
}

impl RunPart {
    /// Returns the part, compiler or driver, that a finding is about.
    pub fn of(reached: Phase, reason: Reason) -> Self {
        if reached <= Phase::MakeModule || reason == Reason::LoweredWrong {
            Self::Producer
        } else {
            Self::Consumer
        }
    }

    /// Whether what was found of a case was found in this part.
    fn has(self, case: &JudgedCase<'_>) -> bool {
        self == Self::Whole || self == Self::of(case.reached, case.finding.reason)
    }
}

/// A valid program that a device does not accept: the core of a deviation of random programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The dialect it is written in.
    pub dialect: Dialect,
    /// Source of the program.
    pub source: String,
}

impl Deviation {
    /// Whether the entry would explain the case's finding if it matched the case; `meets` says whether the outcome is
    /// right for another dialect.
    pub(super) fn knows(&self, case: &JudgedCase<'_>, meets: impl FnOnce(Dialect) -> bool) -> bool {
        let finding = case.finding.kind;
        if self.phase.is_some_and(|phase| phase != case.reached) || !self.part.has(case) {
            return false;
        }
        match &self.known {
            Explanation::Findings(directions) => {
                let is_of_law =
                    |law: &String| case.broken_laws().iter().all(|broken| broken.law == *law);
                directions.iter().any(|direction| direction.includes(case.finding))
                    && self.law.as_ref().is_none_or(is_of_law)
            }
            Explanation::BehavesAs(dialect) => finding.needs_explanation() && meets(*dialect),
            Explanation::Shape(pattern) => {
                finding.needs_explanation()
                    && case.shape.is_some_and(|shape| pattern.matches(shape))
            }
        }
    }

    /// Whether the case got far enough to show what the entry describes.
    pub(super) fn is_shown_by(&self, case: &JudgedCase<'_>) -> bool {
        let is_of_modules = self.directions() == [Direction::LoweredWrong];
        self.phase.is_none_or(|phase| case.reached >= phase)
            && (!is_of_modules || case.broken.is_some())
    }

    /// Returns the directions that the entry names; none if it explains findings in another way.
    pub fn directions(&self) -> &[Direction] {
        match &self.known {
            Explanation::Findings(directions) => directions,
            Explanation::BehavesAs(_) | Explanation::Shape(_) => &[],
        }
    }

    /// Whether the entry is only about shared programs: none of its cases shows the deviation when it is built alone.
    pub(super) fn is_of_shared_programs(&self) -> bool {
        self.directions() == [Direction::CrashWithOthers]
    }

    /// Whether the entry says that the outcomes of its cases change from run to run: a pass in one run does not make it
    /// stale.
    pub(super) fn is_flaky(&self) -> bool {
        self.directions().contains(&Direction::Flaky)
    }

    /// Whether the entry is about this device.
    pub fn is_of(&self, identity: &Identity<'_>) -> bool {
        self.implementations.is_empty() || self.implementations.iter().any(|name| name.is(identity))
    }

    /// Whether the entry is about random programs: a run may have none that show it.
    pub fn is_of_random_programs(&self) -> bool {
        self.cases.iter().all(|cases| CaseId::new(cases).is_random())
    }

    /// Whether the entry matches the case, whatever its finding. The entry may use the former name of the rule.
    pub fn matches(&self, case: &str) -> bool {
        (0..self.patterns.len()).any(|pattern| self.pattern_matches(pattern, case))
            && self.is_meant(case)
    }

    /// Whether its condition holds.
    pub(super) fn is_meant(&self, case: &str) -> bool {
        self.when.as_ref().is_none_or(|when| when.holds(case))
    }

    /// Returns the condition on the cases as it is written in the file.
    pub fn when(&self) -> Option<&str> {
        self.when.as_ref().map(|when| when.text.as_str())
    }

    /// Whether fewer than nine in ten of the matching cases deviate as the entry says: it would hide new deviations of
    /// the others. Entries without a direction are exempt.
    pub fn is_too_wide(&self, coverage: &Coverage) -> bool {
        let directions = self.directions();
        !directions.is_empty()
            && !directions.contains(&Direction::Fail)
            && !self.is_flaky()
            && !self.is_of_random_programs()
            && coverage.deviating * 10 < coverage.cases * 9
    }

    /// Whether this pattern matches the case, whatever the entry's condition.
    pub(super) fn pattern_matches(&self, pattern: usize, case: &str) -> bool {
        let pattern = &self.patterns[pattern];
        pattern.matches(case) || renamed::former(case).is_some_and(|old| pattern.matches(&old))
    }

    /// Returns a part of the entry in words.
    pub fn part_text(&self, part: Part) -> String {
        match part {
            Part::Pattern(index) => self.cases[index].clone(),
            Part::Finding(direction) => format!("the finding `{}`", direction.name()),
            Part::Example => format!("the example {}", self.example.as_deref().unwrap_or_default()),
        }
    }
}

/// Returns the rules that [`resolve`] needs: those that entries with a condition name.
pub fn rules_of_conditions(deviations: &[Deviation]) -> BTreeSet<String> {
    let with_condition = deviations.iter().filter(|deviation| deviation.when.is_some());
    with_condition.flat_map(|deviation| &deviation.cases).map(|pattern| rule_of(pattern)).collect()
}

/// Checks the conditions of entries against the axes of their rules; `known` are the names of all rules. Until this is
/// called an entry with a condition matches no case.
pub fn resolve(
    deviations: &mut [Deviation],
    rules: &[Rule],
    known: &[&str],
) -> Result<(), FileError> {
    for deviation in deviations {
        if let Some(when) = &mut deviation.when {
            when.resolve(&deviation.path, &deviation.cases, rules, known)?;
        }
    }
    Ok(())
}

/// A case's finding, as a baseline sees it.
#[derive(Clone, Copy, Debug)]
pub struct JudgedCase<'c> {
    /// Shape of the deviation of a random program; `None` for other cases.
    pub shape: Option<&'c Shape>,
    /// The case.
    pub id: &'c str,
    /// Verdict of the text on it.
    pub verdict: Verdict,
    /// Judgement of the case.
    pub finding: Finding,
    /// The phase it came to, as [`crate::outcome::Outcome::reached`] gives it.
    pub reached: Phase,
    /// Laws that its module breaks; `None` if no module was compared with the text.
    pub broken: Option<&'c [BrokenLaw]>,
}

impl JudgedCase<'_> {
    fn broken_laws(&self) -> &[BrokenLaw] {
        self.broken.unwrap_or_default()
    }
}

/// Number of cases of an entry that deviate as it says. Cases that cannot deviate are left out: disputed and
/// unsupported ones, valid ones where the entry says that invalid ones are accepted, and the other way round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Number of cases of this run that the entry matches.
    pub cases: usize,
    /// Number of cases that deviate as the entry says.
    pub deviating: usize,
    /// The first that passes.
    pub passing: Option<String>,
}

/// A part of a deviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One of its patterns, by index.
    Pattern(usize),
    /// One of its findings.
    Finding(Direction),
    Example,
}
