//! `address-spaces dev export --layout piglit`: programs for piglit's `cl-program-tester`, their profile, and what a
//! device is known to get wrong as piglit's own expected failures.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use expectations::{
    device::CodeGeneration,
    dialect::Version,
    judge::Reason,
    outcome::{OutcomeKind, Phase},
    probe::{
        Limits, Shape,
        one_launch::{LaunchArgument, OneLaunch},
    },
    rule::Expectation,
};
use results::{run::Run, text::one_line};

use super::values::{value, values};
use crate::findings::judging::PreparedCase;

/// The tests, as piglit reads them; it reads them compressed.
pub(super) const PROFILE: &str = "profile.xml";
/// Name of the file with the tests that are expected to fail, where a run lists them.
pub(super) const CONFIGURATION: &str = "piglit.conf";

/// The local memory that the tester can give: an argument of a vector type without a value.
const LOCAL_TYPES: [(usize, &str); 8] = [
    (1, "char"),
    (2, "char2"),
    (4, "char4"),
    (8, "char8"),
    (16, "char16"),
    (32, "short16"),
    (64, "int16"),
    (128, "long16"),
];
/// The tester matches whole values by one regular expression.
const MOST_VALUES: usize = 1024;
/// Values on a line.
const VALUES_PER_LINE: usize = 16;

/// Result of a case in a run.
pub(super) enum KnownResult {
    /// The case was not tried, or its result is flaky.
    NotAsked,
    /// The case passes, as far as the tester sees.
    Passes,
    /// The case is known to fail.
    Fails,
    /// The case is known to crash or hang the driver.
    Crashes,
}

/// Results of the cases of a run.
pub(super) struct KnownCases<'r> {
    run: &'r Run,
    numbers: BTreeMap<String, usize>,
}

impl<'r> KnownCases<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        let numbers =
            run.cases.briefs().enumerate().map(|(number, brief)| (brief.id.clone(), number));
        Self { run, numbers: numbers.collect() }
    }

    pub(super) fn of(&self, case: &PreparedCase<'_>) -> KnownResult {
        let Some(&number) = self.numbers.get(&case.id) else { return KnownResult::NotAsked };
        let result = self.run.cases.get(number);
        let is_known = self.run.entry_index(number).is_some();
        let device = self.run.device.as_ref();
        let at_build =
            device.is_some_and(|device| device.kind.code_generation() == CodeGeneration::AtBuild);
        let is_seen = match result.outcome.phase {
            Phase::Build => true,
            Phase::GenerateCode if at_build => true,
            // The tests are sources.
            Phase::MakeModule | Phase::TakeModule => false,
            Phase::CreateKernel | Phase::GenerateCode | Phase::Run => {
                execution_tests(case).is_some()
            }
        };
        match result.finding.reason {
            _ if result.outcome.kind == OutcomeKind::Unsupported => KnownResult::NotAsked,
            Reason::AnswersDiffer => KnownResult::NotAsked,
            _ if !is_known || !is_seen => KnownResult::Passes,
            Reason::AcceptsInvalid
            | Reason::RejectsValid
            | Reason::FailsLater
            | Reason::WrongValue => KnownResult::Fails,
            Reason::DriverDied | Reason::NoAnswer => KnownResult::Crashes,
            _ => KnownResult::Passes,
        }
    }
}

/// Returns the comment with the configuration, which precedes the program.
pub(super) fn head(case: &PreparedCase<'_>) -> String {
    let tests = execution_tests(case);
    let mut options = vec![case.dialect.std_option()];
    let probe_options = case.run_with.probe().and_then(|probe| probe.options_anywhere());
    options.extend(tests.as_ref().and(probe_options).unwrap_or_default());
    // The tester knows no version that a device has beside the one it is compatible with as a whole.
    let least = match case.dialect.version {
        version if version >= Version::V3_0 => Version::V1_2,
        version => version,
    };
    // Names of piglit's tests hold letters, digits and little else.
    let name = case.id.replace(['/', '=', ','], " ");
    let mut head = format!(
        "/*!\n[config]\nname: {name}\nclc_version_min: {}\nbuild_options: {}\n",
        least.name().replace('.', ""),
        options.join(" ")
    );
    let extensions: Vec<&str> = case
        .requirements
        .iter()
        .filter_map(|requirement| requirement.facts().extension)
        // A device of 3.0 reports what it has as features, which the tester does not know.
        .filter(|_| case.dialect.version < Version::V3_0)
        .collect();
    if !extensions.is_empty() {
        let _ = writeln!(head, "require_device_extensions: {}", extensions.join(" "));
    }
    if matches!(case.expectation, Expectation::Reject { .. }) {
        head.push_str("expect_build_fail: true\n");
    }
    for test in tests.unwrap_or_default() {
        head.push('\n');
        head.push_str(&test);
    }
    head.push_str("!*/\n\n");
    head
}

