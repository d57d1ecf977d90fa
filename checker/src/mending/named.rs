//! The places that name a function.

use std::collections::BTreeSet;

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
    /// declarations and calls name it, and for one of several overloadable functions.
    pub(super) fn new(function: FunctionId, arena: &'r Arena, text: &Text<'_>) -> Option<Self> {
        let declared = || arena.sites.functions.iter();
        let first = declared().find(|declaration| declaration.function == function)?;
        let name = text.symbol(first.name)?;
        // Declarations that do not agree are several functions until a fix has changed all of them.
        let same = declared().filter(|other| text.symbol(other.name) == Some(name));
        let (functions, declarations): (BTreeSet<u32>, Vec<Span>) =
            same.map(|other| (other.function.0, other.name)).unzip();
        let is_overloadable = |id: &u32| arena.functions[*id as usize].is_overloadable;
        let calls = arena.calls.iter().filter(|call| functions.contains(&call.to.0));
        let calls: Vec<&Call> = calls.collect();
        let called = calls.iter().map(|call| call.span);
        let known: BTreeSet<Span> = declarations.iter().copied().chain(called).collect();
        let is_known = !functions.iter().any(is_overloadable) && !text.occurs_beyond(name, &known);
        is_known.then_some(Self { declarations, calls })
    }
}

/// Returns the function in whose parameters or result `word` stands.
pub(super) fn function_around(word: Span, arena: &Arena) -> Option<FunctionId> {
    let declared = arena.sites.functions.iter().find(|declaration| {
        let signature = arena.types.signature(declaration.signature);
        let parameters = arena.types.parameters(&signature).iter();
        let mut sites = parameters.map(|parameter| parameter.pointee).chain([declaration.result]);
        sites.any(|site| site.written() == Some(word))
    });
    declared.map(|declaration| declaration.function)
}
