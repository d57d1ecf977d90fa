//! Recognition of complaints about the program in a log. An internal error of the compiler rejects no program, and
//! neither does a line that names nothing of it.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Words of compilers that fail, in small letters.
const FAILURES_OF_COMPILERS: [&str; 23] = [
    "llvm error",
    "error in backend",
    "cannot select",
    "internal compiler error",
    "internal error",
    "compiler crash",
    "please submit a bug report",
    "please submit a full bug report",
    "unreachable executed",
    "panicked at",
    "assertion `",
    "assertion failed",
    "stack dump",
    "unhandled exception",
    "segmentation fault",
    "out of memory",
    "out of host memory",
    "cannot allocate memory",
    "bad_alloc",
    "too many open files",
    "no space left on device",
    "licence",
    "license",
];

/// Words for address spaces, in small letters: only programs have any.
const ADDRESS_SPACES: [&str; 2] = ["address space", "memory space"];

/// Whether a line reports that the compiler failed, not that the program is wrong.
pub(super) fn is_failure_of_compiler(line: &str) -> bool {
    let line = line.to_lowercase();
    let is_of_program = line.contains("static assertion failed");
    !is_of_program && FAILURES_OF_COMPILERS.iter().any(|words| line.contains(words))
}

/// Whether a log without a place in `source` complains of that program: it names a symbol that the program declares, as
/// linkers do, a library function that it calls, or its address spaces.
pub(super) fn is_about_program(log: &str, source: &str) -> bool {
    if log.lines().any(is_failure_of_compiler) {
        return false;
    }
    log.lines().filter(|line| is_said(line)).any(|line| {
        let own = OWN_SYMBOL.find_iter(line).any(|symbol| source.contains(symbol.as_str()));
        own || library_names(line).any(|name| source.contains(name))
            || names_call(line, source)
            || ADDRESS_SPACES.iter().any(|words| line.to_lowercase().contains(words))
    })
}

/// Whether a line names a function that `source` calls, by a word that no sentence of English has.
fn names_call(line: &str, source: &str) -> bool {
    IDENTIFIER.find_iter(line).map(|word| word.as_str()).any(|word| {
        let is_no_word = word == "printf" || word.contains('_');
        is_no_word
            && source.match_indices(word).any(|(offset, _)| {
                let is_whole = !source[..offset].ends_with(is_part_of_identifier);
                is_whole && source[offset + word.len()..].trim_start().starts_with('(')
            })
    })
}

fn is_part_of_identifier(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a line may be a complaint: it is neither a warning nor a remark, nor source quoted below one.
fn is_said(line: &str) -> bool {
    let small = line.to_lowercase();
    !QUOTED.is_match(line)
        && !["warning", "note:", "remark"].iter().any(|word| small.contains(word))
}

/// Returns the library functions that a line names with their mangled names, as programs call them.
pub(super) fn library_names(line: &str) -> impl Iterator<Item = &str> {
    MANGLED.captures_iter(line).filter_map(|found| library_name(&found))
}

/// Returns the name by which programs call a function of the library. Leading underscores are the library's own.
fn library_name<'l>(mangled: &Captures<'l>) -> Option<&'l str> {
    let length: usize = mangled["length"].parse().ok()?;
    let name = mangled.name("rest")?.as_str().get(..length)?;
    let name = name.strip_prefix("_cl_").unwrap_or(name).trim_start_matches('_');
    (!name.is_empty()).then_some(name)
}

/// The name of a C++ function as linkers know it.
static MANGLED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b_Z(?<length>\d{1,3})(?<rest>\w+)"));

static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[A-Za-z_]\w+"));

/// A line of a program, or the mark below one.
pub(super) static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:\s|\d+ \|)"));

/// A name that the generator makes unique over all cases, mangled or not.
pub(super) static OWN_SYMBOL: LazyLock<Regex> = LazyLock::new(|| pattern(r"c[0-9a-f]{10}_"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is constant and tested")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_compiler_says_of_itself() {
        for (line, expected) in [
            ("LLVM ERROR: Cannot select: t9: i32 = llvm.x", true),
            ("c00001:3:1: fatal error: error in backend: Cannot select: t9", true),
            ("k.cl:3:1: internal compiler error: in gimplify_expr", true),
            ("error: CL_OUT_OF_RESOURCES: Out of host memory", true),
            ("error: no licence for 1 seat", true),
            ("License checkout failed", true),
            ("sh: Too many open files", true),
            ("thread 'main' panicked at src/main.rs:1:1:", true),
            ("k.cl:1:1: error: static assertion failed: x", false),
            ("k.cl:1:1: error: changes address space of pointer", false),
            ("error: context lost", false),
        ] {
            assert_eq!(is_failure_of_compiler(line), expected, "{line}");
        }
    }

    #[test]
    fn a_log_without_a_place_is_about_what_it_names() {
        let source = "int c0000000001_f(int);\nkernel void c0000000001_k() { fence(1); async_work(1); printf (); step(1); }\n";
        for (log, expected) in [
            ("ptxas fatal : Unresolved extern function 'c0000000001_f'", true),
            ("Cannot find symbol _Z13c0000000001_fi in kernel library", true),
            ("Cannot find symbol _Z9_cl_fencei in kernel library", true),
            ("error: The first argument for printf must be a string literal!", true),
            ("error: Cannot store to pointer that points to constant memory space", true),
            ("ptxas error : constant pointers passed as parameter cannot use cvta.const", false),
            ("error: async_work is not supported", true),
            ("error: work is not supported", false),
            ("error: the step printfs failed", false),
            ("Cannot find symbol c0000000002_f", false),
            ("error: context lost", false),
            ("Compilation failed", false),
            ("", false),
            ("(): Warning: c0000000001_k is a kernel\nfatal: lost", false),
            ("warning: c00000:1:1: c0000000001_k is odd\n  int c0000000001_f(int);", false),
            ("LLVM ERROR: Cannot select: t9\nIn function: c0000000001_k", false),
        ] {
            assert_eq!(is_about_program(log, source), expected, "{log}");
        }
    }
}
