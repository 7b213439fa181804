//! A game in progress: its moves, the commands of the player, and how it is shown.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use granero::notation::{board as houses, ogn, visible};
use granero::player::{Difficulty, Player};
use granero::prove::Budget;
use granero::{
    AssessedMove, Assessment, FinalScore, Game, House, Move, PlayedMove, PlayerHouse, Ruleset,
    Side, Situation, Tables, Turn, Value, judge,
};

use super::Args;
use crate::output::print;
use crate::output::text::indented;
use crate::system::whole_file::write_whole;
use crate::uci::lines;
use crate::verb;
use granero_answer::{capitalised, counted};
use granero_console::Failure;

/// A game in progress.
pub(super) struct Session<'a> {
    pub(super) args: &'a Args,
    pub(super) rules: Ruleset,
    /// The tables, if they have these rules.
    pub(super) tables: Option<&'a Tables>,
    /// The side of the person who plays.
    pub(super) side: Side,
    pub(super) seed: u64,
    /// The game so far, which is legal. On Ctrl-C, another thread prints it.
    pub(super) game: Arc<Mutex<Game>>,
}

pub(super) fn record(game: &Mutex<Game>, rules: Ruleset) -> String {
    ogn::write(&locked(game), rules, ogn::Dialect::Ogn).unwrap_or_default()
}

fn locked(game: &Mutex<Game>) -> MutexGuard<'_, Game> {
    game.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads a move; an error is a message for the player.
pub(super) fn read(
    rules: Ruleset,
    now: &Situation,
    side: Side,
    line: &str,
) -> Result<Move, String> {
    let mut houses = House::ALL.into_iter();
    let is_named = |house: &House| line.eq_ignore_ascii_case(&house.letter(side).to_string());
    let Some(house) = houses.find(is_named) else {
        let [first, last] = ['A', 'F'].map(|letter| match side {
            Side::South => letter,
            Side::North => letter.to_ascii_lowercase(),
        });
        let shown: String = visible(line).chars().take(40).collect();
        return Err(format!(
            "\"{shown}\" is not a move: type a letter from {first} to {last}, or `help`.\n"
        ));
    };
    let play = rules.play(&now.position(), house);
    play.map_err(|illegal| {
        let letter = house.letter(side);
        format!("{letter} is not legal: {}.\n", illegal.refusal)
    })
}

/// Prints a line of the input, unless a terminal has shown it.
pub(super) fn echo(line: &str) -> Result<(), Failure> {
    if io::stdin().is_terminal() {
        return Ok(());
    }
    print(&(visible(line) + "\n"))
}

/// The number of times that a position occurs before endless play ends.
const REPETITIONS: usize = 3;

