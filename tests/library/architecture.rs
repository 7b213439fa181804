//! Modules depend downwards only, as the tables of `docs/architecture.md` draw them: from the
//! bottom up, so that a module imports from its own row and from those above it in the table.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of a package, as paths such as `table/codec/block`, with their files.
fn modules(source: &Path) -> BTreeMap<String, PathBuf> {
    let mut modules = BTreeMap::new();
    let mut directories = vec![source.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(source).unwrap().with_extension("");
                let name = name.to_str().unwrap().replace('\\', "/");
                let name = name.strip_suffix("/mod").unwrap_or(&name).to_string();
                if !["lib", "main"].contains(&name.as_str()) {
                    modules.insert(name, path);
                }
            }
        }
    }
    modules
}

/// The code of a file, without its tests and its comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let without_comment = |line: &str| line.split("//").next().unwrap().to_string() + "\n";
    code.lines().map(without_comment).collect()
}

/// The paths that a `use` declares: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, list)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap();
        return vec![path.to_string()];
    };
    let list = list.trim_end().strip_suffix('}').expect("a closed list");
    let mut depth = 0;
    let parts = list.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts
        .flat_map(|part| {
            paths(part)
                .into_iter()
                .map(|path| format!("{prefix}{path}"))
        })
        .collect()
}

/// By module: the names that it declares although a child of it has them, with the child.
type Reexports = BTreeMap<String, BTreeMap<String, String>>;

/// The module of the same package that a path leads to, if it leads to one. A name that a module
/// only passes on leads to the module that has it.
fn target(
    modules: &BTreeMap<String, PathBuf>,
    reexports: &Reexports,
    from: &str,
    is_directory: bool,
    path: &str,
) -> Option<String> {
    let mut parts = path.split("::").map(str::trim).peekable();
    let child = format!("{from}/{}", parts.peek()?);
    let mut place: Vec<&str> = match *parts.peek()? {
        "crate" => Vec::new(),
        "self" | "super" => from.split('/').collect(),
        _ if is_directory && modules.contains_key(&child) => from.split('/').collect(),
        _ => return None,
    };
    for part in parts {
        match part {
            "crate" | "self" => {}
            "super" => drop(place.pop()),
            part => place.push(part),
        }
    }
    let mut name = None;
    while !place.is_empty() {
        let module = place.join("/");
        if modules.contains_key(&module) {
            let passed_on = reexports.get(&module).and_then(|names| names.get(name?));
            return Some(passed_on.unwrap_or(&module).clone());
        }
        name = place.pop();
    }
    None
}

/// The paths that a file names: those that it imports, and those within its code.
fn named_paths(code: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
    let inline = code.split(|letter| !is_part(letter));
    let inline = inline.map(|path| path.trim_matches(':').to_string());
    let is_of_package = |path: &String| {
        let first = path.split("::").next();
        matches!(first, Some("crate" | "super" | "self")) && path.contains("::")
    };
    let declared = code.split(';').filter_map(|statement| {
        let (before, tree) = statement.rsplit_once("use ")?;
        let is_use = before.trim_end().is_empty() || before.ends_with(['\n', ' ', '}']);
        is_use.then(|| paths(tree))
    });
    declared
        .flatten()
        .chain(inline.filter(is_of_package))
        .collect()
}

/// What modules pass on of their children.
fn reexports(modules: &BTreeMap<String, PathBuf>) -> Reexports {
    let mut reexports = Reexports::new();
    for (module, path) in modules {
        let is_directory = path.ends_with("mod.rs");
        for path in named_paths(&code(path)) {
            let found = target(modules, &Reexports::new(), module, is_directory, &path);
            let child = found.filter(|child| child.starts_with(&format!("{module}/")));
            if let (Some(child), Some((_, name))) = (child, path.rsplit_once("::")) {
                let names = reexports.entry(module.clone()).or_default();
                names.insert(name.to_string(), child);
            }
        }
    }
    reexports
}

/// What each module imports from others of the package. A child may use what its parent declares,
/// and a parent what its children do: that is one module in several files.
fn imports(modules: &BTreeMap<String, PathBuf>) -> BTreeMap<&str, BTreeSet<String>> {
    let reexports = reexports(modules);
    let mut imports = BTreeMap::new();
    for (module, path) in modules {
        let is_directory = path.ends_with("mod.rs");
        let targets = named_paths(&code(path)).into_iter();
        let targets =
            targets.filter_map(|path| target(modules, &reexports, module, is_directory, &path));
        let is_family = |other: &str| {
            let begins = |long: &str, short: &str| long.starts_with(&format!("{short}/"));
            other == module || begins(other, module) || begins(module, other)
        };
        let targets = targets.filter(|target| !is_family(target)).collect();
        imports.insert(module.as_str(), targets);
    }
    imports
}

