//! Reads the file of a layer: a header, a model, a block index, the blocks, and a checksum over all.
//! `docs/internals/format.md` specifies it.
//!
//! Nothing in a file is trusted: whatever its bytes are, the result is a value that was written, or an error.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::{Range, RangeInclusive};

use once_cell::race::OnceBox;
use sha2::Digest;
use thiserror::Error;

use super::sha256::Sha256;
use crate::bytes::source::ByteSource;
use crate::codec::block::{self, MAX_BLOCK};
use crate::codec::half_boards::TileHalves;
use crate::codec::model::{Coder, Model};
use crate::codec::scale::{OPEN, Scale};
use crate::codec::tiling::{self, Tile, TileOffset, Tiling};
use crate::index::Layer;
use crate::parallel;
use granero_game::{Cycles, Extent, Kind, Measured};

/// The version of the format of layer files.
const VERSION: u16 = 6;

const MAGIC: [u8; 8] = *b"\x8agrn\r\n\x1a\n";

pub(super) const HEADER_BYTES: usize = 132;

/// The first bytes of the header, which tell whose values the file holds.
const IDENTITY_BYTES: usize = 112;

/// The number of blocks in a group, which is an entry of the block index.
pub const GROUP: usize = 64;

/// The bytes of an entry: where the first block begins, the length of each block, the
/// checksum of each, and a checksum over all these.
pub const GROUP_BYTES: usize = 8 + GROUP * (2 + 4) + 4;

/// The bytes of the checksum at the end.
pub(super) const DIGEST_BYTES: u64 = 32;

/// The most bytes of a model.
const MAX_MODEL: u32 = 1 << 20;

/// The bytes that are read at a time.
const PIECE: usize = 1 << 20;

/// An error in a layer file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LayerFileError {
    /// The file cannot be read.
    #[error("it cannot be read")]
    Io(#[from] io::Error),
    /// The file is not a layer file.
    #[error("it is not a layer file")]
    NotALayerFile,
    /// The file has another version of the format.
    #[error("it is of format {0}, and this version of granero reads format {VERSION}")]
    OtherFormat(u16),
    /// The header is damaged.
    #[error("its header is damaged")]
    Header,
    /// The header is sound, but has a value that the format does not allow.
    #[error("its header has a value that its format does not allow")]
    Unknown,
    /// The file is shorter or longer than its header says.
    #[error("it has {found} bytes and should have {expected}")]
    Length {
        /// The expected length.
        expected: u64,
        /// The actual length.
        found: u64,
    },
    /// The model is damaged.
    #[error("its model is damaged")]
    Model,
    /// A group of the block index is damaged.
    #[error("its block index is damaged, in group {0}")]
    Index(u64),
    /// A block is damaged.
    #[error("its block {0} is damaged")]
    Block(u64),
    /// Each part is sound by itself, but the checksum over all is wrong.
    #[error("its checksum is wrong")]
    Digest,
}

/// What a cache has of a block when it must be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cached {
    /// It has nothing of the block.
    Nothing,
    /// It has a part of the block, without the requested value.
    Part,
}

/// The file of a layer, open for reading.
///
/// Opening it is quick, because only the header is read. [`verify`](LayerFile::verify) reads the whole file.
///
/// ```no_run
/// use granero::table::{FileSource, LayerFile};
///
/// let layer = LayerFile::open(FileSource::open("granero-db/layer-18.granero")?)?;
/// assert_eq!(layer.header().layer.seeds(), 18);
/// layer.verify(|_| {})?;
/// # Ok::<(), granero::table::LayerFileError>(())
/// ```
pub struct LayerFile<S> {
    source: S,
    header: Header,
    tiling: Tiling,
    blocks_start: u64,
    checksums: Checksums,
    decoder: OnceBox<Coder>,
}

/// The header of a layer file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The layer.
    pub layer: Layer,
    /// The convention for endless play.
    pub cycles: Cycles,
    /// The extent: full or deciding.
    pub extent: Extent,
    /// The bytes of the model.
    pub model_bytes: u32,
    /// The bytes of all blocks.
    pub block_bytes: u64,
    /// Identifies the rules, the convention for endless play, the order of positions and the extent
    /// of values; see [`fingerprint`].
    pub fingerprint: Sha256,
    /// The SHA-256 of the values or bounds of the layer, as in
    /// [`LayerStatistics`](super::statistics::LayerStatistics).
    pub values_sha256: Measured<Sha256>,
}

