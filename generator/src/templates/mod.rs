//! Kernel templates: a choice and a dialect in, a program out.

use std::collections::{BTreeMap, BTreeSet};

use expectations::{
    dialect::Dialect,
    load::{FileError, SHARED, place},
    located::Part,
    predicate::suggestion,
    probe::{Probe, read::read},
    rule::Rule,
    space::AddressSpace,
};
use tera::{Context, Delimiters, ErrorKind, Tera, Value};
use thiserror::Error;

use self::laws::{Laws, Template};
use crate::{
    blocks::unbalanced,
    files::{ENDING, KERNELS, PROBE_ENDING, PROBES, kernel_name},
    types,
};

mod laws;
mod tags;

/// Marks the line an error belongs on; removed from the kernel.
pub const GUILTY_MARK: &str = "/*@*/";

/// Every kernel template, parsed.
pub struct Templates {
    tera: Tera,
    /// Files of kernels below their folder, by name.
    kernels: BTreeMap<String, String>,
    probes: Vec<String>,
    variables: BTreeMap<String, BTreeSet<String>>,
    /// Parsed templates for the laws, by their names in Tera.
    read: BTreeMap<String, Template>,
    sources: Vec<(String, String)>,
}

/// A template that cannot be read, does not fit its rule, or fails on a point.
#[derive(Debug, Error)]
pub enum TemplateError {
    /// The engine cannot be used.
    #[error("the template engine cannot be used: {0}")]
    Engine(String),
    /// A template does not parse.
    #[error(transparent)]
    Parse(FileError),
    /// A template cannot be rendered for a point.
    #[error("{template} fails for {case}: {message}")]
    Render {
        template: String,
        case: String,
        /// Message of the template engine.
        message: String,
    },
    /// A probe is wrong.
    #[error(transparent)]
    Probe(#[from] FileError),
    /// A template left its own syntax behind.
    #[error("templates/kernels/{template} leaves `{left_over}` in the kernel of {case}")]
    LeftOver {
        template: String,
        case: String,
        /// The syntax.
        left_over: &'static str,
    },
    /// No line is marked although the case must be rejected.
    #[error("templates/kernels/{template} marks no guilty line ({GUILTY_MARK}) in {case}")]
    NoGuiltyLine { template: String, case: String },
    /// A template declares a name at file scope without the prefix.
    #[error(transparent)]
    WithoutPrefix(FileError),
    /// Templates use what their rules do not have; every error of every template.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Laws(Vec<FileError>),
}

/// Disagreement between a rule and its templates.
#[derive(Clone, Debug)]
pub struct Misfit<'r> {
    /// The part of the rule that asks.
    pub part: Part<'r>,
    /// Description of the disagreement, and what to write instead.
    pub message: String,
}

/// A point of a rule in the form that templates use.
#[derive(Clone, Copy, Debug)]
pub struct PointOf<'c> {
    /// The choice on every axis.
    pub choice: &'c [u16],
    pub dialect: Dialect,
    /// The case's id, for messages.
    pub case: &'c str,
    /// Prefix of every file-scope name.
    pub prefix: &'c str,
    /// Seed of the random values of a probe.
    pub seed: u32,
}

/// A rendered case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The program: `OpenCL` C, or the text of a module.
    pub source: String,
    /// Lines, from 1, an error belongs on.
    pub guilty_lines: Vec<u32>,
}

