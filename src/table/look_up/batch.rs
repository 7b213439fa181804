//! Looks up many positions at once.
//!
//! An open measure follows from the children of a position. So a batch goes from the largest layer to the
//! smallest: it reads what is stored of the needed positions, then what is stored of the children after quiet
//! moves, and notes the children after captures for smaller layers. Each time it sorts the positions by the blocks
//! that hold them. Then it goes back from the smallest layer to the largest with the results. The threads of the
//! `rayon` pool share all of this.

use std::num::NonZeroU8;
use std::sync::atomic::{AtomicI8, AtomicIsize, Ordering};

use super::assessment::Assessment;
use super::cache::Key;
use super::probe::{game_over, is_unreachable};
use super::tables::Tables;
use crate::codec::scale::OPEN;
use crate::codec::tiling::{HEIGHT, TileOffset, WIDTH};
use crate::error::TableError;
use crate::file::layer_file::DecodedTile;
use crate::parallel;
use granero_game::rules::Turn;
use granero_game::{Clamped, Measured, Position, Value};

/// The most positions to look up at a time: enough to find several in each block of tables with a hundred
/// million positions.
const BATCH: usize = 1 << 20;

/// The most needs of a batch. Few positions may need many others, and memory must be bounded for any
/// positions: so a batch that exceeds this is given up, and a smaller one tried.
const MOST_NEEDS: usize = 1 << 23;

/// A batch of no more positions is never given up.
const FEWEST: usize = 1 << 9;

impl Tables {
    /// The value of many positions. This is faster than looking up one at a time: it uses all threads of
    /// the `rayon` pool, and decodes most blocks of the tables only once for a million positions.
    ///
    /// ```
    /// # use granero::{Measured, Position, Tables, Value};
    /// let values = Tables::sample().values(&[Position::EMPTY, Position::START])?;
    /// assert_eq!(values, [Some(Measured::Value(Value::ZERO)), None]);
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn values(
        &self,
        positions: &[Position],
    ) -> Result<Vec<Option<Measured<Value>>>, TableError> {
        let found = self.clamped_values(positions)?.into_iter();
        Ok(found.map(|value| value?.exactly()).collect())
    }

    /// The value of many positions, as far as the tables tell it: see
    /// [`clamped_value`](Tables::clamped_value).
    pub fn clamped_values(
        &self,
        positions: &[Position],
    ) -> Result<Vec<Option<Measured<Clamped>>>, TableError> {
        let values = self
            .cut_values_in(positions, BATCH, MOST_NEEDS)?
            .into_iter();
        let clamped = values
            .zip(positions)
            .map(|(value, position)| value.map(|value| self.clamped(position.seeds(), value)));
        Ok(clamped.collect())
    }

    /// Assesses many positions: see [`assess`](Tables::assess).
    ///
    /// ```
    /// # use granero::{Position, Tables};
    /// let positions = [Position::EMPTY, "0 0 0 0 2 1 2 0 0 0 0 0".parse()?];
    /// let assessments = Tables::sample().assess_all(&positions)?;
    /// assert_eq!(assessments[1], Tables::sample().assess(&positions[1])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn assess_all(&self, positions: &[Position]) -> Result<Vec<Assessment>, TableError> {
        let plays = parallel::map(parallel::pieces(positions), |(_, positions)| {
            let mut children = Vec::new();
            for position in positions {
                if let Turn::Play(moves) = self.rules().turn(position) {
                    children.extend(moves.iter().map(|play| play.position));
                }
            }
            children
        });
        let children = plays.concat();
        let mut values = self
            .cut_values_in(&children, BATCH, MOST_NEEDS)?
            .into_iter();
        let kind = self.manifest.kind();
        let assess = |position: &Position| {
            // The assessment asks for the moves in the order of `plays`.
            Assessment::new(kind, position, |_| Ok(values.next().flatten()))
        };
        positions.iter().map(assess).collect()
    }

    /// The values of positions, cut off at the limits; `None` beyond the tables. There are at most `most` positions and
    /// `most_needs` needs at a time.
    fn cut_values_in(
        &self,
        positions: &[Position],
        most: usize,
        most_needs: usize,
    ) -> Result<Vec<Option<Measured<Value>>>, TableError> {
        let mut values = Vec::with_capacity(positions.len());
        let mut rest = positions;
        let mut at_a_time = most;
        while !rest.is_empty() {
            let now = &rest[..rest.len().min(at_a_time)];
            let is_small = now.len() <= FEWEST;
            let most_needs = if is_small { usize::MAX } else { most_needs };
            match Batch::new(self, now).answer(most_needs)? {
                Some(found) => {
                    values.extend(found);
                    rest = &rest[now.len()..];
                    at_a_time = most.min(2 * at_a_time);
                }
                None => at_a_time = (now.len() / 8).max(FEWEST),
            }
        }
        Ok(values)
    }
}

