use std::path::Path;

use super::*;
use crate::checkpoint::{CheckpointStore, InMemory, NoCheckpoints};
use crate::solve::in_pool;
use crate::sweep::SweptLayer;
use crate::sweep::files::PAGE;
use crate::sweep::scratch_file::faults::LEFT;
use crate::sweep::tests::{Turned, kinds, solve, solved};
use granero_game::rules::Ruleset;
use granero_game::{Bound, Extent, Kind};
use granero_table::first_error::FirstError;
use granero_table::rows::{LayerValues, Matrix};

/// Where files lie, the layer, and the numbers of shares and threads.
type How<'a> = (&'a Path, Layer, usize, usize);

/// Solves a layer in shares, with so much resident memory and files of which so many reads and writes of a single thread
/// succeed.
fn solve_in_shares<T: Send>(
    tables: &Tables,
    smaller: &Turned,
    checkpoints: &mut (dyn CheckpointStore + Send),
    (place, layer, shares, threads): How<'_>,
    (resident, steps): (u64, u64),
    look: impl Fn(&SweptLayer) -> T + Sync,
) -> Result<T, TableError> {
    let divide = [Shares::equal, Shares::of_processes][shares % 2];
    let within = Within {
        shares: divide(layer, tables.cycles(), shares),
        directory: Arc::new(OpenDirectory::open(place).unwrap()),
        // A share at a time, about half of them, or all.
        room: [0, layer.len() as usize / 2 + 12_000, usize::MAX][shares % 3],
        resident,
    };
    let mut smaller =
        |seeds: u8, bound: Bound, _| Ok(smaller[usize::from(seeds)].get(bound).clone());
    in_pool(threads, || {
        LEFT.set(steps);
        let first = FirstError::none();
        let fail = &|error| first.keep(error);
        let report = &|_| Ok(());
        let solved = tables.solve_in_shares(within, fail, &mut smaller, checkpoints, report);
        let found = first.of(solved);
        LEFT.set(u64::MAX);
        Ok(look(&found?.0))
    })
}

