//! A driver that does what a driver must not do, on chosen cases, and the engine's response.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    num::NonZero,
    path::PathBuf,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use expectations::{
    device::{DeviceFile, FirstBatch, Zygote, load_device},
    dialect::Dialect,
    outcome::{Outcome, OutcomeKind, Phase},
    probe::plan::RunAnswer,
};
use libtest_mimic::{Failed, Trial};
use runner::{
    device::{
        BuildAnswer, BuildRequest, BuildStatus, Builder, Capabilities, NamedVersion, OpenError,
        RunRequest,
    },
    engine::{
        Cancel, Config, EngineError, Event, ExpectedVerdict, FirstLook, Job, Placement, RunWith,
        Until, run,
    },
};
use rustix::process::{Signal, getpid, getppid, kill_process};

use crate::{
    faults, running,
    support::{self, Run, config, run_all},
};

/// The argument that makes this program a misbehaving worker.
pub(crate) const WORKER: &str = "misbehaving-worker";
/// The same, from the start.
pub(crate) const WORKER_THAT_NEVER_STARTS: &str = "worker-that-never-starts";
pub(crate) const WORKER_THAT_DIES: &str = "worker-that-dies";
pub(crate) const WORKER_THAT_ACCEPTS: &str = "worker-that-accepts";
pub(crate) const WORKER_THAT_REJECTS: &str = "worker-that-rejects";
/// One that takes [`SLOW_START`] to open its device.
pub(crate) const WORKER_THAT_STARTS_SLOWLY: &str = "worker-that-starts-slowly";
/// Duration of such a start: others are begun ahead of it.
pub(crate) const SLOW_START: Duration = Duration::from_millis(1200);
/// One whose driver has a thread of its own.
pub(crate) const WORKER_WITH_A_THREAD: &str = "worker-with-a-thread";

/// The argument that makes this program start a misbehaving worker for a runner elsewhere.
pub(crate) const SUPERVISOR: &str = "supervise";

/// The argument that makes this program a runner whose driver hangs.
pub(crate) const HANGING_RUNNER: &str = "hanging-runner";
/// The same whose workers are forked.
pub(crate) const RUNNER_OF_FORKS: &str = "runner-of-forks";

/// What the driver does with every program.
#[derive(Clone, Copy)]
enum Mood {
    /// Follows the words in its cases.
    ByWord,
    Accepts,
    Rejects,
}

/// Become the worker of that argument.
pub(crate) fn serve(argument: &str) -> std::process::ExitCode {
    let mood = match argument {
        WORKER_THAT_NEVER_STARTS => loop {
            std::thread::sleep(Duration::from_secs(1000));
        },
        WORKER_THAT_DIES => {
            eprintln!("the library has the wrong architecture");
            std::process::abort();
        }
        WORKER_THAT_ACCEPTS => Mood::Accepts,
        WORKER_THAT_REJECTS => Mood::Rejects,
        _ => Mood::ByWord,
    };
    let has_a_thread = argument == WORKER_WITH_A_THREAD;
    let starts_slowly = argument == WORKER_THAT_STARTS_SLOWLY;
    runner::worker::serve(move |_| -> Result<Box<dyn Builder>, OpenError> {
        if starts_slowly {
            std::thread::sleep(SLOW_START);
        }
        println!("hello on standard output");
        if has_a_thread {
            std::thread::spawn(hang);
        }
        if let Some(cache) = DriversCache::of_environment() {
            cache.open();
        }
        Ok(Box::new(Driver { mood, builds: 0, has_lost_its_mind: false }))
    })
}

/// The folder where a driver keeps its start-up data, and every program it has built.
struct DriversCache {
    folder: PathBuf,
    /// What came of looking there.
    log: PathBuf,
}

impl DriversCache {
    fn of_environment() -> Option<Self> {
        let variable = |name| std::env::var_os(name).map(PathBuf::from);
        Some(Self { folder: variable("DRIVERS_CACHE")?, log: variable("DRIVERS_LOG")? })
    }

    fn open(&self) {
        fs::create_dir_all(&self.folder).unwrap();
        self.note(if self.knows("library") { "warm start" } else { "cold start" });
    }

    fn answers(&self, source: &str) -> bool {
        let program: String = source.chars().filter(char::is_ascii_alphanumeric).collect();
        let name = program[..program.len().min(200)].to_owned();
        let is_known = self.knows(&name);
        self.note(if is_known { "answer from the cache" } else { "answer" });
        is_known
    }

    fn knows(&self, name: &str) -> bool {
        let file = self.folder.join(name);
        file.exists() || fs::write(file, "").is_err()
    }

