//! `granero judge`: what the moves of a recorded game were worth.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use granero::judge::{BeyondMove, BeyondSummary, JudgedMove, Judgement, PlayerSummary};
use granero::notation;
use granero::prove::Proof;
use granero::{Cycles, Game, Position, Ruleset, Side, TableError, Tables};
use rayon::prelude::*;

use crate::answer::{Proven, Range, at_least, at_most, reach};
use crate::db::{Db, LookUp, Opened};
use crate::document::JudgeDocument;
use crate::failure::Failure;
use crate::interruption::{self, Work};
use crate::meter::Meter;
use crate::options::{self, counted, grouped};
use crate::proving::{Proving, Search};
use crate::style::{self, paint};

/// Judge the moves of a recorded game: what was best, and what was given away
///
/// Compares every move within reach of the tables with the best ones. A game is a record in OGN,
/// or moves in letters, after their first position in Aalina's notation if that is not the start
/// of the game. If a move is not legal, or the wrong player moves, the game is judged up to
/// there, and the exit code is 2. A file may have several games, one after the other. A game has at
/// most 10,000 moves, and its file 1 MiB.
///
/// With endless play by own-side, a move is wrong if it gives away part of what was guaranteed,
/// or if it gives up what was still possible beyond that.
///
/// Beyond the tables, moves are judged as far as it is proven: "at least 3" are seeds that a move
/// certainly gave away. The search takes a second for each position, or what --prove says.
/// Ctrl-C ends it: the game is judged by what is proven so far, and the exit code is 130.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero judge game.ogn
  echo 0-0-0-0-0-5-1-0-0-0-0-0-20-22-N aF | granero judge -
  granero line 1 1 0 2 4 0 1 1 1 0 0 0 --format ogn | granero judge -
  granero judge game.ogn --db granero-db --json
  granero judge game.ogn --prove 10s
  granero judge game.ogn --prove off")]
pub(crate) struct Args {
    /// The file with the game, or - for the standard input
    file: PathBuf,

    #[command(flatten)]
    db: Db,

    #[command(flatten)]
    look_up: LookUp,

    #[command(flatten)]
    proving: Proving,

    /// Judge for endless play that is decided for this player, with own-side: in each cycle the
    /// position counts that is best for South or North; as the game says, or for neither
    #[arg(long, value_enum, value_name = "PLAYER")]
    favours: Option<Favours>,

    /// Print JSON, see docs/cli.md
    #[arg(long)]
    json: bool,
}

/// For whom endless play is decided.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Favours {
    South,
    North,
    Neither,
}

impl Favours {
    fn side(self) -> Option<Side> {
        match self {
            Favours::South => Some(Side::South),
            Favours::North => Some(Side::North),
            Favours::Neither => None,
        }
    }
}

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let text = read(&args.file)?;
    let games = parse(&text)?;
    let mut tables = args.db.ask(&args.look_up)?;
    let search = args.proving.search();
    let several = games.len() > 1;
    let mut output = String::new();
    let mut first_error = None;
    for (number, mut game) in (1..).zip(games) {
        if let Some(favours) = args.favours {
            game.set_favours(favours.side());
        }
        let proofs = match search {
            None => HashMap::new(),
            Some(search) => prove(search, &mut tables, &game)?,
        };
        let proof = |position: &Position| Ok(proofs.get(position).cloned());
        let judgement = Judgement::with_proofs(&tables, &game, proof)?;
        let answer = Answer {
            tables: &tables,
            searched: search.is_some() && judgement.beyond > 0,
            judgement,
            game,
        };
        if args.json {
            output += &crate::output::json(&JudgeDocument::new(
                &tables,
                &answer.game,
                &answer.judgement,
                answer.searched,
            ))?;
        } else {
            if several {
                output += if number > 1 { "\n" } else { "" };
                output += &(paint(style::HEADING, format_args!("Game {number}")) + "\n");
            }
            output += &answer.describe();
        }
        if let Some(error) = answer.judgement.error {
            first_error.get_or_insert((number, error));
        }
    }
    match first_error {
        None if interruption::came() => Err(Failure::Stopped(output)),
        None => Ok(output),
        Some((number, error)) => {
            crate::output::print(&output)?;
            Err(match several {
                true => Failure::from(error).of(&format!("game {number}")),
                false => error.into(),
            })
        }
    }
}

