//! Compilers that are scripts of the shell.

use std::sync::PoisonError;

use super::*;
use crate::{builder::Output, module::Form, processes::CHILDREN};

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
    let dump = "Stack dump:\n3  libc.so.6 0x1\n4  libx.so.1 0x2 x::f(int) + 148\n";
    for (signal, log, detail) in
        [(11, "", "SIGSEGV"), (11, dump, "SIGSEGV in libx.so.1: x::f"), (6, dump, "SIGABRT")]
    {
        let killed = super::verdict(ExitStatus::from_raw(signal), log, &[]);
        assert_eq!(killed, (B::Crashed, detail.to_owned()));
    }
}

#[test]
fn what_a_device_has_is_read_from_what_is_printed() {
    let name = |name: &str, major, minor| (name.to_owned(), NamedVersion { major, minor });
    let both = vec![name("OpenCL C", 1, 2), name("__opencl_c_fp64", 3, 0)];
    for (text, expected) in [
        ("\"OpenCL C\":1.2.0 __opencl_c_fp64:3.0.0 \n", Some(both)),
        ("cl_khr_fp16:1.0", Some(vec![name("cl_khr_fp16", 1, 0)])),
        ("", None),
        ("Could not determine device target: x.\nError: Cannot get HW Info", None),
        ("a:1.0.0 and more", None),
        ("\"a:1.0.0", None),
        (":1.0", None),
        ("a:1", None),
    ] {
        assert_eq!(named_versions(text), expected, "{text}");
    }
}

#[test]
fn a_compiler_is_asked_for_its_versions() {
    let _alone = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
    let shell = |text: &str| ["sh", "-c", text].map(str::to_owned).to_vec();
    let version = |text: &&str| (NamedVersion { major: 3, minor: 0 }, shell(text));
    let open = |asked: &CapabilityQuery| {
        let versions = |device: CommandDevice| device.capabilities.opencl_c_versions;
        let opened = CommandDevice::open("sh", &shell("echo 1"), &[], asked);
        opened.map(|device| versions(device).len()).map_err(|error| error.to_string())
    };
    let versions = |tried: &[&str]| {
        let newest_first = tried.iter().map(version).collect();
        open(&CapabilityQuery::Versions { newest_first, cxx: Vec::new() })
    };
    assert_eq!(open(&CapabilityQuery::Nothing), Ok(0));
    assert_eq!(versions(&["exit 1", "true", "exit 1"]), Ok(2));
    assert_eq!(versions(&["true"]), Ok(1));
    let none = versions(&["echo bad; exit 1"]).unwrap_err();
    assert!(none.contains("accepts no program in any version") && none.contains("bad"), "{none}");
    // A compiler that dies has not shown that it does not have the version.
    assert!(versions(&["kill -SEGV $$", "true"]).unwrap_err().contains("SIGSEGV"));
    let of_cxx = |tried: &[&str]| {
        let cxx = tried.iter().map(version).collect();
        let newest_first = vec![version(&"true")];
        let asked = CapabilityQuery::Versions { newest_first, cxx };
        let opened = CommandDevice::open("sh", &shell("echo 1"), &[], &asked);
        opened.map(|device| device.capabilities.cxx_for_opencl_versions.len())
    };
    assert_eq!(of_cxx(&["exit 1", "true"]).unwrap(), 1);
    assert_eq!(of_cxx(&["exit 1", "exit 1"]).unwrap(), 0);
    assert!(of_cxx(&["kill -SEGV $$"]).unwrap_err().to_string().contains("SIGSEGV"));
    let command = shell("touch left; echo {query}:3.0.0");
    assert_eq!(open(&CapabilityQuery::Query { command }), Ok(1));
    let unknown = open(&CapabilityQuery::Query { command: shell("echo Error: no such device") });
    assert!(unknown.unwrap_err().contains("no such device"));
}

/// Checks the answers to builds by a compiler with its steps, all of them the shell.
fn check(code: &Code, expected: (BuildStatus, Phase, &str), phases: &[Phase]) {
    let _alone = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let capabilities = Capabilities::default();
    let (file, scratch) = (folder.path().join("kernel.cl"), folder.path().join(SCRATCH));
    let mut device = CommandDevice { capabilities, file, scratch, rejects_with: Vec::new() };
    let shell = |text: &str| ["sh", "-c", text].map(str::to_owned).to_vec();
    let mut build = |source: &str, code: &Code| {
        let request = BuildRequest {
            form: Form::Source,
            options: shell("! grep bad {file}"),
            source: source.to_owned(),
            log_limit: 100,
            code: code.clone(),
            runs: Vec::new(),
            output: None,
        };
        let mut begun = Vec::new();
        let answer = device.build(&request, &mut |phase| begun.push(phase));
        (answer, begun)
    };
    // What this one leaves behind is not output of the next.
    let leave = Step {
        name: "leave".to_owned(),
        command: shell("touch {scratch}/left"),
        rejects_with: Vec::new(),
    };
    build("x", &Code::Asked { by: vec![leave] });
    let (answer, begun) = build("good", code);
    assert_eq!((answer.status, answer.phase, answer.detail.as_str()), expected, "{answer:?}");
    assert_eq!(begun, phases);
    let (answer, begun) = build("bad", code);
    assert_eq!((answer.status, answer.phase), (BuildStatus::Rejected, Phase::Build));
    assert_eq!((answer.log.as_str(), begun.len()), ("bad\n", 0));
}

