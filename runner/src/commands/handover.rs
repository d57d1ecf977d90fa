//! `address-spaces handover`: a folder for each finding or for those that look alike, with all a driver developer needs
//! to see it without this project.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;
use expectations::{
    case_id::CaseId,
    cause::{CAUSES_PATH, Demonstration},
    copies::Copies,
    device::{DeviceFile, DeviceKind},
    dialect::{Dialect, Language, Version},
    predicate::suggestion,
    probe::{Limits, Probe},
    rule::Expectation,
};
use generator::{
    suite::{Case, Suite},
    templates::Kernel,
};
use reports::{
    alike::alike,
    compare::{ChangeKind, compare},
    handover::{Handover, LooksAlike, PackModules, Step, pack},
    interaction_pack::{self, BuiltProgram, InteractionPack},
    issue::{self, Issue, TypedCommands, Way},
    text::shell_word,
};
use results::{
    folder::{Completeness, read_runs},
    line::{CaseResult, Header, Interaction},
    run::Run,
    text::{one_line, plural},
};
use sha2::{Digest as _, Sha256};

use super::CommandError;
use crate::{
    cli::{exit, results::HandoverArgs},
    device::{Code, asked_code, build_options, environment::LOADER_VARIABLE, files, install},
    engine,
    findings::{causes::KnownCauses, judged_run::judge_stored},
    output::print,
    overlay,
    run::modules::{self, ProgramOptions},
};

/// Writes the packs; returns the exit status.
pub fn command(args: &HandoverArgs) -> Result<u8, CommandError> {
    let suite = overlay::suite()?;
    let copies = args.specification.read()?;
    let Some(results) = &args.results else {
        let packs = causes(&suite, &copies, args)?;
        return write(&packs, &args.into);
    };
    // A finding is one, however much else is there.
    let read_runs = |path: &Path| read_runs(path, Completeness::Partial);
    let old = args.against.as_deref().map(read_runs).transpose()?.unwrap_or_default();
    let mut packs = BTreeMap::new();
    let mut missing: BTreeSet<&str> = args.case.iter().map(String::as_str).collect();
    for run in read_runs(results)? {
        let regressions = regressions(&old, &run);
        let run = judge_stored(&suite, run, args.baseline.as_deref())?;
        let Some(device) = &run.device else { continue };
        let (mut named, mut found) = (Vec::new(), Vec::new());
        for (index, brief) in run.cases.briefs().enumerate() {
            let unexpected = args.unexpected && run.unexpected().contains(&index);
            let is_named = args.case.contains(&brief.id);
            let is_random = CaseId::new(&brief.id).is_random();
            if is_random && (is_named || unexpected || regressions.contains(&brief.id)) {
                return Err(is_random_program(&brief.id, results));
            }
            if is_named {
                missing.remove(brief.id.as_str());
                named.push((index, None));
            } else if unexpected || regressions.contains(&brief.id) {
                found.push(index);
            }
        }
        // What is likely one bug is one pack.
        let found = alike(&run.cases, &found);
        let found = found.iter().map(|alike| (alike.cases[0], Some(alike)));
        for (index, alike) in named.into_iter().chain(found) {
            let result = run.cases.get(index);
            let alike = alike.and_then(|alike| {
                let others = alike.cases[1..].iter().map(|&case| run.cases.get(case).id.clone());
                Some(LooksAlike { text: alike.others()?, cases: others.collect() })
            });
            let scene = Scene { suite: &suite, copies: &copies, header: &run.header, device };
            packs.insert(folder_name(device, &result), files(&scene, &result, alike)?);
        }
        for (index, interaction) in run.interactions.iter().enumerate().filter(|_| args.unexpected)
        {
            let name = format!("interaction-{}", index + 1);
            let folder = Path::new(&device.folder_name()).join(name);
            let files = interaction_files(&suite, &run.header, device, interaction)?;
            packs.insert(folder, with_names(files));
        }
    }
    if let Some(case) = missing.first() {
        let message = format!("the results have no case `{}`", one_line(case, 300));
        return Err(CommandError::Selection(message));
    }
    if packs.is_empty() {
        print("nothing to hand over: the results have none of the requested findings\n");
        return Ok(exit::NOTHING_SELECTED);
    }
    write(&packs, &args.into)
}

/// Returns the error for a random program, whose folder is a part of the results.
fn is_random_program(id: &str, results: &Path) -> CommandError {
    let folder = results.join("random");
    CommandError::Selection(format!(
        "`{}` is a random program, and no case of the suite: the run wrote its folder, with a host \
         program in C, below {}",
        one_line(id, 300),
        folder.display()
    ))
}

/// Files by name.
type Pack = BTreeMap<String, Vec<u8>>;

