//! Platforms behind the `OpenCL` loader.

mod calls;
mod code;
mod given;
mod limits;
mod run;

use std::{env, fmt::Display, path::PathBuf, time::Instant};

use expectations::{outcome::Phase, probe::plan::RunAnswer};
use opencl3::{
    context::Context,
    device::{CL_DEVICE_TYPE_ALL, Device},
    error_codes::{
        CL_BUILD_PROGRAM_FAILURE, CL_COMPILE_PROGRAM_FAILURE, CL_DEVICE_NOT_FOUND,
        CL_LINK_PROGRAM_FAILURE, CL_OUT_OF_HOST_MEMORY, ClError, DLOPEN_RUNTIME_LOAD_FAILED,
    },
    kernel::create_program_kernels,
    platform::{Platform, get_platforms},
    program::{CL_BUILD_ERROR, CL_BUILD_SUCCESS, Program},
    types::{cl_name_version, cl_version},
};

use self::{code::Launcher, given::GivenProgram, run::Stage};
use crate::{
    builder::{BuildAnswer, BuildRequest, BuildStatus, Builder, Code, OpenError, RunRequest},
    capabilities::{Capabilities, NamedVersion},
    loaded::LoadedFiles,
    module::{Form, Module},
    text::cut,
};

/// The question of `cl_ext_cxx_for_opencl`.
const CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT: u32 = 0x4230;

/// The loader's status when no implementation is installed.
const CL_PLATFORM_NOT_FOUND: i32 = -1001;

/// The first device of one platform.
pub(crate) struct OpenclDevice {
    device: Device,
    context: Context,
    capabilities: Capabilities,
    /// Program that was built last, for probes.
    program: Option<Program>,
    /// The same for launches, and its build options.
    launched: LaunchedProgram,
}

impl OpenclDevice {
    /// Opens the platform whose name is `wanted`, or else the first whose name contains it.
    pub(crate) fn open(wanted: &str) -> Result<Self, OpenError> {
        let platform = find_platform(wanted)?;
        let devices = match platform.get_devices(CL_DEVICE_TYPE_ALL) {
            Err(ClError(CL_DEVICE_NOT_FOUND)) => Vec::new(),
            answer => answer.map_err(|error| failed("clGetDeviceIDs", error))?,
        };
        let Some(&id) = devices.first() else {
            return Err(OpenError::NoDevice { platform: string(platform.name()) });
        };
        let device = Device::new(id);
        let context =
            Context::from_device(&device).map_err(|error| failed("clCreateContext", error))?;
        let capabilities = ask(platform, device);
        Ok(Self {
            device,
            context,
            capabilities,
            program: None,
            launched: LaunchedProgram::default(),
        })
    }
}

impl Builder for OpenclDevice {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    fn build(&mut self, request: &BuildRequest, begin: &mut dyn FnMut(Phase)) -> BuildAnswer {
        let start = Instant::now();
        self.program = None;
        self.launched = LaunchedProgram::of(request);
        let answer_in = |phase, status, detail: String, log: String| BuildAnswer {
            status,
            phase,
            detail,
            log,
            seconds: start.elapsed().as_secs_f64(),
            output: Vec::new(),
        };
        let given = match given::of_request(request) {
            Ok(given) => given,
            Err(why) => {
                let (status, log) = (BuildStatus::Failed, String::new());
                return answer_in(Phase::Build, status, why.to_owned(), log);
            }
        };
        let first = given.phase();
        if first != Phase::Build {
            begin(first);
        }
        let answer = |status, detail, log| answer_in(first, status, detail, log);
        let mut program = match given.create(&self.context, self.device) {
            Ok(program) => program,
            Err(error) => {
                let status = given.status_of_creation(&error);
                return answer(status, describe(given.call(), &error), String::new());
            }
        };
        // The binding panics on a NUL in the options.
        let options = request.options.join(" ").replace('\0', " ");
        let built = program.build(&[self.device.id()], &options);
        // The binding asks for kernel names after a successful build and returns their error: the status decides.
        let status = program.get_build_status(self.device.id()).ok();
        match (built, status) {
            (Ok(()), Some(CL_BUILD_SUCCESS)) => {}
            (Err(error), Some(CL_BUILD_SUCCESS)) if !is_rejection(&error) => {
                begin(Phase::CreateKernel);
                return answer_in(
                    Phase::CreateKernel,
                    BuildStatus::Rejected,
                    describe("CL_PROGRAM_KERNEL_NAMES", &error),
                    String::new(),
                );
            }
            (built, status) => {
                let log = program.get_build_log(self.device.id()).unwrap_or_default();
                let log = cut(log.trim_end_matches(['\0', '\n', ' ']), request.log_limit);
                let (verdict, detail) = match built {
                    Err(error)
                        if status == Some(CL_BUILD_ERROR) && error.0 != CL_OUT_OF_HOST_MEMORY =>
                    {
                        (BuildStatus::Rejected, describe("clBuildProgram", &error))
                    }
                    Err(error) => (status_of(&error), describe("clBuildProgram", &error)),
                    Ok(()) if status == Some(CL_BUILD_ERROR) => (
                        BuildStatus::Rejected,
                        "clBuildProgram: CL_SUCCESS, but the build status is an error".to_owned(),
                    ),
                    Ok(()) => {
                        (BuildStatus::Failed, "the build succeeded and has no status".to_owned())
                    }
                };
                return answer(verdict, detail, log);
            }
        }
        begin(Phase::CreateKernel);
        let kernels = if program.kernel_names().is_empty() {
            Ok(Vec::new())
        } else {
            create_program_kernels(&program)
        };
        match kernels {
            Ok(_) => {
                self.program = Some(program);
                answer_in(Phase::CreateKernel, BuildStatus::Accepted, String::new(), String::new())
            }
            Err(error) => {
                let status = match status_of(&error) {
                    BuildStatus::OutOfMemory => BuildStatus::OutOfMemory,
                    _ => BuildStatus::Rejected,
                };
                let detail = describe("clCreateKernelsInProgram", &error);
                answer_in(Phase::CreateKernel, status, detail, String::new())
            }
        }
    }

