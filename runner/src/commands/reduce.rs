//! `address-spaces reduce`: shortens a program while the device gives the same answer.

use std::{collections::BTreeSet, ops::Range, path::Path};

use expectations::{
    case_id::CaseId,
    device::DeviceFile,
    dialect::Dialect,
    outcome::{Outcome, OutcomeKind, Phase},
    probe::Probe,
};
use generator::random::RandomCase;

use super::{CommandError, run_with};
use crate::{
    cli::ReduceArgs,
    device::{files, install},
    engine::{
        Config, EngineError, ExpectedVerdict, Job, Laws, Placement, RunWith, Until, WorkerCommand,
    },
    findings::clusters,
    interrupts,
    output::note,
    overlay,
    reduce::{
        builds::{Builds, ReduceError},
        diagnoses::{Diagnoses, FrontEnd},
        outcome_log::OutcomeLog,
        random::{self, ReducedPair, Reduction},
        text,
    },
};

/// Part of an outcome that has to stay the same.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DeviceAnswer {
    kind: OutcomeKind,
    message: String,
    /// Every error and warning of a verdict.
    messages: BTreeSet<String>,
    /// The part that gives the answer, where a driver is given modules.
    part: Option<AnsweringPart>,
}

/// A part of a device that is given modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnsweringPart {
    FrontEnd,
    /// The steps that make the module.
    Producer,
    /// The driver, which is given it.
    Consumer,
}

impl AnsweringPart {
    const fn of(phase: Phase) -> Self {
        match phase {
            Phase::Build => Self::FrontEnd,
            Phase::MakeModule => Self::Producer,
            Phase::TakeModule | Phase::CreateKernel | Phase::GenerateCode | Phase::Run => {
                Self::Consumer
            }
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::FrontEnd => "front end",
            Self::Producer => "producer",
            Self::Consumer => "consumer",
        }
    }
}

impl DeviceAnswer {
    /// Whether this is the answer of `whole`, with nothing new.
    fn is_part_of(&self, whole: &Self) -> bool {
        self.kind == whole.kind
            && self.part == whole.part
            && self.message == whole.message
            && self.messages.is_subset(&whole.messages)
    }
}

/// Reduces a random program or the program of a file, and returns what is left.
pub fn command(args: &ReduceArgs) -> Result<String, CommandError> {
    let ReduceArgs { file, device, through, against, control, progress, dialect } = args;
    let device = files::load_through(device, through.as_deref())?;
    let id = file.to_str().filter(|id| CaseId::new(id).is_random());
    match (id, progress, against, control, dialect) {
        (Some(id), progress, None, None, None) => reduce_case(id, &device, progress.as_deref()),
        (Some(_), ..) => Err(CommandError::Usage(
            "a random program has its own dialect and control: leave out `--dialect`, `--control` \
             and `--against`"
                .to_owned(),
        )),
        (None, Some(_), ..) => Err(CommandError::Usage(
            "`--progress` is for random programs: name one by its id, `random/...`".to_owned(),
        )),
        (None, None, against, control, dialect) => reduce(
            file,
            device,
            against.as_deref(),
            control.as_deref(),
            dialect.unwrap_or_default().0,
        ),
    }
}

