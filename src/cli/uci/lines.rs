//! Lines from a program that may send none, or too many.

use std::io::{self, BufRead, BufReader, Read};
use std::iter;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// The longest line, in bytes: ten times the line of a long game. Longer lines are dropped.
const LONGEST: usize = 1 << 16;

/// The number of lines that are read ahead.
const AHEAD: usize = 64;

/// Reads the lines of an input in a thread, as long as the receiver lives.
pub(crate) fn of(input: impl Read + Send + 'static) -> io::Result<Receiver<String>> {
    let (sender, lines) = sync_channel(AHEAD);
    let send = move || all(input).try_for_each(|line| sender.send(line).ok());
    thread::Builder::new().spawn(send)?;
    Ok(lines)
}

/// Reads an input to its end in a thread, and sends its last line that is not blank.
pub(crate) fn last_of(input: impl Read + Send + 'static) -> io::Result<Receiver<String>> {
    let (sender, receiver) = sync_channel(1);
    let send = move || {
        let last = all(input).filter(|line| !line.is_empty()).last();
        let _ = sender.send(last.unwrap_or_default());
    };
    thread::Builder::new().spawn(send)?;
    Ok(receiver)
}

/// The lines of an input, trimmed; empty if they are too long. An error counts as the end of the input.
fn all(input: impl Read) -> impl Iterator<Item = String> {
    let mut input = BufReader::new(input);
    iter::from_fn(move || {
        let mut line = Vec::new();
        let most = LONGEST as u64 + 1;
        let length = input
            .by_ref()
            .take(most)
            .read_until(b'\n', &mut line)
            .ok()?;
        if length > LONGEST && !line.ends_with(b"\n") {
            line.clear();
            input.skip_until(b'\n').ok()?;
        }
        let text = String::from_utf8_lossy(&line);
        (length > 0).then(|| text.trim().to_string())
    })
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
