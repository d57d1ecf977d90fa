//! `address-spaces dev lower`: the modules that a compiler emits, compared with the address spaces of the text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::LazyLock,
};

use checker::Checker;
use expectations::{
    device::DeviceFile, dialect::Dialect, requirement::Requirement, rule::Expectation,
};
use lowering::laws::{self, Comparison, Law, Violation};
use results::text::one_line;
use serde::Deserialize;
use wildmatch::WildMatch;

use super::CommandError;
use crate::{
    cli::exit,
    device::{
        checker::{checker_dialect, not_read},
        feature_option, module_request, support,
    },
    engine::{self, Emission, EmissionBatch, EmittedModule, batch_key},
    findings::judging::PreparedCase,
    interrupts,
    output::print,
    overlay,
    run::{
        devices::{self, choose_one, config},
        plan::RunPlan,
        select,
    },
};

/// Number of cases in a program.
const BATCH: usize = 200;

/// Number of findings of one kind that are printed.
const EXAMPLES: usize = 3;

/// A law that front ends are known to break.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownViolation {
    law: String,
    /// Part of what the finding says.
    says: String,
    /// Patterns of cases.
    cases: Vec<String>,
    /// Beginning of the name of the front end.
    front_end: String,
    /// Id of the cause in `expectations/causes.toml`.
    cause: String,
}

/// Cases that front ends are known to take and to emit no module for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownAbsence {
    /// Patterns of cases.
    cases: Vec<String>,
    /// Beginning of the name of the front end.
    front_end: String,
    /// Id of the cause in `expectations/causes.toml`.
    cause: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownDeviations {
    #[serde(default)]
    violation: Vec<KnownViolation>,
    #[serde(default)]
    no_module: Vec<KnownAbsence>,
}

static KNOWN: LazyLock<KnownDeviations> = LazyLock::new(|| {
    let text = include_str!("../../../expectations/lowered.toml");
    toml_edit::de::from_str(text).expect("the table is tested")
});

/// Compares the modules of every selected case that the compiler accepts, prints the result, and returns the exit
/// status.
pub fn lower(plan: &RunPlan) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let device = choose_one(&plan.devices)?;
    let cancel = interrupts::cancel();
    let Some(facts) = devices::facts(&device, &cancel)? else {
        return Err(no_module(&device));
    };
    if module_request(&device.kind, Dialect::OPENCL_C[0], &[]).is_none() {
        return Err(no_module(&device));
    }
    let selection = select::select(&suite, &plan.filter)?;
    let mut cases = Vec::new();
    for case in selection.cases {
        let is_read = not_read(case.dialect).is_none();
        let lacks = || {
            let capabilities = &facts.capabilities;
            support::missing(&device, capabilities, case.dialect, &case.requirements)
        };
        if is_read && *suite.expectation(&case) == Expectation::Accept && lacks().is_none() {
            cases.push(PreparedCase::with_probe_unread(&suite, case, true)?);
        }
    }
    let mut result = LoweringResult::new(&device, &cases);
    let mut sink = |emission: Emission| result.add(emission);
    engine::emit(&device, batches(&cases), &config(&plan.builds, &device)?, &cancel, &mut sink)?;
    print(&result.text());
    Ok(if result.is_as_expected() { exit::EXPECTED } else { exit::UNEXPECTED })
}

fn no_module(device: &DeviceFile) -> CommandError {
    let name = &device.name;
    CommandError::Usage(format!(
        "{name} emits no module that is read: name a device whose file has `emits`, such as clang-19"
    ))
}

/// Returns the cases in batches of those that may share a program.
fn batches(cases: &[PreparedCase<'_>]) -> Vec<EmissionBatch> {
    type Key = (Dialect, Option<String>, Vec<Requirement>, Option<Vec<String>>);
    let mut groups: BTreeMap<String, (Key, Vec<(usize, String)>)> = BTreeMap::new();
    let mut alone = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let source = case.kernel.source.clone();
        let (dialect, requirements) = (case.dialect, case.requirements.clone());
        let Some(shared) = batch_key(&source) else {
            alone.push(EmissionBatch { dialect, requirements, cases: vec![(number, source)] });
            continue;
        };
        let key = (dialect, feature_option(dialect, &requirements), requirements, Some(shared));
        let group = groups.entry(format!("{key:?}")).or_insert((key, Vec::new()));
        group.1.push((number, source));
    }
    let shared = groups.into_values().flat_map(|((dialect, _, requirements, _), cases)| {
        let chunks: Vec<_> = cases.chunks(BATCH).map(<[_]>::to_vec).collect();
        chunks.into_iter().map(move |cases| EmissionBatch {
            dialect,
            requirements: requirements.clone(),
            cases,
        })
    });
    shared.chain(alone).collect()
}

