//! Hand-over packs built and run by others' compilers, and the export judged by another runner.

use std::{collections::BTreeMap, path::Path, process::Command};

use libtest_mimic::Failed;
use serde_json::Value;

use crate::support::{
    CC, CLANG, HEADERS, POCL, PYTHON, SID, SID_TRANSLATOR, Test, ensure, run, runner, runner_says,
};

pub(crate) const TESTS: [Test; 7] = [
    Test {
        name: "packs_show_their_findings_without_us",
        needs: &[CC, HEADERS, POCL],
        run: packs_show_their_findings_without_us,
    },
    Test {
        name: "a_pack_of_wrong_values_shows_them",
        needs: &[CC, HEADERS, POCL],
        run: a_pack_of_wrong_values_shows_them,
    },
    Test {
        name: "a_pack_of_a_pass_shows_no_deviation",
        needs: &[CC, HEADERS, POCL],
        run: a_pack_of_a_pass_shows_no_deviation,
    },
    Test {
        name: "an_issue_shows_its_cause_without_us",
        needs: &[CC, HEADERS, POCL],
        run: an_issue_shows_its_cause_without_us,
    },
    Test {
        name: "a_pack_has_the_module_that_the_driver_was_given",
        needs: &[CC, HEADERS, SID, SID_TRANSLATOR],
        run: a_pack_has_the_module_that_the_driver_was_given,
    },
    Test {
        name: "a_pack_gives_the_line_of_the_compiler",
        needs: &[CLANG],
        run: a_pack_gives_the_line_of_the_compiler,
    },
    Test {
        name: "another_runner_finds_the_same_by_the_export",
        needs: &[CLANG, PYTHON],
        run: another_runner_finds_the_same_by_the_export,
    },
];

/// A device file of the same driver, without any entries: everything is unexpected.
fn unknown_device(device: &str, folder: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../expectations/devices");
    let text = std::fs::read_to_string(root.join(format!("{device}.toml"))).unwrap();
    let end = text.find("[[deviation]]").unwrap_or(text.len());
    let own = text[..end].replacen("\nfront-end = \"", "\nown-front-end = \"unknown ", 1);
    assert_ne!(own, text[..end], "the device names no front end");
    let path = folder.join("unknown.toml");
    std::fs::write(&path, own).unwrap();
    path.display().to_string()
}

/// Results of the selection on the unknown device, which has the name `unknown`.
fn results(device: &str, selection: &[&str], folder: &Path) -> String {
    let device = unknown_device(device, folder);
    let results = folder.join("results").display().to_string();
    let fixed = ["--device", &device, "--results", &results];
    // The caller decides whether something is unexpected.
    let _ = runner(&[&fixed[..], selection].concat());
    results
}

fn packs(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut packs: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    packs.sort();
    packs
}

fn finding(pack: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(pack.join("finding.json")).unwrap()).unwrap()
}

/// The commands of the pack's README, in order.
fn commands(pack: &Path) -> Vec<String> {
    let readme = std::fs::read_to_string(pack.join("README.md")).unwrap();
    let blocks = readme.split("```sh\n").skip(1);
    blocks.map(|block| block.split("\n```").next().unwrap().to_owned()).collect()
}

fn shell(folder: &Path, command: &str) -> (Option<i32>, String) {
    let output = Command::new("sh").args(["-c", command]).current_dir(folder).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

fn packs_show_their_findings_without_us() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let rules = ["--rule", "conversion/nested-through-array", "--rule", "builtin/compare-exchange"];
    let selection = [&rules[..], &["--dialect", "cl12", "--dialect", "cl30"]].concat();
    let results = results("pocl", &selection, folder.path());
    let into = folder.path().join("packs");
    let shown = into.display().to_string();
    let arguments = ["handover", &results, "--unexpected", "--into", &shown];
    runner_says(&arguments, 0)?;
    let mut of_reason: BTreeMap<String, usize> = BTreeMap::new();
    for pack in packs(&into.join("unknown")) {
        let seen = of_reason.entry(finding(&pack)["finding"]["reason"].to_string()).or_default();
        *seen += 1;
        if *seen > 2 {
            continue;
        }
        let (status, said) = shell(&pack, &commands(&pack)[0]);
        ensure(status == Some(0), || format!("{}: {status:?}\n{said}", pack.display()))?;
    }
    ensure(of_reason.len() >= 3, || format!("too few kinds of findings: {of_reason:?}"))
}