fn with_names<N: Into<String>>(files: BTreeMap<N, String>) -> Pack {
    files.into_iter().map(|(name, text)| (name.into(), text.into_bytes())).collect()
}

/// Writes the packs, each into a folder of its name below a new one, and returns the exit status.
fn write(packs: &BTreeMap<PathBuf, Pack>, into: &Path) -> Result<u8, CommandError> {
    create(into)?;
    for (name, files) in packs {
        let folder = into.join(name);
        create(&folder)?;
        for (file, bytes) in files {
            let path = folder.join(file);
            std::fs::write(&path, bytes).map_err(|source| file_error(&path, source))?;
        }
    }
    print(&format!("{} in {}\n", plural(packs.len(), "pack"), into.display()));
    Ok(exit::EXPECTED)
}

/// Returns the packs of the requested causes, by name.
fn causes(
    suite: &Suite,
    copies: &Copies,
    args: &HandoverArgs,
) -> Result<BTreeMap<PathBuf, Pack>, CommandError> {
    let all = KnownCauses::read()?;
    let entries = all.entries();
    let known = all.everything(suite, &entries).known();
    let ids: Vec<&str> = known.iter().map(|known| known.cause.id.as_str()).collect();
    if let Some(unknown) = args.cause.iter().find(|id| !ids.contains(&id.as_str())) {
        let message = format!(
            "no cause `{}`{}; docs/upstream.md lists them",
            one_line(unknown, 80),
            suggestion(unknown, &ids)
        );
        return Err(CommandError::Selection(message));
    }
    let mut packs = BTreeMap::new();
    let mut without = Vec::new();
    for known in &known {
        let is_wanted = args.cause.contains(&known.cause.id) || args.causes && known.is_alive();
        if !is_wanted {
            continue;
        }
        let Some(shown) = known.shown(suite)? else {
            if !args.cause.contains(&known.cause.id) {
                without.push(known.cause.id.as_str());
                continue;
            }
            let message = format!(
                "the cause `{}` has no program: write its `kernel` and `control` in {CAUSES_PATH}",
                known.cause.id
            );
            return Err(CommandError::Selection(message));
        };
        // No device has been looked at that has it.
        let Some(device) = known.device() else { continue };
        let files = issue::pack(&Issue {
            known,
            sections: known.sections(suite, copies),
            shown: &shown,
            way: way(device, &shown)?,
        })?;
        packs.insert(PathBuf::from(&known.cause.id), with_names(files));
    }
    if !without.is_empty() {
        print(&format!("left out, without a program: {}\n", without.join(", ")));
    }
    Ok(packs)
}

/// Returns the commands that show a cause on a device.
fn way<'d>(device: &'d DeviceFile, shown: &Demonstration) -> Result<Way<'d>, CommandError> {
    let filled = |words: Vec<String>| {
        // Further options that the program is compiled with come before its file.
        let words = words.iter().flat_map(|word| {
            let options = if word == "{file}" { &shown.options[..] } else { &[] };
            options.iter().chain([word])
        });
        let words: Vec<&String> = words.collect();
        let words = words.iter().map(|word| match word.as_str() {
            "{file}" => (*word).clone(),
            word => shell_word(&word.replace("{scratch}", ".")),
        });
        words.collect::<Vec<_>>().join(" ")
    };
    let (dialect, requirements) = (shown.dialect, &shown.requirements[..]);
    let mut version_command = None;
    let typed = match &device.kind {
        DeviceKind::Opencl { platform, icd, .. } => {
            let mut environment = device.environment.clone();
            // No system's own list has what is given by its path.
            let by_path = icd.as_ref().filter(|icd| icd.starts_with('/'));
            environment.extend(by_path.map(|icd| (LOADER_VARIABLE.to_owned(), icd.clone())));
            // Folders that exist while the runner runs only.
            environment.retain(|(_, value)| !value.contains('{'));
            let modules = match &shown.through {
                None => None,
                Some(compiler) => {
                    let device = files::given_modules_of(device.clone(), compiler)?;
                    let options = &shown.options;
                    modules::commands(&device, ProgramOptions { dialect, requirements, options })
                }
            };
            let mut options = Vec::new();
            // Those of a module are the compiler's.
            if modules.is_none() {
                options = build_options(&device.kind, dialect, requirements);
                options.extend(shown.options.iter().cloned());
            }
            let (platform, options) = (platform.clone(), options.join(" "));
            TypedCommands::Host { platform, options, environment, modules }
        }
        kind => {
            let mut commands = vec![filled(build_options(kind, dialect, requirements))];
            if let Code::Asked { by } = asked_code(kind, dialect, requirements) {
                commands.extend(by.into_iter().map(|step| filled(step.command)));
            }
            let mut rejects_with = None;
            if let DeviceKind::Command { rejects_with: statuses, version, .. } = kind {
                rejects_with = statuses.first().copied();
                version_command = Some(filled(version.clone()));
            }
            TypedCommands::Commands { commands, rejects_with: rejects_with.unwrap_or(1) }
        }
    };
    Ok(Way { device, version: version_command, typed })
}

