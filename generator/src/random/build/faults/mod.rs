//! Edits of a program: one that breaks exactly one rule, or one that changes nothing.

mod flow;
mod neutral;
mod substitution;
mod texts;

use expectations::{dialect::Dialect, requirement::Requirement};

use super::{Builder, Position};
use crate::random::{
    choices::Choices,
    tree::{Expression, Fork, Form, Item, Node, Statement},
    types::{FLOAT, INT, LONG, Pointer, Ty, Type, UINT},
};

/// Numbers that every program has.
const NUMBERS: [Ty; 4] = [INT, FLOAT, UINT, LONG];

/// One way to edit a program.
pub(in crate::random) struct Edit {
    /// The rule it breaks; empty if it breaks none.
    pub(super) breaks: &'static str,
    pub(super) place: Where,
    /// The dialects it is an edit in.
    pub(super) when: fn(Dialect) -> bool,
    pub(super) needs: &'static [Requirement],
    pub(super) make: Make,
}

/// The places where an edit can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// At program scope.
    Program,
    /// In any function.
    Function,
    /// In the outermost scope of a kernel.
    Kernel,
    /// In a scope within a kernel.
    Nested,
    /// In a function that is not a kernel.
    Helper,
    /// A value that becomes a pointer.
    Edge,
}

