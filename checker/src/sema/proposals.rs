//! Notes for changes of a whole program, and changes that the rest of it rules out.

use std::collections::BTreeSet;

use crate::{
    fix::Mend,
    rule::Rule,
    sema::{
        analyser::Analyser,
        placement::VariableDeclaration,
        scopes::{FunctionBody, ObjectId},
        sites::HelperVariable,
    },
    space::Space,
    span::Span,
};

impl Analyser<'_> {
    /// Notes a local variable in a function that is not a kernel.
    pub(super) fn note_helper_variable(
        &mut self,
        declared: &VariableDeclaration,
        object: ObjectId,
        space: Space,
    ) {
        let Some(function) =
            self.body.filter(|body| !body.is_kernel).and_then(|body| body.function)
        else {
            return;
        };
        if space == Space::Local && declared.storage.is_none() {
            let (start, name) = (declared.start, declared.span);
            let variable = HelperVariable { object, function, start, name };
            self.arena.sites.note_helper_variable(variable);
        }
    }

    /// Withdraws changes of parameters that calls from elsewhere rely on: of kernels, and of functions whose bodies are
    /// elsewhere.
    pub(super) fn withdraw_changes_for_others(&mut self) {
        let is_of_call = |rule| rule == Some(Rule::ConversionImplicit);
        if !self.diagnostics.iter().any(|said| is_of_call(said.rule)) {
            return;
        }
        let words = self.words_for_others();
        for said in self.diagnostics.iter_mut().filter(|said| is_of_call(said.rule)) {
            for slot in &mut said.mends {
                slot.take_if(
                    |mend| matches!(mend, Mend::Redirect { span, .. } if words.contains(span)),
                );
            }
        }
    }

    /// Returns the words that name the spaces of parameters on which calls from elsewhere rely.
    fn words_for_others(&self) -> BTreeSet<Span> {
        let declared = self.arena.sites.functions.iter();
        let for_others = declared.filter(|declaration| {
            let function = self.function(declaration.function);
            function.is_kernel || function.body == FunctionBody::Missing
        });
        let types = &self.arena.types;
        let parameters = for_others
            .flat_map(|declaration| types.parameters(&types.signature(declaration.signature)));
        parameters.filter_map(|parameter| parameter.pointee.written()).collect()
    }
}