/// Identifies the rules, the convention for endless play, the order of positions and the extent of
/// values: the SHA-256 of a line of text that names them.
pub fn fingerprint(kind: impl Into<Kind>) -> Sha256 {
    let Kind {
        rules,
        cycles,
        extent,
    } = kind.into();
    let decide = match extent.game() {
        Some(game) => format!(", values that decide a game of {game} seeds"),
        None => String::new(),
    };
    Sha256::of(format!(
        "granero table, rules {rules}, endless play {cycles}, order 1{decide}\n"
    ))
}

#[doc(hidden)]
impl Header {
    /// The number of blocks.
    fn blocks(&self) -> u64 {
        Tiling::new(self.layer).tiles()
    }

    fn groups(&self) -> u64 {
        self.blocks().div_ceil(GROUP as u64)
    }

    fn index_start(&self) -> u64 {
        HEADER_BYTES as u64 + u64::from(self.model_bytes) + 4
    }

    pub fn blocks_start(&self) -> u64 {
        self.index_start() + self.groups() * GROUP_BYTES as u64
    }

    fn digest_start(&self) -> u64 {
        self.blocks_start() + self.block_bytes
    }

    pub fn file_bytes(&self) -> u64 {
        self.digest_start() + DIGEST_BYTES
    }

    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        let cycles = u8::from(self.cycles == Cycles::OwnSide);
        let game = self.extent.game().unwrap_or(0);
        put(10, &[self.layer.seeds(), cycles, game]);
        put(16, self.fingerprint.as_bytes());
        for (at, (_, hash)) in [48, 80].into_iter().zip(self.values_sha256) {
            put(at, hash.as_bytes());
        }
        put(112, &self.model_bytes.to_le_bytes());
        put(120, &self.block_bytes.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..HEADER_BYTES - 4]);
        bytes[HEADER_BYTES - 4..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn scale(&self) -> Scale {
        Scale::of(self.layer, self.cycles, self.extent)
    }

    /// The checksums of this file: of parts of another layer or other tables they are wrong.
    pub fn checksums(&self) -> Checksums {
        Checksums(crc32fast::hash(&self.to_bytes()[..IDENTITY_BYTES]))
    }

    fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Header, LayerFileError> {
        if bytes[..8] != MAGIC {
            return Err(LayerFileError::NotALayerFile);
        }
        match u16::from_le_bytes(part(bytes, 8)) {
            VERSION => {}
            version => return Err(LayerFileError::OtherFormat(version)),
        }
        let checksum = u32::from_le_bytes(part(bytes, HEADER_BYTES - 4));
        if checksum != crc32fast::hash(&bytes[..HEADER_BYTES - 4]) {
            return Err(LayerFileError::Header);
        }
        let extent = match bytes[12] {
            0 => Some(Extent::FULL),
            game => Extent::deciding(game),
        };
        let extent = extent.ok_or(LayerFileError::Unknown)?;
        let layer = Layer::new(bytes[10]).filter(|layer| layer.seeds() <= extent.max_seeds());
        let cycles = if bytes[11] == 0 {
            Cycles::Split
        } else {
            Cycles::OwnSide
        };
        let mut hashes = [48, 80]
            .map(|at| Sha256::from_bytes(part(bytes, at)))
            .into_iter();
        let header = Header {
            layer: layer.ok_or(LayerFileError::Unknown)?,
            cycles,
            extent,
            model_bytes: u32::from_le_bytes(part(bytes, 112)),
            block_bytes: u64::from_le_bytes(part(bytes, 120)),
            fingerprint: Sha256::from_bytes(part(bytes, 16)),
            values_sha256: cycles
                .measures()
                .map(|_| hashes.next().expect("two hashes")),
        };
        // Any other difference has a meaning unknown to this version.
        if header.to_bytes() != *bytes {
            return Err(LayerFileError::Unknown);
        }
        // Blocks cannot be longer, so no sum of lengths can overflow.
        let longest = header.blocks() * MAX_BLOCK as u64;
        if header.block_bytes > longest || header.model_bytes > MAX_MODEL {
            return Err(LayerFileError::Unknown);
        }
        Ok(header)
    }
}

/// The checksums of the parts of a file: CRC-32 that begins with a number of the file.
#[derive(Clone, Copy, Debug)]
pub struct Checksums(u32);

impl Checksums {
    pub fn of(self, bytes: &[u8]) -> u32 {
        let mut checksum = crc32fast::Hasher::new_with_initial(self.0);
        checksum.update(bytes);
        checksum.finalize()
    }
}

