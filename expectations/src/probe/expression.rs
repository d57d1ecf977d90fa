//! Expected values as rule files write them: integer expressions over element, shape, limits and buffers.
//!
//! `if c then a else b`, `or`, `and`, `not`, comparisons, `+ - * / %`, names, `buffer[i]`, `buffer[i, field]`,
//! `min(a, b)`, `max(a, b)`, `group(item)`, `local(item)`, `item(group, local)`, `sum(j, from, to, term)`, which adds
//! the term for every `j` from `from` to before `to`, and `least` and `greatest`, which take the same and choose a term.

use std::fmt;

/// Names, buffers and work-items that an expression can refer to.
pub trait Scope {
    /// Returns the value of a name; `None` if the name is not known.
    fn name(&self, name: &str) -> Option<i128>;
    /// Returns the value of field `field` in element `index` of a buffer. Without a field, it is the field that is
    /// being computed.
    fn element(&self, buffer: &str, index: i128, field: Option<i128>) -> Result<i128, String>;
    /// Returns the linear id of the work-group of a work-item.
    fn group_of(&self, item: i128) -> Result<i128, String>;
    /// Returns the linear id of a work-item within its group.
    fn local_of(&self, item: i128) -> Result<i128, String>;
    /// Returns the linear id of the work-item at `local` in `group`.
    fn item_of(&self, group: i128, local: i128) -> Result<i128, String>;
}

