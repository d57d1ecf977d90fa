//! A vendor's week: three versions of a driver of its own, as docs/your-own-driver.md describes it, with results that
//! are copied.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use libtest_mimic::Failed;

use crate::{check_status, text};

/// A version of the driver, and the beginnings of valid functions that it rejects.
struct DriverVersion {
    number: &'static str,
    rejects: &'static str,
}

const FIRST: DriverVersion = DriverVersion { number: "1.0", rejects: r#""_f(constant ""# };
/// The second version has a regression, and the third has mended that and a part of the first's bug.
const SECOND: DriverVersion =
    DriverVersion { number: "1.1", rejects: r#""_f(constant ", "_f(global int""# };
const THIRD: DriverVersion = DriverVersion { number: "2.0", rejects: r#""_f(constant int""# };

const SELECTION: [&str; 4] = ["--rule", "conversion/unions", "--dialect", "cl12"];

/// A vendor's folder: the driver, its device file and the baseline.
struct Vendor {
    folder: tempfile::TempDir,
}

impl Vendor {
    fn new() -> Result<Self, Failed> {
        let vendor = Self { folder: tempfile::tempdir()? };
        let file = format!(
            "name = \"vendor\"\nwhat = \"our driver\"\nfront-end = \"clang 15\"\n\n[device]\ntype = \"opencl\"\nplatform = \"Vendor's OpenCL\"\nicd = \"{}\"\n\n[environment]\nPOCL_CACHE_DIR = \"{{scratch}}\"\nPOCL_KERNEL_CACHE = \"0\"\n",
            vendor.path("libvendor.so").display()
        );
        fs::write(vendor.path("vendor.toml"), file)?;
        Ok(vendor)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Builds a version of the driver, in the place of the one before.
    fn install(&self, version: &DriverVersion) -> Result<(), Failed> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pocl/vendor_driver.c");
        let built = Command::new("gcc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared"])
            .arg("-fvisibility=hidden")
            .arg(format!("-DVERSION=\"{}\"", version.number))
            .arg(format!("-DREJECTS={}", version.rejects))
            .arg("-DWRAPPED=\"libpocl.so.2\"")
            .arg("-o")
            .args([&self.path("libvendor.so"), &source])
            .output()?;
        let needs = "needs: apt-get install gcc opencl-c-headers";
        if built.status.success() { Ok(()) } else { Err(format!("{}{needs}", text(&built)).into()) }
    }

    fn command(&self, folder: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_address-spaces"));
        command.args(arguments).current_dir(folder).env("XDG_CONFIG_HOME", self.path("config"));
        command.output().unwrap()
    }

    /// Runs a command in the vendor's folder, and checks the exit status and the last line that explains it.
    fn said(&self, arguments: &[&str], status: i32, last: &str) -> Result<String, Failed> {
        let output = self.command(self.folder.path(), arguments);
        check_status(&output, status)?;
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let ends = stdout.trim_end().lines().last().unwrap_or_default().to_owned();
        if !ends.contains(last) {
            return Err(format!("{arguments:?} ends with {ends}\n{}", text(&output)).into());
        }
        Ok(text(&output))
    }

    /// Runs the selection on the device.
    fn run(
        &self,
        device: &[&str],
        more: &[&str],
        status: i32,
        last: &str,
    ) -> Result<String, Failed> {
        self.said(&[device, &SELECTION, more].concat(), status, last)
    }
}

const DEVICE: [&str; 4] = ["--device", "./vendor.toml", "--baseline", "known.toml"];

pub(crate) fn a_vendors_week() -> Result<(), Failed> {
    let vendor = Vendor::new()?;
    // Monday: the driver as it is.
    vendor.install(&FIRST)?;
    let said =
        vendor.run(&["--icd", "libvendor.so"], &[], 1, " unexpected, 0 expected failures, ")?;
    assert!(said.contains("libvendor.so with functions of /"), "{said}");
    vendor.run(&DEVICE, &["--bless"], 1, " unexpected, 0 expected failures, ")?;
    let said = vendor.run(&DEVICE, &["--results", "r10"], 0, ": 46 cases, 0 unexpected, ")?;
    let order = "vendor: judged by known.toml (";
    assert!(said.contains(order), "{said}");
    let first = fs::read_to_string(vendor.path("known.toml"))?;
    assert!(first.contains("name = \"vendor\"") && !first.contains("implementations"), "{first}");
    assert!(first.contains("confirmed = [\"1.0\"]") && !first.contains("own-front-end"), "{first}");
    // Tuesday: a new version.
    vendor.install(&SECOND)?;
    let said = vendor.run(&DEVICE, &["--results", "r11"], 1, " unexpected, ")?;
    assert!(said.contains("confirmed with version 1.0 but not with this one, 1.1"), "{said}");
    let said = vendor.said(&["compare", "r10", "r11"], 1, "")?;
    assert!(said.contains("from 1.0 to 1.1"), "{said}");
    vendor.run(&DEVICE, &["--bless"], 1, " unexpected, ")?;
    let second = fs::read_to_string(vendor.path("known.toml"))?;
    assert!(second.contains("implementations = [\"vendor >=1.1\"]"), "{second}");
    each_way_is_green(&vendor)?;
    // The version before is still judged right.
    vendor.install(&FIRST)?;
    vendor.run(&DEVICE, &[], 0, " 0 unexpected, ")?;
    // Wednesday: a version with fewer bugs. Nobody has confirmed the entries with it, so it is green.
    vendor.install(&THIRD)?;
    let said = vendor.run(&DEVICE, &["--results", "r20"], 0, " 0 unexpected, ")?;
    assert!(said.contains("does not hold with this version: known.toml:"), "{said}");
    vendor.run(&DEVICE, &["--bless"], 0, " 0 unexpected, ")?;
    for version in [&THIRD, &SECOND, &FIRST] {
        vendor.install(version)?;
        vendor.run(&DEVICE, &[], 0, " 0 unexpected, ")?;
    }
    results_travel(&vendor)
}

/// The name of the platform in the device file is what is wrong, and no library.
pub(crate) fn a_wrong_platform_is_named() -> Result<(), Failed> {
    let vendor = Vendor::new()?;
    vendor.install(&FIRST)?;
    let file = fs::read_to_string(vendor.path("vendor.toml"))?.replace("Vendor's", "Vendr's");
    fs::write(vendor.path("vendor.toml"), file)?;
    let run = [&["--device", "./vendor.toml"], &SELECTION[..]].concat();
    let output = vendor.command(vendor.folder.path(), &run);
    check_status(&output, 2)?;
    let said = "./vendor.toml: the driver has no platform called `Vendr's OpenCL`, only `Vendor's OpenCL`: write `platform = \"Vendor's OpenCL\"`";
    assert!(text(&output).contains(said), "{}", text(&output));
    Ok(())
}

/// The same entries apply to a driver however it is reached.
fn each_way_is_green(vendor: &Vendor) -> Result<(), Failed> {
    let elsewhere = vendor.path("elsewhere");
    fs::create_dir_all(elsewhere.join("devices"))?;
    for (from, to) in [("libvendor.so", "libvendor.so"), ("vendor.toml", "devices/ours.toml")] {
        fs::copy(vendor.path(from), elsewhere.join(to))?;
    }
    let absolute = vendor.path("vendor.toml").display().to_string();
    for way in [
        &["--device", "vendor.toml"][..],
        &["--device", &absolute],
        &["--device", "elsewhere/devices/ours.toml"],
        &["--devices", "elsewhere/devices", "--device", "vendor"],
        &["--icd", "elsewhere/libvendor.so"],
    ] {
        vendor.run(&[way, &["--baseline", "known.toml"]].concat(), &[], 0, " 0 unexpected, ")?;
    }
    Ok(())
}

/// Results that were copied to an empty folder are judged as they were where they were made.
fn results_travel(vendor: &Vendor) -> Result<(), Failed> {
    let away = tempfile::tempdir()?;
    for results in ["r10", "r11"] {
        fs::create_dir(away.path().join(results))?;
        let file = format!("{results}/results.jsonl");
        fs::copy(vendor.path(&file), away.path().join(&file))?;
        let mut seen = Vec::new();
        // Entries that were blessed since are not in the results.
        let known = vendor.path("known.toml");
        let hidden = vendor.path("hidden.toml");
        fs::rename(&known, &hidden)?;
        for folder in [vendor.folder.path(), away.path()] {
            seen.push(judged(vendor, folder, results));
        }
        fs::rename(&hidden, &known)?;
        assert_eq!(seen[0], seen[1], "{results}");
        let is_green = results == "r10";
        assert_eq!(seen[0].statuses[0], Some(i32::from(!is_green)), "{:?}", seen[0]);
        assert_eq!(seen[0].converted.contains("✓ as expected"), is_green, "{:?}", seen[0]);
        let on_first_page = (!is_green).then_some("6");
        assert_eq!(seen[0].on_first_page.as_deref(), on_first_page, "{:?}", seen[0]);
        assert_eq!(seen[0].statuses[2], Some(if is_green { 3 } else { 0 }), "{:?}", seen[0]);
    }
    let away = away.path().display().to_string();
    let package = format!("{away}/package");
    vendor.said(&["package", "write", "r10", "--into", &package], 0, "checks it anywhere")?;
    let check = ["package", "check", &package];
    let said = vendor.said(&check, 0, ": 46 cases, 0 unexpected, ")?;
    assert!(said.contains(" is as it was packed: 46 cases of a part of the suite ("), "{said}");
    let results = format!("{package}/results.jsonl");
    let packed = fs::read_to_string(&results)?;
    fs::write(&results, packed.replacen("rejects-valid", "accepts-invalid", 1))?;
    let output = vendor.command(vendor.folder.path(), &check);
    check_status(&output, 2)?;
    assert!(text(&output).contains("results.jsonl has a different hash"), "{}", text(&output));
    Ok(())
}

/// Verdicts on the results in a folder, as commands give them.
#[derive(Debug, PartialEq, Eq)]
struct Verdicts {
    judged: String,
    converted: String,
    /// Number of unexpected findings on the first page of the report; none if the page names none.
    on_first_page: Option<String>,
    /// Exit statuses of `judge`, `report` and `handover`.
    statuses: [Option<i32>; 3],
}

fn judged(vendor: &Vendor, folder: &Path, results: &str) -> Verdicts {
    let run = |arguments: &[&str]| vendor.command(folder, arguments);
    let said = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let (site, packs) = (format!("site-{results}"), format!("packs-{results}"));
    let judge = run(&["judge", results]);
    let report = run(&["report", results, "--into", &site]);
    let handover = run(&["handover", results, "--unexpected", "--into", &packs]);
    let page = fs::read_to_string(folder.join(site).join("index.html")).unwrap();
    Verdicts {
        judged: said(&judge),
        converted: said(&run(&["convert", results, "--to", "markdown"])),
        on_first_page: page
            .split_once(" unexpected finding")
            .map(|(before, _)| before.rsplit('>').next().unwrap_or_default().to_owned()),
        statuses: [judge.status.code(), report.status.code(), handover.status.code()],
    }
}
