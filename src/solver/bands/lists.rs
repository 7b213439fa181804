//! The lists of a layer, for checkpoints, and those of its bands: places of bytes differ.

use super::division::Division;
use crate::checkpoint::Lists;
use crate::graph::Layout;
use crate::known::LargeLosses;

pub(super) fn join(division: &Division, bands: &[Lists]) -> Lists {
    let (mut last_resorts, mut large_losses) = (Vec::new(), Vec::new());
    for (band, lists) in bands.iter().enumerate() {
        let layout = division.layout(band);
        last_resorts.extend_from_slice(&lists.last_resorts);
        let listed = lists.large_losses.positions().iter();
        let moved = listed.map(|&(place, lost)| (in_other(&layout, &division.whole, place), lost));
        large_losses.extend(moved);
    }
    last_resorts.sort_unstable();
    Lists {
        last_resorts,
        large_losses: LargeLosses::new(large_losses),
    }
}

/// Divides the lists of a layer.
pub(super) fn split(division: &Division, all: Lists) -> Vec<Lists> {
    let band_of = |own_seeds, own| {
        let mut found = 0;
        division.each_band_of(own_seeds, &[own], |band| found = band);
        found
    };
    let mut last_resorts = vec![Vec::new(); division.len()];
    for found in all.last_resorts {
        last_resorts[band_of(found.own_seeds, found.own)].push(found);
    }
    let mut large_losses = vec![Vec::new(); division.len()];
    for &(place, lost) in all.large_losses.positions() {
        let (own_seeds, own, _) = division.whole.place(place);
        large_losses[band_of(own_seeds, own)].push((place, lost));
    }
    let by_band = (0..).zip(last_resorts).zip(large_losses);
    let lists = by_band.map(|((band, last_resorts), mut large_losses)| {
        let layout = division.layout(band);
        for (place, _) in &mut large_losses {
            *place = in_other(&division.whole, &layout, *place);
        }
        Lists {
            last_resorts,
            large_losses: LargeLosses::new(large_losses),
        }
    });
    lists.collect()
}

/// The place of a byte in another layout.
fn in_other(from: &Layout, to: &Layout, place: usize) -> usize {
    let (own_seeds, own, at) = from.place(place);
    to.row_start(own_seeds, own) + at
}
