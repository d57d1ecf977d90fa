//! Submissions without a scheduler: planned, done part by part, gathered; and faults are reported.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Output},
};

use expect_test::expect;

const RUN: [&str; 4] = ["--rule", "conversion/implicit", "--dialect", "cl12"];

fn runner(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_address-spaces")).args(arguments).output().unwrap()
}

/// Runs, and compares the exit status with the expected one; gives both outputs.
fn check(arguments: &[&str], status: i32) -> String {
    let output = runner(arguments);
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{}{}", said[0], said[1]);
    assert!(!said[1].contains("a defect"), "{}", said[1]);
    said.concat()
}

/// Id, outcome and finding of every case of a results file.
fn found(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap();
    let cases = text.lines().filter_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        (line["record"] == "case")
            .then(|| format!("{} {} {}", line["id"], line["outcome"], line["finding"]))
    });
    let all: Vec<String> = cases.collect();
    let unique: BTreeSet<String> = all.iter().cloned().collect();
    assert_eq!(all.len(), unique.len());
    unique
}

/// A folder with the plan that `arguments` make, as Kubernetes would bring it.
fn planned(folder: &Path, arguments: &[&str]) -> String {
    let out = folder.join("out").display().to_string();
    let dry = ["submit", "--on", "kubernetes", "--dry-run", "--results", &out];
    let manifest = check(&[&dry[..], arguments].concat(), 0);
    let plan = manifest.lines().find_map(|line| line.trim().strip_prefix("plan.json: ")).unwrap();
    fs::write(folder.join("plan.json"), serde_json::from_str::<String>(plan).unwrap()).unwrap();
    out
}

#[test]
fn the_parts_of_a_submission_make_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let single = folder.path().join("single");
    check(&[&RUN[..], &["--results", single.to_str().unwrap()]].concat(), 0);
    let out = planned(folder.path(), &[&RUN[..], &["--tasks", "3"]].concat());
    let plan = folder.path().join("plan.json").display().to_string();
    for task in ["2", "0"] {
        check(&["part", &out, "--plan", &plan, "--task", task], 0);
    }
    let lacking = check(&["gather", &out], 2);
    for part in
        ["task 1 (checker cl12 2/3): no results", "1 of 3 tasks have no results", "--resume"]
    {
        assert!(lacking.contains(part), "{part} in\n{lacking}");
    }
    // Torn in the middle of a line, as a lost node leaves it; and done by the number an Indexed Job gives.
    let index = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .args(["part", &out, "--first", "1"])
        .env("JOB_COMPLETION_INDEX", "0")
        .output()
        .unwrap();
    assert!(index.status.success());
    let part = folder.path().join("out/parts/1/results.jsonl");
    let whole = fs::read(&part).unwrap();
    fs::write(&part, &whole[..whole.len() * 2 / 3]).unwrap();
    let lacking = check(&["gather", &out], 2);
    assert!(lacking.contains(" of 50 cases") && lacking.contains("task 1 "), "{lacking}");
    check(&["part", &out, "--task", "1"], 0);
    // A second call does nothing.
    check(&["part", &out, "--task", "1"], 0);
    let report = check(&["gather", &out], 0);
    assert!(report.contains("146 cases, 0 unexpected"), "{report}");
    let merged = folder.path().join("out/merged/checker/results.jsonl");
    assert_eq!(found(&merged), found(&single.join("results.jsonl")));
    let header = |file: &Path| {
        let text = fs::read_to_string(file).unwrap();
        let mut header: serde_json::Value =
            serde_json::from_str(text.lines().next().unwrap()).unwrap();
        for own in ["begun", "options"] {
            header.as_object_mut().unwrap().remove(own);
        }
        assert!(header["machine"]["processors"].is_string(), "{header}");
        header
    };
    assert_eq!(header(&merged), header(&single.join("results.jsonl")));
    // Gathering is done once; again it judges what is there.
    let before = fs::read(&merged).unwrap();
    check(&["gather", &out], 0);
    assert_eq!(before, fs::read(&merged).unwrap());
}

/// Copy results into a folder as if cases of one dialect had taken longer than others.
fn slow_in_cl12(results: &Path, into: &Path) {
    let text = fs::read_to_string(results).unwrap();
    let lines = text.lines().map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        if line["record"] == "case" {
            line["seconds"] = if line["dialect"] == "cl12" { 1.0 } else { 0.2 }.into();
        }
        format!("{line}\n")
    });
    fs::create_dir(into).unwrap();
    fs::write(into.join("results.jsonl"), lines.collect::<String>()).unwrap();
}

#[test]
fn tasks_balanced_by_times_make_the_run_too() {
    let folder = tempfile::tempdir().unwrap();
    let single = folder.path().join("single").display().to_string();
    let run = ["--rule", "conversion/implicit"];
    check(&[&run[..], &["--results", &single]].concat(), 0);
    let slow = folder.path().join("slow");
    slow_in_cl12(&folder.path().join("single/results.jsonl"), &slow);
    let slow = slow.display().to_string();
    let out = planned(folder.path(), &[&run[..], &["--tasks", "5", "--times", &slow]].concat());
    let plan = fs::read_to_string(folder.path().join("plan.json")).unwrap();
    assert!(plan.contains("\"dialects\":[\"cl12\"]"), "{plan}");
    for task in 0..5 {
        let plan = folder.path().join("plan.json").display().to_string();
        check(&["part", &out, "--plan", &plan, "--task", &task.to_string()], 0);
    }
    check(&["gather", &out], 0);
    assert_eq!(
        found(&folder.path().join("out/merged/checker/results.jsonl")),
        found(&folder.path().join("single/results.jsonl"))
    );
}

