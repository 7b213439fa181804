//! Deciding tables tell the truth about every position, and are never taken for full tables. The tests play
//! games of few seeds.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use granero::build::{Build, BuildError, file_bytes};
use granero::index::Layer;
use granero::line::{Line, LineEnd};
use granero::table::{LayerFile, LayerStatistics, TableWriter};
use granero::{
    AssessedMove, Bound, Clamped, Cycles, Extent, Measured, Position, Ruleset, TableError,
    TableOptions, Tables, Turn, Value, solver, verify,
};
use tempfile::TempDir;
use test_case::test_case;

use crate::deciding::cut;
use crate::support::forged::repair;
use crate::support::solved::Solved;
use crate::support::tables::{build_deciding, opened};

/// All seeds of a game.
const GAME: u8 = 9;

/// Full layers, and deciding tables of the same positions, for a game of two seeds more.
struct Twins {
    full: Solved,
    extent: Extent,
    place: TempDir,
}

fn writer(place: &Path, rules: Ruleset, cycles: Cycles, extent: Extent) -> TableWriter {
    TableWriter::open(place, (rules, cycles, extent)).unwrap()
}

impl Twins {
    fn new(rules: Ruleset, cycles: Cycles, seeds: u8) -> Twins {
        Twins {
            full: Solved::of(rules, cycles, seeds),
            extent: Extent::deciding(seeds + 2).unwrap(),
            place: build_deciding(rules, cycles, seeds + 2, seeds),
        }
    }

    fn limit(&self, seeds: u8) -> i8 {
        self.extent.limit(self.full.cycles, seeds) as i8
    }

    /// The right answer of the tables for a number.
    fn clamped(&self, seeds: u8, value: Value) -> Clamped {
        let limit = self.limit(seeds);
        let number = Value::new(value.seeds().clamp(-limit, limit)).unwrap();
        if limit == seeds as i8 || number.seeds().abs() < limit {
            Clamped::Exactly(number)
        } else if number > Value::ZERO {
            Clamped::AtLeast(number)
        } else {
            Clamped::AtMost(number)
        }
    }

    /// Some positions of all layers.
    fn positions(&self, step: usize) -> Vec<Position> {
        self.full.positions().step_by(step).collect()
    }
}

fn twins(seeds: u8) -> impl Iterator<Item = Twins> {
    let of_rules = move |rules| {
        Cycles::ALL
            .into_iter()
            .map(move |cycles| Twins::new(rules, cycles, seeds))
    };
    Ruleset::ALL.into_iter().flat_map(of_rules)
}

#[test_case(5)]
#[test_case(7 => ignore["slow: .ci/run has it"] ())]
fn every_look_up_gives_the_value_as_far_as_it_decides(seeds: u8) {
    for twins in twins(seeds) {
        let positions = twins.positions(29);
        for options in [TableOptions::new(), TableOptions::new().in_memory(seeds)] {
            let tables = options.open(twins.place.path()).unwrap();
            assert_eq!(
                (tables.cycles(), tables.extent()),
                (twins.full.cycles, twins.extent)
            );
            let mut cut_off = 0;
            let together = tables.clamped_values(&positions).unwrap();
            for (position, together) in positions.iter().zip(together) {
                let seeds = position.seeds();
                let full = twins.full.value(position).unwrap();
                let expected = full.map(|value| twins.clamped(seeds, value));
                let found = tables.clamped_value(position).unwrap();
                assert_eq!(
                    found,
                    Some(expected),
                    "{position} under {}",
                    twins.full.rules
                );
                assert_eq!(together, found);
                // A cut-off number is not a value.
                let value = tables.value(position).unwrap();
                assert!(value.is_none() || value == Some(full));
                assert_eq!(value, expected.exactly());
                cut_off += usize::from(value.is_none());
                // The known range is true.
                let [least, most] = expected.range(seeds);
                assert!(least <= full.low() && full.high() <= most);
            }
            assert!(17 * cut_off > positions.len(), "{cut_off}");
            let layers = tables.layers().map(|layer| layer.unwrap().1);
            assert!(layers.eq(cut(twins.extent, &twins.full.layers)));
        }
    }
}

