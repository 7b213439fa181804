//! SHA-256 hashes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::Digest;
use zerocopy::IntoBytes;

use crate::rows::{LayerValues, Matrix};

/// A SHA-256 hash. As text, also in JSON, it is 64 hexadecimal digits.
///
/// ```
/// use granero::table::Sha256;
///
/// let hash = Sha256::of(b"abc");
/// assert!(hash.to_string().starts_with("ba7816bf8f01cfea"));
/// assert_eq!(hash.to_string().parse(), Ok(hash));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sha256(#[serde(with = "hex::serde")] [u8; 32]);

impl Sha256 {
    /// The hash of some bytes.
    pub fn of(bytes: impl AsRef<[u8]>) -> Sha256 {
        Sha256(sha2::Sha256::digest(bytes).into())
    }

    /// The hash with these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Sha256 {
        Sha256(bytes)
    }

    /// The bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

#[doc(hidden)]
impl Sha256 {
    /// The hash of the values of a layer in index order, a signed byte each.
    pub fn of_values(values: &impl LayerValues) -> Sha256 {
        let mut digest = sha2::Sha256::new();
        let mut piece = Vec::new();
        for row in Matrix::all(values.layer()).flat_map(Matrix::all_rows) {
            piece.resize(row.len(), 0);
            values.copy(row, 0, &mut piece);
            digest.update(piece.as_bytes());
        }
        Sha256(digest.finalize().into())
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex::encode(self.0))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256({self})")
    }
}

impl FromStr for Sha256 {
    type Err = hex::FromHexError;

    fn from_str(digits: &str) -> Result<Sha256, hex::FromHexError> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(digits, &mut bytes)?;
        Ok(Sha256(bytes))
    }
}
