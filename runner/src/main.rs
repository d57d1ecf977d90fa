//! The program: reads the command line, executes it and reports the result by its exit status.

use std::{ffi::OsString, io::Write as _, process::ExitCode};

use clap::{
    FromArgMatches as _,
    error::{ContextKind, ContextValue},
};
use reports::{summary::Detail, text::Listing};
use results::folder::Completeness;
use runner::{
    cli::{
        Cli, Command, completing,
        dev::DevCommand,
        exit,
        help::{CHECK, command, command_to_complete},
        results::{HistoryCommand, PackageCommand},
        run::filter,
        typed,
    },
    commands::{self, CommandError, lower::LoweredForm},
    device::own,
    findings::spread,
    interrupts, output, overlay,
};

fn main() -> ExitCode {
    // The runner tells a worker when to end.
    let is_worker = std::env::args_os().nth(1).is_some_and(|command| command == "worker");
    if !is_worker {
        answer_panics();
        completing::answer(command_to_complete);
    }
    let mut command = command();
    let typed: Vec<OsString> = std::env::args_os().collect();
    let mut words = typed::with_command(&command, typed.clone());
    // The checker has no work that an interrupt should let finish, and takes build options of OpenCL.
    let is_check = words.get(1).is_some_and(|command| command == "check");
    if is_check {
        words = words.into_iter().filter_map(checker::cli::build_option).collect();
    } else if !is_worker && let Err(error) = begin() {
        output::note(&format!("error: {error}"));
        return ExitCode::from(exit::COULD_NOT_RUN);
    }
    let matches = command.try_get_matches_from_mut(&words);
    let read = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match read.map_err(|error| error.format(&mut command)) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            if let Some(instead) = instead_of_option(&error) {
                output::note(instead);
            } else if error.use_stderr()
                && let Some(word) = typed::in_place_of_command(&command, &typed)
                && let Some(line) = commands::run::command_like(word)
            {
                output::note(&format!("`{word}` is not a command; did you mean `{line}`?"));
            }
            return ExitCode::from(if error.use_stderr() {
                exit::COULD_NOT_RUN
            } else {
                exit::EXPECTED
            });
        }
    };
    if let Command::Check(arguments) = &cli.command {
        return checker::cli::check(arguments, CHECK);
    }
    if let Command::Worker { arguments } = &cli.command {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let words = if words.is_empty() { &["serve"][..] } else { &words };
        return runner::worker::become_worker(&["worker"], words);
    }
    match dispatch(cli, words) {
        Ok(_) if output::is_lost() => ExitCode::from(exit::COULD_NOT_RUN),
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            // A device's log can be part of it, of any length.
            let text =
                results::text::printable(&results::text::first_lines(&error.to_string(), 12));
            output::note(&format!("error: {text}"));
            ExitCode::from(error.status())
        }
    }
}

/// Advice about a limit on threads.
const FEW_THREADS: &str = "raise the limit on processes (`ulimit -u`), or use `--test-threads 1`";

/// Sets up the handling of signals.
fn begin() -> Result<(), String> {
    interrupts::listen().map_err(|error| format!("hearing interrupts: {error}: {FEW_THREADS}"))?;
    // A file that grows beyond a limit is an error of its write, and no death.
    let seen = std::sync::Arc::default();
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen)
        .map_err(|error| format!("hearing of limits on files: {error}"))?;
    if rayon::ThreadPoolBuilder::new().build_global().is_err() {
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        alone.build_global().map_err(|error| format!("{error}: {FEW_THREADS}"))?;
    }
    Ok(())
}