/// Returns the execution tests of a case; `None` if the tester cannot do what its probe does.
fn execution_tests(case: &PreparedCase<'_>) -> Option<Vec<String>> {
    let probe = case.run_with.probe()?;
    probe.options_anywhere()?;
    let launches = probe.launches(&Limits::new()).ok().flatten()?;
    launches.iter().map(test).collect()
}

fn test(launch: &OneLaunch) -> Option<String> {
    let OneLaunch { kernel, shape, arguments } = launch;
    let Shape { items, group } = shape;
    let three = |sizes: &[usize]| {
        let sizes = (0..3).map(|index| sizes.get(index).copied().unwrap_or(1).to_string());
        sizes.collect::<Vec<_>>().join(" ")
    };
    let mut text = format!(
        "[test]\nname: {shape}\nkernel_name: {kernel}\ndimensions: {}\nglobal_size: {}\nlocal_size: {}\n",
        items.len(),
        three(items),
        three(group)
    );
    for (number, argument) in arguments.iter().enumerate() {
        match argument {
            LaunchArgument::Buffer { layout, before, after } => {
                for (way, bytes) in [("arg_in", before), ("arg_out", after)] {
                    let (scalar, values) = values(layout, bytes);
                    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                    if values.len() > MOST_VALUES {
                        return None;
                    }
                    let lines: Vec<String> =
                        values.chunks(VALUES_PER_LINE).map(|line| line.join(" ")).collect();
                    let _ = writeln!(
                        text,
                        "{way}: {number} buffer {}[{}] {}",
                        scalar.name(),
                        values.len(),
                        lines.join(" \\\n  ")
                    );
                }
            }
            LaunchArgument::Null => {
                let _ = writeln!(text, "arg_in: {number} buffer int[1] NULL");
            }
            LaunchArgument::Local(bytes) => {
                let (_, name) = LOCAL_TYPES.iter().find(|(size, _)| size >= bytes)?;
                let _ = writeln!(text, "arg_in: {number} {name} NULL");
            }
            LaunchArgument::Scalar(scalar, bytes) => {
                let (scalar, value) = value(*scalar, bytes);
                let _ = writeln!(text, "arg_in: {number} {} {value}", scalar.name());
            }
        }
    }
    Some(text)
}

/// Returns the name of a test in piglit.
fn name(id: &str) -> String {
    id.replace('/', "@")
}

/// Returns the name of a test in the lists of expected failures, where `=` separates a name from its value.
fn name_in_lists(id: &str) -> String {
    let name = id.replace('.', "_").replace('/', ".").replace(['=', ':'], ".");
    format!("piglit.{}", name.to_lowercase())
}

/// Returns the profile: every test with the absolute path of its file, because piglit's own folder is elsewhere.
pub(super) fn profile(folder: &Path, files: &[(&str, String)]) -> String {
    let mut text = format!(
        "<?xml version='1.0' encoding='utf-8'?>\n<PiglitTestList count=\"{}\" name=\"address-spaces\">\n",
        files.len()
    );
    for (id, file) in files {
        let path = folder.join(file).display().to_string();
        let path = path.replace('\\', "\\\\").replace('\'', "\\'");
        let _ = writeln!(
            text,
            "<Test type=\"cl_prog\" name=\"{}\"><option name=\"filename\" value=\"'{}'\" /></Test>",
            escape_xml(&name(id)),
            escape_xml(&path)
        );
    }
    text.push_str("</PiglitTestList>\n");
    text
}

fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Returns the configuration with the expected failures.
pub(super) fn configuration(run: &Run, fails: &[&str], crashes: &[&str]) -> String {
    let device = one_line(&run.name(), 80);
    let mut text = format!(
        "; Expected failures of {device}, version {}: with `piglit run -b junit` these are \
         not failures, and those of\n; them that pass are.\n",
        one_line(run.reported_driver(), 80)
    );
    for (section, ids) in [("expected-failures", fails), ("expected-crashes", crashes)] {
        let _ = writeln!(text, "\n[{section}]");
        for id in ids {
            let _ = writeln!(text, "{}", name_in_lists(id));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_piglit_makes_of_them() {
        let id = "a-b/c/cl12/x=1.5,y=Z";
        assert_eq!(name(id), "a-b@c@cl12@x=1.5,y=Z");
        assert_eq!(name_in_lists(id), "piglit.a-b.c.cl12.x.1_5,y.z");
    }
}
