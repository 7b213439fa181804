//! Adding the next layer to a directory.
//!
//! A layer is finished when the manifest lists it; the manifest is written after the layer's file.

use std::collections::BTreeSet;

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
    /// Adds the layer. When this returns, it is on the disk. `counts` is of the values that are there; `sums`
    /// gets it, and returns the counts and the hashes of all.
    pub fn add<V: LayerValues>(
        self,
        values: Measured<&V>,
        counts: ValueCounts,
        sums: impl FnOnce(ValueCounts) -> Result<(ValueCounts, Measured<Sha256>), TableError> + Send,
    ) -> Result<LayerStatistics, TableError> {
        let extent = self.manifest.extent;
        let layer = values.low().layer();
        let seeds = layer.seeds();
        let listed = self.manifest.layers.get(usize::from(seeds));
        assert!(seeds <= extent.max_seeds(), "all layers are finished");
        let limits = self.manifest.limits();
        if !counts.occur(layer, limits) {
            return Err(self.refuse(layer));
        }
        // Only one thread can make a hash. Encoding need not wait for it.
        let fingerprint = self.manifest.fingerprint();
        let (sums, encoded) = rayon::join(
            || sums(counts),
            || EncodedLayer::new(values, extent, fingerprint),
        );
        let (counts, hashes) = sums?;
        if !counts.is_plausible(layer, limits) {
            return Err(self.refuse(layer));
        }
        let name = layer_file_name(seeds);
        let write = |file: &mut dyn Target| encoded.write(hashes, file);
        let (bytes, sha256) = self.lock.write_durably(&name, write)?;
        let file = FileEntry {
            name,
            bytes,
            sha256,
        };
        if listed.is_some_and(|listed| file != listed.file) {
            let path = self.lock.directory.path_of(MANIFEST);
            let what = format!(
                "its SHA-256 of {} is not that of the file made again",
                file.name
            );
            return Err(TableError::damaged(path, what));
        }
        self.finish(layer, counts, hashes, file)
    }

    /// The error for values that the layer cannot have. They come from a checkpoint, or from a file of a smaller layer,
    /// that was forged with right checksums. All that may have been are deleted.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn refuse(&self, layer: Layer) -> TableError {
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

    /// Lists the layer in the manifest: its file is written.
    pub fn finish(
        self,
        layer: Layer,
        counts: ValueCounts,
        hashes: Measured<Sha256>,
        file: FileEntry,
    ) -> Result<LayerStatistics, TableError> {
        let statistics = counts.with_hashes(layer, hashes);
        self.list(FinishedLayer {
            statistics: statistics.clone(),
            file,
        })?;
        Ok(statistics)
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
