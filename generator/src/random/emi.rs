//! Programs that are equivalent modulo inputs: written in another way, with branches that are dead for their inputs.
//! They compute the same.

use super::{
    tree::{
        Argument, Compare, Expression, Loop, LoopForm, Node, Place, PlaceNode, Program, Statement,
        Step,
    },
    tree::{Variable, VariableId, WorkItem},
    types::{INT, Scalar, UINT},
    visit::{Visitor, of_helper, of_steps},
};
use crate::random::choices::Choices;

/// Changes of one program.
const CHANGES: u32 = 12;

impl Program {
    /// Returns the program written in another way.
    pub(super) fn varied(&self, choices: &mut Choices) -> Self {
        let mut program = self.clone();
        program.spelling.underscored = if choices.below(2) == 1 { u8::MAX } else { 0 };
        program.spelling.private_pointees = choices.below(2) == 1;
        for helper in &mut program.helpers {
            helper.is_noinline ^= choices.below(2) == 1;
        }
        let changes_groups = program.has_control_flow();
        program.arguments.push(Argument::Scalar(Scalar::Uint, 0));
        let (mut kernels, mut helpers) =
            (std::mem::take(&mut program.kernels), std::mem::take(&mut program.helpers));
        for kernel in &mut kernels {
            let guard = program.new_variable();
            kernel.parameters.push(guard);
            let guard = Expression::new(UINT, Node::Read(place_of(guard)));
            let left = CHANGES;
            let mut change = Change { program: &mut program, choices, guard, left, changes_groups };
            of_steps(&mut kernel.steps, &mut change);
        }
        for helper in &mut helpers {
            // No group is empty, but who compiles it has to know that.
            let size = Expression::new(UINT, Node::WorkItem(WorkItem::LocalSize));
            let is_empty = Node::Compare(Compare::Equal, Box::new(size), Box::new(zero()));
            let guard = Expression::new(INT, is_empty);
            let left = CHANGES;
            let mut change = Change { program: &mut program, choices, guard, left, changes_groups };
            of_helper(helper, &mut change);
        }
        (program.kernels, program.helpers) = (kernels, helpers);
        program
    }

    /// Whether its steps are inside others, apart from those of counted loops.
    fn has_control_flow(&self) -> bool {
        let is_flow = |step: &Step| {
            matches!(step, Step::If(..) | Step::Switch(..) | Step::Skip(..) | Step::Loop(_))
        };
        let helpers = self.helpers.iter().any(|helper| !helper.steps.is_empty());
        helpers || self.kernels.iter().any(|kernel| kernel.steps.iter().any(is_flow))
    }

    /// Returns a private `uint`.
    fn new_variable(&mut self) -> VariableId {
        self.add_variable(Variable::private(UINT))
    }
}

fn zero() -> Expression {
    Expression::literal(UINT, 0)
}

fn place_of(variable: VariableId) -> Place {
    Place { ty: UINT, node: PlaceNode::Variable(variable) }
}

/// Changes statements, some of them.
struct Change<'p, 'c> {
    program: &'p mut Program,
    choices: &'c mut Choices,
    /// A value that is zero whenever the program is run.
    guard: Expression,
    left: u32,
    /// Whether steps of whole groups are changed too.
    changes_groups: bool,
}

impl Change<'_, '_> {
    /// Whether this statement is changed.
    fn chooses(&mut self, statement: &Statement) -> bool {
        if self.left == 0 || !stands_alone(statement) || self.choices.below(3) > 0 {
            return false;
        }
        self.left -= 1;
        true
    }

    /// Returns the same statement, executed once.
    fn once(&mut self, statement: Statement) -> Statement {
        match self.choices.below(4) {
            0 => Statement::Once(vec![statement]),
            1 => Statement::For(self.program.new_variable(), 1, vec![statement]),
            2 => Statement::If(self.dead(), vec![statement.clone()], vec![statement]),
            _ => statement,
        }
    }

