//! `granero serve`: the tables over HTTP, and a page on top of them.
//!
//! A request comes in through `connections`, from one of the `guests` that are let in; `server`
//! finds its `route`, makes sure with `hosts` that it is meant for this server, and has one of
//! `catalogue`, `position`, `prove`, `line`, `batch`, `lines`, `statistics` and `page` answer it, with
//! tables from the `shelf`; `reply` and `problem` are the forms of answers. Long work passes through
//! a `gate`, and what takes memory needs one of the `shares`; `searches` beyond the tables need both; `limits` has all limits. All
//! messages go through the `log`. `docs/http-api.md` is the contract.
//!
//! This is hyper without `axum` and `tower-http`. They could replace `route` and the match on it,
//! less than a tenth of this; who is let in, who gives way, the pace at which bytes have to move,
//! and shares for each address and network have no counterpart there, and need the connections
//! that `axum::serve` keeps for itself.

#![allow(missing_docs, reason = "what is public here is for the program alone")]

mod batch;
mod catalogue;
mod connections;
mod descriptors;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod gate;
mod guests;
mod hosts;
mod judge;
mod limits;
mod line;
mod lines;
mod log;
mod metrics;
mod pace;
pub mod page;
mod parameters;
mod patient;
mod peer;
mod position;
mod positions;
mod problem;
mod prove;
mod reply;
mod route;
mod searches;
mod server;
mod shares;
mod shelf;
mod signals;
mod statistics;

pub use crate::limits::{BATCH_BYTES, BATCH_POSITIONS};
pub use crate::parameters::LONGEST;
pub use crate::shelf::fingerprint;

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::panic;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::guests::Guests;
use crate::hosts::Hosts;
use crate::limits::Limits;
use crate::log::Log;
use crate::searches::{Proving, Searches};
use crate::server::Server;
use crate::shelf::{Directories, Volume};
use crate::signals::{End, Signals};
use granero_console::failure::{Failure, MORE_THREADS};
use granero_console::{db, options};

/// How often to check whether a build has finished a layer.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How much longer than [`connections::LAST`] the server may take to end. It never needs that.
const MARGIN: Duration = Duration::from_secs(5);

/// Serve the tables over HTTP, with a page to explore them
///
/// Opens the tables of one or several directories, of any rulesets, and answers what positions
/// are worth: to people on a page, to programs as docs/http-api.md describes. Notices new layers
/// of a running build. Only this machine can connect, unless --listen says otherwise.
///
/// Without --db, and without tables in granero-db, it serves the sample tables that are part
/// of the program.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero serve
  granero serve --db granero-db --db awari-db
  granero serve --listen 0.0.0.0:80 --host oware.example.org --log
  curl 'http://127.0.0.1:7475/api/v1/abapa/position?p=0,2,0,1,1,0,1,0,2,0,1,0'")]
pub struct Args {
    /// A directory of tables; may be given several times [default: the one that GRANERO_DB names, or
    /// granero-db, or else the sample]
    #[arg(long, env = db::VARIABLE, hide_env_values = true, value_name = "DIR")]
    db: Vec<PathBuf>,

    /// The address and port to listen on; port 0 means any free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7475", value_parser = address)]
    listen: SocketAddr,

    /// A host name that the server answers to, besides addresses and localhost; may be given
    /// several times. Behind a proxy this is the name of the site
    #[arg(long = "host", value_name = "NAME", value_parser = hosts::name)]
    hosts: Vec<String>,

    /// Allow pages of other sites to ask
    #[arg(long)]
    cors: bool,

    /// The memory for decoded blocks, of all tables together that are there at the start; tables of
    /// another convention or directory that come later have some more
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = options::memory)]
    cache: u64,

    /// Print a line for each request
    #[arg(long)]
    log: bool,

    #[command(flatten)]
    limits: Limits,

    #[command(flatten)]
    proving: Proving,
}

/// An address with a port, or a name that has an address.
fn address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().ok();
    let first = found.and_then(|mut addresses| addresses.next());
    first.ok_or_else(|| "an address with a port is needed, like 127.0.0.1:7475".into())
}