/// A parsed expression, with its text for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    text: String,
    root: Node,
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Expression {
    /// Returns the names of the buffers that the expression reads.
    pub fn buffers(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.root.buffers(&mut found);
        found
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Number(i128),
    Name(String),
    Element { buffer: String, index: Box<Node>, field: Option<Box<Node>> },
    Not(Box<Node>),
    Negative(Box<Node>),
    Binary { operator: Operator, left: Box<Node>, right: Box<Node> },
    Choice { condition: Box<Node>, yes: Box<Node>, no: Box<Node> },
    Call { function: Function, arguments: Vec<Node> },
    Fold { fold: Fold, variable: String, from: Box<Node>, to: Box<Node>, term: Box<Node> },
}

impl Node {
    fn buffers<'n>(&'n self, found: &mut Vec<&'n str>) {
        let inner: Vec<&Self> = match self {
            Self::Number(_) | Self::Name(_) => Vec::new(),
            Self::Element { buffer, index, field } => {
                found.push(buffer);
                [Some(index), field.as_ref()].into_iter().flatten().map(AsRef::as_ref).collect()
            }
            Self::Not(inner) | Self::Negative(inner) => vec![inner],
            Self::Binary { left, right, .. } => vec![left, right],
            Self::Choice { condition, yes, no } => vec![condition, yes, no],
            Self::Call { arguments, .. } => arguments.iter().collect(),
            Self::Fold { from, to, term, .. } => vec![from, to, term],
        };
        for node in inner {
            node.buffers(found);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Operators by how tightly they bind, loosest first.
const OPERATORS: [&[(&str, Operator)]; 5] = [
    &[("or", Operator::Or)],
    &[("and", Operator::And)],
    &[
        ("==", Operator::Equal),
        ("!=", Operator::Unequal),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)],
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Minimum,
    Maximum,
    GroupOf,
    LocalOf,
    ItemOf,
}

/// One value from the terms of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fold {
    Sum,
    Least,
    Greatest,
}

/// Folds by name.
const FOLDS: [(&str, Fold); 3] =
    [("sum", Fold::Sum), ("least", Fold::Least), ("greatest", Fold::Greatest)];

/// Names with a meaning of their own in every expression.
const FUNCTIONS: [(&str, Function, usize); 5] = [
    ("min", Function::Minimum, 2),
    ("max", Function::Maximum, 2),
    ("group", Function::GroupOf, 1),
    ("local", Function::LocalOf, 1),
    ("item", Function::ItemOf, 2),
];

/// Deeper expressions are rejected: they are data, and must not exhaust the stack.
const DEEPEST: usize = 64;
/// Ranges with more terms are rejected.
const MOST_TERMS: i128 = 1 << 20;

/// Parses an expression.
pub fn parse(text: &str) -> Result<Expression, String> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let root = parser.choice()?;
    match parser.peek() {
        None => Ok(Expression { text: text.trim().to_owned(), root }),
        Some(token) => Err(format!("`{token}` was not expected in `{}`", text.trim())),
    }
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if ["==", "!=", "<=", ">="].iter().any(|operator| rest.starts_with(operator)) {
            2
        } else if "()[],+-*/%<>".contains(first) {
            1
        } else {
            return Err(format!("`{}` has no meaning in `{}`", first.escape_debug(), text.trim()));
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

struct Parser<'t> {
    tokens: &'t [String],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) {
            return Ok(());
        }
        Err(match self.peek() {
            Some(found) => format!("`{token}` was expected instead of `{found}`"),
            None => format!("`{token}` is missing at the end"),
        })
    }

    fn choice(&mut self) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("an expression nests at most {DEEPEST} deep"));
        }
        let node = if self.take("if") {
            let condition = Box::new(self.choice()?);
            self.expect("then")?;
            let yes = Box::new(self.choice()?);
            self.expect("else")?;
            Node::Choice { condition, yes, no: Box::new(self.choice()?) }
        } else {
            self.binary(0)?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn binary(&mut self, level: usize) -> Result<Node, String> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(&(_, operator)) =
            operators.iter().find(|(spelling, _)| self.peek() == Some(spelling))
        {
            self.at += 1;
            let right = Box::new(self.binary(level + 1)?);
            left = Node::Binary { operator, left: Box::new(left), right };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("an expression nests at most {DEEPEST} deep"));
        }
        let node = if self.take("not") {
            Node::Not(Box::new(self.unary()?))
        } else if self.take("-") {
            Node::Negative(Box::new(self.unary()?))
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn primary(&mut self) -> Result<Node, String> {
        if self.take("(") {
            let node = self.choice()?;
            self.expect(")")?;
            return Ok(node);
        }
        let Some(token) = self.peek().map(str::to_owned) else {
            return Err("a value is missing at the end".to_owned());
        };
        self.at += 1;
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            return number(&token).map(Node::Number);
        }
        if !token.starts_with(|c: char| c.is_ascii_alphabetic()) || is_word(&token) {
            return Err(format!("a value was expected instead of `{token}`"));
        }
        if self.take("[") {
            let index = Box::new(self.choice()?);
            let field = if self.take(",") { Some(Box::new(self.choice()?)) } else { None };
            self.expect("]")?;
            return Ok(Node::Element { buffer: token, index, field });
        }
        if self.take("(") {
            return self.call(&token);
        }
        Ok(Node::Name(token))
    }

    fn call(&mut self, name: &str) -> Result<Node, String> {
        if let Some(&(_, fold)) = FOLDS.iter().find(|(known, _)| *known == name) {
            let Node::Name(variable) = self.choice()? else {
                return Err(format!("the first argument of `{name}` is a name"));
            };
            self.expect(",")?;
            let from = Box::new(self.choice()?);
            self.expect(",")?;
            let to = Box::new(self.choice()?);
            self.expect(",")?;
            let term = Box::new(self.choice()?);
            self.expect(")")?;
            return Ok(Node::Fold { fold, variable, from, to, term });
        }
        let Some(&(_, function, count)) = FUNCTIONS.iter().find(|(known, ..)| *known == name)
        else {
            let mut known: Vec<&str> = FUNCTIONS.iter().map(|(known, ..)| *known).collect();
            known.extend(FOLDS.iter().map(|(known, _)| *known));
            let hint = crate::predicate::suggestion(name, &known);
            return Err(format!("`{name}` is not a function{hint}"));
        };
        let mut arguments = vec![self.choice()?];
        while self.take(",") {
            arguments.push(self.choice()?);
        }
        self.expect(")")?;
        if arguments.len() != count {
            return Err(format!("`{name}` takes {count} arguments, not {}", arguments.len()));
        }
        Ok(Node::Call { function, arguments })
    }
}

fn is_word(token: &str) -> bool {
    ["if", "then", "else", "and", "or", "not"].contains(&token)
}

fn number(token: &str) -> Result<i128, String> {
    let parsed = match token.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => token.parse(),
    };
    parsed.map_err(|_| format!("`{token}` is not a number"))
}

impl Expression {
    pub fn number(value: i128) -> Self {
        Self { text: value.to_string(), root: Node::Number(value) }
    }

    /// Returns an expression for the first field of an element of a buffer.
    pub(super) fn element(buffer: &str, index: usize) -> Self {
        let index = Box::new(Node::Number(index as i128));
        let root = Node::Element { buffer: buffer.to_owned(), index, field: None };
        Self { text: buffer.to_owned(), root }
    }

