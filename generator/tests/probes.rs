//! Laws of every probe of the suite, without a device.

use std::{collections::HashSet, sync::LazyLock};

use expectations::{
    case_id::CaseId,
    outcome::RunKind,
    probe::{
        Limits, Probe,
        compare::{compare, ideal},
        plan::{Observation, RunAnswer},
    },
};
use generator::suite::{Case, Suite};
use rayon::prelude::*;

static SUITE: LazyLock<Suite> =
    LazyLock::new(|| Suite::embedded().unwrap_or_else(|error| panic!("{error}")));

/// Every case that is run.
static PROBES: LazyLock<Vec<(Case, Probe)>> = LazyLock::new(|| {
    let probe = |case: Case| {
        let probe = SUITE.probe(&case).unwrap_or_else(|error| panic!("{error}"));
        probe.map(|probe| (case, probe))
    };
    SUITE.all_cases().into_par_iter().filter_map(probe).collect()
});

/// Cases for which a device's answer is computed: one of all whose probes differ only in names and random values.
static DIFFERENT: LazyLock<Vec<&(Case, Probe)>> = LazyLock::new(|| {
    let mut known = HashSet::new();
    let is_new = |(case, _): &&(Case, Probe)| known.insert((case.rule, text_without_names(case)));
    PROBES.iter().filter(is_new).collect()
});

fn text_without_names(case: &Case) -> String {
    let text = SUITE.probe_text(case).unwrap_or_else(|error| panic!("{error}"));
    let text = text.unwrap_or_default().replace(&CaseId::new(&case.id).prefix(), "");
    text.lines().filter(|line| !line.starts_with("seed = ")).collect()
}

/// The report of a device with everything: one of 3.1 if the probe is for such, else one of 3.0.
fn limits(probe: &Probe) -> Limits {
    let with = |version| -> Limits {
        let everything = EVERYTHING.into_iter().chain([("opencl_version", version)]);
        everything.map(|(name, value)| (name.to_owned(), value)).collect()
    };
    let older = with(300);
    if probe.missing(&older).is_none() { older } else { with(310) }
}

const EVERYTHING: [(&str, u64); 20] = [
    ("max_work_group_size", 1024),
    ("max_constant_args", 8),
    ("max_constant_buffer_size", 65_536),
    ("max_mem_alloc_size", 8 << 30),
    ("max_parameter_size", 1024),
    ("local_mem_size", 32_768),
    ("max_global_variable_size", 65_536),
    ("mem_base_addr_align", 1024),
    ("address_bits", 64),
    ("svm_capabilities", 1),
    ("image_support", 1),
    ("printf_buffer_size", 1 << 20),
    ("linker_available", 1),
    ("generic_address_space_support", 1),
    ("feature_generic_address_space", 1),
    ("feature_program_scope_global_variables", 1),
    ("feature_pipes", 1),
    ("feature_device_enqueue", 1),
    ("sub_devices", 2),
    ("non_uniform_work_group_support", 1),
];

fn assert_none(what: &str, found: &[String]) {
    assert!(
        found.is_empty(),
        "{}: {what}\n{}",
        found.len(),
        found[..found.len().min(20)].join("\n")
    );
}

#[test]
fn different_probes_can_be_carried_out_and_are_satisfied_by_a_right_device() {
    assert_none("probes that nothing satisfies", &unsatisfied(&DIFFERENT));
}

/// At night (.ci/slow-tests): the values of each case, and its dialect.
#[test]
fn every_probe_can_be_carried_out_and_is_satisfied_by_a_right_device() {
    let all: Vec<&(Case, Probe)> = PROBES.iter().collect();
    assert_none("probes that nothing satisfies", &unsatisfied(&all));
}

/// Returns the ids of the cases whose probe cannot be carried out, or differs from the answer of a right device.
fn unsatisfied(probes: &[&(Case, Probe)]) -> Vec<String> {
    let judge = |(case, probe): &&(Case, Probe)| {
        let limits = limits(probe);
        let run = probe
            .plan(&limits)
            .and_then(|_| probe.build_options(&limits))
            .and_then(|_| ideal(probe, &limits))
            .map(|answer| compare(probe, &limits, &answer));
        match run {
            Ok(run) if run.kind == RunKind::Completed && run.differing == 0 => None,
            other => Some(format!("{}: {other:?} {:?}", case.id, probe.missing(&limits))),
        }
    };
    probes.par_iter().filter_map(judge).collect()
}

/// A device that does nothing at all leaves memory as it was and answers every question with the same word.
#[test]
fn a_device_that_does_nothing_is_noticed() {
    let vacuous: Vec<String> = DIFFERENT
        .par_iter()
        .filter(|(_, probe)| {
            let limits = limits(probe);
            let plan = probe.plan(&limits).unwrap_or_default();
            compare(probe, &limits, &idle(&plan)).differing == 0
        })
        .map(|(case, _)| case.id.clone())
        .collect();
    assert_none("probes that a device satisfies which does nothing", &vacuous);
}

fn idle(plan: &expectations::probe::plan::Plan) -> RunAnswer {
    use expectations::probe::plan::{Operation, RoundAnswer};
    let round = |operations: &Vec<Operation>| {
        let mut memory = std::collections::BTreeMap::new();
        let mut observations = Vec::new();
        for operation in operations {
            match operation {
                Operation::Create { buffer, bytes, .. }
                | Operation::CreateImage { image: buffer, bytes, .. } => {
                    _ = memory.insert(buffer, bytes.clone());
                }
                Operation::Write { buffer, bytes } => {
                    if let Some(whole) = memory.get_mut(buffer) {
                        let guard = (whole.len() - bytes.len()) / 2;
                        whole[guard..guard + bytes.len()].copy_from_slice(bytes);
                    }
                }
                Operation::Read { buffer } => {
                    observations.push(Observation::Bytes(memory[buffer].clone()));
                }
                Operation::Ask { .. } => observations.push(Observation::Number(0)),
                Operation::Reject { .. } => {
                    observations.push(Observation::Status("CL_SUCCESS".to_owned()));
                }
                Operation::ReadOutput => observations.push(Observation::Printed(Vec::new())),
                Operation::Build { .. } | Operation::Launch { .. } | Operation::KeepOutput => {}
            }
        }
        RoundAnswer { observations, failed: None }
    };
    RunAnswer::Done { rounds: plan.rounds.iter().map(round).collect(), seconds: 0.0 }
}

#[test]
fn every_probe_has_wrong_kernels_to_notice() {
    let bad: Vec<String> = PROBES
        .par_iter()
        .filter(|(case, _)| {
            let right = SUITE.render(case).unwrap_or_else(|error| panic!("{error}"));
            let wrong = SUITE.wrong_kernels(case).unwrap_or_else(|error| panic!("{error}"));
            wrong.is_empty() || wrong.iter().any(|(_, kernel)| kernel.source == right.source)
        })
        .map(|(case, _)| case.id.clone())
        .collect();
    assert_none("cases without a wrong kernel, or with one that is the right one", &bad);
}

#[test]
fn every_probe_has_several_sizes_and_shapes() {
    let bad: Vec<String> = PROBES
        .iter()
        .filter(|(_, probe)| {
            let launches =
                probe.steps.iter().any(|step| matches!(step, expectations::probe::Step::Launch(_)));
            launches && probe.shapes.len() < 3
        })
        .map(|(case, _)| case.id.clone())
        .collect();
    assert_none("probes that run in one size only", &bad);
}
