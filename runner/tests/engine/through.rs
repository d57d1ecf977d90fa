//! A driver that is given modules, the compiler that makes them, and the engine's reports on each. Both are fakes: a
//! module is the text of its source, and words in it select what goes wrong.

use std::sync::Arc;

use expectations::{
    baseline::{JudgedCase, RunPart, is_explained},
    device::{DeviceFile, load_device},
    judge::{Finding, FindingKind, Reason},
    outcome::{OutcomeKind, Phase, RunKind},
    probe::read::read,
    verdict::Verdict,
};
use libtest_mimic::{Failed, Trial};
use runner::{
    device::{
        BuildAnswer, BuildRequest, BuildStatus, Builder, Capabilities, Code, Form, Module,
        NamedVersion, OpenError, files,
    },
    engine::{Config, EngineError, ExpectedVerdict, Job, RunWith, Until},
    worker::Target,
};

use crate::support::{config, job, run_all};

/// The argument that makes this program the worker of either.
pub(crate) const WORKER: &str = "through-worker";
/// The same where the driver takes no modules.
pub(crate) const WORKER_WITHOUT_MODULES: &str = "through-worker-without-modules";
/// The same where the compiler is missing.
pub(crate) const WORKER_WITHOUT_COMPILER: &str = "through-worker-without-compiler";

/// Begins every module of the compiler.
const MAGIC: &[u8] = b"SPIRV ";

pub(crate) fn serve(argument: &str) -> std::process::ExitCode {
    let il_version = match argument {
        WORKER_WITHOUT_MODULES => "",
        _ => "SPIR-V_1.0 SPIR-V_1.2",
    };
    let has_compiler = argument != WORKER_WITHOUT_COMPILER;
    runner::worker::serve(move |target| -> Result<Box<dyn Builder>, OpenError> {
        match target {
            Target::Command { program, .. } if !has_compiler => Err(OpenError::ProgramMissing {
                program: program.clone(),
                reason: "it is not there".to_owned(),
            }),
            Target::Command { .. } => Ok(Box::new(Compiler)),
            _ => Ok(Box::new(Driver { il_version })),
        }
    })
}

fn answer(phase: Phase, status: BuildStatus, detail: &str, log: String) -> BuildAnswer {
    let detail = detail.to_owned();
    BuildAnswer { status, phase, detail, log, seconds: 0.001, output: Vec::new() }
}

struct Compiler;

impl Builder for Compiler {
    fn capabilities(&self) -> Capabilities {
        let version = NamedVersion { major: 1, minor: 2 };
        Capabilities {
            opencl_c_versions: vec![version],
            driver_version: "fake compiler 1".to_owned(),
            ..Capabilities::default()
        }
    }

    fn build(&mut self, request: &BuildRequest, begin: &mut dyn FnMut(Phase)) -> BuildAnswer {
        assert_eq!(request.form, Form::Source, "a compiler reads text");
        let errors = errors(&request.source);
        if !errors.is_empty() {
            return answer(Phase::Build, BuildStatus::Rejected, "", errors);
        }
        let Code::Asked { by } = &request.code else {
            return answer(Phase::Build, BuildStatus::Accepted, "", String::new());
        };
        begin(Phase::GenerateCode);
        if request.source.contains("unmakeable") {
            let detail = format!("{}: exit status 1", by[0].name);
            return answer(Phase::GenerateCode, BuildStatus::Rejected, &detail, String::new());
        }
        let output = [MAGIC, request.source.as_bytes()].concat();
        let accepted = BuildStatus::Accepted;
        BuildAnswer { output, ..answer(Phase::GenerateCode, accepted, "", String::new()) }
    }
}

/// Returns an error for each line with an unknown name, as clang prints it.
fn errors(source: &str) -> String {
    let mut log = String::new();
    let (mut file, mut number) = (String::new(), 0);
    for line in source.lines() {
        if let Some(name) = line.strip_prefix("#line 1 ") {
            (file, number) = (name.trim_matches('"').to_owned(), 0);
            continue;
        }
        number += 1;
        if line.contains("no_such_name") || line.contains("another_missing_name") {
            log.push_str(&format!("{file}:{number}:1: error: unknown name\n"));
        }
    }
    log
}

struct Driver {
    il_version: &'static str,
}

impl Builder for Driver {
    fn capabilities(&self) -> Capabilities {
        Capabilities { il_version: self.il_version.to_owned(), ..Capabilities::default() }
    }

