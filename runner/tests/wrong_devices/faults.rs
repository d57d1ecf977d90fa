//! Two hundred faults in one run over two devices: a case without a fault is judged as if there were none, and every
//! culprit is named.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Duration,
};

use rustix::process::{Pid, Signal, getpid, getppid, kill_process};
use serde_json::Value;

use crate::{
    Test,
    compiler::{Bench, STARTED_AGAIN},
};

pub(crate) const TESTS: &[Test] = &[
    ("faults/two_hundred_in_one_run", two_hundred_in_one_run),
    ("faults/together_and_alone", together_and_alone),
    ("faults/the_run_is_killed", the_run_is_killed),
];

/// A way to be wrong, and the required report on the wrong case.
struct Kind {
    name: &'static str,
    /// The required kind of case: invalid, valid, or either.
    of: Of,
    finding: &'static str,
    told: Told,
}

/// Whether a record of a batch, or a remark if it was built alone then, has to report it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    No,
    Itself,
    /// A fault that happens once is attributed to the next case of its kind in the batch.
    ItselfOrAnother,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Valid,
    Invalid,
    Any,
}

const fn kind(name: &'static str, of: Of, finding: &'static str) -> Kind {
    Kind { name, of, finding, told: Told::No }
}

const fn in_batches(name: &'static str, told: Told) -> Kind {
    Kind { told, ..kind(name, Of::Any, "pass") }
}

const KINDS: [Kind; 20] = [
    kind("abort", Of::Any, "crash"),
    kind("fault", Of::Any, "crash"),
    kind("be-killed", Of::Any, "crash"),
    kind("exit 134", Of::Any, "crash"),
    kind("exit 139", Of::Any, "crash"),
    kind("exit 255", Of::Any, "crash"),
    kind("exit 126", Of::Any, "inconclusive"),
    kind("exit 127", Of::Any, "inconclusive"),
    kind("out of memory", Of::Any, "crash"),
    kind("hang", Of::Any, "timeout"),
    kind("say nothing", Of::Invalid, "inconclusive"),
    kind("accept", Of::Invalid, "fail"),
    kind("hide all errors", Of::Invalid, "fail"),
    kind("reject", Of::Valid, "fail"),
    kind("reject now and then", Of::Valid, "flaky"),
    in_batches("abort in batches", Told::Itself),
    // In a batch that others kill too, it is invisible; in a build of its own it is seen.
    kind("abort once", Of::Any, "pass or flaky"),
    kind("leave a child", Of::Any, "pass"),
    in_batches("delete the folder once", Told::ItselfOrAnother),
    kind("chatter", Of::Any, "pass"),
];

