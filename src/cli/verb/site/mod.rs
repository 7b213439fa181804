//! `granero site`: writes the page and the tables as a folder for any web server.

mod heads;
mod page;
mod place;

use std::path::{Path, PathBuf};
use std::{env, fs};

use clap::ValueEnum;
use granero::captures::LayerCaptures;
use granero::table::{ByteSource, FileSource, Sha256};
use granero::{Access, Cycles, MAX_SEEDS, TableError, TableOptions, Tables};
use heads::Heads;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::system::whole_file::{cannot_write, write_whole};
use granero_answer::document::{Catalogue, ServedStatistics, ServedTables};
use granero_answer::grouped;
use granero_console::db::{DIRECTORY, VARIABLE, note_sample};
use granero_console::failure::Failure;
use granero_console::options;

/// Write a folder with the page and the tables, for any web server
///
/// The page is the one of `granero serve`, but needs no program on the server: it reads the parts of
/// the tables that it needs. Copy the folder to any host for static files; docs/deploy.md has the
/// few requirements.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero site oware-site
  granero site oware-site --db granero-db --db awari-db --seeds 20
  granero site oware-site --tables link
  granero site oware-tables --without-page --db granero-db --db awari-db
  granero site oware-site --tables-at https://files.example.org/oware/")]
pub(crate) struct Args {
    /// The folder to write: new, empty, or written by this verb before
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// A directory of tables; may be given several times; if the default one has no tables, the
    /// sample in this program is written [default: granero-db]
    #[arg(long, env = VARIABLE, hide_env_values = true, value_name = "DIR")]
    db: Vec<PathBuf>,

    /// Only the layers with at most N seeds [default: all]
    #[arg(long, value_name = "N", value_parser = options::seeds())]
    seeds: Option<u8>,

    /// The way to put the files of the tables into the folder
    #[arg(long, value_name = "HOW", default_value = "copy")]
    tables: How,

    /// Leave out the tables, and let the page read them from this address: the folder `tables` of a
    /// site
    #[arg(long, value_name = "URL", conflicts_with = "tables", value_parser = address)]
    tables_at: Option<String>,

    /// Leave out the page: write only the tables, for `granero get` and other programs
    #[arg(long, conflicts_with = "tables_at")]
    without_page: bool,
}

/// The ways to put files into the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum How {
    /// As copies
    Copy,
    /// As hard links, which take no space; both names must be on one file system
    Link,
    /// As symbolic links, for a web server that follows them
    Symlink,
}

/// Reads an address and ends it in a slash, so that names can follow.
fn address(text: &str) -> Result<String, String> {
    if !text.starts_with("https://") && !text.starts_with("http://") {
        return Err("an address begins with https:// or http://".into());
    }
    Ok(format!("{}/", text.trim_end_matches('/')))
}

/// The file with the contents of a site. With the name of the program in it, it tells a site from other folders.
const SITE: &str = "site.json";

/// The program that has written a site.
const PROGRAM: &str = "granero";

/// The place of the tables in the folder.
const TABLES: &str = "tables";

/// The published part of some tables.
struct Published {
    /// `abapa-split`
    name: String,
    tables: Tables,
    /// The directory of their files.
    files: PathBuf,
    heads: Heads,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let mut directories = args.db.clone();
    // Holds the files of the sample, if it is published.
    let mut temporary = None;
    if directories.is_empty() {
        let there = TableOptions::new().access(Access::Read).open(DIRECTORY);
        directories.push(match there {
            Err(TableError::NoTables { .. }) => temporary.insert(sample(args)?).path().into(),
            _ => DIRECTORY.into(),
        });
    }
    let published = tables(args, &directories)?;
    let directory = &args.directory;
    begin(directory)?;
    let has_page = !args.without_page;
    if !has_page && directory.join(page::INDEX).exists() {
        return Err(Failure::not_possible(
            format!("{} is a site with a page", directory.display()),
            "leave out --without-page, or name another folder",
        ));
    }
    let mut bytes = 0;
    if args.tables_at.is_none() {
        for tables in &published {
            let place = directory.join(TABLES).join(&tables.name);
            fs::create_dir_all(&place).map_err(|error| cannot_write(&place, &error))?;
            bytes += place::put(&tables.files, &tables.tables, &place, args.tables)?;
        }
    }
    if has_page {
        for Published {
            tables,
            name,
            heads,
            ..
        } in &published
        {
            write(&directory.join(&heads.at), &heads.compressed)?;
            let captures = |layer| LayerCaptures::of(tables.rules(), layer);
            let document = crate::output::json(&ServedStatistics::new(tables, captures))?;
            write(
                &directory.join(format!("statistics/{name}.json")),
                &document,
            )?;
        }
        for (path, contents) in page::files(args.tables_at.as_deref()) {
            write(&directory.join(path), &contents)?;
        }
    }
    // Written last, because it says what is there.
    let document = crate::output::json(&self::document(args, &published))?;
    write(&directory.join(SITE), &document)?;
    if has_page {
        Heads::remove_others(directory, published.iter().map(|tables| &tables.heads))?;
    }
    Ok(summary(args, &published, bytes))
}

/// Writes the sample to a temporary directory.
fn sample(args: &Args) -> Result<TempDir, Failure> {
    if args.tables != How::Copy {
        return Err(Failure::not_possible(
            "the sample of this program has no files to link to",
            "build tables with `granero build`, or leave out --tables",
        ));
    }
    note_sample(Tables::sample());
    let written = tempfile::tempdir().and_then(|place| {
        Tables::write_sample(place.path())?;
        Ok(place)
    });
    written.map_err(|error| cannot_write(&env::temp_dir(), &error))
}

