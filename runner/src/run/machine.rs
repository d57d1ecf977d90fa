//! Options and machine of a run, which its record keeps besides suite, device and driver.

use std::{collections::BTreeMap, fs};

use rustix::system::uname;

use crate::{
    engine::{Depth, default_workers},
    run::plan::Builds,
};

/// Returns the options of a run that a result can depend on.
pub fn options(builds: &Builds, depth: Depth) -> BTreeMap<String, String> {
    let options = [
        ("builds", if builds.isolate { "one for each case" } else { "shared" }.to_owned()),
        ("laws of modules", builds.laws.name().to_owned()),
        ("--depth", depth.name().to_owned()),
        ("--timeout", format!("{} s", builds.timeout.as_secs_f64())),
        ("--memory", format!("{} MiB", builds.memory)),
        ("--retries", builds.retries.to_string()),
        ("--test-threads", builds.workers.to_string()),
    ];
    named(options)
}

pub fn machine() -> BTreeMap<String, String> {
    let system = uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor.lines().find_map(|line| line.strip_prefix("model name"));
    let machine = [
        ("host", text(system.nodename())),
        (
            "system",
            format!(
                "{} {} {}",
                text(system.sysname()),
                text(system.release()),
                text(system.machine())
            ),
        ),
        (
            "processor",
            processor.unwrap_or_default().trim_start_matches([' ', '\t', ':']).to_owned(),
        ),
        ("processors", default_workers().to_string()),
    ];
    named(machine)
}

fn named<const N: usize>(pairs: [(&str, String); N]) -> BTreeMap<String, String> {
    let pairs = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    pairs.map(|(name, value)| (name.to_owned(), value)).collect()
}