/// Installs a panic hook. A reader that closes the pipe, as `head` does, is not an error, although the test harness
/// panics on it. Any other panic is an internal error, reported in one line.
fn answer_panics() {
    std::panic::set_hook(Box::new(|info| {
        let message = info.payload_as_str().unwrap_or("no message");
        if message.contains("BrokenPipe") || message.contains("Broken pipe") {
            let in_order = output::is_closed_in_order();
            let status = if in_order { exit::EXPECTED } else { exit::COULD_NOT_RUN };
            #[expect(clippy::exit, reason = "nobody reads on")]
            std::process::exit(i32::from(status));
        }
        if message.contains("failed printing to stdout") || message.contains("StorageFull") {
            let text = results::text::one_line(message, 300);
            output::note(&format!("error: standard output cannot be written: {text}"));
            #[expect(clippy::exit, reason = "a lost answer is not an answer")]
            std::process::exit(i32::from(exit::COULD_NOT_RUN));
        }
        if message.contains("failed to spawn thread") {
            let text = results::text::one_line(message, 300);
            output::note(&format!("error: {text}: {FEW_THREADS}"));
            #[expect(clippy::exit, reason = "the machine's limit, and no defect")]
            std::process::exit(i32::from(exit::COULD_NOT_RUN));
        }
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let text = results::text::one_line(message, 300);
        let _ = writeln!(anstream::stderr(), "internal error, please report it: {text} ({place})");
    }));
}

/// Returns what to type in place of an option that test programs of Rust have.
fn instead_of_option(error: &clap::Error) -> Option<&'static str> {
    let option = error.get(ContextKind::InvalidArg)?;
    (*option == ContextValue::String("--list".to_owned()))
        .then_some("`address-spaces list` prints the ids of cases")
}

/// Does what the command line asks for; `words` are those it was read from.
fn dispatch(cli: Cli, words: Vec<OsString>) -> Result<u8, CommandError> {
    if let Some(folder) = cli.overlay {
        overlay::choose(folder)?;
    }
    if let Some(folder) = cli.devices {
        own::choose(folder).map_err(|error| CommandError::Usage(error.to_string()))?;
    }
    let text = match cli.command {
        Command::Run(args) => return commands::run::run(&args),
        Command::List { select, texts, random } => {
            let filter = filter(&select, &texts).map_err(CommandError::Usage)?;
            let programs = random.counted().map_err(CommandError::Usage)?;
            return commands::list::list(&overlay::suite()?, &programs, &filter);
        }
        Command::Dev { command } => return develop(command),
        Command::Submit(args) => {
            return commands::submit::submit(&args, words);
        }
        Command::Part(args) => return commands::part::part(&args),
        Command::Gather { folder } => return commands::gather::gather(&folder),
        Command::Devices { names: true, .. } => commands::devices::names()?,
        Command::Devices { described, .. } if described.is_empty() => commands::devices::table()?,
        Command::Devices { described, .. } => {
            commands::devices::devices(&overlay::suite()?, &described)?
        }
        Command::Show { case, specification } => {
            commands::show::show(&overlay::suite()?, case.as_deref(), &specification.read()?)?
        }
        Command::Blame { case, device, through } => {
            let suite = overlay::suite()?;
            return commands::blame::command(&suite, &case, &device, through.as_deref());
        }
        Command::Since(args) => return commands::since::command(&args),
        Command::Explain { rule, specification } => {
            let suite = overlay::suite()?;
            commands::explain::explain(&suite, rule.as_deref(), &specification.read()?)?
        }
        Command::Report { folders, specification, partial, into, history, baseline } => {
            let copies = specification.read()?;
            commands::report::report(
                &folders,
                Completeness::of(partial),
                &copies,
                &into,
                history.as_deref(),
                baseline.as_deref(),
            )?
        }
        Command::History { command } => match command {
            HistoryCommand::Add { folders, partial, history, baseline } => commands::history::add(
                &history,
                &folders,
                Completeness::of(partial),
                baseline.as_deref(),
            )?,
            HistoryCommand::Show { case, history } => {
                commands::history::show(&history, case.as_deref())?
            }
        },
        Command::Compare { runs, partial, format, all, html } => {
            let listing = if all { Listing::All } else { Listing::First };
            let wanted = Completeness::of(partial);
            return commands::compare::command(&runs, wanted, format, listing, html.as_deref());
        }
        Command::Judge { folders, partial, baseline, verbose } => {
            return commands::judge::judge(
                &folders,
                Completeness::of(partial),
                baseline.as_deref(),
                Detail::of(verbose),
            );
        }
        Command::Handover(args) => return commands::handover::command(&args),
        Command::Convert { results, partial, to, baseline, output } => {
            return commands::convert::command(
                &results,
                Completeness::of(partial),
                to,
                baseline.as_deref(),
                output.as_deref(),
            );
        }
        Command::Package { command: PackageCommand::Write { results, into, baseline } } => {
            return commands::package::write(&results, &into, baseline.as_deref());
        }
        Command::Package { command: PackageCommand::Check { folder } } => {
            return commands::package::check(&folder);
        }
        Command::Merge { folders, into } => {
            let cases = results::merge::merge(&folders, &into)?;
            format!("{} in {}\n", results::text::plural(cases, "case"), into.display())
        }
        Command::Reduce(args) => commands::reduce::command(&args)?,
        Command::Completions { shell } => {
            completing::script(shell).map_err(|error| CommandError::Usage(error.to_string()))?
        }
        Command::Check(_) | Command::Worker { .. } => return Ok(exit::COULD_NOT_RUN),
    };
    runner::output::print(&text);
    Ok(exit::EXPECTED)
}

