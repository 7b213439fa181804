//! Any bytes as the input of `query --batch`: lines are read whole and in order, whatever the pieces in which
//! they come, and each gets one line of output, as if it were the only one.

use std::io::Cursor;
use std::str;

use granero::Position;
use granero::notation::PositionText;
use granero_answer::batch::{self, LONGEST, LineBuffer};
use granero_cli::fuzzing;
use serde_json::{Value, json};

use super::sample;

/// Panics if a line is lost, changed or kept back, or if its answer is wrong.
pub fn run(bytes: &[u8]) {
    let sizes: Vec<usize> = bytes.iter().map(|&byte| byte.into()).collect();
    for sizes in [&[1][..], &[7], &[usize::MAX], &sizes] {
        read_in_chunks(bytes, sizes);
    }
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line));
    assert!(bytes.is_empty() || batch::lines(bytes).eq(lines.clone()));
    let lines: Vec<_> = lines.map(|line| (line, read_alone(line))).collect();
    let bad = lines.iter().filter(|(_, read)| read.is_err()).count();
    for format in ["text", "tsv", "json"] {
        let (output, ended) = fuzzing::run(Cursor::new(bytes.to_vec()), format);
        let output = String::from_utf8(output).unwrap();
        assert!(output.is_empty() || output.ends_with('\n'));
        let answers: Vec<&str> = output.split_terminator('\n').collect();
        assert_eq!(answers.len(), lines.len(), "{format}: {output}");
        for (answer, (line, read)) in answers.into_iter().zip(&lines) {
            let is_plain = |c: char| c == '\t' || !c.is_control();
            assert!(answer.chars().all(is_plain), "{answer:?}");
            let is_right = match (read, format) {
                (Ok(text), "text") => text_is_right(answer, text),
                (Ok(text), "tsv") => tsv_is_right(answer, text),
                (Ok(text), _) => json_is_right(answer, text),
                (Err(reason), "json") => {
                    document(answer) == json!({ "version": 1, "error": reason })
                }
                (Err(reason), _) => answer == format!("error\t{reason}"),
            };
            assert!(is_right, "{}: {answer}", line.escape_ascii());
        }
        let counted = ended.err().map(|message| {
            let (bad, lines) = message.split_once(" of ").unwrap();
            let number = |text: &str| text.replace(|c: char| !c.is_ascii_digit(), "").parse();
            (number(bad), number(lines))
        });
        let expected = (bad > 0).then_some((Ok(bad), Ok(lines.len())));
        assert_eq!(counted, expected, "{format}");
    }
}

/// The number of ends of lines.
fn ends_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}

/// Panics if lines that come in pieces are not passed on whole, in order and at once.
fn read_in_chunks(mut bytes: &[u8], sizes: &[usize]) {
    let whole = bytes;
    let mut sizes = sizes.iter().cycle();
    let mut coming = LineBuffer::default();
    let mut given = Vec::new();
    while !bytes.is_empty() {
        let size = sizes.next().map_or(1, |&size| size.max(1));
        let (now, later) = bytes.split_at(size.min(bytes.len()));
        coming.push(now);
        let chunk = coming.take(false);
        assert!(chunk.is_empty() || chunk.ends_with(b"\n"));
        assert_eq!(ends_in(&chunk), ends_in(now), "a line is kept back");
        assert!(coming.bytes() <= LONGEST + 1);
        given.push(chunk);
        bytes = later;
    }
    given.push(coming.take(true));
    let given = given.concat();
    let mut lines = given.split(|&byte| byte == b'\n');
    for line in whole.split(|&byte| byte == b'\n') {
        let given = lines.next().unwrap();
        if line.len() > LONGEST {
            // The beginning of such a line is enough.
            assert!(given.len() > LONGEST && given[..=LONGEST] == line[..=LONGEST]);
        } else {
            assert_eq!(given, line);
        }
    }
    assert_eq!(lines.next(), None);
}

/// The position in a line, or the error for it.
fn read_alone(line: &[u8]) -> Result<PositionText, String> {
    if line.len() > LONGEST {
        return Err("the line is longer than 1000 bytes".into());
    }
    let text = str::from_utf8(line).map_err(|_| "the line is not text in UTF-8")?;
    let read = text.parse::<PositionText>();
    read.map_err(|error| format!("not a position: {error}"))
}

/// Tells if a position can be worth this. Beyond the sample, its moves may determine the value.
fn has_value(position: &Position, value: Option<i64>) -> bool {
    match sample::value(position) {
        Some(known) => value == Some(known.into()),
        None => value.is_none_or(|value| value.unsigned_abs() <= position.seeds().into()),
    }
}

fn text_is_right(answer: &str, text: &PositionText) -> bool {
    let position = text.position();
    let Some(said) = answer.strip_prefix(&format!("{position}: ")) else {
        return false;
    };
    match said.split_once([',', ';']).unwrap_or((said, "")) {
        ("unknown", _) => has_value(&position, None),
        (value, _) => value
            .parse()
            .is_ok_and(|value| has_value(&position, Some(value))),
    }
}

fn tsv_is_right(answer: &str, text: &PositionText) -> bool {
    let position = text.position();
    match answer.split_once('\t') {
        Some((houses, "-")) => houses == position.to_string() && has_value(&position, None),
        Some((houses, value)) => {
            let value = value.parse().ok();
            houses == position.to_string() && value.is_some() && has_value(&position, value)
        }
        None => false,
    }
}

fn document(answer: &str) -> Value {
    serde_json::from_str(answer).unwrap()
}

fn json_is_right(answer: &str, text: &PositionText) -> bool {
    let position = text.position();
    let document = document(answer);
    let value = &document["value"];
    document["position"] == json!(position.houses())
        && document["seeds"] == position.seeds()
        && (value.is_null() || value.is_i64())
        && has_value(&position, value.as_i64())
        && document["final"].is_object() == (text.situation().is_some() && !value.is_null())
}
