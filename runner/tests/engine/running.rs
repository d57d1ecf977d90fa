//! Probes on a driver that runs kernels rightly, wrongly, or to its death.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use expectations::{
    outcome::{CodeState, OutcomeKind, Phase, RunKind},
    probe::{
        plan::{Observation, Operation, RoundAnswer, RunAnswer},
        read::read,
    },
};
use libtest_mimic::{Failed, Trial};
use runner::{
    device::RunRequest,
    engine::{Cancel, Config, ExpectedVerdict, Job, RunWith, Until},
    reduce::builds::Builds,
};

use crate::{
    misbehaving::{self, WORKER, act},
    support::{Run, run_all},
};

const PROBE: &str = r#"seed = 1
shapes = [{ items = [6], group = [3] }, { items = [8], group = [2] }]
[buffer.in]
holds = "uint"
length = "items"
fill = "random"
[buffer.out]
holds = "uint"
length = "items"
fill = "poison"
[[step]]
launch = { kernel = "k", arguments = ["in", "out"] }
[[step]]
check = { buffer = "out", equals = "in[i]" }
"#;

/// The word that says what the driver does when the case is run.
const MARK: &str = "// when run: ";

/// Whether nothing works any more in this process, as after an access that a GPU traps.
static POISONED: AtomicBool = AtomicBool::new(false);

/// A case that spoils what all cases of its program compute.
const SPOILS: &str = "spoil this program";
/// Whether the program that was built last has one.
static IS_SPOILT: AtomicBool = AtomicBool::new(false);

/// A program is built in this process.
pub(crate) fn build(source: &str) {
    IS_SPOILT.store(source.contains(SPOILS), Ordering::Relaxed);
}

/// Every kernel copies the first buffer to the second, unless its case has a word that says otherwise.
pub(crate) fn run(request: &RunRequest) -> RunAnswer {
    let (source, plan) = match request {
        RunRequest::Probe { source, plan, .. } => (source, plan),
        RunRequest::Code { source, kernels, .. } => return launch(source, kernels),
    };
    let word = source.lines().find_map(|line| line.split_once(MARK)).map_or("", |(_, w)| w);
    act(word, false);
    let mut answers = Vec::new();
    for operations in &plan.rounds {
        let mut memory: BTreeMap<&str, (Vec<u8>, usize)> = BTreeMap::new();
        let mut output = Vec::new();
        let mut answer = RoundAnswer::default();
        for operation in operations {
            match operation {
                Operation::Create { buffer, bytes, guard, .. } => {
                    memory.insert(buffer, (bytes.clone(), *guard));
                }
                Operation::Launch { .. }
                    if word == "poison" || POISONED.load(Ordering::Relaxed) =>
                {
                    POISONED.store(true, Ordering::Relaxed);
                    answer.failed = Some("clEnqueueNDRangeKernel: UNKNOWN_ERROR".to_owned());
                    break;
                }
                Operation::Launch { .. } if word == "reject" => {
                    answer.failed = Some("clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES".to_owned());
                    break;
                }
                Operation::Launch { .. } => {
                    let (from, guard) = memory["in"].clone();
                    let (to, _) = memory.get_mut("out").unwrap();
                    let inner = guard..from.len() - guard;
                    to[inner.clone()].copy_from_slice(&from[inner]);
                    match word {
                        "one wrong value" => to[guard + 4] ^= 1,
                        "outside" => to[guard - 1] ^= 1,
                        _ if IS_SPOILT.load(Ordering::Relaxed) => to[guard + 4] ^= 1,
                        _ => {}
                    }
                }
                Operation::KeepOutput => output = print(word, &memory["in"]),
                Operation::ReadOutput => {
                    answer.observations.push(Observation::Printed(std::mem::take(&mut output)));
                }
                Operation::Read { buffer } => {
                    answer.observations.push(Observation::Bytes(memory[buffer.as_str()].0.clone()));
                }
                other => panic!("{other:?}"),
            }
        }
        answers.push(answer);
    }
    RunAnswer::Done { rounds: answers, seconds: 0.001 }
}