    fn build(&mut self, request: &BuildRequest, begin: &mut dyn FnMut(Phase)) -> BuildAnswer {
        let Form::Module(Module(bytes)) = &request.form else {
            panic!("the driver is given {:?}", request.form);
        };
        assert!(bytes.starts_with(MAGIC), "a module of the compiler");
        begin(Phase::TakeModule);
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("unmakeable") && !text.contains("no_such_name"));
        if text.contains("die of it") {
            std::process::abort();
        }
        if text.contains("untakeable") {
            let (detail, log) = ("clBuildProgram: CL_BUILD_PROGRAM_FAILURE", "unknown opcode");
            let (phase, status) = (Phase::TakeModule, BuildStatus::Rejected);
            return answer(phase, status, detail, log.to_owned());
        }
        begin(Phase::CreateKernel);
        answer(Phase::CreateKernel, BuildStatus::Accepted, "", String::new())
    }
}

type Test = fn() -> Result<(), Failed>;

pub(crate) fn trials() -> Vec<Trial> {
    let tests: [(&str, Test); 6] = [
        ("a_known_rejection_gets_its_module", a_known_rejection_gets_its_module),
        ("a_wrong_module_is_told_from_a_wrong_driver", each_is_told_with_whose_it_is),
        ("a_device_without_il_is_an_error", a_device_without_il_is_an_error),
        ("a_missing_compiler_is_an_error", a_missing_compiler_is_an_error),
        ("entries_speak_of_their_part", entries_speak_of_their_part),
        ("what_the_front_end_answers_is_not_executed", what_the_front_end_answers_is_not_executed),
    ];
    tests.map(|(name, test)| Trial::test(format!("through/{name}"), test)).into()
}

fn driver() -> DeviceFile {
    let producer = "what = \"x\"\nfront-end = \"x\"\n[device]\ntype = \"command\"\ncommand = [\"fakec\", \"-std={std}\", \"{file}\"]\nversion = [\"fakec\"]\nemits = \"spirv\"\n[[device.then]]\nname = \"fake writer\"\ncommand = [\"write\", \"{file}\", \"-o\", \"{scratch}/kernel.spv\"]\n[install]\napt = [\"fake-compiler\"]\n";
    let driver = "what = \"x\"\nfront-end = \"y\"\n[device]\ntype = \"opencl\"\nplatform = \"x\"\n";
    let producer = load_device("fakec", "fakec.toml", producer).unwrap();
    let mut driver = load_device("driver", "driver.toml", driver).unwrap();
    driver.through = Some(Box::new(producer));
    driver
}

fn named(number: usize, word: &str, expected: ExpectedVerdict) -> Job {
    let source = format!(
        "// {word}\nkernel void c{number:010x}_k(global int *o) {{\n  o[0] = {word_in_code};\n}}\n",
        word_in_code = if word == "no_such_name" { word } else { "1" },
    );
    let until = if expected == ExpectedVerdict::Accept { Until::Code } else { Until::FrontEnd };
    Job { id: format!("case-{number}"), source, required: expected, expected, until, ..job("cl12") }
}

fn config_of(mode: &str) -> Config {
    Config { workers: 1, ..config(mode) }
}

fn each_is_told_with_whose_it_is() -> Result<(), Failed> {
    use ExpectedVerdict::{Accept, Reject};
    let wanted = [
        ("right", Accept, OutcomeKind::Accepted, Phase::Build, ""),
        ("no_such_name", Reject, OutcomeKind::Rejected, Phase::Build, ""),
        ("no_such_name", Accept, OutcomeKind::Rejected, Phase::Build, ""),
        ("unmakeable", Accept, OutcomeKind::Rejected, Phase::MakeModule, "fake writer: exit"),
        ("untakeable", Accept, OutcomeKind::Rejected, Phase::TakeModule, "clBuildProgram"),
        ("die of it", Accept, OutcomeKind::Crashed, Phase::TakeModule, "SIGABRT"),
        // No module is made of a program that may be invalid.
        ("unmakeable", Reject, OutcomeKind::Accepted, Phase::Build, ""),
        ("right too", Accept, OutcomeKind::Accepted, Phase::Build, ""),
    ];
    let jobs: Vec<Job> = wanted
        .iter()
        .enumerate()
        .map(|(number, (word, expected, ..))| named(number, word, *expected))
        .collect();
    for isolate in [true, false] {
        let run = run_all(&driver(), &jobs, &Config { isolate, ..config_of(WORKER) })?;
        let producer = run.facts.unwrap().capabilities.producer.unwrap();
        assert_eq!(producer.driver_version, "fake compiler 1");
        for (record, (word, expected, kind, phase, detail)) in run.records.values().zip(wanted) {
            let outcome = &record.outcome;
            let seen = (outcome.kind, outcome.phase, outcome.detail.starts_with(detail));
            assert_eq!(seen, (kind, phase, true), "{word} {expected:?} {outcome:?}");
        }
    }
    Ok(())
}

