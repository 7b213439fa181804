//! The explorer: the files in `web/`, which are part of the program.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};

use crate::reply::Reply;

static WEB: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/web");

/// The file that is served as the page itself.
const INDEX: &str = "index.html";

/// The files by their paths. A request can name no other file: nothing in it becomes a path of the
/// file system.
pub(crate) struct Page {
    files: BTreeMap<&'static str, Reply>,
}

pub fn files() -> BTreeMap<&'static str, &'static [u8]> {
    files_of(&WEB)
}

/// Returns the files of an embedded directory that belong to a page.
pub fn files_of(directory: &'static Dir<'_>) -> BTreeMap<&'static str, &'static [u8]> {
    let mut files = BTreeMap::new();
    let mut directories = vec![directory];
    while let Some(directory) = directories.pop() {
        directories.extend(directory.dirs());
        files.extend(directory.files().filter_map(|file| {
            let path = file.path().to_str()?;
            kind(path)?;
            Some((path, file.contents()))
        }));
    }
    files
}

impl Page {
    pub(crate) fn new() -> Page {
        let replies = files().into_iter().filter_map(|(path, contents)| {
            let kind = kind(path)?;
            Some((path, Reply::fixed(kind, contents)))
        });
        Page {
            files: replies.collect(),
        }
    }

    /// Returns the file at a path like `/style.css`, if there is one.
    pub(crate) fn get(&self, path: &str) -> Option<&Reply> {
        match path.strip_prefix('/')? {
            "" => self.files.get(INDEX),
            path => self.files.get(path),
        }
    }
}

/// Returns the type of a file by its ending; `None` for files that are not part of the page, such
/// as copies that an editor leaves. `mime_guess` does not name the encoding, which most of these
/// types need.
fn kind(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit_once('.')?;
    match ending {
        "html" => Some("text/html; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "tsv" => Some("text/tab-separated-values; charset=utf-8"),
        "wasm" => Some("application/wasm"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_known_types_are_served() {
        let page = Page::new();
        assert!(page.get("/").is_some());
        assert_eq!(kind("i18n/en.js"), Some("text/javascript; charset=utf-8"));
        for left_over in ["main.js~", ".main.js.swp", "notes", "page.js.orig"] {
            assert_eq!(kind(left_over), None, "{left_over}");
        }
    }

    /// The page does not start at all if a name is imported that is not exported.
    #[test]
    fn what_scripts_import_is_exported() {
        let text = |path: &str| std::str::from_utf8(files()[path]).unwrap();
        let mut imports = 0;
        for path in files().into_keys().filter(|path| path.ends_with(".js")) {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            for import in text(path).split("\nimport {").skip(1) {
                let (names, rest) = import.split_once('}').unwrap();
                let from = rest.split('"').nth(1).unwrap();
                let file = match from.strip_prefix("../") {
                    Some(above) => above.to_string(),
                    None => format!("{folder}/{}", from.trim_start_matches("./")),
                };
                let exporting = text(file.trim_start_matches('/'));
                for name in names
                    .split(',')
                    .map(str::trim)
                    .filter(|name| !name.is_empty())
                {
                    let name = name.split(" as ").next().unwrap();
                    let exports = |line: &str| {
                        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
                        line.starts_with("export ") && words.any(|word| word == name)
                    };
                    assert!(exporting.lines().any(exports), "{path}: {name} of {file}");
                    imports += 1;
                }
            }
        }
        assert!(imports > 50, "{imports}");
    }
}
