//! A server for a test, and a plain client.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value as Json;
use tempfile::TempDir;

pub(crate) use crate::support::command::eventually;
use crate::support::command::{peak_memory, signal, with_input};
use crate::support::http;
pub(crate) use crate::support::http::Answer;

/// A request for a position of the sample, which is worth -3.
pub(crate) const KNOWN: &str = "/api/v1/abapa/position?p=0,0,0,0,0,1,2,0,0,0,0,0";

/// A server that runs in an empty directory, and ends with the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    /// The line that it prints when it is ready.
    pub(crate) line: String,
    /// The line after it, with the most memory that it takes.
    pub(crate) memory: String,
    pub(crate) place: TempDir,
    output: [Pipe; 2],
}

/// The text of a pipe, read in the background.
struct Pipe {
    text: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Pipe {
    fn new(pipe: impl Read + Send + 'static) -> Pipe {
        let text = Arc::new(Mutex::new(String::new()));
        let read = Arc::clone(&text);
        let reader = thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                *read.lock().unwrap() += &(line + "\n");
            }
        });
        let reader = Some(reader);
        Pipe { text, reader }
    }

    fn text(&self) -> String {
        self.text.lock().unwrap().clone()
    }
}

pub(crate) fn command(arguments: &[&str], place: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_granero"));
    command.args(arguments).current_dir(place);
    command
}

/// Runs another verb.
pub(crate) fn granero(arguments: &[&str], place: &Path, input: &str) -> Output {
    with_input(&mut command(arguments, place), input.as_bytes())
}

/// Builds tables in a directory below `place`.
pub(crate) fn build(rules: &str, seeds: u8, place: &Path, db: &str) {
    build_by("split", rules, seeds, place, db);
}

pub(crate) fn build_by(cycles: &str, rules: &str, seeds: u8, place: &Path, db: &str) {
    let seeds = seeds.to_string();
    let arguments = [
        "build", "--quiet", "--rules", rules, "--cycles", cycles, "--seeds", &seeds, "--db", db,
    ];
    let output = granero(&arguments, place, "");
    assert!(output.status.success(), "{output:?}");
}

/// Builds tables of abapa up to five seeds in the directory `tables`, and damages the last layer.
pub(crate) fn build_damaged(place: &Path) {
    build("abapa", 5, place, "tables");
    let file = place.join("tables/layer-05.granero");
    let mut bytes = std::fs::read(&file).unwrap();
    let end = bytes.len() - 40;
    for byte in &mut bytes[end - 400..end] {
        *byte ^= 0x55;
    }
    std::fs::write(&file, bytes).unwrap();
}

impl Server {
    /// Serves the sample.
    pub(crate) fn sample() -> Server {
        Server::with(&[])
    }

    /// Serves the sample with some options.
    pub(crate) fn with(options: &[&str]) -> Server {
        Server::start(tempfile::tempdir().unwrap(), options)
    }

    /// Serves tables of abapa up to a number of seeds, in the directory `tables`.
    pub(crate) fn built(seeds: u8) -> Server {
        let place = tempfile::tempdir().unwrap();
        build("abapa", seeds, place.path(), "tables");
        Server::start(place, &["--db", "tables"])
    }

    /// Serves tables of abapa up to five seeds, with damage in the last layer.
    pub(crate) fn damaged() -> Server {
        let place = tempfile::tempdir().unwrap();
        build_damaged(place.path());
        Server::start(place, &["--db", "tables"])
    }

