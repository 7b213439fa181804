//! A web host, as an HTTP client sees it.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use granero::build::bytes;
use ureq::http::{Response, StatusCode, header};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body, BodyReader, Error, Timeout};

use granero_answer::amounts::{counted, duration};
use granero_console::failure::Failure;

/// The limits for a host, and whom to trust.
pub(crate) struct Settings<'a> {
    /// The time that it may send nothing.
    pub(crate) patience: Duration,
    /// The least bytes per second that it has to send, over that time.
    pub(crate) least: u64,
    /// The certificate authorities to trust, as PEM, instead of the built-in ones.
    pub(crate) authorities: Option<&'a [u8]>,
}

/// A host and the connection to it.
pub(crate) struct Host {
    agent: Agent,
    patience: Duration,
    least: u64,
}

/// Why something cannot be fetched.
pub(crate) enum Trouble {
    /// Asking again may help.
    Passing(String),
    /// There is nothing at this address.
    Missing,
    /// Asking again does not help.
    Lasting(String),
}

/// The most redirects that are followed.
const MOST_REDIRECTS: usize = 10;

/// A whole file, or its end.
pub(crate) struct Answer {
    /// The offset of the first byte in the file.
    pub(crate) start: u64,
    /// The length of the whole file, if the host says so.
    pub(crate) length: Option<u64>,
    body: BodyReader<'static>,
    patience: Duration,
    least: u64,
    /// The last time that the rate was checked, and the bytes since then.
    since: Instant,
    came: u64,
}

impl Host {
    /// Prepares to ask the host of an address.
    pub(crate) fn of(url: &str, settings: &Settings<'_>) -> Result<Host, Failure> {
        let roots = match settings.authorities {
            Some(pem) => RootCerts::new_with_certs(&certificates(pem)?),
            None => RootCerts::WebPki,
        };
        let patience = Some(settings.patience);
        let config = Agent::config_builder()
            // A secure address must not redirect to an insecure one.
            .https_only(is_of(url, "https"))
            // `ureq` would read the bodies of redirects to their end, which may never come.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(concat!("granero/", env!("CARGO_PKG_VERSION")))
            .accept("*/*")
            .timeout_resolve(patience)
            .timeout_connect(patience)
            .timeout_recv_response(patience)
            .timeout_per_read(patience)
            .timeout_per_write(patience)
            .tls_config(TlsConfig::builder().root_certs(roots).build())
            .build();
        Ok(Host {
            agent: config.new_agent(),
            patience: settings.patience,
            least: settings.least,
        })
    }

    /// Asks for a file from byte `start` on. A host without ranges sends all of it.
    pub(crate) fn ask(&self, url: &str, start: u64) -> Result<Answer, Trouble> {
        let mut url = url.to_string();
        for _ in 0..=MOST_REDIRECTS {
            let mut request = self.agent.get(&url);
            if start > 0 {
                request = request.header(header::RANGE, format!("bytes={start}-"));
            }
            let answer = request
                .call()
                .map_err(|error| trouble(error, self.patience))?;
            match elsewhere(&answer) {
                Some(place) => url = joined(&url, place),
                None => return self.answer(answer, start),
            }
        }
        Err(Trouble::Lasting("too many redirects".into()))
    }

    fn answer(&self, answer: Response<Body>, start: u64) -> Result<Answer, Trouble> {
        let (start, length) = match answer.status() {
            StatusCode::OK => (0, number(&answer, header::CONTENT_LENGTH)),
            StatusCode::PARTIAL_CONTENT => match range(&answer) {
                Some((first, length)) if first == start => (start, length),
                _ => {
                    let what = "the host sends another part of the file than it was asked for";
                    return Err(Trouble::Lasting(what.into()));
                }
            },
            StatusCode::NOT_FOUND | StatusCode::GONE => return Err(Trouble::Missing),
            StatusCode::RANGE_NOT_SATISFIABLE => {
                return Err(Trouble::Lasting(format!(
                    "the file of the host has no more than {}",
                    counted(start, "byte")
                )));
            }
            status => {
                let passes = status.is_server_error()
                    || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS]
                        .contains(&status);
                // The usual words for the status: the host's own may be anything.
                let what = format!("the host answers {status}");
                return Err(if passes {
                    Trouble::Passing(what)
                } else {
                    Trouble::Lasting(what)
                });
            }
        };
        Ok(Answer {
            start,
            length,
            body: answer.into_body().into_reader(),
            patience: self.patience,
            least: self.least,
            since: Instant::now(),
            came: 0,
        })
    }
}

impl Answer {
    /// Reads the next bytes; none at the end.
    pub(crate) fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Trouble> {
        loop {
            match self.body.read(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(trouble(error.into(), self.patience)),
                Ok(length) => return self.fast_enough(length),
            }
        }
    }

