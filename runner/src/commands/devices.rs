//! `runner devices`: what there is, what can be installed, and what each supports.

use std::fmt::Write as _;

use reports::text::one_line;

use super::{
    CommandError,
    devices_of_run::{facts, how_to_get},
};
use crate::{device::DeviceFacts, device_files};

/// The text of `runner devices`.
pub fn devices() -> Result<String, CommandError> {
    let mut out = String::new();
    for name in device_files::names() {
        let device = device_files::load(&name)?;
        let _ = writeln!(out, "{name}: {}", device.what);
        match facts(&device) {
            Ok(Some(facts)) => describe(&mut out, &facts),
            Ok(None) => out.push_str("  it did not say what it is\n"),
            Err(error) => {
                let _ = writeln!(out, "  not here: {}", one_line(&error.to_string(), 200));
                if let Some(how) = how_to_get(&device) {
                    let _ = writeln!(out, "  get it:   {how}");
                }
            }
        }
    }
    Ok(out)
}

fn describe(out: &mut String, facts: &DeviceFacts) {
    let capabilities = &facts.capabilities;
    let _ = writeln!(
        out,
        "  here:     {} {}, {}, driver {}, front end {}",
        one_line(&capabilities.platform, 60),
        one_line(&capabilities.platform_version, 80),
        one_line(&capabilities.device, 80),
        one_line(&capabilities.driver_version, 60),
        one_line(&facts.front_end, 40),
    );
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
    if !capabilities.features.is_empty() {
        let _ = writeln!(out, "  features: {}", one_line(&capabilities.features.join(" "), 1000));
    }
}
