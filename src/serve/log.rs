//! The log of the server: a line for each request, and errors.
//!
//! Requests never wait for it. Lines wait in bounded queues, one for stdout and one for stderr,
//! each with a thread of its own that writes. If a queue is full because the stream is not
//! read, lines are dropped and counted.

use std::collections::HashMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::net::IpAddr;
#[cfg(unix)]
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anstream::AutoStream;
#[cfg(not(unix))]
use anstream::stream::AsLockedWrite;
use anstream::stream::RawStream;
use granero::TableError;
use granero::notation::visible;
use hyper::{Method, StatusCode, Uri};
use tokio::sync::{mpsc, oneshot};
use tokio::time;

use granero_answer::with_causes;
use granero_console::{paint, style};

/// The most lines that wait for each of the two streams.
const WAITING: usize = 1024;

/// The most characters of the target of a request in a line, so that waiting lines take little
/// memory.
const LONGEST: usize = 1000;

/// The most characters of the method of a request, which may be any word.
const LONGEST_METHOD: usize = 20;

/// The time before the same error is reported again.
const AGAIN: Duration = Duration::from_secs(60);

/// The most different errors that are remembered. Tables have fewer files.
const REMEMBERED: usize = 1000;

/// The longest time that waiting lines may delay the end of the program.
const LAST: Duration = Duration::from_secs(1);

pub(crate) struct Log {
    out: LineQueue,
    errors: LineQueue,
    /// True if each request has a line.
    requests: bool,
    reports: Mutex<HashMap<String, LastReport>>,
}

struct LastReport {
    at: Instant,
    /// The number of times that it was not reported since then.
    suppressed: u64,
}

impl Log {
    pub(crate) fn new(requests: bool) -> io::Result<Log> {
        Log::to(unlocked(io::stdout())?, unlocked(io::stderr())?, requests)
    }

    /// Makes a log on other streams.
    pub(crate) fn to(
        out: impl Write + Send + 'static,
        errors: impl Write + Send + 'static,
        requests: bool,
    ) -> io::Result<Log> {
        Ok(Log {
            out: LineQueue::new("stdout", out)?,
            errors: LineQueue::new("stderr", errors)?,
            requests,
            reports: Mutex::default(),
        })
    }

    /// Writes to stdout.
    pub(crate) fn say(&self, text: String) {
        self.out.put(text);
    }

    /// Writes the line of a request; `time` is how long it took to make the answer.
    pub(crate) fn request(
        &self,
        client: IpAddr,
        method: &Method,
        uri: &Uri,
        status: StatusCode,
        time: Duration,
    ) {
        if !self.requests {
            return;
        }
        // Some clients send targets that are not ASCII. Nothing in them may look like the end of the
        // line.
        let target: String = uri.to_string().escape_default().take(LONGEST).collect();
        let method: String = method.as_str().chars().take(LONGEST_METHOD).collect();
        let status = status.as_u16();
        let milliseconds = time.as_secs_f64() * 1e3;
        self.out.put(format!(
            "{client} {method} {target} {status} {milliseconds:.3} ms\n"
        ));
    }

    /// Reports an error to the operator; the server goes on.
    pub(crate) fn complain(&self, what: impl Display) {
        let error = paint(style::ERROR, "error:");
        let what = visible(&what.to_string());
        self.errors.put(format!("{error} {what}\n"));
    }

    /// Reports an error that may happen often, at most once a minute.
    pub(crate) fn complain_now_and_then(&self, about: &str, what: impl Display) {
        match self.is_time_to_report(about, Instant::now()) {
            None => {}
            Some(0) => self.complain(what),
            Some(suppressed) => {
                self.complain(format_args!("{what} (and {suppressed} times more)"));
            }
        }
    }

    /// Reports tables that cannot be read, at most once a minute for each file.
    pub(crate) fn complain_about_tables(&self, error: &TableError) {
        let about = match error {
            TableError::Io { path, .. }
            | TableError::Damaged { path, .. }
            | TableError::OtherTable { path } => path.as_path(),
            _ => Path::new(""),
        };
        self.complain_now_and_then(&about.to_string_lossy(), with_causes(error));
    }

    /// Returns `None` if it is too early to report an error again; else the number of times that it
    /// was not reported since the last time.
    fn is_time_to_report(&self, about: &str, now: Instant) -> Option<u64> {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = reports.get_mut(about)
            && now < last.at + AGAIN
        {
            last.suppressed += 1;
            return None;
        }
        if reports.len() >= REMEMBERED {
            reports.clear();
        }
        let new = LastReport {
            at: now,
            suppressed: 0,
        };
        let last = reports.insert(about.to_string(), new);
        Some(last.map_or(0, |last| last.suppressed))
    }

