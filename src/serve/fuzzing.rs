//! The server for the fuzz targets: with the sample tables, and without a network.

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, join};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::time;
use tracing::{Dispatch, dispatcher};

use crate::accept::converse;
use crate::connection::Connection;
use crate::limits::SPAN;
use crate::log::{self, Lines};
use crate::router::Service;
use crate::searches::SearchOptions;
use crate::site;
use crate::tables::Served;

/// A server with the sample tables.
pub struct Site {
    runtime: Runtime,
    service: Service,
}

/// The outcome of a connection.
#[derive(Debug, PartialEq, Eq)]
pub struct Conversation {
    /// The methods of the requests that were answered, in their order, as the log has them.
    pub methods: Vec<String>,
    /// The bytes that were sent to the client.
    pub sent: Vec<u8>,
    /// The log of the server, with a line for each request.
    pub log: Vec<u8>,
    /// True if everything that was read was HTTP, and no request was cut off.
    pub was_http: bool,
}

impl Site {
    /// Starts the server.
    pub fn new() -> io::Result<Site> {
        let served = Served::open(&[], 1 << 20).map_err(io::Error::other)?;
        let searches = SearchOptions::default();
        let site = site::Site::new(Arc::new(served), &searches, Vec::new(), false);
        Ok(Site {
            // Time passes at once when there is nothing to do.
            runtime: Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()?,
            service: Service::new(site),
        })
    }

    /// Serves a connection that sends these bytes, at most `at_a_time` at a time, then no more, and
    /// reads all answers.
    pub fn converse(&self, bytes: &[u8], at_a_time: usize) -> Conversation {
        let (lines, log) = Lines::new("fuzzed", bytes.len());
        let subscriber = Dispatch::new(log::subscriber([lines.clone(), lines], true));
        let (requests, mut client) = duplex(at_a_time.min(BUFFER));
        let (mut answers, server) = duplex(BUFFER);
        let (_end, ending) = watch::channel(());
        let stream = join(requests, server);
        let mut sent = Vec::new();
        let all = async {
            // Here, where it has the time of the runtime.
            let connection = Connection::new(Ipv4Addr::LOCALHOST.into());
            tokio::join!(
                converse(self.service.clone(), connection, stream, ending),
                async {
                    // The server may close before it has read everything.
                    let _ = client.write_all(bytes).await;
                    // Until all is answered.
                    time::sleep(SPAN - Duration::from_secs(1)).await;
                    drop(client);
                },
                answers.read_to_end(&mut sent),
            )
        };
        let converse = || self.runtime.block_on(all);
        let (was_http, ..) = dispatcher::with_default(&subscriber, converse);
        let log: Vec<u8> = log.try_iter().flatten().collect();
        let text = String::from_utf8_lossy(&log);
        let methods = text.lines().filter_map(|line| line.split(' ').nth(1));
        Conversation {
            methods: methods.map(str::to_string).collect(),
            sent,
            was_http,
            log,
        }
    }
}

/// The bytes on their way in one direction.
const BUFFER: usize = 64 << 10;
