//! Constructs of programs, which distinguish one wrong value from another when a program has been reduced.

use std::collections::BTreeSet;

use expectations::wrong_values::Constructs;

use super::{
    print::{atomic_name, collective_name, comparison_text, function_name, operator_text},
    reach::{done_with_pointers, has_barrier},
    tree::{
        AtomicCall, Call, Expression, Leave, Loop, LoopForm, Node, Place, PlaceNode, Program,
        Statement, Step, VariableId, WorkItem,
    },
    types::{Scalar, Type},
    used::UsedParts,
    visit::{Visitor, of_helper, of_initializer, of_statements, of_steps, of_value},
};

/// A loop that some work-items leave before others, with a barrier in it that they meet at while all are in the loop.
const BARRIER_IN_UNEQUAL_LOOP: &str = "barrier in an unequal loop";

/// A loop that computes an element of an array from another one, which may be that of an earlier iteration.
const LOOP_CARRIED_ELEMENTS: &str = "loop-carried elements";

/// An assignment of one structure or union parameter of a kernel to another.
const PARAMETER_ASSIGNED_TO_ANOTHER: &str = "parameter assigned to another";

/// Returns the parts that the launches of a program use.
pub(super) fn of(program: &Program) -> Constructs {
    let mut parts = BTreeSet::new();
    let spaces = found(program, &mut |part| {
        if !parts.contains(part) {
            parts.insert(part.to_owned());
        }
    });
    Constructs { parts, spaces: spaces.into_iter().map(str::to_owned).collect() }
}

/// Counts the uses of a construct in the launches of a program.
pub(super) fn uses(program: &Program, part: &str) -> usize {
    let mut uses = 0;
    found(program, &mut |found| uses += usize::from(found == part));
    uses
}

/// Calls `tell` for every use of a construct, and returns the spaces.
fn found(program: &Program, tell: &mut dyn FnMut(&str)) -> BTreeSet<&'static str> {
    let used = UsedParts::of(program);
    let mut rest = program.clone();
    let mut found = Finder { program, tell, spaces: BTreeSet::new() };
    for &kernel in &used.kernels {
        of_steps(&mut rest.kernels[kernel].steps, &mut found);
    }
    for &helper in &used.helpers {
        of_helper(&mut rest.helpers[helper], &mut found);
    }
    for variable in &used.variables {
        if let Some(initializer) = &mut rest.variables[usize::from(variable.0)].initializer {
            of_initializer(initializer, &mut found);
        }
    }
    if used.kernels.len() > 1 {
        found.part("kernels");
    }
    found.spaces
}

/// A search for the parts of a program that may use a construct: one that does not use it, directly or by a name, may
/// stay.
pub(super) struct Within<'p> {
    program: &'p Program,
    construct: &'p str,
    /// A helper uses it.
    is_in_helpers: bool,
    /// Variables whose initializers do.
    variables: BTreeSet<VariableId>,
}

impl<'p> Within<'p> {
    pub(super) fn new(program: &'p Program, construct: &'p str) -> Self {
        let mut within =
            Self { program, construct, is_in_helpers: false, variables: BTreeSet::new() };
        let mut rest = program.clone();
        within.is_in_helpers = within.is_in(|visitor| {
            for helper in &mut rest.helpers {
                of_helper(helper, visitor);
            }
        });
        // One may name another.
        loop {
            let known = within.variables.len();
            for (variable, number) in rest.variables.iter_mut().zip(0..) {
                if let Some(initializer) = &mut variable.initializer
                    && within.is_in(|visitor| of_initializer(initializer, visitor))
                {
                    within.variables.insert(VariableId(number));
                }
            }
            if within.variables.len() == known {
                break within;
            }
        }
    }

    /// Whether these steps do.
    pub(super) fn steps(&self, steps: &[Step]) -> bool {
        let mut steps = steps.to_vec();
        self.is_in(|visitor| of_steps(&mut steps, visitor))
    }

    /// Whether this statement does.
    pub(super) fn statement(&self, statement: &Statement) -> bool {
        let mut statements = vec![statement.clone()];
        self.is_in(|visitor| of_statements(&mut statements, visitor))
    }

    /// Whether this value does.
    pub(super) fn value(&self, value: &Expression) -> bool {
        let mut value = value.clone();
        self.is_in(|visitor| of_value(&mut value, visitor))
    }

