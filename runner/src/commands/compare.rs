//! `address-spaces compare`: runs, or folders of runs, compared with each other: the oldest with the newest, and all by cause.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    ptr,
};

use expectations::{copies::Copies, document};
use generator::suite::Suite;
use reports::{
    compare::{About, ChangeKind, Comparison, Pair, Stored, compare, json, markdown, text},
    folding::Folding,
    html::Comparisons,
    text::{Shown, one_line},
    versions::Versions,
};

use super::CommandError;
use crate::{
    cli::{CompareFormat, exit},
    findings::known_runs::KnownRun,
    output::{self, note, print_written},
    overlay,
    results::folder::{FolderError, Wanted},
};

/// Compare the runs of these folders, the oldest first, and print; with a folder for it, write a report too. Gives the exit
/// status.
pub fn command(
    folders: &[PathBuf],
    wanted: Wanted,
    format: CompareFormat,
    shown: Shown,
    html: Option<&Path>,
) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let read = |folder: &PathBuf| KnownRun::read(&suite, folder, wanted, None);
    let runs = folders.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let [old, between @ .., new] = runs.as_slice() else {
        return Err(CommandError::Usage("name two results folders to compare".to_owned()));
    };
    let pairing = pair(old, between, new);
    let about = |id: &str| {
        let rule = suite.rules().iter().find(|rule| rule.id == id)?;
        // The reference pages repeat the specification's sentences.
        let reference_page = |id: &str| document::find(id).is_some_and(|d| d.reference_page);
        let sections = rule.sections().into_iter().filter(|s| !reference_page(s.document));
        let clauses = sections.map(|s| format!("{} [{}]", s.document, s.anchor));
        Some(About { statement: rule.statement.clone(), clauses: clauses.collect() })
    };
    print_written(|out| match format {
        CompareFormat::Json => {
            json(out, &pairing.pairs, &pairing.only_in_old, &pairing.only_in_new)
        }
        CompareFormat::Markdown => {
            let parts: Vec<String> = pairing.pairs.iter().map(markdown).collect();
            out.write_all((parts.join("\n") + &alone(&pairing)).as_bytes())
        }
        CompareFormat::Text => {
            let mut out = Folding::new(out, output::columns());
            for (number, pair) in pairing.pairs.iter().enumerate() {
                out.write_all(if number > 0 { b"\n" } else { b"" })?;
                text(&mut out, pair, shown, &about)?;
            }
            out.write_all(alone(&pairing).as_bytes())?;
            out.flush()
        }
    });
    if let Some(into) = html {
        note(report(&suite, &runs, &pairing, into)?.trim_end());
    }
    for run in runs.iter().flatten() {
        run.run.results.cases.check().map_err(FolderError::from)?;
    }
    Ok(status(&pairing))
}

/// Write the report on the runs, with a page on what changed for those that belong together; gives what to tell.
fn report(
    suite: &Suite,
    runs: &[Vec<KnownRun>],
    pairing: &Pairing<'_>,
    into: &Path,
) -> Result<String, CommandError> {
    let runs: Vec<&KnownRun> = runs.iter().flatten().collect();
    let place = |run: &&KnownRun| runs.iter().position(|other| ptr::eq(*other, *run));
    let compared: Vec<Vec<usize>> =
        pairing.versions.iter().map(|runs| runs.iter().filter_map(place).collect()).collect();
    let compared = Comparisons::These(&compared);
    super::report::write(suite, &runs, compared, &Copies::default(), None, into)
}

/// Runs that belong together, and devices without a counterpart.
struct Pairing<'r> {
    pairs: Vec<Pair<'r>>,
    /// Of each pair the runs, the oldest first.
    versions: Vec<Vec<&'r KnownRun>>,
    only_in_old: Vec<String>,
    only_in_new: Vec<String>,
}

/// One run on each side is compared whatever the devices are; more are paired by device.
fn pair<'r>(old: &'r [KnownRun], between: &'r [Vec<KnownRun>], new: &'r [KnownRun]) -> Pairing<'r> {
    let device = |run: &KnownRun| run.run.results.header.device.clone();
    let is_single = old.len() == 1 && new.len() == 1;
    let counterpart = |run: &KnownRun, runs: &'r [KnownRun]| match runs {
        [only] if is_single => Some(only),
        runs => runs.iter().find(|other| device(other) == device(run)),
    };
    let versions = new.iter().filter_map(|newest| {
        let oldest = counterpart(newest, old)?;
        let between = between.iter().filter_map(|runs| counterpart(newest, runs));
        Some([oldest].into_iter().chain(between).chain([newest]).collect())
    });
    let versions: Vec<Vec<&KnownRun>> = versions.collect();
    let pairs = versions.iter().filter_map(|runs| {
        let [oldest, .., newest] = runs.as_slice() else { return None };
        Some(Pair {
            comparison: compare(stored(oldest), stored(newest)),
            versions: Versions::in_order(runs.iter().map(|run| run.version()).collect()),
        })
    });
    let alone = |runs: &'r [KnownRun], others: &'r [KnownRun]| {
        runs.iter().filter(|run| counterpart(run, others).is_none()).map(device).collect()
    };
    Pairing {
        pairs: pairs.collect(),
        versions,
        only_in_old: alone(old, new),
        only_in_new: alone(new, old),
    }
}

fn stored(KnownRun { run, .. }: &KnownRun) -> Stored<'_> {
    Stored { path: run.path.display().to_string(), results: &run.results, partial: run.partial() }
}

fn alone(pairing: &Pairing<'_>) -> String {
    let mut lines = String::new();
    for (devices, which) in [(&pairing.only_in_old, "old"), (&pairing.only_in_new, "new")] {
        for device in devices {
            lines.push_str("\nonly the ");
            lines.push_str(which);
            lines.push_str(" runs have ");
            lines.push_str(&one_line(device, 80));
            lines.push('\n');
        }
    }
    lines
}

/// A regression decides; without one, what was not compared cannot be called free of regressions.
fn status(pairing: &Pairing<'_>) -> u8 {
    let comparisons = || pairing.pairs.iter().map(|pair| &pair.comparison);
    if comparisons().any(|pair| pair.count(ChangeKind::Regression) > 0) {
        return exit::UNEXPECTED;
    }
    let compared = |pair: &Comparison<'_>| {
        pair.new.results.len() + pair.old.results.len()
            > pair.count(ChangeKind::New) + pair.count(ChangeKind::Gone)
    };
    let all_there = pairing.only_in_old.is_empty() && !pairing.pairs.is_empty();
    if !all_there || !comparisons().all(compared) {
        return exit::COULD_NOT_RUN;
    }
    exit::EXPECTED
}
