//! Manifests with the checksum that `docs/internals/format.md` describes.

use granero::table::Sha256;
use serde_json::Value;

/// The text of a manifest with the right checksum, whatever its contents.
pub fn sealed(mut manifest: Value) -> String {
    manifest.as_object_mut().unwrap().remove("sha256");
    seal(manifest.to_string().strip_suffix('}').unwrap())
}

/// Corrects the checksum of a manifest that was changed as text.
pub fn resealed(manifest: &str) -> String {
    // The end is `,"sha256":"`, 64 digits, `"}` and the end of the line.
    seal(&manifest[..manifest.len() - 11 - 64 - 3])
}

/// Adds the checksum to the text before it.
pub fn seal(text: &str) -> String {
    let digest = Sha256::of(text.as_bytes());
    format!("{text},\"sha256\":\"{digest}\"}}\n")
}