fn a_device_without_il_is_an_error() -> Result<(), Failed> {
    let jobs = [named(0, "right", ExpectedVerdict::Accept)];
    let ended = run_all(&driver(), &jobs, &config_of(WORKER_WITHOUT_MODULES));
    let error = ended.err().ok_or("it was run")?;
    assert!(matches!(error, EngineError::TakesNoModules { .. }), "{error}");
    let said = error.to_string();
    let told = "device `driver` accepts no SPIR-V: it reports no CL_DEVICE_IL_VERSION";
    if said.starts_with(told) { Ok(()) } else { Err(said.into()) }
}

fn a_missing_compiler_is_an_error() -> Result<(), Failed> {
    let jobs = [named(0, "right", ExpectedVerdict::Accept)];
    let ended = run_all(&driver(), &jobs, &config_of(WORKER_WITHOUT_COMPILER));
    let said = ended.err().ok_or("it was run")?.to_string();
    let told = "device `fakec` needs the program `fakec`";
    if said.starts_with(told) && said.contains("--install") { Ok(()) } else { Err(said.into()) }
}

/// An entry says that the driver rejects the valid program.
fn a_known_rejection_gets_its_module() -> Result<(), Failed> {
    let valid = named(0, "unmakeable", ExpectedVerdict::Accept);
    let job = Job { expected: ExpectedVerdict::Reject, ..valid };
    let run = run_all(&driver(), &[job], &config_of(WORKER))?;
    let outcome = &run.records[&0].outcome;
    assert_eq!((outcome.kind, outcome.phase), (OutcomeKind::Rejected, Phase::MakeModule));
    Ok(())
}

/// The fake driver executes nothing, so a probe that reaches it ends with `BuildsOnly`.
fn what_the_front_end_answers_is_not_executed() -> Result<(), Failed> {
    let probe = "seed = 1\nshapes = [{ items = [1], group = [1] }]\n[buffer.out]\nholds = \"uint\"\nlength = \"1\"\nfill = \"poison\"\n[[step]]\nlaunch = { kernel = \"k\", arguments = [\"out\"] }\n[[step]]\ncheck = { buffer = \"out\", equals = \"1\" }\n";
    for (key, expected) in
        [("", RunKind::BuildsOnly), ("answered-by = \"front-end\"\n", RunKind::Lacking)]
    {
        let probe = read("probe.toml", &format!("{key}{probe}"))?;
        let run_with = RunWith::Probe(Arc::new(probe));
        let accepted = named(0, "right", ExpectedVerdict::Accept);
        let job = Job { until: Until::Execution, run_with, ..accepted };
        let run = run_all(&driver(), &[job], &config_of(WORKER))?;
        let seen = run.records[&0].outcome.run.as_ref().map(|run| run.kind);
        assert_eq!(seen, Some(expected), "{key}");
    }
    Ok(())
}

/// Modules that the translator is known not to make do not excuse a driver that rejects a module.
fn entries_speak_of_their_part() -> Result<(), Failed> {
    let given = files::given_modules_of(files::load("rusticl")?, "llvm-spirv")?;
    let front_end = given.front_end.clone();
    assert_eq!(front_end, files::load("llvm-spirv")?.front_end);
    let device = files::as_reported(given, front_end, String::new())?;
    let parts_of = |file: &str| -> Vec<RunPart> {
        let entries = device.deviations.iter().filter(|entry| entry.path.ends_with(file));
        entries.filter(|entry| entry.through.is_empty()).map(|entry| entry.part).collect()
    };
    for (file, part) in
        [("llvm-spirv.toml", RunPart::Producer), ("rusticl.toml", RunPart::Consumer)]
    {
        let parts = parts_of(file);
        assert!(!parts.is_empty() && parts.iter().all(|&other| other == part), "{file} {parts:?}");
    }
    let case = "initializer/address/cl12/form=arithmetic,place=program,pointee=constant,shape=array,space=constant,target=constant";
    let is_known = |reached: Phase| {
        let finding = Finding { kind: FindingKind::Fail, reason: Reason::FailsLater };
        let judged = JudgedCase {
            shape: None,
            id: case,
            verdict: Verdict::Accept,
            finding,
            reached,
            broken: None,
        };
        is_explained(&device.deviations, &judged, |_| false)
    };
    assert_eq!([Phase::MakeModule, Phase::TakeModule].map(is_known), [true, false]);
    Ok(())
}
