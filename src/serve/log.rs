//! The log of the server: lines on stdout, one for each request if wanted, and errors on stderr.
//!
//! Requests never wait for it. Lines wait in a bounded queue for each stream, with a thread that
//! writes. If a queue is full because the stream is not read, lines are dropped and counted.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use axum::http::request::Parts;
use granero::notation::visible;
use prometheus::IntCounter;
use tracing::{Level, Subscriber};
use tracing_subscriber::fmt::writer::MakeWriterExt;

use crate::metrics::METRICS;

/// The most lines that wait for each of the two streams.
const WAITING: usize = 1024;

/// The time before the same error is reported again.
const AGAIN: Duration = Duration::from_secs(60);

/// The most characters of the target and of the method of a request in a line.
const LONGEST: [usize; 2] = [1000, 20];

/// The level of the line for a request.
const REQUEST: Level = Level::DEBUG;

/// The lines that wait for both streams.
static UNWRITTEN: AtomicUsize = AtomicUsize::new(0);

/// Writes errors to the second, and all else to the first, with a line for each request if `requests`.
pub(crate) fn subscriber(to: [Lines; 2], requests: bool) -> impl Subscriber + Send + Sync {
    let [out, errors] = to.map(|lines| move || lines.clone());
    tracing_subscriber::fmt()
        .with_max_level(if requests { REQUEST } else { Level::INFO })
        .without_time()
        .with_level(false)
        .with_target(false)
        .with_ansi(false)
        .with_writer(errors.with_max_level(Level::ERROR).or_else(out))
        .finish()
}

/// Starts the log on the standard streams.
pub(crate) fn start(requests: bool) -> io::Result<()> {
    let out = Lines::to("stdout", io::stdout())?;
    let errors = Lines::to("stderr", io::stderr())?;
    let subscriber = subscriber([out, errors], requests);
    tracing::subscriber::set_global_default(subscriber).map_err(io::Error::other)
}

/// Writes the line of a request with this head, if requests get lines.
pub(crate) fn request(client: IpAddr, asked: &Parts, status: StatusCode, time: Duration) {
    if !tracing::enabled!(REQUEST) {
        return;
    }
    // Some clients send targets that are not ASCII. Nothing in them may look like the end of the line.
    let target = asked.uri.to_string();
    let target: String = target.escape_default().take(LONGEST[0]).collect();
    let method: String = asked.method.as_str().chars().take(LONGEST[1]).collect();
    let (status, time) = (status.as_u16(), time.as_secs_f64() * 1e3);
    tracing::debug!("{client} {method} {target} {status} {time:.3} ms");
}

/// Reports an error to the operator; the server goes on.
pub(crate) fn complain(what: impl Display) {
    tracing::error!("error: {}", visible(&what.to_string()));
}

/// Reports an error that may happen often, at most once a minute for each kind.
pub(crate) fn complain_rarely(kind: &'static str, what: impl Display) {
    static LAST: Mutex<BTreeMap<&str, Instant>> = Mutex::new(BTreeMap::new());
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.get(kind).is_none_or(|last| last.elapsed() >= AGAIN) {
        last.insert(kind, Instant::now());
        complain(what);
    }
}

/// Waits for the lines that are not written yet, but at most a second: if a stream is not read, the
/// rest is lost.
pub(crate) fn finish() {
    for _ in 0..1000 {
        if UNWRITTEN.load(Ordering::Acquire) == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Lines on their way to a stream.
#[derive(Clone)]
pub(crate) struct Lines {
    queue: SyncSender<Vec<u8>>,
    dropped: IntCounter,
}

impl Lines {
    /// Returns the two ends of a queue for at most `most` lines.
    pub(crate) fn new(name: &str, most: usize) -> (Lines, Receiver<Vec<u8>>) {
        let (queue, waiting) = sync_channel(most);
        let dropped = METRICS.dropped_lines.with_label_values(&[name]);
        (Lines { queue, dropped }, waiting)
    }

    fn to(name: &str, mut stream: impl Write + Send + 'static) -> io::Result<Lines> {
        let (lines, waiting) = Lines::new(name, WAITING);
        let lost = lines.dropped.clone();
        let write = move || {
            for line in waiting {
                if stream.write_all(&line).is_err() {
                    lost.inc();
                }
                UNWRITTEN.fetch_sub(1, Ordering::Release);
            }
        };
        thread::Builder::new().name(name.into()).spawn(write)?;
        Ok(lines)
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        UNWRITTEN.fetch_add(1, Ordering::Release);
        if self.queue.try_send(line.to_vec()).is_err() {
            UNWRITTEN.fetch_sub(1, Ordering::Release);
            self.dropped.inc();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
