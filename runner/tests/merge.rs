//! Parts of runs joined: parts that belong together, and parts that are rejected and leave nothing behind.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use expectations::dialect::Dialect;

fn runner(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_address-spaces")).args(arguments).output().unwrap()
}

/// The results file of a run of a rule on the checker.
fn run(folder: &Path, name: &str, options: &[&str]) -> PathBuf {
    let part = folder.join(name);
    let results = ["--rule", "conversion/implicit", "--results", part.to_str().unwrap()];
    let output = runner(&[&results[..], options].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    part.join("results.jsonl")
}

/// Join `parts` below the folder; returns the joined file, or the message.
fn merge(folder: &Path, parts: &[&str]) -> Result<String, String> {
    let into = folder.join("into");
    let parts: Vec<String> =
        parts.iter().map(|part| folder.join(part).display().to_string()).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let output = runner(&[&["merge", "--into", into.to_str().unwrap()], &parts[..]].concat());
    if output.status.success() {
        let text = fs::read_to_string(into.join("results.jsonl")).unwrap();
        fs::remove_dir_all(&into).unwrap();
        return Ok(text);
    }
    assert_eq!(output.status.code(), Some(2));
    assert!(!into.exists(), "a rejected merge leaves something behind");
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The lines of cases, without the times, sorted.
fn cases(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.contains("\"record\":\"case\""));
    let mut cases: Vec<String> = lines
        .map(|line| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("seconds");
            line.to_string()
        })
        .collect();
    cases.sort();
    cases
}

fn selection(text: &str) -> String {
    let header: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    header["selection"].to_string()
}

#[test]
fn shards_and_dialects_make_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let whole = fs::read_to_string(run(folder, "whole", &[])).unwrap();
    let others = Dialect::ALL.iter().map(|dialect| dialect.name()).filter(|name| *name != "cl12");
    let others: Vec<&str> = others.flat_map(|name| ["--dialect", name]).collect();
    run(folder, "others", &others);
    for shard in ["1", "2", "3"] {
        run(folder, shard, &["--dialect", "cl12", "--shard", &format!("{shard}/3")]);
    }
    let joined = merge(folder, &["3", "others", "1", "2"]).unwrap();
    assert_eq!(cases(&joined), cases(&whole));
    assert_eq!(selection(&joined), selection(&whole));
    let ids: Vec<&str> = joined.lines().filter_map(|line| line.split("\"id\":\"").nth(1)).collect();
    assert!(ids.is_sorted(), "the cases of a joined run are in order");
    let some = merge(folder, &["1", "2", "3"]).unwrap();
    assert!(selection(&some).contains("\"--dialect\":\"cl12\""), "{}", selection(&some));
}

#[test]
fn what_does_not_belong_together_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, options) in [
        ("1", &["--shard", "1/2"][..]),
        ("2", &["--shard", "2/2"]),
        ("third", &["--shard", "1/3"]),
        ("other", &["--shard", "2/2", "--skip", "cl12"]),
        ("cl12", &["--dialect", "cl12"]),
        ("cl12-cl20", &["--dialect", "cl20", "--dialect", "cl12"]),
    ] {
        run(folder, name, options);
    }
    let change = |name: &str, from: &str, change: &dyn Fn(&str) -> String| {
        let text = fs::read_to_string(folder.join(from).join("results.jsonl")).unwrap();
        fs::create_dir(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("results.jsonl"), change(&text)).unwrap();
    };
    let line =
        |text: &str, number: usize| text.split_inclusive('\n').nth(number).unwrap().to_owned();
    change("unfinished", "2", &|text| {
        text.rsplit_once("{\"record\":\"end\"").unwrap().0.to_owned()
    });
    change("shorter", "2", &|text| text.replacen(&line(text, 5), "", 1));
    change("doubled", "2", &|text| text.replacen(&line(text, 5), &line(text, 6), 1));
    change("unreproduced", "2", &|text| {
        let found = "{\"record\":\"unreproduced\",\"cases\":[\"a\",\"b\"],\"what\":\"SIGSEGV\"}\n";
        text.replacen(&line(text, 5), &(line(text, 5) + found), 1)
    });
    for (parts, said) in [
        (&["1"][..], "missing: shard 2/2"),
        (&["1", "1", "2"], "are both shard 1/2"),
        (&["1", "third"], "is not a shard of 2: 1/3"),
        (&["1", "other"], "are not parts of one run: its --skip is \"cl12\", here it is not given"),
        (&["1", "unfinished"], "did not reach its end: resume it with `--resume"),
        (&["1", "shorter"], " cases: it was changed after it was written"),
        (&["1", "doubled"], "is in more than one part, or twice in one"),
        (&["cl12", "cl12-cl20"], "is in more than one part, or twice in one"),
        (&["nowhere"], "nowhere"),
    ] {
        let rejected = merge(folder, parts).unwrap_err();
        assert!(rejected.contains(said), "{parts:?}: {said} in\n{rejected}");
    }
    let joined = merge(folder, &["1", "unreproduced"]).unwrap();
    assert_eq!(joined.matches("\"record\":\"unreproduced\"").count(), 1);
}
