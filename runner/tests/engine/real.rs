//! Drivers that are on this machine; the others' tests are ignored with the reason.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use expectations::{
    baseline::Deviation,
    device::{CodeGeneration, DeviceFile, DeviceKind},
    dialect::Dialect,
    outcome::{Outcome, OutcomeKind, Phase},
};
use libtest_mimic::{Completion, Failed, Trial};
use runner::{
    device::files,
    engine::{Config, EngineError, ExpectedVerdict, Job, Placement, RunWith, Until},
};

use crate::support::{Run, WORKER, config, device, run_all, suite_jobs};

/// Each device with how many cases it can build one by one in some seconds.
const DEVICES: [(&str, usize); 8] = [
    ("pocl", 300),
    ("rusticl", 3000),
    ("oclgrind", 100),
    ("intel-cpu", 300),
    ("pocl-3.0", 100),
    ("ocloc", 30),
    ("clang-14", 100),
    ("clang-19", 100),
];

pub(crate) fn trials() -> Vec<Trial> {
    let equal = DEVICES.into_iter().map(|(name, count)| {
        Trial::ignorable_test(format!("real/{name}/batched_equals_isolated"), move || {
            batched_equals_isolated(name, count)
        })
    });
    let hostile = ["intel-cpu", "pocl"].into_iter().map(|name| {
        Trial::ignorable_test(format!("real/{name}/hostile_programs"), move || {
            hostile_programs(name)
        })
    });
    let programs = ["rusticl", "intel-cpu", "clang-14", "clang-19"].into_iter().map(|name| {
        Trial::ignorable_test(format!("real/{name}/programs_of_known_deviations"), move || {
            programs_of_known_deviations(name)
        })
    });
    let behind = BEHIND.into_iter().map(|behind| {
        Trial::ignorable_test(format!("real/{}/behind_the_front_end", behind.device), move || {
            behind_the_front_end(&behind)
        })
    });
    let missing = Trial::ignorable_test("real/what_is_not_there", what_is_not_there);
    equal.chain(hostile).chain(programs).chain(behind).chain([missing]).collect()
}

/// A valid program that a front end accepts and a later step does not.
#[derive(Clone, Copy)]
struct Behind {
    device: &'static str,
    /// Its kernel's name is `NAME`.
    source: &'static str,
    kind: OutcomeKind,
    /// How the detail begins.
    detail: &'static str,
    /// What the log says.
    log: &'static str,
}

const BEHIND: [Behind; 1] = [Behind {
    device: "clang-amdgcn",
    source: "kernel void NAME_f(global int *o) { o[0] = 1; }\nkernel void NAME(global int *o) { NAME_f(o); }\n",
    kind: OutcomeKind::Rejected,
    detail: "AMDGPU back end -O0: exit status 70",
    log: "Unsupported calling convention for call",
}];

/// A case that a back end rejects is found among the others of its program, in the phase that generates code; no code
/// is generated for an invalid case.
fn behind_the_front_end(behind: &Behind) -> Result<Completion, Failed> {
    const CULPRIT: usize = 16;
    let mut jobs: Vec<Job> = (0..30).map(simple_job).collect();
    for job in jobs.iter_mut().filter(|job| job.expected == ExpectedVerdict::Accept) {
        job.until = Until::Code;
    }
    jobs[CULPRIT].source = behind.source.replace("NAME", "c0000000016_k");
    let run = match on_device(behind.device, &jobs, &config(WORKER))? {
        Ok(run) => run,
        Err(missing) => return Ok(Completion::ignored_with(missing)),
    };
    for (&index, record) in &run.records {
        let Outcome { kind, phase, detail, log, .. } = &record.outcome;
        if index == CULPRIT {
            assert_eq!((*kind, *phase), (behind.kind, Phase::GenerateCode), "{record:?}");
            assert!(detail.starts_with(behind.detail) && log.contains(behind.log), "{record:?}");
        } else {
            let expected = match jobs[index].expected {
                ExpectedVerdict::Accept => OutcomeKind::Accepted,
                _ => OutcomeKind::Rejected,
            };
            assert_eq!((*kind, *phase), (expected, Phase::Build), "{record:?}");
        }
    }
    // 20 valid ones, one by one through every step, would be more.
    assert!(run.report.builds < 30, "{:?}", run.report);
    Ok(Completion::Completed)
}

fn batched_equals_isolated(name: &str, count: usize) -> Result<Completion, Failed> {
    let jobs = suite_jobs(&Dialect::ALL, count);
    let batched = match on_device(name, &jobs, &config(WORKER))? {
        Ok(run) => run,
        Err(missing) => return Ok(Completion::ignored_with(missing)),
    };
    let isolated = Config { isolate: true, ..config(WORKER) };
    let isolated = on_device(name, &jobs, &isolated)?.map_err(Failed::from)?;
    for (index, record) in &batched.records {
        // The log of a rejection without a place is the whole program's.
        let comparable = |outcome: &Outcome| Outcome { log: String::new(), ..outcome.clone() };
        let alone = &isolated.records[index].outcome;
        assert_eq!(comparable(&record.outcome), comparable(alone), "{}", jobs[*index].id);
        if !alone.error_lines.is_empty() {
            assert_eq!(record.outcome.log, alone.log, "{}", jobs[*index].id);
        }
    }
    Ok(Completion::Completed)
}

