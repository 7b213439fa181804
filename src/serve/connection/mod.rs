//! Accepts connections, and shuts them down in order.
//!
//! * `activity`: what a connection does, and since when;
//! * `paced`: closes connections of clients that read too slowly;
//! * `register`: admits connections up to limits, and evicts idle ones.

pub(crate) mod activity;
pub(crate) mod paced;
pub(crate) mod register;

pub(crate) use activity::Activity;
pub(crate) use paced::PacedStream;
pub(crate) use register::{Connection, Connections};

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::{select, time};

use crate::server::Server;
use crate::signals::Shutdown;

use register::Admitted;

/// The most connections that the system may queue before they are accepted.
const QUEUE: u32 = 4096;

/// The longest time for the head of a request. An idle connection is closed after the same time.
const HEAD: Duration = Duration::from_secs(10);

/// The most bytes that the head of a request may have.
const HEAD_BYTES: usize = 16 << 10;

/// The longest time for requests to finish when the server ends.
pub(crate) const LAST: Duration = Duration::from_secs(30);

/// The first and the longest pause when the system accepts no more connections.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(1)];

pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // On other systems it would let another program take the port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(QUEUE)
}

/// Accepts connections until `shutdown`, then finishes the requests in progress.
pub(crate) async fn accept(server: Arc<Server>, listener: TcpListener, shutdown: Shutdown) {
    let graceful = GracefulShutdown::new();
    let http = http();
    select! {
        () = shutdown.notified() => {}
        () = accept_all(&server, &listener, &http, &graceful) => {}
    }
    drop(listener);
    // Connections that are still busy then are dropped.
    let _ = time::timeout(LAST, graceful.shutdown()).await;
}

/// Returns the HTTP settings of all connections.
pub(crate) fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES);
    http
}

/// Accepts connections without end.
async fn accept_all(
    server: &Arc<Server>,
    listener: &TcpListener,
    http: &http1::Builder,
    graceful: &GracefulShutdown,
) {
    let [first, longest] = PAUSES;
    let mut pause = first;
    loop {
        match listener.accept().await {
            Ok((stream, client)) => {
                pause = first;
                // A refused connection closes when it is dropped.
                if let Ok(admitted) = server.connections.admit(client.ip()).await {
                    begin(server, http, graceful, admitted, stream);
                }
            }
            Err(error) if has_client_left(&error) => {}
            Err(error) => {
                server.metrics.accept_errors.fetch_add(1, Ordering::Relaxed);
                let what = format_args!("cannot accept a connection: {error}");
                server.log.complain_now_and_then("accept", what);
                time::sleep(pause).await;
                pause = (pause * 2).min(longest);
            }
        }
    }
}

/// Returns true if a client went away before it was accepted.
fn has_client_left(error: &io::Error) -> bool {
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
    admitted: Admitted,
    stream: TcpStream,
) {
    // Answers are sent whole, so waiting for more data gains nothing.
    let _ = stream.set_nodelay(true);
    let connection = Arc::clone(&admitted.connection);
    let stream = PacedStream::new(stream, Arc::clone(&connection));
    let server = Arc::clone(server);
    let service = service_fn(move |request| {
        let (server, connection) = (Arc::clone(&server), Arc::clone(&connection));
        async move { server.serve(&connection, request).await }
    });
    let served = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
    tokio::spawn(async move {
        select! {
            () = admitted.connection.evicted() => {}
            // An error on a connection concerns its client alone.
            _ = served => {}
        }
    });
}
