//! Macro expansion: replacement, arguments and rescanning.
//!
//! A replacement list is read through a [`Context`]; while one is open its macro's name is painted where it is
//! met, so that no macro expands inside itself. Only arguments recurse, and their depth is limited.

use super::{
    Run, end_token,
    macros::{Macro, MacroId, MacroKind, MacroTable},
};
use crate::{
    lex::{Flags, PpKind, PpToken},
    symbol::Symbol,
    token::Punct,
};

/// Most calls of macros within arguments of each other.
const MAX_DEPTH: u32 = 256;

/// Most replacement lists that may be open inside one another.
const MAX_CONTEXTS: usize = 1 << 16;

/// Tokens to read before the ones below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    start: usize,
    position: usize,
    end: usize,
    source: Source,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    /// The replacement list of a macro.
    Macro(MacroId),
    /// An argument to be expanded alone: reading stops at its end.
    Argument,
    /// Tokens that the preprocessor made.
    Made,
}

impl Context {
    /// Lets the macro of a finished context be expanded again.
    pub(super) fn close(self, macros: &mut MacroTable) {
        if let Source::Macro(id) = self.source {
            macros.set_active(id, false);
        }
    }
}

/// The range of a call's arguments in the buffer of arguments.
struct Arguments {
    ranges: Vec<Argument>,
    /// Length of the buffer before the call.
    base: usize,
}

#[derive(Clone, Copy)]
struct Argument {
    start: usize,
    end: usize,
    /// The same fully expanded, once asked for.
    expanded: Option<(usize, usize)>,
}

