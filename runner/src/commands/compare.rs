//! `address-spaces compare`: runs, or folders of runs, compared with each other: the oldest with the newest, and all by
//! cause.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    ptr, slice,
};

use expectations::{copies::Copies, document};
use generator::suite::Suite;
use reports::{
    compare::{About, ChangeKind, Comparison, Pair, compare, json, markdown, text},
    folding::Folding,
    html::Comparisons,
    text::Listing,
    versions::{Version, Versions},
};
use results::{
    folder::{Completeness, FolderError},
    run::Run,
    text::one_line,
};

use super::CommandError;
use crate::{
    cli::{exit, results::CompareFormat},
    findings::judged_run::read_judged,
    output::{self, note, print_written},
    overlay,
};

/// Compares the runs of folders, the oldest first, and prints the comparison; with a folder for it, writes a report
/// too. Returns the exit status.
pub fn command(
    folders: &[PathBuf],
    wanted: Completeness,
    format: CompareFormat,
    listing: Listing,
    html: Option<&Path>,
) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let read = |folder: &PathBuf| read_judged(&suite, slice::from_ref(folder), wanted, None);
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
                text(&mut out, pair, listing, &about)?;
            }
            out.write_all(alone(&pairing).as_bytes())?;
            out.flush()
        }
    });
    if let Some(into) = html {
        note(report(&suite, &runs, &pairing, into)?.trim_end());
    }
    for run in runs.iter().flatten() {
        run.cases.check().map_err(FolderError::from)?;
    }
    Ok(status(&pairing))
}

/// Writes the report on the runs, with a page of changes for runs that belong together; returns the message for the
/// user.
fn report(
    suite: &Suite,
    runs: &[Vec<Run>],
    pairing: &Pairing<'_>,
    into: &Path,
) -> Result<String, CommandError> {
    let runs: Vec<&Run> = runs.iter().flatten().collect();
    let place = |run: &&Run| runs.iter().position(|other| ptr::eq(*other, *run));
    let compared: Vec<Vec<usize>> =
        pairing.versions.iter().map(|runs| runs.iter().filter_map(place).collect()).collect();
    let compared = Comparisons::These(&compared);
    super::report::write(suite, &runs, compared, &Copies::default(), None, into)
}

/// Runs that belong together, and devices without a counterpart.
struct Pairing<'r> {
    pairs: Vec<Pair<'r>>,
    /// Runs of each pair, the oldest first.
    versions: Vec<Vec<&'r Run>>,
    only_in_old: Vec<String>,
    only_in_new: Vec<String>,
}

/// Pairs old and new runs. A single run on each side is compared even if the devices differ; several are paired by
/// device.
fn pair<'r>(old: &'r [Run], between: &'r [Vec<Run>], new: &'r [Run]) -> Pairing<'r> {
    let device = |run: &Run| run.name().into_owned();
    let is_single = old.len() == 1 && new.len() == 1;
    let counterpart = |run: &Run, runs: &'r [Run]| match runs {
        [only] if is_single => Some(only),
        runs => runs.iter().find(|other| device(other) == device(run)),
    };
    let versions = new.iter().filter_map(|newest| {
        let oldest = counterpart(newest, old)?;
        let between = between.iter().filter_map(|runs| counterpart(newest, runs));
        Some([oldest].into_iter().chain(between).chain([newest]).collect())
    });
    let versions: Vec<Vec<&Run>> = versions.collect();
    let pairs = versions.iter().filter_map(|runs| {
        let &[oldest, .., newest] = runs.as_slice() else { return None };
        Some(Pair {
            comparison: compare(oldest, newest),
            versions: Versions::in_order(
                runs.iter().map(|&run| Version { name: &run.header.device, run }).collect(),
            ),
        })
    });
    let alone = |runs: &'r [Run], others: &'r [Run]| {
        runs.iter().filter(|run| counterpart(run, others).is_none()).map(device).collect()
    };
    Pairing {
        pairs: pairs.collect(),
        versions,
        only_in_old: alone(old, new),
        only_in_new: alone(new, old),
    }
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

/// Returns the exit status. A regression decides; without one, cases that were not compared keep the result from being
/// called free of regressions.
fn status(pairing: &Pairing<'_>) -> u8 {
    let comparisons = || pairing.pairs.iter().map(|pair| &pair.comparison);
    if comparisons().any(|pair| pair.count(ChangeKind::Regression) > 0) {
        return exit::UNEXPECTED;
    }
    let compared = |pair: &Comparison<'_>| {
        pair.new.cases.len() + pair.old.cases.len()
            > pair.count(ChangeKind::New) + pair.count(ChangeKind::Gone)
    };
    let all_there = pairing.only_in_old.is_empty() && !pairing.pairs.is_empty();
    if !all_there || !comparisons().all(compared) {
        return exit::COULD_NOT_RUN;
    }
    exit::EXPECTED
}