    fn run(&mut self, request: &RunRequest) -> RunAnswer {
        match (request, &self.program) {
            (RunRequest::Probe { source, options, plan, modules }, Some(program)) => {
                let Self { device, context, .. } = self;
                let modules = modules.as_ref();
                Stage { device, context, program, source, options, modules }.run(plan)
            }
            (RunRequest::Probe { .. }, None) => RunAnswer::BuildsOnly,
            (RunRequest::Code { source, module, kernels }, _) => {
                let own = OwnProgram { source, module: module.as_ref(), kernels };
                self.launched.launch(self.device, &self.context, own)
            }
        }
    }
}

/// A program for launches, built with the first launch.
#[derive(Default)]
struct LaunchedProgram {
    source: Option<(String, Option<Module>)>,
    is_given_modules: bool,
    options: Vec<String>,
    launcher: Option<Launcher>,
}

/// The program of one case for launches.
#[derive(Clone, Copy)]
struct OwnProgram<'r> {
    source: &'r str,
    module: Option<&'r Module>,
    kernels: &'r [String],
}

impl LaunchedProgram {
    fn of(request: &BuildRequest) -> Self {
        let source = match &request.code {
            Code::Launched { source, module } => Some((source.clone(), module.clone())),
            Code::NotAsked | Code::Asked { .. } => None,
        };
        let is_given_modules = request.form != Form::Source;
        Self { source, is_given_modules, options: request.options.clone(), launcher: None }
    }

    /// Launches the kernels of the whole program; where the whole cannot be built, of the case's own.
    fn launch(&mut self, device: Device, context: &Context, own: OwnProgram<'_>) -> RunAnswer {
        if let Some((source, module)) = self.source.take()
            && let Some(given) = self.given(&source, module.as_ref())
        {
            self.launcher = Launcher::new(device, context, &given, &self.options).ok();
        }
        if let Some(launcher) = &self.launcher {
            return launcher.launch(device, context, own.kernels);
        }
        let launcher = match self.given(own.source, own.module) {
            Some(given) => Launcher::new(device, context, &given, &self.options),
            None => Err("no module was made of it".to_owned()),
        };
        match launcher {
            Ok(launcher) => launcher.launch(device, context, own.kernels),
            Err(why) => {
                let unlaunched = format!("with a condition before its body it is rejected: {why}");
                RunAnswer::Code { failed: None, unlaunched: Some(unlaunched), seconds: 0.0 }
            }
        }
    }

    /// Returns a program in the form that the driver is given; `None` if its module is missing.
    fn given<'p>(&self, source: &'p str, module: Option<&'p Module>) -> Option<GivenProgram<'p>> {
        if self.is_given_modules {
            module.map(GivenProgram::Module)
        } else {
            Some(GivenProgram::Source(source))
        }
    }
}