/// Opens the tables of both conventions in all directories.
fn tables(args: &Args, directories: &[PathBuf]) -> Result<Vec<Published>, Failure> {
    let mut published: Vec<Published> = Vec::new();
    for db in directories {
        let mut missing = None;
        let mut found = false;
        for cycles in Cycles::ALL {
            let options = TableOptions::new().cycles(cycles).access(Access::Read);
            let tables = match options.open(db) {
                Err(error @ (TableError::NoTables { .. } | TableError::OtherCycles { .. })) => {
                    missing = missing.or(Some(error));
                    continue;
                }
                tables => tables?,
            };
            found = true;
            let (tables, files) = reaching(tables, args.seeds)?;
            let name = format!("{}-{}", tables.rules(), tables.cycles());
            let tables = Published {
                heads: Heads::of(&name, &files, tables.manifest())?,
                name,
                tables,
                files,
            };
            let known = published.iter().find(|other| other.name == tables.name);
            if let Some(known) = known {
                return Err(Failure::not_possible(
                    format!(
                        "{} and {} hold tables of the same rules",
                        known.files.display(),
                        tables.files.display()
                    ),
                    "leave out one of them",
                ));
            }
            published.push(tables);
        }
        if let Some(error) = missing.filter(|_| !found) {
            return Err(error.into());
        }
    }
    Ok(published)
}

/// Returns the layers with at most `seeds` seeds, and the directory of their files.
fn reaching(tables: Tables, seeds: Option<u8>) -> Result<(Tables, PathBuf), Failure> {
    let directory = tables.directory().unwrap_or(Path::new("")).to_path_buf();
    let mut manifest = tables.manifest().clone();
    let most = seeds.unwrap_or(MAX_SEEDS);
    manifest.layers.truncate(usize::from(most) + 1);
    let tables = TableOptions::new().open_sources(&manifest.to_text(), |entry| {
        let source = FileSource::open(directory.join(&entry.name))?;
        Ok(Box::new(source) as Box<dyn ByteSource>)
    })?;
    Ok((tables, directory))
}

/// Refuses to overwrite other folders, and marks a new folder as a site.
fn begin(directory: &Path) -> Result<(), Failure> {
    fs::create_dir_all(directory).map_err(|error| cannot_write(directory, &error))?;
    let mut entries = fs::read_dir(directory).map_err(|error| cannot_write(directory, &error))?;
    let mark = directory.join(SITE);
    if entries.next().is_none() {
        // Written first, so that an unfinished site can be continued.
        return write(&mark, format!("{{\"program\":\"{PROGRAM}\"}}\n"));
    }
    // The program that has written the file.
    let text = fs::read_to_string(&mark).unwrap_or_default();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    if document["program"] != PROGRAM {
        return Err(Failure::not_possible(
            format!("{} is neither empty nor a site", directory.display()),
            "name another folder",
        ));
    }
    Ok(())
}

fn summary(args: &Args, published: &[Published], bytes: u64) -> String {
    let directory = args.directory.display();
    let tables = published.iter().map(|Published { tables, .. }| {
        let (rules, cycles) = (tables.rules(), tables.cycles());
        match tables.max_seeds() {
            Some(seeds) => format!("{rules}/{cycles} up to {seeds} seeds"),
            None => format!("{rules}/{cycles} without a layer"),
        }
    });
    let tables: Vec<String> = tables.collect();
    let tables = tables.join(", ");
    match &args.tables_at {
        None if args.without_page => format!(
            "{directory} holds {tables}: {} bytes of tables. Copy it to a web server. The \
             folders\nin {TABLES} are what `granero get` fetches.\n",
            grouped(bytes)
        ),
        None => format!(
            "{directory} is a site with {tables}: {} bytes of tables. Copy it to a web server.\n",
            grouped(bytes)
        ),
        Some(address) => format!(
            "{directory} is a site with {tables}, which it reads from {address}. Copy it to a web \
             server.\n"
        ),
    }
}

/// Writes a file, and makes its folder.
fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    write_whole(path, |file| {
        use std::io::Write;
        file.write_all(contents.as_ref())
    })
}

/// Returns the contents of `site.json`.
fn document(args: &Args, published: &[Published]) -> Value {
    let at = args.tables_at.clone().unwrap_or(format!("{TABLES}/"));
    let served = published.iter().map(|Published { tables, .. }| {
        let fingerprint = granero_serve::fingerprint(tables.manifest());
        ServedTables::new(tables, false, false, &fingerprint, None)
    });
    let places = published.iter().map(|of| {
        let mut place = json!({
            "rules": of.tables.rules().name(),
            "cycles": of.tables.cycles().name(),
            "at": format!("{at}{}/", of.name),
            // A small file, to test the host with.
            "first": of.tables.manifest().files().next(),
        });
        if !args.without_page {
            // The beginnings of the files, for the page.
            place["heads"] = json!(of.heads.document);
        }
        place
    });
    let files = published.iter().flat_map(|of| of.tables.manifest().files());
    let hashes: String = files.map(|file| file.sha256.to_string()).collect();
    json!({
        "program": PROGRAM,
        "catalogue": Catalogue::new(served.collect(), granero_serve::limits(None)),
        "places": places.collect::<Vec<_>>(),
        // Of the files of all tables together.
        "fingerprint": format!("{:.16}", Sha256::of(hashes)),
    })
}
