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
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::{Builder, Runtime};

use crate::guests::Guests;
use crate::hosts::Hosts;
use crate::log::Log;
use crate::patient::Patient;
use crate::problem::Problem;
use crate::searches::Searches;
use crate::server::Server;
use crate::shares::Most;
use crate::shelf::Directories;
use crate::{connections, positions};

/// Reads the body of a batch of at most `most` positions. An entry that is not a position gives
/// the error that is answered in its place. If the whole body is refused, the result is the
/// status of the answer and its error.
pub fn list(json: &[u8], most: usize) -> Result<Vec<Result<Position, Value>>, (u16, Value)> {
    let refused = |problem: Problem| (problem.status.as_u16(), json!(problem.error));
    let entries = positions::parse(json, most).map_err(refused)?.into_iter();
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
    /// All that was sent to the client.
    pub sent: Vec<u8>,
    /// What the server logged: a line for each request.
    pub log: Vec<u8>,
    /// Whether all that was read was HTTP, and no request was cut off.
    pub was_http: bool,
}

impl Site {
    /// Begins to serve.
    pub fn new() -> io::Result<Site> {
        let most = Most {
            all: 1,
            address: 1,
            network: 1,
        };
        let guests = Guests::new(most, Vec::new());
        let hosts = Hosts::new(Vec::new());
        let said = Written::default();
        let log = Arc::new(Log::to(said.clone(), said.clone(), true)?);
        let shelf = Directories::sample().shelf();
        Ok(Site {
            runtime: Builder::new_current_thread().enable_all().build()?,
            server: Server::new(shelf, Searches::off(), guests, hosts, false, log),
            log: said,
        })
    }

    /// Serves a connection that sends these bytes, at most `at_a_time` at a time, and then no
    /// more, and that reads all answers.
    pub fn converse(&self, bytes: &[u8], at_a_time: usize) -> Conversation {
        let methods = RefCell::new(Vec::new());
        let sent = RefCell::new(Vec::new());
        let client = Client {
            bytes,
            at_a_time,
            sent: &sent,
        };
        let ended = self.runtime.block_on(async {
            let address = IpAddr::from(Ipv4Addr::LOCALHOST);
            let visit = self.server.guests.admit(address).await;
            let visit = visit.expect("the only connection");
            let guest = &visit.guest;
            let service = service_fn(|request| {
                methods.borrow_mut().push(request.method().to_string());
                self.server.serve(guest, request)
            });
            let stream = TokioIo::new(Patient::new(client, Arc::clone(guest)));
            let mut http = connections::http();
            // This client sends no more, but still waits for answers.
            http.half_close(true);
            let ended = http.serve_connection(stream, service).await;
            self.server.log.all_written().await;
            ended
        });
        Conversation {
            methods: methods.into_inner(),
            sent: sent.into_inner(),
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

/// The client's side of a connection.
struct Client<'a> {
    /// What is still to come.
    bytes: &'a [u8],
    at_a_time: usize,
    sent: &'a RefCell<Vec<u8>>,
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

impl AsyncWrite for Client<'_> {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.sent.borrow_mut().extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
