//! Compares a module with the program that it was compiled from.
//!
//! `compare STD FEATURES KERNEL.cl MODULE`: `STD` as `CL3.0`, `FEATURES` the names of features, separated by commas.

#![expect(clippy::print_stdout, reason = "it is a program")]

use checker::{Checker, Dialect, Feature};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [std, features, program, module] = &arguments[..] else {
        return Err("compare STD FEATURES KERNEL.cl MODULE".into());
    };
    let mut dialect = Dialect::new(std.parse()?).without_features().with(Feature::Int64);
    for name in features.split(',') {
        dialect = match (name, Feature::from_name(name)) {
            (_, Some(feature)) => dialect.with(feature),
            ("cl_khr_fp16", _) => dialect.with_fp16(),
            _ => dialect,
        };
    }
    dialect.byte_store = true;
    let mut checker = Checker::new(dialect);
    let report = checker.check(program, std::fs::read(program)?);
    for said in report
        .diagnostics
        .iter()
        .filter(|said| said.severity >= checker::diagnostic::Severity::Error)
    {
        let place = report.sources.position(said.span.start);
        println!("not accepted: {}:{}: {}", place.file, place.line, said.message);
    }
    let bytes = std::fs::read(module)?;
    let is_text = bytes.first().is_some_and(|byte| byte.is_ascii_graphic() || *byte == b';');
    let module = if is_text { lowering::ir::read(&bytes)? } else { lowering::spirv::read(&bytes)? };
    let comparison = lowering::laws::check(&checker.objects(), &module)?;
    for violation in &comparison.violations {
        let place = violation.place.as_ref().map(|place| format!("{}:{}", place.file, place.line));
        println!(
            "{} {} {} at {}: {}",
            violation.law.facts().name,
            place.unwrap_or_default(),
            violation.subject,
            violation.module_place,
            violation.message
        );
    }
    println!("expected {} found {}", comparison.expected, comparison.found);
    for (reason, count) in &comparison.unneeded {
        println!("absent {count}: {}", reason.words());
    }
    Ok(())
}
