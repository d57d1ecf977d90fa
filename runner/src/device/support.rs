//! Dialects and requirements that a device supports, decided from its reported capabilities and never from builds.

use expectations::{
    device::{DeviceFile, DeviceKind},
    dialect::{Dialect, GENERIC_FEATURE, Language, PROGRAM_SCOPE_GLOBALS_FEATURE, Version},
    requirement::Requirement,
};

use worker::Capabilities;

use super::{DialectSupport, checker, environment::cxx_version};

/// Returns every dialect with the requirement that the device does not meet, if any.
pub fn dialects(device: &DeviceFile, capabilities: &Capabilities) -> Vec<DialectSupport> {
    let support = |dialect| DialectSupport {
        dialect,
        missing: missing_dialect(device, capabilities, dialect),
    };
    Dialect::ALL.map(support).into()
}

fn missing_dialect(
    device: &DeviceFile,
    capabilities: &Capabilities,
    dialect: Dialect,
) -> Option<String> {
    not_reported(device, capabilities, dialect).or_else(|| {
        broken(device, dialect).map(|what| format!("the device reports {dialect}, but {what}"))
    })
}

/// Returns the known defect of every program of a dialect; the self-check verifies that it still exists.
pub fn broken(device: &DeviceFile, dialect: Dialect) -> Option<&str> {
    device
        .broken_dialects
        .iter()
        .find(|(known, _)| *known == dialect)
        .map(|(_, what)| what.as_str())
}

/// Returns the first requirement of such cases that the device does not meet; `None` if it meets all.
pub fn missing(
    device: &DeviceFile,
    capabilities: &Capabilities,
    dialect: Dialect,
    requirements: &[Requirement],
) -> Option<String> {
    if let Some((producer, of_producer)) = producer(device, capabilities)
        && let Some(why) = missing(producer, of_producer, dialect, requirements)
    {
        return Some(format!("{}: {why}", producer.name));
    }
    missing_dialect(device, capabilities, dialect).or_else(|| {
        let missing =
            |requirement: &&Requirement| !has(&device.kind, capabilities, dialect, **requirement);
        let lacking = requirements.iter().find(missing)?;
        Some(format!("the device does not report {} in {dialect}", lacking.facts().name))
    })
}

/// Returns the compiler whose modules the device is given, with its capabilities as far as they are known.
fn producer<'d>(
    device: &'d DeviceFile,
    capabilities: &'d Capabilities,
) -> Option<(&'d DeviceFile, &'d Capabilities)> {
    Some((device.through.as_deref()?, capabilities.producer.as_deref()?))
}

/// Returns what a module of a dialect needs that a driver does not report. The language is the compiler's: the driver
/// does not see it, unless it is SPIR-V itself.
fn not_taken(capabilities: &Capabilities, dialect: Dialect) -> Option<String> {
    if dialect.language == Language::Spirv {
        return not_taken_by_hand(capabilities, dialect);
    }
    let lacks = |feature: &str| !reports_feature(capabilities, feature);
    let needs = [
        (dialect.generic, GENERIC_FEATURE),
        (dialect.program_scope_globals, PROGRAM_SCOPE_GLOBALS_FEATURE),
    ];
    let (_, feature) = needs.into_iter().find(|(needed, feature)| *needed && lacks(feature))?;
    Some(format!("the device does not report {feature}, which modules of {dialect} need"))
}

/// Returns what a module that is written by hand needs that a driver does not report.
fn not_taken_by_hand(capabilities: &Capabilities, dialect: Dialect) -> Option<String> {
    const ADDRESS_BITS: &str = "address_bits";
    let version = dialect.version_name();
    if !capabilities.takes_spirv_version(version) {
        let reported = capabilities.il_version.escape_debug();
        return Some(format!(
            "the device does not report SPIR-V {version}: its CL_DEVICE_IL_VERSION is `{reported}`"
        ));
    }
    let bits = capabilities.limits.get(ADDRESS_BITS).copied().unwrap_or(64);
    (bits != 64).then(|| format!("modules have addresses of 64 bits, and the device has {bits}"))
}

/// Whether a device has a part of the language that became a feature in 3.0: a device of 2.x has both.
fn reports_feature(capabilities: &Capabilities, feature: &str) -> bool {
    let cl20 = Dialect::from_name("cl20");
    let is_of_2 = capabilities.features.is_empty()
        && cl20.is_some_and(|cl20| reports_version(capabilities, cl20));
    is_of_2 || capabilities.features.iter().any(|known| known == feature)
}