/// Reduces the random program of an id and returns the rest. If the program is executed, the rest is defined and is
/// returned with the values that it must compute. A file of `progress` keeps the programs tried, for a later call.
///
/// # Errors
///
/// The id, the device or the file of `progress` cannot be used, or the device gets the program right, always or
/// sometimes.
fn reduce_case(
    id: &str,
    device: &DeviceFile,
    progress: Option<&Path>,
) -> Result<String, CommandError> {
    let suite = overlay::suite()?;
    let case =
        RandomCase::from_id(id).map_err(|error| CommandError::Selection(error.to_string()))?;
    let expectation = suite.random_expectation(&case).clone();
    let config = Config::new(worker()?, install::folder(&device.folder_name()));
    let cancel = interrupts::cancel();
    let log = progress.map(|path| OutcomeLog::open(path, &name_of(device), id)).transpose();
    let log = log.map_err(ReduceError::from)?;
    let builds = Builds::new(device, config, &cancel, None).with_log(log);
    let (reduced, left_to_try) = match random::reduce_one(case, expectation, &builds)? {
        Reduction::Smaller { reduced, left_to_try } => (*reduced, left_to_try),
        Reduction::Right => {
            return Err(CommandError::Usage(format!(
                "device `{}` gets this program right, or does not have {}: there is nothing to \
                 reduce",
                device.name, case.dialect
            )));
        }
        Reduction::ComesAndGoes(other) => {
            return Err(CommandError::Usage(format!(
                "device `{}` gets this program wrong only sometimes ({:?} at another time), and \
                 such a program cannot be reduced: see how often with `address-spaces --device {} \
                 --exact {id} --retries 20`",
                device.name,
                other.kind,
                words_of(device)
            )));
        }
    };
    note(&format!("{}: {}", name_of(device), results::text::printable(&reduced.looks())));
    if left_to_try > 0 {
        let programs = results::text::plural(left_to_try, "program");
        note(&match progress {
            Some(path) => format!(
                "interrupted: {programs} are left to try; the same command continues from {}",
                path.display()
            ),
            None => format!(
                "interrupted: {programs} are left to try, and the progress is lost: with \
                 `--progress FILE` a later command can continue"
            ),
        });
    }
    let ReducedPair { edited, control, probe, .. } = reduced;
    let computed = probe.as_ref().map_or_else(String::new, computed);
    let control = control.map_or_else(String::new, |text| format!("/* Its control: */\n{text}"));
    Ok(format!("{edited}{control}{computed}"))
}

/// Prints a note that the result may not be the smallest, if the reduction was interrupted.
fn note_interruption() {
    if interrupts::cancel().is_cancelled() {
        note("interrupted: the result may not be the smallest");
    }
}

/// Returns a comment with the run of a program and the required values.
fn computed(probe: &Probe) -> String {
    format!("/* {} */\n", run_with::lines(probe).join("\n * "))
}

/// Reduces the program of a file and returns the rest.
fn reduce(
    file: &Path,
    device: DeviceFile,
    against: Option<&str>,
    control: Option<&Path>,
    dialect: Dialect,
) -> Result<String, CommandError> {
    let source = read(file)?;
    let control = control.map(read).transpose()?;
    let against = against.map(files::load).transpose()?;
    let devices: Vec<DeviceFile> = std::iter::once(device).chain(against).collect();
    let wanted: Vec<DeviceAnswer> = answers_of(&devices, dialect, std::slice::from_ref(&source))?
        .into_iter()
        .flatten()
        .collect();
    check(&devices, &wanted, dialect)?;
    for (device, said) in devices.iter().zip(&wanted) {
        let part = said.part.map(|part| format!(" ({})", part.text()));
        note(&format!(
            "{}: {:?}{} {}",
            name_of(device),
            said.kind,
            part.unwrap_or_default(),
            results::text::printable(&said.message)
        ));
    }
    if let Some(control) = control {
        return reduce_with(&devices, &wanted, dialect, &[source, control]);
    }
    let mut judge = CandidateJudge::new(&devices, &wanted, dialect, std::array::from_ref(&source));
    let reduced = text::reduce(&source, |texts: &[String]| {
        let candidates: Vec<[String; 1]> = texts.iter().map(|text| [text.clone()]).collect();
        judge.judge(&candidates)
    })?;
    let rounds = judge.rounds;
    note(&format!("{} of {} bytes are left after {rounds} rounds", reduced.len(), source.len()));
    note_interruption();
    Ok(reduced)
}

