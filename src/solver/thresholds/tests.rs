use std::convert::Infallible;

use super::*;
use crate::bands::scratch_file::faults::LEFT;
use crate::checkpoint::{InMemory, NoCheckpoints};
use crate::solve::in_pool;
use granero_game::rules::Ruleset;
use granero_table::file::statistics::LayerStatistics;
use granero_table::index::half;
use granero_table::rows::{LayerValues, Matrix};

/// A solver that divides even small layers.
fn solver(kind: impl Into<Kind>, max_seeds: u8) -> ThresholdSolver {
    ThresholdSolver::new(kind, max_seeds).tuned(Tuning::SMALL)
}

/// Like the function of the library, by thresholds, with layers that are divided.
pub(crate) fn solve_all(
    kind: impl Into<Kind>,
    max_seeds: u8,
    threads: usize,
) -> Vec<Measured<Vec<i8>>> {
    solve_all_with(&solver(kind, max_seeds), max_seeds, threads)
}

fn solve_all_with(
    solver: &ThresholdSolver,
    max_seeds: u8,
    threads: usize,
) -> Vec<Measured<Vec<i8>>> {
    in_pool(threads, || {
        let mut found: Vec<Measured<Vec<i8>>> = Vec::new();
        let mut turned: Vec<Measured<Arc<TurnedLayer>>> = Vec::new();
        for layer in Layer::all().take(usize::from(max_seeds) + 1) {
            let smaller = whole::<Infallible>(&turned);
            let Ok(solved) = solver.solve_in_parts(layer, smaller, &mut NoCheckpoints, |_| Ok(()));
            let Ok(values) = solved.in_order(smaller);
            let turn = |values: &Vec<i8>| Arc::new(TurnedLayer::new(layer, values));
            turned.push(values.as_ref().map(turn));
            found.push(values);
        }
        found
    })
}

fn turned(layers: &[Measured<Vec<i8>>]) -> Vec<Measured<Arc<TurnedLayer>>> {
    let turn = |(layer, values): (Layer, &Measured<Vec<i8>>)| {
        (values.as_ref()).map(|values| Arc::new(TurnedLayer::new(layer, values)))
    };
    Layer::all().zip(layers).map(turn).collect()
}

/// Returns smaller layers, each in one part.
fn whole<E>(
    turned: &[Measured<Arc<TurnedLayer>>],
) -> impl Fn(u8, Bound, usize) -> Result<Arc<TurnedLayer>, E> + Copy {
    move |seeds, bound, _| Ok(turned[usize::from(seeds)].get(bound).clone())
}

/// The tuning with which bytes count moves beside values only in small layers.
fn counting(most_counted: u8) -> Tuning {
    Tuning {
        most_counted,
        ..Tuning::SMALL
    }
}

fn bytes_that_count_less_make_no_difference_up_to(
    cycles: Cycles,
    extent: Extent,
    seeds: u8,
    threads: usize,
) {
    for ruleset in Ruleset::ALL {
        let kind = Kind::from((ruleset, cycles, extent));
        let layers = solve_all(kind, seeds, 1);
        for most_counted in [0, 4] {
            let solver = ThresholdSolver::new(kind, seeds).tuned(counting(most_counted));
            let found = solve_all_with(&solver, seeds, threads);
            assert!(found == layers, "{kind:?}, {most_counted}");
        }
    }
}

#[test]
fn bytes_that_count_less_make_no_difference() {
    bytes_that_count_less_make_no_difference_up_to(Cycles::Split, Extent::FULL, 7, 3);
    bytes_that_count_less_make_no_difference_up_to(Cycles::OwnSide, Extent::FULL, 5, 3);
}

#[test]
#[ignore = "slow: .ci/long has it"]
fn bytes_that_count_less_make_no_difference_at_length() {
    let deciding = Extent::deciding(10).unwrap();
    // Threads are delayed in tests, so the largest layers have one.
    for (most, threads) in [(13, 1), (10, 3)] {
        bytes_that_count_less_make_no_difference_up_to(Cycles::Split, Extent::FULL, most, threads);
    }
    bytes_that_count_less_make_no_difference_up_to(Cycles::OwnSide, Extent::FULL, 9, 3);
    bytes_that_count_less_make_no_difference_up_to(Cycles::OwnSide, deciding, 8, 3);
}

