//! Lines from a program that may send none, or too many.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// The longest line, in bytes: ten times the line of a long game. Longer lines are dropped.
const LONGEST: usize = 1 << 16;

/// The number of lines that are read ahead.
const AHEAD: usize = 64;

/// Reads the lines of an input in a thread, as long as the receiver lives.
pub(crate) fn of(input: impl Read + Send + 'static) -> io::Result<Receiver<String>> {
    let (sender, lines) = sync_channel(AHEAD);
    thread::Builder::new().spawn(move || {
        let mut input = BufReader::new(input);
        // An error counts as the end of the input.
        while let Ok(Some(line)) = next(&mut input) {
            if sender.send(line).is_err() {
                break;
            }
        }
    })?;
    Ok(lines)
}

/// Reads an input to its end in a thread, and sends its last line that is not blank.
pub(crate) fn last_of(input: impl Read + Send + 'static) -> io::Result<Receiver<String>> {
    let (sender, receiver) = sync_channel(1);
    thread::Builder::new().spawn(move || {
        let mut input = BufReader::new(input);
        let mut last = String::new();
        while let Ok(Some(line)) = next(&mut input) {
            if !line.is_empty() {
                last = line;
            }
        }
        let _ = sender.send(last);
    })?;
    Ok(receiver)
}

/// Reads the next line without its end, empty if it is too long; `None` at the end.
fn next(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut length = 0;
    loop {
        let chunk = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            chunk => chunk?,
        };
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        length += part.len();
        if length <= LONGEST {
            line.extend_from_slice(part);
        }
        let at_end = chunk.is_empty();
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if at_end && length == 0 {
            return Ok(None);
        }
        if at_end || end.is_some() {
            if length > LONGEST {
                line.clear();
            }
            return Ok(Some(String::from_utf8_lossy(&line).trim().to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<String> {
        of(io::Cursor::new(text.to_vec())).unwrap().iter().collect()
    }

    #[test]
    fn lines_however_they_end() {
        assert_eq!(read(b""), [""; 0]);
        assert_eq!(read(b"uci\n"), ["uci"]);
        assert_eq!(
            read(b"uci\r\n\n go depth 3 \nquit"),
            ["uci", "", "go depth 3", "quit"]
        );
        assert_eq!(read(b"\xff\n"), ["\u{fffd}"]);
    }
}
