//! Smaller layers, from 0 seeds on: in memory while there is room, then in files.

use std::sync::Arc;

use super::turned_file::TurnedFile;
use crate::tuning::Tuning;
use granero_game::{Bound, Measure, Measured};
use granero_table::index::Layer;
use granero_table::rows::{InOrder, LayerValues, TurnedLayer};
use granero_table::{TableError, TableWriter};

/// Smaller layers, from 0 seeds on: in memory while there is room, then in files.
#[derive(Debug)]
pub struct SmallerLayers {
    /// The memory that is left, in bytes.
    room: u64,
    /// The most bytes of a part that is read from a file, unless a single piece has more.
    pub most: u64,
    tuning: Tuning,
    /// By seeds.
    layers: Vec<Measured<SmallerLayer>>,
}

#[derive(Debug)]
enum SmallerLayer {
    InMemory(Arc<TurnedLayer>),
    InFile(TurnedFile),
}

impl SmallerLayers {
    /// Keeps at most `room` bytes in memory, and the rest in files, from which up to `most` bytes are read at a time.
    pub fn with_room(room: u64, most: u64, tuning: Tuning) -> SmallerLayers {
        SmallerLayers {
            room,
            most,
            tuning,
            layers: Vec::new(),
        }
    }

    /// The number of layers: those with fewer seeds than this.
    pub fn len(&self) -> u8 {
        self.layers.len() as u8
    }

    /// Adds the next layer of some tables: its values or bounds.
    pub(super) fn push<V: LayerValues>(
        &mut self,
        values: Measured<&V>,
        tables: &TableWriter,
    ) -> Result<(), TableError> {
        let room = self.room;
        let labelled = values.cycles().measures().zip(values);
        match labelled.try_map(|(measure, values)| self.keep(measure, values, tables)) {
            Ok(kept) => {
                self.layers.push(kept);
                Ok(())
            }
            Err(error) => {
                // Nothing of the layer is kept.
                self.room = room;
                Err(error)
            }
        }
    }

    /// Adds the next layer, with values in index order.
    pub(super) fn push_in_order(
        &mut self,
        values: &Measured<Vec<i8>>,
        tables: &TableWriter,
    ) -> Result<(), TableError> {
        let layer = Layer::new(self.len()).expect("no layer beyond 48 seeds");
        let values = values.as_ref();
        let values = values.map(|values| InOrder::new(layer, values));
        self.push(values.as_ref(), tables)
    }

    /// Adds the next layer, whose files another build or process has made: to the memory if there is room.
    pub fn push_left(&mut self, files: Measured<TurnedFile>) -> Result<(), TableError> {
        let kept = files.try_map(|file| {
            let Some(room) = self.room.checked_sub(file.layer().len()) else {
                return Ok(SmallerLayer::InFile(file));
            };
            self.room = room;
            Ok(SmallerLayer::InMemory(Arc::new(file.read(0, u64::MAX)?)))
        })?;
        self.layers.push(kept);
        Ok(())
    }

    fn keep(
        &mut self,
        measure: Measure,
        values: &impl LayerValues,
        tables: &TableWriter,
    ) -> Result<SmallerLayer, TableError> {
        let layer = values.layer();
        if let Some(room) = self.room.checked_sub(layer.len()) {
            self.room = room;
            return Ok(SmallerLayer::InMemory(Arc::new(TurnedLayer::of(values))));
        }
        let file = TurnedFile::write(values, measure, self.most, tables, self.tuning)?;
        Ok(SmallerLayer::InFile(file))
    }

    /// The part of a layer that begins at a place of the turned order, or before: its values, or its
    /// low or high bounds. A layer in memory has one part.
    pub fn part(
        &self,
        seeds: u8,
        bound: Bound,
        from: usize,
    ) -> Result<Arc<TurnedLayer>, TableError> {
        match self.layers[usize::from(seeds)].get(bound) {
            SmallerLayer::InMemory(turned) => Ok(turned.clone()),
            SmallerLayer::InFile(file) => file.read(from, self.most).map(Arc::new),
        }
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::solve;
    use granero_game::Cycles;
    use granero_game::rules::Ruleset;

    /// All values of a layer, from as many parts as there are.
    fn parts(smaller: &SmallerLayers, seeds: u8) -> Result<(usize, Vec<i8>), TableError> {
        let (mut parts, mut values) = (0, Vec::new());
        let mut next = 0;
        let len = Layer::new(seeds).unwrap().len();
        while (next as u64) < len {
            let part = smaller.part(seeds, Bound::Low, next)?;
            assert_eq!(part.places().start, next);
            next = part.places().end;
            parts += 1;
            values.extend(part.values());
        }
        Ok((parts, values))
    }

    #[test]
    fn layers_without_room_in_memory_go_to_files_with_checksums() {
        let place = tempfile::tempdir().unwrap();
        let kind = (Ruleset::Abapa, Cycles::Split);
        let layers = solve::solve_all(kind, 5, 1);
        // Room for the layers of 0 to 2 seeds; the next do not fit.
        for (most, expected) in [(0, 17), (1500, 4), (u64::MAX, 1)] {
            let tables = TableWriter::open(place.path(), kind).unwrap();
            let mut smaller = SmallerLayers::with_room(100, most, Tuning::SMALL);
            for values in &layers {
                smaller.push_in_order(values, &tables).unwrap();
            }
            for (layer, values) in Layer::all().zip(&layers) {
                let (parts, found) = parts(&smaller, layer.seeds()).unwrap();
                let values = values.as_ref().low();
                assert_eq!(found, TurnedLayer::new(layer, values).values());
                match layer.seeds() {
                    0..3 => assert_eq!(parts, 1),
                    5 => assert_eq!(parts, expected),
                    _ => {}
                }
            }
            let files = || {
                let all = std::fs::read_dir(place.path()).unwrap();
                let paths = all.map(|file| file.unwrap().path());
                paths.filter(|path| path.extension().unwrap() == "turned")
            };
            assert_eq!(files().count(), 3);
            for path in files() {
                let mut bytes = std::fs::read(&path).unwrap();
                bytes[0] ^= 1;
                std::fs::write(&path, bytes).unwrap();
            }
            for seeds in 3..=5 {
                assert!(matches!(
                    parts(&smaller, seeds),
                    Err(TableError::Damaged { .. })
                ));
            }
            // They are deleted.
            assert_eq!(files().count(), 0);
            for seeds in 3..=5 {
                assert!(matches!(
                    parts(&smaller, seeds),
                    Err(TableError::Io { action: "read", .. })
                ));
            }
            drop(smaller);
            assert_eq!(files().count(), 0);
        }
    }
}
