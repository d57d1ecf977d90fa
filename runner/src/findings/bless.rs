//! Rewriting of a baseline to match the findings; comments and reasons of entries that stay are kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::ErrorKind,
    path::{Path, PathBuf},
};

use expectations::{
    baseline::Explanation,
    case_id::CaseId,
    device::{DeviceFile, DeviceKind, SourceRole, is_device_name, load_device},
    judge::{Direction, FindingKind},
    outcome::Phase,
    verdict::Verdict,
};
use results::{
    cases::{Brief, Cases},
    cluster::Cluster,
    run::{Judgement, Run, StaleEntry},
};
use serde::Serialize;
use thiserror::Error;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, TableLike, value};
use wildmatch::WildMatch;

use crate::device::files::is_name_of_suite;

/// Error on rewriting a baseline.
#[derive(Debug, Error)]
pub enum BlessError {
    /// There is none.
    #[error("{} does not exist: `--baseline FILE --bless` creates a baseline", .path.display())]
    Missing {
        /// Path at which the file was expected.
        path: PathBuf,
    },
    /// The file is not a baseline.
    #[error("{}: {message}", .path.display())]
    NoBaseline {
        /// The file.
        path: PathBuf,
        /// Description of the mistake.
        message: String,
    },
    /// The file cannot be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
}

/// Rewrites the device's file, or the baseline given in its place, which is made where it does not exist; returns the
/// path of the file.
pub fn bless(
    run: &Run,
    device: &DeviceFile,
    baseline: Option<&Path>,
) -> Result<PathBuf, BlessError> {
    let path = baseline.map_or_else(|| PathBuf::from(&device.path), Path::to_owned);
    let file_error = |source| BlessError::File { path: path.clone(), source };
    let no_baseline = |message| BlessError::NoBaseline { path: path.clone(), message };
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound && baseline.is_some() => {
            skeleton(device, &run.header.identity).map_err(no_baseline)?
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(BlessError::Missing { path });
        }
        read => read.map_err(file_error)?,
    };
    let changes = Changes::of(run, device, &path, &text).map_err(no_baseline)?;
    // What is left of programs with wrong values is more specific than their ids, which would hide other bugs.
    let kinds: Vec<&Cluster> =
        run.judgement.clusters.iter().filter(|cluster| cluster.reductions.is_some()).collect();
    let mut unexpected = run.unexpected().to_vec();
    unexpected.retain(|number| kinds.iter().all(|kind| kind.smallest != *number));
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.shape.as_str()).collect();
    let blessed = rewrite(&text, &changes, &run.cases, &unexpected, &kinds).map_err(no_baseline)?;
    // Into a file beside it first: a full disk must not cost the old baseline.
    let partial = path.with_extension("toml.partial");
    std::fs::write(&partial, blessed)
        .and_then(|()| std::fs::rename(&partial, &path))
        .map_err(file_error)?;
    Ok(path)
}

/// Contents of a device file except for its entries.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Skeleton<'d> {
    name: String,
    what: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    front_end: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_front_end: Option<&'d str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    via: &'d [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<&'d str>,
    device: DeviceKind,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    environment: BTreeMap<&'d str, &'d str>,
}

/// Returns the name of a device as its file can give it.
fn file_name(name: &str) -> String {
    let name = name.split_once(':').map_or(name, |(_, name)| name);
    let plain = |c: char| if is_device_name(&format!("a{c}a")) { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    if name.is_empty() { "device".to_owned() } else { name.to_owned() }
}

/// Returns a device file without entries, with which the device can be run as it was.
fn skeleton(device: &DeviceFile, identity: &BTreeMap<String, String>) -> Result<String, String> {
    let mut kind = device.kind.clone();
    // A device that was opened by its file has the name in the file.
    if let DeviceKind::Opencl { platform, .. } = &mut kind
        && platform.is_empty()
    {
        identity.get("platform").unwrap_or(&device.name).clone_into(platform);
    }
    // A front end that the suite knows is not a device's own.
    let is_known = device.sources.iter().any(|source| source.role == SourceRole::FrontEnd);
    let named = Some(device.front_end.as_str());
    let is_shared = is_known && !device.has_own_front_end;
    let (front_end, own_front_end) = if is_shared { (named, None) } else { (None, named) };
    let skeleton = Skeleton {
        name: file_name(&device.family),
        what: &device.what,
        front_end,
        own_front_end,
        via: &device.place.via,
        worker: device.place.worker.as_deref(),
        root: device.place.root.as_deref(),
        device: kind,
        environment: device.environment.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect(),
    };
    toml_edit::ser::to_string_pretty(&skeleton).map_err(|error| error.to_string())
}

/// Changes of a baseline by a run, besides added entries.
#[derive(Default)]
struct Changes<'r> {
    /// The version of the driver to add to the confirmed ones.
    confirmed: Option<&'r str>,
    /// The release whose driver that is.
    release: Option<&'r str>,
    /// Numbers of the entries that hold no more.
    stale: Vec<usize>,
    /// Entries that hold for a part of their cases.
    revised: Vec<Revision>,
    /// Versions of the driver before and since the change, where the file also covers other versions.
    versions: Option<Versions>,
    /// Name that the file must give its device, because entries use it and the file has none yet.
    name: Option<String>,
}

