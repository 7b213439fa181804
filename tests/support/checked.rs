//! Solved layers, and the verifier with other values in their place.

use std::sync::Arc;

use granero::index::Layer;
use granero::solver::{self, TurnedLayer};
use granero::verify::{self, Fault};
use granero::{Bound, Kind, Measured, Move, Turn};

/// Solved layers, and the parts to check other values in their place.
pub struct Checked {
    pub kind: Kind,
    pub layers: Vec<Measured<Vec<i8>>>,
    /// The smaller layers, as the checker reads them.
    pub turned: Vec<Measured<Arc<TurnedLayer>>>,
}

impl Checked {
    pub fn new(kind: impl Into<Kind>, seeds: u8) -> Checked {
        let kind = kind.into();
        let layers = solver::solve_all(kind, seeds, 2);
        let turned = Layer::all().zip(&layers).map(|(layer, values)| {
            let turn = |values: &Vec<i8>| Arc::new(TurnedLayer::new(layer, values));
            values.as_ref().map(turn)
        });
        Checked {
            kind,
            turned: turned.collect(),
            layers,
        }
    }

    /// The largest value of a layer.
    pub fn limit(&self, layer: Layer) -> i8 {
        self.kind.extent.limit(self.kind.cycles, layer.seeds()) as i8
    }

    pub fn right(&self, layer: Layer) -> &Measured<Vec<i8>> {
        &self.layers[usize::from(layer.seeds())]
    }

    /// Checks other values in place of a layer's own.
    pub fn check(&self, layer: Layer, values: &Measured<Vec<i8>>) -> Vec<Fault> {
        let smaller = |seeds: u8, bound: Bound| self.turned[usize::from(seeds)].get(bound).clone();
        verify::check(self.kind, layer, values.clone(), smaller, |_| {})
    }

    /// The value of a move, if its position's layer has these values.
    pub fn value(&self, layer: Layer, values: &Measured<Vec<i8>>, play: &Move, bound: Bound) -> i8 {
        let to = Layer::of(&play.position);
        let children = if to == layer { values } else { self.right(to) };
        let child = match play.position.own_seeds() {
            // A move of last resort: whatever the layer says, a player without seeds loses all.
            0 if to == layer => -(layer.seeds() as i8),
            _ => children.get(bound.of_child())[to.index(&play.position) as usize],
        };
        play.captured as i8 - play.conceded as i8 - if play.ends_game { 0 } else { child }
    }

    /// The best result of the moves of a position, if the layer has these values.
    pub fn best(&self, layer: Layer, values: &Measured<Vec<i8>>, index: u64, bound: Bound) -> i8 {
        let best = match self.kind.rules.turn(&layer.position(index).unwrap()) {
            Turn::Over(over) => over.value.seeds(),
            Turn::Play(plays) => {
                let value = |play: &Move| self.value(layer, values, play, bound);
                plays.iter().map(value).max().unwrap()
            }
        };
        best.clamp(-self.limit(layer), self.limit(layer))
    }

    /// Gives all positions the best of their moves until nothing changes; the error has the last values if this
    /// takes too long.
    pub fn settled(
        &self,
        layer: Layer,
        mut values: Measured<Vec<i8>>,
    ) -> Result<Measured<Vec<i8>>, Measured<Vec<i8>>> {
        for _ in 0..200 {
            let mut changed = false;
            for index in 0..layer.len() {
                for (_, measure) in self.kind.cycles.measures() {
                    let best = self.best(layer, &values, index, measure.bound());
                    let values = match (&mut values, measure.bound()) {
                        (Measured::Value(values), _) => values,
                        (Measured::Bounds { low, .. }, Bound::Low) => low,
                        (Measured::Bounds { high, .. }, Bound::High) => high,
                    };
                    let value = &mut values[index as usize];
                    changed |= *value != best;
                    *value = best;
                }
            }
            if !changed {
                return Ok(values);
            }
        }
        Err(values)
    }
}
