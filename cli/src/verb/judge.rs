//! `granero judge`: what the moves of a recorded game were worth.

use std::path::{Path, PathBuf};

use granero::judge::{JudgedMove, Judgement, PlayerSummary};
use granero::{Cycles, Game, Ruleset, Side, Tables};

use crate::answer::reach;
use crate::db::{Db, LookUp};
use crate::document::JudgeDocument;
use crate::failure::Failure;
use crate::options::{self, counted, grouped};
use crate::style::{self, paint};

/// Judge the moves of a recorded game: what was best, and what was given away
///
/// Compares every move within reach of the tables with the best ones. A game is a record in OGN,
/// or moves in letters, after their first position in Aalina's notation if that is not the start
/// of the game. If a move is not legal, or the wrong player moves, the game is judged up to
/// there, and the exit code is 2. A game has at most 10,000 moves, and its file 1 MiB.
///
/// With endless play by own-side, a move is wrong if it gives away part of what was guaranteed,
/// or if it gives up what was still possible beyond that.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero judge game.ogn
  echo 0-0-0-0-0-5-1-0-0-0-0-0-20-22-N aF | granero judge -
  granero line 1 1 0 2 4 0 1 1 1 0 0 0 --format ogn | granero judge -
  granero judge game.ogn --db granero-db --json")]
pub(crate) struct Args {
    /// The file with the game, or - for the standard input
    file: PathBuf,

    #[command(flatten)]
    db: Db,

    #[command(flatten)]
    look_up: LookUp,

    /// Print JSON, see docs/cli.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let text = read(&args.file)?;
    let game: Game = text.parse().map_err(|error| {
        Failure::bad_text(
            "a game",
            &text,
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
            help: "shorten the game, or give a part of it with the position it starts from".into(),
        });
    }
    let tables = args.db.ask(&args.look_up)?;
    let answer = Answer {
        tables: &tables,
        judgement: Judgement::new(&tables, &game)?,
        game,
    };
    let output = if args.json {
        crate::output::json(&JudgeDocument::new(
            &tables,
            &answer.game,
            &answer.judgement,
        ))?
    } else {
        answer.describe()
    };
    match answer.judgement.error {
        None => Ok(output),
        Some(error) => {
            crate::output::print(&output)?;
            Err(error.into())
        }
    }
}

/// The longest file of a game, in MiB. A few hundred moves take some kilobytes, most of them
/// comments.
const LONGEST: u64 = 1;

/// The most moves of a game, of both players together: ten times the longest games.
const MOST_MOVES: usize = 10_000;

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
}

impl Answer<'_> {
    /// The ruleset that the record names, if it is not that of the tables.
    fn other_rules(&self) -> Option<Ruleset> {
        let variant = self.game.tag("Variant")?.to_ascii_lowercase();
        let rules: Ruleset = variant.parse().ok()?;
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
        let reach = reach(tables);
        output += &match judgement.beyond {
            0 => String::new(),
            1 => format!("Not judged: move 1; {reach}.\n"),
            beyond => format!("Not judged: moves 1 to {beyond}; {reach}.\n"),
        };
        if judgement.cut_off > 0 {
            output += &format!(
                "Not judged: {} whose worth these deciding tables cut off.\n",
                counted(judgement.cut_off as u64, "move")
            );
        }
        if judgement.moves.is_empty() {
            return output;
        }
        output += "\n";
        output += &self.moves();
        output += "\n";
        output + &self.players()
    }

    /// Whether moves have bounds, so that they can be wrong in two ways.
    fn has_bounds(&self) -> bool {
        match self.tables.cycles() {
            Cycles::Split => false,
            Cycles::OwnSide => true,
        }
    }

    /// A line for each move.
    fn moves(&self) -> String {
        let (heading, legend) = if self.has_bounds() {
            (
                "move    seeds    bounds    played  gives away  gives up  best",
                "\n\"Gives away\" is how much less the move guarantees than a best one, \"gives up\"\n\
                 how much less is possible after it, if it guarantees as much.\n",
            )
        } else {
            ("move    seeds  value  played  gives away  best", "")
        };
        let mut output = paint(style::HEADING, heading) + "\n";
        for judged in &self.judgement.moves {
            output += &self.line(judged);
        }
        output + legend
    }

    fn line(&self, judged: &JudgedMove) -> String {
        let side = judged.side();
        let best = judged.assessment.best();
        let best = best.map(|best| best.play.house.letter(side).to_string());
        let width = if self.has_bounds() { 8 } else { 5 };
        let given_up = if self.has_bounds() {
            format!("  {:8}", judged.given_up())
        } else {
            String::new()
        };
        let line = format!(
            "{:3}. {}  {:5}  {:>width$}  {:>played$}  {:10}{given_up}  {}",
            judged.number,
            judged.ply.play.house.letter(side),
            judged.assessment.position.seeds(),
            judged.worth.to_string(),
            judged.played.to_string(),
            judged.given_away(),
            best.collect::<Vec<_>>().join(" "),
            played = width.max(6),
        );
        if judged.is_best() {
            line + "\n"
        } else {
            paint(style::HEADING, line) + "\n"
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
            } = self.judgement.player(side);
            let given_up = if self.has_bounds() {
                format!("  {given_up:7}")
            } else {
                String::new()
            };
            let worst = worst.map_or_else(|| "-".into(), error);
            output +=
                &format!("{side:5}  {judged:6}  {best:4}  {given_away:9}{given_up}  {worst}\n");
        }
        output
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
