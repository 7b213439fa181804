//! Many positions, one in each line: answers line by line.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::str;

use granero::notation::{ParseError, PositionText};
use granero::{TableError, Tables};
use rayon::prelude::*;
use serde::Serialize;

use super::Format;
use super::chunks::{Chunks, LONGEST};
use super::text::write_tsv;
use crate::document::{ErrorDocument, QueryDocument};
use crate::failure::Failure;
use crate::interruption::{self, Work};
use crate::meter::Meter;
use crate::options::{counted, grouped};
use crate::proving::Search;

/// How many bytes of the input a thread answers at a time: enough to be worth its while.
const PIECE: usize = 1 << 14;

/// The lines to answer, and the meter that shows how far that is.
pub(crate) struct Input {
    bytes: Box<dyn Read>,
    meter: Meter,
}

impl Input {
    /// An input of unknown length.
    pub(super) fn new(bytes: impl Read + 'static) -> Input {
        Input {
            bytes: Box::new(bytes),
            meter: Meter::hidden(),
        }
    }
}

/// Opens a file, or the standard input for `-`.
pub(crate) fn open(file: &Path) -> Result<Input, Failure> {
    if file == Path::new("-") {
        return Ok(Input::new(io::stdin()));
    }
    let opened = File::open(file).map_err(|error| unreadable(file, &error))?;
    // A pipe does not say how much will come.
    let metadata = opened.metadata().ok().filter(Metadata::is_file);
    let meter = metadata.map_or_else(Meter::hidden, |metadata| Meter::of_input(metadata.len()));
    meter.begin("answers positions");
    Ok(Input {
        bytes: Box::new(opened),
        meter,
    })
}

fn unreadable(file: &Path, error: &io::Error) -> Failure {
    Failure::Data {
        message: format!("cannot read {}: {error}", file.display()),
        help: "name a file with a position in each line, or - for the standard input".into(),
    }
}

/// Answers all lines of the input in their order, those beyond the tables by a search.
pub(crate) fn run(
    tables: &Tables,
    search: Option<Search>,
    format: Format,
    input: Input,
    file: &Path,
    output: &mut impl Write,
) -> Result<(), Failure> {
    let Input { bytes, meter } = input;
    let mut chunks = Chunks::new(bytes);
    let (mut lines, mut bad) = (0, 0);
    while let Some(chunk) = chunks.next().map_err(|error| unreadable(file, &error))? {
        let _work = search.map(|_| Work::begin());
        let (size, at_a_time) = match search {
            None => (PIECE, usize::MAX),
            // A line may take long, so each is printed as soon as those beside it are done.
            Some(_) => (0, rayon::current_num_threads()),
        };
        for pieces in pieces(chunk, size).chunks(at_a_time) {
            let answers: Vec<Result<Answers, TableError>> = pieces
                .into_par_iter()
                .map(|piece| Answers::new(tables, search, format, piece))
                .collect();
            let mut failed = None;
            let written = (|| {
                for piece in answers {
                    match piece {
                        Ok(piece) => {
                            lines += piece.lines;
                            bad += piece.bad;
                            output.write_all(&piece.text)?;
                        }
                        // The answers before the failure are printed.
                        Err(error) => {
                            failed = Some(error);
                            break;
                        }
                    }
                }
                output.flush()
            })();
            match written {
                // The reader, for instance `head`, closed the pipe.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                written => written.map_err(Failure::Output)?,
            }
            if let Some(error) = failed {
                return Err(error.into());
            }
            if interruption::came() {
                return Err(Failure::Stopped(String::new()));
            }
            meter.add(pieces.iter().map(|piece| piece.len() as u64).sum());
        }
    }
    drop(meter);
    if bad == 0 {
        return Ok(());
    }
    let are_not_valid = match bad {
        1 => "is not a valid position",
        _ => "are not valid positions",
    };
    Err(Failure::NotPossible {
        message: format!(
            "{} of {} {are_not_valid}",
            grouped(bad),
            counted(lines, "line")
        ),
        help: "the output says on each of these lines what is wrong".into(),
    })
}

/// Whole lines in pieces of this size, or a line more.
pub(super) fn pieces(mut chunk: &[u8], size: usize) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while !chunk.is_empty() {
        let from = size.min(chunk.len());
        let end = chunk[from..].iter().position(|&byte| byte == b'\n');
        let (piece, rest) = chunk.split_at(end.map_or(chunk.len(), |end| from + end + 1));
        pieces.push(piece);
        chunk = rest;
    }
    pieces
}

/// The answers to some lines.
struct Answers {
    text: Vec<u8>,
    lines: u64,
    /// How many of the lines are not valid positions.
    bad: u64,
}

impl Answers {
    fn new(
        tables: &Tables,
        search: Option<Search>,
        format: Format,
        piece: &[u8],
    ) -> Result<Answers, TableError> {
        let mut answers = Answers {
            text: Vec::with_capacity(2 * piece.len()),
            lines: 0,
            bad: 0,
        };
        let lines = piece.strip_suffix(b"\n").unwrap_or(piece);
        for line in lines.split(|&byte| byte == b'\n') {
            answers.lines += 1;
            match parse(line) {
                Ok(text) => answers.add(tables, search, format, &text)?,
                Err(reason) => {
                    answers.bad += 1;
                    match format {
                        Format::Text | Format::Tsv => {
                            let line = format!("error\t{reason}\n");
                            answers.text.extend_from_slice(line.as_bytes());
                        }
                        Format::Json => answers.write_json(&ErrorDocument { error: reason }),
                    }
                }
            }
        }
        Ok(answers)
    }

    fn write_json(&mut self, document: &impl Serialize) {
        serde_json::to_writer(&mut self.text, document)
            .expect("numbers and names are JSON, and memory can be written to");
        self.text.push(b'\n');
    }

    fn add(
        &mut self,
        tables: &Tables,
        search: Option<Search>,
        format: Format,
        text: &PositionText,
    ) -> Result<(), TableError> {
        let answer = || super::answer(tables, text, search, |_| {});
        match format {
            Format::Text => {
                let line = answer()?.line();
                self.text.extend_from_slice(line.as_bytes());
            }
            Format::Tsv => {
                let position = text.position();
                match tables.clamped_worth(&position)? {
                    // The tables may still reach all its moves.
                    None => self.text.extend_from_slice(answer()?.tsv().as_bytes()),
                    worth => write_tsv(&position, tables.cycles(), worth, None, &mut self.text),
                }
            }
            Format::Json => {
                self.write_json(&QueryDocument::new(&answer()?, None));
            }
        }
        Ok(())
    }
}

/// Reads a line, or says why it is not a valid position.
fn parse(line: &[u8]) -> Result<PositionText, String> {
    if line.len() > LONGEST {
        return Err(format!("the line is longer than {LONGEST} bytes"));
    }
    let text = str::from_utf8(line).map_err(|_| "the line is not text in UTF-8".to_string())?;
    text.parse()
        .map_err(|error: ParseError| format!("not a position: {error}"))
}