/// Where barriers do nothing its host file sees wrong values, and where the driver is as it is, the right ones.
fn a_pack_of_wrong_values_shows_them() -> Result<(), Failed> {
    let lost_barriers = "POCL_EXTRA_BUILD_FLAGS='-Dbarrier(flags)='";
    let folder = tempfile::tempdir().unwrap();
    let case = "execution/barrier-reads/cl12/flags=local,form=kept";
    let command = env!("CARGO_BIN_EXE_address-spaces");
    let (status, said) = shell(
        folder.path(),
        &format!("{lost_barriers} {command} --device pocl --exact '{case}' --results results"),
    );
    ensure(status == Some(1), || format!("{status:?}\n{said}"))?;
    let results = folder.path().join("results").display().to_string();
    let into = folder.path().join("packs");
    runner_says(&["handover", &results, "--unexpected", "--into", &into.display().to_string()], 0)?;
    let pack = packs(&into.join("pocl")).remove(0);
    let own = commands(&pack).remove(0);
    for (settings, expected) in [(lost_barriers, Some(0)), ("", Some(1))] {
        let (status, said) = shell(&pack, &format!("export {settings}\n{own}"));
        ensure(status == expected, || format!("{settings}: {status:?}\n{said}"))?;
    }
    Ok(())
}

fn a_pack_has_the_module_that_the_driver_was_given() -> Result<(), Failed> {
    const SPIRV: [u8; 4] = [3, 2, 0x23, 7];
    let folder = tempfile::tempdir().unwrap();
    let case = "execution/async-copy/clcpp2021/copy=whole";
    let results = folder.path().join("results").display().to_string();
    let into = folder.path().join("packs");
    let shown = into.display().to_string();
    let in_repository = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_address-spaces"));
        command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
        let output = command.args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure(output.status.success(), || format!("{arguments:?}\n{said}"))
    };
    let device = ["--device", "pocl@sid", "--through", "llvm-spirv"];
    in_repository(&[&device[..], &["--exact", case, "--results", &results]].concat())?;
    in_repository(&["handover", &results, "--case", case, "--into", &shown])?;
    let pack = packs(&into.join("pocl-sid")).remove(0);
    let module = std::fs::read(pack.join("kernel.spv"))?;
    ensure(module.starts_with(&SPIRV), || "kernel.spv is no module".to_owned())?;
    let text = std::fs::read_to_string(pack.join("kernel.spvasm"))?;
    ensure(text.contains("OpTypeEvent"), || text.clone())?;
    let own = commands(&pack);
    ensure(own[0].contains("-o kernel.spv"), || own[0].clone())?;
    let host = std::fs::read_to_string(pack.join("host.c"))?;
    ensure(host.contains("clCreateProgramWithIL"), || host.clone())?;
    let (status, said) = shell(&pack, "cc -Wall -Wextra -Werror -c host.c");
    ensure(status == Some(0), || said)
}

fn a_pack_of_a_pass_shows_no_deviation() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let results =
        results("pocl", &["--rule", "conversion/implicit", "--dialect", "cl12"], folder.path());
    let text = std::fs::read_to_string(Path::new(&results).join("results.jsonl")).unwrap();
    let cases = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rejected = cases
        .filter(|case| case["finding"]["kind"] == "pass" && case["expectation"] == "reject")
        .find_map(|case| case["id"].as_str().map(str::to_owned))
        .ok_or("no program was rejected as it should be")?;
    let into = folder.path().join("packs");
    let shown = into.display().to_string();
    let arguments = ["handover", &results, "--case", &rejected, "--into", &shown];
    runner_says(&arguments, 0)?;
    let pack = packs(&into.join("unknown")).remove(0);
    let (status, said) = shell(&pack, &commands(&pack)[0]);
    ensure(status == Some(1) && said.contains("As expected"), || format!("{status:?}\n{said}"))
}

/// The block behind a line of an issue.
fn block<'i>(issue: &'i str, line: &str) -> &'i str {
    let after = issue.split(line).nth(1).unwrap_or_else(|| panic!("no `{line}` in\n{issue}"));
    after.split("\n```c\n").nth(1).unwrap().split("```").next().unwrap()
}

