//! How many random programs are made in a second, printed text included.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generator::random::{RandomCase, Settings};

const PROGRAMS: u64 = 1000;

fn generate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random");
    group.throughput(Throughput::Elements(PROGRAMS));
    let cases: Vec<RandomCase> = RandomCase::numbers(PROGRAMS, 1, Settings::default()).collect();
    group.bench_function("programs", |bencher| {
        bencher.iter(|| cases.iter().map(|case| case.kernel().0.source.len()).sum::<usize>());
    });
    group.finish();
}

criterion_group!(benches, generate);
criterion_main!(benches);
