//! `address-spaces package`: results as a folder that is checked elsewhere by one command.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
};

use expectations::{
    case_id::CaseId, judge::FindingKind, outcome::OutcomeKind, rule::Expectation, verdict::Verdict,
};
use generator::suite::Suite;
use reports::summary;
use results::{
    folder::{Completeness, RESULTS_FILE, read_run, results_file},
    hash::sha256_of,
    line::{EntryFile, EntryFileRole, Header, Line, to_json},
    package::{FORMAT, MANIFEST, Package, PackageFile, PackageVerdict, kept_files},
    run::Run,
    text::{one_line, plural, printable},
};
use thiserror::Error;

use super::CommandError;
use crate::{cli::exit, device::files, findings::judged_run::judge_stored, output::print, overlay};

/// Name of the page that describes a package.
const README: &str = "README.md";
/// Most bytes of a manifest.
const LONGEST_MANIFEST: u64 = 1 << 20;

/// A package that cannot be written, or does not match its manifest.
#[derive(Debug, Error)]
pub enum PackageError {
    /// The results are of another suite.
    #[error(
        "{path}: the results were made with version {program} (suite {suite}), and this is version \
         {own_program} (suite {own}): use that version"
    )]
    OtherSuite {
        /// Path of the results.
        path: String,
        /// Hash of their suite.
        suite: String,
        /// Version of the program that made them.
        program: String,
        /// Hash of this suite.
        own: String,
        /// Version of this program.
        own_program: &'static str,
    },
    /// The package does not match its manifest.
    #[error("{path} is not as it was packed: {faults}")]
    Changed {
        /// Path of the package.
        path: String,
        /// Differences, in words.
        faults: String,
    },
}

/// Writes the package of a run, and returns the exit status.
pub fn write(results: &Path, into: &Path, baseline: Option<&Path>) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let mut run = read_run(results, Completeness::Whole)?;
    reject_other_suite(&suite, results, &run.header)?;
    if let Some(path) = baseline {
        keep_baseline(&mut run.header, path)?;
    }
    let run = judge_stored(&suite, run, None)?;
    reject_faults(results, &faults_of_cases(&suite, &run))?;
    let mut package = Package::of(&run);
    fs::create_dir(into).map_err(|source| file_error(into, source))?;
    write_results(&results_file(results), &into.join(RESULTS_FILE), &run.header)?;
    for (name, text) in kept_files(&run.header) {
        write_file(&into.join(name), text)?;
    }
    write_file(&into.join(README), &readme(&run, &package))?;
    package.files = hashed(into)?;
    let manifest = serde_json::to_string_pretty(&package).unwrap_or_default() + "\n";
    write_file(&into.join(MANIFEST), &manifest)?;
    let shown = into.display();
    print(&format!(
        "{}\n{} in {shown}; `address-spaces package check {shown}` checks it anywhere\n",
        summary::closing(&run),
        plural(package.files.len() + 1, "file"),
    ));
    Ok(exit::EXPECTED)
}

