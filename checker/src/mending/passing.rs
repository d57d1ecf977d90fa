//! A local variable of a helper that the calling kernels declare and pass, through other helpers where they call it.
//!
//! Nothing is changed unless every place in the text that names the variable and the functions was understood: the
//! names in macros and in groups that conditions leave out stay as they are.

use std::collections::BTreeSet;

use crate::{
    check::Report,
    fix::Edit,
    lex::{PpKind, PpToken},
    mending::{
        deleting::{declaration, deletion},
        named::NamedFunction,
        text::Text,
    },
    sema::{analyser::Arena, scopes::FunctionId, sites::HelperVariable},
    span::Span,
    symbol::Symbol,
    token::Punct,
};

/// Words before a name, besides `&`, with which an array is more than a pointer.
const MEASURES: [&str; 6] =
    ["sizeof", "typeof", "__typeof__", "vec_step", "_Alignof", "__alignof__"];

/// Words that may begin the declaration of a name which a type or a size in the same function then means.
const DECLARING: [&str; 4] = ["typedef", "struct", "union", "enum"];

/// Most places that one fix changes.
const MAX_EDITS: usize = 1000;

/// The form in which a variable is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// An array, which is a pointer as a parameter.
    Array,
    /// The address of a variable, which the helper dereferences.
    Address,
}

/// A variable on the way from a helper to kernels.
struct PassedVariable<'r> {
    text: &'r Text<'r>,
    arena: &'r Arena,
    variable: &'r HelperVariable,
    symbol: Symbol,
    name: &'r str,
    /// Declaration in the helper, with its semicolon.
    declaration: Span,
    form: Form,
}

/// Returns the edits that declare the local variable `name` of a helper in the kernels that call it, and pass it.
pub(super) fn edits(name: Span, report: Report<'_>) -> Option<Vec<Edit>> {
    let text = Text::new(report.sources);
    let passed = PassedVariable::new(&text, report.arena, name)?;
    let mut edits = passed.in_helper()?;
    let (helpers, kernels) = passed.route(&mut edits)?;
    for function in helpers.iter().skip(1).chain(&kernels) {
        passed.is_free_in(*function).then_some(())?;
    }
    for kernel in kernels {
        let place = passed.body(kernel)?.start;
        let written = format!(" {}", text.slice(passed.declaration)?);
        edits.push(Edit { span: Span::new(place, place), text: written });
    }
    let first = edits.iter().map(|edit| edit.span.start).min()?;
    let last = edits.iter().map(|edit| edit.span.end).max()?;
    let is_same = !text.may_differ(passed.declaration, Span::new(first, last));
    (is_same && edits.len() <= MAX_EDITS).then_some(edits)
}

impl<'r> PassedVariable<'r> {
    fn new(text: &'r Text<'r>, arena: &'r Arena, name: Span) -> Option<Self> {
        let variable = arena.sites.helper_variable(name)?;
        let declaration = declaration(variable.start, text.sources)?;
        let form = form(text, declaration, name)?;
        let (symbol, name) = (text.symbol(name)?, text.slice(name)?);
        let passed = Self { text, arena, variable, symbol, name, declaration, form };
        let is_alone = !arena.sites.is_shared(variable.start) && !text.is_in_directive(symbol);
        (is_alone && passed.is_declarable_outside()?).then_some(passed)
    }

    /// Whether the type and the size of the variable mean the same outside the helper: no name in them is declared in it.
    fn is_declarable_outside(&self) -> Option<bool> {
        let body = self.body(self.variable.function)?;
        let head = self.head(self.variable.function)?;
        let before = self.text.within(Span::new(head.start, self.declaration.start));
        let declares = before.iter().any(|token| {
            let word = self.text.slice(token.span).unwrap_or_default();
            body.start <= token.span.start && DECLARING.contains(&word)
        });
        let size = self.text.within(Span::new(self.variable.name.end, self.declaration.end));
        let mut names = size.iter().filter(|token| {
            token.kind == PpKind::Identifier && !self.text.sources.is_in_macro_call(token.span)
        });
        let is_local = |name: &PpToken| before.iter().any(|token| token.symbol == name.symbol);
        Some(!declares && !names.any(is_local))
    }

    /// Returns the edits of the helper's body.
    fn in_helper(&self) -> Option<Vec<Edit>> {
        let mut edits = vec![deletion(self.declaration, self.text.sources)];
        let uses = self.uses()?;
        match self.form {
            Form::Array => uses.iter().all(|place| self.is_pointer(*place)).then_some(edits),
            Form::Address => {
                let text = format!("(*{})", self.name);
                edits.extend(uses.into_iter().map(|span| Edit { span, text: text.clone() }));
                Some(edits)
            }
        }
    }

    /// Returns the places that name the variable; `None` if the text of the helper names another thing so, or a macro
    /// names the variable.
    fn uses(&self) -> Option<BTreeSet<Span>> {
        let uses: BTreeSet<Span> = self.arena.sites.uses(self.variable).collect();
        let body = self.body(self.variable.function)?;
        let head = self.head(self.variable.function)?;
        let whole = Span::new(head.start, body.end);
        let occurrences = self.text.occurrences(self.symbol, whole);
        let occurrences: BTreeSet<Span> =
            occurrences.filter(|place| *place != self.variable.name).collect();
        (occurrences == uses).then_some(uses)
    }