/// A program in an entry shows what the entry says: the device does not accept it.
fn programs_of_known_deviations(name: &str) -> Result<Completion, Failed> {
    let mut device = files::load(name)?;
    let deviations = device.deviations.clone();
    let programs = deviations.iter().filter_map(|known| Some((known, known.program.as_ref()?)));
    let (entries, jobs): (Vec<&Deviation>, Vec<Job>) = programs
        .map(|(known, program)| {
            let job = Job {
                id: format!("{}:{}", known.path, known.line),
                dialect: program.dialect,
                requirements: Vec::new(),
                source: program.source.clone(),
                required: ExpectedVerdict::Either,
                expected: ExpectedVerdict::Either,
                until: Until::Code,
                placement: Placement::Batch,
                run_with: RunWith::Nothing,
            };
            (known, job)
        })
        .unzip();
    let alone = Config { isolate: true, ..config(WORKER) };
    let run = match on_device(name, &jobs, &alone)? {
        Ok(run) => run,
        Err(missing) => return Ok(Completion::ignored_with(missing)),
    };
    device.driver = run.facts.map(|facts| facts.capabilities.driver_version);
    let mut shown = 0;
    for (index, record) in &run.records {
        if !entries[*index].is_of(&device.identity()) {
            continue;
        }
        match record.outcome.kind {
            OutcomeKind::Rejected | OutcomeKind::Crashed => shown += 1,
            OutcomeKind::Unsupported => {}
            _ => return Err(format!("{} does not show: {record:?}", jobs[*index].id).into()),
        }
    }
    assert!(shown > 0, "no program for {name}");
    Ok(Completion::Completed)
}

/// The error names what is missing, and what is there instead.
fn what_is_not_there() -> Result<Completion, Failed> {
    let jobs: Vec<Job> = (0..3).map(simple_job).collect();
    if let Err(missing) = on_device("pocl", &jobs, &config(WORKER))? {
        return Ok(Completion::ignored_with(missing));
    }
    let mut other = device("pocl");
    "other".clone_into(&mut other.name);
    other.kind = DeviceKind::Opencl {
        platform: "Acme".to_owned(),
        icd: Some("/no/such/file.icd".to_owned()),
        generates_code: CodeGeneration::default(),
    };
    let error = run_all(&other, &jobs, &config(WORKER)).unwrap_err().to_string();
    assert!(error.contains("needs an OpenCL platform called `Acme` and there is only"), "{error}");
    assert!(
        error.contains("`Portable Computing Language`")
            && error.contains("--device other --install"),
        "{error}"
    );
    let folder = tempfile::tempdir()?;
    libraries_that_are_none(&other, folder.path())?;
    std::fs::write(folder.path().join("libOpenCL.so.1"), "")?;
    other
        .environment
        .push(("LD_LIBRARY_PATH".to_owned(), folder.path().to_string_lossy().into_owned()));
    let error = run_all(&other, &jobs, &config(WORKER)).unwrap_err();
    assert!(matches!(error, EngineError::LoaderMissing { .. }), "{error}");
    other.kind = DeviceKind::Command {
        command: vec!["no-such-compiler".to_owned()],
        version: vec!["no-such-compiler".to_owned()],
        rejects_with: Vec::new(),
        then: Vec::new(),
        query: Vec::new(),
        dialects: Vec::new(),
        generates_code: None,
        lacks: Vec::new(),
        emits: None,
        back: Vec::new(),
    };
    let error = run_all(&other, &jobs, &config(WORKER)).unwrap_err();
    assert!(matches!(error, EngineError::ProgramMissing { .. }), "{error}");
    Ok(Completion::Completed)
}

