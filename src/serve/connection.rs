//! A connection: what it does, and the stream of its bytes.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::select;
use tokio::time::{Instant, Sleep, sleep};

use crate::limits::{SPAN, too_few};
use crate::metrics::METRICS;
use crate::problem::Problem;

/// The state of a connection. In all states except one it waits for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// No request, or its head is arriving.
    Idle,
    /// The body of a request is arriving.
    ReceivingBody,
    /// The answer is being sent.
    SendingAnswer,
    /// A request is being answered.
    Answering,
}

pub(crate) struct Connection {
    pub(crate) address: IpAddr,
    since: Mutex<(Activity, Instant)>,
    /// True if a request has a body that is not read to its end.
    pub(crate) has_unread_body: AtomicBool,
    /// True if an answer is made while it is sent.
    is_streaming: AtomicBool,
    /// True if the client knows HTTP/1.1, so that more than one answer may come.
    pub(crate) skips_interim: AtomicBool,
    /// The bytes of bodies that have come in this span, and those that were sent.
    pub(crate) received: AtomicUsize,
    sent: AtomicUsize,
}

impl Connection {
    pub(crate) fn new(from: IpAddr) -> Arc<Connection> {
        Arc::new(Connection {
            address: from.to_canonical(),
            since: Mutex::new((Activity::Idle, Instant::now())),
            has_unread_body: AtomicBool::new(false),
            is_streaming: AtomicBool::new(false),
            skips_interim: AtomicBool::new(false),
            received: AtomicUsize::new(0),
            sent: AtomicUsize::new(0),
        })
    }

    /// Returns its state, and the time of the last change.
    pub(crate) fn since(&self) -> MutexGuard<'_, (Activity, Instant)> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, activity: Activity) {
        *self.since() = (activity, Instant::now());
    }

    fn is(&self, activity: Activity) -> bool {
        self.since().0 == activity
    }

    /// Reads a body or a part of it, which the client has to send at the least pace.
    pub(crate) async fn receive<T>(
        &self,
        reading: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        self.set(Activity::ReceivingBody);
        // What has arrived already counts, too: it is read first.
        self.received.store(0, Relaxed);
        let read = select! {
            biased;
            read = reading => read?,
            () = too_few(&self.received) => return Err(Problem::timeout()),
        };
        self.set(Activity::Answering);
        Ok(read)
    }

    /// Says that an answer is made while it is sent, or that all of it is made.
    pub(crate) fn set_streaming(&self, is_streaming: bool) {
        self.is_streaming.store(is_streaming, Relaxed);
        self.set(Activity::SendingAnswer);
    }

    /// Waits until the client takes its answer more slowly than the least pace.
    pub(crate) async fn reads_too_slowly(&self) {
        loop {
            too_few(&self.sent).await;
            let (activity, since) = *self.since();
            if activity == Activity::SendingAnswer && since.elapsed() >= SPAN {
                return;
            }
        }
    }
}

/// The pause between two checks whether a client that sends no more still waits for its answer.
const CHECK: Duration = Duration::from_millis(500);

/// The bytes of a connection, which keeps track of what they are for.
pub(crate) struct Stream<S> {
    stream: S,
    connection: Arc<Connection>,
    /// True if something was written and not flushed.
    is_writing: bool,
    /// Runs after the client has stopped to send.
    check: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream<S> {
    pub(crate) fn new(stream: S, connection: Arc<Connection>) -> Stream<S> {
        METRICS.connections.inc();
        Stream {
            stream,
            connection,
            is_writing: false,
            check: None,
        }
    }

    /// Waits until a client that sends no more has its answer, or has left. Writing to a client that
    /// has left fails, so a slow answer begins with `100 Continue`, which clients have to skip.
    fn poll_left(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            if self.connection.is(Activity::Idle) {
                return Poll::Ready(Ok(()));
            }
            let check = self.check.get_or_insert_with(|| Box::pin(sleep(CHECK)));
            ready!(check.as_mut().poll(context));
            check.set(sleep(CHECK));
            let (activity, since) = *self.connection.since();
            // If it was whole, it would have been read by now.
            if activity == Activity::ReceivingBody && since.elapsed() >= CHECK {
                return Poll::Ready(Ok(()));
            }
            let has_begun = self.is_writing || self.connection.is_streaming.load(Relaxed);
            let skips = self.connection.skips_interim.load(Relaxed);
            if activity == Activity::Answering && !has_begun && skips {
                let probe = b"HTTP/1.1 100 Continue\r\n\r\n";
                let written = ready!(Pin::new(&mut self.stream).poll_write(context, probe))?;
                if written < probe.len() {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
            }
        }
    }
}

impl<S> Drop for Stream<S> {
    fn drop(&mut self) {
        METRICS.connections.dec();
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if buffer.filled().len() == before {
            return self.poll_left(context);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.is_writing = true;
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.connection.sent.fetch_add(written, Relaxed);
        Poll::Ready(Ok(written))
    }

    /// hyper flushes once everything is written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        self.is_writing = false;
        let connection = &self.connection;
        if !connection.is_streaming.load(Relaxed) && connection.is(Activity::SendingAnswer) {
            connection.set(Activity::Idle);
            if self.check.is_some() {
                // Nothing more will come.
                context.waker().wake_by_ref();
            }
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
