//! The lists of a layer, for checkpoints, and those of its bands: places of bytes differ.

use super::division::Division;
use crate::checkpoint::Lists;
use crate::known::LargeLosses;

pub(super) fn join(division: &Division, bands: &[Lists]) -> Lists {
    let of_whole = |(band, lists): (usize, &Lists)| {
        let layout = division.layout(band);
        lists.moved(&layout, &division.whole, |_, own| Some(own))
    };
    Lists::sum(bands.iter().enumerate().map(of_whole))
}

/// Divides the lists of a layer.
pub(super) fn split(division: &Division, all: Lists) -> Vec<Lists> {
    let band_of = |own_seeds, own| {
        let mut found = 0;
        division.each_band_of(own_seeds, &[own], |band| found = band);
        found
    };
    let mut bands = vec![(Vec::new(), Vec::new()); division.len()];
    for found in all.last_resorts {
        bands[band_of(found.own_seeds, found.own)].0.push(found);
    }
    for &(place, lost) in all.large_losses.positions() {
        let (own_seeds, own, _) = division.whole.place(place);
        bands[band_of(own_seeds, own)].1.push((place, lost));
    }
    let of_band = |(band, (last_resorts, large_losses))| {
        let lists = Lists {
            last_resorts,
            large_losses: LargeLosses::new(large_losses),
        };
        lists.moved(&division.whole, &division.layout(band), |_, own| Some(own))
    };
    bands.into_iter().enumerate().map(of_band).collect()
}
