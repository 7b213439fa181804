//! Compression of temporary files and checkpoints. Table files have a codec of their own.

use std::io;

pub(crate) use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;
pub(crate) use zstd::zstd_safe::compress_bound;

/// Higher levels take more time, and make the files a little smaller.
const LEVEL: i32 = 1;

pub(crate) fn compressor() -> io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    Ok(compressor)
}
