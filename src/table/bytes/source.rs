//! Sources of the bytes of a layer file.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use super::open_directory::open_regular;

/// A source of the bytes of a layer file: memory, a mapped file, a file that is read piece by piece,
/// or anything else.
///
/// Every slice of bytes is a source.
///
/// ```
/// use granero::table::ByteSource;
///
/// let source = vec![1, 2, 3, 4];
/// assert_eq!(source.length(), 4);
/// assert_eq!(*source.bytes(1..3)?, [2, 3]);
/// assert!(source.bytes(3..5).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait ByteSource: Send + Sync {
    /// The number of bytes.
    fn length(&self) -> u64;

    /// Exactly the bytes of a range.
    ///
    /// # Errors
    ///
    /// When they do not exist or cannot be read.
    ///
    /// A source that fetches its bytes, and must not wait for them, notes the range and returns
    /// [`WouldBlock`](io::ErrorKind::WouldBlock). The caller asks again when the bytes are there. A
    /// look-up that gets this error first asks for the other ranges that it needs, as far as it knows
    /// them, so that the source learns of most at once.
    fn bytes(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>>;
}

impl<T: AsRef<[u8]> + Send + Sync> ByteSource for T {
    fn length(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn bytes(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        let place = |place: u64| usize::try_from(place).ok();
        place(range.start)
            .zip(place(range.end))
            .and_then(|(start, end)| self.as_ref().get(start..end))
            .map(Cow::Borrowed)
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

impl ByteSource for Box<dyn ByteSource> {
    fn length(&self) -> u64 {
        (**self).length()
    }

    fn bytes(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        (**self).bytes(range)
    }
}

/// A file that is read piece by piece.
///
/// This is slower than a mapped file, but safe whatever happens to the file: if another program
/// truncates it, the result is an ordinary error.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    length: u64,
}

impl FileSource {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, or is not a regular file.
    pub fn open(path: impl AsRef<Path>) -> io::Result<FileSource> {
        FileSource::of(open_regular(path.as_ref())?)
    }

    /// The source of an open regular file.
    #[doc(hidden)]
    pub fn of(file: File) -> io::Result<FileSource> {
        let length = file.metadata()?.len();
        Ok(FileSource { file, length })
    }
}

impl ByteSource for FileSource {
    fn length(&self) -> u64 {
        self.length
    }

    fn bytes(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        let length = range.end.checked_sub(range.start);
        let length = length.filter(|_| range.end <= self.length);
        let length = length.ok_or(io::ErrorKind::UnexpectedEof)?;
        let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut bytes = vec![0; length];
        read_at(&self.file, &mut bytes, range.start).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "it was truncated"),
            _ => error,
        })?;
        Ok(Cow::Owned(bytes))
    }
}

/// Fills `bytes` from a place in a file, which threads may share.
#[cfg(unix)]
pub fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
pub fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

/// Other systems cannot read at an offset, and WebAssembly has no files.
#[cfg(not(any(unix, windows)))]
pub fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
