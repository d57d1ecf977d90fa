//! Memory does not grow with the number of results.

use std::{
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

#[path = "../examples/synthetic.rs"]
#[expect(dead_code, reason = "as a program it has a main function")]
mod synthetic;

/// Cost of one more result: its place in the files of two runs, and what sorting and tables of this size round up
/// to. All of a result is more than a thousand.
const BYTES_OF_A_RESULT: u64 = 250;

/// Bytes that the program has had at most while it did that.
fn peak(work: &Path, arguments: &[&str]) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .args(arguments)
        .current_dir(work)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the runner starts");
    let process = procfs::process::Process::new(child.id().cast_signed()).expect("its /proc entry");
    let mut peak = 0;
    let status = loop {
        if let Some(status) = child.try_wait().expect("its status") {
            break status;
        }
        if let Ok(status) = process.status() {
            peak = status.vmhwm.unwrap_or(peak);
        }
        thread::sleep(Duration::from_millis(2));
    };
    assert!(matches!(status.code(), Some(0 | 1)), "{arguments:?}: {status}");
    peak * 1024
}

#[test]
fn memory_does_not_grow_with_the_number_of_results() {
    let folder = tempfile::tempdir().unwrap();
    // Below this, sorters and lists of first items are still filling up.
    let sizes = [120_000, 240_000];
    for cases in sizes {
        for run in [0, 1] {
            let results = folder.path().join(format!("{cases}-{run}"));
            synthetic::write(&results, cases, 1, run).unwrap();
        }
    }
    for command in [
        "judge N-0",
        "compare N-0 N-1",
        "convert N-0 --to junit",
        "convert N-0 --to tap",
        "convert N-0 --to markdown",
        "history add N-0 N-1 --history N.sqlite",
        "report N-0 N-1 --into N-report",
    ] {
        let [small, large] = sizes.map(|cases| {
            let line = command.replace('N', &cases.to_string());
            peak(folder.path(), &line.split(' ').collect::<Vec<_>>())
        });
        let growth = large.saturating_sub(small) / (sizes[1] - sizes[0]);
        assert!(
            growth < BYTES_OF_A_RESULT,
            "`runner {command}` took {small} bytes for {} results and {large} for {}",
            sizes[0],
            sizes[1]
        );
    }
}
