//! Faults of libraries that are on the machine and whose platform the loader does not offer.

use std::{
    fs::{self, File},
    io::Read as _,
    path::Path,
};

use expectations::device::{DeviceFile, DeviceKind};

use super::{environment::implementation, files::BY_ICD};

/// Folder in which the loader looks for the files that name implementations.
const VENDORS: &str = "/etc/OpenCL/vendors";

/// Returns the fault of a device's library when the loader does not offer the device's platform; `None` if there is
/// no library.
pub fn fault(device: &DeviceFile, install_folder: &Path) -> Option<String> {
    let DeviceKind::Opencl { icd: Some(_), .. } = &device.kind else { return None };
    if device.place.is_elsewhere() {
        return None;
    }
    let icd = implementation(device, install_folder)?;
    if Path::new(&icd).extension().is_some_and(|extension| extension == "icd") {
        let path = Path::new(VENDORS).join(&icd);
        if device.name.starts_with(BY_ICD) && !path.exists() {
            return Some(format!("there is no {}", path.display()));
        }
        let library = fs::read_to_string(&path).ok()?.trim().to_owned();
        let why = why(Path::new(&library)).unwrap_or_default();
        let path = path.display();
        return Some(format!(
            "{path} is here, but the loader cannot use `{library}`, which it names{why}"
        ));
    }
    let path = Path::new(&icd);
    if path.is_absolute() && path.is_file() {
        return Some(format!("the loader cannot use {icd}{}", why(path).unwrap_or_default()));
    }
    if device.name.starts_with(BY_ICD) {
        return Some(format!("there is no {icd}"));
    }
    (!device.install.pip.is_empty() && install_folder.exists()).then(|| {
        let folder = install_folder.display();
        format!("{folder} is here but has no {icd}: remove the folder, and install again")
    })
}

/// Returns the reason why a file cannot be a library of this machine, judged by its header.
fn why(path: &Path) -> Option<&'static str> {
    let Some(library) = head(path) else {
        return path.is_file().then_some(": it is not a library");
    };
    if library[..4] != *b"\x7fELF" {
        return Some(": it is not a library");
    }
    // Class and byte order, and the processor.
    let own = head(Path::new("/proc/self/exe"))?;
    let same = library[4..6] == own[4..6] && library[18..20] == own[18..20];
    (!same).then_some(": it is for another kind of processor")
}

fn head(path: &Path) -> Option<[u8; 20]> {
    let mut head = [0; 20];
    File::open(path).ok()?.read_exact(&mut head).ok()?;
    Some(head)
}
