//! Conditions under which cases may share a program without a change of any outcome.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

/// Returns the extensions that a source enables and the reserved names it defines for a while: it can share a program
/// with others that have the same. `None` if it has to be built alone.
pub fn batch_key(source: &str) -> Option<Vec<String>> {
    // Other spellings of `#`.
    if source.contains("%:") || source.contains("??=") {
        return None;
    }
    let code = code_of(source)?.replace("\\\n", " ");
    let named = KERNEL.captures_iter(&code).all(|kernel| is_own_name(&kernel["name"]));
    if !named || !is_closed(&code) {
        return None;
    }
    let mut key = Vec::new();
    let mut open_conditionals = 0_usize;
    // Macros with the names of address spaces, which no implementation predefines (C99 6.10.8p4).
    let mut borrowed = BTreeSet::new();
    let mut reserved = BTreeSet::new();
    for line in code.lines().filter_map(|line| line.trim_start().strip_prefix('#')) {
        let line = line.trim_start();
        let (directive, rest) =
            line.split_at(line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len()));
        match directive {
            "define" | "undef" if is_own_name(rest.trim_start()) => {}
            "define" | "undef" if open_conditionals == 0 => {
                let name = space_name(rest)?;
                if name.starts_with('_') {
                    reserved.insert(name);
                }
                // Where nothing is borrowed there is nothing to undefine.
                _ = if directive == "define" {
                    borrowed.insert(name)
                } else {
                    borrowed.remove(name)
                };
            }
            "if" | "ifdef" | "ifndef" => open_conditionals += 1,
            "elif" | "else" if open_conditionals > 0 => {}
            "endif" => open_conditionals = open_conditionals.checked_sub(1)?,
            "pragma" => key.push(ENABLE.captures(rest)?["name"].to_owned()),
            _ => return None,
        }
    }
    // A name with two underscores may be a macro of the implementation's, which is gone afterwards.
    key.extend(reserved.into_iter().map(str::to_owned));
    key.sort_unstable();
    key.dedup();
    (open_conditionals == 0 && borrowed.is_empty()).then_some(key)
}

/// Whether a build option cannot affect other cases: it defines a name that the generator makes unique over all of
/// them.
pub(super) fn is_own_option(option: &str) -> bool {
    option.strip_prefix("-D").is_some_and(is_own_name)
}

/// Returns the name of an address space, plain or reserved, at the beginning of a directive's text.
fn space_name(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
    let plain = name.strip_prefix("__").unwrap_or(name);
    ["global", "local", "constant", "private", "generic"].contains(&plain).then_some(name)
}

/// Returns whether the generator made the name unique over all cases.
fn is_own_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.len() > 12
        && bytes[0] == b'c'
        && bytes[1..11].iter().all(u8::is_ascii_hexdigit)
        && bytes[11] == b'_'
}

static KERNEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\bkernel\b[^(;{]*?\bvoid\s+(?:(?:static|extern|inline)\s+)*(?<name>\w+)")
});

static ENABLE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s+OPENCL\s+EXTENSION\s+(?<name>\w+)\s*:\s*enable\s*$"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is constant and tested")
}

/// Returns the source without comments and with empty literals; `None` if one does not end.
fn code_of(source: &str) -> Option<String> {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(index) = rest.find(['/', '"', '\'']) {
        code.push_str(&rest[..index]);
        rest = &rest[index..];
        if let Some(comment) = rest.strip_prefix("//") {
            let end = comment.find('\n').unwrap_or(comment.len());
            if comment[..end].ends_with('\\') {
                return None;
            }
            rest = &comment[end..];
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/")?;
            // Keep the lines, so that a directive after a comment still begins one.
            code.extend(comment[..end].chars().filter(|&c| c == '\n'));
            code.push(' ');
            rest = &comment[end + 2..];
        } else if rest.starts_with('/') {
            code.push('/');
            rest = &rest[1..];
        } else {
            rest = after_literal(rest)?;
            code.push('0');
        }
    }
    code.push_str(rest);
    Some(code)
}

fn after_literal(text: &str) -> Option<&str> {
    let quote = text.chars().next()?;
    let mut escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(&text[index + 1..]),
            _ => {}
        }
    }
    None
}

/// Whether the text ends outside every bracket and after a whole declaration, so that an error in it cannot
/// spill over into the next case.
fn is_closed(code: &str) -> bool {
    let mut open = Vec::new();
    let mut last = ';';
    for line in code.lines().filter(|line| !line.trim_start().starts_with('#')) {
        for c in line.chars().filter(|c| !c.is_whitespace()) {
            last = c;
            let closes = match c {
                '(' | '[' | '{' => {
                    open.push(c);
                    continue;
                }
                ')' => '(',
                ']' => '[',
                '}' => '{',
                _ => continue,
            };
            if open.pop() != Some(closes) {
                return false;
            }
        }
    }
    open.is_empty() && matches!(last, ';' | '}') && !code.trim_end().ends_with('\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_behaved_cases_share() {
        for source in [
            "kernel void c0123456789_k(global int *o) { o[0] = '}'; } // }\n",
            "#define c0123456789_M(x) ((x) + 1)\nint c0123456789_f(int x) { return c0123456789_M(x); /* { */ }\n",
            "#ifdef cl_khr_fp64\ntypedef double c0123456789_t;\n#endif\n",
            "#define global local\n#define local(x) x\nint c0123456789_x;\n#undef local\n#undef global\n",
            "#undef local\nint c0123456789_x;\n",
            "kernel void static  c0123456789_k(global int *o);\n",
        ] {
            assert_eq!(batch_key(source), Some(Vec::new()), "{source}");
        }
        let extension = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nint c0123456789_x;";
        assert_eq!(batch_key(extension), Some(vec!["cl_khr_fp64".to_owned()]));
        let reserved = "#define __local\nint c0123456789_x;\n#undef __local\n";
        assert_eq!(batch_key(reserved), Some(vec!["__local".to_owned()]));
    }

    #[test]
    fn options_that_speak_of_one_case_are_its_own() {
        assert!(is_own_option("-Dc0123456789_APART=1"));
        for option in ["-DAPART=1", "-cl-kernel-arg-info", "-cl-std=CL1.2", "-Ic0123456789_x"] {
            assert!(!is_own_option(option), "{option}");
        }
    }

    #[test]
    fn cases_that_could_change_the_others_stay_alone() {
        for source in [
            "kernel void k(global int *o) { }",
            "kernel void static k(global int *o) { }",
            "kernel void c0123456789_k(global int *o) { ",
            "kernel void c0123456789_k(global int *o) { ( } )",
            "int c0123456789_x",
            "int c0123456789_x; /* unfinished",
            "constant char c0123456789_x[] = \"unfinished;\n",
            "#define global local\n",
            "#define global local\n#undef local\n",
            "#define __local\n",
            "#define INT_MAX 1\n#undef INT_MAX\n",
            "#define global local\n#if 1\n#undef global\n#endif\n",
            "#undef NULL\n",
            "#include <x>\n",
            "#if 1\n",
            "#endif\n",
            "#line 7\n",
            "#pragma OPENCL EXTENSION all : disable\n",
            "#pragma STDC FP_CONTRACT OFF\n",
            "%:define global struct {}\n",
            "// a comment that goes on \\\nint c0123456789_x;",
            "#define c0123456789_x 1 \\",
        ] {
            assert_eq!(batch_key(source), None, "{source}");
        }
    }
}
