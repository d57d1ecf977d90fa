//! Drivers that a worker loads where the runner is not: as another user, in another root folder, without a network.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use libtest_mimic::Failed;

use crate::{
    check_status,
    own::{Kept, compare, copy_of, device_file, kept, runner_with},
    text,
};

/// The program that is copied to where a driver is.
fn worker() -> PathBuf {
    let programs = Path::new(env!("CARGO_BIN_EXE_address-spaces")).parent().unwrap();
    let worker = programs.join("address-spaces-worker");
    assert!(worker.is_file(), "cargo build --workspace --bins makes {}", worker.display());
    worker
}

/// A folder that every user may look into.
fn open_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Write a device file whose worker runs where `place` says, and run it.
fn at(folder: &Path, icd: &str, place: &str) -> Result<Kept, Failed> {
    let file = folder.join("device.toml");
    fs::write(&file, format!("{place}\n{}", device_file(icd, ""))).unwrap();
    kept(&["--device", &file.display().to_string()], &[])
}

/// A word of TOML.
fn quoted(words: &[&str]) -> String {
    format!("{words:?}")
}

pub(crate) fn another_user_sees_the_same() -> Result<(), Failed> {
    let installed = kept(&["--device", "pocl"], &[])?;
    let folder = open_folder();
    let program = folder.path().join("worker");
    fs::copy(worker(), &program).unwrap();
    let copy = copy_of(&installed.identity["library"], folder.path()).display().to_string();
    // Files that only the runner's user may read must not be reachable.
    let via = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"];
    let place = format!("via = {}\nworker = {:?}", quoted(&via), program.display().to_string());
    let there = at(folder.path(), &copy, &place)?;
    assert_eq!(there.identity["library"], copy);
    assert_eq!(there.identity["via"], via.join(" "));
    compare(&installed, &there, "another user")?;
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o600)).unwrap();
    let refused = at(folder.path(), &copy, &place).err().map(|error| format!("{error:?}"));
    assert!(refused.is_some(), "the other user reads what is the runner's alone");
    Ok(())
}

pub(crate) fn another_root_sees_the_same() -> Result<(), Failed> {
    let installed = kept(&["--device", "pocl"], &[])?;
    let folder = open_folder();
    let root = folder.path().join("root");
    let icd = small_root(&installed.identity["library"], &root);
    let shown = root.display().to_string();
    let program = root.join("usr/bin/address-spaces-worker");
    fs::copy(worker(), &program).unwrap();
    // Any command may lead there: here without the network and the processes of the system.
    let enter = "for d in dev proc sys; do mkdir -p $0/$d && mount --rbind /$d $0/$d; done; exec chroot $0 \"$@\"";
    let via = ["unshare", "--mount", "--net", "--ipc", "sh", "-ec", enter, &shown];
    for (how, place) in [
        ("root", format!("root = {shown:?}")),
        (
            "via and root",
            format!(
                "via = [\"env\"]\nworker = {:?}\nroot = {shown:?}",
                worker().display().to_string()
            ),
        ),
        ("via", format!("via = {}", quoted(&via))),
    ] {
        let there = at(folder.path(), &icd, &place)?;
        // It is nowhere but in that root.
        assert!(!Path::new(&icd).exists());
        assert_eq!(there.identity["library"], icd, "{how}");
        compare(&installed, &there, how)?;
    }
    let left: Vec<_> = fs::read_dir(root.join("tmp")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(&shown), "{mounts}");
    Ok(())
}