/// Returns the cases of the run that got worse since the old run of the device.
fn regressions(old: &[Run], new: &Run) -> BTreeSet<String> {
    let counterpart = old.iter().find(|old| old.name() == new.name());
    let Some(old) = counterpart else { return BTreeSet::new() };
    let comparison = compare(old, new);
    let regressions = comparison.of(ChangeKind::Regression);
    regressions.map(|change| comparison.changed(change).id().to_owned()).collect()
}

/// Returns the name of a pack's folder: the device, the rule and dialect, and a hash that distinguishes the points of
/// the rule.
fn folder_name(device: &DeviceFile, result: &CaseResult) -> PathBuf {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    let id = CaseId::new(&result.id);
    let about = format!("{}-{}", id.rule(), id.dialect());
    let about: String = about.chars().map(safe).take(100).collect();
    let hash = HEXLOWER.encode(&Sha256::digest(result.id.as_bytes())[..4]);
    Path::new(&device.folder_name()).join(format!("{about}-{hash}"))
}

/// The suite, the documents and the run that packs are made from.
struct Scene<'s> {
    suite: &'s Suite,
    copies: &'s Copies,
    header: &'s Header,
    device: &'s DeviceFile,
}

fn files(
    scene: &Scene<'_>,
    result: &CaseResult,
    alike: Option<LooksAlike>,
) -> Result<Pack, CommandError> {
    let &Scene { suite, copies, header, device } = scene;
    let other_suite = |error: generator::no_such_case::NoSuchCase| {
        let message = format!("{error}; the results were made with another version of the suite");
        CommandError::Selection(message)
    };
    let case = suite.case(&result.id).map_err(other_suite)?;
    let kernel = suite.render(&case)?;
    let probe = suite.probe(&case)?;
    let control = match result.control.as_deref() {
        Some(id) => Some(suite.render(&suite.case(id).map_err(other_suite)?)?),
        None => None,
    };
    let expectation = suite.expectation(&case);
    let sources = [Some(("kernel", &kernel)), control.as_ref().map(|control| ("control", control))];
    let (modules, module_files) =
        modules_of(device, &case, expectation, probe.as_ref(), &sources).unzip();
    let options = match &modules {
        None => build_options(&DeviceKind::Checker, case.dialect, &case.requirements).join(" "),
        Some(_) => String::new(),
    };
    let (platform, environment) = loader(device);
    let texts = pack(&Handover {
        header,
        case: result,
        rule: suite.rule(&case),
        clauses: copies.cited(suite.rule(&case)),
        expectation,
        question: suite.question(expectation),
        kernel: &kernel,
        control: control.as_ref(),
        probe: probe.as_ref(),
        options: &options,
        platform: platform.as_deref(),
        environment: &environment,
        compilers: compilers(device.through.as_deref().unwrap_or(device), &case),
        modules,
        alike,
    })?;
    let mut files = with_names(texts);
    files.extend(module_files.into_iter().flatten());
    Ok(files)
}

/// Returns the modules that the driver was given for a case and its control, with their files; `None` if it was given
/// sources, or no module is made because the program is not known to be valid.
fn modules_of(
    device: &DeviceFile,
    case: &Case,
    expectation: &Expectation,
    probe: Option<&Probe>,
    sources: &[Option<(&str, &Kernel)>],
) -> Option<(PackModules, Pack)> {
    if *expectation != Expectation::Accept {
        return None;
    }
    let options = probe.map(|probe| probe.build_options(&Limits::new())).transpose();
    let is_known = options.is_ok();
    let program = ProgramOptions {
        dialect: case.dialect,
        requirements: &case.requirements,
        options: &options.ok().flatten().unwrap_or_default(),
    };
    let sources = sources.iter().flatten().filter(|_| is_known);
    let sources = sources.map(|(name, kernel)| (*name, kernel.source.as_str()));
    let mut made = modules::for_pack(device, program, &sources.collect::<Vec<_>>())?;
    if !is_known {
        made.0.missing = Some("the device decides what the build defines".to_owned());
    }
    Some(made)
}

