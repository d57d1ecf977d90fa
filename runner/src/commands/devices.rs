//! `runner devices`: what there is, what can be installed, and what each supports.

use std::{collections::BTreeMap, fmt::Write as _};

use expectations::device::DeviceFile;
use generator::suite::{Case, Suite};
use reports::{
    matrix::shared_front_ends,
    text::{one_line, plural},
};

use super::CommandError;
use crate::{
    device::{DeviceFacts, files, support},
    run::devices::{all_names, facts, how_to_get},
};

/// The text of `runner devices`.
pub fn devices(suite: &Suite) -> Result<String, CommandError> {
    let mut out = String::new();
    let cases = suite.all_cases();
    let mut here = Vec::new();
    for name in all_names()? {
        let device = files::load(&name)?;
        let _ = writeln!(out, "{}: {}", one_line(&name, 80), device.what);
        match facts(&device, &crate::interrupts::cancel()) {
            Ok(Some(facts)) => {
                let front_end =
                    facts.capabilities.reported_front_end().unwrap_or(facts.front_end.clone());
                describe(&mut out, &facts, &front_end);
                not_exercised(&mut out, suite, &cases, &device, &facts);
                here.push((name, front_end));
            }
            Ok(None) => out.push_str("  it did not say what it is\n"),
            Err(error) => {
                let _ = writeln!(out, "  not here: {}", one_line(&error.to_string(), 200));
                if let Some(how) = how_to_get(&device) {
                    let _ = writeln!(out, "  get it:   {how}");
                }
            }
        }
    }
    let pairs = here.iter().map(|(name, front_end)| (name.as_str(), front_end.as_str()));
    for (front_end, devices) in shared_front_ends(pairs) {
        let names: Vec<String> = devices.iter().map(|name| one_line(name, 80)).collect();
        let _ = writeln!(
            out,
            "\n{} are the same front end, {}: their verdicts count once",
            names.join(", "),
            one_line(front_end, 40)
        );
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
    if !capabilities.loaded.driver.is_empty() {
        let versions = capabilities.versions();
        let versions =
            versions.iter().map(|(name, text)| format!(", {name} {}", one_line(text, 80)));
        let versions: String = versions.collect();
        let _ =
            writeln!(out, "  loaded:   {}{versions}", one_line(&capabilities.loaded.driver, 200));
    }
    let versions: Vec<String> = capabilities
        .opencl_c_versions
        .iter()
        .map(|version| format!("{}.{}", version.major, version.minor))
        .collect();
    // A device of 1.x or 2.x says its newest version alone.
    let versions = match versions.as_slice() {
        [] => one_line(&capabilities.opencl_c_version, 60),
        versions => format!("OpenCL C {}", versions.join(" ")),
    };
    if !versions.is_empty() {
        let _ = writeln!(out, "  versions: {versions}");
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

/// The rules none of whose cases can be run, by what is missing in the newest dialect that has cases of them.
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
    let _ = writeln!(out, "  of {}, {idle} are skipped:", plural(rules.len(), "rule"));
    for (why, count) in by_reason {
        let _ = writeln!(out, "    {count}: {}", one_line(why, 160));
    }
}
