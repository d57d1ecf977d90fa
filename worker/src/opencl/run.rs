//! A probe's plan carried out: programs, memory and kernels of one round, and what they showed.

use std::{cell::RefCell, collections::BTreeMap, ffi::CString, rc::Rc, time::Instant};

use expectations::probe::{
    MAIN_PROGRAM,
    plan::{
        Addressing, First, KernelArgument, Observation, Operation, Place, Plan, Question,
        RoundAnswer, RunAnswer, Size, WrongValue,
    },
};
use opencl3::{
    command_queue::CommandQueue,
    context::Context,
    device::{CL_DEVICE_PARTITION_EQUALLY, Device, SubDevice},
    error_codes::ClError,
    kernel::{
        CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ACCESS_READ_WRITE,
        CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_KERNEL_ARG_ADDRESS_CONSTANT,
        CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_CONST,
        CL_KERNEL_ARG_TYPE_PIPE, CL_KERNEL_ARG_TYPE_RESTRICT, CL_KERNEL_ARG_TYPE_VOLATILE, Kernel,
        create_kernel,
    },
    memory::{
        Buffer, CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_MIRRORED_REPEAT,
        CL_ADDRESS_NONE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, Image, Sampler,
    },
    program::{CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, Program, get_program_build_info},
    types::{cl_bool, cl_device_id, cl_program},
};

use super::{
    calls::{self, LinkedProgram, SharedMemory},
    given::GivenProgram,
};
use crate::{module::ModulesByDefines, output::KeptOutput};

/// The device a probe is run on, with the program its case was built as.
pub(super) struct Stage<'d> {
    pub(super) device: &'d Device,
    pub(super) context: &'d Context,
    pub(super) program: &'d Program,
    /// The case's own source and options, for further programs.
    pub(super) source: &'d str,
    pub(super) options: &'d str,
    /// Modules of the further programs; `None` if the driver is given sources.
    pub(super) modules: Option<&'d ModulesByDefines>,
}

/// A call that failed, in words.
type FailedCall = String;

/// The case's modules by their options, compiled in the context everything is in: what is linked of them is new in each
/// round.
type Modules = RefCell<BTreeMap<String, Rc<Program>>>;

fn failed(call: &str) -> impl Fn(ClError) -> FailedCall {
    move |error| format!("{call}: {error}")
}

impl Stage<'_> {
    /// Carries out a plan.
    pub(super) fn run(&self, plan: &Plan) -> RunAnswer {
        let begun = Instant::now();
        let modules = Modules::default();
        let rounds =
            plan.rounds.iter().map(|operations| self.round(operations, &modules)).collect();
        RunAnswer::Done { rounds, seconds: begun.elapsed().as_secs_f64() }
    }

    fn round(&self, operations: &[Operation], modules: &Modules) -> RoundAnswer {
        let mut answer = RoundAnswer::default();
        let homes = match self.homes(operations) {
            Ok(homes) => homes,
            Err(why) => return RoundAnswer { failed: Some(why), ..answer },
        };
        let mut round = Round {
            stage: self,
            homes: &homes,
            modules,
            programs: BTreeMap::from([(MAIN_PROGRAM, (BuiltProgram::Main(self.program), 0))]),
            memory: BTreeMap::new(),
            output: None,
        };
        for operation in operations {
            match round.carry_out(operation) {
                Ok(seen) => answer.observations.extend(seen),
                Err(why) => {
                    answer.failed = Some(why);
                    break;
                }
            }
        }
        answer
    }

    /// Creates a context with queues for every place that a program is built for; the first is the one that everything
    /// else uses.
    fn homes(&self, operations: &[Operation]) -> Result<Vec<Home>, FailedCall> {
        let id = self.device.id();
        let mut homes = vec![Home::new(Place::SameContext, self.context, &[id])?];
        let wanted = |wanted: Place| {
            operations.iter().any(
                |operation| matches!(operation, Operation::Build { place, .. } if *place == wanted),
            )
        };
        if wanted(Place::OwnContext) {
            homes.push(Home::with_context(Place::OwnContext, &[id])?);
        }
        if wanted(Place::Halves) {
            let units = self.device.max_compute_units().map_err(failed("clGetDeviceInfo"))?;
            let half = isize::try_from(units / 2).unwrap_or(1).max(1);
            let parts = self
                .device
                .create_sub_devices(&[CL_DEVICE_PARTITION_EQUALLY, half, 0])
                .map_err(failed("clCreateSubDevices"))?;
            let ids: Vec<cl_device_id> = parts.iter().map(SubDevice::id).take(2).collect();
            if ids.len() < 2 {
                return Err("clCreateSubDevices: one device only".to_owned());
            }
            homes.push(Home::with_context(Place::Halves, &ids)?);
        }
        Ok(homes)
    }
}