/// The comparison of the cases' modules with the text.
struct LoweringResult<'r> {
    device: &'r DeviceFile,
    cases: &'r [PreparedCase<'r>],
    /// Number of cases whose modules were compared.
    compared: usize,
    comparison: Comparison,
    /// Violations by their case; `None` where no case has them.
    violations: Vec<(Option<usize>, Violation)>,
    /// Cases without a module, with the reason.
    nothing: Vec<(usize, String)>,
    /// Modules that could not be read or compared.
    unread: Vec<String>,
}

impl<'r> LoweringResult<'r> {
    fn new(device: &'r DeviceFile, cases: &'r [PreparedCase<'r>]) -> Self {
        Self {
            device,
            cases,
            compared: 0,
            comparison: Comparison::default(),
            violations: Vec::new(),
            nothing: Vec::new(),
            unread: Vec::new(),
        }
    }

    fn add(&mut self, emission: Emission) {
        match emission {
            Emission::Nothing { case, detail } => self.nothing.push((case, detail)),
            Emission::Module(emitted) => match compare(&emitted) {
                Ok(mut comparison) => {
                    self.compared += emitted.cases.len();
                    for violation in std::mem::take(&mut comparison.violations) {
                        let case = self.case_of(&emitted, &violation);
                        self.violations.push((case, violation));
                    }
                    self.comparison.add(comparison);
                }
                Err(why) => {
                    let first = emitted.cases.first().map(|&case| self.cases[case].id.as_str());
                    self.unread.push(format!("{}: {why}", first.unwrap_or_default()));
                }
            },
        }
    }

    /// Returns the case that a violation belongs to: by its place in the program, else by the case's own names.
    fn case_of(&self, emitted: &EmittedModule, violation: &Violation) -> Option<usize> {
        if let Some(place) = &violation.place
            && let Some(index) = place.file.strip_prefix('c').and_then(|file| file.parse().ok())
        {
            return emitted.cases.get::<usize>(index).copied();
        }
        let prefix = violation.subject.find('_').map(|end| &violation.subject[..end])?;
        let prefix = prefix.rsplit(|c: char| !c.is_ascii_alphanumeric()).next()?;
        let has = |case: &&usize| self.cases[**case].kernel.source.contains(prefix);
        emitted.cases.iter().find(has).copied()
    }

    fn known(&self, case: Option<usize>, violation: &Violation) -> Option<&'static KnownViolation> {
        let id = &self.cases[case?].id;
        let law = violation.law.facts().name;
        KNOWN.violation.iter().find(|known| {
            known.law == law
                && violation.message.contains(&known.says)
                && self.device.front_end.starts_with(&known.front_end)
                && is_among(id, &known.cases)
        })
    }

    /// Returns the cause of the absence of a module for a case: that of an entry here, or of the device's baseline.
    fn cause_of_absence(&self, case: usize) -> Option<&str> {
        let id = &self.cases[case].id;
        let is_known = |known: &&KnownAbsence| {
            self.device.front_end.starts_with(&known.front_end) && is_among(id, &known.cases)
        };
        if let Some(known) = KNOWN.no_module.iter().find(is_known) {
            return Some(&known.cause);
        }
        let is_entry = self.device.deviations.iter().any(|deviation| deviation.matches(id));
        is_entry.then_some("a baseline entry of the device")
    }

    fn unknown(&self) -> impl Iterator<Item = &(Option<usize>, Violation)> {
        self.violations.iter().filter(|(case, violation)| self.known(*case, violation).is_none())
    }

    fn unexplained_nothing(&self) -> impl Iterator<Item = &(usize, String)> {
        self.nothing.iter().filter(|(case, _)| self.cause_of_absence(*case).is_none())
    }