/// Reads games, at least one and not too many.
fn parse(text: &str) -> Result<Vec<Game>, Failure> {
    let mut games = Vec::new();
    let mut moves = 0;
    for game in notation::games(text) {
        let game = game.map_err(|error| {
            Failure::bad_text(
                "a game",
                text,
                &error,
                "a game is moves like FfBeBc, or a record in OGN; docs/notations.md shows both",
            )
        })?;
        if game.moves.len() > MOST_MOVES {
            return Err(Failure::NotPossible {
                message: format!(
                    "a game of {}, and at most {} are judged",
                    counted(game.moves.len() as u64, "move"),
                    grouped(MOST_MOVES as u64)
                ),
                help: "shorten the game, or give a part of it with the position it starts from"
                    .into(),
            });
        }
        moves += game.moves.len();
        games.push(game);
        if games.len() > MOST_GAMES || moves > MOST_MOVES_OF_ALL {
            return Err(Failure::NotPossible {
                message: format!(
                    "at most {} games with {} moves together are judged at a time",
                    grouped(MOST_GAMES as u64),
                    grouped(MOST_MOVES_OF_ALL as u64)
                ),
                help: "give a part of the games at a time".into(),
            });
        }
    }
    Ok(games)
}

/// Searches for proofs of all positions of a game that are beyond the tables.
fn prove(
    search: Search,
    tables: &mut Opened,
    game: &Game,
) -> Result<HashMap<Position, Proof>, Failure> {
    let rules = tables.rules();
    let mut beyond = HashSet::new();
    for ply in game.plies(rules).map_while(Result::ok) {
        beyond.extend([ply.before.position(), ply.play.position]);
    }
    beyond.retain(|position| tables.max_seeds() < Some(position.seeds()));
    if beyond.is_empty() {
        return Ok(HashMap::new());
    }
    let _work = Work::begin();
    interruption::let_work_end();
    if let Some(tables) = tables.of_directory() {
        search.prepare(tables)?;
    }
    let search = search.shared_by(rayon::current_num_threads());
    let meter = Meter::of_searches(beyond.len() as u64);
    meter.begin("proves what moves are worth");
    let tables: &Tables = tables;
    let prove = |position| -> Result<(Position, Proof), TableError> {
        let proof = search.prove(tables, &position, |_| meter.add(0))?;
        meter.add(1);
        Ok((position, proof))
    };
    let proofs: Result<_, TableError> = beyond.into_par_iter().map(prove).collect();
    Ok(proofs?)
}

/// The longest file of a game, in MiB. A few hundred moves take some kilobytes, most of them
/// comments.
const LONGEST: u64 = 1;

/// The most moves of a game, of both players together: ten times the longest games.
const MOST_MOVES: usize = 10_000;

/// The most games of a file.
const MOST_GAMES: usize = 5_000;

/// The most moves of all games of a file.
const MOST_MOVES_OF_ALL: usize = 100_000;

fn read(file: &Path) -> Result<String, Failure> {
    let help = "name a file with a game, or - for the standard input";
    let bytes = options::read_file(file, LONGEST, help)?;
    String::from_utf8(bytes).map_err(|_| Failure::NotPossible {
        message: format!("{} is not text in UTF-8", file.display()),
        help: "games are letters and digits; is this the right file?".into(),
    })
}

/// A game and what the tables say about it.
struct Answer<'a> {
    tables: &'a Tables,
    game: Game,
    judgement: Judgement,
    /// Whether proofs were searched for beyond the tables.
    searched: bool,
}