fn find_platform(wanted: &str) -> Result<Platform, OpenError> {
    let platforms = match get_platforms() {
        Ok(platforms) => platforms,
        Err(ClError(DLOPEN_RUNTIME_LOAD_FAILED)) => return Err(OpenError::LoaderMissing),
        Err(ClError(CL_PLATFORM_NOT_FOUND)) => Vec::new(),
        Err(error) => return Err(failed("clGetPlatformIDs", error)),
    };
    let names: Vec<String> = platforms.iter().map(|platform| string(platform.name())).collect();
    let position = |fits: &dyn Fn(&String) -> bool| names.iter().position(fits);
    let found =
        position(&|name| name == wanted).or_else(|| position(&|name| name.contains(wanted)));
    match found.and_then(|index| platforms.into_iter().nth(index)) {
        Some(platform) => Ok(platform),
        None => Err(OpenError::PlatformMissing { wanted: wanted.to_owned(), found: names }),
    }
}

/// The variable that names the driver's library, where the device names one.
const LIBRARY_VARIABLE: &str = "OCL_ICD_FILENAMES";

fn ask(platform: Platform, device: Device) -> Capabilities {
    let opened = env::var_os(LIBRARY_VARIABLE).map(PathBuf::from);
    // A device that cannot answer a query of a later version does not have what the query is about.
    let versions = device.opencl_c_all_versions().unwrap_or_default();
    let features = device.opencl_c_features().unwrap_or_default();
    Capabilities {
        platform: string(platform.name()),
        platform_version: string(platform.version()),
        device: string(device.name()),
        driver_version: string(device.driver_version()),
        device_version: string(device.version()),
        opencl_c_version: string(device.opencl_c_version()),
        opencl_c_versions: versions.iter().map(|entry| named_version(entry.version)).collect(),
        cxx_for_opencl_versions: cxx_versions(device),
        features: features.iter().map(feature_name).collect(),
        extensions: string(device.extensions()).split_whitespace().map(str::to_owned).collect(),
        il_version: string(device.il_version()),
        producer: None,
        images: device.image_support().unwrap_or(false),
        read_write_images: device.max_read_write_image_args().unwrap_or(0),
        pipes: device.max_pipe_args().unwrap_or(0),
        on_device_queues: device.max_on_device_queues().unwrap_or(0),
        fp64: device.double_fp_config().is_ok_and(|config| config != 0),
        fp16: device.half_fp_config().is_ok_and(|config| config != 0),
        loaded: LoadedFiles::by(&calls::functions(platform.id()), opened.as_deref()),
        limits: limits::limits(device),
    }
}

/// Splits a version number: `CL_VERSION_MAJOR` and `CL_VERSION_MINOR` have 10 bits each, above 12 bits of patch.
fn named_version(version: cl_version) -> NamedVersion {
    NamedVersion { major: version >> 22, minor: (version >> 12) & 0x3ff }
}

/// Returns the version `CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT` and those before it; none if the device does
/// not report one.
fn cxx_versions(device: Device) -> Vec<NamedVersion> {
    let data = device.get_data(CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT).unwrap_or_default();
    let version = <[u8; 4]>::try_from(data.as_slice()).map_or(0, cl_version::from_ne_bytes);
    let newest = named_version(version);
    // A major version has 10 bits, and 2021 does not fit.
    [(1, 1), (2021, 2021 % (1 << 10))]
        .into_iter()
        .filter(|(_, told)| newest.major >= *told)
        .map(|(major, _)| NamedVersion { major, minor: 0 })
        .collect()
}

fn feature_name(entry: &cl_name_version) -> String {
    let bytes: Vec<u8> = entry.name.iter().copied().take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn string(answer: Result<String, ClError>) -> String {
    answer.map(|text| text.trim_matches(['\0', ' ', '\n']).to_owned()).unwrap_or_default()
}

fn is_rejection(error: &ClError) -> bool {
    [CL_BUILD_PROGRAM_FAILURE, CL_COMPILE_PROGRAM_FAILURE, CL_LINK_PROGRAM_FAILURE]
        .contains(&error.0)
}

fn status_of(error: &ClError) -> BuildStatus {
    match error {
        error if is_rejection(error) => BuildStatus::Rejected,
        &ClError(CL_OUT_OF_HOST_MEMORY) => BuildStatus::OutOfMemory,
        _ => BuildStatus::Failed,
    }
}

fn describe(call: &str, error: &ClError) -> String {
    format!("{call}: {error}")
}

fn failed(call: &str, error: impl Display) -> OpenError {
    OpenError::Failed { reason: format!("{call}: {error}") }
}
