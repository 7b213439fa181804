//! Closes connections of clients that read their answers too slowly.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::connection::register::Connection;
use crate::limits::{Pace, SPAN};

/// A stream that fails to write if the client takes too little for a while.
///
/// Reading has no limit here: hyper knows what it waits for.
pub(crate) struct PacedStream<S> {
    stream: S,
    connection: Arc<Connection>,
    /// The pace at which the client takes what it did not take at once.
    pace: Option<Pace>,
    timer: Pin<Box<Sleep>>,
}

impl<S> PacedStream<S> {
    pub(crate) fn new(stream: S, connection: Arc<Connection>) -> PacedStream<S> {
        PacedStream {
            stream,
            connection,
            pace: None,
            timer: Box::pin(sleep_until(Instant::now() + SPAN)),
        }
    }

    /// Passes on the result of a write, or an error if the client is too slow.
    fn limited<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            return written;
        }
        loop {
            let pace = self.pace.get_or_insert_with(|| Pace::new(Instant::now()));
            if self.timer.deadline() != pace.end() {
                self.timer.as_mut().reset(pace.end());
            }
            ready!(self.timer.as_mut().poll(context));
            if pace.is_too_slow(Instant::now()) {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        }
    }

    /// Counts the bytes of a write before [`limited`](Self::limited).
    fn counted(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let (Some(pace), Poll::Ready(Ok(bytes))) = (&mut self.pace, &written) {
            pace.moved(*bytes);
        }
        self.limited(context, written)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PacedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PacedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.counted(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.counted(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper flushes once everything is written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if flushed.is_ready() {
            self.pace = None;
            self.connection.sent();
        }
        self.limited(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.limited(context, shut)
    }
}
