//! A connection with bounded patience: a client that reads the answer too slowly gets no more
//! of it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::guests::Guest;
use crate::pace::{Pace, SPAN};

/// A connection that breaks when the other side takes too little for a while.
///
/// Reading is left to hyper, which knows what it waits for.
pub(super) struct Patient<S> {
    stream: S,
    guest: Arc<Guest>,
    /// The pace at which the other side takes what it did not take at once.
    pace: Option<Pace>,
    timer: Pin<Box<Sleep>>,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S, guest: Arc<Guest>) -> Patient<S> {
        Patient {
            stream,
            guest,
            pace: None,
            timer: Box::pin(sleep_until(Instant::now() + SPAN)),
        }
    }

    /// The result of writing, or an error if the wait is too long.
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

    /// The same, where bytes were written.
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

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
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

    /// hyper flushes when it has written all that there is.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if flushed.is_ready() {
            self.pace = None;
            self.guest.has_received();
        }
        self.limited(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.limited(context, shut)
    }
}