impl Session<'_> {
    /// Plays to the end of the game or of the input, and returns the verdict with the record.
    pub(super) fn play(&self) -> Result<String, Failure> {
        // A file that cannot be written is found before the first move.
        self.write()?;
        let (level, seeds) = (self.args.level, self.tables.and_then(Tables::max_seeds));
        let reach = match seeds {
            Some(seeds) if level >= 7 => format!(", tables up to {seeds} seeds"),
            _ => String::new(),
        };
        print(&format!(
            "You are {}; granero plays {} at level {level}.\n\
             Rules {}{reach}.\n\
             Type the letter of a house to sow it, or `help`.\n",
            self.side,
            self.side.other(),
            self.rules,
        ))?;
        let lines = lines::of(io::stdin()).map_err(Failure::output)?;
        loop {
            let (now, times) = self.now();
            let end = match self.rules.turn(&now.position()) {
                Turn::Over(over) => Some((over.reason.to_string(), over.value)),
                Turn::Play(_) if times >= REPETITIONS => Some((REPEATED.to_string(), Value::ZERO)),
                Turn::Play(_) => None,
            };
            if let Some((reason, value)) = end {
                let score = FinalScore::new(&now, value);
                self.finish(&score);
                print(&board(&now, self.side))?;
                // A reason can be longer than a line of a terminal.
                let reason = capitalised(&reason).replace(", so ", ",\nso ");
                let score = capitalised(&score.to_string());
                print(&format!("The game is over. {reason}.\n{score}.\n"))?;
                break;
            }
            if now.to_move() != self.side {
                let play = self.choose(&now)?;
                let letter = play.house.letter(now.to_move());
                let captured = captured(&play).unwrap_or("\n".into());
                print(&format!("granero plays {letter}.{captured}"))?;
                self.make(&play)?;
                continue;
            }
            print(&board(&now, self.side))?;
            // A wrong command leaves the position as it is.
            let play = loop {
                print(&format!("{}, your move: ", self.side))?;
                let Ok(line) = lines.recv() else {
                    print("\n")?;
                    return self.verdict();
                };
                echo(&line)?;
                match line.to_ascii_lowercase().as_str() {
                    "quit" | "exit" => return self.verdict(),
                    "help" | "?" => print(HELP)?,
                    "record" => print(&record(&self.game, self.rules))?,
                    "board" => break None,
                    "hint" => print(&self.hint(&now)?)?,
                    "back" if self.take_back()? => break None,
                    "back" => print("There is no move of yours to take back.\n")?,
                    _ => match read(self.rules, &now, self.side, &line) {
                        Ok(play) => break Some(play),
                        Err(message) => print(&message)?,
                    },
                }
            };
            if let Some(play) = play {
                print(captured(&play).unwrap_or_default().trim_start())?;
                self.make(&play)?;
            }
        }
        self.verdict()
    }

    /// Returns the situation, and the number of times that it has occurred.
    fn now(&self) -> (Situation, usize) {
        let game = locked(&self.game);
        let plies = game.replay(self.rules).unwrap_or_default();
        let now = plies.last().map_or(game.start, |last| last.after);
        let earlier = plies.iter().filter(|ply| ply.before == now).count();
        (now, earlier + 1)
    }

    fn make(&self, play: &Move) -> Result<(), Failure> {
        let (now, _) = self.now();
        let sown = PlayerHouse {
            side: now.to_move(),
            house: play.house,
        };
        self.change(|game| game.moves.push(PlayedMove::from(sown)))
    }

    /// Takes back the moves since the player's last one; returns false if there is none.
    fn take_back(&self) -> Result<bool, Failure> {
        let is_own = |played: &PlayedMove| played.sown.side == self.side;
        let Some(last) = locked(&self.game).moves.iter().rposition(is_own) else {
            return Ok(false);
        };
        self.change(|game| game.moves.truncate(last))?;
        Ok(true)
    }

    /// Changes the game, and writes its file.
    fn change(&self, change: impl FnOnce(&mut Game)) -> Result<(), Failure> {
        change(&mut locked(&self.game));
        self.write()
    }

    fn write(&self) -> Result<(), Failure> {
        let Some(file) = &self.args.record else {
            return Ok(());
        };
        let record = record(&self.game, self.rules);
        write_whole(file, |file| file.write_all(record.as_bytes()))
    }

    /// Records the result of the game.
    fn finish(&self, score: &FinalScore) {
        let seeds = [Side::South, Side::North].map(|side| score.seeds(side));
        let result = match score.winner() {
            _ if seeds[0].fract() == 0.0 => format!("{}-{}", seeds[0], seeds[1]),
            Some(Side::South) => "1-0".into(),
            Some(Side::North) => "0-1".into(),
            None => "1/2-1/2".into(),
        };
        let mut game = locked(&self.game);
        game.tags.retain(|(name, _)| name != "Result");
        game.tags.push(("Result".into(), result));
    }

    /// Returns granero at its strongest.
    fn strongest(&self) -> Player<'_> {
        match self.tables {
            None => Player::without_tables(self.rules),
            Some(tables) => Player::new(tables)
                .proving(Budget::time(self.args.time / 2))
                .hardest(),
        }
    }

    /// Chooses granero's move.
    fn choose(&self, now: &Situation) -> Result<Move, Failure> {
        let begun = Instant::now();
        let moves = locked(&self.game).moves.len() as u64;
        let luck = self.seed.wrapping_add(moves);
        let stop = || begun.elapsed() >= self.args.time;
        let player = self.strongest();
        let play = player.choose_at_level(self.args.level, &now.position(), luck, stop)?;
        Ok(play.expect("a move, as the game is not over"))
    }

    /// Says which move is best, as far as granero knows.
    fn hint(&self, now: &Situation) -> Result<String, Failure> {
        let position = now.position();
        if let Some(tables) = self.tables {
            let assessment = tables.assess(&position)?;
            if assessment.clamped.is_some() {
                let difficulty = Difficulty::of(tables, &position)?;
                return Ok(assessed(&assessment, self.side, difficulty));
            }
        }
        let begun = Instant::now();
        let stop = || begun.elapsed() >= self.args.time;
        let choice = self
            .strongest()
            .choose(&position, granero::player::MAX_DEPTH, stop)?;
        let choice = choice.expect("a move, as the game is not over");
        let letter = choice.play.house.letter(self.side);
        Ok(if choice.exact {
            format!("Best, by a proof: {letter} {}.\n", choice.value)
        } else {
            format!("A search prefers {letter}; nothing is proven here.\n")
        })
    }

    /// Judges the game, and returns this with the record.
    fn verdict(&self) -> Result<String, Failure> {
        self.write()?;
        let game = locked(&self.game);
        let mut output = "\n".to_string();
        match self.tables {
            _ if game.moves.is_empty() => {}
            Some(tables) => output += &(verb::judge::describe(tables, game.clone())? + "\n"),
            None => {
                output += &format!(
                    "Not judged: the tables do not have the rules {}.\n\n",
                    self.rules
                )
            }
        }
        drop(game);
        output += &record(&self.game, self.rules);
        if let Some(file) = &self.args.record {
            output += &format!("\nThe record is in {}.\n", file.display());
        }
        Ok(output)
    }
}