    fn is_in(&self, visit: impl FnOnce(&mut dyn Visitor)) -> bool {
        let mut is_found = false;
        let mut tell = |part: &str| is_found |= part == self.construct;
        let finder = Finder { program: self.program, tell: &mut tell, spaces: BTreeSet::new() };
        let mut user = User { finder, calls: false, names: BTreeSet::new() };
        visit(&mut user);
        let User { calls, names, .. } = user;
        is_found || (calls && self.is_in_helpers) || !names.is_disjoint(&self.variables)
    }
}

/// Whether a number is written with the ids of work-items, so that it may differ within a group.
fn names_ids(number: &Expression) -> bool {
    struct Ids {
        are_named: bool,
    }
    impl Visitor for Ids {
        fn value(&mut self, value: &mut Expression) {
            self.are_named |=
                matches!(value.node, Node::WorkItem(WorkItem::LocalId | WorkItem::GlobalId));
        }
    }
    let mut ids = Ids { are_named: false };
    of_value(&mut number.clone(), &mut ids);
    ids.are_named
}

/// Whether a step assigns to an element of an array what another element of it holds, directly or under a condition.
fn computes_element_from_another(step: &Step) -> bool {
    struct Others<'p> {
        array: &'p Place,
        index: String,
        are_read: bool,
    }
    impl Visitor for Others<'_> {
        fn place(&mut self, place: &mut Place) {
            if let PlaceNode::Element(array, index) = &place.node {
                let is_of_array = format!("{array:?}") == format!("{:?}", self.array);
                self.are_read |= is_of_array && format!("{index:?}") != self.index;
            }
        }
    }
    match step {
        Step::Each(Statement::Assign(Place { node, .. }, value)) => {
            let PlaceNode::Element(array, index) = node else { return false };
            let mut others = Others { array, index: format!("{index:?}"), are_read: false };
            of_value(&mut value.clone(), &mut others);
            others.are_read
        }
        Step::If(_, then, otherwise) => {
            then.iter().chain(otherwise).any(computes_element_from_another)
        }
        _ => false,
    }
}

/// Finds constructs, and which of their parts may be elsewhere.
struct User<'p, 't> {
    finder: Finder<'p, 't>,
    /// A helper is called.
    calls: bool,
    /// Variables that are named or declared.
    names: BTreeSet<VariableId>,
}

impl Visitor for User<'_, '_> {
    fn value(&mut self, value: &mut Expression) {
        self.finder.value(value);
    }

    fn place(&mut self, place: &mut Place) {
        if let PlaceNode::Variable(variable) = place.node {
            self.names.insert(variable);
        }
        self.finder.place(place);
    }

    fn call(&mut self, call: &mut Call) {
        self.calls = true;
        self.finder.call(call);
    }

    fn atomic(&mut self, call: &mut AtomicCall) {
        self.finder.atomic(call);
    }

    fn statements(&mut self, statements: &mut Vec<Statement>) {
        let declared = statements.iter().filter_map(|statement| match statement {
            Statement::Declare(variable) => Some(*variable),
            _ => None,
        });
        self.names.extend(declared);
        self.finder.statements(statements);
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        let declared = steps.iter().filter_map(|step| match step {
            Step::Local(variable) | Step::Static(variable) => Some(*variable),
            _ => None,
        });
        self.names.extend(declared);
        self.finder.steps(steps);
    }
}

/// Finds them.
struct Finder<'p, 't> {
    program: &'p Program,
    /// Receives each.
    tell: &'t mut dyn FnMut(&str),
    spaces: BTreeSet<&'static str>,
}

impl Finder<'_, '_> {
    fn part(&mut self, name: &str) {
        (self.tell)(name);
    }

    fn variable_is_number(&self, variable: VariableId) -> bool {
        let ty = self.program.variables[usize::from(variable.0)].ty;
        !matches!(self.program.types.get(ty), Type::Pointer(_))
    }

