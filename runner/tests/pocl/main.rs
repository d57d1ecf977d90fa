//! The main job on a real driver. Without `PoCL` these tests are ignored, with the command that installs it.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::process::{Command, Output};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use results::{
    line::{End, Line},
    worker_time::Activity,
};

mod elsewhere;
mod instances;
mod interrupts;
mod kills;
mod own;
mod random;
mod reduced;
mod week;

type Test = fn() -> Result<(), Failed>;

fn main() {
    let arguments = Arguments::from_args();
    let missing = missing();
    let tests: [(&str, Test); 28] = [
        // It waits for its limits, so it comes first: no processor waits for it at the end.
        ("what_is_no_worker_is_told", elsewhere::what_is_no_worker_is_told),
        ("a_family_is_green", a_family_is_green),
        ("one_case_by_its_id", one_case_by_its_id),
        ("results_have_one_line_per_case", results_have_one_line_per_case),
        ("the_time_of_the_workers_is_told", the_time_of_the_workers_is_told),
        ("a_run_is_gone_on_with", a_run_is_gone_on_with),
        ("several_devices_make_one_matrix", several_devices_make_one_matrix),
        ("an_interrupted_run_reports", interrupts::an_interrupted_run_reports_what_it_has),
        ("the_second_interrupt_ends_at_once", interrupts::the_second_interrupt_ends_at_once),
        ("an_early_interrupt_is_no_verdict", interrupts::an_early_interrupt_is_no_verdict),
        ("killed_at_random_moments", kills::killed_at_random_moments),
        ("dialects_the_device_lacks_are_not_green", dialects_the_device_lacks_are_not_green),
        ("a_copy_gives_the_same_results", own::a_copy_gives_the_same_results),
        ("what_the_user_chose_is_what_is_run", own::what_the_user_chose_is_what_is_run),
        ("device_files_that_are_none_say_why", own::device_files_that_are_none_say_why),
        ("a_vendors_week", week::a_vendors_week),
        ("a_wrong_platform_is_named", week::a_wrong_platform_is_named),
        ("another_user_sees_the_same", elsewhere::another_user_sees_the_same),
        ("another_root_sees_the_same", elsewhere::another_root_sees_the_same),
        ("nothing_is_left_elsewhere", elsewhere::nothing_is_left_elsewhere),
        (
            "a_root_folder_is_asked_for_its_own_driver",
            instances::a_root_folder_is_asked_for_its_own_driver,
        ),
        ("a_folder_has_the_driver_below_it", instances::a_folder_has_the_driver_below_it),
        ("answers_are_right", random::answers_are_right),
        ("a_known_bug_hides_no_other", random::a_known_bug_hides_no_other),
        ("lost_barriers_are_found_and_made_small", random::lost_barriers_are_found_and_made_small),
        ("reduced_programs_stay_programs", reduced::programs_stay_programs),
        ("what_is_run_is_right", what_is_run_is_right),
        ("wrong_kernels_are_noticed", wrong_kernels_are_noticed),
    ];
    let trials = tests.into_iter().map(|(name, test)| {
        let missing = missing.clone();
        Trial::ignorable_test(name, move || match missing {
            Some(why) => Ok(Completion::ignored_with(why)),
            None => test().map(|()| Completion::Completed),
        })
    });
    let instances = ["pocl@sid", "clang-23"].map(|name| {
        Trial::ignorable_test(format!("instances/{name}"), || instances::todays_driver(name))
    });
    let through = Trial::ignorable_test("instances/pocl@sid through llvm-spirv", || {
        instances::through_a_compiler()
    });
    libtest_mimic::run(&arguments, trials.chain(instances).chain([through]).collect()).exit();
}

fn runner(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_address-spaces")).args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Why `PoCL` cannot be used here.
fn missing() -> Option<String> {
    let output = runner(&["--device", "pocl", "--rule", "conversion/implicit", "--shard", "1/50"]);
    let said = text(&output);
    said.contains("--install")
        .then(|| "needs PoCL: cargo run -p runner -- --device pocl --install".to_owned())
}

fn check_status(output: &Output, status: i32) -> Result<(), Failed> {
    if output.status.code() == Some(status) {
        return Ok(());
    }
    Err(format!(
        "exit status {:?} where {status} was expected\n{}",
        output.status.code(),
        text(output)
    )
    .into())
}

fn a_family_is_green() -> Result<(), Failed> {
    let output =
        runner(&["--device", "pocl", "--rule", "conversion/implicit", "--dialect", "cl12"]);
    check_status(&output, 0)?;
    is_green(&text(&output))
}

/// Something passed, and nothing is unexpected.
fn is_green(said: &str) -> Result<(), Failed> {
    let total = said.lines().find_map(|line| line.strip_prefix("total"));
    let passed = total.and_then(|counts| counts.split_whitespace().next());
    let passed: usize = passed.and_then(|count| count.parse().ok()).unwrap_or(0);
    if said.contains(" 0 unexpected") && passed > 0 { Ok(()) } else { Err(said.into()) }
}

/// Ids of some cases `PoCL` can run.
fn some_cases() -> Vec<String> {
    let listing = runner(&["list", "--rule", "conversion/implicit", "--dialect", "cl12"]);
    String::from_utf8_lossy(&listing.stdout).lines().map(str::to_owned).collect()
}

fn one_case_by_its_id() -> Result<(), Failed> {
    let cases = some_cases();
    let output = runner(&["--device", "pocl", "--exact", &cases[0]]);
    check_status(&output, 0)?;
    let said = text(&output);
    if said.contains(&format!("pass              {}", cases[0])) {
        Ok(())
    } else {
        Err(said.into())
    }
}

fn results_have_one_line_per_case() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out").display().to_string();
    let selection = ["--device", "pocl", "--rule", "conversion/implicit", "--dialect", "cl12"];
    check_status(&runner(&[&selection[..], &["--results", &path]].concat()), 0)?;
    let results = std::fs::read_to_string(format!("{path}/results.jsonl")).unwrap();
    let lines = results.lines().filter(|line| line.starts_with("{\"record\":\"case\"")).count();
    let expected = some_cases().len();
    if lines != expected {
        return Err(format!("{lines} lines for {expected} cases").into());
    }
    // A folder holds one run.
    let again = runner(&[&selection[..], &["--results", &path]].concat());
    check_status(&again, 2)?;
    if text(&again).contains("already contains a run") { Ok(()) } else { Err(text(&again).into()) }
}

