//! Header of a run's results: the run as it was asked for, and the device as it reports itself.

use std::{collections::BTreeMap, path::Path};

use expectations::device::{DeviceFile, Place};
use generator::suite::Suite;
use results::{
    clock,
    hash::sha256_of,
    line::{FORMAT, Header},
    text::one_line,
};

use super::{
    machine,
    plan::{Programs, RandomCount, RandomPrograms, RunPlan},
    select,
};
use crate::{
    device::{DeviceFacts, files},
    engine::Depth,
};

/// Returns the header of a run that has not opened its device yet.
pub(super) fn header(
    suite: &Suite,
    plan: &RunPlan,
    device: &DeviceFile,
    depth: Depth,
    cases: usize,
) -> Header {
    Header {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        suite: suite.hash().to_owned(),
        selection: selecting_options(plan),
        cases,
        device: device.name.clone(),
        device_as_typed: device.typed.clone().unwrap_or_default(),
        through: device.through.as_ref().map(|producer| producer.name.clone()).unwrap_or_default(),
        front_end: device.front_end.clone(),
        begun: clock::now(),
        options: machine::options(&plan.builds, depth),
        machine: machine::machine(),
        identity: place(&device.place),
        shard: plan.filter.shard.map(|shard| shard.to_string()),
        unsupported: BTreeMap::new(),
        environment: device.environment.iter().cloned().collect(),
        judged_by: files::entry_files(device),
    }
}

/// Returns where the worker runs, if it is not on this machine.
fn place(place: &Place) -> BTreeMap<String, String> {
    let said = [
        ("via", (!place.via.is_empty()).then(|| place.via.join(" "))),
        ("root", place.root.clone()),
    ];
    said.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Returns the options that select, random programs included; empty for the whole suite.
pub(super) fn selecting_options(plan: &RunPlan) -> BTreeMap<String, String> {
    let mut options = select::describe(&plan.filter);
    if let Programs::Random(RandomPrograms { count, seed, typed, .. }) = &plan.programs {
        let (RandomCount::Numbers(count) | RandomCount::Matching(count)) = count;
        options.insert("--random".to_owned(), count.to_string());
        options.insert("--seed".to_owned(), seed.to_string());
        options.extend(typed.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    }
    options
}

/// Returns the header with the identity that the open device reports.
pub(super) fn identified(header: &Header, facts: &DeviceFacts) -> Header {
    let capabilities = &facts.capabilities;
    let identity = [
        ("platform", &capabilities.platform),
        ("platform version", &capabilities.platform_version),
        ("device", &capabilities.device),
        ("device version", &capabilities.device_version),
        ("driver", &capabilities.driver_version),
        ("library", &capabilities.loaded.driver),
    ];
    let identity = identity.into_iter().map(|(name, value)| (name, value.clone()));
    let of_module = capabilities.producer.iter().flat_map(|producer| {
        let taken = ("versions of SPIR-V", capabilities.il_version.clone());
        [("version of the producer", producer.driver_version.clone()), taken]
    });
    let with = capabilities.loaded.with.join(" ");
    // A path on another machine, or in a root folder, has no meaning here.
    let is_here = !["via", "root"].iter().any(|place| header.identity.contains_key(*place));
    let hash = is_here.then(|| sha256_of(Path::new(&capabilities.loaded.driver)).ok()).flatten();
    Header {
        identity: identity
            .chain(hash.map(|hash| ("library sha256", hash)))
            .chain((!with.is_empty()).then_some(("further libraries", with)))
            .chain(of_module)
            .chain(capabilities.versions())
            .map(|(name, value)| (name.to_owned(), value))
            .chain(header.identity.clone())
            .collect(),
        unsupported: unsupported(facts),
        ..header.clone()
    }
}

/// Returns the driver that was really loaded, in one line; `None` if there is none.
pub(super) fn loaded_driver(facts: &DeviceFacts) -> Option<String> {
    let capabilities = &facts.capabilities;
    let loaded = capabilities.loaded.libraries()?;
    let versions = [("driver", capabilities.driver_version.clone())];
    let versions = versions.into_iter().chain(capabilities.versions());
    let versions: Vec<String> = versions
        .filter(|(_, version)| !version.is_empty())
        .map(|(name, version)| format!("{name} {}", one_line(&version, 80)))
        .collect();
    Some(format!("{} ({})", one_line(&loaded, 400), versions.join(", ")))
}

fn unsupported(facts: &DeviceFacts) -> BTreeMap<String, String> {
    let missing = facts
        .dialects
        .iter()
        .filter_map(|support| Some((support.dialect, support.missing.clone()?)));
    missing.map(|(dialect, why)| (dialect.name().to_owned(), why)).collect()
}