fn smaller_layers_can_come_row_by_row_up_to(seeds: u8) {
    for ruleset in Ruleset::ALL {
        for cycles in Cycles::ALL {
            let layers = solve_all((ruleset, cycles), seeds, 1);
            let turned = turned(&layers);
            // A part for each row.
            let row = |seeds: u8, bound, from: usize| {
                let layer = turned[usize::from(seeds)].get(bound);
                let rows = Matrix::all(layer.layer())
                    .flat_map(|matrix| (0..matrix.rows()).map(move |rank| matrix.row(rank)));
                let row = { rows }.find(|row| row.start() == from).unwrap();
                let values = layer.values()[row.places()].to_vec();
                let part = TurnedLayer::part(layer.layer(), from, values);
                Ok::<_, Infallible>(Arc::new(part))
            };
            let solver = solver((ruleset, cycles), seeds);
            for (layer, values) in Layer::all().zip(&layers) {
                let Ok(solved) = solver.solve_in_parts(layer, row, &mut NoCheckpoints, |_| Ok(()));
                let Ok(found) = solved.in_order(row);
                assert!(found == *values, "{ruleset}, {layer:?}");
            }
        }
    }
}

/// To go through a layer once for each row of all smaller ones takes long.
#[test]
fn smaller_layers_can_come_row_by_row() {
    smaller_layers_can_come_row_by_row_up_to(5);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn smaller_layers_can_come_row_by_row_up_to_8_seeds() {
    smaller_layers_can_come_row_by_row_up_to(8);
}

#[test]
fn a_layer_goes_on_from_every_checkpoint() {
    goes_on_from_every_checkpoint([Ruleset::Abapa, Ruleset::SlamEnds]);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn a_layer_goes_on_from_every_checkpoint_in_all_rulesets() {
    goes_on_from_every_checkpoint(Ruleset::ALL);
}

fn goes_on_from_every_checkpoint(rulesets: impl IntoIterator<Item = Ruleset>) {
    const SEEDS: u8 = 5;
    for ruleset in rulesets {
        for (cycles, most_counted) in [
            (Cycles::Split, u8::MAX),
            (Cycles::Split, 0),
            (Cycles::OwnSide, u8::MAX),
            (Cycles::OwnSide, 0),
        ] {
            let layers = solve_all((ruleset, cycles), SEEDS, 1);
            let layer = Layer::new(SEEDS).unwrap();
            let solver =
                ThresholdSolver::new((ruleset, cycles), SEEDS).tuned(counting(most_counted));
            let turned = turned(&layers);
            let smaller = whole::<Infallible>(&turned);
            let mut first = InMemory::default();
            let values = &layers[usize::from(SEEDS)];
            let Ok(solved) = solver.solve_in_parts(layer, smaller, &mut first, |_| Ok(()));
            assert!(solved.in_order(smaller).as_ref() == Ok(values));
            assert_eq!(first.kept.len(), usize::from(SEEDS));
            let mut last = &first.kept[0].0;
            for checkpoint in &first.kept {
                let mut then = InMemory::from(checkpoint);
                let none = |_, _, _| -> Result<_, ()> { panic!("no captures are looked up") };
                let solved = solver.solve_in_parts(layer, none, &mut then, |_| Ok(()));
                assert!(solved.unwrap().in_order(smaller).as_ref() == Ok(values));
                assert!(then.kept[0] == *checkpoint);
                last = &checkpoint.0;
            }

            // With other lists, the layer begins again.
            for lists in [
                Vec::new(),
                last[..last.len() - 1].to_vec(),
                last[..last.len() - 8].to_vec(),
                [&last[..], &[0; 8]].concat(),
                [u64::MAX.to_le_bytes(), [1, 0, 0, 0, 0, 0, 0, 0]].concat(),
                [1u64, u64::from(SEEDS) + 1, 0, 0]
                    .map(u64::to_le_bytes)
                    .concat(),
                [1u64, 256, 0, 0].map(u64::to_le_bytes).concat(),
                [2u64, 3, 2, 0, 0].map(u64::to_le_bytes).concat(),
                [1u64, 1, 1, u64::MAX, 0, 0, 0, 0, 0]
                    .map(u64::to_le_bytes)
                    .concat(),
                [1u64, 1, 0, 1, u64::MAX, 1].map(u64::to_le_bytes).concat(),
                // With `own-side`, two intervals that have a result in common.
                [4u64, 1, 3, 3, 5, 0, 0].map(u64::to_le_bytes).concat(),
            ] {
                let bytes = first.kept[0].1.clone();
                let mut then = InMemory::from(&(lists, bytes));
                let Ok(solved) = solver.solve_in_parts(layer, smaller, &mut then, |_| Ok(()));
                assert!(solved.in_order(smaller).as_ref() == Ok(values));
                assert_eq!(then.kept.len(), usize::from(SEEDS));
            }
        }
    }
}

#[test]
fn solved_values_are_the_same_row_by_row() {
    const SEEDS: u8 = 9;
    for cycles in Cycles::ALL {
        let layers = solve_all((Ruleset::Abapa, cycles), SEEDS, 1);
        let turned = turned(&layers);
        let solver = solver((Ruleset::Abapa, cycles), SEEDS);
        let smaller = whole::<Infallible>(&turned);
        for (layer, values) in Layer::all().zip(&layers) {
            let Ok(solved) = solver.solve_in_parts(layer, smaller, &mut NoCheckpoints, |_| Ok(()));
            let reachable = solved.values();
            for ((_, found), (_, values)) in reachable.into_iter().zip(values.iter()) {
                for matrix in Matrix::all(layer) {
                    for row in (0..matrix.rows()).map(|rank| matrix.row(rank)) {
                        for from in 0..row.len() {
                            let mut copied = vec![0; (row.len() - from).min(5)];
                            found.copy(row, from, &mut copied);
                            for (opponents, copied) in (from..).zip(copied) {
                                let houses = half::unrank(row.opponents_seeds(), opponents as u32);
                                let value = values[row.places()][opponents];
                                let is_there = houses.contains(&0);
                                assert_eq!(copied, if is_there { value } else { 0 });
                            }
                        }
                    }
                }
            }
            let expected = LayerStatistics::of(layer, values);
            for most in [0, 100, u64::MAX] {
                let Ok((counts, hashes)) = solved.sums(solved.counts(), most, smaller);
                assert_eq!(counts.with_hashes(layer, hashes), expected);
            }
        }
    }
}

/// In tests, threads are delayed where others can come between, and every layer is worth
/// sharing.
fn many_threads_find_what_one_finds_up_to(seeds: u8) {
    for ruleset in [Ruleset::Abapa, Ruleset::Awari, Ruleset::Italian] {
        for cycles in Cycles::ALL {
            let layers = solve_all((ruleset, cycles), seeds, 1);
            for threads in [2, 3, 8, 32] {
                assert!(solve_all((ruleset, cycles), seeds, threads) == layers);
            }
        }
    }
}

#[test]
fn many_threads_find_what_one_finds() {
    many_threads_find_what_one_finds_up_to(6);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn many_threads_find_what_one_finds_up_to_7_seeds() {
    many_threads_find_what_one_finds_up_to(7);
}

/// Solves with checkpoints after each threshold, so also goes on from one.
fn bands_make_no_difference_up_to(cycles: Cycles, seeds: u8, extent: Extent, threads: usize) {
    let place = tempfile::tempdir().unwrap();
    let directory = Arc::new(OpenDirectory::open(place.path()).unwrap());
    for ruleset in Ruleset::ALL {
        let kind = Kind::from((ruleset, cycles, extent));
        let layers = solve_all(kind, seeds, 1);
        let turned = turned(&layers);
        for most_counted in [1, u8::MAX] {
            let solver = ThresholdSolver::new(kind, seeds).tuned(counting(most_counted));
            for (layer, values) in Layer::all().zip(&layers) {
                for count in [2, 5, 40] {
                    let smaller = whole::<TableError>(&turned);
                    let solve = |count, checkpoints: &mut InMemory| {
                        in_pool(threads, || {
                            let bands = (count, 0, directory.clone());
                            let solved = solver.solve_in_bands(
                                layer,
                                smaller,
                                bands,
                                &mut *checkpoints,
                                |_| Ok(()),
                            );
                            solved.unwrap().0.in_order(smaller).unwrap()
                        })
                    };
                    let what = format!("{kind:?} {layer:?} {count} {most_counted}");
                    let mut kept = InMemory::default();
                    assert!(solve(count, &mut kept) == *values, "{what}");
                    // Any number of bands goes on from any checkpoint, and so does a build in memory.
                    for checkpoint in kept.kept.iter().skip(1).step_by(4) {
                        let mut resumed = InMemory::from(checkpoint);
                        assert!(solve(5, &mut resumed) == *values, "{what}");
                        assert!(resumed.kept.len() <= kept.kept.len());
                        let in_memory = solver.solve_in_parts(
                            layer,
                            smaller,
                            &mut InMemory::from(checkpoint),
                            |_| Ok(()),
                        );
                        let in_memory = in_memory.unwrap().in_order(smaller).unwrap();
                        assert!(in_memory == *values, "{what}");
                    }
                }
            }
        }
    }
}

fn bands_make_no_difference_with(seeds: u8) {
    let deciding = Extent::deciding(seeds).unwrap();
    for cycles in Cycles::ALL {
        bands_make_no_difference_up_to(cycles, seeds - 1, Extent::FULL, 3);
        bands_make_no_difference_up_to(cycles, seeds, deciding, 1);
    }
}

#[test]
fn bands_make_no_difference() {
    bands_make_no_difference_with(3);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn bands_make_no_difference_with_6_seeds() {
    bands_make_no_difference_with(6);
}

#[test]
#[ignore = "slow: .ci/long has it"]
fn bands_make_no_difference_at_length() {
    bands_make_no_difference_up_to(Cycles::Split, 12, Extent::FULL, 1);
    bands_make_no_difference_up_to(Cycles::OwnSide, 10, Extent::FULL, 1);
    for cycles in Cycles::ALL {
        bands_make_no_difference_up_to(cycles, 10, Extent::deciding(12).unwrap(), 3);
    }
}

fn a_read_or_write_that_fails_ends_the_work(cycles: Cycles, step_by: usize) {
    const SEEDS: u8 = 6;
    let place = tempfile::tempdir().unwrap();
    let directory = Arc::new(OpenDirectory::open(place.path()).unwrap());
    let kind = (Ruleset::Italian, cycles);
    let layers = solve_all(kind, SEEDS, 1);
    let turned = turned(&layers);
    let smaller = whole::<TableError>(&turned);
    // Extra bits have their own file.
    let solver = ThresholdSolver::new(kind, SEEDS).tuned(counting(1));
    let solve = |steps: u64| {
        in_pool(1, || {
            LEFT.set(steps);
            let bands = (4, 0, directory.clone());
            let layer = Layer::new(SEEDS).unwrap();
            let checkpoints = &mut InMemory::default();
            let solved = solver.solve_in_bands(layer, smaller, bands, checkpoints, |_| Ok(()));
            let left = LEFT.replace(u64::MAX);
            solved.map(|(solved, _)| (solved.in_order(smaller).unwrap(), left))
        })
    };
    let (values, left) = solve(u64::MAX).unwrap();
    assert!(values == layers[usize::from(SEEDS)]);
    let steps = u64::MAX - left;
    for step in (1..20).chain((1..=steps).step_by(step_by)).chain([steps]) {
        assert!(matches!(solve(step), Err(TableError::Io { .. })), "{step}");
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }
    assert!(solve(steps + 1).unwrap().0 == values);
}

#[test]
fn a_read_or_write_that_fails_ends_the_work_on_bands() {
    a_read_or_write_that_fails_ends_the_work(Cycles::Split, 97);
    a_read_or_write_that_fails_ends_the_work(Cycles::OwnSide, 997);
}

/// The bytes of files in a directory that are mapped and in memory.
#[cfg(target_os = "linux")]
fn mapped_in(directory: &std::path::Path) -> usize {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut lines = maps.lines();
    let mut sum = 0;
    while lines.any(|line| line.contains(directory.to_str().unwrap())) {
        let kibibytes = lines.find_map(|line| line.strip_prefix("Rss:")?.strip_suffix(" kB"));
        sum += 1024 * kibibytes.unwrap().trim().parse::<usize>().unwrap();
    }
    sum
}

#[cfg(target_os = "linux")]
#[test]
fn mapped_pages_keep_to_their_memory() {
    const SEEDS: u8 = 13;
    let place = tempfile::tempdir().unwrap();
    let directory = Arc::new(OpenDirectory::open(place.path()).unwrap());
    let kind = (Ruleset::Abapa, Cycles::Split);
    let layers = solve_all(kind, SEEDS, 1);
    let turned = turned(&layers);
    let smaller = whole::<TableError>(&turned);
    let (solver, layer) = (
        ThresholdSolver::new(kind, SEEDS),
        Layer::new(SEEDS).unwrap(),
    );
    // With as much memory as there may be, all pages stay.
    for (resident, is_little) in [(0, true), (1 << 40, false)] {
        let bands = (2, resident, directory.clone());
        let checkpoints = &mut InMemory::default();
        let solve = || solver.solve_in_bands(layer, smaller, bands, checkpoints, |_| Ok(()));
        let (solved, _) = in_pool(1, solve).unwrap();
        let mut mapped = vec![mapped_in(place.path())];
        let mut note = || mapped.push(mapped_in(place.path()));
        in_pool(1, || solved.counts());
        note();
        for matrix in Matrix::all(layer) {
            for row in (0..matrix.rows()).map(|rank| matrix.row(rank)) {
                solved.values().low().copy(row, 0, &mut vec![0; row.len()]);
            }
            note();
        }
        let in_order = in_pool(1, || solved.in_order(smaller)).unwrap();
        note();
        assert!(in_order == layers[usize::from(SEEDS)]);
        assert_eq!(mapped[0], 0);
        assert_eq!(
            *mapped.iter().max().unwrap() < 1 << 20,
            is_little,
            "{mapped:?}"
        );
    }
}