/// Reduces a program and its control together: the devices keep giving the same answer for the program, and accept the
/// control. The result is one program.
fn reduce_with(
    devices: &[DeviceFile],
    wanted: &[DeviceAnswer],
    dialect: Dialect,
    texts: &[String; 2],
) -> Result<String, CommandError> {
    let [source, control] = texts;
    if source == control {
        let message = "the program and its control are the same: name a control that the devices \
             accept";
        return Err(CommandError::Usage(message.to_owned()));
    }
    for (device, said) in devices.iter().zip(answers_of(devices, dialect, &texts[1..])?) {
        if let Some(said) = said.first().filter(|said| said.kind != OutcomeKind::Accepted) {
            return Err(CommandError::Usage(format!(
                "device `{}` does not accept the control ({:?} {}): name one that it accepts",
                device.name,
                said.kind,
                results::text::printable(&said.message)
            )));
        }
    }
    let mut judge = CandidateJudge::new(devices, wanted, dialect, texts);
    let reduced = text::reduce_pair_to_words(texts, |pairs| judge.judge(pairs))?;
    let rounds = judge.rounds;
    note(&format!(
        "{} of {} bytes are left after {rounds} rounds; with -D{CONTROL} it is the control",
        reduced[0].len(),
        source.len()
    ));
    note_interruption();
    Ok(text::as_one(&reduced, CONTROL))
}

/// The judge of candidates, each a program, or a program with its control.
struct CandidateJudge<'r, const N: usize> {
    devices: &'r [DeviceFile],
    wanted: &'r [DeviceAnswer],
    dialect: Dialect,
    front_end: FrontEnd,
    /// Diagnostics of the whole texts.
    whole: [Diagnoses; N],
    /// Number of rounds so far.
    rounds: usize,
}

impl<'r, const N: usize> CandidateJudge<'r, N> {
    fn new(
        devices: &'r [DeviceFile],
        wanted: &'r [DeviceAnswer],
        dialect: Dialect,
        texts: &[String; N],
    ) -> Self {
        let mut front_end = FrontEnd::new(dialect);
        let whole = texts.each_ref().map(|text| front_end.diagnoses(text));
        Self { devices, wanted, dialect, front_end, whole, rounds: 0 }
    }

    /// Returns for each candidate whether the devices give the same answer, and none has a new diagnostic. Those
    /// with a new diagnostic of our own front end are not built.
    fn judge(&mut self, candidates: &[[String; N]]) -> Result<Vec<bool>, CommandError> {
        self.rounds += 1;
        let fits: Vec<bool> = candidates.iter().map(|candidate| self.fits(candidate)).collect();
        let fitting = candidates.iter().zip(&fits).filter(|(_, fits)| **fits);
        let built: Vec<String> = fitting.flat_map(|(candidate, _)| candidate.clone()).collect();
        let said = answers_of(self.devices, self.dialect, &built)?;
        let mut places = (0..).step_by(N);
        let holds = |fits: bool| {
            fits && places.next().is_some_and(|place| self.is_kept(&said, place..place + N))
        };
        Ok(fits.into_iter().map(holds).collect())
    }

    fn fits(&mut self, candidate: &[String; N]) -> bool {
        let mut texts = candidate.iter().zip(&self.whole);
        texts.all(|(text, whole)| self.front_end.diagnoses(text).are_within(whole))
    }

    /// Whether these answers of each device are those of the whole, the control accepted.
    fn is_kept(&self, said: &[Vec<DeviceAnswer>], places: Range<usize>) -> bool {
        said.iter().zip(self.wanted).all(|(said, wanted)| match &said[places.clone()] {
            [program, control @ ..] => {
                program.is_part_of(wanted)
                    && control.iter().all(|control| control.kind == OutcomeKind::Accepted)
            }
            [] => false,
        })
    }
}

/// The macro that makes a reduced program its control.
const CONTROL: &str = "CONTROL";

/// Reads the program of a file.
fn read(file: &Path) -> Result<String, CommandError> {
    let path = file.display();
    let bytes = std::fs::read(file)
        .map_err(|source| CommandError::File { path: path.to_string(), source })?;
    let source = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        CommandError::Usage(format!("{path}: it is not UTF-8 from byte {at} on: convert it first"))
    })?;
    if source.trim().is_empty() {
        return Err(CommandError::Usage(format!(
            "{path}: the file is empty: there is nothing to reduce"
        )));
    }
    Ok(source)
}

