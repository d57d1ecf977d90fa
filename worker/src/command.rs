//! Command-line compilers: a process for every build.

use std::{
    fs,
    io::{self, Read},
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use expectations::outcome::Phase;

use crate::{
    builder::{BuildAnswer, BuildRequest, BuildStatus, Builder, OpenError},
    capabilities::Capabilities,
    loaded::Loaded,
    processes::{kill_below, own_id, reap},
    text::{cut, signal_name, speaks_of_memory},
};

/// What the file to compile is called in a command.
pub const FILE_PLACEHOLDER: &str = "{file}";

/// What the folder for a compiler's output is called in a command.
const SCRATCH_PLACEHOLDER: &str = "{scratch}";

/// Enough for the version of any compiler.
const VERSION_LIMIT: usize = 4 << 10;

/// A command-line compiler.
pub(crate) struct CommandDevice {
    capabilities: Capabilities,
    file: PathBuf,
    rejects_with: Vec<i32>,
}

impl CommandDevice {
    /// Ask the compiler `program` for its version; the command that prints it may be another program, which knows
    /// of compilers that are gone.
    pub(crate) fn open(
        program: &str,
        version: &[String],
        rejects_with: &[i32],
    ) -> Result<Self, OpenError> {
        let missing = |error: io::Error| OpenError::ProgramMissing {
            program: program.to_owned(),
            reason: error.to_string(),
        };
        let Some(path) = on_path(program) else {
            return Err(missing(io::ErrorKind::NotFound.into()));
        };
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
            loaded: Loaded::program(&path),
            ..Capabilities::default()
        };
        let file = std::env::temp_dir().join("kernel.cl");
        Ok(Self { capabilities, file, rejects_with: rejects_with.to_vec() })
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

fn on_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    // An absolute path replaces the folder it is joined to.
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
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
                let (status, detail) = verdict(printed.status, &printed.text, &self.rejects_with);
                (status, detail, printed.text)
            }
        };
        BuildAnswer { status, detail, log, seconds: start.elapsed().as_secs_f64() }
    }
}

/// From here on a shell reports a program that died of a signal.
const DIED: i32 = 128;
/// What a shell says of a program that it cannot start, or cannot find.
const NOT_STARTED: [i32; 2] = [126, 127];

/// What a compiler's exit status and log come to; by some statuses it `rejects_with` whatever they usually mean.
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
            let signal = signal_name(code - DIED);
            (BuildStatus::Crashed, format!("exit status {code}: {signal}"))
        }
        (Some(code), _) if code >= DIED => (BuildStatus::Crashed, format!("exit status {code}")),
        (Some(code), _) => (BuildStatus::Rejected, format!("exit status {code}")),
        (None, Some(signal)) if speaks_of_memory(log) => {
            (BuildStatus::OutOfMemory, signal_name(signal))
        }
        (None, Some(signal)) => (BuildStatus::Crashed, signal_name(signal)),
        (None, None) => (BuildStatus::Failed, "neither exited nor killed".to_owned()),
    }
}

/// The greatest number of a signal.
const LAST_SIGNAL: i32 = 64;
/// How long the end of what a compiler printed is waited for once it has ended.
const GRACE: Duration = Duration::from_millis(300);

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
    let (sender, receiver) = mpsc::channel();
    // What a child of the compiler holds open is not waited for, so it is read beside.
    thread::Builder::new().spawn(move || {
        let mut kept = 0;
        let mut part = [0; 8 << 10];
        while let Ok(count) = reader.read(&mut part)
            && count > 0
        {
            // One byte more than is kept tells a cut text from a whole one.
            let room = (limit + 1).saturating_sub(kept).min(count);
            kept += room;
            if room > 0 && sender.send(part[..room].to_vec()).is_err() {
                return;
            }
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
    Ok(Printed { status, text: cut(&String::from_utf8_lossy(&kept), limit) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_statuses_and_what_they_mean() {
        use BuildStatus as B;
        for (status, log, verdict, detail) in [
            (0, "", B::Accepted, ""),
            (1, "k.cl:1:1: error: x", B::Rejected, "exit status 1"),
            (125, "", B::Rejected, "exit status 125"),
            (
                126,
                "",
                B::Failed,
                "exit status 126: the compiler, or a program it needs, could not be started",
            ),
            (
                127,
                "sh: clang: not found",
                B::Failed,
                "exit status 127: the compiler, or a program it needs, could not be started",
            ),
            (128, "", B::Crashed, "exit status 128"),
            (134, "Assertion failed", B::Crashed, "exit status 134: SIGABRT"),
            (139, "", B::Crashed, "exit status 139: SIGSEGV"),
            (139, "LLVM ERROR: out of memory", B::OutOfMemory, "exit status 139"),
            (245, "k.cl:1:1: error: x", B::Rejected, "exit status 245"),
            (255, "", B::Crashed, "exit status 255"),
        ] {
            let found = super::verdict(ExitStatus::from_raw(status << 8), log, &[245]);
            assert_eq!(found, (verdict, detail.to_owned()), "{status}");
        }
        let killed = super::verdict(ExitStatus::from_raw(11), "", &[]);
        assert_eq!(killed, (B::Crashed, "SIGSEGV".to_owned()));
    }
}
