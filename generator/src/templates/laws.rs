//! Laws of templates and the rules that use them. Every variable of a template is an axis of the rule, derived from
//! one, set before, or built in, and it is compared only with values that it can have. A typing error would otherwise
//! be a branch that is silently never taken.

use std::collections::{BTreeMap, BTreeSet};

use expectations::{
    load::{FileError, place},
    predicate::suggestion,
    rule::Rule,
};

use super::{
    has_qualifier, qualifier_variable,
    tags::{Branch, Expression, Node, Nodes, read},
};
use crate::types;

/// Variables of every template; probes also have `seed`, kernels `wrong`.
const BUILT_IN: [&str; 6] = ["p", "version", "generic", "program_scope_globals", "wrong", "seed"];

/// Attributes of an axis of types.
const OF_A_TYPE: [&str; 6] = ["name", "c", "decl", "init", "assignable", "layout"];

/// A template as the laws see it.
pub(super) struct Template {
    /// The path in messages.
    path: String,
    text: String,
    nodes: Nodes,
}

impl Template {
    /// Reads the tags of a template; `path` is its path in messages.
    pub(super) fn read(path: String, text: &str) -> Result<Self, FileError> {
        let nodes = read(text).map_err(|unread| place(&path, text, unread.at, unread.message))?;
        Ok(Self { path, text: text.to_owned(), nodes })
    }

    fn error(&self, at: usize, message: String) -> FileError {
        place(&self.path, &self.text, at, message)
    }
}

/// Templates by the names they are included by, and what rules made of them.
pub(super) struct Laws<'t> {
    templates: &'t BTreeMap<String, Template>,
    errors: BTreeMap<Place<'t>, FileError>,
    /// Comparisons that never hold, unless they do with another rule.
    impossible: BTreeMap<Place<'t>, FileError>,
    possible: BTreeSet<Place<'t>>,
}

/// A file and an offset in it.
type Place<'t> = (&'t str, usize);

/// Values that a variable can have.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Values {
    Anything,
    OneOf(BTreeSet<Value>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Text(String),
    Truth(bool),
}

impl Value {
    fn is_true(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::Truth(truth) => *truth,
        }
    }
}

/// More values than this are as good as any.
const MAX_VALUES: usize = 64;

impl Values {
    fn one(value: Value) -> Self {
        Self::OneOf([value].into())
    }

    fn texts<'v>(values: impl IntoIterator<Item = &'v str>) -> Self {
        Self::OneOf(values.into_iter().map(|value| Value::Text(value.to_owned())).collect())
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::OneOf(mut values), Self::OneOf(others)) => {
                values.extend(others);
                if values.len() > MAX_VALUES { Self::Anything } else { Self::OneOf(values) }
            }
            _ => Self::Anything,
        }
    }

    fn joined(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::OneOf(left), Self::OneOf(right)) if left.len() * right.len() <= MAX_VALUES => {
                let pairs =
                    left.iter().flat_map(|left| right.iter().map(move |right| (left, right)));
                let joined = pairs.map(|pair| match pair {
                    (Value::Text(left), Value::Text(right)) => {
                        Some(Value::Text(format!("{left}{right}")))
                    }
                    _ => None,
                });
                joined.collect::<Option<_>>().map_or(Self::Anything, Self::OneOf)
            }
            _ => Self::Anything,
        }
    }
}

/// The variables at one place of a template, and what each may be.
type Variables = BTreeMap<String, Values>;

fn either(mut left: Variables, right: Variables) -> Variables {
    for (name, values) in right {
        let values = match left.remove(&name) {
            Some(other) => other.or(values),
            None => values,
        };
        left.insert(name, values);
    }
    left
}

impl<'t> Laws<'t> {
    /// Creates the laws of these templates, which are keyed by the names they are included by.
    pub(super) fn new(templates: &'t BTreeMap<String, Template>) -> Self {
        Self {
            templates,
            errors: BTreeMap::new(),
            impossible: BTreeMap::new(),
            possible: BTreeSet::new(),
        }
    }

