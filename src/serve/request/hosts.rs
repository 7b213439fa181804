//! Checks the host that a request names, and the page that sends it.
//!
//! A page of another site can point the name of its own server to this machine (DNS rebinding), and
//! can make a browser send anything here. The browser sends the name that it asks for and the
//! origin of the page; both are checked.

use std::net::{Ipv4Addr, Ipv6Addr};

use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::http::uri::Authority;

use crate::reply;
use crate::reply::Problem;

/// The names that this server answers to, besides addresses and `localhost`.
pub(crate) struct Hosts {
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyType {
    Json,
    /// Tab-separated values: a position in each line. Pages of other sites may send plain text
    /// without asking the server first.
    Lines,
    /// Another type, or none.
    Other,
}

/// Parses the name of a host into the form for comparisons.
pub(crate) fn name(text: &str) -> Result<String, String> {
    let name = normal(text);
    let is_good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!name.is_empty() && name.chars().all(is_good))
        .then_some(name)
        .ok_or_else(|| "the name of a host is needed, like oware.example.org".into())
}

fn normal(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

impl Hosts {
    pub(crate) fn new(names: Vec<String>) -> Hosts {
        Hosts { names }
    }

    /// Checks that a request is meant for this server. One without a host is not from a browser.
    pub(crate) fn check_host(&self, head: &Parts) -> Result<(), Problem> {
        let hosts = head.headers.get_all(header::HOST).iter();
        let target = head.uri.authority().map(Authority::as_str);
        let mut all = hosts.map(|host| host.to_str().ok()).chain(target.map(Some));
        match all.find(|host| !host.is_some_and(|host| self.serves(host))) {
            None => Ok(()),
            Some(other) => Err(Problem::forbidden_host(other.unwrap_or_default())),
        }
    }

    /// Checks that a request with a body comes from a page of this server or from no page, and
    /// returns the declared type of its body.
    pub(crate) fn check_body(&self, headers: &HeaderMap, cors: bool) -> Result<BodyType, Problem> {
        let host = headers.get(header::HOST);
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !cors && !origins.all(|origin| self.is_own(origin, host)) {
            return Err(Problem::forbidden_origin());
        }
        let declared = headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let media_type = declared.split(';').next().unwrap_or_default().trim();
        Ok(if media_type.eq_ignore_ascii_case(reply::JSON) {
            BodyType::Json
        } else if media_type.eq_ignore_ascii_case(reply::TSV) {
            BodyType::Lines
        } else {
            BodyType::Other
        })
    }

    /// Returns true if the server answers to this name, which may have a port.
    ///
    /// Addresses are always served: no attacker can redirect them, unlike names.
    fn serves(&self, authority: &str) -> bool {
        let Some(host) = host(authority) else {
            return false;
        };
        is_address(&host) || host == "localhost" || self.names.contains(&host)
    }

    /// Returns true if an origin is this server: the host and port that was asked for, or a given
    /// name with any port, because a proxy may have another one.
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

/// Returns the host of an authority that has a host and perhaps a port, and nothing else: no user,
/// and no name after an address in brackets, which the parser accepts.
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
    fn served_hosts() {
        let hosts = Hosts::new(vec![name("Oware.example.org.").unwrap()]);
        let served = "localhost LOCALHOST:7475 127.0.0.1:7475 192.0.2.1 localhost: [::1]:7475 \
            [2001:db8::1] oware.example.org OWARE.example.org.:8080";
        for host in served.split(' ') {
            assert!(hosts.serves(host), "{host}");
        }
        let refused = "example.org evil.oware.example.org oware.example.org.evil.example \
            localhost.evil.example 127.0.0.1.evil.example evil.example@127.0.0.1 0x7f000001 \
            2130706433 127.1 ::1 [::1].evil.example [::1]. [::1]evil.example:80 \
            [::1]evil@localhost [::1]] [[::1]] [::1]:80:evil.example [::1 [] [127.0.0.1] \
            [localhost] [::1%25eth0] localhost:evil.example localhost:80:80 localhost:80x \
            localhost:+80 localhost:80@evil.example localhost@localhost :80 \
            localhost/evil.example localhost?evil.example localhost#evil.example \
            localhost\\evil.example localhost.. .localhost %6cocalhost 127.0.0.1.. 127.0.0.01";
        for host in refused.split(' ').chain(["", "localhost evil"]) {
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
