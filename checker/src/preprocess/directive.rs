//! Lines that begin with `#`.

use super::{
    MAX_FILES, MAX_INCLUDE_DEPTH, Preprocessor, Run, include,
    macros::{Macro, MacroKind, Special},
};
use crate::{
    diagnostic::{Diagnostic, Label},
    lex::{Flags, PpKind, PpToken},
    span::Span,
    symbol::Symbol,
    token::Punct,
};

impl Preprocessor {
    /// Defines the macros that code expands.
    pub(super) fn define_special(&mut self) {
        let names = &self.names;
        let special = [
            (names.dunder_line, Special::Line),
            (names.dunder_file, Special::File),
            (names.base_file, Special::BaseFile),
            (names.include_level, Special::IncludeLevel),
            (names.counter, Special::Counter),
            (names.pragma_operator, Special::Pragma),
            (names.has_include, Special::HasInclude),
            (names.has_include_next, Special::HasInclude),
            (names.has_attribute, Special::HasAttribute),
            (names.has_c_attribute, Special::HasNothing),
            (names.has_builtin, Special::HasNothing),
            (names.has_constexpr_builtin, Special::HasNothing),
            (names.has_declspec_attribute, Special::HasNothing),
            (names.has_feature, Special::HasNothing),
            (names.has_extension, Special::HasNothing),
            (names.has_warning, Special::HasNothing),
        ];
        for (name, special) in special {
            self.macros.define(Macro {
                name,
                kind: MacroKind::Special(special),
                body: Span::default(),
                operators: false,
                active: false,
                definition: Span::default(),
            });
        }
    }
}

