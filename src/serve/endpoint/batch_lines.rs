//! `POST /api/v1/{rules}/batch` with lines of text: answers positions as they come, a line for each in
//! their order, without end.
//!
//! A chunk of lines is read, looked up and sent before more is read, so that each batch takes bounded
//! memory. Each needs a permit. Chunks are looked up one at a time, by threads of their own, so that
//! other answers need not wait for them.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use granero::{Cycles, Ruleset, TableError, Tables};
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame, Incoming};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::time::{self, Instant};

use crate::connection::{Activity, Connection};
use crate::limits::{self, Gate, LINE_BATCHES, PATIENT_BYTES, Pace, Permit, Permits, pace};
use crate::log::Log;
use crate::reply::Problem;
use crate::tables::CurrentCatalogue;
use granero_answer::batch::{Answered, ENDLESS, LineBuffer, PIECE, end_of_piece, pieces};

/// The time to wait for more lines before a partial chunk is answered, and to read lines of a refused
/// batch.
const WAIT: Duration = Duration::from_secs(1);

/// The time that a chunk waits for its turn. The chunks before it, at most one for each permit, take
/// far less.
const PATIENCE: Duration = Duration::from_secs(600);

/// The most bytes of a chunk that are written at a time, on a thread that also has other requests.
const AT_A_TIME: usize = 4 * PIECE;

/// The state that all batches of lines share.
pub(crate) struct LineBatches {
    current: Arc<CurrentCatalogue>,
    permits: Arc<Permits>,
    gate: Gate,
    /// The threads that look positions up, started for the first batch.
    threads: OnceLock<Option<ThreadPool>>,
    /// The counter of positions that were asked for.
    positions: Arc<AtomicU64>,
    log: Arc<Log>,
}

/// The body of the answer to a batch, made while it is sent.
pub(crate) struct LineBatch {
    /// Makes the next part of the answer.
    next: Pin<Box<dyn Future<Output = NextPart> + Send>>,
}

/// A part of an answer, with the state that makes the next one; `None` after the last.
type NextPart = Option<Result<(Bytes, BatchState), BrokenOff>>;

/// The error that ends an incomplete answer. The connection is closed, so that the client notices.
#[derive(Debug, thiserror::Error)]
#[error("the answer breaks off")]
pub(crate) struct BrokenOff;

/// The state of a batch between two parts.
struct BatchState {
    shared: Arc<LineBatches>,
    connection: Arc<Connection>,
    permit: Arc<Permit>,
    rules: Ruleset,
    /// The convention of the first chunk, and so of all.
    cycles: Option<Cycles>,
    /// The rest of the body.
    body: Option<Incoming>,
    /// True if the body was cut off.
    is_broken: bool,
    coming: LineBuffer,
    chunk: Chunk,
}

/// Lines with their answers, which are partly sent.
#[derive(Default)]
struct Chunk {
    text: Vec<u8>,
    answered: Option<Answered>,
    /// The number of the next piece.
    next: usize,
    /// The start of the next piece.
    start: usize,
}

impl LineBatches {
    pub(crate) fn new(
        current: Arc<CurrentCatalogue>,
        positions: Arc<AtomicU64>,
        log: Arc<Log>,
    ) -> Arc<LineBatches> {
        Arc::new(LineBatches {
            current,
            permits: Permits::new(LINE_BATCHES),
            gate: Gate::new(1).with_patience(PATIENCE),
            threads: OnceLock::new(),
            positions,
            log,
        })
    }

    /// Reads and looks up the first chunk. A problem of this chunk is an error, and gives the body
    /// back. A problem of a later one breaks the answer off.
    pub(crate) async fn begin(
        self: &Arc<LineBatches>,
        connection: &Arc<Connection>,
        (rules, cycles): (Ruleset, Option<Cycles>),
        body: &mut Option<Incoming>,
    ) -> Result<LineBatch, Problem> {
        let permit = match self.permits.take(connection.counted_peer()) {
            Ok(permit) => permit,
            Err(problem) => {
                drop_some(connection, body).await;
                return Err(problem);
            }
        };
        let mut state = BatchState {
            shared: Arc::clone(self),
            connection: Arc::clone(connection),
            permit: Arc::new(permit),
            rules,
            cycles,
            body: body.take(),
            is_broken: false,
            coming: LineBuffer::default(),
            chunk: Chunk::default(),
        };
        match state.read_on().await {
            Ok(()) => Ok(LineBatch {
                next: Box::pin(state.next()),
            }),
            Err(problem) => {
                *body = state.body.take();
                let is_broken = state.is_broken;
                // This frees the permit before the rest of the body is read.
                drop(state);
                // A broken body would look like one at its end.
                if !is_broken {
                    drop_some(connection, body).await;
                }
                Err(problem)
            }
        }
    }

    fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let threads = self.threads.get_or_init(|| {
            let number = limits::workers().min(rayon::current_num_threads());
            ThreadPoolBuilder::new().num_threads(number).build().ok()
        });
        match threads {
            Some(threads) => threads.install(work),
            None => work(),
        }
    }
}

/// Reads and drops a body for a while.
async fn drop_some(connection: &Connection, body: &mut Option<Incoming>) {
    connection.set(Activity::ReceivingBody);
    let mut dropped = 0;
    let end = Instant::now() + WAIT;
    while let Some(coming) = body
        && dropped < PATIENT_BYTES
    {
        match time::timeout_at(end, coming.frame()).await {
            Ok(Some(Ok(frame))) => dropped += frame.data_ref().map_or(0, Bytes::len),
            Ok(None) => *body = None,
            Ok(Some(Err(_))) | Err(_) => break,
        }
    }
}

impl BatchState {
    /// Makes the next part of the answer.
    async fn next(mut self) -> NextPart {
        loop {
            if let Some(part) = self.chunk.next() {
                self.connection.set(Activity::SendingAnswer);
                return Some(Ok((part, self)));
            }
            if self.body.is_none() && self.coming.bytes() == 0 {
                return None;
            }
            if let Err(problem) = self.read_on().await {
                if let Some(error) = &problem.cause {
                    self.shared.log.complain_about_tables(error);
                }
                return Some(Err(BrokenOff));
            }
        }
    }

    /// Reads the next chunk and looks it up.
    async fn read_on(&mut self) -> Result<(), Problem> {
        self.chunk = Chunk::default();
        self.read().await?;
        self.connection.set(Activity::Answering);
        let text = self.coming.take(self.body.is_none());
        // Only for this chunk: no new tables are opened while a request holds the former ones.
        let set = self.shared.current.set(self.rules, self.cycles);
        self.cycles = Some(set.tables.cycles());
        let (shared, permit) = (Arc::clone(&self.shared), Arc::clone(&self.permit));
        let work = move || -> Result<Chunk, TableError> {
            // Hold the permit until this is done, even if the client is gone.
            let _permit = permit;
            shared.on_threads(|| Chunk::new(&set.tables, text))
        };
        self.chunk = self
            .shared
            .gate
            .work(self.connection.counted_peer(), work)
            .await??;
        let positions = self.chunk.answered.as_ref().map_or(0, Answered::positions);
        let counted = &self.shared.positions;
        counted.fetch_add(positions as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Reads lines until a chunk is full, or until no more have come for a while.
    async fn read(&mut self) -> Result<(), Problem> {
        self.connection.set(Activity::ReceivingBody);
        let begin = Instant::now();
        let mut pace = Pace::new(begin);
        while !self.coming.is_full() {
            let Some(body) = &mut self.body else {
                break;
            };
            let is_enough = self.coming.bytes() >= pace::LEAST;
            let end = if is_enough { begin + WAIT } else { pace.end() };
            let Ok(next) = time::timeout_at(end, body.frame()).await else {
                if is_enough {
                    break;
                }
                if pace.is_too_slow(Instant::now()) {
                    return Err(Problem::timeout());
                }
                continue;
            };
            let Some(frame) = next else {
                self.body = None;
                break;
            };
            let Ok(frame) = frame else {
                self.is_broken = true;
                return Err(Problem::broken_body());
            };
            if let Some(data) = frame.data_ref() {
                pace.moved(data.len());
                self.coming.push(data);
                if self.coming.is_endless() {
                    return Err(Problem::endless_line(ENDLESS));
                }
            }
        }
        Ok(())
    }
}

impl Chunk {
    fn new(tables: &Tables, text: Vec<u8>) -> Result<Chunk, TableError> {
        let answered = Answered::new(tables, &pieces(&text, AT_A_TIME))?;
        Ok(Chunk {
            text,
            answered: Some(answered),
            next: 0,
            start: 0,
        })
    }

    /// Returns the answers to the next lines; `None` after the last.
    fn next(&mut self) -> Option<Bytes> {
        let rest = &self.text[self.start..];
        let answered = self.answered.as_ref().filter(|_| !rest.is_empty())?;
        let piece = &rest[..end_of_piece(rest, AT_A_TIME)];
        let mut text = Vec::with_capacity(2 * piece.len());
        answered.write(self.next, piece, &mut text);
        self.next += 1;
        self.start += piece.len();
        Some(text.into())
    }
}

impl Body for LineBatch {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let part = ready!(self.next.as_mut().poll(context));
        Poll::Ready(part.map(|part| {
            let (bytes, state) = part?;
            self.next = Box::pin(state.next());
            Ok(Frame::data(bytes))
        }))
    }
}