/// The bits of an offset in a tile.
const OFFSET_BITS: u32 = 14;
const _: () = assert!(WIDTH * HEIGHT <= 1 << OFFSET_BITS);

/// Packs the number of a tile, an offset in it, and the number of an item into a request.
#[derive(Clone, Copy)]
struct Packing {
    number_bits: u32,
}

impl Packing {
    fn new(tiles: u64) -> Packing {
        Packing {
            number_bits: tiles.leading_zeros() - OFFSET_BITS,
        }
    }

    fn request(self, TileOffset { tile, offset }: TileOffset, number: usize) -> u64 {
        (tile << OFFSET_BITS | offset as u64) << self.number_bits | number as u64
    }

    fn place(self, request: u64) -> TileOffset {
        let place = request >> self.number_bits;
        TileOffset {
            tile: place >> OFFSET_BITS,
            offset: place as usize % (1 << OFFSET_BITS),
        }
    }

    fn number(self, request: u64) -> usize {
        (request % (1 << self.number_bits)) as usize
    }
}

impl Tables {
    /// Reads what is stored of the positions that items have. All are in the layer of `seeds` seeds, or all unreachable
    /// if there is no such layer. Decodes each block once for all items, or for as many as a request can number.
    fn all_stored<T: Sync>(
        &self,
        seeds: usize,
        items: &[T],
        position: fn(&T) -> &Position,
        backwards: bool,
    ) -> Result<Measured<Vec<AtomicI8>>, TableError> {
        let measures = self.cycles().measures();
        let found = measures.map(|_| items.iter().map(|_| AtomicI8::new(OPEN)).collect());
        let found: Measured<Vec<AtomicI8>> = found;
        let Some(table) = self.layers.get(seeds) else {
            return Ok(found);
        };
        if table.decoded.is_some() {
            parallel::for_each(parallel::pieces(items), |(first, items)| {
                for (number, item) in (first..).zip(items) {
                    let stored = table.in_memory(position(item)).into_iter().flatten();
                    for ((_, stored), (_, found)) in stored.zip(found.iter()) {
                        found[number].store(stored, Ordering::Relaxed);
                    }
                }
            });
            return Ok(found);
        }
        let packing = Packing::new(table.file.file.tiling().tiles());
        let most = 1 << packing.number_bits.min(24);
        for (first, items) in (0..).step_by(most).zip(items.chunks(most)) {
            let requests = parallel::map(parallel::pieces(items), |(first, items)| {
                let numbered = (first..).zip(items);
                let request = |(number, item)| {
                    let place = table.file.place(position(item));
                    packing.request(place, number)
                };
                numbered.map(request).collect::<Vec<u64>>()
            });
            let mut requests = requests.concat();
            parallel::sort(&mut requests);
            let blocks = requests
                .chunk_by(|&one, &next| packing.place(one).tile == packing.place(next).tile);
            let mut blocks: Vec<&[u64]> = blocks.collect();
            if backwards {
                // The cache has the last blocks that were read before.
                blocks.reverse();
            }
            parallel::try_for_each(blocks, |requests| {
                // Decoding up to the last place decodes the other positions, too.
                let place = packing.place(requests[requests.len() - 1]);
                let key = Key {
                    seeds: seeds as u8,
                    tile: place.tile,
                };
                let hand_out = |tile: &DecodedTile| {
                    tile.get(place.offset)?;
                    for ((_, stored), (_, found)) in tile.values().into_iter().zip(found.iter()) {
                        for &request in requests {
                            let stored = stored[packing.place(request).offset];
                            found[first + packing.number(request)].store(stored, Ordering::Relaxed);
                        }
                    }
                    Some(())
                };
                (self.cache).value(key, hand_out, |cached| table.file.decode(place, cached))
            })?;
        }
        Ok(found)
    }

