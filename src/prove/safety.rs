//! Proofs by play that need not end: the player who is content with endless play stays in a set
//! of positions that the other cannot leave to advantage. `docs/prove.md` says why this is right.
//!
//! Every node claims the best that endless play could give it. Claims that do not follow from
//! those of the children are withdrawn step by step, until the others support each other.

use super::graph::{Graph, Node, Number};
use super::source::Bounds;

/// Proves what follows from endless play within the graph; returns whether anything did.
pub(super) fn prove(graph: &mut Graph<'_>) -> bool {
    let mut doubtful: Vec<Number> = Vec::new();
    for number in 0..graph.nodes.len() {
        let endless = graph.source().endless(graph.nodes[number].board);
        let node = &mut graph.nodes[number];
        let Bounds { low, high } = node.bounds;
        node.claims = node.bounds;
        if node.expanded && low < high {
            node.claims = Bounds {
                low: low.max(endless.min(high)),
                high: high.min(endless.max(low)),
            };
            node.queued = true;
            doubtful.push(number as Number);
        }
    }
    while let Some(number) = doubtful.pop() {
        let followed = graph.followed(number, |child| child.claims);
        let node = &mut graph.nodes[number as usize];
        node.queued = false;
        let Bounds { low, high } = node.bounds;
        let claims = Bounds {
            low: node.claims.low.min(followed.low).max(low),
            high: node.claims.high.max(followed.high).min(high),
        };
        if claims != node.claims {
            node.claims = claims;
            let parents: Vec<Number> = graph.parents(number).collect();
            for parent in parents {
                let node = &mut graph.nodes[parent as usize];
                if !node.queued && !node.bounds.meet() {
                    node.queued = true;
                    doubtful.push(parent);
                }
            }
        }
    }
    let mut changed = false;
    for number in 0..graph.nodes.len() {
        let Node { claims, bounds, .. } = graph.nodes[number];
        changed |= claims != bounds;
        graph.settle(number as Number, claims);
    }
    graph.propagate();
    changed
}
