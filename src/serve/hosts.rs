//! Checks the host that a request names, and the page that sends it.
//!
//! A page of another site can point the name of its own server to this machine (DNS rebinding), and
//! can make a browser send anything here. The browser sends the name that it asks for and the
//! origin of the page; both are checked.

use std::net::SocketAddr;

use axum::http::Version;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::request::Parts;
use axum::http::uri::Authority;

use crate::problem::Problem;

/// The names that this server answers to, besides addresses and `localhost`.
pub(crate) struct Hosts(pub(crate) Vec<String>);

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
    /// Checks that a request is meant for this server.
    pub(crate) fn check(&self, head: &Parts) -> Result<(), Problem> {
        if head.version >= Version::HTTP_11 && !head.headers.contains_key(header::HOST) {
            return Err(Problem::no_host());
        }
        let hosts = head.headers.get_all(header::HOST).iter();
        let target = head.uri.authority().map(Authority::as_str);
        let mut all = hosts.map(|host| host.to_str().ok()).chain(target.map(Some));
        match all.find(|host| !host.is_some_and(|host| self.serves(host))) {
            None => Ok(()),
            Some(other) => Err(Problem::forbidden_host(other.unwrap_or_default())),
        }
    }

    /// Checks that a request with a body comes from a page of this server or from no page.
    pub(crate) fn check_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let host = headers.get(header::HOST);
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let is_own = origins.all(|origin| self.is_own(origin, host));
        is_own.then_some(()).ok_or_else(Problem::forbidden_origin)
    }

    /// Returns true if the server answers to this name, which may have a port.
    ///
    /// Addresses are always served: no attacker can redirect them, unlike names.
    fn serves(&self, authority: &str) -> bool {
        let Some(host) = host(authority) else {
            return false;
        };
        let is_address = format!("{host}:0").parse::<SocketAddr>().is_ok();
        is_address || host == "localhost" || self.0.contains(&host)
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
            || host(authority).is_some_and(|host| self.0.contains(&host))
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
