//! `address-spaces check` is the checker's own program: each option gives the same output and the same exit status.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    collections::BTreeSet,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

use runner::cli::help::command;

/// The checker's own program, built beside this one.
static CHECKER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_BIN_EXE_address-spaces")).parent().unwrap();
    let built = Command::new(env!("CARGO"))
        // With the runner beside it, its libraries have the features that the tests were built with.
        .args(["build", "--quiet", "--locked", "--offline", "-p", "checker", "-p", "runner"])
        .env("CARGO_TARGET_DIR", folder.parent().unwrap())
        .status();
    assert!(built.unwrap().success(), "the checker cannot be built");
    folder.join("address-spaces-check")
});

const WRONG: &str = "/* é */ kernel void k(global int *g) {\n  local int *l = g;\n  *l = N;\n}\n";
const RIGHT: &str = "kernel void k(global int *g) { *g = 1; }\n";
const MENDED: &str = "struct s { global int a; };\n";

/// A command line, and the options of it that it tries. `-D N` is what the wrong file needs.
const LINES: [&str; 27] = [
    "right.cl",
    "wrong.cl",
    "",
    "missing.cl",
    "folder right.cl",
    "-D N wrong.cl",
    "-D N -U N wrong.cl",
    "-I folder right.cl",
    "--std CL1.2 -D N wrong.cl",
    "--std CL9 right.cl",
    "-cl-std=CL1.2 -cl-mad-enable right.cl",
    "--features none right.cl",
    "--features=-pipes -D N wrong.cl",
    "--fix fixed.cl",
    "--diff mended.cl",
    "--diff --format json mended.cl",
    "--objects right.cl",
    "--without conversion/implicit -D N wrong.cl",
    "--deny warnings right.cl",
    "--max-tokens 3 right.cl",
    "--format sarif -D N wrong.cl",
    "--format github -D N wrong.cl right.cl",
    "--color always -D N wrong.cl",
    "--explain conversion/implicit",
    "--list-rules",
    "--completions bash",
    "--lsp",
];

/// Exit status, standard output and standard error.
type Answer = (i32, Vec<u8>, String);

fn answer(command: &mut Command, folder: &Path, line: &str, input: &str) -> Answer {
    for (name, text) in [("fixed.cl", MENDED), ("mended.cl", MENDED)] {
        fs::write(folder.join(name), text).unwrap();
    }
    let mut child = command
        .args(line.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may not read it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), output.stdout, errors)
}

/// Returns the answers of both programs, which must be the same except for the name.
#[track_caller]
fn check(line: &str, input: &str) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    for (name, text) in [("wrong.cl", WRONG), ("right.cl", RIGHT), ("folder/a.cl", RIGHT)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let own = answer(&mut Command::new(&*CHECKER), folder.path(), line, input);
    let mut program = Command::new(env!("CARGO_BIN_EXE_address-spaces"));
    let (status, output, errors) = answer(program.arg("check"), folder.path(), line, input);
    let errors = errors.replace("address-spaces check", "address-spaces-check");
    assert_eq!((status, &output, &errors), (own.0, &own.1, &own.2), "{line}");
    own
}

/// A session of an editor that opens a file and leaves.
fn session() -> String {
    let messages = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///k.cl","languageId":"opencl","version":1,"text":"struct s { global int a; };"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","method":"exit"}"#,
    ];
    messages.map(|text| format!("Content-Length: {}\r\n\r\n{text}", text.len())).concat()
}

#[test]
fn each_option_does_what_it_does_in_the_own_program() {
    let mut statuses = BTreeSet::new();
    for line in LINES {
        let input = if line == "--lsp" { session() } else { String::new() };
        let (status, output, errors) = check(line, &input);
        assert!(!output.is_empty() || !errors.is_empty(), "{line}");
        statuses.insert(status);
    }
    assert_eq!(statuses, [0, 1, 2].into());
    let (status, ..) = check("-", RIGHT);
    assert_eq!(status, 0);
}

/// An option that is added has a line above.
#[test]
fn every_option_is_tried() {
    let command = command();
    let check = command.find_subcommand("check").unwrap();
    let tried: BTreeSet<&str> = LINES.iter().flat_map(|line| line.split([' ', '='])).collect();
    for option in check.get_arguments().filter(|option| !option.is_hide_set()) {
        let long = option.get_long().map(|long| format!("--{long}"));
        let short = option.get_short().map(|short| format!("-{short}"));
        let is_tried = [long, short].iter().flatten().any(|name| tried.contains(name.as_str()));
        assert!(is_tried || option.is_positional(), "{option} is not tried");
    }
}

/// Nothing but messages of the protocol goes to standard output.
#[test]
fn the_language_server_alone_writes_to_standard_output() {
    let (status, output, errors) = check("--lsp", &session());
    assert_eq!((status, errors.as_str()), (0, ""));
    let mut rest = output.as_slice();
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let end = rest.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        let head = str::from_utf8(&rest[..end]).unwrap();
        let length: usize = head.strip_prefix("Content-Length: ").unwrap().parse().unwrap();
        let message = &rest[end + 4..end + 4 + length];
        messages.push(serde_json::from_slice::<serde_json::Value>(message).unwrap());
        rest = &rest[end + 4 + length..];
    }
    let methods: Vec<_> =
        messages.iter().filter_map(|message| message["method"].as_str()).collect();
    assert_eq!(methods, ["textDocument/publishDiagnostics"], "{messages:?}");
    assert_eq!(messages[1]["params"]["diagnostics"][0]["code"], "member/qualified");
}

#[test]
fn help_calls_it_by_its_name_here() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_address-spaces"));
    let (status, output, _) = answer(program.arg("check"), folder.path(), "--help", "");
    let help = String::from_utf8(output).unwrap();
    assert_eq!(status, 0);
    assert!(help.contains("address-spaces check --std CL1.2 -I include *.cl"), "{help}");
    assert!(help.contains("Usage: address-spaces check [OPTIONS] [FILE]..."), "{help}");
}
