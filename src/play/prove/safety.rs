//! Proofs by play that need not end: the player who is content with endless play stays in a set of
//! positions that the other player cannot leave to advantage. `docs/internals/prove.md` proves this.
//!
//! Each node claims the best that endless play could give it. Claims that do not follow from the
//! claims of the children are withdrawn step by step, until the rest support each other.

use super::graph::Graph;
use super::node::NodeIndex;
use super::oracle::Bounds;

/// Proves what follows from endless play within the graph; returns true if a bound changed. No other
/// thread may change the graph at the same time.
pub(super) fn prove(graph: &mut Graph<'_>) -> bool {
    let numbers = 0..graph.len() as NodeIndex;
    let mut claims: Vec<Bounds> = Vec::with_capacity(graph.len());
    let mut queued: Vec<bool> = Vec::with_capacity(graph.len());
    let mut doubtful: Vec<NodeIndex> = Vec::new();
    for number in numbers.clone() {
        let node = graph.node(number);
        let bounds = node.bounds();
        let Bounds { low, high } = bounds;
        let is_doubtful = node.is_expanded() && low < high;
        queued.push(is_doubtful);
        claims.push(if is_doubtful {
            let endless = graph.oracle.endless(&node.position());
            doubtful.push(number);
            Bounds {
                low: low.max(endless.min(high)),
                high: high.min(endless.max(low)),
            }
        } else {
            bounds
        });
    }
    while let Some(number) = doubtful.pop() {
        let place = number as usize;
        let followed = graph.followed(number, |child| claims[child as usize]);
        queued[place] = false;
        let Bounds { low, high } = graph.bounds(number);
        let claim = Bounds {
            low: claims[place].low.min(followed.low).max(low),
            high: claims[place].high.max(followed.high).min(high),
        };
        if claim != claims[place] {
            claims[place] = claim;
            for edge in graph.edges_to(number) {
                let queued = &mut queued[edge.parent as usize];
                if !*queued && !graph.bounds(edge.parent).meet() {
                    *queued = true;
                    doubtful.push(edge.parent);
                }
            }
        }
    }
    let mut changed: Vec<NodeIndex> = Vec::new();
    for (number, &claim) in numbers.zip(&claims) {
        if graph.node(number).tighten(claim) {
            changed.push(number);
        }
    }
    let has_changed = !changed.is_empty();
    graph.propagate(&mut changed);
    has_changed
}
