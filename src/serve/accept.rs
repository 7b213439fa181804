//! Accepts connections up to a limit, and shuts them down in order.

use std::io::ErrorKind::{ConnectionAborted, ConnectionReset};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{self, AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::{select, time};
use tokio_io_timeout::TimeoutStream;

use crate::connection::Connection;
use crate::limits::SPAN;
use crate::log;
use crate::metrics::METRICS;
use crate::router::Service;

/// The most bytes that the head of a request may have.
const HEAD_BYTES: usize = 16 << 10;

/// The most that is read of a body that is not wanted.
const UNWANTED: u64 = 16 << 20;

/// The longest time for requests to finish when the server ends.
const LAST: Duration = Duration::from_secs(30);

/// The pause when the system accepts no more connections.
const PAUSE: Duration = Duration::from_millis(200);

/// Accepts at most `most` connections at a time until `end`, then finishes the requests in progress
/// until it comes again.
pub(crate) async fn accept(
    service: Service,
    most: usize,
    listener: TcpListener,
    mut end: impl AsyncFnMut() -> Option<()>,
) {
    let (ended, ending) = watch::channel(());
    select! {
        _ = end() => {}
        () = accept_all(&service, most, &listener, ending) => {}
    }
    ended.send_replace(());
    drop(listener);
    // Connections that are still busy then are dropped.
    select! {
        _ = end() => {}
        _ = time::timeout(LAST, ended.closed()) => {}
    }
}

/// A connection, and the task that serves it.
type Served = (Weak<Connection>, JoinHandle<bool>);

/// Accepts connections without end.
async fn accept_all(
    service: &Service,
    most: usize,
    listener: &TcpListener,
    ending: watch::Receiver<()>,
) {
    let mut open = Vec::<Served>::new();
    loop {
        match listener.accept().await {
            Ok((stream, client)) => {
                open.retain(|(_, task)| !task.is_finished());
                if open.len() >= most && !make_room(&mut open).await {
                    METRICS.refused.inc();
                    continue;
                }
                // Answers are sent whole, so waiting for more data gains nothing.
                let _ = stream.set_nodelay(true);
                let connection = Connection::new(client.ip());
                let (service, ending) = (service.clone(), ending.clone());
                let served = Arc::downgrade(&connection);
                let task = converse(service, connection, stream, ending);
                open.push((served, tokio::spawn(task)));
            }
            // The client has gone away before.
            Err(error) if matches!(error.kind(), ConnectionAborted | ConnectionReset) => {}
            Err(error) => {
                METRICS.accept_errors.inc();
                log::complain_rarely("accept", format!("cannot accept a connection: {error}"));
                time::sleep(PAUSE).await;
            }
        }
    }
}

/// Lets the connection that has waited for its client for longest give way. Returns false if all are
/// being answered.
async fn make_room(open: &mut Vec<Served>) -> bool {
    let all = open.iter().enumerate();
    let waiting = all
        .filter_map(|(place, (connection, _))| Some((connection.upgrade()?.waits_since()?, place)));
    let Some((_, place)) = waiting.min() else {
        return false;
    };
    let (_, task) = open.swap_remove(place);
    task.abort();
    METRICS.evicted.inc();
    let _ = task.await;
    true
}

/// Serves a connection until it is closed. Returns false if something on it was not HTTP.
pub(crate) async fn converse(
    service: Service,
    connection: Arc<Connection>,
    stream: impl AsyncRead + AsyncWrite + Send + 'static,
    mut ending: watch::Receiver<()>,
) -> bool {
    let mut stream = TimeoutStream::new(stream);
    // For a client that does not read.
    stream.set_write_timeout(Some(SPAN));
    let answer = service_fn(|request: Request<Incoming>| {
        connection.set_waiting(false);
        service.answer(&connection, request.map(Body::new))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(SPAN)
        .max_buf_size(HEAD_BYTES);
    let mut http = http.serve_connection(TokioIo::new(Box::pin(stream)), answer);
    let ended = select! {
        ended = &mut http => ended,
        () = connection.too_slow() => return true,
        _ = ending.changed() => {
            std::pin::Pin::new(&mut http).graceful_shutdown();
            (&mut http).await
        }
    };
    let was_http = ended.is_ok();
    if was_http && connection.leaves_body.load(Relaxed) {
        // A client that still sends would not see its answer if this closed at once.
        let mut rest = http.into_parts().io.into_inner().take(UNWANTED);
        let _ = time::timeout(SPAN, io::copy(&mut rest, &mut io::sink())).await;
    }
    was_http
}
