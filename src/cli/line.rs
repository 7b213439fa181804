//! `granero line`: the best line from a position.

use std::path::Path;
use std::time::{Duration, Instant};

use granero::line::{Line, LineEnd};
use granero::notation::{PositionText, aalina, board, ogn};
use granero::table::Tables;
use granero::{Game, Ply, Position, ReplayError, Side, Situation, solver};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::db::Db;
use super::failure::Failure;
use super::style::{self, paint};
use super::{options, position_arg, query};

/// Show the best line from a position, to the end of the game or into a cycle
///
/// Both players play best moves. Of several best moves whoever wins chooses the one that comes
/// soonest to a capture or the end, whoever loses the one that puts it off longest.
#[derive(Debug, clap::Args)]
#[command(after_help = position_arg::notations_and("\
Examples:
  granero line 1 1 0 2 4 0 1 1 1 0 0 0
  granero line 0-0-0-0-0-5-1-0-0-0-0-0-20-22-N
  granero line \"0 0 0 1 1 1 / 1 1 0 2 4 0\" --format ogn > line.ogn"))]
pub(super) struct Args {
    #[arg(required = true, allow_negative_numbers = true, help = position_arg::HELP)]
    position: Vec<String>,

    #[command(flatten)]
    db: Db,

    /// How to write the line; if the position is written without stores, a game needs some, and
    /// the seeds that are not on the board are shared
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "json")]
    format: Format,

    /// Print JSON, see docs/cli.md
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// A table with the running score
    Text,
    /// The position and its moves as one game in Aalina's notation
    Moves,
    /// A game record in OGN
    Ogn,
}

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let text = position_arg::parse(&args.position)?;
    let tables = args.db.open()?;
    let mut watch = Looking::default();
    let line = Line::best_within(&tables, &text.position(), Line::LIMIT, &mut |positions| {
        watch.tell(positions);
    });
    watch.end();
    let line = line?.ok_or_else(|| out_of_reach(&tables, &text.position(), args.db.path()))?;
    let answer = Answer::new(&tables, &text, line)?;
    if args.json {
        return super::json(&answer.json());
    }
    match args.format {
        Format::Text => Ok(answer.describe()),
        Format::Moves => Ok(aalina::write_game(&answer.game) + "\n"),
        Format::Ogn => Ok(answer.ogn()?),
    }
}

fn out_of_reach(tables: &Tables, position: &Position, db: &Path) -> Failure {
    let seeds = position.seeds();
    let rules = tables.rules();
    Failure::Data {
        message: format!("here are {seeds} seeds, and {}", query::reach(tables)),
        help: if seeds <= solver::MAX_SEEDS {
            let db = db.display();
            format!("`granero build --seeds {seeds} --rules {rules} --db {db}` goes so far")
        } else {
            format!(
                "tables can be built for up to {} seeds: `granero build --help`",
                solver::MAX_SEEDS
            )
        },
    }
}

/// Shows how many positions are looked at, if that takes a while.
struct Looking {
    begin: Instant,
    shown: Option<ProgressBar>,
}

impl Looking {
    const PATIENCE: Duration = Duration::from_secs(1);

