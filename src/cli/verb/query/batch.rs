//! Many positions, one per line, answered line by line.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;

use granero::{Assessment, Position, TableError, Tables};
use rayon::prelude::*;
use serde::Serialize;

use super::{Format, text};
use crate::arguments::proving::Search;
use crate::output::meter::{Meter, Unit};
use crate::output::versioned;
use crate::system::interruption::{self, Work};
use granero_answer::batch::{CHUNK, LineBuffer, lines, look_up, parse, write_line};
use granero_answer::document::{ErrorDocument, PositionJson};
use granero_answer::{PositionAnswer, counted, grouped, values};
use granero_console::{Failure, machine};

/// The lines that are looked up together if each move has an answer, which takes memory.
const WITH_MOVES: usize = 1 << 17;

/// The lines that a thread answers at a time: enough to be worth the switch.
const PIECE: usize = 1 << 9;

/// The pieces that are formatted before they are printed.
const AT_A_TIME: usize = 1 << 5;

/// The bytes of a chunk if there is little memory.
const LEAST_CHUNK: usize = 1 << 14;

/// The lines to answer.
pub(crate) struct Input {
    pub(super) bytes: Box<dyn Read + Send>,
    /// The bytes of a file, whose lines are all there. The length of a pipe is unknown.
    length: Option<u64>,
}

impl Input {
    /// Creates an input of unknown length.
    pub(super) fn new(bytes: impl Read + Send + 'static) -> Input {
        Input {
            bytes: Box::new(bytes),
            length: None,
        }
    }
}

/// Opens a file, or the standard input for `-`.
pub(crate) fn open(file: &Path) -> Result<Input, Failure> {
    if file == Path::new("-") {
        return Ok(Input::new(io::stdin()));
    }
    let opened = File::open(file).map_err(|error| Failure::unreadable(file, &error, HELP))?;
    let metadata = opened.metadata().ok().filter(Metadata::is_file);
    Ok(Input {
        length: metadata.map(|file| file.len()),
        ..Input::new(opened)
    })
}

/// What to do if the input cannot be read.
const HELP: &str = "name a file with a position in each line, or - for the standard input";

/// Answers all lines of the input in order, with a search beyond the tables.
pub(crate) fn run(
    tables: &Tables,
    search: Option<Search>,
    format: Format,
    input: Input,
    file: &Path,
    output: &mut impl Write,
) -> Result<(), Failure> {
    let Input { bytes, length } = input;
    let meter = match length {
        Some(length) if !io::stdout().is_terminal() => Meter::late(Unit::Bytes, Some(length)),
        _ => Meter::hidden(),
    };
    meter.begin("answers positions");
    // The answers to a chunk take about ten times its bytes.
    let free = machine::available_memory().map_or(CHUNK, |free| (free / 16) as usize);
    let unreadable = |error: io::Error| Failure::unreadable(file, &error, HELP);
    let chunks = ReadAhead::new(bytes, free.clamp(LEAST_CHUNK, CHUNK), length.is_some());
    let mut chunks = chunks.map_err(unreadable)?;
    let (mut all, mut bad) = (0, 0);
    let answer = |line: &[u8], found: Option<Assessment>, answers: &mut Answers| {
        match parse(line) {
            Ok(text) => {
                let position = text.position();
                let found = found.map_or_else(|| tables.assess(&position), Ok)?;
                let mut answer = PositionAnswer::of(tables, &text, found);
                if let Some(search) = search.filter(|_| answer.is_beyond()) {
                    answer.prove(&search.prove(tables, &position, |_| {})?);
                }
                answers.write(format, &answer);
            }
            Err(reason) => answers.refuse(format, reason),
        }
        Ok(())
    };
    while let Some(chunk) = chunks.next_chunk().map_err(unreadable)? {
        let _work = search.map(|_| Work::begin());
        let at_a_time = match search {
            None if format == Format::Tsv => usize::MAX,
            None => WITH_MOVES,
            // A line may take long, so few are printed at a time.
            Some(_) => rayon::current_num_threads(),
        };
        let lines: Vec<&[u8]> = lines(&chunk).collect();
        for lines in lines.chunks(at_a_time) {
            let values = |all: &[Position]| values(tables, all);
            let printed = match (search, format) {
                (None, Format::Tsv) => look_up(lines, values).ok().map(|found| {
                    print(output, lines, PIECE, |number, line, answers| {
                        answers.bad += u64::from(found[number].is_none());
                        write_line(tables.cycles(), line, &found[number], &mut answers.text);
                        Ok(())
                    })
                }),
                (None, _) => look_up(lines, |all| tables.assess_all(all))
                    .ok()
                    .map(|found| {
                        print(output, lines, PIECE, |number, line, answers| {
                            answer(line, found[number].clone().map(|found| found.1), answers)
                        })
                    }),
                (Some(_), _) => None,
            };
            // After a failure, one by one: the lines before the failure are answered.
            let printed = printed.unwrap_or_else(|| {
                print(output, lines, 1, |_, line, answers| {
                    answer(line, None, answers)
                })
            });
            match printed? {
                ControlFlow::Continue(more) => bad += more,
                ControlFlow::Break(()) => return Ok(()),
            }
            if interruption::came() {
                return Err(Failure::Stopped(String::new()));
            }
            all += lines.len() as u64;
            meter.add(lines.iter().map(|line| line.len() as u64 + 1).sum());
        }
    }
    drop(meter);
    all_valid(
        bad,
        all,
        "line",
        "each bad line has an `error` line in the output",
    )
}

