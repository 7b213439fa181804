//! `granero get`: downloads tables from a web host.

#[cfg(feature = "get")]
mod fetching;
#[cfg(feature = "get")]
mod mirrors;

#[cfg(feature = "get")]
pub(crate) use fetching::run;

use std::path::{Path, PathBuf};
use std::time::Duration;

use granero::table::Manifest;
use granero_answer::document::RulesAndCycles;
use granero_answer::documents;
use granero_console::db::DbOption;
#[cfg(not(feature = "get"))]
use granero_console::failure::Failure;
use granero_console::options;

/// Fetch tables from a web host
///
/// URL is the address of a directory of tables, made by `granero build` or `granero site` and served
/// by any web host. The same command resumes a download that was interrupted. Each file must have
/// the length and the SHA-256 in the manifest of the host. Existing layers stay, and must hold the
/// same values; tables that reach further stay as they are.
///
/// `granero verify` proves the values afterwards. The variable HTTPS_PROXY names a proxy. This verb
/// needs a program with the feature `get`, see docs/cli.md.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero get https://tables.example.org/abapa
  granero get https://tables.example.org/abapa abapa-db --seeds 20
  granero get https://a.example.org/abapa --mirror https://b.example.org/abapa --json")]
pub(crate) struct Args {
    /// The address of a directory of tables, https://… or http://…
    #[arg(value_name = "URL", value_parser = address)]
    url: String,

    /// The directory to fetch them into; the same as --db
    #[arg(value_name = "DIRECTORY")]
    directory: Option<PathBuf>,

    #[command(flatten)]
    db: DbOption,

    /// Another address of the same tables, asked when one fails; may be given several times
    #[arg(long = "mirror", value_name = "URL", value_parser = address)]
    mirrors: Vec<String>,

    /// Only the layers with at most N seeds [default: all]
    #[arg(long, value_name = "N", value_parser = options::seeds())]
    seeds: Option<u8>,

    /// How long the host may be silent before it is asked again
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = patience)]
    patience: Duration,

    /// Trust the certificate authorities in this PEM file instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,

    /// The pause before the host is asked again; each pause is twice as long as the one before
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = options::time, hide = true)]
    pause: Duration,

    /// Show no progress, only the summary
    #[arg(long)]
    quiet: bool,

    /// Print the summary as JSON, see docs/json.md
    #[arg(long)]
    json: bool,
}

documents! {
    /// The output of `granero get --json`.
    pub(crate) struct Fetched(
        address: &str, directory: &Path, here: &Manifest, [count, size]: [u64; 2], time: Duration
    ) {
        ..tables: RulesAndCycles = RulesAndCycles::new(here.rules, here.cycles, here.extent),
        /// The address of the tables, without a final slash.
        url: String = address.into(),
        /// The directory.
        db: String = directory.display().to_string(),
        /// The last layer in the directory.
        seeds: u8 = here.finished().saturating_sub(1),
        /// Files that this run fetched.
        files: u64 = count,
        /// Their size.
        bytes: u64 = size,
        /// Time of this run.
        seconds: f64 = time.as_secs_f64(),
    }
}

/// Reads an address to which names of files can be appended.
fn address(text: &str) -> Result<String, String> {
    let host = text
        .strip_prefix("https://")
        .or(text.strip_prefix("http://"));
    let problem = match host {
        Some(host) if host.contains(['?', '#']) => {
            "names of files follow the address, so it has no ? and no #"
        }
        Some(host) if !host.chars().all(|c| c.is_ascii_graphic()) => {
            "an address has no spaces and only ASCII: write others like %20"
        }
        Some(host) if !host.is_empty() && !host.starts_with('/') => {
            // The address of the manifest stands for its directory.
            let directory = text.strip_suffix("/granero.json").unwrap_or(text);
            return Ok(directory.trim_end_matches('/').into());
        }
        _ => "an address begins with https:// or http:// and the name of a host",
    };
    Err(problem.into())
}

fn patience(text: &str) -> Result<Duration, String> {
    match options::time(text)? {
        Duration::ZERO => Err("a host needs some time to answer, like 30s".into()),
        // No host needs more than a day.
        patience => Ok(patience.min(Duration::from_secs(24 * 60 * 60))),
    }
}

#[cfg(not(feature = "get"))]
pub(crate) fn run(_: &Args) -> Result<String, Failure> {
    Err(Failure::not_possible(
        "this program cannot fetch tables: it was compiled without the feature `get`",
        "in a clone of the repository, run `cargo install --path src/cli --locked --features \
               get`; or fetch the files with another program, see docs/cli.md",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_end_where_names_begin() {
        let url = "https://tables.example.org:8080/a%20b";
        assert_eq!(address(url), Ok(url.into()));
        assert_eq!(address(&format!("{url}//")), Ok(url.into()));
        assert_eq!(address(&format!("{url}/granero.json")), Ok(url.into()));
        assert_eq!(address("http://[::1]/"), Ok("http://[::1]".into()));
        for bad in ["", "h/tables", "file:///etc", "https://", "https:///etc"] {
            assert!(address(bad).is_err(), "{bad}");
        }
        for bad in ["a b", "h/?v=1", "h/#top", "h/\u{1b}[0m", "exämple.org/"] {
            assert!(address(&format!("http://{bad}")).is_err(), "{bad}");
        }
    }
}