impl Run<'_> {
    /// Returns the next token after macro expansion.
    pub(super) fn expanded(&mut self) -> PpToken {
        loop {
            let token = self.fetch();
            if token.kind != PpKind::Identifier || token.has(Flags::PAINTED) {
                return token;
            }
            let Some(id) = self.macros.find(token.symbol) else { return token };
            if self.buffers.contexts.is_empty() {
                self.call = token.span;
            }
            if !self.enter_macro(token, id) {
                return token;
            }
            if let Some(file) = self.buffers.files.last() {
                self.sources.note_macro_call(self.call.start, file.lexer.position);
            }
        }
    }

    /// Returns the next token before macro expansion, from the innermost context or the file.
    pub(super) fn fetch(&mut self) -> PpToken {
        loop {
            if self.stopped {
                return end_token();
            }
            let Some(context) = self.buffers.contexts.last_mut() else {
                return self.next_in_file();
            };
            if context.position < context.end {
                let mut token = self.buffers.tokens[context.position];
                context.position += 1;
                if token.kind == PpKind::Identifier
                    && let Some(id) = self.macros.find(token.symbol)
                    && self.macros.get(id).active
                {
                    token.flags = token.flags.with(Flags::PAINTED);
                }
                return token;
            }
            if matches!(context.source, Source::Argument) {
                return end_token();
            }
            self.pop_context();
        }
    }

    pub(super) fn pop_context(&mut self) {
        if let Some(context) = self.buffers.contexts.pop() {
            self.buffers.tokens.truncate(context.start);
            context.close(self.macros);
        }
    }

    /// Begins to read the expansion of `name`. Returns `false` where the name is not expanded.
    fn enter_macro(&mut self, name: PpToken, id: MacroId) -> bool {
        let definition = *self.macros.get(id);
        match definition.kind {
            MacroKind::Object => self.replace(name, id, &definition, None),
            MacroKind::Special(special) => return self.special(name, special),
            MacroKind::Function { parameters, variadic } => {
                if !self.accept_paren() {
                    return false;
                }
                let Some(arguments) = self.collect(name, parameters as usize, variadic) else {
                    return true;
                };
                let base = arguments.base;
                self.replace(name, id, &definition, Some(arguments));
                self.buffers.arguments.truncate(base);
            }
        }
        true
    }

    /// Passes a `(` if it is the next token, across ends of contexts and lines.
    pub(super) fn accept_paren(&mut self) -> bool {
        while let Some(context) = self.buffers.contexts.last_mut() {
            if context.position < context.end {
                let found = self.buffers.tokens[context.position].is(Punct::LParen);
                context.position += usize::from(found);
                return found;
            }
            if matches!(context.source, Source::Argument) {
                return false;
            }
            self.pop_context();
        }
        let saved = self.buffers.files.last().map(|file| file.lexer);
        if self.lex().is(Punct::LParen) {
            return true;
        }
        if let (Some(file), Some(saved)) = (self.buffers.files.last_mut(), saved) {
            file.lexer = saved;
        }
        false
    }

    /// Reads the arguments after the `(` of a call of `name`; `None` after a fatal diagnostic.
    fn collect(&mut self, name: PpToken, parameters: usize, variadic: bool) -> Option<Arguments> {
        let base = self.buffers.arguments.len();
        let mut ranges = Vec::new();
        let mut start = base;
        let mut parens = 0usize;
        loop {
            let mut token = self.fetch();
            if token.has(Flags::LINE_START) {
                token.flags = token.flags.without(Flags::LINE_START).with(Flags::SPACE);
            }
            let takes_the_rest = variadic && ranges.len() + 1 >= parameters;
            match token.kind {
                PpKind::End => {
                    self.unterminated_call(name);
                    self.buffers.arguments.truncate(base);
                    return None;
                }
                PpKind::Punct(Punct::LParen) => parens += 1,
                PpKind::Punct(Punct::RParen) if parens == 0 => {
                    let end = self.buffers.arguments.len();
                    ranges.push(Argument { start, end, expanded: None });
                    break;
                }
                PpKind::Punct(Punct::RParen) => parens -= 1,
                PpKind::Punct(Punct::Comma) if parens == 0 && !takes_the_rest => {
                    let end = self.buffers.arguments.len();
                    ranges.push(Argument { start, end, expanded: None });
                    start = end;
                    continue;
                }
                _ => {}
            }
            self.buffers.arguments.push(token);
        }
        self.count_arguments(name, &mut ranges, parameters, variadic);
        (!self.stopped).then_some(Arguments { ranges, base })
    }

    fn unterminated_call(&mut self, name: PpToken) {
        let text = self.interner.text(name.symbol);
        let message = format!("this call of macro `{text}` is never closed");
        self.fatal(name.span, message);
    }

    fn count_arguments(
        &mut self,
        name: PpToken,
        ranges: &mut Vec<Argument>,
        parameters: usize,
        variadic: bool,
    ) {
        let empty = ranges.len() == 1 && ranges[0].start == ranges[0].end;
        if parameters == 0 && empty {
            ranges.clear();
        }
        if variadic && ranges.len() + 1 == parameters {
            // The variable arguments may be left out, comma included.
            let end = ranges.last().map_or(0, |last| last.end);
            ranges.push(Argument { start: end, end, expanded: None });
        }
        if ranges.len() != parameters {
            let text = self.interner.text(name.symbol);
            let message = format!(
                "macro `{text}` takes {parameters} argument{}, not {}",
                if parameters == 1 { "" } else { "s" },
                ranges.len(),
            );
            self.fatal(name.span, message);
        }
    }

    /// Substitutes the arguments; the result is read next.
    fn replace(
        &mut self,
        name: PpToken,
        id: MacroId,
        definition: &Macro,
        arguments: Option<Arguments>,
    ) {
        let start = self.buffers.tokens.len();
        match arguments {
            None if !definition.operators => {
                let span = name.span;
                self.buffers
                    .tokens
                    .extend(self.macros.body(id).iter().map(|token| PpToken { span, ..*token }));
            }
            arguments => {
                let base = self.buffers.scratch.len();
                let ranges = arguments.map_or_else(Vec::new, |arguments| arguments.ranges);
                self.substitute(name, definition, ranges);
                // Expanding arguments leaves the contexts as they were.
                self.buffers.tokens.extend_from_slice(&self.buffers.scratch[base..]);
                self.buffers.scratch.truncate(base);
            }
        }
        if self.stopped {
            return;
        }
        if let Some(first) = self.buffers.tokens.get_mut(start) {
            first.flags = spaced_like(first.flags, name.flags);
        }
        self.push_context(name, start, Source::Macro(id));
    }

    fn push_context(&mut self, name: PpToken, start: usize, source: Source) {
        let end = self.buffers.tokens.len();
        self.account(name, end - start + 1);
        if self.buffers.contexts.len() >= MAX_CONTEXTS {
            let text = self.interner.text(name.symbol);
            let message = format!(
                "macro `{text}` expands through more than {MAX_CONTEXTS} macros inside one another"
            );
            self.fatal(self.call, message);
        }
        if self.stopped {
            return;
        }
        if let Source::Macro(id) = source {
            self.macros.set_active(id, true);
        }
        self.buffers.contexts.push(Context { start, position: start, end, source });
    }

    /// Counts tokens that expansion made.
    pub(super) fn account(&mut self, name: PpToken, count: usize) {
        self.made = self.made.saturating_add(count);
        if self.made > self.limits.max_tokens {
            let text = self.interner.text(name.symbol);
            let message = format!(
                "expanding macro `{text}` takes more than {} tokens",
                self.limits.max_tokens
            );
            self.fatal_with_help(self.call, message, "raise the limit with `--max-tokens`");
        }
    }

    /// Appends the replacement list, with arguments substituted, to the scratch buffer.
    fn substitute(&mut self, name: PpToken, definition: &Macro, mut arguments: Vec<Argument>) {
        let base = self.buffers.scratch.len();
        let mut paste_next = false;
        for index in definition.body.start..definition.body.end {
            if self.stopped {
                return;
            }
            let item = self.macros.body_item(index);
            let from = self.buffers.scratch.len();
            let pasted = item.has(Flags::PASTE) || paste_next;
            match item.kind {
                PpKind::Parameter if item.has(Flags::STRINGIZE) => {
                    let argument = arguments[item.symbol.0 as usize];
                    let token = self.stringize(name, item, argument.start..argument.end);
                    self.buffers.scratch.push(token);
                }
                PpKind::Parameter => {
                    let argument = &mut arguments[item.symbol.0 as usize];
                    let range = if pasted {
                        (argument.start, argument.end)
                    } else {
                        let (start, end) = (argument.start, argument.end);
                        let known = argument.expanded;
                        let range = match known {
                            Some(range) => range,
                            None => self.expand_argument(name, start, end),
                        };
                        arguments[item.symbol.0 as usize].expanded = Some(range);
                        range
                    };
                    self.push_argument(name, item, range, pasted);
                }
                _ => self.buffers.scratch.push(PpToken {
                    span: name.span,
                    flags: item.flags.without(Flags::PASTE),
                    ..item
                }),
            }
            if paste_next && !self.comma_before_rest(definition, item, from, base) {
                self.paste(name, from);
            }
            paste_next = item.has(Flags::PASTE);
        }
        self.drop_placemarkers(base);
    }

    fn push_argument(&mut self, name: PpToken, item: PpToken, range: (usize, usize), pasted: bool) {
        let from = self.buffers.scratch.len();
        self.account(name, range.1 - range.0);
        if self.stopped {
            return;
        }
        self.buffers.scratch.extend_from_slice(&self.buffers.arguments[range.0..range.1]);
        match self.buffers.scratch.get_mut(from) {
            Some(first) => first.flags = spaced_like(first.flags, item.flags),
            None if pasted => self.buffers.scratch.push(PpToken {
                kind: PpKind::Placemarker,
                flags: item.flags.without(Flags::PASTE),
                symbol: Symbol::EMPTY,
                span: name.span,
            }),
            None => {}
        }
    }

    /// Substitutes `, ## __VA_ARGS__`: nothing is joined, and the comma is dropped before an empty argument.
    fn comma_before_rest(
        &mut self,
        definition: &Macro,
        item: PpToken,
        from: usize,
        base: usize,
    ) -> bool {
        let MacroKind::Function { parameters, variadic: true } = definition.kind else {
            return false;
        };
        let is_rest = item.kind == PpKind::Parameter
            && !item.has(Flags::STRINGIZE)
            && item.symbol.0 + 1 == u32::from(parameters);
        if !is_rest || from == base || !self.buffers.scratch[from - 1].is(Punct::Comma) {
            return false;
        }
        if self.buffers.scratch[from].kind == PpKind::Placemarker {
            self.buffers.scratch[from - 1].kind = PpKind::Placemarker;
        }
        true
    }

    fn drop_placemarkers(&mut self, base: usize) {
        let scratch = &mut self.buffers.scratch;
        let mut kept = base;
        for index in base..scratch.len() {
            if scratch[index].kind != PpKind::Placemarker {
                scratch[kept] = scratch[index];
                kept += 1;
            }
        }
        scratch.truncate(kept);
    }

    /// Expands an argument as if it were the rest of the file. Returns its range in the buffer of arguments.
    fn expand_argument(&mut self, name: PpToken, start: usize, end: usize) -> (usize, usize) {
        let expandable = self.buffers.arguments[start..end].iter().any(|token| {
            token.kind == PpKind::Identifier && self.macros.find(token.symbol).is_some()
        });
        if !expandable {
            return (start, end);
        }
        if self.depth >= MAX_DEPTH {
            let text = self.interner.text(name.symbol);
            let message = format!(
                "arguments of macro `{text}` hold macro calls nested more than {MAX_DEPTH} deep"
            );
            self.fatal(self.call, message);
            return (start, start);
        }
        self.depth += 1;
        let context_start = self.buffers.tokens.len();
        self.buffers.tokens.extend_from_slice(&self.buffers.arguments[start..end]);
        self.push_context(name, context_start, Source::Argument);
        let from = self.buffers.arguments.len();
        loop {
            let token = self.expanded();
            if token.kind == PpKind::End {
                break;
            }
            self.buffers.arguments.push(token);
        }
        self.pop_context();
        self.depth -= 1;
        (from, self.buffers.arguments.len())
    }

    /// Lets `tokens`, which a special macro made, be read next.
    pub(super) fn push_made(&mut self, name: PpToken, token: PpToken) {
        let start = self.buffers.tokens.len();
        self.buffers.tokens.push(PpToken { flags: spaced_like(token.flags, name.flags), ..token });
        self.push_context(name, start, Source::Made);
    }
}

/// Returns `flags` with the white space of `model`.
pub(super) fn spaced_like(flags: Flags, model: Flags) -> Flags {
    let flags = flags.without(Flags::SPACE).without(Flags::LINE_START);
    if model.has(Flags::SPACE) { flags.with(Flags::SPACE) } else { flags }
}