#[test]
fn what_is_wrong_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let out = planned(folder.path(), &RUN);
    let plan = folder.path().join("plan.json");
    let plan_path = plan.display().to_string();
    let submit = ["submit", "--on", "slurm", "--dry-run"];
    let spaced = folder.path().join("a b").display().to_string();
    let cluster = folder.path().join("cluster.toml");
    let cluster_path = cluster.display().to_string();
    for (arguments, status, said) in [
        (vec!["gather", &out], 2, "contains no submission; begin one with `address-spaces submit"),
        (vec!["part", &out, "--task", "0"], 2, "contains no submission"),
        (
            vec!["part", &out, "--plan", &plan_path, "--task", "9"],
            2,
            "there is no task 9: the plan of",
        ),
        (vec!["part", &out], 2, "--task <N>"),
        (
            submit.to_vec(),
            2,
            "`--results DIR` begins a run, `--resume DIR` submits the missing tasks of one",
        ),
        ([&submit[..], &["--results", &spaced]].concat(), 2, "only letters, digits and . _ - + /"),
        (
            [&submit[..], &["--results", "x", "--device", "all"]].concat(),
            2,
            "name the devices of the cluster",
        ),
        (
            [&submit[..], &["--results", "x", "--device", "pokl"]].concat(),
            2,
            "did you mean `pocl`?",
        ),
        ([&submit[..], &["--results", "x", "--rule", "none"]].concat(), 3, "names no rule"),
        (
            [&submit[..], &["--results", "x", "--shard", "1/2"]].concat(),
            2,
            "`--shard` cannot be submitted",
        ),
        (
            [
                &submit[..],
                &["--results", "x", "--device", "pocl", "--device", "checker", "--tasks", "1"],
            ]
            .concat(),
            2,
            "2 devices cannot be run in 1 task: use at least `--tasks 2`",
        ),
        (
            [&submit[..], &["--results", "x", "--cluster", &cluster_path]].concat(),
            2,
            "cluster.toml: ",
        ),
        (
            vec!["submit", "--on", "kubernetes", "--results", &out],
            2,
            "--dry-run ...` prints a manifest for `kubectl create -f -`",
        ),
    ] {
        fs::write(&cluster, "[slurm]\noptions = [\"--time=1\\n#SBATCH --wrap=x\"]\n").unwrap();
        let output = check(&arguments, status);
        assert!(output.contains(said), "{arguments:?}: {said} in\n{output}");
    }
    let other = fs::read_to_string(&plan).unwrap().replace("\"suite\":\"", "\"suite\":\"0");
    let elsewhere = folder.path().join("elsewhere").display().to_string();
    fs::write(&plan, other).unwrap();
    let output = check(&["part", &elsewhere, "--plan", &plan_path, "--task", "0"], 2);
    assert!(output.contains("use the program that submitted it"), "{output}");
    let output = check(&["part", &out, "--plan", &plan_path, "--task", "0"], 2);
    assert!(output.contains("contains another plan: name another folder"), "{output}");
}

#[test]
fn scripts_hold_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = folder.path().join("cluster.toml");
    fs::write(
        &cluster,
        "runner = \"/shared/runner\"\n[slurm]\noptions = [\"--time=01:00:00\"]\ndevice.pocl = [\"--gres=gpu:1\"]\n",
    )
    .unwrap();
    let script =
        check(
            &[
                &[
                    "submit",
                    "--on",
                    "slurm",
                    "--dry-run",
                    "--results",
                    "/shared/out",
                    "--tasks",
                    "3",
                ],
                &[
                    "--device",
                    "pocl",
                    "--device",
                    "checker",
                    "--test-threads",
                    "4",
                    "--timeout",
                    "5",
                ][..],
                &["--cluster", cluster.to_str().unwrap()],
            ]
            .concat(),
            0,
        );
    let told: Vec<&str> = script
        .lines()
        .filter(|line| line.starts_with("#SBATCH") || line.contains("/shared/runner"))
        .collect();
    expect![[r##"
        #SBATCH --job-name=address-spaces
        #SBATCH --array=0-1
        #SBATCH --cpus-per-task=4
        #SBATCH --output=/shared/out/logs/%A_%a.txt
        #SBATCH --open-mode=append
        #SBATCH --requeue
        #SBATCH --time=01:00:00
        #SBATCH --gres=gpu:1
          /shared/runner part /shared/out --task "$SLURM_ARRAY_TASK_ID"
        #SBATCH --job-name=address-spaces
        #SBATCH --array=2
        #SBATCH --cpus-per-task=4
        #SBATCH --output=/shared/out/logs/%A_%a.txt
        #SBATCH --open-mode=append
        #SBATCH --requeue
        #SBATCH --time=01:00:00
          /shared/runner part /shared/out --task "$SLURM_ARRAY_TASK_ID"
        #SBATCH --job-name=address-spaces
        #SBATCH --dependency=afterany:JOBS-ABOVE
        #SBATCH --output=/shared/out/report.txt
        #SBATCH --open-mode=truncate
        #SBATCH --time=01:00:00
        exec /shared/runner gather /shared/out"##]]
    .assert_eq(&told.join("\n"));
}
