//! Solved layers that several tests share, so that they are solved once.

use std::sync::{Arc, Mutex, PoisonError};

use granero::{Cycles, Measured, Ruleset, solver};

/// Values or bounds of layers from 0 seeds on.
pub type Layers = Vec<Arc<Measured<Vec<i8>>>>;

/// The largest layers of a ruleset and a convention that any test needed so far.
type Known = ((Ruleset, Cycles), Arc<Mutex<Layers>>);

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// All layers up to `max_seeds` seeds.
pub fn layers(rules: Ruleset, cycles: Cycles, max_seeds: u8) -> Layers {
    let known = of_kind((rules, cycles));
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let count = usize::from(max_seeds) + 1;
    if known.len() < count {
        let solved = solver::solve_all((rules, cycles), max_seeds, 2);
        *known = solved.into_iter().map(Arc::new).collect();
    }
    known[..count].to_vec()
}

fn of_kind(kind: (Ruleset, Cycles)) -> Arc<Mutex<Layers>> {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = all.iter().find(|(known, _)| *known == kind) {
        return known.clone();
    }
    let known = Arc::default();
    all.push((kind, Arc::clone(&known)));
    known
}
