//! Solved layers that several tests of a program compare with: each layer is solved once.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use granero::index::Layer;
use granero::solver::{Solver, TurnedLayer};
use granero::{Cycles, Measured, Ruleset};

/// The most seeds of these layers.
const MOST: u8 = 14;

/// The layers of one ruleset and convention, as far as they were asked for.
struct Known {
    solver: Solver,
    layers: Vec<Arc<Measured<Vec<i8>>>>,
    turned: Vec<Measured<Arc<TurnedLayer>>>,
}

type Kind = (Ruleset, Cycles);

static KNOWN: Mutex<Vec<(Kind, Arc<Mutex<Known>>)>> = Mutex::new(Vec::new());

/// All layers up to `max_seeds` seeds.
pub fn layers(rules: Ruleset, cycles: Cycles, max_seeds: u8) -> Vec<Arc<Measured<Vec<i8>>>> {
    assert!(max_seeds <= MOST, "{max_seeds} seeds are more than MOST");
    let known = of_kind((rules, cycles));
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let Known {
        solver,
        layers,
        turned,
    } = &mut *known;
    let count = usize::from(max_seeds) + 1;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    pool.unwrap().install(|| {
        for layer in Layer::all().take(count).skip(layers.len()) {
            let smaller = |seeds: u8, bound| {
                Ok::<_, Infallible>(turned[usize::from(seeds)].get(bound).clone())
            };
            let Ok(values) = solver.solve(layer, smaller, |_| {});
            let turn = |values: &Vec<i8>| Arc::new(TurnedLayer::new(layer, values));
            turned.push(values.as_ref().map(turn));
            layers.push(Arc::new(values));
        }
    });
    layers[..count].to_vec()
}

fn of_kind(kind: Kind) -> Arc<Mutex<Known>> {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = all.iter().find(|(known, _)| *known == kind) {
        return known.clone();
    }
    let known = Arc::new(Mutex::new(Known {
        solver: Solver::new(kind.0, kind.1, MOST),
        layers: Vec::new(),
        turned: Vec::new(),
    }));
    all.push((kind, known.clone()));
    known
}
