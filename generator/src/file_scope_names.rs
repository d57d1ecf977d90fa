//! Names at file scope that do not begin with the prefix of their case.
//!
//! Cases share a program, so a name without the prefix is declared again by the next case, and each of them is built
//! alone.

/// Returns the first name that a valid program declares at file scope without the prefix: a function, object, type,
/// tag, enumeration constant or macro. Declarators in parentheses are not read.
pub(crate) fn without_prefix<'s>(source: &'s str, prefix: &str) -> Option<&'s str> {
    let mut scan = Scan::default();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = token_length(rest, first);
        let (token, behind) = rest.split_at(length);
        rest = behind;
        // A macro that is undefined does not reach the next case.
        let name = if first == '#' {
            macro_name(token).filter(|name| !is_undefined(behind, name))
        } else {
            scan.read(token, behind)
        };
        if let Some(name) = name.filter(|name| !name.starts_with(prefix)) {
            return Some(name);
        }
    }
    None
}

/// Returns the number of bytes of the token, comment, directive or character that `rest` begins with.
fn token_length(rest: &str, first: char) -> usize {
    let until = |end: &str| rest[2..].find(end).map_or(rest.len(), |at| 2 + at + end.len());
    match first {
        '/' if rest.starts_with("/*") => until("*/"),
        '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        '#' => directive_length(rest),
        '"' | '\'' => literal_length(rest, first),
        _ if is_of_name(first) => rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()),
        _ => first.len_utf8(),
    }
}

fn is_of_name(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

/// Returns the length of a directive up to the first line end that no backslash precedes.
fn directive_length(rest: &str) -> usize {
    let mut ends = rest.match_indices('\n').map(|(at, _)| at);
    ends.find(|at| !rest[..*at].ends_with('\\')).unwrap_or(rest.len())
}

fn literal_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    let end = rest.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == quote && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(rest.len(), |(at, _)| at + 1)
}

/// Returns the name that a directive defines.
fn macro_name(directive: &str) -> Option<&str> {
    let definition = directive[1..].trim_start().strip_prefix("define")?.trim_start();
    definition.split(|c| !is_of_name(c)).next()
}

/// Whether a directive in `text` undefines a macro.
fn is_undefined(text: &str, name: &str) -> bool {
    text.match_indices("#undef ").any(|(at, directive)| {
        text[at + directive.len()..].split(|c| !is_of_name(c)).next() == Some(name)
    })
}

/// The part of a declaration at file scope that was read last.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum DeclarationPart {
    #[default]
    Beginning,
    /// The word `enum`: a brace opens its constants.
    Enum,
    /// A colon: a base class comes, or a member that is defined outside its class.
    Colon,
    /// Parentheses: a brace opens the body of a function.
    Parentheses,
    Initializer,
}

/// Declarations at file scope as far as they were read.
#[derive(Default)]
struct Scan<'s> {
    part: DeclarationPart,
    /// Number of parentheses, brackets and braces that are open.
    depth: usize,
    /// The name right before this place, at file scope.
    last: Option<&'s str>,
    /// Number of names of the declaration.
    names: usize,
    /// Whether an enumeration constant comes next.
    constant_is_next: bool,
}

impl<'s> Scan<'s> {
    /// Reads a token, and the text after it; returns the name that it shows to be declared.
    fn read(&mut self, token: &'s str, behind: &str) -> Option<&'s str> {
        let first = token.chars().next()?;
        if first.is_whitespace() || token.len() > 1 && first == '/' {
            return None;
        }
        let constant = std::mem::take(&mut self.constant_is_next) && is_of_name(first);
        if self.depth > 0 {
            self.inside(first);
            return constant.then_some(token);
        }
        if is_of_name(first) {
            if token == "enum" {
                self.part = DeclarationPart::Enum;
            }
            self.names += 1;
            self.last = Some(token);
            return None;
        }
        let is_end = match first {
            // A parenthesis around a declarator follows a type.
            '(' => !behind.trim_start().starts_with(['*', '^', '(']),
            '[' | ';' | ',' | '=' | '{' => true,
            _ => false,
        };
        let declared = is_end.then(|| self.declared(first)).flatten();
        self.at_file_scope(first);
        declared
    }

    /// Returns the name right before a character, if the character shows that it is declared there.
    fn declared(&self, next: char) -> Option<&'s str> {
        let is_use = matches!(self.part, DeclarationPart::Initializer | DeclarationPart::Colon);
        let name = self.last.filter(|_| !is_use && self.names > 1)?;
        // Attributes and other words of the implementation.
        let is_reserved = name.starts_with("__");
        let is_tag_word = next == '{' && matches!(name, "struct" | "union" | "enum");
        (!is_reserved && !is_tag_word).then_some(name)
    }

    fn at_file_scope(&mut self, token: char) {
        self.last = None;
        match token {
            '(' | '[' | '{' => {
                self.depth = 1;
                self.constant_is_next = token == '{' && self.part == DeclarationPart::Enum;
                if token == '(' && self.part != DeclarationPart::Initializer {
                    self.part = DeclarationPart::Parentheses;
                }
            }
            '=' => self.part = DeclarationPart::Initializer,
            ':' => self.part = DeclarationPart::Colon,
            ',' => self.part = DeclarationPart::Beginning,
            ';' => *self = Self::default(),
            _ => {}
        }
    }

    fn inside(&mut self, token: char) {
        match token {
            '(' | '[' | '{' => self.depth += 1,
            ')' | ']' | '}' => self.depth -= 1,
            ',' => {
                self.constant_is_next = self.depth == 1 && self.part == DeclarationPart::Enum;
            }
            _ => {}
        }
        if self.depth == 0 && token == '}' && self.part == DeclarationPart::Parentheses {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::without_prefix;

    #[test]
    fn names_at_file_scope_begin_with_the_prefix() {
        let cases = [
            ("kernel void p_k(global int *o) { int x = 1, y[2]; o[0] = x; }", None),
            ("kernel void k(global int *o) { }", Some("k")),
            ("int p_f(int a, int b);\nint p_g(void) { return p_f(1, 2); }", None),
            ("int p_f(int a), g(void);", Some("g")),
            ("constant int p_a[2] = { 1, 2 }, b = 3;", Some("b")),
            ("constant sampler_t p_s = CLK_A | CLK_B;", None),
            ("#define p_S(x) \\\n  int y;\n#define COUNT 3\n", Some("COUNT")),
            ("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#ifdef cl_khr_fp64\n#endif\n", None),
            ("typedef struct { int a; } p_t; typedef p_t u;", Some("u")),
            ("struct p_s { int a, b; }; struct s;", Some("s")),
            ("union u { int a; };", Some("u")),
            ("enum p_e { p_A, B = 1 };", Some("B")),
            ("enum { A };", Some("A")),
            ("enum p_e p_f(int a, int b) { int c, d; return 0; }", None),
            ("/* int x; */ // int y;\nconstant char p_c[] = \"int z; \\\" int y;\";", None),
            ("__attribute__((reqd_work_group_size(1, 1, 1))) kernel void p_k(void) { }", None),
            ("int p_f(void) { return 1; } void (^p_b)(int) = 0; int (*p_p)[2];", None),
            ("global int p_c::m = 1;", None),
            ("#define global local\nvoid p_f(global int *a) { }\n#undef global\n", None),
            ("void f(void) __attribute__((noinline));", Some("f")),
        ];
        for (source, expected) in cases {
            assert_eq!(without_prefix(source, "p_"), expected, "{source}");
        }
    }
}