    /// Returns the value of the expression; the error names the part that has no value.
    pub fn value(&self, scope: &dyn Scope) -> Result<i128, String> {
        value(&self.root, scope).map_err(|why| format!("`{}`: {why}", self.text))
    }

    /// Whether it is not zero.
    pub fn holds(&self, scope: &dyn Scope) -> Result<bool, String> {
        self.value(scope).map(|value| value != 0)
    }
}

/// The variable of a sum, in front of everything else.
struct WithVariable<'s> {
    variable: &'s str,
    value: i128,
    outer: &'s dyn Scope,
}

impl Scope for WithVariable<'_> {
    fn name(&self, name: &str) -> Option<i128> {
        if name == self.variable { Some(self.value) } else { self.outer.name(name) }
    }

    fn element(&self, buffer: &str, index: i128, field: Option<i128>) -> Result<i128, String> {
        self.outer.element(buffer, index, field)
    }

    fn group_of(&self, item: i128) -> Result<i128, String> {
        self.outer.group_of(item)
    }

    fn local_of(&self, item: i128) -> Result<i128, String> {
        self.outer.local_of(item)
    }

    fn item_of(&self, group: i128, local: i128) -> Result<i128, String> {
        self.outer.item_of(group, local)
    }
}

fn value(node: &Node, scope: &dyn Scope) -> Result<i128, String> {
    match node {
        Node::Number(number) => Ok(*number),
        Node::Name(name) => scope.name(name).ok_or_else(|| format!("`{name}` has no value here")),
        Node::Element { buffer, index, field } => {
            let index = value(index, scope)?;
            let field = field.as_ref().map(|field| value(field, scope)).transpose()?;
            scope.element(buffer, index, field)
        }
        Node::Not(operand) => Ok(i128::from(value(operand, scope)? == 0)),
        Node::Negative(operand) => checked(0_i128.checked_sub(value(operand, scope)?)),
        Node::Choice { condition, yes, no } => {
            value(if value(condition, scope)? != 0 { yes } else { no }, scope)
        }
        Node::Binary { operator, left, right } => binary(*operator, left, right, scope),
        Node::Call { function, arguments } => {
            let arguments: Vec<i128> = arguments
                .iter()
                .map(|argument| value(argument, scope))
                .collect::<Result<_, _>>()?;
            match (function, arguments.as_slice()) {
                (Function::Minimum, &[a, b]) => Ok(a.min(b)),
                (Function::Maximum, &[a, b]) => Ok(a.max(b)),
                (Function::GroupOf, &[item]) => scope.group_of(item),
                (Function::LocalOf, &[item]) => scope.local_of(item),
                (Function::ItemOf, &[group, local]) => scope.item_of(group, local),
                _ => Err("a function has other arguments than it was read with".to_owned()),
            }
        }
        Node::Fold { fold, variable, from, to, term } => {
            let (from, to) = (value(from, scope)?, value(to, scope)?);
            if to.saturating_sub(from) > MOST_TERMS {
                return Err(format!("a range has at most {MOST_TERMS} terms"));
            }
            let mut terms = (from..to).map(|at| {
                let scope = WithVariable { variable, value: at, outer: scope };
                value(term, &scope)
            });
            match fold {
                Fold::Sum => terms.try_fold(0_i128, |sum, term| checked(sum.checked_add(term?))),
                Fold::Least => chosen(terms, i128::min),
                Fold::Greatest => chosen(terms, i128::max),
            }
        }
    }
}

/// Returns the term that `choose` prefers to all others.
fn chosen(
    mut terms: impl Iterator<Item = Result<i128, String>>,
    choose: fn(i128, i128) -> i128,
) -> Result<i128, String> {
    let first = terms.next().ok_or("a range without terms has no least and no greatest")??;
    terms.try_fold(first, |known, term| Ok(choose(known, term?)))
}

