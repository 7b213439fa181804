//! Tables that several processes write together: each has some rows of a layer. Process 0 has the lock,
//! and writes all files; the others read them.

use std::io;
use std::path::Path;
use std::sync::Arc;

use zerocopy::IntoBytes;

use crate::carrier::{ClusterError, bad};
use crate::cluster::Cluster;
use granero_game::{Cycles, Measured};
use granero_solver::smaller::{
    BuildDirectory, SHARED_STRIP, SmallerLayers, Strip, TurnedFile, strips,
};
use granero_solver::tuning::Tuning;
use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::codec::block::MAX_BLOCK;
use granero_table::codec::tiling::Tiling;
use granero_table::file::directory::error;
use granero_table::file::manifest::{FileEntry, layer_file_name, turned_name};
use granero_table::file::sha256::Sha256;
use granero_table::file::statistics::{LayerStatistics, ValueCounts};
use granero_table::index::Layer;
use granero_table::rows::{LayerValues, Matrix, Row, RowMoves};
use granero_table::write::encoded::{Blocks, EncodedLayer};

/// The tables that all processes build, as one of them sees them.
#[derive(Debug)]
pub(crate) struct SharedTables {
    directory: Arc<OpenDirectory>,
    tuning: Tuning,
    /// In files that process 0 has made: those that all processes can read.
    pub(crate) smaller: SmallerLayers,
}

/// The cause of a failure to write a file: its bytes may not have arrived.
fn cause_of(error: TableError) -> ClusterError {
    match error {
        TableError::Io {
            action,
            path,
            source,
        } => match source.downcast() {
            Ok(error) => error,
            Err(source) => ClusterError::from(TableError::Io {
                action,
                path,
                source,
            }),
        },
        error => error.into(),
    }
}

/// The values of a part of a layer, and the owners of the other parts.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a, V> {
    pub(crate) values: &'a V,
    /// The process that has a row.
    pub(crate) owner: &'a (dyn Fn(Row) -> usize + Sync),
}

impl SharedTables {
    /// Opens the tables, as all processes do. `tables` is for process 0. Up to `room` bytes of smaller layers stay in
    /// memory, and up to `most` bytes of another one are read at a time.
    pub(crate) fn open(
        cluster: &mut Cluster,
        tables: Option<&mut BuildDirectory<'_>>,
        (room, most): (u64, u64),
    ) -> Result<SharedTables, ClusterError> {
        let mut told = Vec::new();
        let mut directory = None;
        if let Some(tables) = tables {
            // Everything goes to files, which the others can read.
            tables.keep_in_memory_and_read(0, most);
            told.extend(tables.path().as_os_str().as_encoded_bytes());
            directory = Some(tables.lock().directory.clone());
        }
        let told = cluster.spread(told)?;
        let directory = match directory {
            Some(directory) => directory,
            None => {
                let path = std::str::from_utf8(&told);
                let path = path.map_err(|_| bad(0, "names tables that are no text"))?;
                let path = Path::new(path);
                Arc::new(OpenDirectory::open(path).map_err(error("read", path))?)
            }
        };
        Ok(SharedTables {
            smaller: SmallerLayers::with_room(room, most, directory.clone(), cluster.tuning),
            directory,
            tuning: cluster.tuning,
        })
    }

    /// Tells all processes of the next layers that process 0 has in files, as all do.
    pub(crate) fn share(
        &mut self,
        cluster: &mut Cluster,
        tables: Option<&BuildDirectory<'_>>,
        below: u8,
        cycles: Cycles,
    ) -> Result<(), ClusterError> {
        while self.smaller.len() < below {
            let seeds = self.smaller.len();
            let description = tables.map(|tables| {
                let kept = tables.smaller.descriptions(seeds);
                kept.expect("everything is in files")
            });
            let layer = Layer::new(seeds).expect("at most 48 seeds");
            let files = self.describe(cluster, layer, cycles, description)?;
            self.smaller.push_left(files)?;
        }
        Ok(())
    }

    /// The files of a layer, which process 0 describes.
    fn describe(
        &self,
        cluster: &mut Cluster,
        layer: Layer,
        cycles: Cycles,
        description: Option<Measured<Vec<u8>>>,
    ) -> Result<Measured<TurnedFile>, ClusterError> {
        cycles.measures().try_map(|measure| {
            let description = description.as_ref();
            let description = description.map(|of| of.get(measure.bound()).clone());
            let description = cluster.spread(description.unwrap_or_default())?;
            TurnedFile::described(self.directory.clone(), layer, &description, self.tuning)
                .ok_or(bad(0, "describes a file that the layer cannot have"))
        })
    }