/// Returns what a launch prints of the first buffer, which has this many bytes before and behind it.
fn print(word: &str, (bytes, guard): &(Vec<u8>, usize)) -> Vec<u8> {
    let values = bytes[*guard..bytes.len() - guard].chunks(4);
    let values = values.map(|value| u32::from_ne_bytes(value.try_into().unwrap()));
    let lines = values.enumerate().map(|(item, value)| match word {
        "print nothing" => String::new(),
        "print another value" if item == 2 => format!("{item}: {}\n", value ^ 1),
        _ => format!("{item}: {value}\n"),
    });
    // The last work-item is the first that prints.
    lines.collect::<Vec<_>>().into_iter().rev().collect::<String>().into_bytes()
}

/// The word that says what the driver does when the case is launched for its code.
const LAUNCH_MARK: &str = "// when launched: ";

fn launch(source: &str, kernels: &[String]) -> RunAnswer {
    assert!(source.contains("return;") && !kernels.is_empty(), "nothing keeps {source} back");
    let word = source.lines().find_map(|line| line.split_once(LAUNCH_MARK));
    let word = word.map_or("", |(_, word)| word);
    act(word, false);
    let failed = (word == "reject").then(|| "clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES".into());
    let unlaunched = (word == "pipe").then(|| "parameter 0 of type `pipe`".into());
    RunAnswer::Code { failed, unlaunched, seconds: 0.001 }
}

/// Forty cases that are run, some with a word.
fn jobs(special: &[(usize, &str)]) -> Vec<Job> {
    let job = |index: usize| {
        let word = special.iter().find(|(at, _)| *at == index).map_or("", |(_, word)| *word);
        job(index, word)
    };
    (0..40).map(job).collect()
}

/// A case that is run, with a word.
fn job(index: usize, word: &str) -> Job {
    let job = misbehaving::job(index, "right");
    let mark = format!("  int x; {MARK}{word}\n}}\n");
    let source = job.source.replace("}\n", &mark);
    let probe = Arc::new(read("p.toml", PROBE).unwrap());
    Job { source, run_with: RunWith::Probe(probe), until: Until::Execution, ..job }
}

/// This many cases that are run; every tenth makes its whole program compute wrong values.
pub(crate) fn some_that_spoil_others(count: usize) -> Vec<Job> {
    (0..count).map(|index| job(index, if spoils(index) { SPOILS } else { "" })).collect()
}

pub(crate) fn spoils(index: usize) -> bool {
    index % 10 == 9
}

/// All but the special cases are run and satisfied.
fn check(special: &[(usize, &str)]) -> Run {
    let jobs = jobs(special);
    let run = run_all(&misbehaving::device(), &jobs, &misbehaving::quick(WORKER)).unwrap();
    for (index, record) in &run.records {
        if special.iter().all(|(at, _)| at != index) {
            assert_eq!(record.outcome.kind, OutcomeKind::Accepted, "{record:?}");
            let seen = record.outcome.run.as_ref().unwrap();
            assert_eq!((seen.kind, seen.differing), (RunKind::Completed, 0), "{record:?}");
        }
    }
    assert_eq!(run.unreproduced, [[0_usize; 0]; 0]);
    run
}

/// Forty cases whose code is requested, some with a word; the others have it.
fn check_code(special: &[(usize, &str)]) -> Run {
    let job = |index: usize| {
        let word = special.iter().find(|(at, _)| *at == index).map_or("", |(_, word)| *word);
        let job = misbehaving::job(index, "right");
        let mark = format!("  int x; {LAUNCH_MARK}{word}\n}}\n");
        Job { source: job.source.replace("}\n", &mark), until: Until::Code, ..job }
    };
    let jobs: Vec<Job> = (0..40).map(job).collect();
    let run = run_all(&misbehaving::device(), &jobs, &misbehaving::quick(WORKER)).unwrap();
    for (index, record) in &run.records {
        if special.iter().all(|(at, _)| at != index) {
            assert_eq!(record.outcome.kind, OutcomeKind::Accepted, "{record:?}");
            assert_eq!(record.outcome.code.as_deref(), Some(&CodeState::Generated), "{record:?}");
        }
    }
    assert_eq!(run.unreproduced, [[0_usize; 0]; 0]);
    run
}