/// Returns the pack of a fault that takes several programs.
fn interaction_files(
    suite: &Suite,
    header: &Header,
    device: &DeviceFile,
    interaction: &Interaction,
) -> Result<BTreeMap<String, String>, CommandError> {
    let mut programs = Vec::new();
    let mut cases = Vec::new();
    let named = interaction.programs.iter().flatten().next();
    let dialect = named.and_then(|id| Dialect::from_name(CaseId::new(id).dialect()));
    let language = dialect.map_or_else(Language::default, |dialect| dialect.language);
    for ids in &interaction.programs {
        let found: Result<Vec<Case>, _> = ids.iter().map(|id| suite.case(id)).collect();
        let found = found.map_err(|error| {
            let message =
                format!("{error}; the results were made with another version of the suite");
            CommandError::Selection(message)
        })?;
        let kernels: Result<Vec<_>, _> = found.iter().map(|case| suite.render(case)).collect();
        let kernels = kernels?;
        let source = match &kernels[..] {
            [] => engine::good(language, programs.len()),
            kernels => engine::as_one_program(
                language,
                kernels.iter().map(|kernel| kernel.source.as_str()),
            ),
        };
        let options = found.first().map_or_else(String::new, |case| {
            build_options(&DeviceKind::Checker, case.dialect, &case.requirements).join(" ")
        });
        programs.push(BuiltProgram { source, options });
        cases.push(found);
    }
    // The host file has no modules.
    let (platform, environment) =
        if device.through.is_none() { loader(device) } else { (None, Vec::new()) };
    let of_compilers = cases.iter().enumerate().filter_map(|(index, cases)| {
        let case = cases.first()?;
        let mut steps = compilers(device, case);
        for step in &mut steps {
            step.command = step.command.replace("kernel.cl", &format!("{}.cl", index + 1));
        }
        matches!(device.kind, DeviceKind::Command { .. }).then_some(steps)
    });
    let known = [engine::good(language, programs.len()), engine::bad(language)];
    Ok(interaction_pack::pack(&InteractionPack {
        header,
        interaction,
        programs,
        known,
        platform: platform.as_deref(),
        environment: &environment,
        compilers: of_compilers.flatten().collect(),
    })?)
}

/// Returns the platform and the environment with which the host file reaches the device, if it does.
fn loader(device: &DeviceFile) -> (Option<String>, Vec<(String, String)>) {
    let DeviceKind::Opencl { platform, .. } = &device.kind else { return (None, Vec::new()) };
    let mut environment =
        crate::device::environment::environment(device, &install::folder(&device.folder_name()));
    // Folders that exist while the runner runs only.
    environment.retain(|(_, value)| !value.contains('{'));
    (Some(platform.clone()), environment)
}

/// Commands that show the finding: the device's own where it is a compiler, the front end inside where it is clang.
fn compilers(device: &DeviceFile, case: &Case) -> Vec<Step> {
    let command = |kind: &DeviceKind| {
        let words = build_options(kind, case.dialect, &case.requirements);
        let words =
            words.iter().map(|word| word.replace("{file}", "kernel.cl").replace("{scratch}", "."));
        words.map(|word| shell_word(&word)).collect::<Vec<_>>().join(" ")
    };
    match &device.kind {
        DeviceKind::Checker => vec![Step {
            what: "With the checker:".to_owned(),
            command: format!("address-spaces-check {} kernel.cl", checker_options(case.dialect)),
        }],
        kind @ DeviceKind::Command { .. } => {
            vec![Step { what: "With the compiler:".to_owned(), command: command(kind) }]
        }
        kind @ DeviceKind::Comgr { isas, .. } => {
            let clang = isas.first().and_then(|isa| isa.split_once("--")).map(|(triple, cpu)| {
                format!("clang -target {} -mcpu={} -c", shell_word(triple), shell_word(cpu))
            });
            let command = [clang.unwrap_or_default(), command(kind), "kernel.cl".to_owned()];
            let what = "With a clang that is like the compiler inside the library:".to_owned();
            vec![Step { what, command: command.join(" ") }]
        }
        DeviceKind::Opencl { .. } => {
            let compiler = device.front_end.replace("clang ", "clang-");
            let Ok(compiler) = files::load(&compiler) else { return Vec::new() };
            vec![Step {
                what: format!(
                    "With {} only, the front end inside the device (which may configure it \
                     differently):",
                    device.front_end
                ),
                command: command(&compiler.kind),
            }]
        }
    }
}

fn checker_options(dialect: Dialect) -> String {
    let version = dialect.version.name();
    let features = dialect.features().join(",+");
    match (dialect.version >= Version::V3_0, features.is_empty()) {
        (false, _) => format!("--std CL{version}"),
        (true, true) => format!("--std CL{version} --features none"),
        (true, false) => format!("--std CL{version} --features none,+{features}"),
    }
}

fn create(path: &Path) -> Result<(), CommandError> {
    if path.exists() {
        let message = format!("{} is there already: name a new folder", path.display());
        return Err(CommandError::Usage(message));
    }
    std::fs::create_dir_all(path).map_err(|source| file_error(path, source))
}

fn file_error(path: &Path, source: std::io::Error) -> CommandError {
    CommandError::File { path: path.display().to_string(), source }
}
