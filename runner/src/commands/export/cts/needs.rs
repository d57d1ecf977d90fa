//! Optional parts of the language, and the queries for them.

use std::fmt::Write as _;

use expectations::requirement::{REQUIREMENTS, Requirement, RequirementFacts};

/// Returns the flag of a requirement.
pub(super) fn flag(requirement: Requirement) -> String {
    format!("NEEDS_{}", requirement.facts().name.to_uppercase().replace('-', "_"))
}

/// Returns the definitions of the flags, one on each line.
pub(super) fn flags() -> String {
    let mut lines = String::new();
    for (place, facts) in REQUIREMENTS.iter().enumerate() {
        let _ = writeln!(lines, "    {} = 1u << {place},", flag(facts.requirement));
    }
    lines
}

/// Returns a table with a line for each requirement: its flag, and the features and extension of a device that meets
/// it.
pub(super) fn table() -> String {
    let mut lines = String::new();
    for RequirementFacts { requirement, name, features, extension, .. } in &REQUIREMENTS {
        let features = features.join(" ");
        let _ = writeln!(
            lines,
            "    {{ {}, \"{name}\", \"{features}\", \"{}\", {} }},",
            flag(*requirement),
            extension.unwrap_or_default(),
            device_query(*requirement),
        );
    }
    lines
}

/// Returns the query for a requirement on a device that reports no features, where no extension decides it.
const fn device_query(requirement: Requirement) -> &'static str {
    match requirement {
        Requirement::Images => "CL_DEVICE_IMAGE_SUPPORT",
        Requirement::ReadWriteImages => "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS",
        Requirement::Fp64 => "CL_DEVICE_DOUBLE_FP_CONFIG",
        Requirement::Fp16 => "CL_DEVICE_HALF_FP_CONFIG",
        Requirement::Pipes => "CL_DEVICE_MAX_PIPE_ARGS",
        Requirement::DeviceEnqueue => "CL_DEVICE_MAX_ON_DEVICE_QUEUES",
        Requirement::Subgroups
        | Requirement::WorkGroupFunctions
        | Requirement::SeqCstAtomics
        | Requirement::AllDevicesScope
        | Requirement::Int64BaseAtomics
        | Requirement::Int64ExtendedAtomics
        | Requirement::ByteAddressableStore
        | Requirement::GenericAddressSpace
        | Requirement::ProgramScopeGlobals => "0",
    }
}
