//! Root folders with a release of Debian in each: made once, and shared by all devices.

use std::{
    ffi::OsString,
    fs::{self, File, TryLockError},
    io::{self, BufRead as _, BufReader},
    path::{self, Path, PathBuf},
    process::{Command, Stdio},
};

use expectations::device::DeviceFile;
use rustix::process::geteuid;

use super::{
    packages::{InstallError, apt_get, install_here, run},
    places,
};

/// Names the folder that root folders are in.
const FOLDER_VARIABLE: &str = "OPENCL_C_ROOTS";

/// Names the address of Debian's archive.
pub const MIRROR_VARIABLE: &str = "OPENCL_C_MIRROR";

/// Packages that create a root folder, trust Debian's archive, and enter the folder.
const MAKERS: [&str; 3] = ["mmdebstrap", "debian-archive-keyring", "mount"];

/// Further packages for users other than root, who create and enter a root folder with user namespaces.
const MAKERS_OF_OTHERS: [&str; 2] = ["uidmap", "bubblewrap"];

/// Disk space in bytes that a new root folder with a driver takes.
const NEW_ROOT: u64 = 3 << 30;
const MORE_PACKAGES: u64 = 1 << 30;

/// Messages of apt about an archive that has not been updated for this long that apt considers it outdated.
const EXPIRED: [&str; 2] = ["is expired", "is not valid anymore"];

/// Option that accepts an archive of any age; its signature is still checked.
const ANY_AGE: &str = "Acquire::Check-Valid-Until \"false\"";

/// Returns the folder of a release, whether or not it exists.
pub fn folder(release: &str) -> PathBuf {
    all().join(release)
}

fn all() -> PathBuf {
    let chosen = std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty());
    let folder = chosen.map_or_else(|| places::installed().join("roots"), PathBuf::from);
    path::absolute(&folder).unwrap_or(folder)
}

/// Returns the missing parts of a device that runs in a root folder; `None` if nothing is missing, or where it runs
/// in none.
pub fn missing(device: &DeviceFile) -> Option<Missing> {
    let release = device.release.clone()?;
    let root = folder(&release);
    let packages = device.install.apt.iter();
    let packages: Vec<String> =
        packages.filter(|package| !is_installed(&root, package)).cloned().collect();
    let has_root = root.is_dir();
    (!has_root || !packages.is_empty()).then_some(Missing { release, root, has_root, packages })
}

/// Missing parts of a device that runs in a root folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub release: String,
    /// Path of the root folder.
    pub root: PathBuf,
    /// Whether it is there.
    pub has_root: bool,
    /// The packages that are not.
    pub packages: Vec<String>,
}

impl Missing {
    /// Returns the steps that `--install` will take.
    pub fn remedy(&self) -> String {
        if self.has_root {
            let packages = self.packages.join(", ");
            return format!(
                "add --install (puts {packages} into {}, the root folder of Debian {})",
                self.root.display(),
                self.release
            );
        }
        format!(
            "add --install (makes {}, a root folder of Debian {}, about 1 GB, minutes)",
            self.root.display(),
            self.release
        )
    }

    /// Returns the command that creates the root folder.
    fn making(&self, partial: &Path, mirror: &str, user: User, age: Age) -> Vec<String> {
        let mode = match user {
            User::Root => "--mode=root",
            User::Other => "--mode=unshare",
        };
        let mut packages = self.packages.clone();
        // What is got later is got from inside.
        packages.extend(mirror.starts_with("https:").then(|| "ca-certificates".to_owned()));
        let mut words = vec!["mmdebstrap".to_owned(), mode.to_owned(), "--variant=apt".to_owned()];
        words.extend((age == Age::Any).then(|| format!("--aptopt={ANY_AGE}")));
        words.push(format!("--include={}", packages.join(",")));
        words.extend([self.release.clone(), partial.display().to_string(), mirror.to_owned()]);
        words
    }

    /// Returns the commands that add packages to an existing root folder, in order.
    fn adding(&self, user: User) -> Vec<Vec<String>> {
        let root = self.root.display().to_string();
        let inside = |command: &[&str]| {
            let enter: &[&str] = match user {
                User::Root => &["chroot"],
                // With the users that it was made by.
                User::Other => &["mmdebstrap", "--unshare-helper", "/usr/sbin/chroot"],
            };
            enter
                .iter()
                .chain([&root.as_str()])
                .chain(command)
                .map(|word| (*word).to_owned())
                .collect()
        };
        let mut install = vec!["apt-get", "install", "--yes", "--no-install-recommends"];
        install.extend(self.packages.iter().map(String::as_str));
        // What an install that was stopped has left.
        vec![
            inside(&["dpkg", "--configure", "--pending"]),
            inside(&["apt-get", "update"]),
            inside(&install),
        ]
    }
}

/// User that creates root folders: root, or another one with a user namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum User {
    Root,
    Other,
}

/// Whether an archive must be of these days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Age {
    Checked,
    Any,
}