    /// Checks a template with the values that the rule gives it.
    pub(super) fn follow(&mut self, rule: &Rule, template: &str) {
        let mut variables: Variables =
            BUILT_IN.iter().map(|name| ((*name).to_owned(), Values::Anything)).collect();
        for (axis, values) in &rule.axes {
            let of_axis = if types::is_type_axis(axis) {
                Values::Anything
            } else {
                Values::texts(values.iter().map(String::as_str))
            };
            variables.insert(axis.clone(), of_axis);
            if has_qualifier(values) {
                variables.insert(qualifier_variable(axis), Values::Anything);
            }
        }
        let kernels = rule.wrong.iter().map(|wrong| wrong.name.as_str()).chain([""]);
        variables.insert("wrong".to_owned(), Values::texts(kernels));
        if let Some((name, template)) = self.templates.get_key_value(template) {
            Walk { laws: self, rule, file: name, template }.nodes(&template.nodes, variables);
        }
    }

    /// Returns every error, in the order of the files.
    pub(super) fn errors(self) -> Vec<FileError> {
        let Self { mut errors, impossible, possible, .. } = self;
        errors.extend(impossible.into_iter().filter(|(place, _)| !possible.contains(place)));
        errors.into_values().collect()
    }
}

/// The way through one file.
struct Walk<'w, 't> {
    laws: &'w mut Laws<'t>,
    rule: &'w Rule,
    file: &'t str,
    template: &'t Template,
}