    fn note(&self, what: &str) {
        let mut log = OpenOptions::new().create(true).append(true).open(&self.log).unwrap();
        log.write_all(format!("{what}\n").as_bytes()).unwrap();
    }
}

struct Driver {
    mood: Mood,
    builds: usize,
    /// Everything is wrong from now on.
    has_lost_its_mind: bool,
}

impl Builder for Driver {
    fn capabilities(&self) -> Capabilities {
        let version = NamedVersion { major: 1, minor: 2 };
        Capabilities { opencl_c_versions: vec![version], ..Capabilities::default() }
    }

    fn build(&mut self, request: &BuildRequest, begin: &mut dyn FnMut(Phase)) -> BuildAnswer {
        let answer_in = |phase, status, log| BuildAnswer {
            status,
            phase,
            detail: String::new(),
            log,
            seconds: 0.001,
            output: Vec::new(),
        };
        let answer = |status, log| answer_in(Phase::Build, status, log);
        match self.mood {
            Mood::ByWord => {}
            Mood::Accepts => return answer(BuildStatus::Accepted, String::new()),
            Mood::Rejects => {
                return answer(BuildStatus::Rejected, "I do not feel like it".to_owned());
            }
        }
        if let Some(cache) = DriversCache::of_environment()
            && cache.answers(&request.source)
        {
            return answer(BuildStatus::Accepted, String::new());
        }
        let warm = self.builds > 1;
        self.builds += 1;
        running::build(&request.source);
        for line in request.source.lines().filter(|line| line.contains("// ")) {
            let word = line.split("// ").nth(1).unwrap();
            act(word, warm);
            if word == "die in create-kernel" {
                begin(Phase::CreateKernel);
                std::process::abort();
            }
        }
        if request.source.contains("// hide") {
            return answer(BuildStatus::Accepted, String::new());
        }
        if request.source.contains("// reject without a place") {
            return answer(BuildStatus::Rejected, "something is wrong somewhere".to_owned());
        }
        let log = errors(&request.source, self.has_lost_its_mind);
        self.has_lost_its_mind |= request.source.contains("lose-mind");
        if !log.is_empty() {
            return answer(BuildStatus::Rejected, log);
        }
        if request.source.contains("// reject the kernel") {
            return answer_in(Phase::CreateKernel, BuildStatus::Rejected, String::new());
        }
        answer(BuildStatus::Accepted, String::new())
    }

    fn run(&mut self, request: &RunRequest) -> RunAnswer {
        running::run(request)
    }
}