/// Applies the faults of `list` (a name's prefix and a kind on each line) to this program: an exit status, or the
/// log to resume.
pub(crate) fn act(
    list: &str,
    file: &str,
    source: &str,
    mut log: String,
) -> Result<String, ExitCode> {
    let list = Path::new(list);
    let text = fs::read_to_string(list).unwrap();
    let state = |prefix: &str| list.with_extension(prefix);
    let once = |prefix: &str| fs::write(state(prefix), "").is_ok_and(|()| true);
    let batch = source.matches("#line 1 ").count() > 1;
    let (mut changing, mut silent) = (Vec::new(), None);
    for line in text.lines() {
        let (prefix, kind) = line.split_once(' ').unwrap();
        if !source.contains(prefix) {
            continue;
        }
        let is_first = !state(prefix).exists();
        match kind {
            "abort" => std::process::abort(),
            "abort in batches" if batch => std::process::abort(),
            "abort once" if is_first && once(prefix) => std::process::abort(),
            "fault" => {
                // The first one only makes the handler of Rust's run time step aside.
                kill_process(getpid(), Signal::SEGV).unwrap();
                kill_process(getpid(), Signal::SEGV).unwrap();
            }
            "be-killed" => kill_process(getpid(), Signal::KILL).unwrap(),
            "kill the run" => kill_process(run_above(), Signal::KILL).unwrap(),
            "exit 134" => return Err(ExitCode::from(134)),
            "exit 139" => return Err(ExitCode::from(139)),
            "exit 255" => return Err(ExitCode::from(255)),
            "exit 126" => return Err(ExitCode::from(126)),
            "exit 127" => return Err(ExitCode::from(127)),
            "out of memory" => {
                std::io::stderr().write_all(b"LLVM ERROR: out of memory\n").unwrap();
                return Err(ExitCode::FAILURE);
            }
            "hang" => std::thread::sleep(Duration::from_secs(1000)),
            "say nothing" => silent = Some(ExitCode::FAILURE),
            "hide all errors" => silent = Some(ExitCode::SUCCESS),
            "accept" => log = without_errors_of(prefix, source, &log),
            "reject" => log += &error_of(prefix, file, source),
            "leave a child" => {
                // It holds what it inherits, the pipe among it.
                let child = Command::new("/usr/bin/setsid")
                    .arg(env::current_exe().unwrap())
                    .arg(STARTED_AGAIN)
                    .spawn();
                drop(child.unwrap());
            }
            "delete the folder once" if is_first && once(prefix) => {
                fs::remove_dir_all(env::temp_dir()).unwrap();
                return Err(ExitCode::FAILURE);
            }
            "chatter" => {
                let line = b"remark: \x1b[31mgarbage\x00 and a lot of it\n".repeat(2000);
                std::io::stderr().write_all(&line).unwrap();
            }
            "reject now and then" => changing.push(prefix),
            _ => {}
        }
    }
    // Whoever dies does so first.
    if let Some(status) = silent {
        return Err(status);
    }
    // What nobody hears of is not an answer.
    for prefix in changing {
        if fs::remove_file(state(prefix)).is_err() {
            log += &error_of(prefix, file, source);
            fs::write(state(prefix), "").unwrap();
        }
    }
    Ok(log)
}

/// A kind that no run survives.
static KILLS_THE_RUN: Kind = kind("kill the run", Of::Any, "crash");

/// Returns the topmost process of the program under test above this one.
fn run_above() -> Pid {
    let mut above = getppid();
    let mut run = None;
    while let Some(process) = above {
        let number = process.as_raw_nonzero();
        let name = fs::read_link(format!("/proc/{number}/exe")).unwrap_or_default();
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("address-spaces") {
            run = Some(process);
        }
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap();
        let parent = stat.rsplit(") ").next().unwrap().split(' ').nth(1).unwrap();
        above = Pid::from_raw(parent.parse().unwrap());
    }
    run.unwrap()
}

/// The lines of the case whose names begin so: what `#line` calls its file, and how many it has.
fn place_of(prefix: &str, file: &str, source: &str) -> (String, u32) {
    let (mut name, mut number) = (file.to_owned(), 0);
    for line in source.lines() {
        number += 1;
        if let Some(marked) = line.strip_prefix("#line 1 ") {
            (name, number) = (marked.trim_matches('"').to_owned(), 0);
        } else if line.contains(prefix) {
            return (name, number);
        }
    }
    (name, number)
}

fn without_errors_of(prefix: &str, source: &str, log: &str) -> String {
    let (name, _) = place_of(prefix, "", source);
    let other = |line: &&str| !line.starts_with(&format!("{name}:"));
    log.split_inclusive('\n').filter(other).collect()
}

fn error_of(prefix: &str, file: &str, source: &str) -> String {
    let (name, number) = place_of(prefix, file, source);
    format!("{name}:{number}:1: error: I do not like this\n")
}

const DEVICES: [&str; 2] = ["clang-13", "clang-16"];
const CASES: [&str; 6] =
    ["--rule", "conversion/implicit", "--dialect", "cl11", "--dialect", "cl12"];

