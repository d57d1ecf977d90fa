//! `address-spaces dev lower`: the modules that a compiler emits, compared with the address spaces of the text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use expectations::{
    baseline::Deviation, device::DeviceFile, dialect::Dialect, judge::Direction,
    outcome::BrokenLaw, requirement::Requirement, rule::Expectation,
};
use lowering::laws::{Comparison, Law};
use reports::laws::broken_law_lines;
use results::text::one_line;

use super::CommandError;
use crate::{
    cli::exit,
    device::{checker::not_read, feature_option, support},
    engine::{self, Emission, EmissionBatch, batch_key},
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

/// The form of the modules that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoweredForm {
    /// Form in which the compiler emits them.
    Emitted,
    /// LLVM IR, to which the compiler's SPIR-V is translated back.
    TranslatedBack,
}

/// Compares the modules of every selected case that the compiler accepts, prints the result, and returns the exit
/// status.
pub fn lower(plan: &RunPlan, form: LoweredForm) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let mut device = choose_one(&plan.devices)?;
    if form == LoweredForm::TranslatedBack {
        device.kind = device.kind.translated_back().ok_or_else(|| no_way_back(&device))?;
    }
    let cancel = interrupts::cancel();
    let Some(facts) = devices::facts(&device, &cancel)? else {
        return Err(no_module(&device));
    };
    if device.kind.emits().is_none() {
        return Err(no_module(&device));
    }
    let selection = select::select(&suite, &plan.filter, std::slice::from_ref(&device))?;
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

fn no_way_back(device: &DeviceFile) -> CommandError {
    CommandError::Usage(format!(
        "{} has no steps that translate SPIR-V back: leave out `--back`, or name a device whose \
         file has `[[device.back]]`, such as llvm-spirv",
        device.name
    ))
}

fn no_module(device: &DeviceFile) -> CommandError {
    let name = &device.name;
    CommandError::Usage(format!(
        "{name} emits no module that can be read: name a device whose file has `emits`, such as \
         clang-19"
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
    /// Broken laws, each with its case.
    broken: Vec<(usize, BrokenLaw)>,
    /// Cases without a module, with the reason.
    nothing: Vec<(usize, String)>,
    /// Modules for targets that are not known.
    unknown_targets: BTreeSet<String>,
}

impl<'r> LoweringResult<'r> {
    fn new(device: &'r DeviceFile, cases: &'r [PreparedCase<'r>]) -> Self {
        Self {
            device,
            cases,
            compared: 0,
            comparison: Comparison::default(),
            broken: Vec::new(),
            nothing: Vec::new(),
            unknown_targets: BTreeSet::new(),
        }
    }

    fn add(&mut self, emission: Emission) {
        match emission {
            Emission::Nothing { case, detail } => self.nothing.push((case, detail)),
            Emission::UnknownTarget { why } => _ = self.unknown_targets.insert(why),
            Emission::Compared { cases, program } => {
                self.compared += cases.len();
                self.comparison.add(program.comparison);
                for (case, module) in cases.into_iter().zip(program.cases) {
                    self.broken.extend(module.broken.into_iter().map(|broken| (case, broken)));
                }
            }
        }
    }

    /// Returns the baseline entry that knows of a broken law. A validator after the compiler rejects a module without
    /// the form of its language, and such an entry may say so.
    fn known(&self, case: usize, broken: &BrokenLaw) -> Option<&Deviation> {
        let id = &self.cases[case].id;
        let is_form = broken.law == Law::ModuleForm.facts().name;
        let is_rejected =
            |deviation: &Deviation| is_form && deviation.directions() == [Direction::FailsLater];
        let knows = |deviation: &&Deviation| {
            (deviation.law.as_ref() == Some(&broken.law) || is_rejected(deviation))
                && deviation.matches(id)
        };
        self.device.deviations.iter().find(knows)
    }

    /// Returns the baseline entry that explains why a case has no module.
    fn entry_of_absence(&self, case: usize) -> Option<&Deviation> {
        let id = &self.cases[case].id;
        let explains = |deviation: &&Deviation| {
            deviation.directions() != [Direction::LoweredWrong] && deviation.matches(id)
        };
        self.device.deviations.iter().find(explains)
    }

    fn unknown(&self) -> impl Iterator<Item = &(usize, BrokenLaw)> {
        self.broken.iter().filter(|(case, broken)| self.known(*case, broken).is_none())
    }

    fn unexplained_nothing(&self) -> impl Iterator<Item = &(usize, String)> {
        self.nothing.iter().filter(|(case, _)| self.entry_of_absence(*case).is_none())
    }

    fn is_as_expected(&self) -> bool {
        self.unknown().next().is_none()
            && self.unknown_targets.is_empty()
            && self.unexplained_nothing().next().is_none()
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let Comparison { expected, found, unneeded, .. } = &self.comparison;
        let share = 100.0 * *found as f64 / (*expected).max(1) as f64;
        let _ = writeln!(out, "{}: {}", self.device.name, self.device.what);
        let _ = writeln!(out, "{:>9}  valid cases of dialects that it supports", self.cases.len());
        let _ = writeln!(out, "{:>9}  compared", self.compared);
        let unexplained = self.unexplained_nothing().count();
        let _ = writeln!(
            out,
            "{:>9}  without a module, {} of them explained by entries",
            self.nothing.len(),
            self.nothing.len() - unexplained
        );
        let entries = self.nothing.iter().filter_map(|(case, _)| self.entry_of_absence(*case));
        let causes: BTreeSet<&str> = entries.filter_map(|entry| entry.cause.as_deref()).collect();
        for cause in causes {
            let _ = writeln!(out, "{:>9}  no module: {cause}", "");
        }
        let _ = writeln!(out, "{expected:>9}  objects and parameters");
        let _ = writeln!(out, "{found:>9}  found in the modules ({share:.2} %)");
        for (reason, count) in unneeded {
            let _ = writeln!(out, "{count:>9}  absent: {}", reason.words());
        }
        let unknown: Vec<_> = self.unknown().collect();
        let known = self.broken.len() - unknown.len();
        let _ = writeln!(out, "{known:>9}  lowered-wrong, by a known cause");
        let causes = self.broken.iter().filter_map(|(case, broken)| {
            let entry = self.known(*case, broken)?;
            Some((broken.law.as_str(), entry.cause.as_deref()?))
        });
        let causes: BTreeSet<(&str, &str)> = causes.collect();
        for (law, cause) in causes {
            let _ = writeln!(out, "{:>9}  {law}: {cause}", "");
        }
        let _ = writeln!(out, "{:>9}  lowered-wrong, in no entry", unknown.len());
        for law in Law::ALL {
            let facts = law.facts();
            let of_law = || unknown.iter().filter(move |(_, broken)| broken.law == facts.name);
            let count = of_law().count();
            if count == 0 {
                continue;
            }
            let _ =
                writeln!(out, "\n{}: {count} ({}) {}", facts.name, facts.clause, facts.statement);
            for (case, broken) in of_law().take(EXAMPLES) {
                let _ = writeln!(out, "  {}", self.cases[*case].id);
                for line in broken_law_lines(broken) {
                    let _ = writeln!(out, "    {line}");
                }
            }
        }
        for (case, detail) in self.unexplained_nothing().take(EXAMPLES * 3) {
            let _ = writeln!(out, "no module: {}: {}", self.cases[*case].id, one_line(detail, 200));
        }
        for why in &self.unknown_targets {
            let _ = writeln!(out, "not compared: {}", one_line(why, 300));
        }
        out
    }
}
