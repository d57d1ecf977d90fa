//! The modules that a compiler emits for programs of several cases, compared with the cases' text.

use std::{collections::BTreeSet, sync::mpsc::Sender};

use checker::Checker;
use expectations::{
    dialect::Dialect,
    outcome::{BrokenLaw, ComparedModule},
    requirement::Requirement,
};
use lowering::{
    compare,
    laws::{Comparison, Violation},
    target::UnknownTarget,
    text_at,
};

use super::{
    program::Program,
    queue::probe_options,
    scheduler::{GroupFacts, Scheduler},
    types::Event,
};
use crate::device::{BuildAnswer, checker::checker_dialect};

/// A module that a compiler emitted for a program.
pub(super) struct ProgramModule<'p> {
    pub(super) program: &'p Program,
    pub(super) dialect: Dialect,
    /// Requirements of the cases.
    pub(super) requirements: &'p [Requirement],
    /// Definitions that its compiler was given, as they stand behind `-D`.
    pub(super) definitions: &'p [String],
    pub(super) bytes: &'p [u8],
}

/// A program whose module was compared with its text.
#[derive(Clone, Debug)]
pub struct ComparedProgram {
    /// Objects and parameters that were looked for; its violations are in `cases`.
    pub comparison: Comparison,
    /// Result for each case, in the order of the program.
    pub cases: Vec<ComparedModule>,
}

/// A reason why nothing is known of the cases of a module.
#[derive(Clone, Debug)]
pub(super) enum ComparisonError {
    /// A law is broken, and it is not known by which case: smaller programs have to show it.
    BrokenByAny,
    UnknownTarget(UnknownTarget),
}

impl Scheduler<'_> {
    /// Compares the module that was emitted for the program of these jobs with their text; returns `None` if no module
    /// was requested. An unknown target is reported once.
    pub(super) fn compared(
        &self,
        group: &GroupFacts,
        jobs: &[usize],
        program: &Program,
        answer: &BuildAnswer,
        events: &Sender<Event>,
    ) -> Result<Option<ComparedProgram>, ComparisonError> {
        if group.output.is_none() {
            return Ok(None);
        }
        let requirements = jobs.iter().flat_map(|&job| self.jobs[job].requirements.iter().copied());
        let requirements: BTreeSet<Requirement> = requirements.collect();
        let module = ProgramModule {
            program,
            dialect: group.dialect,
            requirements: &requirements.into_iter().collect::<Vec<_>>(),
            definitions: &self.definitions(jobs),
            bytes: &answer.output,
        };
        let compared = module.compare();
        if let Err(ComparisonError::UnknownTarget(error)) = &compared
            && self.is_first_unknown_target()
        {
            let warning = format!("{}: no module is compared: {error}", self.device.name);
            let _ = events.send(Event::Warning(warning));
        }
        compared.map(Some)
    }

    /// Returns the definitions with which the probes of these jobs have their program built, each once.
    fn definitions(&self, jobs: &[usize]) -> Vec<String> {
        let limits = self.limits();
        let of_job = |&job: &usize| probe_options(&self.device.kind, &self.jobs[job], &limits);
        let options = jobs.iter().flat_map(of_job);
        let definitions: BTreeSet<String> =
            options.filter_map(|option| Some(option.strip_prefix("-D")?.to_owned())).collect();
        definitions.into_iter().collect()
    }
}

impl ProgramModule<'_> {
    /// Compares the module with the text. A violation belongs to the case whose line `#line` names, else to the case
    /// whose own names it has.
    pub(super) fn compare(&self) -> Result<ComparedProgram, ComparisonError> {
        let plain = || Checker::new(checker_dialect(self.dialect, self.requirements));
        let mut checker = plain();
        for definition in self.definitions {
            checker = checker.define(definition).unwrap_or_else(|_| plain());
        }
        checker.check("program.cl", &self.program.text);
        let mut comparison =
            compare(&checker.objects(), self.bytes).map_err(ComparisonError::UnknownTarget)?;
        let mut cases = vec![ComparedModule::default(); self.program.len()];
        for violation in std::mem::take(&mut comparison.violations) {
            let case = self.case_of(&violation).ok_or(ComparisonError::BrokenByAny)?;
            cases[case].broken.push(self.broken_law(violation));
        }
        Ok(ComparedProgram { comparison, cases })
    }

    fn case_of(&self, violation: &Violation) -> Option<usize> {
        if self.program.len() == 1 {
            return Some(0);
        }
        let of_place =
            violation.place.as_ref().and_then(|place| self.program.case_named(&place.file));
        of_place.or_else(|| self.program.only_case_with(&violation.subject))
    }

    fn broken_law(&self, violation: Violation) -> BrokenLaw {
        let Violation { law, subject, place, module_place, message } = violation;
        BrokenLaw {
            law: law.facts().name.to_owned(),
            subject,
            line: place.map(|place| place.line),
            place: module_place.to_string(),
            text: text_at(self.bytes, module_place),
            message,
        }
    }
}
