//! `granero serve`: the tables over HTTP, and a page on top of them.
//!
//! * `connection/`: accepts connections, and decides which close when there are too many;
//! * `endpoint/`: the list of endpoints, and a file for each;
//! * `fuzzing`: the server without a network, for the fuzz targets;
//! * `limits/`: limits on what clients make the server hold and do;
//! * `log`: the log of requests and errors;
//! * `reply/`: answers and errors as HTTP;
//! * `request/`: reads and checks requests;
//! * `server`: takes a request to its endpoint and the answer back;
//! * `signals`: ends the server when the system asks for it;
//! * `tables/`: the tables that are served, and new layers of a running build.
//!
//! `docs/http-api.md` is the contract.
//!
//! This is hyper without `axum` and `tower-http`. They could replace the list of endpoints and the
//! match on it, less than a tenth of this. Admitting and evicting connections, the least pace of
//! bytes, and limits for each address and network have no counterpart there, and need the
//! connections that `axum::serve` keeps for itself.

#![allow(missing_docs, reason = "what is public here is for the program alone")]

mod connection;
mod endpoint;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod limits;
mod log;
mod reply;
mod request;
mod server;
mod signals;
mod tables;

pub use crate::endpoint::page;
pub use crate::limits::{BATCH_BYTES, BATCH_POSITIONS};
pub use crate::request::parameters::LONGEST;
pub use crate::tables::catalogue::fingerprint;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::panic;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::connection::Connections;
use crate::limits::{ClientLimits, SearchOptions, Searches};
use crate::log::Log;
use crate::request::{Hosts, hosts};
use crate::server::Server;
use crate::signals::{Shutdown, Signals};
use crate::tables::{TableSet, WatchedDirectories};
use granero_console::{Failure, MORE_THREADS, db, options};

/// The pause between two checks for new layers.
const WATCH_PAUSE: Duration = Duration::from_secs(1);

/// Extra time beyond [`connection::LAST`] before the process is ended by force.
const MARGIN: Duration = Duration::from_secs(5);

/// Serve the tables over HTTP, with a page to explore them
///
/// Opens the tables of one or several directories, of any rulesets, and answers what positions
/// are worth: to people on a page, to programs as docs/http-api.md describes. Picks up new layers
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

    /// The port to listen on, for this machine only: short for --listen 127.0.0.1:PORT
    #[arg(long, value_name = "PORT", conflicts_with = "listen", value_parser = options::number::<u16>(0..=65_535))]
    port: Option<u16>,

    /// A host name to answer to, besides addresses and localhost; may be given several times.
    /// Behind a proxy, give the name of the site
    #[arg(long = "host", value_name = "NAME", value_parser = hosts::name)]
    hosts: Vec<String>,

    /// Let pages of other sites use the API
    #[arg(long)]
    cors: bool,

    /// The memory for decoded blocks, shared by all tables present at the start; tables of another
    /// convention or directory that appear later get some more
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = options::memory)]
    cache: u64,

    /// Print a line for each request
    #[arg(long)]
    log: bool,

    #[command(flatten)]
    limits: ClientLimits,

    #[command(flatten)]
    searches: SearchOptions,
}

/// Parses an address with a port; a name is looked up.
fn address(text: &str) -> Result<SocketAddr, String> {
    let addresses = text.to_socket_addrs().ok();
    let first = addresses.and_then(|mut addresses| addresses.next());
    first.ok_or_else(|| "an address with a port is needed, like 127.0.0.1:7475".into())
}

pub fn run(args: &Args) -> Result<String, Failure> {
    let listen = match args.port {
        Some(port) => (Ipv4Addr::LOCALHOST, port).into(),
        None => args.listen,
    };
    let cannot_serve = |error: io::Error| cannot_serve(listen, &error);
    let signals = Signals::new().map_err(cannot_serve)?;
    let mut directories = WatchedDirectories::open(&args.db, args.cache)?;
    args.limits.allow_files(directories.most_files())?;
    let catalogue = directories.catalogue();
    // `tokio` panics where it cannot start a thread.
    panic::set_hook(Box::new(|_| ()));
    let started = panic::catch_unwind(|| {
        tokio::runtime::Builder::new_multi_thread()
            .max_blocking_threads(limits::READERS + limits::workers() + 1 + args.searches.most())
            .enable_all()
            .build()
    });
    let _ = panic::take_hook();
    let no_threads = io::Error::new(io::ErrorKind::WouldBlock, "its threads cannot be started");
    let runtime = started.unwrap_or(Err(no_threads)).map_err(cannot_serve)?;
    let listener = runtime
        .block_on(async { connection::listen(listen) })
        .map_err(cannot_serve)?;
    let address = listener.local_addr().map_err(cannot_serve)?;
    let log = Arc::new(Log::new(args.log).map_err(cannot_serve)?);
    let shutdown = Shutdown::default();
    let within = connection::LAST + MARGIN;
    let log_of_signals = Arc::clone(&log);
    let hung_up = move || {
        log_of_signals.say("SIGHUP ignored: new tables are picked up without it\n".into());
    };
    signals
        .tell(Arc::clone(&shutdown), within, hung_up)
        .map_err(cannot_serve)?;
    let log_of_panics = Arc::clone(&log);
    panic::set_hook(Box::new(move |panic| {
        let message = panic.to_string().replace('\n', " ");
        log_of_panics.complain(format_args!("a fault of the program: {message}"));
    }));
    // For programs that wait for the port: it is open now.
    let tables: Vec<String> = catalogue.sets().map(describe).collect();
    log.say(format!(
        "Serving {} at http://{address}/\n",
        tables.join(", ")
    ));
    let memory = args
        .limits
        .memory(directories.cache(), args.searches.memory());
    log.say(memory.line());

    let server = Arc::new(Server::new(
        catalogue,
        Searches::new(&args.searches),
        Connections::new(args.limits.connections(), args.limits.proxies.clone()),
        Hosts::new(args.hosts.clone()),
        args.cors,
        Arc::clone(&log),
    ));
    let watched = Arc::clone(&server);
    let watch = move || {
        loop {
            let changed = directories.check(&watched.log);
            let former = changed.then(|| watched.current.replace(directories.catalogue()));
            thread::sleep(WATCH_PAUSE);
            // Freed here, where no request waits: no request uses it any more.
            drop(former);
        }
    };
    thread::Builder::new().spawn(watch).map_err(cannot_serve)?;
    runtime.block_on(async {
        connection::accept(server, listener, shutdown).await;
        log.finish().await;
    });
    // Do not wait for work without a client.
    runtime.shutdown_background();
    Ok(String::new())
}

/// Describes tables in a few words.
fn describe(set: &TableSet) -> String {
    let tables = &set.tables;
    let (rules, cycles) = (tables.rules(), tables.cycles());
    let kind = if set.is_sample() { "sample of " } else { "" };
    let extent = if tables.extent().is_full() {
        ""
    } else {
        " as far as it decides the game"
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
