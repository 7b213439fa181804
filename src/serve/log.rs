//! The log of the server: a line for each request, and errors.
//!
//! Requests never wait for it. Lines wait in bounded queues, one for stdout and one for stderr,
//! each with a thread of its own that writes. If a queue is full because the stream is not
//! read, lines are dropped and counted.

use std::collections::HashMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use granero::TableError;
use granero::notation::visible;
use hyper::{Method, StatusCode, Uri};
use tokio::sync::{mpsc, oneshot};
use tokio::time;

use granero_answer::causes::with_causes;
use granero_console::style::{self, paint};

/// Lines that wait to be written, for each of the two streams.
const WAITING: usize = 1024;

/// The most characters of a request's target in a line, so that waiting lines take little
/// memory.
const LONGEST: usize = 1000;

/// The same for its method, which may be any word.
const LONGEST_METHOD: usize = 20;

/// How often the same error is reported.
const AGAIN: Duration = Duration::from_secs(60);

/// The most different errors that are remembered. Tables have fewer files.
const REMEMBERED: usize = 1000;

/// How long waiting lines may delay the end of the program.
const LAST: Duration = Duration::from_secs(1);

/// The log of the server.
pub(super) struct Log {
    out: Lines,
    errors: Lines,
    /// Whether there is to be a line for each request.
    requests: bool,
    said: Mutex<HashMap<String, Said>>,
}

/// When something was said, and how often it was not said since then.
struct Said {
    at: Instant,
    kept_back: u64,
}

impl Log {
    pub(super) fn new(requests: bool) -> io::Result<Log> {
        Log::to(stdout()?, stderr()?, requests)
    }

    /// The same on other streams.
    pub(super) fn to(
        out: impl Write + Send + 'static,
        errors: impl Write + Send + 'static,
        requests: bool,
    ) -> io::Result<Log> {
        Ok(Log {
            out: Lines::new("stdout", out)?,
            errors: Lines::new("stderr", errors)?,
            requests,
            said: Mutex::default(),
        })
    }

    /// Says something on stdout.
    pub(super) fn say(&self, text: String) {
        self.out.put(text);
    }

    /// A request: the client, what was asked for, the status, and how long the answer took to
    /// make.
    pub(super) fn request(
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
        // A target is ASCII, or from some clients anything else: nothing in it may look like
        // the end of the line.
        let target = uri.to_string();
        let target: String = target.escape_default().take(LONGEST).collect();
        let method: String = method.as_str().chars().take(LONGEST_METHOD).collect();
        let status = status.as_u16();
        let milliseconds = time.as_secs_f64() * 1e3;
        self.out.put(format!(
            "{client} {method} {target} {status} {milliseconds:.3} ms\n"
        ));
    }

    /// Reports an error to the operator; the server goes on.
    pub(super) fn complain(&self, what: impl Display) {
        let error = paint(style::ERROR, "error:");
        let what = visible(&what.to_string());
        self.errors.put(format!("{error} {what}\n"));
    }

    /// Reports an error that may happen often, at most once a minute.
    pub(super) fn complain_now_and_then(&self, about: &str, what: impl Display) {
        if let Some(kept_back) = self.is_time_to_say(about, Instant::now()) {
            match kept_back {
                0 => self.complain(what),
                _ => self.complain(format_args!("{what} (and {kept_back} times more)")),
            }
        }
    }

    /// Reports tables that cannot be read, once for each of their files.
    pub(super) fn complain_about_tables(&self, error: &TableError) {
        let about = match error {
            TableError::Io { path, .. }
            | TableError::Damaged { path, .. }
            | TableError::OtherTable { path } => path.as_path(),
            _ => Path::new(""),
        };
        self.complain_now_and_then(&about.to_string_lossy(), with_causes(error));
    }

    /// Whether to report something now, and if so, how often it was kept back.
    fn is_time_to_say(&self, about: &str, now: Instant) -> Option<u64> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = said.get_mut(about)
            && now < last.at + AGAIN
        {
            last.kept_back += 1;
            return None;
        }
        if said.len() >= REMEMBERED {
            said.clear();
        }
        let new = Said {
            at: now,
            kept_back: 0,
        };
        let last = said.insert(about.to_string(), new);
        Some(last.map_or(0, |last| last.kept_back))
    }

    /// The streams, and how many of their lines were dropped.
    pub(super) fn dropped(&self) -> [(&'static str, u64); 2] {
        [&self.out, &self.errors].map(|lines| (lines.name, lines.dropped.load(Ordering::Relaxed)))
    }

    /// Waits a moment for what is still to be written.
    pub(super) async fn finish(&self) {
        // If the stream is not read, the rest is lost.
        let _ = time::timeout(LAST, self.all_written()).await;
    }

    /// Waits until everything is written.
    pub(super) async fn all_written(&self) {
        tokio::join!(self.out.finish(), self.errors.finish());
    }
}

