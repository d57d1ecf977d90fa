//! The report as static pages: results in, file names and their text out, one after the other.
//!
//! Pages share one style and one script. The content security policy of a page allows just these.

mod block_rows;
mod blocks;
mod cause_title;
mod changes;
mod chart;
mod clauses;
mod compared_page;
mod deviations_page;
mod device_page;
mod example;
mod finding_page;
mod history_page;
mod index_page;
mod kernel;
mod layout;
mod model;
mod names;
mod prose;
mod questions_page;
mod rule_page;
mod tally;
mod time_axis;

use expectations::{cause::Causes, copies::Copies};
use generator::suite::Suite;
use rayon::prelude::*;

use self::{
    layout::{Layout, SHARED},
    model::Site,
};
use results::{history::History, run::Run};

use crate::manual::PageError;

/// The parts of a report.
pub struct Input<'r> {
    /// Suite, from which statements, clauses and kernels come.
    pub suite: &'r Suite,
    /// Copies of the documents that rules cite, from which sentences come.
    pub copies: &'r Copies,
    /// Known causes of deviations.
    pub causes: &'r Causes,
    /// Judged runs, in the order of the report.
    pub runs: &'r [&'r Run],
    /// Comparisons of the runs.
    pub compared: Comparisons<'r>,
    /// Past runs, where they are kept.
    pub history: Option<&'r History>,
    /// Moment at which the report is written, for people.
    pub written: &'r str,
}

/// The comparisons of a report.
#[derive(Clone, Copy, Debug)]
pub enum Comparisons<'r> {
    /// Each device in its versions, in the order of the versions that the drivers report.
    OfDevices,
    /// These runs, by their indices, the oldest first.
    These(&'r [Vec<usize>]),
}

/// Makes every page and hands it to `write` with its path below the report's folder; `index.html` is the front page.
/// Keeps no page in memory.
///
/// # Errors
///
/// Fails if a page cannot be made, and where `write` fails.
pub fn site<E: From<PageError> + Send>(
    input: &Input<'_>,
    write: &(impl Fn(String, &str) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let site = Site::new(input);
    let layout = Layout::new(&site)?;
    for (path, text) in SHARED {
        write(path.to_owned(), text)?;
    }
    write("index.html".to_owned(), &index_page::page(&site, &layout)?)?;
    write(questions_page::PATH.to_owned(), &questions_page::page(&site, &layout)?)?;
    if let Some(history) = site.history {
        write(history_page::PATH.to_owned(), &history_page::page(&site, &layout, history)?)?;
    }
    for compared in &site.compared {
        write(compared.path.clone(), &compared_page::page(&site, &layout, compared)?)?;
    }
    (0..site.rules.len()).into_par_iter().filter(|&rule| site.has_page(rule)).try_for_each(
        |rule| write(site.rules[rule].path.clone(), &rule_page::page(&site, &layout, rule)?),
    )?;
    (0..site.runs.len()).into_par_iter().try_for_each(|run| {
        write(site.runs[run].path(), &device_page::page(&site, &layout, run)?)
    })?;
    let deviating: Vec<(usize, usize, String)> = (0..site.runs.len())
        .flat_map(|run| (0..site.rules.len()).map(move |rule| (run, rule)))
        .filter_map(|(run, rule)| {
            Some((run, rule, site.runs[run].deviations_path(&site.rules, rule)?))
        })
        .collect();
    deviating.into_par_iter().try_for_each(|(run, rule, path)| {
        let page = deviations_page::page(&site, &layout, run, rule, &path)?;
        write(path, &page)
    })?;
    let findings: Vec<(usize, usize, usize)> = site
        .runs
        .iter()
        .enumerate()
        .flat_map(|(index, run)| run.pages.iter().map(move |(&case, &rule)| (index, rule, case)))
        .collect();
    findings.into_par_iter().try_for_each(|(run, rule, case)| {
        let path = site.runs[run].path_of(case);
        write(path, &finding_page::page(&site, &layout, run, rule, case)?)
    })
}

#[cfg(test)]
mod tests;
