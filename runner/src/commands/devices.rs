//! `address-spaces devices`: what there is, what can be installed, and what each supports.

use std::{collections::BTreeMap, fmt::Write as _};

use expectations::{
    device::DeviceFile,
    dialect::{Dialect, Language},
};
use generator::suite::{Case, Suite};
use reports::{folding::folded, matrix::shared_front_ends};
use results::text::{one_line, plural};

use super::CommandError;
use worker::NamedVersion;

use crate::{
    device::{
        DeviceFacts,
        files::{self, DeviceFileError},
        install, releases, support,
    },
    output, overlay,
    run::devices::{all_names, facts, how_to_get},
};

/// Returns the text of `address-spaces devices`, one line for each device.
pub fn table() -> Result<String, CommandError> {
    let mut out = String::new();
    let names = all_names()?;
    let shown = |name: &str| one_line(name, 40);
    let width = names.iter().map(|name| shown(name).len()).max().unwrap_or(0);
    let room = output::table_columns().saturating_sub(width + 13).max(30);
    let mut here = Vec::new();
    for name in names {
        let device = files::load(&name)?;
        let found = facts(&device, &crate::interrupts::cancel());
        let (state, what) = match &found {
            Ok(Some(facts)) => ("here", in_short(facts)),
            Ok(None) => ("here", "it did not report its name".to_owned()),
            Err(_) if install::brings(&device) => ("--install", device.what.clone()),
            Err(_) => ("not here", how_to_get(&device).unwrap_or_else(|| device.what.clone())),
        };
        let _ = writeln!(out, "{:width$}  {state:<9}  {}", shown(&name), one_line(&what, room));
        if let Ok(Some(facts)) = found {
            here.push((name, reported_front_end(&facts)));
        }
    }
    let mut closing = String::new();
    same_front_ends(&mut closing, &here);
    closing.push_str(
        "\n`address-spaces devices NAME` shows what a device supports; `address-spaces --device NAME` runs on it (`--install` installs it first)\n",
    );
    Ok(out + &folded(&closing, output::columns()))
}

