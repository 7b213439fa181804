//! The explorer: the files in `web/`, which are part of the program.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};

use super::reply::Reply;

static WEB: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/web");

/// The file that is served as the page itself.
const INDEX: &str = "index.html";

/// The type of a file that [`kind`] does not know.
const UNKNOWN: &str = "application/octet-stream";

/// The files by their paths. A request can only name one of them; no path of the file system is
/// ever made from it.
pub(super) struct Page {
    files: BTreeMap<&'static str, Reply>,
}

impl Page {
    pub(super) fn new() -> Page {
        let mut files = BTreeMap::new();
        let mut directories = vec![&WEB];
        while let Some(directory) = directories.pop() {
            directories.extend(directory.dirs());
            files.extend(directory.files().filter_map(|file| {
                let path = file.path().to_str()?;
                Some((path, Reply::fixed(kind(path), file.contents())))
            }));
        }
        Page { files }
    }

    /// The file at a path like `/style.css`, if there is one.
    pub(super) fn get(&self, path: &str) -> Option<&Reply> {
        match path.strip_prefix('/')? {
            "" => self.files.get(INDEX),
            path => self.files.get(path),
        }
    }
}

/// The type of a file by its ending. `mime_guess` does not name the encoding, which most of these
/// types need.
fn kind(path: &str) -> &'static str {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_told_what_each_file_is() {
        let page = Page::new();
        for path in page.files.keys() {
            assert_ne!(kind(path), UNKNOWN, "{path}");
        }
        assert!(page.get("/").is_some());
    }
}