/// Creates the root folder of a device, or adds its packages to it. If another process is doing the same, this one
/// waits for it.
pub fn install(device: &DeviceFile, say: &mut dyn FnMut(&str)) -> Result<(), InstallError> {
    let Some(Missing { release, root, .. }) = missing(device) else { return Ok(()) };
    let file_error = |source| InstallError::File { path: root.clone(), source };
    fs::create_dir_all(all()).map_err(file_error)?;
    let lock = File::create(root.with_added_extension("lock")).map_err(file_error)?;
    if let Err(TryLockError::WouldBlock) = lock.try_lock() {
        say(&format!("waiting for another install into {}", root.display()));
        lock.lock().map_err(file_error)?;
    }
    // Whoever was waited for may have left nothing to do.
    let Some(missing) = missing(device) else { return Ok(()) };
    let user = if geteuid().is_root() { User::Root } else { User::Other };
    let others = MAKERS_OF_OTHERS.iter().filter(|_| user == User::Other);
    let makers: Vec<String> = MAKERS.iter().chain(others).map(|name| (*name).to_owned()).collect();
    enough_room(&root, if missing.has_root { MORE_PACKAGES } else { NEW_ROOT })?;
    install_here(&makers, say)?;
    may_enter(user)?;
    if missing.has_root {
        if user == User::Root {
            // Names are looked up as they are here, today.
            let _ = fs::copy("/etc/resolv.conf", root.join("etc/resolv.conf"));
        }
        return missing.adding(user).iter().try_for_each(|words| run(words, say));
    }
    let mirror = mirror(&release, say)?;
    let partial = root.with_added_extension("partial");
    let made = make(&missing, &partial, &mirror, user, say);
    if made.is_err() {
        remove(&partial, user);
    }
    made?;
    // Under its name once it is whole: an interrupted install must not look like a finished one.
    fs::rename(&partial, &root).map_err(file_error)
}

fn make(
    missing: &Missing,
    partial: &Path,
    mirror: &str,
    user: User,
    say: &mut dyn FnMut(&str),
) -> Result<(), InstallError> {
    remove(partial, user);
    say(&format!(
        "{}, a root folder of Debian {} from {mirror}, in minutes",
        missing.root.display(),
        missing.release
    ));
    let first = run_reporting(&missing.making(partial, mirror, user, Age::Checked), say);
    match first {
        Err(FailedCommand { said, .. }) if EXPIRED.iter().any(|expired| said.contains(expired)) => {
            say(&format!(
                "{mirror} has not been updated for so long that apt considers its {} outdated: \
                 used as it is",
                missing.release
            ));
            remove(partial, user);
            let again = missing.making(partial, mirror, user, Age::Any);
            run_reporting(&again, say).map_err(|heard| heard.error)
        }
        made => made.map_err(|heard| heard.error),
    }
}

/// A command that failed, and its output.
struct FailedCommand {
    error: InstallError,
    said: String,
}

/// Runs a command and passes its messages for people to `say`.
fn run_reporting(words: &[String], say: &mut dyn FnMut(&str)) -> Result<(), FailedCommand> {
    let command = words.join(" ");
    let mut said = String::new();
    let mut heard = || -> io::Result<_> {
        say(&command);
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        for line in
            child.stderr.take().into_iter().flat_map(|stderr| BufReader::new(stderr).lines())
        {
            let line = line?;
            say(&results::text::one_line(&line, 200));
            said.push_str(&line);
            said.push('\n');
        }
        child.wait()
    };
    let error = match heard() {
        Ok(status) if status.success() => return Ok(()),
        Ok(status) => InstallError::Failed { command, status },
        Err(source) => InstallError::Start { command, source },
    };
    Err(FailedCommand { error, said })
}

/// Removes the files of a failed install, without what is mounted there.
fn remove(partial: &Path, user: User) {
    if !partial.exists() {
        return;
    }
    let enter: &[&str] = match user {
        User::Root => &[],
        User::Other => &["mmdebstrap", "--unshare-helper"],
    };
    let words = enter.iter().chain(&["rm", "--recursive", "--force", "--one-file-system"]);
    let words: Vec<OsString> = words.map(OsString::from).chain([partial.into()]).collect();
    let _ = Command::new(&words[0]).args(&words[1..]).status();
}