/// Context and devices of programs.
struct Home {
    place: Place,
    context: Option<Context>,
    devices: Vec<cl_device_id>,
    queues: Vec<CommandQueue>,
}

impl Home {
    fn new(place: Place, context: &Context, devices: &[cl_device_id]) -> Result<Self, FailedCall> {
        let queues = devices.iter().map(|&device| calls::queue(context, device));
        let queues = queues.collect::<Result<_, _>>().map_err(failed("clCreateCommandQueue"))?;
        Ok(Self { place, context: None, devices: devices.to_vec(), queues })
    }

    fn with_context(place: Place, devices: &[cl_device_id]) -> Result<Self, FailedCall> {
        let context = Context::from_devices(devices, &[], None, std::ptr::null_mut())
            .map_err(failed("clCreateContext"))?;
        let home = Self::new(place, &context, devices)?;
        Ok(Self { context: Some(context), ..home })
    }

    fn queue(&self) -> &CommandQueue {
        &self.queues[0]
    }
}

/// A program that was built.
enum BuiltProgram<'d> {
    Main(&'d Program),
    Own(Program),
    Linked(LinkedProgram),
}

impl BuiltProgram<'_> {
    fn get(&self) -> cl_program {
        match self {
            Self::Main(program) => program.get(),
            Self::Own(program) => program.get(),
            Self::Linked(program) => program.get(),
        }
    }
}

/// Memory between its guards.
struct Memory<'h> {
    home: usize,
    /// Bytes that are in front of the guards and the contents.
    before: usize,
    guard: usize,
    /// Bytes of the contents and both guards.
    size: usize,
    object: Object<'h>,
}

enum Object<'h> {
    /// The whole, and the part a kernel is given.
    Buffer(Buffer<u8>, Buffer<u8>),
    Shared(SharedMemory<'h>),
    /// The image, and its width, height and depth.
    Image(Image, [usize; 3]),
}

/// Objects that must live until a kernel has ended, because its arguments refer to them.
#[derive(Default)]
struct HeldObjects {
    samplers: Vec<Sampler>,
    queues: Vec<CommandQueue>,
}

struct Round<'d> {
    stage: &'d Stage<'d>,
    homes: &'d [Home],
    modules: &'d Modules,
    programs: BTreeMap<&'d str, (BuiltProgram<'d>, usize)>,
    memory: BTreeMap<&'d str, Memory<'d>>,
    /// Standard output since it is kept.
    output: Option<KeptOutput>,
}

