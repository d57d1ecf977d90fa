//! The preprocessor: from the bytes of a program to the tokens the parser reads.
//!
//! [`Preprocessor`] holds what outlives a program (the dialect's macros, include folders, limits, buffers);
//! [`Run`] is one program on its way through.

mod condition;
mod directive;
mod expand;
mod groups;
mod include;
mod macros;
mod names;
mod operators;
mod predefined;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

pub use include::{FileSystem, Loader, NoFiles, read_capped};

use crate::{
    diagnostic::{Diagnostic, Severity},
    dialect::{Dialect, Feature},
    lex::{Flags, Lexer, PpKind, PpToken},
    source::{FileId, SourceMap},
    span::Span,
    symbol::{Interner, Symbol},
    token::{Keyword, Punct, Token, TokenKind},
};
use expand::Context;
use macros::MacroTable;
use names::Names;

/// Limits of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most tokens handed to the parser, and most tokens made by macros.
    pub max_tokens: usize,
}

impl Limits {
    /// Default of `max_tokens`: a program of some ten megabytes, and at most some 200 megabytes of memory.
    pub const TOKENS: usize = 1 << 22;

    /// Largest `max_tokens`: texts made by more tokens might not fit into 32-bit offsets.
    pub const MOST_TOKENS: usize = 1 << 28;
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_tokens: Self::TOKENS }
    }
}

/// Deepest chain of `#include`.
const MAX_INCLUDE_DEPTH: usize = 200;

/// Most files of one program.
const MAX_FILES: usize = 10_000;

/// Preprocesses one program after the other, in one dialect.
#[derive(Clone, Debug)]
pub struct Preprocessor {
    names: Names,
    macros: MacroTable,
    /// By symbol number, for the numbers of [`Keyword::SPELLINGS`]: what the spelling is in this dialect.
    keywords: Vec<TokenKind>,
    include_dirs: Vec<PathBuf>,
    limits: Limits,
    buffers: Buffers,
}

/// Memory used again from program to program; empty in between.
#[derive(Clone, Debug, Default)]
struct Buffers {
    files: Vec<OpenFile>,
    conditions: Vec<Condition>,
    contexts: Vec<Context>,
    /// The tokens that contexts read, those of the innermost last.
    tokens: Vec<PpToken>,
    /// Arguments of the calls under way, the innermost last.
    arguments: Vec<PpToken>,
    /// Replacement lists under construction, the innermost last.
    scratch: Vec<PpToken>,
    text: String,
    once: Vec<PathBuf>,
}

/// A file being read.
#[derive(Clone, Debug)]
struct OpenFile {
    lexer: Lexer,
    id: FileId,
    /// Number of conditions that were open where the file begins.
    conditions: usize,
    /// An offset whose line is known, so that `__LINE__` need not count from the start.
    known_line: Option<KnownLine>,
}

#[derive(Clone, Copy, Debug)]
struct KnownLine {
    offset: u32,
    line: u32,
}

/// An `#if` not yet closed.
#[derive(Clone, Copy, Debug)]
struct Condition {
    opened: Span,
    /// Whether one of its groups was taken.
    taken: bool,
    seen_else: bool,
}

impl Preprocessor {
    /// Returns a preprocessor for programs of `dialect`. Seals `interner`, which every program must use.
    pub fn new(dialect: Dialect, interner: &mut Interner) -> Self {
        let mut preprocessor = Self {
            names: Names::new(interner),
            macros: MacroTable::default(),
            keywords: keywords(dialect),
            include_dirs: Vec::new(),
            limits: Limits::default(),
            buffers: Buffers::default(),
        };
        preprocessor.define_special();
        preprocessor.macros.seal();
        preprocessor.add_definitions(&predefined::definitions(dialect), interner);
        preprocessor
    }

    /// Obeys lines of `#define` and `#undef`, for every program from now on. Returns the mistakes in them.
    pub fn add_definitions(&mut self, lines: &str, interner: &mut Interner) -> Vec<Diagnostic> {
        self.macros.reset();
        let mut sources = SourceMap::default();
        let mut diagnostics = Vec::new();
        match sources.add("<command line>", lines.as_bytes(), None) {
            Ok(main) => {
                let mut output = Vec::new();
                self.start(&mut sources, interner, &NoFiles, &mut output, &mut diagnostics)
                    .run(main);
            }
            Err(error) => diagnostics.push(fatal(Span::default(), error.to_string())),
        }
        self.macros.seal();
        interner.seal();
        diagnostics
    }

    /// Adds a folder in which `#include` looks, after the earlier ones.
    pub fn add_include_dir(&mut self, folder: PathBuf) {
        self.include_dirs.push(folder);
    }

