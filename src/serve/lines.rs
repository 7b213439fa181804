//! Batches of lines: answers positions as they come, a line for each in their order, without end.
//!
//! A chunk of lines is read, looked up and sent before more is read, so that each batch takes bounded
//! memory. Each needs a permit. Chunks are looked up one at a time, by threads of their own, so that
//! other answers need not wait for them.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::Version;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use granero::{Cycles, Position, Ruleset, TableError};
use granero_answer::batch::{CHUNK, ENDLESS, LineBuffer, lines, look_up, write_line};
use granero_answer::document::ErrorCode;
use granero_answer::values;
use rayon::ThreadPoolBuilder;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time;

use crate::connection::Connection;
use crate::limits::{SPAN, take, workers};
use crate::metrics::METRICS;
use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::reply::{Reply, TSV};
use crate::site::{self, Asked, Site};

/// The least that has to come in [`SPAN`], unless it is the end.
const LEAST: usize = 32 << 10;

/// The time to wait for more lines before a partial chunk is answered.
const WAIT: Duration = Duration::from_secs(1);

/// A batch between two chunks.
struct Batch {
    site: Arc<Site>,
    connection: Arc<Connection>,
    _permit: OwnedSemaphorePermit,
    rules: Ruleset,
    /// The convention of the first chunk, and so of all.
    cycles: Option<Cycles>,
    body: BodyDataStream,
    is_at_end: bool,
    coming: LineBuffer,
}

/// Answers the first chunk with a status, and all others behind it. A problem of a later chunk breaks
/// the answer off: the connection is closed, so that the client notices.
pub(crate) async fn answer(asked: Asked) -> Result<Response, Problem> {
    let (rules, Parameters { cycles, .. }) = asked.parameters(&["cycles"])?;
    if asked.head.version < Version::HTTP_11 {
        return Err(Problem::old_http());
    }
    let mut batch = Batch {
        _permit: take(&asked.site.line_batches)?,
        site: asked.site,
        connection: asked.connection,
        rules,
        cycles,
        body: asked.body.into_data_stream(),
        is_at_end: false,
        coming: LineBuffer::default(),
    };
    let first = batch.next().await?;
    let rest = stream::try_unfold(batch, async |mut batch| {
        let part = batch.next().await.map_err(|_| "the answer breaks off")?;
        Ok::<_, &str>(part.map(|part| (part, batch)))
    });
    let parts = stream::once(ready(Ok(first.unwrap_or_default()))).chain(rest);
    let mut response = Reply::new(TSV, "").into_response();
    *response.body_mut() = Body::from_stream(parts);
    Ok(response)
}

impl Batch {
    /// Reads the next chunk and answers it; `None` at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        let connection = Arc::clone(&self.connection);
        let is_least = |coming: &LineBuffer| coming.bytes() >= LEAST;
        connection.receive(SPAN, self.read(is_least)).await?;
        let is_chunk = |coming: &LineBuffer| coming.is_full(CHUNK);
        if let Ok(read) = time::timeout(WAIT, self.read(is_chunk)).await {
            read?;
        }
        let text = self.coming.take(self.is_at_end);
        if text.is_empty() && self.is_at_end {
            return Ok(None);
        }
        // Only for this chunk: no tables are opened again while a request holds former ones.
        let set = self.site.served.set(self.rules, self.cycles);
        let cycles = *self.cycles.insert(set.tables.cycles());
        let work = move || -> Result<(Vec<u8>, usize), TableError> {
            let lines: Vec<&[u8]> = lines(&text).collect();
            let look_up = || look_up(&lines, |all: &[Position]| values(&set.tables, all));
            let threads = ThreadPoolBuilder::new().num_threads(workers()).build();
            let values = threads.map_or_else(|_| look_up(), |threads| threads.install(look_up))?;
            let mut part = Vec::new();
            for (line, value) in lines.iter().zip(&values) {
                write_line(cycles, line, value, &mut part);
            }
            Ok((part, values.iter().flatten().count()))
        };
        let (part, positions) = self.site.lines.work(work).await??;
        METRICS.positions.inc_by(positions as u64);
        self.connection.set_waiting(true);
        Ok(Some(part.into()))
    }

    /// Reads lines until there are enough.
    async fn read(&mut self, is_enough: impl Fn(&LineBuffer) -> bool) -> Result<(), Problem> {
        while !self.is_at_end && !is_enough(&self.coming) {
            let data = site::next(&mut self.body).await?;
            self.is_at_end = data.is_none();
            self.coming.push(&data.unwrap_or_default());
            if self.coming.is_endless() {
                let message = format!("a line has more than {ENDLESS} bytes");
                let hint = "end each line with a newline";
                return Err(Problem::new(ErrorCode::BodyTooLarge, message, hint));
            }
        }
        Ok(())
    }
}
