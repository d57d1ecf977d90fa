//! Cases of which something changed since a revision of the suite's checkout: their rule, its templates, or entries of
//! the device that match them.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    process::Command,
};

use expectations::{baseline::case_pattern, device::DeviceFile};
use generator::{
    files::RULES,
    suite::{Case, Suite},
};
use results::text::{one_line, plural};
use serde_json::{Map, Value};
use thiserror::Error;
use wildmatch::WildMatch;

use crate::{
    device::places,
    overlay::{self, OverlayError},
};

/// Folders of the code that makes every case.
const CODE: [&str; 2] = ["expectations/src/", "generator/src/"];
/// Folder of code that makes random programs only.
const CODE_OF_RANDOM_PROGRAMS: &str = "generator/src/random/";
/// Number of rules that are named.
const NAMED: usize = 8;

/// Changes that cannot be found.
#[derive(Debug, Error)]
pub enum ChangedError {
    /// A folder outside every checkout of the suite.
    #[error(
        "`--changed-since` compares files of a checkout of the suite: run it in one, or name one \
         with `--overlay DIR`"
    )]
    NoCheckout,
    /// A git that cannot be started.
    #[error("`--changed-since` needs git, which cannot be started: {0}; install it")]
    NoGit(io::Error),
    /// A folder without history.
    #[error(
        "`--changed-since` needs the history of {folder}, and git does not find it: {said}; use a \
         clone of the suite"
    )]
    NoHistory {
        /// The checkout.
        folder: String,
        /// Text that git printed.
        said: String,
    },
    /// A name of no revision.
    #[error(
        "`{revision}` is not a revision of {folder}: `git log` and `git tag` list them, and `git \
         fetch --tags` gets those of its origin"
    )]
    NoRevision {
        /// Name that the user typed.
        revision: String,
        /// The checkout.
        folder: String,
    },
    /// A failure of git.
    #[error("git failed in {folder}: {said}")]
    Failed {
        /// The checkout.
        folder: String,
        /// Text that git printed.
        said: String,
    },
    /// A program that was built from other files.
    #[error(
        "the rules in this program are not those of {folder}: build the program again there, or \
         add `--overlay {folder}`"
    )]
    OtherSuite {
        /// The checkout.
        folder: String,
    },
    /// Files of the checkout that cannot be read.
    #[error(transparent)]
    Overlay(#[from] Box<OverlayError>),
}

/// The cases of which something changed.
#[derive(Debug, Default)]
pub struct ChangedCases {
    /// Files that change every case.
    of_all: BTreeSet<String>,
    /// Indices of rules.
    rules: BTreeSet<usize>,
    /// Patterns of changed entries.
    entries: Vec<WildMatch>,
    /// Files of these entries.
    entry_files: BTreeSet<String>,
}

impl ChangedCases {
    /// Returns the cases that changed in the checkout since a revision. The entries are those of the devices and of
    /// their front ends.
    pub fn since(
        revision: &str,
        suite: &Suite,
        devices: &[DeviceFile],
    ) -> Result<Self, ChangedError> {
        let checkout = Checkout::of(suite)?;
        let commit = checkout.commit(revision)?;
        let changed = checkout.changed(&commit)?;
        let mut cases = Self::by_paths(&changed, suite);
        for source in devices.iter().flat_map(|device| &device.sources) {
            let Some(path) = checkout.path_of(&source.path) else { continue };
            if changed.contains(&path) && !cases.entry_files.contains(&path) {
                let before = checkout.text_at(&commit, &path).ok();
                cases.add_entries(path, before.as_deref(), &source.text);
            }
        }
        Ok(cases)
    }

    /// Returns the cases that changes of these files of a checkout change, except for those of entries.
    fn by_paths(changed: &BTreeSet<String>, suite: &Suite) -> Self {
        let is_code = |path: &&String| {
            CODE.iter().any(|folder| path.starts_with(folder))
                && !path.starts_with(CODE_OF_RANDOM_PROGRAMS)
        };
        let is_changed = |rule: &expectations::rule::Rule| {
            changed.contains(&format!("{RULES}/{}.toml", rule.id))
                || !suite.template_files(rule).is_disjoint(changed)
        };
        let rules = suite.rules().iter().enumerate().filter(|(_, rule)| is_changed(rule));
        Self {
            of_all: changed.iter().filter(is_code).cloned().collect(),
            rules: rules.map(|(index, _)| index).collect(),
            ..Self::default()
        }
    }

    /// Adds the cases of entries that differ between two texts of a device's file, and every case where the device is
    /// reached in another way.
    fn add_entries(&mut self, path: String, before: Option<&str>, now: &str) {
        match changed_patterns(before, now) {
            Some(patterns) => self.entries.extend(patterns.iter().map(|it| case_pattern(it))),
            None => _ = self.of_all.insert(path.clone()),
        }
        self.entry_files.insert(path);
    }

