use std::sync::{Arc, Mutex};

use super::gather::{CHUNK, Gather, LANES};
use super::grid::{Grid, RowNumbers};
use super::kernel::{self, Opponents, Scratch};
use super::movers::{MOVERS, Movers};
use super::queue::{self, Cells, Event};
use super::share::Share;
use super::shares::Shares;
use super::tables::Tables;
use crate::checkpoint::{CheckpointStore, InMemory, NoCheckpoints};
use crate::progress::Progress;
use crate::solve::{in_pool, solve_all};
use granero_game::rules::{Arrival, Ruleset};
use granero_game::{Bound, Cycles, Extent, House, Kind, MAX_SEEDS, Measured, Position};
use granero_table::first_error::Stopped;
use granero_table::index::{Crossing, Layer, half};
use granero_table::rows::{Matrix, RowMoves, TurnedLayer};

pub(super) type Turned = Vec<Measured<Arc<TurnedLayer>>>;

/// Solves layers: their values, the tables of moves, and the layers for larger ones.
pub(super) fn solved(kind: Kind, seeds: u8) -> (Vec<Measured<Vec<i8>>>, Tables, Turned) {
    let layers = solve_all(kind, seeds, 1);
    let turn = |(layer, values): (Layer, &Measured<Vec<i8>>)| {
        (values.as_ref()).map(|values| Arc::new(TurnedLayer::new(layer, values)))
    };
    let turned = Layer::all().zip(&layers).map(turn).collect();
    (layers, Tables::new(RowMoves::new(kind, seeds)), turned)
}

/// Solves a layer with some threads; also returns what was reported.
pub(super) fn solve(
    tables: &Tables,
    layer: Layer,
    smaller: &Turned,
    checkpoints: &mut (dyn CheckpointStore + Send),
    threads: usize,
) -> (Measured<Vec<i8>>, Vec<Progress>) {
    let reports = Mutex::new(Vec::new());
    let values = in_pool(threads, || {
        let mut smaller =
            |seeds: u8, bound: Bound, _| Ok(smaller[usize::from(seeds)].get(bound).clone());
        let report = |progress| {
            reports.lock().unwrap().push(progress);
            Ok::<_, Stopped>(())
        };
        let solved = tables.solve(layer, &mut smaller, None, checkpoints, &report);
        solved.unwrap().in_order()
    });
    (values, reports.into_inner().unwrap())
}

pub(super) fn kinds(seeds: u8, cycles: Cycles) -> impl Iterator<Item = Kind> {
    let extents = [Extent::FULL, Extent::deciding(seeds).unwrap()];
    Ruleset::ALL
        .into_iter()
        .flat_map(move |rules| extents.map(|extent| Kind::from((rules, cycles, extent))))
}

fn threads_make_no_difference_up_to(seeds: u8, cycles: Cycles) {
    for kind in kinds(seeds, cycles) {
        let (layers, tables, smaller) = solved(kind, seeds);
        for (layer, values) in Layer::all().zip(&layers) {
            let (found, reports) = solve(&tables, layer, &smaller, &mut NoCheckpoints, 1);
            assert!(found == *values, "{kind:?} {layer:?}");
            // A sweep follows from the one before, however the work is divided.
            let (again, reports_again) = solve(&tables, layer, &smaller, &mut NoCheckpoints, 3);
            assert!(
                again == found && reports_again == reports,
                "{kind:?} {layer:?}"
            );
        }
    }
}

#[test]
fn threads_make_no_difference() {
    threads_make_no_difference_up_to(7, Cycles::Split);
    threads_make_no_difference_up_to(6, Cycles::OwnSide);
}

#[test]
#[ignore = "slow: .ci/long has it"]
fn threads_make_no_difference_at_length() {
    threads_make_no_difference_up_to(13, Cycles::Split);
    threads_make_no_difference_up_to(11, Cycles::OwnSide);
}