/// Does what a developer of the suite asks for.
fn develop(command: DevCommand) -> Result<u8, CommandError> {
    let text = match command {
        DevCommand::Audit { stored, measured } => {
            return match stored.as_slice() {
                [first, second] => commands::audit::audit_stored(first, second),
                _ => commands::audit::audit(&measured.plan().map_err(CommandError::Usage)?),
            };
        }
        DevCommand::Adequacy { select, texts } => {
            let filter = filter(&select, &texts).map_err(CommandError::Usage)?;
            return commands::adequacy::adequacy(&filter);
        }
        DevCommand::ProbeAdequacy(measured) => {
            let plan = measured.plan().map_err(CommandError::Usage)?;
            return commands::adequacy_probes::adequacy_of_probes(&plan);
        }
        DevCommand::Lower { measured, back } => {
            let plan = measured.plan().map_err(CommandError::Usage)?;
            let form = if back { LoweredForm::TranslatedBack } else { LoweredForm::Emitted };
            return commands::lower::lower(&plan, form);
        }
        DevCommand::Requirements { word } => {
            commands::requirements::requirements(&overlay::suite()?, word.as_deref())?
        }
        DevCommand::NewRule { rule, into } => commands::new::rule(&rule, &into)?,
        DevCommand::NewDevice { name, into } => commands::new::device(&name, &into)?,
        DevCommand::Coverage { random: Some(count), seed, made_of } => {
            let settings = made_of.settings().map_err(CommandError::Usage)?;
            spread::spread(&overlay::suite()?, count, seed, settings)
        }
        DevCommand::Coverage { random: None, .. } => {
            commands::coverage::coverage(&overlay::suite()?)
        }
        DevCommand::Clauses { copies, section } => {
            return commands::clauses::clauses(&overlay::suite()?, &copies, section.as_deref());
        }
        DevCommand::Export { folder, layout, known, select } => {
            let cases = commands::export::export(
                &overlay::suite()?,
                &folder,
                layout,
                known.as_deref(),
                &select.filter(),
            )?;
            format!("{} in {}\n", results::text::plural(cases, "case"), folder.display())
        }
        DevCommand::ChooseQuick { file } => {
            commands::choose_quick::write(&overlay::suite()?, &file)?
        }
        DevCommand::Docs { folder } => {
            let pages = commands::docs::write(&overlay::suite()?, &folder)?;
            format!("wrote {} below {}\n", results::text::plural(pages, "page"), folder.display())
        }
    };
    output::print(&text);
    Ok(exit::EXPECTED)
}
