//! An engine that is asked for moves, and restarted when it hangs or ends.

pub(super) mod process;

use std::io;
use std::str::FromStr;
use std::time::Duration;

use granero::notation::quote;
use granero::{PlayerHouse, Situation};
use process::{KillSwitch, Process};
use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

use super::{position, within};

/// An engine that is asked for moves, and restarted when it hangs or ends. Dropping this value ends the engine.
#[derive(Debug)]
pub struct Engine {
    command: EngineCommand,
    patience: Patience,
    show_stderr: bool,
    kill_switch: KillSwitch,
    process: Option<Process>,
    /// The name that the engine gives itself, or else its program.
    pub(crate) name: String,
    /// The number of restarts.
    pub(crate) restarts: u32,
}

/// The limits for an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The time to think about a move.
    pub movetime: Duration,
    /// The delay after which an answer is too late.
    pub grace: Duration,
    /// The time to get ready.
    pub start: Duration,
    /// The most restarts.
    pub restarts: u32,
    /// True if the engine may use its opening book. Without it, its own play is judged.
    pub own_book: bool,
}

/// The reasons why an engine cannot be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// The system cannot start the program.
    #[error("cannot start the engine {program}")]
    NoProcess {
        /// The program.
        program: String,
        /// The error of the system.
        source: io::Error,
    },
    /// It starts, but does not answer like an engine.
    #[error("the engine does not answer `{question}` with `{answer}`: {how}")]
    NoAnswer {
        /// The question.
        question: &'static str,
        /// The expected answer.
        answer: &'static str,
        /// The event that came instead.
        how: String,
    },
}

impl Default for Patience {
    /// Returns a tenth of a second for a move, a second of grace, ten seconds to get ready, twenty restarts, and
    /// no book.
    fn default() -> Patience {
        Patience {
            movetime: Duration::from_millis(100),
            grace: Duration::from_secs(1),
            start: Duration::from_secs(10),
            restarts: 20,
            own_book: false,
        }
    }
}

impl Engine {
    /// Starts an engine and waits until it is ready.
    ///
    /// Its stderr is dropped unless `show_stderr`. The switch is for this engine alone.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or does not say in time that it is ready.
    pub fn start(
        command: EngineCommand,
        patience: Patience,
        show_stderr: bool,
        kill_switch: &KillSwitch,
    ) -> Result<Engine, StartError> {
        let mut engine = Engine {
            name: command.program.clone(),
            command,
            patience,
            show_stderr,
            kill_switch: kill_switch.clone(),
            process: None,
            restarts: 0,
        };
        engine.launch()?;
        Ok(engine)
    }

    /// Asks for a move in the situation after `moves`. Returns `None` if the engine needs a restart and has none
    /// left.
    ///
    /// Without moves, the engine is told that a new game begins.
    pub fn ask(&mut self, start: &Situation, moves: &[PlayerHouse]) -> Option<Answer> {
        while self.process.is_none() {
            if self.restarts == self.patience.restarts {
                return None;
            }
            self.restarts += 1;
            // If this fails, the next round tries again.
            let _ = self.launch();
        }
        let process = self.process.as_ref()?;
        let answer = question(process, &self.patience, start, moves);
        if let Err(fault) = &answer
            && matches!(fault.kind, FaultKind::Timeout | FaultKind::Ended)
        {
            self.process = None;
        }
        Some(answer)
    }

    /// Tells the engine to quit, and ends it if it does not.
    pub(crate) fn quit(self) {
        if let Some(process) = &self.process
            && process.send("quit").is_ok()
        {
            // If it does not end, dropping it ends it.
            let _ = process.wait_for(within(TIME_TO_QUIT), |_| None::<()>);
        }
    }

    /// Starts the process and waits until it is ready.
    fn launch(&mut self) -> Result<(), StartError> {
        let process = Process::start(&self.command, &self.kill_switch, self.show_stderr).map_err(
            |source| StartError::NoProcess {
                program: self.command.program.clone(),
                source,
            },
        )?;
        self.introduce(&process)
            .map_err(|instead| self.no_answer("uci", "uciok", instead))?;
        ready(&process, &self.patience)
            .map_err(|instead| self.no_answer("isready", "readyok", instead))?;
        self.process = Some(process);
        Ok(())
    }