    /// Whether something of the case changed.
    pub fn has(&self, case: &Case) -> bool {
        !self.of_all.is_empty()
            || self.rules.contains(&case.rule)
            || self.entries.iter().any(|pattern| pattern.matches(&case.id))
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.of_all.is_empty() && self.rules.is_empty() && self.entries.is_empty()
    }

    /// Returns a line on what changed.
    pub fn text(&self, revision: &str, suite: &Suite) -> String {
        let since = format!("changed since {}", one_line(revision, 80));
        if let Some(first) = self.of_all.first() {
            let others = match self.of_all.len() - 1 {
                0 => String::new(),
                others => format!(" and {}", plural(others, "other file")),
            };
            return format!("{since}: {first}{others}, which change every case");
        }
        let mut parts = Vec::new();
        if !self.rules.is_empty() {
            let ids = self.rules.iter().map(|&rule| suite.rules()[rule].id.as_str());
            let mut named: Vec<&str> = ids.take(NAMED).collect();
            named.extend((self.rules.len() > NAMED).then_some("..."));
            parts.push(format!("{} ({})", plural(self.rules.len(), "rule"), named.join(" ")));
        }
        if !self.entries.is_empty() {
            let files: Vec<&str> = self.entry_files.iter().map(String::as_str).collect();
            parts.push(format!("entries of {}", files.join(" ")));
        }
        format!("{since}: {}", parts.join(", "))
    }
}

/// Returns the patterns of the entries that differ between two texts of a device's file; `None` where the rest of the
/// file differs.
fn changed_patterns(before: Option<&str>, now: &str) -> Option<Vec<String>> {
    let (before, now) = (Entries::read(before?)?, Entries::read(now)?);
    if before.rest != now.rest {
        return None;
    }
    let only_in = |one: &[Value], other: &[Value]| -> Vec<Value> {
        one.iter().filter(|entry| !other.contains(entry)).cloned().collect()
    };
    let differing =
        [only_in(&before.entries, &now.entries), only_in(&now.entries, &before.entries)].concat();
    let cases = differing.iter().filter_map(|entry| entry.get("cases")?.as_array());
    Some(cases.flatten().filter_map(|cases| cases.as_str().map(str::to_owned)).collect())
}

/// A device's file without what no verdict depends on.
struct Entries {
    entries: Vec<Value>,
    rest: Map<String, Value>,
}

impl Entries {
    fn read(text: &str) -> Option<Self> {
        let mut rest: Map<String, Value> = toml_edit::de::from_str(text).ok()?;
        for key in ["what", "confirmed"] {
            rest.remove(key);
        }
        let mut entries = match rest.remove("deviation") {
            Some(Value::Array(entries)) => entries,
            _ => Vec::new(),
        };
        for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
            for key in ["reason", "cause", "link", "example"] {
                entry.remove(key);
            }
        }
        Some(Self { entries, rest })
    }
}

/// A checkout of the suite.
struct Checkout {
    folder: PathBuf,
}

impl Checkout {
    /// Returns the checkout that the suite is read from.
    fn of(suite: &Suite) -> Result<Self, ChangedError> {
        if let Some(folder) = overlay::folder() {
            return Ok(Self { folder: folder.to_owned() });
        }
        let folder = places::checkout().ok_or(ChangedError::NoCheckout)?;
        let there = overlay::suite_with(Some(&folder)).map_err(Box::new)?;
        if there.hash() != suite.hash() {
            return Err(ChangedError::OtherSuite { folder: folder.display().to_string() });
        }
        Ok(Self { folder })
    }

    fn shown(&self) -> String {
        self.folder.display().to_string()
    }

    /// Returns the commit of a revision.
    fn commit(&self, revision: &str) -> Result<String, ChangedError> {
        let failed = |error| match error {
            ChangedError::Failed { folder, said } => ChangedError::NoHistory { folder, said },
            error => error,
        };
        self.git(&["rev-parse", "--is-inside-work-tree"]).map_err(failed)?;
        let commit = format!("{revision}^{{commit}}");
        let commit = self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
        let no_revision =
            || ChangedError::NoRevision { revision: one_line(revision, 80), folder: self.shown() };
        Ok(commit.map_err(|_| no_revision())?.trim().to_owned())
    }

    /// Returns the paths of files below the checkout that differ from a commit, or that git does not know.
    fn changed(&self, commit: &str) -> Result<BTreeSet<String>, ChangedError> {
        let differing =
            self.git(&["diff", "--name-only", "--no-renames", "--relative", "-z", commit, "--"])?;
        let unknown = self.git(&["ls-files", "--others", "--exclude-standard", "-z"])?;
        let paths = differing.split('\0').chain(unknown.split('\0'));
        Ok(paths.filter(|path| !path.is_empty()).map(str::to_owned).collect())
    }

    /// Returns the text of a file in a commit.
    fn text_at(&self, commit: &str, path: &str) -> Result<String, ChangedError> {
        self.git(&["show", &format!("{commit}:./{path}")])
    }

