//! Manifests with the checksum that `docs/format.md` describes.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The text of a manifest with the right checksum, whatever its contents.
pub fn sealed(mut manifest: Value) -> String {
    manifest.as_object_mut().unwrap().remove("sha256");
    seal(&manifest.to_string())
}

/// Corrects the checksum of a manifest that was changed as text.
pub fn resealed(manifest: &str) -> String {
    seal(&format!("{}}}", before_checksum(manifest)))
}

/// The manifest in the previous version, which has no checksum.
pub fn of_format_2(manifest: &str) -> String {
    let old = before_checksum(manifest).replacen("{\"format\":3,", "{\"format\":2,", 1);
    old + "}\n"
}

fn seal(object: &str) -> String {
    let text = object.strip_suffix('}').unwrap();
    let digest: String = Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{text},\"sha256\":\"{digest}\"}}\n")
}

fn before_checksum(manifest: &str) -> &str {
    // `,"sha256":"`, 64 digits, `"}` and the end of the line.
    &manifest[..manifest.len() - 11 - 64 - 3]
}
