//! Compression of temporary files and checkpoints. Table files have a codec of their own.

use std::io;

use granero_table::parallel;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;
pub(crate) use zstd::zstd_safe::compress_bound;

/// Higher levels take more time, and make the files a little smaller.
const LEVEL: i32 = 1;

/// Compresses bytes in pieces of some length, with checksums, on all threads.
pub(crate) fn compress(bytes: &[u8], piece: usize) -> io::Result<Vec<Vec<u8>>> {
    parallel::try_map(bytes.chunks(piece), |piece| {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.set_parameter(CParameter::ChecksumFlag(true))?;
        compressor.compress(piece)
    })
}

/// Decompresses a piece. Returns false if it is not one of this length.
pub(crate) fn decompress(piece: &[u8], to: &mut [u8]) -> io::Result<bool> {
    let found = Decompressor::new()?.decompress_to_buffer(piece, to);
    Ok(found.is_ok_and(|length| length == to.len()))
}