impl Templates {
    /// Builds the templates of kernels and of probes from their texts: those of kernels by their paths below their
    /// folder, those of probes by such paths without ending.
    pub fn from_sources(
        mut sources: Vec<(String, String)>,
        mut probes: Vec<(String, String)>,
    ) -> Result<Self, TemplateError> {
        sources.sort();
        probes.sort();
        let mut tera = Tera::new();
        tera.set_delimiters(delimiters())
            .map_err(|error| TemplateError::Engine(error.to_string()))?;
        let kernel_texts = sources.iter().cloned();
        let probe_texts =
            probes.iter().map(|(name, text)| (format!("{name}{PROBE_ENDING}"), text.clone()));
        let named = kernel_texts.chain(probe_texts);
        let texts: BTreeMap<String, String> = named.collect();
        let parse_error = |error: tera::Error| TemplateError::Parse(parse_error(&texts, &error));
        tera.add_raw_templates(texts.clone()).map_err(parse_error)?;
        let named =
            |(file, _): &(String, String)| Some((kernel_name(file)?.to_owned(), file.clone()));
        let kernels: BTreeMap<String, String> = sources.iter().filter_map(named).collect();
        let probe_names: Vec<String> = probes.iter().map(|(name, _)| name.clone()).collect();
        let mut read = BTreeMap::new();
        let mut unread = Vec::new();
        let kernel_texts = sources.iter().map(|(file, text)| (KERNELS, file.clone(), text));
        let probe_texts =
            probes.iter().map(|(name, text)| (PROBES, format!("{name}{PROBE_ENDING}"), text));
        for (folder, file, text) in kernel_texts.chain(probe_texts) {
            match Template::read(format!("{folder}/{file}"), text) {
                Ok(template) => _ = read.insert(file, template),
                Err(error) => unread.push(error),
            }
        }
        if !unread.is_empty() {
            return Err(TemplateError::Laws(unread));
        }
        let mut variables = BTreeMap::new();
        let probe_files = probes.iter().map(|(name, _)| format!("{name}{PROBE_ENDING}"));
        for file in kernels.values().cloned().chain(probe_files) {
            let used = tera.get_template_variables(&file).map_err(parse_error)?;
            let used = used.into_iter().map(str::to_owned).collect();
            variables.insert(file, used);
        }
        sources
            .extend(probes.into_iter().map(|(name, text)| (format!("{name}{PROBE_ENDING}"), text)));
        Ok(Self { tera, kernels, probes: probe_names, variables, read, sources })
    }

    /// Returns the paths of the templates of kernels without ending, sorted.
    pub fn kernels(&self) -> Vec<&str> {
        self.kernels.keys().map(String::as_str).collect()
    }

    /// Returns the file below the folder of kernels of the template of this name.
    pub(crate) fn file_of(&self, name: &str) -> String {
        self.kernels.get(name).cloned().unwrap_or_else(|| format!("{name}{ENDING}"))
    }

    /// Returns the paths of the templates of probes without ending, sorted.
    pub fn probes(&self) -> Vec<&str> {
        self.probes.iter().map(String::as_str).collect()
    }

    /// Returns the name and the text of every template, sorted by name.
    pub fn sources(&self) -> &[(String, String)] {
        &self.sources
    }

    /// Returns the paths in the repository of the templates that a rule uses, with those that they include.
    pub fn files_of(&self, rule: &Rule) -> BTreeSet<String> {
        let probe = rule.probe.iter().map(|probe| format!("{probe}{PROBE_ENDING}"));
        let mut left: Vec<String> = probe.chain([self.file_of(&rule.template)]).collect();
        let mut files = BTreeSet::new();
        while let Some(file) = left.pop() {
            let is_probe = file.ends_with(PROBE_ENDING);
            let path = format!("{}/{file}", if is_probe { PROBES } else { KERNELS });
            if files.insert(path) {
                left.extend(included(self.source(&file)).map(str::to_owned));
            }
        }
        files
    }

    /// Returns the text of a template by the name it is included by.
    fn source(&self, file: &str) -> &str {
        let found = self.sources.iter().find(|(name, _)| name == file);
        found.map_or("", |(_, text)| text.as_str())
    }

    /// Returns the error for a name at file scope that a template, or one that it includes, writes without the prefix.
    pub(crate) fn without_prefix(&self, template: &str, case: &str, name: &str) -> TemplateError {
        let file = self.file_of(template);
        let mut files = std::iter::once(file.as_str()).chain(included(self.source(&file)));
        let (file, at) = files
            .find_map(|file| Some((file, word(self.source(file), name)?)))
            .unwrap_or((&file, 0));
        let message = format!(
            "`{name}` is a name at file scope without the prefix, as {case} shows: write `[< p \
             >]{name}` wherever it is used; cases that share a name cannot share a program"
        );
        TemplateError::WithoutPrefix(place(
            &format!("{KERNELS}/{file}"),
            self.source(file),
            at,
            message,
        ))
    }