fn binary(
    operator: Operator,
    left: &Node,
    right: &Node,
    scope: &dyn Scope,
) -> Result<i128, String> {
    let a = value(left, scope)?;
    match operator {
        Operator::Or if a != 0 => return Ok(1),
        Operator::And if a == 0 => return Ok(0),
        _ => {}
    }
    let b = value(right, scope)?;
    match operator {
        Operator::Or | Operator::And => Ok(i128::from(b != 0)),
        Operator::Equal => Ok(i128::from(a == b)),
        Operator::Unequal => Ok(i128::from(a != b)),
        Operator::Less => Ok(i128::from(a < b)),
        Operator::LessOrEqual => Ok(i128::from(a <= b)),
        Operator::Greater => Ok(i128::from(a > b)),
        Operator::GreaterOrEqual => Ok(i128::from(a >= b)),
        Operator::Add => checked(a.checked_add(b)),
        Operator::Subtract => checked(a.checked_sub(b)),
        Operator::Multiply => checked(a.checked_mul(b)),
        Operator::Divide | Operator::Remainder if b == 0 => Err("division by zero".to_owned()),
        Operator::Divide => checked(a.checked_div(b)),
        Operator::Remainder => checked(a.checked_rem(b)),
    }
}

fn checked(value: Option<i128>) -> Result<i128, String> {
    value.ok_or_else(|| "a value is out of range".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of 4; `in` is the squares.
    struct Squares;

    impl Scope for Squares {
        fn name(&self, name: &str) -> Option<i128> {
            (name == "i").then_some(7)
        }

        fn element(&self, buffer: &str, index: i128, field: Option<i128>) -> Result<i128, String> {
            let known = buffer == "in" && (0..100).contains(&index);
            if known { Ok(index * index + field.unwrap_or(0)) } else { Err("no such".to_owned()) }
        }

        fn group_of(&self, item: i128) -> Result<i128, String> {
            Ok(item / 4)
        }

        fn local_of(&self, item: i128) -> Result<i128, String> {
            Ok(item % 4)
        }

        fn item_of(&self, group: i128, local: i128) -> Result<i128, String> {
            Ok(group * 4 + local)
        }
    }

    #[test]
    fn expressions_have_the_values_they_read_as() {
        for (text, expected) in [
            ("1 + 2 * 3", 7),
            ("(1 + 2) * 3", 9),
            ("10 - 3 - 2", 5),
            ("-i % 4", -3),
            ("0x10", 16),
            ("if i > 6 and not (i == 8) then 1 else 2", 1),
            ("i < 7 or i >= 8", 0),
            ("in[i - 4]", 9),
            ("in[2, 1]", 5),
            ("in[item(group(i), (local(i) + 1) % 4)]", 16),
            ("sum(j, 0, 4, in[j])", 14),
            ("sum(j, 0, 3, sum(k, 0, j, 1))", 3),
            ("least(j, 2, 6, (j - 4) * (j - 4) - j)", -4),
            ("greatest(j, 0, i, in[j]) - greatest(j, 0, 1, -5)", 41),
            ("min(i, 3) + max(i, 3)", 10),
            ("0 and in[1000]", 0),
        ] {
            assert_eq!(parse(text).unwrap().value(&Squares), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_says_why() {
        for (text, expected) in [
            ("j + 1", "`j + 1`: `j` has no value here"),
            ("1 / (i - 7)", "`1 / (i - 7)`: division by zero"),
            ("out[0]", "`out[0]`: no such"),
            ("sum(j, 0, 9999999, j)", "`sum(j, 0, 9999999, j)`: a range has at most 1048576 terms"),
            (
                "least(j, 3, 3, j)",
                "`least(j, 3, 3, j)`: a range without terms has no least and no greatest",
            ),
        ] {
            assert_eq!(parse(text).unwrap().value(&Squares).unwrap_err(), expected);
        }
    }

    #[test]
    fn bad_texts_are_rejected() {
        for (text, expected) in [
            ("", "a value is missing at the end"),
            ("1 +", "a value is missing at the end"),
            ("1 2", "`2` was not expected in `1 2`"),
            ("i ? 1", "`?` has no meaning in `i ? 1`"),
            ("if 1 then 2", "`else` is missing at the end"),
            ("grup(1)", "`grup` is not a function; did you mean `group`?"),
            ("item(1)", "`item` takes 2 arguments, not 1"),
            ("12x", "`12x` is not a number"),
            ("and", "a value was expected instead of `and`"),
        ] {
            assert_eq!(parse(text).unwrap_err(), expected, "{text}");
        }
        for deep in ["(".repeat(100_000), "-".repeat(100_000), "if ".repeat(100_000)] {
            assert_eq!(parse(&deep).unwrap_err(), "an expression nests at most 64 deep");
        }
    }

    quickcheck::quickcheck! {
        fn any_text_is_answered(text: String) -> bool {
            let _ = parse(&text).and_then(|expression| expression.value(&Squares));
            true
        }
    }
}