impl<'t> Walk<'_, 't> {
    /// Gives the variables behind the nodes.
    fn nodes(&mut self, nodes: &'t Nodes, mut variables: Variables) -> Variables {
        for node in nodes {
            match node {
                Node::Print(value) => _ = self.values(value, &variables),
                Node::Set { name, value } => {
                    let values = self.values(value, &variables);
                    variables.insert(name.clone(), values);
                }
                Node::If(branches) => variables = self.branches(branches, variables),
                Node::For { names, over, body } => {
                    let values = match over {
                        Expression::List(items) => {
                            let items = items.iter().map(|item| self.values(item, &variables));
                            items.reduce(Values::or).unwrap_or(Values::Anything)
                        }
                        over => self.values(over, &variables),
                    };
                    let mut inside = variables.clone();
                    inside.insert("loop".to_owned(), Values::Anything);
                    inside.extend(names.iter().map(|name| (name.clone(), values.clone())));
                    self.nodes(body, inside);
                }
                Node::Include(name) => {
                    let templates = self.laws.templates;
                    if let Some((file, template)) = templates.get_key_value(name) {
                        let rule = self.rule;
                        let mut included = Walk { laws: &mut *self.laws, rule, file, template };
                        included.nodes(&template.nodes, variables.clone());
                    }
                }
            }
        }
        variables
    }

    fn branches(&mut self, branches: &'t [Branch], variables: Variables) -> Variables {
        let mut behind: Option<Variables> = None;
        for branch in branches {
            let holds = match &branch.condition {
                Some(condition) => self.holds(condition, &variables),
                None => Some(true),
            };
            if holds != Some(false) {
                let after = self.nodes(&branch.body, variables.clone());
                behind = Some(match behind {
                    Some(others) => either(others, after),
                    None => after,
                });
            }
            if holds == Some(true) {
                return behind.unwrap_or(variables);
            }
        }
        match behind {
            Some(behind) => either(behind, variables),
            None => variables,
        }
    }

    /// Returns the value of a condition, if it is equal for every point.
    fn holds(&mut self, condition: &'t Expression, variables: &Variables) -> Option<bool> {
        match condition {
            Expression::Truth(truth) => Some(*truth),
            Expression::Defined(name) => Some(variables.contains_key(name)),
            Expression::Not(inner) => self.holds(inner, variables).map(|holds| !holds),
            Expression::And(both) => match self.holds(&both[0], variables) {
                Some(false) => Some(false),
                left => match (left, self.holds(&both[1], variables)) {
                    (_, Some(false)) => Some(false),
                    (Some(true), right) => right,
                    _ => None,
                },
            },
            Expression::Or(both) => match self.holds(&both[0], variables) {
                Some(true) => Some(true),
                left => match (left, self.holds(&both[1], variables)) {
                    (_, Some(true)) => Some(true),
                    (Some(false), right) => right,
                    _ => None,
                },
            },
            Expression::Equal(sides) => {
                let [left, right] = &**sides;
                match (left, right) {
                    (variable, Expression::Text { value, at })
                    | (Expression::Text { value, at }, variable) => {
                        let values = self.values(variable, variables);
                        self.compare(variable, &values, value, *at)
                    }
                    _ => {
                        self.values(left, variables);
                        self.values(right, variables);
                        None
                    }
                }
            }
            Expression::In(sides) => {
                let [item, list] = &**sides;
                let values = self.values(item, variables);
                let Expression::List(members) = list else {
                    self.values(list, variables);
                    return None;
                };
                let mut any = Some(false);
                for member in members {
                    let Expression::Text { value, at } = member else {
                        self.values(member, variables);
                        any = any.filter(|any| *any);
                        continue;
                    };
                    match self.compare(item, &values, value, *at) {
                        Some(true) => any = Some(true),
                        Some(false) => {}
                        None => any = any.filter(|any| *any),
                    }
                }
                any
            }
            other => match self.values(other, variables) {
                Values::Anything => None,
                Values::OneOf(values) => {
                    let mut truths = values.iter().map(Value::is_true);
                    let first = truths.next()?;
                    truths.all(|truth| truth == first).then_some(first)
                }
            },
        }
    }

    /// Compares a variable with a string and records a string that the variable never equals.
    fn compare(
        &mut self,
        variable: &Expression,
        values: &Values,
        text: &str,
        at: usize,
    ) -> Option<bool> {
        let Values::OneOf(values) = values else {
            self.laws.possible.insert((self.file, at));
            return None;
        };
        let wanted = Value::Text(text.to_owned());
        if values.contains(&wanted) {
            self.laws.possible.insert((self.file, at));
            return (values.len() == 1).then_some(true);
        }
        let Expression::Variable { name, .. } = variable else { return Some(false) };
        let texts = values.iter().filter_map(|value| match value {
            Value::Text(text) => Some(text.as_str()),
            Value::Truth(_) => None,
        });
        let known: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
        let shown = text.escape_debug();
        let hint = suggestion(text, &known);
        let message = format!("`{name}` is never `{shown}`{hint}");
        let error = self.template.error(at, message);
        self.laws.impossible.entry((self.file, at)).or_insert(error);
        Some(false)
    }

    /// Returns the values that an expression may have; every variable in it must be known.
    fn values(&mut self, expression: &'t Expression, variables: &Variables) -> Values {
        match expression {
            Expression::Text { value, .. } => Values::one(Value::Text(value.clone())),
            Expression::Truth(truth) => Values::one(Value::Truth(*truth)),
            Expression::Variable { name, attribute, at } => {
                let Some(values) = variables.get(name) else {
                    self.unknown(name, *at, variables);
                    return Values::Anything;
                };
                match attribute {
                    None => values.clone(),
                    Some(attribute) => self.of_a_type(name, attribute, *at),
                }
            }
            Expression::Join(parts) => {
                let left = self.values(&parts[0], variables);
                left.joined(&self.values(&parts[1], variables))
            }
            Expression::List(parts) | Expression::Other(parts) => {
                for part in parts {
                    self.values(part, variables);
                }
                Values::Anything
            }
            condition => match self.holds(condition, variables) {
                Some(truth) => Values::one(Value::Truth(truth)),
                None => Values::OneOf([Value::Truth(false), Value::Truth(true)].into()),
            },
        }
    }

    fn of_a_type(&mut self, axis: &str, attribute: &str, at: usize) -> Values {
        let is_axis = self.rule.axes.contains_key(axis) && types::is_type_axis(axis);
        // What a loop knows of itself.
        if axis != "loop" && !(is_axis && OF_A_TYPE.contains(&attribute)) {
            let hint = suggestion(attribute, &OF_A_TYPE);
            let message = format!("`{axis}` has no `{attribute}`: axes of types have some{hint}");
            self.laws.errors.entry((self.file, at)).or_insert(self.template.error(at, message));
        }
        match self.rule.axes.get(axis) {
            Some(values) if attribute == "name" => Values::texts(values.iter().map(String::as_str)),
            _ => Values::Anything,
        }
    }

    fn unknown(&mut self, name: &str, at: usize, variables: &Variables) {
        let known: Vec<&str> = variables.keys().map(String::as_str).collect();
        let hint = suggestion(name, &known);
        let rule = &self.rule.id;
        let message = format!(
            "`{name}` is neither an axis of `{rule}`, nor set before, nor built in{hint}; where \
             only some of the rules have it, test `{name} is defined` first"
        );
        self.laws.errors.entry((self.file, at)).or_insert(self.template.error(at, message));
    }
}

