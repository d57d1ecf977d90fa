//! Errors of linkers and assemblers about symbols that they miss.

use std::sync::LazyLock;

use regex::Regex;

/// An error about one symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MissingSymbol<'l> {
    /// The line of the log.
    pub(super) line: &'l str,
    /// The symbol, mangled or not.
    pub(super) symbol: &'l str,
}

/// Returns the errors of a log about missing symbols. A line counts only where the whole of it has a known form: a
/// warning, a note or a sentence that happens to name a symbol is not an error about it.
pub(super) fn missing_symbols(log: &str) -> impl Iterator<Item = MissingSymbol<'_>> {
    log.lines().filter_map(|line| {
        let symbol = FORMS.iter().find_map(|form| form.captures(line))?.name("symbol")?;
        Some(MissingSymbol { line, symbol: symbol.as_str() })
    })
}

/// The forms that are known, each of a program that was seen to print it.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // PoCL.
        r"^Cannot find symbol (?<symbol>[\w.$]+) in kernel library$",
        // NVIDIA's assembler and linker.
        r"^ptxas fatal\s*: Unresolved extern function '(?<symbol>[\w.$]+)'$",
        r"^nvlink error\s*: Undefined reference to '(?<symbol>[\w.$]+)' in '[^']*'$",
        // LLVM's linker.
        r"^(?:[\w./-]*lld: )?error: undefined (?:hidden |protected )?symbol: (?<symbol>[\w.$]+)(?:\([^)]*\))?$",
        // GNU's linker.
        r"^(?:[\w./-]*ld: )?[\w./:()+-]+: undefined reference to `(?<symbol>[\w.$]+)(?:\([^)]*\))?'$",
        // Intel's graphics compiler.
        r"^error: undefined reference to `(?<symbol>[\w.$]+)(?:\([^)]*\))?'$",
        // SPIRV-Tools' linker.
        r#"^(?:error: )?Unresolved external reference to "(?<symbol>[\w.$]+)"\.$"#,
    ]
    .into_iter()
    .map(|form| Regex::new(form).expect("the pattern is constant and tested"))
    .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_names_its_symbol() {
        for (line, symbol) in [
            ("Cannot find symbol _Z13c0000000002_fi in kernel library", Some("_Z13c0000000002_fi")),
            ("ptxas fatal   : Unresolved extern function 'c0000000001_f'", Some("c0000000001_f")),
            ("nvlink error   : Undefined reference to 'f' in 'a.o'", Some("f")),
            ("ld.lld: error: undefined symbol: c0000000001_f", Some("c0000000001_f")),
            ("lld: error: undefined hidden symbol: f(int)", Some("f")),
            ("/usr/bin/ld: a.o:(.text+0x1): undefined reference to `f'", Some("f")),
            ("error: undefined reference to `f()'", Some("f")),
            ("error: Unresolved external reference to \"f\".", Some("f")),
            // Neither of these is an error about the symbol.
            ("c0000000001_f", None),
            (
                "(): Warning: Function c0000000001_k is a kernel, so overriding noinline attribute",
                None,
            ),
            ("warning: ptxas fatal   : Unresolved extern function 'f'", None),
            ("note: Cannot find symbol f in kernel library", None),
            ("Cannot find symbol f in kernel library, or perhaps g", None),
            (">>> referenced by c0000000002_k", None),
            ("undefined symbol c0000000001_f is declared here", None),
            ("Cannot find symbol f in", None),
        ] {
            let found: Vec<&str> = missing_symbols(line).map(|missing| missing.symbol).collect();
            assert_eq!(found, symbol.into_iter().collect::<Vec<_>>(), "{line}");
        }
    }
}
