//! Answers as an engine.

mod go;
mod thinking;

use std::io::{self, Read, Write};
use std::path::PathBuf;

use super::position;
use go::Go;
use granero::player::{Choice, Player};
use granero::prove::{Budget, Prover};
use granero::{Access, Clamped, Cycles, Ruleset, Situation, TableError, TableOptions, Tables};
use granero_answer::with_causes;
use granero_console::hint;
use thinking::{Input, Thinking};

/// The most seeds of layers that are decoded at the start and kept in memory, 50 MB up to there: a search looks up
/// hundreds of thousands of positions a second.
const IN_MEMORY: u8 = 17;

/// A session as an engine for a board or another program.
#[derive(Debug)]
pub struct Session {
    directory: PathBuf,
    access: Access,
    /// The number of threads that search for proofs.
    threads: usize,
    tables: Option<Tables>,
    situation: Situation,
}

impl Session {
    /// Starts a session that uses the tables of a directory, if there are any.
    ///
    /// # Errors
    ///
    /// When there are tables that cannot be used.
    pub fn open(directory: impl Into<PathBuf>, access: Access) -> Result<Session, TableError> {
        let directory = directory.into();
        let options = TableOptions::new().cycles(Cycles::Split).access(access);
        let tables = options.open(&directory);
        Session::with_tables(directory, access, tables)
    }

    /// Starts a session with the tables that were opened, if there are any; `access` is for those that the option `Db`
    /// names later.
    pub(crate) fn with_tables(
        directory: impl Into<PathBuf>,
        access: Access,
        opened: Result<Tables, TableError>,
    ) -> Result<Session, TableError> {
        let mut tables = match opened {
            Err(TableError::NoTables { .. }) => None,
            opened => Some(opened?),
        };
        if let Some(tables) = &mut tables {
            // If one of the layers is damaged or memory is short, none is kept: look-ups then read the files, and
            // tell of the damage where they meet it.
            let _ = tables.keep_in_memory(IN_MEMORY);
        }
        Ok(Session {
            directory: directory.into(),
            access,
            threads: 1,
            tables,
            situation: Situation::START,
        })
    }

    /// Answers all lines, up to `quit` or the end of the input.
    ///
    /// # Errors
    ///
    /// When an answer cannot be written.
    pub fn run(
        &mut self,
        input: impl Read + Send + 'static,
        mut output: impl Write,
    ) -> io::Result<()> {
        let output = &mut output;
        let mut input = Input::new(input)?;
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
                "go" => self.go(rest, &mut input, output)?,
                "quit" => break,
                // As in UCI, unknown commands are ignored.
                _ => {}
            }
            output.flush()?;
        }
        Ok(())
    }

    fn rules(&self) -> Ruleset {
        let tables = self.tables.as_ref();
        tables.map_or(Ruleset::default(), Tables::rules)
    }

    fn introduce(&self, output: &mut impl Write) -> io::Result<()> {
        writeln!(output, "id name granero {}", env!("CARGO_PKG_VERSION"))?;
        writeln!(output, "id author the authors of granero")?;
        let directory = self.directory.display();
        writeln!(output, "option name Db type string default {directory}")?;
        let threads = format!("default 1 min 1 max {}", Prover::MOST_THREADS);
        writeln!(output, "option name Threads type spin {threads}")?;
        self.tell_tables(output)?;
        writeln!(output, "uciok")
    }

    /// Names the tables that are used.
    fn tell_tables(&self, output: &mut impl Write) -> io::Result<()> {
        let rules = self.rules();
        let tables = self.tables.as_ref();
        let directory = if tables.is_some_and(|tables| tables.directory().is_none()) {
            "this program".into()
        } else {
            self.directory.display().to_string()
        };
        match tables.and_then(Tables::max_seeds) {
            Some(seeds) => writeln!(
                output,
                "info string rules {rules}, perfect up to {seeds} seeds by the tables in {directory}"
            ),
            None => writeln!(
                output,
                "info string rules {rules}, no tables in {directory}: only a search; \
                 `granero build{}` makes some",
                hint::db_option(&self.directory)
            ),
        }
    }

    /// Obeys `name Db value DIRECTORY` and `name Threads value N`; other options have no effect.
    fn set_option(&mut self, text: &str, output: &mut impl Write) -> io::Result<()> {
        let Some((name, value)) = text.split_once(" value ") else {
            return Ok(());
        };
        let (name, value) = (name.trim(), value.trim());
        let most = Prover::MOST_THREADS;
        if name.eq_ignore_ascii_case("name Threads") {
            match value.parse() {
                Ok(threads) if (1..=most).contains(&threads) => self.threads = threads,
                _ => writeln!(
                    output,
                    "info string Threads ignored: not a number from 1 to {most}"
                )?,
            }
        }
        if !name.eq_ignore_ascii_case("name Db") {
            return Ok(());
        }
        match Session::open(value, self.access) {
            Ok(session) => {
                let threads = self.threads;
                *self = Session { threads, ..session };
                self.tell_tables(output)
            }
            Err(error) => writeln!(output, "info string {}", with_causes(&error)),
        }
    }

    /// Sets the position. An impossible one is ignored, as in the dialect, and the last one stays.
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

    fn go(&self, text: &str, input: &mut Input, output: &mut impl Write) -> io::Result<()> {
        let (go, ignored) = Go::parse(text, self.situation.to_move());
        for name in ignored {
            writeln!(
                output,
                "info string go: `{name}` ignored, a number must follow it"
            )?;
        }
        let mut thinking = Thinking::begin(&go, input, output);
        let (choice, trouble) = self.choose(&go, &mut || thinking.must_end());
        thinking.wait()?;
        if let Some(error) = trouble {
            writeln!(output, "info string {}", with_causes(&error))?;
        }
        match choice {
            Some(choice) => self.answer(&choice, output),
            None => writeln!(output, "bestmove 0000"),
        }
    }

    /// Chooses a move; without the tables if they are damaged, so that this does not lose the game.
    fn choose(
        &self,
        go: &Go,
        stop: &mut dyn FnMut() -> bool,
    ) -> (Option<Choice>, Option<TableError>) {
        let position = self.situation.position();
        let depth = go.depth;
        let tables = self.tables.as_ref().map(|tables| {
            let player = Player::new(tables).threads(self.threads);
            match go.time_for_proofs() {
                Some(time) => player.proving(Budget::time(time)),
                None => player,
            }
        });
        let trouble = match tables.map(|player| player.choose(&position, depth, &mut *stop)) {
            Some(Ok(choice)) => return (choice, None),
            Some(Err(error)) => Some(error),
            None => None,
        };
        let player = Player::without_tables(self.rules());
        // Cannot fail without tables.
        let choice = player.choose(&position, depth, stop).unwrap_or(None);
        (choice, trouble)
    }

    fn answer(&self, choice: &Choice, output: &mut impl Write) -> io::Result<()> {
        let side = self.situation.to_move();
        let store = |side| i32::from(self.situation.store(side));
        let ahead = store(side) - store(side.other()) + i32::from(choice.value.seeds());
        let house = choice.play.house.letter(side);
        // A value that deciding tables have cut off is not exact.
        let bound = match choice.clamped {
            None | Some(Clamped::Exactly(_)) => "",
            Some(Clamped::AtLeast(_)) => " lowerbound",
            Some(Clamped::AtMost(_)) => " upperbound",
        };
        writeln!(
            output,
            "info depth {} score cp {}{bound} pv {house}",
            choice.depth,
            ahead * 100,
        )?;
        writeln!(output, "bestmove {house}")
    }
}