    /// Changes the limits; [`Limits::MOST_TOKENS`] is the most.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = Limits { max_tokens: limits.max_tokens.min(Limits::MOST_TOKENS) };
    }

    /// Turns the program whose main file is `main` into tokens. `output` is cleared first and ends with
    /// [`TokenKind::End`]; included files join `sources`. After a fatal diagnostic `output` is incomplete.
    pub fn preprocess(
        &mut self,
        main: FileId,
        sources: &mut SourceMap,
        interner: &mut Interner,
        loader: &dyn Loader,
        output: &mut Vec<Token>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        output.clear();
        // Definitions of the last program stay until here, for reports on it.
        self.macros.reset();
        self.start(sources, interner, loader, output, diagnostics).run(main);
    }

    /// Returns the place where the last program defines the macro `name`, if the macro is defined at its end.
    pub fn definition_of(&self, name: Symbol) -> Option<Span> {
        let definition = self.macros.get(self.macros.find(name)?).definition;
        (definition != Span::default()).then_some(definition)
    }

    fn start<'run>(
        &'run mut self,
        sources: &'run mut SourceMap,
        interner: &'run mut Interner,
        loader: &'run dyn Loader,
        output: &'run mut Vec<Token>,
        diagnostics: &'run mut Vec<Diagnostic>,
    ) -> Run<'run> {
        let buffers = &mut self.buffers;
        buffers.files.clear();
        buffers.conditions.clear();
        buffers.contexts.clear();
        buffers.tokens.clear();
        buffers.arguments.clear();
        buffers.scratch.clear();
        buffers.once.clear();
        Run {
            names: &self.names,
            macros: &mut self.macros,
            keywords: &self.keywords,
            include_dirs: &self.include_dirs,
            limits: self.limits,
            buffers: &mut self.buffers,
            sources,
            interner,
            loader,
            output,
            diagnostics,
            in_directive: false,
            stopped: false,
            depth: 0,
            made: 0,
            counter: 0,
            call: Span::default(),
        }
    }
}

/// The state of preprocessing one program.
struct Run<'run> {
    names: &'run Names,
    macros: &'run mut MacroTable,
    keywords: &'run [TokenKind],
    include_dirs: &'run [PathBuf],
    limits: Limits,
    buffers: &'run mut Buffers,
    sources: &'run mut SourceMap,
    interner: &'run mut Interner,
    loader: &'run dyn Loader,
    output: &'run mut Vec<Token>,
    diagnostics: &'run mut Vec<Diagnostic>,
    /// Whether tokens end at the end of the line.
    in_directive: bool,
    /// A fatal diagnostic was given: nothing more is read.
    stopped: bool,
    /// Number of arguments that are being expanded inside one another.
    depth: u32,
    /// Number of tokens made by macros.
    made: usize,
    counter: u32,
    /// The outermost macro call under way.
    call: Span,
}