fn a_layer_goes_on_from_checkpoints(seeds: u8, rulesets: &[Ruleset], step: usize) {
    let layer = Layer::new(seeds).unwrap();
    for kind in Cycles::ALL
        .into_iter()
        .flat_map(|cycles| kinds(seeds, cycles))
    {
        if !rulesets.contains(&kind.rules) {
            continue;
        }
        let (layers, tables, smaller) = solved(kind, seeds);
        let goes_on = |mut checkpoints: InMemory| {
            let (found, _) = solve(&tables, layer, &smaller, &mut checkpoints, 1);
            assert!(found == layers[usize::from(seeds)], "{kind:?}");
            checkpoints.kept
        };
        let first = goes_on(InMemory::default());
        assert!(!first.is_empty());
        for kept in first.iter().step_by(step) {
            assert!(goes_on(InMemory::from(kept)).len() < first.len());
            // In an unknown phase, or if it ends too early, the layer begins again.
            let other = InMemory::from(&(7, kept.1.clone()));
            assert_eq!(goes_on(other).len(), first.len());
            let mut torn = InMemory::from(kept);
            torn.most = Some(1000);
            assert!(goes_on(torn).is_empty());
        }
    }
}

#[test]
fn a_layer_goes_on_from_some_checkpoints() {
    a_layer_goes_on_from_checkpoints(6, &[Ruleset::Abapa, Ruleset::Awari], 7);
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn a_layer_goes_on_from_every_checkpoint() {
    a_layer_goes_on_from_checkpoints(7, &Ruleset::ALL, 1);
}

/// The children of a position by quiet moves that are always legal, by the plain rules, and the mover's seeds in them.
fn quiet_children(rules: Ruleset, position: &Position) -> Vec<Position> {
    let houses = House::ALL
        .into_iter()
        .filter(|&house| position.seeds_in(house) > 0);
    let children = houses.filter_map(|house| {
        let (after, last) = position.sown(house);
        let is_quiet = match last.checked_sub(6) {
            None => after.opponents_seeds() > 0,
            Some(last) => {
                let last = House::ALL[usize::from(last)];
                rules.arrival(after.opponents(), last) == Arrival::Quiet
            }
        };
        is_quiet.then(|| after.turned())
    });
    children.collect()
}

/// A layer with bytes that mean nothing.
fn random_state(tables: &Tables, layer: Layer) -> Share<'_> {
    let mut number = 1u32;
    let mut byte = move || {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        20 + (number >> 24) as u8 % 100
    };
    let mut grid = |rows: usize, columns: usize| {
        let mut grid = Grid::new(rows, columns, 0);
        grid.lines_mut().fill_with(&mut byte);
        grid
    };
    let mut state = Share::new(tables, Shares::of_processes(layer, tables.cycles(), 1), 0);
    for plane in &mut state.planes {
        for matrix in Matrix::all(layer) {
            let rows = RowNumbers::count(layer.seeds() - matrix.own_seeds());
            plane.grids.push(grid(rows, matrix.rows() as usize));
            plane
                .captures
                .push(grid(matrix.rows() as usize, matrix.row_len()));
        }
    }
    state
}

fn tiles_have_the_best_moves_in(rules: Ruleset, seeds: u8) {
    let layer = Layer::new(seeds).unwrap();
    let tables = Tables::new(RowMoves::new((rules, Cycles::OwnSide), seeds));
    let state = random_state(&tables, layer);
    for matrix in Matrix::all(layer) {
        let own = matrix.own_seeds();
        let sources = state.sources(own, 0, None);
        let reading = state.reading(own, 0, &sources);
        for tile in 0..tables.movers[usize::from(own)].tiles() {
            for opponents in Opponents::of(0..matrix.row_len().div_ceil(LANES)) {
                Scratch::with(|scratch| {
                    kernel::best_turned(&reading, tile, &opponents, scratch);
                    let first = opponents.first();
                    let places = 0..CHUNK.min(matrix.row_len() - first);
                    for (place, opponents) in places.zip(first..) {
                        let movers = matrix.all_rows().skip(tile * MOVERS);
                        for (mover, row) in movers.take(MOVERS).enumerate() {
                            let position = row.position(half::Rank(opponents as u32));
                            let captures = reading.captures.unwrap().grid;
                            let capture = captures.get(row.rank().0 as usize, opponents);
                            let children = quiet_children(rules, &position);
                            let places =
                                children.iter().map(|child| tables.place(1, child).unwrap());
                            let bytes = places.map(|place| state.get(place));
                            let best = bytes.fold(capture, u8::max);
                            assert_eq!(scratch.best[mover][place], best, "{position}");
                            assert_eq!(scratch.turned[place][mover], best, "{position}");
                        }
                    }
                });
            }
        }
    }
}

