//! Places of functions and variables that fixes of a whole program need.

use crate::{
    fix::SpaceSite,
    sema::scopes::{FunctionId, ObjectId},
    span::Span,
    types::SignatureId,
};

/// One declaration of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionDeclaration {
    pub(crate) function: FunctionId,
    pub(crate) signature: SignatureId,
    pub(crate) name: Span,
    /// Place of the space that the result points into.
    pub(crate) result: SpaceSite,
}

/// A local variable in a function that is not a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HelperVariable {
    pub(super) object: ObjectId,
    pub(crate) function: FunctionId,
    /// Start of its declaration.
    pub(crate) start: u32,
    pub(crate) name: Span,
}

/// The places in one program.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    /// Declarations of functions, in the order of the text.
    pub(crate) functions: Vec<FunctionDeclaration>,
    /// Functions with a body, and the place behind the brace that opens it.
    pub(crate) bodies: Vec<(FunctionId, u32)>,
    /// Starts of the declarations of more than one variable.
    shared: Vec<u32>,
    last_start: Option<u32>,
    variables: Vec<HelperVariable>,
    /// Expressions that name one of `variables`.
    uses: Vec<(ObjectId, Span)>,
}

impl Sites {
    pub(crate) fn clear(&mut self) {
        self.functions.clear();
        self.bodies.clear();
        self.shared.clear();
        self.last_start = None;
        self.variables.clear();
        self.uses.clear();
    }

    /// Notes a variable whose declaration begins at `start`.
    pub(super) fn note_variable(&mut self, start: u32) {
        if self.last_start == Some(start) {
            self.shared.push(start);
        }
        self.last_start = Some(start);
    }

    /// Notes a local variable in a function that is not a kernel.
    pub(super) fn note_helper_variable(&mut self, variable: HelperVariable) {
        self.variables.push(variable);
    }

    /// Notes that the expression at `span` names a variable.
    #[inline]
    pub(super) fn note_use(&mut self, object: ObjectId, span: Span) {
        if self.variables.iter().any(|variable| variable.object == object) {
            self.uses.push((object, span));
        }
    }

    /// Returns the function in whose body the declaration at `place` is.
    pub(crate) fn function_at(&self, place: u32) -> Option<FunctionId> {
        let mut before = self.bodies.iter().filter(|(_, start)| *start <= place);
        before.next_back().map(|(function, _)| *function)
    }

    /// Whether the declaration that begins at `start` declares more than one variable.
    pub(crate) fn is_shared(&self, start: u32) -> bool {
        self.shared.contains(&start)
    }

    /// Returns the variable of a helper whose name is declared at `name`.
    pub(crate) fn helper_variable(&self, name: Span) -> Option<&HelperVariable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// Returns the expressions that name `variable`.
    pub(crate) fn uses(&self, variable: &HelperVariable) -> impl Iterator<Item = Span> {
        let object = variable.object;
        self.uses.iter().filter(move |(used, _)| *used == object).map(|(_, span)| *span)
    }
}