#[cfg(test)]
mod tests {
    use std::{fmt::Write as _, sync::LazyLock};

    use expectations::case_id::CaseId;
    use rayon::prelude::*;

    use super::*;
    use crate::{
        files::SuiteFiles,
        suite::{Suite, SuiteError},
        templates::{PointOf, Templates},
    };

    const RULE: &str = r#"statement = "a"
template = "shared/t"
one-sided = "b"

[axes]
form = ["left", "right"]
space = ["global", "local"]
type = ["int", "float"]

[[expect]]
verdict = "accept"

[source]
covers = []
clauses = ["C99#6.6"]
"#;

    /// Loads two rules that share a template; one has a further axis, and one has a template of its own.
    fn load(template: &str) -> Result<Suite, SuiteError> {
        let other =
            RULE.replace("\"right\"", "\"other\"").replace("[axes]", "[axes]\nmore = [\"x\"]");
        let own = RULE.replace("template = \"shared/t\"\n", "");
        let uses = "[< form >][< space >][< type.c >]\n";
        let shared = format!("{uses}[% if more is defined %][< more >][% endif %]\n{template}\n");
        let includes = "[% include \"shared/i.cl.tera\" %]".repeat(2);
        let mut files = SuiteFiles::empty();
        for (path, text) in [
            ("templates/kernels/shared/t.cl.tera", shared.as_str()),
            ("templates/kernels/shared/i.cl.tera", "[< form >]"),
            ("templates/kernels/a/three.cl.tera", &format!("{uses}{includes}")),
            ("expectations/rules/a/one.toml", RULE),
            ("expectations/rules/a/two.toml", &other),
            ("expectations/rules/a/three.toml", &own),
        ] {
            files.add(path, path, text.to_owned());
        }
        Suite::from_files(files)
    }

    #[test]
    fn templates_that_fit_their_rules_are_taken() {
        for good in [
            "[% if form == 'left' or form == \"other\" %]a[% elif form == `right` %]b[% else %]c[% endif %]",
            "[% set q = p ~ \"x\" %][% if q != p %][< q >][% endif %]",
            "[% if form in [\"left\", \"right\"] and not generic %][< space_q >][% endif %]",
            "[% if more is defined and more == \"x\" %]a[% endif %]",
            "[% if form == \"left\" %][% set x = \"1\" %][% else %][% set x = \"2\" %][% endif %][% if x == \"2\" %][% endif %]",
            "[% for i in range(end=3) %][< i + 1 >][% endfor %][% for k in [\"a\", \"b\"] %][% if k == \"b\" %][% endif %][% endfor %]",
            "[% include \"shared/i.cl.tera\" %][# form == \"none\" #] a[1] [% if type.name == \"int\" %][< type.init | replace(from=\"1\", to=\"2\") >][% endif %]",
            "[% if version >= 200 and (form not in [\"left\"] or program_scope_globals) %]x[% endif %]",
        ] {
            assert!(load(good).is_ok(), "{good}: {}", load(good).err().unwrap());
        }
    }