/// The possible lengths of the file of a layer with any values.
pub(super) fn possible_bytes(layer: Layer) -> RangeInclusive<u64> {
    let bytes = |model_bytes, longest_block| {
        let mut header = Header {
            layer,
            cycles: Cycles::Split,
            extent: Extent::FULL,
            model_bytes,
            block_bytes: 0,
            fingerprint: Sha256::from_bytes([0; 32]),
            values_sha256: Measured::Value(Sha256::from_bytes([0; 32])),
        };
        header.block_bytes = header.blocks() * longest_block;
        header.file_bytes()
    };
    bytes(0, 0)..=bytes(MAX_MODEL, MAX_BLOCK as u64)
}

/// The bytes that a source returned for a range; an error if it is another number of bytes.
fn exactly<'a>(
    range: &Range<u64>,
    bytes: io::Result<Cow<'a, [u8]>>,
) -> Result<Cow<'a, [u8]>, LayerFileError> {
    let bytes = bytes?;
    if bytes.len() as u64 == range.end - range.start {
        Ok(bytes)
    } else {
        Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
    }
}

/// Some bytes of a slice; `at` and the length are constants that fit.
fn part<const LENGTH: usize>(bytes: &[u8], at: usize) -> [u8; LENGTH] {
    bytes[at..at + LENGTH].try_into().expect("LENGTH bytes")
}