/// Whether there is something to keep.
fn check(
    devices: &[DeviceFile],
    said: &[DeviceAnswer],
    dialect: Dialect,
) -> Result<(), CommandError> {
    let usage = |text: String| Err(CommandError::Usage(text));
    for (device, said) in devices.iter().zip(said) {
        let (name, message) = (&device.name, &said.message);
        match said.kind {
            OutcomeKind::Unsupported => {
                return usage(format!(
                    "device `{name}` does not have {dialect} ({message}): name another with \
                     `--dialect`"
                ));
            }
            OutcomeKind::Failed => {
                return usage(format!(
                    "device `{name}` gives no verdict on this program ({message}): there is \
                     nothing to reduce"
                ));
            }
            _ => {}
        }
    }
    match said {
        [only] if only.kind == OutcomeKind::Accepted => usage(format!(
            "device `{}` accepts this program: name the device that does not with `--against`",
            devices[0].name
        )),
        [one, other] if one.kind == other.kind => usage(format!(
            "devices `{}` and `{}` agree on this program ({:?}): there is no disagreement to keep",
            devices[0].name, devices[1].name, one.kind
        )),
        _ => Ok(()),
    }
}

/// Builds each text on each device and returns the answers.
fn answers_of(
    devices: &[DeviceFile],
    dialect: Dialect,
    texts: &[String],
) -> Result<Vec<Vec<DeviceAnswer>>, CommandError> {
    devices.iter().map(|device| said_by(device, dialect, texts)).collect()
}

fn said_by(
    device: &DeviceFile,
    dialect: Dialect,
    texts: &[String],
) -> Result<Vec<DeviceAnswer>, CommandError> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    // Only a program that should be valid becomes a module.
    let verdict = match device.through {
        None => ExpectedVerdict::Either,
        Some(_) => ExpectedVerdict::Accept,
    };
    let jobs: Vec<Job> = texts
        .iter()
        .enumerate()
        .map(|(index, source)| Job {
            id: index.to_string(),
            dialect,
            requirements: Vec::new(),
            source: source.clone(),
            required: verdict,
            expected: verdict,
            until: Until::Code,
            placement: Placement::Batch,
            run_with: RunWith::Nothing,
        })
        .collect();
    // In one program, texts that declare the same names would be in each other's way. Answers do not depend on modules.
    let config = Config {
        isolate: true,
        laws: Laws::Skipped,
        ..Config::new(worker()?, install::folder(&device.folder_name()))
    };
    let cancel = interrupts::cancel();
    let builds = Builds::new(device, config, &cancel, None);
    let outcomes = builds.outcomes(&jobs)?;
    let part = |outcome: &Outcome| {
        let is_answer = device.through.is_some() && outcome.kind != OutcomeKind::Accepted;
        is_answer.then(|| AnsweringPart::of(outcome.phase))
    };
    let answer = |outcome| DeviceAnswer { part: part(outcome), ..answer_of(outcome) };
    Ok(outcomes.iter().map(answer).collect())
}

/// Returns the words that name a device on the command line, with the compiler whose modules it is given.
fn words_of(device: &DeviceFile) -> String {
    match &device.through {
        None => device.name.clone(),
        Some(producer) => format!("{} --through {}", device.name, producer.name),
    }
}

/// Returns the name of a device, with the compiler whose modules it is given.
fn name_of(device: &DeviceFile) -> String {
    match &device.through {
        None => device.name.clone(),
        Some(producer) => format!("{} through {}", device.name, producer.name),
    }
}

fn worker() -> Result<WorkerCommand, CommandError> {
    let worker = WorkerCommand::this_program(vec!["worker".into()])
        .map_err(|source| EngineError::Machine { action: "starting a worker".to_owned(), source });
    Ok(worker?)
}

fn answer_of(outcome: &Outcome) -> DeviceAnswer {
    let message = match outcome.kind {
        OutcomeKind::Accepted => String::new(),
        OutcomeKind::Rejected => clusters::first_message(&outcome.log),
        _ => clusters::death(outcome),
    };
    let is_verdict = !outcome.kind.is_failure();
    let messages = if is_verdict { clusters::messages(&outcome.log) } else { BTreeSet::new() };
    DeviceAnswer { kind: outcome.kind, message, messages, part: None }
}
