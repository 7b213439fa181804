//! The log of requests.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::Duration;

use hyper::{Method, StatusCode, Uri};

/// Lines that wait to be written. If whoever reads them is slower, some are left out: no
/// request waits for its line.
const WAITING: usize = 1024;

/// Writes a line on stdout for each request.
pub(super) struct Log {
    lines: SyncSender<String>,
}

impl Log {
    pub(super) fn new() -> Log {
        let (lines, written) = mpsc::sync_channel::<String>(WAITING);
        thread::spawn(move || {
            for line in written {
                // If nobody reads it, requests are answered all the same.
                let _ = std::io::stdout().write_all(line.as_bytes());
            }
        });
        Log { lines }
    }

    /// The client, the request, the status, and how long the answer took to make.
    pub(super) fn request(
        &self,
        client: SocketAddr,
        method: &Method,
        uri: &Uri,
        status: StatusCode,
        time: Duration,
    ) {
        let (client, status) = (client.ip(), status.as_u16());
        // A target is ASCII or, by some clients, anything else: nothing in it is to look
        // like the end of the line.
        let target = uri.to_string();
        let target = target.escape_default();
        let milliseconds = time.as_secs_f64() * 1e3;
        let line = format!("{client} {method} {target} {status} {milliseconds:.3} ms\n");
        let _ = self.lines.try_send(line);
    }
}