#[test_case(6)]
#[test_case(7 => ignore["slow: .ci/run has it"] ())]
fn assessments_tell_moves_apart_as_far_as_they_decide(seeds: u8) {
    for twins in twins(seeds) {
        let tables = Tables::open(twins.place.path()).unwrap();
        for position in twins.positions(61) {
            let assessment = tables.assess(&position).unwrap();
            let seeds = position.seeds();
            assert_eq!(assessment.value, tables.value(&position).unwrap());
            assert_eq!(assessment.clamped, tables.clamped_value(&position).unwrap());
            let numbers = |assessed: &AssessedMove| assessed.clamped.unwrap().numbers();
            for assessed in &assessment.moves {
                let full = twins.full.value(&assessed.play.position).unwrap();
                let full = assessed.play.value(full);
                let expected = full.map(|value| twins.clamped(seeds, value));
                assert_eq!(assessed.clamped, Some(expected), "{position}");
                assert_eq!(assessed.value, expected.exactly());
                let first = numbers(&assessment.moves[0]);
                assert_eq!(assessed.best, numbers(assessed) == first);
                assert!(numbers(assessed) <= first);
            }
            let cached = tables.assess_cached(&position).unwrap();
            assert_eq!(cached, Some(assessment));
        }
    }
}

/// Beyond the tables some moves are known, and beyond the game nothing is.
#[test]
fn beyond_the_tables_only_what_is_true_is_said() {
    let extent = Extent::deciding(8).unwrap();
    let (_place, tables) = opened(build_deciding(Ruleset::Abapa, Cycles::Split, 8, 7));
    let full = Solved::new(Ruleset::Abapa, 8);
    let limit = extent.limit(Cycles::Split, 8) as i8;
    let mut known = 0;
    for position in Layer::new(8).unwrap().positions().step_by(5) {
        if let Some(clamped) = tables.assess(&position).unwrap().clamped {
            let value = full.value(&position).unwrap().low().seeds();
            assert_eq!(clamped.low().number().seeds(), value.clamp(-limit, limit));
            known += 1;
        }
    }
    assert!(known > 0);
    for position in Layer::new(9).unwrap().positions().step_by(101) {
        let assessment = tables.assess(&position).unwrap();
        let is_over = matches!(Ruleset::Abapa.turn(&position), Turn::Over(_));
        assert_eq!(assessment.clamped.is_some(), is_over);
        assert!(assessment.moves.iter().all(|play| play.clamped.is_none()));
    }
}

#[test_case(5)]
#[test_case(7 => ignore["slow: .ci/run has it"] ())]
fn proofs_pass_what_was_written_and_find_what_is_wrong(seeds: u8) {
    for twins in twins(seeds) {
        let cycles = twins.full.cycles;
        let tables = Tables::open(twins.place.path()).unwrap();
        let reports = verify::check_tables(&tables, |_| true, |_| {}).unwrap();
        assert!(reports.iter().all(|report| report.is_right()));
        if twins.full.rules != Ruleset::Abapa {
            continue;
        }
        let layer = Layer::new(seeds).unwrap();
        let sample = verify::sample(&tables, layer, 5000, 1, |_| {}).unwrap();
        assert_eq!(sample.faults, []);
        tables.verify_files(|_| {}).unwrap();

        // A table with an exact value in place of -limit.
        let mut wrong = Solved::of_kind((Ruleset::Abapa, cycles, twins.extent), seeds);
        let limit = twins.limit(seeds);
        let values = wrong.layers[usize::from(seeds)].as_mut().high();
        let index = values.iter().position(|&value| value == -limit).unwrap();
        values[index] = 2 - limit;
        let (_place, wrong) = opened(wrong.write_changed().unwrap());
        let reports = verify::check_tables(&wrong, |_| true, |_| {}).unwrap();
        let (last, smaller) = reports.split_last().unwrap();
        assert!(smaller.iter().all(|report| report.is_right()));
        let position = layer.position(index as u64).unwrap();
        assert!(last.faults.iter().any(|fault| fault.position == position));
    }
}

/// Statistics count the winners of full values.
#[test]
fn statistics_count_the_winners_of_the_values_in_full() {
    for cycles in Cycles::ALL {
        let twins = Twins::new(Ruleset::Abapa, cycles, 7);
        let tables = Tables::open(twins.place.path()).unwrap();
        for ((layer, full), found) in Layer::all()
            .zip(&twins.full.layers)
            .zip(&tables.manifest().layers)
        {
            let full = LayerStatistics::of(layer, full);
            let found = &found.statistics;
            assert_eq!(found.wins(), full.wins());
            assert_eq!(found.losses(), full.losses());
            assert_eq!(found.draws, full.draws);
            let limit = twins.limit(layer.seeds());
            let of = found.values.as_ref().low();
            assert!(of.histogram.iter().all(|(value, _)| value.abs() <= limit));
        }
    }
}