/// The issue's host program sees the cause; not where the program is its control, and not where the control is
/// rejected.
fn an_issue_shows_its_cause_without_us() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("issues");
    let cause = "pocl-barrier-in-nested-loops";
    let shown = into.display().to_string();
    runner_says(&["handover", "--cause", cause, "--into", &shown], 0)?;
    let issue = std::fs::read_to_string(into.join(cause).join("issue.md")).unwrap();
    let alone = folder.path().join("alone");
    std::fs::create_dir(&alone).unwrap();
    let (kernel, host) = (block(&issue, "`kernel.cl`"), block(&issue, "`host.c`:"));
    ensure(kernel.contains(" barrier(CLK_GLOBAL_MEM_FENCE);"), || kernel.to_owned())?;
    let run = "cc -o host host.c -lOpenCL && ./host 'Portable Computing Language'";
    for (source, expected) in [
        (host.to_owned(), Some(0)),
        // The program is its control.
        (host.replace(" barrier(CLK_GLOBAL", " mem_fence(CLK_GLOBAL"), Some(1)),
        // The control is rejected.
        (host.replace("mem_fence(CLK_GLOBAL", "undeclared(CLK_GLOBAL"), Some(2)),
    ] {
        std::fs::write(alone.join("host.c"), source).unwrap();
        let (status, said) = shell(&alone, run);
        ensure(status == expected, || format!("{status:?}, {expected:?} expected\n{said}"))?;
        ensure(said.contains("device: Portable Computing Language, driver "), || said.clone())?;
    }
    let unknown = runner_says(&["handover", "--cause", "clang-swizzle", "--into", &shown], 3);
    ensure(unknown.is_ok(), || "an unknown cause is not a selection".to_owned())?;
    let all = folder.path().join("all").display().to_string();
    // A cause without a program is not in the way of the others.
    runner_says(&["handover", "--causes", "--into", &all], 0)?;
    Ok(())
}

fn a_pack_gives_the_line_of_the_compiler() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let selection = ["--rule", "conversion/nested-through-array", "--dialect", "cl12"];
    let results = results("clang-19", &selection, folder.path());
    let into = folder.path().join("packs");
    let shown = into.display().to_string();
    let arguments = ["handover", &results, "--unexpected", "--into", &shown];
    runner_says(&arguments, 0)?;
    let pack = packs(&into.join("unknown")).remove(0);
    let accepted = finding(&pack)["outcome"]["kind"] == "accepted";
    let (status, said) = shell(&pack, &commands(&pack)[0]);
    ensure((status == Some(0)) == accepted, || format!("{status:?}\n{said}"))
}

fn another_runner_finds_the_same_by_the_export() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let rules = ["conversion/nested-through-array", "declaration", "string-literal"];
    let mut selection = vec!["--dialect", "cl12"];
    selection.extend(rules.iter().flat_map(|rule| ["--rule", rule]));
    let results = results("clang-19", &selection, folder.path());
    let suite = folder.path().join("suite").display().to_string();
    runner_says(&[&["dev", "export", &suite], &selection[..]].concat(), 0)?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/run-export.py");
    let script = script.display().to_string();
    let compiler = ["clang-19", "-cc1", "-triple", "spir64", "-finclude-default-header"];
    let command = [
        &[script.as_str(), &suite],
        &compiler[..],
        &["-fdeclare-opencl-builtins", "-fsyntax-only"],
    ]
    .concat();
    let said = run("python3", &command, 0)?;
    let theirs: BTreeMap<&str, &str> =
        said.lines().filter_map(|line| line.split_once(' ')).map(|(kind, id)| (id, kind)).collect();
    let text = std::fs::read_to_string(Path::new(&results).join("results.jsonl")).unwrap();
    let mut compared = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let (Some(id), Some(ours)) = (case["id"].as_str(), case["finding"]["kind"].as_str()) else {
            continue;
        };
        let Some(theirs) = theirs.get(id) else { continue };
        compared += 1;
        ensure(*theirs == ours, || format!("{id}: {ours} here, {theirs} there"))?;
    }
    ensure(compared > 100, || format!("{compared} cases were compared"))
}
