//! When a search ends that does not end by itself.

use std::ops::ControlFlow;
use std::time::Duration;

use web_time::Instant;

use super::graph::Graph;
use super::source::Bounds;
use super::{Budget, Ended, ProofProgress, value};

/// How many expansions there are between two looks at the clock.
const LOOKS: u32 = 64;

/// What a search must not exceed.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) start: Instant,
    pub(super) budget: Budget,
}

/// The caller's eye on a search: called now and then, and may end it.
pub(super) type Watch<'w> = &'w mut dyn FnMut(&ProofProgress) -> ControlFlow<()>;

/// Keeps one thread of a search within the limits.
pub(super) struct Clock<'w> {
    limits: Limits,
    watch: Option<Watch<'w>>,
    calls: u32,
}

impl<'w> Clock<'w> {
    pub(super) fn new(limits: Limits, watch: Option<Watch<'w>>) -> Clock<'w> {
        Clock {
            limits,
            watch,
            calls: 0,
        }
    }

    /// Why the search ends before another position is expanded, if it does. `closing` is the time
    /// that is needed after its end.
    pub(super) fn reached(&mut self, graph: &Graph<'_>, closing: Duration) -> Option<Ended> {
        let Limits { start, budget } = self.limits;
        let nodes = graph.seen();
        if nodes >= budget.nodes {
            return Some(Ended::Nodes);
        }
        self.calls = self.calls.wrapping_add(1);
        if !self.calls.is_multiple_of(LOOKS) && budget.time != Some(Duration::ZERO) {
            return None;
        }
        let time = start.elapsed();
        if budget.time.is_some_and(|most| time + closing >= most) {
            return Some(Ended::Time);
        }
        let watch = self.watch.as_mut()?;
        let Bounds { low, high } = graph.bounds(0);
        let progress = ProofProgress {
            low: value(low),
            high: value(high),
            nodes,
            time,
        };
        watch(&progress).is_break().then_some(Ended::Stopped)
    }
}
