//! Names of runs, and their order.

use expectations::device::lineage;
use results::{run::Run, text::one_line};

use super::run::RunView;
use crate::html::names::slug;

pub(super) fn lineages<'m>(runs: &'m [RunView<'_>]) -> Vec<(&'m str, Vec<usize>)> {
    let mut lineages: Vec<(&str, Vec<usize>)> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let name = lineage(&run.run.header.device);
        match lineages.last_mut() {
            Some((last, runs)) if *last == name => runs.push(index),
            _ => lineages.push((name, vec![index])),
        }
    }
    lineages
}

/// Returns the names of the devices, each once: `clang-15 and clang-19`.
pub(super) fn devices(runs: &[RunView<'_>], places: &[usize]) -> String {
    let mut names: Vec<_> = Vec::new();
    for &place in places {
        let name = runs[place].run.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" and ")
}

/// Returns the indices of the runs with the versions of a device side by side, devices in the order given.
pub(super) fn in_lines(runs: &[&Run]) -> Vec<usize> {
    let line = |run: &Run| lineage(&run.header.device).to_owned();
    let place = |run: &Run| runs.iter().position(|first| line(first) == line(run));
    let mut in_lines: Vec<usize> = (0..runs.len()).collect();
    in_lines.sort_by_key(|&run| (place(runs[run]), runs[run].version()));
    in_lines
}

/// Returns a unique name and file name for each run.
pub(super) fn run_names(runs: &[&Run]) -> Vec<(String, String)> {
    let mut names: Vec<(String, String)> = Vec::new();
    for run in runs {
        let device = run.name();
        let plain = one_line(&device, 60);
        let again = runs.iter().filter(|other| other.name() == device).count() > 1;
        let name = if again {
            format!("{plain} ({})", one_line(&run.path.display().to_string(), 80))
        } else {
            plain
        };
        let wanted =
            if again { slug(&format!("{device} {}", run.path.display())) } else { slug(&device) };
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
