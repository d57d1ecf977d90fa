//! A probe as calls to the host's functions with plain values: the requests to a worker and its answers.

use serde::{Deserialize, Serialize};

use super::{
    After, Argument, Buffer, BufferKind, GroupSize, Limits, MAIN_PROGRAM, Probe, Rows, Step,
    element::{Layout, Scalar},
    memory::Round,
};

/// Everything a worker does for one probe.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Plan {
    /// The calls of each round; memory and kernels are made anew for each.
    pub rounds: Vec<Vec<Operation>>,
}

impl Plan {
    /// Whether a kernel is queried for information that only programs created from source have.
    pub fn asks_about_source(&self) -> bool {
        self.rounds.iter().flatten().any(|operation| {
            matches!(
                operation,
                Operation::Ask {
                    what: Question::AddressQualifier
                        | Question::AccessQualifier
                        | Question::TypeQualifier,
                    ..
                }
            )
        })
    }
}

/// One call, or a few that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Build the case's source as a program of its own.
    Build {
        /// Name of the program in later operations.
        program: String,
        /// Options of each module; several modules are linked.
        modules: Vec<String>,
        /// Context and devices that the program is built for.
        place: Place,
    },
    /// Make a buffer between two guards.
    Create {
        /// Name of the buffer in later operations.
        buffer: String,
        /// The program whose context it belongs to.
        program: String,
        /// Whether it is shared virtual memory.
        shared: bool,
        /// First contents, guards included.
        #[serde(with = "hex")]
        bytes: Vec<u8>,
        /// Bytes of each guard.
        guard: usize,
        /// Bytes in front of the contents, which are neither written nor read. A kernel's pointer points at them.
        before: usize,
    },
    /// Make an image without guards.
    CreateImage {
        /// Name of the image in later operations, where it is a buffer.
        image: String,
        /// The program whose context it belongs to.
        program: String,
        /// Type of each of the four channels of a texel.
        channel: Channel,
        /// Texels in a row.
        width: usize,
        /// Number of rows; `None` where the image has one dimension.
        height: Option<usize>,
        /// First contents, row by row.
        #[serde(with = "hex")]
        bytes: Vec<u8>,
    },
    /// Change what a buffer holds between its guards.
    Write {
        buffer: String,
        /// The new contents.
        #[serde(with = "hex")]
        bytes: Vec<u8>,
    },
    /// Run a kernel and wait for its end.
    Launch {
        program: String,
        kernel: String,
        /// Index of the device among those of the program.
        device: usize,
        /// Arguments of the kernel.
        arguments: Vec<KernelArgument>,
        /// Number of work-items and size of their groups.
        size: Size,
    },
    /// Keep what the driver writes to standard output from now on.
    KeepOutput,
    /// Read what was kept, at most [`MOST_PRINTED`] bytes: answered by [`Observation::Printed`].
    ReadOutput,
    /// Read a buffer with its guards: answered by [`Observation::Bytes`].
    Read { buffer: String },
    /// Ask a question: answered by [`Observation::Number`], [`Observation::Text`] or [`Observation::Status`].
    Ask {
        program: String,
        /// The question.
        what: Question,
        /// The kernel, where it is about one.
        kernel: String,
        /// The argument, where it is about one.
        argument: u32,
        /// State of the kernel object at the time of the query.
        first: First,
    },
    /// Set an argument wrongly: answered by [`Observation::Status`].
    Reject {
        kernel: String,
        argument: u32,
        /// Value that the argument is set to.
        value: WrongValue,
    },
}

/// Number of work-items that execute a kernel, and size of their groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// Numbers of work-items and sizes of the groups, one for each dimension.
    Of {
        /// Work-items.
        items: Vec<usize>,
        /// Work-items of a group.
        group: Vec<usize>,
    },
    /// A number of groups in one dimension, each of `CL_KERNEL_WORK_GROUP_SIZE` work-items.
    Largest {
        groups: usize,
        /// Largest number of work-items in a group that the buffers have memory for.
        most: usize,
    },
}

/// Preparation of a kernel object before a question about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum First {
    Nothing,
    /// The arguments are set.
    Set(Vec<KernelArgument>),
    /// They are set, it is launched, and has ended.
    Launch(Vec<KernelArgument>, Size),
}

/// Argument of a kernel as plain values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelArgument {
    Buffer(String),
    /// No buffer.
    Null,
    /// Bytes of local memory.
    Local(usize),
    /// The bytes of an object by value.
    Value(#[serde(with = "hex")] Vec<u8>),
    Sampler(Addressing),
    /// The default queue on the device.
    Queue,
}

