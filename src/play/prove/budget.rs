//! The budget of a search, and the caller's watch over it.

use std::ops::ControlFlow;
use std::time::Duration;

use super::proof::{Ended, Proof, ProofProgress};

/// The most that a prover may search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most positions that it looks at, apart from those in the tables.
    pub nodes: u64,
    /// The most time that it takes.
    pub time: Option<Duration>,
}

impl Budget {
    /// A number of positions, in any time.
    pub const fn nodes(nodes: u64) -> Budget {
        Budget { nodes, time: None }
    }

    /// An amount of time, for any number of positions.
    pub const fn time(time: Duration) -> Budget {
        Budget {
            nodes: u64::MAX,
            time: Some(time),
        }
    }

    /// The budget of the first of two searches from a position: an eighth of the time. Many searches
    /// settle it, or show that the rest of the time would hardly prove anything.
    #[must_use]
    pub fn first(self) -> Budget {
        let first = |time: Duration| (time / FIRST).max(LEAST).min(time);
        Budget {
            time: self.time.map(first),
            ..self
        }
    }

    /// The budget of the next search from a position with some seeds of which `known` is proven. `None` if
    /// there is no use in one, or if the first search has proven hardly anything.
    pub fn next(self, known: Option<&Proof>, seeds: u8) -> Option<Budget> {
        let Some(known) = known else {
            return Some(self.first());
        };
        let first = self.first().time;
        let was_searched = first.is_none_or(|first| known.time >= first / 2);
        // A few times as much time would hardly prove anything either.
        let is_hopeless = known.high.seeds().abs_diff(known.low.seeds()) > seeds + seeds / 2;
        self.rest(known).filter(|_| !(was_searched && is_hopeless))
    }

    /// The budget that is left after searches have proven `known`; `None` if there is no use in another
    /// search: the bounds meet, or the budget is almost spent.
    pub fn rest(self, known: &Proof) -> Option<Budget> {
        let rest = Budget {
            nodes: self.nodes.saturating_sub(known.nodes),
            time: self.time.map(|time| time.saturating_sub(known.time)),
        };
        let is_spent = rest.nodes == 0 || rest.time < self.time.map(|time| time / FIRST);
        let is_open = matches!(known.ended, Ended::Time | Ended::Nodes);
        (is_open && !is_spent).then_some(rest)
    }
}

/// The part of the time for the first of two searches.
const FIRST: u32 = 8;

/// The least time of the first search: less would say too little.
const LEAST: Duration = Duration::from_millis(20);

/// The caller's function that watches a search: it is called now and then, and may end the search.
pub(super) type Watcher<'w> = &'w mut dyn FnMut(&ProofProgress) -> ControlFlow<()>;
