//! Smaller layers, kept for the layers with more seeds: captures lead to them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;

use zerocopy::IntoBytes;

use super::directory::error;
use super::error::TableError;
use super::open_directory::OpenDirectory;
use crate::index::Layer;
use crate::measured::{Bound, Measure, Measured};
use crate::rows::TurnedLayer;

/// Smaller layers, from 0 seeds on: in memory while there is room, then in temporary files.
#[derive(Debug)]
pub(super) struct SmallerLayers {
    /// The memory that is left, in bytes.
    room: u64,
    /// The directory of the temporary files.
    directory: Option<Arc<OpenDirectory>>,
    /// By seeds.
    layers: Vec<Measured<Kept>>,
}

#[derive(Debug)]
enum Kept {
    InMemory(Arc<TurnedLayer>),
    InFile(TemporaryFile),
}

/// A temporary file, removed when this is dropped.
#[derive(Debug)]
struct TemporaryFile {
    directory: Arc<OpenDirectory>,
    name: String,
    /// The checksum of its bytes.
    checksum: u32,
}

impl SmallerLayers {
    /// Keeps all layers in memory.
    pub(super) fn in_memory() -> SmallerLayers {
        SmallerLayers {
            room: u64::MAX,
            directory: None,
            layers: Vec::new(),
        }
    }

    /// Keeps at most `room` bytes in memory, and the rest in temporary files of a directory.
    pub(super) fn with_room(room: u64, directory: Arc<OpenDirectory>) -> SmallerLayers {
        SmallerLayers {
            room,
            directory: Some(directory),
            layers: Vec::new(),
        }
    }

    /// The number of layers: those with fewer seeds than this.
    pub(super) fn len(&self) -> u8 {
        self.layers.len() as u8
    }

    /// Adds the next layer: its values or bounds, in index order.
    pub(super) fn push(&mut self, values: &Measured<Vec<i8>>) -> Result<(), TableError> {
        let room = self.room;
        let labelled = values.cycles().measures().zip(values.as_ref());
        match labelled.try_map(|(measure, values)| self.keep(measure, values)) {
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

    fn keep(&mut self, measure: Measure, values: &[i8]) -> Result<Kept, TableError> {
        let layer = Layer::new(self.len()).expect("no layer beyond 48 seeds");
        let turned = TurnedLayer::new(layer, values);
        let kept = match &self.directory {
            Some(directory) if layer.len() > self.room => {
                let name = format!("layer-{:02}-{measure}.turned", layer.seeds());
                let made = directory.create_temporary(&name);
                let (mut file, name) = made.map_err(error("write", directory.path_of(&name)))?;
                let mut kept = TemporaryFile {
                    directory: directory.clone(),
                    name,
                    checksum: 0,
                };
                let written = write(&mut file, &turned);
                kept.checksum = written.map_err(error("write", directory.path_of(&kept.name)))?;
                Kept::InFile(kept)
            }
            _ => {
                self.room = self.room.saturating_sub(layer.len());
                Kept::InMemory(Arc::new(turned))
            }
        };
        Ok(kept)
    }

    /// The values of a layer that was added, or its low or high bounds.
    pub(super) fn get(&self, seeds: u8, bound: Bound) -> Result<Arc<TurnedLayer>, TableError> {
        match self.layers[usize::from(seeds)].get(bound) {
            Kept::InMemory(turned) => Ok(turned.clone()),
            Kept::InFile(file) => {
                let layer = Layer::new(seeds).expect("no layer beyond 48 seeds");
                file.read(layer).map(Arc::new)
            }
        }
    }
}

impl TemporaryFile {
    fn read(&self, layer: Layer) -> Result<TurnedLayer, TableError> {
        let path = self.directory.path_of(&self.name);
        let file = self.directory.open_regular(&self.name);
        let read = file.and_then(|mut file| read(&mut file, layer));
        let (turned, checksum) = read.map_err(error("read", &path))?;
        if checksum == self.checksum {
            Ok(turned)
        } else {
            Err(TableError::damaged(path, "it is not what was written"))
        }
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // If it cannot be removed now, the next build does it.
        let _ = self.directory.remove(&self.name);
    }
}

const PIECE: usize = 1 << 20;

/// Writes a layer; returns the checksum of its bytes.
fn write(file: &mut File, turned: &TurnedLayer) -> io::Result<u32> {
    let mut checksum = crc32fast::Hasher::new();
    for piece in turned.values().chunks(PIECE) {
        let bytes = piece.as_bytes();
        checksum.update(bytes);
        file.write_all(bytes)?;
    }
    Ok(checksum.finalize())
}

fn read(file: &mut File, layer: Layer) -> io::Result<(TurnedLayer, u32)> {
    let mut checksum = crc32fast::Hasher::new();
    let mut values = vec![0i8; layer.len() as usize];
    for piece in values.chunks_mut(PIECE) {
        let bytes = piece.as_mut_bytes();
        file.read_exact(bytes)?;
        checksum.update(bytes);
    }
    Ok((TurnedLayer::from_turned(layer, values), checksum.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycles::Cycles;
    use crate::rules::Ruleset;
    use crate::solver;

    #[test]
    fn layers_without_room_in_memory_go_to_files_with_checksums() {
        let place = tempfile::tempdir().unwrap();
        let layers = solver::solve_all(Ruleset::Abapa, Cycles::Split, 5, 1);
        // Room for the layers of 0 to 2 seeds; the next do not fit.
        let directory = Arc::new(OpenDirectory::open(place.path()).unwrap());
        let mut smaller = SmallerLayers::with_room(100, directory);
        for values in &layers {
            smaller.push(values).unwrap();
        }
        for (layer, values) in Layer::all().zip(&layers) {
            let turned = smaller.get(layer.seeds(), Bound::Low).unwrap();
            let values = values.as_ref().low();
            assert_eq!(turned.values(), TurnedLayer::new(layer, values).values());
        }
        let files = || std::fs::read_dir(place.path()).unwrap();
        assert_eq!(files().count(), 3);
        for file in files() {
            let path = file.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[100] ^= 1;
            std::fs::write(&path, bytes).unwrap();
        }
        for seeds in 3..=5 {
            assert!(matches!(
                smaller.get(seeds, Bound::Low),
                Err(TableError::Damaged { .. })
            ));
        }
        for file in files() {
            let file = File::options().write(true).open(file.unwrap().path());
            file.unwrap().set_len(100).unwrap();
        }
        for seeds in 3..=5 {
            assert!(matches!(
                smaller.get(seeds, Bound::Low),
                Err(TableError::Io { action: "read", .. })
            ));
        }
        drop(smaller);
        assert_eq!(files().count(), 0);
    }
}
