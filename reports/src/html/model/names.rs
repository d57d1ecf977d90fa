//! Names of runs, and their order.

use expectations::{device::lineage, implementation::number};

use super::run::RunModel;
use crate::{
    html::{RunInput, names::slug},
    text::one_line,
};

pub(super) fn lineages<'m>(runs: &'m [RunModel<'_>]) -> Vec<(&'m str, Vec<usize>)> {
    let mut lineages: Vec<(&str, Vec<usize>)> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let name = lineage(&run.input.results.header.device);
        match lineages.last_mut() {
            Some((last, runs)) if *last == name => runs.push(index),
            _ => lineages.push((name, vec![index])),
        }
    }
    lineages
}

/// The devices of these runs, each once: `clang-15 and clang-19`.
pub(super) fn devices(runs: &[RunModel<'_>], places: &[usize]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for &place in places {
        let name = runs[place].input.results.header.device.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" and ")
}

/// given.
pub(super) fn in_lines(runs: &[RunInput<'_>]) -> Vec<usize> {
    let line = |run: &RunInput<'_>| lineage(&run.results.header.device).to_owned();
    let place = |run: &RunInput<'_>| runs.iter().position(|first| line(first) == line(run));
    let mut in_lines: Vec<usize> = (0..runs.len()).collect();
    in_lines.sort_by_key(|&run| (place(&runs[run]), number(runs[run].results.header.driver())));
    in_lines
}

/// A name and a file name for each run, all different.
pub(super) fn run_names(runs: &[&RunInput<'_>]) -> Vec<(String, String)> {
    let mut names: Vec<(String, String)> = Vec::new();
    for run in runs {
        let device = &run.results.header.device;
        let plain = one_line(device, 60);
        let again = runs.iter().filter(|other| other.results.header.device == *device).count() > 1;
        let name = if again { format!("{plain} ({})", one_line(&run.path, 80)) } else { plain };
        let wanted = if again { slug(&format!("{device} {}", run.path)) } else { slug(device) };
        let mut slug = wanted.clone();
        for number in 2.. {
            if names.iter().all(|(_, taken)| *taken != slug) {
                break;
            }
            slug = format!("{wanted}-{number}");
        }
        names.push((name, slug));
    }
    names
}
