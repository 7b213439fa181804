//! `POST /api/v1/{rules}/batch`: what many positions are worth.

use std::sync::Arc;
use std::time::Duration;

use granero::{Position, Tables};
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap};
use tokio::time::{self, Instant};

use crate::gate::Gate;
use crate::guests::Guest;
use crate::limits::{BATCH_POSITIONS, LARGE, LARGE_ANSWER, PATIENT_BYTES, SMALL_BODY};
use crate::pace::Pace;
use crate::positions::{self, Entry};
use crate::problem::Problem;
use crate::reply::Reply;
use crate::shares::{Share, Shares};
use crate::shelf::Volume;
use granero_answer::document::BatchDocument;
use granero_answer::worths;

/// How long the body may take to come, if it comes fast enough: see [`Pace`].
const PATIENCE: Duration = Duration::from_secs(60);

/// Batches in progress. Incoming bodies, and answers that are made or sent, take places, which
/// bounds memory however slowly clients write and read. Bodies and answers have separate places,
/// so that a client that writes slowly delays no answer.
pub(super) struct Batches {
    bodies: Arc<Shares>,
    answers: Arc<Shares>,
}

/// A body, and the place that it takes if it is large.
pub(super) struct Body {
    bytes: Vec<u8>,
    _place: Option<Share>,
}

impl Body {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Batches {
    pub(super) fn new(answers: Arc<Shares>) -> Batches {
        Batches {
            bodies: Shares::new(LARGE),
            answers,
        }
    }

    /// Answers a batch. Also returns the number of positions.
    pub(super) async fn answer(
        &self,
        volume: &Arc<Volume>,
        guest: &Guest,
        body: Body,
        work: &Gate,
    ) -> Result<(Reply, usize), Problem> {
        let place = self.answers.take(guest.counted());
        let place = place.ok_or_else(Problem::overloaded)?;
        let volume = Arc::clone(volume);
        let work = work.work(
            guest.counted(),
            move || -> Result<(Vec<u8>, usize), Problem> {
                let entries = positions::parse(&body.bytes, BATCH_POSITIONS)?;
                drop(body);
                let answer = document(&volume.tables, &entries)?;
                Ok((answer, entries.len()))
            },
        );
        let (answer, positions) = work.await??;
        let reply = Reply::json_text(Bytes::from(answer));
        let reply = match reply.length() {
            ..=LARGE_ANSWER => reply,
            _ => reply.keeping(place),
        };
        Ok((reply, positions))
    }

    /// Reads a body, and takes it when it is at its end. It has at most so many bytes; `too_large`
    /// says what is wrong with a larger one.
    pub(super) async fn read(
        &self,
        (most, too_large): (usize, fn(usize) -> Problem),
        guest: &Guest,
        headers: &HeaderMap,
        body: &mut Option<Incoming>,
    ) -> Result<Body, Problem> {
        guest.sends();
        let length = headers.get(header::CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > PATIENT_BYTES as u64) {
            return Err(too_large(most));
        }
        let mut bytes = Vec::new();
        let mut place = None;
        let mut total = 0;
        let begin = Instant::now();
        let mut pace = Pace::new(begin);
        while let Some(coming) = body {
            let now = Instant::now();
            if pace.is_too_slow(now) || now > begin + PATIENCE {
                return Err(Problem::timeout());
            }
            let Ok(frame) = time::timeout_at(pace.end(), coming.frame()).await else {
                continue;
            };
            let Some(frame) = frame else {
                *body = None;
                break;
            };
            let frame = frame.map_err(|_| Problem::broken_body())?;
            let Some(data) = frame.data_ref() else {
                continue;
            };
            pace.moved(data.len());
            total += data.len();
            if total > PATIENT_BYTES {
                break;
            }
            if total > most {
                (bytes, place) = (Vec::new(), None);
                continue;
            }
            if total > SMALL_BODY && place.is_none() {
                let free = self.bodies.take(guest.counted());
                place = Some(free.ok_or_else(Problem::overloaded)?);
                bytes.reserve_exact(most - bytes.len());
            }
            bytes.extend_from_slice(data);
        }
        if total > most {
            return Err(too_large(most));
        }
        guest.asks();
        Ok(Body {
            bytes,
            _place: place,
        })
    }
}

/// The answer to a list of positions.
fn document(tables: &Tables, entries: &[Entry]) -> Result<Vec<u8>, Problem> {
    let found = entries.iter().flatten().copied();
    let found: Vec<Position> = found.collect();
    let worths = worths(tables, &found)?;
    let document = BatchDocument::new(tables, entries, &worths);
    let mut answer = serde_json::to_vec(&document).expect("numbers and names are JSON");
    answer.shrink_to_fit();
    Ok(answer)
}
