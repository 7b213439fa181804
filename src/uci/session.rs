//! Answering as an engine.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use super::{lines, position};
use crate::player::{Choice, MAX_DEPTH, Player};
use crate::rules::Ruleset;
use crate::situation::Situation;
use crate::table::{Access, Cycles, TableError, TableOptions, Tables};

/// A session with a board or another program, for which we are an engine.
///
/// ```
/// use granero::uci::Session;
///
/// let mut answers = Vec::new();
/// let questions = "position startpos moves Ff\ngo depth 2\nquit\n";
/// Session::new("no/tables/here")?.run(questions.as_bytes(), &mut answers)?;
/// assert!(String::from_utf8_lossy(&answers).contains("bestmove "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Session {
    directory: PathBuf,
    access: Access,
    tables: Option<Tables>,
    situation: Situation,
}

/// How long to think when nothing is said about it.
const USUAL_TIME: Duration = Duration::from_secs(1);

impl Session {
    /// A session that uses the tables of a directory, if there are any.
    ///
    /// # Errors
    ///
    /// When there are tables that cannot be used.
    ///
    /// ```
    /// # use granero::uci::Session;
    /// assert!(Session::new("/nowhere").is_ok());
    /// ```
    pub fn new(directory: impl Into<PathBuf>) -> Result<Session, TableError> {
        Session::with_access(directory, Access::default())
    }

    /// The same with a choice of how files are read, which also holds for the tables that the
    /// option `Db` names later.
    ///
    /// # Errors
    ///
    /// As [`new`](Session::new).
    ///
    /// ```
    /// # use granero::{table::Access, uci::Session};
    /// assert!(Session::with_access("/nowhere", Access::Read).is_ok());
    /// ```
    pub fn with_access(
        directory: impl Into<PathBuf>,
        access: Access,
    ) -> Result<Session, TableError> {
        let directory = directory.into();
        let options = TableOptions::new().cycles(Cycles::Split).access(access);
        let tables = match options.open(&directory) {
            Err(TableError::NoTables { .. }) => None,
            tables => Some(tables?),
        };
        Ok(Session {
            directory,
            access,
            tables,
            situation: Situation::START,
        })
    }

    /// Answers all lines, up to `quit` or the end of the input.
    ///
    /// # Errors
    ///
    /// When an answer cannot be written.
    ///
    /// ```
    /// # use granero::uci::Session;
    /// let mut answers = Vec::new();
    /// Session::new("no/tables/here")?.run("isready\n".as_bytes(), &mut answers)?;
    /// assert_eq!(answers, b"readyok\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(
        &mut self,
        input: impl Read + Send + 'static,
        mut output: impl Write,
    ) -> io::Result<()> {
        let output = &mut output;
        let mut input = Input {
            lines: lines::of(input)?,
            kept: VecDeque::new(),
        };
        while let Some(line) = input.next() {
            let (command, rest) = match line.split_once(char::is_whitespace) {
                Some((command, rest)) => (command, rest.trim()),
                None => (line.as_str(), ""),
            };
            match command {
                "uci" => self.introduce(output)?,
                "isready" => writeln!(output, "readyok")?,
                "setoption" => self.set_option(rest, output)?,
                "position" => self.set_position(rest, output)?,
                "go" => self.go(&Go::parse(rest), &mut input, output)?,
                "quit" => break,
                // As UCI has it, what is not understood is ignored.
                _ => {}
            }
            output.flush()?;
        }
        Ok(())
    }

    fn rules(&self) -> Ruleset {
        self.tables
            .as_ref()
            .map_or(Ruleset::default(), Tables::rules)
    }

    fn introduce(&self, output: &mut impl Write) -> io::Result<()> {
        writeln!(output, "id name granero {}", env!("CARGO_PKG_VERSION"))?;
        writeln!(output, "id author the authors of granero")?;
        let directory = self.directory.display();
        writeln!(output, "option name Db type string default {directory}")?;
        self.tell_tables(output)?;
        writeln!(output, "uciok")
    }

    /// Tells people which tables there are.
    fn tell_tables(&self, output: &mut impl Write) -> io::Result<()> {
        let directory = self.directory.display();
        let rules = self.rules();
        match self.tables.as_ref().and_then(Tables::max_seeds) {
            Some(seeds) => writeln!(
                output,
                "info string rules {rules}, perfect up to {seeds} seeds by the tables in {directory}"
            ),
            None => writeln!(
                output,
                "info string rules {rules}, no tables in {directory}: only a search; \
                 `granero build --db {directory}` makes some"
            ),
        }
    }

    /// `name Db value DIRECTORY`; whatever other options there may be make no difference.
    fn set_option(&mut self, text: &str, output: &mut impl Write) -> io::Result<()> {
        let Some((name, value)) = text.split_once(" value ") else {
            return Ok(());
        };
        if !name.trim().eq_ignore_ascii_case("name Db") {
            return Ok(());
        }
        match Session::with_access(Path::new(value.trim()), self.access) {
            Ok(session) => {
                *self = session;
                self.tell_tables(output)
            }
            Err(error) => writeln!(output, "info string {error}"),
        }
    }

    /// A position that cannot be is ignored, as the dialect has it: the last one stays.
    fn set_position(&mut self, text: &str, output: &mut impl Write) -> io::Result<()> {
        let game = match position::parse(text) {
            Ok(game) => game,
            Err(error) => return writeln!(output, "info string position ignored: {error}"),
        };
        match game.replay(self.rules()) {
            Ok(plies) => {
                self.situation = plies.last().map_or(game.start, |last| last.after);
                Ok(())
            }
            Err(error) => writeln!(output, "info string position ignored: {error}"),
        }
    }

    fn go(&self, go: &Go, input: &mut Input, output: &mut impl Write) -> io::Result<()> {
        let deadline = go.time.and_then(|time| Instant::now().checked_add(time));
        let mut heard = Ok(Heard::Nothing);
        let mut stop = || {
            if let Ok(Heard::Nothing) = heard {
                heard = input.meanwhile(output);
            }
            let told = match heard {
                Ok(Heard::Nothing) => false,
                Ok(Heard::End) => go.infinite,
                Ok(Heard::Stop) | Err(_) => true,
            };
            told || deadline.is_some_and(|deadline| Instant::now() >= deadline)
        };
        let (choice, trouble) = self.choose(go.depth, &mut stop);
        while go.infinite && !stop() {
            thread::sleep(Duration::from_millis(2));
        }
        heard?;
        if let Some(error) = trouble {
            writeln!(output, "info string {error}")?;
        }
        match choice {
            Some(choice) => self.answer(&choice, output),
            None => writeln!(output, "bestmove 0000"),
        }
    }

    /// Chooses a move; with damaged tables, which are no reason to lose the game, without
    /// them.
    fn choose(
        &self,
        depth: u8,
        stop: &mut dyn FnMut() -> bool,
    ) -> (Option<Choice>, Option<TableError>) {
        let position = self.situation.position();
        let tables = self.tables.as_ref().map(Player::new);
        let trouble = match tables.map(|player| player.choose(&position, depth, &mut *stop)) {
            Some(Ok(choice)) => return (choice, None),
            Some(Err(error)) => Some(error),
            None => None,
        };
        let player = Player::without_tables(self.rules());
        // Without tables nothing can fail.
        let choice = player.choose(&position, depth, stop).unwrap_or(None);
        (choice, trouble)
    }

    fn answer(&self, choice: &Choice, output: &mut impl Write) -> io::Result<()> {
        let side = self.situation.to_move();
        let store = |side| i32::from(self.situation.store(side));
        let ahead = store(side) - store(side.other()) + i32::from(choice.value.seeds());
        let house = choice.play.house.letter(side);
        writeln!(
            output,
            "info depth {} score cp {} pv {house}",
            choice.depth,
            ahead * 100,
        )?;
        writeln!(output, "bestmove {house}")
    }
}