/// An entry that holds for a part of its cases.
struct Revision {
    /// Number of the entry.
    entry: usize,
    /// Cases for which it holds.
    holds: Vec<Group>,
}

struct Versions {
    family: String,
    /// Versions before; `None` if the version is neither the first nor the last, because nobody knows then.
    before: Option<String>,
    now: String,
}

impl<'r> Changes<'r> {
    fn of(run: &'r Run, device: &'r DeviceFile, path: &Path, text: &str) -> Result<Self, String> {
        let shown = path.display().to_string();
        let known = load_device(&device.family, &shown, text).map_err(|wrong| wrong.to_string())?;
        // Entries of its front end are edited by hand.
        let position = |entry: usize| {
            let stale = device.deviations.get(entry).filter(|entry| entry.path == shown)?;
            known.deviations.iter().position(|entry| entry.line == stale.line)
        };
        let Judgement { baseline, stale, wide, tolerated_stale, tolerated_wide, .. } =
            &run.judgement;
        let (whole, parts): (Vec<&StaleEntry>, Vec<&StaleEntry>) =
            stale.iter().chain(tolerated_stale).partition(|stale| stale.is_whole);
        let wide = wide.iter().chain(tolerated_wide).map(|wide| wide.entry);
        let revised: BTreeSet<usize> = parts.iter().map(|stale| stale.entry).chain(wide).collect();
        // Entries without directions are edited by hand too.
        let revised = revised
            .into_iter()
            .filter(|&entry| matches!(device.deviations[entry].known, Explanation::Findings(_)));
        let revise = |entry: usize| {
            let explained = baseline.explained.iter().filter(|&&(_, by)| by == entry);
            let explained: Vec<usize> = explained.map(|&(case, _)| case).collect();
            Some(Revision { entry: position(entry)?, holds: groups(&run.cases, &explained) })
        };
        let driver = run.reported_driver();
        let family = known.given_name.as_ref().unwrap_or(&device.family);
        let versions = Versions::of(family, driver, &known);
        let needs_name = versions.is_some() && known.given_name.is_none();
        let is_of_suite =
            !device.is_judged_by_a_user(is_name_of_suite(&device.name).unwrap_or(true));
        let is_new = known.confirmed.is_empty() || !known.is_confirmed_with(driver);
        Ok(Self {
            confirmed: Some(driver).filter(|driver| is_new && !driver.is_empty()),
            release: device
                .release
                .as_deref()
                .filter(|release| known.in_release(release).is_some()),
            stale: whole.iter().filter_map(|stale| position(stale.entry)).collect(),
            revised: revised.filter_map(revise).collect(),
            versions,
            name: (needs_name && !is_of_suite).then(|| file_name(family)),
        })
    }
}

impl Versions {
    /// Returns the versions before and since; `None` if the file covers only this version.
    fn of(family: &str, driver: &str, known: &DeviceFile) -> Option<Self> {
        let this = known.version_in(driver)?;
        let others = known.confirmed.iter().filter_map(|version| known.version_in(version));
        let others: Vec<_> = others.collect();
        let others: Vec<_> = others.into_iter().filter(|other| *other != this).collect();
        let (first, last) = (others.iter().min()?, others.iter().max()?);
        let text = this.to_string();
        let (before, now) = if this > *last {
            (Some(format!("<{text}")), format!(">={text}"))
        } else if this < *first {
            (Some(format!(">{text}")), format!("<={text}"))
        } else {
            (None, format!("={text}"))
        };
        Some(Self { family: family.to_owned(), before, now })
    }

