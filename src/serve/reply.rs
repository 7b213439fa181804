//! Answers in HTTP: who may cache them, and what a browser may do with them.

use granero::table::Sha256;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

use crate::problem::{Problem, RETRY_AFTER};
use crate::shares::Share;
use granero_answer::document::ErrorDocument;

/// An answer.
#[derive(Clone)]
pub(super) struct Reply {
    status: StatusCode,
    kind: &'static str,
    body: Bytes,
    keep: Keep,
    etag: Option<HeaderValue>,
    allow: Option<&'static str>,
}

/// How long a client may keep an answer.
#[derive(Clone, Copy)]
pub(super) enum Keep {
    /// It does not change.
    Long,
    /// If the client checks each time whether it has changed.
    Ask,
    /// Not at all.
    Never,
}

pub(super) const JSON: &str = "application/json";
pub(super) const TSV: &str = "text/tab-separated-values";

impl Reply {
    /// An answer that may not be cached.
    fn new(kind: &'static str, body: impl Into<Bytes>) -> Reply {
        Reply {
            status: StatusCode::OK,
            kind,
            body: body.into(),
            keep: Keep::Never,
            etag: None,
            allow: None,
        }
    }

    /// A document that is made for this request.
    pub(super) fn json(document: &impl Serialize) -> Reply {
        // Enough room for most positions.
        let mut body = Vec::with_capacity(1500);
        serde_json::to_writer(&mut body, document).expect("numbers and names are JSON");
        Reply::new(JSON, body)
    }

    /// The same, already written.
    pub(super) fn json_text(body: Bytes) -> Reply {
        Reply::new(JSON, body)
    }

    /// An answer that stays the same for a while, identified by its hash.
    pub(super) fn fixed(kind: &'static str, body: impl Into<Bytes>) -> Reply {
        let body = body.into();
        let etag = etag(&short_hash(&body));
        Reply::new(kind, body).kept(Keep::Ask, etag)
    }

    /// A document that stays the same for a while, identified by its hash.
    pub(super) fn fixed_json(document: &impl Serialize) -> Reply {
        let body = serde_json::to_vec(document).expect("numbers and names are JSON");
        Reply::fixed(JSON, body)
    }

    /// The head of an answer in lines of tab-separated values.
    pub(super) fn lines() -> Reply {
        Reply::new(TSV, "")
    }

    /// Text in the format of Prometheus.
    pub(super) fn metrics(text: String) -> Reply {
        Reply::new("text/plain; version=0.0.4", text)
    }

    /// The methods that are allowed here.
    pub(super) fn options(allow: &'static str) -> Reply {
        Reply {
            status: StatusCode::NO_CONTENT,
            allow: Some(allow),
            ..Reply::new(JSON, "")
        }
    }

    /// The same, to be kept.
    pub(super) fn kept(self, keep: Keep, etag: HeaderValue) -> Reply {
        Reply {
            keep,
            etag: Some(etag),
            ..self
        }
    }

    /// How many bytes to send.
    pub(super) fn length(&self) -> usize {
        self.body.len()
    }

    /// The same, which keeps a place until all of it is sent.
    pub(super) fn keeping(self, place: Share) -> Reply {
        let body = Keeping {
            body: self.body,
            _place: place,
        };
        Reply {
            body: Bytes::from_owner(body),
            ..self
        }
    }

    /// The answer to a request with these headers.
    pub(super) fn to(self, request: &HeaderMap, cors: bool) -> Response<Full<Bytes>> {
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
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
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

/// What is sent, and the place that it takes.
struct Keeping {
    body: Bytes,
    _place: Share,
}

impl AsRef<[u8]> for Keeping {
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

/// A tag that is different for each text. The text is visible ASCII.
pub(super) fn etag(text: &str) -> HeaderValue {
    let quoted = format!("\"{text}\"");
    HeaderValue::from_str(&quoted).unwrap_or(HeaderValue::from_static("\"\""))
}

/// A hash as 16 hexadecimal digits: enough where nobody forges equal ones.
pub(super) fn short_hash(bytes: &[u8]) -> String {
    format!("{:.16}", Sha256::of(bytes))
}

/// Whether the client already has this answer.
fn names(request: &HeaderMap, etag: &HeaderValue) -> bool {
    let lists = request.get_all(header::IF_NONE_MATCH).iter();
    let mut tags = lists.flat_map(|list| list.as_bytes().split(|&byte| byte == b','));
    tags.any(|tag| {
        let tag = tag.trim_ascii();
        tag == b"*" || tag.strip_prefix(b"W/").unwrap_or(tag) == etag.as_bytes()
    })
}

/// The page needs nothing from other sites, and may do nothing else.
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

/// Pages of other sites may ask. Takes the place of the policy for resources.
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
