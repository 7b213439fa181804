//! Answers as HTTP: who may cache them, and what a browser may do with them.
//!
//! * `problem`: the errors of the API.

pub(crate) mod problem;

pub(crate) use problem::{Problem, quoted};

use granero::table::Sha256;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

use crate::limits::{LARGE_ANSWER, Permit};
use granero_answer::document::ErrorDocument;

use problem::RETRY_AFTER;

#[derive(Clone)]
pub(crate) struct Reply {
    status: StatusCode,
    content_type: &'static str,
    body: Bytes,
    keep: Keep,
    etag: Option<HeaderValue>,
    allow: Option<&'static str>,
}

/// The right of a client to keep an answer.
#[derive(Clone, Copy)]
pub(crate) enum Keep {
    /// For a day: it does not change.
    Long,
    /// As long as the client checks each time that it has not changed.
    Ask,
    /// Not at all.
    Never,
}

pub(crate) const JSON: &str = "application/json";
pub(crate) const TSV: &str = "text/tab-separated-values";

impl Reply {
    /// Makes an answer that may not be cached.
    pub(crate) fn new(content_type: &'static str, body: impl Into<Bytes>) -> Reply {
        Reply {
            status: StatusCode::OK,
            content_type,
            body: body.into(),
            keep: Keep::Never,
            etag: None,
            allow: None,
        }
    }

    /// Makes an answer of a document for one request.
    pub(crate) fn json(document: &impl Serialize) -> Reply {
        // Enough room for most positions.
        let mut body = Vec::with_capacity(1500);
        serde_json::to_writer(&mut body, document).expect("numbers and names are JSON");
        Reply::new(JSON, body)
    }

    /// Makes an answer that stays the same for a while, with its hash as the tag.
    pub(crate) fn fixed(content_type: &'static str, body: impl Into<Bytes>) -> Reply {
        let body = body.into();
        let etag = etag(&short_hash(&body));
        Reply::new(content_type, body).kept(Keep::Ask, etag)
    }

    /// Makes an answer of a document that stays the same for a while, with its hash as the tag.
    pub(crate) fn fixed_json(document: &impl Serialize) -> Reply {
        let body = serde_json::to_vec(document).expect("numbers and names are JSON");
        Reply::fixed(JSON, body)
    }

    pub(crate) fn options(allow: &'static str) -> Reply {
        Reply {
            status: StatusCode::NO_CONTENT,
            allow: Some(allow),
            ..Reply::new(JSON, "")
        }
    }

    /// Lets clients keep this answer, with a tag.
    pub(crate) fn kept(self, keep: Keep, etag: HeaderValue) -> Reply {
        Reply {
            keep,
            etag: Some(etag),
            ..self
        }
    }

    /// Holds a permit until all of this answer is sent, if it is large.
    pub(crate) fn with_permit(
        self,
        permit: impl FnOnce() -> Result<Permit, Problem>,
    ) -> Result<Reply, Problem> {
        if self.body.len() <= LARGE_ANSWER {
            return Ok(self);
        }
        let body = Bytes::from_owner(HeldBody {
            body: self.body,
            _permit: permit()?,
        });
        Ok(Reply { body, ..self })
    }

    /// Makes the response to a request with these headers.
    pub(crate) fn to(self, request: &HeaderMap, cors: bool) -> Response<Full<Bytes>> {
        let known = self.etag.as_ref().is_some_and(|etag| names(request, etag));
        let (status, body) = if self.status == StatusCode::OK && known {
            (StatusCode::NOT_MODIFIED, Bytes::new())
        } else {
            (self.status, self.body)
        };
        let mut sent = Response::new(Full::new(body));
        *sent.status_mut() = status;
        let headers = sent.headers_mut();
        headers.reserve(16);
        if !matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
            headers.insert(
                header::CONTENT_TYPE,
                HeaderValue::from_static(self.content_type),
            );
        }
        let keep = match self.keep {
            Keep::Long => "public, max-age=86400",
            Keep::Ask => "no-cache",
            Keep::Never => "no-store",
        };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
        if let Some(etag) = self.etag {
            headers.insert(header::ETAG, etag);
        }
        if let Some(allow) = self.allow {
            headers.insert(header::ALLOW, HeaderValue::from_static(allow));
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, RETRY_AFTER.into());
        }
        for (name, value) in SECURITY {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if cors {
            for (name, value) in CORS {
                headers.insert(name, HeaderValue::from_static(value));
            }
        }
        sent
    }
}

struct HeldBody {
    body: Bytes,
    _permit: Permit,
}

impl AsRef<[u8]> for HeldBody {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

impl From<Problem> for Reply {
    fn from(problem: Problem) -> Reply {
        Reply {
            status: problem.status,
            allow: problem.allow,
            ..Reply::json(&ErrorDocument {
                error: problem.error,
            })
        }
    }
}

/// Makes a tag of a text of visible ASCII.
pub(crate) fn etag(text: &str) -> HeaderValue {
    let quoted = format!("\"{text}\"");
    HeaderValue::from_str(&quoted).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Returns a hash as 16 hexadecimal digits, which is enough where no attacker gains by equal ones.
pub(crate) fn short_hash(bytes: &[u8]) -> String {
    format!("{:.16}", Sha256::of(bytes))
}

/// Returns true if the client already has this answer.
fn names(request: &HeaderMap, etag: &HeaderValue) -> bool {
    let lists = request.get_all(header::IF_NONE_MATCH).iter();
    let mut tags = lists.flat_map(|list| list.as_bytes().split(|&byte| byte == b','));
    tags.any(|tag| {
        let tag = tag.trim_ascii();
        tag == b"*" || tag.strip_prefix(b"W/").unwrap_or(tag) == etag.as_bytes()
    })
}

/// The headers of all answers. The page needs nothing from other sites.
const SECURITY: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
];

/// The headers that let pages of other sites ask. They replace the policy for resources.
const CORS: [(HeaderName, &str); 6] = [
    (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    (
        header::ACCESS_CONTROL_ALLOW_METHODS,
        "GET, HEAD, POST, OPTIONS",
    ),
    (
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        "Content-Type, If-None-Match",
    ),
    (header::ACCESS_CONTROL_EXPOSE_HEADERS, "ETag, Retry-After"),
    (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "cross-origin",
    ),
];
