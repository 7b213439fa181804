//! Accepts connections up to a limit, and shuts them down in order.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::{select, time};
use tower_service::Service;

use crate::connection::{Activity, Connection, Stream};
use crate::log;
use crate::metrics::METRICS;

/// The longest time for the head of a request. An idle connection is closed after the same time.
const HEAD: Duration = Duration::from_secs(10);

/// The most bytes that the head of a request may have.
const HEAD_BYTES: usize = 16 << 10;

/// The longest time for requests to finish when the server ends.
const LAST: Duration = Duration::from_secs(30);

/// The first and the longest pause when the system accepts no more connections.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(1)];

/// Accepts at most `most` connections at a time until `shutdown`, then finishes the requests in
/// progress.
pub(crate) async fn accept(
    router: Router,
    most: usize,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) {
    let (end, ending) = watch::channel(());
    let mut connections = Connections::default();
    select! {
        () = shutdown => {}
        () = connections.accept(&router, most, &listener, &ending) => {}
    }
    drop(listener);
    // Connections that are still busy after that time are dropped.
    let _ = end.send(());
    let tasks = &mut connections.tasks;
    let _ = time::timeout(LAST, async { while tasks.join_next().await.is_some() {} }).await;
}

/// The open connections.
#[derive(Default)]
struct Connections {
    tasks: JoinSet<bool>,
    /// Those that have not been told to give way.
    open: HashMap<Id, (Arc<Connection>, AbortHandle)>,
}

impl Connections {
    /// Accepts connections without end.
    async fn accept(
        &mut self,
        router: &Router,
        most: usize,
        listener: &TcpListener,
        ending: &watch::Receiver<()>,
    ) {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
        let [first, longest] = PAUSES;
        let mut pause = first;
        loop {
            let accepted = select! {
                accepted = listener.accept() => accepted,
                Some(ended) = self.tasks.join_next_with_id() => {
                    self.ended(ended);
                    continue;
                }
            };
            match accepted {
                Ok((stream, client)) => {
                    pause = first;
                    while let Some(ended) = self.tasks.try_join_next_with_id() {
                        self.ended(ended);
                    }
                    if self.tasks.len() >= most && !self.make_room().await {
                        METRICS.refused.inc();
                        continue;
                    }
                    // Answers are sent whole, so waiting for more data gains nothing.
                    let _ = stream.set_nodelay(true);
                    let connection = Connection::new(client.ip());
                    let (router, ending) = (router.clone(), ending.clone());
                    let task = converse(router, Arc::clone(&connection), stream, ending);
                    let task = self.tasks.spawn(task);
                    self.open.insert(task.id(), (connection, task));
                    METRICS.connections.set(self.tasks.len() as i64);
                }
                // The client went away before it was accepted.
                Err(error)
                    if matches!(
                        error.kind(),
                        ConnectionAborted | ConnectionReset | Interrupted
                    ) => {}
                Err(error) => {
                    METRICS.accept_errors.inc();
                    log::complain_rarely("accept", format!("cannot accept a connection: {error}"));
                    time::sleep(pause).await;
                    pause = (pause * 2).min(longest);
                }
            }
        }
    }

    /// Lets the connection that has been idle for longest give way, or one that waits for its client.
    /// Returns false if all are being answered.
    async fn make_room(&mut self) -> bool {
        let all = self
            .open
            .iter()
            .map(|(id, (connection, _))| (*connection.since(), *id));
        let next = all.min_by_key(|(since, _)| *since);
        let next = next.filter(|((activity, _), _)| *activity < Activity::Answering);
        let Some((_, task)) = next.and_then(|(_, id)| self.open.remove(&id)) else {
            return false;
        };
        task.abort();
        METRICS.evicted.inc();
        if let Some(ended) = self.tasks.join_next_with_id().await {
            self.ended(ended);
        }
        true
    }

    fn ended(&mut self, ended: Result<(Id, bool), JoinError>) {
        let id = ended.map_or_else(|error| error.id(), |(id, _)| id);
        self.open.remove(&id);
        METRICS.connections.set(self.tasks.len() as i64);
    }
}

/// Serves a connection until it is closed. Returns false if something on it was not HTTP.
pub(crate) async fn converse(
    router: Router,
    connection: Arc<Connection>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    mut ending: watch::Receiver<()>,
) -> bool {
    let stream = TokioIo::new(Stream::new(stream, Arc::clone(&connection)));
    let service = service_fn(|mut request: Request<Incoming>| {
        connection.set(Activity::Answering);
        request.extensions_mut().insert(Arc::clone(&connection));
        router.clone().call(request.map(Body::new))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES);
    let mut served = http.serve_connection(stream, service);
    let conversation = async {
        select! {
            ended = &mut served => return ended,
            _ = ending.changed() => {}
        }
        Pin::new(&mut served).graceful_shutdown();
        (&mut served).await
    };
    let ended = select! {
        ended = conversation => ended,
        () = connection.reads_too_slowly() => return true,
    };
    let was_http = ended.is_ok();
    let mut stream = served.into_parts().io.into_inner();
    if let Some(refusal) = stream.refusal.take().filter(|_| !was_http) {
        // The client may be gone.
        let _ = stream.write_all(refusal.as_bytes()).await;
    }
    was_http
}