/// The rows of the table that follows a sentence: the modules that each lists.
fn rows(document: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, table) = document.split_once(heading).expect("the table");
    let rows = table.lines().skip_while(|line| !line.starts_with("|---"));
    let rows = rows.skip(1).take_while(|line| line.starts_with('|'));
    let names = |row: &str| {
        let first = row.split('|').nth(1).unwrap().to_string();
        let quoted = first.split('`').skip(1).step_by(2).map(String::from);
        quoted.collect::<Vec<String>>()
    };
    rows.map(names).collect()
}

/// The row of a module: that with the longest name that covers it.
fn row_of(rows: &[Vec<String>], module: &str) -> Option<usize> {
    let covered = |name: &str| match name.strip_suffix("/*") {
        Some(prefix) => module == prefix || module.starts_with(&format!("{prefix}/")),
        None => module == name,
    };
    let named = (0..).zip(rows);
    let names = named.flat_map(|(row, names)| names.iter().map(move |name| (name, row)));
    names
        .filter(|(name, _)| covered(name))
        .max_by_key(|(name, _)| name.len())
        .map(|(_, row)| row)
}

/// A module that comes back to itself by imports, if there is one, with the way.
fn circle(imports: &BTreeMap<&str, BTreeSet<String>>) -> Option<Vec<String>> {
    fn search(
        imports: &BTreeMap<&str, BTreeSet<String>>,
        way: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> bool {
        let last = way.last().expect("a module").clone();
        for next in &imports[last.as_str()] {
            if way.contains(next) {
                way.push(next.clone());
                return true;
            }
            if !done.contains(next) {
                way.push(next.clone());
                if search(imports, way, done) {
                    return true;
                }
                way.pop();
            }
        }
        done.insert(last);
        false
    }
    let mut done = BTreeSet::new();
    imports.keys().find_map(|module| {
        let mut way = vec![module.to_string()];
        search(imports, &mut way, &mut done).then_some(way)
    })
}

fn depends_downwards_only(source: &str, heading: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let rows = rows(&document, heading);
    let modules = modules(&root.join(source));
    let imports = imports(&modules);
    assert!(imports.values().map(BTreeSet::len).sum::<usize>() > 100);
    assert_eq!(circle(&imports), None);
    for (module, targets) in &imports {
        let row = row_of(&rows, module);
        let row = row.unwrap_or_else(|| panic!("the table lacks {module}"));
        for target in targets {
            let below = row_of(&rows, target);
            assert!(
                below <= Some(row),
                "{module} imports {target}, which is above it"
            );
        }
    }
    let names = rows.iter().flatten();
    for name in names {
        let prefix = name.strip_suffix("/*").unwrap_or(name);
        assert!(modules.contains_key(prefix), "there is no module {prefix}");
    }
}

#[test]
fn modules_of_the_library_depend_downwards_only() {
    depends_downwards_only("src", "Modules of the library");
}

#[test]
fn modules_of_the_command_depend_downwards_only() {
    depends_downwards_only("cli/src", "Modules of the command");
}

#[test]
fn what_a_use_declares_is_found() {
    assert_eq!(paths("crate::a"), ["crate::a"]);
    assert_eq!(
        paths("super::{b::{self, C}, d as e}"),
        ["super::b::self", "super::b::C", "super::d"]
    );
}

#[test]
fn a_name_that_the_parent_passes_on_is_an_import_of_the_sibling() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("a")).unwrap();
    for (file, code) in [
        ("mod.rs", "mod b;\nmod c;\nmod d;\npub use self::c::Top;\n"),
        ("b.rs", "use super::Top;\n"),
        ("c.rs", "use crate::a::d::Base;\npub struct Top;\n"),
        ("d.rs", "fn f() { super::b::g() }\n"),
    ] {
        fs::write(place.path().join("a").join(file), code).unwrap();
    }
    let modules = modules(place.path());
    let imports = imports(&modules);
    let of = |module: &str| imports[module].iter().cloned().collect::<Vec<_>>();
    assert_eq!(of("a/b"), ["a/c"]);
    assert_eq!(of("a/c"), ["a/d"]);
    assert_eq!(of("a/d"), ["a/b"]);
    assert_eq!(circle(&imports).unwrap().len(), 4);
}
