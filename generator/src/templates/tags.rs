//! The tags of a template as a tree, for the laws of templates: Tera's own tree is private.

/// A template, or a part of one; text outside tags is left out.
pub(super) type Nodes = Vec<Node>;

/// Part of a template: text or a tag.
#[derive(Debug)]
pub(super) enum Node {
    /// `[< value >]`
    Print(Expression),
    /// `[% set name = value %]`
    Set { name: String, value: Expression },
    /// `[% if %]` with all that belongs to it.
    If(Vec<Branch>),
    /// `[% for name in over %]`
    For { names: Vec<String>, over: Expression, body: Nodes },
    /// `[% include "file" %]`
    Include(String),
}

/// One way through an `[% if %]`.
#[derive(Debug)]
pub(super) struct Branch {
    /// `None` for an `[% else %]`.
    pub(super) condition: Option<Expression>,
    /// Parts that are rendered where the condition holds.
    pub(super) body: Nodes,
    /// Offset at which the body begins.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the test that takes every branch"))]
    pub(super) body_at: usize,
}

/// Expression in a tag. Places are byte offsets in the template.
#[derive(Debug)]
pub(super) enum Expression {
    /// A variable, or a part of it.
    Variable {
        name: String,
        attribute: Option<String>,
        at: usize,
    },
    /// A string.
    Text {
        value: String,
        at: usize,
    },
    /// `true` or `false`.
    Truth(bool),
    /// `[a, b]`
    List(Vec<Expression>),
    Not(Box<Expression>),
    /// `a and b`
    And(Box<[Expression; 2]>),
    /// `a or b`
    Or(Box<[Expression; 2]>),
    /// `a == b`; `a != b` is the same within [`Expression::Not`].
    Equal(Box<[Expression; 2]>),
    /// `a in b`
    In(Box<[Expression; 2]>),
    Defined(String),
    /// `a ~ b`
    Join(Box<[Expression; 2]>),
    /// Arithmetic, calls and filters: what they are made of.
    Other(Vec<Expression>),
}

/// Error in a tag, with its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unread {
    pub(super) at: usize,
    pub(super) message: String,
}

/// Parses a template that Tera has accepted.
pub(super) fn read(text: &str) -> Result<Nodes, Unread> {
    let mut reader = Reader { text, at: 0 };
    match reader.nodes()? {
        (nodes, None) => Ok(nodes),
        (_, Some((word, at))) => Err(unexpected(&word, at)),
    }
}