    /// Returns errors for templates that are never used: those without a rule, and shared ones of fewer than two rules.
    pub fn stray(&self, rules: &[Rule]) -> Vec<FileError> {
        let mut users: BTreeMap<String, usize> = BTreeMap::new();
        for rule in rules {
            let probe = rule.probe.iter().map(|probe| format!("{probe}{PROBE_ENDING}"));
            for file in probe.chain([self.file_of(&rule.template)]) {
                *users.entry(file).or_default() += 1;
            }
        }
        for (_, text) in &self.sources {
            for file in included(text) {
                *users.entry(file.to_owned()).or_default() += 1;
            }
        }
        let ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
        let kernels =
            self.kernels.iter().map(|(name, file)| ("kernels", name.as_str(), file.clone()));
        let probes = self
            .probes
            .iter()
            .map(|name| ("probes", name.as_str(), format!("{name}{PROBE_ENDING}")));
        let problem = |name: &str, file: &str| {
            let shared = name.starts_with(SHARED);
            match users.get(file).copied().unwrap_or_default() {
                0 if shared => Some("nothing uses it: delete it".to_owned()),
                1 if shared => Some("only one rule uses it: give it that rule's name".to_owned()),
                0 if ids.contains(&name) => {
                    Some(format!("the rule `{name}` uses another `template`: delete one of them"))
                }
                0 => Some(format!("`{name}` is not a rule{}", suggestion(name, &ids))),
                _ => None,
            }
        };
        let stray = kernels.chain(probes).filter_map(|(folder, name, file)| {
            let message = problem(name, &file)?;
            let path = format!("templates/{folder}/{file}");
            Some(FileError { path, line: 1, column: 1, message })
        });
        stray.collect()
    }