    #[test]
    fn what_a_rule_does_not_have_is_rejected_with_place_and_remedy() {
        for (bad, expected) in [
            (
                "[% if shape == \"left\" %]a[% endif %]",
                "3:7: `shape` is neither an axis of `a/one`, nor set before, nor built in; did you \
                 mean `space`?; where only some of the rules have it, test `shape is defined` \
                 first",
            ),
            (
                "[% if form == \"rigt\" %]a[% endif %]",
                "3:15: `form` is never `rigt`; did you mean `right`?",
            ),
            (
                "[% if form in [\"left\", \"rigt\"] %]a[% endif %]",
                "3:24: `form` is never `rigt`; did you mean `right`?",
            ),
            (
                "[% if more == \"x\" %]a[% endif %]",
                "3:7: `more` is neither an axis of `a/one`, nor set before, nor built in; did you \
                 mean `form`?; where only some of the rules have it, test `more is defined` first",
            ),
            (
                "[% set t = \"int\" %][% if form == \"left\" %][% set t = \"uint\" %][% endif %][% if t == \"unit\" %]a[% endif %]",
                "3:85: `t` is never `unit`; did you mean `uint`?",
            ),
            ("[< type.z >]", "3:4: `type` has no `z`: axes of types have some; did you mean `c`?"),
            (
                "[% if wrong == \"lost\" %]a[% endif %]",
                "3:16: `wrong` is never `lost`; there are no choices",
            ),
            (
                "[% filter upper %]a[% endfilter %]",
                "3:1: `filter` is not read here: templates are made of `if`, `set`, `for` and `include`",
            ),
        ] {
            let error = load(bad).err().map(|error| error.to_string());
            assert_eq!(
                error,
                Some(format!("templates/kernels/shared/t.cl.tera:{expected}")),
                "{bad}"
            );
        }
    }

    static SUITE: LazyLock<Suite> = LazyLock::new(|| Suite::embedded().unwrap());

    /// Begins the number of a branch in a text.
    const TAKEN: char = '\u{1}';

    fn branches(nodes: &Nodes, found: &mut Vec<usize>) {
        for node in nodes {
            match node {
                Node::If(all) => {
                    for branch in all {
                        found.push(branch.body_at);
                        branches(&branch.body, found);
                    }
                }
                Node::For { body, .. } => branches(body, found),
                _ => {}
            }
        }
    }

    #[test]
    fn every_branch_is_taken_by_some_case() {
        let templates = &SUITE.templates;
        let mut all = Vec::new();
        let mut marked: Vec<(String, String)> = Vec::new();
        for (name, template) in &templates.read {
            let mut found = Vec::new();
            branches(&template.nodes, &mut found);
            found.sort_unstable();
            let mut text = String::new();
            let mut from = 0;
            for at in found {
                text += &template.text[from..at];
                let _ = write!(text, "{TAKEN}{}{TAKEN}", all.len());
                from = at;
                all.push((template, at));
            }
            marked.push((name.clone(), text + &template.text[from..]));
        }
        let (kernels, probes): (Vec<_>, Vec<_>) =
            marked.into_iter().partition(|(name, _)| !name.ends_with(super::super::PROBE_ENDING));
        let name = |file: String| {
            file.strip_suffix(super::super::PROBE_ENDING).map(str::to_owned).unwrap()
        };
        let probes = probes.into_iter().map(|(file, text)| (name(file), text)).collect();
        let marked = Templates::from_sources(kernels, probes).unwrap();
        let taken: BTreeSet<usize> = SUITE
            .all_cases()
            .par_iter()
            .flat_map_iter(|case| {
                let rule = SUITE.rule(case);
                let prefix = CaseId::new(&case.id).prefix();
                let point = PointOf {
                    choice: &case.point,
                    dialect: case.dialect,
                    case: &case.id,
                    prefix: &prefix,
                    seed: 0,
                };
                let wrong =
                    rule.wrong.iter().filter(|wrong| wrong.when.holds(&case.point, case.dialect));
                let kernels = wrong.map(|wrong| Some(wrong.name.as_str())).chain([None]);
                let mut texts: Vec<String> = kernels
                    .map(|wrong| marked.render(rule, &point, wrong).unwrap().source)
                    .collect();
                texts.extend(marked.render_probe(rule, &point).unwrap());
                let numbers = |text: &String| {
                    let parts: Vec<usize> =
                        text.split(TAKEN).skip(1).step_by(2).map(|n| n.parse().unwrap()).collect();
                    parts
                };
                texts.iter().flat_map(numbers).collect::<BTreeSet<usize>>()
            })
            .collect();
        let dead = all.iter().enumerate().filter(|(number, _)| !taken.contains(number));
        let dead: Vec<String> = dead
            .map(|(_, (template, at))| {
                template.error(*at, "no case takes this branch".to_owned()).to_string()
            })
            .collect();
        assert!(dead.is_empty(), "{}", dead.join("\n"));
    }
}
