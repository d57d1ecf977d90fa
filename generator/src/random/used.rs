//! Parts of a program that its launches use: the rest need not be written down.

use std::collections::BTreeSet;

use super::{
    tree::{Call, Expression, Item, Loop, Place, PlaceNode, Program, Statement, Step, VariableId},
    types::{Ty, Type, Types},
    visit::{Visitor, of_helper, of_initializer, of_steps},
};

/// The parts of a program that are used.
#[derive(Clone, Debug, Default)]
pub(super) struct UsedParts {
    /// Kernels that are launched, by their places.
    pub(super) kernels: BTreeSet<usize>,
    /// Helpers that are called.
    pub(super) helpers: BTreeSet<usize>,
    /// Variables that are named.
    pub(super) variables: BTreeSet<VariableId>,
    /// Structures and unions that something has the type of.
    pub(super) records: BTreeSet<u16>,
    /// Variables that are declared.
    declared: BTreeSet<VariableId>,
    types: Vec<Ty>,
}

impl UsedParts {
    /// Returns the parts that the launches of a program use.
    pub(super) fn of(program: &Program) -> Self {
        let mut program = program.clone();
        let mut used =
            Self { kernels: program.launches.iter().copied().collect(), ..Self::default() };
        for &kernel in &used.kernels.clone() {
            let kernel = &mut program.kernels[kernel];
            used.declared.extend(&kernel.parameters);
            of_steps(&mut kernel.steps, &mut used);
        }
        // A helper calls only those before it.
        for helper in (0..program.helpers.len()).rev() {
            if used.helpers.contains(&helper) {
                let helper = &mut program.helpers[helper];
                used.declared.extend(&helper.parameters);
                used.types.push(helper.result);
                of_helper(helper, &mut used);
            }
        }
        used.initializers(&mut program);
        for variable in used.variables.union(&used.declared.clone()) {
            used.types.push(program.variables[usize::from(variable.0)].ty);
        }
        for ty in std::mem::take(&mut used.types) {
            used.record_of(&program.types, ty);
        }
        used
    }

    /// Whether a part of the file is used.
    pub(super) fn has(&self, item: &Item) -> bool {
        match item {
            Item::Record(number) => self.records.contains(number),
            Item::Variable(variable) => self.variables.contains(variable),
            Item::Prototype(helper) | Item::Helper(helper) => self.helpers.contains(helper),
            Item::Kernel(kernel) => self.kernels.contains(kernel),
            Item::Enumeration(_)
            | Item::Alias(_)
            | Item::Definition(_)
            | Item::Text(_)
            | Item::Fork(_) => true,
        }
    }

    /// Visits initializers of variables that are declared or, at file scope, named; one may name others.
    fn initializers(&mut self, program: &mut Program) {
        let mut done = BTreeSet::new();
        while let Some(&next) =
            self.variables.iter().chain(&self.declared).find(|variable| !done.contains(*variable))
        {
            done.insert(next);
            if let Some(initializer) = &mut program.variables[usize::from(next.0)].initializer {
                of_initializer(initializer, self);
            }
        }
    }

    fn record_of(&mut self, types: &Types, ty: Ty) {
        match types.get(ty) {
            Type::Scalar(_)
            | Type::Vector(..)
            | Type::Atomic(_)
            | Type::Enumeration(_)
            | Type::Opaque(_) => {}
            Type::Array(element, _) => self.record_of(types, element),
            Type::Pointer(pointer) => self.record_of(types, pointer.to),
            Type::Record(record) => {
                if self.records.insert(record) {
                    for &member in &types.records()[usize::from(record)].members {
                        self.record_of(types, member);
                    }
                }
            }
        }
    }

    /// Whether every variable that is named is declared somewhere.
    pub(super) fn is_declared(&self, program: &Program) -> bool {
        let mut named = self.variables.iter();
        named.all(|variable| {
            self.declared.contains(variable)
                || program.file_scope_variables().any(|known| known == *variable)
        })
    }
}

impl Visitor for UsedParts {
    fn value(&mut self, value: &mut Expression) {
        self.types.push(value.ty);
    }

    fn place(&mut self, place: &mut Place) {
        if let PlaceNode::Variable(variable) = place.node {
            self.variables.insert(variable);
        }
    }

    fn call(&mut self, call: &mut Call) {
        self.helpers.insert(call.helper);
    }

    fn statements(&mut self, statements: &mut Vec<Statement>) {
        for statement in statements {
            self.declares(statement);
        }
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        for step in steps {
            match step {
                Step::Each(statement) => self.declares(statement),
                Step::Local(variable)
                | Step::Static(variable)
                | Step::Repeat(variable, ..)
                | Step::Loop(Loop { counter: variable, .. })
                | Step::Call(variable, _)
                | Step::Collective(variable, ..) => {
                    self.declared.insert(*variable);
                }
                Step::Barrier(_)
                | Step::Copy { .. }
                | Step::If(..)
                | Step::Switch(..)
                | Step::Skip(..)
                | Step::Leave(..)
                | Step::Return(..) => {}
            }
        }
    }
}

impl UsedParts {
    fn declares(&mut self, statement: &Statement) {
        if let Statement::Declare(variable)
        | Statement::DeclareCall(variable, _)
        | Statement::DeclareAtomic(variable, _)
        | Statement::For(variable, ..) = statement
        {
            self.declared.insert(*variable);
        }
    }
}
