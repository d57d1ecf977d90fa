//! `runner blame`: which component is at fault for what a device does with a case, found by experiment. The program goes
//! up a ladder: the front end alone, each step behind it alone, then the device; the first rung that fails names the
//! component.

use std::fmt::Write as _;

use expectations::{
    baseline::PatternIndex,
    cause::Component,
    device::{DeviceFile, DeviceKind, HandsOn, Step},
    judge::{Direction, FindingKind, Reason},
    outcome::{OutcomeKind, Phase, RunKind},
    rule::Expectation,
};
use generator::suite::{Case, Suite};
use reports::{results::CaseResult, text::one_line};

use super::CommandError;
use crate::{
    device::{files, roots},
    engine::{self, Depth, Event},
    exit,
    findings::judging::{Judging, Prepared},
    interrupts,
    output::print,
    run::{devices, plan::Devices},
};

/// Longer words of devices are cut.
const MOST_SAID: usize = 300;

/// A rung of the ladder: one component, alone.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rung {
    /// What is asked.
    name: String,
    /// Whose fault it is when this rung is the first that fails.
    at_fault: String,
    came: Came,
}

/// What came of a rung.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Came {
    /// It did what the text asks.
    Passed,
    /// It did not.
    Failed(String),
    /// One below it failed.
    NotReached,
    /// It could not be asked.
    NotAsked(String),
}

/// A rung that a program behind the front end stands for.
struct Tool {
    name: String,
    at_fault: Component,
    program: String,
    package: String,
    arguments: Vec<String>,
}

/// Print the ladder and the component; gives the exit status.
pub fn command(suite: &Suite, id: &str, device: &str) -> Result<u8, CommandError> {
    let case = suite.case(id).map_err(|error| CommandError::Selection(error.to_string()))?;
    if matches!(suite.expectation(&case), Expectation::Disputed { .. }) {
        let message =
            format!("`{id}` is disputed: nothing can be blamed; docs/disputed.md has the question");
        return Err(CommandError::Usage(message));
    }
    let mut cases = with_control(suite, case)?;
    let wanted = Devices::Named(vec![device.to_owned()]);
    let device = devices::as_reported(&wanted, files::load(device)?, &interrupts::cancel())?;
    let seen = result(&cases, &device)?;
    // The ladder ends before the execution.
    cases[0].probe = None;
    let mut rungs = ladder(&cases, &device)?;
    rungs.extend(of_device(&device, &seen));
    let (text, status) = told(&cases[0], &device, &seen, &rungs);
    print(&text);
    Ok(status)
}

/// The case, and its control behind it where it has one.
fn with_control(suite: &Suite, case: Case) -> Result<Vec<Prepared<'_>>, CommandError> {
    let control = case.control.as_deref().and_then(|control| suite.case(control).ok());
    let all = std::iter::once(case).chain(control);
    Ok(all.map(|case| Prepared::new(suite, case, true)).collect::<Result<_, _>>()?)
}

