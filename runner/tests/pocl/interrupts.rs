//! Ctrl-C: a partial report and how to continue; the second one ends at once.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use libtest_mimic::Failed;
use rustix::process::{Pid, Signal, kill_process};

const SELECTION: [&str; 5] = ["--device", "pocl", "--rule", "conversion", "--isolate"];

/// Interrupted in the middle, a run prints what is done and how to continue, and keeps its results.
pub(crate) fn an_interrupted_run_reports_what_it_has() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("out").display().to_string();
    let child = start(&[&SELECTION[..], &["--results", &out]].concat())?;
    let file = format!("{out}/results.jsonl");
    let deadline = Instant::now() + Duration::from_mins(1);
    while lines(&file) < 10 {
        if Instant::now() > deadline {
            return Err("no results after a minute".into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt(&child)?;
    let (status, said) = end_of(child)?;
    // Unsupported cases were not tried.
    let kept = std::fs::read_to_string(&file)?;
    let cases = || kept.lines().filter(|line| line.contains("\"record\":\"case\""));
    let is_tried = |line: &&str| !line.contains("\"kind\":\"unsupported\"");
    let (tried, untried) = (cases().filter(is_tried).count(), cases().count());
    let untried = untried - tried;
    for part in [
        "stopping; interrupt again to end at once",
        &format!("the run was stopped: {tried} of "),
        &format!(" cases are done, plus {untried} that the device does not support; resume it"),
        &format!("pocl: stopped, {tried} of "),
        &format!("resume it with `--resume {out}`"),
        // The partial report.
        "pocl: ",
        " cases, 0 unexpected",
    ] {
        if !said.contains(part) {
            return Err(format!("`{part}` is missing in\n{said}").into());
        }
    }
    if status != Some(2) {
        return Err(format!("exit status {status:?}").into());
    }
    // The rest is too much for a test: a part of it shows that the folder can be resumed.
    let mut again = start(&[&SELECTION[..], &["--resume", &out]].concat())?;
    let before = lines(&file);
    while lines(&file) < before + 3 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    again.kill()?;
    again.wait()?;
    if lines(&file) < before + 3 { Err("nothing was added".into()) } else { Ok(()) }
}

/// A runner that cannot end, because nobody reads what it prints, ends at the second interrupt.
pub(crate) fn the_second_interrupt_ends_at_once() -> Result<(), Failed> {
    let mut child = start(&["--rule", "conversion", "--format", "pretty"])?;
    let mut stderr = BufReader::new(child.stderr.take().ok_or("no standard error")?);
    // As soon as it prints, the handler has been set.
    let mut stdout = child.stdout.take().ok_or("no standard output")?;
    stdout.read_exact(&mut [0; 10])?;
    interrupt(&child)?;
    let mut said = String::new();
    stderr.read_line(&mut said)?;
    if !said.contains("interrupt again to end at once") {
        return Err(format!("it said {said:?}").into());
    }
    std::thread::sleep(Duration::from_millis(300));
    if child.try_wait()?.is_some() {
        return Err("it ended although its output was not read".into());
    }
    interrupt(&child)?;
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        match child.try_wait()? {
            Some(status) if status.code() == Some(2) => return Ok(()),
            Some(status) => return Err(format!("it ended with {status}").into()),
            None if Instant::now() > deadline => {
                child.kill()?;
                return Err("it did not end".into());
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Interrupted before anything is done, a run does not claim that the device supports nothing; also if a shell lets
/// its background processes ignore interrupts.
pub(crate) fn an_early_interrupt_is_no_verdict() -> Result<(), Failed> {
    for signals in ["--default-signal=INT", "--ignore-signal=INT"] {
        let child = start_with(signals, &SELECTION)?;
        let deadline = Instant::now() + Duration::from_mins(1);
        // Before the handler is set an interrupt ends the program, or is not heard.
        while !hears_interrupts(&child) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        interrupt(&child)?;
        let (status, said) = end_of(child)?;
        if status == Some(0) || status.is_none() || said.contains("supports none") {
            return Err(format!("{signals}: {status:?}\n{said}").into());
        }
    }
    Ok(())
}

/// Whether the process catches interrupts, as the kernel reports it.
fn hears_interrupts(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_some_and(|mask| mask >> (Signal::INT.as_raw() - 1) & 1 == 1)
}

/// Exit status, and both outputs together, of what ends in time.
fn end_of(child: Child) -> Result<(Option<i32>, String), Failed> {
    let process = Pid::from_child(&child);
    let (ended, waiting) = std::sync::mpsc::channel();
    let killer = std::thread::spawn(move || {
        let is_late = waiting.recv_timeout(Duration::from_mins(2)).is_err();
        if is_late {
            let _ = kill_process(process, Signal::KILL);
        }
        is_late
    });
    let output = child.wait_with_output()?;
    let _ = ended.send(());
    if killer.join().unwrap_or(true) {
        return Err(format!("it did not end\n{}", crate::text(&output)).into());
    }
    Ok((output.status.code(), crate::text(&output)))
}

fn start(arguments: &[&str]) -> std::io::Result<Child> {
    start_with("--default-signal=INT", arguments)
}

/// With what the shell of these tests makes of interrupts out of the way.
fn start_with(signals: &str, arguments: &[&str]) -> std::io::Result<Child> {
    Command::new("env")
        .args([signals, env!("CARGO_BIN_EXE_address-spaces")])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

fn interrupt(child: &Child) -> Result<(), Failed> {
    let process = Pid::from_raw(i32::try_from(child.id())?).ok_or("no process")?;
    Ok(kill_process(process, Signal::INT)?)
}

fn lines(file: &str) -> usize {
    std::fs::read_to_string(file).unwrap_or_default().lines().count()
}
