//! A probe as calls to the host's functions with plain values: the requests to a worker and its answers.

use serde::{Deserialize, Serialize};

use super::{
    After, Argument, Buffer, BufferKind, GroupSize, Limits, MAIN_PROGRAM, Probe, Step,
    memory::{Round, guard},
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
    Sampler,
    /// The default queue on the device.
    Queue,
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
        let guard = guard(limits);
        let create = |round: &Round<'_>, buffer: &Buffer| Operation::Create {
            buffer: buffer.name.clone(),
            program: buffer.program.clone(),
            shared: buffer.kind == BufferKind::Shared,
            bytes: round.with_guards(&buffer.name),
            guard,
        };
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
        operations.extend(self.buffers.iter().filter(of_main).map(|buffer| create(&round, buffer)));
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
                    operations.extend(own.map(|buffer| create(&round, buffer)));
                }
                Step::Launch(launch) => {
                    operations.push(Operation::Launch {
                        program: launch.program.clone(),
                        kernel: launch.kernel.clone(),
                        device: launch.device,
                        arguments: given(&launch.arguments, &round)?,
                        size: size(launch.group),
                    });
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

/// Returns the arguments of a kernel as plain values.
fn given(arguments: &[Argument], round: &Round<'_>) -> Result<Vec<KernelArgument>, String> {
    let mut all = Vec::new();
    for argument in arguments {
        all.push(match argument {
            Argument::Buffer(name) => KernelArgument::Buffer(name.clone()),
            Argument::Null => KernelArgument::Null,
            Argument::Sampler => KernelArgument::Sampler,
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
