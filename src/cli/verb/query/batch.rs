//! Many positions, one per line, answered line by line.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;

use granero::{Position, TableError, Tables};
use rayon::prelude::*;
use serde::Serialize;

use super::Format;
use super::read_ahead::ReadAhead;
use crate::arguments::proving::Search;
use crate::output::meter::{Meter, Unit};
use crate::output::versioned;
use crate::system::interruption::{self, Work};
use crate::verb::Text;
use granero_answer::batch::{Answered, CHUNK, PIECE, lines, parse, pieces};
use granero_answer::document::{ErrorDocument, PositionJson};
use granero_answer::{PositionAnswer, counted, grouped, values};
use granero_console::{Failure, machine};

/// The pieces that are looked up together if each move has an answer, which takes memory.
const WITH_MOVES: usize = 1 << 8;

/// The pieces that are formatted before they are printed.
const AT_A_TIME: usize = 1 << 5;

/// The lines to answer, and the meter of their progress.
pub(crate) struct Input {
    pub(super) bytes: Box<dyn Read + Send>,
    /// True if all lines are there.
    is_file: bool,
    meter: Meter,
}

impl Input {
    /// Creates an input of unknown length.
    pub(super) fn new(bytes: impl Read + Send + 'static) -> Input {
        Input {
            bytes: Box::new(bytes),
            is_file: false,
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
    // The length of a pipe is unknown.
    let metadata = opened.metadata().ok().filter(Metadata::is_file);
    let is_file = metadata.is_some();
    let shown = metadata.filter(|_| !io::stdout().is_terminal());
    let late = |file: Metadata| Meter::late(Unit::Bytes, Some(file.len()));
    let meter = shown.map_or_else(Meter::hidden, late);
    meter.begin("answers positions");
    Ok(Input {
        bytes: Box::new(opened),
        is_file,
        meter,
    })
}

fn unreadable(file: &Path, error: &io::Error) -> Failure {
    Failure::data(
        format!("cannot read {}: {error}", file.display()),
        "name a file with a position in each line, or - for the standard input",
    )
}

/// Answers all lines of the input in order, with a search beyond the tables.
pub(crate) fn run(
    tables: &Tables,
    search: Option<Search>,
    format: Format,
    input: Input,
    file: &Path,
    output: &mut impl Write,
) -> Result<(), Failure> {
    let Input {
        bytes,
        is_file,
        meter,
    } = input;
    // The answers to a chunk take about ten times its bytes.
    let free = machine::available_memory().map_or(CHUNK, |free| (free / 16) as usize);
    let unreadable = |error: io::Error| unreadable(file, &error);
    let chunks = ReadAhead::new(bytes, free.clamp(PIECE, CHUNK), is_file);
    let mut chunks = chunks.map_err(unreadable)?;
    let mut printer = Printer {
        output,
        lines: 0,
        bad: 0,
    };
    while let Some(chunk) = chunks.next_chunk().map_err(unreadable)? {
        let _work = search.map(|_| Work::begin());
        let (size, at_a_time) = match search {
            None if format == Format::Tsv => (PIECE, usize::MAX),
            None => (PIECE, WITH_MOVES),
            // A line may take long, so few are printed at a time.
            Some(_) => (0, rayon::current_num_threads()),
        };
        for pieces in pieces(&chunk, size).chunks(at_a_time) {
            // After a failure, one by one: the lines before the failure are answered.
            let one_by_one = || {
                let pieces = pieces.into_par_iter();
                let answers = pieces.map(|piece| Answers::new(tables, search, format, piece));
                answers.collect::<Vec<_>>()
            };
            let printed = match search {
                None if format == Format::Tsv => {
                    let values = |all: &[Position]| values(tables, all);
                    let cycles = tables.cycles();
                    match Answered::new(pieces, values) {
                        Ok(found) => printer.print_all(pieces, |number, piece, answers| {
                            found.write(cycles, number, piece, &mut answers.text)
                        }),
                        Err(_) => printer.print(one_by_one()),
                    }
                }
                None => match Answered::new(pieces, |all| tables.assess_all(all)) {
                    Ok(found) => printer.print_all(pieces, |number, piece, answers| {
                        found.each(number, piece, |line, found| match (parse(line), found) {
                            (Ok(text), Some((_, found))) => {
                                let answer = PositionAnswer::of(tables, &text, found.clone());
                                answers.write(format, &answer);
                            }
                            (bad, _) => answers.refuse(format, bad.err().unwrap_or_default()),
                        })
                    }),
                    Err(_) => printer.print(one_by_one()),
                },
                Some(_) => printer.print(one_by_one()),
            };
            if printed?.is_break() {
                return Ok(());
            }
            if interruption::came() {
                return Err(Failure::Stopped(String::new()));
            }
            meter.add(pieces.iter().map(|piece| piece.len() as u64).sum());
        }
    }
    drop(meter);
    let help = "each bad line has an `error` line in the output";
    all_valid(printer.bad, printer.lines, "line", help)
}

/// Prints answers, and counts the lines that were answered.
struct Printer<'a, W> {
    output: &'a mut W,
    lines: u64,
    /// The number of lines that are not valid positions.
    bad: u64,
}

impl<W: Write> Printer<'_, W> {
    /// Prints the answers to pieces that were looked up together, a few at a time.
    fn print_all(
        &mut self,
        pieces: &[&[u8]],
        answer: impl Fn(usize, &[u8], &mut Answers) -> [u64; 2] + Sync,
    ) -> Result<ControlFlow<()>, Failure> {
        let numbered: Vec<(usize, &[u8])> = pieces.iter().copied().enumerate().collect();
        for some in numbered.chunks(AT_A_TIME) {
            let written = some.par_iter().map(|&(number, piece)| {
                let mut answers = Answers::empty(piece);
                [answers.lines, answers.bad] = answer(number, piece, &mut answers);
                Ok(answers)
            });
            let written: Vec<Result<Answers, TableError>> = written.collect();
            if self.print(written)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Prints answers up to the first failure. A closed pipe is not a failure.
    fn print(
        &mut self,
        answers: impl IntoIterator<Item = Result<Answers, TableError>>,
    ) -> Result<ControlFlow<()>, Failure> {
        let mut failed = None;
        let write = || {
            for answers in answers {
                match answers {
                    Ok(answers) => {
                        self.lines += answers.lines;
                        self.bad += answers.bad;
                        self.output.write_all(&answers.text)?;
                    }
                    // Print the answers before the failure.
                    Err(error) => {
                        failed = Some(error);
                        break;
                    }
                }
            }
            self.output.flush()
        };
        match write() {
            // The reader, for instance `head`, closed the pipe.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                return Ok(ControlFlow::Break(()));
            }
            written => written.map_err(Failure::output)?,
        }
        match failed {
            Some(error) => Err(error.into()),
            None => Ok(ControlFlow::Continue(())),
        }
    }
}

/// Fails if some of the lines or rows of a batch are bad.
pub(super) fn all_valid(bad: u64, all: u64, what: &str, help: &str) -> Result<(), Failure> {
    if bad == 0 {
        return Ok(());
    }
    let are_not_valid = match bad {
        1 => "is not a valid position",
        _ => "are not valid positions",
    };
    Err(Failure::not_possible(
        format!("{} of {} {are_not_valid}", grouped(bad), counted(all, what)),
        help,
    ))
}

struct Answers {
    text: Vec<u8>,
    lines: u64,
    /// The number of lines that are not valid positions.
    bad: u64,
}

impl Answers {
    fn empty(piece: &[u8]) -> Answers {
        Answers {
            text: Vec::with_capacity(2 * piece.len()),
            lines: 0,
            bad: 0,
        }
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
                Ok(text) => {
                    let mut answer = PositionAnswer::new(tables, &text)?;
                    if let Some(search) = search.filter(|_| answer.is_beyond()) {
                        answer.prove(&search.prove(tables, &text.position(), |_| {})?);
                    }
                    answers.write(format, &answer);
                }
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
        serde_json::to_writer(&mut self.text, &versioned(document))
            .expect("numbers and names are JSON, and memory can be written to");
        self.text.push(b'\n');
    }

    fn write(&mut self, format: Format, answer: &PositionAnswer<'_>) {
        match format {
            Format::Text => self.text.extend_from_slice(Text(answer).line().as_bytes()),
            Format::Tsv | Format::Npy => self.text.extend_from_slice(Text(answer).tsv().as_bytes()),
            Format::Json => self.write_json(&PositionJson::new(answer, None)),
        }
    }
}