    /// Whether this step, which a group takes together, is changed.
    fn chooses_step(&mut self, step: &Step) -> bool {
        let stands_alone = match step {
            Step::Barrier(_)
            | Step::If(..)
            | Step::Switch(..)
            | Step::Skip(..)
            | Step::Loop(_)
            | Step::Repeat(..) => true,
            Step::Each(_)
            | Step::Local(_)
            | Step::Static(_)
            | Step::Copy { .. }
            | Step::Leave(..)
            | Step::Return(..)
            | Step::Call(..)
            | Step::Collective(..) => false,
        };
        let is_changed = self.changes_groups && stands_alone && self.left > 0;
        if !is_changed || self.choices.below(3) > 0 {
            return false;
        }
        self.left -= 1;
        true
    }

    /// Returns the same step of a group, taken once, with other steps that are not taken.
    fn step_once(&mut self, step: Step) -> Vec<Step> {
        match self.choices.below(4) {
            0 => vec![Step::If(self.dead(), vec![step.clone()], Vec::new()), step],
            1 => vec![Step::If(self.dead(), vec![step.clone()], vec![step])],
            2 if !leaves_loop(&step) => {
                let counter = self.program.new_variable();
                let bound = Expression::literal(UINT, 1);
                let form = self.choices.pick(&[LoopForm::For, LoopForm::While, LoopForm::Do]);
                vec![Step::Loop(Loop { form, counter, bound, body: vec![step] })]
            }
            _ => vec![Step::Skip(self.dead(), vec![step])],
        }
    }

    fn dead(&mut self) -> Expression {
        if self.guard.ty == INT {
            return self.guard.clone();
        }
        let (left, right) = match self.choices.below(2) {
            0 => (self.guard.clone(), Expression::literal(UINT, 0)),
            _ => {
                let value = i128::from(self.choices.below(1000));
                (self.guard.clone(), Expression::literal(UINT, value + 1))
            }
        };
        let node = if matches!(right.node, Node::Literal(0)) {
            Node::Compare(Compare::Unequal, Box::new(left), Box::new(right))
        } else {
            Node::Compare(Compare::Equal, Box::new(left), Box::new(right))
        };
        Expression::new(INT, node)
    }

    /// Returns a branch that is not taken, with statements from elsewhere.
    fn branch(&mut self, statement: &Statement) -> Statement {
        Statement::If(self.dead(), vec![statement.clone()], Vec::new())
    }
}

/// Whether a step leaves the loop around it, or its iteration.
fn leaves_loop(step: &Step) -> bool {
    let any = |steps: &Vec<Step>| steps.iter().any(leaves_loop);
    match step {
        Step::Leave(..) => true,
        Step::If(_, then, otherwise) => any(then) || any(otherwise),
        Step::Switch(_, cases) => cases.iter().any(any),
        Step::Skip(_, body) => any(body),
        _ => false,
    }
}

/// Whether it declares nothing that others use, and ends nothing around it.
fn stands_alone(statement: &Statement) -> bool {
    match statement {
        Statement::Declare(_)
        | Statement::DeclareCall(..)
        | Statement::DeclareAtomic(..)
        | Statement::Leave(..)
        | Statement::Return(_)
        | Statement::Form(_)
        | Statement::Text(_)
        | Statement::Fork(_) => false,
        Statement::Assign(..)
        | Statement::Update(..)
        | Statement::StoreVector(..)
        | Statement::CopyBytes(..)
        | Statement::Atomic(_)
        | Statement::Once(_)
        | Statement::If(..)
        | Statement::For(..)
        | Statement::Switch(..) => true,
    }
}

impl Visitor for Change<'_, '_> {
    fn statements(&mut self, statements: &mut Vec<Statement>) {
        let mut changed = Vec::with_capacity(statements.len());
        for statement in std::mem::take(statements) {
            if self.chooses(&statement) {
                if self.choices.below(2) == 0 {
                    changed.push(self.branch(&statement));
                }
                changed.push(self.once(statement));
            } else {
                changed.push(statement);
            }
        }
        *statements = changed;
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        let mut changed = Vec::with_capacity(steps.len());
        for step in std::mem::take(steps) {
            match step {
                Step::Each(statement) if self.chooses(&statement) => {
                    if self.choices.below(2) == 0 {
                        changed.push(Step::Each(self.branch(&statement)));
                    }
                    changed.push(Step::Each(self.once(statement)));
                }
                step if self.chooses_step(&step) => changed.extend(self.step_once(step)),
                step => changed.push(step),
            }
        }
        *steps = changed;
    }
}
