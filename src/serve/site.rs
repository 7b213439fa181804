//! What all endpoints share, and what a request asks of one.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::header;
use axum::http::request::Parts;
use granero::notation::PositionText;
use granero::{Cycles, Ruleset};
use granero_answer::document::ErrorCode;
use http_body_util::BodyExt;
use rayon::ThreadPool;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::connection::Connection;
use crate::hosts::Hosts;
use crate::limits::{
    Gate, LARGE, LINE_BATCHES, PATIENCE, PATIENT_BYTES, QUEUE, READERS, SMALL_BODY, take, workers,
};
use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::searches::{SearchOptions, Searches};
use crate::tables::{Served, TableSet};

/// The time that a chunk of lines waits for its turn. The chunks before it, at most one for each
/// permit, take far less.
const PATIENCE_OF_LINES: Duration = Duration::from_secs(600);

/// Everything that requests need.
pub(crate) struct Site {
    pub(crate) served: Arc<Served>,
    /// Admits look-ups of positions in files.
    pub(crate) files: Gate,
    /// Admits work that keeps a processor busy.
    pub(crate) work: Gate,
    pub(crate) searches: Searches,
    /// Permits for large incoming bodies, which bound memory however slowly clients write. They are
    /// apart from those for answers, so that a client that writes slowly delays no answer.
    bodies: Arc<Semaphore>,
    /// Permits for large answers, held until they are sent.
    pub(crate) answers: Arc<Semaphore>,
    /// Permits for batches of lines.
    pub(crate) line_batches: Arc<Semaphore>,
    /// Admits chunks of lines.
    pub(crate) lines: Gate,
    /// The threads that look lines up, started for the first batch.
    pub(crate) line_threads: OnceLock<Option<ThreadPool>>,
    pub(crate) hosts: Hosts,
    pub(crate) cors: bool,
}

impl Site {
    pub(crate) fn new(
        served: Arc<Served>,
        searches: &SearchOptions,
        hosts: Vec<String>,
        cors: bool,
    ) -> Arc<Site> {
        let gate = |places| Gate::new([places, QUEUE * places], PATIENCE);
        Arc::new(Site {
            served,
            files: gate(READERS),
            work: gate(workers()),
            searches: Searches::new(searches),
            bodies: Arc::new(Semaphore::new(LARGE)),
            answers: Arc::new(Semaphore::new(LARGE)),
            line_batches: Arc::new(Semaphore::new(LINE_BATCHES)),
            lines: Gate::new([1, LINE_BATCHES], PATIENCE_OF_LINES),
            line_threads: OnceLock::new(),
            hosts: Hosts(hosts),
            cors,
        })
    }
}

/// A request, with a body that is not read yet.
pub(crate) struct Asked {
    pub(crate) site: Arc<Site>,
    pub(crate) head: Parts,
    pub(crate) body: Incoming,
}

impl FromRequest<Arc<Site>> for Asked {
    type Rejection = Problem;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<Asked, Problem> {
        let (mut head, body) = request.into_parts();
        let connection = head.extensions.remove().ok_or_else(Problem::internal)?;
        Ok(Asked {
            site: Arc::clone(site),
            head,
            body: Incoming {
                connection,
                body: Some(body),
            },
        })
    }
}

impl Asked {
    /// The ruleset in the path, and the parameters.
    pub(crate) fn parameters(
        &self,
        allowed: &[&str],
    ) -> Result<(Ruleset, Parameters<'_>), Problem> {
        let rules = self.head.uri.path().split('/').nth(3);
        let rules = rules.unwrap_or_default().parse()?;
        Ok((rules, Parameters::parse(self.head.uri.query(), allowed)?))
    }

    /// The ruleset and the convention.
    pub(crate) fn kind(&self) -> Result<(Ruleset, Option<Cycles>), Problem> {
        let (rules, parameters) = self.parameters(&["cycles"])?;
        Ok((rules, parameters.cycles()?))
    }

    /// The position, the time to search if there is one, and the tables.
    pub(crate) fn position(
        &self,
        allowed: &[&str],
    ) -> Result<(PositionText, Option<Duration>, Arc<TableSet>), Problem> {
        let (rules, parameters) = self.parameters(allowed)?;
        let (text, time) = (parameters.position()?, parameters.time()?);
        Ok((
            text,
            time,
            self.site.served.set(rules, parameters.cycles()?),
        ))
    }

    /// Checks who sends a body, and that it has no encoding; returns its type. Pages of other sites
    /// may send plain text without asking the server first, so no endpoint takes that.
    pub(crate) fn body_type(&self) -> Result<String, Problem> {
        let headers = &self.head.headers;
        if !self.site.cors {
            self.site.hosts.check_origin(headers)?;
        }
        let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
        if codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
            return Err(Problem::content_coding());
        }
        let declared = headers.get(header::CONTENT_TYPE);
        let declared = declared.and_then(|value| value.to_str().ok());
        let media_type = declared.unwrap_or_default().split(';').next();
        Ok(media_type.unwrap_or_default().trim().to_ascii_lowercase())
    }
}

/// The body of a request.
pub(crate) struct Incoming {
    pub(crate) connection: Arc<Connection>,
    /// `None` behind the end.
    body: Option<Body>,
}

/// The bytes of a body, and the permit of a large one, to hold as long as these.
type Held = (Vec<u8>, Option<OwnedSemaphorePermit>);

impl Incoming {
    /// Returns true if it is read to its end.
    pub(crate) fn is_at_end(&self) -> bool {
        self.body.is_none()
    }

    /// Returns the next bytes; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        while let Some(body) = &mut self.body {
            match body.frame().await {
                None => {
                    self.body = None;
                    self.connection.has_unread_body.store(false, Relaxed);
                }
                Some(Err(_)) => {
                    self.body = None;
                    return Err(Problem::cut_off());
                }
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.connection.received.fetch_add(data.len(), Relaxed);
                        return Ok(Some(data));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Reads some more, so that a client that sends before it reads learns what is wrong.
    pub(crate) async fn skip(&mut self) -> Result<(), Problem> {
        let mut skipped = 0;
        while skipped < PATIENT_BYTES
            && let Some(data) = self.next().await?
        {
            skipped += data.len();
        }
        Ok(())
    }

    /// Reads a body of at most `most` bytes. `what` is in it, for the error if it is larger.
    pub(crate) async fn read(
        &mut self,
        site: &Site,
        (most, what): (usize, &str),
    ) -> Result<Held, Problem> {
        let connection = Arc::clone(&self.connection);
        let read = connection.receive(self.read_most(site, most)).await?;
        read.ok_or_else(|| {
            let message = format!("the body has more than {most} bytes");
            let hint = format!("send fewer {what} at a time");
            Problem::new(ErrorCode::BodyTooLarge, message, hint)
        })
    }

    /// Returns `None` if it has more than `most` bytes.
    async fn read_most(&mut self, site: &Site, most: usize) -> Result<Option<Held>, Problem> {
        let declared = self.body.as_ref().map(|body| body.size_hint().lower());
        if declared > Some(PATIENT_BYTES as u64) {
            return Ok(None);
        }
        let (mut bytes, mut permit) = (Vec::new(), None);
        while let Some(data) = self.next().await? {
            let total = bytes.len() + data.len();
            if total > most {
                drop((bytes, permit));
                self.skip().await?;
                return Ok(None);
            }
            if total > SMALL_BODY && permit.is_none() {
                permit = Some(take(&site.bodies)?);
                bytes.reserve_exact(most - bytes.len());
            }
            bytes.extend_from_slice(&data);
        }
        Ok(Some((bytes, permit)))
    }
}
