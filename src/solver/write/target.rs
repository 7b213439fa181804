//! Files that are being made.

use std::io::{Read, Seek, Write};

/// A file that is being made, not always from its beginning to its end.
pub trait Target: Read + Write + Seek {}

impl<T: Read + Write + Seek> Target for T {}
