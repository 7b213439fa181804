//! Batches of lines: answers positions as they come, a line for each in their order, without end.
//!
//! A chunk of lines is read, looked up and sent before more is read, so that each batch takes bounded
//! memory. Each needs a permit. Chunks are looked up one at a time, by threads of their own, so that
//! other answers need not wait for them.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::Version;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use granero::{Cycles, Position, Ruleset, TableError};
use granero_answer::batch::{CHUNK, ENDLESS, LineBuffer, LineValue, lines, look_up, write_line};
use granero_answer::document::ErrorCode;
use granero_answer::values;
use rayon::ThreadPoolBuilder;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{self, Instant};

use crate::connection::{Activity, Streaming};
use crate::limits::{LEAST, take, workers};
use crate::log;
use crate::metrics::METRICS;
use crate::problem::Problem;
use crate::reply::{Reply, TSV};
use crate::site::{Asked, Incoming, Site};

/// The time to wait for more lines before a partial chunk is answered, and to read lines of a refused
/// batch.
const WAIT: Duration = Duration::from_secs(1);

/// The lines that are written at a time, on a thread that also has other requests.
const AT_A_TIME: usize = 1 << 11;

/// The error that ends an incomplete answer. The connection is closed, so that the client notices.
#[derive(Debug, thiserror::Error)]
#[error("the answer breaks off")]
struct BrokenOff;

/// A batch between two chunks.
struct Batch {
    site: Arc<Site>,
    permit: Arc<OwnedSemaphorePermit>,
    rules: Ruleset,
    /// The convention of the first chunk, and so of all.
    cycles: Option<Cycles>,
    body: Incoming,
    coming: LineBuffer,
}

/// Lines, and the value of each.
type Chunk = (Vec<u8>, Vec<LineValue>);

/// Answers the first chunk with a status, and all others behind it. A problem of a later chunk breaks
/// the answer off.
pub(crate) async fn answer(asked: Asked) -> Result<Response, Problem> {
    let (rules, cycles) = asked.kind()?;
    if asked.head.version < Version::HTTP_11 {
        return Err(Problem::old_http());
    }
    let permit = match take(&asked.site.line_batches) {
        Ok(permit) => permit,
        Err(problem) => return Err(refuse(asked.body, problem).await),
    };
    let mut batch = Batch {
        site: asked.site,
        permit: Arc::new(permit),
        rules,
        cycles,
        body: asked.body,
        coming: LineBuffer::default(),
    };
    let chunk = match batch.next().await {
        Ok(chunk) => chunk,
        Err(problem) => {
            // This frees the permit before the rest of the body is read.
            let Batch { body, .. } = batch;
            return Err(refuse(body, problem).await);
        }
    };
    let streaming = Streaming::new(&batch.body.connection);
    let (sender, mut parts) = mpsc::channel(1);
    tokio::spawn(batch.send(chunk, sender));
    let parts = stream::poll_fn(move |context| {
        let _until_the_end = &streaming;
        parts.poll_recv(context)
    });
    let mut response = Reply::new(TSV, "").into_response();
    *response.body_mut() = Body::from_stream(parts);
    Ok(response)
}

/// Lets a client that sends before it reads learn of the problem.
async fn refuse(mut body: Incoming, problem: Problem) -> Problem {
    body.connection.set(Activity::ReceivingBody);
    let _ = time::timeout(WAIT, body.skip()).await;
    problem
}

impl Batch {
    /// Sends chunk after chunk.
    async fn send(
        mut self,
        mut chunk: Option<Chunk>,
        answer: mpsc::Sender<Result<Bytes, BrokenOff>>,
    ) {
        while let Some((text, values)) = chunk {
            let cycles = self.cycles.unwrap_or_default();
            let mut lines = lines(&text);
            for values in values.chunks(AT_A_TIME) {
                let mut part = Vec::new();
                for (value, line) in values.iter().zip(lines.by_ref()) {
                    write_line(cycles, line, value, &mut part);
                }
                self.body.connection.set(Activity::SendingAnswer);
                if answer.send(Ok(part.into())).await.is_err() {
                    return;
                }
            }
            chunk = match self.next().await {
                Ok(chunk) => chunk,
                Err(problem) => {
                    if let Some(error) = &problem.cause {
                        log::complain_about_tables(error);
                    }
                    // The client may be gone.
                    let _ = answer.send(Err(BrokenOff)).await;
                    return;
                }
            };
        }
    }

    /// Reads the next chunk and looks it up; `None` at the end.
    async fn next(&mut self) -> Result<Option<Chunk>, Problem> {
        let connection = Arc::clone(&self.body.connection);
        connection.receive(self.read()).await?;
        let text = self.coming.take(self.body.is_at_end());
        if text.is_empty() && self.body.is_at_end() {
            return Ok(None);
        }
        // Only for this chunk: no tables are opened again while a request holds former ones.
        let set = self.site.served.set(self.rules, self.cycles);
        self.cycles = Some(set.tables.cycles());
        let (site, permit) = (Arc::clone(&self.site), Arc::clone(&self.permit));
        let work = move || -> Result<Chunk, TableError> {
            // Hold the permit until this is done, even if the client is gone.
            let _permit = permit;
            let lines: Vec<&[u8]> = lines(&text).collect();
            let answer = || look_up(&lines, |all: &[Position]| values(&set.tables, all));
            let threads = site.line_threads.get_or_init(|| {
                let number = workers().min(rayon::current_num_threads());
                ThreadPoolBuilder::new().num_threads(number).build().ok()
            });
            let values = match threads {
                Some(threads) => threads.install(answer)?,
                None => answer()?,
            };
            Ok((text, values))
        };
        let chunk = self.site.lines.work(work).await??;
        let positions = chunk.1.iter().flatten().count();
        METRICS.positions.inc_by(positions as u64);
        Ok(Some(chunk))
    }

    /// Reads lines until a chunk is full, or until no more have come for a while.
    async fn read(&mut self) -> Result<(), Problem> {
        let end = Instant::now() + WAIT;
        while !self.coming.is_full(CHUNK) {
            let next = if self.coming.bytes() < LEAST {
                self.body.next().await?
            } else {
                match time::timeout_at(end, self.body.next()).await {
                    Ok(next) => next?,
                    Err(_) => break,
                }
            };
            let Some(data) = next else {
                break;
            };
            self.coming.push(&data);
            if self.coming.is_endless() {
                let message = format!("a line has more than {ENDLESS} bytes");
                let hint = "end each line with a newline";
                return Err(Problem::new(ErrorCode::BodyTooLarge, message, hint));
            }
        }
        Ok(())
    }
}
