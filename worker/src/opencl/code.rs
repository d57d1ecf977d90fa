//! Code of kernels whose bodies must not be executed: launched with arguments made from the kernel's report on its own
//! parameters, and with a condition before its body that no launch meets.

use std::{ffi::CString, time::Instant};

use expectations::probe::plan::RunAnswer;
use opencl3::{
    command_queue::CommandQueue,
    context::Context,
    device::Device,
    error_codes::{CL_INVALID_ARG_SIZE, ClError},
    kernel::{CL_KERNEL_ARG_ADDRESS_LOCAL, Kernel, create_kernel},
    memory::{Buffer, CL_ADDRESS_NONE, CL_FILTER_NEAREST, Image, Sampler},
    program::Program,
};

use super::{calls, given::GivenProgram};

/// Makes every driver keep what it knows of parameters.
const ARGUMENT_INFO: &str = "-cl-kernel-arg-info";

/// Bytes of every buffer and of every piece of local memory: more than any type that a kernel points to has.
const ROOM: usize = 4096;

/// No parameter by value is larger.
const LARGEST_VALUE: usize = 1024;

/// Programs whose kernels are launched for their code.
pub(super) struct Launcher {
    program: Program,
    queue: CommandQueue,
    memory: Buffer<u8>,
    sampler: Option<Sampler>,
}

/// Reason for which a kernel was not launched, or the call that failed.
enum LaunchError {
    /// No argument can be made for a parameter.
    NoArgument(String),
    /// A call failed.
    Failed(String),
}

impl Launcher {
    /// Builds a program in which a condition guards the body of every kernel.
    pub(super) fn new(
        device: Device,
        context: &Context,
        given: &GivenProgram<'_>,
        options: &[String],
    ) -> Result<Self, String> {
        let failed = |call: &str| {
            let call = call.to_owned();
            move |error: ClError| format!("{call}: {error}")
        };
        let mut program = given.create(context, device).map_err(failed(given.call()))?;
        let options = format!("{} {ARGUMENT_INFO}", options.join(" ").replace('\0', " "));
        program.build(&[device.id()], &options).map_err(failed("clBuildProgram"))?;
        let queue = calls::queue(context, device.id()).map_err(failed("clCreateCommandQueue"))?;
        let memory = calls::buffer(context, ROOM).map_err(failed("clCreateBuffer"))?;
        let sampler = Sampler::create(context, 0, CL_ADDRESS_NONE, CL_FILTER_NEAREST).ok();
        Ok(Self { program, queue, memory, sampler })
    }

    /// Launches these kernels, one after the other.
    pub(super) fn launch(
        &self,
        device: Device,
        context: &Context,
        kernels: &[String],
    ) -> RunAnswer {
        let begun = Instant::now();
        let (mut failed, mut unlaunched) = (None, None);
        for kernel in kernels {
            match self.launch_one(device, context, kernel) {
                Ok(()) => {}
                Err(LaunchError::NoArgument(why)) => {
                    unlaunched.get_or_insert(format!("{kernel}: {why}"));
                }
                Err(LaunchError::Failed(why)) => {
                    failed = Some(format!("{kernel}: {why}"));
                    break;
                }
            }
        }
        RunAnswer::Code { failed, unlaunched, seconds: begun.elapsed().as_secs_f64() }
    }

    fn launch_one(&self, device: Device, context: &Context, name: &str) -> Result<(), LaunchError> {
        let failed = |call: &'static str| {
            move |error: ClError| LaunchError::Failed(format!("{call}: {error}"))
        };
        let name = CString::new(name).map_err(|error| LaunchError::Failed(error.to_string()))?;
        let kernel = create_kernel(self.program.get(), &name)
            .map(Kernel::new)
            .map_err(|error| failed("clCreateKernel")(ClError(error)))?;
        // Kept until the kernel is done.
        let mut images = Vec::new();
        for index in 0..kernel.num_args().map_err(failed("clGetKernelInfo"))? {
            self.give(context, &kernel, index, &mut images)?;
        }
        let wanted = kernel.get_compile_work_group_size(device.id()).unwrap_or_default();
        let group: [usize; 3] = match wanted.as_slice() {
            &[x, y, z] if x > 0 => [x, y.max(1), z.max(1)],
            _ => [1; 3],
        };
        calls::launch(&self.queue, &kernel, &group, &group)
            .map_err(failed("clEnqueueNDRangeKernel"))
    }

    /// Sets an argument to some value of its parameter's type.
    fn give(
        &self,
        context: &Context,
        kernel: &Kernel,
        index: u32,
        images: &mut Vec<Image>,
    ) -> Result<(), LaunchError> {
        let type_name = kernel.get_arg_type_name(index).unwrap_or_default();
        let type_name = type_name.trim_matches(['\0', ' ']).to_owned();
        let no_argument = |why: &str| {
            LaunchError::NoArgument(format!("parameter {index} of type `{type_name}`: {why}"))
        };
        let call = |error: ClError| no_argument(&format!("clSetKernelArg: {error}"));
        let is_local = kernel
            .get_arg_address_qualifier(index)
            .is_ok_and(|space| space == CL_KERNEL_ARG_ADDRESS_LOCAL);
        if is_local {
            return calls::give_local(kernel, index, ROOM).map_err(call);
        }
        if type_name.contains("image") {
            let image = calls::image(context, &type_name)
                .ok_or_else(|| no_argument("no such image is made"))?
                .map_err(|error| no_argument(&format!("clCreateImage: {error}")))?;
            calls::give_image(kernel, index, &image).map_err(call)?;
            images.push(image);
            return Ok(());
        }
        if type_name == "sampler_t" {
            let sampler = self.sampler.as_ref().ok_or_else(|| no_argument("no sampler is made"))?;
            return calls::give(kernel, index, &sampler.get()).map_err(call);
        }
        if ["queue_t", "event_t", "clk_event_t", "ndrange_t", "reserve_id_t"]
            .contains(&type_name.as_str())
            || type_name.contains("pipe")
        {
            return Err(no_argument("nothing of that type is made"));
        }
        if type_name.is_empty() || type_name.ends_with('*') {
            match calls::give_buffer(kernel, index, &self.memory) {
                Ok(()) => return Ok(()),
                Err(_) if type_name.is_empty() => {
                    if calls::give_local(kernel, index, ROOM).is_ok() {
                        return Ok(());
                    }
                }
                Err(error) => return Err(call(error)),
            }
        }
        give_value(kernel, index).map_err(call)
    }
}

/// Sets an argument to zero bytes, of the size that the kernel accepts.
fn give_value(kernel: &Kernel, index: u32) -> Result<(), ClError> {
    let sizes = [1, 2, 4, 8, 16, 32, 64, 128].into_iter();
    let others = (3..=LARGEST_VALUE).filter(|size| !size.is_power_of_two());
    for size in sizes.chain(others).chain([256, 512, LARGEST_VALUE]) {
        match calls::give_zeros(kernel, index, size) {
            Err(ClError(CL_INVALID_ARG_SIZE)) => {}
            given => return given,
        }
    }
    Err(ClError(CL_INVALID_ARG_SIZE))
}