fn not_reported(
    device: &DeviceFile,
    capabilities: &Capabilities,
    dialect: Dialect,
) -> Option<String> {
    if let Some((producer, of_producer)) = producer(device, capabilities) {
        return missing_dialect(producer, of_producer, dialect)
            .map(|why| format!("{}: {why}", producer.name))
            .or_else(|| not_taken(capabilities, dialect));
    }
    match &device.kind {
        DeviceKind::Checker => checker::not_read(dialect),
        DeviceKind::Command { dialects, .. } | DeviceKind::Comgr { dialects, .. }
            if !dialects.is_empty() =>
        {
            let known = dialects.iter().any(|name| name == dialect.name());
            (!known).then(|| format!("`dialects` of its device file does not name {dialect}"))
        }
        DeviceKind::Command { query, .. } if !query.is_empty() => {
            not_reported_by_platform(device, capabilities, dialect)
        }
        DeviceKind::Command { .. } | DeviceKind::Comgr { .. } => {
            (!reports_version(capabilities, dialect)).then(|| {
                format!("the compiler accepts no program of {}", dialect.language_and_version())
            })
        }
        DeviceKind::Opencl { .. } => not_reported_by_platform(device, capabilities, dialect),
    }
}

/// Reason why a device is not given modules that are written by hand.
const BY_HAND: &str =
    "a driver is given a module as its assembler writes it: add `--through spirv-tools`";

fn not_reported_by_platform(
    device: &DeviceFile,
    capabilities: &Capabilities,
    dialect: Dialect,
) -> Option<String> {
    if dialect.language == Language::Spirv {
        return Some(BY_HAND.to_owned());
    }
    if dialect.language == Language::OpenclC && dialect.version == Version::V1_0 {
        return Some("no value of -cl-std selects OpenCL C 1.0".to_owned());
    }
    if !reports_version(capabilities, dialect) && !takes_unreported(device, dialect) {
        return Some(format!("the device does not report {}", dialect.language_and_version()));
    }
    if dialect.version < Version::V3_0 {
        return None;
    }
    let reports = |feature: &str| capabilities.features.iter().any(|name| name == feature);
    for (wanted, feature) in [
        (dialect.generic, GENERIC_FEATURE),
        (dialect.program_scope_globals, PROGRAM_SCOPE_GLOBALS_FEATURE),
    ] {
        match (wanted, reports(feature)) {
            (true, false) => return Some(format!("the device does not report {feature}")),
            (false, true) => {
                return Some(format!(
                    "the device has {feature}, and a driver's features cannot be taken away"
                ));
            }
            (true, true) | (false, false) => {}
        }
    }
    None
}

/// Whether it is known to build programs of the dialect's version without reporting it; the self-check sees to it that
/// it does.
fn takes_unreported(device: &DeviceFile, dialect: Dialect) -> bool {
    let is_of_version =
        |known: &Dialect| (known.language, known.version) == (dialect.language, dialect.version);
    device.unreported_dialects.iter().any(|(known, _)| is_of_version(known))
}

fn reports_version(capabilities: &Capabilities, dialect: Dialect) -> bool {
    match dialect.language {
        Language::OpenclC => {}
        Language::CxxForOpencl => {
            return capabilities.cxx_for_opencl_versions.contains(&cxx_version(dialect));
        }
        // A compiler whose file names no dialects reads no assembler.
        Language::Spirv => return false,
    }
    let version = dialect.version;
    let wanted = (version.number() / 100, version.number() / 10 % 10);
    if !capabilities.opencl_c_versions.is_empty() {
        return capabilities
            .opencl_c_versions
            .iter()
            .any(|known| (known.major, known.minor) == wanted);
    }
    // Before 3.0 a device reports its newest version and has those before it.
    newest_version(&capabilities.opencl_c_version)
        .is_some_and(|newest| wanted <= newest && wanted < (3, 0))
}

