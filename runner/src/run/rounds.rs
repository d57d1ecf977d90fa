//! Random programs round after round, until a time is over: each is a run of its own, and a corpus keeps what was found,
//! so that each kind of deviation is reported once.

use std::{
    collections::BTreeSet,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use expectations::{device::DeviceFile, wrong_values::Constructs};
use generator::suite::Suite;
use reports::summary;
use results::cluster::Cluster;
use serde::{Deserialize, Serialize};

use super::{
    choosing::ChosenRun,
    devices::{self, Breadth, ChosenDevices, choose_of_plan, is_absent, known_broken},
    error::RunError,
    plan::{Programs, Rounds, RunPlan},
    present::note_stop,
    recording::DeviceRun,
    reducing::{file_error, reduced_text, shrink_clusters},
    start::run_on,
};
use crate::{
    engine::Cancel,
    exit, interrupts,
    output::{note, print},
    overlay,
    reduce::random::ReducedPair,
};

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

/// Runs random programs until the time is over and returns the exit status. Clusters of deviations that the corpus has
/// are not reported.
pub fn run(plan: &RunPlan, rounds: &Rounds) -> Result<u8, RunError> {
    let suite = Arc::new(overlay::suite()?);
    let chosen = choose_of_plan(plan)?;
    let cancel = interrupts::cancel();
    let end = Instant::now() + rounds.time;
    let first_seed = if let Programs::Random(random) = &plan.programs { random.seed } else { 1 };
    let mut corpora = Vec::new();
    for device in chosen.devices {
        let corpus = Corpus::open(&rounds.folder.join(device.folder_name()), first_seed)?;
        corpora.push((device, corpus));
    }
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
                Err(error @ RunError::Engine(_)) if chosen.breadth != Breadth::One => {
                    let is_known = is_absent(&error) || known_broken(&device, &error).is_some();
                    if chosen.breadth != Breadth::All || !is_known {
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
    suite: &Arc<Suite>,
    device: &DeviceFile,
    corpus: &mut Corpus,
    cancel: &Cancel,
) -> Result<Round, RunError> {
    let mut plan = plan.clone();
    if let Programs::Random(random) = &mut plan.programs {
        random.seed = corpus.next_seed;
    }
    let devices = ChosenDevices { devices: vec![device.clone()], breadth: Breadth::One };
    let chosen = ChosenRun::new(&plan, Arc::clone(suite), devices)?;
    let chosen = ChosenRun { told: corpus.constructs.clone(), ..chosen };
    let reported = devices::open(&plan, device.clone(), cancel)?;
    let DeviceRun { run, reduced } = run_on(&chosen, reported, cancel)?;
    note(&summary::closing(&run));
    note_stop(&plan, &run);
    if !run.is_complete() {
        return Ok(Round::default());
    }
    let is_new = |cluster: &&Cluster| !corpus.known.contains(&cluster.shape);
    let unknown: Vec<&Cluster> = run.judgement.clusters.iter().filter(is_new).collect();
    let mut found = shrink_clusters(&chosen, &run, device, &unknown, reduced, cancel)?;
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
