//! `granero judge`: judges the moves of recorded games.

pub(crate) mod estimates;
mod players;
mod text;

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use estimates::WithEstimates;
use granero::judge::{self, Judgement};
use granero::notation::{self, ogn::Dialect};
use granero::prove::{Budget, Proof};
use granero::{Game, Position, Side, Tables};
use players::Players;

use crate::arguments::proving::{Proving, Search};
use crate::output::meter::{Meter, Unit};
use crate::plot;
use crate::system::interruption::{self, Work};
use crate::system::whole_file::write_whole;
use granero_answer::document::JudgementJson;
use granero_answer::{counted, grouped};
use granero_console::{Failure, named, options};

/// Judge the moves of a recorded game: what was best, and what was given away
///
/// Compares every move within reach of the tables with the best ones. A game is a record in OGN or
/// of PlayStrategy, or moves in letters, behind a position in Aalina's notation if the game does
/// not begin at the start. If a move is not legal, or the wrong player moves, the game is judged up
/// to there, and the exit code is 2. A file may have several games, one after the other, and at
/// most 1 MiB; a game has at most 10,000 moves.
///
/// With endless play by own-side, a move is wrong if it gives away part of what was guaranteed,
/// or if it gives up what was still possible beyond that.
///
/// Beyond the tables, moves are judged by proofs: "at least 3" are seeds that a move certainly gave
/// away. The search takes a second for each position, or the time of --prove. Ctrl-C ends it: the
/// game is judged by the proofs so far, and the exit code is 130.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero judge game.ogn
  granero judge 0-0-0-0-0-5-1-0-0-0-0-0-20-22-N aF
  granero line 1 1 0 2 4 0 1 1 1 0 0 0 --format ogn | granero judge -
  granero judge game.ogn --db granero-db --json
  granero judge game.ogn --prove 10s
  granero judge game.ogn --prove off
  granero judge game.ogn --plot game.svg
  granero judge game.ogn --format ogn > judged.ogn")]
pub(crate) struct Args {
    /// The file with the game, or - for the standard input; or moves in letters, after the position
    /// that they begin with
    #[arg(required = true, value_name = "FILE|MOVES")]
    game: Vec<OsString>,

    #[command(flatten)]
    proving: Proving,

    /// With own-side: decide every cycle in favour of south or north [default: as recorded, else
    /// neither]
    #[arg(long, value_name = "PLAYER", value_parser = named([Some(Side::South), Some(Side::North), None], favoured))]
    favours: Option<Favoured>,

    /// The form of the judgement
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Print JSON, see docs/json.md: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Draw how the promised result of a game changed, as SVG; the name of the file ends in .svg
    #[arg(long, value_name = "FILE", value_parser = plot::file)]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Tables for people; of several games, one for each player
    Text,
    /// The record in OGN, with a comment on each move that is not best, and a symbol if it costs seeds
    Ogn,
    /// Like ogn, with PlayStrategy's moves and positions
    Playstrategy,
    /// A JSON document on one line for each game, see docs/json.md
    Json,
}

/// The side that endless play favours, if any.
type Favoured = Option<Side>;

fn favoured(side: Favoured) -> &'static str {
    side.map_or("neither", options::side_name)
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let text = read_or_take(&args.game)?;
    let games = parse(&text)?;
    if let (Some(_), true) = (&args.plot, games.len() > 1) {
        return Err(Failure::not_possible(
            format!("--plot draws one game, and the file has {}", games.len()),
            "give a file with one game, or leave out --plot",
        ));
    }
    let mut tables = args.proving.db.ask(args.proving.look_up.access())?;
    let search = args.proving.search(false);
    let format = if args.json { Format::Json } else { args.format };
    let several = games.len() > 1;
    let mut output = String::new();
    let mut players = Players::default();
    let mut first_error = None;
    for (number, mut game) in (1..).zip(games) {
        if let Some(favours) = args.favours {
            game.set_favours(favours);
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
        output += &match format {
            Format::Text if several => {
                players.add(number, &answer);
                String::new()
            }
            Format::Text => answer.describe() + &answer.describe_estimates()?,
            Format::Ogn => answer.record(Dialect::Ogn)?,
            Format::Playstrategy => answer.record(Dialect::PlayStrategy)?,
            Format::Json => {
                let judged = JudgementJson::new(&tables, &answer.game, &answer.judgement);
                // As in the text.
                let estimates = if several {
                    None
                } else {
                    Some(answer.estimates()?).filter(|estimates| !estimates.is_empty())
                };
                crate::output::json(&WithEstimates::new(judged, estimates))?
            }
        };
        if several && matches!(format, Format::Ogn | Format::Playstrategy) {
            output.push('\n');
        }
        if let Some(plot) = &args.plot {
            let figure = plot::review(&answer.game, &answer.judgement);
            write_whole(plot, |file| file.write_all(figure.as_bytes()))?;
            if format == Format::Text {
                output += &format!("\nThe figure is in {}.\n", plot.display());
            }
        }
        if let Some(error) = answer.judgement.error {
            let label = answer.game.label(error.number, error.sown.letter());
            first_error.get_or_insert((number, label, error));
        }
    }
    if several && format == Format::Text {
        output = players.describe(&tables);
    }
    match first_error {
        None => interruption::outcome(output),
        Some((number, label, error)) => {
            crate::output::print(&output)?;
            let game = if several {
                format!("game {number}, ")
            } else {
                String::new()
            };
            Err(Failure::impossible(
                &format!("{game}move {label}"),
                &error.reason,
            ))
        }
    }
}

