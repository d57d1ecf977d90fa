//! Programs whose kernels can be launched without executing their bodies, to generate code.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

/// Before the body of every kernel. No launch meets it, and no compiler can know that.
const CONDITION: &str = " if (get_global_size(2) != 2147483647u) return; ";

/// A program in which a condition guards the body of every kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GuardedProgram {
    pub(super) source: String,
    /// The kernels it defines.
    pub(super) kernels: Vec<String>,
}

/// Returns the program with a condition around the body of every kernel; `None` if it has no kernel.
pub(super) fn guarded(source: &str) -> Option<GuardedProgram> {
    let code = without_comments(source)?;
    let mut guarded = GuardedProgram { source: String::new(), kernels: Vec::new() };
    let mut copied = 0;
    let mut from = 0;
    while let Some(keyword) = KERNEL.find_at(&code, from) {
        from = keyword.end();
        let Some((name, body)) = definition(&code, from) else { continue };
        guarded.source.push_str(&source[copied..body]);
        guarded.source.push_str(CONDITION);
        guarded.kernels.push(code[name].to_owned());
        (copied, from) = (body, body);
    }
    guarded.source.push_str(&source[copied..]);
    (!guarded.kernels.is_empty()).then_some(guarded)
}

static KERNEL: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:__)?kernel\b"));

/// The name before the parameters; attributes have parentheses too.
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b([A-Za-z_]\w*)\s*\("));

static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*__attribute__\s*\("));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is constant and tested")
}

/// Returns the name of the function that is defined here and the start of its body; `None` for a declaration.
fn definition(code: &str, mut from: usize) -> Option<(Range<usize>, usize)> {
    let name = loop {
        let found = NAME.captures_at(code, from)?.get(1)?;
        if found.as_str() != "__attribute__" {
            break found.range();
        }
        from = behind_parentheses(code, found.end())?;
    };
    let mut behind = behind_parentheses(code, name.end)?;
    while let Some(attribute) = ATTRIBUTE.find(&code[behind..]) {
        behind = behind_parentheses(code, behind + attribute.end() - 1)?;
    }
    let body = code[behind..].trim_start();
    body.starts_with('{').then(|| (name, code.len() - body.len() + 1))
}

/// Returns the offset after the parentheses that open at or after a place.
fn behind_parentheses(code: &str, from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the source with blanks in place of comments and literals, each byte at its place; `None` if one does not
/// end.
fn without_comments(source: &str) -> Option<String> {
    let bytes = source.as_bytes();
    let mut code = bytes.to_vec();
    let mut index = 0;
    while index < bytes.len() {
        let rest = &source.as_bytes()[index..];
        let end = match rest {
            [b'/', b'/', ..] => rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len()),
            [b'/', b'*', rest @ ..] => rest.windows(2).position(|two| two == b"*/")? + 4,
            [quote @ (b'"' | b'\''), rest @ ..] => literal_end(rest, *quote)? + 2,
            _ => {
                index += 1;
                continue;
            }
        };
        for byte in &mut code[index..index + end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        index += end;
    }
    String::from_utf8(code).ok()
}

/// Returns the offset of the quote that ends a literal.
fn literal_end(text: &[u8], quote: u8) -> Option<usize> {
    let mut escaped = false;
    for (index, &byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if byte == quote => return Some(index),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_has_its_condition() {
        let c = CONDITION;
        for (source, expected, kernels) in [
            ("kernel void k(int a) { }", format!("kernel void k(int a) {{{c} }}"), vec!["k"]),
            (
                "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void k(global int *p)\n{ *p = 1; }",
                format!(
                    "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void k(global int *p)\n{{{c} *p = 1; }}"
                ),
                vec!["k"],
            ),
            (
                "void kernel k(void) __attribute__((a(b))) { }\nint f(int kernel_x) { return 1; }",
                format!(
                    "void kernel k(void) __attribute__((a(b))) {{{c} }}\nint f(int kernel_x) {{ return 1; }}"
                ),
                vec!["k"],
            ),
            (
                "kernel void k(int a);\nkernel void j(void) { } // kernel void l(void) {\nkernel void k(int a) { /* { */ }",
                format!(
                    "kernel void k(int a);\nkernel void j(void) {{{c} }} // kernel void l(void) {{\nkernel void k(int a) {{{c} /* {{ */ }}"
                ),
                vec!["j", "k"],
            ),
            (
                "constant char s[] = \"kernel void x(void) {\"; kernel void k(void) { char c = '\\''; }",
                format!(
                    "constant char s[] = \"kernel void x(void) {{\"; kernel void k(void) {{{c} char c = '\\''; }}"
                ),
                vec!["k"],
            ),
        ] {
            let found = guarded(source).unwrap();
            assert_eq!(
                (found.source.as_str(), found.kernels),
                (expected.as_str(), kernels.into_iter().map(str::to_owned).collect())
            );
        }
    }

    #[test]
    fn what_has_no_kernel_has_no_code() {
        for source in
            ["int f(void) { return 1; }", "kernel void k(void);", "kernel", "kernel void k(", "/*"]
        {
            assert_eq!(guarded(source), None, "{source}");
        }
    }
}
