//! Steps of a kernel: what all work-items of a group do together.

use std::rc::Rc;

use expectations::space::AddressSpace;

use super::{
    Builder, Purpose,
    objects::own_from,
    place_of,
    places::{Base, Root, Search},
};
use crate::random::{
    settings::Feature,
    tree::{
        Binary, Expression, Fence, Initializer, Node, Place, PlaceNode, Statement, Step,
        VariableId, WorkItem,
    },
    types::{Pointer, Type, UINT},
};

impl Builder<'_> {
    /// Returns the steps of a kernel; at the end of a program that runs the host is shown everything.
    pub(super) fn kernel_steps(&mut self, parameters: &[VariableId], is_last: bool) -> Vec<Step> {
        let mut steps: Vec<Step> = self.local_flag().into_iter().collect();
        if self.purpose == Purpose::Answer {
            self.fill_given_local_memory(&mut steps);
        }
        let mut turns = self.turns(1, self.limits.steps - 1);
        while self.takes_turn(&mut turns) {
            self.step_faults(&mut steps);
            self.step(parameters, &mut steps);
            self.choices.close();
        }
        self.step_faults(&mut steps);
        if is_last {
            steps.extend(self.last_statement_fault().map(Step::Each));
        }
        steps.extend(self.last_return());
        if self.purpose == Purpose::Answer {
            self.show_all(&mut steps);
        }
        steps
    }

    /// Writes the local memory that the host makes, which has no values at first.
    fn fill_given_local_memory(&mut self, steps: &mut Vec<Step>) {
        let given = self.roots.clone();
        for root in given.iter().filter(|root| root.space == AddressSpace::Local) {
            self.roots.retain(|known| known.space != AddressSpace::Local);
            steps.extend(self.first_values(root));
        }
        self.roots = given;
    }

    fn step_faults(&mut self, steps: &mut Vec<Step>) {
        let mut statements = Vec::new();
        self.statement_faults(&mut statements);
        steps.extend(statements.into_iter().map(Step::Each));
    }

    fn step(&mut self, parameters: &[VariableId], steps: &mut Vec<Step>) {
        let (known, pending) = (self.roots.len(), self.pending);
        if let Some(made) = self.exit_step() {
            return steps.extend(made);
        }
        if let Some(made) = self.sweeps() {
            return steps.extend(made);
        }
        self.roots.truncate(known);
        if let Some(made) = self.flow_step(parameters) {
            return steps.extend(made);
        }
        self.roots.truncate(known);
        self.pending = pending;
        let made = match self.choices.below(if self.uses_atomic_types { 14 } else { 12 }) {
            2 | 3 => self.local_variable(),
            4 | 5 => self.exchange(),
            6 if self.has(Feature::Loops) => Some(vec![self.repeat(parameters)]),
            7 => self.counter(parameters),
            8 if self.has(Feature::Builtins) => self.async_copy(),
            9 | 10 => self.call_with_all(),
            11 => Some(vec![self.static_variable()]),
            12 | 13 => self.atomic_steps(),
            _ => None,
        };
        match made {
            Some(made) => steps.extend(made),
            None => {
                // What was half made is not there.
                self.roots.truncate(known);
                self.pending = pending;
                let mut statements = Vec::new();
                self.statement(self.limits.nesting, &mut statements);
                steps.extend(statements.into_iter().map(Step::Each));
            }
        }
    }

    /// Returns steps in which each work-item writes its own elements.
    fn first_values(&mut self, root: &Root) -> Vec<Step> {
        let mut steps = Vec::new();
        for index in 0..root.run {
            let place = super::statements::element_at(root, index);
            steps.extend(self.fill(&place, root.keeps).unwrap_or_default());
        }
        steps.into_iter().map(Step::Each).collect()
    }

    /// Returns a local variable in which each work-item has a part.
    fn local_variable(&mut self) -> Option<Vec<Step>> {
        let element = self.element_type();
        let element = match self.choices.below(if self.uses_atomic_types { 4 } else { 3 }) {
            2 => self.pointer_type(element, 1),
            3 => self.atomic_type(),
            _ => element,
        };
        let own = self.choices.pick(&[1, 2, 4]);
        self.new_local(element, own)
    }

    pub(super) fn new_local(&mut self, element: super::Ty, own: u16) -> Option<Vec<Step>> {
        let length = own * self.program.group as u16;
        let ty = self.program.types.intern(Type::Array(element, length));
        let variable = self.variable(ty, AddressSpace::Local, None);
        let known = self.roots.len();
        self.add_own_part(place_of(variable, ty), element, WorkItem::LocalId, own);
        let root = self.roots.pop()?;
        // There may be nothing that its pointers could point to.
        let mut values = Vec::new();
        let count = if self.purpose == Purpose::Answer { own } else { 0 };
        for index in 0..count {
            let place = super::statements::element_at(&root, index);
            values.extend(self.fill(&place, root.keeps)?);
        }
        debug_assert_eq!(known, self.roots.len());
        self.roots.push(root);
        let values = values.into_iter().map(Step::Each);
        Some([Step::Local(variable)].into_iter().chain(values).collect())
    }

    /// Returns steps that read, between barriers, what another work-item of the group has written.
    pub(super) fn exchange(&mut self) -> Option<Vec<Step>> {
        let shared: Vec<Root> = self
            .roots
            .iter()
            .filter(|root| {
                let is_atomic = self.program.types.as_atomic(root.element).is_some();
                own_number(root).is_some()
                    && (is_atomic || self.holds(root.element, Search::Type(UINT)))
            })
            .cloned()
            .collect();
        if shared.is_empty() {
            return None;
        }
        let number = self.choices.below(shared.len() as u32) as usize;
        let root = &shared[number];
        let ahead = 1 + self.choices.below(self.program.group);
        let by = own_number(root)?;
        let base = with_first(&root.base, self.neighbour(by, root.run, ahead));
        let base = Rc::new(base);
        let other = Root { base, ..root.clone() };
        // What pointers in it point to may be the other's own.
        let value = Initializer::Value(self.seen_of(&other));
        let variable = self.variable(UINT, AddressSpace::Private, Some(value));
        let fence = match root.space {
            AddressSpace::Local => self.choices.pick(&[Fence::Local, Fence::Both]),
            AddressSpace::Generic => Fence::Both,
            _ => self.choices.pick(&[Fence::Global, Fence::Both]),
        };
        self.add_variable_roots(variable);
        let declared = Step::Each(Statement::Declare(variable));
        Some(vec![Step::Barrier(fence), declared, Step::Barrier(fence)])
    }

    /// Returns the first element of the work-item that many places ahead in the group, with wrap-around.
    fn neighbour(&self, by: WorkItem, own: u16, ahead: u32) -> Expression {
        let number = |value: u32| Expression::literal(UINT, value.into());
        let binary = |operator, left: Expression, right: Expression| {
            Expression::new(UINT, Node::Binary(operator, Box::new(left), Box::new(right)))
        };
        let local = Expression::new(UINT, Node::WorkItem(WorkItem::LocalId));
        let ahead = binary(Binary::Add, local, number(ahead));
        let mut item = binary(Binary::Remainder, ahead, number(self.program.group));
        if by == WorkItem::GlobalId {
            let group = own_from(WorkItem::GroupId, self.program.group as u16);
            item = binary(Binary::Add, group, item);
        }
        if own == 1 { item } else { binary(Binary::Multiply, item, number(own.into())) }
    }

    /// Steps again and again.
    fn repeat(&mut self, parameters: &[VariableId]) -> Step {
        let times = 1 + self.choices.below(3);
        let counter = self.variable(UINT, AddressSpace::Private, None);
        self.counters.push((counter, times));
        let known = self.roots.len();
        self.depth += 1;
        let mut body = Vec::new();
        let mut turns = self.turns(1, 1);
        while self.takes_turn(&mut turns) {
            let made = match self.choices.below(3) {
                0 => self.exchange(),
                1 => self.counter(parameters),
                _ => None,
            };
            match made {
                Some(made) => body.extend(made),
                None => {
                    let mut statements = Vec::new();
                    self.statement(1, &mut statements);
                    body.extend(statements.into_iter().map(Step::Each));
                }
            }
            self.choices.close();
        }
        self.depth -= 1;
        self.roots.truncate(known);
        self.counters.pop();
        Step::Repeat(counter, times, body)
    }

    /// Returns the group's part of what is read by all, copied to a new local variable.
    pub(super) fn async_copy(&mut self) -> Option<Vec<Step>> {
        let own = super::OWN;
        let from = self.roots.iter().find(|root| {
            root.space == AddressSpace::Global && !root.is_writable && root.element == UINT
        });
        let Base::Pointer(from, None) = &*from?.base else { return None };
        let from = from.clone();
        let length = own * self.program.group as u16;
        let ty = self.program.types.intern(Type::Array(UINT, length));
        let variable = self.variable(ty, AddressSpace::Local, None);
        let place = place_of(variable, ty);
        self.add_own_part(place.clone(), UINT, WorkItem::LocalId, own);
        let first = own_from(WorkItem::GroupId, length);
        let from = Expression::new(from.ty, Node::Offset(Box::new(from), Box::new(first)));
        let (space, is_const) = (AddressSpace::Local, false);
        let to = Type::Pointer(Pointer { to: UINT, space, is_const, is_volatile: false, run: 1 });
        let to = self.program.types.intern(to);
        let zero = Box::new(Expression::literal(UINT, 0));
        let node = PlaceNode::Element(Box::new(place), zero);
        let to = Expression::new(to, Node::Address(Place { ty: UINT, node }));
        Some(vec![
            Step::Local(variable),
            Step::Copy { to, from, count: length.into() },
            Step::Barrier(Fence::Local),
        ])
    }

    /// Returns a call, with what its parameters need made in front of it.
    pub(super) fn call_with_all(&mut self) -> Option<Vec<Step>> {
        let helpers = self.plain_helpers();
        if helpers == 0 {
            return None;
        }
        let mut steps = Vec::new();
        let helper = self.choices.below(helpers) as usize;
        for parameter in self.program.helpers[helper].parameters.clone() {
            let ty = self.program.variables[usize::from(parameter.0)].ty;
            let needed = self.program.types.as_pointer(ty);
            let element = needed.map_or(ty, |pointer| pointer.to);
            let run = needed.map_or(1, |pointer| pointer.run);
            match needed.map(|pointer| pointer.space) {
                Some(AddressSpace::Local) => steps.extend(self.new_local(element, run)?),
                Some(AddressSpace::Global | AddressSpace::Constant) => {}
                Some(AddressSpace::Generic) if self.program.types.as_atomic(element).is_some() => {
                    steps.extend(self.new_local(element, run)?);
                }
                _ if matches!(self.program.types.get(ty), Type::Scalar(_) | Type::Opaque(_)) => {}
                _ => {
                    let array = self.program.types.intern(Type::Array(element, run.max(2)));
                    let variable = self.declared(array)?;
                    self.add_variable_roots(variable);
                    steps.push(Step::Each(Statement::Declare(variable)));
                }
            }
        }
        steps.extend(self.call()?.into_iter().map(Step::Each));
        Some(steps)
    }

    /// Adds the numbers that the host does not see to one that it sees.
    fn show_all(&mut self, steps: &mut Vec<Step>) {
        let is_seen = |root: &Root| {
            root.space == AddressSpace::Global && matches!(*root.base, Base::Pointer(_, Some(_)))
        };
        let sum = self.roots.iter().find(|root| is_seen(root) && root.element == UINT).cloned();
        let Some(sum) = sum else { return };
        for (number, root) in self.roots.clone().into_iter().enumerate() {
            // What is reached through another variable is shown there.
            let is_of_its_own = !matches!(*root.base, Base::Pointer(_, None)) && !is_seen(&root);
            if is_of_its_own && root.is_writable {
                let sum = super::statements::element_at(&sum, number as u16 % sum.run);
                steps.extend(self.show(&root, &sum).into_iter().map(Step::Each));
            }
        }
    }
}

/// Returns the same elements, counted from another.
fn with_first(base: &Base, first: Expression) -> Base {
    match base {
        Base::Place(place) => Base::Place(place.clone()),
        Base::Array(array, _) => Base::Array(array.clone(), Some(first)),
        Base::Pointer(pointer, _) => Base::Pointer(pointer.clone(), Some(first)),
    }
}

/// Returns the number by which each work-item finds its own part of shared memory.
fn own_number(root: &Root) -> Option<WorkItem> {
    let (Base::Array(_, Some(first)) | Base::Pointer(_, Some(first))) = &*root.base else {
        return None;
    };
    let number = match &first.node {
        Node::Binary(_, number, _) => &number.node,
        node => node,
    };
    match number {
        Node::WorkItem(by @ (WorkItem::LocalId | WorkItem::GlobalId)) => Some(*by),
        _ => None,
    }
}
