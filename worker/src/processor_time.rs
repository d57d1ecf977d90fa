//! Processor time of this process: the part of a build's cost that other work on the machine does not change.

use std::time::Duration;

use nix::sys::{
    resource::{Usage, UsageWho, getrusage},
    time::TimeValLike as _,
};

/// Returns the processor time of this process and of its children that have ended; zero where the system does not
/// report it.
pub(crate) fn processor_time() -> Duration {
    let whose = [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN];
    whose.into_iter().filter_map(|who| getrusage(who).ok().map(of)).sum()
}

fn of(usage: Usage) -> Duration {
    let both = usage.user_time() + usage.system_time();
    Duration::from_micros(u64::try_from(both.num_microseconds()).unwrap_or_default())
}