/// The way an edit is made.
#[derive(Clone, Copy)]
pub(super) enum Make {
    /// From two texts, see [`substitution`].
    Text { control: &'static str, edited: &'static str },
    /// From a statement that flows through what is in scope.
    Statement(fn(&mut Builder<'_>) -> Fork<Statement>),
    /// From a pointer, by another way to write the same.
    Rewrite(fn(Expression) -> Expression),
    /// From a value on its way to a pointer.
    Edge(fn(&mut Builder<'_>, Pointer) -> Option<Fork<Expression>>),
}

/// An edit that waits for its place.
#[derive(Clone, Copy)]
pub(in crate::random) struct Pending {
    edit: &'static Edit,
    /// Number of places that are passed over.
    passes: u32,
}

/// Returns the edits that break `rule` (or, where it is empty, none), in `dialect`.
pub(in crate::random) fn edits(rule: &str, dialect: Dialect) -> Vec<&'static Edit> {
    all()
        .filter(|edit| edit.breaks == rule)
        .filter(|edit| (edit.when)(dialect))
        .filter(|edit| edit.needs.iter().all(|requirement| requirement.possible_in(dialect)))
        .collect()
}

fn all() -> impl Iterator<Item = &'static Edit> {
    texts::EDITS.iter().chain(&flow::EDITS).chain(&neutral::EDITS)
}

/// Returns every rule that some edit breaks, sorted.
pub(in crate::random) fn rules() -> Vec<&'static str> {
    let mut rules: Vec<&str> =
        all().map(|edit| edit.breaks).filter(|rule| !rule.is_empty()).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

impl Pending {
    /// Returns one of `edits`, in some place.
    pub(in crate::random) fn choose(edits: &[&'static Edit], choices: &mut Choices) -> Self {
        Self { edit: choices.pick(edits), passes: choices.below(6) }
    }
}

impl Builder<'_> {
    /// Whether an edit can be made in statements at this place.
    fn is_at(&self, place: Where) -> bool {
        match place {
            Where::Function => true,
            Where::Kernel => self.is_in_kernel(),
            Where::Nested => self.position == Position::Kernel && self.depth > 0,
            Where::Helper => self.position == Position::Helper,
            Where::Program | Where::Edge => false,
        }
    }

    /// Returns the edit that is made here and now.
    fn is_due(&mut self, here: impl Fn(&Edit) -> bool) -> Option<&'static Edit> {
        let pending = self.pending.as_mut().filter(|pending| here(pending.edit))?;
        if pending.passes > 0 {
            pending.passes -= 1;
            return None;
        }
        self.pending.take().map(|pending| pending.edit)
    }

    /// Returns the edited expression, if this is its place: where a value becomes a pointer of a type.
    pub(super) fn edge_fault(&mut self, ty: Ty) -> Option<Expression> {
        let pointer = self.program.types.as_pointer(ty)?;
        let edit = self.is_due(|edit| edit.place == Where::Edge)?;
        let fork = match edit.make {
            Make::Edge(make) => make(self, pointer),
            Make::Rewrite(make) => {
                let control = self.exact_pointer(pointer);
                let edited = make(control.clone());
                "the same pointer written otherwise".clone_into(&mut self.shape);
                Some(Fork { control, edited })
            }
            Make::Text { .. } | Make::Statement(_) => None,
        };
        match fork {
            Some(fork) => Some(Expression::new(ty, Node::Fork(Box::new(fork)))),
            None => {
                // This pointer cannot show it; the next may.
                self.pending = Some(Pending { edit, passes: 0 });
                None
            }
        }
    }

    /// Makes the pending edit among statements, where this is its place.
    pub(super) fn statement_faults(&mut self, statements: &mut Vec<Statement>) {
        let Some(Pending { edit, .. }) = self.pending else { return };
        let is_here = self.is_at(edit.place);
        if let Some(edit) = self.is_due(|_| is_here) {
            let statement = self.edited_statement(edit);
            statements.push(statement);
        }
    }

    fn edited_statement(&mut self, edit: &'static Edit) -> Statement {
        self.requirements.extend(edit.needs);
        let fork = match edit.make {
            Make::Text { control, edited } => {
                let (control, edited) = self.substitute(control, edited);
                Fork { control: Statement::Text(control), edited: Statement::Text(edited) }
            }
            Make::Statement(make) => make(self),
            Make::Edge(_) | Make::Rewrite(_) => {
                // A pointer is declared for the value to become.
                self.pending = Some(Pending { edit, passes: 0 });
                return self.pointer_declaration();
            }
        };
        Statement::Fork(Box::new(fork))
    }

    /// Makes the pending edit at program scope, where this is its place.
    pub(super) fn item_faults(&mut self) {
        if let Some(edit) = self.is_due(|edit| edit.place == Where::Program) {
            self.push_edited_item(edit);
        }
    }

    fn push_edited_item(&mut self, edit: &'static Edit) {
        self.requirements.extend(edit.needs);
        if let Make::Text { control, edited } = edit.make {
            let (control, edited) = self.substitute(control, edited);
            let fork = Fork { control: Item::Text(control), edited: Item::Text(edited) };
            self.program.file_scope.push(Item::Fork(Box::new(fork)));
        }
    }

    /// Makes the pending edit where the last kernel could not have it.
    pub(super) fn last_item_fault(&mut self) {
        match self.pending.map(|pending| pending.edit.place) {
            Some(Where::Program) => {
                if let Some(pending) = self.pending.take() {
                    self.push_edited_item(pending.edit);
                }
            }
            Some(Where::Helper) => {
                if let Some(pending) = &mut self.pending {
                    pending.passes = 0;
                }
                self.helper();
            }
            _ => {}
        }
    }

    /// Makes the edit in the last place there is.
    pub(super) fn last_statement_fault(&mut self) -> Option<Statement> {
        let Pending { edit, .. } = self.pending.take()?;
        if edit.place != Where::Nested {
            return Some(self.edited_statement(edit));
        }
        self.depth += 1;
        let body = vec![self.edited_statement(edit)];
        self.depth -= 1;
        Some(Statement::Form(Form { before: "{", body, after: "}", values: Vec::new() }))
    }

    /// Declares `T *v = ...` for an edge.
    fn pointer_declaration(&mut self) -> Statement {
        let to = self.choices.pick(&NUMBERS);
        let spaces = self.pointer_spaces();
        let wanted = Pointer::to(to, self.choices.pick(spaces));
        self.declare_pointer(wanted)
    }

    /// Returns the type of a pointer.
    fn type_of(&mut self, pointer: Pointer) -> Ty {
        self.program.types.intern(Type::Pointer(pointer))
    }
}