/// A library that is there but cannot be used is a broken device, reported within seconds, not one that could be
/// installed.
fn libraries_that_are_none(device: &DeviceFile, folder: &Path) -> Result<(), Failed> {
    let start = Instant::now();
    let library = folder.join("libacme.so");
    let mut foreign = std::fs::read("/proc/self/exe")?;
    foreign.truncate(4096);
    // The processor's number in the head of an ELF file.
    foreign[18] ^= 0xff;
    for (content, why) in [
        (b"INPUT(libsomething.so.1) and more".as_slice(), "it is not a library"),
        (foreign.as_slice(), "it is for another kind of processor"),
    ] {
        std::fs::write(&library, content)?;
        let icd = Some(library.to_string_lossy().into_owned());
        let kind = DeviceKind::Opencl {
            platform: "Acme".to_owned(),
            icd,
            generates_code: CodeGeneration::default(),
        };
        let mut broken = device.clone();
        broken.kind = kind;
        let error = run_all(&broken, &[simple_job(0)], &config(WORKER)).unwrap_err();
        let expected =
            format!("device `other` is broken: the loader cannot use {}: {why}", library.display());
        assert_eq!(error.to_string(), expected);
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    Ok(())
}

/// Programs that kill or hang some drivers, among hundreds that do not.
fn hostile_programs(name: &str) -> Result<Completion, Failed> {
    let mut jobs: Vec<Job> = (0..500).map(simple_job).collect();
    let depth = 20_000;
    jobs[123].source = format!(
        "kernel void c{:010}_k(global int *o) {{\n  o[0] = {}1{};\n}}\n",
        123,
        "(".repeat(depth),
        ")".repeat(depth)
    );
    jobs[345].source = macro_bomb(345);
    let limited = Config { build_timeout: Duration::from_secs(20), ..config(WORKER) };
    let run = match on_device(name, &jobs, &limited)? {
        Ok(run) => run,
        Err(missing) => return Ok(Completion::ignored_with(missing)),
    };
    for (index, record) in &run.records {
        let kind = record.outcome.kind;
        match index {
            123 if name == "intel-cpu" => {
                assert_eq!(kind, OutcomeKind::Crashed, "{record:?}");
                assert!(record.outcome.detail.starts_with("SIG"), "{record:?}");
                eprintln!("{record:?}");
            }
            // If it is not a crash, it exceeds what an implementation must accept.
            123 => {
                assert!(
                    matches!(kind, OutcomeKind::Accepted | OutcomeKind::Rejected),
                    "{record:?}"
                );
            }
            345 if name == "intel-cpu" => assert_eq!(kind, OutcomeKind::TimedOut, "{record:?}"),
            345 => {}
            index => {
                let expected =
                    if index % 3 == 0 { OutcomeKind::Rejected } else { OutcomeKind::Accepted };
                assert_eq!(kind, expected, "{}: {record:?}", jobs[*index].id);
            }
        }
    }
    assert_eq!(run.unreproduced, [[0_usize; 0]; 0]);
    Ok(Completion::Completed)
}

/// Every third should be rejected.
fn simple_job(index: usize) -> Job {
    let rejected = index.is_multiple_of(3);
    let body = if rejected { "local int *p = o;" } else { "global int *p = o;" };
    let verdict = if rejected { ExpectedVerdict::Reject } else { ExpectedVerdict::Accept };
    Job {
        id: format!("case-{index}"),
        dialect: Dialect::from_name("cl12").unwrap(),
        requirements: Vec::new(),
        source: format!(
            "kernel void c{index:010}_k(global int *o) {{\n  {body}\n  p[0] = 1;\n}}\n"
        ),
        required: verdict,
        expected: verdict,
        until: Until::FrontEnd,
        placement: Placement::Batch,
        run_with: RunWith::Nothing,
    }
}

/// A kernel that is a million statements long once its macros are expanded.
fn macro_bomb(index: usize) -> String {
    let name = |level: usize| format!("c{index:010}_m{level}");
    let mut source = format!("#define {} o[0] += 1;\n", name(0));
    for level in 1..=6 {
        let below = name(level - 1);
        source += &format!("#define {} {}\n", name(level), [below.as_str(); 10].join(" "));
    }
    source + &format!("kernel void c{index:010}_k(global int *o) {{\n  {}\n}}\n", name(6))
}

/// The run, or why the device cannot be used on this machine.
fn on_device(name: &str, jobs: &[Job], config: &Config) -> Result<Result<Run, String>, Failed> {
    on(&device(name), jobs, config)
}

/// The run on a device that may come from elsewhere, or why it cannot be used on this machine.
pub(crate) fn on(
    device: &DeviceFile,
    jobs: &[Job],
    config: &Config,
) -> Result<Result<Run, String>, Failed> {
    let start = Instant::now();
    let name = &device.name;
    let folder = config.install_folder.join(name);
    match run_all(device, jobs, &Config { install_folder: folder, ..config.clone() }) {
        Err(
            error @ (EngineError::LoaderMissing { .. }
            | EngineError::PlatformMissing { .. }
            | EngineError::ProgramMissing { .. }
            | EngineError::LibraryMissing { .. }),
        ) => Ok(Err(error.to_string())),
        // Its LLVM is older than some processors, and says so whatever the program.
        Err(error) if name == "pocl-3.0" && error.to_string().contains("unknown target CPU") => {
            Ok(Err(error.to_string()))
        }
        result => {
            let run = result?;
            let seconds = start.elapsed().as_secs_f64();
            eprintln!(
                "{name}, isolated {}: {} jobs in {seconds:.1} s, {:?}",
                config.isolate,
                jobs.len(),
                run.report
            );
            Ok(Ok(run))
        }
    }
}
