//! Adding the next layer to a directory.
//!
//! A layer is finished when the manifest lists it; the manifest is written after the layer's file.

use std::collections::BTreeSet;
use std::io;

use super::durable::Target;
use super::encoded::EncodedLayer;
use super::lock::Lock;
use crate::error::TableError;
use crate::file::directory::{MANIFEST, error, manifest_of};
use crate::file::layer_file::LayerFileError;
use crate::file::manifest::{
    FileEntry, FinishedLayer, Manifest, checkpoint_name, layer_file_name, turned_names,
};
use crate::file::sha256::Sha256;
use crate::file::statistics::{LayerStatistics, ValueCounts};
use crate::index::Layer;
use crate::rows::LayerValues;
use granero_game::Measured;

/// Adds the next layer, or again a layer whose file is missing or damaged.
pub struct NextLayer<'w> {
    pub(super) manifest: &'w mut Manifest,
    pub(super) lacking: &'w mut BTreeSet<u8>,
    pub lock: &'w Lock,
}

impl NextLayer<'_> {
    /// Adds the layer. When this returns, it is on the disk. `counts` and `hashes` are of the values.
    pub fn add<V: LayerValues>(
        self,
        values: Measured<&V>,
        counts: ValueCounts,
        hashes: impl FnOnce() -> Measured<Sha256> + Send,
    ) -> Result<LayerStatistics, TableError> {
        let (extent, layer) = (self.manifest.extent, values.low().layer());
        self.check(layer, &counts)?;
        // Only one thread can make a hash. Encoding need not wait for it.
        let fingerprint = self.manifest.fingerprint();
        let encode = || EncodedLayer::new(values, extent, fingerprint);
        let (hashes, encoded) = rayon::join(hashes, encode);
        self.write(layer, counts, hashes, |file| encoded.write(hashes, file))
    }

    /// Checks that the layer can have so many of each value.
    ///
    /// # Panics
    ///
    /// If all layers are finished.
    pub fn check(&self, layer: Layer, counts: &ValueCounts) -> Result<(), TableError> {
        let (seeds, extent) = (layer.seeds(), self.manifest.extent);
        assert!(seeds <= extent.max_seeds(), "all layers are finished");
        if counts.is_plausible(layer, self.manifest.limits()) {
            return Ok(());
        }
        Err(self.refuse(layer))
    }

    /// Writes the file of a layer, of which `write` returns the length and the hash, and lists it in the manifest.
    pub fn write(
        self,
        layer: Layer,
        counts: ValueCounts,
        hashes: Measured<Sha256>,
        write: impl FnOnce(&mut dyn Target) -> io::Result<(u64, Sha256)>,
    ) -> Result<LayerStatistics, TableError> {
        let name = layer_file_name(layer.seeds());
        let (bytes, sha256) = self.lock.write_durably(&name, write)?;
        let file = FileEntry {
            name,
            bytes,
            sha256,
        };
        let listed = self.manifest.layers.get(usize::from(layer.seeds()));
        if listed.is_some_and(|listed| file != listed.file) {
            let path = self.lock.directory.path_of(MANIFEST);
            let what = format!(
                "its SHA-256 of {} is not that of the file made again",
                file.name
            );
            return Err(TableError::damaged(path, what));
        }
        let statistics = counts.with_hashes(layer, hashes);
        self.list(FinishedLayer {
            statistics: statistics.clone(),
            file,
        })?;
        Ok(statistics)
    }

    /// The error for values that the layer cannot have. They come from a checkpoint, or from a file of a smaller layer,
    /// that was forged with right checksums. All that may have been are deleted.
    ///
    /// # Panics
    ///
    /// If there is none.
    fn refuse(&self, layer: Layer) -> TableError {
        let directory = &self.lock.directory;
        let turned = turned_names(self.manifest, 0);
        let removed = turned.iter().filter(|name| directory.remove(name).is_ok());
        let removed: Vec<_> = removed.collect();
        let checkpoint = checkpoint_name(layer.seeds());
        let what = "its values are impossible, so it was deleted";
        if directory.remove(&checkpoint).is_ok() {
            return TableError::damaged(directory.path_of(&checkpoint), what);
        }
        let first = removed.first();
        let first =
            first.expect("values beyond the limit of the layer, or of the other convention");
        TableError::damaged(directory.path().join(first), what)
    }

    /// Lists a layer in the manifest: its file is there. One that is listed already must have the same values.
    pub(super) fn list(self, layer: FinishedLayer) -> Result<(), TableError> {
        let seeds = layer.statistics.seeds;
        let mut manifest = self.manifest.clone();
        match manifest.layers.get_mut(usize::from(seeds)) {
            None => manifest.layers.push(layer),
            Some(listed) if listed.statistics == layer.statistics => *listed = layer,
            Some(_) => {
                let path = self.lock.directory.path_of(MANIFEST);
                let what = format!("it lists other values of the positions with {seeds} seeds");
                return Err(TableError::damaged(path, what));
            }
        }
        write_manifest(self.lock, &manifest)?;
        *self.manifest = manifest;
        self.lacking.remove(&seeds);
        confirm(self.lock, self.manifest, self.lacking)?;
        // If it cannot be removed now, the next build does it.
        let _ = self.lock.directory.remove(checkpoint_name(seeds));
        Ok(())
    }
}

pub(super) fn write_manifest(lock: &Lock, manifest: &Manifest) -> Result<(), TableError> {
    let text = manifest.to_text();
    lock.write_durably(MANIFEST, |file| file.write_all(text.as_bytes()))
}

/// Checks that readers find what was written: the directory is in its place, the lock still guards
/// it, and it holds the manifest and all finished layers.
/// `lacking` layers do not count.
pub(super) fn confirm(
    lock: &Lock,
    manifest: &Manifest,
    lacking: &BTreeSet<u8>,
) -> Result<(), TableError> {
    lock.confirm_in_turn()?;
    let directory = &lock.directory;
    let path = |name: &str| directory.path_of(name);
    if manifest_of(directory)?.as_ref() != Some(manifest) {
        let what = "it is not what this build wrote";
        return Err(TableError::damaged(path(MANIFEST), what));
    }
    let files = (0..).zip(manifest.files());
    for (_, FileEntry { name, bytes, .. }) in files.filter(|(seeds, _)| !lacking.contains(seeds)) {
        let length = directory.length_of(name);
        match length.map_err(error("read", path(name)))? {
            Some(length) if length == *bytes => {}
            Some(length) => {
                let error = LayerFileError::Length {
                    expected: *bytes,
                    found: length,
                };
                return Err(TableError::in_file(path(name), error));
            }
            None => {
                let what = format!("it is gone, but {MANIFEST} lists it");
                return Err(TableError::damaged(path(name), what));
            }
        }
    }
    Ok(())
}
