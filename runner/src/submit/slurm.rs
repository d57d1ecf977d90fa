//! Slurm: an array job for the tasks of each device, and a job after them that gathers.

use std::{
    collections::BTreeMap,
    io::Write as _,
    process::{Command, Output, Stdio},
};

use tera::Context;

use super::scheduler::{Place, Scheduler, SchedulerError, Submission, render, script_path};

/// Slurm's commands.
pub(super) struct Slurm;

impl Scheduler for Slurm {
    fn text(&self, submission: &Submission<'_>) -> Result<String, SchedulerError> {
        let mut text = String::new();
        for (device, tasks) in &submission.devices {
            text.push_str(&script(submission, device, tasks)?);
            text.push('\n');
        }
        text.push_str(&gathering(submission, &["JOBS-ABOVE".to_owned()])?);
        Ok(text)
    }

    fn check(&self) -> Result<(), SchedulerError> {
        run("sbatch", &["--version"], None).map(drop)
    }

    fn submit(
        &self,
        submission: &Submission<'_>,
    ) -> Result<Vec<(String, Vec<usize>)>, SchedulerError> {
        let mut jobs = Vec::new();
        for (device, tasks) in &submission.devices {
            jobs.push((sbatch(&script(submission, device, tasks)?)?, tasks.clone()));
        }
        Ok(jobs)
    }

    fn submit_gathering(
        &self,
        submission: &Submission<'_>,
        after: &[String],
    ) -> Result<String, SchedulerError> {
        sbatch(&gathering(submission, after)?)
    }

    fn places(&self, jobs: &[String]) -> Result<BTreeMap<(String, usize), Place>, SchedulerError> {
        let mut places = BTreeMap::new();
        for job in jobs {
            let output = run(
                "squeue",
                &["--noheader", "--array", "--jobs", job, "--format", "%K %T"],
                None,
            )?;
            let said = text(&output.stderr);
            if !output.status.success() {
                // It forgets jobs some minutes after their end.
                if said.contains("Invalid job id") {
                    continue;
                }
                return Err(rejected("squeue", &said));
            }
            for line in text(&output.stdout).lines() {
                let mut words = line.split_whitespace();
                let task = words.next().and_then(|task| task.parse().ok()).unwrap_or(0);
                let place = match words.next() {
                    Some("PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "SPECIAL_EXIT") => {
                        Place::Waiting
                    }
                    _ => Place::Running,
                };
                places.insert((job.clone(), task), place);
            }
        }
        Ok(places)
    }

    fn fate(&self, job: &str, task: usize) -> Option<String> {
        let name = format!("{job}_{task}");
        // The accounts know longest; where a cluster keeps none, its controller knows for some minutes.
        let accounts = run(
            "sacct",
            &["--noheader", "--allocations", "--parsable2", "--jobs", &name, "--format", "State"],
            None,
        );
        let of_accounts = accounts.ok().and_then(|output| {
            text(&output.stdout).lines().next().map(str::trim).map(str::to_owned)
        });
        of_accounts
            .filter(|state| !state.is_empty())
            .or_else(|| {
                let shown = run("scontrol", &["--oneliner", "show", "job", &name], None).ok()?;
                let shown = text(&shown.stdout);
                let state =
                    shown.split_whitespace().find_map(|word| word.strip_prefix("JobState="));
                state.map(str::to_owned)
            })
            .map(|state| state.to_lowercase())
    }
}

fn script(
    submission: &Submission<'_>,
    device: &str,
    tasks: &[usize],
) -> Result<String, SchedulerError> {
    let cluster = &submission.cluster.slurm;
    let own = cluster.device.get(device).into_iter().flatten();
    let options: Vec<&String> = cluster.options.iter().chain(own).collect();
    let mut context = context(submission)?;
    context.insert("device", &results::text::one_line(device, 60));
    context.insert("tasks", &ranges(tasks));
    context.insert("workers", &submission.folder.plan().workers);
    context.insert("options", &options);
    render("slurm.sh.tera", &context)
}

fn gathering(submission: &Submission<'_>, after: &[String]) -> Result<String, SchedulerError> {
    let mut context = context(submission)?;
    context.insert("after", &after.join(":"));
    context.insert("options", &submission.cluster.slurm.options);
    render("slurm-gather.sh.tera", &context)
}

fn context(submission: &Submission<'_>) -> Result<Context, SchedulerError> {
    let mut context = Context::new();
    context.insert("folder", &script_path(submission.folder.path())?);
    context.insert("runner", &script_path(&submission.runner)?);
    context.insert("name", "address-spaces");
    Ok(context)
}

/// Returns numbers as ranges, such as `0-3,7`.
fn ranges(tasks: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &task in tasks {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == task => *last = task,
            _ => ranges.push((task, task)),
        }
    }
    let texts: Vec<String> = ranges
        .into_iter()
        .map(
            |(first, last)| {
                if first == last { first.to_string() } else { format!("{first}-{last}") }
            },
        )
        .collect();
    texts.join(",")
}

/// Submits a script and returns the job's number.
fn sbatch(script: &str) -> Result<String, SchedulerError> {
    let output = run("sbatch", &["--parsable"], Some(script))?;
    let said = text(&output.stdout);
    // `NUMBER` or `NUMBER;CLUSTER`
    let job = said.trim().split(';').next().unwrap_or_default();
    if output.status.success() && !job.is_empty() && job.bytes().all(|b| b.is_ascii_digit()) {
        Ok(job.to_owned())
    } else {
        Err(rejected("sbatch", &text(&output.stderr)))
    }
}

fn run(program: &str, arguments: &[&str], input: Option<&str>) -> Result<Output, SchedulerError> {
    let missing = |source| SchedulerError::Missing { program: program.to_owned(), source };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(missing)?;
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        // A reader that stops reports the reason on its standard error.
        let _ = stdin.write_all(input.as_bytes());
    }
    child.wait_with_output().map_err(missing)
}

fn rejected(program: &str, said: &str) -> SchedulerError {
    let said = results::text::one_line(said.trim(), 400);
    SchedulerError::Rejected { program: program.to_owned(), said }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_named_by_ranges() {
        for (tasks, text) in [
            (&[0, 1, 2, 3][..], "0-3"),
            (&[5][..], "5"),
            (&[0, 2, 3, 7][..], "0,2-3,7"),
            (&[][..], ""),
        ] {
            assert_eq!(ranges(tasks), text);
        }
    }
}
