//! Random programs that a device gets wrong: each kind reduced, shown, kept, and reported once.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    io::Write as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use expectations::{
    device::{DeviceFile, DeviceKind},
    wrong_values::Constructs,
};
use generator::{random::RandomCase, suite::Suite};
use reports::{
    handover::{ProgramForm, WrongValues, host_of_wrong_values},
    module_commands::ModuleCommands,
};
use results::{cluster::Cluster, run::Run};
use serde::{Deserialize, Serialize};

use crate::{
    device::build_options,
    engine::{Cancel, Config},
    exit,
    findings::clusters::computes_wrong_values,
    interrupts,
    output::{note, print},
    overlay,
    reduce::{
        builds::Builds,
        random::{self, ReducedPair},
    },
    run::error::RunError,
    run::{
        devices::{choose_of_plan, config, is_absent, known_broken},
        execute::{DeviceRun, run_programs},
        modules::{self, ProgramOptions},
        plan::{Programs, Rounds, RunPlan},
    },
};

/// Kinds of deviation that one run makes small; the others can be seen by their ids.
const MADE_SMALL: usize = 24;
/// Longest time for reducing on one device.
const MAKING_SMALL: Duration = Duration::from_secs(90);
/// Number of programs in one round of a timed run.
pub const ROUND: u64 = 2000;
/// Version of the corpus.
const FORMAT: u32 = 1;

/// One kind of deviation, as the corpus keeps it.
#[derive(Serialize, Deserialize)]
struct Entry {
    format: u32,
    shape: String,
    id: String,
    kernel: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    control: Option<String>,
    /// Remaining constructs of a program that is executed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    parts: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    spaces: BTreeSet<String>,
}

/// Reduces one program of each cluster, shows these, and writes them below the results.
pub fn reduce(
    plan: &RunPlan,
    suite: &Suite,
    run: &Run,
    reduced: Vec<ReducedPair>,
    several: bool,
    cancel: &Cancel,
) -> Result<(), RunError> {
    let clusters = &run.judgement.clusters;
    // A run that was stopped reduces them when it is resumed.
    let is_wanted = !clusters.is_empty() && !cancel.is_cancelled();
    let Some(device) = run.device.as_ref().filter(|_| is_wanted) else { return Ok(()) };
    let found = shrink_clusters(plan, suite, run, device, clusters, reduced, cancel)?;
    let text: String = found.iter().map(|found| reduced_text(&device.name, found)).collect();
    print(&text);
    if let Some(folder) = plan.keep.folder() {
        let folder = if several { folder.join(device.folder_name()) } else { folder.clone() };
        keep(&folder.join("random"), device, &found)?;
    }
    Ok(())
}

/// Returns one program of each cluster, as small as it could be made; those with wrong values are among `reduced`.
fn shrink_clusters(
    plan: &RunPlan,
    suite: &Suite,
    run: &Run,
    device: &DeviceFile,
    clusters: &[Cluster],
    reduced: Vec<ReducedPair>,
    cancel: &Cancel,
) -> Result<Vec<ReducedPair>, RunError> {
    let results = clusters.iter().map(|cluster| (cluster, run.cases.get(cluster.smallest)));
    let (wrong_values, others): (Vec<_>, Vec<_>) =
        results.partition(|(_, result)| computes_wrong_values(result));
    if others.len() > MADE_SMALL {
        note(&format!(
            "{}: the first {MADE_SMALL} of {} kinds of deviation are reduced",
            device.name,
            others.len()
        ));
    }
    let cases = others.into_iter().take(MADE_SMALL).filter_map(|(cluster, result)| {
        let case = RandomCase::from_id(&result.id).ok()?;
        Some((case, suite.random_expectation(&case).clone(), cluster.shape.clone()))
    });
    // Once more would tell flaky deviations from others, and each candidate is tried in another form anyway.
    let config = Config { retries: 0, isolate: false, ..config(&plan.builds, device)? };
    let end = Some(Instant::now() + MAKING_SMALL);
    let builds = Builds::new(device, config, cancel, end);
    let mut found: Vec<ReducedPair> = reduced
        .into_iter()
        .filter(|reduced| wrong_values.iter().any(|(_, result)| result.id == reduced.id))
        .collect();
    found.extend(random::reduce(cases.collect(), &builds)?);
    Ok(found)
}