/// Checks a package, and returns the exit status.
pub fn check(folder: &Path) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let package = manifest(folder)?;
    let mut faults = Vec::new();
    let there = hashed(folder)?;
    for file in &package.files {
        match there.iter().find(|other| other.name == file.name) {
            None => faults.push(format!("{} is missing", one_line(&file.name, 80))),
            Some(other) if other.sha256 != file.sha256 => {
                faults.push(format!("{} has a different hash", one_line(&file.name, 80)));
            }
            Some(_) => {}
        }
    }
    for file in there.iter().filter(|file| package.files.iter().all(|it| it.name != file.name)) {
        faults.push(format!("{} was added", one_line(&file.name, 80)));
    }
    reject_faults(folder, &faults)?;
    let run = read_run(&folder.join(RESULTS_FILE), Completeness::Whole)?;
    reject_other_suite(&suite, folder, &run.header)?;
    for (name, text) in kept_files(&run.header) {
        if fs::read_to_string(folder.join(name)).ok().as_deref() != Some(text) {
            faults.push(format!("{name} differs from the one in the results"));
        }
    }
    let run = judge_stored(&suite, run, None)?;
    faults.extend(faults_of_cases(&suite, &run));
    let of_results = Package { files: package.files.clone(), ..Package::of(&run) };
    if PackageVerdict::of(&run) != package.verdict {
        faults.push("the verdicts of the results differ from those in the manifest".to_owned());
    } else if of_results != package {
        faults.push("the manifest and the results describe different runs".to_owned());
    }
    reject_faults(folder, &faults)?;
    if let Some(device) = &run.device {
        print(&format!("{}\n", files::judging_order(device)));
    }
    let library = package.identity.get("library sha256");
    let driver = one_line(run.header.driver(), 80);
    let library = library.map(|hash| format!(", library {}", one_line(hash, 64)));
    print(&format!(
        "{} is as it was packed: {} of {}, driver {driver}{}, begun {}\n{}\n",
        folder.display(),
        plural(run.cases.len(), "case"),
        extent(&package),
        library.unwrap_or_default(),
        one_line(&package.begun, 40),
        summary::closing(&run),
    ));
    Ok(if run.is_as_expected() { exit::EXPECTED } else { exit::UNEXPECTED })
}

/// Returns the part of the suite that the results cover, in words.
fn extent(package: &Package) -> String {
    if package.selection.is_empty() {
        return "the whole suite".to_owned();
    }
    let options = package.selection.iter();
    let options: Vec<String> = options
        .map(|(name, value)| one_line(&format!("{name} {value}"), 200).trim_end().to_owned())
        .collect();
    format!("a part of the suite ({})", options.join(" "))
}

fn manifest(folder: &Path) -> Result<Package, CommandError> {
    let path = folder.join(MANIFEST);
    let mut text = String::new();
    fs::File::open(&path)
        .and_then(|file| file.take(LONGEST_MANIFEST).read_to_string(&mut text))
        .map_err(|source| file_error(&path, source))?;
    let changed =
        |faults: String| PackageError::Changed { path: path.display().to_string(), faults };
    let format: serde_json::Value =
        serde_json::from_str(&text).map_err(|wrong| changed(format!("it is not JSON: {wrong}")))?;
    if format["format"] != FORMAT {
        let found = one_line(&format["format"].to_string(), 40);
        let message =
            format!("format {found} is not read: use the version of the program that wrote it");
        return Err(changed(message).into());
    }
    let read: Result<Package, _> = serde_json::from_value(format);
    Ok(read.map_err(|wrong| changed(printable(&wrong.to_string())))?)
}

/// Replaces the baseline that results hold.
fn keep_baseline(header: &mut Header, path: &Path) -> Result<(), CommandError> {
    let baseline = files::load_baseline(&header.device, path)?;
    let role = EntryFileRole::Baseline;
    let new = files::entry_files(&baseline).into_iter().map(|file| EntryFile { role, ..file });
    let is_device = |file: &EntryFile| file.role == EntryFileRole::Device;
    let place = header.judged_by.iter().position(|file| !is_device(file));
    header.judged_by.retain(|file| file.role != role);
    let place = place.unwrap_or(header.judged_by.len()).min(header.judged_by.len());
    header.judged_by.splice(place..place, new);
    Ok(())
}

fn reject_other_suite(suite: &Suite, path: &Path, header: &Header) -> Result<(), PackageError> {
    if header.suite == suite.hash() {
        return Ok(());
    }
    Err(PackageError::OtherSuite {
        path: path.display().to_string(),
        suite: one_line(&header.suite, 40),
        program: one_line(&header.program, 40),
        own: suite.hash().to_owned(),
        own_program: env!("CARGO_PKG_VERSION"),
    })
}

fn reject_faults(path: &Path, faults: &[String]) -> Result<(), PackageError> {
    if faults.is_empty() {
        return Ok(());
    }
    let path = path.display().to_string();
    Err(PackageError::Changed { path, faults: faults.join("; ") })
}

