//! Faults of a driver: the signal and the place are reported, for every cause of death.

#![expect(unsafe_code, reason = "calling functions of a library that nobody can vouch for")]

use std::{
    env::temp_dir,
    ffi::CString,
    mem,
    path::{Path, PathBuf},
    process::Command,
};

use expectations::outcome::OutcomeKind;
use libtest_mimic::{Failed, Trial};
use regex::Regex;

use crate::{
    misbehaving::{self, WORKER, job},
    support::run_all,
};

/// Call a function of a library, by its name.
pub(crate) fn call(library: &str, function: &str) {
    let [library, function] = [library, function].map(|name| CString::new(name).unwrap());
    // SAFETY: the names are text; the functions of `faulty.c` that are called take nothing and return nothing.
    unsafe {
        let handle = libc::dlopen(library.as_ptr(), libc::RTLD_NOW);
        assert!(!handle.is_null(), "{library:?} cannot be loaded");
        let address = libc::dlsym(handle, function.as_ptr());
        assert!(!address.is_null(), "{library:?} has no {function:?}");
        mem::transmute::<*mut libc::c_void, extern "C" fn()>(address)();
    }
}

/// The library, with no names but those it exports, as drivers are shipped.
fn faulty(folder: &Path) -> PathBuf {
    let library = folder.join("libfaulty.so");
    let built = Command::new("cc")
        .args(["-O1", "-fno-optimize-sibling-calls", "-w", "-s", "-shared", "-fPIC", "-pthread"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engine/faulty.c"))
        .arg("-o")
        .arg(&library)
        .status()
        .unwrap();
    assert!(built.success());
    library
}

/// The outcome of a driver that calls each function, and a pattern of the detail.
const DEATHS: [(&str, &str); 13] = [
    ("read_null", "SIGSEGV in libfaulty.so: read_null"),
    ("in_cpp", "SIGSEGV in libfaulty.so: driver::Pass::run"),
    ("in_hidden", r"SIGSEGV in libfaulty.so\+0x[0-9a-f]+ under in_hidden"),
    ("in_c_library", "SIGSEGV in libfaulty.so: in_c_library"),
    ("call_null", "SIGSEGV in libfaulty.so: call_null"),
    ("call_wild", "SIGSEGV in libfaulty.so: call_wild"),
    ("divide", "SIGFPE in libfaulty.so: divide"),
    ("trap", "SIGILL in libfaulty.so: trap"),
    ("send", "SIGSEGV in libfaulty.so: send"),
    ("overflow", "SIGSEGV: stack overflow in libfaulty.so"),
    ("in_thread", "SIGSEGV in libfaulty.so: read_null"),
    ("with_own_handler", "SIGSEGV in libfaulty.so: read_null"),
    ("in_generated_code", "SIGILL in generated code( under .*)?"),
];

fn places_are_told() {
    let folder = tempfile::tempdir_in(temp_dir()).unwrap();
    let library = faulty(folder.path());
    let jobs: Vec<_> = DEATHS
        .iter()
        .enumerate()
        .map(|(index, (function, _))| job(index, &format!("call {} {function}", library.display())))
        .collect();
    let run = run_all(&misbehaving::device(), &jobs, &misbehaving::quick(WORKER)).unwrap();
    for ((function, expected), record) in DEATHS.iter().zip(run.records.values()) {
        let outcome = &record.outcome;
        assert_eq!(outcome.kind, OutcomeKind::Crashed, "{function}: {outcome:?}");
        let expected = Regex::new(&format!("^{expected}$")).unwrap();
        assert!(expected.is_match(&outcome.detail), "{function}: {outcome:#?}");
    }
    let said = &run.records[&11].outcome.log;
    assert!(said.contains("LLVM ERROR: so much for that"), "{said}");
    // All running functions are reported, up to the worker itself.
    let told: Vec<&str> = run.records[&1].outcome.log.lines().collect();
    let end = Regex::new(concat!(
        r"^\[SIGSEGV\] in libfaulty.so\+0x[0-9a-f]+: _ZN6driver4Pass3runEPi;",
        r"\[SIGSEGV\] by libfaulty.so\+0x[0-9a-f]+: in_cpp;\[SIGSEGV\] by the worker$"
    ));
    let told = told[told.len().saturating_sub(3)..].join(";");
    assert!(end.unwrap().is_match(&told), "{told}");
}

pub(crate) fn trials() -> Vec<Trial> {
    let places = Trial::test("faults/places_are_told", || {
        places_are_told();
        Ok::<(), Failed>(())
    });
    vec![places]
}
