//! The processor time of a run.

use std::time::Duration;

use procfs::process::{Process, Stat};

use worker::processes::{below, own_id};

/// Returns the processor time that this process and all processes below it have used, in whole ticks of the kernel's
/// clock. A worker lives on below its parent process, and a compiler that it starts below that. Returns zero if the
/// kernel does not report it.
pub fn processor_time() -> Duration {
    let own = Process::myself().and_then(|process| process.stat());
    let of_others = below(own_id())
        .into_iter()
        .filter_map(|process| Process::new(process.as_raw_nonzero().get()).ok()?.stat().ok());
    let ticks: u64 = own.into_iter().chain(of_others).map(|stat| ticks(&stat)).sum();
    Duration::from_millis(ticks * 1000 / procfs::ticks_per_second())
}

/// Returns the ticks of a process and of those that it has waited for.
fn ticks(stat: &Stat) -> u64 {
    stat.utime + stat.stime + u64::try_from(stat.cutime + stat.cstime).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::{
        process::Command,
        time::{Duration, Instant},
    };

    use super::*;

    #[test]
    fn a_process_below_a_child_counts_while_it_runs() {
        let before = processor_time();
        let mut child = Command::new("sh")
            .args(["-c", "sh -c 'while :; do :; done' & trap 'kill $!' EXIT; read line"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while processor_time().saturating_sub(before) < Duration::from_millis(200) {
            assert!(
                begun.elapsed() < Duration::from_mins(1),
                "the time of the loop does not count"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
