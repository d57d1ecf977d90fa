//! Programs a little smaller: a launch, an argument, a step, a statement or an operation less.

use super::{
    tree::{Expression, Node, Program, Statement, Step},
    used::Used,
    visit::Visitor,
};

impl Program {
    /// The program without the part of that number, the largest parts first: `None` where there are no more parts,
    /// `Some(None)` where the rest needs the part. Whether the rest is defined is for the evaluator to say.
    pub(super) fn without(&self, number: usize) -> Option<Option<Self>> {
        let mut program = self.clone();
        if number < program.launches.len() {
            program.launches.remove(number);
            return Some((!program.launches.is_empty()).then_some(program));
        }
        let mut cut = Cut { left: number - program.launches.len(), what: What::Step };
        for what in [What::Step, What::Statement, What::Operation, What::Argument] {
            cut.what = what;
            if what == What::Argument {
                cut.argument(&mut program);
            } else {
                program.visit(&mut cut);
            }
            if cut.left == DONE {
                let is_whole = Used::of(&program).is_declared(&program);
                return Some(is_whole.then_some(program));
            }
        }
        None
    }
}

/// What is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Step,
    /// One gives way to nothing, one with blocks also to each of these.
    Statement,
    /// One gives way to an operand, or to 0.
    Operation,
    Argument,
}

/// Takes out one part of a kind, after so many others.
struct Cut {
    left: usize,
    what: What,
}

/// Of [`Cut::left`], when it has been done.
const DONE: usize = usize::MAX;

impl Cut {
    /// Which of so many parts is to be taken out.
    fn among(&mut self, parts: usize) -> Option<usize> {
        if self.left == DONE {
            return None;
        }
        if self.left < parts {
            return Some(std::mem::replace(&mut self.left, DONE));
        }
        self.left -= parts;
        None
    }

    fn argument(&mut self, program: &mut Program) {
        if let Some(place) = self.among(program.arguments.len()) {
            program.arguments.remove(place);
            for kernel in &mut program.kernels {
                kernel.parameters.remove(place);
            }
        }
    }
}

impl Visitor for Cut {
    fn steps(&mut self, steps: &mut Vec<Step>) {
        if self.what == What::Step
            && let Some(place) = self.among(steps.len())
        {
            steps.remove(place);
        }
    }

    fn statements(&mut self, statements: &mut Vec<Statement>) {
        if self.what != What::Statement {
            return;
        }
        for place in 0..statements.len() {
            let others = in_place_of(&statements[place]);
            if let Some(other) = self.among(others.len()) {
                statements.splice(place..=place, others[other].clone());
                return;
            }
        }
    }

    fn value(&mut self, value: &mut Expression) {
        if self.what != What::Operation {
            return;
        }
        let mut others: Vec<Expression> =
            operands(value).into_iter().filter(|operand| operand.ty == value.ty).cloned().collect();
        let is_number = matches!(
            value.node,
            Node::WorkItem(_)
                | Node::Complement(_)
                | Node::Binary(..)
                | Node::Compare(..)
                | Node::Convert(_)
                | Node::Reinterpret(_)
                | Node::Function(..)
                | Node::SamePlace(..)
                | Node::IsNull(..)
                | Node::Before(..)
                | Node::Distance(..)
        );
        if is_number
            && !matches!(&value.node, Node::Binary(_, left, _) if matches!(left.node, Node::Vector(_)))
        {
            others.push(Expression::literal(value.ty, 0));
        }
        if let Some(place) = self.among(others.len()) {
            *value = others.swap_remove(place);
        }
    }
}

/// What can stand in place of a statement.
fn in_place_of(statement: &Statement) -> Vec<Vec<Statement>> {
    match statement {
        // A helper ends with it.
        Statement::Return(_) => Vec::new(),
        Statement::If(_, then, otherwise) => vec![Vec::new(), then.clone(), otherwise.clone()],
        Statement::Switch(_, cases) => [Vec::new()].into_iter().chain(cases.clone()).collect(),
        _ => vec![Vec::new()],
    }
}

fn operands(value: &Expression) -> Vec<&Expression> {
    match &value.node {
        Node::Complement(inner) | Node::Implicit(inner) | Node::Cast(inner) => vec![inner],
        Node::Binary(_, left, right) => vec![left, right],
        Node::Conditional(_, yes, no) => vec![yes, no],
        Node::Offset(pointer, _) => vec![pointer],
        Node::Function(_, values) => values.iter().collect(),
        _ => Vec::new(),
    }
}