    /// Serves tables that were built below `place`.
    pub(crate) fn start(place: TempDir, arguments: &[&str]) -> Server {
        let arguments = [&["serve", "--port", "0"], arguments].concat();
        let mut child = command(&arguments, place.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let errors = Pipe::new(child.stderr.take().unwrap());
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let mut memory = String::new();
        stdout.read_line(&mut memory).unwrap();
        let (_, address) = line.trim_end().split_once("http://").unwrap();
        let address = address.strip_suffix('/').unwrap().to_string();
        Server {
            address,
            line,
            memory,
            place,
            output: [Pipe::new(stdout), errors],
            child,
        }
    }

    pub(crate) fn stdout(&self) -> String {
        self.output[0].text()
    }

    pub(crate) fn stderr(&self) -> String {
        self.output[1].text()
    }

    /// Waits until its log has this part.
    pub(crate) fn logs(&self, part: &str) {
        eventually(part, || self.stderr().contains(part));
    }

    pub(crate) fn connect(&self) -> TcpStream {
        patient(TcpStream::connect(&self.address)).unwrap()
    }

    pub(crate) fn client(&self) -> Client {
        Client::on(self.connect())
    }

    /// Connects from another address of this machine, which has a whole network of them.
    #[cfg(target_os = "linux")]
    pub(crate) fn connect_from(&self, address: [u8; 4]) -> io::Result<TcpStream> {
        use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None)?;
        bind(&socket, &SocketAddr::from((address, 0)))?;
        connect(&socket, &self.address.parse::<SocketAddr>().unwrap())?;
        patient(Ok(socket.into()))
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn client_from(&self, address: [u8; 4]) -> Client {
        Client::on(self.connect_from(address).unwrap())
    }

    /// Reads a number of the metrics on an existing connection.
    pub(crate) fn counter(client: &mut Client, name: &str) -> u64 {
        let text = String::from_utf8(client.get("/metrics").body).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let line = line.unwrap_or_else(|| panic!("{name}\n{text}"));
        line.trim().parse().unwrap()
    }

    pub(crate) fn get(&self, target: &str) -> Answer {
        self.client().get(target)
    }

    /// Returns the document at a target.
    pub(crate) fn json(&self, target: &str) -> Json {
        self.get(target).json()
    }

    pub(crate) fn post(&self, target: &str, body: &[u8]) -> Answer {
        self.ask("POST", target, &[], body)
    }

    /// Sends one request on a connection of its own.
    pub(crate) fn ask(&self, method: &str, target: &str, headers: &[&str], body: &[u8]) -> Answer {
        self.client().ask(method, target, headers, body)
    }

    /// Returns the most seeds of the first tables that it serves.
    pub(crate) fn max_seeds(&self) -> Json {
        self.get("/api/v1/tables").json()["tables"][0]["max_seeds"].clone()
    }

    /// Checks that it goes on serving, and nothing in it has panicked.
    pub(crate) fn assert_well(&self) {
        let answer = self.get(KNOWN);
        assert_eq!(answer.status, 200, "{}", self.stderr());
        assert!(!self.stderr().contains("panicked"), "{}", self.stderr());
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// Lets it open its tables again.
    #[cfg(unix)]
    pub(crate) fn open_again(&self) {
        let times = || self.stdout().matches("Opened again: ").count();
        let before = times();
        self.signal("HUP");
        eventually("it has opened its tables again", || times() > before);
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end; returns the exit code and stderr.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        for pipe in &mut self.output {
            pipe.reader.take().unwrap().join().unwrap();
        }
        (status.code(), self.stderr())
    }

    /// Checks that it has never used more than this number of bytes.
    pub(crate) fn assert_memory(&self, most: u64) {
        if let Some(memory) = peak_memory(&self.child) {
            assert!(memory < most, "{memory} bytes");
        }
    }
}

/// Sets timeouts that are longer than any test, unless something is wrong.
fn patient(stream: io::Result<TcpStream>) -> io::Result<TcpStream> {
    let stream = stream?;
    stream.set_nodelay(true)?;
    let long = Some(Duration::from_secs(120));
    stream.set_read_timeout(long)?;
    stream.set_write_timeout(long)?;
    Ok(stream)
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection for one request after the other.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

impl Answer {
    /// Checks that this is an error with a code, a message and a hint.
    #[track_caller]
    pub(crate) fn assert_error(&self, status: u16, code: &str) {
        let json = self.json();
        let error = &json["error"];
        for field in ["message", "hint"] {
            assert!(!error[field].as_str().unwrap().is_empty(), "{json}");
        }
        let found = (self.status, error["code"].as_str().unwrap());
        assert_eq!(found, (status, code), "{json}");
    }

    /// Checks that the server told the client to try again a second later.
    #[track_caller]
    pub(crate) fn assert_overloaded(&self) {
        self.assert_error(503, "overloaded");
        assert_eq!(self.header("retry-after"), Some("1"));
    }
}

impl Client {
    /// Returns a client of a server without a [`Server`].
    pub(crate) fn to(address: &str) -> Client {
        Client::on(TcpStream::connect(address).unwrap())
    }

    fn on(stream: TcpStream) -> Client {
        let stream = BufReader::new(stream);
        Client { stream }
    }

    pub(crate) fn get(&mut self, target: &str) -> Answer {
        self.ask("GET", target, &[], b"")
    }

    pub(crate) fn ask(
        &mut self,
        method: &str,
        target: &str,
        headers: &[&str],
        body: &[u8],
    ) -> Answer {
        let mut request = format!("{method} {target} HTTP/1.1\r\n");
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            request += "Host: localhost\r\n";
        }
        for header in headers {
            request += &format!("{header}\r\n");
        }
        let names = |name: &str| headers.iter().any(|header| header.starts_with(name));
        if method == "POST" && !names("Content-Type:") {
            request += "Content-Type: application/json\r\n";
        }
        if !body.is_empty() {
            request += &format!("Content-Length: {}\r\n", body.len());
        }
        request += "\r\n";
        // A server that refuses a request may close before all is sent.
        let _ = self.send(&[request.as_bytes(), body].concat());
        let answer = self.answer(method == "HEAD");
        answer.unwrap_or_else(|error| panic!("{method} {target}: {error}"))
    }

    /// Returns true if an answer has begun to arrive, or the connection has ended.
    pub(crate) fn has_answer(&self) -> bool {
        let stream = self.stream.get_ref();
        stream.set_nonblocking(true).unwrap();
        let has_answer = stream.peek(&mut [0]).is_ok();
        stream.set_nonblocking(false).unwrap();
        has_answer
    }

    /// Returns the same connection, to send on it while answers are read.
    pub(crate) fn sender(&self) -> TcpStream {
        self.stream.get_ref().try_clone().unwrap()
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Reads an answer, without a body if it answers `HEAD`.
    pub(crate) fn answer(&mut self, head: bool) -> io::Result<Answer> {
        Answer::read(&mut self.stream, !head)
    }

    /// Reads the head of an answer.
    pub(crate) fn head(&mut self) -> io::Result<Answer> {
        Answer::head(&mut self.stream)
    }

    /// Reads the next part of an answer that comes in parts; nothing at its end.
    pub(crate) fn part(&mut self) -> io::Result<Vec<u8>> {
        http::part(&mut self.stream)
    }
}

/// Returns the head of a batch with a body of this type, and more headers.
pub(crate) fn batch_head(kind: &str, more: &str) -> String {
    format!(
        "POST /api/v1/abapa/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n{more}\r\n\r\n"
    )
}

/// Encodes a text as the value of a parameter.
pub(crate) fn encoded(text: &str) -> String {
    let encoded = utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    encoded.replace("%20", "+")
}