    /// Restricts an entry to the other versions.
    fn narrow(&self, entry: &mut Table) -> Result<(), String> {
        let Some(before) = &self.before else { return Ok(()) };
        let names = entry.entry("implementations").or_insert_with(|| value(&self.family));
        if let Some(family) = names.as_str().map(str::to_owned) {
            *names = value(Array::from_iter([format!("{family} {before}")]));
            return Ok(());
        }
        let names = names.as_array_mut().ok_or("`implementations` is not an array")?;
        for name in names.iter_mut() {
            let text = name.as_str().unwrap_or_default();
            let rest = text.strip_prefix(self.family.as_str()).map(str::trim_start);
            let narrowed = match rest {
                Some("") => format!("{text} {before}"),
                Some(condition) if condition.starts_with(['<', '>', '=']) => {
                    format!("{text}, {before}")
                }
                _ => continue,
            };
            *name = narrowed.into();
        }
        Ok(())
    }
}

fn rewrite(
    text: &str,
    changes: &Changes<'_>,
    results: &Cases,
    unexpected: &[usize],
    kinds: &[&str],
) -> Result<String, String> {
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    if let Some(name) = &changes.name {
        document.as_table_mut().insert("name", value(name));
    }
    if let Some(version) = changes.confirmed {
        let table: &mut dyn TableLike = match changes.release {
            None => document.as_table_mut(),
            Some(release) => {
                let instance = document["instance"][release].as_table_like_mut();
                instance.ok_or_else(|| format!("`instance.{release}` is not a table"))?
            }
        };
        let versions = table.entry("confirmed").or_insert_with(|| value(Array::new()));
        versions.as_array_mut().ok_or("`confirmed` is not an array")?.push(version);
    }
    let entries =
        document.entry("deviation").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let entries =
        entries.as_array_of_tables_mut().ok_or("`deviation` is not an array of tables")?;
    let mut added = Vec::new();
    let nothing = Vec::new();
    let stale = changes.stale.iter().map(|&entry| (entry, &nothing));
    let revised = changes.revised.iter().map(|revision| (revision.entry, &revision.holds));
    // From the last to the first, so that the numbers of the others stay right.
    for (number, holds) in stale.chain(revised).collect::<BTreeMap<_, _>>().into_iter().rev() {
        let Some(entry) = entries.get_mut(number) else { continue };
        // Where nobody knows of the versions before and since, the entry is left to its authors.
        if changes.versions.as_ref().is_some_and(|versions| versions.before.is_none()) {
            continue;
        }
        for group in holds {
            let mut revised = entry.clone();
            revised.remove("when");
            revised.remove("phase");
            describe(&mut revised, group, changes.versions.as_ref());
            added.push(revised);
        }
        match &changes.versions {
            Some(versions) => versions.narrow(entry)?,
            None => _ = entries.remove(number),
        }
    }
    for entry in added {
        entries.push(entry);
    }
    for found in groups(results, unexpected) {
        let mut entry = Table::new();
        describe(&mut entry, &found, changes.versions.as_ref());
        entry["kind"] = value("unreviewed");
        entry["reason"] = value(format!("{}: say what is wrong", found.reason));
        let example = entry.remove("example");
        entry.insert("example", example.unwrap_or_default());
        entries.push(entry);
    }
    for kind in kinds {
        let mut entry = Table::new();
        if let Some(Versions { family, now, .. }) = &changes.versions {
            entry["implementations"] = value(Array::from_iter([format!("{family} {now}")]));
        }
        entry["cases"] = value(Array::from_iter(["random/run/*"]));
        entry["shape"] = value(as_pattern(kind));
        entry["kind"] = value("unreviewed");
        entry["reason"] = value(format!("{kind}: say what is wrong"));
        entries.push(entry);
    }
    Ok(document.to_string())
}

