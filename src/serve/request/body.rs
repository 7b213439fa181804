//! Reads the body of a request.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap};
use tokio::time::{self, Instant};

use crate::connection::{Activity, Connection};
use crate::limits::{PATIENT_BYTES, Pace, Permit, Permits, SMALL_BODY};
use crate::reply::Problem;

/// The longest time for a body, which must also keep the [`Pace`].
const PATIENCE: Duration = Duration::from_secs(60);

/// A body, with the permit that it needs if it is large.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    _permit: Option<Permit>,
}

/// Reads a body of at most `most` bytes, and takes it when it is at its end. `what` is in it, for the
/// error if it is larger. A large body needs one of the permits `large`.
pub(crate) async fn read(
    (most, what): (usize, &str),
    large: &Arc<Permits>,
    connection: &Connection,
    headers: &HeaderMap,
    body: &mut Option<Incoming>,
) -> Result<Body, Problem> {
    connection.set(Activity::ReceivingBody);
    let length = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > PATIENT_BYTES as u64) {
        return Err(Problem::body_too_large(most, what));
    }
    let mut bytes = Vec::new();
    let mut permit = None;
    let mut total = 0;
    let begin = Instant::now();
    let mut pace = Pace::new(begin);
    while let Some(incoming) = body {
        let now = Instant::now();
        if pace.is_too_slow(now) || now > begin + PATIENCE {
            return Err(Problem::timeout());
        }
        let Ok(next) = time::timeout_at(pace.end(), incoming.frame()).await else {
            continue;
        };
        let Some(frame) = next else {
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
            (bytes, permit) = (Vec::new(), None);
            continue;
        }
        if total > SMALL_BODY && permit.is_none() {
            permit = Some(large.take(connection.counted_peer())?);
            bytes.reserve_exact(most - bytes.len());
        }
        bytes.extend_from_slice(data);
    }
    if total > most {
        return Err(Problem::body_too_large(most, what));
    }
    connection.set(Activity::Answering);
    Ok(Body {
        bytes,
        _permit: permit,
    })
}