    /// Returns `length`, or an error if too few bytes have come since the last check.
    fn fast_enough(&mut self, length: usize) -> Result<usize, Trouble> {
        self.came += length as u64;
        let time = self.since.elapsed();
        if length > 0 && time >= self.patience {
            if (self.came as f64) < self.least as f64 * time.as_secs_f64() {
                return Err(Trouble::Passing(format!(
                    "the host sent only {} in {}, less than --least-rate asks for",
                    bytes(self.came),
                    duration(time)
                )));
            }
            (self.since, self.came) = (Instant::now(), 0);
        }
        Ok(length)
    }
}

/// Returns the address that an answer redirects to.
fn elsewhere(answer: &Response<Body>) -> Option<&str> {
    let status = answer.status();
    let sends_on = status.is_redirection() && status != StatusCode::NOT_MODIFIED;
    let place = answer.headers().get(header::LOCATION).filter(|_| sends_on);
    place?.to_str().ok()
}

/// Resolves `place`, which may be relative to `url`.
pub(super) fn joined(url: &str, place: &str) -> String {
    let after_scheme = url.find("://").map_or(0, |at| at + 3);
    let path = url[after_scheme..].find('/');
    let path = path.map_or(url.len(), |at| after_scheme + at);
    if is_of(place, "http") || is_of(place, "https") {
        place.into()
    } else if place.starts_with("//") {
        format!("{}:{place}", &url[..after_scheme.saturating_sub(3)])
    } else if place.starts_with('/') {
        format!("{}{place}", &url[..path])
    } else {
        let directory = url[path..].rfind('/').map_or(url.len(), |at| path + at);
        format!("{}/{place}", &url[..directory])
    }
}

/// Returns true if an address has this scheme, in any case.
fn is_of(url: &str, scheme: &str) -> bool {
    let own = url.split_once("://").map(|(scheme, _)| scheme);
    own.is_some_and(|own| own.eq_ignore_ascii_case(scheme))
}

/// Reads a header that is a number.
fn number(answer: &Response<Body>, name: header::HeaderName) -> Option<u64> {
    answer.headers().get(name)?.to_str().ok()?.parse().ok()
}

/// Reads the offset of a part, and the length of the whole file if it is given: 1000 and 4582 from
/// `bytes 1000-4581/4582`.
fn range(answer: &Response<Body>) -> Option<(u64, Option<u64>)> {
    let text = answer.headers().get(header::CONTENT_RANGE)?.to_str().ok()?;
    let (places, length) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (first, _) = places.split_once('-')?;
    Some((first.parse().ok()?, length.parse().ok()))
}

fn trouble(error: Error, patience: Duration) -> Trouble {
    match error {
        Error::Timeout(Timeout::PerRead | Timeout::PerWrite | Timeout::RecvResponse) => {
            Trouble::Passing(format!("the host was silent for {}", duration(patience)))
        }
        Error::Timeout(_) => Trouble::Passing(format!(
            "the host could not be reached within {}",
            duration(patience)
        )),
        // An error of rustls: a bad certificate, or an answer without TLS.
        Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            Trouble::Lasting(format!("no secure connection: {}", visible(&error)))
        }
        Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Trouble::Passing("the host ended the connection".into())
        }
        Error::Io(error) => Trouble::Passing(visible(&error)),
        Error::HostNotFound => Trouble::Passing("there is no host with this name".into()),
        Error::Protocol(error) => {
            Trouble::Passing(format!("no answer in HTTP: {}", visible(&error)))
        }
        Error::Rustls(error) => {
            Trouble::Lasting(format!("no secure connection: {}", visible(&error)))
        }
        Error::RequireHttpsOnly(_) => {
            Trouble::Lasting("the host redirects to an address that is not secure".into())
        }
        error => Trouble::Lasting(visible(&error)),
    }
}

/// Formats a message, which may repeat text from the host, so that it cannot control a terminal.
fn visible(error: &dyn ToString) -> String {
    granero::notation::visible(&error.to_string())
}

/// Reads the certificates in a PEM text.
fn certificates(pem: &[u8]) -> Result<Vec<Certificate<'static>>, Failure> {
    let items: Result<Vec<_>, _> = parse_pem(pem).collect();
    let items = items.map_err(|error| no_certificates(visible(&error)))?;
    let certificates = items.into_iter().filter_map(|item| match item {
        PemItem::Certificate(certificate) => Some(certificate),
        _ => None,
    });
    let certificates: Vec<_> = certificates.collect();
    if certificates.is_empty() {
        return Err(no_certificates("there is none".into()));
    }
    Ok(certificates)
}

fn no_certificates(why: String) -> Failure {
    Failure::NotPossible {
        message: format!("the file of --ca holds no readable certificates: {why}"),
        help: "name a file of certificates in PEM, like /etc/ssl/certs/ca-certificates.crt".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_may_be_relative() {
        let url = "https://host:8080/a/b";
        for (place, expected) in [
            ("http://other/c", "http://other/c"),
            ("HTTPS://other/c", "HTTPS://other/c"),
            ("//other/c", "https://other/c"),
            ("/c/d", "https://host:8080/c/d"),
            ("c", "https://host:8080/a/c"),
        ] {
            assert_eq!(joined(url, place), expected);
        }
        assert_eq!(joined("https://host", "c"), "https://host/c");
        assert_eq!(joined("https://host", "/c"), "https://host/c");
    }
}
