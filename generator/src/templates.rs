//! Kernel templates: a choice and a dialect in, `OpenCL` C out.

use std::collections::{BTreeMap, BTreeSet};

use expectations::{dialect::Dialect, rule::Rule, space::AddressSpace};
use rust_embed::RustEmbed;
use tera::{Context, Delimiters, Tera, Value};
use thiserror::Error;

use crate::types;

/// Marks the line an error belongs on; removed from the kernel.
pub const GUILTY_MARK: &str = "/*@*/";

#[derive(RustEmbed)]
#[folder = "../templates/kernels"]
struct EmbeddedTemplates;

const ENDING: &str = ".cl.tera";

/// Every kernel template, parsed.
pub struct Templates {
    tera: Tera,
    names: Vec<String>,
    variables: BTreeMap<String, BTreeSet<String>>,
    sources: Vec<(String, String)>,
}

/// A template that cannot be read, does not fit its rule, or fails on a point.
#[derive(Debug, Error)]
pub enum TemplateError {
    /// The templates do not parse.
    #[error("a kernel template does not parse: {0}")]
    Parse(String),
    /// A template cannot be rendered for a point.
    #[error("templates/kernels/{template}{ENDING} fails for {case}: {message}")]
    Render {
        /// The template.
        template: String,
        /// The case.
        case: String,
        /// What the engine said.
        message: String,
    },
    /// A template left its own syntax behind.
    #[error("templates/kernels/{template}{ENDING} leaves `{left_over}` in the kernel of {case}")]
    LeftOver {
        /// The template.
        template: String,
        /// The case.
        case: String,
        /// The syntax.
        left_over: &'static str,
    },
    /// No line is marked although the case must be rejected.
    #[error("templates/kernels/{template}{ENDING} marks no guilty line ({GUILTY_MARK}) in {case}")]
    NoGuiltyLine {
        /// The template.
        template: String,
        /// The case.
        case: String,
    },
    /// An axis is not used, or a variable is no axis.
    #[error("{path}: {message}")]
    Mismatch {
        /// The rule file.
        path: String,
        /// What does not fit.
        message: String,
    },
}

/// A rendered case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// `OpenCL` C.
    pub source: String,
    /// Lines, from 1, an error belongs on.
    pub guilty_lines: Vec<u32>,
}

impl Templates {
    /// The templates that ship with the suite.
    pub fn embedded() -> Result<Self, TemplateError> {
        let mut sources = Vec::new();
        for path in EmbeddedTemplates::iter() {
            if let (Some(name), Some(file)) =
                (path.strip_suffix(ENDING), EmbeddedTemplates::get(&path))
            {
                sources.push((name.to_owned(), String::from_utf8_lossy(&file.data).into_owned()));
            }
        }
        Self::from_sources(sources)
    }

    /// Templates by name, without folder and endings.
    pub fn from_sources(mut sources: Vec<(String, String)>) -> Result<Self, TemplateError> {
        sources.sort();
        let mut tera = Tera::new();
        let parse_error = |error: tera::Error| TemplateError::Parse(error.to_string());
        tera.set_delimiters(delimiters()).map_err(parse_error)?;
        let named = sources.iter().map(|(name, text)| (format!("{name}{ENDING}"), text.clone()));
        tera.add_raw_templates(named).map_err(parse_error)?;
        let found: Vec<String> = sources.iter().map(|(name, _)| name.clone()).collect();
        let mut variables = BTreeMap::new();
        for name in &found {
            let used =
                tera.get_template_variables(&format!("{name}{ENDING}")).map_err(parse_error)?;
            variables.insert(name.clone(), used.into_iter().map(str::to_owned).collect());
        }
        Ok(Self { tera, names: found, variables, sources })
    }

    /// Every template's name, sorted.
    pub fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// Every template's name and text, sorted by name.
    pub fn sources(&self) -> &[(String, String)] {
        &self.sources
    }

    /// Check that the rule's axes and what its template uses are the same.
    pub fn check(&self, rule: &Rule) -> Result<(), TemplateError> {
        let used = self.variables.get(&rule.template).cloned().unwrap_or_default();
        let mismatch =
            |message: String| TemplateError::Mismatch { path: rule.path.clone(), message };
        for (axis, values) in &rule.axes {
            if !used.contains(axis)
                && !used.contains(&qualifier_variable(axis))
                && axis != "spelling"
            {
                return Err(mismatch(format!(
                    "the template `{}` does not use the axis `{axis}`",
                    rule.template
                )));
            }
            if types::is_type_axis(axis) {
                for value in values {
                    if types::find(value).is_none() {
                        let known: Vec<&str> =
                            types::TYPES.iter().map(|facts| facts.name).collect();
                        let hint = expectations::predicate::suggestion(value, &known);
                        return Err(mismatch(format!(
                            "`{value}` on the axis `{axis}` is no type{hint}"
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    /// Render one point. `prefix` begins every file-scope name.
    pub fn render(
        &self,
        rule: &Rule,
        choice: &[u16],
        dialect: Dialect,
        case: &str,
        prefix: &str,
    ) -> Result<Kernel, TemplateError> {
        let context = context(rule, choice, dialect, prefix);
        let text =
            self.tera.render(&format!("{}{ENDING}", rule.template), &context).map_err(|error| {
                let message = error.to_string();
                TemplateError::Render {
                    template: rule.template.clone(),
                    case: case.to_owned(),
                    message,
                }
            })?;
        for left_over in ["[%", "%]", "[<", ">]", "[#", "#]"] {
            if text.contains(left_over) {
                return Err(TemplateError::LeftOver {
                    template: rule.template.clone(),
                    case: case.to_owned(),
                    left_over,
                });
            }
        }
        Ok(tidy(&text))
    }
}

/// The delimiters of every template of the project: Tera's own `{{ }}` would swallow C's nested braces without a word.
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

/// Take blank lines and trailing spaces away, then note and remove the guilty marks.
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

fn qualifier_variable(axis: &str) -> String {
    format!("{axis}_q")
}

/// What a template can use:
/// `p` (the prefix), `version` (120 for 1.2), `generic` and `program_scope_globals`; each axis by its name; for
/// an axis whose values are address spaces also `<axis>_q`, the qualifier followed by a space, or nothing where
/// the value is `unqualified`, spelled as the axis `spelling` (`plain` or `underscored`) says; type axes are
/// objects with `name`, `c` (spelling), `decl` (needed declarations), `init` and `assignable`.
fn context(rule: &Rule, choice: &[u16], dialect: Dialect, prefix: &str) -> Context {
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
        if values
            .iter()
            .all(|v| v == expectations::space::UNQUALIFIED || AddressSpace::from_name(v).is_some())
        {
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
        let source = ("t".to_owned(), "int a[1][1] = {{0}};\n".to_owned());
        let templates = Templates::from_sources(vec![source]).unwrap();
        let rendered = templates.tera.render("t.cl.tera", &Context::new()).unwrap();
        assert_eq!(rendered, "int a[1][1] = {{0}};\n");
    }
}
