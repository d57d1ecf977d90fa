//! The language that files of an editor are read as: initialization options, or `.opencl-c.toml` in a folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{Checker, Dialect, Version, preprocess::FileSystem};
use serde::Deserialize;

use crate::cli::{arguments::DEFAULT_VERSION, features};

/// Name of the file with settings. It speaks of the files in its folder and below.
const FILE: &str = ".opencl-c.toml";

/// Settings as the client or a file writes them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Settings {
    std: Option<String>,
    features: Option<String>,
    include: Vec<PathBuf>,
    define: Vec<String>,
}

impl Settings {
    /// Returns the settings in the `initializationOptions` of a client.
    pub(super) fn from_options(options: Option<serde_json::Value>) -> Result<Self, String> {
        match options {
            None | Some(serde_json::Value::Null) => Ok(Self::default()),
            Some(options) => serde_json::from_value(options)
                .map_err(|error| format!("the initialization options cannot be read: {error}")),
        }
    }

    /// Returns the settings of the nearest file above `path`; `None` if there is no such file.
    pub(super) fn beside(path: &Path) -> Result<Option<Self>, String> {
        for folder in path.ancestors().skip(1) {
            let file = folder.join(FILE);
            let text = match fs::read_to_string(&file) {
                Ok(text) => text,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(format!("{} cannot be read: {error}", file.display())),
            };
            let mut settings: Self =
                toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
            for include in &mut settings.include {
                *include = folder.join(&*include);
            }
            return Ok(Some(settings));
        }
        Ok(None)
    }

    /// Returns the checker that these settings describe.
    pub(super) fn checker(&self) -> Result<Checker, String> {
        let version = match &self.std {
            Some(text) => text
                .parse::<Version>()
                .map_err(|error| format!("`std = {text:?}` names no version: {error}"))?,
            None => DEFAULT_VERSION,
        };
        let list = self.features.as_deref().unwrap_or("all");
        let dialect = features::apply(Dialect::new(version), list)?;
        let mut checker = Checker::new(dialect).files(FileSystem).note_mentions();
        for definition in &self.define {
            checker = checker.define(definition).map_err(|error| error.to_string())?;
        }
        for folder in &self.include {
            checker = checker.include_dir(folder);
        }
        Ok(checker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(FILE), text).expect("written");
        let settings = Settings::beside(&folder.path().join("src/k.cl"));
        let found = settings
            .and_then(|settings| settings.unwrap_or_default().checker())
            .map(|checker| checker.dialect().to_string());
        match (expected, found) {
            (Ok(expected), Ok(found)) => assert_eq!(found, expected),
            (Err(expected), Err(found)) => assert!(found.contains(expected), "{found}"),
            (expected, found) => panic!("{text}: {expected:?}, {found:?}"),
        }
    }

    #[test]
    fn files_are_read_strictly() {
        check("std = \"CL1.2\"", Ok("CL1.2"));
        check("std = \"CL3.0\"\nfeatures = \"none\"", Ok("CL3.0 without features"));
        check("", Ok("CL3.0"));
        check("std = \"CL9\"", Err("names no version: the versions are CL1.0"));
        check("sdt = \"CL1.2\"", Err("unknown field `sdt`"));
        check("std = 3.0", Err("invalid type"));
        check("features = \"frob\"", Err("`frob` is not a feature"));
    }
}