/// Makes an entry speak of these cases, and of the versions that show them.
fn describe(entry: &mut Table, group: &Group, versions: Option<&Versions>) {
    if let Some(Versions { family, now, .. }) = versions {
        entry["implementations"] = value(Array::from_iter([format!("{family} {now}")]));
    }
    let mut cases = Array::from_iter(&group.patterns);
    if group.patterns.len() > 1 {
        cases.iter_mut().for_each(|case| case.decor_mut().set_prefix("\n    "));
        cases.set_trailing("\n");
        cases.set_trailing_comma(true);
    }
    entry["cases"] = value(cases);
    entry["findings"] = value(Array::from_iter([group.direction.name()]));
    if group.phase == Phase::GenerateCode {
        entry["phase"] = value(group.phase.name());
    }
    entry["example"] = value(&group.example);
}

/// Returns a kind of wrong values as a pattern: `*` is an operator in it and not a wildcard.
fn as_pattern(kind: &str) -> String {
    kind.replace('*', "?")
}

/// Unexpected cases of one rule that deviate alike.
struct Group {
    direction: Direction,
    phase: Phase,
    /// Patterns that match all of them and no other case of the run.
    patterns: Vec<String>,
    reason: &'static str,
    /// The first.
    example: String,
}

/// Returns the unexpected cases by rule, direction and phase.
fn groups(results: &Cases, unexpected: &[usize]) -> Vec<Group> {
    let mut found: BTreeMap<(String, Direction, Phase), BTreeMap<String, &'static str>> =
        BTreeMap::new();
    for &index in unexpected {
        let result = results.get(index);
        let Some(direction) = result.finding.direction() else { continue };
        let rule = CaseId::new(&result.id).rule().to_owned();
        let members = found.entry((rule, direction, result.outcome.reached())).or_default();
        members.insert(result.id.clone(), result.finding.reason.text());
    }
    let groups = found.into_iter().filter_map(|((rule, direction, phase), members)| {
        let (example, &reason) = members.first_key_value()?;
        let contradicts = |case: &Brief| {
            CaseId::new(&case.id).rule() == rule
                && !members.contains_key(&case.id)
                && can_deviate(case, direction)
        };
        let others: Vec<String> =
            results.briefs().filter(contradicts).map(|case| case.id).collect();
        let members: Vec<&str> = members.keys().map(String::as_str).collect();
        let patterns = patterns(&rule, &members, &others);
        Some(Group { direction, phase, patterns, reason, example: example.clone() })
    });
    groups.collect()
}

/// Whether a case was judged and could have deviated so.
fn can_deviate(case: &Brief, direction: Direction) -> bool {
    let is_judged = !matches!(
        case.finding.kind,
        FindingKind::Unsupported | FindingKind::Disputed | FindingKind::Inconclusive
    );
    let is_meant = match direction {
        Direction::AcceptsInvalid => case.expectation == Verdict::Reject,
        Direction::RejectsValid => case.expectation == Verdict::Accept,
        _ => true,
    };
    is_judged && is_meant
}

/// Returns patterns of these cases of a rule, each as wide as what was judged allows: none covers one of `others`.
fn patterns(rule: &str, members: &[&str], others: &[String]) -> Vec<String> {
    let mut patterns: Vec<Pattern> = Vec::new();
    for &member in members {
        if patterns.iter().any(|pattern| pattern.matches(member)) {
            continue;
        }
        let is_allowed = |pattern: &Pattern| !others.iter().any(|other| pattern.matches(other));
        let whole = [format!("{rule}/*"), CaseId::new(member).pattern_of_dialect()];
        let dialects: BTreeSet<&str> =
            members.iter().map(|member| CaseId::new(member).dialect()).collect();
        // One dialect is no evidence about the others.
        let whole = whole.into_iter().skip(usize::from(dialects.len() < 2)).map(Pattern::new);
        let whole = whole.into_iter().find(is_allowed);
        patterns.push(whole.unwrap_or_else(|| widened(member, members, is_allowed)));
    }
    // The first may have no more information than later ones.
    let mut place = 0;
    while place < patterns.len() {
        let pattern = patterns.remove(place);
        let covered = members.iter().filter(|member| pattern.matches(member));
        let is_needed =
            !covered.into_iter().all(|member| patterns.iter().any(|other| other.matches(member)));
        if is_needed {
            patterns.insert(place, pattern);
            place += 1;
        }
    }
    patterns.into_iter().map(|pattern| pattern.text).collect()
}

