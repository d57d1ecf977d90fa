//! What a program is run with, for the host in C: its buffers, its launches in order, and what must be seen after each.

use std::collections::BTreeMap;

use expectations::probe::{
    Limits, Probe,
    compare::ideal,
    plan::{Given, Observation, Operation, RunAnswer, Size},
};
use serde::Serialize;

/// Launches of one program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Run {
    buffers: Vec<Buffer>,
    steps: Vec<Step>,
}

/// Memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Buffer {
    /// What it holds at first.
    bytes: Vec<u8>,
    /// Bytes of an element.
    element: usize,
    /// Offset and size of each field of an element; the bytes between mean nothing.
    fields: Vec<(usize, usize)>,
}

/// One thing the host does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
enum Step {
    Launch { kernel: String, arguments: Vec<Argument>, items: Vec<usize>, group: Vec<usize> },
    Check { buffer: usize, bytes: Vec<u8> },
}

/// What a kernel is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
enum Argument {
    Buffer { buffer: usize },
    Local { bytes: usize },
    Scalar { bytes: Vec<u8> },
}

impl Run {
    /// The launches of a probe; `None` where the host is to do more than that, or the device decides what.
    pub(crate) fn of(probe: &Probe) -> Option<Self> {
        let limits = Limits::new();
        if !probe.needs.is_empty() || !probe.options.is_empty() || !probe.defines.is_empty() {
            return None;
        }
        let [round] = &probe.plan(&limits).ok()?.rounds[..] else { return None };
        let RunAnswer::Done { rounds, .. } = ideal(probe, &limits).ok()? else { return None };
        let mut seen = rounds.first()?.observations.iter();
        let mut run = Self { buffers: Vec::new(), steps: Vec::new() };
        // By name: the number of the buffer, and the bytes of its guards.
        let mut places: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for operation in round {
            match operation {
                Operation::Create { buffer, shared: false, bytes, guard, .. } => {
                    let known = probe.buffers.iter().find(|known| known.name == *buffer)?;
                    places.insert(buffer, (run.buffers.len(), *guard));
                    let fields = known.layout.fields.iter();
                    run.buffers.push(Buffer {
                        bytes: within(bytes, *guard)?,
                        element: known.layout.size,
                        fields: fields.map(|field| (field.offset, field.scalar.size())).collect(),
                    });
                }
                Operation::Launch {
                    kernel, arguments, size: Size::Of { items, group }, ..
                } => {
                    let argument = |given: &Given| match given {
                        Given::Buffer(name) => {
                            Some(Argument::Buffer { buffer: places.get(name.as_str())?.0 })
                        }
                        Given::Local(bytes) => Some(Argument::Local { bytes: *bytes }),
                        Given::Scalar(bytes) => Some(Argument::Scalar { bytes: bytes.clone() }),
                        Given::Null | Given::Sampler | Given::Queue => None,
                    };
                    run.steps.push(Step::Launch {
                        kernel: kernel.clone(),
                        arguments: arguments.iter().map(argument).collect::<Option<_>>()?,
                        items: items.clone(),
                        group: group.clone(),
                    });
                }
                Operation::Read { buffer } => {
                    let &(buffer, guard) = places.get(buffer.as_str())?;
                    let Observation::Bytes(bytes) = seen.next()? else { return None };
                    run.steps.push(Step::Check { buffer, bytes: within(bytes, guard)? });
                }
                _ => return None,
            }
        }
        Some(run)
    }
}

/// What lies between the guards.
fn within(bytes: &[u8], guard: usize) -> Option<Vec<u8>> {
    Some(bytes.get(guard..bytes.len().checked_sub(guard)?)?.to_vec())
}