impl<S: ByteSource> LayerFile<S> {
    /// Opens a layer file: reads its header.
    ///
    /// # Errors
    ///
    /// When the file is not a layer file of a known version, or its length is not the one in the header.
    pub fn open(source: S) -> Result<LayerFile<S>, LayerFileError> {
        let length = source.length();
        if length < HEADER_BYTES as u64 {
            return Err(LayerFileError::NotALayerFile);
        }
        let header = {
            let range = 0..HEADER_BYTES as u64;
            let bytes = exactly(&range, source.bytes(range.clone()))?;
            Header::from_bytes(&part(&bytes, 0))?
        };
        if length != header.file_bytes() {
            return Err(LayerFileError::Length {
                expected: header.file_bytes(),
                found: length,
            });
        }
        Ok(LayerFile {
            tiling: Tiling::new(header.layer),
            blocks_start: header.blocks_start(),
            checksums: header.checksums(),
            source,
            header,
            decoder: OnceBox::new(),
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    pub(crate) fn tiling(&self) -> &Tiling {
        &self.tiling
    }

    fn bytes(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>, LayerFileError> {
        exactly(&range, self.source.bytes(range.clone()))
    }

    /// The model, which is read when it is first needed.
    fn decoder(&self) -> Result<&Coder, LayerFileError> {
        if let Some(decoder) = self.decoder.get() {
            return Ok(decoder);
        }
        let start = HEADER_BYTES as u64;
        let bytes = self.bytes(start..self.header.index_start())?;
        let (model, checksum) = bytes.split_at(self.header.model_bytes as usize);
        if self.checksums.of(model).to_le_bytes() != checksum {
            return Err(LayerFileError::Model);
        }
        let model = Model::from_bytes(self.header.scale(), model);
        let model = model.ok_or(LayerFileError::Model)?;
        // Another thread may have been faster; its result is equal.
        Ok(self.decoder.get_or_init(|| Box::new(Coder::new(&model))))
    }

    fn group(&self, number: u64) -> Result<Group, LayerFileError> {
        let start = self.header.index_start() + number * GROUP_BYTES as u64;
        let bytes = self.bytes(start..start + GROUP_BYTES as u64)?;
        Group::from_bytes(&bytes, self.checksums).ok_or(LayerFileError::Index(number))
    }

    /// Visits the groups of the block index, and checks that the blocks have no gaps between them.
    pub(crate) fn each_group(
        &self,
        mut visit: impl FnMut(u64, Group) -> Result<(), LayerFileError>,
    ) -> Result<(), LayerFileError> {
        let mut next = 0;
        let groups = self.tiling.tiles().div_ceil(GROUP as u64);
        for number in 0..groups {
            let group = self.group(number)?;
            let is_next = group.start == next;
            next += group.bytes(0..GROUP);
            let used = (self.tiling.tiles() - number * GROUP as u64).min(GROUP as u64) as usize;
            let unused_is_zero = group.blocks[used..].iter().all(|&block| block == (0, 0));
            let ends_right = number + 1 < groups || next == self.header.block_bytes;
            if !is_next || next > self.header.block_bytes || !unused_is_zero || !ends_right {
                return Err(LayerFileError::Index(number));
            }
            visit(number, group)?;
        }
        Ok(())
    }

    /// Reads consecutive blocks of a group at once: `visit` gets the number and the bytes of each, if its checksum is right.
    fn each_block(
        &self,
        group: &Group,
        numbers: Range<u64>,
        mut visit: impl FnMut(u64, &[u8]) -> Result<(), LayerFileError>,
    ) -> Result<(), LayerFileError> {
        let first = (numbers.start % GROUP as u64) as usize;
        let places = first..first + (numbers.end - numbers.start) as usize;
        let start = group.start.saturating_add(group.bytes(0..first));
        let end = start.saturating_add(group.bytes(places.clone()));
        if end > self.header.block_bytes {
            return Err(LayerFileError::Index(numbers.start / GROUP as u64));
        }
        let bytes = self.bytes(self.blocks_start + start..self.blocks_start + end)?;
        let mut rest = &bytes[..];
        for (number, &(length, checksum)) in numbers.zip(&group.blocks[places]) {
            let (block, after) = rest.split_at(length as usize);
            rest = after;
            if self.checksums.of(block) != checksum {
                return Err(LayerFileError::Block(number));
            }
            visit(number, block)?;
        }
        Ok(())
    }

    /// Decodes the stored positions of a tile from its block, see [`block::decode`].
    fn decode(
        &self,
        number: u64,
        bytes: &[u8],
        tile: &Tile,
        part: usize,
        values: Measured<&mut [i8]>,
    ) -> Result<(), LayerFileError> {
        let decoder = self.decoder()?;
        let halves = TileHalves::of(tile);
        let scale = self.header.scale();
        block::decode(decoder, scale, halves, bytes, part, values)
            .ok_or(LayerFileError::Block(number))
    }

    /// Decodes a tile up to the position at `place`, or all of it if the cache has a part.
    pub(super) fn tile(
        &self,
        place: TileOffset,
        cached: Cached,
    ) -> Result<DecodedTile, LayerFileError> {
        let tile = self.tiling.tile(place.tile);
        let (rows, width) = (tile.rows.len(), tile.width());
        let decoded_rows = match cached {
            Cached::Nothing => block::rows_to_decode(rows, place.offset / width),
            Cached::Part => rows,
        };
        let positions = decoded_rows * width;
        let measures = self.header.cycles.measures();
        let mut values = measures.map(|_| vec![OPEN; positions].into_boxed_slice());
        // A source that fetches bytes learns at once that the model is needed, too.
        let _ = self.decoder();
        let group = self.group(place.tile / GROUP as u64)?;
        self.each_block(&group, place.tile..place.tile + 1, |number, block| {
            let values = values.as_mut().map(|values| &mut values[..]);
            self.decode(number, block, &tile, decoded_rows, values)
        })?;
        Ok(DecodedTile { values })
    }

    /// Reads the whole file, and compares it with its checksums. Returns its SHA-256. `progress` gets the number of
    /// bytes read since the last call.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    pub fn verify(&self, mut progress: impl FnMut(u64)) -> Result<Sha256, LayerFileError> {
        self.decoder()?;
        let mut digest = sha2::Sha256::new();
        let blocks_start = self.blocks_start;
        for start in (0..blocks_start).step_by(PIECE) {
            let end = blocks_start.min(start + PIECE as u64);
            digest.update(&self.bytes(start..end)?);
            progress(end - start);
        }
        self.each_group(|number, group| {
            let first = number * GROUP as u64;
            let last = self.tiling.tiles().min(first + GROUP as u64);
            self.each_block(&group, first..last, |_, block| {
                digest.update(block);
                Ok(())
            })?;
            progress(group.bytes(0..GROUP));
            Ok(())
        })?;
        let end = self.header.digest_start();
        let written = self.bytes(end..end + DIGEST_BYTES)?;
        let mut whole = digest.clone();
        if digest.finalize()[..] != written[..] {
            return Err(LayerFileError::Digest);
        }
        whole.update(&written);
        progress(DIGEST_BYTES);
        Ok(Sha256::from_bytes(whole.finalize().into()))
    }

    /// Decodes the stored positions of the whole layer into `values`, in index order, with [`OPEN`] for
    /// measures and positions that are not stored.
    #[doc(hidden)]
    pub fn decode_all(&self, values: Measured<&mut [i8]>) -> Result<(), LayerFileError> {
        let tile_rows = tiling::split(self.tiling.tile_rows(), values);
        let measures = self.header.cycles.measures();
        parallel::try_for_each(tile_rows, |(tile_row, mut values)| {
            let mut decoded: Measured<Vec<i8>> = measures.map(|_| Vec::new());
            for numbers in by_group(tile_row.tiles) {
                let group = self.group(numbers.start / GROUP as u64)?;
                self.each_block(&group, numbers, |number, block| {
                    let tile = self.tiling.tile(number);
                    let columns = tile.columns.start as usize..tile.columns.end as usize;
                    for (_, decoded) in decoded.as_mut() {
                        decoded.clear();
                        decoded.resize(tile.len(), OPEN);
                    }
                    let to = decoded.as_mut().map(|values| &mut values[..]);
                    self.decode(number, block, &tile, tile.rows.len(), to)?;
                    for ((_, decoded), (_, values)) in
                        decoded.as_ref().into_iter().zip(values.as_mut())
                    {
                        let rows = values.chunks_exact_mut(tile_row.row_len);
                        for (row, decoded) in rows.zip(decoded.chunks_exact(tile.width())) {
                            row[columns.clone()].copy_from_slice(decoded);
                        }
                    }
                    Ok(())
                })?;
            }
            Ok(())
        })
    }
}

/// Splits a range of blocks at the borders of groups.
fn by_group(numbers: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let groups = numbers.start / GROUP as u64..numbers.end.div_ceil(GROUP as u64);
    groups.map(move |group| {
        let first = group * GROUP as u64;
        numbers.start.max(first)..numbers.end.min(first + GROUP as u64)
    })
}

impl<S> fmt::Debug for LayerFile<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = &self.header;
        f.debug_struct("LayerFile")
            .field("header", header)
            .finish_non_exhaustive()
    }
}

/// The stored positions of a tile, row by row, or of its first rows.
#[derive(Debug)]
pub(crate) struct DecodedTile {
    values: Measured<Box<[i8]>>,
}

impl DecodedTile {
    /// The measures of a position, [`OPEN`] if they are not stored; `None` if the position is not decoded.
    pub(crate) fn get(&self, offset: usize) -> Option<Measured<i8>> {
        let found = self.values();
        let found = found.try_map(|values| values.get(offset).copied().ok_or(()));
        found.ok()
    }

