//! Capabilities that a device reports.

use expectations::probe::Limits;
use serde::{Deserialize, Serialize};

use crate::loaded::LoadedFiles;

/// A program that a compiler accepts in every version of `OpenCL` C.
pub(crate) const ANY_VERSION: &str = "void f(void);\n";

/// A program that a compiler accepts in every version of C++ for `OpenCL`, and in no version of `OpenCL` C.
pub(crate) const ANY_CXX_VERSION: &str = "struct s { int m; int f() const { return m; } };\n";

/// Answers of a device to queries. Nothing here was found out by building.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Capabilities {
    /// `CL_PLATFORM_NAME`, or the program of a command-line compiler.
    pub platform: String,
    /// `CL_PLATFORM_VERSION`.
    pub platform_version: String,
    /// `CL_DEVICE_NAME`.
    pub device: String,
    /// `CL_DRIVER_VERSION`, or what a command-line compiler prints as its version.
    pub driver_version: String,
    /// `CL_DEVICE_VERSION`.
    pub device_version: String,
    /// `CL_DEVICE_OPENCL_C_VERSION`, the newest version before 3.0 asked for `CL_DEVICE_OPENCL_C_ALL_VERSIONS`.
    pub opencl_c_version: String,
    /// `CL_DEVICE_OPENCL_C_ALL_VERSIONS`; empty if the device cannot report it.
    pub opencl_c_versions: Vec<NamedVersion>,
    /// The versions of C++ for `OpenCL` it has, by `CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT`, or those a compiler
    /// takes a program of.
    #[serde(default)]
    pub cxx_for_opencl_versions: Vec<NamedVersion>,
    /// `CL_DEVICE_OPENCL_C_FEATURES`; empty if the device cannot report it.
    pub features: Vec<String>,
    /// `CL_DEVICE_EXTENSIONS`.
    pub extensions: Vec<String>,
    /// `CL_DEVICE_IL_VERSION`, or what `cl_khr_il_program` has for it; empty if the device cannot report it.
    #[serde(default)]
    pub il_version: String,
    /// Capabilities of the compiler that makes modules for the device, if there is one.
    #[serde(default)]
    pub producer: Option<Box<Capabilities>>,
    /// `CL_DEVICE_IMAGE_SUPPORT`.
    pub images: bool,
    /// `CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS`.
    pub read_write_images: u32,
    /// `CL_DEVICE_MAX_PIPE_ARGS`.
    pub pipes: u32,
    /// `CL_DEVICE_MAX_ON_DEVICE_QUEUES`.
    pub on_device_queues: u32,
    /// `CL_DEVICE_DOUBLE_FP_CONFIG` is not zero.
    pub fp64: bool,
    /// `CL_DEVICE_HALF_FP_CONFIG` is not zero.
    pub fp16: bool,
    /// Files of the worker's process that identify the driver and what it was built on.
    #[serde(default)]
    pub loaded: LoadedFiles,
    /// Sizes and counts, by the names the expressions of probes know.
    #[serde(default)]
    pub limits: Limits,
}

impl Capabilities {
    /// Returns the front end, where the driver names the LLVM that it was built with: such drivers take clang from it.
    pub fn reported_front_end(&self) -> Option<String> {
        let texts =
            [&self.platform_version, &self.device, &self.device_version, &self.driver_version];
        texts.into_iter().find_map(|text| {
            let (_, version) = text.split_once("LLVM ")?;
            let major: String = version.chars().take_while(char::is_ascii_digit).collect();
            (!major.is_empty()).then(|| format!("clang {major}"))
        })
    }
}

impl Capabilities {
    /// Whether programs can be given as SPIR-V: the device names a version of it.
    pub fn takes_spirv(&self) -> bool {
        self.il_version.split_whitespace().any(|version| version.starts_with("SPIR-V"))
    }

    /// Whether programs can be given as SPIR-V of a version, such as `1.4`.
    pub fn takes_spirv_version(&self, version: &str) -> bool {
        let versions = self.il_version.split_whitespace();
        versions.filter_map(|version| version.strip_prefix("SPIR-V_")).any(|known| known == version)
    }

    /// Returns the versions of the driver's parts by the name of the part, as far as they can be read.
    pub fn versions(&self) -> Vec<(&'static str, String)> {
        let texts =
            [&self.platform_version, &self.device, &self.device_version, &self.driver_version];
        let llvm = texts.into_iter().find_map(|text| {
            let (_, version) = text.split_once("LLVM ")?;
            let is_part = |c: &char| c.is_ascii_digit() || *c == '.';
            let version: String = version.chars().take_while(is_part).collect();
            (!version.is_empty()).then_some(version)
        });
        let read = [
            ("LLVM", llvm.or_else(|| self.loaded.llvm())),
            ("SPIR-V translator", self.loaded.translator()),
            ("libclc", self.loaded.libclc()),
        ];
        read.into_iter().filter_map(|(name, version)| Some((name, version?))).collect()
    }
}

/// A major and minor version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NamedVersion {
    /// 3 in 3.0.
    pub major: u32,
    /// 0 in 3.0.
    pub minor: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_that_names_its_llvm_names_its_front_end() {
        for (platform_version, device, front_end) in [
            (
                "OpenCL 3.0 PoCL 3.1+debian  Linux, RELOC, SPIR, LLVM 15.0.6, SLEEF",
                "cpu",
                Some("clang 15"),
            ),
            ("OpenCL 3.0 ", "llvmpipe (LLVM 19.1.7, 256 bits)", Some("clang 19")),
            ("OpenCL 3.0 CUDA 12.4", "H200", None),
            ("LLVM ", "LLVM x", None),
        ] {
            let capabilities = Capabilities {
                platform_version: platform_version.to_owned(),
                device: device.to_owned(),
                ..Capabilities::default()
            };
            assert_eq!(capabilities.reported_front_end().as_deref(), front_end);
        }
    }
}
