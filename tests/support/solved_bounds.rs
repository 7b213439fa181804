//! Solved layers of bounds, the effect of moves on bounds, and wrong bounds that only fit each other.

use std::sync::Arc;

use granero::index::Layer;
use granero::solver::{self, TurnedLayer};
use granero::table::TableWriter;
use granero::verify::{Checker, Fault};
use granero::{Bound, Cycles, Measured, Move, Position, Ruleset, Turn};
use tempfile::TempDir;

/// The bounds of the positions of a layer, `(low, high)`.
pub type Bounds = Vec<(i8, i8)>;

/// Solved layers, and the parts to check other bounds in their place.
pub struct Solved {
    pub ruleset: Ruleset,
    pub layers: Vec<Bounds>,
    /// The smaller layers, as the checker reads them.
    pub turned: Vec<Measured<Arc<TurnedLayer>>>,
    checker: Checker,
}

pub fn layer(seeds: u8) -> Layer {
    Layer::new(seeds).unwrap()
}

fn values(bounds: &[(i8, i8)]) -> Measured<Vec<i8>> {
    let (low, high) = bounds.iter().copied().unzip();
    Measured::Bounds { low, high }
}

impl Solved {
    pub fn new(ruleset: Ruleset, max_seeds: u8) -> Solved {
        let solved = solver::solve_all((ruleset, Cycles::OwnSide), max_seeds, 1);
        let turn = |(layer, values): (Layer, &Measured<Vec<i8>>)| {
            let turn = |values: &Vec<i8>| Arc::new(TurnedLayer::new(layer, values));
            values.as_ref().map(turn)
        };
        let both = |values: &Measured<Vec<i8>>| {
            let low = values.get(Bound::Low).iter().copied();
            let high = values.get(Bound::High).iter().copied();
            low.zip(high).collect()
        };
        Solved {
            ruleset,
            turned: Layer::all().zip(&solved).map(turn).collect(),
            layers: solved.iter().map(both).collect(),
            checker: Checker::new((ruleset, Cycles::OwnSide), max_seeds),
        }
    }

    pub fn right(&self, layer: Layer) -> &Bounds {
        &self.layers[usize::from(layer.seeds())]
    }

    /// Checks other bounds in place of a layer's own.
    pub fn check(&self, layer: Layer, bounds: &[(i8, i8)]) -> Vec<Fault> {
        let smaller = |seeds: u8, bound: Bound| {
            Ok::<_, ()>(self.turned[usize::from(seeds)].get(bound).clone())
        };
        let checked = self.checker.check(layer, values(bounds), smaller, |_| {});
        checked.unwrap()
    }
}

/// A move: its child, if this is in the layer, and its worth, `(low, high)`.
pub struct Known {
    pub child: Option<usize>,
    pub worth: (i8, i8),
}

/// The moves of a position, if the layer has these bounds; or the end of the game.
pub fn known(
    solved: &Solved,
    layer: Layer,
    bounds: &[(i8, i8)],
    position: &Position,
) -> Vec<Known> {
    let of_move = |play: &Move| {
        let to = Layer::of(&play.position);
        let index = to.index(&play.position) as usize;
        let child = (to == layer && !play.ends_game).then_some(index);
        let (low, high) = match child {
            Some(child) => bounds[child],
            None if play.ends_game => (0, 0),
            None => solved.right(to)[index],
        };
        let at_once = play.captured as i8 - play.conceded as i8;
        Known {
            child,
            worth: (at_once - high, at_once - low),
        }
    };
    match solved.ruleset.turn(position) {
        Turn::Play(plays) => plays.iter().map(of_move).collect(),
        Turn::Over(over) => vec![Known {
            child: None,
            worth: (over.value.seeds(), over.value.seeds()),
        }],
    }
}

pub fn best(moves: &[Known]) -> (i8, i8) {
    let low = moves.iter().map(|known| known.worth.0).max().unwrap();
    (low, moves.iter().map(|known| known.worth.1).max().unwrap())
}

/// Gives all positions of a layer the best of their moves until nothing changes; `None` if this takes more
/// than 100 rounds.
pub fn settled(solved: &Solved, layer: Layer, mut bounds: Bounds) -> Option<Bounds> {
    let positions: Vec<Position> = layer.positions().collect();
    for _ in 0..100 {
        let mut changed = false;
        for (number, position) in positions.iter().enumerate() {
            let best = best(&known(solved, layer, &bounds, position));
            changed |= best != bounds[number];
            bounds[number] = best;
        }
        if !changed {
            return Some(bounds);
        }
    }
    None
}

/// Writes layers to a new directory.
pub fn write(ruleset: Ruleset, layers: &[Bounds]) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let mut writer = TableWriter::open(place.path(), (ruleset, Cycles::OwnSide)).unwrap();
    for bounds in layers {
        writer.add_layer(&values(bounds)).unwrap();
    }
    place
}
