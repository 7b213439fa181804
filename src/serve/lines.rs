//! `POST /api/v1/{rules}/batch` with lines of text: what their positions are worth, a line for each, in
//! their order, as they come and without end.
//!
//! A chunk of lines is read, looked up and sent before more is read, so that each such batch takes
//! bounded memory. They need places; and one chunk is looked up at a time, by threads of their own, so
//! that other answers need not wait for them.

use std::error::Error;
use std::fmt;
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

use crate::gate::Gate;
use crate::guests::Guest;
use crate::limits::{self, LINE_BATCHES, PATIENT_BYTES};
use crate::log::Log;
use crate::pace::{self, Pace};
use crate::problem::Problem;
use crate::shares::{Share, Shares};
use crate::shelf::Present;
use granero_answer::batch::{Answered, ENDLESS, LineBuffer, PIECE, end_of_piece, pieces};

/// How long lines are waited for that could be looked up together with those that have come, and how
/// long those of a batch that is refused.
const WAIT: Duration = Duration::from_secs(1);

/// How long a chunk waits for its turn: far longer than the chunks before it take, which are as few
/// as there are places.
const PATIENCE: Duration = Duration::from_secs(600);

/// How many bytes of a chunk are answered at a time, at most, while it is sent: on a thread that has
/// other requests, too.
const AT_A_TIME: usize = 4 * PIECE;

/// What all such batches share.
pub(super) struct LineBatches {
    present: Arc<Present>,
    places: Arc<Shares>,
    gate: Gate,
    /// The threads that look positions up. Made for the first batch.
    threads: OnceLock<Option<ThreadPool>>,
    /// How many positions were looked up.
    positions: Arc<AtomicU64>,
    log: Arc<Log>,
}

/// A batch in progress, which is the body of its answer.
pub(super) struct LineBatch {
    /// Makes the next part of the answer.
    next: Pin<Box<dyn Future<Output = Part> + Send>>,
}

/// A part of an answer, and what makes the next one; `None` after the last.
type Part = Option<Result<(Bytes, Progress), BrokenOff>>;

/// An answer that is not whole: the connection is closed, so that the client notices.
#[derive(Debug)]
pub(super) struct BrokenOff;

impl fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer breaks off")
    }
}

impl Error for BrokenOff {}

/// How far a batch is.
struct Progress {
    shared: Arc<LineBatches>,
    guest: Arc<Guest>,
    place: Arc<Share>,
    rules: Ruleset,
    /// The convention of the first chunk, and so of all.
    cycles: Option<Cycles>,
    /// What is still to come.
    body: Option<Incoming>,
    /// Whether it ended before it should.
    is_broken: bool,
    coming: LineBuffer,
    chunk: Chunk,
}

/// Lines that are answered, and how far they are sent.
#[derive(Default)]
struct Chunk {
    text: Vec<u8>,
    answered: Option<Answered>,
    /// The number of the next piece, and where it begins.
    next: usize,
    start: usize,
}

impl LineBatches {
    pub(super) fn new(
        present: Arc<Present>,
        positions: Arc<AtomicU64>,
        log: Arc<Log>,
    ) -> Arc<LineBatches> {
        Arc::new(LineBatches {
            present,
            places: Shares::new(LINE_BATCHES),
            gate: Gate::new(1).with_patience(PATIENCE),
            threads: OnceLock::new(),
            positions,
            log,
        })
    }

    /// Begins to answer. What is wrong with the first chunk is an error; later, the answer breaks off.
    /// After an error the body is given back.
    pub(super) async fn begin(
        self: &Arc<LineBatches>,
        guest: &Arc<Guest>,
        (rules, cycles): (Ruleset, Option<Cycles>),
        body: &mut Option<Incoming>,
    ) -> Result<LineBatch, Problem> {
        let Some(place) = self.places.take(guest.counted()) else {
            drop_some(guest, body).await;
            return Err(Problem::overloaded());
        };
        let mut progress = Progress {
            shared: Arc::clone(self),
            guest: Arc::clone(guest),
            place: Arc::new(place),
            rules,
            cycles,
            body: body.take(),
            is_broken: false,
            coming: LineBuffer::default(),
            chunk: Chunk::default(),
        };
        match progress.read_on().await {
            Ok(()) => Ok(LineBatch {
                next: Box::pin(progress.next()),
            }),
            Err(problem) => {
                *body = progress.body.take();
                let is_broken = progress.is_broken;
                // Its place is free from here on.
                drop(progress);
                // Nothing more comes of a broken body, which looks like its end.
                if !is_broken {
                    drop_some(guest, body).await;
                }
                Err(problem)
            }
        }
    }

    /// Does some work on the threads for it.
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

/// Reads and drops what comes for a while.
async fn drop_some(guest: &Guest, body: &mut Option<Incoming>) {
    guest.sends();
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

impl Progress {
    /// The next part of the answer.
    async fn next(mut self) -> Part {
        loop {
            if let Some(part) = self.chunk.next() {
                self.guest.is_answered();
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
        self.guest.asks();
        let text = self.coming.take(self.body.is_none());
        // Not longer: new tables are not opened while a request has the former ones.
        let volume = self.shared.present.volume(self.rules, self.cycles);
        self.cycles = Some(volume.tables.cycles());
        let (shared, place) = (Arc::clone(&self.shared), Arc::clone(&self.place));
        let work = move || -> Result<Chunk, TableError> {
            // The client may be gone: the place is taken until this is done.
            let _place = place;
            shared.on_threads(|| Chunk::new(&volume.tables, text))
        };
        self.chunk = self.shared.gate.work(self.guest.counted(), work).await??;
        let positions = self.chunk.answered.as_ref().map_or(0, Answered::positions);
        let counted = &self.shared.positions;
        counted.fetch_add(positions as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Reads lines until there are enough for a chunk, or until none have come for a while.
    async fn read(&mut self) -> Result<(), Problem> {
        self.guest.sends();
        let begin = Instant::now();
        let mut pace = Pace::new(begin);
        while !self.coming.is_full() {
            let Some(body) = &mut self.body else {
                break;
            };
            let is_enough = self.coming.bytes() >= pace::LEAST;
            let end = if is_enough { begin + WAIT } else { pace.end() };
            let Ok(frame) = time::timeout_at(end, body.frame()).await else {
                if is_enough {
                    break;
                }
                if pace.is_too_slow(Instant::now()) {
                    return Err(Problem::timeout());
                }
                continue;
            };
            let Some(frame) = frame else {
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

    /// The answers to the next lines; `None` after the last.
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
            let (bytes, progress) = part?;
            self.next = Box::pin(progress.next());
            Ok(Frame::data(bytes))
        }))
    }
}
