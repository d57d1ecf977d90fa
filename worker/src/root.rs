//! Another root folder for a worker: a system of its own, with its own libraries.

use std::{ffi::OsString, io, os::unix::process::CommandExt as _, path::Path, process::Command};

use rustix::process::geteuid;

/// Path of the program in the root folder.
const PROGRAM: &str = "/tmp/address-spaces-worker";

/// Script that mounts the program at [`PROGRAM`] and the system files that a driver needs, in a mount namespace that
/// disappears with the process.
const SCRIPT: &str = include_str!("enter-root.sh");

/// Variables that name files of the root that is left.
const LEFT_BEHIND: [&str; 2] = ["LD_LIBRARY_PATH", "LD_PRELOAD"];

/// For temporary files, which go with the name space.
const TEMPORARY: &str = "/tmp";

/// Replaces this process by the same program in that root folder. Returns only if this fails, with the error.
pub(crate) fn enter(root: &Path, arguments: &[OsString]) -> io::Error {
    let command = root.canonicalize().and_then(|root| {
        let program = std::env::current_exe()?;
        Ok(if geteuid().is_root() {
            by_chroot(&root, &program)
        } else {
            by_bubblewrap(&root, &program)
        })
    });
    match command {
        Ok(mut command) => {
            for variable in LEFT_BEHIND {
                command.env_remove(variable);
            }
            let error = command.env("TMPDIR", TEMPORARY).args(arguments).exec();
            let program = command.get_program().to_string_lossy().into_owned();
            io::Error::new(error.kind(), format!("{program}: {error}"))
        }
        Err(error) => error,
    }
}

fn by_chroot(root: &Path, program: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "--", "sh", "-ec", SCRIPT, "sh"]);
    command.args([root, program]).arg(PROGRAM);
    command
}

fn by_bubblewrap(root: &Path, program: &Path) -> Command {
    let mut command = Command::new("bwrap");
    command.arg("--ro-bind").arg(root).arg("/");
    command.args(["--dev-bind", "/dev", "/dev", "--proc", "/proc", "--ro-bind", "/sys", "/sys"]);
    command.args(["--tmpfs", "/tmp", "--chdir", "/", "--die-with-parent"]);
    command.arg("--ro-bind").arg(program).args([PROGRAM, PROGRAM]);
    command
}