/// Type of a channel of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    SignedInt8,
    SignedInt16,
    SignedInt32,
    UnsignedInt8,
    UnsignedInt16,
    UnsignedInt32,
    HalfFloat,
    Float,
}

impl Channel {
    /// Returns the type of the channels of an image whose texels have this layout. Returns `None` for another layout
    /// than four fields of one type, or a type that no channel has.
    pub fn of(texel: &Layout) -> Option<Self> {
        let scalar = texel.fields.first()?.scalar;
        let is_texel = texel.fields.len() == 4
            && texel.size == 4 * scalar.size()
            && texel.fields.iter().all(|field| field.scalar == scalar);
        match scalar {
            _ if !is_texel => None,
            Scalar::Signed(1) => Some(Self::SignedInt8),
            Scalar::Signed(2) => Some(Self::SignedInt16),
            Scalar::Signed(4) => Some(Self::SignedInt32),
            Scalar::Unsigned(1) => Some(Self::UnsignedInt8),
            Scalar::Unsigned(2) => Some(Self::UnsignedInt16),
            Scalar::Unsigned(4) => Some(Self::UnsignedInt32),
            Scalar::Floating(2) => Some(Self::HalfFloat),
            Scalar::Floating(4) => Some(Self::Float),
            Scalar::Signed(_) | Scalar::Unsigned(_) | Scalar::Floating(_) => None,
        }
    }
}

/// Addressing mode of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Addressing {
    None,
    ClampToEdge,
    Clamp,
    Repeat,
    MirroredRepeat,
}

impl Addressing {
    /// The modes, by the words for them.
    pub const NAMES: [(&str, Self); 5] = [
        ("none", Self::None),
        ("clamp-to-edge", Self::ClampToEdge),
        ("clamp", Self::Clamp),
        ("repeat", Self::Repeat),
        ("mirrored-repeat", Self::MirroredRepeat),
    ];

    /// Whether the mode is defined for normalized coordinates alone ([samplers]).
    pub const fn is_of_normalized(self) -> bool {
        matches!(self, Self::Repeat | Self::MirroredRepeat)
    }
}

/// Context and devices of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// On the device, in the context everything is in.
    SameContext,
    /// On the device, in a context of its own.
    OwnContext,
    /// On both halves of the device, in a context they share.
    Halves,
}

/// Question to the host's functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// `CL_KERNEL_ARG_ADDRESS_QUALIFIER`: `global`, `local`, `constant` or `private`.
    AddressQualifier,
    /// `CL_KERNEL_ARG_TYPE_QUALIFIER`: `const`, `restrict`, `volatile`, `pipe`, joined by spaces, or `none`.
    TypeQualifier,
    /// `CL_KERNEL_ARG_ACCESS_QUALIFIER`: `read_only`, `write_only`, `read_write` or `none`.
    AccessQualifier,
    /// `CL_KERNEL_LOCAL_MEM_SIZE`.
    LocalMemory,
    /// `CL_KERNEL_PRIVATE_MEM_SIZE`.
    PrivateMemory,
    /// `CL_KERNEL_WORK_GROUP_SIZE`.
    WorkGroupSize,
    /// `CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE`.
    GlobalVariables,
}

/// Ways to set an argument that are rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WrongValue {
    /// A value for memory the device makes itself.
    ValueForLocal,
    /// No bytes of local memory.
    NoBytesForLocal,
    /// A buffer handle of half its size.
    HalfABuffer,
    /// An argument the kernel does not have.
    NoSuchArgument,
}

/// Observation of one operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observation {
    /// Bytes of memory.
    Bytes(#[serde(with = "hex")] Vec<u8>),
    /// Bytes of standard output.
    Printed(#[serde(with = "hex")] Vec<u8>),
    Number(u64),
    /// A word.
    Text(String),
    /// The name of the status a call returned: `CL_SUCCESS` or an error.
    Status(String),
}

/// Answer of a device to one round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RoundAnswer {
    /// Observations, in the order of the operations that read something.
    pub observations: Vec<Observation>,
    /// The call that failed and how; the rest of the round was not done.
    pub failed: Option<String>,
}

/// Answer of a device to a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunAnswer {
    /// The plan was carried out, up to the first failure.
    Done {
        /// Answers, one for each round.
        rounds: Vec<RoundAnswer>,
        /// Seconds it took.
        seconds: f64,
    },
    /// The kernels were launched to generate their code; a condition kept their bodies from being executed.
    Code {
        /// The call that failed, and how.
        failed: Option<String>,
        /// Reason for which a kernel could not be launched.
        unlaunched: Option<String>,
        /// Seconds it took.
        seconds: f64,
    },
    /// The device builds programs and cannot run them.
    BuildsOnly,
}