/// Solves with checkpoints after each sweep, so also goes on from one.
fn shares_make_no_difference_for(kind: Kind, seeds: u8, counts: &[usize], threads: usize) {
    let place = tempfile::tempdir().unwrap();
    let (layers, tables, smaller) = solved(kind, seeds);
    for (layer, values) in Layer::all().zip(&layers) {
        let in_shares = |count, checkpoints: &mut InMemory| {
            let how = (place.path(), layer, count, threads);
            let most = (0, u64::MAX);
            let in_order = SweptLayer::in_order;
            let found = solve_in_shares(&tables, &smaller, checkpoints, how, most, in_order);
            assert!(found.unwrap() == *values, "{kind:?} {layer:?} {count}");
        };
        let in_memory = |checkpoints: &mut InMemory| {
            let (found, _) = solve(&tables, layer, &smaller, checkpoints, 1);
            assert!(found == *values, "{kind:?} {layer:?}");
        };
        // Any number of shares goes on from any checkpoint, and so does a build in memory.
        for &count in counts {
            let mut kept = InMemory::default();
            in_shares(count, &mut kept);
            if layer.seeds() < seeds {
                continue;
            }
            for checkpoint in kept.kept.iter().skip(1).step_by(13) {
                let mut resumed = InMemory::from(checkpoint);
                in_shares(count, &mut resumed);
                assert!(resumed.kept.len() < kept.kept.len());
                in_shares(7 - count % 2, &mut InMemory::from(checkpoint));
                in_memory(&mut InMemory::from(checkpoint));
                let mut torn = InMemory::from(checkpoint);
                torn.most = Some(1000);
                in_shares(3, &mut torn);
            }
        }
        let mut kept = InMemory::default();
        in_memory(&mut kept);
        if layer.seeds() == seeds {
            for checkpoint in kept.kept.iter().skip(1).step_by(13) {
                in_shares(3, &mut InMemory::from(checkpoint));
            }
        }
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn shares_make_no_difference() {
    for cycles in Cycles::ALL {
        for (number, kind) in kinds(3, cycles).enumerate() {
            shares_make_no_difference_for(kind, 3, &[2 + number % 3], 1);
        }
    }
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn shares_make_no_difference_with_more_seeds() {
    for (cycles, seeds) in [(Cycles::Split, 8), (Cycles::OwnSide, 7)] {
        for kind in kinds(seeds, cycles) {
            shares_make_no_difference_for(kind, seeds, &[2, 40], 3);
        }
    }
    // The first bounds that take two rounds.
    let kind = Kind::from((Ruleset::Italian, Cycles::OwnSide));
    shares_make_no_difference_for(kind, 10, &[4], 2);
}

#[test]
#[ignore = "slow: .ci/long has it"]
fn shares_make_no_difference_at_length() {
    for (cycles, seeds) in [(Cycles::Split, 12), (Cycles::OwnSide, 10)] {
        for rules in [Ruleset::Abapa, Ruleset::Awari, Ruleset::Italian] {
            let kind = Kind::from((rules, cycles, Extent::FULL));
            shares_make_no_difference_for(kind, seeds, &[2, 4, 6], 2);
        }
    }
}

fn a_read_or_write_that_fails_ends_the_work(cycles: Cycles, seeds: u8, step_by: usize) {
    let place = tempfile::tempdir().unwrap();
    let kind = Kind::from((Ruleset::Italian, cycles));
    let (layers, tables, smaller) = solved(kind, seeds);
    let solve = |steps: u64| {
        let how = (place.path(), Layer::new(seeds).unwrap(), 3, 1);
        let checkpoints = &mut InMemory::default();
        let in_order = SweptLayer::in_order;
        solve_in_shares(&tables, &smaller, checkpoints, how, (0, steps), in_order)
    };
    assert!(solve(u64::MAX).unwrap() == layers[usize::from(seeds)]);
    let mut steps = (1..20).chain((20..).step_by(step_by));
    loop {
        match solve(steps.next().unwrap()) {
            Err(TableError::Io { .. }) => {
                assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
            }
            found => {
                assert!(found.unwrap() == layers[usize::from(seeds)]);
                return;
            }
        }
    }
}

#[test]
fn a_read_or_write_that_fails_ends_the_work_on_shares() {
    a_read_or_write_that_fails_ends_the_work(Cycles::Split, 5, 397);
    a_read_or_write_that_fails_ends_the_work(Cycles::OwnSide, 5, 1997);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn a_read_or_write_that_fails_ends_the_work_on_shares_with_more_seeds() {
    a_read_or_write_that_fails_ends_the_work(Cycles::Split, 7, 397);
    a_read_or_write_that_fails_ends_the_work(Cycles::OwnSide, 7, 1997);
}

/// The bytes of files in a directory that are mapped and in memory.
#[cfg(target_os = "linux")]
fn mapped_in(directory: &Path) -> usize {
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
    mapped_pages_keep_to_their_memory_with(12);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow: .ci/run has it"]
fn mapped_pages_keep_to_their_memory_with_13_seeds() {
    mapped_pages_keep_to_their_memory_with(13);
}

#[cfg(target_os = "linux")]
fn mapped_pages_keep_to_their_memory_with(seeds: u8) {
    let place = tempfile::tempdir().unwrap();
    let kind = Kind::from((Ruleset::Abapa, Cycles::Split));
    let (layers, tables, smaller) = solved(kind, seeds);
    let layer = Layer::new(seeds).unwrap();
    // With as much memory as there may be, all pages stay.
    for (resident, is_little) in [(0, true), (1 << 40, false)] {
        let how = (place.path(), layer, 2, 1);
        let look = |solved: &SweptLayer| {
            let mut mapped = vec![mapped_in(place.path())];
            solved.counts();
            mapped.push(mapped_in(place.path()));
            for matrix in Matrix::all(layer) {
                for row in matrix.all_rows() {
                    solved.values().low().copy(row, 0, &mut vec![0; row.len()]);
                }
                mapped.push(mapped_in(place.path()));
            }
            let in_order = solved.in_order();
            mapped.push(mapped_in(place.path()));
            assert!(in_order == layers[usize::from(seeds)]);
            mapped
        };
        let most = (resident, u64::MAX);
        let mapped =
            solve_in_shares(&tables, &smaller, &mut NoCheckpoints, how, most, look).unwrap();
        assert_eq!(mapped[0], 0);
        assert_eq!(
            *mapped.iter().max().unwrap() < 1 << 20,
            is_little,
            "{mapped:?}"
        );
    }
}

#[test]
fn shares_are_grouped_and_lie_in_pages_of_their_own() {
    let shares = Shares::equal(Layer::new(9).unwrap(), Cycles::Split, 6);
    let all = shares.captures_memory(0..shares.count());
    let three = shares.captures_memory(0..3);
    for (room, least, most) in [(0, 7, 7), (three, 2, 4), (all, 1, 1)] {
        let groups = shares.groups(room);
        assert!((least..=most).contains(&groups.len()), "{groups:?}");
        let grouped: Vec<usize> = groups.into_iter().flatten().collect();
        assert!(grouped.into_iter().eq(0..shares.count()));
    }
    let (starts, end) = CapturesFile::starts(&shares);
    for (share, starts) in starts.iter().enumerate() {
        assert_eq!(starts[0], share as u64 * PAGE);
    }
    // The narrow share is the last one.
    let narrow =
        (0..=9).map(|own| shares.ranks(6, 9 - own).len() as u64 * u64::from(half::count(own)));
    assert_eq!(end, 6 * PAGE + narrow.sum::<u64>());
}