    /// Writes a layer, turned, to files, as all processes do. Returns the files as all see them. At
    /// process 0 `made` gets the files that it has made, which are removed when they are dropped.
    pub(crate) fn turn<V: LayerValues + Copy>(
        &self,
        cluster: &mut Cluster,
        layer: Layer,
        parts: Measured<Parts<'_, V>>,
        made: &mut Option<Measured<TurnedFile>>,
    ) -> Result<Measured<TurnedFile>, ClusterError> {
        let cycles = parts.cycles();
        let labelled = cycles.measures().zip(parts);
        let written = labelled.try_map(|(measure, parts)| {
            if cluster.process() > 0 {
                parts.send(cluster, strips(layer, SHARED_STRIP, self.tuning))?;
                return Ok(None);
            }
            let name = turned_name(layer.seeds(), measure);
            let directory = self.directory.clone();
            let (file, _) = TurnedFile::write_strips(
                directory,
                &name,
                layer,
                SHARED_STRIP,
                self.tuning,
                |strip| {
                    let values = parts.strip(cluster, strip.clone())?;
                    Ok::<_, ClusterError>(strip.turn(&values))
                },
            )?;
            Ok::<_, ClusterError>(Some(file))
        })?;
        let is_here = cluster.process() == 0;
        *made = is_here.then(|| written.map(|file| file.expect("a file at process 0")));
        let description = made
            .as_ref()
            .map(|files| files.as_ref().map(TurnedFile::description));
        self.describe(cluster, layer, cycles, description)
    }

    /// Adds the next layer, as all processes do; `tables` is for process 0, which returns its statistics. `counts`
    /// is of the values of this process.
    pub(crate) fn add_layer<V: LayerValues + Copy>(
        &self,
        cluster: &mut Cluster,
        tables: Option<&mut BuildDirectory<'_>>,
        rows: &RowMoves,
        layer: Layer,
        parts: Measured<Parts<'_, V>>,
        counts: ValueCounts,
    ) -> Result<Option<LayerStatistics>, ClusterError> {
        let counts = counts.sum(|numbers| cluster.sum(numbers))?;
        if !counts.is_plausible(layer, rows.kind()) {
            if let Some(tables) = tables {
                return Err(tables.refuse(layer).into());
            }
            // Process 0 ends, and says why.
            cluster.spread(Vec::new())?;
            return Err(bad(0, "goes on with values that the layer cannot have"));
        }
        let hashes = parts.try_map(|parts| parts.hash(cluster, layer))?;
        let (owner, process) = (parts.low().owner, cluster.process());
        let mut encoded = EncodedLayer::of_share(
            parts.map(|parts| parts.values),
            rows.kind(),
            |row| owner(row) == process,
            |mut counts| cluster.add_up(&mut counts).map(|()| counts),
        )?;
        let Some(tables) = tables else {
            send_blocks(cluster, &mut encoded, hashes)?;
            return Ok(None);
        };
        let name = layer_file_name(layer.seeds());
        let written = tables.lock().write_durably(&name, |file| {
            encoded.write_blocks(hashes, file, |tiling, own, write| {
                each_block(cluster, tiling, owner, own, write)
            })
        });
        let (bytes, sha256) = written.map_err(cause_of)?;
        let file = FileEntry {
            name,
            bytes,
            sha256,
        };
        Ok(Some(tables.finish(layer, counts, hashes, file)?))
    }
}

impl<V: LayerValues> Parts<'_, V> {
    /// Sends the rows of this process in some strips to process 0.
    fn send(
        &self,
        cluster: &mut Cluster,
        strips: impl Iterator<Item = Strip>,
    ) -> Result<(), ClusterError> {
        let process = cluster.process();
        let mut copied = Vec::new();
        for Strip { matrix, columns } in strips {
            copied.resize(columns.len(), 0);
            for row in all_rows(matrix) {
                if (self.owner)(row) == process {
                    self.values.copy(row, columns.start, &mut copied);
                    cluster.write(0, copied.as_bytes())?;
                }
            }
        }
        cluster.flush()
    }

    /// Gets a part of a row, wherever it is, at process 0.
    fn get(
        &self,
        cluster: &mut Cluster,
        row: Row,
        from: usize,
        values: &mut [i8],
    ) -> Result<(), ClusterError> {
        match (self.owner)(row) {
            0 => self.values.copy(row, from, values),
            owner => cluster.read(owner, values.as_mut_bytes())?,
        }
        Ok(())
    }

    /// Gets the rows of a strip, at process 0.
    fn strip(&self, cluster: &mut Cluster, strip: Strip) -> Result<StripValues, ClusterError> {
        let Strip { matrix, columns } = &strip;
        let mut values = vec![0; matrix.rows() as usize * columns.len()];
        for (row, values) in all_rows(*matrix).zip(values.chunks_exact_mut(columns.len())) {
            self.get(cluster, row, columns.start, values)?;
        }
        Ok(StripValues { strip, values })
    }

    /// The hash of all values.
    fn hash(&self, cluster: &mut Cluster, layer: Layer) -> Result<Sha256, ClusterError> {
        if cluster.process() > 0 {
            self.send(cluster, Matrix::all(layer).map(Strip::of))?;
            let hash = cluster.spread(Vec::new())?;
            let hash = hash.try_into();
            return hash
                .map(Sha256::from_bytes)
                .map_err(|_| bad(0, "has a hash of another length"));
        }
        let hash = Sha256::of_pieces(|add| {
            let mut values = Vec::new();
            for row in Matrix::all(layer).flat_map(all_rows) {
                values.resize(row.len(), 0);
                self.get(cluster, row, 0, &mut values)?;
                add(&values);
            }
            Ok::<_, ClusterError>(())
        })?;
        cluster.spread(hash.as_bytes().to_vec())?;
        Ok(hash)
    }
}

