//! Kubernetes: a manifest with an Indexed Job for the tasks of each device.

use std::collections::BTreeMap;

use serde::Serialize;
use tera::Context;

use super::scheduler::{Place, Scheduler, SchedulerError, Submission, render, script_path};

/// The manifest's writer: jobs are handed over by `kubectl`.
pub(super) struct Kubernetes;

/// The tasks of one device, as the template names them. Strings are quoted for YAML already.
#[derive(Serialize)]
struct Job {
    name: String,
    device: String,
    tasks: usize,
    first: usize,
    node_selector: Vec<Entry>,
    resources: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    value: String,
}

impl Scheduler for Kubernetes {
    fn text(&self, submission: &Submission<'_>) -> Result<String, SchedulerError> {
        let cluster = &submission.cluster.kubernetes;
        let plan = submission.folder.plan();
        let folder = script_path(submission.folder.path())?;
        let folder_name = folder.rsplit('/').next().unwrap_or(&folder).to_owned();
        let name = format!("address-spaces-{}", label(&folder_name));
        let mut jobs = Vec::new();
        for (device, tasks) in &submission.devices {
            let particular = cluster.device.get(device).cloned().unwrap_or_default();
            for (first, count) in runs(tasks) {
                jobs.push(Job {
                    name: format!("{name}-{first}"),
                    device: quoted(device),
                    tasks: count,
                    first,
                    node_selector: entries(&particular.node_selector),
                    resources: entries(&particular.resources),
                });
            }
        }
        let plan_text =
            serde_json::to_string(plan).expect("plans contain only what JSON can represent");
        let runner = script_path(&submission.runner)?;
        let mut context = Context::new();
        context.insert("folder", &folder);
        context.insert("folder_name", &folder_name);
        context.insert("name", &name);
        context.insert("label", &format!("app.kubernetes.io/part-of={name}"));
        context.insert("plan", &quoted(&plan_text));
        context.insert("runner", &runner);
        context.insert("workers", &plan.workers);
        context.insert("image", &quoted(&cluster.image));
        context.insert("memory", &quoted(&cluster.memory));
        context.insert("retries", &cluster.retries);
        context.insert("volume_claim", &quoted(&cluster.volume_claim));
        context.insert("jobs", &jobs);
        render("kubernetes.yaml.tera", &context)
    }

    fn check(&self) -> Result<(), SchedulerError> {
        Err(SchedulerError::ManifestOnly)
    }

    fn submit(&self, _: &Submission<'_>) -> Result<Vec<(String, Vec<usize>)>, SchedulerError> {
        Err(SchedulerError::ManifestOnly)
    }

    fn submit_gathering(&self, _: &Submission<'_>, _: &[String]) -> Result<String, SchedulerError> {
        Err(SchedulerError::ManifestOnly)
    }

    fn places(&self, _: &[String]) -> Result<BTreeMap<(String, usize), Place>, SchedulerError> {
        // None was handed over by this program.
        Ok(BTreeMap::new())
    }

    fn fate(&self, _: &str, _: usize) -> Option<String> {
        None
    }
}

/// Returns ranges of consecutive numbers, each as its first number and length: an Indexed Job counts from 0.
fn runs(tasks: &[usize]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &task in tasks {
        match runs.last_mut() {
            Some((first, count)) if *first + *count == task => *count += 1,
            _ => runs.push((task, 1)),
        }
    }
    runs
}

fn entries(pairs: &BTreeMap<String, impl ToString>) -> Vec<Entry> {
    let entry = |(name, value): (&String, _)| Entry {
        name: quoted(name),
        value: quoted(&ToString::to_string(value)),
    };
    pairs.iter().map(entry).collect()
}

/// Returns a text as a YAML string, which a JSON string is too.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string is JSON")
}

/// Returns a text as the name of an object: at most 30 lower-case letters, digits and `-`.
fn label(text: &str) -> String {
    let name: String = text
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(30)
        .collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "run".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_such_as_kubernetes_takes() {
        for (text, expected) in [
            ("Nightly_2026.11", "nightly-2026-11"),
            ("--", "run"),
            ("a-very-long-name-of-a-folder-with-results", "a-very-long-name-of-a-folder-w"),
        ] {
            assert_eq!(label(text), expected);
        }
        assert_eq!(runs(&[0, 1, 2, 5, 7, 8]), [(0, 3), (5, 1), (7, 2)]);
    }
}