    /// Returns the path below the checkout of a file as messages show it; `None` if it is elsewhere.
    fn path_of(&self, shown: &str) -> Option<String> {
        let folder = self.folder.canonicalize().ok()?;
        let path = [self.folder.join(shown), Path::new(shown).to_owned()];
        let path = path.into_iter().find_map(|path| path.canonicalize().ok())?;
        Some(path.strip_prefix(folder).ok()?.to_str()?.to_owned())
    }

    fn git(&self, arguments: &[&str]) -> Result<String, ChangedError> {
        let done = Command::new("git").arg("-C").arg(&self.folder).args(arguments).output();
        let done = done.map_err(ChangedError::NoGit)?;
        if !done.status.success() {
            let said = one_line(&String::from_utf8_lossy(&done.stderr), 300);
            return Err(ChangedError::Failed { folder: self.shown(), said });
        }
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use generator::files::{KERNELS, PROBES};

    use super::*;

    #[test]
    fn files_change_the_cases_that_are_made_of_them() {
        let suite = Suite::embedded().unwrap();
        let shared = format!("{KERNELS}/shared/scope-begin.cl.tera");
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let includes = |file: &String| {
            let text = std::fs::read_to_string(format!("{root}/{file}")).unwrap();
            text.contains("include \"shared/scope-begin.cl.tera\"")
        };
        let users =
            suite.rules().iter().filter(|rule| suite.template_files(rule).iter().any(includes));
        let users: Vec<&str> = users.map(|rule| rule.id.as_str()).collect();
        assert!(users.len() > 1);
        let all: Vec<&str> = suite.rules().iter().map(|rule| rule.id.as_str()).collect();
        let template = format!("{KERNELS}/execution/barrier.cl.tera");
        let probe = format!("{PROBES}/execution/barrier.toml.tera");
        for (path, changed) in [
            ("expectations/rules/conversion/cast.toml", &["conversion/cast"][..]),
            (&template, &["execution/barrier"]),
            (&probe, &["execution/barrier"]),
            (&shared, &users),
            ("generator/src/types.rs", &all),
            ("expectations/src/space.rs", &all),
            ("generator/src/random/mod.rs", &[]),
            ("generator/tests/laws.rs", &[]),
            ("expectations/rules/conversion/no-such-rule.toml", &[]),
            ("docs/README.md", &[]),
        ] {
            let cases = ChangedCases::by_paths(&BTreeSet::from([path.to_owned()]), &suite);
            let has = |rule: &str| {
                let case = suite.all_cases().into_iter().find(|case| case.id.starts_with(rule));
                cases.has(&case.unwrap())
            };
            let found = suite
                .rules()
                .iter()
                .enumerate()
                .filter(|(index, _)| !cases.of_all.is_empty() || cases.rules.contains(index));
            let found: Vec<&str> = found.map(|(_, rule)| rule.id.as_str()).collect();
            assert_eq!(found, changed, "{path}");
            assert_eq!(cases.is_empty(), changed.is_empty(), "{path}");
            assert!(changed.first().is_none_or(|rule| has(&format!("{rule}/"))), "{path}");
        }
    }

    #[test]
    fn entries_that_change_a_verdict_are_found() {
        const FILE: &str = "what = \"a\"\nfront-end = \"f\"\nconfirmed = [\"1\"]\n\
            [device]\ntype = \"checker\"\n\
            [[deviation]]\ncases = [\"a/*\"]\nfindings = [\"crash\"]\nreason = \"r\"\n";
        const NEW: &str = "[[deviation]]\ncases = [\"b/*\", \"c/*\"]\nfindings = [\"crash\"]\n";
        let changed = |from: &str, to: &str| {
            let patterns = changed_patterns(Some(FILE), &FILE.replace(from, to));
            patterns.map(|patterns| patterns.join(" "))
        };
        for (from, to, expected) in [
            ("", "", Some("")),
            ("\"r\"", "\"s\"", Some("")),
            ("what = \"a\"", "what = \"b\"", Some("")),
            ("[\"1\"]", "[\"1\", \"2\"]", Some("")),
            ("crash", "timeout", Some("a/* a/*")),
            ("a/*", "a/b/*", Some("a/* a/b/*")),
            ("checker", "command", None),
            ("\"f\"", "\"g\"", None),
            ("[device]", "device", None),
        ] {
            let patterns = if from.is_empty() { Some(String::new()) } else { changed(from, to) };
            assert_eq!(patterns.as_deref(), expected, "{from} -> {to}");
        }
        let more = changed_patterns(Some(FILE), &format!("{FILE}{NEW}")).unwrap();
        assert_eq!(more, ["b/*", "c/*"]);
        assert_eq!(changed_patterns(Some(&format!("{FILE}{NEW}")), FILE).unwrap(), more);
        assert_eq!(changed_patterns(None, FILE), None);
    }
}
