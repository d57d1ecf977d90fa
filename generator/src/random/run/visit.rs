//! Every value of a program, one after the other.

use super::tree::{
    Call, Expression, Initializer, Node, Place, PlaceNode, Program, Statement, Step,
};

impl Program {
    /// Do something with every value in the program, those inside of others first.
    pub(super) fn each_value(&mut self, what: &mut dyn FnMut(&mut Expression)) {
        for variable in &mut self.variables {
            if let Some(initializer) = &mut variable.initializer {
                of_initializer(initializer, what);
            }
        }
        for helper in &mut self.helpers {
            of_statements(&mut helper.body, what);
        }
        for kernel in &mut self.kernels {
            of_steps(&mut kernel.steps, what);
        }
    }
}

fn of_initializer(initializer: &mut Initializer, what: &mut dyn FnMut(&mut Expression)) {
    match initializer {
        Initializer::Value(value) => of_value(value, what),
        Initializer::List(parts) => parts.iter_mut().for_each(|part| of_initializer(part, what)),
    }
}

fn of_steps(steps: &mut [Step], what: &mut dyn FnMut(&mut Expression)) {
    for step in steps {
        match step {
            Step::Each(statement) => of_statements(std::slice::from_mut(statement), what),
            Step::Local(_) | Step::Barrier(_) => {}
            Step::Repeat(_, _, steps) => of_steps(steps, what),
            Step::Copy { to, from, .. } => {
                of_value(to, what);
                of_value(from, what);
            }
        }
    }
}

fn of_statements(statements: &mut [Statement], what: &mut dyn FnMut(&mut Expression)) {
    for statement in statements {
        match statement {
            Statement::Declare(_) => {}
            Statement::DeclareCall(_, Call { arguments, .. }) => {
                arguments.iter_mut().for_each(|argument| of_value(argument, what));
            }
            Statement::Assign(place, value) | Statement::Update(_, place, value) => {
                of_place(place, what);
                of_value(value, what);
            }
            Statement::StoreVector(value, index, pointer) => {
                [value, index, pointer].into_iter().for_each(|value| of_value(value, what));
            }
            Statement::Atomic(_, pointer, operand) => {
                of_value(pointer, what);
                of_value(operand, what);
            }
            Statement::If(condition, then, otherwise) => {
                of_value(condition, what);
                of_statements(then, what);
                of_statements(otherwise, what);
            }
            Statement::For(_, _, body) => of_statements(body, what),
            Statement::Switch(value, cases) => {
                of_value(value, what);
                cases.iter_mut().for_each(|case| of_statements(case, what));
            }
            Statement::Leave(value, _) | Statement::Return(value) => of_value(value, what),
        }
    }
}

fn of_place(place: &mut Place, what: &mut dyn FnMut(&mut Expression)) {
    match &mut place.node {
        PlaceNode::Variable(_) => {}
        PlaceNode::Element(array, index) => {
            of_place(array, what);
            of_value(index, what);
        }
        PlaceNode::Member(record, _) => of_place(record, what),
        PlaceNode::Component(vector, _) => of_place(vector, what),
        PlaceNode::Target(pointer, index) => {
            of_value(pointer, what);
            if let Some(index) = index {
                of_value(index, what);
            }
        }
    }
}

fn of_value(value: &mut Expression, what: &mut dyn FnMut(&mut Expression)) {
    match &mut value.node {
        Node::Literal(_) | Node::WorkItem(_) | Node::Null => {}
        Node::Read(place) | Node::Address(place) => of_place(place, what),
        Node::Complement(inner)
        | Node::Convert(inner)
        | Node::Reinterpret(inner)
        | Node::Implicit(inner)
        | Node::Cast(inner)
        | Node::ToSpace(inner)
        | Node::IsNull(_, inner) => of_value(inner, what),
        Node::Binary(_, left, right)
        | Node::Compare(_, left, right)
        | Node::LoadVector(left, right)
        | Node::Offset(left, right)
        | Node::SamePlace(_, left, right)
        | Node::Before(left, right)
        | Node::Distance(left, right) => {
            of_value(left, what);
            of_value(right, what);
        }
        Node::Conditional(condition, yes, no) => {
            [condition, yes, no].into_iter().for_each(|value| of_value(value, what));
        }
        Node::Function(_, values) | Node::Vector(values) => {
            values.iter_mut().for_each(|value| of_value(value, what));
        }
    }
    what(value);
}