    /// Counts the dropped lines of each stream.
    pub(crate) fn dropped(&self) -> [(&'static str, u64); 2] {
        [&self.out, &self.errors].map(|lines| (lines.name, lines.dropped.load(Ordering::Relaxed)))
    }

    /// Waits for the lines that are not written yet, but not for long.
    pub(crate) async fn finish(&self) {
        // If a stream is not read, the rest is lost.
        let _ = time::timeout(LAST, self.all_written()).await;
    }

    /// Waits until everything is written.
    pub(crate) async fn all_written(&self) {
        tokio::join!(self.out.finish(), self.errors.finish());
    }
}

/// Lines on their way to a stream.
struct LineQueue {
    name: &'static str,
    queue: mpsc::Sender<QueueItem>,
    dropped: Arc<AtomicU64>,
}

enum QueueItem {
    Line(String),
    /// Asks for a message once everything before it is written.
    Written(oneshot::Sender<()>),
}

impl LineQueue {
    fn new(name: &'static str, mut stream: impl Write + Send + 'static) -> io::Result<LineQueue> {
        let (queue, mut entries) = mpsc::channel(WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let lost = Arc::clone(&dropped);
        let write = move || {
            while let Some(entry) = entries.blocking_recv() {
                match entry {
                    QueueItem::Line(line) => {
                        if stream.write_all(line.as_bytes()).is_err() {
                            lost.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    // The asking task may be gone.
                    QueueItem::Written(answer) => {
                        let _ = answer.send(());
                    }
                }
            }
        };
        thread::Builder::new().name(name.into()).spawn(write)?;
        Ok(LineQueue {
            name,
            queue,
            dropped,
        })
    }

    fn put(&self, line: String) {
        if self.queue.try_send(QueueItem::Line(line)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    async fn finish(&self) {
        let (answer, written) = oneshot::channel();
        if self.queue.send(QueueItem::Written(answer)).await.is_ok() {
            // If the thread is gone, nothing more is written.
            let _ = written.await;
        }
    }
}

/// Opens a copy of a standard stream: a blocked writer must not hold a lock of `std::io`, which the
/// end of the program needs.
#[cfg(unix)]
fn unlocked<S: RawStream + AsFd + 'static>(stream: S) -> io::Result<impl Write + Send> {
    let file = stream.as_fd().try_clone_to_owned()?;
    let choice = AutoStream::choice(&stream);
    Ok(AutoStream::new(std::fs::File::from(file), choice))
}

#[cfg(not(unix))]
fn unlocked<S: RawStream + AsLockedWrite + Send + 'static>(
    stream: S,
) -> io::Result<impl Write + Send> {
    Ok(AutoStream::auto(stream))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// A stream that takes each write when it is told to.
    struct Held {
        go: Receiver<()>,
        taken: Sender<Vec<u8>>,
    }

    impl Write for Held {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.go.recv().map_err(io::Error::other)?;
            self.taken.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn requests_do_not_wait_for_a_stream_that_is_not_read() {
        let (go, held) = channel();
        let (taken, lines) = channel();
        let log = LineQueue::new("test", Held { go: held, taken }).unwrap();
        for number in 0..3 * WAITING {
            log.put(number.to_string());
        }
        // The thread may have taken one already, which leaves room for another.
        let dropped = log.dropped.load(Ordering::Relaxed) as usize;
        assert!(
            (2 * WAITING - 1..=2 * WAITING).contains(&dropped),
            "{dropped}"
        );
        let written = (0..3 * WAITING - dropped).map(|_| {
            go.send(()).unwrap();
            String::from_utf8(lines.recv().unwrap()).unwrap()
        });
        let written: Vec<usize> = written.map(|line| line.parse().unwrap()).collect();
        assert!(written[..WAITING].iter().copied().eq(0..WAITING));
        assert!(written.is_sorted());
    }

    #[test]
    fn the_same_error_is_reported_now_and_then() {
        let log = Log::new(false).unwrap();
        let begin = Instant::now();
        assert_eq!(log.is_time_to_report("a", begin), Some(0));
        assert_eq!(log.is_time_to_report("a", begin), None);
        assert_eq!(log.is_time_to_report("b", begin), Some(0));
        assert_eq!(log.is_time_to_report("a", begin + AGAIN / 2), None);
        assert_eq!(log.is_time_to_report("a", begin + AGAIN), Some(2));
        assert_eq!(log.is_time_to_report("a", begin + AGAIN * 2), Some(0));
    }
}