    /// Learns the engine's name, and turns its opening book off if it may not use it.
    fn introduce(&mut self, process: &Process) -> Result<(), Fault> {
        let deadline = within(self.patience.start);
        process.send("uci")?;
        let mut book = false;
        loop {
            let line = process.wait_for(deadline, |line| Some(line.to_string()))?;
            if let Some(name) = line.strip_prefix("id name ") {
                self.name = name.chars().filter(|c| !c.is_control()).take(80).collect();
            } else if line.starts_with("option name OwnBook ") {
                book = true;
            } else if line == "uciok" {
                break;
            }
        }
        if book && !self.patience.own_book {
            process.send("setoption name OwnBook value false")?;
        }
        Ok(())
    }

    fn no_answer(
        &self,
        question: &'static str,
        answer: &'static str,
        instead: Fault,
    ) -> StartError {
        let how = match instead.kind {
            FaultKind::Ended => format!("it ended ({})", instead.what),
            _ => format!("nothing came within {} s", self.patience.start.as_secs()),
        };
        StartError::NoAnswer {
            question,
            answer,
            how,
        }
    }
}

/// The time for an engine to quit.
const TIME_TO_QUIT: Duration = Duration::from_secs(1);

fn ready(process: &Process, patience: &Patience) -> Result<(), Fault> {
    process.send("isready")?;
    let deadline = within(patience.start);
    process.wait_for(deadline, |line| (line == "readyok").then_some(()))
}

fn question(
    process: &Process,
    patience: &Patience,
    start: &Situation,
    moves: &[PlayerHouse],
) -> Answer {
    if moves.is_empty() {
        process.send("ucinewgame")?;
    }
    // This also drops late answers to earlier questions.
    ready(process, patience)?;
    process.send(position::write(start, moves))?;
    process.send(format!("go movetime {}", patience.movetime.as_millis()))?;
    let deadline = within(patience.movetime.saturating_add(patience.grace));
    process.wait_for(deadline, answer)?
}

/// The house that an engine answers, which may not be a legal move; or the fault that it is.
pub type Answer = Result<PlayerHouse, Fault>;

/// An answer that is not a legal move, or a missing answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// For people.
    pub what: String,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// A house that cannot be played.
    Illegal,
    /// `0000`, which wrongly says that the game is over.
    NoMove,
    /// A word that names no house.
    Nonsense,
    /// No answer in time.
    Timeout,
    /// The engine ended.
    Ended,
}

impl FaultKind {
    pub(crate) const ALL: [FaultKind; 5] = {
        use FaultKind::{Ended, Illegal, NoMove, Nonsense, Timeout};
        [Illegal, NoMove, Nonsense, Timeout, Ended]
    };
}

impl Fault {
    /// Creates a fault of a kind.
    pub fn new(kind: FaultKind, what: impl Into<String>) -> Fault {
        let what = what.into();
        Fault { kind, what }
    }

    pub(super) fn timeout() -> Fault {
        Fault::new(FaultKind::Timeout, "it was ended")
    }
}

/// Reads a line of an engine; returns `None` if it is not the answer to the question for a move.
pub fn answer(line: &str) -> Option<Answer> {
    let mut words = line.split_whitespace();
    words.next().filter(|&word| word == "bestmove")?;
    let word = words.next().unwrap_or_default();
    Some(word.parse().map_err(|_| match word {
        "0000" => Fault::new(FaultKind::NoMove, "the game is not over"),
        word => Fault::new(FaultKind::Nonsense, quote(word)),
    }))
}

/// The command that starts an engine: a program and its arguments.
///
/// It is split at white space; single or double quotes keep words together. No shell is involved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineCommand {
    /// A path, or the name of a command.
    pub(crate) program: String,
    /// The arguments.
    pub(crate) arguments: Vec<String>,
}

impl FromStr for EngineCommand {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineCommand, String> {
        let mut words = words(text)?.into_iter();
        match words.next() {
            Some(program) if !program.is_empty() => Ok(EngineCommand {
                program,
                arguments: words.collect(),
            }),
            _ => Err("it names no program".into()),
        }
    }
}

fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.map_or(Ok(words), |open| {
        Err(format!("a quote `{open}` has no end"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_quotes() {
        assert_eq!(words(" a  b\tc ").unwrap(), ["a", "b", "c"]);
        assert_eq!(words(r#"a'b c'd "" '"'"#).unwrap(), ["ab cd", "", "\""]);
        assert_eq!(words(r"C:\engines\my.exe").unwrap(), [r"C:\engines\my.exe"]);
        assert_eq!(words("").unwrap(), [""; 0]);
        assert_eq!(words("a 'b"), Err("a quote `'` has no end".into()));
    }
}