/// A root folder with nothing but what the driver and the worker need, of this machine's files; gives the driver's path
/// in it, which is none here.
pub(crate) fn small_root(library: &str, root: &Path) -> String {
    for folder in ["usr/lib", "usr/lib64", "usr/bin", "etc", "tmp", "dev", "proc", "sys"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for name in ["lib", "lib64", "bin"] {
        symlink(Path::new("usr").join(name), root.join(name)).unwrap();
    }
    let own = copy_of(library, &root.join("opt/own"));
    fs::write(root.join("etc/passwd"), "root:x:0:0::/:/bin/sh\n").unwrap();
    let mut programs: Vec<PathBuf> = vec![own.clone(), worker(), PathBuf::from(library)];
    let beside = own.parent().unwrap().join("pocl");
    programs.extend(fs::read_dir(beside).unwrap().map(|entry| entry.unwrap().path()));
    let loader = "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1";
    programs.push(PathBuf::from(loader));
    // The driver links what it has compiled.
    let linker = which("ld");
    programs.extend(linker.clone());
    let mut needed: BTreeSet<String> = BTreeSet::new();
    for program in &programs {
        let listed = Command::new("ldd").arg(program).output().unwrap();
        for line in String::from_utf8_lossy(&listed.stdout).lines() {
            needed.extend(
                line.split_whitespace().find(|word| word.starts_with('/')).map(str::to_owned),
            );
        }
    }
    needed.insert(loader.to_owned());
    needed.extend(linker.map(|path| path.display().to_string()));
    let libraries = "/usr/lib/x86_64-linux-gnu";
    let to_link_with =
        ["libc.so", "libc_nonshared.a", "libm.so", "libm.so.6", "libmvec.so.1", "libgcc_s.so.1"];
    needed.extend(to_link_with.map(|name| format!("{libraries}/{name}")));
    for version in fs::read_dir("/usr/lib/gcc/x86_64-linux-gnu").unwrap().flatten() {
        let parts = ["libgcc.a", "libgcc_s.so", "crtbegin.o"];
        needed.extend(parts.map(|name| version.path().join(name).display().to_string()));
    }
    for path in needed {
        let to = root.join(path.trim_start_matches('/'));
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        // Missing files are not needed here either.
        if !to.exists() && Path::new(&path).exists() {
            fs::copy(&path, to).unwrap();
        }
    }
    Path::new("/").join(own.strip_prefix(root).unwrap()).display().to_string()
}

fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// A program that is not a worker, or a worker of another version, is reported, and never green.
pub(crate) fn what_is_no_worker_is_told() -> Result<(), Failed> {
    let folder = open_folder();
    let file = folder.path().join("device.toml").display().to_string();
    let script = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    };
    let later = script(
        "later",
        "echo '{\"hello\":{\"protocol\":999,\"version\":\"9.1\",\"more\":1}}'; cat",
    );
    let older = script(
        "older",
        "echo 'Welcome!'; echo '{\"hello\":{\"protocol\":1,\"version\":\"0.0.1\"}}'; cat",
    );
    let chatty = script("chatty", "yes");
    let newer = script(
        "newer",
        "echo \"$0: /lib/libc.so.6: version \\`GLIBC_2.39' not found (required by $0)\" >&2; exit 1",
    );
    let silent = script("silent", "sleep 1000");
    let hostile = script("hostile", "printf '\\033[31mred\\n' >&2; exit 7");
    let worker = worker().display().to_string();
    for (place, said) in [
        (
            format!("via = [\"env\"]\nworker = {later:?}"),
            "has version 9.1 (protocol 999), and this is",
        ),
        (
            format!("via = [\"env\"]\nworker = {older:?}"),
            "copy this version's `address-spaces-worker` there",
        ),
        (format!("via = [\"env\"]\nworker = {chatty:?}"), "prints what no worker prints"),
        (
            format!("via = [\"env\"]\nworker = {silent:?}"),
            "printed nothing for 20 s: is the program there `address-spaces-worker`?",
        ),
        (
            format!("via = [\"env\"]\nworker = {hostile:?}"),
            "is `address-spaces-worker` there, and can it be started?",
        ),
        (
            format!("via = [\"env\"]\nworker = {newer:?}"),
            "the C library there is older than the one this program was built with: build it on an \
             equally old system",
        ),
        ("via = [\"env\"]\nworker = \"/no/such\"".to_owned(), "(exit status: 127)"),
        ("via = [\"no-such-command\"]".to_owned(), "`no-such-command`: No such file"),
        (
            format!("via = [\"env\"]\nworker = {worker:?}\nroot = \"/no/such/root\""),
            "entering the root folder",
        ),
        ("root = \"/no/such/root\"".to_owned(), "entering the root folder"),
        (format!("worker = {worker:?}"), "`worker` is the program that the command `via` starts"),
    ] {
        fs::write(&file, format!("{place}\n{}", device_file("pocl.icd", ""))).unwrap();
        let selection = ["--rule", "string-literal/write", "--dialect", "cl12"];
        let output = runner_with(&[&["--device", &file], &selection[..]].concat(), &[]);
        check_status(&output, 2)?;
        let said_here = text(&output);
        assert!(said_here.contains(said) && !said_here.contains('\u{1b}'), "{place}: {said_here}");
    }
    Ok(())
}

/// A runner that is killed leaves no worker behind, wherever that was.
pub(crate) fn nothing_is_left_elsewhere() -> Result<(), Failed> {
    let folder = open_folder();
    let program = folder.path().join("a-worker-of-its-own");
    fs::copy(worker(), &program).unwrap();
    let file = folder.path().join("device.toml");
    let place =
        format!("via = [\"setsid\", \"--wait\"]\nworker = {:?}", program.display().to_string());
    fs::write(&file, format!("{place}\n{}", device_file("pocl.icd", ""))).unwrap();
    let mut runner = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .args(["--dialect", "cl12", "--device"])
        .arg(&file)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let running = || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let links = processes.filter_map(|entry| fs::read_link(entry.path().join("exe")).ok());
        links.filter(|exe| *exe == program).count()
    };
    let wait = |holds: &dyn Fn() -> bool| {
        let deadline = Instant::now() + Duration::from_mins(1);
        while !holds() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        holds()
    };
    // Who supervises, and who has the driver.
    assert!(wait(&|| running() >= 2), "no worker was started");
    runner.kill().unwrap();
    runner.wait().unwrap();
    if wait(&|| running() == 0) { Ok(()) } else { Err(format!("{} are left", running()).into()) }
}