impl<'d> Round<'d> {
    fn carry_out(&mut self, operation: &'d Operation) -> Result<Option<Observation>, FailedCall> {
        match operation {
            Operation::Build { program, modules, place } => {
                let home = self.homes.iter().position(|home| home.place == *place).unwrap_or(0);
                let built = self.build(modules, home)?;
                self.programs.insert(program, (built, home));
                Ok(None)
            }
            Operation::Create { buffer, program, shared, bytes, guard, before } => {
                let (_, home) = self.program(program)?;
                let memory = self.create(*home, *shared, bytes, *guard, *before)?;
                self.memory.insert(buffer, memory);
                Ok(None)
            }
            Operation::CreateImage { image, program, channel, width, height, bytes } => {
                let (_, home) = self.program(program)?;
                let region = [*width, height.unwrap_or(1), 1];
                let mut object = calls::texels(self.context(*home), *channel, *width, *height)
                    .map_err(failed("clCreateImage"))?;
                calls::write_image(self.homes[*home].queue(), &mut object, region, bytes)
                    .map_err(failed("clEnqueueWriteImage"))?;
                let object = Object::Image(object, region);
                let memory = Memory { home: *home, before: 0, guard: 0, size: bytes.len(), object };
                self.memory.insert(image, memory);
                Ok(None)
            }
            Operation::Write { buffer, bytes } => {
                let queue = self.homes[self.memory(buffer)?.home].queue();
                let memory = self.memory.get_mut(buffer.as_str()).ok_or("no such buffer")?;
                match &mut memory.object {
                    Object::Buffer(whole, _) => {
                        calls::write(queue, whole, memory.before + memory.guard, bytes)
                            .map_err(failed("clEnqueueWriteBuffer"))?;
                    }
                    Object::Shared(shared) => shared
                        .write(queue, memory.guard, bytes)
                        .map_err(failed("clEnqueueSVMMemcpy"))?,
                    Object::Image(image, region) => {
                        calls::write_image(queue, image, *region, bytes)
                            .map_err(failed("clEnqueueWriteImage"))?;
                    }
                }
                Ok(None)
            }
            Operation::Launch { program, kernel, device, arguments, size } => {
                let (built, home) = self.program(program)?;
                let kernel = create(built, kernel)?;
                // Kept until the kernel is done.
                let _held = self.give_all(&kernel, *home, arguments)?;
                self.launch(&kernel, *home, *device, size)?;
                Ok(None)
            }
            Operation::KeepOutput => {
                let kept = KeptOutput::begin();
                self.output = Some(kept.map_err(|error| format!("keeping the output: {error}"))?);
                Ok(None)
            }
            Operation::ReadOutput => {
                for queue in self.homes.iter().flat_map(|home| &home.queues) {
                    queue.finish().map_err(failed("clFinish"))?;
                }
                let kept = self.output.take().ok_or("no output was kept")?;
                let bytes = kept.read().map_err(|error| format!("reading the output: {error}"))?;
                Ok(Some(Observation::Printed(bytes)))
            }
            Operation::Read { buffer } => {
                let memory = self.memory(buffer)?;
                let queue = self.homes[memory.home].queue();
                let mut bytes = vec![0; memory.size];
                match &memory.object {
                    Object::Buffer(whole, _) => {
                        calls::read(queue, whole, memory.before, &mut bytes)
                            .map_err(failed("clEnqueueReadBuffer"))?;
                    }
                    Object::Shared(shared) => {
                        shared.read(queue, &mut bytes).map_err(failed("clEnqueueSVMMemcpy"))?;
                    }
                    Object::Image(image, region) => {
                        calls::read_image(queue, image, *region, &mut bytes)
                            .map_err(failed("clEnqueueReadImage"))?;
                    }
                }
                Ok(Some(Observation::Bytes(bytes)))
            }
            Operation::Ask { program, what, kernel, argument, first } => {
                let (built, home) = self.program(program)?;
                let device = self.homes[*home].devices[0];
                if *what == Question::GlobalVariables {
                    return Ok(Some(answered(global_variables(built, device))));
                }
                let kernel = create(built, kernel)?;
                let _held = match first {
                    First::Nothing => HeldObjects::default(),
                    First::Set(arguments) => self.give_all(&kernel, *home, arguments)?,
                    First::Launch(arguments, size) => {
                        let held = self.give_all(&kernel, *home, arguments)?;
                        self.launch(&kernel, *home, 0, size)?;
                        held
                    }
                };
                Ok(Some(answered(ask(&kernel, device, *what, *argument))))
            }
            Operation::Reject { kernel, argument, value } => {
                let kernel = create(&self.program(MAIN_PROGRAM)?.0, kernel)?;
                let status = match value {
                    WrongValue::ValueForLocal => calls::give(&kernel, *argument, &[0_u8; 16]),
                    WrongValue::NoBytesForLocal => calls::give_local(&kernel, *argument, 0),
                    WrongValue::HalfABuffer => calls::give(&kernel, *argument, &0_u32),
                    WrongValue::NoSuchArgument => calls::give(&kernel, *argument, &0_u64),
                };
                let status =
                    status.map_or_else(|error| error.to_string(), |()| "CL_SUCCESS".to_owned());
                Ok(Some(Observation::Status(status)))
            }
        }
    }

    fn program(&self, name: &str) -> Result<&(BuiltProgram<'d>, usize), FailedCall> {
        self.programs.get(name).ok_or_else(|| format!("no program `{name}` was built"))
    }

