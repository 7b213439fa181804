//! `granero serve`: the tables over HTTP, and a page on top of them.
//!
//! A request comes in through `connections`; `server` finds its `route` and has one of
//! `catalogue`, `position`, `line`, `batch`, `statistics` and `page` answer it, with tables
//! from the `shelf`; `reply` and `problem` are what answers look like. What takes long
//! passes through a `gate`. `docs/http-api.md` is the contract.

mod batch;
mod catalogue;
mod connections;
mod gate;
mod line;
mod log;
mod metrics;
mod page;
mod parameters;
mod patient;
mod position;
mod problem;
mod reply;
mod route;
mod server;
mod shelf;
mod signals;
mod statistics;

use std::fmt::Display;
use std::io::{self, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::net::TcpListener;

use super::failure::Failure;
use super::style::{self, paint};
use super::{machine, options};
use log::Log;
use server::Server;
use shelf::{Directories, Volume};
use signals::Signals;

/// What all numbers are that the API gives.
const UNIT: &str = "seeds";

/// How often it is looked whether a build has finished a layer.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Serve the tables over HTTP, with a page to explore them
///
/// Opens the tables of one or several directories, of any rulesets, and answers what positions
/// are worth: to people on a page, to programs as docs/http-api.md describes. New layers of a
/// running build are noticed. Nobody but this machine can ask unless --listen says otherwise.
///
/// Without --db, and without tables in granero-db, these are the sample tables that are part
/// of the program.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero serve
  granero serve --db granero-db --db awari-db
  granero serve --listen 0.0.0.0:80 --log
  curl 'http://127.0.0.1:7475/api/v1/abapa/position?p=0,2,0,1,1,0,1,0,2,0,1,0'")]
pub(super) struct Args {
    /// A directory of tables; may be given several times [default: granero-db, or else the
    /// sample]
    #[arg(long, value_name = "DIR")]
    db: Vec<PathBuf>,

    /// The address and port to listen on; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7475", value_parser = address)]
    listen: SocketAddr,

    /// Let pages from elsewhere ask, too
    #[arg(long)]
    cors: bool,

    /// So much memory for decoded blocks of all tables together
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = options::memory)]
    cache: u64,

    /// Print a line for each request
    #[arg(long)]
    log: bool,
}

/// An address with a port, or a name that has an address.
fn address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().ok();
    let first = found.and_then(|mut addresses| addresses.next());
    first.ok_or_else(|| "an address with a port is needed, like 127.0.0.1:7475".into())
}

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let mut directories = Directories::open(&args.db, args.cache)?;
    let shelf = directories.shelf();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(server::READERS + machine::processors())
        .enable_all()
        .build()
        .map_err(|error| cannot_serve(args.listen, &error))?;
    let (listener, address, signals) = runtime
        .block_on(async {
            let listener = TcpListener::bind(args.listen).await?;
            let address = listener.local_addr()?;
            Ok((listener, address, Signals::new()?))
        })
        .map_err(|error: io::Error| cannot_serve(args.listen, &error))?;

    // For those who wait for the port: it is open now.
    let tables: Vec<String> = shelf.volumes().map(describe).collect();
    super::print(&format!(
        "Serving {} at http://{address}/\n",
        tables.join(", ")
    ))?;

    let server = Arc::new(Server::new(shelf, args.cors, args.log.then(Log::new)));
    let looked_at = Arc::clone(&server);
    thread::spawn(move || {
        loop {
            let new = directories.look();
            let former = new.then(|| looked_at.replace(directories.shelf()));
            thread::sleep(LOOK_EVERY);
            // Requests are done with them: they are freed here, where nobody waits for it.
            drop(former);
        }
    });
    runtime.block_on(connections::accept(server, listener, signals));
    // What nobody waits for any more is not waited for.
    runtime.shutdown_background();
    Ok(String::new())
}

/// Some tables in a few words.
fn describe(volume: &Volume) -> String {
    let tables = &volume.tables;
    let (rules, cycles) = (tables.rules(), tables.cycles());
    let kind = if volume.is_sample() { "sample of " } else { "" };
    match tables.max_seeds() {
        Some(seeds) => format!("{kind}{rules}/{cycles} up to {seeds} seeds"),
        None => format!("{rules}/{cycles} without a layer so far"),
    }
}

fn cannot_serve(address: SocketAddr, error: &io::Error) -> Failure {
    Failure::Data {
        message: format!("cannot listen on {address}: {error}"),
        help: "choose another address or port with --listen; is the server running already?".into(),
    }
}

/// Tells whoever runs the server what is wrong; the server goes on.
fn complain(what: &impl Display) {
    let line = format!("{} {what}\n", paint(style::ERROR, "error:"));
    // If nobody can hear it, nothing else is to be done.
    let _ = anstream::stderr().write_all(line.as_bytes());
}
