//! Command-line compilers: a process for every build.

use std::{
    fs,
    io::{self, Read},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use expectations::{device::Step, outcome::Phase};
use rustix::pipe::fcntl_setpipe_size;

use crate::{
    builder::{BuildAnswer, BuildRequest, BuildStatus, Builder, Code, OpenError},
    capabilities::{ANY_CXX_VERSION, ANY_VERSION, Capabilities, NamedVersion},
    fault,
    loaded::LoadedFiles,
    processes::{kill_below, own_id, reap},
    stack_dump,
    target::CapabilityQuery,
    text::{cut, signal_name, speaks_of_memory},
};

/// Placeholder for the file to compile in a command.
pub const FILE_PLACEHOLDER: &str = "{file}";

/// Placeholder for the queried name in a command that prints the capabilities of a device.
pub const QUERY_PLACEHOLDER: &str = "{query}";

/// Placeholder for the output folder in a command.
const SCRATCH_PLACEHOLDER: &str = "{scratch}";

/// Name of the output folder in the worker's own folder.
const SCRATCH: &str = "out";

/// Enough for the version of any compiler, and for all that a device has.
const REPORT_LIMIT: usize = 64 << 10;

/// A command-line compiler.
pub(crate) struct CommandDevice {
    capabilities: Capabilities,
    file: PathBuf,
    scratch: PathBuf,
    rejects_with: Vec<i32>,
}

impl CommandDevice {
    /// Opens the compiler `program` and asks for its version. The command that prints the version may be another
    /// program, which knows about compilers that no longer exist.
    pub(crate) fn open(
        program: &str,
        version: &[String],
        rejects_with: &[i32],
        asked: &CapabilityQuery,
    ) -> Result<Self, OpenError> {
        let missing = |error: io::Error| OpenError::ProgramMissing {
            program: program.to_owned(),
            reason: match error.kind() {
                io::ErrorKind::NotFound => "it is not installed".to_owned(),
                _ => error.to_string(),
            },
        };
        let Some(path) = on_path(program) else {
            return Err(missing(io::ErrorKind::NotFound.into()));
        };
        let printed = run(version, REPORT_LIMIT).map_err(missing)?;
        if !printed.status.success() {
            return Err(OpenError::Failed {
                reason: format!("`{}`: {}", version.join(" "), printed.status),
            });
        }
        let first_line =
            printed.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let capabilities = Capabilities {
            platform: program.to_owned(),
            driver_version: first_line.trim().to_owned(),
            loaded: LoadedFiles::program(&path),
            ..Capabilities::default()
        };
        let folder = std::env::temp_dir();
        let (file, scratch) = (folder.join("kernel.cl"), folder.join(SCRATCH));
        let mut device = Self { capabilities, file, scratch, rejects_with: rejects_with.to_vec() };
        match asked {
            CapabilityQuery::Nothing => {}
            CapabilityQuery::Query { command } => device.query(command)?,
            CapabilityQuery::Versions { newest_first, cxx } => {
                device.try_versions(newest_first)?;
                device.try_cxx_versions(cxx)?;
            }
        }
        Ok(device)
    }

    /// Stores the capabilities that the command prints.
    fn query(&mut self, command: &[String]) -> Result<(), OpenError> {
        let ask = |name: &str| {
            let words: Vec<String> =
                command.iter().map(|word| word.replace(QUERY_PLACEHOLDER, name)).collect();
            let failed = |reason: String| OpenError::Failed {
                reason: format!("`{}`: {}", words.join(" "), reason.trim_end()),
            };
            let printed = self
                .prepare("")
                .and_then(|()| run_in(&self.scratch, &words, REPORT_LIMIT))
                .map_err(|error| failed(error.to_string()))?;
            // A command that does not know the device may report this and still end with success.
            let named = named_versions(&printed.text).filter(|_| printed.status.success());
            named.ok_or_else(|| failed(format!("{}\n{}", printed.status, printed.text)))
        };
        let names = |named: Vec<(String, NamedVersion)>| named.into_iter().map(|(name, _)| name);
        let versions = ask("CL_DEVICE_OPENCL_C_ALL_VERSIONS")?;
        let features: Vec<String> = names(ask("CL_DEVICE_OPENCL_C_FEATURES")?).collect();
        let extensions = names(ask("CL_DEVICE_EXTENSIONS_WITH_VERSION")?).collect();
        self.capabilities.opencl_c_versions =
            versions.into_iter().map(|(_, version)| version).collect();
        // What the host's interface has a question of its own for.
        self.capabilities.images = features.iter().any(|name| name == "__opencl_c_images");
        self.capabilities.features = features;
        self.capabilities.extensions = extensions;
        Ok(())
    }

    /// Stores the newest version with which the compiler accepts a program, and those before it.
    fn try_versions(
        &mut self,
        newest_first: &[(NamedVersion, Vec<String>)],
    ) -> Result<(), OpenError> {
        let mut said = String::new();
        for (index, (_, command)) in newest_first.iter().enumerate() {
            match self.try_version(command, ANY_VERSION)? {
                VersionTrial::Accepted => {
                    let versions = newest_first[index..].iter().map(|(version, _)| *version);
                    self.capabilities.opencl_c_versions = versions.collect();
                    return Ok(());
                }
                VersionTrial::Rejected { log } => said = log,
            }
        }
        let reason =
            format!("it accepts no program in any version of OpenCL C\n{}", said.trim_end());
        Err(OpenError::Failed { reason })
    }

    /// Stores each version of C++ for `OpenCL` with which the compiler accepts a program.
    fn try_cxx_versions(&mut self, cxx: &[(NamedVersion, Vec<String>)]) -> Result<(), OpenError> {
        for (version, command) in cxx {
            if matches!(self.try_version(command, ANY_CXX_VERSION)?, VersionTrial::Accepted) {
                self.capabilities.cxx_for_opencl_versions.push(*version);
            }
        }
        Ok(())
    }

    fn try_version(&self, command: &[String], program: &str) -> Result<VersionTrial, OpenError> {
        let ran = self.prepare(program).and_then(|()| self.run_command(command, REPORT_LIMIT));
        let verdict = Verdict::of(ran, "the compiler", &self.rejects_with);
        match verdict.status {
            BuildStatus::Accepted => Ok(VersionTrial::Accepted),
            BuildStatus::Rejected => Ok(VersionTrial::Rejected { log: verdict.log }),
            _ => {
                let reason = format!("{}\n{}", verdict.detail, verdict.log);
                Err(OpenError::Failed { reason: reason.trim_end().to_owned() })
            }
        }
    }

    /// Writes the program's file and empties the output folder: output of another build must not be taken for that of
    /// this one.
    fn prepare(&self, source: &str) -> io::Result<()> {
        fs::write(&self.file, source)?;
        match fs::remove_dir_all(&self.scratch) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => fs::create_dir(&self.scratch),
        }
    }

    fn run_command(&self, command: &[String], log_limit: usize) -> io::Result<CommandOutput> {
        let (file, scratch) = (self.file.to_string_lossy(), self.scratch.to_string_lossy());
        let filled_in = |argument: &String| {
            argument.replace(FILE_PLACEHOLDER, &file).replace(SCRATCH_PLACEHOLDER, &scratch)
        };
        run(&command.iter().map(filled_in).collect::<Vec<_>>(), log_limit)
    }

    /// Runs the compiler and, if it accepts the program, one step after the other. The first failure decides.
    fn verdict(&self, request: &BuildRequest, begin: &mut dyn FnMut(Phase)) -> Verdict {
        let compile = |command: &[String]| {
            self.prepare(&request.source)
                .and_then(|()| self.run_command(command, request.log_limit))
        };
        let emission = request.output.as_ref().and_then(|output| output.by.as_ref());
        let emitted = emission.map(|step| Verdict::of_step(compile(&step.command), step));
        let verdict = match &emitted {
            // What emits its module has taken the program.
            Some(emitted) if emitted.status == BuildStatus::Accepted => {
                Verdict { phase: Phase::Build, ..emitted.clone() }
            }
            _ => Verdict::of(compile(&request.options), "the compiler", &self.rejects_with),
        };
        if verdict.status != BuildStatus::Accepted {
            return verdict;
        }
        let steps = match &request.code {
            Code::Asked { by } => &by[..],
            Code::NotAsked | Code::Launched { .. } => &[],
        };
        if !steps.is_empty() {
            begin(Phase::GenerateCode);
        }
        for step in steps {
            let failed = Verdict::of_step(self.run_command(&step.command, request.log_limit), step);
            if failed.status != BuildStatus::Accepted {
                return failed;
            }
        }
        match emitted {
            Some(failed) if failed.status != BuildStatus::Accepted => failed,
            _ if steps.is_empty() => verdict,
            _ => Verdict { phase: Phase::GenerateCode, ..verdict },
        }
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    // An absolute path replaces the folder it is joined to.
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

impl Builder for CommandDevice {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    fn build(&mut self, request: &BuildRequest, begin: &mut dyn FnMut(Phase)) -> BuildAnswer {
        let start = Instant::now();
        let Verdict { mut status, phase, mut detail, log } = self.verdict(request, begin);
        let mut output = Vec::new();
        if let (Some(asked), BuildStatus::Accepted) = (&request.output, status) {
            let path = asked.file.replace(SCRATCH_PLACEHOLDER, &self.scratch.to_string_lossy());
            match read_output(Path::new(&path)) {
                Ok(read) => output = read,
                Err(error) => {
                    status = BuildStatus::Failed;
                    detail = format!("cannot read {path}: {error}");
                }
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        BuildAnswer { status, phase, detail, log, seconds, output }
    }
}

/// Largest output that is read: as text on the pipe it has twice the size, and no answer may be larger than 256 MiB.
const OUTPUT_LIMIT: u64 = 100 << 20;

/// Returns the bytes of a file that a compiler wrote.
fn read_output(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = fs::File::open(path)?.take(OUTPUT_LIMIT + 1).read_to_end(&mut bytes)? as u64;
    if read > OUTPUT_LIMIT {
        let message = format!("it has more than {OUTPUT_LIMIT} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Result of building one program.
#[derive(Clone)]
struct Verdict {
    status: BuildStatus,
    phase: Phase,
    detail: String,
    log: String,
}

impl Verdict {
    /// Returns the result of the compiler, or of a step, in the build phase.
    fn of(ran: io::Result<CommandOutput>, what: &str, rejects_with: &[i32]) -> Self {
        let (status, detail, log) = match ran {
            Err(error) => {
                (BuildStatus::Failed, format!("cannot run {what}: {error}"), String::new())
            }
            Ok(CommandOutput { status, text }) => {
                let (status, detail) = verdict(status, &text, rejects_with);
                (status, detail, text)
            }
        };
        Self { status, phase: Phase::Build, detail, log }
    }

    /// Returns the result of a step, in the phase that generates code.
    fn of_step(ran: io::Result<CommandOutput>, step: &Step) -> Self {
        let verdict = Self::of(ran, "it", &step.rejects_with);
        let detail = match verdict.status {
            BuildStatus::Accepted => verdict.detail,
            _ => format!("{}: {}", step.name, verdict.detail),
        };
        Self { phase: Phase::GenerateCode, detail, ..verdict }
    }
}

/// From here on a shell reports a program that died of a signal.
const DIED: i32 = 128;
/// Exit statuses of a shell that cannot start or cannot find a program.
const NOT_STARTED: [i32; 2] = [126, 127];

/// Returns the build status for a compiler's exit status and log. The statuses in `rejects_with` are rejections,
/// whatever they usually mean.
fn verdict(status: ExitStatus, log: &str, rejects_with: &[i32]) -> (BuildStatus, String) {
    match (status.code(), status.signal()) {
        (Some(0), _) => (BuildStatus::Accepted, String::new()),
        (Some(code), _) if speaks_of_memory(log) => {
            (BuildStatus::OutOfMemory, format!("exit status {code}"))
        }
        (Some(code), _) if rejects_with.contains(&code) => {
            (BuildStatus::Rejected, format!("exit status {code}"))
        }
        (Some(code), _) if NOT_STARTED.contains(&code) => {
            let what = "the compiler, or a program it needs, could not be started";
            (BuildStatus::Failed, format!("exit status {code}: {what}"))
        }
        (Some(code), _) if code > DIED && code - DIED <= LAST_SIGNAL => {
            (BuildStatus::Crashed, format!("exit status {code}: {}", death(code - DIED, log)))
        }
        (Some(code), _) if code >= DIED => (BuildStatus::Crashed, format!("exit status {code}")),
        (Some(code), _) => (BuildStatus::Rejected, format!("exit status {code}")),
        (None, Some(signal)) if speaks_of_memory(log) => {
            (BuildStatus::OutOfMemory, signal_name(signal))
        }
        (None, Some(signal)) => (BuildStatus::Crashed, death(signal, log)),
        (None, None) => (BuildStatus::Failed, "neither exited nor killed".to_owned()),
    }
}

/// Returns the signal and the place where it was raised: `SIGSEGV in libLLVM.so.22.1: llvm::CastInst::Create`. A
/// program that calls `abort` has printed its reason.
fn death(signal: i32, log: &str) -> String {
    let place = stack_dump::place(log).filter(|_| fault::is_fault(signal));
    let place = place.map(|place| format!(" in {place}"));
    signal_name(signal) + &place.unwrap_or_default()
}

/// The greatest number of a signal.
const LAST_SIGNAL: i32 = 64;
/// Time to wait for the rest of a compiler's output after it has ended.
const GRACE: Duration = Duration::from_millis(300);

/// Bytes that a compiler may print before it waits for its reader.
const PIPE: usize = 1 << 20;

/// A compiler writes a message word by word, and a reader woken for each costs both more than the words do.
const BETWEEN_READS: Duration = Duration::from_millis(1);

/// Reaction of a compiler to a program that every compiler of its version accepts.
enum VersionTrial {
    Accepted,
    Rejected { log: String },
}

struct CommandOutput {
    status: ExitStatus,
    text: String,
}

/// Parses capabilities, written as `NAME:3.0.0` or `"A NAME":3.0.0` each; `None` if there is any other text.
fn named_versions(text: &str) -> Option<Vec<(String, NamedVersion)>> {
    let mut rest = text.trim();
    let mut named = Vec::new();
    while !rest.is_empty() {
        let (name, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once("\":")?,
            None => rest.split_once(':')?,
        };
        let (version, after) = after.split_once(char::is_whitespace).unwrap_or((after, ""));
        let mut numbers = version.split('.').map(str::parse);
        let (major, minor) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        if name.is_empty() || (name.contains(char::is_whitespace) && !rest.starts_with('"')) {
            return None;
        }
        named.push((name.to_owned(), NamedVersion { major, minor }));
        rest = after.trim_start();
    }
    (!named.is_empty()).then_some(named)
}

/// Runs a command and returns what it prints on either stream, up to `limit` bytes.
fn run(command: &[String], limit: usize) -> io::Result<CommandOutput> {
    run_in(Path::new("."), command, limit)
}

/// Runs a command in this folder and returns what it prints on either stream, up to `limit` bytes.
fn run_in(folder: &Path, command: &[String], limit: usize) -> io::Result<CommandOutput> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the device file gives an empty command",
        ));
    };
    let (mut reader, writer) = io::pipe()?;
    // Where a user may not have one so large, the compiler waits for its reader more often.
    let _ = fcntl_setpipe_size(&reader, PIPE);
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn()?;
    let (sender, receiver) = mpsc::channel();
    // What a child of the compiler holds open is not waited for, so it is read beside.
    thread::Builder::new().spawn(move || {
        let mut kept = 0;
        let mut part = vec![0; PIPE];
        while let Ok(count) = reader.read(&mut part)
            && count > 0
        {
            // One byte more than is kept distinguishes a cut text from a whole one.
            let room = (limit + 1).saturating_sub(kept).min(count);
            kept += room;
            if room > 0 && sender.send(part[..room].to_vec()).is_err() {
                return;
            }
            thread::sleep(BETWEEN_READS);
        }
    })?;
    let status = child.wait()?;
    let mut kept: Vec<u8> = Vec::new();
    let mut hear = |grace: Duration| {
        let end = Instant::now() + grace;
        loop {
            match receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(part) => kept.extend(part),
                Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) => return false,
            }
        }
    };
    // A compiler prints nothing once it has ended; those it has left behind may, and hold the pipe.
    let is_whole = hear(GRACE);
    reap(&kill_below(own_id()));
    if !is_whole {
        hear(GRACE);
    }
    Ok(CommandOutput { status, text: cut(&String::from_utf8_lossy(&kept), limit) })
}

#[cfg(test)]
mod tests;