fn the_time_of_the_workers_is_told() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out").display().to_string();
    let selection = ["--device", "pocl", "--quick", "--dialect", "cl12", "--results", &path];
    check_status(&runner(&selection), 0)?;
    let results = std::fs::read_to_string(format!("{path}/results.jsonl")).unwrap();
    let end = results.lines().last().unwrap_or_default();
    let Ok(Line::End(End { worker_time: time, .. })) = serde_json::from_str(end) else {
        return Err(end.into());
    };
    let is_told = |activity: Activity| {
        time.activities.iter().any(|spent| spent.activity == activity && spent.seconds > 0.0)
    };
    let expected = [Activity::Start, Activity::KnownPrograms, Activity::Build, Activity::Run];
    if expected.into_iter().all(is_told) && time.rest() < 0.05 * time.seconds {
        Ok(())
    } else {
        Err(format!("{time:?}").into())
    }
}

fn a_run_is_gone_on_with() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out").display().to_string();
    let file = format!("{path}/results.jsonl");
    let selection = ["--device", "pocl", "--rule", "conversion/implicit", "--dialect", "cl12"];
    check_status(&runner(&[&selection[..], &["--results", &path]].concat()), 0)?;
    let whole = std::fs::read_to_string(&file).unwrap();
    // As a kill in the middle of a line leaves it.
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    check_status(&runner(&[&selection[..], &["--resume", &path]].concat()), 0)?;
    let verdicts = |text: &str| {
        let mut verdicts: Vec<String> = text
            .lines()
            .filter(|line| line.starts_with("{\"record\":\"case\""))
            .map(|line| {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                format!("{} {}", line["id"], line["finding"])
            })
            .collect();
        verdicts.sort();
        verdicts
    };
    let resumed = std::fs::read_to_string(&file).unwrap();
    if verdicts(&whole) != verdicts(&resumed) {
        return Err("the resumed run has other results".into());
    }
    let other = runner(&[
        "--device",
        "pocl",
        "--rule",
        "conversion/implicit",
        "--dialect",
        "cl11",
        "--resume",
        &path,
    ]);
    check_status(&other, 2)?;
    if text(&other).contains("cannot resume") { Ok(()) } else { Err(text(&other).into()) }
}

fn dialects_the_device_lacks_are_not_green() -> Result<(), Failed> {
    let output =
        runner(&["--device", "pocl", "--rule", "conversion/implicit", "--dialect", "cl10"]);
    check_status(&output, 2)?;
    if text(&output).contains("nothing was tested") { Ok(()) } else { Err(text(&output).into()) }
}

/// One matrix, results of each device apart, and shards of them joined device by device.
fn several_devices_make_one_matrix() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let below = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let devices = ["--device", "checker", "--device", "pocl", "--device", "pocl"];
    let cases = ["--rule", "return/qualified", "--dialect", "cl12"];
    for shard in ["1", "2"] {
        let (part, results) = (format!("{shard}/2"), below(shard));
        let keep = ["--shard", &part, "--results", &results];
        let output = runner(&[&devices[..], &cases, &keep].concat());
        check_status(&output, 0)?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        for row in ["checker  ", "pocl     ", "2 devices with 2 front ends"] {
            assert_eq!(stdout.matches(&format!("\n{row}")).count(), 1, "{row}\n{stdout}");
        }
    }
    let output = runner(&["merge", &below("1"), &below("2"), "--into", &below("whole")]);
    check_status(&output, 0)?;
    for device in ["checker", "pocl"] {
        let file = folder.path().join("whole").join(device).join("results.jsonl");
        assert!(std::fs::read_to_string(file)?.contains("\"record\":\"end\""));
    }
    let output = runner(&["merge", &below("1"), &below("1/checker"), "--into", &below("mixed")]);
    assert!(text(&output).contains("missing: shard 2/2"), "{}", text(&output));
    // A device that cannot be run costs the others nothing, and is never green.
    let nowhere = below("1/pocl/results.jsonl/x");
    let output = runner(&[&devices[..], &cases, &["--results", &nowhere]].concat());
    check_status(&output, 2)
}

fn what_is_run_is_right() -> Result<(), Failed> {
    let output = runner(&["--device", "pocl", "--rule", "execution/*", "--dialect", "cl12"]);
    check_status(&output, 0)?;
    is_green(&text(&output))
}

/// Every kernel that does what a wrong device would do is found wrong by the probe of its rule.
fn wrong_kernels_are_noticed() -> Result<(), Failed> {
    let output = runner(&[
        "dev",
        "probe-adequacy",
        "--device",
        "pocl",
        "--rule",
        "execution/*",
        "--dialect",
        "cl12",
    ]);
    check_status(&output, 0)?;
    let said = text(&output);
    if said.contains(" 0 not noticed") { Ok(()) } else { Err(said.into()) }
}
