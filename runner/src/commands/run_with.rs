//! Description of the execution of a random program and its required values, in words.

use expectations::probe::{
    Argument, Check, FieldValues, Fill, Launch, Probe, RequiredValues, Step,
};

/// Returns a line for each size that the program is executed in, for each buffer with first contents, and for each
/// step.
pub(super) fn lines(probe: &Probe) -> Vec<String> {
    let mut lines: Vec<String> = probe.shapes.iter().map(ToString::to_string).collect();
    for buffer in &probe.buffers {
        if let Fill::Listed(values) = &buffer.fill {
            lines.push(format!("{} begins with {}", buffer.name, list(values)));
        }
    }
    for step in &probe.steps {
        match step {
            Step::Launch(launch) => lines.push(launched(launch)),
            Step::Check(Check { buffer, seen: RequiredValues::Listed(values) }) => {
                lines.push(format!("{buffer} must be {}", list(values)));
            }
            _ => {}
        }
    }
    lines
}

fn launched(launch: &Launch) -> String {
    let given: Vec<String> = launch.arguments.iter().map(argument).collect();
    format!("{} is launched with {}", launch.kernel, given.join(", "))
}

fn argument(argument: &Argument) -> String {
    match argument {
        Argument::Buffer(name) => name.clone(),
        Argument::Null => "no buffer".to_owned(),
        Argument::Local(bytes) => format!("{bytes} bytes of local memory"),
        Argument::Scalar(_, value) => value.to_string(),
        Argument::Object(layout, FieldValues::Each(value)) => {
            format!("an object of {} bytes, each field of it {value}", layout.size)
        }
        Argument::Object(layout, FieldValues::Listed(values)) => {
            format!("an object of {} bytes with {}", layout.size, list(values))
        }
        Argument::Sampler(_) => "a sampler".to_owned(),
        Argument::Queue => "the device's queue".to_owned(),
        Argument::Repeated(count, buffers) => format!("{count} of {}", buffers.join(", ")),
    }
}

fn list(values: &[i128]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    values.join(", ")
}