    fn is_indexed(&self, place: Span) -> bool {
        self.text.from(place.end).first().is_some_and(|token| token.is(Punct::LBracket))
    }

    /// Whether the array is used as a pointer at `place`: neither measured nor with its address taken.
    fn is_pointer(&self, place: Span) -> bool {
        if self.is_indexed(place) {
            return true;
        }
        if self.text.sources.is_in_macro_call(place) {
            return false;
        }
        let body = Span::new(self.declaration.end, place.start);
        let before = self.text.within(body).iter().rev().find(|token| !token.is(Punct::LParen));
        before.is_none_or(|token| {
            let word = self.text.slice(token.span).unwrap_or_default();
            !token.is(Punct::Amp) && !MEASURES.contains(&word)
        })
    }

    /// Adds the edits of every declaration and call between the helper and the kernels. Returns the helpers, the one
    /// with the variable first, and the kernels.
    fn route(&self, edits: &mut Vec<Edit>) -> Option<(Vec<FunctionId>, Vec<FunctionId>)> {
        let (mut helpers, mut kernels) = (vec![self.variable.function], Vec::new());
        let mut next = 0;
        while let Some(&helper) = helpers.get(next) {
            next += 1;
            let named = NamedFunction::new(helper, self.arena, self.text)?;
            for name in named.declarations {
                edits.push(self.further(name, &self.parameter()?)?);
            }
            for call in named.calls {
                let is_kernel = self.arena.functions[call.from.0 as usize].is_kernel;
                let callers = if is_kernel { &mut kernels } else { &mut helpers };
                if !callers.contains(&call.from) {
                    callers.push(call.from);
                }
                edits.push(self.further(call.span, &self.argument(call.from))?);
            }
        }
        (!kernels.is_empty()).then_some((helpers, kernels))
    }

    fn parameter(&self) -> Option<String> {
        let Span { start, end } = self.declaration;
        match self.form {
            Form::Array => Some(self.text.slice(Span::new(start, end - 1))?.trim_end().to_owned()),
            Form::Address => {
                let before = self.text.slice(Span::new(start, self.variable.name.start))?;
                Some(format!("{before}*{}", self.name))
            }
        }
    }

    /// Returns the argument of a call by `caller`.
    fn argument(&self, caller: FunctionId) -> String {
        let is_kernel = self.arena.functions[caller.0 as usize].is_kernel;
        let address = if is_kernel && self.form == Form::Address { "&" } else { "" };
        format!("{address}{}", self.name)
    }

    /// Returns the edit that adds `item` to the list in parentheses behind `name`.
    fn further(&self, name: Span, item: &str) -> Option<Edit> {
        let list = self.text.list_behind(name)?;
        let close = Span::new(list.end, list.end);
        match self.text.within(list) {
            [] => Some(Edit { span: close, text: item.to_owned() }),
            [void] if self.text.slice(void.span)? == "void" => {
                Some(Edit { span: void.span, text: item.to_owned() })
            }
            [.., end] if end.is(Punct::Ellipsis) => None,
            _ => Some(Edit { span: close, text: format!(", {item}") }),
        }
    }

    /// Whether a function does not have the name of the variable.
    fn is_free_in(&self, function: FunctionId) -> bool {
        let whole = self.head(function).zip(self.body(function));
        whole.is_some_and(|(head, body)| {
            let whole = Span::new(head.start, body.end);
            self.text.occurrences(self.symbol, whole).next().is_none()
        })
    }

    /// Returns the name of a function where its body is.
    fn head(&self, function: FunctionId) -> Option<Span> {
        let body = self.body(function)?;
        let declared = self.arena.sites.functions.iter();
        let mut before = declared
            .filter(|declaration| declaration.function == function)
            .filter(|declaration| declaration.name.end <= body.start);
        before.next_back().map(|declaration| declaration.name)
    }

    /// Returns the place within the braces of a function.
    fn body(&self, function: FunctionId) -> Option<Span> {
        let bodies = &self.arena.sites.bodies;
        let (_, start) = *bodies.iter().find(|(known, _)| *known == function)?;
        Some(Span::new(start, self.text.closing(start)?.start))
    }
}

/// Returns the form in which the variable of a declaration can be passed; `None` for a declaration that is not simple.
fn form(text: &Text<'_>, declaration: Span, name: Span) -> Option<Form> {
    let before = text.within(Span::new(declaration.start, name.start));
    let is_simple = |token: &PpToken| token.kind == PpKind::Identifier || token.is(Punct::Star);
    if !before.iter().all(is_simple) {
        return None;
    }
    let mut behind = name.end;
    while let [open, ..] = text.from(behind)
        && open.is(Punct::LBracket)
    {
        behind = text.closing(open.span.end)?.end;
    }
    let ends = text.from(behind).first()?.span.end == declaration.end;
    let form = if behind == name.end { Form::Address } else { Form::Array };
    ends.then_some(form)
}