    fn memory(&self, name: &str) -> Result<&Memory<'d>, FailedCall> {
        self.memory.get(name).ok_or_else(|| format!("no buffer `{name}` was made"))
    }

    fn context(&self, home: usize) -> &'d Context {
        self.homes[home].context.as_ref().unwrap_or(self.stage.context)
    }

    /// Builds the case's source, or compiles and links its modules.
    fn build(&self, modules: &[String], home: usize) -> Result<BuiltProgram<'d>, FailedCall> {
        let (context, devices) = (self.context(home), &self.homes[home].devices);
        if let [defines] = modules {
            let mut program = self.unbuilt(defines, home)?;
            program.build(devices, &self.options(defines)).map_err(failed("clBuildProgram"))?;
            return Ok(BuiltProgram::Own(program));
        }
        let compiled = modules.iter().map(|defines| self.module(defines, home));
        let compiled: Vec<_> = compiled.collect::<Result<_, _>>()?;
        let linked =
            LinkedProgram::new(context, devices, &compiled).map_err(failed("clLinkProgram"))?;
        Ok(BuiltProgram::Linked(linked))
    }

    /// Compiles a module of the case; modules of the common context are kept for later rounds.
    fn module(&self, defines: &str, home: usize) -> Result<Rc<Program>, FailedCall> {
        let is_kept = self.homes[home].place == Place::SameContext;
        if let Some(module) = self.modules.borrow().get(defines).filter(|_| is_kept) {
            return Ok(Rc::clone(module));
        }
        let mut module = self.unbuilt(defines, home)?;
        module
            .compile(&self.homes[home].devices, &self.options(defines), &[], &[])
            .map_err(failed("clCompileProgram"))?;
        let module = Rc::new(module);
        if is_kept {
            self.modules.borrow_mut().insert(defines.to_owned(), Rc::clone(&module));
        }
        Ok(module)
    }

    /// Creates a program of the case without building it.
    fn unbuilt(&self, defines: &str, home: usize) -> Result<Program, FailedCall> {
        let given = match self.stage.modules {
            None => GivenProgram::Source(self.stage.source),
            Some(modules) => {
                let module = modules.get(defines);
                GivenProgram::Module(
                    module.ok_or_else(|| format!("no module was made with `{defines}`"))?,
                )
            }
        };
        given.create(self.context(home), *self.stage.device).map_err(failed(given.call()))
    }

    fn options(&self, defines: &str) -> String {
        match self.stage.modules {
            None => format!("{} {defines}", self.stage.options),
            // The compiler got it when it made the module.
            Some(_) => self.stage.options.to_owned(),
        }
    }

    fn create(
        &self,
        home: usize,
        shared: bool,
        bytes: &[u8],
        guard: usize,
        before: usize,
    ) -> Result<Memory<'d>, FailedCall> {
        let (context, queue) = (self.context(home), self.homes[home].queue());
        let size = bytes.len();
        let object = if shared {
            let mut memory = SharedMemory::new(context, size).map_err(failed("clSVMAlloc"))?;
            memory.write(queue, 0, bytes).map_err(failed("clEnqueueSVMMemcpy"))?;
            Object::Shared(memory)
        } else {
            let whole = before.checked_add(size).ok_or("the buffer would exceed the memory")?;
            let mut whole = calls::buffer(context, whole).map_err(failed("clCreateBuffer"))?;
            calls::write(queue, &mut whole, before, bytes)
                .map_err(failed("clEnqueueWriteBuffer"))?;
            let part = calls::part(&whole, guard, before + size - 2 * guard)
                .map_err(failed("clCreateSubBuffer"))?;
            Object::Buffer(whole, part)
        };
        Ok(Memory { home, before, guard, size, object })
    }

    /// Sets the arguments of a kernel. The caller keeps the returned objects until the kernel has ended.
    fn give_all(
        &self,
        kernel: &Kernel,
        home: usize,
        arguments: &[KernelArgument],
    ) -> Result<HeldObjects, FailedCall> {
        let mut held = HeldObjects::default();
        for (argument, index) in arguments.iter().zip(0..) {
            self.give(kernel, home, index, argument, &mut held)?;
        }
        Ok(held)
    }

    /// Launches a kernel whose arguments are set on one of its program's devices, and waits for its end.
    fn launch(
        &self,
        kernel: &Kernel,
        home: usize,
        device: usize,
        size: &Size,
    ) -> Result<(), FailedCall> {
        let home = &self.homes[home];
        let queue = home.queues.get(device).ok_or("there is one device only")?;
        let launched = match size {
            Size::Of { items, group } => calls::launch(queue, kernel, items, group),
            Size::Largest { groups, most } => {
                let group = kernel
                    .get_work_group_size(home.devices[device])
                    .map_err(failed("clGetKernelWorkGroupInfo"))?
                    .min(*most);
                calls::launch(queue, kernel, &[groups * group], &[group])
            }
        };
        launched.map_err(failed("clEnqueueNDRangeKernel"))
    }

    fn give(
        &self,
        kernel: &Kernel,
        home: usize,
        index: u32,
        argument: &KernelArgument,
        held: &mut HeldObjects,
    ) -> Result<(), FailedCall> {
        let call = format!("clSetKernelArg({index})");
        let given = match argument {
            KernelArgument::Buffer(name) => {
                let memory = self.memory(name)?;
                match &memory.object {
                    Object::Buffer(_, part) => calls::give_buffer(kernel, index, part),
                    Object::Shared(shared) => shared.give(kernel, index, memory.guard),
                    Object::Image(image, _) => calls::give_image(kernel, index, image),
                }
            }
            KernelArgument::Null => calls::give_null(kernel, index),
            KernelArgument::Local(bytes) => calls::give_local(kernel, index, *bytes),
            KernelArgument::Value(bytes) => calls::give_bytes(kernel, index, bytes),
            KernelArgument::Sampler(addressing) => {
                let is_normalized = cl_bool::from(addressing.is_of_normalized());
                let mode = match addressing {
                    Addressing::None => CL_ADDRESS_NONE,
                    Addressing::ClampToEdge => CL_ADDRESS_CLAMP_TO_EDGE,
                    Addressing::Clamp => CL_ADDRESS_CLAMP,
                    Addressing::Repeat => CL_ADDRESS_REPEAT,
                    Addressing::MirroredRepeat => CL_ADDRESS_MIRRORED_REPEAT,
                };
                let context = self.context(home);
                let sampler = Sampler::create(context, is_normalized, mode, CL_FILTER_NEAREST)
                    .map_err(failed("clCreateSampler"))?;
                let given = calls::give(kernel, index, &sampler.get());
                held.samplers.push(sampler);
                given
            }
            KernelArgument::Queue => {
                let queue = calls::device_queue(self.context(home), self.homes[home].devices[0])
                    .map_err(failed("clCreateCommandQueueWithProperties"))?;
                let given = calls::give(kernel, index, &queue.get());
                held.queues.push(queue);
                given
            }
        };
        given.map_err(failed(&call))
    }
}

