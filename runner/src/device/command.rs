//! Command-line compilers: a process for every build.

use std::{
    fs,
    io::{self, Read},
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
    time::Instant,
};

use expectations::outcome::Phase;

use super::{
    Capabilities,
    builder::{BuildAnswer, BuildRequest, BuildStatus, Builder, OpenError},
    text::{cut, signal_name, speaks_of_memory},
};

/// What the file to compile is called in a command.
pub const FILE_PLACEHOLDER: &str = "{file}";

/// What the folder for a compiler's output is called in a command.
const SCRATCH_PLACEHOLDER: &str = "{scratch}";

/// Enough for the version of any compiler.
const VERSION_LIMIT: usize = 4 << 10;

/// A command-line compiler.
pub struct CommandDevice {
    capabilities: Capabilities,
    file: PathBuf,
}

impl CommandDevice {
    /// Ask the compiler `program` for its version; the command that prints it may be another program, which knows
    /// of compilers that are gone.
    pub fn open(program: &str, version: &[String]) -> Result<Self, OpenError> {
        let missing = |error: io::Error| OpenError::ProgramMissing {
            program: program.to_owned(),
            reason: error.to_string(),
        };
        if !is_on_path(program) {
            return Err(missing(io::ErrorKind::NotFound.into()));
        }
        let printed = run(version, VERSION_LIMIT).map_err(missing)?;
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
            ..Capabilities::default()
        };
        Ok(Self { capabilities, file: std::env::temp_dir().join("kernel.cl") })
    }

    fn compile(&self, request: &BuildRequest) -> io::Result<Printed> {
        fs::write(&self.file, &request.source)?;
        let file = self.file.to_string_lossy();
        let scratch = std::env::temp_dir();
        let filled_in = |argument: &String| {
            argument
                .replace(FILE_PLACEHOLDER, &file)
                .replace(SCRATCH_PLACEHOLDER, &scratch.to_string_lossy())
        };
        let command: Vec<String> = request.options.iter().map(filled_in).collect();
        run(&command, request.log_limit)
    }
}

fn is_on_path(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    // An absolute path replaces the folder it is joined to.
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

impl Builder for CommandDevice {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    fn build(&mut self, request: &BuildRequest, _begin: &mut dyn FnMut(Phase)) -> BuildAnswer {
        let start = Instant::now();
        let (status, detail, log) = match self.compile(request) {
            Err(error) => {
                (BuildStatus::Failed, format!("cannot run the compiler: {error}"), String::new())
            }
            Ok(printed) => {
                let (status, detail) = verdict(printed.status, &printed.text);
                (status, detail, printed.text)
            }
        };
        BuildAnswer { status, detail, log, seconds: start.elapsed().as_secs_f64() }
    }
}

fn verdict(status: ExitStatus, log: &str) -> (BuildStatus, String) {
    match (status.code(), status.signal()) {
        (Some(0), _) => (BuildStatus::Accepted, String::new()),
        (Some(code), _) if speaks_of_memory(log) => {
            (BuildStatus::OutOfMemory, format!("exit status {code}"))
        }
        (Some(code), _) => (BuildStatus::Rejected, format!("exit status {code}")),
        (None, Some(signal)) if speaks_of_memory(log) => {
            (BuildStatus::OutOfMemory, signal_name(signal))
        }
        (None, Some(signal)) => (BuildStatus::Crashed, signal_name(signal)),
        (None, None) => (BuildStatus::Failed, "neither exited nor killed".to_owned()),
    }
}

struct Printed {
    status: ExitStatus,
    text: String,
}

/// Run a command and keep what it prints on either stream, up to `limit` bytes.
fn run(command: &[String], limit: usize) -> io::Result<Printed> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the device file gives an empty command",
        ));
    };
    let (mut reader, writer) = io::pipe()?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn()?;
    let mut kept = Vec::new();
    // One byte more than is kept tells a cut text from a whole one.
    reader.by_ref().take(limit as u64 + 1).read_to_end(&mut kept)?;
    io::copy(&mut reader, &mut io::sink())?;
    let status = child.wait()?;
    Ok(Printed { status, text: cut(&String::from_utf8_lossy(&kept), limit) })
}