#[test]
fn tiles_have_the_best_moves() {
    for rules in Ruleset::ALL {
        for seeds in 0..=7 {
            tiles_have_the_best_moves_in(rules, seeds);
        }
    }
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn tiles_have_the_best_moves_with_13_seeds() {
    // A house with 13 seeds is sown all round.
    tiles_have_the_best_moves_in(Ruleset::Abapa, 13);
}

/// Bounds of ten seeds are the first ones that take two rounds.
#[test]
#[ignore = "slow: .ci/run has it"]
fn bounds_that_take_two_rounds_go_on_from_checkpoints() {
    let layer = Layer::new(10).unwrap();
    for rules in [Ruleset::Abapa, Ruleset::Awari] {
        let kind = Kind::from((rules, Cycles::OwnSide));
        let (layers, tables, smaller) = solved(kind, 10);
        let mut checkpoints = InMemory::default();
        solve(&tables, layer, &smaller, &mut checkpoints, 1);
        let mut phases: Vec<u32> = checkpoints.kept.iter().map(|kept| kept.0).collect();
        let of_phase = |phases: &[u32]| phases.chunk_by(|a, b| a == b).map(<[u32]>::len).collect();
        let lengths: Vec<usize> = of_phase(&phases);
        phases.dedup();
        assert_eq!(phases, [1, 2, 3, 2, 3], "{rules}");
        let mut first = 0;
        for length in lengths {
            for kept in [first, first + length - 1] {
                let mut resumed = InMemory::from(&checkpoints.kept[kept]);
                let (found, _) = solve(&tables, layer, &smaller, &mut resumed, 1);
                assert!(found == layers[10], "{rules} {kept}");
            }
            first += length;
        }
    }
}

/// The positions that a quiet move takes to a position.
fn parents(state: &Share<'_>, position: &Position) -> Vec<Position> {
    let mut parents = Vec::new();
    let event = Event {
        plane: 0,
        before: 0,
        after: 0,
        position: *position,
    };
    state.parents_of(&event, &mut parents);
    parents.into_iter().map(|parent| parent.position).collect()
}

#[test]
fn changes_go_to_all_positions_that_lead_to_one() {
    for rules in Ruleset::ALL {
        for layer in Layer::all().take(8) {
            let tables = Tables::new(RowMoves::new((rules, Cycles::Split), layer.seeds()));
            let state = random_state(&tables, layer);
            let mut expected = Vec::new();
            let mut found = Vec::new();
            for position in layer
                .positions()
                .filter(|position| position.opponents().contains(&0))
            {
                for child in quiet_children(rules, &position) {
                    expected.push((child, position));
                }
                let parents = parents(&state, &position);
                found.extend(parents.into_iter().map(|parent| (position, parent)));
            }
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{rules} {layer:?}");
        }
    }
}

/// A house with 12 seeds or more is left out when it is sown around.
#[test]
fn changes_go_around_the_board() {
    let layer = Layer::new(14).unwrap();
    for rules in Ruleset::ALL {
        let tables = Tables::new(RowMoves::new((rules, Cycles::Split), 14));
        let state = random_state(&tables, layer);
        let goes_around = |position: &Position| position.houses().iter().any(|&it| it >= 12);
        let mut found = 0;
        for position in (layer.positions()).filter(|it| it.opponents().contains(&0)) {
            if !goes_around(&position) {
                continue;
            }
            let mut children = quiet_children(rules, &position);
            assert!((children.iter()).all(|child| parents(&state, child).contains(&position)));
            for parent in parents(&state, &position) {
                assert!(quiet_children(rules, &parent).contains(&position));
            }
            let mut listed: Vec<_> = queue::quiet_children(rules, &position).collect();
            children.sort_unstable();
            listed.sort_unstable();
            assert_eq!(listed, children, "{rules} {position}");
            found += children.len();
        }
        assert!(found > 500, "{rules} {found}");
    }
}

/// Compares the tables of half-boards with the plain rules: all crossings of all half-boards.
fn half_boards_are_sown_as_the_rules_say_up_to(rules: Ruleset, max_seeds: u8) {
    let rows = RowMoves::new((rules, Cycles::Split), max_seeds);
    let numbers = RowNumbers::new(max_seeds);
    for seeds in 0..=max_seeds {
        let movers = Movers::new(&rows, &numbers, seeds);
        let mut found = Vec::new();
        let mut houses = half::all(seeds).enumerate();
        for tile in 0..movers.tiles() {
            for (class, moves) in movers.of_tile(tile) {
                let of = |tile_move: &super::movers::TileMove| {
                    (
                        tile * MOVERS + tile_move.mover(),
                        class,
                        tile_move.row() as u32,
                    )
                };
                found.extend(moves.iter().map(of));
            }
            // In the order of the half-boards.
            let mut expected = Vec::new();
            for (mover, houses) in houses.by_ref().take(MOVERS) {
                for house in (0..6).filter(|&house| houses[house] > 0) {
                    let (left, crossed, lands) = sow_by_hand(houses, house);
                    let class = Crossing::new(crossed, lands);
                    let left_seeds = left.iter().sum();
                    let row = numbers.row(left_seeds, half::rank(left)).unwrap();
                    expected.push((mover, class, row));
                }
            }
            found.sort_unstable();
            expected.sort_unstable();
            assert!(found == expected, "{seeds} seeds, tile {tile}");
            found.clear();
        }
        for class in Crossing::up_to(max_seeds - seeds) {
            let gather = Gather::new(rules, class, seeds);
            let (crossed, ends_there) = (class.seeds(), class.ends_there());
            if ends_there && crossed == 0 || !ends_there && crossed % 6 != 0 {
                continue;
            }
            for (opponents, houses) in half::all(seeds).enumerate() {
                let mut after = houses;
                (0..crossed).for_each(|seed| after[usize::from(seed) % 6] += 1);
                let is_quiet = match (crossed, ends_there) {
                    (0, _) => after != [0; 6],
                    (_, false) => true,
                    (_, true) => {
                        let last = House::ALL[usize::from(crossed - 1) % 6];
                        rules.arrival(after, last) == Arrival::Quiet
                    }
                };
                let expected = is_quiet.then(|| half::rank(after).0);
                assert_eq!(
                    gather.child(opponents),
                    expected,
                    "{rules} {class:?} {houses:?}"
                );
            }
        }
    }
}

/// Sows a house of the mover's alone: what is left, the seeds that cross, and if the last one does.
fn sow_by_hand(mut houses: [u8; 6], house: usize) -> ([u8; 6], u8, bool) {
    let mut seeds = std::mem::take(&mut houses[house]);
    let (mut place, mut crossed) = (house, 0);
    while seeds > 0 {
        place = (place + 1) % 12;
        if place == house {
            continue;
        }
        match houses.get_mut(place) {
            Some(house) => *house += 1,
            None => crossed += 1,
        }
        seeds -= 1;
    }
    (houses, crossed, place >= 6)
}

#[test]
fn half_boards_are_sown_as_the_rules_say() {
    for rules in Ruleset::ALL {
        half_boards_are_sown_as_the_rules_say_up_to(rules, 12);
    }
}

#[test]
#[ignore = "slow: .ci/long has it"]
fn half_boards_are_sown_as_the_rules_say_at_length() {
    for rules in Ruleset::ALL {
        half_boards_are_sown_as_the_rules_say_up_to(rules, 24);
    }
    half_boards_are_sown_as_the_rules_say_up_to(Ruleset::Abapa, MAX_SEEDS);
}