    /// The group of a needed position, see [`Batch`]; `None` beyond the tables.
    fn group(&self, position: &Position) -> Option<usize> {
        let seeds = usize::from(position.seeds());
        let table = self.layers.get(seeds)?;
        let is_last = table.decoded.is_none() && is_unreachable(position);
        Some(if is_last { self.layers.len() } else { seeds })
    }
}

/// Positions to look up together.
struct Batch<'a> {
    tables: &'a Tables,
    positions: &'a [Position],
    /// By seeds. The last group is for unreachable positions, whose children are in the other groups.
    groups: Vec<LayerNeeds>,
}

/// Needed positions with the same number of seeds.
struct LayerNeeds {
    /// First the positions of the batch in their order.
    needs: Vec<Need>,
    /// By need: what is stored.
    stored: Measured<Vec<AtomicI8>>,
    /// By need: the best of the moves, as far as they are known, or [`NOT_FOLLOWED`]; for measures that are stored it
    /// has no meaning.
    best: Measured<Vec<AtomicI8>>,
}

/// A needed position: of the batch, or after a move of which more than what is stored may count.
struct Need {
    position: Position,
    /// The captured seeds of the move to this position, less the conceded ones.
    gain: i8,
    /// The group and the place of the need that depends on this one. No move leads from the first group.
    parent: Option<(NonZeroU8, u32)>,
}

/// Stands for the best of moves that are not taken into account.
const NOT_FOLLOWED: i8 = i8::MIN;

/// The children of some needs.
#[derive(Default)]
struct Children {
    /// Children after quiet moves, of which only what is stored counts, each with the place of its parent.
    quiet: Vec<(u32, Position)>,
    others: Vec<Need>,
}

/// A number for each measure.
fn numbers(measured: &Measured<Vec<AtomicI8>>, place: usize) -> Measured<i8> {
    let numbers = measured.as_ref();
    numbers.map(|numbers| numbers[place].load(Ordering::Relaxed))
}

