//! Solved layers of bounds, the effect of moves on bounds, and wrong bounds that only fit each other.

use granero::index::Layer;
use granero::verify::Fault;
use granero::{Bound, Cycles, Measured, Move, Position, Ruleset, TableError, Turn};
use tempfile::TempDir;

use super::checked::Checked;
use super::solved;

/// The bounds of the positions of a layer, `(low, high)`.
pub type Bounds = Vec<(i8, i8)>;

/// Solved layers, and the parts to check other bounds in their place.
pub struct Solved {
    pub ruleset: Ruleset,
    pub layers: Vec<Bounds>,
    pub checked: Checked,
}

pub fn layer(seeds: u8) -> Layer {
    Layer::new(seeds).unwrap()
}

fn values(bounds: &[(i8, i8)]) -> Measured<Vec<i8>> {
    let (low, high) = bounds.iter().copied().unzip();
    Measured::Bounds { low, high }
}

fn pairs(values: &Measured<Vec<i8>>) -> Bounds {
    let low = values.get(Bound::Low).iter().copied();
    low.zip(values.get(Bound::High).iter().copied()).collect()
}

impl Solved {
    pub fn new(ruleset: Ruleset, max_seeds: u8) -> Solved {
        let checked = Checked::new((ruleset, Cycles::OwnSide), max_seeds);
        Solved {
            ruleset,
            layers: checked.layers.iter().map(pairs).collect(),
            checked,
        }
    }

    pub fn right(&self, layer: Layer) -> &Bounds {
        &self.layers[usize::from(layer.seeds())]
    }

    /// Checks other bounds in place of a layer's own.
    pub fn check(&self, layer: Layer, bounds: &[(i8, i8)]) -> Vec<Fault> {
        self.checked.check(layer, &values(bounds))
    }

    /// Gives all positions the best of their moves until nothing changes; `None` if this takes too long.
    pub fn settled(&self, layer: Layer, bounds: &[(i8, i8)]) -> Option<Bounds> {
        let settled = self.checked.settled(layer, values(bounds)).ok()?;
        Some(pairs(&settled))
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
        // A mover without seeds has lost them all: no bound is needed to tell.
        let is_over = play.ends_game || play.position.own_seeds() == 0;
        let child = (to == layer && !is_over).then_some(index);
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

/// Writes layers to a new directory.
pub fn write(ruleset: Ruleset, layers: &[Bounds]) -> TempDir {
    to_write(ruleset, layers).write()
}

/// Writes layers with wrong stored bounds, see `solved::Solved::write_changed`.
pub fn write_changed(ruleset: Ruleset, layers: &[Bounds]) -> Result<TempDir, TableError> {
    to_write(ruleset, layers).write_changed()
}

fn to_write(rules: Ruleset, layers: &[Bounds]) -> solved::Solved {
    let layers = layers.iter().map(|bounds| values(bounds));
    solved::Solved {
        rules,
        cycles: Cycles::OwnSide,
        layers: layers.collect(),
    }
}
