//! Numbers that a device reports of itself, by the names that expressions of probes use.

use expectations::probe::Limits;
use opencl3::device::{CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_TYPE_CPU, Device};
use rustix::process::{Resource, getrlimit};

use super::feature_name;

/// Features whose presence probes ask about, without the beginning all have.
const FEATURES: [&str; 4] =
    ["generic_address_space", "program_scope_global_variables", "pipes", "device_enqueue"];

/// Queries the limits of a device; a limit that it cannot report is missing.
pub(super) fn limits(device: Device) -> Limits {
    let halves = device
        .partition_properties()
        .is_ok_and(|kinds| kinds.contains(&CL_DEVICE_PARTITION_EQUALLY));
    let parts = device.partition_max_sub_devices().unwrap_or(0);
    let listed = device.opencl_c_features().unwrap_or_default();
    let features = FEATURES.map(|name| {
        let has = listed.iter().any(|entry| feature_name(entry) == format!("__opencl_c_{name}"));
        (format!("feature_{name}"), u64::from(has))
    });
    let entries = [
        ("max_work_group_size", device.max_work_group_size().ok().map(|size| size as u64)),
        ("max_constant_args", device.max_constant_args().ok().map(u64::from)),
        ("max_constant_buffer_size", device.max_constant_buffer_size().ok()),
        (
            "max_mem_alloc_size",
            device.max_mem_alloc_size().ok().map(|size| allocation(device, size)),
        ),
        ("max_parameter_size", device.max_parameter_size().ok().map(|size| size as u64)),
        ("local_mem_size", device.local_mem_size().ok()),
        (
            "max_global_variable_size",
            device.max_global_variable_size().ok().map(|size| size as u64),
        ),
        ("mem_base_addr_align", device.mem_base_addr_align().ok().map(u64::from)),
        ("address_bits", device.address_bits().ok().map(u64::from)),
        ("svm_capabilities", Some(device.svm_mem_capability())),
        ("printf_buffer_size", device.printf_buffer_size().ok().map(|size| size as u64)),
        ("image_support", device.image_support().ok().map(u64::from)),
        ("linker_available", device.linker_available().ok().map(u64::from)),
        ("opencl_version", device.version().ok().and_then(|text| version(&text))),
        (
            "generic_address_space_support",
            device.generic_address_space_support().ok().map(u64::from),
        ),
        (
            "non_uniform_work_group_support",
            match device.version().ok().and_then(|text| version(&text)) {
                // A part of the language before it became optional.
                Some(200..300) => Some(1),
                _ => device.non_uniform_work_group_support().ok().map(u64::from),
            },
        ),
        ("sub_devices", Some(if halves { u64::from(parts) } else { 0 })),
    ];
    let entries = entries.map(|(name, value)| (name.to_owned(), value.unwrap_or(0)));
    entries.into_iter().chain(features).collect()
}

/// Returns the bytes of the largest buffer. A driver for a processor takes buffers from the worker's own memory, which
/// may be limited to less; a quarter of it is left to the driver.
fn allocation(device: Device, reported: u64) -> u64 {
    let is_of_worker = device.dev_type().is_ok_and(|kind| kind & CL_DEVICE_TYPE_CPU != 0);
    match getrlimit(Resource::Data).current {
        Some(limit) if is_of_worker => reported.min(limit / 4 * 3),
        _ => reported,
    }
}

/// Returns the version as a number: 310 for `OpenCL 3.1 anything`.
pub(super) fn version(text: &str) -> Option<u64> {
    let (major, minor) =
        text.strip_prefix("OpenCL ")?.split_whitespace().next()?.split_once('.')?;
    Some(major.parse::<u64>().ok()? * 100 + minor.parse::<u64>().ok()? * 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        assert_eq!(version("OpenCL 3.1 pocl"), Some(310));
        assert_eq!(version("OpenCL 1.2"), Some(120));
        assert_eq!(version("nonsense"), None);
    }
}