impl Run<'_> {
    fn run(mut self, main: FileId) {
        self.enter_file(main);
        loop {
            self.hand_over_plain();
            let token = self.expanded();
            if token.kind == PpKind::End {
                break;
            }
            self.emit(token);
        }
        let end = self.output.last().map_or(0, |token| token.span.end);
        let end = if self.stopped { end } else { self.sources.range(main).end };
        self.output.push(Token {
            kind: TokenKind::End,
            symbol: Symbol::EMPTY,
            span: Span::new(end, end),
        });
        // A name must not stay painted for the next program.
        while let Some(context) = self.buffers.contexts.pop() {
            context.close(self.macros);
        }
    }

    fn enter_file(&mut self, id: FileId) {
        let range = self.sources.range(id);
        let mut lexer = Lexer::new(range);
        if self.sources.slice(range).starts_with(crate::source::BYTE_ORDER_MARK) {
            lexer.position += 3;
        }
        self.buffers.files.push(OpenFile {
            lexer,
            id,
            conditions: self.buffers.conditions.len(),
            known_line: None,
        });
    }

    /// Returns the next token of the innermost file, and obeys directives before it; [`PpKind::End`] at the end of the
    /// main file.
    fn next_in_file(&mut self) -> PpToken {
        loop {
            let token = self.lex();
            match token.kind {
                PpKind::Punct(Punct::Hash)
                    if token.has(Flags::LINE_START) && !self.in_directive =>
                {
                    self.directive(token);
                }
                PpKind::End if self.leave_file() => {}
                PpKind::EndOfLine => return PpToken { kind: PpKind::End, ..token },
                _ => return token,
            }
        }
    }

    /// Returns the next token of the innermost file, of any kind.
    fn lex(&mut self) -> PpToken {
        let Some(file) = self.buffers.files.last_mut().filter(|_| !self.stopped) else {
            return end_token();
        };
        let text = self.sources.bytes();
        if self.in_directive {
            file.lexer.next_in_line(text, self.interner)
        } else {
            file.lexer.next(text, self.interner)
        }
    }

    /// Leaves the innermost file. Returns whether another is resumed.
    fn leave_file(&mut self) -> bool {
        let Some(file) = self.buffers.files.pop() else { return false };
        if let Some(start) = file.lexer.open_comment {
            self.fatal(Span::new(start, start + 2), "this comment is never closed");
        }
        if let Some(&open) = self.buffers.conditions.get(file.conditions) {
            self.fatal(open.opened, "this condition lacks its `#endif`");
        }
        !self.stopped && !self.buffers.files.is_empty()
    }

    /// Hands tokens of the file to the parser until a macro or a directive. Most tokens of most programs take this
    /// short way.
    fn hand_over_plain(&mut self) {
        if !self.buffers.contexts.is_empty() || self.stopped {
            return;
        }
        let Some(file) = self.buffers.files.last_mut() else { return };
        let text = self.sources.bytes();
        while self.output.len() < self.limits.max_tokens {
            let before = file.lexer;
            let token = file.lexer.next(text, self.interner);
            let kind = match token.kind {
                PpKind::Identifier if self.macros.find(token.symbol).is_none() => {
                    keyword(self.keywords, token.symbol)
                }
                PpKind::Punct(punct) if punct != Punct::Hash => TokenKind::Punct(punct),
                PpKind::Number => number_kind(self.interner.text(token.symbol)),
                _ => {
                    file.lexer = before;
                    return;
                }
            };
            self.output.push(Token { kind, symbol: token.symbol, span: token.span });
        }
    }

    /// Hands a token to the parser.
    fn emit(&mut self, token: PpToken) {
        let kind = match token.kind {
            PpKind::Identifier => keyword(self.keywords, token.symbol),
            PpKind::Punct(punct) => TokenKind::Punct(punct),
            PpKind::Number => number_kind(self.interner.text(token.symbol)),
            PpKind::Character => TokenKind::Character,
            PpKind::String => TokenKind::String,
            PpKind::Pragma => TokenKind::Pragma,
            PpKind::Stray => return self.stray(token),
            PpKind::Parameter | PpKind::Placemarker | PpKind::EndOfLine | PpKind::End => return,
        };
        if self.output.len() >= self.limits.max_tokens {
            let message = format!("the program has more than {} tokens", self.limits.max_tokens);
            self.fatal_with_help(token.span, message, "raise the limit with `--max-tokens`");
            return;
        }
        self.output.push(Token { kind, symbol: token.symbol, span: token.span });
    }

    fn stray(&mut self, token: PpToken) {
        let text = self.interner.text(token.symbol);
        let message = match text.as_bytes().first() {
            Some(b'"' | b'L') => "this string is never closed".to_owned(),
            Some(b'\'') => "this character constant is never closed".to_owned(),
            _ => format!("`{}` begins no token of the language", text.escape_debug()),
        };
        let span = Span::new(token.span.start, token.span.end.min(token.span.start + 1));
        self.fatal(span, message);
    }

    fn fatal(&mut self, span: Span, message: impl Into<String>) {
        // Errors after the first fatal one are consequences.
        if !self.stopped {
            self.diagnostics.push(fatal(span, message.into()));
            self.stopped = true;
        }
    }

    fn fatal_with_help(&mut self, span: Span, message: impl Into<String>, help: &str) {
        if !self.stopped {
            let help = Some(help.to_owned());
            self.diagnostics.push(Diagnostic { help, ..fatal(span, message.into()) });
            self.stopped = true;
        }
    }

    fn warning(&mut self, span: Span, message: impl Into<String>) {
        let severity = Severity::Warning;
        self.diagnostics.push(Diagnostic { severity, ..fatal(span, message.into()) });
    }
}

fn fatal(span: Span, message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Fatal,
        rule: None,
        message,
        span,
        labels: Vec::new(),
        help: None,
        note: None,
        suppression: None,
        mends: [None; 2],
    }
}

const fn end_token() -> PpToken {
    PpToken { kind: PpKind::End, flags: Flags::SPACE, symbol: Symbol::EMPTY, span: Span::new(0, 0) }
}

/// Returns whether a number is an integer or a floating constant, by its spelling.
fn number_kind(text: &str) -> TokenKind {
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let floating = text.bytes().any(|byte| match byte {
        b'.' => true,
        b'e' | b'E' => !hexadecimal,
        b'p' | b'P' => hexadecimal,
        _ => false,
    });
    if floating { TokenKind::Float } else { TokenKind::Integer }
}

/// Returns the kind that the name `symbol` has for the parser.
fn keyword(keywords: &[TokenKind], symbol: Symbol) -> TokenKind {
    keywords.get(symbol.0 as usize).copied().unwrap_or(TokenKind::Identifier)
}

/// Returns the kind that each spelling of the table of keywords has in `dialect`, by symbol number.
fn keywords(dialect: Dialect) -> Vec<TokenKind> {
    let kind = |keyword| match keyword {
        Keyword::Pipe if !dialect.has(Feature::Pipes) => TokenKind::Identifier,
        keyword => TokenKind::Keyword(keyword),
    };
    let spelled = Keyword::SPELLINGS.iter().map(|&(_, keyword)| kind(keyword));
    std::iter::once(TokenKind::Identifier).chain(spelled).collect()
}
