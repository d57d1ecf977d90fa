//! `runner compare`: two runs, or two folders of runs, compared with each other.

use std::path::Path;

use expectations::document;
use reports::{
    compare::{About, ChangeKind, Comparison, Shown, Stored, compare, json, markdown, text},
    text::one_line,
};

use super::CommandError;
use crate::{
    cli::{CompareFormat, exit},
    output::print_written,
    overlay,
    results::{
        folder::{FolderError, Wanted, read_runs},
        stored::StoredRun,
    },
};

/// Compare and print; gives the exit status.
pub fn command(
    old: &Path,
    new: &Path,
    wanted: Wanted,
    format: CompareFormat,
    shown: Shown,
) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let old = read_runs(old, wanted)?;
    let new = read_runs(new, wanted)?;
    let pairing = pair(&old, &new);
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
            json(out, &pairing.comparisons, &pairing.only_in_old, &pairing.only_in_new)
        }
        CompareFormat::Markdown => {
            let parts: Vec<String> = pairing.comparisons.iter().map(markdown).collect();
            out.write_all((parts.join("\n") + &alone(&pairing)).as_bytes())
        }
        CompareFormat::Text => {
            for (number, pair) in pairing.comparisons.iter().enumerate() {
                out.write_all(if number > 0 { b"\n" } else { b"" })?;
                text(out, pair, shown, &about)?;
            }
            out.write_all(alone(&pairing).as_bytes())
        }
    });
    for run in old.iter().chain(&new) {
        run.results.cases.check().map_err(FolderError::from)?;
    }
    Ok(status(&pairing))
}

/// Runs that belong together, and devices without a counterpart.
struct Pairing<'r> {
    comparisons: Vec<Comparison<'r>>,
    only_in_old: Vec<String>,
    only_in_new: Vec<String>,
}

/// One run on each side is compared whatever the devices are; more are paired by device.
fn pair<'r>(old: &'r [StoredRun], new: &'r [StoredRun]) -> Pairing<'r> {
    let side = |run: &'r StoredRun| Stored {
        path: run.path.display().to_string(),
        results: &run.results,
        partial: run.partial(),
    };
    if let ([old], [new]) = (old, new) {
        return Pairing {
            comparisons: vec![compare(side(old), side(new))],
            only_in_old: Vec::new(),
            only_in_new: Vec::new(),
        };
    }
    let device = |run: &StoredRun| run.results.header.device.clone();
    let counterpart = |run: &StoredRun, runs: &'r [StoredRun]| {
        runs.iter().find(|other| device(other) == device(run))
    };
    let comparisons = new
        .iter()
        .filter_map(|run| Some(compare(side(counterpart(run, old)?), side(run))))
        .collect();
    let alone = |runs: &[StoredRun], others: &'r [StoredRun]| {
        runs.iter().filter(|run| counterpart(run, others).is_none()).map(device).collect()
    };
    Pairing { comparisons, only_in_old: alone(old, new), only_in_new: alone(new, old) }
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
    let comparisons = &pairing.comparisons;
    if comparisons.iter().any(|pair| pair.count(ChangeKind::Regression) > 0) {
        return exit::UNEXPECTED;
    }
    let compared = |pair: &Comparison<'_>| {
        pair.new.results.len() + pair.old.results.len()
            > pair.count(ChangeKind::New) + pair.count(ChangeKind::Gone)
    };
    let all_there = pairing.only_in_old.is_empty() && !comparisons.is_empty();
    if !all_there || !comparisons.iter().all(compared) {
        return exit::COULD_NOT_RUN;
    }
    exit::EXPECTED
}
