//! Many positions, one in each line: answers line by line.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::str;

use granero::notation::{ParseError, PositionText};
use granero::{Assessment, Clamped, Measured, Position, TableError, Tables};
use rayon::prelude::*;
use serde::Serialize;

use super::Format;
use super::ahead::Ahead;
use super::chunks::{CHUNK, Chunks, LONGEST};
use super::text::write_tsv;
use crate::answer::PositionAnswer;
use crate::document::{ErrorDocument, QueryDocument};
use crate::failure::Failure;
use crate::interruption::{self, Work};
use crate::meter::Meter;
use crate::options::{counted, grouped};
use crate::proving::Search;
use crate::versioned::Versioned;

/// How many bytes of the input a thread answers at a time: enough to be worth its while.
const PIECE: usize = 1 << 14;

/// How many pieces are looked up together where each move has an answer, which takes memory.
const WITH_MOVES: usize = 1 << 8;

/// The lines to answer, and the meter that shows how far that is.
pub(crate) struct Input {
    bytes: Box<dyn Read>,
    meter: Meter,
}

impl Input {
    /// All of its bytes.
    pub(super) fn into_bytes(self) -> Box<dyn Read> {
        self.bytes
    }

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
        return Ok(Input::new(Ahead::new(io::stdin(), CHUNK)));
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
            None if format == Format::Tsv => (PIECE, usize::MAX),
            None => (PIECE, WITH_MOVES),
            // A line may take long, so each is printed as soon as those beside it are done.
            Some(_) => (0, rayon::current_num_threads()),
        };
        for pieces in pieces(chunk, size).chunks(at_a_time) {
            let one_by_one = || -> Vec<Result<Answers, TableError>> {
                let pieces = pieces.into_par_iter();
                let answers = pieces.map(|piece| Answers::new(tables, search, format, piece));
                answers.collect()
            };
            let answers = match search {
                // If not all can be answered, those before the failure are.
                None => Answers::together(tables, format, pieces).unwrap_or_else(|_| one_by_one()),
                Some(_) => one_by_one(),
            };
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
    let help = "the output says on each of these lines what is wrong";
    all_valid(bad, lines, "line", help)
}

/// Makes sure that none of the lines or rows of a batch is bad.
pub(super) fn all_valid(bad: u64, all: u64, what: &str, help: &str) -> Result<(), Failure> {
    if bad == 0 {
        return Ok(());
    }
    let are_not_valid = match bad {
        1 => "is not a valid position",
        _ => "are not valid positions",
    };
    Err(Failure::NotPossible {
        message: format!("{} of {} {are_not_valid}", grouped(bad), counted(all, what)),
        help: help.into(),
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

/// What the tables say of some positions.
enum Found {
    Worths(Vec<Option<Measured<Clamped>>>),
    Assessments(Vec<Assessment>),
}

impl Answers {
    fn empty(piece: &[u8]) -> Answers {
        Answers {
            text: Vec::with_capacity(2 * piece.len()),
            lines: 0,
            bad: 0,
        }
    }

    /// Answers the lines of all pieces; the positions are looked up together.
    fn together(
        tables: &Tables,
        format: Format,
        pieces: &[&[u8]],
    ) -> Result<Vec<Result<Answers, TableError>>, TableError> {
        type Parsed = Vec<Result<PositionText, String>>;
        let parsed: Vec<Parsed> = pieces
            .par_iter()
            .map(|piece| lines(piece).map(parse).collect())
            .collect();
        let texts = parsed.iter().flatten().flatten();
        let positions: Vec<Position> = texts.map(PositionText::position).collect();
        let mut found = match format {
            Format::Tsv => Found::Worths(tables.clamped_worths(&positions)?),
            _ => Found::Assessments(tables.assess_all(&positions)?),
        };
        // From the last piece to the first, so that each can have its part of what is found.
        let mut parts = Vec::with_capacity(parsed.len());
        for parsed in parsed.iter().rev() {
            let count = parsed.iter().flatten().count();
            parts.push(match &mut found {
                Found::Worths(worths) => Found::Worths(worths.split_off(worths.len() - count)),
                Found::Assessments(all) => Found::Assessments(all.split_off(all.len() - count)),
            });
        }
        parts.reverse();
        let work = (pieces, parsed, parts).into_par_iter();
        let answers = work.map(|(piece, parsed, part)| {
            let mut answers = Answers::empty(piece);
            let (mut worths, mut assessments) = match part {
                Found::Worths(worths) => (worths, Vec::new()),
                Found::Assessments(assessments) => (Vec::new(), assessments),
            };
            let mut worths = worths.drain(..);
            let mut assessments = assessments.drain(..);
            for parsed in parsed {
                answers.lines += 1;
                let text = match parsed {
                    Ok(text) => text,
                    Err(reason) => {
                        answers.refuse(format, reason);
                        continue;
                    }
                };
                if let Some(assessment) = assessments.next() {
                    let answer = PositionAnswer::of(tables, &text, assessment);
                    answers.write(format, &answer);
                    continue;
                }
                match worths.next().flatten() {
                    // The tables may still reach all its moves.
                    None => answers.add(tables, None, format, &text)?,
                    worth => {
                        let (position, cycles) = (text.position(), tables.cycles());
                        write_tsv(&position, cycles, worth, None, &mut answers.text);
                    }
                }
            }
            Ok(answers)
        });
        Ok(answers.collect())
    }

    fn new(
        tables: &Tables,
        search: Option<Search>,
        format: Format,
        piece: &[u8],
    ) -> Result<Answers, TableError> {
        let mut answers = Answers::empty(piece);
        for line in lines(piece) {
            answers.lines += 1;
            match parse(line) {
                Ok(text) => answers.add(tables, search, format, &text)?,
                Err(reason) => answers.refuse(format, reason),
            }
        }
        Ok(answers)
    }

    /// Answers a line that is not a valid position.
    fn refuse(&mut self, format: Format, reason: String) {
        self.bad += 1;
        match format {
            Format::Text | Format::Tsv | Format::Npy => {
                let line = format!("error\t{reason}\n");
                self.text.extend_from_slice(line.as_bytes());
            }
            Format::Json => self.write_json(&ErrorDocument { error: reason }),
        }
    }

    fn write_json(&mut self, document: &impl Serialize) {
        serde_json::to_writer(&mut self.text, &Versioned::new(document))
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
        let answer = super::answer(tables, text, search, |_| {})?;
        self.write(format, &answer);
        Ok(())
    }

    fn write(&mut self, format: Format, answer: &PositionAnswer<'_>) {
        match format {
            Format::Text => self.text.extend_from_slice(answer.line().as_bytes()),
            Format::Tsv | Format::Npy => self.text.extend_from_slice(answer.tsv().as_bytes()),
            Format::Json => self.write_json(&QueryDocument::new(answer, None)),
        }
    }
}

/// The lines of a piece.
fn lines(piece: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = piece.strip_suffix(b"\n").unwrap_or(piece);
    lines.split(|&byte| byte == b'\n')
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
