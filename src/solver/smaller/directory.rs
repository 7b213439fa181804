//! A directory of tables that is being built, with the smaller layers of the layer that is solved.

use std::ops::{Deref, DerefMut};

use super::layers::SmallerLayers;
use super::turned_file::TurnedFile;
use crate::tuning::Tuning;
use granero_game::Measured;
use granero_table::file::directory::MANIFEST;
use granero_table::index::Layer;
use granero_table::layers::reader;
use granero_table::rows::{LayerValues, RowMoves};
use granero_table::{TableError, TableWriter};

/// A directory of tables that is being built.
#[derive(Debug)]
pub struct BuildDirectory<'t> {
    tables: &'t mut TableWriter,
    pub smaller: SmallerLayers,
    /// How the work on the next layers is divided.
    pub(crate) tuning: Tuning,
}

impl Deref for BuildDirectory<'_> {
    type Target = TableWriter;

    fn deref(&self) -> &TableWriter {
        self.tables
    }
}

impl DerefMut for BuildDirectory<'_> {
    fn deref_mut(&mut self) -> &mut TableWriter {
        self.tables
    }
}

impl<'t> BuildDirectory<'t> {
    pub fn new(tables: &'t mut TableWriter, tuning: Tuning) -> BuildDirectory<'t> {
        BuildDirectory {
            tables,
            smaller: SmallerLayers::with_room(u64::MAX, u64::MAX, tuning),
            tuning,
        }
    }

    /// Sets the memory for smaller layers, and the most bytes of a layer that are read from a file at a time, unless a
    /// single piece of the file has more. The rest goes to files.
    pub fn keep_in_memory_and_read(&mut self, bytes: u64, most: u64) {
        self.smaller = SmallerLayers::with_room(bytes, most, self.tuning);
    }

    /// Reads the layers with fewer seeds than `below`, unless they are kept already. `progress`
    /// is called for each layer that must be read.
    pub fn prepare(
        &mut self,
        rows: &RowMoves,
        below: u8,
        progress: impl Fn(Layer),
    ) -> Result<(), TableError> {
        while self.smaller.len() < below {
            let layer = Layer::new(self.smaller.len()).expect("a layer that is finished");
            if let Some(files) = self.left(layer) {
                self.smaller.push_left(files)?;
                continue;
            }
            progress(layer);
            let file = self.file(layer)?;
            let values = reader::read(&file, rows, |seeds, bound, from| {
                self.smaller.part(seeds, bound, from)
            })?;
            let statistics = &self.manifest().layers[usize::from(layer.seeds())].statistics;
            if !statistics.counts_match(layer, &values) {
                let path = self.path().join(MANIFEST);
                let seeds = layer.seeds();
                let what = format!("its statistics of layer {seeds} do not match the values");
                return Err(TableError::damaged(path, what));
            }
            self.smaller.push_in_order(&values, self.tables)?;
        }
        Ok(())
    }

    /// The files of a smaller layer that the last build has left.
    fn left(&self, layer: Layer) -> Option<Measured<TurnedFile>> {
        let fingerprint = self.manifest().fingerprint();
        let left = |measure| {
            let directory = self.lock().directory.clone();
            TurnedFile::open(directory, layer, measure, &fingerprint, self.tuning)
        };
        self.manifest().cycles.measures().try_map(left).ok()
    }

    /// The largest layer with fewer seeds than `below` that [`prepare`](BuildDirectory::prepare) reads as a whole.
    pub fn largest_to_read(&self, below: u8) -> Option<Layer> {
        let mut layers = (0..below).rev().filter_map(Layer::new);
        layers.find(|&layer| self.left(layer).is_none())
    }

    /// Forgets the smaller layers, and removes the files that stayed for this build.
    pub fn remove_left(&mut self) {
        self.keep_in_memory_and_read(u64::MAX, u64::MAX);
        self.remove_turned();
    }

    /// Keeps a layer for larger ones, if all smaller layers are kept.
    pub fn keep<V: LayerValues>(&mut self, values: Measured<&V>) -> Result<(), TableError> {
        if self.smaller.len() != values.low().layer().seeds() {
            return Ok(());
        }
        self.smaller.push(values, self.tables)
    }
}
