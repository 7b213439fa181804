//! The speed of numbering positions, and of finding them by their numbers.
//!
//! `cargo bench -p granero-benches --bench index`

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use granero::Position;
use granero::index::Layer;

/// The number of positions in a measurement.
const POSITIONS: u64 = 4096;

fn index(criterion: &mut Criterion) {
    for seeds in [12, 24, 48] {
        let layer = Layer::new(seeds).unwrap();
        // Spread over the layer, in an order that no predictor can learn.
        let indices: Vec<u64> = (1..=POSITIONS)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % layer.len())
            .collect();
        let positions: Vec<Position> = indices
            .iter()
            .filter_map(|&index| layer.position(index))
            .collect();

        let mut group = criterion.benchmark_group(format!("{seeds} seeds"));
        group.throughput(Throughput::Elements(POSITIONS));
        group.bench_function("rank", |bencher| {
            bencher.iter(|| -> u64 { positions.iter().map(|p| layer.index(black_box(p))).sum() });
        });
        group.bench_function("unrank", |bencher| {
            bencher.iter(|| {
                for &index in &indices {
                    black_box(layer.position(black_box(index)));
                }
            });
        });
        group.bench_function("iterate", |bencher| {
            bencher.iter(|| {
                for position in layer.positions().take(POSITIONS as usize) {
                    black_box(position);
                }
            });
        });
        group.finish();
    }
}

criterion_group!(benches, index);
criterion_main!(benches);