/// Judges a game within the tables, for people.
pub(super) fn describe(tables: &Tables, game: Game) -> Result<String, Failure> {
    let answer = Answer {
        tables,
        searched: false,
        judgement: Judgement::new(tables, &game)?,
        game,
    };
    Ok(answer.describe())
}

/// Searches for proofs for all positions of a game beyond the tables.
fn prove(
    search: Search,
    tables: &mut Tables,
    game: &Game,
) -> Result<HashMap<Position, Proof>, Failure> {
    let beyond = judge::beyond(tables, game);
    if beyond.is_empty() {
        return Ok(HashMap::new());
    }
    let _work = Work::begin();
    let meter = Meter::late(Unit::Positions, Some(beyond.len() as u64));
    meter.begin("proves what moves are worth");
    let rest = |budget: Budget, proof: &Proof, at: &Position| budget.next(Some(proof), at.seeds());
    let (watch, done) = (|_: &_| meter.add(0), || meter.add(1));
    let proofs = search.prove_all(tables, &beyond, rest, watch, done)?;
    Ok(beyond.into_iter().zip(proofs).collect())
}

/// A judged game.
struct Answer<'a> {
    tables: &'a Tables,
    game: Game,
    judgement: Judgement,
    /// True if proofs were searched for beyond the tables.
    searched: bool,
}

/// The longest file, in MiB. A few hundred moves take some kilobytes, most of them comments.
const LONGEST: u64 = 1;

/// The most moves of a game, of both players together: ten times the longest games.
const MOST_MOVES: usize = 10_000;

const MOST_GAMES: usize = 5_000;

const MOST_MOVES_OF_ALL: usize = 100_000;

/// Returns the text of a file, or the moves that the words themselves are.
fn read_or_take(words: &[OsString]) -> Result<String, Failure> {
    let text: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let text = text.join(" ");
    match words {
        [file] if file == "-" || Path::new(file).exists() => read(file.as_ref()),
        _ if notation::games(&text).all(|game| game.is_ok()) => Ok(text),
        [file] => Err(Failure::data(
            format!(
                "cannot read {}: it is neither a file nor moves",
                Path::new(file).display()
            ),
            "name a file with a game, or - for the standard input, or give moves like FfBeBc",
        )),
        _ => Ok(text),
    }
}

pub(super) fn read(file: &Path) -> Result<String, Failure> {
    let help = "name a file with a game, or - for the standard input";
    let bytes = options::read_file(file, LONGEST, help)?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::not_possible(
            format!("{} is not text in UTF-8", file.display()),
            "games are letters and digits; is this the right file?",
        )
    })
}

/// Reads games, at least one and not too many.
pub(super) fn parse(text: &str) -> Result<Vec<Game>, Failure> {
    let mut games = Vec::new();
    let mut moves = 0;
    for game in notation::games(text) {
        let game = game.map_err(|error| {
            Failure::bad_text(
                "a game",
                text,
                &error,
                "a game is moves like FfBeBc, or a record in OGN; docs/rules.md shows both",
            )
        })?;
        if game.moves.len() > MOST_MOVES {
            return Err(Failure::not_possible(
                format!(
                    "the game has {}, more than {}",
                    counted(game.moves.len() as u64, "move"),
                    grouped(MOST_MOVES as u64)
                ),
                "shorten the game, or give a part of it with the position it starts from",
            ));
        }
        moves += game.moves.len();
        games.push(game);
        if games.len() > MOST_GAMES || moves > MOST_MOVES_OF_ALL {
            return Err(Failure::not_possible(
                format!(
                    "the file has more than {} games or more than {} moves",
                    grouped(MOST_GAMES as u64),
                    grouped(MOST_MOVES_OF_ALL as u64)
                ),
                "split the file",
            ));
        }
    }
    Ok(games)
}
