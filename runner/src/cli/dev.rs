//! Commands for developers of the suite.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::run::{BuildArgs, DepthArgs, DeviceArgs, RandomArgs, SelectArgs, TextArgs, filter};
use crate::{
    run::{plan::RunPlan, quick},
    specification::CopyOf,
};

/// Commands for developers of the suite.
#[derive(Debug, Subcommand)]
pub enum DevCommand {
    /// Write the skeleton of a rule: its file and its template.
    ///
    /// A run of the rule reports the parts that have to be filled in.
    NewRule {
        /// Name of the rule, FAMILY/NAME.
        rule: String,
        /// Folder for the files, laid out like the repository.
        #[arg(long, value_name = "DIR", default_value = ".")]
        into: PathBuf,
    },
    /// Write the skeleton of a device's file.
    ///
    /// A run on the device reports the parts that have to be filled in.
    NewDevice {
        /// Name of the device.
        name: String,
        /// Folder for the file, laid out like the repository.
        #[arg(long, value_name = "DIR", default_value = ".")]
        into: PathBuf,
    },
    /// Print the requirements that rules cover.
    ///
    /// Each is printed with its id, a sentence about it, and the rules that cover it.
    Requirements {
        /// Text in the id or the sentence; without it, all are printed.
        word: Option<String>,
    },
    /// Measure which mistakes of a checker the cases detect.
    ///
    /// The mistakes are mutants of the checker.
    Adequacy {
        /// The cases.
        #[command(flatten)]
        select: SelectArgs,
        /// Texts of ids.
        #[command(flatten)]
        texts: TextArgs,
    },
    /// Measure which wrong kernels the probes of the cases detect on a device.
    ProbeAdequacy(MeasureArgs),
    /// Compare the modules that a compiler emits with the address spaces of the text.
    ///
    /// Every valid case that the device accepts is compiled without optimization to LLVM IR or SPIR-V. Each object and
    /// parameter must be in the module, in its space, with its size, its alignment and its values. The exit status is 1
    /// if a law is broken without a known cause.
    Lower {
        /// The selection and the device.
        #[command(flatten)]
        measured: MeasureArgs,
        /// Whether the SPIR-V is translated back to LLVM IR, which is compared in its place.
        ///
        /// The steps are `back` in the device's file: `llvm-spirv` has them.
        #[arg(long)]
        back: bool,
    },
    /// Compare verdicts of shared builds with those of one build per case.
    ///
    /// Builds the selected cases both ways, or compares two stored runs, and prints each case whose verdicts differ.
    /// Exit status: 0 no verdict differs, 1 some differ.
    Audit {
        /// Compare the runs in these two results folders, and build nothing.
        #[arg(long, num_args = 2, value_names = ["DIR", "DIR"], exclusive = true)]
        stored: Vec<PathBuf>,
        /// The selection and the device.
        #[command(flatten)]
        measured: MeasureArgs,
    },
    /// Measure the combinations of axis values that the cases cover.
    ///
    /// With `--random`, measures the rules that random programs reach.
    Coverage {
        /// Number of random programs.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000), group = "programs")]
        random: Option<u64>,
        /// Seed of the first random program.
        #[arg(long, value_name = "S", default_value_t = 1, requires = "random")]
        seed: u64,
        /// Size and features of random programs.
        #[command(flatten)]
        made_of: RandomArgs,
    },
    /// Check that cited sentences are still in the specification.
    ///
    /// Prints each sentence with the rules that cite it, then the sentences about address spaces that no rule cites.
    /// Exit status: 0 all sentences are as cited, 1 some anchor or hash is wrong.
    Clauses {
        /// Copy of the specification (`OpenCL_C.txt`), or DOCUMENT=FILE for another cited document.
        #[arg(required = true, value_name = "[DOCUMENT=]FILE")]
        copies: Vec<CopyOf>,
        /// Only print every sentence of this section with its hash, for citing it in a rule.
        #[arg(long, value_name = "ANCHOR")]
        section: Option<String>,
    },
    /// Choose the cases of `--quick` again.
    ///
    /// A listed case stays while it covers something that no other case covers.
    ChooseQuick {
        /// File with the list.
        #[arg(default_value = quick::PATH)]
        file: PathBuf,
    },
    /// Write the generated pages of the manual.
    Docs {
        /// Folder of the manual.
        #[arg(default_value = "docs")]
        folder: PathBuf,
    },
    /// Write the suite as plain files for other test runners.
    Export {
        /// Folder to create.
        folder: PathBuf,
        /// Layout of the exported files.
        #[arg(long, value_enum, default_value_t = ExportFormat::Plain)]
        layout: ExportFormat,
        /// Results of a device, for piglit.
        ///
        /// Cases that the device was not tried on are left out, and those that it is known to fail are listed as
        /// expected failures.
        #[arg(long, value_name = "RESULTS")]
        known: Option<PathBuf>,
        /// The cases.
        #[command(flatten)]
        select: SelectArgs,
    },
}

/// Options of a measurement on one device.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// Device to run on.
    #[command(flatten)]
    pub device: DeviceArgs,
    /// The cases.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Texts of ids.
    #[command(flatten)]
    pub texts: TextArgs,
    /// Depth to which cases are taken.
    #[command(flatten)]
    pub depth: DepthArgs,
    /// Settings of the builds.
    #[command(flatten)]
    pub builds: BuildArgs,
}

impl MeasureArgs {
    /// Returns the plan of a run with these options; an error names those that exclude each other.
    pub fn plan(&self) -> Result<RunPlan, String> {
        let filter = filter(&self.select, &self.texts)?;
        let (devices, builds) = (self.device.devices()?, self.builds.builds());
        Ok(RunPlan { devices, filter, builds, depth: self.depth.depth, ..RunPlan::default() })
    }
}

/// Layout of exported files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// `FAMILY/RULE/DIALECT/POINT.cl` and a manifest, `manifest.jsonl`.
    Plain,
    /// Programs for piglit's `cl-program-tester`, their profile and the manifest, without disputed cases.
    Piglit,
    /// Tests for clang's own `-verify`, executed by LLVM's lit, without disputed cases.
    ///
    /// Each rule has a file. Cases that a version of clang is known to judge wrongly are in files of their own, as
    /// XFAIL.
    Lit,
    /// A test of Khronos' OpenCL-CTS, a folder for its `test_conformance`, with valid cases only.
    ///
    /// Cases are built and, if their probe is a single launch, executed and compared.
    Cts,
}
