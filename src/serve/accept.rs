//! Accepts connections up to a limit, and shuts them down in order.

use std::future::Future;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::{select, time};

use crate::connection::{Activity, Connection, Stream};
use crate::log;
use crate::metrics::METRICS;
use crate::router::Service;

/// The longest time for the head of a request. An idle connection is closed after the same time.
const HEAD: Duration = Duration::from_secs(10);

/// The most bytes that the head of a request may have.
const HEAD_BYTES: usize = 16 << 10;

/// The longest time for requests to finish when the server ends.
const LAST: Duration = Duration::from_secs(30);

/// The pause when the system accepts no more connections.
const PAUSE: Duration = Duration::from_millis(200);

/// The errors of clients that went away before they were accepted.
const GONE: [ErrorKind; 3] = [
    ErrorKind::ConnectionAborted,
    ErrorKind::ConnectionReset,
    ErrorKind::Interrupted,
];

/// Accepts at most `most` connections at a time until `shutdown`, then finishes the requests in
/// progress.
pub(crate) async fn accept(
    service: Service,
    most: usize,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) {
    let ending = GracefulShutdown::new();
    select! {
        () = shutdown => {}
        () = accept_all(&service, most, &listener, &ending) => {}
    }
    drop(listener);
    // Connections that are still busy after that time are dropped.
    let _ = time::timeout(LAST, ending.shutdown()).await;
}

/// A connection, and the task that serves it.
type Served = (Arc<Connection>, JoinHandle<bool>);

/// Accepts connections without end.
async fn accept_all(
    service: &Service,
    most: usize,
    listener: &TcpListener,
    ending: &GracefulShutdown,
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
                let (service, ending) = (service.clone(), ending.watcher());
                let task = converse(service, Arc::clone(&connection), stream, ending);
                open.push((connection, tokio::spawn(task)));
            }
            Err(error) if GONE.contains(&error.kind()) => {}
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
    let waiting = all.filter_map(|(place, (connection, _))| {
        let (activity, since) = *connection.since();
        (activity != Activity::Answering).then_some((since, place))
    });
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
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    ending: Watcher,
) -> bool {
    let stream = TokioIo::new(Stream::new(stream, Arc::clone(&connection)));
    let answer = service_fn(|request: Request<Incoming>| {
        connection.set(Activity::Answering);
        let is_new = request.version() >= Version::HTTP_11;
        connection.skips_interim.store(is_new, Relaxed);
        service.answer(&connection, request.map(Body::new))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES);
    select! {
        ended = ending.watch(http.serve_connection(stream, answer)) => ended.is_ok(),
        () = connection.reads_too_slowly() => true,
    }
}
