//! Number of workers that cases cost, and the time that is spent on their starts.

use expectations::outcome::OutcomeKind;
use libtest_mimic::{Failed, Trial};
use results::worker_time::Activity;
use runner::engine::{Config, Job, Placement};

use crate::{
    misbehaving::{SLOW_START, WORKER, WORKER_THAT_STARTS_SLOWLY, device, job, jobs, quick},
    support::run_all,
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
    ]
}

/// Cases that cost a worker each do not wait for every start of the next one.
fn slow_starts_are_begun_ahead() {
    let jobs: Vec<Job> = (0..4).map(|index| job(index, "hang")).collect();
    let quick = quick(WORKER_THAT_STARTS_SLOWLY);
    let run = run_all(&device(), &jobs, &Config { workers: 1, isolate: true, retries: 0, ..quick });
    let run = run.unwrap();
    assert_eq!(run.kinds(), [OutcomeKind::TimedOut; 4]);
    let report = &run.report;
    let starts = report.workers_started;
    assert!(starts >= jobs.len(), "{report:?}");
    let waited = report.worker_time.part(Activity::Start) * report.worker_time.seconds;
    let alone = SLOW_START.as_secs_f64() * starts as f64;
    assert!(waited < 0.8 * alone, "{waited} s for {starts} starts");
}
