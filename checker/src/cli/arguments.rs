//! The command line.

use std::{ffi::OsString, path::PathBuf};

use crate::{Rule, Version, preprocess::Limits};
use clap::{
    Parser, ValueEnum, ValueHint,
    builder::{PossibleValuesParser, TypedValueParser, UnknownArgumentValueParser},
};
use clap_complete::Shell;

/// Name of the program in advice on what to type: the name under which Cargo installs it (`[[bin]]` in `Cargo.toml`).
pub const PROGRAM: &str = "address-spaces-check";

const EXAMPLES: &str = "\
Examples:
  address-spaces-check kernel.cl                          as OpenCL C 3.0 with every feature
  address-spaces-check --std CL1.2 -I include *.cl        as OpenCL C 1.2
  address-spaces-check src                                every *.cl and *.ocl below a folder
  address-spaces-check --features none kernel.cl          as OpenCL C 3.0 without any optional feature
  address-spaces-check --features=-generic_address_space,-pipes kernel.cl
  address-spaces-check --format sarif *.cl > report.sarif
  address-spaces-check --format github *.cl               in a workflow of GitHub
  address-spaces-check --objects kernel.cl                the space of every object, as JSON
  address-spaces-check --diff *.cl | patch -p1            what --fix does
  cat kernel.cl | address-spaces-check --std CL2.0 -D N=4 -
  address-spaces-check --explain conversion/implicit

Build options of the form -cl-std=CL1.2 and -cl-fast-relaxed-math are understood, other -cl-* options ignored.

Exit status:
  0  every file is accepted
  1  some file breaks a rule
  2  some file was not understood or could not be read, or the command line is wrong";

const ABOUT: &str = "Check which address-space rules OpenCL C programs break";

const LONG_ABOUT: &str = "\
Check which address-space rules OpenCL C programs break.

Each file is preprocessed and judged by the language's text for one version and set of optional features. Plain C \
that no compiler accepts is an error of a rule `c/...`; other mistakes in plain C are warnings.";

/// The version where none is named: the one with the most features.
pub(super) const DEFAULT_VERSION: Version = Version::V3_0;

/// The whole command line of the program.
#[derive(Debug, Parser)]
#[command(name = PROGRAM, version, about = ABOUT, long_about = LONG_ABOUT, after_help = EXAMPLES, max_term_width = 100)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Arguments {
    /// Files to check; `-` is standard input
    ///
    /// A folder stands for every `*.cl` and `*.ocl` file below it, a pattern such as `'src/**/*.cl'` for the files that
    /// it matches. Both leave out hidden files and files that Git ignores.
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(super) files: Vec<PathBuf>,

    /// Version of OpenCL C: CL1.0, CL1.1, CL1.2, CL2.0, CL3.0 or CL3.1 [default: CL3.0]
    #[arg(long, value_name = "VERSION")]
    pub(super) std: Option<Version>,

    /// Name of `--std` in the suite; the error names the option of this program.
    #[arg(long, hide = true, value_parser = UnknownArgumentValueParser::suggest_arg("--std"))]
    dialect: Option<String>,

    /// Optional features of 3.0 and 3.1: `all`, `none`, and names with `+` or `-`, separated by commas
    ///
    /// Names may leave out `__opencl_c_`. `+` also adds the features that the named one needs; `-` also removes those
    /// that need it. `cl_khr_fp16` and `cl_khr_byte_addressable_store` may be named for every version.
    #[arg(long, value_name = "LIST", default_value = "all", allow_hyphen_values = true)]
    pub(super) features: String,

    /// Apply fixes to the files
    ///
    /// The checker offers a fix only after it has tried it: the finding is gone and there is no new one. Macros,
    /// included files and lines after `#line` are never changed.
    #[arg(long)]
    pub(super) fix: bool,

    /// Print the changes of --fix as a unified diff, without making them
    #[arg(long, conflicts_with = "format")]
    pub(super) diff: bool,

    /// Print the objects of each file, with their address spaces, as one JSON document
    ///
    /// The document lists variables, parameters, string literals and compound literals with space, type, size and
    /// alignment, and for pointers the space of each level. A file that breaks a rule is left out, and its findings go
    /// to standard error.
    #[arg(long, conflicts_with_all = ["format", "fix", "diff"])]
    pub(super) objects: bool,

    /// Define a macro; its value is 1 if none is given
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(super) define: Vec<String>,

    /// Undefine a macro, predefined or given with -D
    #[arg(short = 'U', value_name = "NAME")]
    pub(super) undefine: Vec<String>,

    /// Search this folder for included files
    #[arg(short = 'I', value_name = "FOLDER")]
    pub(super) include: Vec<PathBuf>,

    /// Do not enforce this rule
    #[arg(long, value_name = "RULE", value_parser = rule(), hide_possible_values = true)]
    pub(super) without: Vec<Rule>,

    /// Turn warnings into errors: likely mistakes, and calls of functions that may be a vendor's
    #[arg(long, value_enum, value_name = "KIND")]
    pub(super) deny: Option<Deny>,

    /// Largest number of tokens that a program may have, and that its macros may make; at most 268435456
    #[arg(long, value_name = "COUNT", default_value_t = Limits::TOKENS)]
    pub(super) max_tokens: usize,

    /// Format of the findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,

    /// Use of colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(super) color: Color,

    /// Explain a rule, with a program that breaks it and a valid one
    #[arg(long, value_name = "RULE", value_parser = rule(), hide_possible_values = true)]
    pub(super) explain: Vec<Rule>,

    /// List the rules that the checker knows
    #[arg(long)]
    pub(super) list_rules: bool,

    /// Run as a language server on standard input and output, for an editor
    ///
    /// The version comes from the initialization option `std`, or from `.opencl-c.toml` in the file's folder or above.
    #[arg(long, conflicts_with_all = ["files", "std", "features", "fix", "diff", "format"])]
    pub(super) lsp: bool,

    /// Print a completion script for this shell
    #[arg(long, value_enum, value_name = "SHELL")]
    pub(super) completions: Option<Shell>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Source lines with the errors marked
    Text,
    /// One line per finding, in the format of compilers
    Concise,
    /// Workflow commands, which GitHub shows beside changed lines
    Github,
    /// One JSON document
    Json,
    /// SARIF 2.1.0
    Sarif,
}

/// Findings that can be made errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Deny {
    /// Every warning
    Warnings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal
    Auto,
    /// Colours everywhere
    Always,
    /// Colours nowhere
    Never,
}

fn rule() -> impl TypedValueParser<Value = Rule> {
    PossibleValuesParser::new(Rule::ALL.iter().map(|rule| rule.id()))
        .try_map(|id| Rule::from_id(&id).ok_or("there is no such rule"))
}

/// Returns the option of this program for a build option of OpenCL; `None` if it changes no verdict.
pub fn build_option(argument: OsString) -> Option<OsString> {
    let Some(option) = argument.to_str().and_then(|text| text.strip_prefix("-cl-")) else {
        return Some(argument);
    };
    if let Some(version) = option.strip_prefix("std=") {
        return Some(format!("--std={version}").into());
    }
    (option == "fast-relaxed-math").then(|| "-D__FAST_RELAXED_MATH__=1".into())
}
