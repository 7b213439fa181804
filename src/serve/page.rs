//! The explorer: the files in `web/` and the library for JavaScript, which are part of the program.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};

static WEB: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/web");

pub fn files() -> BTreeMap<String, &'static [u8]> {
    let mut files = files_of(&WEB);
    let reader = granero_reader::FILES.iter();
    files.extend(reader.map(|&(path, contents)| (format!("reader/{path}"), contents)));
    files
}

/// Returns the files of an embedded directory that belong to a page, by their paths.
pub fn files_of(directory: &'static Dir<'_>) -> BTreeMap<String, &'static [u8]> {
    let mut files = BTreeMap::new();
    let mut directories = vec![directory];
    while let Some(directory) = directories.pop() {
        directories.extend(directory.dirs());
        files.extend(directory.files().filter_map(|file| {
            let path = file.path().to_str()?;
            kind(path)?;
            Some((path.to_string(), file.contents()))
        }));
    }
    files
}

/// Returns the type of a file by its ending; `None` for files that are not part of the page, such
/// as copies that an editor leaves. `mime_guess` does not name the encoding, which most of these
/// types need.
pub(crate) fn kind(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit_once('.')?;
    match ending {
        "html" => Some("text/html; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "json" => Some("application/json"),
        "svg" => Some("image/svg+xml"),
        "tsv" => Some("text/tab-separated-values; charset=utf-8"),
        "wasm" => Some("application/wasm"),
        _ => None,
    }
}
