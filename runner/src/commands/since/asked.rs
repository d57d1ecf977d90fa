//! The program that every version is tested with, and the answer of one.

use std::path::Path;

use expectations::{
    case_id::CaseId, cause::GUILTY, device::DeviceFile, dialect::Dialect, outcome::OutcomeKind,
    rule::Expectation,
};
use generator::{random::RandomCase, suite::Suite};
use results::text::one_line;

use crate::{
    commands::CommandError,
    device::{files, text::telling_line},
    engine::{ExpectedVerdict, Job, Placement, RunWith, Until},
    findings::{clusters::death, judging::PreparedCase},
    interrupts,
    reduce::builds::Builds,
    run::{
        alone::{self, Answer},
        devices,
    },
};

/// A program with what the text requires of it.
pub(super) enum Subject<'s> {
    /// A case of the suite or a random program, followed by its control.
    Cases(Vec<PreparedCase<'s>>),
    /// A program of a file.
    File(Box<Job>),
}

impl<'s> Subject<'s> {
    /// Returns the subject that a word names: a file, the id of a case or of a random program, or a cause.
    ///
    /// # Errors
    ///
    /// The word is none of these, or the text leaves the case open.
    pub(super) fn named(
        suite: &'s Suite,
        word: &str,
        device: &DeviceFile,
        dialect: Dialect,
    ) -> Result<Self, CommandError> {
        let path = Path::new(word);
        if path.is_file() {
            return of_file(path, dialect);
        }
        let example = example(word, device)?;
        let id = example.as_deref().unwrap_or(word);
        let cases = if CaseId::new(id).is_random() {
            let case = RandomCase::from_id(id);
            let case = case.map_err(|error| CommandError::Selection(error.to_string()))?;
            let both = case.control().into_iter().map(|control| (control, false));
            let both = std::iter::once((case, true)).chain(both);
            both.map(|(case, selected)| PreparedCase::random(suite, &case, selected)).collect()
        } else {
            let case = suite.case(id).map_err(|error| no_subject(word, &error.to_string()))?;
            alone::with_control(suite, case)?
        };
        if matches!(cases[0].expectation, Expectation::Disputed { .. }) {
            return Err(CommandError::Usage(format!(
                "`{id}` is disputed: no version is right or wrong; docs/disputed.md has the question"
            )));
        }
        Ok(Self::Cases(cases))
    }

    /// Returns the id of the case, or the path of the file.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Cases(cases) => &cases[0].id,
            Self::File(job) => &job.id,
        }
    }

    /// Returns the answer of a version, which is installed.
    pub(super) fn answer_of(&self, device: &DeviceFile) -> Result<Answer, CommandError> {
        match self {
            Self::Cases(cases) => Ok(Answer::of(&alone::result(cases, device)?)),
            Self::File(job) => answer_to_file(job, device),
        }
    }
}

/// Returns the example of the device's first entry with this cause, or the one case that an entry names; `None` of a
/// word that is not a cause.
fn example(word: &str, device: &DeviceFile) -> Result<Option<String>, CommandError> {
    let causes = files::causes().map_err(files::DeviceFileError::from)?;
    if !causes.causes.iter().any(|cause| cause.id == word) {
        return Ok(None);
    }
    let entries: Vec<_> =
        device.deviations.iter().filter(|entry| entry.cause.as_deref() == Some(word)).collect();
    let example = entries.iter().find_map(|entry| entry.example.as_ref());
    let named = entries.iter().flat_map(|entry| &entry.cases).find(|case| !case.contains('*'));
    let example = example.or(named).cloned();
    example.map(Some).ok_or_else(|| {
        CommandError::Selection(format!(
            "no entry of {} has an example of `{word}`: name a case, as `address-spaces list` prints it",
            device.name
        ))
    })
}

fn no_subject(word: &str, error: &str) -> CommandError {
    CommandError::Selection(format!(
        "{error}; and `{}` is neither a file nor a cause",
        one_line(word, 200)
    ))
}

fn of_file<'s>(path: &Path, dialect: Dialect) -> Result<Subject<'s>, CommandError> {
    let shown = path.display().to_string();
    let source = std::fs::read_to_string(path)
        .map_err(|source| CommandError::File { path: shown.clone(), source })?;
    let is_valid = !source.lines().any(|line| line.contains(GUILTY));
    let expected = if is_valid { ExpectedVerdict::Accept } else { ExpectedVerdict::Reject };
    Ok(Subject::File(Box::new(Job {
        id: shown,
        dialect,
        requirements: Vec::new(),
        source,
        required: expected,
        expected,
        until: if is_valid { Until::Code } else { Until::FrontEnd },
        placement: Placement::Batch,
        run_with: RunWith::Nothing,
    })))
}

fn answer_to_file(job: &Job, device: &DeviceFile) -> Result<Answer, CommandError> {
    let cancel = interrupts::cancel();
    let builds = Builds::new(device, devices::config_of_one(device)?, &cancel, None);
    let outcomes = builds.outcomes(std::slice::from_ref(job))?;
    let Some(outcome) = outcomes.into_iter().next() else {
        return Ok(Answer::Unknown("no answer".to_owned()));
    };
    let words = match outcome.kind {
        OutcomeKind::Accepted => "accepted".to_owned(),
        OutcomeKind::Rejected => {
            format!("rejected: {}", telling_line(&outcome.log).unwrap_or_default())
        }
        OutcomeKind::Unsupported | OutcomeKind::Failed => outcome.detail.clone(),
        _ => death(&outcome),
    };
    let words = one_line(&words, 300);
    Ok(match (outcome.kind, job.expected) {
        (OutcomeKind::Accepted, ExpectedVerdict::Accept)
        | (OutcomeKind::Rejected, ExpectedVerdict::Reject) => Answer::Right,
        (OutcomeKind::Unsupported | OutcomeKind::Failed, _) => Answer::Unknown(words),
        _ => Answer::Wrong(words),
    })
}
