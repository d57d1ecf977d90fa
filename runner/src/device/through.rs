//! Drivers that are given the modules of a compiler, with the entries of both.

use std::mem;

use expectations::{
    baseline::RunPart,
    device::{DeviceFile, DeviceKind, ModuleLanguage},
};

/// Returns why a driver cannot be given the modules of a compiler; `None` if it can.
pub(super) fn fault(device: &DeviceFile, producer: &DeviceFile) -> Option<String> {
    if !matches!(device.kind, DeviceKind::Opencl { .. }) {
        return Some(format!(
            "`--through` gives modules to a driver, and `{}` is not a driver: name an OpenCL \
             device",
            device.name
        ));
    }
    (producer.kind.emits() != Some(ModuleLanguage::Spirv)).then(|| {
        format!(
            "`--through {}`: that device emits no SPIR-V: name a compiler whose file has `emits = \
             \"spirv\"`, such as `llvm-spirv` or `clang-spirv64`",
            producer.name
        )
    })
}

/// Returns the driver as one that is given the modules of a compiler, whose front end judges programs.
pub(super) fn joined(mut device: DeviceFile, producer: DeviceFile) -> DeviceFile {
    device.front_end.clone_from(&producer.front_end);
    device.broken_dialects.clone_from(&producer.broken_dialects);
    device.unreported_dialects.clear();
    device.through = Some(Box::new(producer));
    device
}

/// Keeps only the entries that a run is judged by. If the driver is given modules, the entries of its own file are
/// about what it does with them, those of the compiler about what comes before, and those that name the compiler about
/// all of it; otherwise the latter are about nothing.
pub(super) fn keep_entries(device: &mut DeviceFile) {
    let Some(producer) = device.through.take() else {
        device.deviations.retain(|entry| entry.through.is_empty());
        return;
    };
    let mut entries = mem::take(&mut device.deviations);
    entries.retain(|entry| entry.through.is_empty() || entry.through.contains(&producer.name));
    for entry in &mut entries {
        entry.part = if entry.through.is_empty() { RunPart::Consumer } else { RunPart::Whole };
    }
    let of_producer = producer.deviations.iter().filter(|entry| entry.through.is_empty()).cloned();
    entries.extend(of_producer.map(|mut entry| {
        entry.part = RunPart::Producer;
        entry
    }));
    for entry in entries.iter_mut().filter(|entry| entry.part != RunPart::Whole) {
        // An example holds in runs without `--through`.
        entry.example = None;
    }
    device.deviations = entries;
    device.through = Some(producer);
}
