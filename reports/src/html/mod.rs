//! The report as static pages: results in, file names and their text out.
//!
//! Every page stands alone: style and script are part of it, and its content security policy allows just these two.

mod chart;
mod device_page;
mod finding_page;
mod history_page;
mod index_page;
mod kernel;
mod layout;
mod model;
mod names;
mod rule_page;
mod tally;

use std::collections::BTreeMap;

use expectations::{baseline::BaselineReport, copies::Copies, device::DeviceFile};
use generator::suite::Suite;
use rayon::prelude::*;

use self::{layout::Layout, model::Site};
use crate::{history::History, manual::PageError, results::Results};

/// What a report is made of.
pub struct Input<'r> {
    /// The suite: statements, clauses and kernels come from it.
    pub suite: &'r Suite,
    /// Copies of the documents that rules rest on: their sentences are shown.
    pub copies: &'r Copies,
    /// The runs, in the order of the report.
    pub runs: &'r [RunInput<'r>],
    /// The runs before, where they are kept.
    pub history: Option<&'r History>,
    /// When the report is written, for people.
    pub written: &'r str,
}

/// One run.
pub struct RunInput<'r> {
    /// Where it was read from.
    pub path: String,
    /// What it found.
    pub results: &'r Results,
    /// Why it is not whole, where it is taken all the same.
    pub partial: Option<String>,
    /// What is known of the device, where it has a file.
    pub known: Option<Known<'r>>,
}

/// What is known of a device, and what a run says against that.
#[derive(Clone, Copy)]
pub struct Known<'r> {
    /// Its file: what it is, and its baseline entries.
    pub device: &'r DeviceFile,
    /// The run compared with these.
    pub baseline: &'r BaselineReport,
}

/// Every page: path below the report's folder, and text. `index.html` is the first to read.
pub fn site(input: &Input<'_>) -> Result<BTreeMap<String, String>, PageError> {
    let site = Site::new(input);
    let layout = Layout::new(&site)?;
    let mut pages = BTreeMap::new();
    pages.insert("index.html".to_owned(), index_page::page(&site, &layout)?);
    if let Some(history) = site.history {
        pages.insert(history_page::PATH.to_owned(), history_page::page(&site, &layout, history)?);
    }
    let rules = (0..site.rules.len())
        .into_par_iter()
        .map(|rule| Ok((site.rules[rule].path.clone(), rule_page::page(&site, &layout, rule)?)));
    pages.extend(rules.collect::<Result<Vec<_>, PageError>>()?);
    let devices = (0..site.runs.len())
        .into_par_iter()
        .map(|run| Ok((site.runs[run].path(), device_page::page(&site, &layout, run)?)));
    pages.extend(devices.collect::<Result<Vec<_>, PageError>>()?);
    let findings: Vec<(usize, usize)> = site
        .runs
        .iter()
        .enumerate()
        .flat_map(|(index, run)| {
            let groups = run.groups.iter();
            groups.flat_map(move |group| {
                group.cases.iter().take(group.pages).map(move |&case| (index, case))
            })
        })
        .collect();
    let findings = findings.into_par_iter().map(|(run, case)| {
        let path = site.runs[run].finding_path(case);
        Ok((path, finding_page::page(&site, &layout, run, case)?))
    });
    pages.extend(findings.collect::<Result<Vec<_>, PageError>>()?);
    Ok(pages)
}

#[cfg(test)]
mod tests;
