//! Connections: accepting them, so many at a time, and ending in good order.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::{select, time};

use super::patient::Patient;
use super::server::Server;
use super::signals::Signals;

/// So many connections at most, if the system allows as many files. Each takes some 20 KB.
const MOST: usize = 4096;

/// Files that are open beside connections: those of tables, a few hundred at most.
const OTHER_FILES: u64 = 512;

/// The time for the head of a request to come. A connection on which nothing is asked is
/// closed after it, too.
const HEAD: Duration = Duration::from_secs(10);

/// The most bytes that the head of a request may have.
const HEAD_BYTES: usize = 16 << 10;

/// How long requests may take to be finished when the server is to end.
const LAST: Duration = Duration::from_secs(30);

/// How long to wait when the system lets in no more connections.
const PAUSE: Duration = Duration::from_millis(100);

/// Accepts connections until there is a signal to end, then finishes what is being answered.
pub(super) async fn accept(server: Arc<Server>, listener: TcpListener, mut signals: Signals) {
    let places = Arc::new(Semaphore::new(most_connections()));
    let graceful = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES);
    loop {
        let next = select! {
            next = next(&listener, &places) => next,
            () = signals.next() => break,
        };
        match next {
            Ok((place, stream)) => begin(&server, &http, &graceful, place, stream),
            Err(error) => {
                super::complain(&format_args!("cannot accept a connection: {error}"));
                time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    // Who asks a second time does not want to wait.
    select! {
        _ = time::timeout(LAST, graceful.shutdown()) => {}
        () = signals.next() => {}
    }
}

/// A place and then a connection to take it: who comes when all are taken waits in the
/// system's queue.
async fn next(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(OwnedSemaphorePermit, TcpStream)> {
    let place = Arc::clone(places).acquire_owned().await;
    let place = place.map_err(io::Error::other)?;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return Ok((place, stream)),
            Err(error) if is_of_the_client(&error) => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether a client went away before it was let in.
fn is_of_the_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionReset | Interrupted
    )
}

/// Serves a connection until it is closed.
fn begin(
    server: &Arc<Server>,
    http: &http1::Builder,
    graceful: &GracefulShutdown,
    place: OwnedSemaphorePermit,
    stream: TcpStream,
) {
    // Gone already.
    let Ok(client) = stream.peer_addr() else {
        return;
    };
    // Answers are sent whole: nothing is gained by waiting for more.
    let _ = stream.set_nodelay(true);
    let of_requests = Arc::clone(server);
    let service = service_fn(move |request| {
        let server = Arc::clone(&of_requests);
        async move { server.serve(client, request).await }
    });
    let connection = http.serve_connection(TokioIo::new(Patient::new(stream)), service);
    let connection = graceful.watch(connection);
    let server = Arc::clone(server);
    tokio::spawn(async move {
        let open = &server.metrics.connections;
        open.fetch_add(1, Ordering::Relaxed);
        // What clients do wrong with their connections is no matter of the server.
        let _ = connection.await;
        open.fetch_sub(1, Ordering::Relaxed);
        drop(place);
    });
}

/// As many connections as files may be open, within reason. What the system allows at most
/// is asked for first.
#[cfg(unix)]
fn most_connections() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = MOST as u64 + OTHER_FILES;
    let raised = Rlimit {
        current: Some(limit.maximum.map_or(wanted, |most| most.min(wanted))),
        maximum: limit.maximum,
    };
    if limit.current.is_some_and(|current| current < wanted) {
        // If it cannot be raised, the limit stays as it is, and is kept.
        let _ = setrlimit(Resource::Nofile, raised);
    }
    let files = getrlimit(Resource::Nofile).current.unwrap_or(wanted);
    let connections = files.saturating_sub(OTHER_FILES).max(files / 2);
    connections.clamp(1, MOST as u64) as usize
}

#[cfg(not(unix))]
fn most_connections() -> usize {
    MOST
}
