//! Exact values with endless play worth 0: positions are settled in falling order of the
//! size of their values.
//!
//! With the threshold at `k`, a position is won by `k` as soon as one child is lost by `k`,
//! and lost by `k` when all its children are won by `k` or more and no capture is better.
//! What is never settled is endless play.

use super::codes::Codes;
use super::news::News;
use super::search::for_each_equal;
use super::worker::Worker;

/// A child is lost.
const LOST: News = News::First;
/// A child is won.
const WON: News = News::Second;

/// Settles all that can be settled, and returns the bytes.
pub(super) fn run(mut worker: Worker<'_>, codes: Codes, on_threshold: impl Fn(u8)) -> Vec<u8> {
    for k in (1..=worker.seeds()).rev() {
        on_threshold(k);
        // What captures settle at this threshold.
        let (won, lost) = (codes.win(k), codes.loss(k, 0));
        worker.scan(0, |_, row, found| {
            for_each_equal(row, won, |opponents| found.push((opponents, WON)));
            for_each_equal(row, lost, |opponents| found.push((opponents, LOST)));
        });
        worker.settle(&[codes.child_lost(k), codes.child_won(k)]);
    }
    worker.into_bytes().swap_remove(0)
}
