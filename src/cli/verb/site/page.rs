//! The files of the page on a site: the files of `granero serve`, with the reader of the tables in place of the
//! script that asks the server.

use std::collections::BTreeMap;

use granero::table::Sha256;
use include_dir::{Dir, include_dir};

use granero_serve::page;

/// The scripts that replace the ones that ask a server.
static SITE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/site");

/// The service worker, which keeps all files but itself.
const KEEPER: &str = "sw.js";

/// The script that answers in place of the server.
const SOURCE: &str = "source.js";

pub(super) const INDEX: &str = "index.html";

/// Returns the files by their paths. `tables_at` is the address of the tables, if they are elsewhere.
pub(super) fn files(tables_at: Option<&str>) -> BTreeMap<String, Vec<u8>> {
    let files = page::files().into_iter().chain(page::files_of(&SITE));
    let files = files.map(|(path, contents)| (path, contents.to_vec()));
    let mut files: BTreeMap<String, Vec<u8>> = files.collect();
    let loaded = preloads(&files);
    change(&mut files, INDEX, |text| {
        index(text, tables_at).replace("    <script ", &(loaded + "    <script "))
    });
    let keeper = files.remove(KEEPER).unwrap_or_default();
    // It changes with every file.
    let hashes = files
        .iter()
        .map(|(path, contents)| format!("{path} {}\n", Sha256::of(contents)));
    let version = format!("{:.16}", Sha256::of(hashes.collect::<String>()));
    let others = files.keys().filter(|path| *path != INDEX);
    let names = others.map(|path| format!("\"{path}\""));
    let names: Vec<String> = ["\"./\"".to_string()].into_iter().chain(names).collect();
    files.insert(KEEPER.into(), keeper);
    change(&mut files, KEEPER, |text| {
        let text = text.replace("@VERSION@", &version);
        text.replace("/* @FILES@ */", &names.join(", "))
    });
    files
}

fn change(
    files: &mut BTreeMap<String, Vec<u8>>,
    path: &str,
    change: impl FnOnce(String) -> String,
) {
    if let Some(contents) = files.get_mut(path) {
        let text = String::from_utf8_lossy(contents).into_owned();
        *contents = change(text).into_bytes();
    }
}

/// Returns the links that make browsers ask for all parts of the page at once, instead of import by import, and a
/// script that asks for tables before the rest is there.
fn preloads(files: &BTreeMap<String, Vec<u8>>) -> String {
    let fetch = "rel=\"preload\" as=\"fetch\" crossorigin";
    let link = |how: &str, path: &str| format!("    <link {how} href=\"{path}\">\n");
    let mut modules = Vec::new();
    imported(files, SOURCE, &mut modules);
    let first = modules.len();
    imported(files, "main.js", &mut modules);
    let mut links = modules
        .iter()
        .map(|path| link("rel=\"modulepreload\"", path));
    let first: String = links.by_ref().take(first).collect();
    let rest: String = links.collect();
    let [tables, library] =
        ["site.json", "reader/dist/granero_bg.wasm"].map(|path| link(fetch, path));
    let early = format!("    <script type=\"module\" async src=\"{SOURCE}\"></script>\n");
    [tables, first, library, early, rest].concat()
}

/// Adds a script to those found before, with all that it imports as it starts.
fn imported(files: &BTreeMap<String, Vec<u8>>, path: &str, found: &mut Vec<String>) {
    if found.iter().any(|known| known == path) {
        return;
    }
    found.push(path.into());
    let text = String::from_utf8_lossy(&files[path]);
    let folder = path.rfind('/').map_or("", |end| &path[..=end]);
    for import in text.split(" from \"./").skip(1) {
        let name = import.split('"').next().unwrap_or_default();
        imported(files, &format!("{folder}{name}"), found);
    }
}

/// Removes the addresses of the API from the page, and adds the policy that the server would send.
fn index(text: String, tables_at: Option<&str>) -> String {
    let parts = text.split("<!-- served -->");
    let parts = parts.map(|part| match part.split_once("<!-- /served -->") {
        Some((_, rest)) => rest,
        None => part,
    });
    let policy = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
         font-src 'self'; worker-src 'self'; connect-src 'self'{}; base-uri 'none'; \
         form-action 'none'\">",
        tables_at.map_or_else(String::new, |address| format!(" {}", origin(address)))
    );
    let charset = "<meta charset=\"utf-8\">";
    parts
        .collect::<String>()
        .replace(charset, &format!("{charset}\n    {policy}"))
}

/// Returns `https://example.org` for `https://example.org/oware/`, without characters that would end the policy.
fn origin(address: &str) -> String {
    let end = address
        .match_indices('/')
        .nth(2)
        .map_or(address.len(), |(at, _)| at);
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || ".:-[]/".contains(*c);
    address[..end].chars().filter(is_plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_page_without_a_server() {
        let files = files(Some("https://files.example.org:8080/oware/"));
        let text = |path: &str| String::from_utf8(files[path].clone()).unwrap();
        let index = text(INDEX);
        assert!(!index.contains("api/v1/tables") && !index.contains("served"));
        assert!(index.contains("connect-src 'self' https://files.example.org:8080;"));
        assert!(index.contains("<link rel=\"modulepreload\" href=\"reader/index.js\">\n"));
        let late = ["i18n/", "sw.js", "play/", "statistics.js", "reader/node.js"];
        assert!(late.iter().all(|path| !index.contains(path)));
        let place = |text: &str| index.find(text).unwrap();
        assert!(place("reader/sources.js") < place("async src=\"source.js\""));
        assert!(place("async src=\"source.js\"") < place("href=\"explorer.js\""));
        assert!(text("source.js").contains("reader/index.js"));
        let keeper = text(KEEPER);
        assert!(!keeper.contains("@VERSION@") && !keeper.contains("@FILES@"));
        for file in [
            "main.js",
            "i18n/ca.json",
            "reader/dist/granero_bg.wasm",
            "./",
        ] {
            assert!(keeper.contains(&format!("\"{file}\"")), "{file}");
        }
        assert_eq!(origin("http://a'b;c"), "http://abc");
    }
}