/// The records of a results file.
pub(crate) fn records(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn cases(records: &[Value]) -> BTreeMap<String, &Value> {
    let cases = records.iter().filter(|line| line["record"] == "case");
    cases.map(|line| (line["id"].as_str().unwrap().to_owned(), line)).collect()
}

/// The parts that have to be the same: the outcome, the places of the errors, and the judgement.
fn verdict(case: &Value) -> [Value; 3] {
    [&case["outcome"]["kind"], &case["outcome"]["error-lines"], &case["finding"]].map(Value::clone)
}

/// Numbers that are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}

/// The faulty cases of a device by id, each with its kind: `of_each` of every kind, none of them anybody's control.
fn faulty(undisturbed: &[Value], of_each: usize, seed: u64) -> BTreeMap<String, &'static Kind> {
    let cases = cases(undisturbed);
    let controls: BTreeSet<&str> =
        cases.values().filter_map(|case| case["control"].as_str()).collect();
    let mut free: Vec<(&String, &&Value)> = cases
        .iter()
        .filter(|(id, case)| case["finding"]["kind"] == "pass" && !controls.contains(id.as_str()))
        .collect();
    let mut numbers = Numbers(seed);
    let mut faulty = BTreeMap::new();
    // Those that take few cases first.
    let mut kinds: Vec<&Kind> = KINDS.iter().collect();
    kinds.sort_by_key(|kind| kind.of == Of::Any);
    for kind in kinds {
        for _ in 0..of_each {
            let fits = |case: &Value| match kind.of {
                Of::Valid => case["expectation"] == "accept",
                Of::Invalid => case["expectation"] == "reject",
                Of::Any => true,
            };
            let start = numbers.below(free.len());
            let found = (0..free.len()).map(|step| (start + step) % free.len());
            let found = found.into_iter().find(|&at| fits(free[at].1)).unwrap();
            faulty.insert(free.swap_remove(found).0.clone(), kind);
        }
    }
    faulty
}

/// Give a device these faults; gives where its compiler keeps them.
fn install(bench: &Bench, device: &str, faulty: &BTreeMap<String, &'static Kind>) -> PathBuf {
    let folder = bench.path("faults").join(device);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("list");
    let lines = faulty.iter().map(|(id, kind)| {
        format!("{} {}\n", expectations::case_id::CaseId::new(id).prefix(), kind.name)
    });
    fs::write(&path, lines.collect::<String>()).unwrap();
    bench.install(device, &format!("faults {}", path.display()));
    path
}

/// Every process that was started below the folder and still runs.
fn left_running(folder: &Path) -> Vec<String> {
    let folder = folder.as_os_str().as_encoded_bytes();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let of_ours = |path: &PathBuf| {
        fs::read(path.join("environ"))
            .is_ok_and(|text| text.windows(folder.len()).any(|part| part == folder))
    };
    let processes = processes.map(|process| process.path()).filter(of_ours);
    processes.map(|path| fs::read_to_string(path.join("cmdline")).unwrap_or_default()).collect()
}

fn undisturbed(bench: &Bench) -> Vec<Vec<Value>> {
    for device in DEVICES {
        bench.install(device, "honest");
    }
    let devices = DEVICES.map(|device| ["--device", device]).concat();
    bench.run(&[&devices[..], &CASES, &["--results", "undisturbed"]].concat());
    DEVICES.map(|device| records(&bench.path("undisturbed").join(device))).into()
}

