//! Every part of a program, one after the other.

use super::tree::{
    AtomicCall, AtomicOperation, Call, Expression, Helper, Initializer, Loop, Node, Place,
    PlaceNode, Program, Statement, Step,
};

/// A visitor of the parts of a program; parts within a part come first.
pub(super) trait Visitor {
    fn value(&mut self, _: &mut Expression) {}
    fn place(&mut self, _: &mut Place) {}
    fn call(&mut self, _: &mut Call) {}
    /// Visits a call of an atomic function.
    fn atomic(&mut self, _: &mut AtomicCall) {}
    /// Visits statements one after the other.
    fn statements(&mut self, _: &mut Vec<Statement>) {}
    /// Visits steps one after the other.
    fn steps(&mut self, _: &mut Vec<Step>) {}
}

impl Program {
    /// Visits the code of the program and the initializers of its variables.
    pub(super) fn visit(&mut self, visitor: &mut dyn Visitor) {
        for variable in &mut self.variables {
            if let Some(initializer) = &mut variable.initializer {
                of_initializer(initializer, visitor);
            }
        }
        for helper in &mut self.helpers {
            of_helper(helper, visitor);
        }
        for kernel in &mut self.kernels {
            of_steps(&mut kernel.steps, visitor);
        }
    }
}

pub(super) fn of_initializer(initializer: &mut Initializer, visitor: &mut dyn Visitor) {
    match initializer {
        Initializer::Value(value) => of_value(value, visitor),
        Initializer::Text(_) => {}
        Initializer::Designated(_, part) => of_initializer(part, visitor),
        Initializer::List(parts) => {
            for part in parts {
                of_initializer(part, visitor);
            }
        }
    }
}

pub(super) fn of_helper(helper: &mut Helper, visitor: &mut dyn Visitor) {
    of_steps(&mut helper.steps, visitor);
    of_statements(&mut helper.body, visitor);
}

pub(super) fn of_steps(steps: &mut Vec<Step>, visitor: &mut dyn Visitor) {
    for step in &mut *steps {
        match step {
            Step::Each(statement) => of_statement(statement, visitor),
            Step::Local(_) | Step::Static(_) | Step::Barrier(_) => {}
            Step::Repeat(_, _, steps) => of_steps(steps, visitor),
            Step::Copy { to, from, .. } => {
                of_value(to, visitor);
                of_value(from, visitor);
            }
            Step::If(condition, then, otherwise) => {
                of_value(condition, visitor);
                of_steps(then, visitor);
                of_steps(otherwise, visitor);
            }
            Step::Switch(value, cases) => {
                of_value(value, visitor);
                for case in cases {
                    of_steps(case, visitor);
                }
            }
            Step::Skip(value, body) | Step::Loop(Loop { bound: value, body, .. }) => {
                of_value(value, visitor);
                of_steps(body, visitor);
            }
            Step::Leave(value, _) | Step::Collective(_, _, value) => of_value(value, visitor),
            Step::Return(condition, value) => {
                of_value(condition, visitor);
                if let Some(value) = value {
                    of_value(value, visitor);
                }
            }
            Step::Call(_, call) => of_call(call, visitor),
        }
    }
    visitor.steps(steps);
}

pub(super) fn of_statements(statements: &mut Vec<Statement>, visitor: &mut dyn Visitor) {
    for statement in &mut *statements {
        of_statement(statement, visitor);
    }
    visitor.statements(statements);
}

fn of_call(call: &mut Call, visitor: &mut dyn Visitor) {
    for argument in &mut call.arguments {
        of_value(argument, visitor);
    }
    visitor.call(call);
}

fn of_statement(statement: &mut Statement, visitor: &mut dyn Visitor) {
    match statement {
        Statement::Declare(_) | Statement::Text(_) => {}
        Statement::DeclareCall(_, call) => of_call(call, visitor),
        Statement::Assign(place, value) | Statement::Update(_, place, value) => {
            of_place(place, visitor);
            of_value(value, visitor);
        }
        Statement::StoreVector(value, index, pointer) => {
            for value in [value, index, pointer] {
                of_value(value, visitor);
            }
        }
        Statement::CopyBytes(to, from) => {
            of_value(to, visitor);
            of_value(from, visitor);
        }
        Statement::Atomic(call) | Statement::DeclareAtomic(_, call) => {
            of_value(&mut call.object, visitor);
            if let AtomicOperation::CompareExchange(expected) = &mut call.operation {
                of_value(expected, visitor);
            }
            of_value(&mut call.operand, visitor);
            visitor.atomic(call);
        }
        Statement::If(condition, then, otherwise) => {
            of_value(condition, visitor);
            of_statements(then, visitor);
            of_statements(otherwise, visitor);
        }
        Statement::For(_, _, body) | Statement::Once(body) => of_statements(body, visitor),
        Statement::Switch(value, cases) => {
            of_value(value, visitor);
            for case in cases {
                of_statements(case, visitor);
            }
        }
        Statement::Leave(value, _) | Statement::Return(value) => of_value(value, visitor),
        Statement::Form(form) => {
            for value in &mut form.values {
                of_value(value, visitor);
            }
            of_statements(&mut form.body, visitor);
        }
        Statement::Fork(fork) => {
            of_statement(&mut fork.control, visitor);
            of_statement(&mut fork.edited, visitor);
        }
    }
}

fn of_place(place: &mut Place, visitor: &mut dyn Visitor) {
    match &mut place.node {
        PlaceNode::Variable(_) => {}
        PlaceNode::Element(array, index) => {
            of_place(array, visitor);
            of_value(index, visitor);
        }
        PlaceNode::Member(inner, _) | PlaceNode::Component(inner, _) => of_place(inner, visitor),
        PlaceNode::Target(pointer, index) => {
            of_value(pointer, visitor);
            if let Some(index) = index {
                of_value(index, visitor);
            }
        }
    }
    visitor.place(place);
}

pub(super) fn of_value(value: &mut Expression, visitor: &mut dyn Visitor) {
    match &mut value.node {
        Node::Literal(_)
        | Node::WorkItem(_)
        | Node::Text(_)
        | Node::Null
        | Node::Enumerator(..) => {}
        Node::CompoundLiteral(initializer) => of_initializer(initializer, visitor),
        Node::Fork(fork) => {
            of_value(&mut fork.control, visitor);
            of_value(&mut fork.edited, visitor);
        }
        Node::Read(place) | Node::Address(place) => of_place(place, visitor),
        Node::Complement(inner)
        | Node::Convert(inner)
        | Node::Reinterpret(inner)
        | Node::Bytes(inner)
        | Node::Implicit(inner)
        | Node::Cast(inner)
        | Node::ToSpace(inner)
        | Node::IsNull(_, inner)
        | Node::AtomicLoad(inner, _) => of_value(inner, visitor),
        Node::Binary(_, left, right)
        | Node::Compare(_, left, right)
        | Node::LoadVector(left, right)
        | Node::Offset(left, right)
        | Node::SamePlace(_, left, right)
        | Node::Before(left, right)
        | Node::Distance(left, right) => {
            of_value(left, visitor);
            of_value(right, visitor);
        }
        Node::Conditional(condition, yes, no) => {
            for value in [condition, yes, no] {
                of_value(value, visitor);
            }
        }
        Node::Function(_, values) | Node::Vector(values) | Node::Form(_, values) => {
            for value in values {
                of_value(value, visitor);
            }
        }
    }
    visitor.value(value);
}