impl Run<'_> {
    /// Obeys the directive whose `#` was just read.
    pub(super) fn directive(&mut self, hash: PpToken) {
        self.in_directive = true;
        let files = self.buffers.files.len();
        let name = self.lex();
        match name.kind {
            PpKind::EndOfLine | PpKind::End => {}
            PpKind::Identifier => self.named_directive(hash, name),
            // A line marker of preprocessed text.
            PpKind::Number => self.line_directive(name, Some(name)),
            _ => self.fatal(name.span, "`#` is not followed by the name of a directive"),
        }
        // Tokens that a macro made and the directive did not want end with its line.
        while !self.buffers.contexts.is_empty() {
            self.pop_context();
        }
        if self.buffers.files.len() == files {
            self.skip_rest();
        }
        self.in_directive = false;
    }

    fn named_directive(&mut self, hash: PpToken, name: PpToken) {
        let names = self.names;
        let symbol = name.symbol;
        if symbol == names.define {
            self.define_directive();
        } else if symbol == names.undef {
            self.undef_directive();
        } else if symbol == names.if_ || symbol == names.ifdef || symbol == names.ifndef {
            self.if_directive(name);
        } else if symbol == names.endif {
            if self.open_condition(name).is_some() {
                self.buffers.conditions.pop();
            }
        } else if [names.elif, names.elifdef, names.elifndef, names.else_].contains(&symbol) {
            self.end_taken_group(name);
        } else if symbol == names.include || symbol == names.include_next || symbol == names.import
        {
            self.include_directive(name);
        } else if symbol == names.line {
            self.line_directive(name, None);
        } else if symbol == names.error {
            let text = self.rest_of_line();
            self.fatal(hash.span.to(name.span), format!("#error {text}").trim_end());
        } else if symbol == names.warning {
            let text = self.rest_of_line();
            self.warning(hash.span.to(name.span), format!("#warning {text}").trim_end());
        } else if symbol == names.pragma {
            self.pragma_directive(hash, name);
        } else if symbol != names.ident {
            let text = self.interner.text(symbol);
            self.fatal(name.span, format!("`#{text}` is not a directive"));
        }
    }

    /// Skips to the end of the directive's line.
    pub(super) fn skip_rest(&mut self) {
        let text = self.sources.bytes();
        if let Some(file) = self.buffers.files.last_mut() {
            file.lexer.skip_line(text);
        }
    }

    /// Returns the rest of the line as text, with single spaces for white space.
    fn rest_of_line(&mut self) -> String {
        let Some(file) = self.buffers.files.last_mut() else { return String::new() };
        let text = self.sources.bytes();
        let start = file.lexer.position;
        file.lexer.skip_line(text);
        let bytes = self.sources.slice(Span::new(start, file.lexer.position));
        let text = String::from_utf8_lossy(bytes);
        text.split_whitespace().filter(|word| *word != "\\").collect::<Vec<_>>().join(" ")
    }

    /// Reads a name in a directive. Reports a fatal diagnostic if there is none.
    pub(super) fn macro_name(&mut self) -> Option<PpToken> {
        let token = self.lex();
        if token.kind != PpKind::Identifier {
            self.fatal(token.span, "the name of a macro is missing here");
            return None;
        }
        if token.symbol == self.names.defined {
            self.fatal(token.span, "`defined` cannot be the name of a macro");
            return None;
        }
        Some(token)
    }

    fn undef_directive(&mut self) {
        if let Some(name) = self.macro_name() {
            self.macros.undefine(name.symbol);
        }
    }

    fn define_directive(&mut self) {
        let Some(name) = self.macro_name() else { return };
        let mut parameters = Vec::new();
        let mut kind = MacroKind::Object;
        let mut token = self.lex();
        if token.is(Punct::LParen) && !token.has(Flags::SPACE) {
            let Some(variadic) = self.parameters(&mut parameters) else { return };
            let Ok(count) = u16::try_from(parameters.len()) else {
                self.fatal(name.span, "a macro has at most 65535 parameters");
                return;
            };
            kind = MacroKind::Function { parameters: count, variadic };
            token = self.lex();
        }
        let start = self.macros.body_start();
        let Some(operators) = self.replacement_list(token, kind, &parameters) else {
            self.macros.truncate_bodies(start);
            return;
        };
        let body = Span::new(start, self.macros.body_start());
        let definition = Macro {
            name: name.symbol,
            kind,
            body,
            operators,
            active: false,
            definition: name.span,
        };
        self.check_redefinition(&definition);
        self.macros.define(definition);
    }

    fn check_redefinition(&mut self, definition: &Macro) {
        let Some(before) = self.macros.find(definition.name) else { return };
        let before = *self.macros.get(before);
        // Programs often define macros that newer versions predefine.
        let predefined = before.definition == Span::default();
        if predefined || self.macros.same(&before, definition) {
            return;
        }
        let text = self.interner.text(definition.name);
        let message = format!("macro `{text}` is defined again, and differently");
        self.warning(definition.definition, message);
        if let Some(Diagnostic { labels, .. }) = self.diagnostics.last_mut() {
            let message = "the earlier definition is here".to_owned();
            labels.push(Label { span: before.definition, message });
        }
    }

    /// Reads the parameters after `(`. Returns them, and whether the last takes the rest; `None` after a fatal
    /// diagnostic.
    fn parameters(&mut self, parameters: &mut Vec<Symbol>) -> Option<bool> {
        let mut token = self.lex();
        if token.is(Punct::RParen) {
            return Some(false);
        }
        loop {
            let variadic = match token.kind {
                PpKind::Identifier => {
                    if parameters.contains(&token.symbol) {
                        let text = self.interner.text(token.symbol);
                        self.fatal(token.span, format!("there are two parameters `{text}`"));
                        return None;
                    }
                    parameters.push(token.symbol);
                    token = self.lex();
                    let named = token.is(Punct::Ellipsis);
                    if named {
                        token = self.lex();
                    }
                    named
                }
                PpKind::Punct(Punct::Ellipsis) => {
                    parameters.push(self.names.va_args);
                    token = self.lex();
                    true
                }
                _ => {
                    self.fatal(token.span, "the name of a parameter is missing here");
                    return None;
                }
            };
            if token.is(Punct::RParen) {
                return Some(variadic);
            }
            if variadic || !token.is(Punct::Comma) {
                self.fatal(token.span, "the list of parameters lacks its `)`");
                return None;
            }
            token = self.lex();
        }
    }

    /// Reads a replacement list that begins with `token` into the table. Returns whether it has operators, or `None`
    /// after a fatal diagnostic.
    fn replacement_list(
        &mut self,
        mut token: PpToken,
        kind: MacroKind,
        parameters: &[Symbol],
    ) -> Option<bool> {
        let function = matches!(kind, MacroKind::Function { .. });
        let start = self.macros.body_start();
        let mut operators = false;
        let mut stringize: Option<PpToken> = None;
        token.flags = token.flags.without(Flags::SPACE);
        while !matches!(token.kind, PpKind::EndOfLine | PpKind::End) {
            let parameter = (token.kind == PpKind::Identifier)
                .then(|| parameters.iter().position(|&parameter| parameter == token.symbol))
                .flatten();
            if let Some(number) = parameter {
                token.kind = PpKind::Parameter;
                token.symbol = Symbol(number as u32);
            }
            if let Some(hash) = stringize.take() {
                if parameter.is_none() {
                    self.fatal(hash.span, "`#` is not followed by a parameter");
                    return None;
                }
                token.flags =
                    super::expand::spaced_like(token.flags, hash.flags).with(Flags::STRINGIZE);
            }
            if function && token.is(Punct::Hash) {
                operators = true;
                stringize = Some(token);
            } else if token.is(Punct::HashHash) {
                operators = true;
                if !self.macros.paste_last(start) {
                    self.fatal(token.span, "`##` cannot begin a replacement list");
                    return None;
                }
            } else {
                self.macros.push_body(token);
            }
            let pasted = token;
            token = self.lex();
            let ends = matches!(token.kind, PpKind::EndOfLine | PpKind::End);
            if ends && (pasted.is(Punct::HashHash) || stringize.is_some()) {
                self.fatal(pasted.span, "the operand of this operator is missing");
                return None;
            }
        }
        Some(operators || function)
    }

    /// Hands a pragma to the parser, or obeys it if it concerns the preprocessor.
    fn pragma_directive(&mut self, hash: PpToken, name: PpToken) {
        let at = hash.span.to(name.span);
        let (text, span) = self.pragma_text(at);
        if text == "once" {
            let path = self.including_name().into();
            self.buffers.once.push(path);
            return;
        }
        let symbol = self.interner.intern(&text);
        self.emit(PpToken { kind: PpKind::Pragma, flags: Flags::default(), symbol, span });
    }

    /// Returns the words of a pragma, and their place. If they do not stand as they are in one line, the place is `at`.
    fn pragma_text(&mut self, at: Span) -> (String, Span) {
        let words = self.rest_of_line();
        let Some(file) = self.buffers.files.last() else { return (words, at) };
        let whole = Span::new(at.end, file.lexer.position);
        let Ok(whole) = str::from_utf8(self.sources.slice(whole)) else { return (words, at) };
        let text = whole.trim();
        if text.is_empty() || text.contains('\\') {
            return (words, at);
        }
        let start = at.end + (whole.len() - whole.trim_start().len()) as u32;
        (text.to_owned(), Span::new(start, start + text.len() as u32))
    }

    /// Obeys `#line 7 "name"`, or the marker `# 7 "name" flags`, whose number is `first`.
    fn line_directive(&mut self, name: PpToken, first: Option<PpToken>) {
        let number = first.unwrap_or_else(|| self.expanded());
        let line = (number.kind == PpKind::Number)
            .then(|| self.interner.text(number.symbol).parse::<u32>().ok())
            .flatten();
        let Some(line) = line else {
            let span = if number.kind == PpKind::End { name.span } else { number.span };
            self.fatal(span, "`#line` takes a line number");
            return;
        };
        let file = self.expanded();
        let file_name = match file.kind {
            PpKind::String => Some(file.symbol),
            PpKind::End => None,
            _ => {
                self.fatal(file.span, "`#line` takes a file name in quotes");
                return;
            }
        };
        self.skip_rest();
        let Some(top) = self.buffers.files.last_mut() else { return };
        top.known_line = None;
        let next_line = (top.lexer.position + 1).min(top.lexer.end);
        let start = self.sources.range(top.id).start;
        // Without a name, the name in force stays.
        let presumed = match file_name {
            Some(symbol) => Some(unquote(self.interner.text(symbol))),
            None => Some(self.sources.position(name.span.start.max(start)).file.to_owned()),
        };
        self.sources.mark_line(next_line, line, presumed.as_deref());
    }

    fn include_directive(&mut self, name: PpToken) {
        let Some((header, quoted, span)) = self.header(name) else { return };
        self.skip_rest();
        if self.buffers.files.len() >= MAX_INCLUDE_DEPTH {
            self.fatal(
                span,
                format!("files include one another more than {MAX_INCLUDE_DEPTH} deep"),
            );
            return;
        }
        if self.sources.file_count() >= MAX_FILES {
            self.fatal(span, format!("the program includes more than {MAX_FILES} files"));
            return;
        }
        let including = self.including_name().to_owned();
        for path in include::candidates(&header, quoted, &including, self.include_dirs) {
            if self.buffers.once.contains(&path) {
                return;
            }
            match self.loader.load(&path) {
                Ok(bytes) => {
                    match self.sources.add(&path.to_string_lossy(), &bytes, Some(span.start)) {
                        Ok(id) => self.enter_file(id),
                        Err(error) => self.fatal(span, error.to_string()),
                    }
                    return;
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    self.fatal(span, format!("`{}` cannot be read: {error}", path.display()));
                    return;
                }
            }
        }
        let message = format!("`{header}` is not found");
        self.fatal_with_help(span, message, "name the folder it is in with `-I`");
    }

    /// Returns the header name of an `#include`, whether it is in quotes, and its place.
    fn header(&mut self, name: PpToken) -> Option<(String, bool, Span)> {
        let file = self.buffers.files.last_mut()?;
        let bytes = self.sources.bytes();
        file.lexer.skip_space(bytes);
        let start = file.lexer.position;
        let open = bytes.get(start as usize).copied();
        if let Some(open @ (b'"' | b'<')) = open {
            file.lexer.position += 1;
            let close = if open == b'<' { b'>' } else { b'"' };
            let header = file.lexer.header_name(bytes, close);
            let end = file.lexer.position;
            let Some(header) = header else {
                self.fatal(Span::new(start, start + 1), "this header name is never closed");
                return None;
            };
            let text = String::from_utf8_lossy(self.sources.slice(header)).into_owned();
            return Some((text, open == b'"', Span::new(start, end)));
        }
        let mut text = String::new();
        let mut span = Span::default();
        loop {
            let token = self.expanded();
            if token.kind == PpKind::End {
                break;
            }
            span = if text.is_empty() { token.span } else { span.to(token.span) };
            text.push_str(self.spelling(token));
        }
        let inside = |open: char, close: char| {
            text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).map(str::to_owned)
        };
        if let Some(header) = inside('"', '"') {
            Some((header, true, span))
        } else if let Some(header) = inside('<', '>') {
            Some((header, false, span))
        } else {
            self.fatal(name.span, "`#include` takes a header name in quotes or angle brackets");
            None
        }
    }
}

/// Returns the text of a string literal, with escapes of quotes and backslashes undone.
fn unquote(literal: &str) -> String {
    let inside = literal.trim_start_matches('L');
    let inside = inside.get(1..inside.len().saturating_sub(1)).unwrap_or_default();
    let mut text = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.extend(characters.next()),
            character => text.push(character),
        }
    }
    text
}
