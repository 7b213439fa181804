//! The explorer: the files in `web/`, which are part of the program.

use std::collections::BTreeMap;

use super::reply::Reply;

/// Lists files of `web/` with their contents.
macro_rules! web {
    ($($path:literal),* $(,)?) => {
        &[$((
            $path,
            include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/", $path)),
        )),*]
    };
}

/// All files of `web/`: the tests make sure that none is missing. A request can only name one
/// of them; no path of the file system is ever made from it.
const FILES: &[(&str, &[u8])] = web![
    "index.html",
    "animation.js",
    "announce.js",
    "api.js",
    "board.js",
    "board_view.js",
    "buttons.js",
    "choices.js",
    "dialogs.js",
    "dom.js",
    "examples.js",
    "explorer.js",
    "game.js",
    "geometry.js",
    "i18n.js",
    "i18n/ca.js",
    "i18n/en.js",
    "i18n/es.js",
    "i18n/fr.js",
    "i18n/it.js",
    "icon.svg",
    "keyboard.js",
    "line.js",
    "main.js",
    "moves.js",
    "permalink.js",
    "phrases.js",
    "plot.js",
    "preferences.js",
    "random.js",
    "record.js",
    "seeds.js",
    "setup.js",
    "situation.js",
    "sowing.js",
    "statistics.js",
    "style/board.css",
    "style/page.css",
    "style/panels.css",
    "tools.js",
    "verdict.js",
    "wood.js",
    "worth.js",
];

/// The file that is served as the page itself.
const INDEX: &str = "index.html";

/// The files by their paths.
pub(super) struct Page {
    files: BTreeMap<&'static str, Reply>,
}

impl Page {
    pub(super) fn new() -> Page {
        let reply = |&(path, content)| (path, Reply::fixed(kind(path), content));
        Page {
            files: FILES.iter().map(reply).collect(),
        }
    }

    /// The file at a path like `/style.css`, if there is one.
    pub(super) fn get(&self, path: &str) -> Option<&Reply> {
        match path.strip_prefix('/')? {
            "" => self.files.get(INDEX),
            path => self.files.get(path),
        }
    }
}

fn kind(path: &str) -> &'static str {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_told_what_each_file_is() {
        for (path, _) in FILES {
            assert_ne!(kind(path), "application/octet-stream", "{path}");
        }
        assert!(Page::new().get("/").is_some());
    }
}
