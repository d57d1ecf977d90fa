//! What a program is made of, as it tells one wrong value from another when the program has been reduced.

use std::collections::{BTreeMap, BTreeSet};

use expectations::wrong_values::Constructs;

use super::{
    print::{atomic_name, comparison_text, function_name, operator_text},
    reach::done_with_pointers,
    tree::{
        AtomicCall, Call, Expression, Leave, Node, Place, PlaceNode, Program, Statement, Step,
        VariableId,
    },
    types::{Scalar, Type},
    used::Used,
    visit::{Visitor, of_initializer, of_statements, of_steps},
};

/// What the launches of a program use.
pub(super) fn of(program: &Program) -> Constructs {
    let Finder { parts, spaces, .. } = found(program);
    Constructs { parts: parts.into_keys().collect(), spaces }
}

/// How often the launches of a program use a construct.
pub(super) fn uses(program: &Program, part: &str) -> usize {
    found(program).parts.get(part).copied().unwrap_or_default()
}

fn found(program: &Program) -> Finder<'_> {
    let used = Used::of(program);
    let mut rest = program.clone();
    let mut found = Finder { program, parts: BTreeMap::new(), spaces: BTreeSet::new() };
    for &kernel in &used.kernels {
        of_steps(&mut rest.kernels[kernel].steps, &mut found);
    }
    for &helper in &used.helpers {
        of_statements(&mut rest.helpers[helper].body, &mut found);
    }
    for variable in &used.variables {
        if let Some(initializer) = &mut rest.variables[usize::from(variable.0)].initializer {
            of_initializer(initializer, &mut found);
        }
    }
    if used.kernels.len() > 1 {
        found.part("kernels");
    }
    found
}

/// Finds them.
struct Finder<'p> {
    program: &'p Program,
    /// Each with how often it is used.
    parts: BTreeMap<String, usize>,
    spaces: BTreeSet<String>,
}

impl Finder<'_> {
    fn part(&mut self, name: &str) {
        *self.parts.entry(name.to_owned()).or_default() += 1;
    }

    fn variable_is_number(&self, variable: VariableId) -> bool {
        let ty = self.program.variables[usize::from(variable.0)].ty;
        !matches!(self.program.types.get(ty), Type::Pointer(_))
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            // What every program does, or tells nothing beside its value.
            Statement::Declare(_)
            | Statement::DeclareCall(..)
            | Statement::Atomic(_)
            | Statement::DeclareAtomic(..)
            | Statement::Assign(..)
            | Statement::Return(_) => {}
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

impl Visitor for Finder<'_> {
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
        self.spaces.extend(space.map(|space| space.facts().name.to_owned()));
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
                Step::Local(_) => {}
                Step::Static(_) => self.part("static variables"),
                Step::Barrier(_) => self.part("barrier"),
                Step::Repeat(..) => self.part("for"),
                Step::Copy { .. } => self.part("async_work_group_copy"),
            }
        }
    }
}