/// Reads `OpenCL C 1.2 anything`.
fn newest_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) =
        text.strip_prefix("OpenCL C ")?.split_whitespace().next()?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn has(
    kind: &DeviceKind,
    capabilities: &Capabilities,
    dialect: Dialect,
    requirement: Requirement,
) -> bool {
    match kind {
        DeviceKind::Checker => true,
        DeviceKind::Command { lacks, query, .. } => {
            !lacks.contains(&requirement)
                && (query.is_empty() || platform_has(capabilities, dialect, requirement))
        }
        DeviceKind::Comgr { lacks, .. } => !lacks.contains(&requirement),
        DeviceKind::Opencl { .. } => platform_has(capabilities, dialect, requirement),
    }
}

fn platform_has(capabilities: &Capabilities, dialect: Dialect, requirement: Requirement) -> bool {
    let facts = requirement.facts();
    if dialect.language == Language::Spirv && !facts.features.is_empty() {
        return facts.features.iter().all(|feature| reports_feature(capabilities, feature));
    }
    let extension = facts
        .extension
        .is_some_and(|name| capabilities.extensions.iter().any(|known| known == name));
    // A device of 3.0 reports what it has as features; they are true of its 2.0 as well.
    let says_features = !capabilities.features.is_empty() || dialect.version >= Version::V3_0;
    if says_features && dialect.version >= Version::V2_0 && !facts.features.is_empty() {
        return facts
            .features
            .iter()
            .all(|feature| capabilities.features.iter().any(|known| known == feature));
    }
    match requirement {
        Requirement::Images => capabilities.images,
        Requirement::ReadWriteImages => capabilities.images && capabilities.read_write_images > 0,
        Requirement::Fp64 => capabilities.fp64 || extension,
        Requirement::Fp16 => capabilities.fp16 || extension,
        Requirement::Pipes => capabilities.pipes > 0,
        Requirement::DeviceEnqueue => capabilities.on_device_queues > 0,
        Requirement::Subgroups
        | Requirement::ByteAddressableStore
        | Requirement::Int64BaseAtomics
        | Requirement::Int64ExtendedAtomics => extension,
        // Other languages have these two in their dialects.
        Requirement::GenericAddressSpace => dialect.generic,
        Requirement::ProgramScopeGlobals => dialect.program_scope_globals,
        // A device of 2.x has no choice; a requirement of 2.0 is never asked of an older dialect.
        Requirement::WorkGroupFunctions
        | Requirement::SeqCstAtomics
        | Requirement::AllDevicesScope => true,
    }
}

#[cfg(test)]
mod tests {
    use expectations::device::load_device;

    use super::*;
    use crate::device::NamedVersion;

    fn opencl() -> DeviceFile {
        let text = "what = \"x\"\nfront-end = \"x\"\n[device]\ntype = \"opencl\"\nplatform = \"x\"\n\
                    [broken-dialects]\ncl20 = \"it builds nothing\"\n";
        load_device("x", "x.toml", text).unwrap()
    }

