//! The checker itself: one dialect, one program after the other.

use std::{path::PathBuf, sync::Arc};

use thiserror::Error;

use crate::{
    allow,
    diagnostic::{Diagnostic, Label, Severity},
    dialect::Dialect,
    mention::Mention,
    objects::{self, ProgramObjects},
    preprocess::{Limits, Loader, NoFiles, Preprocessor},
    rule::{Rule, RuleSet},
    sema::{self, Memory, analyser::Arena},
    source::SourceMap,
    span::Span,
    symbol::Interner,
    token::Token,
};

/// The judgement of a program as a whole; worse is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// No rule is broken.
    Accepted,
    /// Some rule is broken.
    Broken,
    /// The program could not be read to its end, or has a name without a declaration.
    NotUnderstood,
}

/// A macro definition that the preprocessor cannot read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{definition}` is not a macro definition: {reason}")]
pub struct BadDefinition {
    /// The definition as it was given.
    pub definition: String,
    /// The mistake in it.
    pub reason: String,
}

/// The settings of a checker besides its dialect.
#[derive(Clone, Debug)]
struct Settings {
    /// Lines of `#define` and `#undef`.
    definitions: Vec<String>,
    include_dirs: Vec<PathBuf>,
    loader: Arc<dyn Loader>,
    limits: Limits,
    disabled: RuleSet,
    /// Severity of a warning.
    warnings: Severity,
}

/// Judges programs in one dialect.
///
/// Making one costs as much as a dozen small programs, so keep it; programs leave nothing behind in it.
///
/// ```
/// use checker::{Checker, Dialect, Verdict, Version};
///
/// let mut checker = Checker::new(Dialect::new(Version::V1_2));
/// let report = checker.check("k.cl", "kernel void k(global int *p) { local int *q = p; }");
/// assert_eq!(report.verdict, Verdict::Broken);
/// assert_eq!(report.diagnostics[0].rule.map(|rule| rule.id()), Some("conversion/implicit"));
/// assert_eq!(report.sources.position(report.diagnostics[0].span.start).column, 47);
/// ```
#[derive(Debug)]
pub struct Checker {
    dialect: Dialect,
    settings: Settings,
    interner: Interner,
    preprocessor: Preprocessor,
    sources: SourceMap,
    tokens: Vec<Token>,
    memory: Memory,
    diagnostics: Vec<Diagnostic>,
}

/// The findings in one program. It lives until the next program is checked.
#[derive(Clone, Copy, Debug)]
pub struct Report<'checker> {
    /// Judgement of the whole program.
    pub verdict: Verdict,
    /// Findings in the order of discovery.
    pub diagnostics: &'checker [Diagnostic],
    /// The files that their spans refer to.
    pub sources: &'checker SourceMap,
    /// The names of the program; none unless [`Checker::note_mentions`] asked for them.
    pub mentions: &'checker [Mention],
    /// The meaning of the program.
    pub(crate) arena: &'checker Arena,
}

impl Checker {
    /// Returns a checker that enforces every rule and has no include folders and no macros of its own. It reads no
    /// files: see [`Checker::files`].
    pub fn new(dialect: Dialect) -> Self {
        let settings = Settings {
            definitions: Vec::new(),
            include_dirs: Vec::new(),
            loader: Arc::new(NoFiles),
            limits: Limits::default(),
            disabled: RuleSet::EMPTY,
            warnings: Severity::Warning,
        };
        Self::with_settings(dialect, settings)
    }

    fn with_settings(dialect: Dialect, settings: Settings) -> Self {
        let mut interner = Interner::default();
        let mut preprocessor = Preprocessor::new(dialect, &mut interner);
        for line in &settings.definitions {
            preprocessor.add_definitions(line, &mut interner);
        }
        for folder in &settings.include_dirs {
            preprocessor.add_include_dir(folder.clone());
        }
        preprocessor.set_limits(settings.limits);
        let memory = Memory::new(&mut interner);
        Self {
            dialect,
            settings,
            interner,
            preprocessor,
            sources: SourceMap::default(),
            tokens: Vec::new(),
            memory,
            diagnostics: Vec::new(),
        }
    }

    /// Returns a checker with the same settings for another dialect.
    #[must_use]
    pub fn for_dialect(&self, dialect: Dialect) -> Self {
        Self::with_settings(dialect, self.settings.clone())
    }

    /// Switches `rule` off.
    #[must_use]
    pub fn without(mut self, rule: Rule) -> Self {
        self.settings.disabled = self.settings.disabled.with(rule);
        self
    }

    /// Notes every name of a program, for an editor.
    #[must_use]
    pub fn note_mentions(mut self) -> Self {
        self.memory.note_mentions();
        self
    }

    /// Makes every warning an error.
    #[must_use]
    pub fn deny_warnings(mut self) -> Self {
        self.settings.warnings = Severity::Error;
        self
    }

    /// Defines a macro for every program, as `-D` does: `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`.
    pub fn define(self, definition: &str) -> Result<Self, BadDefinition> {
        let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
        self.add_line(definition, &format!("#define {name} {value}\n"))
    }