impl Answer<'_> {
    /// The ruleset that the record names, if it is not that of the tables.
    fn other_rules(&self) -> Option<Ruleset> {
        let rules = self.game.ruleset().ok()??;
        (rules != self.tables.rules()).then_some(rules)
    }

    fn describe(&self) -> String {
        let Answer {
            tables, judgement, ..
        } = self;
        let (rules, cycles) = (tables.rules(), tables.cycles());
        let length = self.game.moves.len();
        let moves = if length == 1 { "move" } else { "moves" };
        let mut output = format!("{length} {moves}; rules {rules}, endless play by {cycles}.\n");
        if let Some(other) = self.other_rules() {
            output += &format!(
                "The record says that the rules were {other}: \
                 with tables of those, values may differ.\n"
            );
        }
        if let (Cycles::OwnSide, Some(side)) = (cycles, self.game.favours()) {
            output += &format!(
                "In endless play, the position of the cycle that is best for {side} counts.\n"
            );
        }
        let reach = reach(tables);
        let how = match self.searched {
            false => "Not judged",
            true => "Judged as far as it is proven",
        };
        output += &match judgement.beyond {
            0 => String::new(),
            1 => format!("{how}: move 1; {reach}.\n"),
            beyond => format!("{how}: moves 1 to {beyond}; {reach}.\n"),
        };
        if judgement.cut_off > 0 {
            output += &format!(
                "Not judged: {} whose worth these deciding tables cut off.\n",
                counted(judgement.cut_off as u64, "move")
            );
        }
        if judgement.moves.is_empty() && self.beyond().next().is_none() {
            return output;
        }
        output += "\n";
        output += &self.moves();
        output += "\n";
        output + &self.players()
    }

    /// The moves beyond the tables of which something is proven.
    fn beyond(&self) -> impl Iterator<Item = &BeyondMove> {
        self.judgement.proven.iter().filter(|judged| {
            let seeds = judged.ply.before.position().seeds();
            let &BeyondMove { low, high, .. } = *judged;
            Range { low, high }.in_words(seeds).is_some() || judged.is_best()
        })
    }

    /// Whether moves have bounds, so that they can be wrong in two ways.
    fn has_bounds(&self) -> bool {
        self.tables.cycles() == Cycles::OwnSide && self.game.favours().is_none()
    }

    /// The width of what moves are worth.
    fn width(&self) -> usize {
        match self.has_bounds() || self.beyond().next().is_some() {
            true => 8,
            false => 5,
        }
    }

    /// The width of what moves give away.
    fn loss_width(&self) -> usize {
        let losses = self.beyond().map(|judged| loss(judged).len());
        losses.max().unwrap_or(0).max(10)
    }

    /// A line for each move.
    fn moves(&self) -> String {
        let (given_up, legend) = match self.has_bounds() {
            false => ("", ""),
            true => (
                "  gives up",
                "\n\"Gives away\" is how much less the move guarantees than a best one, \"gives up\"\n\
                 how much less is possible after it, if it guarantees as much.\n",
            ),
        };
        let (width, loss_width) = (self.width(), self.loss_width());
        let name = if width == 8 { "bounds" } else { "value" };
        let heading = format!(
            "move    seeds  {name:>width$}  {:>played$}  {:>loss_width$}{given_up}  best",
            "played",
            "gives away",
            played = width.max(6),
        );
        let mut output = paint(style::HEADING, heading) + "\n";
        for judged in self.beyond() {
            output += &self.line_beyond(judged);
        }
        for judged in &self.judgement.moves {
            output += &self.line(judged);
        }
        output + legend
    }

    fn line(&self, judged: &JudgedMove) -> String {
        let side = judged.side();
        let best = judged.best();
        let best = best.map(|best| best.play.house.letter(side));
        let line = Line {
            number: judged.number,
            house: judged.ply.play.house.letter(side),
            seeds: judged.assessment.position.seeds(),
            worth: judged.worth.to_string(),
            played: judged.played.to_string(),
            given_away: judged.given_away().to_string(),
            given_up: judged.given_up().to_string(),
            best: best.collect(),
        };
        self.row(line, judged.is_best())
    }

    fn line_beyond(&self, judged: &BeyondMove) -> String {
        let side = judged.side();
        let range = |low, high| Range { low, high }.to_string();
        let line = Line {
            number: judged.number,
            house: judged.ply.play.house.letter(side),
            seeds: judged.ply.before.position().seeds(),
            worth: range(judged.low, judged.high),
            played: range(judged.played_low, judged.played_high),
            given_away: loss(judged),
            given_up: if judged.is_best() { "0" } else { "?" }.into(),
            best: Proven::of_played(judged).best_known(side),
        };
        self.row(line, judged.given_away_at_least() == 0)
    }

    /// A row of the table of moves; what is wrong stands out.
    fn row(&self, line: Line, is_right: bool) -> String {
        let (width, loss_width) = (self.width(), self.loss_width());
        let given_up = match self.has_bounds() {
            true => format!("  {:>8}", line.given_up),
            false => String::new(),
        };
        let best = line.best.iter().map(char::to_string);
        let row = format!(
            "{:3}. {}  {:5}  {:>width$}  {:>played$}  {:>loss_width$}{given_up}  {}",
            line.number,
            line.house,
            line.seeds,
            line.worth,
            line.played,
            line.given_away,
            best.collect::<Vec<_>>().join(" "),
            played = width.max(6),
        );
        match is_right {
            true => row.trim_end().to_string() + "\n",
            false => paint(style::HEADING, row.trim_end()) + "\n",
        }
    }

    /// A line for each player.
    fn players(&self) -> String {
        let heading = if self.has_bounds() {
            "       judged  best  gave away  gave up  worst move"
        } else {
            "       judged  best  gave away  worst move"
        };
        let mut output = paint(style::HEADING, heading) + "\n";
        for side in [Side::South, Side::North] {
            let PlayerSummary {
                judged,
                best,
                given_away,
                given_up,
                worst,
                beyond,
            } = self.judgement.player(side);
            let BeyondSummary {
                judged: judged_beyond,
                best: best_beyond,
                given_away: given_away_beyond,
                worst: worst_beyond,
                ..
            } = beyond;
            let given_up = if self.has_bounds() {
                format!("  {given_up:7}")
            } else {
                String::new()
            };
            let given_away = given_away + given_away_beyond;
            let given_away = match (given_away, beyond.complete) {
                (_, true) => given_away.to_string(),
                (0, false) => "?".into(),
                (_, false) => at_least(given_away),
            };
            let certain = worst_beyond.map_or(0, BeyondMove::given_away_at_least);
            let worst = match worst {
                Some(worst) if worst.given_away() > certain || certain == 0 => error(worst),
                _ => worst_beyond.map_or_else(|| "-".into(), error_beyond),
            };
            output += &format!(
                "{side:5}  {:6}  {:4}  {given_away:>9}{given_up}  {worst}\n",
                judged + judged_beyond,
                best + best_beyond,
            );
        }
        output
    }
}

/// A row of the table of moves.
struct Line {
    number: usize,
    house: char,
    seeds: u8,
    worth: String,
    played: String,
    given_away: String,
    given_up: String,
    best: Vec<char>,
}

/// What a move beyond the tables gives away.
fn loss(judged: &BeyondMove) -> String {
    match (judged.given_away_at_least(), judged.given_away_at_most()) {
        (least, most) if least == most => least.to_string(),
        (0, most) => at_most(most),
        (least, _) => at_least(least),
    }
}

/// What was wrong with a move, in words.
fn error(judged: &JudgedMove) -> String {
    let letter = judged.ply.play.house.letter(judged.side());
    let what = match judged.given_away() {
        0 => format!("gave up {}", judged.given_up()),
        seeds => format!("gave away {seeds}"),
    };
    format!("{}. {letter}, which {what}", judged.number)
}

/// The same of a move beyond the tables.
fn error_beyond(judged: &BeyondMove) -> String {
    let letter = judged.ply.play.house.letter(judged.side());
    format!(
        "{}. {letter}, which gave away {}",
        judged.number,
        loss(judged)
    )
}