/// Number of bytes of standard output that are kept of a launch.
pub const MOST_PRINTED: usize = 1 << 16;

/// A kernel has no more arguments.
const MOST_ARGUMENTS: i128 = 1024;

impl RunAnswer {
    /// Seconds it took.
    pub fn seconds(&self) -> f64 {
        match self {
            Self::Done { seconds, .. } | Self::Code { seconds, .. } => *seconds,
            Self::BuildsOnly => 0.0,
        }
    }

    /// Whether a call failed that had to succeed: what the process does afterwards proves nothing.
    pub fn has_failed(&self) -> bool {
        match self {
            Self::Done { rounds, .. } => rounds.iter().any(|round| round.failed.is_some()),
            Self::Code { failed, .. } => failed.is_some(),
            Self::BuildsOnly => false,
        }
    }
}

impl Probe {
    /// Returns the first need that the device does not meet, as a message.
    pub fn missing(&self, limits: &Limits) -> Option<String> {
        let unmet = |need: &&super::Expression| !need.holds(&LimitScope(limits)).unwrap_or(false);
        self.needs.iter().find(unmet).map(|need| format!("the device does not meet `{need}`"))
    }

    /// Returns the options of the build, with the macros whose values depend on the device.
    pub fn build_options(&self, limits: &Limits) -> Result<Vec<String>, String> {
        let defines = self.defines.iter().map(|(name, expression)| {
            Ok(format!("-D{name}={}", expression.value(&LimitScope(limits))?))
        });
        self.options.iter().cloned().map(Ok).chain(defines).collect()
    }

    /// Returns the shapes whose groups the device can execute, each with its index.
    pub fn possible_shapes(&self, limits: &Limits) -> impl Iterator<Item = (usize, &super::Shape)> {
        let largest = limits.get("max_work_group_size").copied().unwrap_or(u64::MAX);
        self.shapes
            .iter()
            .enumerate()
            .filter(move |(_, shape)| shape.group_size() as u64 <= largest)
    }

    /// Returns the operations of every round; an error where an expression of the probe has no value.
    pub fn plan(&self, limits: &Limits) -> Result<Plan, String> {
        let rounds = self.possible_shapes(limits).map(|(index, _)| self.round(index, limits));
        Ok(Plan { rounds: rounds.collect::<Result<_, _>>()? })
    }

    fn round(&self, shape: usize, limits: &Limits) -> Result<Vec<Operation>, String> {
        let mut round = Round::new(self, shape, limits)?;
        let mut operations = Vec::new();
        let size = |group| {
            let shape = &self.shapes[shape];
            match group {
                GroupSize::Shape => {
                    Size::Of { items: shape.items.clone(), group: shape.group.clone() }
                }
                GroupSize::Largest => Size::Largest {
                    groups: shape.group_count(),
                    most: limits.get("max_work_group_size").map_or(1, |&most| most as usize),
                },
            }
        };
        let of_main = |buffer: &&Buffer| buffer.program == MAIN_PROGRAM;
        for buffer in self.buffers.iter().filter(of_main) {
            operations.push(create(&round, buffer)?);
        }
        for (number, step) in self.steps.iter().enumerate() {
            match step {
                Step::Build(build) => {
                    let modules = build.modules.iter().map(|macros| {
                        let defines: Vec<String> =
                            macros.iter().map(|name| format!("-D{name}=1")).collect();
                        defines.join(" ")
                    });
                    operations.push(Operation::Build {
                        program: build.program.clone(),
                        modules: modules.collect(),
                        place: build.place,
                    });
                    let own = self.buffers.iter().filter(|b| b.program == build.program);
                    for buffer in own {
                        operations.push(create(&round, buffer)?);
                    }
                }
                Step::Launch(launch) => {
                    let output = |operation| launch.prints.is_some().then_some(operation);
                    operations.extend(output(Operation::KeepOutput));
                    operations.push(Operation::Launch {
                        program: launch.program.clone(),
                        kernel: launch.kernel.clone(),
                        device: launch.device,
                        arguments: given(&launch.arguments, &round)?,
                        size: size(launch.group),
                    });
                    operations.extend(output(Operation::ReadOutput));
                }
                Step::Check(check) => {
                    operations.push(Operation::Read { buffer: check.buffer.clone() });
                }
                Step::Write { buffer, fill } => {
                    round.fill(buffer, fill, number)?;
                    let bytes = round.contents(buffer).to_vec();
                    operations.push(Operation::Write { buffer: buffer.clone(), bytes });
                }
                Step::Ask(ask) => operations.push(Operation::Ask {
                    program: ask.program.clone(),
                    what: ask.what,
                    kernel: ask.kernel.clone(),
                    argument: ask.argument,
                    first: match &ask.after {
                        After::Making => First::Nothing,
                        After::Setting(arguments) => First::Set(given(arguments, &round)?),
                        After::Launching(arguments) => {
                            First::Launch(given(arguments, &round)?, size(GroupSize::Shape))
                        }
                    },
                }),
                Step::Require(_) => {}
                Step::Reject(reject) => operations.push(Operation::Reject {
                    kernel: reject.kernel.clone(),
                    argument: reject.argument,
                    value: reject.value,
                }),
            }
        }
        operations.extend(self.buffers.iter().map(|b| Operation::Read { buffer: b.name.clone() }));
        Ok(operations)
    }
}

