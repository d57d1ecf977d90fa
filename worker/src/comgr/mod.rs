//! AMD's compiler as a library, `libamd_comgr`: source in, a code object out, and no GPU is needed.

mod calls;
mod interface;

use std::{
    ffi::{CStr, CString},
    time::Instant,
};

use expectations::outcome::Phase;

use self::{
    calls::{Failure, Functions, address},
    interface::{Action, DataKind, Language, Status},
};
use crate::{
    builder::{BuildAnswer, BuildRequest, BuildStatus, Builder, Code, OpenError},
    capabilities::{ANY_CXX_VERSION, ANY_VERSION, Capabilities, NamedVersion},
    loaded::LoadedFiles,
    text::{cut, speaks_of_memory},
};

/// Name of the source where a log names no line of its own.
const SOURCE_NAME: &CStr = c"kernel.cl";

/// The library, for some of AMD's instruction sets.
pub(crate) struct ComgrDevice {
    functions: Functions,
    interface: usize,
    /// Instruction sets for which code is generated; the front end compiles for the first.
    isas: Vec<CString>,
    /// Options of the back end.
    code_options: Vec<CString>,
    capabilities: Capabilities,
}

impl ComgrDevice {
    /// Loads the library and tries with which versions of `OpenCL` C it accepts a program.
    pub(crate) fn open(
        library: &str,
        isas: &[String],
        code_options: &[String],
        newest_first: &[(NamedVersion, Vec<String>)],
        cxx: &[(NamedVersion, Vec<String>)],
    ) -> Result<Self, OpenError> {
        let missing = |reason| OpenError::LibraryMissing { library: library.to_owned(), reason };
        let functions = Functions::load(library).map_err(missing)?;
        let (interface, minor) = functions.interface();
        if !Action::INTERFACES.contains(&interface) {
            let reason = format!(
                "{library} has the interface {interface}.{minor}, and only the interfaces 2 and 3 \
                 are supported"
            );
            return Err(OpenError::Failed { reason });
        }
        let loaded = LoadedFiles::by(&[address(&functions)], None);
        // Only the name of its file has the version of the library.
        let file = loaded.driver.rsplit('/').next().unwrap_or_default();
        let version = file.split_once(".so.").map(|(_, version)| version.to_owned());
        let capabilities = Capabilities {
            platform: library.to_owned(),
            device: isas.join(", "),
            driver_version: version.unwrap_or_else(|| format!("{interface}.{minor}")),
            loaded,
            ..Capabilities::default()
        };
        let isas =
            texts(isas).ok_or_else(|| failed("an instruction set's name has a NUL in it"))?;
        let code_options =
            texts(code_options).ok_or_else(|| failed("an option has a NUL in it"))?;
        if isas.is_empty() {
            return Err(failed("the device file names no instruction set: `isas`"));
        }
        let mut device = Self { functions, interface, isas, code_options, capabilities };
        device.try_versions(newest_first)?;
        let taken = |(_, options): &&(NamedVersion, Vec<String>)| {
            device.take(options, ANY_CXX_VERSION, &mut |_| {}, false).status
                == BuildStatus::Accepted
        };
        let versions = cxx.iter().filter(taken).map(|(version, _)| *version).collect();
        device.capabilities.cxx_for_opencl_versions = versions;
        Ok(device)
    }

    fn try_versions(
        &mut self,
        newest_first: &[(NamedVersion, Vec<String>)],
    ) -> Result<(), OpenError> {
        let mut said = String::new();
        for (index, (_, options)) in newest_first.iter().enumerate() {
            let taken = self.take(options, ANY_VERSION, &mut |_| {}, false);
            if taken.status == BuildStatus::Accepted {
                let versions = newest_first[index..].iter().map(|(version, _)| *version);
                self.capabilities.opencl_c_versions = versions.collect();
                return Ok(());
            }
            said = format!("{}\n{}", taken.detail, taken.log);
        }
        Err(failed(&format!(
            "it accepts no program in any version of OpenCL C\n{}",
            said.trim_end()
        )))
    }

