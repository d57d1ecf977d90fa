//! Target that a worker opens.

use serde::{Deserialize, Serialize};

use crate::capabilities::NamedVersion;

/// Target that a worker opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// A platform behind the `OpenCL` loader.
    Opencl {
        /// Part of its name.
        platform: String,
    },
    /// A command-line compiler.
    Command {
        /// The compiler.
        program: String,
        /// Program and arguments that print its version.
        version: Vec<String>,
        /// Exit statuses from 126 on by which it rejects a program.
        rejects_with: Vec<i32>,
        /// Query for the capabilities of the device.
        asked: CapabilityQuery,
    },
    /// AMD's compiler as a library.
    Comgr {
        library: String,
        /// Names of instruction sets.
        isas: Vec<String>,
        /// Options of the back end.
        code_options: Vec<String>,
        /// Versions of `OpenCL` C, the newest first, each with the options for building a program of it.
        newest_first: Vec<(NamedVersion, Vec<String>)>,
        /// Versions of C++ for `OpenCL` in the same form.
        cxx: Vec<(NamedVersion, Vec<String>)>,
    },
}

/// Query for the capabilities of a command-line compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CapabilityQuery {
    /// Not at all: the device file does.
    Nothing,
    /// A command prints them: program and arguments, with [`crate::QUERY_PLACEHOLDER`] in them.
    Query {
        /// Program and arguments.
        command: Vec<String>,
    },
    /// By the versions it takes a program of, the newest first: it has those before the first that it takes.
    Versions {
        /// Versions, each with the command that compiles a program of it.
        newest_first: Vec<(NamedVersion, Vec<String>)>,
        /// Versions of C++ for `OpenCL` in the same form: the device has each version whose program it accepts.
        cxx: Vec<(NamedVersion, Vec<String>)>,
    },
}