fn all_rows(matrix: Matrix) -> impl Iterator<Item = Row> {
    (0..matrix.rows()).map(move |rank| matrix.row(rank))
}

/// The values of a strip, row by row.
struct StripValues {
    strip: Strip,
    values: Vec<i8>,
}

impl StripValues {
    fn of(&self, row: Row) -> &[i8] {
        let Strip { matrix, columns } = &self.strip;
        debug_assert_eq!(row.matrix(), *matrix);
        &self.values[row.rank() as usize * columns.len()..][..columns.len()]
    }
}

impl LayerValues for StripValues {
    fn layer(&self) -> Layer {
        self.strip.matrix.layer()
    }

    fn copy(&self, row: Row, from: usize, to: &mut [i8]) {
        to.copy_from_slice(&self.of(row)[from - self.strip.columns.start..][..to.len()]);
    }
}

/// Sends the blocks of this process to process 0.
fn send_blocks(
    cluster: &mut Cluster,
    encoded: &mut EncodedLayer<'_>,
    hashes: Measured<Sha256>,
) -> Result<(), ClusterError> {
    encoded.each_own(hashes, |blocks: &Blocks| {
        cluster.write(0, &(blocks.blocks.len() as u32).to_le_bytes())?;
        for &(length, checksum) in &blocks.blocks {
            cluster.write(0, &length.to_le_bytes())?;
            cluster.write(0, &checksum.to_le_bytes())?;
        }
        cluster.write(0, &blocks.bytes)
    })?;
    cluster.flush()
}

/// Passes on all blocks of a file in their order at process 0, which gets most of them from others.
fn each_block(
    cluster: &mut Cluster,
    tiling: &Tiling,
    owner: &dyn Fn(Row) -> usize,
    own: &mut dyn Iterator<Item = Blocks>,
    write: &mut dyn FnMut(&Blocks) -> io::Result<()>,
) -> io::Result<()> {
    for band in tiling.tile_rows() {
        let tile = tiling.tile(band.tiles.start);
        let owner = owner(tile.matrix.row(tile.rows.start));
        let mut left = (band.tiles.end - band.tiles.start) as usize;
        while left > 0 {
            let blocks = match owner {
                0 => own.next().expect("the blocks of this process"),
                owner => read_blocks(cluster, owner, left).map_err(io::Error::other)?,
            };
            left -= blocks.blocks.len();
            write(&blocks)?;
        }
    }
    Ok(())
}

/// Reads the next blocks of another process: up to `most`.
fn read_blocks(cluster: &mut Cluster, from: usize, most: usize) -> Result<Blocks, ClusterError> {
    let bad = |what| bad(from, what);
    let count = cluster.read_number(from)? as usize;
    if count == 0 || count > most {
        return Err(bad("has more blocks than were expected, or none"));
    }
    let mut blocks = Blocks::default();
    let mut length = 0;
    for _ in 0..count {
        let block = (cluster.read_number(from)?, cluster.read_number(from)?);
        if block.0 as usize > MAX_BLOCK {
            return Err(bad("has a block that is too long"));
        }
        length += block.0 as usize;
        blocks.blocks.push(block);
    }
    blocks.bytes.resize(length, 0);
    cluster.read(from, &mut blocks.bytes)?;
    Ok(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_arrive_is_not_an_error_of_the_file() {
        let failed = |source| {
            let found = error("write", "layer-07.gran")(source);
            cause_of(found).to_string()
        };
        let gone = ClusterError::Gone { process: 3 };
        assert_eq!(failed(io::Error::other(gone)), "process 3 has ended");
        let full = io::ErrorKind::StorageFull.into();
        assert_eq!(failed(full), "cannot write layer-07.gran");
    }
}