    fn runnable(capabilities: &Capabilities) -> Vec<&'static str> {
        let all = dialects(&opencl(), capabilities);
        all.iter()
            .filter(|support| support.missing.is_none())
            .map(|support| support.dialect.name())
            .collect()
    }

    #[test]
    fn an_old_device_has_the_versions_before_its_newest() {
        let device = |text: &str| Capabilities {
            opencl_c_version: text.to_owned(),
            ..Capabilities::default()
        };
        assert_eq!(runnable(&device("OpenCL C 1.2 oclgrind")), ["cl11", "cl12"]);
        assert_eq!(runnable(&device("OpenCL C 2.0")), ["cl11", "cl12"]);
        let missing =
            missing(&opencl(), &device("OpenCL C 2.0"), Dialect::from_name("cl20").unwrap(), &[]);
        assert_eq!(missing.unwrap(), "the device reports cl20, but it builds nothing");
        assert_eq!(runnable(&device("nonsense")), [""; 0]);
    }

    #[test]
    fn a_device_of_three_has_exactly_one_dialect_of_three() {
        let versions = [(1, 2), (3, 0)].map(|(major, minor)| NamedVersion { major, minor });
        let mut device =
            Capabilities { opencl_c_versions: versions.to_vec(), ..Capabilities::default() };
        assert_eq!(runnable(&device), ["cl12", "cl30"]);
        device.features.push(GENERIC_FEATURE.to_owned());
        assert_eq!(runnable(&device), ["cl12", "cl30-generic"]);
        let plain = Dialect::from_name("cl30").unwrap();
        assert_eq!(
            missing(&opencl(), &device, plain, &[]).unwrap(),
            "the device has __opencl_c_generic_address_space, and a driver's features cannot be taken away"
        );
    }

    #[test]
    fn cxx_is_had_where_it_is_reported_or_known_to_be_taken() {
        let mut device = Capabilities {
            opencl_c_version: "OpenCL C 1.2".to_owned(),
            features: vec![GENERIC_FEATURE.to_owned()],
            ..Capabilities::default()
        };
        assert_eq!(runnable(&device), ["cl11", "cl12"]);
        device.cxx_for_opencl_versions = vec![NamedVersion { major: 1, minor: 0 }];
        assert_eq!(runnable(&device), ["cl11", "cl12", "clcpp10"]);
        let text = "what = \"x\"\nfront-end = \"x\"\n[device]\ntype = \"opencl\"\nplatform = \"x\"\n\
                    [unreported-dialects]\nclcpp2021 = \"it builds programs of it\"\n";
        let knows = load_device("x", "x.toml", text).unwrap();
        let missing =
            |dialect: &str| missing(&knows, &device, Dialect::from_name(dialect).unwrap(), &[]);
        assert_eq!(missing("clcpp2021-generic"), None);
        assert!(missing("clcpp2021").unwrap().contains("cannot be taken away"));
        let mut checker = knows.clone();
        checker.kind = DeviceKind::Checker;
        let said = super::missing(&checker, &device, Dialect::from_name("clcpp10").unwrap(), &[]);
        assert_eq!(said.unwrap(), "the checker does not read C++ for OpenCL");
    }

    #[test]
    fn a_driver_is_given_the_versions_of_modules_that_it_reports() {
        let of_modules = "what = \"x\"\nown-front-end = \"y\"\n[device]\ntype = \"command\"\n\
                          command = [\"y\"]\nversion = [\"y\"]\n\
                          dialects = [\"spirv10\", \"spirv14\"]\n";
        let producer = load_device("y", "y.toml", of_modules).unwrap();
        let mut given = opencl();
        given.through = Some(Box::new(producer));
        let device = Capabilities {
            il_version: "SPIR-V_1.0 SPIR-V_1.2".to_owned(),
            features: vec![GENERIC_FEATURE.to_owned()],
            producer: Some(Box::default()),
            ..Capabilities::default()
        };
        let narrow =
            Capabilities { limits: [("address_bits".to_owned(), 32)].into(), ..device.clone() };
        let generic = [Requirement::GenericAddressSpace];
        let globals = [Requirement::ProgramScopeGlobals];
        for (device, capabilities, name, requirements, expected) in [
            (&given, &device, "spirv10", &generic[..], ""),
            (&given, &device, "spirv10", &globals, "does not report program-scope-globals"),
            (&given, &device, "spirv12", &[], "does not name spirv12"),
            (&given, &device, "spirv14", &[], "does not report SPIR-V 1.4: its CL_DEVICE_IL"),
            (&given, &narrow, "spirv10", &[], "addresses of 64 bits, and the device has 32"),
            (&opencl(), &device, "spirv10", &[], "add `--through spirv-tools`"),
        ] {
            let dialect = Dialect::from_name(name).unwrap();
            let missing = missing(device, capabilities, dialect, requirements).unwrap_or_default();
            assert!(missing.contains(expected), "{name}: {missing}");
            assert_eq!(missing.is_empty(), expected.is_empty(), "{name}: {missing}");
        }
    }

    #[test]
    fn requirements_are_read_from_features_or_extensions() {
        let versions = [(1, 2), (3, 0)].map(|(major, minor)| NamedVersion { major, minor });
        let device = Capabilities {
            opencl_c_versions: versions.to_vec(),
            extensions: vec!["cl_khr_fp64".to_owned()],
            ..Capabilities::default()
        };
        let missing = |dialect, requirement| {
            missing(&opencl(), &device, Dialect::from_name(dialect).unwrap(), &[requirement])
        };
        assert_eq!(missing("cl12", Requirement::Fp64), None);
        assert_eq!(
            missing("cl30", Requirement::Fp64).unwrap(),
            "the device does not report fp64 in cl30"
        );
        assert_eq!(
            missing("cl12", Requirement::Images).unwrap(),
            "the device does not report images in cl12"
        );
    }
}