fn reduced_text(device: &str, found: &ReducedPair) -> String {
    let mut text = format!("{device}: {}\n", results::text::printable(&found.looks()));
    let _ = writeln!(text, "  reduced from {}", found.id);
    for (name, program) in [("kernel", Some(&found.edited)), ("control", found.control.as_ref())] {
        for (number, line) in program.into_iter().flat_map(|program| program.lines().enumerate()) {
            let _ = writeln!(text, "  {:<8}{line}", if number == 0 { name } else { "" });
        }
    }
    text.push('\n');
    text
}

/// Writes `DIR/1/kernel.cl`, `control.cl`, `host.c` and `about.txt`.
fn keep(folder: &Path, device: &DeviceFile, found: &[ReducedPair]) -> Result<(), RunError> {
    for (number, found) in (1..).zip(found) {
        let folder = folder.join(number.to_string());
        std::fs::create_dir_all(&folder).map_err(|source| file_error(&folder, source))?;
        let about = format!("{}\naddress-spaces show '{}'\n", found.looks(), found.id);
        let control = found.control.as_deref();
        let host = host(device, found)?;
        let modules = modules_of(device, found);
        let commands = modules.as_ref().map(|(modules, _)| modules.lines(&["kernel"]));
        let texts = [
            ("kernel.cl", Some(found.edited.as_str())),
            ("control.cl", control),
            ("host.c", host.as_deref()),
            ("module.sh", commands.as_deref()),
            ("about.txt", Some(&about)),
        ];
        let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text?.as_bytes())));
        let modules = modules.iter().flat_map(|(_, files)| files);
        let modules = modules.map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        for (name, bytes) in texts.chain(modules) {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(|source| file_error(&path, source))?;
        }
    }
    Ok(())
}

/// Returns the commands that make the module of a valid program, and its files; `None` if the device is given sources.
fn modules_of(
    device: &DeviceFile,
    found: &ReducedPair,
) -> Option<(ModuleCommands, BTreeMap<String, Vec<u8>>)> {
    // An invalid program has its control, and no module.
    let case = RandomCase::from_id(&found.id).ok().filter(|_| found.control.is_none())?;
    let program = ProgramOptions { dialect: case.dialect, requirements: &[], options: &[] };
    let (modules, files) =
        modules::for_pack(device, program, &[("kernel", found.edited.as_str())])?;
    Some((modules.commands, files))
}

/// Returns a host program that executes the kernel without this suite, if the kernel is executed and the device is
/// behind the loader.
fn host(device: &DeviceFile, found: &ReducedPair) -> Result<Option<String>, RunError> {
    let (Some(probe), Ok(case)) = (&found.probe, RandomCase::from_id(&found.id)) else {
        return Ok(None);
    };
    let DeviceKind::Opencl { platform, .. } = &device.kind else { return Ok(None) };
    let (form, options) = match device.through {
        None => (ProgramForm::Source, build_options(&device.kind, case.dialect, &[])),
        Some(_) => (ProgramForm::Module, Vec::new()),
    };
    Ok(host_of_wrong_values(&WrongValues {
        id: &found.id,
        shape: &found.looks(),
        source: &found.edited,
        probe,
        options: &options.join(" "),
        form,
        platform: Some(platform.as_str()),
    })?)
}

fn file_error(path: &Path, source: std::io::Error) -> RunError {
    RunError::File { path: path.display().to_string(), source }
}