pub fn run(args: &Args) -> Result<String, Failure> {
    let cannot_serve = |error: io::Error| cannot_serve(args.listen, &error);
    let signals = Signals::new().map_err(cannot_serve)?;
    let mut directories = Directories::open(&args.db, args.cache)?;
    args.limits.allow_files(directories.most_files())?;
    let shelf = directories.shelf();
    // `tokio` panics where it cannot start a thread.
    panic::set_hook(Box::new(|_| ()));
    let runtime = panic::catch_unwind(|| {
        tokio::runtime::Builder::new_multi_thread()
            .max_blocking_threads(limits::READERS + limits::workers() + 1 + args.proving.searches())
            .enable_all()
            .build()
    });
    let _ = panic::take_hook();
    let no_threads = io::Error::new(io::ErrorKind::WouldBlock, "its threads cannot be started");
    let runtime = runtime.unwrap_or(Err(no_threads)).map_err(cannot_serve)?;
    let listener = runtime.block_on(async { connections::listen(args.listen) });
    let listener = listener.map_err(cannot_serve)?;
    let address = listener.local_addr().map_err(cannot_serve)?;
    let log = Arc::new(Log::new(args.log).map_err(cannot_serve)?);
    let end = End::default();
    let within = connections::LAST + MARGIN;
    let of_hang_ups = Arc::clone(&log);
    let hung_up =
        move || of_hang_ups.say("SIGHUP ignored: new tables are noticed without it\n".into());
    signals
        .tell(Arc::clone(&end), within, hung_up)
        .map_err(cannot_serve)?;
    let of_panics = Arc::clone(&log);
    panic::set_hook(Box::new(move |panic| {
        let said = panic.to_string().replace('\n', " ");
        of_panics.complain(format_args!("a fault of the program: {said}"));
    }));
    // For programs that wait for the port: it is open now.
    let tables: Vec<String> = shelf.volumes().map(describe).collect();
    log.say(format!(
        "Serving {} at http://{address}/\n",
        tables.join(", ")
    ));
    let for_searches = args.proving.memory();
    let memory = args.limits.memory(directories.cache(), for_searches);
    log.say(memory.line());

    let guests = Guests::new(args.limits.connections(), args.limits.proxies.clone());
    let hosts = Hosts::new(args.hosts.clone());
    let searches = Searches::new(&args.proving);
    let server = Server::new(shelf, searches, guests, hosts, args.cors, Arc::clone(&log));
    let server = Arc::new(server);
    let looked_at = Arc::clone(&server);
    let look = move || {
        loop {
            let new = directories.look(&looked_at.log);
            let former = new.then(|| looked_at.replace(directories.shelf()));
            thread::sleep(LOOK_EVERY);
            // No request uses them any more. Free them here, where no request waits.
            drop(former);
        }
    };
    thread::Builder::new().spawn(look).map_err(cannot_serve)?;
    runtime.block_on(async {
        connections::accept(server, listener, end).await;
        log.finish().await;
    });
    // Do not wait for work without a client.
    runtime.shutdown_background();
    Ok(String::new())
}

/// Some tables in a few words.
fn describe(volume: &Volume) -> String {
    let tables = &volume.tables;
    let (rules, cycles) = (tables.rules(), tables.cycles());
    let kind = if volume.is_sample() { "sample of " } else { "" };
    let extent = match tables.extent().is_full() {
        true => "",
        false => " as far as it decides the game",
    };
    match tables.max_seeds() {
        Some(seeds) => format!("{kind}{rules}/{cycles} up to {seeds} seeds{extent}"),
        None => format!("{rules}/{cycles} without a layer so far"),
    }
}

fn cannot_serve(address: SocketAddr, error: &io::Error) -> Failure {
    let help = match error.kind() {
        io::ErrorKind::WouldBlock => MORE_THREADS,
        _ => "choose another address or port with --listen; is the server running already?",
    };
    Failure::Data {
        message: format!("cannot listen on {address}: {error}"),
        help: help.into(),
    }
}