fn unexpected(word: &str, at: usize) -> Unread {
    Unread {
        at,
        message: format!(
            "`{word}` is not read here: templates are made of `if`, `set`, `for` and `include`"
        ),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

/// The tag that ends a list of nodes: its first word and its offset. The reader is after the word.
type Ending = Option<(String, usize)>;

impl<'t> Reader<'t> {
    /// Parses nodes up to a tag that continues or ends a block begun before.
    fn nodes(&mut self) -> Result<(Nodes, Ending), Unread> {
        let mut nodes = Vec::new();
        while let Some(start) = self.text[self.at..].find('[').map(|found| self.at + found) {
            self.at = start + 2;
            match self.text.as_bytes().get(start + 1) {
                Some(b'#') => {
                    self.at = self.text[start..]
                        .find("#]")
                        .map_or(self.text.len(), |end| start + end + 2);
                }
                Some(b'<') => {
                    let value = self.expression()?;
                    self.close(">]")?;
                    nodes.push(Node::Print(value));
                }
                Some(b'%') => {
                    let Some(Word::Name(word)) = self.word()? else {
                        return Err(unexpected("", start));
                    };
                    match word {
                        "set" => nodes.push(self.set()?),
                        "if" => nodes.push(self.branches(start)?),
                        "for" => nodes.push(self.repeat()?),
                        "include" => {
                            let Some(Word::Text(name)) = self.word()? else {
                                return Err(unexpected(word, start));
                            };
                            self.close("%]")?;
                            nodes.push(Node::Include(name));
                        }
                        _ => return Ok((nodes, Some((word.to_owned(), start)))),
                    }
                }
                _ => self.at = start + 1,
            }
        }
        self.at = self.text.len();
        Ok((nodes, None))
    }

    fn set(&mut self) -> Result<Node, Unread> {
        let at = self.at;
        let (Some(Word::Name(name)), Some(Word::Symbol("="))) = (self.word()?, self.word()?) else {
            return Err(unexpected("set", at));
        };
        let value = self.expression()?;
        self.close("%]")?;
        Ok(Node::Set { name: name.to_owned(), value })
    }

    fn branches(&mut self, mut start: usize) -> Result<Node, Unread> {
        let mut branches = Vec::new();
        let mut condition = Some(self.expression()?);
        loop {
            self.close("%]")?;
            let body_at = self.at;
            let (body, ending) = self.nodes()?;
            branches.push(Branch { condition, body, body_at });
            let (word, at) = ending.ok_or_else(|| unexpected("if", start))?;
            start = at;
            condition = match word.as_str() {
                "elif" => Some(self.expression()?),
                "else" => None,
                "endif" => {
                    self.close("%]")?;
                    return Ok(Node::If(branches));
                }
                _ => return Err(unexpected(&word, at)),
            };
        }
    }

    fn repeat(&mut self) -> Result<Node, Unread> {
        let at = self.at;
        let mut names = Vec::new();
        loop {
            match self.word()? {
                Some(Word::Name("in")) => break,
                Some(Word::Name(name)) => names.push(name.to_owned()),
                Some(Word::Symbol(",")) => {}
                _ => return Err(unexpected("for", at)),
            }
        }
        let over = self.expression()?;
        self.close("%]")?;
        match self.nodes()? {
            (body, Some((word, _))) if word == "endfor" => {
                self.close("%]")?;
                Ok(Node::For { names, over, body })
            }
            (_, ending) => {
                let (word, at) = ending.unwrap_or_else(|| ("for".to_owned(), at));
                Err(unexpected(&word, at))
            }
        }
    }

    fn close(&mut self, end: &str) -> Result<(), Unread> {
        self.skip_space();
        let rest = &self.text[self.at..];
        let rest = rest.strip_prefix('-').unwrap_or(rest);
        match rest.strip_prefix(end) {
            Some(rest) => {
                self.at = self.text.len() - rest.len();
                Ok(())
            }
            None => {
                let word: String =
                    rest.chars().take_while(|c| !c.is_whitespace()).take(20).collect();
                Err(unexpected(&word, self.at))
            }
        }
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Returns the next word of a tag; `None` at its end.
    fn word(&mut self) -> Result<Option<Word<'t>>, Unread> {
        self.skip_space();
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return Err(unexpected("", self.at)) };
        if [">]", "%]", "->]", "-%]"].iter().any(|end| rest.starts_with(end)) {
            return Ok(None);
        }
        // A mark that takes the space before a tag away.
        if first == '-' && self.text[..self.at].ends_with(['<', '%']) {
            self.at += 1;
            return self.word();
        }
        if matches!(first, '"' | '\'' | '`') {
            return self.quoted(first).map(Some);
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if is_name(first) {
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            self.at += length;
            return Ok(Some(Word::Name(&rest[..length])));
        }
        let twos = ["==", "!=", "<=", ">=", "//", "**"];
        let length =
            if twos.iter().any(|two| rest.starts_with(two)) { 2 } else { first.len_utf8() };
        self.at += length;
        Ok(Some(Word::Symbol(&rest[..length])))
    }

    fn quoted(&mut self, quote: char) -> Result<Word<'t>, Unread> {
        let start = self.at;
        let mut value = String::new();
        let mut chars = self.text[start + 1..].char_indices();
        while let Some((offset, c)) = chars.next() {
            if c == quote {
                self.at = start + 1 + offset + 1;
                return Ok(Word::Text(value));
            }
            value.push(if c == '\\' { chars.next().map_or(c, |(_, next)| next) } else { c });
        }
        Err(unexpected("", start))
    }

    fn peek(&mut self) -> Result<Option<Word<'t>>, Unread> {
        let at = self.at;
        let word = self.word();
        self.at = at;
        word
    }

    fn expression(&mut self) -> Result<Expression, Unread> {
        self.binary(0)
    }

    /// Operators that bind as tightly as `least`, or more; the numbers are Tera's.
    fn binary(&mut self, least: u8) -> Result<Expression, Unread> {
        let mut left = self.operand()?;
        loop {
            let at = self.at;
            let Some(word) = self.peek()? else { return Ok(left) };
            let (operator, binds) = match word {
                Word::Name(name @ "or") => (name, 1),
                Word::Name(name @ "and") => (name, 3),
                // `not` begins `not in`.
                Word::Name(name @ ("in" | "is" | "not")) => (name, 5),
                Word::Symbol(symbol @ ("==" | "!=" | "<" | ">" | "<=" | ">=")) => (symbol, 7),
                Word::Symbol(symbol @ ("+" | "-")) => (symbol, 11),
                Word::Symbol(symbol @ ("*" | "/" | "%" | "//" | "~")) => (symbol, 13),
                Word::Symbol(symbol @ "|") => (symbol, 17),
                _ => return Ok(left),
            };
            if binds < least {
                return Ok(left);
            }
            self.word()?;
            let tighter = binds + 1;
            left = match operator {
                "or" => Expression::Or(Box::new([left, self.binary(tighter)?])),
                "and" => Expression::And(Box::new([left, self.binary(tighter)?])),
                "in" => Expression::In(Box::new([left, self.binary(tighter)?])),
                "not" => {
                    if !matches!(self.word()?, Some(Word::Name("in"))) {
                        return Err(unexpected("not", at));
                    }
                    let within = Expression::In(Box::new([left, self.binary(tighter)?]));
                    Expression::Not(Box::new(within))
                }
                "is" => self.test(left, at)?,
                "==" => Expression::Equal(Box::new([left, self.binary(tighter)?])),
                "!=" => {
                    let equal = Expression::Equal(Box::new([left, self.binary(tighter)?]));
                    Expression::Not(Box::new(equal))
                }
                "~" => Expression::Join(Box::new([left, self.binary(tighter)?])),
                "|" => match self.word()? {
                    Some(Word::Name(_)) => {
                        let mut parts = vec![left];
                        if matches!(self.peek()?, Some(Word::Symbol("("))) {
                            parts.extend(self.arguments()?);
                        }
                        Expression::Other(parts)
                    }
                    _ => return Err(unexpected("|", at)),
                },
                _ => Expression::Other(vec![left, self.binary(tighter)?]),
            };
        }
    }

    fn test(&mut self, of: Expression, at: usize) -> Result<Expression, Unread> {
        let negated = matches!(self.peek()?, Some(Word::Name("not")));
        if negated {
            self.word()?;
        }
        let test = match (of, self.word()?) {
            (Expression::Variable { name, .. }, Some(Word::Name("defined"))) => {
                Expression::Defined(name)
            }
            _ => return Err(unexpected("is", at)),
        };
        Ok(if negated { Expression::Not(Box::new(test)) } else { test })
    }

    fn operand(&mut self) -> Result<Expression, Unread> {
        self.skip_space();
        let at = self.at;
        match self.word()? {
            Some(Word::Text(value)) => Ok(Expression::Text { value, at }),
            Some(Word::Name("not")) => Ok(Expression::Not(Box::new(self.binary(5)?))),
            Some(Word::Name("true")) => Ok(Expression::Truth(true)),
            Some(Word::Name("false")) => Ok(Expression::Truth(false)),
            Some(Word::Name(name)) if name.starts_with(|c: char| c.is_ascii_digit()) => {
                Ok(Expression::Other(Vec::new()))
            }
            Some(Word::Name(name)) => match self.peek()? {
                Some(Word::Symbol("(")) => Ok(Expression::Other(self.arguments()?)),
                Some(Word::Symbol(".")) => {
                    self.word()?;
                    match self.word()? {
                        Some(Word::Name(attribute)) => Ok(Expression::Variable {
                            name: name.to_owned(),
                            attribute: Some(attribute.to_owned()),
                            at,
                        }),
                        _ => Err(unexpected(".", at)),
                    }
                }
                _ => Ok(Expression::Variable { name: name.to_owned(), attribute: None, at }),
            },
            Some(Word::Symbol("-")) => Ok(Expression::Other(vec![self.binary(20)?])),
            Some(Word::Symbol("(")) => {
                let inner = self.expression()?;
                match self.word()? {
                    Some(Word::Symbol(")")) => Ok(inner),
                    _ => Err(unexpected("(", at)),
                }
            }
            Some(Word::Symbol("[")) => {
                let mut items = Vec::new();
                loop {
                    if matches!(self.peek()?, Some(Word::Symbol("]"))) {
                        self.word()?;
                        return Ok(Expression::List(items));
                    }
                    items.push(self.expression()?);
                    if matches!(self.peek()?, Some(Word::Symbol(","))) {
                        self.word()?;
                    }
                }
            }
            Some(Word::Symbol(symbol)) => Err(unexpected(symbol, at)),
            None => Err(unexpected("", at)),
        }
    }

    /// Parses arguments, such as `(a, name=b)`.
    fn arguments(&mut self) -> Result<Vec<Expression>, Unread> {
        let at = self.at;
        self.word()?;
        let mut arguments = Vec::new();
        loop {
            match self.peek()? {
                Some(Word::Symbol(")")) => {
                    self.word()?;
                    return Ok(arguments);
                }
                Some(Word::Symbol(",")) => _ = self.word()?,
                Some(Word::Name(_)) => {
                    let before = self.at;
                    self.word()?;
                    if matches!(self.peek()?, Some(Word::Symbol("="))) {
                        self.word()?;
                    } else {
                        self.at = before;
                    }
                    arguments.push(self.expression()?);
                }
                Some(_) => arguments.push(self.expression()?),
                None => return Err(unexpected("(", at)),
            }
        }
    }
}

/// A word of a tag.
enum Word<'t> {
    Name(&'t str),
    Text(String),
    Symbol(&'t str),
}