/// Whether a worker will be able to enter a root folder: seen before minutes are spent on one.
fn may_enter(user: User) -> Result<(), InstallError> {
    let words: &[&str] = match user {
        User::Root => &["unshare", "--mount", "true"],
        User::Other => &["bwrap", "--ro-bind", "/", "/", "true"],
    };
    let output = Command::new(words[0]).args(&words[1..]).stdin(Stdio::null()).output();
    let why = match output {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    let remedy = match user {
        User::Root if why.contains("propagation") => {
            "the folder that is `/` here is not a mount point: `mount --bind DIR DIR` before `chroot DIR`"
        }
        User::Root => "start the container with `--cap-add SYS_ADMIN`",
        User::Other => {
            "allow user name spaces (`sysctl kernel.unprivileged_userns_clone=1`), or be root"
        }
    };
    Err(InstallError::MayNotEnter { command: words.join(" "), why, remedy })
}

fn enough_room(root: &Path, needed: u64) -> Result<(), InstallError> {
    let file_error = |source: io::Error| InstallError::File { path: all(), source };
    let disk = rustix::fs::statvfs(all()).map_err(|error| file_error(error.into()))?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if free >= needed {
        return Ok(());
    }
    Err(InstallError::NoRoom {
        root: root.to_owned(),
        needed: needed >> 20,
        free: free >> 20,
        variable: FOLDER_VARIABLE,
    })
}

/// Returns the address from which this system gets its own packages.
fn mirror(release: &str, say: &mut dyn FnMut(&str)) -> Result<String, InstallError> {
    if let Some(mirror) = std::env::var(MIRROR_VARIABLE).ok().filter(|mirror| !mirror.is_empty()) {
        return Ok(mirror);
    }
    let ask = || {
        let words = ["indextargets", "--format", "$(ORIGIN)|$(CODENAME)|$(REPO_URI)"];
        let output = Command::new("apt-get").args(words).output();
        output.ok().and_then(|output| mirror_of(&String::from_utf8_lossy(&output.stdout)))
    };
    if let Some(mirror) = ask() {
        return Ok(mirror);
    }
    // It knows of none before the first update.
    run(&apt_get(&["update"]), say)?;
    ask().ok_or_else(|| InstallError::NoMirror {
        release: release.to_owned(),
        variable: MIRROR_VARIABLE,
    })
}

/// Returns the archive of Debian's releases among the sources of apt, without security updates and third parties.
fn mirror_of(targets: &str) -> Option<String> {
    targets.lines().find_map(|line| {
        let mut parts = line.splitn(3, '|');
        let (origin, codename, address) = (parts.next()?, parts.next()?, parts.next()?);
        let is_release = origin == "Debian" && !codename.contains('-');
        is_release.then(|| address.trim_end_matches('/').to_owned())
    })
}

fn is_installed(root: &Path, package: &str) -> bool {
    let query = Command::new("dpkg-query")
        .arg("--admindir")
        .arg(root.join("var/lib/dpkg"))
        .args(["--show", "--showformat=${db:Status-Status}", package])
        .output();
    query.is_ok_and(|output| output.stdout == b"installed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pocl(has_root: bool) -> Missing {
        Missing {
            release: "sid".to_owned(),
            root: PathBuf::from("/r/sid"),
            has_root,
            packages: vec!["pocl-opencl-icd".to_owned(), "ocl-icd-libopencl1".to_owned()],
        }
    }

    #[test]
    fn a_root_folder_is_made_by_one_command() {
        for (mirror, user, age, expected) in [
            (
                "http://m/debian",
                User::Root,
                Age::Checked,
                "mmdebstrap --mode=root --variant=apt --include=pocl-opencl-icd,ocl-icd-libopencl1 sid /r/sid.partial http://m/debian",
            ),
            (
                "https://m/debian",
                User::Other,
                Age::Any,
                "mmdebstrap --mode=unshare --variant=apt --aptopt=Acquire::Check-Valid-Until \"false\" --include=pocl-opencl-icd,ocl-icd-libopencl1,ca-certificates sid /r/sid.partial https://m/debian",
            ),
        ] {
            let words = pocl(false).making(Path::new("/r/sid.partial"), mirror, user, age);
            assert_eq!(words.join(" "), expected);
        }
    }

    #[test]
    fn packages_are_added_from_inside() {
        for (user, enter) in [
            (User::Root, "chroot /r/sid"),
            (User::Other, "mmdebstrap --unshare-helper /usr/sbin/chroot /r/sid"),
        ] {
            let commands: Vec<String> =
                pocl(true).adding(user).iter().map(|words| words.join(" ")).collect();
            let expected = [
                "dpkg --configure --pending",
                "apt-get update",
                "apt-get install --yes --no-install-recommends pocl-opencl-icd ocl-icd-libopencl1",
            ];
            assert_eq!(commands, expected.map(|command| format!("{enter} {command}")));
        }
    }

    #[test]
    fn a_remedy_says_what_will_be_done() {
        assert_eq!(
            pocl(false).remedy(),
            "add --install (makes /r/sid, a root folder of Debian sid, about 1 GB, minutes)"
        );
        assert_eq!(
            pocl(true).remedy(),
            "add --install (puts pocl-opencl-icd, ocl-icd-libopencl1 into /r/sid, the root folder of Debian sid)"
        );
    }

    #[test]
    fn the_mirror_is_the_archive_of_releases() {
        for (targets, expected) in [
            (
                "Debian|bookworm-security|http://m/debian-security/\nDebian|bookworm-updates|http://m/debian/\nDebian|bookworm|http://m/debian/\n",
                Some("http://m/debian"),
            ),
            ("Ubuntu|noble|http://u/ubuntu/\n", None),
            (
                "LLVM|llvm-toolchain|http://apt.llvm.org/\nDebian|trixie|http://d/\n",
                Some("http://d"),
            ),
            ("", None),
            ("Debian|", None),
        ] {
            assert_eq!(mirror_of(targets).as_deref(), expected, "{targets}");
        }
    }
}
