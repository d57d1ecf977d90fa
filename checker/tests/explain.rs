//! Each rule's example breaks that rule and no other, and its valid counterpart breaks none.

#![expect(clippy::needless_raw_string_hashes, reason = "updating the snapshots writes them")]

use std::fmt::Write as _;

use checker::{Checker, Rule, Verdict, elsewhere::OtherDialects, explain};
use expect_test::expect;

#[test]
fn every_example_is_what_it_says() {
    let mut wrong = Vec::new();
    for &rule in Rule::ALL {
        let example = explain::example(rule);
        let mut checker = Checker::new(example.dialect);
        let report = checker.check("broken.cl", example.broken);
        let found: Vec<_> = report
            .diagnostics
            .iter()
            .map(|diagnostic| (diagnostic.rule.map(Rule::id), diagnostic.message.clone()))
            .collect();
        let exactly = found.iter().all(|(id, _)| *id == Some(rule.id()));
        if report.verdict != Verdict::Broken || !exactly {
            wrong.push(format!("{}: broken: {:?} {found:?}", rule.id(), report.verdict));
        }
        let report = checker.check("valid.cl", example.valid);
        if report.verdict != Verdict::Accepted || !report.diagnostics.is_empty() {
            wrong.push(format!(
                "{}: valid: {:?} {:?}",
                rule.id(),
                report.verdict,
                report.diagnostics
            ));
        }
        let mut without = Checker::new(example.dialect).without(rule);
        let report = without.check("broken.cl", example.broken);
        if report.verdict != Verdict::Accepted {
            wrong.push(format!("{}: still {:?} without the rule", rule.id(), report.verdict));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lists the dialects that allow each rule's broken example.
#[test]
fn examples_are_fine_elsewhere() {
    let mut table = String::new();
    for &rule in Rule::ALL {
        let example = explain::example(rule);
        let mut checker = Checker::new(example.dialect);
        let mut elsewhere = OtherDialects::new(&checker);
        let report = checker.check("broken.cl", example.broken);
        let fine_in = elsewhere.fine_in("broken.cl", example.broken.as_bytes(), report.diagnostics);
        let mut dialects: Vec<_> = fine_in.into_iter().flatten().collect();
        dialects.dedup();
        if !dialects.is_empty() {
            writeln!(table, "{}: {}", rule.id(), dialects.join(", "))
                .expect("a string takes everything");
        }
    }
    expect![[r#"
        qualifier/generic-spelled: CL2.0, CL3.0 with __opencl_c_generic_address_space
        declaration/global-unsupported: CL2.0, CL3.0 with __opencl_c_program_scope_global_variables
        declaration/storage-class-version: CL1.2, CL2.0, CL3.0
        parameter/kernel-pointer-to-pointer: CL2.0, CL3.0
        type/byte-store: CL1.1, CL1.2, CL2.0, CL3.0, CL1.0 with cl_khr_byte_addressable_store
        builtin/unavailable: CL2.0, CL3.0
        c/block: CL2.0, CL3.0 with __opencl_c_device_enqueue and __opencl_c_generic_address_space and __opencl_c_program_scope_global_variables
    "#]]
    .assert_eq(&table);
}