/// Returns the pattern of a case with a wildcard for every part in which other members differ.
fn widened(member: &str, members: &[&str], is_allowed: impl Fn(&Pattern) -> bool) -> Pattern {
    let id = CaseId::new(member);
    let mut parts: Vec<&str> = [id.dialect()].into_iter().chain(id.point().split(',')).collect();
    let written = |parts: &[&str]| {
        let (dialect, point) = parts.split_first().unwrap_or((&"*", &[]));
        let mut point = point.to_vec();
        point.dedup_by(|after, before| (*after, *before) == ("*", "*"));
        Pattern::new(format!("{}/{dialect}/{}", id.rule(), point.join(",")))
    };
    let covered = |pattern: &Pattern| members.iter().filter(|id| pattern.matches(id)).count();
    let mut pattern = written(&parts);
    for place in 0..parts.len() {
        let part = std::mem::replace(&mut parts[place], "*");
        let wider = written(&parts);
        if covered(&wider) > covered(&pattern) && is_allowed(&wider) {
            pattern = wider;
        } else {
            parts[place] = part;
        }
    }
    pattern
}

/// A pattern over ids, as baseline entries have them.
struct Pattern {
    text: String,
    matching: Vec<WildMatch>,
}

impl Pattern {
    fn new(text: String) -> Self {
        // The pattern of a version is one of its variants too.
        let variants = CaseId::variants(&text)
            .map(|name| format!("{}-*{}", &text[..name.end], &text[name.end..]));
        let matching = [Some(text.clone()), variants].into_iter().flatten();
        let matching = matching.map(|text| WildMatch::new(&text)).collect();
        Self { text, matching }
    }