/// How far to look, and for how long.
struct Go {
    depth: u8,
    time: Option<Duration>,
    /// Whether the answer has to wait until it is asked for.
    infinite: bool,
}

impl Go {
    /// Reads what stands behind the word `go`. Where it is nothing that we understand, as
    /// with the clocks of a game, the time is the usual one.
    fn parse(text: &str) -> Go {
        let number = |name| -> Option<u64> {
            let mut words = text.split_whitespace().skip_while(|&word| word != name);
            words.nth(1)?.parse().ok()
        };
        let depth = number("depth").map(|depth| depth.min(MAX_DEPTH.into()) as u8);
        let time = number("movetime").map(Duration::from_millis);
        let infinite = text.split_whitespace().any(|word| word == "infinite");
        Go {
            depth: depth.unwrap_or(MAX_DEPTH),
            time: match (depth, time) {
                (None, None) if !infinite => Some(USUAL_TIME),
                _ => time,
            },
            infinite,
        }
    }
}

/// The lines of the input, some of which were read while a search went on.
struct Input {
    lines: Receiver<String>,
    kept: VecDeque<String>,
}

/// How many lines are kept at most until a search is done.
const MOST_KEPT: usize = 1000;

/// What was heard during a search.
#[derive(Clone, Copy)]
enum Heard {
    Nothing,
    /// It is to stop.
    Stop,
    /// Nobody will say anything any more.
    End,
}

impl Input {
    fn next(&mut self) -> Option<String> {
        self.kept.pop_front().or_else(|| self.lines.recv().ok())
    }

    /// Listens during a search. Whoever asks whether we are ready wants to know it now;
    /// what is not about this search is kept for later.
    fn meanwhile(&mut self, output: &mut impl Write) -> io::Result<Heard> {
        while self.kept.len() < MOST_KEPT {
            let line = match self.lines.try_recv() {
                Ok(line) => line,
                Err(TryRecvError::Empty) => return Ok(Heard::Nothing),
                Err(TryRecvError::Disconnected) => return Ok(Heard::End),
            };
            // A script may have said everything at once.
            let about_this = !self.kept.iter().any(|kept| kept.starts_with("go"));
            match line.as_str() {
                "isready" => {
                    writeln!(output, "readyok")?;
                    output.flush()?;
                }
                "stop" if about_this => return Ok(Heard::Stop),
                "quit" if about_this => {
                    self.kept.push_back(line);
                    return Ok(Heard::Stop);
                }
                _ => self.kept.push_back(line),
            }
        }
        // Nobody waits for a search who has so much else to say.
        Ok(Heard::Stop)
    }
}
