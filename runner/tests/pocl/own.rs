//! A driver that no device file of the suite names: a copy of the installed one, reached in every way there is.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use libtest_mimic::Failed;

use crate::{check_status, text};

/// Cases that are accepted, rejected and executed.
const SELECTION: [&str; 6] =
    ["--rule", "string-literal", "--rule", "execution/local-argument", "--dialect", "cl12"];

/// What a run kept.
pub(crate) struct Kept {
    /// The device's identity, by name.
    pub(crate) identity: BTreeMap<String, String>,
    /// Outcome and finding of every case; not what differs from run to run.
    pub(crate) cases: BTreeMap<String, String>,
}

/// Run the selection, with these arguments and variables, which must end as expected.
pub(crate) fn kept(arguments: &[&str], variables: &[(&str, &str)]) -> Result<Kept, Failed> {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("out");
    let results = results.display().to_string();
    let keep = ["--results", results.as_str()];
    let output = runner_with(&[arguments, &SELECTION, &keep].concat(), variables);
    check_status(&output, 0)?;
    let mut kept = Kept { identity: BTreeMap::new(), cases: BTreeMap::new() };
    for line in fs::read_to_string(folder.path().join("out/results.jsonl")).unwrap().lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        match line["record"].as_str() {
            Some("header") => {
                kept.identity = serde_json::from_value(line["identity"].clone()).unwrap();
            }
            Some("case") => {
                let said = format!("{} {}", line["outcome"], line["finding"]);
                let id = line["id"].as_str().unwrap().to_owned();
                kept.cases.insert(id, without_times(&said));
            }
            _ => {}
        }
    }
    assert!(kept.cases.len() > 50, "{}", kept.cases.len());
    // The line that says which driver it was.
    let library = kept.identity.get("library").cloned().unwrap_or_default();
    if !text(&output).contains(&library) || library.is_empty() {
        return Err(format!("`{library}` is not told:\n{}", text(&output)).into());
    }
    Ok(kept)
}

/// The kind of an outcome and what the log says, without the times that probes took.
fn without_times(said: &str) -> String {
    said.split(',').filter(|part| !part.contains("\"seconds\"")).collect::<Vec<_>>().join(",")
}

pub(crate) fn runner_with(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_address-spaces"));
    command.args(arguments).envs(variables.iter().copied()).output().unwrap()
}

/// A copy of the installed driver, with what it looks for beside it; gives its library.
pub(crate) fn copy_of(library: &str, folder: &Path) -> PathBuf {
    let library = Path::new(library);
    let (beside, share) = (folder.join("lib/here"), folder.join("share"));
    fs::create_dir_all(&beside).unwrap();
    fs::create_dir_all(&share).unwrap();
    let installed = library.parent().unwrap();
    for (from, to) in
        [(installed.join("pocl"), &beside), (installed.join("../../share/pocl"), &share)]
    {
        let copied = Command::new("cp").arg("-r").arg(from).arg(to).status().unwrap();
        assert!(copied.success());
    }
    let copy = beside.join("libpocl.so.copy");
    fs::copy(library, &copy).unwrap();
    copy
}

/// A device file for a driver.
pub(crate) fn device_file(icd: &str, more: &str) -> String {
    format!(
        "what = \"a copy\"\nfront-end = \"clang 15\"\n\n[device]\ntype = \"opencl\"\nplatform = \"Portable\"\nicd = {icd:?}\n{more}\n[environment]\nPOCL_CACHE_DIR = \"{{scratch}}\"\nPOCL_KERNEL_CACHE = \"0\"\n"
    )
}

pub(crate) fn compare(installed: &Kept, other: &Kept, how: &str) -> Result<(), Failed> {
    for (id, said) in &installed.cases {
        let there = other.cases.get(id).map_or("nothing", String::as_str);
        if there != said {
            return Err(format!("{how}: {id}\n  {there}\nand installed\n  {said}").into());
        }
    }
    assert_eq!(installed.cases.len(), other.cases.len(), "{how}");
    Ok(())
}