pub(crate) fn act(word: &str, warm: bool) {
    let mut words = word.split(' ');
    match (words.next().unwrap(), words.next()) {
        ("abort", _) => std::process::abort(),
        ("fault", _) => {
            kill_process(getpid(), Signal::SEGV).unwrap();
        }
        ("call", Some(function)) => faults::call(function, words.next().unwrap()),
        ("exit", _) => std::process::exit(3),
        ("hang", _) => hang(),
        ("take", Some(milliseconds)) => {
            std::thread::sleep(Duration::from_millis(milliseconds.parse().unwrap()));
        }
        ("leave-child", Some(file)) => {
            let child = Command::new("sleep").arg("1000").spawn().unwrap();
            fs::write(file, child.id().to_string()).unwrap();
            hang();
        }
        ("eat", _) => eat_memory(),
        ("leak-descriptors", Some(count)) => {
            for _ in 0..count.parse().unwrap() {
                std::mem::forget(fs::File::open("/dev/null").unwrap());
            }
        }
        ("start-threads", Some(count)) => {
            for _ in 0..count.parse().unwrap() {
                std::thread::Builder::new().stack_size(64 << 10).spawn(hang).unwrap();
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        ("share-memory", Some(mebibytes)) => {
            let file = rustix::fs::memfd_create("shared", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
            write_mebibytes(file.into(), mebibytes);
        }
        ("fill-folder", Some(mebibytes)) => {
            let file = std::env::temp_dir().join(format!("left-behind-{}", std::process::id()));
            let file = OpenOptions::new().create(true).append(true).open(file).unwrap();
            write_mebibytes(file, mebibytes);
        }
        ("stop-parent", _) => kill_process(getppid().unwrap(), Signal::STOP).unwrap(),
        ("kill-parent", _) => kill_process(getppid().unwrap(), Signal::KILL).unwrap(),
        ("delete-folder", Some(file)) if fs::remove_file(file).is_ok() => {
            fs::remove_dir_all(std::env::temp_dir()).unwrap();
        }
        ("chatter", _) => {
            for _ in 0..10_000 {
                println!("{{\"built\":{{}}}} garbage \u{0}");
                eprintln!("garbage, and a lot of it, on the other stream");
            }
        }
        ("scribble", _) => scribble(),
        ("be-killed", None) => kill_process(getpid(), Signal::KILL).unwrap(),
        ("be-killed", Some(file)) if fs::remove_file(file).is_ok() => {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
        ("abort-when-warm", _) if warm => std::process::abort(),
        ("abort-once", Some(file)) if fs::remove_file(file).is_ok() => std::process::abort(),
        _ => {}
    }
}

fn hang() {
    loop {
        std::thread::sleep(Duration::from_secs(1000));
    }
}

fn eat_memory() {
    let mut eaten: Vec<Vec<u8>> = Vec::new();
    loop {
        eaten.push(vec![1; 16 << 20]);
    }
}

/// Writes this much into a file that stays open.
fn write_mebibytes(mut file: fs::File, mebibytes: &str) {
    for _ in 0..mebibytes.parse().unwrap() {
        file.write_all(&vec![1; 1 << 20]).unwrap();
    }
    std::mem::forget(file);
}

/// Write into every pipe there is.
fn scribble() {
    for entry in fs::read_dir("/proc/self/fd").unwrap().flatten() {
        let is_pipe = fs::read_link(entry.path())
            .is_ok_and(|target| target.to_string_lossy().starts_with("pipe:"));
        if is_pipe && let Ok(mut pipe) = OpenOptions::new().write(true).open(entry.path()) {
            let _ = pipe.write_all(b"scribble scribble\n");
        }
    }
}

/// An error on every line with the word, in clang's form.
fn errors(source: &str, all_is_wrong: bool) -> String {
    let (mut log, mut name, mut number) = (String::new(), "", 0);
    for line in source.lines() {
        number += 1;
        if let Some(rest) = line.strip_prefix("#line 1 ") {
            (name, number) = (rest.trim_matches('"'), 0);
        } else if line.contains("// wrong-once") && log.contains("once") {
            // As clang reports an undeclared name once in a program.
        } else if line.contains("missing_name")
            || line.contains("no_such_name")
            || line.contains("// wrong")
            || alternates(line)
            || is_mistaken(line)
            || (all_is_wrong && line.contains("// "))
        {
            log += &format!("{name}:{number}:3: error: this is wrong\n  {line}\n");
        }
    }
    log
}

/// Whether it is its turn to be wrong: every other time.
fn alternates(line: &str) -> bool {
    let Some(file) = line.split_once("// alternate ").map(|(_, file)| file) else { return false };
    fs::remove_file(file).map_or_else(|_| fs::write(file, "").is_err(), |()| true)
}

/// Whether it is wrong by mistake, as it is the first time.
fn is_mistaken(line: &str) -> bool {
    line.split_once("// mistaken ").is_some_and(|(_, file)| fs::remove_file(file).is_ok())
}

pub(crate) fn device() -> DeviceFile {
    let text = "what = \"a driver that misbehaves\"\nfront-end = \"none\"\n\n[device]\ntype = \"opencl\"\nplatform = \"test\"\n";
    load_device("misbehaving", "misbehaving.toml", text).unwrap()
}

/// A few hundred cases, every tenth of them invalid, and at some places a case with a word of its own.
pub(crate) fn jobs(special: &[(usize, &str)]) -> Vec<Job> {
    let mut jobs: Vec<Job> = (0..400)
        .map(|index| {
            let word = if index % 10 == 7 { "wrong" } else { "right" };
            job(index, word)
        })
        .collect();
    for &(index, word) in special {
        jobs[index] = job(index, word);
    }
    jobs
}

pub(crate) fn job(index: usize, word: &str) -> Job {
    let verdict =
        if word.starts_with("wrong") { ExpectedVerdict::Reject } else { ExpectedVerdict::Accept };
    Job {
        id: format!("case-{index}"),
        dialect: Dialect::from_name("cl12").unwrap(),
        requirements: Vec::new(),
        source: format!(
            "kernel void c{index:010}_k(global int *o) {{\n  o[0] = 1; // {word}\n}}\n"
        ),
        until: Until::FrontEnd,
        required: verdict,
        expected: verdict,
        placement: Placement::Batch,
        run_with: RunWith::Nothing,
    }
}

pub(crate) fn quick(mode: &str) -> Config {
    Config {
        workers: 2,
        build_timeout: Duration::from_millis(1500),
        start_timeout: Duration::from_secs(20),
        memory_limit: Some(300 << 20),
        first_batch: FirstBatch {
            built: const { NonZero::new(100).unwrap() },
            ..FirstBatch::default()
        },
        ..config(mode)
    }
}

/// Every case except the special ones has its outcome; the special ones have this one.
fn check(special: &[(usize, &str, OutcomeKind)]) -> Run {
    check_on(&device(), special)
}

/// The same where the driver is behind a command, among processes of its own.
fn elsewhere() -> DeviceFile {
    let here = std::env::current_exe().unwrap().display().to_string();
    let away = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    let mut device = device();
    device.place.via = away.map(str::to_owned).to_vec();
    device.place.via.extend([here, SUPERVISOR.to_owned()]);
    device
}

fn check_on(device: &DeviceFile, special: &[(usize, &str, OutcomeKind)]) -> Run {
    check_with(device, special, &quick(WORKER))
}

fn check_with(device: &DeviceFile, special: &[(usize, &str, OutcomeKind)], config: &Config) -> Run {
    let words: Vec<(usize, &str)> = special.iter().map(|&(index, word, _)| (index, word)).collect();
    let jobs = jobs(&words);
    let run = run_all(device, &jobs, config).unwrap();
    for (&index, record) in &run.records {
        let usual = if index % 10 == 7 { OutcomeKind::Rejected } else { OutcomeKind::Accepted };
        let expected = special.iter().find(|entry| entry.0 == index).map_or(usual, |entry| entry.2);
        assert_eq!(record.outcome.kind, expected, "{}: {:?}", jobs[index].id, record);
        if expected == OutcomeKind::Rejected && usual == expected {
            assert_eq!(record.outcome.error_lines, [2], "{}", jobs[index].id);
        }
    }
    run
}

pub(crate) fn trials() -> Vec<Trial> {
    let test = |name: &str, body: fn()| {
        Trial::test(format!("misbehaving/{name}"), move || {
            body();
            Ok::<(), Failed>(())
        })
    };
    vec![
        test("well_behaved", || {
            let run = check(&[]);
            assert!(run.report.builds < 30, "{:?}", run.report);
            assert_eq!(run.unreproduced, [[0_usize; 0]; 0]);
        }),
        test("wrong_expectations", || {
            // Expected to be accepted and rejected, and the other way round.
            let mut jobs = jobs(&[]);
            for job in &mut jobs {
                job.expected = if job.expected == ExpectedVerdict::Accept {
                    ExpectedVerdict::Reject
                } else {
                    ExpectedVerdict::Accept
                };
            }
            let run = run_all(&device(), &jobs, &quick(WORKER)).unwrap();
            let right = run.kinds().iter().filter(|&&kind| kind == OutcomeKind::Accepted).count();
            assert_eq!((right, run.records.len()), (360, 400));
        }),
        test("crash", || {
            let run =
                check(&[(33, "fault", OutcomeKind::Crashed), (212, "abort", OutcomeKind::Crashed)]);
            assert_eq!(run.records[&33].outcome.detail, "SIGSEGV in the worker");
            assert_eq!(run.records[&212].outcome.detail, "SIGABRT");
            assert_eq!(run.unreproduced, [[0_usize; 0]; 0]);
        }),
        test("crash_in_kernel_creation", || {
            let run = check(&[(33, "die in create-kernel", OutcomeKind::Crashed)]);
            assert_eq!(run.records[&33].outcome.phase, Phase::CreateKernel);
        }),
        test("exit", || {
            let run = check(&[(133, "exit", OutcomeKind::Crashed)]);
            assert_eq!(run.records[&133].outcome.detail, "the driver called exit(3)");
        }),
        test("hang", || {
            let run = check(&[(33, "hang", OutcomeKind::TimedOut)]);
            assert_eq!(run.records[&33].outcome.detail, "no answer within 1.5 s");
            assert!(
                run.warnings.iter().any(|text| text == "case-33: no answer from Build after 0.8 s")
            );
        }),
        test("hang_leaves_no_orphan", || {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("child");
            check(&[(33, &format!("leave-child {}", file.display()), OutcomeKind::TimedOut)]);
            await_end_of(&fs::read_to_string(&file).unwrap());
        }),
        test("memory", || {
            let run = check(&[(33, "eat", OutcomeKind::OutOfMemory)]);
            assert!(
                run.records[&33].outcome.log.contains("memory allocation of"),
                "{:?}",
                run.records[&33]
            );
        }),
        test("too_much_of_a_resource", too_much_of_a_resource),
        test("replaced_before_a_limit", replaced_before_a_limit),
        test("parent_process", parent_process),
        test("garbage_on_standard_output", || {
            let run = check(&[(33, "chatter", OutcomeKind::Accepted)]);
            assert!(run.report.builds < 30, "{:?}", run.report);
        }),
        test("garbage_in_the_pipe", || {
            let run = check(&[(33, "scribble", OutcomeKind::Crashed)]);
            assert_eq!(
                run.records[&33].outcome.detail,
                "the driver wrote into the pipe to the runner"
            );
        }),
        test("rejection_without_a_place", || {
            let run = check(&[
                (33, "reject without a place", OutcomeKind::Rejected),
                (34, "reject the kernel", OutcomeKind::Rejected),
            ]);
            assert_eq!(run.records[&33].outcome.log, "something is wrong somewhere");
            assert_eq!(run.records[&34].outcome.phase, Phase::CreateKernel);
        }),
        test("mistaken_once", mistaken_once),
        test("complaints_made_once", || {
            let special: Vec<_> =
                (0..400).step_by(9).map(|at| (at, "wrong-once", OutcomeKind::Rejected)).collect();
            check(&special);
        }),
        test("elsewhere", what_it_does_elsewhere_is_the_same),
        test("forked", what_it_does_forked_is_the_same),
        test("primed", caches_hold_the_start_and_no_answers),
        test("not_forked", drivers_with_threads_are_not_forked),
        test("connection_lost", connection_lost),
        test("crash_only_in_a_batch", crash_only_in_a_batch),
        test("flaky_crash", flaky_crash),
        test("seconds_of_a_crash", seconds_of_a_crash),
        test("killed_from_outside", killed_from_outside),
        test("killed_runner", || killed_runner(HANGING_RUNNER)),
        test("killed_runner_of_forks", || killed_runner(RUNNER_OF_FORKS)),
        test("cancelled", cancelled),
        test("workers_that_never_work", workers_that_never_work),
        test("devices_that_do_not_tell_good_from_bad", devices_that_do_not_tell_good_from_bad),
    ]
}

/// An error at a line of a case that nobody expects to be rejected is looked for in a second program.
fn mistaken_once() {
    let folder = tempfile::tempdir().unwrap();
    for expected in [ExpectedVerdict::Accept, ExpectedVerdict::Either] {
        let file = folder.path().join("once");
        fs::write(&file, "").unwrap();
        let mut jobs = jobs(&[(33, &format!("mistaken {}", file.display()))]);
        for job in &mut jobs {
            if job.expected == ExpectedVerdict::Accept {
                job.expected = expected;
            }
        }
        let run = run_all(&device(), &jobs, &quick(WORKER)).unwrap();
        assert!(!file.exists());
        let record = &run.records[&33];
        assert_eq!(record.outcome.kind, OutcomeKind::Accepted, "{expected:?}");
        assert!(record.blamed.is_some(), "{expected:?}");
    }
}

/// Each limit, the first case that exceeds it, and its message.
const EXCESSES: [(usize, &str, OutcomeKind, &str); 5] = {
    use OutcomeKind as O;
    [
        (33, "leak-descriptors 4500", O::Crashed, "open descriptors (the limit is 4096)"),
        (64, "start-threads 3000", O::Crashed, "threads (the limit is 1"),
        (101, "share-memory 500", O::OutOfMemory, "MiB of shared memory (the limit is 300)"),
        (142, "fill-folder 500", O::OutOfMemory, "MiB of scratch files (the limit is 300)"),
        (185, "eat", O::OutOfMemory, "SIGABRT"),
    ]
};

/// A driver that uses more of a resource than it may is stopped, and the limit is named, here and elsewhere.
fn too_much_of_a_resource() {
    let special = EXCESSES.map(|(index, word, kind, _)| (index, word, kind));
    // It takes a busy machine a while to start thousands of threads.
    let patient = Config { build_timeout: Duration::from_secs(30), ..quick(WORKER) };
    for device in [device(), elsewhere(), forked(device())] {
        let run = check_with(&device, &special, &patient);
        for (index, word, _, said) in EXCESSES {
            let outcome = &run.records[&index].outcome;
            assert!(outcome.detail.contains(said), "{word}: {outcome:?}");
        }
        assert_eq!(run.unreproduced, [[0_usize; 0]; 0]);
    }
}

/// A worker whose driver leaves something behind with each build is replaced before a case suffers from it.
fn replaced_before_a_limit() {
    let config = Config { isolate: true, ..quick(WORKER) };
    for (word, said) in [
        ("leak-descriptors 300", "open descriptors (the limit is 4096)"),
        ("start-threads 100", "threads (the limit is 1"),
        ("share-memory 60", "MiB of shared memory (the limit is 300)"),
        ("fill-folder 60", "MiB of scratch files (the limit is 300)"),
    ] {
        let jobs: Vec<Job> = (0..40).map(|index| job(index, word)).collect();
        let run = run_all(&device(), &jobs, &config).unwrap();
        assert!(run.kinds().iter().all(|&kind| kind == OutcomeKind::Accepted), "{:?}", run.kinds());
        assert!((4..=30).contains(&run.report.workers_started), "{word}: {:?}", run.report);
        let told = run.warnings.iter().any(|text| {
            text.contains("replaced before a limit was reached") && text.contains(said)
        });
        assert!(told, "{word}: {:?}", run.warnings);
    }
}

/// A driver that stops or kills the process above it stops or kills no run, and is found.
fn parent_process() {
    let special =
        [(33, "stop-parent", OutcomeKind::Crashed), (64, "kill-parent", OutcomeKind::Crashed)];
    for device in [device(), elsewhere(), forked(device())] {
        let run = check_on(&device, &special);
        let details = [33, 64].map(|index| run.records[&index].outcome.detail.as_str());
        let expected =
            ["stopped", "killed"].map(|did| format!("the driver {did} its parent process"));
        assert_eq!(details, expected);
        assert_eq!(run.unreproduced, [[0_usize; 0]; 0]);
    }
}

/// Ways to fail, in any order.
const FAILURES: [(usize, &str, OutcomeKind); 9] = {
    use OutcomeKind as O;
    [
        (33, "fault", O::Crashed),
        (64, "abort", O::Crashed),
        (101, "exit", O::Crashed),
        (142, "hang", O::TimedOut),
        (185, "eat", O::OutOfMemory),
        (222, "be-killed", O::OutOfMemory),
        (263, "scribble", O::Crashed),
        (304, "chatter", O::Accepted),
        (345, "die in create-kernel", O::Crashed),
    ]
};

/// Limits and deaths are the same behind a command, whatever its exit status is.
fn what_it_does_elsewhere_is_the_same() {
    let there = does_the_same(&elsewhere());
    assert!(there.records[&142].outcome.detail.contains("1.5 s"), "{:?}", there.records[&142]);
}

/// On a device that is reached in another way, failures are reported as on this one.
fn does_the_same(device: &DeviceFile) -> Run {
    let (here, there) = (check(&FAILURES), check_on(device, &FAILURES));
    for (index, word, _) in FAILURES {
        let (here, there) = (&here.records[&index].outcome, &there.records[&index].outcome);
        assert_eq!((&here.detail, here.phase), (&there.detail, there.phase), "{word}");
    }
    there
}

fn forked(mut device: DeviceFile) -> DeviceFile {
    device.zygote = Some(Zygote::default());
    device
}

/// Workers that are forked have their own streams, folders and limits, here and elsewhere.
fn what_it_does_forked_is_the_same() {
    for device in [device(), elsewhere()] {
        let run = does_the_same(&forked(device));
        let report = &run.report;
        // Those that were at work before a program was known to be built were not.
        assert!(report.workers_forked >= 10, "{report:?}");
        assert!(report.workers_started - report.workers_forked <= 4, "{report:?}");
        assert_eq!(run.warnings.iter().find(|text| text.contains("zygote")), None);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("once");
    fs::write(&file, "").unwrap();
    // No case is blamed for a worker whose folder somebody removed.
    let delete = format!("delete-folder {}", file.display());
    let run = check_on(
        &forked(device()),
        &[(3, "abort", OutcomeKind::Crashed), (212, &delete, OutcomeKind::Accepted)],
    );
    assert!(!file.exists() && run.report.workers_forked > 0, "{:?}", run.report);
}

/// A driver's cache spares its workers what it does at its start, and answers nothing: each build of a program is one.
fn caches_hold_the_start_and_no_answers() {
    for device in [device(), elsewhere()] {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let mut device = device;
        device.environment = vec![
            ("DRIVERS_CACHE".to_owned(), "{primed}/deep/folder".to_owned()),
            ("DRIVERS_LOG".to_owned(), log.display().to_string()),
        ];
        let mut jobs: Vec<Job> = (0..4).map(|index| job(index, "right")).collect();
        for job in &mut jobs {
            // Three times in one new worker, twice in another.
            let first =
                FirstLook { outcome: Outcome::new(OutcomeKind::Rejected), is_contradicted: false };
            job.placement = Placement::SecondLook(Arc::new(first));
        }
        let config = Config { workers: 1, ..quick(WORKER) };
        let run = run_all(&device, &jobs, &config).unwrap();
        assert!(run.kinds().iter().all(|&kind| kind == OutcomeKind::Accepted), "{:?}", run.kinds());
        let log = fs::read_to_string(log).unwrap();
        let count = |what: &str| log.lines().filter(|line| *line == what).count();
        assert_eq!((count("cold start"), count("answer from the cache")), (1, 0), "{log}");
        assert!(count("warm start") >= 4 && count("answer") >= 20, "{log}");
    }
}

fn drivers_with_threads_are_not_forked() {
    let jobs = jobs(&[(33, "abort"), (64, "fault")]);
    let run = run_all(&forked(device()), &jobs, &quick(WORKER_WITH_A_THREAD)).unwrap();
    let kinds = [run.records[&33].outcome.kind, run.records[&64].outcome.kind];
    assert_eq!(kinds, [OutcomeKind::Crashed; 2]);
    assert_eq!(run.report.workers_forked, 0);
    let expected = "misbehaving: workers were started, not forked (`[zygote]` in its device file): \
         the driver has 1 thread of its own";
    assert!(run.warnings.contains(&expected.to_owned()), "{:?}", run.warnings);
}

/// The cases that a broken connection interrupts are tried again, and none is blamed for it.
fn connection_lost() {
    let folder = tempfile::tempdir().unwrap();
    let once = folder.path().join("once");
    fs::write(&once, "").unwrap();
    let mut device = elsewhere();
    // The first connection ends in the middle of the run.
    let script = "if rm \"$0\" 2>/dev/null; then \"$@\" | stdbuf -o0 head -c 3000; exit 255; fi; exec \"$@\"";
    let mut via = ["sh", "-c", script].map(str::to_owned).to_vec();
    via.push(once.display().to_string());
    via.extend(std::mem::take(&mut device.place.via));
    device.place.via = via;
    // One worker with an answer for each case, so that the first connection carries enough of them.
    let config = Config { isolate: true, workers: 1, ..quick(WORKER) };
    let run = check_with(&device, &[(33, "right", OutcomeKind::Accepted)], &config);
    assert!(!once.exists() && run.report.workers_started > 1, "{:?}", run.report);
}

/// A driver that dies on a case only after others: it is not the case's fault, and this is reported.
fn crash_only_in_a_batch() {
    let mut isolated = quick(WORKER);
    isolated.isolate = true;
    isolated.workers = 1;
    let jobs = jobs(&[(33, "abort-when-warm")]);
    let run = run_all(&device(), &jobs[30..40], &isolated).unwrap();
    let record = &run.records[&3];
    assert_eq!(record.outcome.kind, OutcomeKind::Accepted);
    assert_eq!(record.failed_after, ["case-30", "case-31", "case-32"]);
    let kinds: Vec<OutcomeKind> = record.attempts.iter().map(|attempt| attempt.kind).collect();
    assert_eq!(kinds, [OutcomeKind::Crashed, OutcomeKind::Accepted]);
    assert!(!record.is_flaky());
}

/// A runner that is killed leaves nothing behind, not even below a driver that hangs.
fn killed_runner(which: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("child");
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let is_empty = || fs::read_dir(&temporary).unwrap().next().is_none();
    let mut runner = Command::new(std::env::current_exe().unwrap())
        .arg(which)
        .arg(&file)
        .env("TMPDIR", &temporary)
        .spawn()
        .unwrap();
    let child = wait_for(|| fs::read_to_string(&file).ok().filter(|text| !text.is_empty()));
    assert!(!is_empty());
    runner.kill().unwrap();
    runner.wait().unwrap();
    await_end_of(&child);
    wait_for(|| is_empty().then_some(()));
}

/// A signal is sent at once, and takes its time where many processes run.
fn await_end_of(child: &str) {
    wait_for(|| {
        let state = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        (state.is_empty() || state.contains(") Z ")).then_some(())
    });
}

/// Become a runner whose driver hangs.
pub(crate) fn run_and_hang(which: &str, file: &str) {
    let device = if which == RUNNER_OF_FORKS { forked(device()) } else { device() };
    let mut jobs = [job(0, "abort"), job(1, &format!("leave-child {file}"))];
    for job in &mut jobs {
        job.placement = Placement::Quarantine;
    }
    let patient = Config { workers: 1, build_timeout: Duration::from_secs(1000), ..quick(WORKER) };
    let _ = run_all(&device, &jobs, &patient);
}

fn wait_for<T>(mut what: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(found) = what() {
            return found;
        }
        assert!(Instant::now() < deadline, "it did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A case that crashes once and then never again stays a crash, and is called flaky.
fn flaky_crash() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("once");
    fs::write(&file, "").unwrap();
    let mut retrying = quick(WORKER);
    retrying.retries = 2;
    retrying.isolate = true;
    let jobs = [job(0, &format!("abort-once {}", file.display()))];
    let run = run_all(&device(), &jobs, &retrying).unwrap();
    let record = &run.records[&0];
    assert_eq!(record.outcome.kind, OutcomeKind::Crashed);
    assert!(record.is_flaky());
    assert_eq!(record.rates(), [(OutcomeKind::Crashed, 1), (OutcomeKind::Accepted, 2)]);
}

/// A crash takes the time until it, not the limit.
fn seconds_of_a_crash() {
    let patient = Config { build_timeout: Duration::from_secs(1000), ..quick(WORKER) };
    let run = run_all(&device(), &[job(0, "abort")], &patient).unwrap();
    let record = &run.records[&0];
    assert_eq!(record.outcome.kind, OutcomeKind::Crashed);
    assert!(record.seconds < 100.0, "{}", record.seconds);
}

/// A worker that somebody killed is no evidence about its case, unless it is killed each time.
fn killed_from_outside() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("once");
    fs::write(&file, "").unwrap();
    let once = format!("be-killed {}", file.display());
    let run =
        check(&[(33, &once, OutcomeKind::Accepted), (212, "be-killed", OutcomeKind::OutOfMemory)]);
    assert_eq!(run.records[&212].attempts.len(), 3);
    assert!(!file.exists());

    fs::write(&file, "").unwrap();
    let alone = Config { isolate: true, ..quick(WORKER) };
    let run = run_all(&device(), &[job(0, &once)], &alone).unwrap();
    let record = &run.records[&0];
    assert_eq!((record.outcome.kind, record.attempts.len()), (OutcomeKind::Accepted, 2));
    assert!(record.attempts[0].from_outside && !record.is_flaky());
}

/// A cancelled run ends at once, although the driver hangs, and keeps what is finished.
fn cancelled() {
    let jobs = jobs(&[(399, "hang")]);
    let config = Config { build_timeout: Duration::from_secs(1000), ..quick(WORKER) };
    let (cancel, start) = (Cancel::default(), Instant::now());
    let mut finished = 0;
    let report = run(&device(), &jobs, &config, &cancel, &mut |event| {
        if let Event::Finished { .. } = event {
            finished += 1;
            if finished == 200 {
                cancel.cancel();
            }
        }
    });
    let report = report.unwrap();
    assert!(report.cancelled && report.finished == finished && finished < 400, "{report:?}");
    assert!(start.elapsed() < Duration::from_secs(30));
}

fn workers_that_never_work() {
    let mut impatient = quick(WORKER_THAT_NEVER_STARTS);
    impatient.start_timeout = Duration::from_millis(300);
    let error = run_all(&device(), &jobs(&[]), &impatient).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the worker for device `misbehaving` never started: no answer within 0.3 s"
    );
    let error = run_all(&device(), &jobs(&[]), &quick(WORKER_THAT_DIES)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the worker for device `misbehaving` never started: SIGABRT\nthe library has the wrong architecture"
    );
    let mut missing = quick(WORKER);
    missing.worker.program = "/no/such/program".into();
    let error = run_all(&device(), &jobs(&[]), &missing).unwrap_err();
    assert!(matches!(error, EngineError::Machine { .. }), "{error}");
}

fn devices_that_do_not_tell_good_from_bad() {
    for (worker, reason) in [
        (WORKER_THAT_ACCEPTS, "in cl12 it accepts a known-bad program"),
        (WORKER_THAT_REJECTS, "in cl12 it rejects a known-good program\nI do not feel like it"),
    ] {
        let error = run_all(&device(), &jobs(&[]), &quick(worker)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("device `misbehaving` is broken and was not judged: {reason}")
        );
    }
    // Features that a device does not have are not compared on it.
    let mut others = vec![support::job("cl20"), support::job("cl30")];
    others.push(job(0, "right"));
    let run = run_all(&device(), &others, &quick(WORKER)).unwrap();
    assert_eq!(
        run.kinds(),
        [OutcomeKind::Unsupported, OutcomeKind::Unsupported, OutcomeKind::Accepted]
    );
    assert_eq!(run.records[&0].outcome.detail, "the device does not report OpenCL C 2.0");
}
