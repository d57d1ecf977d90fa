//! Loops, switches, labels and jumps of the bodies that are open.

use std::collections::BTreeMap;

use crate::{span::Span, symbol::Symbol, types::Scalar};

/// The values of a `case` label, from the key on: the last one, and the place.
#[derive(Debug)]
pub(crate) struct CaseLabel {
    pub(crate) last: i64,
    pub(crate) span: Span,
}

/// A `switch` whose labels are read.
#[derive(Debug, Default)]
pub(crate) struct Switch {
    /// Type that the values of its labels are converted to; `None` if it is unknown.
    pub(crate) promoted: Option<Scalar>,
    /// Labels by their first value.
    pub(crate) cases: BTreeMap<i64, CaseLabel>,
    pub(crate) default: Option<Span>,
}

/// A statement that a jump can leave or restart.
#[derive(Debug)]
pub(crate) enum Target {
    Loop,
    Switch(Switch),
}

/// A label of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub(crate) name: Symbol,
    pub(crate) span: Span,
}

/// The jumps and labels of the bodies that are open: those of a block literal lie above those of the body around it.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    pub(crate) targets: Vec<Target>,
    pub(crate) labels: Vec<Label>,
    /// The names after `goto`.
    pub(crate) gotos: Vec<Label>,
    pub(crate) base: FlowMark,
}

/// The number of targets, labels and jumps at one point of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowMark {
    pub(crate) targets: usize,
    pub(crate) labels: usize,
    pub(crate) gotos: usize,
}

/// A body, and a position in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowPosition {
    base: FlowMark,
    here: FlowMark,
}

impl Flow {
    pub(crate) fn clear(&mut self) {
        self.targets.clear();
        self.labels.clear();
        self.gotos.clear();
        self.base = FlowMark::default();
    }

    /// Returns the body that is open, and the position in it.
    pub(crate) fn position(&self) -> FlowPosition {
        FlowPosition { base: self.base, here: self.mark() }
    }

    /// Forgets the statements, labels and bodies since `position`.
    pub(crate) fn return_to(&mut self, position: FlowPosition) {
        self.base = position.base;
        self.truncate(position.here);
    }

    pub(crate) fn mark(&self) -> FlowMark {
        let (targets, labels) = (self.targets.len(), self.labels.len());
        FlowMark { targets, labels, gotos: self.gotos.len() }
    }

    pub(crate) fn truncate(&mut self, mark: FlowMark) {
        self.targets.truncate(mark.targets);
        self.labels.truncate(mark.labels);
        self.gotos.truncate(mark.gotos);
    }

    /// Returns the statements of the innermost body, the last opened one last.
    pub(crate) fn own_targets(&mut self) -> &mut [Target] {
        let base = self.base.targets.min(self.targets.len());
        &mut self.targets[base..]
    }

    pub(crate) fn innermost_switch(&mut self) -> Option<&mut Switch> {
        self.own_targets().iter_mut().rev().find_map(|target| match target {
            Target::Switch(switch) => Some(switch),
            Target::Loop => None,
        })
    }
}
