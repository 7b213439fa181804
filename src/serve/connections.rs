//! Connections: accepts a limited number at a time, and shuts down in order.

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

use crate::guests::Visit;
use crate::patient::Patient;
use crate::server::Server;
use crate::signals::End;

/// The most connections that the system is asked to queue until they are accepted.
const QUEUE: u32 = 4096;

/// The time for the head of a request to arrive. An idle connection is also closed after it.
const HEAD: Duration = Duration::from_secs(10);

/// The most bytes that the head of a request may have.
const HEAD_BYTES: usize = 16 << 10;

/// How long requests may take to finish when the server ends.
pub(super) const LAST: Duration = Duration::from_secs(30);

/// How long to wait when the system lets in no more connections: the first time, and the
/// longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(1)];

/// Listens on an address.
pub(super) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
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

/// Accepts connections until the server is to end, then finishes what is being answered.
pub(super) async fn accept(server: Arc<Server>, listener: TcpListener, end: End) {
    let graceful = GracefulShutdown::new();
    let http = http();
    select! {
        () = end.notified() => {}
        () = let_in(&server, &listener, &http, &graceful) => {}
    }
    drop(listener);
    // Do not wait for connections that are still busy then.
    let _ = time::timeout(LAST, graceful.shutdown()).await;
}

/// How connections speak HTTP.
pub(super) fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES);
    http
}

/// Accepts connections, without end.
async fn let_in(
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
                // To close the connection is to refuse it.
                if let Ok(visit) = server.guests.admit(client.ip()).await {
                    begin(server, http, graceful, visit, stream);
                }
            }
            Err(error) if is_of_the_client(&error) => {}
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
    visit: Visit,
    stream: TcpStream,
) {
    // Answers are sent whole: nothing is gained by waiting for more.
    let _ = stream.set_nodelay(true);
    let guest = Arc::clone(&visit.guest);
    let stream = Patient::new(stream, Arc::clone(&guest));
    let server = Arc::clone(server);
    let service = service_fn(move |request| {
        let (server, guest) = (Arc::clone(&server), Arc::clone(&guest));
        async move { server.serve(&guest, request).await }
    });
    let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
    tokio::spawn(async move {
        select! {
                    () = visit.guest.gives_way() => {}
        // Errors of clients on their connections do not concern the server.
                    _ = connection => {}
                }
    });
}