fn create(program: &BuiltProgram<'_>, name: &str) -> Result<Kernel, FailedCall> {
    let shown = || format!("clCreateKernel(\"{}\")", name.escape_debug());
    let name = CString::new(name).map_err(|_| shown())?;
    create_kernel(program.get(), &name)
        .map(Kernel::new)
        .map_err(|error| format!("{}: {}", shown(), ClError(error)))
}

fn answered(answer: Result<Observation, ClError>) -> Observation {
    answer.unwrap_or_else(|status| Observation::Status(status.to_string()))
}

fn global_variables(
    program: &BuiltProgram<'_>,
    device: cl_device_id,
) -> Result<Observation, ClError> {
    let what = CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE;
    let size = get_program_build_info(program.get(), device, what).map_err(ClError)?;
    Ok(Observation::Number(usize::from(size) as u64))
}

fn ask(
    kernel: &Kernel,
    device: cl_device_id,
    what: Question,
    argument: u32,
) -> Result<Observation, ClError> {
    let word = |text: &str| Observation::Text(text.to_owned());
    Ok(match what {
        Question::AddressQualifier => match kernel.get_arg_address_qualifier(argument)? {
            CL_KERNEL_ARG_ADDRESS_GLOBAL => word("global"),
            CL_KERNEL_ARG_ADDRESS_LOCAL => word("local"),
            CL_KERNEL_ARG_ADDRESS_CONSTANT => word("constant"),
            opencl3::kernel::CL_KERNEL_ARG_ADDRESS_PRIVATE => word("private"),
            other => Observation::Number(u64::from(other)),
        },
        Question::AccessQualifier => match kernel.get_arg_access_qualifier(argument)? {
            CL_KERNEL_ARG_ACCESS_READ_ONLY => word("read_only"),
            CL_KERNEL_ARG_ACCESS_WRITE_ONLY => word("write_only"),
            CL_KERNEL_ARG_ACCESS_READ_WRITE => word("read_write"),
            opencl3::kernel::CL_KERNEL_ARG_ACCESS_NONE => word("none"),
            other => Observation::Number(u64::from(other)),
        },
        Question::TypeQualifier => {
            let bits = kernel.get_arg_type_qualifier(argument)?;
            let names = [
                (CL_KERNEL_ARG_TYPE_CONST, "const"),
                (CL_KERNEL_ARG_TYPE_RESTRICT, "restrict"),
                (CL_KERNEL_ARG_TYPE_VOLATILE, "volatile"),
                (CL_KERNEL_ARG_TYPE_PIPE, "pipe"),
            ];
            let set: Vec<&str> = names
                .iter()
                .filter(|(bit, _)| bits & u64::from(*bit) != 0)
                .map(|(_, name)| *name)
                .collect();
            word(if set.is_empty() { "none" } else { return Ok(word(&set.join(" "))) })
        }
        Question::LocalMemory => Observation::Number(kernel.get_local_mem_size(device)?),
        Question::PrivateMemory => Observation::Number(kernel.get_private_mem_size(device)?),
        Question::WorkGroupSize => Observation::Number(kernel.get_work_group_size(device)? as u64),
        Question::GlobalVariables => word("not asked of a kernel"),
    })
}
