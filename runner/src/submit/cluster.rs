//! Settings of a cluster: a TOML file with the options of each scheduler for each device.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;
use thiserror::Error;

/// A cluster file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Cluster {
    /// Path of the program on the nodes, where it differs from the one here.
    pub runner: Option<String>,
    #[serde(default)]
    pub slurm: Slurm,
    #[serde(default)]
    pub kubernetes: Kubernetes,
}

/// Options of `sbatch`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Slurm {
    /// For every job: partition, account, time limit.
    #[serde(default)]
    pub options: Vec<String>,
    /// Further options for the tasks of each device: generic resources, node features.
    #[serde(default)]
    pub device: BTreeMap<String, Vec<String>>,
}

/// Settings for manifests of Kubernetes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Kubernetes {
    /// The image with the program and the drivers.
    pub image: String,
    /// The claim of the volume that results go to.
    pub volume_claim: String,
    /// Number of further tries of a task.
    pub retries: u32,
    /// Memory of a task.
    pub memory: String,
    /// Settings for the tasks of each device.
    pub device: BTreeMap<String, KubernetesDevice>,
}

impl Default for Kubernetes {
    fn default() -> Self {
        Self {
            image: "address-spaces:latest".to_owned(),
            volume_claim: "address-spaces-results".to_owned(),
            retries: 3,
            memory: "4Gi".to_owned(),
            device: BTreeMap::new(),
        }
    }
}

/// Machines on which the tasks of a device can run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct KubernetesDevice {
    /// Resources of a device plugin and their amounts.
    pub resources: BTreeMap<String, u32>,
    /// Labels of the nodes.
    pub node_selector: BTreeMap<String, String>,
}

/// A cluster file that cannot be used.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The file has a mistake.
    #[error("{path}: {message}")]
    Malformed {
        /// The file.
        path: String,
        /// Description of the mistake, with its place.
        message: String,
    },
}

/// Reads a cluster file.
pub fn read(path: &Path) -> Result<Cluster, ClusterError> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|source| ClusterError::Io { path: shown.clone(), source })?;
    let malformed = |message: String| ClusterError::Malformed { path: shown.clone(), message };
    let cluster: Cluster =
        toml_edit::de::from_str(&text).map_err(|error| malformed(error.to_string()))?;
    let options = cluster.slurm.device.values().flatten().chain(&cluster.slurm.options);
    for option in options {
        // They are in a script, one per line.
        if !option.starts_with("--") || option.chars().any(|c| c.is_control() || c == '#') {
            return Err(malformed(format!(
                "`{}` is not a long option of sbatch, such as --partition=gpu",
                option.escape_debug()
            )));
        }
    }
    Ok(cluster)
}
