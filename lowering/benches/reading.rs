//! Time to read a module of 400 kernels, and to compare it with its program.

use checker::{Checker, Dialect, Version};
use criterion::{Criterion, criterion_group, criterion_main};
use lowering::{ir, laws};

const KERNELS: usize = 400;

const PROGRAM: &str = include_str!("../tests/programs/objects.cl");
const MODULE: &str = include_str!("../tests/programs/objects.spir64.ll");

/// Names of the program that are made unique.
const NAMES: [&str; 6] = ["table", "counter", "make", "helper", "Pair", "k"];

/// Returns a text with a number after each name.
fn numbered(text: &str, number: usize) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for part in text.split_inclusive(|c: char| !is_of_word(c)) {
        let word = part.trim_end_matches(|c: char| !is_of_word(c));
        out.push_str(word);
        if NAMES.contains(&word) {
            out.push('x');
            out.push_str(&number.to_string());
        }
        out.push_str(&part[word.len()..]);
    }
    out
}

fn read(criterion: &mut Criterion) {
    let body = MODULE.split("\n%struct").nth(1).expect("the module has a structure");
    let head = MODULE.split("\n%struct").next().expect("it has a head");
    let mut module = head.to_owned();
    let mut program = String::new();
    for number in 0..KERNELS {
        module.push_str("\n%struct");
        module.push_str(&numbered(body, number));
        program.push_str(&numbered(PROGRAM, number));
    }
    let mut checker = Checker::new(Dialect::new(Version::V2_0));
    checker.check("objects.cl", &program);
    let objects = checker.objects();
    let read = ir::read(module.as_bytes()).expect("the module is well formed");
    let comparison = laws::check(&objects, &read).expect("the target is known");
    assert_eq!((comparison.found, comparison.violations.len()), (comparison.expected, 0));
    let mut group = criterion.benchmark_group("400 kernels");
    group.sample_size(20);
    group.bench_function("read LLVM IR", |bencher| {
        bencher.iter(|| ir::read(module.as_bytes()).map(|module| module.functions.len()));
    });
    group.bench_function("compare", |bencher| {
        bencher.iter(|| laws::check(&objects, &read).map(|comparison| comparison.found));
    });
    group.finish();
}

criterion_group!(benches, read);
criterion_main!(benches);
