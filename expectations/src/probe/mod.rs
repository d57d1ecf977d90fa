//! Probes: descriptions, as data, of how a built case is executed and what must be observed.
//!
//! A probe is read from the text a template gives for a case ([`read`]), becomes calls to the host's functions with
//! plain values ([`plan`]), and their results are compared with the rule ([`compare`]). Expected values
//! are computed here, from the rule; nothing of them reaches the process a driver lives in.

pub mod compare;
pub mod element;
pub mod expression;
pub mod memory;
pub mod one_launch;
pub mod plan;
pub mod printed;
pub mod read;

use std::{collections::BTreeMap, fmt};

use serde::Deserialize;

use self::{element::Layout, expression::Expression, printed::Printing};

/// The program a case is built as, where no other is named.
pub const MAIN_PROGRAM: &str = "main";

/// Numbers that a device reports of itself, by the names that expressions use.
pub type Limits = BTreeMap<String, u64>;

/// Description of how a case is executed and what must be observed.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Seed of the random values.
    pub seed: u64,
    /// Conditions on the limits of the device; a device that does not meet them is not tried.
    pub needs: Vec<Expression>,
    /// Build options.
    pub options: Vec<String>,
    /// Macros defined for the build with values that depend on the device's limits.
    pub defines: BTreeMap<String, Expression>,
    /// Sizes and shapes: the steps are done once for each.
    pub shapes: Vec<Shape>,
    /// Memory the kernels are given.
    pub buffers: Vec<Buffer>,
    /// Actions and checks of the host, in order.
    pub steps: Vec<Step>,
    /// The part of an implementation that decides what is seen.
    pub answered_by: AnsweredBy,
}

/// A part of an implementation that decides what a probe sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnsweredBy {
    /// Whatever makes code of the program and executes it.
    #[default]
    Device,
    /// The front end alone: macros, for example. A driver that is given a module does not decide it.
    FrontEnd,
}

/// Number of work-items and shape of their groups. In one dimension the last group may have fewer work-items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Work-items in each dimension.
    pub items: Vec<usize>,
    /// Work-items of a group in each dimension.
    pub group: Vec<usize>,
}

/// Memory that a kernel receives, between guards that must not change.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Name of the buffer in steps and expressions.
    pub name: String,
    /// Layout of an element.
    pub layout: Layout,
    /// Number of elements.
    pub length: Expression,
    /// First contents.
    pub fill: Fill,
    /// Bytes in front of the elements, which the host neither writes nor reads.
    pub before: Option<Expression>,
    /// Kind of memory.
    pub kind: BufferKind,
    /// The program whose context it belongs to.
    pub program: String,
}

/// Contents of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Random bytes: every element has to be overwritten.
    Poison,
    /// Random values.
    Random,
    /// For every element the value of an expression.
    Values(Expression),
    /// These, for every field of every element.
    Listed(Vec<i128>),
}

/// Kind of memory behind a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// A buffer object.
    Buffer,
    /// Shared virtual memory.
    Shared,
    /// An image with an element for each texel, without guards.
    Image(Rows),
}

/// Rows of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// One row: the image has one dimension.
    One,
    /// Rows of this many texels: the image has two dimensions.
    Of(Expression),
}

/// One thing the host does.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Build the case's source once more, as a program of its own.
    Build(BuildStep),
    /// Run a kernel to its end.
    Launch(Launch),
    /// Look at every element of a buffer.
    Check(Check),
    /// Give a buffer new contents.
    Write {
        buffer: String,
        /// The contents.
        fill: Fill,
    },
    /// Ask something of a kernel or a program.
    Ask(Ask),
    /// Compare a condition with the answers.
    Require(Expression),
    /// Try to set an argument in a way that must be rejected.
    Reject(Reject),
}

/// A further program of the case's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildStep {
    /// Name of the program in later steps.
    pub program: String,
    /// The macros each of its modules is compiled with; several modules are linked.
    pub modules: Vec<Vec<String>>,
    /// Context and devices that the program is built for.
    pub place: plan::Place,
}

/// A run of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The program it is taken from.
    pub program: String,
    /// Name of the kernel.
    pub kernel: String,
    /// Index of the device that executes the kernel, among those of the program; 0 if there is one.
    pub device: usize,
    /// Arguments of the kernel.
    pub arguments: Vec<Argument>,
    /// Size of the work-groups.
    pub group: GroupSize,
    /// Text that the work-items must print; `None` where nobody reads what they print.
    pub prints: Option<Vec<Printing>>,
}

/// Size of the work-groups of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupSize {
    /// Size that the round's shape has.
    #[default]
    Shape,
    /// Largest size that the device allows for this kernel, in one dimension; there are as many groups as the shape
    /// has.
    Largest,
}

/// Argument of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Buffer(String),
    /// No buffer at all.
    Null,
    /// Local memory of this many bytes.
    Local(Expression),
    Scalar(element::Scalar, Expression),
    /// An object by value.
    Object(Layout, FieldValues),
    /// A sampler without a filter; its coordinates are normalized where its addressing mode needs that.
    Sampler(plan::Addressing),
    /// A queue on the device, its default one.
    Queue,
    /// A number of arguments in a row, which take the buffers in turn.
    Repeated(Expression, Vec<String>),
}