/// Returns the versions of the language, the front end and the driver, as short as possible.
fn in_short(facts: &DeviceFacts) -> String {
    let capabilities = &facts.capabilities;
    let run = facts.dialects.iter().filter(|support| support.missing.is_none());
    let (c, cxx): (Vec<Dialect>, Vec<Dialect>) =
        run.map(|run| run.dialect).partition(|dialect| dialect.language == Language::OpenclC);
    let mut versions: Vec<&str> = c.iter().map(|dialect| dialect.version.name()).collect();
    versions.dedup();
    let and_cxx = if cxx.is_empty() { "" } else { " and C++" };
    let front_end = reported_front_end(facts);
    let driver = one_line(&capabilities.driver_version, 40);
    let parts = [format!("OpenCL C {}{and_cxx}", versions.join(" ")), front_end, driver];
    let parts: Vec<&str> =
        parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

fn reported_front_end(facts: &DeviceFacts) -> String {
    facts.capabilities.reported_front_end().unwrap_or_else(|| facts.front_end.clone())
}

/// Returns the text of `address-spaces devices NAME...`.
pub fn devices(suite: &Suite, names: &[String]) -> Result<String, CommandError> {
    let mut out = String::new();
    let cases = suite.all_cases();
    for name in names {
        let device = files::load(name)?;
        let _ = writeln!(out, "{}: {}", one_line(name, 80), device.what);
        releases_of(&mut out, &device)?;
        match facts(&device, &crate::interrupts::cancel()) {
            Ok(Some(facts)) => {
                describe(&mut out, &facts, &reported_front_end(&facts));
                not_exercised(&mut out, suite, &cases, &device, &facts);
            }
            Ok(None) => out.push_str("  it did not report its name\n"),
            Err(error) => {
                let _ = writeln!(out, "  not here: {}", one_line(&error.to_string(), 200));
                if let Some(how) = how_to_get(&device) {
                    let _ = writeln!(out, "  get it:   {how}");
                }
            }
        }
    }
    Ok(folded(&out, output::columns()))
}

/// Writes the releases that the device can be had in.
fn releases_of(out: &mut String, device: &DeviceFile) -> Result<(), CommandError> {
    let names =
        releases::names(overlay::folder(), &device.family).map_err(DeviceFileError::from)?;
    if let (Some(oldest), Some(newest)) = (names.first(), names.last()) {
        let count = plural(names.len(), "release");
        let _ = writeln!(out, "  releases: {count}, {oldest} to {newest}");
    }
    Ok(())
}

fn same_front_ends(out: &mut String, here: &[(String, String)]) {
    let pairs = here.iter().map(|(name, front_end)| (name.as_str(), front_end.as_str()));
    for (front_end, devices) in shared_front_ends(pairs) {
        let names: Vec<String> = devices.iter().map(|name| one_line(name, 80)).collect();
        let _ = writeln!(
            out,
            "\n{} have the same front end, {}: their verdicts count once",
            names.join(", "),
            one_line(front_end, 40)
        );
    }
}

/// Returns the text of `address-spaces devices --names`: the devices that a nightly run can go through. Platforms
/// without a device file are left out, because they have no baseline.
pub fn names() -> Result<String, CommandError> {
    let mut out = String::new();
    for name in files::names()? {
        let device = files::load(&name)?;
        if install::brings(&device) || facts(&device, &crate::interrupts::cancel()).is_ok() {
            let _ = writeln!(out, "{}", one_line(&name, 80));
        }
    }
    Ok(out)
}

fn describe(out: &mut String, facts: &DeviceFacts, front_end: &str) {
    let capabilities = &facts.capabilities;
    let said = [
        ("", &capabilities.platform),
        ("", &capabilities.platform_version),
        ("", &capabilities.device),
        ("", &capabilities.device_version),
        ("driver ", &capabilities.driver_version),
    ];
    let mut here: Vec<String> = said
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(what, text)| format!("{what}{}", one_line(text, 80)))
        .collect();
    here.push(format!("front end {}", one_line(front_end, 40)));
    let _ = writeln!(out, "  here:     {}", here.join(", "));
    if let Some(loaded) = capabilities.loaded.libraries() {
        let versions = capabilities.versions();
        let versions =
            versions.iter().map(|(name, text)| format!(", {name} {}", one_line(text, 80)));
        let versions: String = versions.collect();
        let _ = writeln!(out, "  loaded:   {}{versions}", one_line(&loaded, 400));
    }
    let versions: Vec<String> = capabilities
        .opencl_c_versions
        .iter()
        .map(|version| format!("{}.{}", version.major, version.minor))
        .collect();
    // A device of 1.x or 2.x reports only its newest version.
    let versions = match versions.as_slice() {
        [] => one_line(&capabilities.opencl_c_version, 60),
        versions => format!("OpenCL C {}", versions.join(" ")),
    };
    if !versions.is_empty() {
        let _ = writeln!(out, "  versions: {versions}");
    }
    let cxx: Vec<String> = capabilities
        .cxx_for_opencl_versions
        .iter()
        .map(|NamedVersion { major, minor }| match major {
            2021 => major.to_string(),
            _ => format!("{major}.{minor}"),
        })
        .collect();
    if !cxx.is_empty() {
        let _ = writeln!(out, "  and C++ for OpenCL {}", cxx.join(" "));
    }
    if !capabilities.features.is_empty() {
        let _ = writeln!(out, "  features: {}", one_line(&capabilities.features.join(" "), 2000));
    }
    let run: Vec<&str> = facts
        .dialects
        .iter()
        .filter(|support| support.missing.is_none())
        .map(|support| support.dialect.name())
        .collect();
    let _ = writeln!(out, "  dialects: {}", run.join(" "));
    for support in &facts.dialects {
        if let Some(missing) = &support.missing {
            let _ = writeln!(out, "    not {}: {}", support.dialect, one_line(missing, 160));
        }
    }
}

/// Writes the rules none of whose cases can be run, each with the requirement that is missing in the newest dialect
/// that has cases of the rule.
fn not_exercised(
    out: &mut String,
    suite: &Suite,
    cases: &[Case],
    device: &DeviceFile,
    facts: &DeviceFacts,
) {
    let rules = suite.rules();
    let mut missing: Vec<Option<String>> = vec![None; rules.len()];
    let mut exercised = vec![false; rules.len()];
    for case in cases {
        if exercised[case.rule] {
            continue;
        }
        let capabilities = &facts.capabilities;
        match support::missing(device, capabilities, case.dialect, &case.requirements) {
            None => exercised[case.rule] = true,
            Some(why) => missing[case.rule] = Some(why),
        }
    }
    let mut by_reason: BTreeMap<&str, usize> = BTreeMap::new();
    for (why, _) in missing.iter().zip(&exercised).filter(|(_, exercised)| !**exercised) {
        *by_reason.entry(why.as_deref().unwrap_or("they have no cases")).or_default() += 1;
    }
    let idle: usize = by_reason.values().sum();
    if idle == 0 {
        return;
    }
    let _ = writeln!(out, "  of {}, {idle} skipped:", plural(rules.len(), "rule"));
    for (why, count) in by_reason {
        let _ = writeln!(out, "    {count}: {}", one_line(why, 160));
    }
}
