//! Tables that several processes write together: each encodes some tiles of a layer. Process 0 has the lock, and writes
//! all files of the tables; the others read them.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::carrier::{ClusterError, bad};
use crate::cluster::Cluster;
use granero_game::{Cycles, Kind, Measured};
use granero_solver::processes::SweptLayer;
use granero_solver::smaller::{BuildDirectory, SmallerLayers, TurnedFile};
use granero_solver::tuning::Tuning;
use granero_table::TableError;
use granero_table::bytes::open_directory::OpenDirectory;
use granero_table::codec::block::MAX_BLOCK;
use granero_table::codec::tiling::Tiling;
use granero_table::file::directory::error;
use granero_table::file::layer_file::fingerprint;
use granero_table::file::sha256::Sha256;
use granero_table::file::statistics::LayerStatistics;
use granero_table::index::Layer;
use granero_table::write::encoded::{Blocks, EncodedLayer};

/// The tables that all processes build, as one of them sees them.
#[derive(Debug)]
pub(crate) struct SharedTables {
    pub(crate) directory: Arc<OpenDirectory>,
    fingerprint: Sha256,
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

impl SharedTables {
    /// Opens the tables, as all processes do. `tables` is for process 0. Up to `room` bytes of smaller layers stay in
    /// memory, and up to `most` bytes of another one are read at a time.
    pub(crate) fn open(
        cluster: &mut Cluster,
        tables: Option<&mut BuildDirectory<'_>>,
        kind: Kind,
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
            smaller: SmallerLayers::with_room(room, most, cluster.tuning),
            directory,
            fingerprint: fingerprint(kind),
            tuning: cluster.tuning,
        })
    }

    /// Opens the files of the next smaller layers, as all processes do: process 0 has made them.
    pub(crate) fn open_smaller(
        &mut self,
        cluster: &mut Cluster,
        below: u8,
        cycles: Cycles,
    ) -> Result<(), ClusterError> {
        cluster.spread(Vec::new())?;
        for layer in (self.smaller.len()..below).filter_map(Layer::new) {
            let open = |measure| {
                let directory = self.directory.clone();
                TurnedFile::open(directory, layer, measure, &self.fingerprint, self.tuning)
            };
            self.smaller.push_left(cycles.measures().try_map(open)?)?;
        }
        Ok(())
    }

    /// Adds the next layer, as all processes do; `tables` is for process 0, which returns its statistics.
    pub(crate) fn add_layer(
        &self,
        cluster: &mut Cluster,
        tables: Option<&mut BuildDirectory<'_>>,
        kind: Kind,
        solved: &SweptLayer,
    ) -> Result<Option<LayerStatistics>, ClusterError> {
        let values = solved.values();
        let (process, processes) = (cluster.process(), cluster.processes());
        let encode = |cluster: &mut Cluster| {
            EncodedLayer::of_share(
                values.as_ref(),
                kind,
                |tile_row| tile_row % processes == process,
                |mut counts| cluster.add_up(&mut counts).map(|()| counts),
            )
        };
        let Some(tables) = tables else {
            // Process 0 ends instead if the values cannot be.
            let mut hashes = values.as_ref().map(|_| [0; 32]);
            for (_, hash) in hashes.as_mut() {
                cluster.read(0, hash)?;
            }
            let mut encoded = encode(cluster)?;
            send_blocks(cluster, &mut encoded, hashes.map(Sha256::from_bytes))?;
            return Ok(None);
        };
        let (layer, counts, hashes) = (solved.layer(), solved.counts(), solved.hashes());
        tables.check(layer, &counts)?;
        for (_, hash) in hashes.as_ref() {
            cluster.write_to_all(hash.as_bytes())?;
        }
        cluster.flush()?;
        let encoded = encode(cluster)?;
        let written = tables.write_layer(layer, counts, hashes, |file| {
            encoded.write_blocks(hashes, file, |tiling, own, write| {
                each_block(cluster, tiling, own, write)
            })
        });
        Ok(Some(written.map_err(cause_of)?))
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
    own: &mut dyn Iterator<Item = Blocks>,
    write: &mut dyn FnMut(&Blocks) -> io::Result<()>,
) -> io::Result<()> {
    let owners = (0..cluster.processes()).cycle();
    for (owner, tile_row) in owners.zip(tiling.tile_rows()) {
        let mut left = (tile_row.tiles.end - tile_row.tiles.start) as usize;
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
