//! Solved layers at hand, for those with more seeds: captures lead to them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use super::directory::error;
use super::durable::TEMPORARY;
use super::error::TableError;
use crate::index::Layer;
use crate::rows::TurnedLayer;

/// Solved layers at hand, from 0 seeds on: in memory as far as there is room, and else in
/// temporary files.
#[derive(Debug)]
pub(super) struct SmallerLayers {
    /// So many bytes may be in memory.
    room: u64,
    /// Where there is no room in memory, files are made here.
    directory: Option<PathBuf>,
    layers: Vec<Kept>,
}

#[derive(Debug)]
enum Kept {
    InMemory(Arc<TurnedLayer>),
    InFile(PathBuf),
}

impl SmallerLayers {
    /// All in memory.
    pub(super) fn in_memory() -> SmallerLayers {
        SmallerLayers {
            room: u64::MAX,
            directory: None,
            layers: Vec::new(),
        }
    }

    /// So many bytes in memory, and the rest in temporary files of a directory.
    pub(super) fn with_room(room: u64, directory: PathBuf) -> SmallerLayers {
        SmallerLayers {
            room,
            directory: Some(directory),
            layers: Vec::new(),
        }
    }

    /// How many layers there are: those with fewer seeds than this.
    pub(super) fn len(&self) -> u8 {
        self.layers.len() as u8
    }

    /// Adds the next layer, whose values are in index order.
    pub(super) fn push(&mut self, values: &[i8]) -> Result<(), TableError> {
        let layer = Layer::new(self.len()).expect("no layer beyond 48 seeds");
        let turned = TurnedLayer::new(layer, values);
        let kept = match &self.directory {
            Some(directory) if layer.len() > self.room => {
                let name = format!("layer-{:02}.turned{TEMPORARY}", layer.seeds());
                let path = directory.join(name);
                let written = File::create(&path).and_then(|mut file| write(&mut file, &turned));
                written.map_err(error("write", &path))?;
                Kept::InFile(path)
            }
            _ => {
                self.room = self.room.saturating_sub(layer.len());
                Kept::InMemory(Arc::new(turned))
            }
        };
        self.layers.push(kept);
        Ok(())
    }

    /// A layer; there must be one with so many seeds.
    pub(super) fn get(&self, seeds: u8) -> Result<Arc<TurnedLayer>, TableError> {
        match &self.layers[usize::from(seeds)] {
            Kept::InMemory(turned) => Ok(turned.clone()),
            Kept::InFile(path) => {
                let layer = Layer::new(seeds).expect("no layer beyond 48 seeds");
                let read = File::open(path).and_then(|mut file| read(&mut file, layer));
                read.map(Arc::new).map_err(error("read", path))
            }
        }
    }
}

impl Drop for SmallerLayers {
    fn drop(&mut self) {
        for kept in &self.layers {
            if let Kept::InFile(path) = kept {
                // If it cannot be removed now, the next build does it.
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

const PIECE: usize = 1 << 20;

fn write(file: &mut File, turned: &TurnedLayer) -> io::Result<()> {
    for piece in turned.values().chunks(PIECE) {
        let bytes: Vec<u8> = piece.iter().map(|&value| value as u8).collect();
        file.write_all(&bytes)?;
    }
    Ok(())
}

fn read(file: &mut File, layer: Layer) -> io::Result<TurnedLayer> {
    let mut values = vec![0; layer.len() as usize];
    let mut bytes = vec![0; PIECE];
    for piece in values.chunks_mut(PIECE) {
        let bytes = &mut bytes[..piece.len()];
        file.read_exact(bytes)?;
        for (value, &byte) in piece.iter_mut().zip(&*bytes) {
            *value = byte as i8;
        }
    }
    Ok(TurnedLayer::from_turned(layer, values))
}