    /// The measures of all decoded positions.
    pub(crate) fn values(&self) -> Measured<&[i8]> {
        self.values.as_ref().map(|values| &**values)
    }
}

/// An entry of the block index.
#[derive(Clone, Copy)]
pub struct Group {
    /// The offset of the first block from the first block of the file.
    pub start: u64,
    /// The length in bytes and the checksum of each block.
    pub blocks: [(u32, u32); GROUP],
}

impl Group {
    pub fn to_bytes(&self, checksums: Checksums) -> Vec<u8> {
        let mut bytes = self.start.to_le_bytes().to_vec();
        for (length, _) in self.blocks {
            // It is even, and fits.
            bytes.extend(((length / 2) as u16).to_le_bytes());
        }
        for (_, checksum) in self.blocks {
            bytes.extend(checksum.to_le_bytes());
        }
        bytes.extend(checksums.of(&bytes).to_le_bytes());
        bytes
    }

    /// The total bytes of some blocks of the group.
    pub fn bytes(&self, blocks: Range<usize>) -> u64 {
        let blocks = self.blocks[blocks].iter();
        blocks.map(|&(length, _)| u64::from(length)).sum()
    }

    fn from_bytes(bytes: &[u8], checksums: Checksums) -> Option<Group> {
        let (content, checksum) = bytes.split_last_chunk::<4>()?;
        if u32::from_le_bytes(*checksum) != checksums.of(content) {
            return None;
        }
        let (start, content) = content.split_first_chunk::<8>()?;
        let (words, checksums) = content.split_at_checked(2 * GROUP)?;
        let each = words.as_chunks().0.iter().zip(checksums.as_chunks().0);
        let mut blocks = [(0, 0); GROUP];
        for (block, (words, checksum)) in blocks.iter_mut().zip(each) {
            let length = 2 * u32::from(u16::from_le_bytes(*words));
            *block = (length, u32::from_le_bytes(*checksum));
        }
        Some(Group {
            start: u64::from_le_bytes(*start),
            blocks,
        })
    }
}