/// Returns what is wrong with the cases of a run: each must be one of the suite, and its finding one that its outcome
/// allows; a run of the whole suite must have every case.
fn faults_of_cases(suite: &Suite, run: &Run) -> Vec<String> {
    let mut faults = Vec::new();
    let Header { selection, shard, .. } = &run.header;
    let missing = suite.all_cases().len().saturating_sub(run.cases.len());
    if selection.is_empty() && shard.is_none() && missing > 0 {
        faults.push(format!("{} of the suite are missing", plural(missing, "case")));
    }
    let mut wrong = Vec::new();
    let briefs = run.cases.briefs();
    for case in briefs.filter(|case| !CaseId::new(&case.id).is_random()) {
        let expected = suite.case(&case.id).ok().map(|case| suite.expectation(&case));
        let is_of_suite = match expected {
            None => false,
            Some(Expectation::Accept) => case.expectation == Verdict::Accept,
            Some(Expectation::Reject { .. }) => case.expectation == Verdict::Reject,
            Some(Expectation::Disputed { .. }) => case.expectation == Verdict::Disputed,
        };
        if !is_of_suite || !is_possible(case.finding.kind, case.expectation, case.outcome.kind) {
            wrong.push(case.id);
        }
    }
    if let Some(first) = wrong.first() {
        let count = plural(wrong.len(), "case");
        let first = one_line(first, 200);
        faults.push(format!("{count} in it cannot be a result of this suite, the first {first}"));
    }
    faults
}

/// Whether an outcome can have led to this finding.
fn is_possible(finding: FindingKind, expected: Verdict, outcome: OutcomeKind) -> bool {
    match (finding, expected) {
        (FindingKind::Pass, Verdict::Accept) => outcome == OutcomeKind::Accepted,
        (FindingKind::Pass, Verdict::Reject) => outcome == OutcomeKind::Rejected,
        (FindingKind::Pass, Verdict::Disputed) => false,
        (FindingKind::Disputed, expected) => expected == Verdict::Disputed,
        _ => true,
    }
}

/// Returns the files of a package with their hashes, without the manifest.
fn hashed(folder: &Path) -> Result<Vec<PackageFile>, CommandError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|source| file_error(folder, source))? {
        let entry = entry.map_err(|source| file_error(folder, source))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == MANIFEST {
            continue;
        }
        let path = entry.path();
        let sha256 = sha256_of(&path).map_err(|source| file_error(&path, source))?;
        files.push(PackageFile { name, sha256 });
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// Copies a results file with another header.
fn write_results(from: &Path, to: &Path, header: &Header) -> Result<(), CommandError> {
    let read = fs::File::open(from).map_err(|source| file_error(from, source))?;
    let mut read = BufReader::new(read);
    // The header is the first line.
    read.skip_until(b'\n').map_err(|source| file_error(from, source))?;
    let mut written = fs::File::create_new(to).map_err(|source| file_error(to, source))?;
    let first = to_json(&Line::Header(header.clone()));
    std::io::copy(&mut first.as_bytes().chain(read), &mut written)
        .map_err(|source| file_error(to, source))?;
    Ok(())
}

fn readme(run: &Run, package: &Package) -> String {
    let driver = one_line(run.header.driver(), 80);
    let device = one_line(&run.name(), 80);
    format!(
        "Results of the conformance suite for address-space qualifiers in OpenCL C\n\nDevice: \
         {device}\nDriver: {driver}\nCases: {}\nResult: {}\n\nTo check this folder, with version \
         {} of the suite:\n\n    address-spaces package check DIR\n\nThe command compares the \
         hashes in {MANIFEST}, looks each case up in the suite, and judges the results again by \
         the\nfiles that they contain. `address-spaces report DIR` writes a report on them.\n",
        extent(package),
        summary::closing(run),
        one_line(&package.program, 40),
    )
}

fn write_file(path: &Path, text: &str) -> Result<(), CommandError> {
    fs::write(path, text).map_err(|source| file_error(path, source))
}

fn file_error(path: &Path, source: std::io::Error) -> CommandError {
    CommandError::File { path: path.display().to_string(), source }
}