    fn is_as_expected(&self) -> bool {
        self.unknown().next().is_none()
            && self.unread.is_empty()
            && self.unexplained_nothing().next().is_none()
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let Comparison { expected, found, unneeded, .. } = &self.comparison;
        let share = 100.0 * *found as f64 / (*expected).max(1) as f64;
        let _ = writeln!(out, "{}: {}", self.device.name, self.device.what);
        let _ = writeln!(out, "{:>9}  valid cases of dialects that it takes", self.cases.len());
        let _ = writeln!(out, "{:>9}  compared", self.compared);
        let unexplained = self.unexplained_nothing().count();
        let _ = writeln!(
            out,
            "{:>9}  without a module, {} of them explained by entries",
            self.nothing.len(),
            self.nothing.len() - unexplained
        );
        let causes: BTreeSet<&str> =
            self.nothing.iter().filter_map(|(case, _)| self.cause_of_absence(*case)).collect();
        for cause in causes {
            let _ = writeln!(out, "{:>9}  no module: {cause}", "");
        }
        let _ = writeln!(out, "{expected:>9}  objects and parameters");
        let _ = writeln!(out, "{found:>9}  found in the modules ({share:.2} %)");
        for (reason, count) in unneeded {
            let _ = writeln!(out, "{count:>9}  absent: {}", reason.words());
        }
        let unknown: Vec<_> = self.unknown().collect();
        let known = self.violations.len() - unknown.len();
        let _ = writeln!(out, "{known:>9}  lowered-wrong, by a known cause");
        let causes: BTreeSet<(&str, &str)> = self
            .violations
            .iter()
            .filter_map(|(case, violation)| self.known(*case, violation))
            .map(|known| (known.law.as_str(), known.cause.as_str()))
            .collect();
        for (law, cause) in causes {
            let _ = writeln!(out, "{:>9}  {law}: {cause}", "");
        }
        let _ = writeln!(out, "{:>9}  lowered-wrong, in no entry", unknown.len());
        for law in Law::ALL {
            let of_law = || unknown.iter().filter(move |(_, violation)| violation.law == law);
            let count = of_law().count();
            if count == 0 {
                continue;
            }
            let facts = law.facts();
            let _ =
                writeln!(out, "\n{}: {count} ({}) {}", facts.name, facts.clause, facts.statement);
            for (case, violation) in of_law().take(EXAMPLES) {
                let id = case.map_or("no case", |case| self.cases[case].id.as_str());
                let line = violation.place.as_ref().map_or(0, |place| place.line);
                let _ = writeln!(
                    out,
                    "  {id}\n    line {line}, {}, {} of the module: {}",
                    violation.subject, violation.module_place, violation.message
                );
            }
        }
        for (case, detail) in self.unexplained_nothing().take(EXAMPLES * 3) {
            let _ = writeln!(out, "no module: {}: {}", self.cases[*case].id, one_line(detail, 200));
        }
        for why in self.unread.iter().take(EXAMPLES * 3) {
            let _ = writeln!(out, "not read: {}", one_line(why, 300));
        }
        out
    }
}

/// Whether one of the patterns matches a case.
fn is_among(id: &str, patterns: &[String]) -> bool {
    patterns.iter().any(|pattern| WildMatch::new(pattern).matches(id))
}

/// Compares a module with its program.
fn compare(emitted: &EmittedModule) -> Result<Comparison, String> {
    let mut checker = Checker::new(checker_dialect(emitted.dialect, &emitted.requirements));
    checker.check("program.cl", &emitted.program);
    let objects = checker.objects();
    let module = if emitted.bytes.starts_with(b";") {
        lowering::ir::read(&emitted.bytes)
    } else {
        lowering::spirv::read(&emitted.bytes)
    };
    let module = module.map_err(|error| error.to_string())?;
    laws::check(&objects, &module).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_violations_are_of_laws_and_causes() {
        let names: Vec<&str> = Law::ALL.iter().map(|law| law.facts().name).collect();
        let causes = include_str!("../../../expectations/causes.toml");
        let is_cause = |cause: &str| causes.contains(&format!("id = \"{cause}\"\n"));
        for known in &KNOWN.violation {
            assert!(names.contains(&known.law.as_str()), "{}", known.law);
            assert!(!known.cases.is_empty() && is_cause(&known.cause), "{}", known.cause);
        }
        for known in &KNOWN.no_module {
            assert!(!known.cases.is_empty() && is_cause(&known.cause), "{}", known.cause);
        }
    }
}
