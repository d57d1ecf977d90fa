//! Programs leave nothing behind in a checker.

#![cfg(target_os = "linux")]

use std::fs;

use checker::{Checker, Dialect, Verdict, Version};

/// Returns the resident memory of this process, in pages.
fn resident_pages() -> usize {
    let text = fs::read_to_string("/proc/self/statm").expect("Linux has it");
    text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number")
}

#[test]
fn memory_does_not_grow_from_program_to_program() {
    let mut checker = Checker::new(Dialect::new(Version::V3_0));
    let mut check = |number: usize| {
        let program = format!(
            "#define M{number}(x) x + {number}\n#pragma p{number}\nstruct s{number} {{ int m{number}; }};\n\
             kernel void k{number}(global int *p{number}, local int *q) {{\n  struct s{number} v{number};\n  \
             v{number}.m{number} = M{number}(1);\n  p{number}[0] = v{number}.m{number};\n  global int *bad = q;\n}}\n"
        );
        let report = checker.check("case.cl", &program);
        assert_eq!(report.verdict, Verdict::Broken, "{:?}", report.diagnostics);
    };
    (0..5_000).for_each(&mut check);
    let before = resident_pages();
    (5_000..55_000).for_each(&mut check);
    let grown = resident_pages().saturating_sub(before);
    // 4 MiB in pages of 4 KiB; 50,000 programs that each left 100 bytes behind would take more.
    assert!(grown < 1024, "{grown} pages more");
}
