//! The server for the fuzz targets: with the sample tables, and without a network.

use std::cell::RefCell;
use std::io::{self, Write};
use std::mem;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use granero::Position;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, ReadBuf, join};
use tokio::runtime::{Builder, Runtime};

use crate::connection;
use crate::connection::{Connections, PacedStream};
use crate::limits::{Caps, Searches};
use crate::log::Log;
use crate::reply::Problem;
use crate::request::{Hosts, position_list};
use crate::server::Server;
use crate::tables::WatchedDirectories;

/// Reads the body of a batch of at most `most` positions. An entry that is not a position gives
/// the error in its place. If the whole body is refused, returns the status and the error of the
/// answer.
pub fn list(json: &[u8], most: usize) -> Result<Vec<Result<Position, Value>>, (u16, Value)> {
    let refused = |problem: Problem| (problem.status.as_u16(), json!(problem.error));
    let entries = position_list::parse(json, most)
        .map_err(refused)?
        .into_iter();
    let entries = entries.map(|entry| entry.map_err(|error| json!(error)));
    Ok(entries.collect())
}

/// A server with the sample tables.
pub struct Site {
    runtime: Runtime,
    server: Server,
    log: Written,
}

/// The outcome of a connection.
#[derive(Debug, PartialEq, Eq)]
pub struct Conversation {
    /// The methods of the requests that were answered, in their order.
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
        let caps = Caps {
            all: 1,
            address: 1,
            network: 1,
        };
        let connections = Connections::new(caps, Vec::new());
        let hosts = Hosts::new(Vec::new());
        let written = Written::default();
        let log = Arc::new(Log::to(written.clone(), written.clone(), true)?);
        let catalogue = WatchedDirectories::sample().catalogue();
        Ok(Site {
            runtime: Builder::new_current_thread().enable_all().build()?,
            server: Server::new(catalogue, Searches::off(), connections, hosts, false, log),
            log: written,
        })
    }

    /// Serves a connection that sends these bytes, at most `at_a_time` at a time, then no more, and
    /// reads all answers.
    pub fn converse(&self, bytes: &[u8], at_a_time: usize) -> Conversation {
        let methods = RefCell::new(Vec::new());
        let mut sent = Vec::new();
        let client = join(Client { bytes, at_a_time }, &mut sent);
        let ended = self.runtime.block_on(async {
            let address = IpAddr::from(Ipv4Addr::LOCALHOST);
            let admitted = self.server.connections.admit(address).await;
            let admitted = admitted.expect("the only connection");
            let connection = &admitted.connection;
            let service = service_fn(|request| {
                methods.borrow_mut().push(request.method().to_string());
                self.server.serve(connection, request)
            });
            let stream = TokioIo::new(PacedStream::new(client, Arc::clone(connection)));
            let mut http = connection::http();
            // This client sends no more, but still waits for answers.
            http.half_close(true);
            let ended = http.serve_connection(stream, service).await;
            self.server.log.all_written().await;
            ended
        });
        Conversation {
            methods: methods.into_inner(),
            sent,
            log: self.log.take(),
            was_http: ended.is_ok(),
        }
    }
}

/// A stream that keeps what is written to it.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn take(&self) -> Vec<u8> {
        mem::take(&mut self.bytes())
    }

    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The client's side of a connection: gives the bytes that are not sent yet.
struct Client<'a> {
    bytes: &'a [u8],
    at_a_time: usize,
}

impl AsyncRead for Client<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let most = self.bytes.len().min(self.at_a_time);
        let (read, rest) = self.bytes.split_at(most.min(buffer.remaining()));
        buffer.put_slice(read);
        self.bytes = rest;
        Poll::Ready(Ok(()))
    }
}