    /// Whether a place is a parameter of a kernel, and a structure or union.
    fn is_object_parameter(&self, place: &Place) -> bool {
        let PlaceNode::Variable(variable) = place.node else { return false };
        matches!(self.program.types.get(place.ty), Type::Record(_))
            && self.program.kernels.iter().any(|kernel| kernel.parameters.contains(&variable))
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign(to, Expression { node: Node::Read(from), .. })
                if self.is_object_parameter(to) && self.is_object_parameter(from) =>
            {
                self.part(PARAMETER_ASSIGNED_TO_ANOTHER);
            }
            // Things that every program does, or that add nothing to its value.
            Statement::Declare(_)
            | Statement::DeclareCall(..)
            | Statement::Atomic(_)
            | Statement::DeclareAtomic(..)
            | Statement::Assign(..)
            | Statement::Return(_)
            | Statement::Form(_)
            | Statement::Text(_)
            | Statement::Fork(_) => {}
            Statement::Update(operator, ..) => self.part(operator_text(*operator)),
            Statement::CopyBytes(..) => self.part("copies of bytes"),
            Statement::StoreVector(..) => self.part("`vstore`"),
            Statement::Once(_) => self.part("do"),
            Statement::If(..) => self.part("if"),
            Statement::For(..) => self.part("for"),
            Statement::Switch(..) => self.part("switch"),
            Statement::Leave(_, Leave::Break) => self.part("break"),
            Statement::Leave(_, Leave::Continue) => self.part("continue"),
        }
    }
}

impl Visitor for Finder<'_, '_> {
    fn value(&mut self, value: &mut Expression) {
        let is_pointer = |ty| self.program.types.as_pointer(ty).is_some();
        if let Some((what, ty)) = done_with_pointers(value)
            && is_pointer(ty)
        {
            return self.part(what);
        }
        let is_float = self.program.types.number_in(value.ty).is_some_and(Scalar::is_float);
        if is_float {
            self.part("float");
        }
        match &value.node {
            Node::Complement(_) => self.part("~"),
            Node::Binary(operator, ..) => self.part(operator_text(*operator)),
            Node::Compare(operator, ..) => self.part(comparison_text(*operator)),
            Node::Conditional(..) => self.part("?:"),
            Node::Function(function, _) => self.part(function_name(*function, is_float)),
            Node::Convert(_) => self.part("conversions"),
            Node::Reinterpret(_) => self.part("as_type"),
            Node::Vector(_) => self.part("vectors"),
            _ => {}
        }
    }

    fn place(&mut self, place: &mut Place) {
        let space = match &place.node {
            PlaceNode::Variable(variable) if self.variable_is_number(*variable) => {
                Some(self.program.variables[usize::from(variable.0)].space)
            }
            PlaceNode::Target(pointer, _) => {
                self.program.types.as_pointer(pointer.ty).map(|pointer| pointer.space)
            }
            PlaceNode::Member(..) => {
                self.part("structures and unions");
                None
            }
            PlaceNode::Component(..) => {
                self.part("vectors");
                None
            }
            PlaceNode::Variable(_) | PlaceNode::Element(..) => None,
        };
        self.spaces.extend(space.map(|space| space.facts().name));
    }

    fn call(&mut self, _: &mut Call) {
        self.part("calls");
    }

    fn atomic(&mut self, call: &mut AtomicCall) {
        self.part(atomic_name(&call.operation, call.manner.form));
    }

    fn statements(&mut self, statements: &mut Vec<Statement>) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        for step in steps {
            match step {
                Step::Each(statement) => self.statement(statement),
                // A call is visited itself.
                Step::Local(_) | Step::Call(..) => {}
                Step::Static(_) => self.part("static variables"),
                Step::Barrier(_) => self.part("barrier"),
                Step::Repeat(..) => self.part("for"),
                Step::Copy { .. } => self.part("async_work_group_copy"),
                Step::If(..) => self.part("if"),
                Step::Switch(..) => self.part("switch"),
                Step::Skip(..) => self.part("goto"),
                Step::Loop(Loop { form, bound, body, .. }) => {
                    if names_ids(bound) && has_barrier(body) {
                        self.part(BARRIER_IN_UNEQUAL_LOOP);
                    }
                    if body.iter().any(computes_element_from_another) {
                        self.part(LOOP_CARRIED_ELEMENTS);
                    }
                    self.part(match form {
                        LoopForm::For => "for",
                        LoopForm::While => "while",
                        LoopForm::Do => "do",
                    });
                }
                Step::Leave(_, Leave::Break) => self.part("break"),
                Step::Leave(_, Leave::Continue) => self.part("continue"),
                Step::Return(..) => self.part("return"),
                Step::Collective(_, function, _) => self.part(collective_name(*function)),
            }
        }
    }
}