/// Answers lines by their number, some of them at a time on each thread, and prints the answers in their order up to
/// the first failure. Returns the number of bad lines, unless the reader has closed the pipe.
fn print(
    output: &mut impl Write,
    lines: &[&[u8]],
    piece: usize,
    answer: impl Fn(usize, &[u8], &mut Answers) -> Result<(), TableError> + Sync,
) -> Result<ControlFlow<(), u64>, Failure> {
    let mut bad = 0;
    let numbered: Vec<(usize, &[u8])> = lines.iter().copied().enumerate().collect();
    for lines in numbered.chunks(piece * AT_A_TIME) {
        let answered = lines.par_chunks(piece).map(|lines| {
            let mut answers = Answers::default();
            for &(number, line) in lines {
                answer(number, line, &mut answers)?;
            }
            Ok(answers)
        });
        let answered: Vec<Result<Answers, TableError>> = answered.collect();
        let mut failed = None;
        let mut answered = answered
            .into_iter()
            .map_while(|answers| answers.map_err(|error| failed = Some(error)).ok());
        let written = answered.try_for_each(|answers| {
            bad += answers.bad;
            output.write_all(&answers.text)
        });
        match written.and_then(|()| output.flush()) {
            // The reader, for instance `head`, closed the pipe.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                return Ok(ControlFlow::Break(()));
            }
            written => written.map_err(Failure::output)?,
        }
        if let Some(error) = failed {
            return Err(error.into());
        }
    }
    Ok(ControlFlow::Continue(bad))
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

/// Answers to some lines.
#[derive(Default)]
struct Answers {
    text: Vec<u8>,
    /// The number of lines that are not valid positions.
    bad: u64,
}

impl Answers {
    /// Answers a line that is not a valid position.
    fn refuse(&mut self, format: Format, reason: String) {
        self.bad += 1;
        match format {
            Format::Json => self.write_json(&ErrorDocument { error: reason }),
            _ => self
                .text
                .extend_from_slice(format!("error\t{reason}\n").as_bytes()),
        }
    }

    fn write(&mut self, format: Format, answer: &PositionAnswer<'_>) {
        let line = match format {
            Format::Json => return self.write_json(&PositionJson::new(answer, None)),
            Format::Text => text::line(answer),
            Format::Tsv | Format::Npy => text::tsv(answer),
        };
        self.text.extend_from_slice(line.as_bytes());
    }

    fn write_json(&mut self, document: &impl Serialize) {
        serde_json::to_writer(&mut self.text, &versioned(document))
            .expect("numbers and names are JSON, and memory can be written to");
        self.text.push(b'\n');
    }
}

/// The bytes that are read at a time: the size of a pipe.
const PIPE: usize = 1 << 16;

/// The lines of an input that a thread reads.
struct ReadAhead {
    /// Ends behind an error.
    pieces: Receiver<io::Result<Vec<u8>>>,
    lines: LineBuffer,
    /// The bytes of a chunk.
    most: usize,
    /// True if each chunk waits until it is full: for files. Typed lines get answers at once.
    patient: bool,
    /// The error behind the lines that were returned.
    failed: Option<io::Error>,
}

impl ReadAhead {
    /// Reads about `most` bytes ahead.
    fn new(
        mut input: impl Read + Send + 'static,
        most: usize,
        patient: bool,
    ) -> io::Result<ReadAhead> {
        let (sender, pieces) = sync_channel(most / PIPE);
        thread::Builder::new().spawn(move || {
            let mut piece = vec![0; PIPE];
            loop {
                let read = match input.read(&mut piece) {
                    Ok(0) => break,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    read => read.map(|length| piece[..length].to_vec()),
                };
                let has_failed = read.is_err();
                if sender.send(read).is_err() || has_failed {
                    break;
                }
            }
        })?;
        Ok(ReadAhead {
            pieces,
            lines: LineBuffer::default(),
            most,
            patient,
            failed: None,
        })
    }

    /// Returns the next lines, each with its end, which the last line may lack; `None` at the end.
    fn next_chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut at_end = false;
        while !at_end && !self.lines.is_full(self.most) {
            let piece = if self.patient || !self.lines.has_line() {
                self.pieces.recv().map_err(TryRecvError::from)
            } else {
                self.pieces.try_recv()
            };
            match piece {
                Ok(Ok(piece)) => self.lines.push(&piece),
                Ok(Err(error)) if !self.lines.has_line() => return Err(error),
                Ok(Err(error)) => {
                    self.failed = Some(error);
                    break;
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => at_end = true,
            }
        }
        let lines = self.lines.take(at_end);
        Ok(Some(lines).filter(|lines| !lines.is_empty()))
    }
}
