//! Probes: what a built case is run with and what must be seen, as data.
//!
//! A probe is read from the text a template gives for a case ([`read`]), becomes calls to the host's functions with
//! plain values ([`plan`]), and what came of them is compared with what the rule says ([`compare`]). Expected values
//! are computed here, from the rule; nothing of them reaches the process a driver lives in.

pub mod compare;
pub mod element;
pub mod expression;
pub mod memory;
pub mod one_launch;
pub mod plan;
pub mod read;

use std::{collections::BTreeMap, fmt};

use self::{element::Layout, expression::Expression};

/// The program a case is built as, where no other is named.
pub const MAIN_PROGRAM: &str = "main";

/// What a device says of itself as numbers, by the names expressions know.
pub type Limits = BTreeMap<String, u64>;

/// What a case is run with and what must be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Where random values start from.
    pub seed: u64,
    /// What the device must have to be asked, as conditions on its limits.
    pub needs: Vec<Expression>,
    /// Build options.
    pub options: Vec<String>,
    /// Macros defined for the build with values that depend on the device's limits.
    pub defines: BTreeMap<String, Expression>,
    /// Sizes and shapes: the steps are done once for each.
    pub shapes: Vec<Shape>,
    /// Memory the kernels are given.
    pub buffers: Vec<Buffer>,
    /// What is done and looked at, in order.
    pub steps: Vec<Step>,
}

/// How many work-items there are, in groups of what shape. In one dimension the last group may have fewer work-items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Work-items in each dimension.
    pub items: Vec<usize>,
    /// Work-items of a group in each dimension.
    pub group: Vec<usize>,
}

/// Memory a kernel is given, between guards that nobody may touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// What steps and expressions call it.
    pub name: String,
    /// What it holds.
    pub layout: Layout,
    /// How many elements.
    pub length: Expression,
    /// What it holds at first.
    pub fill: Fill,
    /// What it is made of.
    pub kind: BufferKind,
    /// The program whose context it belongs to.
    pub program: String,
}

/// What a buffer holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Random bytes that mean nothing: every element is to be overwritten.
    Poison,
    /// Random values.
    Random,
    /// For every element the value of an expression.
    Values(Expression),
    /// These, for every field of every element.
    Listed(Vec<i128>),
}

/// What memory is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// A buffer object.
    Buffer,
    /// Shared virtual memory.
    Shared,
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
        /// The buffer.
        buffer: String,
        /// The contents.
        fill: Fill,
    },
    /// Ask something of a kernel or a program.
    Ask(Ask),
    /// Hold a condition against what was answered.
    Require(Expression),
    /// Try to set an argument in a way that must be rejected.
    Reject(Reject),
}

/// A further program of the case's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildStep {
    /// What later steps call it.
    pub program: String,
    /// The macros each of its modules is compiled with; several modules are linked.
    pub modules: Vec<Vec<String>>,
    /// Where it lives.
    pub place: plan::Place,
}

/// A run of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The program it is taken from.
    pub program: String,
    /// Its name.
    pub kernel: String,
    /// Which of the program's devices runs it; 0 where there is one.
    pub device: usize,
    /// What it is given.
    pub arguments: Vec<Argument>,
    /// How large its groups are.
    pub group: GroupSize,
}

/// How large the groups of a launch are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupSize {
    /// As the round's shape says.
    #[default]
    Shape,
    /// As large as the device lets this kernel's be, in one dimension; as many as the shape has.
    Largest,
}

/// What a kernel is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A buffer.
    Buffer(String),
    /// No buffer at all.
    Null,
    /// So many bytes of local memory.
    Local(Expression),
    /// A scalar.
    Scalar(element::Scalar, Expression),
    /// An object by value: for each of its fields the value of the expression.
    Object(Layout, Expression),
    /// A sampler.
    Sampler,
    /// A queue on the device, its default one.
    Queue,
    /// So many arguments in a row, the buffers taken in turn.
    Repeated(Expression, Vec<String>),
}

/// What every element of a buffer must be.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The buffer.
    pub buffer: String,
    /// What it must be.
    pub seen: Seen,
}

/// What must be seen in a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// These values, in the elements a condition chooses; the others as they were.
    Values {
        /// The values.
        equals: Expression,
        /// The condition; all elements where there is none.
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
    /// The program it is asked of.
    pub program: String,
    /// The question.
    pub what: plan::Question,
    /// The kernel; empty where the question is about the program.
    pub kernel: String,
    /// Which argument of the kernel.
    pub argument: u32,
    /// What has been done with the kernel object before.
    pub after: After,
    /// The answers that are right; none where it is not judged here.
    pub is: Vec<String>,
    /// What conditions call the answer, and what it is recorded as.
    pub name: Option<String>,
}

/// What is done with a kernel object before something is asked of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum After {
    /// It was made.
    #[default]
    Making,
    /// Its first arguments were set.
    Setting(Vec<Argument>),
    /// All its arguments were set, and it was launched and has ended.
    Launching(Vec<Argument>),
}

/// An argument that must be rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    /// The kernel.
    pub kernel: String,
    /// Which argument.
    pub argument: u32,
    /// What it is given.
    pub value: plan::WrongValue,
    /// The errors the text names for it.
    pub status: Vec<String>,
}

impl Probe {
    /// The same for a case whose names begin with another prefix.
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
    /// How many work-items there are.
    pub fn item_count(&self) -> usize {
        self.items.iter().product()
    }

    /// How many groups there are.
    pub fn group_count(&self) -> usize {
        self.items.iter().zip(&self.group).map(|(items, size)| items.div_ceil(*size)).product()
    }

    /// How many work-items a full group has.
    pub fn group_size(&self) -> usize {
        self.group.iter().product()
    }

    /// Group and place in it of a work-item, all as linear ids ([work-item functions]): the first dimension runs
    /// fastest.
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

    /// The work-item at a place of a group: the inverse of [`Self::place_of`].
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