pub(super) const HELP: &str = "\
A to F   sow this house; for North a to f, in either case
hint     show the best move, as far as granero knows it
back     take back your last move and the answer to it
board    show the board again
record   show the record of the game
quit     end with the verdict and the record, as the end of the input does
";

pub(super) const REPEATED: &str =
    "the position occurred three times, so the seeds on the board are shared";

/// Formats the board with both stores, as seen from a side.
pub(super) fn board(now: &Situation, below: Side) -> String {
    let store = |side| format!("{side} has {}\n", now.store(side));
    let [above, own] = [below.other(), below].map(store);
    let mut output = format!("\n{above}{}{own}", position(now, below));
    if let Some(side) = judge::decided(now) {
        output += &format!("{side} has more than half of all seeds; `quit` ends the game.\n");
    }
    output + "\n"
}

/// Formats the houses, as seen from a side.
pub(super) fn position(now: &Situation, below: Side) -> String {
    let position = if now.to_move() == below {
        now.position()
    } else {
        now.position().turned()
    };
    format!("\n{}\n", indented(&houses::write(&position, below)))
}

pub(super) fn captured(play: &Move) -> Option<String> {
    let seeds = Some(play.captured).filter(|&seeds| seeds > 0)?;
    Some(format!(" Captured: {}.\n", counted(seeds.into(), "seed")))
}

/// Says what the tables know of the moves.
pub(super) fn assessed(
    assessment: &Assessment,
    side: Side,
    difficulty: Option<Difficulty>,
) -> String {
    let value = |assessed: &AssessedMove| {
        let letter = assessed.play.house.letter(side);
        let value = assessed.clamped.map(|clamped| format!(" {clamped}"));
        format!("{letter}{}", value.unwrap_or_default())
    };
    let moves = assessment.moves.iter();
    let (best, others): (Vec<_>, Vec<_>) = moves.partition(|assessed| assessed.best);
    let list = |moves: Vec<_>| moves.into_iter().map(value).collect::<Vec<_>>().join(", ");
    let mut output = format!("Best: {}.", list(best));
    if !others.is_empty() {
        output += &format!(" Wrong: {}.", list(others));
    }
    if difficulty.is_some_and(|difficulty| difficulty.is_easy_to_miss()) {
        output += " Easy to miss.";
    }
    output + "\n"
}
