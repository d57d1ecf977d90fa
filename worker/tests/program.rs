//! The program that is copied to where a driver is.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_address-spaces-worker"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn must_end(mut child: Child) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn it_says_who_it_is_and_ends_with_its_input() {
    let mut child = start(&[]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let expected =
        format!("{{\"hello\":{{\"protocol\":4,\"version\":\"{}\"}}}}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(line, expected);
    drop(child.stdin.take());
    must_end(child);
}

#[test]
fn what_is_no_order_ends_it() {
    let mut child = start(&["supervise"]);
    child.stdin.as_mut().unwrap().write_all(b"{\"build\":null}\n").unwrap();
    must_end(child);
}

#[test]
fn words_that_mean_nothing_are_told() {
    for (words, said) in [
        (&["no-such"][..], "no such command: no-such"),
        (&["--root", "/no/such"], "entering the root folder /no/such: No such file"),
    ] {
        let output = start(words).wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && text.contains(said), "{text}");
    }
}
