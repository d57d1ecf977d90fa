//! The far side: it starts, watches and kills a worker where that runs, and reports through a pipe.

use std::{
    ffi::OsString,
    io::{self, BufRead as _, Write as _},
    path::Path,
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use crate::{
    builder::OpenError,
    cancel::Cancel,
    far::{Order, PROTOCOL, Report, VERSION},
    local::{Local, WorkerStart},
    process::{BuildEnd, Launch, StartEnd, WorkerCommand},
    processes::adopt_orphans,
    reserve::Reserve,
    root, serve,
};

/// Time between two signs of life.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Time between two looks at whether the near side is still there.
const TICK: Duration = Duration::from_millis(100);

/// Becomes what the words ask for: `serve`, a worker; `supervise`, a process that starts workers for a runner
/// elsewhere, with `--root DIR` in that root folder. `before` are the words of the command line that lead here.
pub fn become_worker(before: &[&str], words: &[&str]) -> ExitCode {
    let again = |word: &str| -> Vec<OsString> {
        before.iter().copied().chain([word]).map(OsString::from).collect()
    };
    let told = |what: &str, error: &dyn std::fmt::Display| {
        let _ = writeln!(io::stderr(), "address-spaces-worker: {what}: {error}");
        ExitCode::FAILURE
    };
    match words {
        ["serve"] => serve::main(),
        ["supervise"] => match WorkerCommand::this_program(again("serve")) {
            Ok(command) => supervise(&command),
            Err(error) => told("finding its own file", &error),
        },
        ["supervise", "--root", folder] => {
            let error = root::enter(Path::new(folder), &again("supervise"));
            told(&format!("entering the root folder {}", folder.escape_debug()), &error)
        }
        words => told("no such command", &words.join(" ").escape_debug()),
    }
}

/// Starts workers and holds them to their limits, as the near side asks on standard input, until that is closed.
pub fn supervise(worker: &WorkerCommand) -> ExitCode {
    adopt_orphans();
    let cancel = Cancel::default();
    match orders(&cancel).and_then(|orders| carry_out(worker, &orders, &cancel)) {
        Ok(()) => ExitCode::SUCCESS,
        // The near side is gone: nobody is left to report to.
        Err(_) => ExitCode::FAILURE,
    }
}

/// Reads orders on a separate thread, so that their end is noticed while a driver hangs.
fn orders(cancel: &Cancel) -> io::Result<Receiver<Order>> {
    let (sender, receiver) = mpsc::channel();
    let cancel = cancel.clone();
    thread::Builder::new().spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(order) = line.and_then(|line| Ok(serde_json::from_str(&line)?)) else { break };
            if sender.send(order).is_err() {
                break;
            }
        }
        cancel.cancel();
    })?;
    Ok(receiver)
}

/// Standard output, which two threads write to.
static OUTPUT: Mutex<()> = Mutex::new(());

fn report(report: &Report) -> io::Result<()> {
    let mut line = serde_json::to_vec(report)?;
    line.push(b'\n');
    let _one = OUTPUT.lock().unwrap_or_else(PoisonError::into_inner);
    let mut output = io::stdout().lock();
    output.write_all(&line)?;
    output.flush()
}

/// Waits for the next order; returns nothing once the near side is gone.
fn next(orders: &Receiver<Order>, cancel: &Cancel) -> Option<Order> {
    while !cancel.is_cancelled() {
        match orders.recv_timeout(TICK) {
            Ok(order) => return Some(order),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    None
}

fn carry_out(command: &WorkerCommand, orders: &Receiver<Order>, cancel: &Cancel) -> io::Result<()> {
    report(&Report::Hello { protocol: PROTOCOL, version: VERSION.to_owned() })?;
    let stop = cancel.clone();
    thread::Builder::new().spawn(move || {
        while report(&Report::Alive).is_ok() {
            thread::sleep(HEARTBEAT);
        }
        stop.cancel();
    })?;
    let mut workers = Local::new(Reserve::default());
    while let Some(order) = next(orders, cancel) {
        match order {
            Order::Start { environment, setup, log_limit, zygote, first, limit } => {
                let command = command.clone();
                let launch =
                    Launch { command, elsewhere: None, environment, setup, log_limit, zygote };
                report(&match workers.start(&launch, first.as_deref(), limit, cancel) {
                    Ok(WorkerStart::Opened { capabilities, unforked }) => {
                        Report::Opened { capabilities, unforked }
                    }
                    Ok(WorkerStart::Forked) => Report::Forked,
                    Err(StartEnd::NotOpened(error)) => Report::NotOpened(error),
                    Err(StartEnd::Died(death)) => Report::Died(death),
                    Err(StartEnd::Cancelled) => return Ok(()),
                    Err(StartEnd::Machine { action, source }) => {
                        let reason = format!("{action} failed there: {source}");
                        Report::NotOpened(OpenError::Failed { reason })
                    }
                })?;
            }
            Order::Build { request, limit } => {
                let mut told = Ok(());
                let mut slow = |phase| told = report(&Report::Slow(phase));
                let end = workers.build(request, limit, &mut slow, cancel);
                told?;
                match end {
                    BuildEnd::Answered { answer, runs, processor_time } => {
                        let wear = workers.wear();
                        report(&Report::Answered { answer, runs, processor_time, wear })?;
                    }
                    BuildEnd::Died(death) => report(&Report::Died(death))?,
                    BuildEnd::Cancelled => return Ok(()),
                }
            }
            Order::End => workers.end(),
        }
    }
    Ok(())
}