/// Runs random programs until the time is over and returns the exit status. Clusters of deviations that the corpus has
/// are not reported.
pub fn run_for(plan: &RunPlan, rounds: &Rounds) -> Result<u8, RunError> {
    let suite = overlay::suite()?;
    let chosen = choose_of_plan(plan)?;
    let cancel = interrupts::cancel();
    let end = Instant::now() + rounds.time;
    let first_seed = match &plan.programs {
        Programs::Random(random) => random.seed,
        Programs::Suite => 1,
    };
    let mut corpora: Vec<(DeviceFile, Corpus)> = chosen
        .devices
        .iter()
        .map(|device| {
            let corpus = Corpus::open(&rounds.folder.join(device.folder_name()), first_seed)?;
            Ok((device.clone(), corpus))
        })
        .collect::<Result<_, RunError>>()?;
    let (mut programs, mut new, mut broken) = (0, 0, false);
    while Instant::now() < end && !cancel.is_cancelled() && !corpora.is_empty() {
        let mut left = Vec::new();
        for (device, mut corpus) in corpora {
            match round(plan, &suite, &device, &mut corpus, &cancel) {
                Ok(round) => {
                    programs += round.programs;
                    new += round.new;
                    left.push((device, corpus));
                }
                Err(error @ RunError::Engine(_)) if chosen.several => {
                    let known = known_broken(&device, &error).is_some();
                    if !chosen.whatever_is_here || !(is_absent(&error) || known) {
                        note(&format!("device `{}` is left out: {error}", device.name));
                        broken = true;
                    }
                }
                Err(error) => return Err(error),
            }
        }
        corpora = left;
    }
    let ran = results::text::plural(programs, "random program");
    let kinds = results::text::plural(new, "new kind");
    print(&format!("{ran}, {kinds} of deviation\n"));
    Ok(if broken || corpora.is_empty() {
        exit::COULD_NOT_RUN
    } else if new > 0 {
        exit::UNEXPECTED
    } else {
        exit::EXPECTED
    })
}

/// Result of a round.
#[derive(Default)]
struct Round {
    programs: usize,
    /// Kinds of deviation the corpus did not have.
    new: usize,
}

/// Runs the next programs on one device and adds their findings to the corpus.
fn round(
    plan: &RunPlan,
    suite: &Suite,
    device: &DeviceFile,
    corpus: &mut Corpus,
    cancel: &Cancel,
) -> Result<Round, RunError> {
    let mut plan = plan.on(std::slice::from_ref(device));
    if let Programs::Random(random) = &mut plan.programs {
        random.seed = corpus.next_seed;
    }
    let DeviceRun { run, reduced } =
        run_programs(suite, &plan, device.clone(), &corpus.constructs, cancel)?;
    if !run.is_complete() {
        return Ok(Round::default());
    }
    let is_new = |cluster: &&Cluster| !corpus.known.contains(&cluster.shape);
    let unknown: Vec<Cluster> = run.judgement.clusters.iter().filter(is_new).cloned().collect();
    let mut found = shrink_clusters(&plan, suite, &run, device, &unknown, reduced, cancel)?;
    found.retain(|found| !corpus.has(found));
    let new = found.len();
    for found in found {
        print(&reduced_text(&device.name, &found));
        corpus.add(found)?;
    }
    corpus.advance()?;
    Ok(Round { programs: run.cases.len(), new })
}

/// Findings on one device so far, and the next seed.
struct Corpus {
    found: PathBuf,
    seed: PathBuf,
    known: BTreeSet<String>,
    /// Remaining constructs of programs that are executed.
    constructs: Vec<Constructs>,
    next_seed: u64,
}

