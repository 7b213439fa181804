//! Accepts connections up to a limit, and shuts them down in order.

use std::collections::HashMap;
use std::future::{self, Future};
use std::io::ErrorKind;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::Context;
use std::time::Duration;

use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
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

/// The first and the longest pause when the system accepts no more connections.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(1)];

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
    let (end, ending) = watch::channel(());
    let mut connections = Connections::default();
    select! {
        () = shutdown => {}
        () = connections.accept(&service, most, &listener, &ending) => {}
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
        service: &Service,
        most: usize,
        listener: &TcpListener,
        ending: &watch::Receiver<()>,
    ) {
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
                    let (service, ending) = (service.clone(), ending.clone());
                    let task = converse(service, Arc::clone(&connection), stream, ending);
                    let task = self.tasks.spawn(task);
                    self.open.insert(task.id(), (connection, task));
                    METRICS.connections.set(self.tasks.len() as i64);
                }
                Err(error) if GONE.contains(&error.kind()) => {}
                Err(error) => {
                    METRICS.accept_errors.inc();
                    log::complain_rarely("accept", format!("cannot accept a connection: {error}"));
                    time::sleep(pause).await;
                    pause = (pause * 2).min(longest);
                }
            }
        }
    }

    /// Lets the connection that has waited for its client for longest give way. Returns false if all
    /// are being answered.
    async fn make_room(&mut self) -> bool {
        let open = self.open.iter();
        let all = open.map(|(id, (connection, _))| (*connection.since(), *id));
        let waiting = all.filter(|((activity, _), _)| *activity != Activity::Answering);
        let next = waiting.min_by_key(|((_, since), _)| *since);
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
    service: Service,
    connection: Arc<Connection>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    mut ending: watch::Receiver<()>,
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
    let mut served = http.serve_connection(stream, answer);
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
        let write = |context: &mut Context<'_>| {
            Pin::new(&mut stream).poll_write(context, refusal.as_bytes())
        };
        // The client may be gone.
        let _ = future::poll_fn(write).await;
    }
    was_http
}
