//! The execution of a program by a host program in C: buffers, launches in order, and the expected values after each.

use std::collections::BTreeMap;

use expectations::probe::{
    Limits, Probe,
    compare::ideal,
    plan::{KernelArgument, Observation, Operation, RunAnswer, Size},
};
use serde::Serialize;

/// Number of bytes of buffers that a readable file has at most.
const MOST_BYTES: usize = 1 << 16;

/// Launches of one program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Run {
    buffers: Vec<Buffer>,
    steps: Vec<Step>,
}

/// A buffer of the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Buffer {
    /// Initial bytes.
    bytes: Vec<u8>,
    /// Number of bytes of an element.
    element: usize,
    /// Offset and size of each field of an element; the bytes between are padding.
    fields: Vec<(usize, usize)>,
}

/// A step of the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
enum Step {
    Launch { kernel: String, arguments: Vec<Argument>, items: Vec<usize>, group: Vec<usize> },
    Check { buffer: usize, bytes: Vec<u8> },
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
enum Argument {
    Buffer { buffer: usize },
    Local { bytes: usize },
    Scalar { bytes: Vec<u8> },
}

impl Run {
    /// Returns the launches of a probe; `None` if the probe needs more than launches, or depends on the device.
    pub(crate) fn of(probe: &Probe) -> Option<Self> {
        let limits = Limits::new();
        if !probe.needs.is_empty() || !probe.options.is_empty() || !probe.defines.is_empty() {
            return None;
        }
        let RunAnswer::Done { rounds: answers, .. } = ideal(probe, &limits).ok()? else {
            return None;
        };
        let mut run = Self { buffers: Vec::new(), steps: Vec::new() };
        for (round, answer) in probe.plan(&limits).ok()?.rounds.iter().zip(&answers) {
            run.add(probe, round, &answer.observations)?;
        }
        let bytes: usize = run.buffers.iter().map(|buffer| buffer.bytes.len()).sum();
        (bytes <= MOST_BYTES).then_some(run)
    }

    /// Adds the buffers and launches of one size and shape of work-groups.
    fn add(&mut self, probe: &Probe, round: &[Operation], seen: &[Observation]) -> Option<()> {
        let mut seen = seen.iter();
        // By name: the number of the buffer, and the bytes of its guards.
        let mut places: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for operation in round {
            match operation {
                Operation::Create { buffer, shared: false, bytes, guard, before: 0, .. } => {
                    let known = probe.buffers.iter().find(|known| known.name == *buffer)?;
                    places.insert(buffer, (self.buffers.len(), *guard));
                    let fields = known.layout.fields.iter();
                    self.buffers.push(Buffer {
                        bytes: within(bytes, *guard)?,
                        element: known.layout.size,
                        fields: fields.map(|field| (field.offset, field.scalar.size())).collect(),
                    });
                }
                Operation::Launch {
                    kernel, arguments, size: Size::Of { items, group }, ..
                } => {
                    let argument = |given: &KernelArgument| match given {
                        KernelArgument::Buffer(name) => {
                            Some(Argument::Buffer { buffer: places.get(name.as_str())?.0 })
                        }
                        KernelArgument::Local(bytes) => Some(Argument::Local { bytes: *bytes }),
                        KernelArgument::Value(bytes) => {
                            Some(Argument::Scalar { bytes: bytes.clone() })
                        }
                        KernelArgument::Null
                        | KernelArgument::Sampler(_)
                        | KernelArgument::Queue => None,
                    };
                    self.steps.push(Step::Launch {
                        kernel: kernel.clone(),
                        arguments: arguments.iter().map(argument).collect::<Option<_>>()?,
                        items: items.clone(),
                        group: group.clone(),
                    });
                }
                Operation::Read { buffer } => {
                    let &(buffer, guard) = places.get(buffer.as_str())?;
                    let Observation::Bytes(bytes) = seen.next()? else { return None };
                    self.steps.push(Step::Check { buffer, bytes: within(bytes, guard)? });
                }
                _ => return None,
            }
        }
        Some(())
    }
}

/// Returns the bytes between the guards.
fn within(bytes: &[u8], guard: usize) -> Option<Vec<u8>> {
    Some(bytes.get(guard..bytes.len().checked_sub(guard)?)?.to_vec())
}