/// What a device does with the first of the cases, judged.
fn result(cases: &[Prepared<'_>], device: &DeviceFile) -> Result<CaseResult, CommandError> {
    let jobs: Vec<_> = cases.iter().map(|case| case.job(Depth::All)).collect();
    let mut judging = Judging::new(cases);
    let mut sink = |event: Event| {
        if let Event::Finished { job, record } = event {
            for settled in judging.finish(job, record) {
                judging.keep(settled.result);
            }
        }
    };
    let config = devices::config_of_one(device)?;
    engine::run(device, &jobs, &config, &interrupts::cancel(), &mut sink)?;
    let results = judging.into_results();
    let found = results.into_iter().find(|result| result.id == cases[0].id);
    found.ok_or_else(|| CommandError::Usage(format!("{} gave no answer", device.name)))
}

/// The rungs below the device.
fn ladder(cases: &[Prepared<'_>], device: &DeviceFile) -> Result<Vec<Rung>, CommandError> {
    let name = device.front_end.replace("clang ", "clang-");
    let front_end = Rung {
        name: format!("{}, the front end alone", device.front_end),
        at_fault: Component::ClangFrontEnd.text().to_owned(),
        came: Came::Passed,
    };
    let Some(mut compiler) = compiler(&name)? else {
        let why = "it is no version of clang".to_owned();
        return Ok(vec![Rung { came: Came::NotAsked(why), ..front_end }]);
    };
    // The one that the device itself uses.
    if device.release.is_some() {
        compiler.release.clone_from(&device.release);
        compiler.place = device.place.clone();
    }
    if let DeviceKind::Command { command, .. } = &compiler.kind
        && !is_here(&command[0], compiler.release.as_deref())
    {
        let why = format!("install {name}");
        return Ok(vec![Rung { came: Came::NotAsked(why), ..front_end }]);
    }
    if *cases[0].expectation != Expectation::Accept {
        let came =
            result(cases, &compiler).map_or_else(|error| unasked(&error), |seen| came(&seen));
        return Ok(vec![Rung { came, ..front_end }]);
    }
    let mut rungs = Vec::new();
    for tools in ways(device, &compiler, &name) {
        for rung in of_tools(cases, &compiler, &front_end, tools) {
            let asked = |known: &&Rung| known.name == rung.name;
            if !rungs.iter().any(|known| asked(&known)) {
                rungs.push(rung);
            }
        }
    }
    Ok(rungs)
}

/// A version of clang as an offline compiler; one without a file of its own is asked as the others are.
fn compiler(name: &str) -> Result<Option<DeviceFile>, CommandError> {
    let is_version = |version: &str| version.parse::<u32>().is_ok();
    if !name.strip_prefix("clang-").is_some_and(is_version) {
        return Ok(None);
    }
    let known = files::names_of_suite()?;
    if known.iter().any(|known| known == name) {
        return Ok(Some(files::load(name)?));
    }
    let mut others =
        known.iter().filter(|known| known.strip_prefix("clang-").is_some_and(is_version));
    let Some(other) = others.next_back() else { return Ok(None) };
    let mut compiler = files::load(other)?;
    let packages = compiler.install.apt.iter_mut();
    if let DeviceKind::Command { command, version, .. } = &mut compiler.kind {
        for word in packages.chain(command).chain(version).filter(|word| *word == other) {
            name.clone_into(word);
        }
    }
    name.clone_into(&mut compiler.name);
    compiler.front_end = name.replace("clang-", "clang ");
    compiler.release = None;
    Ok(Some(compiler))
}

/// What stands behind the front end, by what the device's own hands on: each a way from the same program.
fn ways(device: &DeviceFile, compiler: &DeviceFile, name: &str) -> Vec<Vec<Tool>> {
    let DeviceKind::Command { command, .. } = &compiler.kind else { return Vec::new() };
    let version = name.trim_start_matches("clang-");
    let clang = |what: &str, at_fault, options: &[&str], triple: Option<&str>| {
        let mut words: Vec<String> = Vec::new();
        for word in command {
            match (word.as_str(), triple) {
                ("-fsyntax-only", _) => words.extend(options.iter().map(ToString::to_string)),
                ("spir64", Some(triple)) => words.push(triple.to_owned()),
                _ => words.push(word.clone()),
            }
        }
        Tool {
            name: format!("{name}, {what}"),
            at_fault,
            program: command[0].clone(),
            package: name.to_owned(),
            arguments: words.split_off(1),
        }
    };
    let ir = |triple| {
        let mut options = vec!["-O0", "-w", "-emit-llvm-bc", "-o", "{scratch}/kernel.bc"];
        // The translator of that version reads typed pointers, which drivers ask clang for.
        if version == "15" && device.hands_on == HandsOn::SpirV {
            options.push("-no-opaque-pointers");
        }
        clang("IR generation", Component::ClangCodeGeneration, &options, triple)
    };
    let tool = |program: &str, what: &str, package: &str, arguments: &[&str]| Tool {
        name: what.to_owned(),
        at_fault: Component::SpirvTranslator,
        program: program.to_owned(),
        package: package.to_owned(),
        arguments: arguments.iter().map(ToString::to_string).collect(),
    };
    let translator = format!("llvm-spirv-{version}");
    let (bitcode, module) = ("{scratch}/kernel.bc", "{scratch}/kernel.spv");
    match device.hands_on {
        HandsOn::SpirV => vec![vec![
            ir(None),
            tool(&translator, "the translator to SPIR-V", &translator, &[bitcode, "-o", module]),
            tool(
                "spirv-val",
                "the validator of SPIR-V, on what the translator wrote",
                "spirv-tools",
                &[module],
            ),
            tool(
                &translator,
                "the translator back from SPIR-V",
                &translator,
                &["-r", module, "-o", "{scratch}/back.bc"],
            ),
        ]],
        HandsOn::LlvmIr => {
            // For a known system clang leaves the headers to its driver.
            let host = Some("x86_64-unknown-unknown");
            let options = ["-O2", "-w", "-emit-obj", "-o", "{scratch}/kernel.o"];
            vec![vec![
                ir(host),
                clang("code for x86-64", Component::ClangCodeGeneration, &options, host),
            ]]
        }
    }
}

/// The rungs of one way, each tool behind those before it.
fn of_tools(
    cases: &[Prepared<'_>],
    compiler: &DeviceFile,
    front_end: &Rung,
    tools: Vec<Tool>,
) -> Vec<Rung> {
    let mut rungs = vec![front_end.clone()];
    let mut steps = Vec::new();
    for tool in tools {
        let missing = !is_here(&tool.program, compiler.release.as_deref());
        let came = if missing {
            Came::NotAsked(format!("install {}", tool.package))
        } else {
            let command = std::iter::once(tool.program).chain(tool.arguments).collect();
            let name = format!("rung {}", rungs.len());
            steps.push(Step { name, command, rejects_with: Vec::new() });
            Came::Passed
        };
        rungs.push(Rung { name: tool.name, at_fault: tool.at_fault.text().to_owned(), came });
        // What comes behind it has nothing to read.
        if missing {
            break;
        }
    }
    let mut asked = compiler.clone();
    if let DeviceKind::Command { then, .. } = &mut asked.kind {
        *then = steps;
    }
    let seen = match result(cases, &asked) {
        Ok(seen) => seen,
        Err(error) => {
            rungs.truncate(1);
            rungs[0].came = unasked(&error);
            return rungs;
        }
    };
    let failed = match (&seen.outcome.phase, came(&seen)) {
        (_, Came::Passed) => return rungs,
        (Phase::GenerateCode, came) => {
            let number = (1..rungs.len()).rev();
            let named =
                number.into_iter().find(|n| seen.outcome.detail.starts_with(&format!("rung {n}:")));
            (named.unwrap_or(1), came)
        }
        (_, came) => (0, came),
    };
    for (number, rung) in rungs.iter_mut().enumerate().skip(failed.0) {
        match (&rung.came, number == failed.0) {
            (_, true) => rung.came = failed.1.clone(),
            (Came::Passed, false) => rung.came = Came::NotReached,
            _ => {}
        }
    }
    rungs
}

/// What cannot be asked tells nothing of the others.
fn unasked(error: &CommandError) -> Came {
    Came::NotAsked(one_line(&error.to_string(), MOST_SAID))
}

/// What came of a device, of one rung or of several behind each other.
fn came(seen: &CaseResult) -> Came {
    let said = || {
        let outcome = &seen.outcome;
        let log = crate::device::text::telling_line(&outcome.log).unwrap_or_default();
        let detail = outcome.detail.split_once(": ").filter(|(step, _)| step.starts_with("rung "));
        let detail = detail.map_or(outcome.detail.as_str(), |(_, detail)| detail);
        let run = outcome.run.as_ref();
        let differs = run.and_then(|run| run.differences.first()).map(|difference| {
            format!(
                "{}: {} where {} is right",
                difference.place, difference.seen, difference.expected
            )
        });
        let words = [
            Some(seen.finding.reason.text().to_owned()),
            differs,
            Some(detail.to_owned()),
            Some(log.to_owned()),
        ];
        let words = words.into_iter().flatten().filter(|word| !word.is_empty());
        one_line(&words.collect::<Vec<_>>().join(": "), MOST_SAID)
    };
    match seen.finding.kind {
        FindingKind::Pass => Came::Passed,
        FindingKind::Unsupported => Came::NotAsked(said()),
        FindingKind::Inconclusive if seen.finding.reason != Reason::ControlRejected => {
            Came::NotAsked(said())
        }
        _ => Came::Failed(said()),
    }
}

/// The rungs that the device itself is: up to the phase it came to.
fn of_device(device: &DeviceFile, seen: &CaseResult) -> Vec<Rung> {
    let outcome = &seen.outcome;
    let rung = |phase: &str, came| Rung {
        name: format!("{}: {phase}", device.name),
        at_fault: format!("what {} does behind its front end, {phase}", device.name),
        came,
    };
    let phases = [
        (Phase::Build, "at the build"),
        (Phase::CreateKernel, "at the making of the kernel"),
        (Phase::GenerateCode, "at the generation of code"),
        (Phase::Run, "at the execution"),
    ];
    let run = outcome.run.as_ref().map(|run| run.kind);
    let reached = match (outcome.kind, run) {
        (OutcomeKind::Accepted, Some(RunKind::Completed | RunKind::Failed)) => Phase::Run,
        _ => outcome.phase,
    };
    let came = came(seen);
    let mut rungs = Vec::new();
    for (phase, text) in phases {
        if phase < reached {
            rungs.push(rung(text, Came::Passed));
        } else if phase == reached {
            rungs.push(rung(text, came.clone()));
        }
    }
    rungs
}

/// The text and the exit status.
fn told(
    case: &Prepared<'_>,
    device: &DeviceFile,
    seen: &CaseResult,
    rungs: &[Rung],
) -> (String, u8) {
    let mut out = String::new();
    let _ = writeln!(out, "case         {}", case.id);
    let _ = writeln!(out, "expectation  {}", case.expectation.name());
    let _ = writeln!(out, "device       {} (front end: {})\n", device.name, device.front_end);
    for rung in rungs {
        let answer = match &rung.came {
            Came::Passed => "right".to_owned(),
            Came::Failed(said) => format!("WRONG: {said}"),
            Came::NotReached => "not reached".to_owned(),
            Came::NotAsked(why) => format!("not asked: {why}"),
        };
        let _ = writeln!(out, "  {:<52} {answer}", rung.name);
    }
    let (fault, status) = at_fault(device, rungs);
    let _ = writeln!(out, "\nat fault     {fault}");
    for cause in known(device, seen) {
        let _ = writeln!(out, "known as     {cause}");
    }
    (out, status)
}

/// Who is to blame: the first rung that fails, where the device fails as well.
fn at_fault(device: &DeviceFile, rungs: &[Rung]) -> (String, u8) {
    let own = format!("{}: ", device.name);
    let failed = |rung: &&Rung| matches!(rung.came, Came::Failed(_));
    let Some(last) = rungs.iter().filter(|rung| rung.name.starts_with(&own)).find(failed) else {
        let unknown = rungs.iter().rev().find_map(|rung| match &rung.came {
            Came::NotAsked(why) if rung.name.starts_with(&own) => Some(why),
            _ => None,
        });
        let below = rungs.iter().find(failed);
        return match (unknown, below) {
            (Some(why), _) => (format!("nothing can be said: {why}"), exit::COULD_NOT_RUN),
            (None, Some(rung)) => {
                let text = format!(
                    "nothing: {} does what the text asks, though by itself {} does not",
                    device.name, rung.name
                );
                (text, exit::EXPECTED)
            }
            (None, None) => {
                (format!("nothing: {} does what the text asks", device.name), exit::EXPECTED)
            }
        };
    };
    // A front end that is wrong by itself explains a build, and no more.
    let at_build = last.name == format!("{own}at the build");
    let explains = |(number, rung): &(usize, &Rung)| failed(rung) && (*number > 0 || at_build);
    let first = rungs.iter().enumerate().find(explains).map_or(last, |(_, rung)| rung);
    let not_asked = rungs.iter().any(|rung| matches!(rung.came, Came::NotAsked(_)));
    let doubt = if not_asked && std::ptr::eq(first, last) {
        ", or of what was not asked above"
    } else {
        ""
    };
    (format!("{}{doubt}", first.at_fault), exit::UNEXPECTED)
}

/// The causes that the baseline names for such a finding of the case.
fn known(device: &DeviceFile, seen: &CaseResult) -> Vec<String> {
    let index = PatternIndex::new(&device.deviations);
    let mut known = Vec::new();
    for (entry, _) in index.matching(&seen.id) {
        let entry = &device.deviations[entry];
        let is_of = |direction: &Direction| Some(*direction) == seen.finding.direction();
        let Some(cause) = &entry.cause else { continue };
        if entry.directions().iter().any(is_of) && !known.contains(cause) {
            known.push(cause.clone());
        }
    }
    known
}

/// Whether a program is on the path, or in the root folder.
fn is_here(program: &str, release: Option<&str>) -> bool {
    match release {
        Some(release) => {
            let root = roots::folder(release);
            ["usr/bin", "usr/local/bin"]
                .iter()
                .any(|folder| root.join(folder).join(program).exists())
        }
        None => std::env::var_os("PATH").is_some_and(|path| {
            std::env::split_paths(&path).any(|folder| folder.join(program).exists())
        }),
    }
}
