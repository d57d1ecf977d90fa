//! What this program and what it started have cost.

use std::time::Duration;

/// Processor time that this process and its ended children have used; nothing where the kernel does not say.
pub fn processor_time() -> Duration {
    let stat = procfs::process::Process::myself().and_then(|process| process.stat());
    stat.map_or(Duration::ZERO, |stat| {
        let own = stat.utime + stat.stime;
        let of_children = u64::try_from(stat.cutime + stat.cstime).unwrap_or_default();
        Duration::from_millis((own + of_children) * 1000 / procfs::ticks_per_second())
    })
}