    /// Undefines a macro for every program, predefined ones included, as `-U` does.
    pub fn undefine(self, name: &str) -> Result<Self, BadDefinition> {
        self.add_line(name, &format!("#undef {name}\n"))
    }

    fn add_line(mut self, definition: &str, line: &str) -> Result<Self, BadDefinition> {
        let bad = |reason: &str| BadDefinition {
            definition: definition.escape_debug().to_string(),
            reason: reason.to_owned(),
        };
        if definition.contains(['\n', '\r']) || definition.ends_with('\\') {
            return Err(bad("it is more than one line"));
        }
        let said = self.preprocessor.add_definitions(line, &mut self.interner);
        if let Some(fatal) = said.iter().find(|said| said.severity == Severity::Fatal) {
            return Err(bad(&fatal.message));
        }
        self.settings.definitions.push(line.to_owned());
        Ok(self)
    }

    /// Adds a folder in which `#include` looks, after those added before.
    #[must_use]
    pub fn include_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        self.preprocessor.add_include_dir(folder.clone());
        self.settings.include_dirs.push(folder);
        self
    }

    /// Lets `#include` read files through `loader`. [`crate::preprocess::FileSystem`] reads the machine's files.
    #[must_use]
    pub fn files(mut self, loader: impl Loader + 'static) -> Self {
        self.settings.loader = Arc::new(loader);
        self
    }

    /// Changes the limits of a program.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.preprocessor.set_limits(limits);
        self.settings.limits = limits;
        self
    }

    /// Returns the dialect in which programs are read.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Judges the program `source`. The report calls its file `name`, and `#include "..."` looks beside that file. The
    /// text need not be UTF-8 in comments and strings.
    pub fn check(&mut self, name: &str, source: impl AsRef<[u8]>) -> Report<'_> {
        self.interner.reset();
        self.sources.clear();
        self.tokens.clear();
        self.diagnostics.clear();
        match self.sources.add(name, source.as_ref(), None) {
            Ok(main) => self.preprocessor.preprocess(
                main,
                &mut self.sources,
                &mut self.interner,
                self.settings.loader.as_ref(),
                &mut self.tokens,
                &mut self.diagnostics,
            ),
            Err(error) => self.diagnostics.push(Diagnostic {
                severity: Severity::Fatal,
                rule: None,
                message: error.to_string(),
                span: Span::default(),
                labels: Vec::new(),
                help: None,
                note: None,
                suppression: None,
                mends: [None; 2],
            }),
        }
        if self.diagnostics.iter().all(|said| said.severity != Severity::Fatal) {
            sema::analyse(
                &self.tokens,
                &self.interner,
                self.dialect,
                self.settings.disabled,
                &mut self.memory,
                &mut self.diagnostics,
            );
        }
        allow::apply(&mut self.sources, self.settings.disabled, &mut self.diagnostics);
        for said in &mut self.diagnostics {
            if said.severity == Severity::Warning {
                said.severity = self.settings.warnings;
            }
        }
        if !self.diagnostics.is_empty() {
            self.sources.index_lines();
            self.point_at_macros();
        }
        self.last_report()
    }

    /// Returns the last report of [`Checker::check`] again.
    pub fn last_report(&self) -> Report<'_> {
        let counted = self.diagnostics.iter().filter(|said| said.suppression.is_none());
        let worst = counted.map(|diagnostic| diagnostic.severity).max();
        let verdict = match worst {
            None | Some(Severity::Note | Severity::Warning) => Verdict::Accepted,
            Some(Severity::Error) => Verdict::Broken,
            Some(Severity::Fatal) => Verdict::NotUnderstood,
        };
        Report {
            verdict,
            diagnostics: &self.diagnostics,
            sources: &self.sources,
            mentions: self.memory.mentions(),
            arena: self.memory.arena(),
        }
    }

    /// Returns the objects of the last program; none if it was not understood.
    pub fn objects(&mut self) -> ProgramObjects {
        if self.last_report().verdict == Verdict::NotUnderstood {
            return ProgramObjects::default();
        }
        self.sources.index_lines();
        objects::list(self.memory.arena(), &self.interner, &self.sources)
    }

    /// Labels the definition of the macro whose expansion has a finding.
    fn point_at_macros(&mut self) {
        let troubles =
            self.diagnostics.iter_mut().filter(|diagnostic| diagnostic.severity >= Severity::Error);
        for diagnostic in troubles {
            let place = self.sources.slice(Span::new(diagnostic.span.start, u32::MAX));
            let length = place
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                .count();
            let Ok(name) = str::from_utf8(&place[..length]) else { continue };
            let symbol = self.interner.get(name);
            if let Some(span) = symbol.and_then(|symbol| self.preprocessor.definition_of(symbol))
                && span != diagnostic.span
            {
                let message = format!("macro `{name}` is defined here");
                diagnostic.labels.push(Label { span, message });
            }
        }
    }
}