    /// Checks that the rule's axes are those which its templates use.
    pub fn check<'r>(&self, rule: &'r Rule) -> Result<(), Misfit<'r>> {
        let used_by = |file: &str| self.variables.get(file).cloned();
        let kernel = self.file_of(&rule.template);
        let mut used = used_by(&kernel).unwrap_or_default();
        if !rule.wrong.is_empty() && !used.contains("wrong") {
            return Err(Misfit {
                part: Part::Key("template"),
                message: format!(
                    "templates/kernels/{kernel} has no wrong kernels: use the variable `wrong`"
                ),
            });
        }
        if let Some(probe) = &rule.probe {
            let more = used_by(&format!("{probe}{PROBE_ENDING}")).unwrap_or_default();
            used.extend(more);
        }
        for (axis, values) in &rule.axes {
            if !used.contains(axis)
                && !used.contains(&qualifier_variable(axis))
                && axis != "spelling"
            {
                let message = format!(
                    "templates/kernels/{kernel} does not use the axis `{axis}`: write `[< {axis} >]` there, or remove the axis"
                );
                return Err(Misfit { part: Part::Axis(axis), message });
            }
            if types::is_type_axis(axis) {
                for value in values {
                    if types::find(value).is_none() {
                        let known: Vec<&str> =
                            types::TYPES.iter().map(|facts| facts.name).collect();
                        let hint = suggestion(value, &known);
                        let message = format!("`{value}` on the axis `{axis}` is not a type{hint}");
                        return Err(Misfit { part: Part::Axis(axis), message });
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks the laws of templates: a variable that is not known, or a value that an axis never has, would be a branch
    /// that is silently never taken.
    pub fn check_laws(&self, rules: &[Rule]) -> Result<(), TemplateError> {
        let mut laws = Laws::new(&self.read);
        for rule in rules {
            laws.follow(rule, &self.file_of(&rule.template));
            if let Some(probe) = &rule.probe {
                laws.follow(rule, &format!("{probe}{PROBE_ENDING}"));
            }
        }
        let errors = laws.errors();
        if errors.is_empty() { Ok(()) } else { Err(TemplateError::Laws(errors)) }
    }

    /// Renders the kernel of a point; `wrong` names the wrong kernel, if one is wanted.
    pub fn render(
        &self,
        rule: &Rule,
        point: &PointOf<'_>,
        wrong: Option<&str>,
    ) -> Result<Kernel, TemplateError> {
        let case = point.case;
        let mut context = context(rule, point);
        context.insert("wrong", wrong.unwrap_or_default());
        let template = self.file_of(&rule.template);
        let text =
            self.tera.render(&template, &context).map_err(|error| TemplateError::Render {
                template: format!("templates/kernels/{template}"),
                case: case.to_owned(),
                message: error.to_string(),
            })?;
        for left_over in ["[%", "%]", "[<", ">]", "[#", "#]"] {
            if text.contains(left_over) {
                return Err(TemplateError::LeftOver { template, case: case.to_owned(), left_over });
            }
        }
        Ok(tidy(&text))
    }

    /// Renders the probe of a point, if the rule has one.
    pub fn render_probe(
        &self,
        rule: &Rule,
        point: &PointOf<'_>,
    ) -> Result<Option<String>, TemplateError> {
        let Some(name) = &rule.probe else { return Ok(None) };
        let mut context = context(rule, point);
        context.insert("seed", &point.seed);
        let text = self.tera.render(&format!("{name}{PROBE_ENDING}"), &context);
        let text = text.map_err(|error| TemplateError::Render {
            template: format!("templates/probes/{name}{PROBE_ENDING}"),
            case: point.case.to_owned(),
            message: error.to_string(),
        })?;
        Ok(Some(tidy(&text).source))
    }
}

/// Returns the error of a template that does not parse: the unbalanced block, or else the message of the engine.
fn parse_error(texts: &BTreeMap<String, String>, error: &tera::Error) -> FileError {
    let (ErrorKind::SyntaxError(report) | ErrorKind::RenderingError(report)) = error.kind() else {
        return place("templates", "", 0, error.to_string());
    };
    let file = report.filename();
    let folder = if file.ends_with(PROBE_ENDING) { PROBES } else { KERNELS };
    let text = texts.get(file).map_or("", String::as_str);
    let (offset, message) = unbalanced(text)
        .unwrap_or_else(|| (report.span().range.start, report.message().to_owned()));
    place(&format!("{folder}/{file}"), text, offset, message)
}

/// Parses the text of a probe that a template gave for a case.
pub fn read_probe(rule: &Rule, case: &str, text: &str) -> Result<Probe, TemplateError> {
    let name = rule.probe.as_deref().unwrap_or_default();
    let path = format!("templates/probes/{name}{PROBE_ENDING} as rendered for {case}");
    Ok(read(&path, text)?)
}

/// Returns the delimiters of every template of the project: Tera's own `{{ }}` would silently take C's nested braces.
pub fn delimiters() -> Delimiters {
    Delimiters {
        block_start: "[%".into(),
        block_end: "%]".into(),
        variable_start: "[<".into(),
        variable_end: ">]".into(),
        comment_start: "[#".into(),
        comment_end: "#]".into(),
    }
}

/// Removes blank lines and trailing spaces, then notes and removes the guilty marks.
fn tidy(text: &str) -> Kernel {
    let mut kernel = Kernel { source: String::with_capacity(text.len()), guilty_lines: Vec::new() };
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    for (line, number) in lines.zip(1..) {
        if line.contains(GUILTY_MARK) {
            kernel.guilty_lines.push(number);
            kernel.source.push_str(line.replace(GUILTY_MARK, "").trim_end());
        } else {
            kernel.source.push_str(line);
        }
        kernel.source.push('\n');
    }
    kernel
}

/// Returns the offset of the first place where a text has a word without a prefix before it.
fn word(text: &str, word: &str) -> Option<usize> {
    let is_of_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let (before, behind) = (&text[..*at], &text[at + word.len()..]);
        !before.ends_with(is_of_word) && !before.ends_with(">]") && !behind.starts_with(is_of_word)
    })
}

/// Returns the names of the templates that a text includes.
fn included(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split("include \"").skip(1);
    quoted.filter_map(|rest| rest.split_once('"').map(|(file, _)| file))
}

/// Whether the values of an axis are address spaces, so that templates have its qualifier too.
fn has_qualifier(values: &[String]) -> bool {
    let is_space = |value: &String| {
        value == expectations::space::UNQUALIFIED || AddressSpace::from_name(value).is_some()
    };
    values.iter().all(is_space)
}

fn qualifier_variable(axis: &str) -> String {
    format!("{axis}_q")
}

/// Returns the variables of a template. These are `p` (the prefix), `version` (120 for 1.2), `generic` and
/// `program_scope_globals`, and each axis by its name. An axis of address spaces also has `<axis>_q`: the qualifier
/// followed by a space, in the spelling that the axis `spelling` (`plain` or `underscored`) gives, or nothing for
/// `unqualified`. Axes of types are objects with `name`, `c` (spelling), `decl` (needed declarations), `init`,
/// `assignable` and `layout`. Kernels also have `wrong`, the name of the wrong kernel or nothing; probes have `seed`.
fn context(rule: &Rule, point: &PointOf<'_>) -> Context {
    let &PointOf { choice, dialect, prefix, .. } = point;
    let mut context = Context::new();
    context.insert("p", prefix);
    context.insert("version", &dialect.version.number());
    context.insert("generic", &dialect.generic);
    context.insert("program_scope_globals", &dialect.program_scope_globals);
    let value_of = |axis: &str| {
        let position = rule.axes.keys().position(|name| name == axis)?;
        rule.axes[axis].get(usize::from(choice[position])).map(String::as_str)
    };
    let underscored = value_of("spelling") == Some("underscored");
    for ((axis, values), &index) in rule.axes.iter().zip(choice) {
        let value = values[usize::from(index)].as_str();
        if types::is_type_axis(axis)
            && let Some(facts) = types::find(value)
        {
            context.insert_value(axis.clone(), type_value(facts, prefix));
            continue;
        }
        context.insert(axis.clone(), value);
        if has_qualifier(values) {
            let spelled = match AddressSpace::from_name(value).map(AddressSpace::facts) {
                Some(facts) if underscored => format!("{} ", facts.underscored),
                Some(facts) => format!("{} ", facts.name),
                None => String::new(),
            };
            context.insert(qualifier_variable(axis), &spelled);
        }
    }
    context
}

fn type_value(facts: &types::TypeFacts, prefix: &str) -> Value {
    let expand = |text: &str| Value::from(text.replace('$', prefix));
    let entries = [
        ("name", Value::from(facts.name)),
        ("c", expand(facts.spelling)),
        ("decl", expand(facts.declaration)),
        ("init", expand(facts.initializer)),
        ("assignable", Value::from(facts.assignable)),
        ("layout", Value::from(facts.layout())),
    ];
    let map: tera::Map = entries.into_iter().map(|(key, value)| (key.into(), value)).collect();
    Value::from(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_line_numbers() {
        let kernel = tidy("a\n\n  b /*@*/\n   \nc\n");
        assert_eq!(kernel, Kernel { source: "a\n  b\nc\n".to_owned(), guilty_lines: vec![2] });
    }

    #[test]
    fn nested_braces_survive() {
        let source = ("t.cl.tera".to_owned(), "int a[1][1] = {{0}};\n".to_owned());
        let templates = Templates::from_sources(vec![source], Vec::new()).unwrap();
        let rendered = templates.tera.render("t.cl.tera", &Context::new()).unwrap();
        assert_eq!(rendered, "int a[1][1] = {{0}};\n");
    }
}