impl<'a> Batch<'a> {
    fn new(tables: &'a Tables, positions: &'a [Position]) -> Batch<'a> {
        let measures = tables.cycles().measures();
        let groups = (0..=tables.layers.len()).map(|_| LayerNeeds {
            needs: Vec::new(),
            stored: measures.map(|_| Vec::new()),
            best: measures.map(|_| Vec::new()),
        });
        let mut groups: Vec<LayerNeeds> = groups.collect();
        for &position in positions {
            if let Some(group) = tables.group(&position) {
                groups[group].needs.push(Need {
                    position,
                    gain: 0,
                    parent: None,
                });
            }
        }
        Batch {
            tables,
            positions,
            groups,
        }
    }

    /// The values of the positions, cut off; `None` if that takes more than `most_needs` needs.
    fn answer(
        mut self,
        most_needs: usize,
    ) -> Result<Option<Vec<Option<Measured<Value>>>>, TableError> {
        for group in (0..self.groups.len()).rev() {
            if !self.read(group, most_needs)? {
                return Ok(None);
            }
        }
        for (group, LayerNeeds { needs, .. }) in self.groups.iter().enumerate() {
            parallel::try_for_each(parallel::pieces(needs), |(first, needs)| {
                let mut needs = (first..).zip(needs);
                needs.try_for_each(|(place, need)| self.finish(group, place, need))
            })?;
        }
        let mut next = vec![0; self.groups.len()];
        let values = self.positions.iter().map(|position| {
            let Some(group) = self.tables.group(position) else {
                return Ok(None);
            };
            let value = self.known(group, next[group]);
            next[group] += 1;
            self.tables.checked(position, value).map(Some)
        });
        values.collect::<Result<_, _>>().map(Some)
    }

    /// Reads what is stored of a group and of its children after quiet moves, and adds other children to smaller
    /// groups. Returns false if there are too many.
    fn read(&mut self, group: usize, most_needs: usize) -> Result<bool, TableError> {
        let tables = self.tables;
        let kept = self.groups.iter().map(|group| group.needs.len()).sum();
        let Some(room) = most_needs.checked_sub(kept) else {
            return Ok(false);
        };
        let LayerNeeds {
            needs,
            stored,
            best,
        } = &mut self.groups[group];
        *stored = tables.all_stored(group, needs, |need| &need.position, false)?;
        for (_, best) in best.as_mut() {
            best.resize_with(needs.len(), || AtomicI8::new(NOT_FOLLOWED));
        }
        let needs = &self.groups[group].needs;
        parallel::for_each(parallel::pieces(needs), |(first, needs)| {
            for (place, need) in (first..).zip(needs) {
                self.tell_parent(group, place, need);
            }
        });
        let room = AtomicIsize::new(room.min(isize::MAX as usize) as isize);
        let children = parallel::map(parallel::pieces(needs), |(first, needs)| {
            let mut children = Children::default();
            for (place, need) in (first..).zip(needs) {
                if room.load(Ordering::Relaxed) >= 0 && self.matters(group, place, need) {
                    let added = self.follow(group, place, need, &mut children);
                    room.fetch_sub(added, Ordering::Relaxed);
                }
            }
            children
        });
        if room.into_inner() < 0 {
            return Ok(false);
        }
        let mut quiet = Vec::with_capacity(children.iter().map(|some| some.quiet.len()).sum());
        for some in children {
            quiet.extend(some.quiet);
            for need in some.others {
                self.groups[usize::from(need.position.seeds())]
                    .needs
                    .push(need);
            }
        }
        let found = tables.all_stored(group, &quiet, |(_, child)| child, true)?;
        parallel::for_each(parallel::pieces(&quiet), |(first, quiet)| {
            for (number, (parent, _)) in (first..).zip(quiet) {
                self.raise(group, *parent as usize, 0, numbers(&found, number));
            }
        });
        Ok(true)
    }

    /// Finds the children on which the open measures of a need depend, and returns their number.
    fn follow(&self, group: usize, place: usize, need: &Need, children: &mut Children) -> isize {
        let plays = self.tables.rules().moves(&need.position);
        for (_, best) in self.groups[group].best.iter() {
            best[place].store(game_over(&plays, &need.position), Ordering::Relaxed);
        }
        for play in &plays {
            let position = play.position;
            if usize::from(position.seeds()) == group {
                children.quiet.push((place as u32, position));
            } else {
                children.others.push(Need {
                    position,
                    gain: play.gain(),
                    // There are at most 50 groups.
                    parent: NonZeroU8::new(group as u8).map(|group| (group, place as u32)),
                });
            }
        }
        plays.len() as isize
    }

    /// The measures of a need as far as they are known, otherwise [`OPEN`].
    fn known(&self, group: usize, place: usize) -> Measured<i8> {
        let LayerNeeds { stored, best, .. } = &self.groups[group];
        let known = numbers(stored, place).zip(numbers(best, place));
        known.map(|(stored, best)| match stored {
            OPEN if best != NOT_FOLLOWED => best,
            stored => stored,
        })
    }

    /// Raises the best of a need to what a move gives, as far as the measures of the child are known.
    fn raise(&self, group: usize, place: usize, gain: i8, child: Measured<i8>) {
        let best = self.groups[group].best.iter();
        for ((_, child), (_, best)) in child.of_parent().into_iter().zip(best) {
            if child != OPEN && gain - child > best[place].load(Ordering::Relaxed) {
                best[place].fetch_max(gain - child, Ordering::Relaxed);
            }
        }
    }

    fn tell_parent(&self, group: usize, place: usize, need: &Need) {
        if let Some((parents, parent)) = need.parent {
            let known = self.known(group, place);
            self.raise(parents.get().into(), parent as usize, need.gain, known);
        }
    }

    /// Tells if an open measure may decide what the parent is worth, or what the position itself is worth.
    fn matters(&self, group: usize, place: usize, need: &Need) -> bool {
        let open = numbers(&self.groups[group].stored, place).map(|stored| stored == OPEN);
        let Some((parents, parent)) = need.parent else {
            return open.low() || open.high();
        };
        let LayerNeeds { stored, best, .. } = &self.groups[usize::from(parents.get())];
        let parents = numbers(stored, parent as usize).zip(numbers(best, parent as usize));
        let measures = self.tables.cycles().measures();
        let matter = open.of_parent().zip(measures).zip(parents);
        let matter = matter.map(|((open, measure), (stored, best))| {
            let least = self.tables.least_open(measure.bound().of_child());
            open && stored == OPEN && need.gain - least > best
        });
        matter.low() || matter.high()
    }

    /// Completes the open measures of a need when all its children are known, and tells its parent.
    fn finish(&self, group: usize, place: usize, need: &Need) -> Result<(), TableError> {
        let position = &need.position;
        let limit = self.tables.manifest.kind().limit(position.seeds());
        let LayerNeeds { stored, best, .. } = &self.groups[group];
        for ((measure, stored), (_, best)) in numbers(stored, place).into_iter().zip(best.iter()) {
            let found = best[place].load(Ordering::Relaxed);
            if stored != OPEN || found == NOT_FOLLOWED {
                continue;
            }
            if found < self.tables.least_open(measure.bound()) && !is_unreachable(position) {
                return Err(self.tables.layer_table(position).file.unfounded(position));
            }
            best[place].store(found.clamp(-limit, limit), Ordering::Relaxed);
        }
        self.tell_parent(group, place, need);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::tiling::Tiling;
    use crate::index::Layer;
    use granero_game::Cycles;
    use granero_game::random::SplitMix64;

    #[test]
    fn many_batches_are_as_one() {
        let mut random = SplitMix64::new(7);
        let layers: Vec<Layer> = (0..=9).filter_map(Layer::new).collect();
        let positions = std::iter::repeat_with(|| {
            let layer = &layers[random.below(10) as usize];
            layer
                .position(random.below(layer.len()))
                .expect("a position of the layer")
        });
        let positions: Vec<Position> = positions.take(16 * FEWEST + 77).collect();
        for tables in Cycles::ALL.map(Tables::sample_of) {
            let values = tables.cut_values_in(&positions, BATCH, MOST_NEEDS).unwrap();
            for (most, needs) in [
                (FEWEST, MOST_NEEDS),
                (BATCH, FEWEST),
                (9 * FEWEST, 20 * FEWEST),
            ] {
                assert!(tables.cut_values_in(&positions, most, needs).unwrap() == values);
            }
            for (position, value) in positions.iter().zip(&values).step_by(97) {
                assert_eq!(tables.value(position).unwrap(), *value);
            }
        }
    }

    #[test]
    fn requests_have_room_for_the_smallest_tiles() {
        let tiling = Tiling::new(Layer::new(48).unwrap());
        let packing = Packing::new(tiling.tiles());
        let last = (1 << packing.number_bits) - 1;
        assert!(last > 1000);
        let tile = tiling.tiles() - 1;
        for offset in [0, WIDTH * HEIGHT - 1] {
            for number in [0, last] {
                let place = TileOffset { tile, offset };
                let request = packing.request(place, number);
                assert_eq!(packing.place(request), place);
                assert_eq!(packing.number(request), number);
            }
        }
    }

    #[test]
    fn a_batch_that_needs_too_much_is_given_up() {
        let tables = Tables::sample();
        // Its value is not stored, but follows from the values of its children.
        let position: Position = "0 0 0 0 1 1 1 1 1 1 1 1".parse().unwrap();
        let positions = vec![position; 16 * FEWEST];
        let answer = |most_needs| Batch::new(tables, &positions).answer(most_needs).unwrap();
        assert!(answer(positions.len()).is_none());
        let value = tables.value(&position).unwrap();
        assert_eq!(answer(usize::MAX), Some(vec![value; positions.len()]));
    }
}
