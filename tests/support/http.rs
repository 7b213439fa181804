//! Answers over HTTP, read strictly.
//!
//! The fuzz targets in `fuzz/` use this file, too.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead};

use serde_json::Value;

/// An answer to a request.
#[derive(PartialEq, Eq)]
pub struct Answer {
    /// True for HTTP/1.0.
    pub is_old: bool,
    pub status: u16,
    /// The headers, with names in small letters.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = self.body.escape_ascii();
        write!(text, "{} {:?}; {body}", self.status, self.headers)
    }
}

impl Answer {
    /// Reads an answer. Answers to `HEAD` have no body.
    pub fn read(stream: &mut impl BufRead, has_body: bool) -> io::Result<Answer> {
        let mut answer = Answer::head(stream)?;
        if answer.header("transfer-encoding") == Some("chunked") {
            loop {
                let part = part(stream)?;
                if part.is_empty() {
                    return Ok(answer);
                }
                answer.body.extend(part);
            }
        }
        let length = answer.header("content-length");
        let length = length.filter(|_| has_body && !matches!(answer.status, 204 | 304));
        answer.body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        stream.read_exact(&mut answer.body)?;
        Ok(answer)
    }

    /// Reads the head of an answer.
    pub fn head(stream: &mut impl BufRead) -> io::Result<Answer> {
        let first = line(stream)?;
        let (version, status) = first.split_once(' ').unwrap();
        assert!(matches!(version, "HTTP/1.0" | "HTTP/1.1"), "{first}");
        let (status, _) = status.split_once(' ').unwrap();
        assert_eq!(status.len(), 3);
        let mut answer = Answer {
            is_old: version == "HTTP/1.0",
            status: status.parse().unwrap(),
            headers: BTreeMap::new(),
            body: Vec::new(),
        };
        loop {
            let line = line(stream)?;
            if line.is_empty() {
                return Ok(answer);
            }
            let (name, value) = line.split_once(": ").unwrap();
            let twice = answer
                .headers
                .insert(name.to_ascii_lowercase(), value.into());
            assert_eq!(twice, None, "a header twice: {name}");
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Reads the document in the body.
    pub fn json(&self) -> Value {
        let json = serde_json::from_slice(&self.body);
        json.unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Reads the next part of a body that comes in parts; nothing at its end.
pub fn part(stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let length = usize::from_str_radix(&line(stream)?, 16).unwrap();
    let mut part = vec![0; length];
    stream.read_exact(&mut part)?;
    assert_eq!(line(stream)?, "", "behind a part");
    Ok(part)
}

fn line(stream: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let whole = line.strip_suffix("\r\n").map(String::from);
    whole.ok_or(io::ErrorKind::UnexpectedEof.into())
}