/// Both kinds in one directory would be a trap.
#[test]
fn a_directory_is_of_one_extent() {
    let (rules, split) = (Ruleset::Abapa, Cycles::Split);
    let deciding = build_deciding(rules, split, GAME, 2);
    let full = Solved::new(rules, 0).write();
    for cycles in Cycles::ALL {
        for (place, wanted, found) in [
            (&deciding, Extent::FULL, "deciding (9 seeds)"),
            (&deciding, Extent::DECIDING, "deciding (9 seeds)"),
            (&full, Extent::DECIDING, "full"),
        ] {
            let opened = TableWriter::open(place.path(), (rules, cycles, wanted));
            let error = opened.unwrap_err();
            assert!(matches!(error, TableError::OtherExtent { .. }), "{error}");
            let text = error.to_string();
            assert!(text.contains(&format!("holds {found} tables")), "{text}");
        }
    }
    // An equal extent is fine, and so is the other convention.
    let extent = Extent::deciding(GAME).unwrap();
    drop(writer(deciding.path(), rules, split, extent));
    drop(writer(deciding.path(), rules, Cycles::OwnSide, extent));
}

/// Up to half the seeds of the game, values are equal, but files differ.
#[test]
fn no_file_is_taken_for_one_of_another_extent() {
    let (rules, split) = (Ruleset::Abapa, Cycles::Split);
    let deciding = build_deciding(rules, split, GAME, 4);
    let full = Solved::new(rules, 4).write();
    let name = "layer-03.granero";
    for (from, to) in [(&deciding, &full), (&full, &deciding)] {
        let own = fs::read(to.path().join(name)).unwrap();
        let others = fs::read(from.path().join(name)).unwrap();
        // Only the fingerprint, the seeds of the game, and checksums differ: of the header, the model, five blocks and
        // their group, and of the whole file.
        assert_eq!(own.len(), others.len());
        let differ = own.iter().zip(&others).filter(|(a, b)| a != b).count();
        assert!((60..=32 + 1 + 4 * 8 + 32).contains(&differ), "{differ}");
        fs::write(to.path().join(name), &others).unwrap();
        let error = Tables::open(to.path()).unwrap_err();
        assert!(matches!(error, TableError::OtherTable { .. }), "{error}");
        fs::write(to.path().join(name), &own).unwrap();
        Tables::open(to.path()).unwrap();
    }
}

#[test]
fn headers_say_rightly_which_game_their_values_decide() {
    let place = build_deciding(Ruleset::Abapa, Cycles::OwnSide, GAME, 8);
    let place_of_tables = &place.path().join("own-side");
    let path = place_of_tables.join("layer-08.granero");
    let good = fs::read(&path).unwrap();
    let open = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        repair(&mut bytes);
        let bytes: Arc<[u8]> = bytes.into();
        LayerFile::open(bytes)
    };
    let file = open(&|_| {}).unwrap();
    assert_eq!(file.header().extent, Extent::deciding(GAME).unwrap());
    file.verify(|_| {}).unwrap();
    // The version, the seeds of the game.
    for (place, values) in [(8, &[4, 5, 7][..]), (12, &[0, 7, 10, 48, 49, 255])] {
        for &value in values {
            let opened = open(&|bytes| bytes[place] = value);
            // The manifest tells that it is the file of another game.
            let may_be = place == 12 && matches!(value, 0 | 10 | 48);
            assert_eq!(opened.is_ok(), may_be, "byte {place} is {value}");
            let mut bytes = good.clone();
            bytes[place] = value;
            repair(&mut bytes);
            fs::write(&path, bytes).unwrap();
            Tables::open(place_of_tables).unwrap_err();
        }
    }
}

/// Callers must not do this.
#[test]
#[should_panic(expected = "values beyond the limit of the layer")]
fn values_in_full_are_not_written_as_deciding_ones() {
    let extent = Extent::deciding(4).unwrap();
    let place = tempfile::tempdir().unwrap();
    let mut writer = writer(place.path(), Ruleset::Abapa, Cycles::Split, extent);
    for values in solver::solve_all((Ruleset::Abapa, Cycles::Split), 4, 1) {
        writer.add_layer(&values).unwrap();
    }
}

#[test]
#[should_panic(expected = "all layers are finished")]
fn no_layer_is_beyond_the_game() {
    let extent = Extent::deciding(3).unwrap();
    let place = build_deciding(Ruleset::Abapa, Cycles::Split, 3, 3);
    let mut writer = writer(place.path(), Ruleset::Abapa, Cycles::Split, extent);
    let layer = Layer::new(4).unwrap();
    let _ = writer.add_layer(&Measured::Value(vec![0; layer.len() as usize]));
}

