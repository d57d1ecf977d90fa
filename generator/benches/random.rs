//! Number of random programs that are made in a second, by size, printed text included; of those that are executed,
//! with their answers.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use generator::random::{Kinds, Mix, RandomCase, Settings, Size};

const PROGRAMS: u64 = 1000;

fn generate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random");
    group.throughput(Throughput::Elements(PROGRAMS));
    for size in [Size::Small, Size::Medium, Size::Large] {
        let settings = Settings { size, mix: Mix::default(), ..Settings::default() };
        let cases: Vec<RandomCase> =
            RandomCase::numbers(PROGRAMS, 1, settings, Kinds::Build).collect();
        group.bench_function(BenchmarkId::new("programs", size.name()), |bencher| {
            bencher.iter(|| cases.iter().map(|case| case.kernel().0.source.len()).sum::<usize>());
        });
    }
    group.finish();
}

fn evaluate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random");
    group.throughput(Throughput::Elements(PROGRAMS));
    for size in [Size::Small, Size::Medium, Size::Large] {
        let settings = Settings { size, mix: Mix::default(), ..Settings::default() };
        let cases: Vec<RandomCase> =
            RandomCase::numbers(PROGRAMS, 1, settings, Kinds::Run).collect();
        group.bench_function(BenchmarkId::new("answers", size.name()), |bencher| {
            bencher.iter(|| cases.iter().filter_map(|case| case.made().probe).count());
        });
    }
    group.finish();
}

criterion_group!(benches, generate, evaluate);
criterion_main!(benches);
