//! Exact values with endless play worth 0: positions are settled in falling order of the
//! size of their values.
//!
//! With the threshold at `k`, a position is won by `k` as soon as one child is lost by `k`,
//! and lost by `k` when all its children are won by `k` or more and no capture is better.
//! Positions that are never settled are endless play.

use super::exchange::Exchange;
use super::work::Work;
use crate::known::{Cells, LargeLosses, ListedCaptures, News, ValueCodes};
use granero_table::first_error::Stopped;

/// A child is lost.
const LOST: News = News::First;
/// A child is won.
const WON: News = News::Second;

/// Settles all positions of a plane that can be settled, from a threshold on. `on_threshold` gets
/// each threshold before the work on it, with the plane; its first error ends the work.
pub(super) fn run<C: Cells, X: Exchange>(
    work: &Work<'_, X>,
    codes: ValueCodes,
    large_losses: &LargeLosses,
    mut plane: Vec<u8>,
    first: u8,
    mut on_threshold: impl FnMut(u8, &[u8]) -> Result<(), Stopped>,
) -> Result<Vec<u8>, Stopped> {
    for k in (1..=first).rev() {
        on_threshold(k, &plane)?;
        scan::<C, X>(work, codes, &mut plane, k);
        settle(work, codes, large_losses, &mut plane, k)?;
    }
    Ok(plane)
}

/// Finds the positions that captures settle at a threshold.
pub(crate) fn scan<C: Cells, X: Exchange>(
    work: &Work<'_, X>,
    codes: ValueCodes,
    plane: &mut [u8],
    k: u8,
) {
    let (won, lost) = (codes.win(k), codes.loss(k, 0));
    work.scan(work.layout.bands(plane), |band, bytes, finder| {
        for (own, row) in (band.first..).zip(bytes.chunks_exact(band.row_bytes)) {
            let mut found = |opponents, news| {
                finder.settled(band.own_seeds, own, opponents, news);
            };
            C::for_each_equal(row, won, |opponents| found(opponents, WON));
            C::for_each_equal(row, lost, |opponents| found(opponents, LOST));
        }
    });
}

/// Settles the positions that follow from news at a threshold.
pub(crate) fn settle<X: Exchange>(
    work: &Work<'_, X>,
    codes: ValueCodes,
    large_losses: &LargeLosses,
    plane: &mut [u8],
    k: u8,
) -> Result<u64, Stopped> {
    let listed = codes.asks_list(k).then_some(ListedCaptures {
        large_losses,
        codes,
        threshold: k,
    });
    let effects = [codes.child_lost(k), codes.child_won(k)];
    work.settle(plane, &effects, listed)
}
