//! Programs that the tests need, and how they are run.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use libtest_mimic::Failed;

/// A test, and the programs without which it is ignored.
#[derive(Clone, Copy)]
pub(crate) struct Test {
    pub(crate) name: &'static str,
    pub(crate) needs: &'static [Tool],
    pub(crate) run: fn() -> Result<(), Failed>,
}

/// A program that nobody here wrote.
#[derive(Clone, Copy)]
pub(crate) struct Tool {
    /// Called without effect to see whether it is here.
    probe: &'static [&'static str],
    /// What is typed to have it.
    get: &'static str,
}

/// libxml2's validator.
pub(crate) const XMLLINT: Tool =
    Tool { probe: &["xmllint", "--version"], get: "apt-get install libxml2-utils" };
/// Perl's reader of TAP.
pub(crate) const PROVE: Tool = Tool { probe: &["prove", "--version"], get: "apt-get install perl" };
/// A compiler of C.
pub(crate) const CC: Tool =
    Tool { probe: &["cc", "--version"], get: "apt-get install gcc libc6-dev" };
/// A compiler of C++.
pub(crate) const CXX: Tool = Tool { probe: &["g++", "--version"], get: "apt-get install g++" };
/// The headers of `OpenCL`, and its loader to link with.
pub(crate) const HEADERS: Tool = Tool {
    probe: &[
        "sh",
        "-c",
        "echo '#include <CL/cl.h>' | cc -E - && echo 'int main(void){}' | cc -x c - -lOpenCL -o /dev/null",
    ],
    get: "apt-get install opencl-c-headers ocl-icd-opencl-dev",
};
/// An implementation to run on.
pub(crate) const POCL: Tool = Tool {
    probe: &["test", "-e", "/etc/OpenCL/vendors/pocl.icd"],
    get: "apt-get install pocl-opencl-icd",
};
/// A compiler that is a device.
pub(crate) const CLANG: Tool =
    Tool { probe: &["clang-19", "--version"], get: "apt-get install clang-19" };
/// The front end inside Debian's `PoCL` and Mesa.
pub(crate) const CLANG_15: Tool =
    Tool { probe: &["clang-15", "--version"], get: "apt-get install clang-15" };
/// Mesa's implementation for processors.
pub(crate) const RUSTICL: Tool = Tool {
    probe: &["test", "-e", "/etc/OpenCL/vendors/rusticl.icd"],
    get: "apt-get install mesa-opencl-icd",
};
/// From LLVM IR to SPIR-V, and the validator of that.
pub(crate) const TRANSLATOR: Tool = Tool {
    probe: &["sh", "-c", "llvm-spirv-15 --version && spirv-val --version"],
    get: "apt-get install llvm-spirv-15 spirv-tools",
};
/// Command that tests for files in the root folder of Debian's unstable release.
macro_rules! has_files {
    ($test:literal) => {
        &[
            "sh",
            "-c",
            concat!(
                "cd ",
                env!("CARGO_MANIFEST_DIR"),
                "/.. && cd ${OPENCL_C_ROOTS:-target/devices/roots}/sid && ",
                $test
            ),
        ]
    };
}
/// Debian's unstable release in a root folder, with `PoCL` and the front end inside it.
pub(crate) const SID: Tool = Tool {
    probe: has_files!("test -e usr/bin/clang-21 -a -e etc/OpenCL/vendors/pocl.icd"),
    get: "address-spaces --device pocl@sid --install, and clang-21 in that root folder",
};
/// In that root folder, the compiler that makes modules.
pub(crate) const SID_TRANSLATOR: Tool = Tool {
    probe: has_files!(
        "test -e usr/bin/clang-22 -a -e usr/bin/llvm-spirv-22 -a -e usr/bin/spirv-val"
    ),
    get: "address-spaces --device llvm-spirv --install",
};
/// LLVM's runner of tests.
pub(crate) const LIT: Tool = Tool { probe: &["lit", "--version"], get: "pip install lit" };
/// Mesa's runner of tests, with its tester of `OpenCL` programs.
pub(crate) const PIGLIT: Tool = Tool {
    probe: &["sh", "-c", "dpkg -L piglit | grep -q /bin/cl-program-tester"],
    get: "apt-get install piglit",
};
/// For the runner of the manual.
pub(crate) const PYTHON: Tool =
    Tool { probe: &["python3", "--version"], get: "apt-get install python3" };

impl Tool {
    pub(crate) fn is_here(self) -> bool {
        let output = Command::new(self.probe[0]).args(&self.probe[1..]).output();
        output.is_ok_and(|output| output.status.success())
    }

    pub(crate) fn how_to_get(self) -> String {
        format!("needs {}", self.get)
    }
}

pub(crate) fn runner(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_address-spaces")).args(arguments).output().unwrap()
}

/// Run the program, which must end with that status; gives its standard output.
pub(crate) fn runner_says(arguments: &[&str], status: i32) -> Result<String, Failed> {
    check(&runner(arguments), status)
}

pub(crate) fn run(program: &str, arguments: &[&str], status: i32) -> Result<String, Failed> {
    check(&Command::new(program).args(arguments).output().unwrap(), status)
}

fn check(output: &Output, status: i32) -> Result<String, Failed> {
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.code() == Some(status) {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    Err(format!("exit status {code:?} where {status} was expected\n{stdout}{stderr}").into())
}

/// A file of this folder.
pub(crate) fn foreign(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign").join(name)
}

pub(crate) fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(message().into()) }
}
