//! A web host that serves files as each test needs.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request of a client.
pub(crate) struct Request {
    /// The last part of the path.
    pub(crate) name: String,
    /// The part before it.
    pub(crate) folder: String,
    /// The first byte that it asks for; `None` for all of the file.
    pub(crate) start: Option<usize>,
}

/// A name that was asked for, with the first byte.
pub(crate) type Asked = (String, Option<usize>);

pub(crate) struct Host {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Host {
    /// Answers each request, and then ends the connection.
    pub(crate) fn new(
        answer: impl Fn(&Request, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Host {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let host = Host {
            address,
            asked: Arc::clone(&asked),
        };
        let answer = Arc::new(answer);
        // The threads end with the test program.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (answer, asked) = (Arc::clone(&answer), Arc::clone(&asked));
                thread::spawn(move || {
                    let mut stream = stream?;
                    let (path, start) = request(&stream)?;
                    let mut parts = path.rsplit('/').map(str::to_string);
                    let name = parts.next().unwrap_or_default();
                    let folder = parts.next().unwrap_or_default();
                    asked.lock().unwrap().push((name.clone(), start));
                    let request = Request {
                        name,
                        folder,
                        start,
                    };
                    answer(&request, &mut stream)
                });
            }
        });
        host
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/tables", self.address)
    }

    /// Returns the requests since the last call.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

/// Reads the path of a request, and the first byte.
fn request(stream: &TcpStream) -> io::Result<Asked> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_string();
    let mut start = None;
    for line in lines {
        let line = line?.to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(range) = line.strip_prefix("range: bytes=") {
            start = range.trim_end_matches('-').parse().ok();
        }
    }
    Ok((path, start))
}

/// Sends the head of an answer.
pub(crate) fn head(stream: &mut TcpStream, status: &str, headers: &str) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n"
    )
}

/// Sends a file as hosts do: at most `most` bytes of it, from the byte that was asked for, or else
/// from its beginning.
pub(crate) fn send(
    stream: &mut TcpStream,
    asked: Option<usize>,
    file: &[u8],
    most: usize,
) -> io::Result<()> {
    let (start, all) = (asked.unwrap_or(0), file.len());
    let length = format!("Content-Length: {}\r\n", all - start);
    match asked {
        Some(_) => {
            let range = format!("Content-Range: bytes {start}-{}/{all}\r\n{length}", all - 1);
            head(stream, "206 Partial Content", &range)?;
        }
        None => head(stream, "200 OK", &length)?,
    }
    stream.write_all(&file[start..all.min(start.saturating_add(most))])
}

pub(crate) fn without_body(stream: &mut TcpStream, status: &str) -> io::Result<()> {
    head(stream, status, "Content-Length: 0\r\n")
}

/// Waits until the client ends the connection.
pub(crate) fn await_end(stream: &mut TcpStream) -> io::Result<()> {
    while stream.read(&mut [0; 64])? > 0 {}
    Ok(())
}
