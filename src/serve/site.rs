//! What all endpoints share, and what a request asks of one.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::header;
use axum::http::request::Parts;
use futures_util::TryStreamExt;
use granero::Ruleset;
use granero::notation::PositionText;
use granero_answer::document::ErrorCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::connection::Connection;
use crate::hosts::Hosts;
use crate::limits::{
    Gate, LARGE, LINE_BATCHES, PATIENCE, QUEUE, READERS, SMALL_BODY, take, workers,
};
use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::searches::{SearchOptions, Searches};
use crate::tables::{Served, TableSet};

/// The time that a chunk of lines waits for its turn. The chunks before it, at most one for each
/// permit, take far less.
const PATIENCE_OF_LINES: Duration = Duration::from_secs(600);

/// The longest time for a body in JSON.
const BODY: Duration = Duration::from_secs(20);

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
            hosts: Hosts(hosts),
            cors,
        })
    }
}

/// A request, with a body that is not read yet.
pub(crate) struct Asked {
    pub(crate) site: Arc<Site>,
    pub(crate) head: Parts,
    pub(crate) connection: Arc<Connection>,
    pub(crate) body: Body,
}

impl FromRequest<Arc<Site>> for Asked {
    type Rejection = Problem;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<Asked, Problem> {
        let (mut head, body) = request.into_parts();
        let connection = head.extensions.remove().ok_or_else(Problem::internal)?;
        Ok(Asked {
            site: Arc::clone(site),
            head,
            connection,
            body,
        })
    }
}

impl Asked {
    /// The ruleset in the path, and the parameters.
    pub(crate) fn parameters(&self, allowed: &[&str]) -> Result<(Ruleset, Parameters), Problem> {
        let rules = self.head.uri.path().split('/').nth(3);
        let rules = rules.unwrap_or_default().parse()?;
        Ok((rules, Parameters::parse(self.head.uri.query(), allowed)?))
    }

    /// The position, the time to search if there is one, and the tables.
    pub(crate) fn position(
        &self,
        allowed: &[&str],
    ) -> Result<(PositionText, Option<Duration>, Arc<TableSet>), Problem> {
        let (rules, parameters) = self.parameters(allowed)?;
        let hint = "give a position: ?p=0,0,0,0,0,1,2,0,0,0,0,0";
        let missing = || Problem::bad_parameter("the parameter `p` is missing", hint);
        let text = parameters.position.ok_or_else(missing)?;
        let set = self.site.served.set(rules, parameters.cycles);
        Ok((text, parameters.time, set))
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

    /// Reads a body of at most `most` bytes. `what` is in it, for the error if it is larger.
    pub(crate) async fn read(&mut self, most: usize, what: &str) -> Result<Held, Problem> {
        let too_large = || {
            let message = format!("the body has more than {most} bytes");
            let hint = format!("send fewer {what} at a time");
            Problem::new(ErrorCode::BodyTooLarge, message, hint)
        };
        if self.body.size_hint().lower() > most as u64 {
            return Err(too_large());
        }
        let mut body = mem::take(&mut self.body).into_data_stream();
        let read = async {
            let (mut bytes, mut permit) = (Vec::new(), None);
            while let Some(data) = body.try_next().await.map_err(|_| Problem::cut_off())? {
                let total = bytes.len() + data.len();
                if total > most {
                    return Err(too_large());
                }
                if total > SMALL_BODY && permit.is_none() {
                    permit = Some(take(&self.site.bodies)?);
                    bytes.reserve_exact(most - bytes.len());
                }
                bytes.extend_from_slice(&data);
            }
            Ok((bytes, permit))
        };
        self.connection.receive(BODY, read).await
    }
}

/// The bytes of a body, and the permit of a large one, to hold as long as these.
type Held = (Vec<u8>, Option<OwnedSemaphorePermit>);
