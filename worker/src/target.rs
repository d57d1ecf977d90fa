//! What a worker opens.

use serde::{Deserialize, Serialize};

/// What a worker opens.
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
    },
}
