//! What this program and what it started have cost.

use std::time::Duration;

use procfs::process::{Process, Stat};

use worker::processes::{children, own_id};

/// Processor time that this process, its children and what those started have used; nothing where the kernel does not
/// say. A worker that runs a command-line compiler lives on: what its compilers used is known of it, not of this process.
pub fn processor_time() -> Duration {
    let own = Process::myself().and_then(|process| process.stat());
    let of_children = children(own_id())
        .into_iter()
        .filter_map(|child| Process::new(child.as_raw_nonzero().get()).ok()?.stat().ok());
    let ticks: u64 = own.into_iter().chain(of_children).map(|stat| ticks(&stat)).sum();
    Duration::from_millis(ticks * 1000 / procfs::ticks_per_second())
}

/// Of a process and those that it has waited for.
fn ticks(stat: &Stat) -> u64 {
    stat.utime + stat.stime + u64::try_from(stat.cutime + stat.cstime).unwrap_or_default()
}