    /// Builds a program with the front end and, where code is requested, with the back end and the linker for each
    /// instruction set. The first failure decides.
    fn take(
        &self,
        options: &[String],
        source: &str,
        begin: &mut dyn FnMut(Phase),
        code: bool,
    ) -> BuildResult {
        let Some(options) = texts(options) else {
            return BuildResult::failed("an option has a NUL in it");
        };
        let mut phase = Phase::Build;
        for isa in if code { &self.isas[..] } else { &self.isas[..1] } {
            match self.take_for(isa, &options, source, &mut phase, begin, code) {
                Ok(Ok(())) => {}
                Ok(Err(taken)) => return taken,
                Err(failure) => {
                    return BuildResult { phase, ..BuildResult::failed(&describe(&failure)) };
                }
            }
        }
        BuildResult {
            status: BuildStatus::Accepted,
            phase,
            detail: String::new(),
            log: String::new(),
        }
    }

    fn take_for(
        &self,
        isa: &CStr,
        options: &[CString],
        source: &str,
        phase: &mut Phase,
        begin: &mut dyn FnMut(Phase),
        code: bool,
    ) -> Result<Result<(), BuildResult>, Failure> {
        let functions = &self.functions;
        let mut input = functions.source(SOURCE_NAME, source)?;
        let actions = [Action::Compile, Action::GenerateCode, Action::Link];
        for action in if code { &actions[..] } else { &actions[..1] } {
            if *action == Action::GenerateCode && *phase == Phase::Build {
                *phase = Phase::GenerateCode;
                begin(*phase);
            }
            let (language, options) = match action {
                Action::Compile => (Language::OpenclC, options),
                Action::GenerateCode | Action::Link => (Language::None, &self.code_options[..]),
            };
            let info = functions.info(language, isa, options)?;
            let out = functions.data_set()?;
            if let Err(failure) = info.act(*action, self.interface, &input, &out) {
                let log = out.text(DataKind::Log).unwrap_or_default();
                let detail = match *phase {
                    Phase::Build => describe(&failure),
                    // In the form of steps: what it died of, with who did so in front.
                    _ => format!("{}: {}", isa.to_string_lossy(), describe(&failure)),
                };
                let status = status_of(&failure, &log);
                return Ok(Err(BuildResult { status, phase: *phase, detail, log }));
            }
            input = out;
        }
        Ok(Ok(()))
    }
}

impl Builder for ComgrDevice {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    fn build(&mut self, request: &BuildRequest, begin: &mut dyn FnMut(Phase)) -> BuildAnswer {
        let start = Instant::now();
        let code = matches!(request.code, Code::Asked { .. });
        let BuildResult { status, phase, detail, log } =
            self.take(&request.options, &request.source, begin, code);
        let log = cut(log.trim_end(), request.log_limit);
        BuildAnswer {
            status,
            phase,
            detail,
            log,
            seconds: start.elapsed().as_secs_f64(),
            output: Vec::new(),
        }
    }
}

/// Result of building a program.
struct BuildResult {
    status: BuildStatus,
    phase: Phase,
    detail: String,
    log: String,
}

impl BuildResult {
    fn failed(detail: &str) -> Self {
        let (status, phase) = (BuildStatus::Failed, Phase::Build);
        Self { status, phase, detail: detail.to_owned(), log: String::new() }
    }
}

fn status_of(failure: &Failure, log: &str) -> BuildStatus {
    match failure.status {
        Status::OutOfResources => BuildStatus::OutOfMemory,
        _ if speaks_of_memory(log) => BuildStatus::OutOfMemory,
        Status::Error => BuildStatus::Rejected,
        // The arguments are ours: they are not about the program.
        Status::Success | Status::InvalidArgument | Status::Unknown(_) => BuildStatus::Failed,
    }
}

fn describe(failure: &Failure) -> String {
    format!("{}: {}", failure.call, failure.what)
}

fn failed(reason: &str) -> OpenError {
    OpenError::Failed { reason: reason.to_owned() }
}

fn texts(words: &[String]) -> Option<Vec<CString>> {
    words.iter().map(|word| CString::new(word.as_str()).ok()).collect()
}
