//! Devices that are part of this program: no worker, no batches, every core.

use std::{
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Instant,
};

use expectations::{
    device::DeviceFile,
    evidence::Evidence,
    outcome::{Outcome, OutcomeKind},
};

use super::{
    running::builds_only,
    types::{Cancel, Config, DeviceReport, EngineError, Event, Job, Record},
};
use crate::device::{DeviceFacts, InProcess, checker, support};

/// Jobs a thread takes at a time.
const SHARE: usize = 64;

pub(super) fn run(
    device: &DeviceFile,
    jobs: &[Job],
    config: &Config,
    cancel: &Cancel,
    sink: &mut dyn FnMut(Event),
) -> Result<DeviceReport, EngineError> {
    let opened = checker::open().map_err(|error| EngineError::Open {
        device: device.name.clone(),
        reason: error.to_string(),
    })?;
    let capabilities = opened.capabilities();
    sink(Event::Opened(Box::new(DeviceFacts {
        dialects: support::dialects(device, &capabilities),
        front_end: device.front_end.clone(),
        capabilities,
    })));
    let (next, mut finished, mut begun) = (AtomicUsize::new(0), 0, 0);
    let no_thread = thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..config.workers.max(1) {
            let (sender, next, opened) = (sender.clone(), &next, opened.as_ref());
            let working = move || work(opened, jobs, next, cancel, &sender);
            match thread::Builder::new().spawn_scoped(scope, working) {
                Ok(_) => begun += 1,
                // Fewer can do it too.
                Err(_) if begun > 0 => break,
                Err(source) => return Some(source),
            }
        }
        drop(sender);
        for event in receiver {
            finished += 1;
            sink(event);
        }
        None
    });
    if let Some(source) = no_thread {
        return Err(EngineError::Machine { action: "starting a thread".to_owned(), source });
    }
    Ok(DeviceReport {
        finished,
        cancelled: cancel.is_cancelled(),
        builds: finished,
        workers_started: 0,
        workers_forked: 0,
        ..DeviceReport::default()
    })
}

fn work(
    device: &dyn InProcess,
    jobs: &[Job],
    next: &AtomicUsize,
    cancel: &Cancel,
    events: &mpsc::Sender<Event>,
) {
    loop {
        let start = next.fetch_add(SHARE, Ordering::Relaxed);
        let Some(share) = jobs.get(start..jobs.len().min(start + SHARE)) else { return };
        for (offset, job) in share.iter().enumerate() {
            if cancel.is_cancelled() {
                return;
            }
            let begun = Instant::now();
            // A defect in our own front end is an outcome like a driver's crash, and costs one case.
            let mut outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                device.judge(job.dialect, &job.requirements, &job.source)
            }))
            .unwrap_or_else(|_| Outcome::new(OutcomeKind::Crashed).with_detail("panicked"));
            if outcome.kind == OutcomeKind::Accepted && job.run_with.is_something() {
                outcome.run = Some(Box::new(builds_only()));
            }
            let record = Record {
                seconds: begun.elapsed().as_secs_f64(),
                batch: 1,
                evidence: Some(Evidence::Alone),
                ..Record::unbuilt(outcome)
            };
            let _ = events.send(Event::Finished { job: start + offset, record });
        }
    }
}
