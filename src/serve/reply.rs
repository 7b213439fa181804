//! Answers as HTTP: who may cache them, and what a browser may do with them.

use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use granero::table::Sha256;
use granero_answer::document::ErrorDocument;
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;

use crate::limits::LARGE_ANSWER;
use crate::metrics::METRICS;
use crate::problem::Problem;

pub(crate) const JSON: &str = "application/json";
pub(crate) const TSV: &str = "text/tab-separated-values";

#[derive(Clone)]
pub(crate) struct Reply(Response<Bytes>);

/// The result of an endpoint.
pub(crate) type Answer = Result<Reply, Problem>;

/// The right of a client to keep an answer, as the header says it: for a day, because it does not
/// change; as long as the client checks each time that it has not changed; or not at all.
pub(crate) const LONG: &str = "public, max-age=86400";
pub(crate) const ASK: &str = "no-cache";
pub(crate) const NEVER: &str = "no-store";

impl Reply {
    /// Makes an answer that may not be cached.
    pub(crate) fn new(content_type: &'static str, body: impl Into<Bytes>) -> Reply {
        let mut response = Response::new(body.into());
        let headers = response.headers_mut();
        headers.reserve(16);
        let [kind, keep] = [content_type, NEVER].map(HeaderValue::from_static);
        headers.insert(header::CONTENT_TYPE, kind);
        headers.insert(header::CACHE_CONTROL, keep);
        Reply(response)
    }

    /// Makes an answer of a document for one request.
    pub(crate) fn json(document: &impl Serialize) -> Reply {
        // Enough room for most positions.
        let mut body = Vec::with_capacity(1500);
        serde_json::to_writer(&mut body, document).expect("numbers and names are JSON");
        Reply::new(JSON, body)
    }

    /// Lets clients keep this answer as long as it stays the same, with its hash as the tag.
    pub(crate) fn fixed(self) -> Reply {
        let tag = short_hash(self.0.body());
        self.kept(ASK, &tag)
    }

    /// Lets clients keep this answer, with a tag of visible ASCII.
    pub(crate) fn kept(mut self, keep: &'static str, tag: &str) -> Reply {
        let headers = self.0.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
        if let Ok(etag) = HeaderValue::try_from(format!("\"{tag}\"")) {
            headers.insert(header::ETAG, etag);
        }
        self
    }

    /// Holds a permit until all of this answer is sent, if it is large.
    pub(crate) fn with_permit(
        self,
        permit: impl FnOnce() -> Result<OwnedSemaphorePermit, Problem>,
    ) -> Answer {
        if self.0.body().len() <= LARGE_ANSWER {
            return Ok(self);
        }
        let permit = permit()?;
        let held = |body| Bytes::from_owner(HeldBody(body, permit));
        Ok(Reply(self.0.map(held)))
    }
}

#[expect(dead_code, reason = "the permit is held")]
struct HeldBody(Bytes, OwnedSemaphorePermit);

impl AsRef<[u8]> for HeldBody {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response<Body> {
        self.0.map(Body::from)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let status = self.0.code.status();
        let document = ErrorDocument { error: self.0 };
        let mut response = Reply::json(&document).into_response();
        *response.status_mut() = StatusCode::from_u16(status).expect("a status of HTTP");
        if response.status() == StatusCode::SERVICE_UNAVAILABLE {
            METRICS.overloaded.inc();
            let second = HeaderValue::from_static("1");
            response.headers_mut().insert(header::RETRY_AFTER, second);
        }
        response
    }
}

/// Returns a hash as 16 hexadecimal digits, which is enough where no attacker gains by equal ones.
pub(crate) fn short_hash(bytes: &[u8]) -> String {
    format!("{:.16}", Sha256::of(bytes))
}

/// Completes a response to a request with these headers, which may name answers that the client has.
pub(crate) fn complete(response: &mut Response<Body>, asked: &HeaderMap, cors: bool) {
    let etag = response.headers().get(header::ETAG);
    let known = asked.get_all(header::IF_NONE_MATCH).iter();
    let mut tags = known.flat_map(|list| list.as_bytes().split(|&byte| byte == b','));
    let is_known = tags.any(|tag| {
        let tag = tag.trim_ascii();
        let bare = tag.strip_prefix(b"W/").unwrap_or(tag);
        etag.is_some_and(|etag| tag == b"*" || bare == etag.as_bytes())
    });
    if response.status() == StatusCode::OK && is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.headers_mut().remove(header::CONTENT_TYPE);
        response.headers_mut().remove(header::CONTENT_LENGTH);
    }
    for &(name, value) in SECURITY.iter().chain(CORS.iter().filter(|_| cors)) {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
}

/// The headers of all answers. The page needs nothing from other sites.
#[rustfmt::skip]
const SECURITY: [(&str, &str); 7] = [
    ("content-security-policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
        style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy",
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"),
];

/// The headers that let pages of other sites ask. They replace the policy for resources.
#[rustfmt::skip]
const CORS: [(&str, &str); 6] = [
    ("access-control-allow-origin", "*"),
    ("access-control-allow-methods", "GET, HEAD, POST, OPTIONS"),
    ("access-control-allow-headers", "Content-Type, If-None-Match"),
    ("access-control-expose-headers", "ETag, Retry-After"),
    ("access-control-max-age", "86400"),
    ("cross-origin-resource-policy", "cross-origin"),
];
