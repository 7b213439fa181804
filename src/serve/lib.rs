//! `granero serve`: the tables over HTTP, and a page on top of them.
//!
//! Each module uses only those before it in this list:
//!
//! * `problem`: the errors; `metrics`, `log`: counts, and lines for the operator;
//! * `limits`, `searches`: limits on what clients make the server hold and do;
//! * `reply`: answers as HTTP; `tables`: the tables that are served;
//! * `parameters`, `hosts`: read and check requests;
//! * `connection`: a connection; `site`: what endpoints share, and what a request asks;
//! * `lines`, `judge`, `page`, `endpoints`: a function for each endpoint;
//! * `router`: the list of endpoints, and what is the same for all;
//! * `accept`: accepts connections; `signals`, `open_files`: the system;
//! * `fuzzing`: the server without a network, for the fuzz targets.
//!
//! `docs/http-api.md` is the contract.

#![allow(missing_docs, reason = "what is public here is for the program alone")]

mod accept;
mod connection;
mod endpoints;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod hosts;
mod judge;
mod limits;
mod lines;
mod log;
mod metrics;
mod open_files;
mod openapi;
pub mod page;
mod parameters;
mod problem;
mod reply;
mod router;
mod searches;
mod signals;
mod site;
mod tables;

pub use crate::limits::limits;
pub use crate::tables::fingerprint;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::panic;
use std::path::PathBuf;
use std::sync::Arc;

use granero_answer::with_causes;
use granero_console::{Failure, MORE_THREADS, db, options};
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;

use crate::router::Service;
use crate::searches::SearchOptions;
use crate::signals::Signals;
use crate::site::Site;
use crate::tables::Served;

/// Serve the tables over HTTP, with a page to explore them
///
/// Opens the tables of one or several directories, of any rulesets, and answers what positions
/// are worth: to people on a page, to programs as docs/http-api.md describes. Opens them again when
/// it gets the signal SIGHUP. Only this machine can connect, unless --listen says otherwise.
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

    /// The memory for decoded blocks, shared by all tables
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = options::memory)]
    cache: u64,

    /// Print a line for each request
    #[arg(long)]
    log: bool,

    /// The most connections; when there is no room for a new one, the one that has waited longest
    /// for its client is closed
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    connections: u32,

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
    let cannot_serve = |error: io::Error| {
        let help = match error.kind() {
            io::ErrorKind::WouldBlock => MORE_THREADS,
            _ => "choose another address or port with --listen; is the server running already?",
        };
        Failure::data(format!("cannot listen on {listen}: {error}"), help)
    };
    let signals = Signals::new().map_err(cannot_serve)?;
    let served = Arc::new(Served::open(&args.db, args.cache)?);
    open_files::allow(args.connections.into(), served.most_files())?;
    let site = Site::new(
        Arc::clone(&served),
        &args.searches,
        args.hosts.clone(),
        args.cors,
    );
    // `tokio` panics where it cannot start a thread.
    panic::set_hook(Box::new(|_| ()));
    let started = panic::catch_unwind(|| {
        tokio::runtime::Builder::new_multi_thread()
            .max_blocking_threads(limits::READERS + limits::workers() + 2 + args.searches.most())
            .enable_all()
            .build()
    });
    let _ = panic::take_hook();
    let no_threads = io::Error::new(io::ErrorKind::WouldBlock, "its threads cannot be started");
    let runtime = started.unwrap_or(Err(no_threads)).map_err(cannot_serve)?;
    let _guard = runtime.enter();
    let listener = runtime.block_on(TcpListener::bind(listen));
    let listener = listener.map_err(cannot_serve)?;
    let address = listener.local_addr().map_err(cannot_serve)?;
    log::start(args.log).map_err(cannot_serve)?;
    panic::set_hook(Box::new(|panic| {
        let message = panic.to_string().replace('\n', " ");
        log::complain(format_args!("a fault of the program: {message}"));
    }));
    let open_again = async || {
        let served = Arc::clone(&served);
        // In a task, which ends alone if no thread can be started.
        let opened = tokio::spawn(async { spawn_blocking(move || open_again(&served)).await });
        let _ = opened.await;
    };
    let end = signals.end(open_again).map_err(cannot_serve)?;
    // For programs that wait for the port: it is open now.
    tracing::info!("Serving {} at http://{address}/", described(&served));
    let searches = args.searches.memory();
    let connections = args.connections as usize;
    tracing::info!("{}", limits::memory(args.cache, connections, searches));
    let service = Service::new(site);
    runtime.block_on(accept::accept(service, connections, listener, end));
    log::finish();
    // Do not wait for work without a client.
    runtime.shutdown_background();
    Ok(String::new())
}

fn open_again(served: &Served) {
    for error in served.open_again() {
        log::complain(with_causes(&error));
    }
    tracing::info!("Opened again: {}", described(served));
}

/// Describes the tables in a few words.
fn described(served: &Served) -> String {
    let sets = served.existing();
    let sets = sets.iter().map(|set| {
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
    });
    sets.collect::<Vec<String>>().join(", ")
}