impl Corpus {
    fn open(folder: &Path, first_seed: u64) -> Result<Self, RunError> {
        let (found, seed) = (folder.join("clusters.jsonl"), folder.join("next-seed"));
        let (mut known, mut constructs) = (BTreeSet::new(), Vec::new());
        for (number, line) in (1..).zip(read(&found)?.lines()) {
            let entry: Entry = serde_json::from_str(line).map_err(|error| {
                RunError::Usage(format!(
                    "{}:{number}: not an entry of a corpus ({error}): remove the line or name \
                     another folder",
                    found.display()
                ))
            })?;
            known.insert(entry.shape);
            let Entry { parts, spaces, .. } = entry;
            if !spaces.is_empty() {
                constructs.push(Constructs { parts, spaces });
            }
        }
        let next_seed = match read(&seed)?.trim() {
            "" => first_seed,
            text => text.parse().map_err(|_| {
                let text = results::text::one_line(text, 40);
                let path = seed.display();
                RunError::Usage(format!(
                    "{path}: `{text}` is not a seed: write a number or remove the file"
                ))
            })?,
        };
        Ok(Self { found, seed, known, constructs, next_seed })
    }

    /// Whether what is left of a program, or what its deviation looks like, is known.
    fn has(&self, found: &ReducedPair) -> bool {
        let is_within = |all| self.constructs.iter().any(|known| known.are_within(all));
        self.known.contains(&found.looks()) || found.constructs().is_some_and(is_within)
    }

    fn add(&mut self, found: ReducedPair) -> Result<(), RunError> {
        self.make_folder()?;
        let shape = found.looks();
        let constructs = found.constructs().cloned();
        let ReducedPair { id, control, edited, .. } = found;
        self.constructs.extend(constructs.clone());
        let (parts, spaces) = constructs.map(|all| (all.parts, all.spaces)).unwrap_or_default();
        let entry = Entry { format: FORMAT, shape, id, kernel: edited, control, parts, spaces };
        let line = serde_json::to_string(&entry)
            .expect("entries contain only what JSON can represent")
            + "\n";
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.found);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .map_err(|source| file_error(&self.found, source))?;
        self.known.insert(entry.shape);
        Ok(())
    }

    /// Creates the folder; called only for a device that was run.
    fn make_folder(&self) -> Result<(), RunError> {
        let Some(folder) = self.seed.parent() else { return Ok(()) };
        std::fs::create_dir_all(folder).map_err(|source| file_error(folder, source))
    }

    /// Moves to the seeds of the next round and stores the first of them.
    fn advance(&mut self) -> Result<(), RunError> {
        self.make_folder()?;
        self.next_seed = self.next_seed.wrapping_add(ROUND);
        std::fs::write(&self.seed, format!("{}\n", self.next_seed))
            .map_err(|source| file_error(&self.seed, source))
    }
}

/// Reads the text of a file; empty if it does not exist yet.
fn read(path: &Path) -> Result<String, RunError> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|source| file_error(path, source)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut corpus = Corpus::open(folder.path(), 7).unwrap();
        assert_eq!((corpus.next_seed, corpus.known.len()), (7, 0));
        let found = ReducedPair {
            id: "random/valid/cl12/seed=7".to_owned(),
            shape: "rejects: Q".to_owned(),
            left: None,
            probe: None,
            control: None,
            edited: "int x;\n".to_owned(),
        };
        corpus.add(found).unwrap();
        corpus.advance().unwrap();
        let again = Corpus::open(folder.path(), 1).unwrap();
        assert_eq!(again.next_seed, 7 + ROUND);
        assert!(again.known.contains("rejects: Q"));
    }

    #[test]
    fn what_is_no_corpus_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("clusters.jsonl"), "{}\n").unwrap();
        let error = Corpus::open(folder.path(), 1).err().unwrap().to_string();
        assert!(error.contains("clusters.jsonl:1: not an entry of a corpus"), "{error}");
        std::fs::remove_file(folder.path().join("clusters.jsonl")).unwrap();
        std::fs::write(folder.path().join("next-seed"), "x").unwrap();
        let error = Corpus::open(folder.path(), 1).err().unwrap().to_string();
        assert!(error.contains("`x` is not a seed"), "{error}");
    }
}
