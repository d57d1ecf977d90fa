//! The command line as users see it: bad input gets one clear line and the right exit status.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::process::{Command, Output};

fn runner(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_address-spaces")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs, and compares exit status and standard error with the expected ones.
fn check_rejected(arguments: &[&str], status: i32, said: &str) {
    let output = runner(arguments);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{stderr}");
    assert!(stderr.contains(said), "{arguments:?}\n{stderr}");
    assert!(!stderr.contains("panicked"), "{arguments:?}\n{stderr}");
}

#[test]
fn rules_are_found_by_their_former_names() {
    let answer = |arguments: &[&str]| {
        let output = runner(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    for (old, new) in [
        (&["show", "run/barrier/cl12/flags=both"][..], "execution/barrier/cl12/flags=both"),
        (&["explain", "code/null-pointer"], "codegen/null-pointer-conversions"),
        (
            &["list", "--exact", "run/barrier/cl12/flags=both"],
            "execution/barrier/cl12/flags=both\n",
        ),
        (&["list", "--rule", "runtime", "--dialect", "cl12"], "codegen/null-pointer-tests/cl12/"),
        (&["list", "--rule", "run/barrier"], "execution/barrier/cl12/flags=both\n"),
        (&["list", "--rule", "execution/"], "execution/barrier/cl12/flags=both\n"),
        (&["list", "run/barrier/cl12"], "execution/barrier/cl12/flags=both\n"),
    ] {
        let found = answer(old);
        assert!(found.contains(new), "{old:?}\n{found}");
        assert!(!found.contains("run/barrier"), "{old:?}\n{found}");
    }
}

#[test]
fn what_selects_nothing_is_rejected_with_what_was_meant() {
    check_rejected(
        &["no-such-case-anywhere"],
        3,
        "no case matches the filter `no-such-case-anywhere`",
    );
    check_rejected(
        &["conversion/*/cl12"],
        3,
        "no case matches the filter `conversion/*/cl12`; a filter is a part of an id, and `*` in \
         it is not a pattern",
    );
    check_rejected(&["--rule", "conversion/implict"], 3, "did you mean `conversion/implicit`?");
    check_rejected(
        &["--exact", "conversion/implicit"],
        3,
        "it reads family/rule/dialect/axis=value,...",
    );
    check_rejected(
        &["--exact", "conversion/implicit/cl13/form=assign"],
        3,
        "`cl13` is not a dialect; did you mean `cl1",
    );
    check_rejected(
        &["--exact", "conversion/implicit/cl12/form=asign"],
        3,
        "in cl12: `asign` is not a value of the axis `form`; did you mean `assign`?",
    );
    let typed = "string-literal/use/cl12/constness=const,form=argument,literal=plain,to=constant";
    let turned = "string-literal/use/cl12/to=constant,literal=plain,form=argument,constness=const";
    let found = text(&runner(&["list", "--exact", turned]).stdout);
    assert_eq!(found, format!("{typed}\n"));
    for (point, said) in [
        ("frm=argument", "`frm` is not an axis of this rule; did you mean `form`?"),
        ("form=argument", "the axis `constness` is missing"),
        ("form", "`form` reads axis=value"),
        ("form=argument,form=argument", "the axis `form` is given twice"),
    ] {
        check_rejected(&["show", &format!("string-literal/use/cl12/{point}")], 3, said);
    }
    check_rejected(&["show", "conversion/implict"], 3, "did you mean `conversion/implicit`?");
    check_rejected(&["show", "a/b/c/d"], 3, "`a/b` is not a rule");
    check_rejected(&["explain", "conversion/implict"], 3, "did you mean `conversion/implicit`?");
    check_rejected(&["explain", "clang.toml:1"], 3, "no baseline entry at line 1 or before it");
    check_rejected(&["explain", "no/such.toml:1"], 2, "no/such.toml");
}

#[test]
fn words_that_read_like_commands_are_answered_with_what_does_it() {
    for (typed, status, said) in [
        (&["test"][..], 2, "`address-spaces run` runs the suite"),
        (&["audit"], 2, "`address-spaces dev audit` is one"),
        (&["adequcy"], 3, "did you mean `address-spaces dev adequacy`?"),
        (&["showw", "ID"], 2, "`showw` is not a command; did you mean `address-spaces show`?"),
        (&["showw"], 3, "did you mean `address-spaces show`?"),
        (&["--list"], 2, "`address-spaces list` prints the ids of cases"),
        (&["chekc"], 3, "did you mean `address-spaces check`?"),
        (&["check"], 2, "address-spaces check: no file is named"),
        (&["cases"], 2, "`address-spaces list` prints them"),
        (&["rules"], 2, "`address-spaces explain` lists them"),
        (&["version"], 2, "`address-spaces --version` prints it"),
        (&["devcies"], 3, "did you mean `address-spaces devices`?"),
        (&["comapre"], 3, "did you mean `address-spaces compare`?"),
        (&["explian"], 3, "did you mean `address-spaces explain`?"),
        (&["explain", "convrsion"], 3, "did you mean `conversion`?"),
        (&["explain", "nonsense"], 3, "`address-spaces explain` lists the families"),
        (&["devices", "pokl"], 2, "did you mean `pocl`?"),
    ] {
        check_rejected(typed, status, said);
    }
}

#[test]
fn what_there_is_is_listed_where_an_id_is_left_out_or_half_of_one() {
    for (asked, line) in [
        (&["explain"][..], "conversion      "),
        (&["show"], "conversion      "),
        (&["explain", "conversion"], "conversion/implicit  "),
        (&["explain", "conversion/"], "conversion/implicit  "),
        (&["show", "conversion"], "conversion/implicit  "),
        (&["show", "conversion/implicit"], "conversion/implicit/cl12/"),
        (&["explain", "conversion/implicit"], "conversion/implicit\n"),
        (&["--version"], "address-spaces "),
        (&["explain", "expectations/front-ends/clang.toml:30"], "reason    "),
        (&["explain", "clang.toml:30"], "expectations/front-ends/clang.toml:"),
        (&["explain", "devices/pocl.toml:1000"], "example   address-spaces show "),
    ] {
        let output = runner(asked);
        assert!(output.status.success(), "{asked:?}: {}", text(&output.stderr));
        let printed = text(&output.stdout);
        let found = printed.lines().any(|printed| format!("{printed}\n").starts_with(line));
        assert!(found, "{asked:?}: no line begins with {line:?} in\n{printed}");
        // Nothing is cut where it goes into a pipe.
        let cut = printed.lines().find(|line| line.ends_with("..."));
        assert!(cut.is_none(), "{asked:?}: {cut:?}");
    }
}

/// A program whose answers are known is shown with what it is given, launched with and must leave behind.
#[test]
fn a_random_program_is_shown_with_its_answers() {
    let shown = text(&runner(&["show", "random/run/cl12/seed=99"]).stdout);
    let (_, run_with) = shown.split_once("\nrun with\n").unwrap_or_else(|| panic!("{shown}"));
    for part in
        ["4 work-items in groups of 1", " begins with ", "bytes of local memory", " must be "]
    {
        assert!(run_with.contains(part), "no {part:?} in\n{run_with}");
    }
    let built = text(&runner(&["show", "random/valid/cl12/seed=99"]).stdout);
    assert!(!built.contains("run with"), "{built}");
}

#[test]
fn unknown_names_and_values_are_rejected() {
    check_rejected(&["--device", "pokl"], 2, "unknown device `pokl`; did you mean `pocl`?");
    check_rejected(&["--device", "platform:"], 2, "needs a platform's name after it");
    check_rejected(&["--device", "platform:Acme\u{1b}[31m"], 2, "called `Acme\\u{1b}[31m`");
    check_rejected(&["--dialect", "cl13"], 2, "no such dialect; did you mean");
    check_rejected(&["--shard", "3/2"], 2, "a shard is K/N with 1 <= K <= N");
    check_rejected(&["convert", "/no/such/folder", "--to", "tap"], 2, "/no/such/folder");
    check_rejected(
        &["convert", ".", "--to", "html"],
        2,
        "[possible values: junit, tap, sarif, markdown]",
    );
    check_rejected(&["--timeout", "0"], 2, "a number of seconds between");
    check_rejected(&["--no-such-flag"], 2, "unexpected argument");
    check_rejected(
        &["--baseline", "/no/such/file.toml", "--rule", "conversion/implicit"],
        2,
        "/no/such/file.toml",
    );
    check_rejected(
        &["--junit", "/no/such/folder/x.xml", "--rule", "conversion/implicit"],
        2,
        "there is no folder /no/such/folder for /no/such/folder/x.xml: create it first",
    );
    check_rejected(
        &["--junit", "/", "--rule", "conversion/implicit"],
        2,
        "/ is a folder: name a file in it",
    );
    check_rejected(
        &["--results", "/etc/passwd", "--rule", "conversion/implicit"],
        2,
        "cannot keep results in /etc/passwd: it is a file; name a folder",
    );
    check_rejected(
        &["--logfile", "/no/such/folder/log", "--rule", "conversion/implicit"],
        2,
        "/no/such/folder/log",
    );
}

#[test]
fn what_works_on_one_device_rejects_several() {
    check_rejected(&["--device", "all", "--device", "checker"], 2, "do not name another");
    check_rejected(
        &["--device", "checker", "--device", "pocl", "--baseline", "x.toml"],
        2,
        "name one device",
    );
    check_rejected(&["dev", "audit", "--device", "checker", "--device", "pocl"], 2, "name one");
}

#[test]
fn escape_sequences_in_arguments_do_not_reach_the_terminal() {
    let output = runner(&["--device", "\u{1b}[31mred"]);
    assert!(!text(&output.stderr).contains('\u{1b}'), "{:?}", text(&output.stderr));
}

#[test]
fn listing_is_complete_and_the_same_every_time() {
    let first = runner(&["list"]);
    assert!(first.status.success());
    assert_eq!(first.stdout, runner(&["list"]).stdout);
    let listing = text(&first.stdout);
    let cases = listing.lines().count();
    assert!(cases >= 1500, "{cases} cases");
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .arg("list")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn a_case_is_shown_whole() {
    let id = "conversion/implicit/cl12/";
    let listing = text(&runner(&["list", id]).stdout);
    let line = listing.lines().find(|line| line.contains(id)).unwrap();
    let case = line.trim_end_matches(": test");
    let shown = text(&runner(&["show", case]).stdout);
    for part in [case, "expectation", "clause", "-cl-std=CL1.2", "kernel void"] {
        assert!(shown.contains(part), "{part} is missing in\n{shown}");
    }
}

#[test]
fn help_has_examples_and_exit_statuses() {
    let help = text(&runner(&["run", "--help"]).stdout);
    for part in ["Examples:", "Exit status:", "--device", "--install", "--shard"] {
        assert!(help.contains(part), "{part}\n{help}");
    }
}

/// The completions of the last of these words in bash, with the printed script.
fn completed_by_bash(words: &[&str]) -> Vec<String> {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_address-spaces"));
    let script = text(&runner(&["completions", "bash"]).stdout);
    let asked = r#"COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_TYPE=9
        _clap_complete_address_spaces address-spaces "${@: -1}" ""; printf '%s\n' "${COMPREPLY[@]}""#;
    let output = Command::new("bash")
        .args(["--norc", "-c", &format!("{script}\n{asked}"), "bash", "address-spaces"])
        .args(words)
        .env("PATH", format!("{}:/usr/bin:/bin", program.parent().unwrap().display()))
        .output()
        .unwrap();
    text(&output.stdout).split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_shell_completes_devices_rules_dialects_causes_and_cases() {
    for (words, expected) in [
        (&["--device", "oclg"][..], &["oclgrind"][..]),
        (&["--dialect", "cl31-generic"], &["cl31-generic", "cl31-generic-globals"]),
        (&["--rule", "string-l"], &["string-literal/"]),
        (&["--rule", "string-literal/u"], &["string-literal/use"]),
        (&["explain", "conversion/implicit-"], &[]),
        (
            &["string-literal/printf-format/cl3"],
            &[
                "string-literal/printf-format/cl30/",
                "string-literal/printf-format/cl30-generic/",
                "string-literal/printf-format/cl30-globals/",
                "string-literal/printf-format/cl30-generic-globals/",
                "string-literal/printf-format/cl31/",
                "string-literal/printf-format/cl31-generic/",
                "string-literal/printf-format/cl31-globals/",
                "string-literal/printf-format/cl31-generic-globals/",
            ],
        ),
        (&["show", "execution/barrier/cl12/flags=b"], &["execution/barrier/cl12/flags=both"]),
        (
            &["blame", "--device", "pocl", "string-literal/printf-f"],
            &["string-literal/printf-format/"],
        ),
        (&["handover", "--cause", "oclgrind-v"], &["oclgrind-value-for-local"]),
        (&["show", "no-such-family/rule/cl12/x"], &[]),
    ] {
        assert_eq!(completed_by_bash(words), expected, "{words:?}");
    }
}

/// Two runs of a family on the checker, the second with `edit` done to its results file.
fn two_runs(edit: impl Fn(&str) -> String) -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (old, new) = (path("old"), path("new"));
    assert!(runner(&["--rule", "attribute", "--results", &old]).status.success());
    std::fs::create_dir(&new).unwrap();
    let results = std::fs::read_to_string(format!("{old}/results.jsonl")).unwrap();
    std::fs::write(format!("{new}/results.jsonl"), edit(&results)).unwrap();
    (folder, old, new)
}

#[test]
fn comparing_ends_with_a_status_that_says_whether_something_got_worse() {
    let worse = |results: &str| {
        results.replacen(
            r#""finding":{"kind":"pass","reason":"as-expected"}"#,
            r#""finding":{"kind":"crash","reason":"driver-died"}"#,
            1,
        )
    };
    let torn = |results: &str| results[..results.len() / 2].to_owned();
    for (edit, status, said) in [
        (&str::to_owned as &dyn Fn(&str) -> String, 0, "checker: no regression from"),
        (&worse, 1, "checker: 1 regression from"),
    ] {
        let (_folder, old, new) = two_runs(edit);
        let output = runner(&["compare", &old, &new]);
        let stdout = text(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{stdout}");
        assert!(stdout.contains(said), "{stdout}");
        assert_eq!(
            runner(&["compare", &old, &new, "--format", "json"]).status.code(),
            Some(status)
        );
    }
    let (_folder, old, new) = two_runs(torn);
    check_rejected(&["compare", &old, &new], 2, "is not intact: it did not reach its end");
    check_rejected(&["compare", "/no/such", "/no/such"], 2, "/no/such");
}

/// The results of a whole run, and the reported fault after each of these changes to a file of them.
#[test]
fn results_that_are_not_whole_are_an_error_unless_they_are_asked_for() {
    let some = |results: &str| {
        let lines: Vec<&str> = results.lines().collect();
        let (last, cases) = (lines.len() - 1, lines.len() / 2);
        format!("{}\n{}\n", lines[..cases].join("\n"), lines[last])
    };
    let doubled = |results: &str| {
        let case = results.lines().nth(1).unwrap();
        results.replacen(case, &format!("{case}\n{case}"), 1)
    };
    let damaged = |results: &str| {
        let case = results.lines().nth(3).unwrap();
        results.replacen(case, &case[..case.len() / 2], 1)
    };
    let torn = |results: &str| results[..results.len() / 2].to_owned();
    for (edit, said) in [
        (&torn as &dyn Fn(&str) -> String, "it did not reach its end: "),
        (&some, "it was changed after its end: "),
        (&doubled, "1 case is in it more than once"),
        (&damaged, "1 line in it is damaged"),
    ] {
        let (folder, old, new) = two_runs(edit);
        let file = |name: &str| folder.path().join(name).display().to_string();
        let (site, history, junit) = (file("site"), file("history.sqlite"), file("junit.xml"));
        for command in [
            vec!["judge", &new],
            vec!["compare", &old, &new],
            vec!["report", &new, "--into", &site],
            vec!["convert", &new, "--to", "markdown"],
            vec!["convert", &new, "--to", "junit", "--output", &junit],
            vec!["history", "add", &new, "--history", &history],
        ] {
            check_rejected(&command, 2, said);
            let output = runner(&[&command[..], &["--partial"]].concat());
            let stdout = text(&output.stdout);
            assert_eq!(output.status.code(), Some(0), "{command:?} {}", text(&output.stderr));
            let written = match command[0] {
                "report" => std::fs::read_to_string(format!("{site}/index.html")).unwrap(),
                "convert" if command.contains(&"junit") => std::fs::read_to_string(&junit).unwrap(),
                _ => stdout,
            };
            let lower = written.to_lowercase();
            assert!(lower.contains("partial results"), "{command:?} {written}");
            assert!(written.contains(said.trim_end()), "{command:?} {written}");
        }
        let shown = text(&runner(&["history", "show", "--history", &history]).stdout);
        assert!(shown.contains("partial results: "), "{shown}");
        assert_eq!(runner(&["--rule", "attribute", "--resume", &new]).status.code(), Some(0));
        assert_eq!(runner(&["judge", &new]).status.code(), Some(0));
    }
}

#[test]
fn an_answer_that_is_lost_is_none() {
    let run = |line: &str| {
        let command = format!("\"$0\" {line}");
        let output = std::process::Command::new("bash")
            .args(["-o", "pipefail", "-c", &command, env!("CARGO_BIN_EXE_address-spaces")])
            .output()
            .unwrap();
        (output.status.code(), text(&output.stderr))
    };
    let rule = "--rule string-literal --dialect cl12";
    for line in [rule.to_owned(), format!("{rule} --format pretty"), format!("list {rule}")] {
        let (status, said) = run(&format!("{line} >/dev/full"));
        assert_eq!(status, Some(2), "{line}: {said}");
        assert!(said.contains("standard output cannot be written"), "{line}: {said}");
    }
    // A reader that closes the pipe after one line of a list has what it wanted.
    assert_eq!(run("list | head -1").0, Some(0));
}

#[test]
fn a_stored_run_that_tested_nothing_is_not_green() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("out").display().to_string();
    let run = runner(&["--rule", "execution/repeated-calls", "--results", &results]);
    for ended in [run, runner(&["judge", &results])] {
        assert_eq!(ended.status.code(), Some(2), "{}", text(&ended.stderr));
        assert!(text(&ended.stdout).contains("nothing tested"), "{}", text(&ended.stdout));
    }
}

#[test]
fn a_stored_run_is_judged_without_its_device() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("out").display().to_string();
    let rule = ["--rule", "conversion/implicit"];
    let run = runner(&[&rule[..], &["--results", &results]].concat());
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let again = runner(&["judge", &results]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert!(text(&again.stdout).contains("0 unexpected"), "{}", text(&again.stdout));

    let baseline = folder.path().join("baseline.toml");
    let device = std::fs::read_to_string("../expectations/devices/checker.toml").unwrap();
    let entry = "\n[[deviation]]\ncases = [\"conversion/implicit/*\"]\nfindings = [\"fail\"]\nkind = \"driver-bug\"\nreason = \"none\"\n";
    std::fs::write(&baseline, device + entry).unwrap();
    let stale = runner(&["judge", &results, "--baseline", &baseline.display().to_string()]);
    assert_eq!(stale.status.code(), Some(1), "{}", text(&stale.stderr));
    assert!(
        text(&stale.stdout).contains("its cases now behave as required"),
        "{}",
        text(&stale.stdout)
    );
    check_rejected(&["judge", &folder.path().join("nothing").display().to_string()], 2, "nothing");
}

#[test]
fn past_runs_tell_when_a_case_changed() {
    let later = |results: &str| {
        let day = results.find("\"begun\":\"").unwrap() + "\"begun\":\"".len();
        let later = format!("{}9999{}", &results[..day], &results[day + 4..]);
        later.replacen(
            r#""finding":{"kind":"pass","reason":"as-expected"}"#,
            r#""finding":{"kind":"crash","reason":"driver-died"}"#,
            1,
        )
    };
    let (folder, old, new) = two_runs(later);
    let history = folder.path().join("history.sqlite").display().to_string();
    let add = |run: &str| text(&runner(&["history", "add", run, "--history", &history]).stdout);
    assert!(add(&old).contains("added as the first"));
    assert!(add(&new).contains("added, 1 change"));
    assert!(add(&new).contains("already there"));
    let shown = text(&runner(&["history", "show", "--history", &history]).stdout);
    assert!(shown.contains("1 worse, 0 better"), "{shown}");
    let results = std::fs::read_to_string(format!("{new}/results.jsonl")).unwrap();
    let line = results.lines().find(|line| line.contains("driver-died")).unwrap();
    let case = line.split('"').skip_while(|part| *part != "id").nth(2).unwrap();
    let shown = text(&runner(&["history", "show", case, "--history", &history]).stdout);
    assert!(shown.contains("pass, now crash (the driver died)"), "{shown}");

    std::fs::write(format!("{new}/results.jsonl"), &results[..results.len() / 2]).unwrap();
    check_rejected(&["history", "add", &new, "--history", &history], 2, "did not reach its end:");
    check_rejected(&["history", "show", "--history", "/no/such"], 2, "/no/such");
    check_rejected(&["history", "show", "nosuch/case", "--history", &history], 3, "nosuch/case");
    let mut parts: Vec<&str> = case.split('/').collect();
    parts[2] = "cl13";
    let misspelt = parts.join("/");
    check_rejected(&["history", "show", &misspelt, "--history", &history], 3, "did you mean `cl1");
    check_rejected(&["report", &old, "--into", &new], 2, "name an empty or a new folder");
}
