//! Number of workers that cases cost, and the time that is spent on their starts.

use std::thread;

use expectations::outcome::OutcomeKind;
use libtest_mimic::{Failed, Trial};
use results::worker_time::Activity;
use runner::engine::{Config, Job, Placement};

use crate::{
    misbehaving::{SLOW_START, WORKER, WORKER_THAT_STARTS_SLOWLY, device, job, jobs, quick},
    support::{Run, run_all},
};

pub(crate) fn trials() -> Vec<Trial> {
    let test = |name: &str, body: fn()| {
        Trial::test(format!("starts/{name}"), move || {
            body();
            Ok::<(), Failed>(())
        })
    };
    vec![
        test("quarantined", || {
            let mut jobs = jobs(&[(33, "fault"), (34, "abort"), (35, "hang")]);
            for job in &mut jobs[33..36] {
                job.placement = Placement::Quarantine;
            }
            let run = run_all(&device(), &jobs, &quick(WORKER)).unwrap();
            let kinds = [OutcomeKind::Crashed, OutcomeKind::Crashed, OutcomeKind::TimedOut];
            assert_eq!(run.kinds()[33..36], kinds);
            assert!(run.report.workers_started <= 7, "{:?}", run.report);
        }),
        test("known_to_crash", || {
            let mut jobs = jobs(&[(33, "fault"), (34, "abort")]);
            for job in &mut jobs[33..35] {
                job.placement = Placement::KnownToCrash;
            }
            let run = run_all(&device(), &jobs, &quick(WORKER)).unwrap();
            assert_eq!(run.kinds()[33..35], [OutcomeKind::Crashed; 2]);
            // One for each of the two slots, and one for each crash.
            assert!(run.report.workers_started <= 4, "{:?}", run.report);
        }),
        test("slow_starts_are_begun_ahead", slow_starts_are_begun_ahead),
        test("crashes_wait_for_the_next_worker", crashes_wait_for_the_next_worker),
        test("the_next_run_takes_the_spare", the_next_run_takes_the_spare),
    ]
}

/// Returns the seconds that a run waited for starts.
fn waited(run: &Run) -> f64 {
    let report = &run.report;
    report.worker_time.part(Activity::Start) * report.worker_time.seconds
}

/// Cases that are known to kill their worker come while others are built, each when another worker is ready.
fn crashes_wait_for_the_next_worker() {
    let mut jobs: Vec<Job> = (0..12).map(|index| job(index, "take 300")).collect();
    for index in 12..14 {
        jobs.push(Job { placement: Placement::KnownToCrash, ..job(index, "abort") });
    }
    let quick = quick(WORKER_THAT_STARTS_SLOWLY);
    let config = Config { workers: 1, isolate: true, retries: 0, ..quick };
    let run = run_all(&device(), &jobs, &config).unwrap();
    assert_eq!(run.kinds()[12..], [OutcomeKind::Crashed; 2]);
    assert_eq!(run.report.workers_started, 3, "{:?}", run.report);
    let (waited, alone) = (waited(&run), SLOW_START.as_secs_f64());
    assert!(waited < 1.5 * alone, "{waited} s, where one start takes {alone} s: {:?}", run.report);
}

/// A worker that was started ahead and not used is the first one of the next run.
fn the_next_run_takes_the_spare() {
    let jobs: Vec<Job> = (0..2).map(|index| job(index, "hang")).collect();
    let quick = quick(WORKER_THAT_STARTS_SLOWLY);
    let config = Config { workers: 1, isolate: true, retries: 0, ..quick };
    let first = run_all(&device(), &jobs, &config).unwrap();
    assert!(first.report.workers_started >= 2, "{:?}", first.report);
    thread::sleep(SLOW_START);
    let next = run_all(&device(), &jobs[..1], &config).unwrap();
    let (waited, alone) = (waited(&next), SLOW_START.as_secs_f64());
    assert!(waited < 0.5 * alone, "{waited} s, where one start takes {alone} s");
}

/// Cases that cost a worker each do not wait for every start of the next one.
fn slow_starts_are_begun_ahead() {
    let jobs: Vec<Job> = (0..4).map(|index| job(index, "hang")).collect();
    let quick = quick(WORKER_THAT_STARTS_SLOWLY);
    let run = run_all(&device(), &jobs, &Config { workers: 1, isolate: true, retries: 0, ..quick });
    let run = run.unwrap();
    assert_eq!(run.kinds(), [OutcomeKind::TimedOut; 4]);
    let starts = run.report.workers_started;
    assert!(starts >= jobs.len(), "{:?}", run.report);
    let waited = waited(&run);
    let alone = SLOW_START.as_secs_f64() * starts as f64;
    assert!(waited < 0.8 * alone, "{waited} s for {starts} starts");
}
