//! Probes of programs that run.

use expectations::probe::{
    self as host, AnsweredBy, Buffer, BufferKind, Check, Fill, GroupSize, Launch, MAIN_PROGRAM,
    Probe, RequiredValues, Shape, Step,
    element::{Field, Layout},
    expression::Expression,
};

use super::{
    evaluate::Answer,
    print::kernel_name,
    tree::{Argument, Program},
    types::{Scalar, Ty, Types},
};

/// Returns the probe of a program: its launches, and every buffer after each.
pub(super) fn probe(program: &Program, answer: &Answer, prefix: &str) -> Probe {
    let types = &program.types;
    let buffers = program.arguments.iter().enumerate().filter_map(|(number, argument)| {
        let Argument::Buffer { element, values } = argument else { return None };
        let layout = layout(types, *element);
        let length = values.len() / layout.fields.len();
        Some(Buffer {
            name: name(number),
            layout,
            length: Expression::number(length as i128),
            fill: Fill::Listed(values.clone()),
            before: None,
            kind: BufferKind::Buffer,
            program: MAIN_PROGRAM.to_owned(),
        })
    });
    let buffers: Vec<Buffer> = buffers.collect();
    let arguments: Vec<host::Argument> = program
        .arguments
        .iter()
        .enumerate()
        .map(|(number, argument)| match argument {
            Argument::Buffer { .. } => host::Argument::Buffer(name(number)),
            Argument::Local { element, per_item } => {
                let size = types.layout(*element).size as i128;
                let elements = i128::from(*per_item) * i128::from(program.group);
                host::Argument::Local(Expression::number(size * elements))
            }
            Argument::Scalar(scalar, value) => {
                host::Argument::Scalar(of_host(*scalar), Expression::number(*value))
            }
            Argument::Object { ty, values } => {
                let values = host::FieldValues::Listed(values.clone());
                host::Argument::Object(layout(types, *ty), values)
            }
        })
        .collect();
    let mut steps = Vec::new();
    for (&kernel, after) in program.launches.iter().zip(&answer.after) {
        steps.push(Step::Launch(Launch {
            program: MAIN_PROGRAM.to_owned(),
            kernel: kernel_name(prefix, kernel),
            device: 0,
            arguments: arguments.clone(),
            group: GroupSize::Shape,
            prints: None,
        }));
        let seen = buffers.iter().zip(after).map(|(buffer, values)| {
            let seen = RequiredValues::Listed(values.clone());
            Step::Check(Check { buffer: buffer.name.clone(), seen })
        });
        steps.extend(seen);
    }
    Probe {
        seed: 0,
        needs: Vec::new(),
        options: Vec::new(),
        defines: std::collections::BTreeMap::new(),
        shapes: vec![Shape {
            items: program.axes.iter().map(|axis| (axis.group * axis.groups) as usize).collect(),
            group: program.axes.iter().map(|axis| axis.group as usize).collect(),
        }],
        buffers,
        steps,
        answered_by: AnsweredBy::default(),
    }
}

/// Returns the name of an argument's buffer: the parameter of that number.
fn name(number: usize) -> String {
    format!("argument {number}")
}

fn layout(types: &Types, element: Ty) -> Layout {
    let layout = types.layout(element);
    let fields = layout.fields.into_iter();
    let fields = fields.map(|(scalar, offset)| Field { scalar: of_host(scalar), offset });
    Layout { fields: fields.collect(), size: layout.size }
}

fn of_host(scalar: Scalar) -> host::element::Scalar {
    let bytes = scalar.bits() as usize / 8;
    if scalar.is_float() {
        host::element::Scalar::Floating(bytes)
    } else if scalar.is_signed() {
        host::element::Scalar::Signed(bytes)
    } else {
        host::element::Scalar::Unsigned(bytes)
    }
}
