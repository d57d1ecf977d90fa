//! A run cut into tasks: device by device, dialect by dialect where that pays, part by part.

use std::{collections::BTreeMap, path::PathBuf};

use expectations::dialect::Dialect;
use results::shard::Shard;
use serde::{Deserialize, Serialize};

use crate::PROGRAM;

/// Version of the plan's file; readers reject others.
pub const FORMAT: u32 = 1;

/// Plan that every task of a run must agree on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    pub format: u32,
    /// Hash of the suite that was cut.
    pub suite: String,
    /// Options of the run that hold for every task, as typed.
    pub options: Vec<String>,
    /// Baseline entries to judge by, in place of the devices' own files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<PathBuf>,
    /// Workers of each task.
    pub workers: usize,
    /// The tasks, by number.
    pub tasks: Vec<Task>,
}

/// Task of one machine: one device, some dialects, a part of their cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Task {
    /// Name of the device.
    pub device: String,
    /// The dialects, by name; empty if the selection names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dialects: Vec<String>,
    /// Part of the cases, as `K/N`.
    pub shard: String,
}

impl Plan {
    /// Returns the command line of a task, the program's name first, without the folder of its results.
    pub fn command_line(&self, task: &Task) -> Vec<String> {
        let mut line = [PROGRAM, "run", "--device", &task.device].map(str::to_owned).to_vec();
        for dialect in &task.dialects {
            line.extend(["--dialect".to_owned(), dialect.clone()]);
        }
        line.extend(["--shard".to_owned(), task.shard.clone()]);
        line.extend(["--test-threads".to_owned(), self.workers.to_string()]);
        if let Some(baseline) = &self.baseline {
            line.extend(["--baseline".to_owned(), baseline.display().to_string()]);
        }
        line.extend(self.options.iter().cloned());
        line
    }

    /// Returns the devices, each with the numbers of its tasks, in the order of the tasks.
    pub fn devices(&self) -> Vec<(&str, Vec<usize>)> {
        let mut devices: Vec<(&str, Vec<usize>)> = Vec::new();
        for (number, task) in self.tasks.iter().enumerate() {
            match devices.iter_mut().find(|(device, _)| *device == task.device) {
                Some((_, numbers)) => numbers.push(number),
                None => devices.push((&task.device, vec![number])),
            }
        }
        devices
    }
}

impl std::fmt::Display for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.device)?;
        if !self.dialects.is_empty() {
            write!(f, " {}", self.dialects.join(" "))?;
        }
        write!(f, " {}", self.shard)
    }
}

/// Seconds that an earlier run took, by device and dialect.
pub type Times = BTreeMap<String, BTreeMap<String, f64>>;

/// Cuts a run on `devices` into exactly `count` tasks, at least one for each device. Without times, each device has as
/// many tasks as any other, and parts are chosen only by hash. With the times of an earlier run, devices and dialects
/// get tasks by the time they took.
pub fn cut(
    devices: &[String],
    selected: &[Dialect],
    times: Option<&Times>,
    count: usize,
) -> Vec<Task> {
    let known = |device: &String| -> Option<f64> {
        times?.get(device).map(|dialects| dialects.values().sum())
    };
    let measured: Vec<f64> = devices.iter().filter_map(known).collect();
    // A device without a time is taken for one like the others.
    let usual = if measured.is_empty() {
        1.0
    } else {
        measured.iter().sum::<f64>() / measured.len() as f64
    };
    let weights: Vec<f64> = devices.iter().map(|device| known(device).unwrap_or(usual)).collect();
    let shares = share(&weights, count);
    let mut tasks = Vec::new();
    for (device, share) in devices.iter().zip(shares) {
        let times = times.and_then(|times| times.get(device));
        for (dialects, parts) in groups(selected, times, share) {
            for index in 1..=parts {
                let shard = Shard { index: index as u64, count: parts as u64 }.to_string();
                tasks.push(Task { device: device.clone(), dialects: dialects.clone(), shard });
            }
        }
    }
    tasks
}

