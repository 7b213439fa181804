//! The speed of solving layers: by one thread and by two, against a plain solver written from the definition,
//! and the work around it.
//!
//! `cargo bench -p granero-benches --bench solver`. Compare the rates with each other: absolute times depend
//! on the machine and its load. `granero build --json` times whole builds.

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use granero::index::Layer;
use granero::solver::{self, Solver, TurnedLayer};
use granero::table::LayerStatistics;
use granero::{Cycles, Ruleset};

/// The layer to solve again and again.
const LAYER: u8 = 13;

fn solving(criterion: &mut Criterion) {
    let layers = solver::solve_all((Ruleset::Abapa, Cycles::Split), LAYER, 2);
    let turned: Vec<Arc<TurnedLayer>> = Layer::all()
        .zip(&layers)
        .map(|(layer, values)| Arc::new(TurnedLayer::new(layer, values.as_ref().low())))
        .collect();
    let layer = Layer::new(LAYER).unwrap();

    let mut group = criterion.benchmark_group(format!("layer of {LAYER} seeds"));
    group.sample_size(10);
    group.throughput(Throughput::Elements(layer.len()));
    for threads in [1, 2] {
        let solver = Solver::new((Ruleset::Abapa, Cycles::Split), LAYER);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        group.bench_function(format!("solve, threads: {threads}"), |bencher| {
            let solve = || {
                let smaller = |seeds: u8, _| Ok::<_, ()>(turned[usize::from(seeds)].clone());
                black_box(solver.solve(layer, smaller, |_| {}))
            };
            bencher.iter(|| pool.install(solve));
        });
    }
    let values = &layers[usize::from(LAYER)];
    group.bench_function("turn around", |bencher| {
        bencher.iter(|| TurnedLayer::new(layer, black_box(values.as_ref().low())));
    });
    group.bench_function("statistics and hash", |bencher| {
        bencher.iter(|| LayerStatistics::of(layer, black_box(values)));
    });
    group.finish();

    let mut group = criterion.benchmark_group("layers of 0 to 6 seeds");
    group.sample_size(10);
    let positions = Layer::all().take(7).map(Layer::len).sum();
    group.throughput(Throughput::Elements(positions));
    group.bench_function("solve, threads: 1", |bencher| {
        bencher.iter(|| solver::solve_all((Ruleset::Abapa, Cycles::Split), black_box(6), 1));
    });
    group.bench_function("plain reference", |bencher| {
        bencher.iter(|| support::reference::reference("abapa", black_box(6)));
    });
    group.finish();

    let mut group = criterion.benchmark_group("preparation");
    group.sample_size(10);
    group.bench_function("half-board tables up to 15 seeds", |bencher| {
        bencher.iter(|| Solver::new((Ruleset::Abapa, Cycles::Split), black_box(15)));
    });
    group.finish();
}

criterion_group!(benches, solving);
criterion_main!(benches);
