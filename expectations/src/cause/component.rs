//! Components that causes belong to, and the places where their maintainers take reports.

use serde::Deserialize;

use crate::device::lineage;

/// Component of a project that a cause belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    /// Parsing and semantics.
    ClangFrontEnd,
    /// `opencl-c.h`, which devices have copies of.
    ClangHeader,
    /// From clang's tree to LLVM IR.
    ClangCodeGeneration,
    /// LLVM's back end for AMD's GPUs.
    LlvmAmdgpu,
    /// LLVM's back end for NVIDIA's GPUs.
    LlvmNvptx,
    /// LLVM's own back end for SPIR-V.
    LlvmSpirv,
    /// From LLVM IR to SPIR-V.
    SpirvTranslator,
    /// The functions that `PoCL` links kernels with.
    PoclKernelLibrary,
    /// `PoCL`'s passes and linker.
    PoclCompiler,
    /// `PoCL`'s runtime, behind the host's calls.
    PoclRuntime,
    /// Mesa's host side.
    MesaRusticl,
    /// Mesa's translation from SPIR-V.
    MesaSpirvToNir,
    /// Mesa's passes.
    MesaNir,
    /// Mesa's driver for processors.
    MesaLlvmpipe,
    /// From source to PTX and from PTX to code.
    NvidiaCompiler,
    /// NVIDIA's runtime, behind the host's calls.
    NvidiaDriver,
    /// Intel's runtime for processors.
    IntelCpuRuntime,
    /// Intel's compiler for GPUs, behind its clang.
    IntelIgc,
    /// The simulator.
    Oclgrind,
    /// The validator of modules.
    SpirvTools,
    /// Debian's packaging.
    DebianPackages,
}

impl Component {
    /// Returns a phrase for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::ClangFrontEnd => "clang's front end",
            Self::ClangHeader => "clang's header opencl-c.h",
            Self::ClangCodeGeneration => "clang's generation of IR",
            Self::LlvmAmdgpu => "LLVM's AMDGPU back end",
            Self::LlvmNvptx => "LLVM's NVPTX back end",
            Self::LlvmSpirv => "LLVM's SPIR-V back end",
            Self::SpirvTranslator => "SPIRV-LLVM-Translator",
            Self::PoclKernelLibrary => "PoCL's kernel library",
            Self::PoclCompiler => "PoCL's kernel compiler",
            Self::PoclRuntime => "PoCL's runtime",
            Self::MesaRusticl => "Mesa: rusticl",
            Self::MesaSpirvToNir => "Mesa: spirv_to_nir",
            Self::MesaNir => "Mesa: NIR passes",
            Self::MesaLlvmpipe => "Mesa: llvmpipe",
            Self::NvidiaCompiler => "NVIDIA's compiler",
            Self::NvidiaDriver => "NVIDIA's driver",
            Self::IntelCpuRuntime => "Intel's CPU runtime for OpenCL",
            Self::IntelIgc => "Intel Graphics Compiler",
            Self::Oclgrind => "Oclgrind",
            Self::SpirvTools => "SPIRV-Tools",
            Self::DebianPackages => "Debian's packages",
        }
    }

    /// Returns the public tracker of its maintainers, if there is one.
    pub const fn tracker(self) -> Option<&'static str> {
        match self {
            Self::ClangFrontEnd
            | Self::ClangHeader
            | Self::ClangCodeGeneration
            | Self::LlvmAmdgpu
            | Self::LlvmNvptx
            | Self::LlvmSpirv => Some("https://github.com/llvm/llvm-project/issues"),
            Self::SpirvTranslator => {
                Some("https://github.com/KhronosGroup/SPIRV-LLVM-Translator/issues")
            }
            Self::PoclKernelLibrary | Self::PoclCompiler | Self::PoclRuntime => {
                Some("https://github.com/pocl/pocl/issues")
            }
            Self::MesaRusticl | Self::MesaSpirvToNir | Self::MesaNir | Self::MesaLlvmpipe => {
                Some("https://gitlab.freedesktop.org/mesa/mesa/-/issues")
            }
            Self::IntelIgc => Some("https://github.com/intel/intel-graphics-compiler/issues"),
            // Its compiler is built from that repository, which takes reports on it.
            Self::IntelCpuRuntime => Some("https://github.com/intel/llvm/issues"),
            Self::Oclgrind => Some("https://github.com/jrprice/Oclgrind/issues"),
            Self::SpirvTools => Some("https://github.com/KhronosGroup/SPIRV-Tools/issues"),
            Self::DebianPackages => Some("https://bugs.debian.org"),
            Self::NvidiaCompiler | Self::NvidiaDriver => None,
        }
    }

    /// Returns the lineages of devices whose maintainers receive reports on the component. The one that shows the
    /// fewest other causes comes first.
    const fn lines(self) -> &'static [&'static str] {
        match self {
            Self::ClangFrontEnd | Self::ClangHeader => {
                &["clang", "clang-spirv64", "clang-amdgcn", "clang-nvptx64"]
            }
            // The commands of `clang` are those of the front end.
            Self::ClangCodeGeneration => {
                &["clang-spirv64", "clang-amdgcn", "clang-nvptx64", "clang"]
            }
            Self::LlvmAmdgpu => &["clang-amdgcn"],
            Self::LlvmNvptx => &["clang-nvptx64"],
            Self::LlvmSpirv => &["clang-spirv64"],
            Self::SpirvTranslator => &["llvm-spirv"],
            Self::PoclKernelLibrary | Self::PoclCompiler | Self::PoclRuntime => &["pocl"],
            Self::MesaRusticl | Self::MesaSpirvToNir | Self::MesaNir | Self::MesaLlvmpipe => {
                &["rusticl"]
            }
            Self::NvidiaCompiler | Self::NvidiaDriver => &["nvidia"],
            Self::IntelCpuRuntime => &["intel-cpu"],
            Self::IntelIgc => &["ocloc"],
            Self::Oclgrind => &["oclgrind"],
            Self::SpirvTools => &["spirv-tools"],
            Self::DebianPackages => &[],
        }
    }

    /// Returns the rank of a device among those that can show a cause of this component: devices of the component's own
    /// project come first.
    pub fn distance(self, device: &str) -> usize {
        let line = lineage(device);
        let lines = self.lines();
        lines.iter().position(|own| *own == line).unwrap_or(lines.len())
    }
}