    fn matches(&self, id: &str) -> bool {
        self.matching.iter().any(|pattern| pattern.matches(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expectations::{
        judge::{Finding, FindingKind, Reason},
        outcome::{Outcome, OutcomeKind},
        rule::Expectation,
    };
    use proptest::prelude::*;
    use results::line::CaseResult;

    fn result(id: &str, kind: FindingKind) -> CaseResult {
        let finding = Finding { kind, reason: Reason::AcceptsInvalid };
        let outcome = Outcome::new(OutcomeKind::Accepted);
        CaseResult::new(
            id,
            expectations::dialect::Dialect::from_name("cl12").unwrap(),
            &Expectation::Reject { breaks: "a/b".into() },
            outcome,
            finding,
        )
    }

    #[test]
    fn stale_entries_go_and_new_ones_wait_for_review() {
        let text = "what = \"x\" # kept\n\n[[deviation]]\ncases = [\"old/*\"]\n\n[[deviation]]\ncases = [\"a/b/cl12/x=0\"]\nreason = \"kept\"\n";
        let results = Cases::new(vec![
            result("a/b/cl12/x=1", FindingKind::Fail),
            result("a/b/cl12/x=2", FindingKind::Pass),
            result("a/c/cl12/x=1", FindingKind::Fail),
            result("a/c/cl12/x=2", FindingKind::Fail),
        ]);
        let changes = Changes { confirmed: Some("3.1"), stale: vec![0], ..Changes::default() };
        let blessed = rewrite(text, &changes, &results, &[0, 2, 3], &[]).unwrap();
        expect_test::expect![[r#"
            what = "x" # kept
            confirmed = ["3.1"]

            [[deviation]]
            cases = ["a/b/cl12/x=0"]
            reason = "kept"

            [[deviation]]
            cases = ["a/b/cl12/x=1"]
            findings = ["accepts-invalid"]
            kind = "unreviewed"
            reason = "accepts an invalid program: say what is wrong"
            example = "a/b/cl12/x=1"

            [[deviation]]
            cases = ["a/c/cl12/*"]
            findings = ["accepts-invalid"]
            kind = "unreviewed"
            reason = "accepts an invalid program: say what is wrong"
            example = "a/c/cl12/x=1"
        "#]]
        .assert_eq(&blessed);
    }

    #[test]
    fn an_entry_of_what_generating_code_shows_says_so() {
        let mut dies = result("a/b/cl12/x=1", FindingKind::Crash);
        dies.outcome.kind = OutcomeKind::Crashed;
        dies.outcome.phase = Phase::GenerateCode;
        let results = Cases::new(vec![dies, result("a/b/cl12/x=2", FindingKind::Crash)]);
        let blessed = rewrite("", &Changes::default(), &results, &[0, 1], &[]).unwrap();
        let phases: Vec<&str> = blessed
            .lines()
            .filter(|line| line.starts_with("phase") || line.starts_with("example"))
            .collect();
        let expected = [
            "example = \"a/b/cl12/x=2\"",
            "phase = \"generate-code\"",
            "example = \"a/b/cl12/x=1\"",
        ];
        assert_eq!(phases, expected);
    }

    fn known(confirmed: &[String]) -> DeviceFile {
        let kind = DeviceKind::Checker;
        let mut file = DeviceFile::without_file("x", "x", "x".to_owned(), kind);
        file.confirmed = confirmed.to_vec();
        file
    }

    #[test]
    fn what_another_version_does_is_said_of_that_version() {
        let text = "what = \"x\"\n\n[instance.sid]\n\n[[deviation]]\ncases = [\"old/*\"]\n\n[[deviation]]\nimplementations = [\"x >=2\", \"clang 15\"]\ncases = [\"older/*\"]\n";
        let results = Cases::new(vec![result("a/b/cl12/x=1", FindingKind::Fail)]);
        let confirmed = ["3.1".to_owned()];
        let changes = Changes {
            confirmed: Some("7.1"),
            release: Some("sid"),
            stale: vec![0, 1],
            revised: Vec::new(),
            versions: Versions::of("x", "7.1", &known(&confirmed)),
            name: None,
        };
        let blessed = rewrite(text, &changes, &results, &[0], &[]).unwrap();
        expect_test::expect![[r#"
            what = "x"

            [instance.sid]
            confirmed = ["7.1"]

            [[deviation]]
            cases = ["old/*"]
            implementations = ["x <7.1"]

            [[deviation]]
            implementations = ["x >=2, <7.1", "clang 15"]
            cases = ["older/*"]

            [[deviation]]
            implementations = ["x >=7.1"]
            cases = ["a/b/cl12/*"]
            findings = ["accepts-invalid"]
            kind = "unreviewed"
            reason = "accepts an invalid program: say what is wrong"
            example = "a/b/cl12/x=1"
        "#]]
        .assert_eq(&blessed);
        for (driver, before, now) in
            [("2.0", Some(">2.0"), "<=2.0"), ("4.0.1", None, "=4.0.1"), ("8", Some("<8"), ">=8")]
        {
            let confirmed = ["3.1", "7.1"].map(str::to_owned);
            let versions = Versions::of("x", driver, &known(&confirmed)).unwrap();
            assert_eq!((versions.before.as_deref(), versions.now.as_str()), (before, now));
        }
        assert!(Versions::of("x", "3.1+debian", &known(&confirmed)).is_none());
    }

    #[test]
    fn entries_are_revised_where_a_part_of_their_cases_passes() {
        let text = "what = \"x\"\n\n[[deviation]]\ncases = [\"a/b/cl12/*\"]\nwhen = \"x == 1\"\nfindings = [\"fail\"]\nkind = \"driver-bug\"\nreason = \"kept\"\nexample = \"a/b/cl12/x=2\"\n";
        let results = Cases::new(vec![
            result("a/b/cl12/x=1", FindingKind::Fail),
            result("a/b/cl12/x=2", FindingKind::Pass),
        ]);
        let blessed = |versions| {
            let revised = vec![Revision { entry: 0, holds: groups(&results, &[0]) }];
            let changes = Changes { revised, versions, ..Changes::default() };
            rewrite(text, &changes, &results, &[], &[]).unwrap()
        };
        let revised = "findings = [\"accepts-invalid\"]\nkind = \"driver-bug\"\nreason = \"kept\"\nexample = \"a/b/cl12/x=1\"\n";
        assert_eq!(
            blessed(None),
            format!("what = \"x\"\n\n[[deviation]]\ncases = [\"a/b/cl12/x=1\"]\n{revised}")
        );
        let versions = Versions::of("x", "2", &known(&["1".to_owned()]));
        let blessed = blessed(versions);
        let before = text.replace(
            "example = \"a/b/cl12/x=2\"\n",
            "example = \"a/b/cl12/x=2\"\nimplementations = [\"x <2\"]\n",
        );
        let after = format!(
            "\n[[deviation]]\ncases = [\"a/b/cl12/x=1\"]\n{revised}implementations = [\"x >=2\"]\n"
        );
        assert_eq!(blessed, before + &after);
    }

    /// Whether a baseline with this pattern has an entry that matches the case.
    fn is_covered(patterns: &[String], id: &str) -> bool {
        if patterns.is_empty() {
            return false;
        }
        let file = format!(
            "what = \"x\"\nown-front-end = \"x\"\ndevice = {{ type = \"checker\" }}\n[[deviation]]\ncases = {patterns:?}\nfindings = [\"fail\"]\nkind = \"driver-bug\"\nreason = \"x\"\n"
        );
        load_device("x", "x.toml", &file).unwrap().deviations[0].matches(id)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn patterns_cover_what_failed_and_nothing_that_passed(
            fails in prop::collection::vec(prop::sample::select(vec![true, true, false]), 54)
        ) {
            let mut ids = Vec::new();
            for dialect in ["cl12", "cl30", "cl30-generic"] {
                for point in 0..18 {
                    let (x, y, z) = (point % 3, point / 3 % 3, point / 9);
                    ids.push(format!("string-literal/use/{dialect}/x={x},y={y},z={z}"));
                }
            }
            let (failing, passing): (Vec<_>, Vec<_>) =
                ids.into_iter().zip(fails).partition(|(_, fails)| *fails);
            let failing: Vec<&str> = failing.iter().map(|(id, _)| id.as_str()).collect();
            let passing: Vec<String> = passing.into_iter().map(|(id, _)| id).collect();
            let patterns = patterns("string-literal/use", &failing, &passing);
            prop_assert!(patterns.len() <= failing.len());
            for id in failing {
                prop_assert!(is_covered(&patterns, id), "{id} {patterns:?}");
            }
            for id in passing {
                prop_assert!(!is_covered(&patterns, &id), "{id} {patterns:?}");
            }
        }
    }

    #[test]
    fn patterns_are_as_wide_as_what_was_judged() {
        let check = |failing: &[&str], passing: &[&str], expected: &[&str]| {
            let others: Vec<String> = passing.iter().map(|id| (*id).to_owned()).collect();
            assert_eq!(patterns("a/b", failing, &others), expected, "{failing:?} {passing:?}");
        };
        let [both, x1, x2] = ["a/b/cl12/x=1,y=1", "a/b/cl12/x=1,y=2", "a/b/cl12/x=2,y=1"];
        check(&[both], &[x1], &[both]);
        check(&[both, x1], &[x2], &["a/b/cl12/x=1,*"]);
        check(&[both, x2], &[x1], &["a/b/cl12/*,y=1"]);
        check(&[both, x1], &[], &["a/b/cl12/*"]);
        let [other, other_passes] = ["a/b/cl20/x=1,y=1", "a/b/cl20/x=2,y=1"];
        check(&[both, other], &[x2, other_passes], &["a/b/*/x=1,y=1"]);
        check(&[both, x1, other], &[], &["a/b/*"]);
        check(&[both, x1, other], &[x2, other_passes], &["a/b/*/x=1,*"]);
    }

    #[test]
    fn wrong_values_are_blessed_by_what_is_left() {
        let kind = "computes wrong values: *, switch; global";
        let none = Cases::new(Vec::new());
        let blessed = rewrite("", &Changes::default(), &none, &[], &[kind]).unwrap();
        expect_test::expect![[r#"
            [[deviation]]
            cases = ["random/run/*"]
            shape = "computes wrong values: ?, switch; global"
            kind = "unreviewed"
            reason = "computes wrong values: *, switch; global: say what is wrong"
        "#]]
        .assert_eq(&blessed);
    }

    #[test]
    fn a_pattern_of_a_version_is_one_of_all_its_variants() {
        let results = Cases::new(vec![
            result("a/b/cl30-generic/x=1", FindingKind::Pass),
            result("a/b/cl30/x=1", FindingKind::Fail),
            result("a/c/cl30-generic/x=1", FindingKind::Fail),
            result("a/c/cl30/x=1", FindingKind::Fail),
        ]);
        let patterns: Vec<String> =
            groups(&results, &[1, 2, 3]).into_iter().flat_map(|group| group.patterns).collect();
        assert_eq!(patterns, ["a/b/cl30/x=1", "a/c/*"]);
    }
}
