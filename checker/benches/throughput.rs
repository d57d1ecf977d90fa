//! Measures the time that the library takes for many small programs with one checker, and for one large preprocessed
//! program.

use std::{fmt::Write as _, hint::black_box};

use checker::{Checker, Dialect, Rule, Version, explain};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// A program the size of a conformance case; `{}` is a number that differs from program to program.
const CASE: &str = "\
#if __OPENCL_C_VERSION__ < 120
#error needs OpenCL C 1.2
#endif
typedef struct { float4 position; float mass; } body_{};
constant float weights_{}[4] = {0.1f, 0.2f, 0.3f, 0.4f};
float scale_{}(global const float *p, int i) { return p[i] * weights_{}[i & 3]; }
kernel void case_{}(global const float *in, global float *out, local float *scratch, int n) {
  const int i = get_global_id(0);
  scratch[get_local_id(0)] = scale_{}(in, i);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) out[i] = scratch[get_local_id(0)] + in[i];
}
";

fn program(number: usize) -> String {
    CASE.replace("{}", &number.to_string())
}

/// Returns kernels as `cpp` leaves them: line markers, no macros.
fn preprocessed(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 1024);
    let mut number = 0;
    while text.len() < bytes {
        writeln!(text, "# {} \"kernels/part{number}.cl\"", number + 1)
            .expect("a string takes everything");
        text.push_str(
            &program(number)
                .lines()
                .skip(3)
                .collect::<Vec<_>>()
                .join("\n")
                .replace("CLK_LOCAL_MEM_FENCE", "0x01"),
        );
        text.push('\n');
        number += 1;
    }
    text
}

fn small_programs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("small");
    let programs: Vec<String> = (0..1000).map(program).collect();
    let mut checker = Checker::new(Dialect::new(Version::V3_0));
    group.throughput(Throughput::Elements(programs.len() as u64));
    group.bench_function("cases", |bencher| {
        bencher.iter(|| {
            for program in &programs {
                black_box(checker.check("case.cl", program).verdict);
            }
        });
    });

    // One per rule: broken programs cost diagnostics.
    let mut examples: Vec<_> = Rule::ALL
        .iter()
        .map(|&rule| explain::example(rule))
        .filter(|example| example.dialect == Dialect::new(Version::V3_0))
        .collect();
    examples.dedup_by_key(|example| example.broken);
    group.throughput(Throughput::Elements(2 * examples.len() as u64));
    group.bench_function("examples", |bencher| {
        bencher.iter(|| {
            for example in &examples {
                black_box(checker.check("broken.cl", example.broken).verdict);
                black_box(checker.check("valid.cl", example.valid).verdict);
            }
        });
    });
    group.finish();
}

fn large_program(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("large");
    group.sample_size(10);
    let text = preprocessed(8 << 20);
    let mut checker = Checker::new(Dialect::new(Version::V3_0));
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("preprocessed", |bencher| {
        bencher.iter(|| black_box(checker.check("large.cl", &text).verdict));
    });
    group.finish();
}

fn start(criterion: &mut Criterion) {
    criterion.bench_function("start/new", |bencher| {
        bencher.iter(|| black_box(Checker::new(Dialect::new(Version::V3_0))));
    });
}

criterion_group!(benches, small_programs, large_program, start);
criterion_main!(benches);