/// Values of the fields of an object that is passed by value.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValues {
    /// For each field the value of the expression.
    Each(Expression),
    /// These, in order.
    Listed(Vec<i128>),
}

/// Contents that a buffer must have.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    pub buffer: String,
    /// Values that the elements must have.
    pub seen: RequiredValues,
}

/// Values that the elements of a buffer must have.
#[derive(Clone, Debug, PartialEq)]
pub enum RequiredValues {
    /// These values, in the elements a condition chooses; the others as they were.
    Values {
        /// The values.
        equals: Expression,
        /// The condition; all elements if there is none.
        only: Option<Expression>,
    },
    /// These values, in every field of every element.
    Listed(Vec<i128>),
    /// Anything: the elements are recorded under these names and not judged.
    Recorded(Vec<String>),
}

/// A question to the host's functions.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Program that the question is about.
    pub program: String,
    /// The question.
    pub what: plan::Question,
    /// The kernel; empty if the question is about the program.
    pub kernel: String,
    /// Index of the argument.
    pub argument: u32,
    /// State of the kernel object at the time of the query.
    pub after: After,
    /// The answers that are right; none if it is not judged here.
    pub is: Vec<String>,
    /// Name of the answer in conditions and in the record.
    pub name: Option<String>,
}

/// State of a kernel object at the time of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum After {
    /// The kernel was created and nothing else was done with it.
    #[default]
    Making,
    /// The first arguments were set.
    Setting(Vec<Argument>),
    /// All its arguments were set, and it was launched and has ended.
    Launching(Vec<Argument>),
}

/// An argument that must be rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    pub kernel: String,
    /// Index of the argument.
    pub argument: u32,
    /// Value that the argument is set to.
    pub value: plan::WrongValue,
    /// The errors the text names for it.
    pub status: Vec<String>,
}

impl Probe {
    /// Returns the probe of a case whose names begin with the prefix `to` instead of `from`.
    #[must_use]
    pub fn renamed(&self, from: &str, to: &str) -> Self {
        let mut probe = self.clone();
        let rename = |name: &mut String| *name = name.replace(from, to);
        for step in &mut probe.steps {
            match step {
                Step::Launch(launch) => rename(&mut launch.kernel),
                Step::Ask(ask) => rename(&mut ask.kernel),
                Step::Reject(reject) => rename(&mut reject.kernel),
                Step::Build(build) => build.modules.iter_mut().flatten().for_each(rename),
                Step::Check(_) | Step::Write { .. } | Step::Require(_) => {}
            }
        }
        probe.defines = probe
            .defines
            .into_iter()
            .map(|(name, value)| (name.replace(from, to), value))
            .collect();
        probe
    }
}

impl Shape {
    /// Returns the number of work-items.
    pub fn item_count(&self) -> usize {
        self.items.iter().product()
    }

    /// Returns the number of work-groups.
    pub fn group_count(&self) -> usize {
        self.items.iter().zip(&self.group).map(|(items, size)| items.div_ceil(*size)).product()
    }

    /// Returns the number of work-items in a full group.
    pub fn group_size(&self) -> usize {
        self.group.iter().product()
    }

    /// Returns the group of a work-item and the position within it, all as linear ids ([work-item functions]): the
    /// first dimension runs fastest.
    pub fn place_of(&self, item: usize) -> (usize, usize) {
        let (mut rest, mut group, mut local) = (item, 0, 0);
        let (mut groups, mut locals) = (1, 1);
        for (&items, &size) in self.items.iter().zip(&self.group) {
            let id = rest % items;
            rest /= items;
            group += id / size * groups;
            local += id % size * locals;
            groups *= items.div_ceil(size);
            locals *= size;
        }
        (group, local)
    }

    /// Returns the work-item at a position of a group: the inverse of [`Self::place_of`].
    pub fn item_at(&self, mut group: usize, mut local: usize) -> usize {
        let (mut item, mut stride) = (0, 1);
        for (&items, &size) in self.items.iter().zip(&self.group) {
            let groups = items.div_ceil(size);
            item += (group % groups * size + local % size) * stride;
            group /= groups;
            local /= size;
            stride *= items;
        }
        item
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = |sizes: &[usize]| {
            let texts: Vec<String> = sizes.iter().map(ToString::to_string).collect();
            texts.join("x")
        };
        write!(f, "{} work-items in groups of {}", sizes(&self.items), sizes(&self.group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_group_may_have_fewer_work_items() {
        let shape = Shape { items: vec![13], group: vec![5] };
        assert_eq!((shape.group_count(), shape.place_of(11)), (3, (2, 1)));
        assert_eq!(shape.item_at(2, 1), 11);
    }

    #[test]
    fn linear_ids_are_those_of_the_text() {
        let shape = Shape { items: vec![6, 4], group: vec![3, 2] };
        // Work-item (4, 3): group (1, 1) of 2x2, place (1, 1) of 3x2.
        assert_eq!(shape.place_of(3 * 6 + 4), (3, 4));
        for item in 0..shape.item_count() {
            let (group, local) = shape.place_of(item);
            assert_eq!(shape.item_at(group, local), item);
        }
        assert_eq!(shape.to_string(), "6x4 work-items in groups of 3x2");
    }
}