/// Returns the operation that makes a buffer with its first contents.
fn create(round: &Round<'_>, buffer: &Buffer) -> Result<Operation, String> {
    let (name, program) = (buffer.name.clone(), buffer.program.clone());
    let bytes = round.with_guards(&name);
    let BufferKind::Image(rows) = &buffer.kind else {
        let (shared, guard) = (buffer.kind == BufferKind::Shared, round.guard(&name));
        let before = match &buffer.before {
            None => 0,
            Some(before) => usize::try_from(before.value(round)?)
                .map_err(|_| format!("`{before}` is not a number of bytes"))?,
        };
        return Ok(Operation::Create { buffer: name, program, shared, bytes, guard, before });
    };
    let texels = round.length(&name);
    let (width, height) = match rows {
        Rows::One => (texels, None),
        Rows::Of(width) => {
            let asked = width.value(round)?;
            let width = usize::try_from(asked).ok();
            let width = width.filter(|&width| width > 0 && texels.is_multiple_of(width));
            let why = || format!("{texels} texels of `{name}` are not whole rows of {asked}");
            let width = width.ok_or_else(why)?;
            (width, Some(texels / width))
        }
    };
    let channel = Channel::of(&buffer.layout).ok_or_else(|| format!("`{name}` has no texels"))?;
    Ok(Operation::CreateImage { image: name, program, channel, width, height, bytes })
}

/// Returns the arguments of a kernel as plain values.
fn given(arguments: &[Argument], round: &Round<'_>) -> Result<Vec<KernelArgument>, String> {
    let mut all = Vec::new();
    for argument in arguments {
        all.push(match argument {
            Argument::Buffer(name) => KernelArgument::Buffer(name.clone()),
            Argument::Null => KernelArgument::Null,
            Argument::Sampler(addressing) => KernelArgument::Sampler(*addressing),
            Argument::Queue => KernelArgument::Queue,
            Argument::Repeated(count, names) => {
                let count = count.value(round)?.clamp(0, MOST_ARGUMENTS);
                let names = (0..count).zip(names.iter().cycle());
                all.extend(names.map(|(_, name)| KernelArgument::Buffer(name.clone())));
                continue;
            }
            Argument::Local(bytes) => KernelArgument::Local(
                usize::try_from(bytes.value(round)?)
                    .map_err(|_| format!("`{bytes}` is not a number of bytes"))?,
            ),
            Argument::Scalar(scalar, value) => {
                KernelArgument::Value(scalar.bytes(value.value(round)?))
            }
            Argument::Object(layout, value) => KernelArgument::Value(round.object(layout, value)?),
        });
    }
    Ok(all)
}

/// Limits are all there is before a device is run.
pub(super) struct LimitScope<'l>(pub(super) &'l Limits);

impl super::expression::Scope for LimitScope<'_> {
    fn name(&self, name: &str) -> Option<i128> {
        self.0.get(name).map(|&value| i128::from(value))
    }

    fn element(&self, buffer: &str, _: i128, _: Option<i128>) -> Result<i128, String> {
        Err(format!("there is no `{buffer}` yet"))
    }

    fn group_of(&self, _: i128) -> Result<i128, String> {
        Err("there are no groups yet".to_owned())
    }

    fn local_of(&self, _: i128) -> Result<i128, String> {
        Err("there are no groups yet".to_owned())
    }

    fn item_of(&self, _: i128, _: i128) -> Result<i128, String> {
        Err("there are no groups yet".to_owned())
    }
}