pub(crate) fn trials() -> Vec<Trial> {
    let test = |name: &str, body: fn()| {
        Trial::test(format!("running/{name}"), move || {
            body();
            Ok::<(), Failed>(())
        })
    };
    vec![
        test("all_is_well", || {
            let run = check(&[]);
            assert!(run.report.builds < 15, "{:?}", run.report);
        }),
        test("wrong_values_are_told", || {
            let run = check(&[(3, "one wrong value"), (17, "outside")]);
            let seen = run.records[&3].outcome.run.clone().unwrap();
            assert_eq!((seen.kind, seen.differing), (RunKind::Completed, 2));
            assert_eq!(seen.differences[0].place, "out[1] at step 2, 6 work-items in groups of 3");
            let seen = run.records[&17].outcome.run.clone().unwrap();
            // Looked at twice in each of two rounds.
            assert_eq!(seen.differing, 4);
            assert!(seen.differences[0].place.starts_with("1 bytes before out"), "{seen:?}");
        }),
        test("wrong_text_is_told", || {
            let printing = PROBE
                .replace("\"out\"] }", "\"out\"], prints = [{ lines = [\"{i}: {in[i]}\"] }] }");
            let probe = Arc::new(read("p.toml", &printing).unwrap());
            let words = ["", "print nothing", "print another value"];
            let jobs: Vec<Job> = (0..12)
                .map(|index| Job {
                    run_with: RunWith::Probe(Arc::clone(&probe)),
                    ..job(index, words[index % 3])
                })
                .collect();
            let run = run_all(&misbehaving::device(), &jobs, &misbehaving::quick(WORKER)).unwrap();
            for (index, record) in &run.records {
                let seen = record.outcome.run.as_ref().unwrap();
                // Once in each of two rounds.
                let differing = if index % 3 == 0 { 0 } else { 2 };
                assert_eq!(
                    (seen.kind, seen.differing),
                    (RunKind::Completed, differing),
                    "{seen:?}"
                );
            }
            let first =
                |index| run.records[&index].outcome.run.clone().unwrap().differences[0].clone();
            assert_eq!(first(1).seen, "nothing is printed");
            let place = "printed at step 1, 6 work-items in groups of 3";
            assert_eq!(first(2).place, place);
            assert!(first(2).expected.starts_with("`2: "), "{:?}", first(2));
        }),
        test("a_reduction_believes_no_wrong_value_that_others_made", || {
            let (device, cancel) = (misbehaving::device(), Cancel::default());
            let config = misbehaving::quick(WORKER);
            let builds = Builds::new(&device, config, &cancel, None);
            let outcomes = builds.outcomes(&some_that_spoil_others(40)).unwrap();
            for (index, outcome) in outcomes.iter().enumerate() {
                let run = outcome.run.as_ref().unwrap();
                assert_eq!(run.kind, RunKind::Completed, "{outcome:?}");
                assert_eq!(run.differing > 0, spoils(index), "{index}: {outcome:?}");
            }
        }),
        test("what_was_learned_is_not_learned_again", || {
            let config = misbehaving::quick(WORKER);
            let first = run_all(&misbehaving::device(), &jobs(&[]), &config).unwrap();
            let config = Config { learned: first.report.learned, ..config };
            let second = run_all(&misbehaving::device(), &jobs(&[]), &config).unwrap();
            assert!(second.report.builds < first.report.builds, "{:?}", second.report);
            assert_eq!(second.kinds(), [OutcomeKind::Accepted; 40]);
        }),
        test("a_few_that_are_executed_have_several_workers", || {
            let config = Config { workers: 2, ..misbehaving::quick(WORKER) };
            let few: Vec<Job> = jobs(&[]).into_iter().take(16).collect();
            let run = run_all(&misbehaving::device(), &few, &config).unwrap();
            assert_eq!(run.report.workers_started, 2, "{:?}", run.report);
        }),
        test("a_call_that_fails_is_told", || {
            let run = check(&[(5, "reject")]);
            let seen = run.records[&5].outcome.run.clone().unwrap();
            assert_eq!(seen.kind, RunKind::Failed);
            assert_eq!(
                seen.detail,
                "6 work-items in groups of 3: clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES"
            );
        }),
        test("a_call_that_fails_costs_no_other_case", || {
            let run = check(&[(5, "poison"), (23, "poison")]);
            for index in [5, 23] {
                let seen = run.records[&index].outcome.run.clone().unwrap();
                assert_eq!(seen.kind, RunKind::Failed);
            }
        }),
        test("a_crash_costs_the_case_that_is_run", || {
            let run = check(&[(9, "abort"), (30, "fault")]);
            for (index, signal) in [(9, "SIGABRT"), (30, "SIGSEGV in the worker")] {
                let outcome = &run.records[&index].outcome;
                assert_eq!((outcome.kind, outcome.phase), (OutcomeKind::Crashed, Phase::Run));
                assert_eq!(outcome.detail, signal);
            }
            assert!(run.report.workers_started < 12, "{:?}", run.report);
        }),
        test("a_hang_costs_the_case_that_is_run", || {
            let run = check(&[(9, "hang")]);
            let outcome = &run.records[&9].outcome;
            assert_eq!((outcome.kind, outcome.phase), (OutcomeKind::TimedOut, Phase::Run));
        }),
        test("code_is_asked_for", || {
            let run = check_code(&[]);
            assert!(run.report.builds < 15, "{:?}", run.report);
        }),
        test("a_launch_that_fails_is_a_rejection_behind_the_front_end", || {
            let run = check_code(&[(5, "reject"), (6, "reject")]);
            for index in [5, 6] {
                let outcome = &run.records[&index].outcome;
                let found = (outcome.kind, outcome.phase, outcome.detail.as_str());
                let call = "clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES";
                assert_eq!(found, (OutcomeKind::Rejected, Phase::GenerateCode, call));
            }
        }),
        test("what_was_expected_to_be_rejected_is_launched_all_the_same", || {
            let as_known = |job: Job| Job { expected: ExpectedVerdict::Reject, ..job };
            let run_with = jobs(&[]).into_iter().take(4).map(as_known);
            let for_code = (4..8).map(|index| {
                as_known(Job { until: Until::Code, ..misbehaving::job(index, "right") })
            });
            let jobs: Vec<Job> = run_with.chain(for_code).collect();
            let run = run_all(&misbehaving::device(), &jobs, &misbehaving::quick(WORKER)).unwrap();
            for (index, record) in &run.records {
                let outcome = &record.outcome;
                assert_eq!(outcome.kind, OutcomeKind::Accepted, "{record:?}");
                let code = (*index >= 4).then_some(&CodeState::Generated);
                assert_eq!(outcome.code.as_deref(), code, "{record:?}");
                assert_eq!(outcome.run.is_some(), *index < 4, "{record:?}");
            }
        }),
        test("a_few_that_are_rejected_as_expected_are_not_halved", || {
            let job = |index| {
                let job = misbehaving::job(index, "reject without a place");
                Job { until: Until::Code, expected: ExpectedVerdict::Reject, ..job }
            };
            let jobs: Vec<Job> = (0..8).map(job).collect();
            let config = Config { workers: 1, ..misbehaving::quick(WORKER) };
            let run = run_all(&misbehaving::device(), &jobs, &config).unwrap();
            assert!(run.kinds().iter().all(|&kind| kind == OutcomeKind::Rejected), "{run:?}");
            // Two to know the device, two of all, one of each, and a known-good program after each.
            assert_eq!(run.report.builds, 2 + 2 + 8 * 2, "{:?}", run.report);
        }),
        test("a_case_that_cannot_be_launched_says_why", || {
            let run = check_code(&[(7, "pipe")]);
            let outcome = &run.records[&7].outcome;
            let why = "parameter 0 of type `pipe`".to_owned();
            assert_eq!(outcome.kind, OutcomeKind::Accepted);
            assert_eq!(outcome.code.as_deref(), Some(&CodeState::NotGenerated(why)));
        }),
        test("a_back_end_that_dies_or_hangs_costs_its_case", || {
            let run = check_code(&[(9, "abort"), (20, "hang"), (30, "fault")]);
            for (index, kind) in
                [(9, OutcomeKind::Crashed), (20, OutcomeKind::TimedOut), (30, OutcomeKind::Crashed)]
            {
                let outcome = &run.records[&index].outcome;
                assert_eq!((outcome.kind, outcome.phase), (kind, Phase::GenerateCode));
            }
            assert!(run.report.workers_started < 16, "{:?}", run.report);
        }),
        test("memory_is_limited", || {
            let run = check(&[(9, "eat")]);
            let outcome = &run.records[&9].outcome;
            assert_eq!((outcome.kind, outcome.phase), (OutcomeKind::OutOfMemory, Phase::Run));
        }),
    ]
}