/// Lines on their way to a stream.
struct Lines {
    name: &'static str,
    queue: mpsc::Sender<Entry>,
    dropped: Arc<AtomicU64>,
}

enum Entry {
    Line(String),
    /// To be answered when everything before it is written.
    Written(oneshot::Sender<()>),
}

impl Lines {
    fn new(name: &'static str, mut stream: impl Write + Send + 'static) -> io::Result<Lines> {
        let (queue, mut entries) = mpsc::channel(WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let lost = Arc::clone(&dropped);
        let write = move || {
            while let Some(entry) = entries.blocking_recv() {
                match entry {
                    Entry::Line(line) => {
                        if stream.write_all(line.as_bytes()).is_err() {
                            lost.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    // The asking task may be gone.
                    Entry::Written(answer) => {
                        let _ = answer.send(());
                    }
                }
            }
        };
        thread::Builder::new().name(name.into()).spawn(write)?;
        Ok(Lines {
            name,
            queue,
            dropped,
        })
    }

    fn put(&self, line: String) {
        if self.queue.try_send(Entry::Line(line)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    async fn finish(&self) {
        let (answer, written) = oneshot::channel();
        if self.queue.send(Entry::Written(answer)).await.is_ok() {
            // If the thread is gone, nothing is written any more.
            let _ = written.await;
        }
    }
}

/// The standard streams as files of our own: what blocks while it writes to them holds none
/// of the locks of `std::io`, which others need when the program ends.
#[cfg(unix)]
fn stdout() -> io::Result<impl Write + Send> {
    use std::os::fd::AsFd;
    let file = io::stdout().as_fd().try_clone_to_owned()?;
    let choice = AutoStream::choice(&io::stdout());
    Ok(Painted::new(std::fs::File::from(file), choice))
}

#[cfg(unix)]
fn stderr() -> io::Result<impl Write + Send> {
    use std::os::fd::AsFd;
    let file = io::stderr().as_fd().try_clone_to_owned()?;
    let choice = AutoStream::choice(&io::stderr());
    Ok(Painted::new(std::fs::File::from(file), choice))
}

#[cfg(not(unix))]
fn stdout() -> io::Result<impl Write + Send> {
    let choice = AutoStream::choice(&io::stdout());
    Ok(Painted::new(io::stdout(), choice))
}

#[cfg(not(unix))]
fn stderr() -> io::Result<impl Write + Send> {
    let choice = AutoStream::choice(&io::stderr());
    Ok(Painted::new(io::stderr(), choice))
}

/// A stream that has colours if they are wanted there.
struct Painted<W> {
    stream: W,
    plain: bool,
}

impl<W> Painted<W> {
    fn new(stream: W, choice: ColorChoice) -> Painted<W> {
        Painted {
            stream,
            plain: choice == ColorChoice::Never,
        }
    }
}

impl<W: Write> Write for Painted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.plain {
            return self.stream.write(bytes);
        }
        // Lines come whole, so no sequence is cut in two.
        for text in anstream::adapter::strip_bytes(bytes) {
            self.stream.write_all(text)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// A stream that takes what it gets when it is told to.
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
        let log = Lines::new("test", Held { go: held, taken }).unwrap();
        for number in 0..3 * WAITING {
            log.put(number.to_string());
        }
        // The thread may have taken one, at any time, and so have made room for another.
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
    fn the_same_is_said_now_and_then() {
        let log = Log::new(false).unwrap();
        let begin = Instant::now();
        assert_eq!(log.is_time_to_say("a", begin), Some(0));
        assert_eq!(log.is_time_to_say("a", begin), None);
        assert_eq!(log.is_time_to_say("b", begin), Some(0));
        assert_eq!(log.is_time_to_say("a", begin + AGAIN / 2), None);
        assert_eq!(log.is_time_to_say("a", begin + AGAIN), Some(2));
        assert_eq!(log.is_time_to_say("a", begin + AGAIN * 2), Some(0));
    }
}
