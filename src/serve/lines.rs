//! Batches of lines: answers positions as they come, a line for each in their order, without end.
//!
//! A chunk of lines is read, looked up and sent before more is read, so that each batch takes bounded
//! memory. Each needs a permit. Chunks are looked up one at a time, by threads of their own, so that
//! other answers need not wait for them.

use std::iter;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::Version;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, TryStreamExt, stream};
use granero::{Cycles, Position, Ruleset, TableError};
use granero_answer::batch::{CHUNK, ENDLESS, LineBuffer, LineValue, lines, look_up, write_line};
use granero_answer::document::ErrorCode;
use granero_answer::values;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time;

use crate::connection::Connection;
use crate::limits::{SPAN, take, workers};
use crate::metrics::METRICS;
use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::reply::{Reply, TSV};
use crate::site::{Asked, Site};

/// The least that has to come in [`SPAN`], unless it is the end.
const LEAST: usize = 32 << 10;

/// The time to wait for more lines before a partial chunk is answered.
const WAIT: Duration = Duration::from_secs(1);

/// The lines that are written at a time, on a thread that also has other requests.
const AT_A_TIME: usize = 1 << 11;

/// The threads that look lines up, started for the first batch.
static THREADS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let number = workers().min(rayon::current_num_threads());
    ThreadPoolBuilder::new().num_threads(number).build().ok()
});

/// A batch between two chunks.
struct Batch {
    site: Arc<Site>,
    connection: Arc<Connection>,
    permit: Arc<OwnedSemaphorePermit>,
    rules: Ruleset,
    /// The convention of the first chunk, and so of all.
    cycles: Option<Cycles>,
    body: BodyDataStream,
    is_at_end: bool,
    coming: LineBuffer,
}

/// Lines, and the value of each.
type Chunk = (Vec<u8>, Vec<LineValue>);

/// Answers the first chunk with a status, and all others behind it. A problem of a later chunk breaks
/// the answer off: the connection is closed, so that the client notices.
pub(crate) async fn answer(asked: Asked) -> Result<Response, Problem> {
    let (rules, Parameters { cycles, .. }) = asked.parameters(&["cycles"])?;
    if asked.head.version < Version::HTTP_11 {
        return Err(Problem::old_http());
    }
    let mut batch = Batch {
        permit: Arc::new(take(&asked.site.line_batches)?),
        site: asked.site,
        connection: asked.connection,
        rules,
        cycles,
        body: asked.body.into_data_stream(),
        is_at_end: false,
        coming: LineBuffer::default(),
    };
    let first = batch.next().await?;
    let connection = Arc::clone(&batch.connection);
    let cycles = batch.cycles.unwrap_or_default();
    let rest = stream::try_unfold(batch, async |mut batch| {
        let chunk = batch.next().await.map_err(|_| "the answer breaks off")?;
        Ok::<_, &str>(chunk.map(|chunk| (chunk, batch)))
    });
    let parts = stream::iter(first.map(Ok))
        .chain(rest)
        .map_ok(move |chunk| {
            let connection = Arc::clone(&connection);
            let waits = move |_: &Bytes| connection.set_waiting(true);
            stream::iter(written(cycles, chunk).inspect(waits).map(Ok::<_, &str>))
        });
    let mut response = Reply::new(TSV, "").into_response();
    *response.body_mut() = Body::from_stream(parts.try_flatten());
    Ok(response)
}

/// Writes the answer to a chunk, in parts.
fn written(cycles: Cycles, (text, values): Chunk) -> impl Iterator<Item = Bytes> {
    let (mut begin, mut values) = (0, values.into_iter());
    iter::from_fn(move || {
        let mut part = Vec::new();
        let mut lines = lines(&text[begin.min(text.len())..]);
        for (value, line) in values.by_ref().take(AT_A_TIME).zip(&mut lines) {
            write_line(cycles, line, &value, &mut part);
            begin += line.len() + 1;
        }
        (!part.is_empty()).then(|| part.into())
    })
}

impl Batch {
    /// Reads the next chunk and looks it up; `None` at the end.
    async fn next(&mut self) -> Result<Option<Chunk>, Problem> {
        let connection = Arc::clone(&self.connection);
        let is_least = |coming: &LineBuffer| coming.bytes() >= LEAST;
        connection.receive(SPAN, self.read(is_least)).await?;
        let is_chunk = |coming: &LineBuffer| coming.is_full(CHUNK);
        if let Ok(read) = time::timeout(WAIT, self.read(is_chunk)).await {
            read?;
        }
        let text = self.coming.take(self.is_at_end);
        if text.is_empty() && self.is_at_end {
            connection.set_waiting(true);
            return Ok(None);
        }
        // Only for this chunk: no tables are opened again while a request holds former ones.
        let set = self.site.served.set(self.rules, self.cycles);
        self.cycles = Some(set.tables.cycles());
        let permit = Arc::clone(&self.permit);
        let work = move || -> Result<Chunk, TableError> {
            // Until this is done, even if the client is gone.
            let _permit = permit;
            let lines: Vec<&[u8]> = lines(&text).collect();
            let look_up = || look_up(&lines, |all: &[Position]| values(&set.tables, all));
            let values = match &*THREADS {
                Some(threads) => threads.install(look_up)?,
                None => look_up()?,
            };
            Ok((text, values))
        };
        let chunk = self.site.lines.work(work).await??;
        let positions = chunk.1.iter().flatten().count();
        METRICS.positions.inc_by(positions as u64);
        Ok(Some(chunk))
    }

    /// Reads lines until there are enough.
    async fn read(&mut self, is_enough: impl Fn(&LineBuffer) -> bool) -> Result<(), Problem> {
        while !self.is_at_end && !is_enough(&self.coming) {
            let data = self.body.try_next().await.map_err(|_| Problem::cut_off())?;
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