    fn tell(&mut self, positions: usize) {
        if self.shown.is_none() && self.begin.elapsed() > Looking::PATIENCE {
            let style = ProgressStyle::with_template("{spinner} {human_pos} positions looked at");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
            self.shown = Some(ProgressBar::no_length().with_style(style));
        }
        if let Some(bar) = &self.shown {
            bar.set_position(positions as u64);
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

impl Default for Looking {
    fn default() -> Looking {
        Looking {
            begin: Instant::now(),
            shown: None,
        }
    }
}

/// A best line and the game that it makes.
pub(super) struct Answer<'a> {
    tables: &'a Tables,
    text: &'a PositionText,
    line: Line,
    game: Game,
    plies: Vec<Ply>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(
        tables: &'a Tables,
        text: &'a PositionText,
        line: Line,
    ) -> Result<Self, ReplayError> {
        let start = text
            .situation()
            .unwrap_or_else(|| Situation::open(text.position()));
        let game = line.game(start);
        let plies = game.replay(tables.rules())?;
        Ok(Answer {
            tables,
            text,
            line,
            game,
            plies,
        })
    }

    /// The situation after the last move.
    fn last(&self) -> Situation {
        self.plies.last().map_or(self.game.start, |ply| ply.after)
    }

    /// What a side has captured: in the whole game if the stores were written, else of the
    /// seeds of the position.
    fn captured(&self, situation: &Situation, side: Side) -> u8 {
        let before = match self.text {
            PositionText::Full(_) => 0,
            PositionText::Bare(_) => self.game.start.store(side),
        };
        situation.store(side) - before
    }

    /// What a side takes from the board when the game is over.
    fn taken(&self, side: Side) -> u8 {
        let last = self.last();
        match self.line.end {
            LineEnd::Over(_) if last.to_move() == side => last.position().own_seeds(),
            LineEnd::Over(_) => last.position().opponents_seeds(),
            _ => 0,
        }
    }

    fn score(&self) -> ScoreJson {
        let last = self.last();
        let of = |side| self.captured(&last, side) + self.taken(side);
        let left = match self.line.end {
            LineEnd::Over(_) => 0,
            _ => last.position().seeds(),
        };
        ScoreJson {
            south: of(Side::South),
            north: of(Side::North),
            left,
        }
    }

    fn describe(&self) -> String {
        let position = self.text.position();
        let side = self.game.start.to_move();
        let mut output = String::new();
        for line in board::write(&position, side).lines() {
            output += &format!("  {line}\n");
        }
        let (rules, cycles) = (self.tables.rules(), self.tables.cycles());
        let value = paint(style::HEADING, format_args!("Value {}", self.line.value));
        output += &format!("\nRules {rules}, endless play by {cycles}; {side} to move.\n");
        output += &format!("{value} for {side}.\n");
        if !self.plies.is_empty() {
            output += &self.table();
        }
        output.push('\n');
        output + &self.ending() + &self.result()
    }

    fn table(&self) -> String {
        let heading = "\nmove     captures  South  North  on the board";
        let mut output = paint(style::HEADING, heading) + "\n";
        for (number, ply) in (1..).zip(&self.plies) {
            let house = ply.play.house.letter(ply.before.to_move());
            let captures = match ply.play.captured {
                0 => format!("{:8}", 0),
                captured => paint(style::GAIN, format_args!("{captured:8}")),
            };
            output += &format!(
                "{number:3}. {house}   {captures}  {:5}  {:5}  {:12}\n",
                self.captured(&ply.after, Side::South),
                self.captured(&ply.after, Side::North),
                ply.after.position().seeds(),
            );
        }
        output
    }

    fn ending(&self) -> String {
        match self.line.end {
            LineEnd::Over(over) => {
                let [south, north] = [Side::South, Side::North].map(|side| self.taken(side));
                let takes = match (south, north) {
                    (0, 0) => String::new(),
                    (0, _) => format!(" North takes {north}."),
                    (_, 0) => format!(" South takes {south}."),
                    _ => format!(" South takes {south}, North {north}."),
                };
                format!("The game is over: {}.{takes}\n", over.reason)
            }
            LineEnd::GrandSlam => {
                let conceded = self.plies.last().map_or(0, |ply| ply.play.conceded);
                let to = self.last().to_move();
                format!("The grand slam ends the game; {conceded} go to {to}.\n")
            }
            LineEnd::Cycle { .. } => format!("{}\n", self.cycle().unwrap_or_default()),
            LineEnd::Unexplored => format!(
                "The line goes on, but to find how, more than {} positions had to be kept.\n",
                options::grouped(Line::LIMIT as u64)
            ),
        }
    }

    /// The cycle that the line runs into, in words.
    fn cycle(&self) -> Option<String> {
        let LineEnd::Cycle { from } = self.line.end else {
            return None;
        };
        let seeds = self.score().left;
        Some(format!(
            "Endless play: after move {} the position before move {} is back. \
             The {seeds} seeds on the board are shared equally.",
            self.plies.len(),
            from + 1,
        ))
    }

    fn result(&self) -> String {
        if self.line.end == LineEnd::Unexplored {
            return String::new();
        }
        let score = self.score();
        let [south, north] =
            [score.south, score.north].map(|seeds| f64::from(seeds) + f64::from(score.left) / 2.0);
        let result = match self.text {
            PositionText::Bare(position) => {
                let seeds = position.seeds();
                format!("Of the {seeds} seeds South gets {south} and North {north}.")
            }
            PositionText::Full(_) if south > north => format!("South wins, {south} to {north}."),
            PositionText::Full(_) if north > south => format!("North wins, {north} to {south}."),
            PositionText::Full(_) => format!("A draw, {south} to {north}."),
        };
        paint(style::HEADING, result) + "\n"
    }

    fn ogn(&self) -> Result<String, ReplayError> {
        let mut game = self.game.clone();
        match (self.text, self.line.end) {
            (PositionText::Full(_), LineEnd::Over(_) | LineEnd::GrandSlam) => {
                let score = self.score();
                let result = format!("{}-{}", score.south, score.north);
                game.tags.push(("Result".into(), result));
            }
            _ => {
                if let Some(last) = game.moves.last_mut() {
                    last.comment = self.cycle();
                }
            }
        }
        ogn::write(&game, self.tables.rules())
    }

    pub(super) fn json(&self) -> Document {
        let moves = self.plies.iter().map(|ply| MoveJson {
            r#move: ply.play.house.letter(ply.before.to_move()),
            captured: ply.play.captured,
            conceded: ply.play.ends_game.then_some(ply.play.conceded),
            position: ply.play.position.houses(),
            south: self.captured(&ply.after, Side::South),
            north: self.captured(&ply.after, Side::North),
        });
        let (reason, from) = match self.line.end {
            LineEnd::Over(over) => (over.reason.name(), None),
            LineEnd::GrandSlam => ("grand-slam", None),
            LineEnd::Cycle { from } => ("cycle", Some(from)),
            LineEnd::Unexplored => ("unexplored", None),
        };
        Document {
            rules: self.tables.rules().name(),
            cycles: self.tables.cycles().name(),
            position: self.text.position().houses(),
            seeds: self.text.position().seeds(),
            value: self.line.value.seeds(),
            game: aalina::write_game(&self.game),
            moves: moves.collect(),
            end: EndJson { reason, from },
            score: self.score(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Document {
    rules: &'static str,
    cycles: &'static str,
    position: [u8; 12],
    seeds: u8,
    value: i8,
    game: String,
    moves: Vec<MoveJson>,
    end: EndJson,
    score: ScoreJson,
}

#[derive(Serialize)]
struct MoveJson {
    r#move: char,
    captured: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    conceded: Option<u8>,
    position: [u8; 12],
    south: u8,
    north: u8,
}

#[derive(Serialize)]
struct EndJson {
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<usize>,
}

#[derive(Serialize)]
struct ScoreJson {
    south: u8,
    north: u8,
    /// Seeds left on the board.
    left: u8,
}
