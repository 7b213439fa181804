//! The names that the server answers to. A page of another site can point the name of its own
//! server to this machine (DNS rebinding), and can make a browser send anything here. The
//! browser says which name it asks for, and from which page; both are checked.

use std::net::{Ipv4Addr, Ipv6Addr};

use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::http::uri::Authority;

use crate::problem::Problem;
use crate::reply;

/// The names that this server answers to, besides addresses and `localhost`.
pub(super) struct Hosts {
    names: Vec<String>,
}

/// What a body is declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Json,
    /// A position in each line. Not plain text: a page of another site may send that without asking.
    Lines,
    /// None of these, or nothing.
    Other,
}

/// A name in the form for comparisons, or an error if it is not a name.
pub(super) fn name(text: &str) -> Result<String, String> {
    let name = normal(text);
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!name.is_empty() && name.chars().all(good))
        .then_some(name)
        .ok_or_else(|| "the name of a host is needed, like oware.example.org".into())
}

fn normal(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

impl Hosts {
    pub(super) fn new(names: Vec<String>) -> Hosts {
        Hosts { names }
    }

    /// Whether a request is meant for this server. A request without a host is not from a
    /// browser.
    pub(super) fn check_host(&self, head: &Parts) -> Result<(), Problem> {
        let hosts = head.headers.get_all(header::HOST).iter();
        let target = head.uri.authority().map(Authority::as_str);
        let mut all = hosts.map(|host| host.to_str().ok()).chain(target.map(Some));
        match all.find(|host| !host.is_some_and(|host| self.serves(host))) {
            None => Ok(()),
            Some(host) => Err(Problem::forbidden_host(host.unwrap_or_default())),
        }
    }

    /// Whether a request with a body comes from a page of this server, or from no page, and
    /// what its body is declared as.
    pub(super) fn check_body(&self, headers: &HeaderMap, cors: bool) -> Result<Kind, Problem> {
        let host = headers.get(header::HOST);
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !cors && !origins.all(|origin| self.is_own(origin, host)) {
            return Err(Problem::forbidden_origin());
        }
        let kind = headers.get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        Ok(if kind.eq_ignore_ascii_case(reply::JSON) {
            Kind::Json
        } else if kind.eq_ignore_ascii_case(reply::TSV) {
            Kind::Lines
        } else {
            Kind::Other
        })
    }

    /// Whether the server answers to this name, which may have a port.
    ///
    /// A client that uses an address has not looked up a name that others could change.
    fn serves(&self, authority: &str) -> bool {
        let Some(host) = host(authority) else {
            return false;
        };
        is_address(&host) || host == "localhost" || self.names.contains(&host)
    }

    /// Whether an origin is that of the page here: the same host and port, or a name that was
    /// given, whatever port a proxy has for it.
    fn is_own(&self, origin: &HeaderValue, asked: Option<&HeaderValue>) -> bool {
        let Some((_, authority)) = origin.to_str().ok().and_then(|text| text.split_once("://"))
        else {
            return false;
        };
        let asked = asked.and_then(|host| host.to_str().ok());
        asked.is_some_and(|asked| asked.eq_ignore_ascii_case(authority))
            || host(authority).is_some_and(|host| self.names.contains(&host))
    }
}

/// The host of what may have a port, and nothing else: no user before it, and no name after an address
/// in brackets, which the parser lets pass.
fn host(authority: &str) -> Option<String> {
    let authority: Authority = authority.parse().ok()?;
    let host = authority.host();
    let rest = authority.as_str().strip_prefix(host)?;
    let is_port = |port: &str| port.bytes().all(|digit| digit.is_ascii_digit());
    (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port)).then(|| normal(host))
}

fn is_address(host: &str) -> bool {
    match host.strip_prefix('[') {
        Some(rest) => (rest.strip_suffix(']')).is_some_and(|host| host.parse::<Ipv6Addr>().is_ok()),
        None => host.parse::<Ipv4Addr>().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_served() {
        let hosts = Hosts::new(vec![name("Oware.example.org.").unwrap()]);
        for host in [
            "localhost",
            "LOCALHOST:7475",
            "127.0.0.1:7475",
            "192.0.2.1",
            "localhost:",
            "[::1]:7475",
            "[2001:db8::1]",
            "oware.example.org",
            "OWARE.example.org.:8080",
        ] {
            assert!(hosts.serves(host), "{host}");
        }
        for host in [
            "",
            "example.org",
            "evil.oware.example.org",
            "oware.example.org.evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil.example@127.0.0.1",
            "0x7f000001",
            "2130706433",
            "127.1",
            "localhost evil",
            "::1",
            "[::1].evil.example",
            "[::1].",
            "[::1]evil.example:80",
            "[::1]evil@localhost",
            "[::1]]",
            "[[::1]]",
            "[::1]:80:evil.example",
            "[::1",
            "[]",
            "[127.0.0.1]",
            "[localhost]",
            "[::1%25eth0]",
            "localhost:evil.example",
            "localhost:80:80",
            "localhost:80x",
            "localhost:+80",
            "localhost:80@evil.example",
            "localhost@localhost",
            ":80",
            "localhost/evil.example",
            "localhost?evil.example",
            "localhost#evil.example",
            "localhost\\evil.example",
            "localhost..",
            ".localhost",
            "%6cocalhost",
            "127.0.0.1..",
            "127.0.0.01",
        ] {
            assert!(!hosts.serves(host), "{host}");
        }
    }

    #[test]
    fn names() {
        assert!(name("").is_err());
        assert!(name("http://oware.example.org").is_err());
        assert!(name("oware.example.org:80").is_err());
        assert!(name("*").is_err());
    }
}
