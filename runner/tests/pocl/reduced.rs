//! `reduce` on programs that the driver rejects: the result is a program with the same mistake and no other.

use std::{collections::BTreeSet, fs};

use checker::{Checker, Dialect, Verdict, Version, diagnostic::Severity};
use libtest_mimic::Failed;

use crate::{check_status, runner, text};

const KERNELS: [&str; 5] = [
    "kernel void k(global int *o, local int *l) {\n  int x = 1;\n  o = l;\n  o[0] = x;\n}\n",
    "void scale(float *row, int n) {\n  for (int i = 0; i < n; i++) row[i] *= 2;\n}\n\
     kernel void k(global float *in, local float *tile) {\n  barrier(CLK_LOCAL_MEM_FENCE);\n  scale(tile, 4);\n}\n",
    "typedef struct { int a; float b; } pair;\nconstant pair table[2] = { { 1, 2.0f }, { 3, 4.0f } };\n\
     kernel void k(global float *o) {\n  table[1].b = o[0];\n  o[1] = table[0].b;\n}\n",
    "int f(int a) {\n  if (a > 1) {\n    local int t[4];\n    t[0] = a;\n    return t[0];\n  }\n  return 2;\n}\n\
     kernel void k(global int *o) { o[0] = f(o[1]); }\n",
    "kernel void k(float *o, int n) {\n  int i = get_global_id(0);\n  switch (n) {\n  case 1: o[i] = 2; break;\n  \
     default: o[i] = 3;\n  }\n}\n",
];

/// Returns the rules that a program breaks.
fn broken_rules(program: &str) -> Result<BTreeSet<&'static str>, Failed> {
    let mut checker = Checker::new(Dialect::new(Version::V1_2));
    let report = checker.check("k.cl", program);
    if report.verdict == Verdict::NotUnderstood {
        return Err(format!("this is not a program:\n{program}").into());
    }
    let errors = report.diagnostics.iter().filter(|said| said.severity >= Severity::Error);
    Ok(errors.filter_map(|said| said.rule).map(checker::Rule::id).collect())
}

pub(super) fn programs_stay_programs() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("k.cl");
    for program in KERNELS {
        fs::write(&path, program)?;
        let output = runner(&["reduce", path.to_str().unwrap(), "--device", "pocl"]);
        check_status(&output, 0)?;
        let left = String::from_utf8_lossy(&output.stdout);
        if left.len() >= program.len() || broken_rules(&left)? != broken_rules(program)? {
            return Err(text(&output).into());
        }
    }
    Ok(())
}
