//! `granero serve`: the tables over HTTP, and a page on top of them.
//!
//! Each module uses only those before it in this list:
//!
//! * `metrics`, `log`: counts, and lines for the operator; `problem`: the errors;
//! * `limits`, `searches`: limits on what clients make the server hold and do;
//! * `reply`: answers as HTTP; `tables`: the tables that are served;
//! * `parameters`, `hosts`: read and check requests;
//! * `connection`: a connection; `site`: what endpoints share, and what a request asks;
//! * `lines`, `judge`, `page`, `endpoints`: a function for each endpoint;
//! * `router`: the list of endpoints, and what is the same for all;
//! * `accept`: accepts connections; `open_files`: the system;
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
#[cfg(unix)]
mod open_files;
mod openapi;
pub mod page;
mod parameters;
mod problem;
mod reply;
mod router;
mod searches;
mod site;
mod tables;

pub use crate::limits::limits;
pub use crate::tables::fingerprint;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::panic;
use std::path::PathBuf;
use std::sync::Arc;

use granero_console::{Failure, MORE_THREADS, db, options};
use tokio::net::TcpListener;
use tokio::select;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::spawn_blocking;

use crate::router::Service;
use crate::searches::SearchOptions;
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
    // `tokio` panics where it cannot start a thread.
    panic::set_hook(Box::new(|_| ()));
    let started = panic::catch_unwind(|| {
        tokio::runtime::Builder::new_multi_thread()
            .max_blocking_threads(limits::READERS + limits::workers() + 2 + args.searches.most())
            .enable_all()
            .build()
    });
    let _ = panic::take_hook();
    let started = started.unwrap_or(Err(io::ErrorKind::WouldBlock.into()));
    let runtime = started.map_err(cannot_start)?;
    let served = runtime.block_on(serve(args));
    log::finish();
    // Do not wait for work without a client.
    runtime.shutdown_background();
    served.map(|()| String::new())
}

fn cannot_start(error: io::Error) -> Failure {
    let message = format!("threads or signals cannot be set up: {error}");
    Failure::data(message, MORE_THREADS)
}

/// Serves until a signal asks it to end. While it starts, this signal ends it at once; while it
/// finishes the requests in progress, another one does.
async fn serve(args: &Args) -> Result<(), Failure> {
    let listen = match args.port {
        Some(port) => (Ipv4Addr::LOCALHOST, port).into(),
        None => args.listen,
    };
    let cannot_serve = |error: io::Error| {
        let help = "choose another address or port with --listen; is the server running already?";
        Failure::data(format!("cannot listen on {listen}: {error}"), help)
    };
    let mut end = ends().map_err(cannot_start)?;
    #[cfg(unix)]
    let hang_up = signal(SignalKind::hangup()).map_err(cannot_start)?;
    let (paths, cache) = (args.db.clone(), args.cache);
    let served = select! {
        opened = in_background(move || Served::open(&paths, cache)) => Arc::new(opened.map_err(cannot_start)??),
        _ = end() => return Ok(()),
    };
    #[cfg(unix)]
    open_files::allow(args.connections.into(), served.most_files())?;
    let listener = TcpListener::bind(listen).await.map_err(cannot_serve)?;
    let address = listener.local_addr().map_err(cannot_serve)?;
    log::start(args.log).map_err(cannot_start)?;
    panic::set_hook(Box::new(|panic| {
        let message = panic.to_string().replace('\n', " ");
        log::complain(format_args!("a fault of the program: {message}"));
    }));
    // For programs that wait for the port: it is open now.
    tracing::info!("Serving {} at http://{address}/", described(&served));
    let searches = args.searches.memory();
    let connections = args.connections as usize;
    tracing::info!("{}", limits::memory(args.cache, connections, searches));
    #[cfg(unix)]
    tokio::spawn(open_again(hang_up, Arc::clone(&served)));
    let site = Site::new(served, &args.searches, args.hosts.clone(), args.cors);
    accept::accept(Service::new(site), connections, listener, end).await;
    Ok(())
}

/// Returns what waits for a signal to end. None is lost from here on, not even one that comes before
/// it is waited for.
#[cfg(unix)]
fn ends() -> io::Result<impl AsyncFnMut() -> Option<()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move || {
        select! {
            got = interrupt.recv() => got,
            got = terminate.recv() => got,
        }
    })
}

#[cfg(not(unix))]
fn ends() -> io::Result<impl AsyncFnMut() -> Option<()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move || interrupt.recv().await)
}

/// Opens the tables again after each signal.
#[cfg(unix)]
async fn open_again(mut hang_up: Signal, served: Arc<Served>) {
    while hang_up.recv().await.is_some() {
        let again = Arc::clone(&served);
        match in_background(move || again.open_again()).await {
            Ok(Ok(())) => tracing::info!("Opened again: {}", described(&served)),
            Ok(Err(error)) => log::complain(granero_answer::with_causes(&error)),
            Err(error) => log::complain(error),
        }
    }
}

/// Does work that waits for disks. The task ends alone if no thread can be started.
async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let done = tokio::spawn(async { spawn_blocking(work).await }).await;
    Ok(done.flatten()?)
}

/// Describes the tables in a few words.
fn described(served: &Served) -> String {
    let sets = served.existing();
    let sets = sets.iter().map(|set| {
        let kind = if set.is_sample() { "sample of " } else { "" };
        let (rules, cycles) = (set.tables.rules(), set.tables.cycles());
        let extent = if set.tables.extent().is_full() {
            ""
        } else {
            " as far as it decides the game"
        };
        match set.tables.max_seeds() {
            Some(seeds) => format!("{kind}{rules}/{cycles} up to {seeds} seeds{extent}"),
            None => format!("{rules}/{cycles} without a layer so far"),
        }
    });
    sets.collect::<Vec<String>>().join(", ")
}
