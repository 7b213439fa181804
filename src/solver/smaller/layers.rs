//! Smaller layers, from 0 seeds on: in memory while there is room, then in files.

use std::sync::Arc;

use super::turned_file::{Stay, TurnedFile};
use crate::tuning::Tuning;
use granero_game::{Bound, Measure, Measured};
use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::file::manifest::turned_name;
use granero_table::index::Layer;
use granero_table::rows::{InOrder, LayerValues, TurnedLayer};

/// Smaller layers, from 0 seeds on: in memory while there is room, then in files.
#[derive(Debug)]
pub struct SmallerLayers {
    /// The memory that is left, in bytes.
    room: u64,
    /// The directory of the temporary files.
    directory: Arc<OpenDirectory>,
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
    /// Keeps at most `room` bytes in memory, and the rest in temporary files of a directory, from
    /// which up to `most` bytes are read at a time.
    pub fn with_room(
        room: u64,
        most: u64,
        directory: Arc<OpenDirectory>,
        tuning: Tuning,
    ) -> SmallerLayers {
        SmallerLayers {
            room,
            directory,
            most,
            tuning,
            layers: Vec::new(),
        }
    }

    /// The number of layers: those with fewer seeds than this.
    pub fn len(&self) -> u8 {
        self.layers.len() as u8
    }

    /// Adds the next layer: its values or bounds. Files stay for the next build if this says how.
    pub(super) fn push<V: LayerValues>(
        &mut self,
        values: Measured<&V>,
        stay: Option<Stay<'_>>,
    ) -> Result<(), TableError> {
        let room = self.room;
        let labelled = values.cycles().measures().zip(values);
        match labelled.try_map(|(measure, values)| self.keep(measure, values, stay)) {
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
        stay: Option<Stay<'_>>,
    ) -> Result<(), TableError> {
        let layer = Layer::new(self.len()).expect("no layer beyond 48 seeds");
        let values = values.as_ref();
        let values = values.map(|values| InOrder::new(layer, values));
        self.push(values.as_ref(), stay)
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

    /// Adds the next layer, which is in files already.
    pub fn push_files(&mut self, files: Measured<TurnedFile>) {
        self.layers.push(files.map(SmallerLayer::InFile));
    }

    /// Describes the files of a layer, for another process to read them; returns `None` if it is in
    /// memory.
    pub fn descriptions(&self, seeds: u8) -> Option<Measured<Vec<u8>>> {
        let files = self.layers[usize::from(seeds)].as_ref();
        let description = |kept: &SmallerLayer| match kept {
            SmallerLayer::InFile(file) => Ok(file.description()),
            SmallerLayer::InMemory(_) => Err(()),
        };
        files.try_map(description).ok()
    }

    fn keep(
        &mut self,
        measure: Measure,
        values: &impl LayerValues,
        stay: Option<Stay<'_>>,
    ) -> Result<SmallerLayer, TableError> {
        let layer = values.layer();
        if let Some(room) = self.room.checked_sub(layer.len()) {
            self.room = room;
            return Ok(SmallerLayer::InMemory(Arc::new(TurnedLayer::of(values))));
        }
        let name = turned_name(layer.seeds(), measure);
        let directory = self.directory.clone();
        let file = TurnedFile::write(directory, &name, values, self.most, stay, self.tuning)?;
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
        self.part_within(self.most, seeds, bound, from)
    }

    /// Like [`part`](SmallerLayers::part), with up to `most` bytes if it is read from a file.
    pub(crate) fn part_within(
        &self,
        most: u64,
        seeds: u8,
        bound: Bound,
        from: usize,
    ) -> Result<Arc<TurnedLayer>, TableError> {
        match self.layers[usize::from(seeds)].get(bound) {
            SmallerLayer::InMemory(turned) => Ok(turned.clone()),
            SmallerLayer::InFile(file) => file.read(from, most).map(Arc::new),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

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
        let layers = solve::solve_all((Ruleset::Abapa, Cycles::Split), 5, 1);
        // Room for the layers of 0 to 2 seeds; the next do not fit.
        for (most, expected) in [(0, 17), (1500, 4), (u64::MAX, 1)] {
            let directory = Arc::new(OpenDirectory::open(place.path()).unwrap());
            let mut smaller = SmallerLayers::with_room(100, most, directory, Tuning::SMALL);
            for values in &layers {
                smaller.push_in_order(values, None).unwrap();
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
            let files = || std::fs::read_dir(place.path()).unwrap();
            assert_eq!(files().count(), 3);
            for file in files() {
                let path = file.unwrap().path();
                let mut bytes = std::fs::read(&path).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                std::fs::write(&path, bytes).unwrap();
            }
            for seeds in 3..=5 {
                assert!(matches!(
                    parts(&smaller, seeds),
                    Err(TableError::Damaged { .. })
                ));
            }
            for file in files() {
                let file = File::options().write(true).open(file.unwrap().path());
                file.unwrap().set_len(30).unwrap();
            }
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