fn two_hundred_in_one_run() {
    let bench = Bench::new();
    fs::create_dir(bench.path("tmp")).unwrap();
    let undisturbed = undisturbed(&bench);
    let devices = DEVICES.map(|device| ["--device", device]).concat();
    let mut all = Vec::new();
    for (number, device) in DEVICES.into_iter().enumerate() {
        let faulty = faulty(&undisturbed[number], 5, 0x9e37_79b9_7f4a_7c15 + number as u64);
        install(&bench, device, &faulty);
        all.push(faulty);
    }
    assert_eq!(all.iter().map(BTreeMap::len).sum::<usize>(), 200);
    let options = ["--results", "disturbed", "--timeout", "1", "--retries", "0"];
    bench.run(&[&devices[..], &CASES, &options].concat());
    for ((device, before), faulty) in DEVICES.into_iter().zip(&undisturbed).zip(&all) {
        let after = records(&bench.path("disturbed").join(device));
        let (before, after_cases) = (cases(before), cases(&after));
        assert_eq!(before.len(), after_cases.len(), "{device}");
        let cases_told = |line: &Value| -> Vec<Value> {
            match line["record"].as_str() {
                Some("unreproduced") => line["cases"].as_array().unwrap().clone(),
                Some("interaction") => {
                    let programs = line["programs"].as_array().unwrap().iter();
                    programs.flat_map(|cases| cases.as_array().unwrap().clone()).collect()
                }
                _ => Vec::new(),
            }
        };
        let told: Vec<Value> = after.iter().flat_map(cases_told).collect();
        let told: Vec<&str> = told.iter().map(|case| case.as_str().unwrap()).collect();
        for (id, case) in &before {
            let now = after_cases[id];
            match faulty.get(id) {
                None => assert_eq!(verdict(now), verdict(case), "{device}: innocent {now}"),
                Some(kind) => {
                    let said = &now["finding"]["kind"];
                    let said = said.as_str().unwrap();
                    let is_one_of = kind.finding.split(" or ").any(|finding| finding == said);
                    assert!(is_one_of, "{device}: {}: {now}", kind.name);
                    let is_named = told.iter().any(|&case| match kind.told {
                        Told::No => true,
                        Told::Itself => case == id,
                        Told::ItselfOrAnother => {
                            faulty.get(case).is_some_and(|other| other.name == kind.name)
                        }
                    });
                    assert!(
                        kind.told == Told::No || is_named || !now["remarks"].is_null(),
                        "{device}: {}: nothing tells of {now}",
                        kind.name
                    );
                    if kind.name == "hide all errors" {
                        assert!(now["remarks"].to_string().contains("accepts everything"), "{now}");
                    }
                    let confirmed = matches!(said, "crash" | "fail" | "timeout" | "inconclusive");
                    assert_eq!(now["confirmed"].is_string(), confirmed, "{}: {now}", kind.name);
                }
            }
        }
    }
    assert_eq!(left_running(&bench.path("tmp")), [""; 0]);
    let folders: Vec<_> = fs::read_dir(bench.path("tmp")).unwrap().flatten().collect();
    assert!(folders.is_empty(), "{folders:?}");
}

/// A case that kills the run whenever it is built is found by resuming, and costs no other case its verdict.
fn the_run_is_killed() {
    let bench = Bench::new();
    let before = undisturbed(&bench);
    let before = cases(&before[0]);
    let free = faulty(&records(&bench.path("undisturbed").join(DEVICES[0])), 1, 0x2468_ace1);
    let killer = free.keys().next().unwrap().clone();
    install(&bench, DEVICES[0], &BTreeMap::from([(killer.clone(), &KILLS_THE_RUN)]));
    let device = [&["--device", DEVICES[0]][..], &CASES].concat();
    let mut kills = 0;
    loop {
        let keep = if kills == 0 { "--results" } else { "--resume" };
        let output = bench.command(&[&device[..], &[keep, "killed"]].concat()).output().unwrap();
        match output.status.code() {
            None if kills < 4 => kills += 1,
            status => {
                assert_eq!(status, Some(1), "{}", String::from_utf8_lossy(&output.stderr));
                break;
            }
        }
    }
    assert_eq!(kills, 3);
    let folder = bench.path("killed");
    let after = records(&folder);
    for (id, now) in cases(&after) {
        if id == killer {
            assert_eq!(now["finding"]["kind"], "crash", "{now}");
            assert!(now.to_string().contains("each of 3 runs that built the case was killed"));
        } else {
            assert_eq!(verdict(now), verdict(before[&id]), "{now}");
        }
    }
    assert_eq!(cases(&after).len(), before.len());
    let left: Vec<_> =
        fs::read_dir(&folder).unwrap().flatten().map(|file| file.file_name()).collect();
    assert_eq!(left, ["results.jsonl"]);
}

/// Together or one by one: the same, except for what a case does now and then.
fn together_and_alone() {
    let bench = Bench::new();
    fs::create_dir(bench.path("tmp")).unwrap();
    let undisturbed = undisturbed(&bench);
    let faulty = faulty(&undisturbed[0], 1, 0x1234_5678);
    install(&bench, DEVICES[0], &faulty);
    let options = ["--timeout", "2", "--retries", "0"];
    let run = [&["dev", "audit", "--device", DEVICES[0]][..], &CASES, &options].concat();
    let (stdout, _) = bench.said(&run, 0);
    assert!(stdout.contains(" 0 with a different outcome when built alone"), "{stdout}");
}
