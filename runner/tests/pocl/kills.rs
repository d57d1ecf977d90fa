//! Runs killed at any moment and resumed: nothing finished is lost, nothing is run twice, nothing changes.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use libtest_mimic::Failed;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::{check_status, runner};

/// How often a run is killed.
const KILLS: u32 = 20;
const SELECTION: [&str; 6] =
    ["--device", "pocl", "--rule", "conversion/implicit", "--dialect", "cl12"];

pub(crate) fn killed_at_random_moments() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let begun = Instant::now();
    let undisturbed = folder.path().join("undisturbed");
    check_status(&runner(&with("--results", &undisturbed)), 0)?;
    let length = begun.elapsed();
    let expected = verdicts(&lines(&undisturbed))?;

    let mut moments = Moments { state: 0x1234_5678_9abc_def1, length };
    let mut kills = 0;
    for run in 0.. {
        let results = folder.path().join(format!("run-{run}"));
        let mut before = String::new();
        while kills < KILLS && !is_ended(&before) {
            let flag = if before.is_empty() { "--results" } else { "--resume" };
            let mut child = start(&with(flag, &results))?;
            std::thread::sleep(moments.next());
            // A worker alone at first, in every third run: what it was building is built again.
            if kills % 3 == 2 {
                kill(children(child.id()).first().copied());
                std::thread::sleep(moments.next() / 4);
            }
            let workers = children(child.id());
            child.kill()?;
            child.wait()?;
            kills += 1;
            await_end_of(&workers)?;
            let after = lines(&results);
            if !after.starts_with(&before) {
                return Err(format!("kill {kills}: the file lost what it had").into());
            }
            before = after;
        }
        let flag = if before.is_empty() { "--results" } else { "--resume" };
        check_status(&runner(&with(flag, &results)), 0)?;
        let after = lines(&results);
        if !after.starts_with(&before) || verdicts(&after)? != expected {
            return Err(format!("after {kills} kills the results are others").into());
        }
        if kills == KILLS {
            break;
        }
    }
    Ok(())
}

/// The same numbers every time, spread over the length of a run.
struct Moments {
    state: u64,
    length: Duration,
}

impl Moments {
    fn next(&mut self) -> Duration {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.length * (self.state % 1000) as u32 / 1000
    }
}

fn with<'a>(flag: &'a str, folder: &'a Path) -> Vec<&'a str> {
    [&SELECTION[..], &[flag, folder.to_str().unwrap()]].concat()
}

fn start(arguments: &[&str]) -> std::io::Result<Child> {
    Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// The whole lines of a results file.
fn lines(folder: &Path) -> String {
    let mut text = fs::read_to_string(folder.join("results.jsonl")).unwrap_or_default();
    text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
    text
}

fn is_ended(results: &str) -> bool {
    results.lines().any(|line| line.starts_with("{\"record\":\"end\""))
}

/// Outcome and finding of every case; each is in the file once.
fn verdicts(results: &str) -> Result<BTreeMap<String, (String, String)>, Failed> {
    let mut verdicts = BTreeMap::new();
    for line in results.lines().filter(|line| line.starts_with("{\"record\":\"case\"")) {
        let line: serde_json::Value = serde_json::from_str(line)?;
        let verdict = (line["outcome"].to_string(), line["finding"].to_string());
        if verdicts.insert(line["id"].to_string(), verdict).is_some() {
            return Err(format!("{} was run twice", line["id"]).into());
        }
    }
    Ok(verdicts)
}

/// The processes that a process started, from any of its threads.
fn children(process: u32) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|children| {
            let pids =
                children.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?));
            pids.collect::<Vec<_>>()
        })
        .collect()
}

fn kill(process: Option<Pid>) {
    if let Some(process) = process {
        // It may have ended meanwhile.
        let _ = kill_process(process, Signal::KILL);
    }
}

/// A killed runner takes its workers along.
fn await_end_of(workers: &[Pid]) -> Result<(), Failed> {
    let deadline = Instant::now() + Duration::from_secs(20);
    let runs = |worker: &Pid| {
        let stat = fs::read_to_string(format!("/proc/{}/stat", worker.as_raw_nonzero()));
        test_kill_process(*worker).is_ok() && !stat.unwrap_or_default().contains(") Z ")
    };
    while workers.iter().any(runs) {
        if Instant::now() > deadline {
            return Err(format!("workers {workers:?} outlived their runner").into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}