/// A line that is exact at its beginning never reaches a position that is cut off.
#[test]
#[ignore = "slow: .ci/run has it"]
fn lines_of_exact_positions_are_those_of_the_tables_in_full() {
    for cycles in Cycles::ALL {
        let twins = Twins::new(Ruleset::Abapa, cycles, 7);
        let tables = Tables::open(twins.place.path()).unwrap();
        let full = twins.full.write();
        let full = Tables::open(full.path()).unwrap();
        let (mut lines, mut cut_off) = (0, 0);
        for position in twins.positions(577) {
            for bound in [Bound::Low, Bound::High] {
                let best = |tables| Line::best(tables, &position, bound);
                let expected = best(&full).unwrap().unwrap();
                match best(&tables).unwrap() {
                    None => {
                        assert_eq!(tables.value(&position).unwrap(), None);
                        cut_off += 1;
                    }
                    Some(line) => {
                        assert_eq!(line.value, expected.value, "{position}");
                        assert_eq!(line.end, expected.end);
                        assert_ne!(line.end, LineEnd::Unexplored);
                        lines += 1;
                    }
                }
            }
        }
        assert!(lines > 30 && cut_off > 30);
    }
}

/// Estimates promise that no layer takes more.
#[test]
#[ignore = "slow: .ci/run has it"]
fn files_are_no_larger_than_estimated() {
    for cycles in Cycles::ALL {
        for game in [10, 11, 13] {
            let extent = Extent::deciding(game).unwrap();
            let (_place, tables) = opened(build_deciding(Ruleset::Abapa, cycles, game, 10));
            for (layer, finished) in Layer::all().zip(&tables.manifest().layers) {
                let bytes = finished.file.bytes;
                let estimated = file_bytes(cycles, extent, layer);
                assert!(
                    bytes <= estimated,
                    "{layer:?} of {game}: {bytes}, not {estimated}"
                );
                assert!(estimated <= file_bytes(cycles, Extent::FULL, layer));
            }
        }
    }
}

#[test]
fn a_build_is_of_one_extent_and_one_game() {
    let build = |extent, seeds| Build {
        cycles: Cycles::Split,
        extent,
        seeds,
        threads: 1,
        memory: u64::MAX,
        checkpoint: None,
    };
    build(Extent::DECIDING, 30).check().unwrap();
    let error = build(Extent::deciding(9).unwrap(), 10).check().unwrap_err();
    assert!(matches!(
        error,
        BuildError::BeyondTheGame { seeds: 10, game: 9 }
    ));
}

/// Searches beyond the tables prove true bounds, although values at their leaves are cut off.
#[test]
fn proofs_beyond_deciding_tables_are_true() {
    use crate::prove::go_on;
    use granero::prove::{Budget, Prover};

    for cycles in Cycles::ALL {
        let full = Solved::of(Ruleset::Abapa, cycles, 9);
        let (_place, tables) = opened(build_deciding(Ruleset::Abapa, cycles, 9, 7));
        let mut closer = 0;
        for layer in [7, 8, 9].map(|seeds| Layer::new(seeds).unwrap()) {
            for position in layer.positions().step_by(layer.len() as usize / 60) {
                let prover = Prover::new(&tables);
                let proof = prover.prove(&position, Budget::nodes(300), go_on).unwrap();
                let value = full.value(&position).unwrap();
                let is_true = proof.low <= value.low() && value.high() <= proof.high;
                assert!(is_true, "{position}");
                closer += i32::from(proof.low.seeds() > -(layer.seeds() as i8));
            }
        }
        assert!(closer > 60);
    }
}

/// A player with deciding tables wins what can be won, and does not say by how much.
#[test]
fn a_player_keeps_what_is_won() {
    use granero::player::Player;

    let twins = Twins::new(Ruleset::Abapa, Cycles::Split, 7);
    let tables = Tables::open(twins.place.path()).unwrap();
    let player = Player::new(&tables);
    let mut cut_off = 0;
    for position in twins.positions(331) {
        let Some(choice) = player.choose(&position, 2, || false).unwrap() else {
            continue;
        };
        let assessment = tables.assess(&position).unwrap();
        assert!(assessment.best().any(|best| best.play == choice.play));
        let clamped = assessment.clamped.unwrap().value().unwrap();
        assert_eq!(choice.value, clamped.number());
        assert_eq!(choice.exact, clamped.exact().is_some());
        cut_off += i32::from(!choice.exact);
    }
    assert!(cut_off > 50);
}
