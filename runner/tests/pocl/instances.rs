//! Instances of a device: from a release of Debian in a root folder, from a folder.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use expectations::outcome::RunKind;
use libtest_mimic::{Completion, Failed};
use results::folder::{Completeness, read_runs};

use crate::{
    check_status,
    elsewhere::small_root,
    is_green,
    own::{compare, copy_of, kept, runner_with},
    text,
};

const ROOTS: &str = "OPENCL_C_ROOTS";

/// The files of Debian's tools about an installed package.
fn installed(package: &str) -> String {
    format!(
        "Package: {package}\nStatus: install ok installed\nMaintainer: nobody\nArchitecture: amd64\nVersion: 1\nDescription: here\n\n"
    )
}

pub(crate) fn a_root_folder_is_asked_for_its_own_driver() -> Result<(), Failed> {
    let here = kept(&["--device", "pocl"], &[])?;
    let folder = tempfile::tempdir().unwrap();
    let roots = folder.path().display().to_string();
    let root = folder.path().join("sid");
    let selection = ["--device", "pocl@sid", "--rule", "string-literal/use", "--dialect", "cl12"];
    let missing = |said: &str| {
        let output = runner_with(&selection, &[(ROOTS, &roots)]);
        check_status(&output, 2)?;
        let said = format!("pocl@sid is not installed: add --install ({said}");
        if text(&output).contains(&said) { Ok(()) } else { Err(Failed::from(text(&output))) }
    };
    missing(&format!("makes {}, a root folder of Debian sid", root.display()))?;
    let icd = small_root(&here.identity["library"], &root);
    fs::create_dir_all(root.join("etc/OpenCL/vendors")).unwrap();
    fs::write(root.join("etc/OpenCL/vendors/pocl.icd"), &icd).unwrap();
    fs::create_dir_all(root.join("var/lib/dpkg")).unwrap();
    let status = root.join("var/lib/dpkg/status");
    fs::write(&status, installed("pocl-opencl-icd")).unwrap();
    missing(&format!("puts ocl-icd-libopencl1 into {}", root.display()))?;
    let both = ["pocl-opencl-icd", "ocl-icd-libopencl1"].map(installed).concat();
    fs::write(&status, both).unwrap();
    let there = kept(&["--device", "pocl@sid"], &[(ROOTS, &roots)])?;
    assert_eq!(there.identity["library"], icd);
    assert_eq!(there.identity["root"], root.display().to_string());
    compare(&here, &there, "pocl@sid")
}

pub(crate) fn a_folder_has_the_driver_below_it() -> Result<(), Failed> {
    let here = kept(&["--device", "pocl"], &[])?;
    let folder = tempfile::tempdir().unwrap();
    let copy = copy_of(&here.identity["library"], folder.path()).display().to_string();
    let there = kept(&["--device", &format!("pocl@{}", folder.path().display())], &[])?;
    assert_eq!(there.identity["library"], copy);
    compare(&here, &there, "pocl@DIR")?;
    for (device, said) in [
        ("pocl@/no/such/folder", "install a driver below /no/such/folder"),
        ("pocl@sdi", "unknown device `pocl@sdi`; did you mean `pocl@sid`?"),
        ("checker@sid", "unknown device `checker@sid`"),
        ("clang-19@/opt", "unknown device `clang-19@/opt`"),
    ] {
        let output = runner_with(&["--device", device, "--dialect", "cl12"], &[]);
        check_status(&output, 2)?;
        if !text(&output).contains(said) {
            return Err(text(&output).into());
        }
    }
    Ok(())
}

/// Modules that a compiler makes, executed by today's release; a release that takes none.
pub(crate) fn through_a_compiler() -> Result<Completion, Failed> {
    let through = |device: &str, folder: &str| {
        let selection = ["--rule", "execution/function-of-two-kernels", "--dialect", "cl12"];
        let kept = ["--through", "llvm-spirv", "--results", folder];
        runner_with(&[&["--device", device][..], &selection, &kept].concat(), &[])
    };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let output = through("pocl@sid", &path("today"));
    if text(&output).contains("is not installed") {
        let remedy = "cargo run -p runner -- --device pocl@sid --through llvm-spirv --install";
        return Ok(Completion::ignored_with(format!("needs both: {remedy}")));
    }
    check_status(&output, 0)?;
    is_green(&text(&output))?;
    let run = read_runs(&folder.path().join("today"), Completeness::Whole)?;
    let header = &run[0].header;
    assert_eq!((header.device.as_str(), header.through.as_str()), ("pocl@sid", "llvm-spirv"));
    assert!(header.identity["versions of SPIR-V"].contains("SPIR-V_1.2"));
    let runs = run[0].cases.briefs().filter_map(|case| case.outcome.run);
    let executed = runs.filter(|run| run.kind == RunKind::Completed).count();
    assert!(executed > 4, "{}", text(&output));
    let output = through("pocl", &path("yesterday"));
    check_status(&output, 2)?;
    let told = "device `pocl` accepts no SPIR-V: it reports no CL_DEVICE_IL_VERSION";
    if !text(&output).contains(told) && !text(&output).contains("--install") {
        return Err(text(&output).into());
    }
    Ok(Completion::Completed)
}

/// Today's release, where its root folder is.
pub(crate) fn todays_driver(name: &str) -> Result<Completion, Failed> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let selection = ["--rule", "string-literal", "--rule", "conversion/implicit"];
    let output: Output = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .current_dir(repository)
        .args(["--device", name, "--dialect", "cl12"])
        .args(selection)
        .output()
        .unwrap();
    if text(&output).contains("is not installed") {
        return Ok(Completion::ignored_with(format!(
            "needs it: cargo run -p runner -- --device {name} --install"
        )));
    }
    check_status(&output, 0)?;
    is_green(&text(&output))?;
    Ok(Completion::Completed)
}
