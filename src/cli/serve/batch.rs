//! `POST /api/v1/{rules}/batch`: what many positions are worth.

use std::sync::Arc;
use std::time::Duration;

use granero::table::Tables;
use granero::{Position, Value};
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap};
use serde::Serialize;
use serde_json::Value as Json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time;

use super::gate::Gate;
use super::parameters;
use super::problem::{ErrorJson, Problem};
use super::reply::Reply;
use super::shelf::Volume;
use crate::cli::query;

/// The most positions, and the most bytes that they may take.
pub(super) const MOST: usize = 10_000;
pub(super) const BYTES: usize = 1 << 20;

/// Of a body that is too large so much is read past, so that the client, which may read
/// nothing before it has sent everything, gets to know what is wrong.
const PATIENT_BYTES: usize = 16 << 20;

/// How long the body may take to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// Batches that are on their way at a time, from the first byte of the question to the last
/// of the answer. So memory is bounded, however slowly clients read and write.
pub(super) struct Batches {
    places: Arc<Semaphore>,
}

impl Batches {
    pub(super) fn new(places: usize) -> Batches {
        Batches {
            places: Arc::new(Semaphore::new(places)),
        }
    }

    /// Answers a batch. Returns how many positions there were, too.
    pub(super) async fn answer(
        &self,
        volume: &Arc<Volume>,
        headers: &HeaderMap,
        body: Incoming,
        work: &Gate,
    ) -> Result<(Reply, usize), Problem> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| Problem::overloaded())?;
        let read = time::timeout(PATIENCE, read(headers, body)).await;
        let body = read.map_err(|_| Problem::timeout())??;
        let volume = Arc::clone(volume);
        let work = work.work(move || -> Result<(Vec<u8>, usize), Problem> {
            let positions = parse(&body)?;
            let document = document(&volume.tables, &positions)?;
            let answer = serde_json::to_vec(&document).expect("numbers and names are JSON");
            Ok((answer, positions.len()))
        });
        let (bytes, positions) = work.await??;
        let answer = Answer {
            bytes,
            _place: place,
        };
        Ok((Reply::json_text(Bytes::from_owner(answer)), positions))
    }
}

/// An answer, which keeps its place until all of it is sent.
struct Answer {
    bytes: Vec<u8>,
    _place: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Answer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

async fn read(headers: &HeaderMap, mut body: Incoming) -> Result<Vec<u8>, Problem> {
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > PATIENT_BYTES as u64) {
        return Err(Problem::body_too_large(BYTES));
    }
    let mut bytes = Vec::new();
    let mut total = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::broken_body())?;
        let Some(data) = frame.data_ref() else {
            continue;
        };
        total += data.len();
        if total > PATIENT_BYTES {
            break;
        }
        if total <= BYTES {
            bytes.extend_from_slice(data);
        } else {
            bytes = Vec::new();
        }
    }
    if total > BYTES {
        return Err(Problem::body_too_large(BYTES));
    }
    Ok(bytes)
}

/// Reads a list of positions, each of which may be none.
fn parse(body: &[u8]) -> Result<Vec<Result<Position, Problem>>, Problem> {
    let list: Vec<Json> = serde_json::from_slice(body)
        .map_err(|error| Problem::bad_json(format!("the body is no list of positions: {error}")))?;
    if list.len() > MOST {
        return Err(Problem::too_many_positions(list.len(), MOST));
    }
    let read = |entry: &Json| match entry {
        Json::String(text) => parameters::position(text).map(|text| text.position()),
        Json::Array(houses) => integers(houses),
        _ => Err(Problem::bad_position(
            "not a position: neither a text nor a list",
        )),
    };
    Ok(list.iter().map(read).collect())
}

fn integers(houses: &[Json]) -> Result<Position, Problem> {
    let seeds: Option<Vec<u64>> = houses.iter().map(Json::as_u64).collect();
    let seeds = seeds.and_then(|seeds| <[u64; 12]>::try_from(seeds).ok());
    let seeds = seeds
        .ok_or_else(|| Problem::bad_position("not a position: not a list of twelve integers"))?;
    let houses = seeds.map(|seeds| u8::try_from(seeds).unwrap_or(u8::MAX));
    Position::new(houses)
        .map_err(|error| Problem::impossible_position(format!("not a position: {error}")))
}

fn document<'a>(
    tables: &Tables,
    positions: &'a [Result<Position, Problem>],
) -> Result<Document<'a>, Problem> {
    let found: Vec<Position> = positions.iter().flatten().copied().collect();
    let mut values = tables.values(&found)?.into_iter();
    let mut answers = Vec::with_capacity(positions.len());
    for position in positions {
        answers.push(match position {
            Err(problem) => AnswerJson::Error {
                error: &problem.error,
            },
            Ok(position) => {
                let value = match values.next().flatten() {
                    // All its moves may be within the reach of the tables all the same.
                    None => tables.assess(position)?.value,
                    value => value,
                };
                AnswerJson::Value {
                    position: position.houses(),
                    seeds: position.seeds(),
                    value: value.map(Value::seeds),
                    reason: value.is_none().then(|| query::reach(tables)),
                }
            }
        });
    }
    Ok(Document {
        rules: tables.rules().name(),
        cycles: tables.cycles().name(),
        unit: super::UNIT,
        answers,
    })
}

#[derive(Serialize)]
struct Document<'a> {
    rules: &'static str,
    cycles: &'static str,
    unit: &'static str,
    answers: Vec<AnswerJson<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum AnswerJson<'a> {
    Value {
        position: [u8; 12],
        seeds: u8,
        value: Option<i8>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    Error {
        error: &'a ErrorJson,
    },
}
