//! Emitted modules that were compared with the text: broken laws in lines for people, and the counts of a run.

use std::collections::{BTreeMap, BTreeSet};

use expectations::outcome::BrokenLaw;
use results::{
    run::Run,
    text::{one_line, plural},
};

/// Length of the longest line.
const WIDTH: usize = 240;

/// Describes a broken law in lines: the law with the object and what is required there, then the line of the module.
pub fn broken_law_lines(broken: &BrokenLaw) -> Vec<String> {
    let BrokenLaw { law, subject, line, place, text, message } = broken;
    let subject = match (subject.as_str(), line) {
        ("", _) => String::new(),
        (subject, Some(line)) => format!(", {subject} in line {line}"),
        (subject, None) => format!(", {subject}"),
    };
    let mut lines = vec![one_line(&format!("{law}{subject}: {message}"), WIDTH)];
    if !text.is_empty() {
        lines.push(one_line(&format!("{place} of the module: {text}"), WIDTH));
    }
    lines
}

/// The modules of a run, counted by the laws that they break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LawCounts {
    /// Number of cases whose modules were compared with the text.
    pub compared: usize,
    /// Cases whose modules break any law.
    pub breaking: CasesOfLaw,
    /// Number of cases by law that they break.
    pub laws: BTreeMap<String, CasesOfLaw>,
}

/// The cases that break a law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CasesOfLaw {
    /// Number of those that a baseline entry explains.
    pub known: usize,
    /// Number of the others.
    pub unexpected: usize,
}

impl LawCounts {
    /// Counts the cases of a run.
    pub fn of(run: &Run) -> Self {
        let mut counts = Self::default();
        for (number, brief) in run.cases.briefs().enumerate() {
            if brief.outcome.module.is_none() {
                continue;
            }
            counts.compared += 1;
            if !brief.finding.kind.needs_explanation() {
                continue;
            }
            let case = run.cases.get(number);
            let broken = case.outcome.broken_laws().iter();
            let laws: BTreeSet<&str> = broken.map(|broken| broken.law.as_str()).collect();
            let is_known = run.entry_index(number).is_some();
            if !laws.is_empty() {
                counts.breaking.count(is_known);
            }
            for law in laws {
                counts.laws.entry(one_line(law, 60)).or_default().count(is_known);
            }
        }
        counts
    }

    /// Returns a line such as `modules of 20,000 cases compared with the text: pointer-parameter 410 expected`. The
    /// line is empty if no module was compared.
    pub fn text(&self) -> String {
        if self.compared == 0 {
            return String::new();
        }
        let laws: Vec<String> = self.laws.iter().map(|(law, cases)| cases.text(law)).collect();
        let laws = match laws.as_slice() {
            [] => "no law is broken".to_owned(),
            laws => laws.join(", "),
        };
        format!("modules of {} compared with the text: {laws}", plural(self.compared, "case"))
    }
}

impl CasesOfLaw {
    fn count(&mut self, is_known: bool) {
        *if is_known { &mut self.known } else { &mut self.unexpected } += 1;
    }

    fn text(self, law: &str) -> String {
        let counts = [(self.unexpected, "unexpected"), (self.known, "expected")];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, word)| format!("{count} {word}")).collect();
        format!("{law} {}", counts.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use expectations::{
        dialect::Dialect,
        judge::{Finding, FindingKind, Reason},
        outcome::{ComparedModule, Outcome, OutcomeKind},
        rule::Expectation,
    };
    use results::line::CaseResult;

    use super::*;
    use crate::fixtures;

    fn broken(law: &str) -> BrokenLaw {
        BrokenLaw {
            law: law.to_owned(),
            subject: "k.x".to_owned(),
            line: Some(3),
            place: "line 12".to_owned(),
            text: "@k.x = addrspace(1) global i32 0".to_owned(),
            message: "it is in private; the module has it in global (1)".to_owned(),
        }
    }

    #[test]
    fn a_broken_law_names_object_and_line() {
        assert_eq!(
            broken_law_lines(&broken("private-object")),
            [
                "private-object, k.x in line 3: it is in private; the module has it in global (1)",
                "line 12 of the module: @k.x = addrspace(1) global i32 0",
            ]
        );
        let whole = BrokenLaw { subject: String::new(), text: String::new(), ..broken("form") };
        assert_eq!(
            broken_law_lines(&whole),
            ["form: it is in private; the module has it in global (1)"]
        );
    }

    #[test]
    fn cases_are_counted_by_law() {
        let case = |number: usize, laws: Option<&[&str]>| {
            let module = laws.map(|laws| {
                Box::new(ComparedModule { broken: laws.iter().map(|law| broken(law)).collect() })
            });
            let finding = match laws {
                Some([_, ..]) => Finding { kind: FindingKind::Fail, reason: Reason::LoweredWrong },
                _ => Finding { kind: FindingKind::Pass, reason: Reason::AsExpected },
            };
            let outcome = Outcome { module, ..Outcome::new(OutcomeKind::Accepted) };
            let dialect = Dialect::from_name("cl12").unwrap();
            let id = format!("a/b/cl12/x={number}");
            CaseResult::new(&id, dialect, &Expectation::Accept, outcome, finding)
        };
        let cases = vec![
            case(0, None),
            case(1, Some(&[])),
            case(2, Some(&["object-size", "object-size", "pointer-cast"])),
            case(3, Some(&["object-size"])),
        ];
        let mut run = fixtures::run("x", "", cases);
        run.judgement.baseline.explained = vec![(3, 0)];
        run.judgement.baseline.unexpected = vec![2];
        let counts = LawCounts::of(&run);
        assert_eq!((counts.compared, counts.breaking), (3, CasesOfLaw { known: 1, unexpected: 1 }));
        assert_eq!(
            counts.text(),
            "modules of 3 cases compared with the text: object-size 1 unexpected and 1 expected, pointer-cast 1 unexpected"
        );
        let run = fixtures::run("x", "", vec![case(1, Some(&[]))]);
        assert_eq!(
            LawCounts::of(&run).text(),
            "modules of 1 case compared with the text: no law is broken"
        );
        let run = fixtures::run("x", "", vec![case(0, None)]);
        assert_eq!(LawCounts::of(&run).text(), "");
    }
}
