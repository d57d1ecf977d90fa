//! Programs in the form in which a driver is given them.

use expectations::outcome::Phase;
use opencl3::{
    context::Context,
    device::Device,
    error_codes::{CL_OUT_OF_HOST_MEMORY, ClError},
    program::Program,
};

use super::{limits::version, status_of, string};
use crate::{
    builder::{BuildRequest, BuildStatus},
    module::{Form, Module},
};

/// A program in the form in which a driver is given it.
#[derive(Clone, Copy)]
pub(super) enum GivenProgram<'p> {
    Source(&'p str),
    Module(&'p Module),
}

/// Returns the program of a request; an error gives the reason why there is none.
pub(super) fn of_request(request: &BuildRequest) -> Result<GivenProgram<'_>, &'static str> {
    match &request.form {
        Form::Source => Ok(GivenProgram::Source(&request.source)),
        Form::Module(module) => Ok(GivenProgram::Module(module)),
        Form::Made(_) => Err("no compiler has made the module of the program"),
    }
}

impl GivenProgram<'_> {
    /// Returns the phase in which the driver builds it.
    pub(super) const fn phase(&self) -> Phase {
        match self {
            Self::Source(_) => Phase::Build,
            Self::Module(_) => Phase::TakeModule,
        }
    }

    /// Returns the call that creates it.
    pub(super) const fn call(&self) -> &'static str {
        match self {
            Self::Source(_) => "clCreateProgramWithSource",
            Self::Module(_) => "clCreateProgramWithIL",
        }
    }

    /// Creates it without building it. A device before `OpenCL` 2.1 has the call in `cl_khr_il_program`.
    pub(super) fn create(&self, context: &Context, device: Device) -> Result<Program, ClError> {
        const WITH_IL: u64 = 210;
        match self {
            Self::Source(source) => Program::create_from_source(context, source),
            Self::Module(Module(bytes)) => match version(&string(device.version())) {
                Some(number) if number < WITH_IL => Program::create_from_il_khr(context, bytes),
                _ => Program::create_from_il(context, bytes),
            },
        }
    }

    /// Returns the result for a program that the driver did not create. A driver may look at a module there, and reject
    /// it with any status.
    pub(super) fn status_of_creation(&self, error: &ClError) -> BuildStatus {
        match self {
            Self::Module(_) if error.0 != CL_OUT_OF_HOST_MEMORY => BuildStatus::Rejected,
            Self::Module(_) | Self::Source(_) => status_of(error),
        }
    }
}