#[test]
fn what_emits_its_module_is_not_compiled_twice() {
    let _alone = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let (file, scratch) = (folder.path().join("kernel.cl"), folder.path().join(SCRATCH));
    let capabilities = Capabilities::default();
    let mut device = CommandDevice { capabilities, file, scratch, rejects_with: Vec::new() };
    let shell = |text: &str| ["sh", "-c", text].map(str::to_owned).to_vec();
    let step = |name: &str, text: &str| Step {
        name: name.to_owned(),
        command: shell(text),
        rejects_with: Vec::new(),
    };
    let mut build = |emits: &str, compiles: &str, then: &[Step]| {
        let by = Some(step("IR generation", emits));
        let request = BuildRequest {
            form: Form::Source,
            options: shell(compiles),
            source: "x".to_owned(),
            log_limit: 100,
            code: Code::Asked { by: then.to_vec() },
            runs: Vec::new(),
            output: Some(Output { file: "{scratch}/kernel.ll".to_owned(), by }),
        };
        let BuildAnswer { status, phase, detail, output, .. } = device.build(&request, &mut |_| ());
        (status, phase, detail, String::from_utf8(output).unwrap())
    };
    let emits = "echo module > {scratch}/kernel.ll";
    let module = "module\n".to_owned();
    let accepted = |phase| (BuildStatus::Accepted, phase, String::new(), module.clone());
    let then = [step("back end", "test -e {scratch}/kernel.ll")];
    assert_eq!(build(emits, "exit 7", &[]), accepted(Phase::Build));
    assert_eq!(build(emits, "exit 7", &then), accepted(Phase::GenerateCode));
    let failed = |status, phase, detail: &str| (status, phase, detail.to_owned(), String::new());
    let rejected = failed(BuildStatus::Rejected, Phase::Build, "exit status 2");
    assert_eq!(build("exit 3", "exit 2", &[]), rejected);
    let of_emission = "IR generation: exit status 3";
    let unemitted = failed(BuildStatus::Rejected, Phase::GenerateCode, of_emission);
    assert_eq!(build("exit 3", "true", &[]), unemitted);
    // A step of the device's own has more information.
    let of_step = failed(BuildStatus::Rejected, Phase::GenerateCode, "back end: exit status 1");
    assert_eq!(build("exit 3", "true", &then), of_step);
}

#[test]
fn steps_are_taken_in_order_until_one_fails() {
    let step = |name: &str, text: &str| Step {
        name: name.to_owned(),
        command: ["sh", "-c", text].map(str::to_owned).to_vec(),
        rejects_with: vec![245],
    };
    let asked = |steps: &[Step]| Code::Asked { by: steps.to_vec() };
    let write = step("write", "grep good {file} > {scratch}/kernel.bc");
    let read = step("read", "cat {scratch}/kernel.bc; ! test -e {scratch}/left");
    let taken = (BuildStatus::Accepted, Phase::GenerateCode, "");
    check(&asked(&[write.clone(), read.clone()]), taken, &[Phase::GenerateCode]);
    check(&asked(&[]), (BuildStatus::Accepted, Phase::Build, ""), &[]);
    check(&Code::NotAsked, (BuildStatus::Accepted, Phase::Build, ""), &[]);
    for (text, status, detail) in [
        ("exit 3", BuildStatus::Rejected, "back end: exit status 3"),
        ("exit 245", BuildStatus::Rejected, "back end: exit status 245"),
        ("kill -ABRT $$", BuildStatus::Crashed, "back end: SIGABRT"),
        ("exit 139", BuildStatus::Crashed, "back end: exit status 139: SIGSEGV"),
        (
            "exec no-such-program",
            BuildStatus::Failed,
            "back end: exit status 127: the compiler, or a program it needs, could not be started",
        ),
    ] {
        let steps = asked(&[write.clone(), step("back end", text), step("never", "kill $PPID")]);
        check(&steps, (status, Phase::GenerateCode, detail), &[Phase::GenerateCode]);
    }
    let missing = Step { command: vec!["/no/such/program".to_owned()], ..read };
    let detail = "read: cannot run it: No such file or directory (os error 2)";
    let failed = (BuildStatus::Failed, Phase::GenerateCode, detail);
    check(&asked(&[missing]), failed, &[Phase::GenerateCode]);
}