/// Returns the dialects of a device in groups, each with its number of parts. A dialect that fills a task is a group of
/// its own, because cases of one dialect are built together; the others are one group.
fn groups(
    selected: &[Dialect],
    times: Option<&BTreeMap<String, f64>>,
    count: usize,
) -> Vec<(Vec<String>, usize)> {
    let names = |dialects: &[Dialect]| -> Vec<String> {
        if dialects.len() == Dialect::ALL.len() {
            return Vec::new();
        }
        dialects.iter().map(|dialect| dialect.name().to_owned()).collect()
    };
    let Some(times) = times else { return vec![(names(selected), count)] };
    let time = |dialect: &Dialect| times.get(dialect.name()).copied().unwrap_or(0.0);
    let target = selected.iter().map(time).sum::<f64>() / count as f64;
    let (mut large, mut small): (Vec<Dialect>, Vec<Dialect>) =
        selected.iter().partition(|dialect| time(dialect) > 0.0 && time(dialect) >= target);
    large.sort_by(|a, b| time(b).total_cmp(&time(a)));
    // One group too many, or one that is hardly worth a task: the smallest of the large ones joins it.
    let worth = small.iter().map(time).sum::<f64>();
    if !small.is_empty() && (large.len() == count || worth < target / 2.0) {
        small.extend(large.pop());
    }
    let mut groups: Vec<Vec<Dialect>> = large.into_iter().map(|dialect| vec![dialect]).collect();
    if !small.is_empty() {
        small.sort_unstable();
        groups.push(small);
    }
    let weights: Vec<f64> = groups.iter().map(|group| group.iter().map(time).sum()).collect();
    let parts = share(&weights, count);
    groups.iter().map(|group| names(group)).zip(parts).collect()
}

/// Distributes `count` tasks, at least one to each weight, so that the largest load of a task is as small as possible.
fn share(weights: &[f64], count: usize) -> Vec<usize> {
    let mut shares = vec![1; weights.len()];
    for _ in weights.len()..count {
        let load = |index: usize| weights[index] / shares[index] as f64;
        let next = (0..weights.len()).max_by(|&a, &b| load(a).total_cmp(&load(b)).then(b.cmp(&a)));
        if let Some(next) = next {
            shares[next] += 1;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn dialects(indices: &[usize]) -> Vec<Dialect> {
        indices.iter().map(|&index| Dialect::ALL[index]).collect()
    }

    proptest! {
        #[test]
        fn every_dialect_of_every_device_is_cut_into_whole_sets_of_parts(
            devices in 1_usize..5,
            chosen in prop::sample::subsequence((0..8).collect::<Vec<_>>(), 1..=8),
            seconds in prop::option::of(prop::collection::vec(prop::collection::vec(0.0_f64..100.0, 8), 0..5)),
            extra in 0_usize..40,
        ) {
            let devices: Vec<String> = (0..devices).map(|n| format!("d{n}")).collect();
            let selected = dialects(&chosen);
            let times = seconds.map(|seconds| -> Times {
                let named = |seconds: Vec<f64>| Dialect::ALL.map(|d| d.name().to_owned()).into_iter().zip(seconds).collect();
                devices.iter().cloned().zip(seconds.into_iter().map(named)).collect()
            });
            let count = devices.len() + extra;
            let tasks = cut(&devices, &selected, times.as_ref(), count);
            prop_assert_eq!(tasks.len(), count);
            for device in &devices {
                for dialect in &selected {
                    let own = tasks.iter().filter(|task| {
                        task.device == *device
                            && (task.dialects.is_empty() || task.dialects.iter().any(|name| name == dialect.name()))
                    });
                    let shards: Vec<Shard> = own.map(|task| task.shard.parse().unwrap()).collect();
                    let count = shards[0].count;
                    let indices: BTreeSet<u64> = shards.iter().map(|shard| shard.index).collect();
                    prop_assert!(shards.iter().all(|shard| shard.count == count));
                    prop_assert_eq!(shards.len() as u64, count);
                    prop_assert_eq!(indices.len() as u64, count);
                }
            }
        }
    }

    #[test]
    fn slow_dialects_have_more_tasks() {
        let seconds = |pairs: &[(&str, f64)]| {
            pairs.iter().map(|&(name, time)| (name.to_owned(), time)).collect()
        };
        let times: Times = BTreeMap::from([
            ("fast".to_owned(), seconds(&[("cl11", 1.0), ("cl12", 1.0)])),
            ("slow".to_owned(), seconds(&[("cl11", 2.0), ("cl12", 8.0), ("cl20", 0.0)])),
        ]);
        let selected: Vec<Dialect> =
            ["cl11", "cl12", "cl20"].iter().filter_map(|name| Dialect::from_name(name)).collect();
        let devices = ["fast".to_owned(), "slow".to_owned()];
        let tasks: Vec<String> =
            cut(&devices, &selected, Some(&times), 6).iter().map(ToString::to_string).collect();
        assert_eq!(
            tasks,
            [
                "fast cl11 cl12 cl20 1/1",
                "slow cl12 1/4",
                "slow cl12 2/4",
                "slow cl12 3/4",
                "slow cl12 4/4",
                "slow cl11 cl20 1/1",
            ]
        );
        let plain = cut(&devices, &Dialect::ALL, None, 4);
        let plain: Vec<String> = plain.iter().map(ToString::to_string).collect();
        assert_eq!(plain, ["fast 1/2", "fast 2/2", "slow 1/2", "slow 2/2"]);
    }
}