pub(crate) fn a_copy_gives_the_same_results() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let installed = kept(&["--device", "pocl"], &[])?;
    let copy = copy_of(&installed.identity["library"], folder.path()).display().to_string();
    let devices = folder.path().join("devices");
    fs::create_dir(&devices).unwrap();
    fs::write(devices.join("copy.toml"), device_file(&copy, "")).unwrap();
    let configured = folder.path().join("config/opencl-c-address-spaces/devices");
    fs::create_dir_all(&configured).unwrap();
    fs::write(configured.join("configured.toml"), device_file(&copy, "")).unwrap();
    let icd = folder.path().join("copy.icd");
    fs::write(&icd, format!("{copy}\n")).unwrap();
    let file = devices.join("copy.toml").display().to_string();
    let [icd, devices] = [icd, devices].map(|path| path.display().to_string());
    let config = folder.path().join("config").display().to_string();
    for (arguments, variables) in [
        (&["--icd", copy.as_str()][..], &[][..]),
        (&["--icd", icd.as_str()], &[]),
        (&["--device", file.as_str()], &[]),
        (&["--devices", devices.as_str(), "--device", "copy"], &[]),
        (&["--device", "configured"], &[("XDG_CONFIG_HOME", config.as_str())]),
        (&["--device", "platform:Portable"], &[("OCL_ICD_VENDORS", copy.as_str())]),
    ] {
        let how = format!("{variables:?} {arguments:?}");
        let there = kept(arguments, variables)?;
        assert_eq!(there.identity["library"], copy, "{how}");
        assert!(there.identity["LLVM"].starts_with(|c: char| c.is_ascii_digit()), "{how}");
        compare(&installed, &there, &how)?;
    }
    Ok(())
}

/// A user who names the loader's drivers never reads about another one.
pub(crate) fn what_the_user_chose_is_what_is_run() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().display().to_string();
    let selection = ["--rule", "string-literal/write", "--dialect", "cl12"];
    let chosen = [("OCL_ICD_VENDORS", empty.as_str())];
    for (device, said) in [
        ("pocl", "unset the variable (`env -u OCL_ICD_VENDORS address-spaces ...`)"),
        ("platform:Portable Computing Language", "there is none: install its driver"),
        ("platform:rusticl", "there is none: install its driver"),
        ("all", "unset the variable"),
    ] {
        let output = runner_with(&[&["--device", device], &selection[..]].concat(), &chosen);
        check_status(&output, 2)?;
        assert!(text(&output).contains(said), "{device}: {}", text(&output));
    }
    for variable in ["OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"] {
        let output =
            runner_with(&[&["--device", "pocl"], &selection[..]].concat(), &[(variable, "/x")]);
        check_status(&output, 2)?;
    }
    Ok(())
}

pub(crate) fn device_files_that_are_none_say_why() -> Result<(), Failed> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(folder.path().join("pocl.toml"), device_file("/x.so", "")).unwrap();
    fs::write(folder.path().join("lib.so"), "no library").unwrap();
    let run = Command::new("mkfifo").arg(path("pipe.toml")).status().unwrap();
    assert!(run.success());
    let here = folder.path().display().to_string();
    let (gone, pipe, library) = (path("gone.toml"), path("pipe.toml"), path("lib.so"));
    for (arguments, said) in [
        (["--device", &gone], "cannot read the device file"),
        (["--device", &pipe], "it is not a device file"),
        (["--devices", &here], "it is not a device file"),
        (["--icd", &gone], "`--icd` takes an ICD file or a driver's library"),
        (["--icd", &library], "it is not a library"),
        (["--device", "icd:/no/lib.so"], "there is no /no/lib.so"),
        (["--device", "icd:"], "`--icd FILE`"),
    ] {
        let more = ["--rule", "string-literal/write", "--dialect", "cl12"];
        let device: &[&str] = if arguments[0] == "--devices" { &["--device", "x"] } else { &[] };
        let output = runner_with(&[&arguments[..], device, &more].concat(), &[]);
        check_status(&output, 2)?;
        assert!(text(&output).contains(said), "{arguments:?}: {}", text(&output));
    }
    fs::remove_file(folder.path().join("pipe.toml")).unwrap();
    let output = runner_with(&["--devices", &here, "list"], &[]);
    // Listing needs no device; running does.
    check_status(&output, 0)?;
    let output = runner_with(&["--devices", &here, "--device", "pocl"], &[]);
    check_status(&output, 2)?;
    assert!(text(&output).contains("there are two files for device `pocl`"), "{}", text(&output));
    Ok(())
}
