//! The places that name a function.

use crate::{
    mending::text::Text,
    sema::{analyser::Arena, call_graph::Call, scopes::FunctionId},
    span::Span,
};

/// Every place in the text that names a function.
pub(super) struct NamedFunction<'r> {
    /// The name in each declaration, in the order of the text.
    pub(super) declarations: Vec<Span>,
    pub(super) calls: Vec<&'r Call>,
}

impl<'r> NamedFunction<'r> {
    /// Returns the places that name `function`; `None` if macros, groups that conditions leave out or something besides
    /// declarations and calls name it.
    pub(super) fn new(function: FunctionId, arena: &'r Arena, text: &Text<'_>) -> Option<Self> {
        let declared = arena.sites.functions.iter();
        let declarations: Vec<Span> = declared
            .filter(|declaration| declaration.function == function)
            .map(|declaration| declaration.name)
            .collect();
        let calls: Vec<&Call> = arena.calls.iter().filter(|call| call.to == function).collect();
        let called = calls.iter().map(|call| call.span);
        let known: Vec<Span> = declarations.iter().copied().chain(called).collect();
        let name = text.symbol(*declarations.first()?)?;
        (!text.occurs_beyond(name, &known)).then_some(Self { declarations, calls })
    }
}

/// Returns the function in whose parameters `word` stands.
pub(super) fn function_around(word: Span, arena: &Arena) -> Option<FunctionId> {
    let declared = arena.sites.functions.iter().find(|declaration| {
        let signature = arena.types.signature(declaration.signature);
        let mut parameters = arena.types.parameters(&signature).iter();
        parameters.any(|parameter| parameter.pointee.written() == Some(word))
    });
    declared.map(|declaration| declaration.function)
}
