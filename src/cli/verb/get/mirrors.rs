//! Web hosts of the same files, which are asked in turn.

use std::io::{self, Read};
use std::iter;
use std::path::Path;
use std::thread;
use std::time::Duration;

use granero::notation::visible;
use granero_answer::duration;
use granero_console::failure::Failure;
use granero_console::options;
use ureq::http::{StatusCode, header};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Error};

use super::Args;
use crate::output::meter::Meter;

/// The rounds of all mirrors without progress before a file is given up.
const ROUNDS: u32 = 8;

/// The reason why a mirror has not sent a file.
pub(super) enum Problem {
    /// Asking again helps only if it passes.
    OfHost { what: String, passes: bool },
    /// Asking others does not help either.
    Fatal(Failure),
}

impl Problem {
    pub(super) fn new(what: impl Into<String>, passes: bool) -> Problem {
        let what = what.into();
        Problem::OfHost { what, passes }
    }
}

impl<E: Into<Failure>> From<E> for Problem {
    fn from(error: E) -> Problem {
        Problem::Fatal(error.into())
    }
}

/// An address of a directory, and the client to ask it with.
pub(super) struct Mirror {
    url: String,
    agent: Agent,
}

pub(super) struct Mirrors {
    /// The next to ask is the first.
    all: Vec<Mirror>,
    pause: Duration,
    /// The bytes that have arrived.
    pub(super) arrived: u64,
}

impl Mirror {
    /// Asks for a file from byte `start` on. Returns the number of the first byte, which is 0 if the host cannot send
    /// parts, and the bytes.
    pub(super) fn ask(&self, name: &str, start: u64) -> Result<(u64, impl Read + use<>), Problem> {
        let mut request = self.agent.get(format!("{}/{name}", self.url));
        if start > 0 {
            request = request.header(header::RANGE, format!("bytes={start}-"));
        }
        let answer = request.call().map_err(problem)?;
        let range = answer.headers().get(header::CONTENT_RANGE);
        let rest = format!("bytes {start}-");
        let is_rest = range.is_some_and(|range| range.as_bytes().starts_with(rest.as_bytes()));
        let first = match answer.status() {
            StatusCode::OK => 0,
            StatusCode::PARTIAL_CONTENT if is_rest => start,
            StatusCode::PARTIAL_CONTENT => {
                let what = "the host sends another part of the file than it was asked for";
                return Err(Problem::new(what, false));
            }
            status => {
                // The usual words for the status: the host's own may be anything.
                let what = format!("the host answers {status}");
                let passes = matches!(status.as_u16(), 408 | 429 | 500..600);
                return Err(Problem::new(what, passes));
            }
        };
        Ok((first, answer.into_body().into_reader()))
    }
}

impl Mirrors {
    pub(super) fn new(args: &Args) -> Result<Mirrors, Failure> {
        let roots = match &args.ca {
            Some(path) => RootCerts::new_with_certs(&certificates(path)?),
            None => RootCerts::WebPki,
        };
        let mirror = |url: &String| {
            let config = Agent::config_builder()
                // A secure address must not redirect to an insecure one.
                .https_only(url.starts_with("https:"))
                .http_status_as_error(false)
                .user_agent(concat!("granero/", env!("CARGO_PKG_VERSION")))
                .accept("*/*")
                .timeout_resolve(Some(args.patience))
                .timeout_connect(Some(args.patience))
                .timeout_recv_response(Some(args.patience))
                .timeout_per_read(Some(args.patience))
                .timeout_per_write(Some(args.patience))
                // After this time the rest of a file is asked for.
                .timeout_recv_body(Some(args.patience * 120))
                .tls_config(TlsConfig::builder().root_certs(roots.clone()).build());
            Mirror {
                url: url.clone(),
                agent: config.build().new_agent(),
            }
        };
        let urls = iter::once(&args.url).chain(&args.mirrors);
        Ok(Mirrors {
            all: urls.map(mirror).collect(),
            pause: args.pause,
            arrived: 0,
        })
    }

    /// Tries to fetch a file from each mirror in turn, with growing pauses between the rounds. Fails if no mirror can
    /// send it, or after rounds without progress.
    pub(super) fn fetch<T>(
        &mut self,
        name: &str,
        meter: &Meter,
        mut attempt: impl FnMut(&Mirror, &mut u64) -> Result<T, Problem>,
    ) -> Result<T, Failure> {
        let mirrors = self.all.len() as u32;
        // The attempts in a row that brought nothing, and those among them that asking again does not help.
        let (mut idle, mut lasting) = (0, 0);
        loop {
            let before = self.arrived;
            let mirror = &self.all[0];
            let (problem, passes) = match attempt(mirror, &mut self.arrived) {
                Ok(done) => return Ok(done),
                Err(Problem::Fatal(failure)) => return Err(failure),
                Err(Problem::OfHost { what, passes }) => (what, passes),
            };
            idle = if self.arrived > before { 1 } else { idle + 1 };
            lasting = if passes { 0 } else { lasting + 1 };
            let url = format!("{}/{name}", mirror.url);
            self.all.rotate_left(1);
            if lasting == mirrors {
                return Err(Failure::data(
                    format!("{url}: {problem}"),
                    "check the address, and tell the people who run the host; all fetched files stay",
                ));
            }
            if idle == ROUNDS * mirrors {
                return Err(Failure::data(
                    format!("{url}: given up after {ROUNDS} attempts: {problem}"),
                    "try again when the host can be reached; the same command continues the download",
                ));
            }
            if !idle.is_multiple_of(mirrors) {
                meter.note(&format!("{url}: {problem}; going on with the next mirror"));
                continue;
            }
            let pause = self.pause * (1 << (idle / mirrors - 1));
            meter.note(&format!("{url}: {problem}; again in {}", duration(pause)));
            thread::sleep(pause);
        }
    }
}

/// Says what an error means.
pub(super) fn problem(error: Error) -> Problem {
    let (what, passes) = match error {
        // An error of rustls: a bad certificate, or an answer without TLS.
        Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            (format!("no secure connection: {error}"), false)
        }
        Error::Io(error) => (error.to_string(), true),
        Error::Timeout(_) => (format!("the host took too long: {error}"), true),
        Error::HostNotFound | Error::Protocol(_) => (error.to_string(), true),
        error => (error.to_string(), false),
    };
    // Messages may repeat text from the host, so they must not control a terminal.
    Problem::new(visible(&what), passes)
}

/// Reads a file of certificates in PEM.
fn certificates(path: &Path) -> Result<Vec<Certificate<'static>>, Failure> {
    let help = "name a file of certificates in PEM, like /etc/ssl/certs/ca-certificates.crt";
    let pem = options::read_file(path, 16, help)?;
    let certificates = parse_pem(&pem).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    let certificates: Vec<_> = certificates.collect();
    if certificates.is_empty() {
        return Err(Failure::not_possible(
            "the file of --ca holds no readable certificates",
            help,
        ));
    }
    Ok(certificates)
}
