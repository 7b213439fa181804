//! Compression of what a build keeps for a while: temporary files and checkpoints. Table files have
//! a codec of their own.

#[cfg(not(target_family = "wasm"))]
mod system {
    use std::io;

    pub(in super::super) use zstd::bulk::{Compressor, Decompressor};
    use zstd::zstd_safe::CParameter;
    pub(in super::super) use zstd::zstd_safe::compress_bound;

    /// More time would make the files a little smaller.
    const LEVEL: i32 = 1;

    pub(in super::super) fn compressor() -> io::Result<Compressor<'static>> {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.set_parameter(CParameter::ChecksumFlag(true))?;
        Ok(compressor)
    }
}

/// WebAssembly in a browser has no files, and no compiler of C for `zstd`.
#[cfg(target_family = "wasm")]
mod system {
    use std::io;

    pub(in super::super) struct Compressor;
    pub(in super::super) struct Decompressor;

    impl Compressor {
        pub(in super::super) fn compress(&mut self, _: &[u8]) -> io::Result<Vec<u8>> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    impl Decompressor {
        pub(in super::super) fn new() -> io::Result<Decompressor> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(in super::super) fn decompress_to_buffer(
            &mut self,
            _: &[u8],
            _: &mut [u8],
        ) -> io::Result<usize> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    pub(in super::super) fn compress_bound(bytes: usize) -> usize {
        bytes
    }

    pub(in super::super) fn compressor() -> io::Result<Compressor> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

pub(super) use system::{Decompressor, compress_bound, compressor};
