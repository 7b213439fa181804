//! `granero play`: a game against granero.

mod puzzles;
mod session;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use granero::{Game, Ruleset, Side, Situation, Tables};

use crate::arguments::position_arg;
use crate::system::interruption;
use crate::verb::judge;
use granero_console::{Failure, INTERRUPTED, ReadOption, TablesOrSample, named, options};
use session::Session;

/// Play a game against granero
///
/// Reads your moves from the standard input: the letter of a house, or a command. `help` lists the commands: a hint,
/// taking back, the record. At the end of the game or of the input, the moves within the tables are judged, and the
/// record is printed; on Ctrl-C only the record, with exit code 130.
///
/// Inside the tables, level 8 plays perfectly; among equal moves, it chooses the one after which
/// you err most easily. It needs tables of values (split); if you play by other rules than the
/// tables, it only searches.
#[derive(Debug, clap::Args)]
#[command(after_help = position_arg::notations_and("\
Examples:
  granero play
  granero play --level 2 --side north
  granero play --record game.ogn
  granero play --level 8 --db granero-db
  granero play \"0 1 0 2 0 1 / 0 2 0 1 1 0\" --level 8
  granero play --rules awari
  granero play --puzzles data/puzzles.tsv"))]
pub(crate) struct Args {
    #[arg(allow_negative_numbers = true, help = position_arg::HELP)]
    position: Vec<String>,

    /// The side that you play [default: south, or your side in the record]
    #[arg(long, value_name = "SIDE", value_parser = named([Side::South, Side::North], options::side_name))]
    side: Option<Side>,

    /// The strength, from 1, which lets beginners win, to 8; docs/cli.md describes the levels
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = options::number::<u8>(1..=8))]
    level: u8,

    /// The longest that granero thinks about a move
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = options::time)]
    time: Duration,

    /// The rules of the game; `granero rules` lists them [default: the rules of the tables]
    #[arg(long, value_name = "NAME", value_parser = named(Ruleset::ALL, Ruleset::name), hide_possible_values = true)]
    rules: Option<Ruleset>,

    /// Write the record to this file after each move; a game in the file is continued
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Instead of a game, ask for the right moves of ten puzzles from this file, see data/README.md
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "side", "rules", "record"])]
    puzzles: Option<PathBuf>,

    /// The seed for random moves and puzzles: the same number gives the same ones [default: the
    /// time]
    #[arg(long, value_name = "SEED", value_parser = options::number::<u64>(0..=u64::MAX))]
    seed: Option<u64>,

    #[command(flatten)]
    db: TablesOrSample,

    #[command(flatten)]
    look_up: ReadOption,
}

/// The beginning of granero's name in the record.
const NAME: &str = "granero";

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let mut game = args.game()?;
    let opened = args.db.ask(args.look_up.access())?;
    opened.hold_values()?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let time = now.map_or(0, |time| time.as_nanos() as u64);
    let seed = args.seed.unwrap_or(time);
    if let Some(file) = &args.puzzles {
        return puzzles::train(file, &opened, seed);
    }
    let recorded = game.ruleset().ok().flatten();
    let rules = args.rules.or(recorded).unwrap_or(opened.rules());
    let side = match args.side {
        Some(side) => side,
        None if game.tag("South").is_some_and(|name| name.starts_with(NAME)) => Side::North,
        None => Side::South,
    };
    game.tags
        .retain(|(name, _)| !["Variant", "South", "North", "Result"].contains(&&**name));
    let tag = |name: &dyn ToString, value: String| (name.to_string(), value);
    game.tags.push(tag(&"Variant", rules.name().into()));
    game.tags.push(tag(&side, "You".into()));
    let name = format!("{NAME} level {}", args.level);
    game.tags.push(tag(&side.other(), name));
    if let Err(error) = game.replay(rules) {
        let what = format!("move {}", game.label(error.number, error.sown.letter()));
        return Err(Failure::impossible(&what, &error.reason));
    }
    let tables: &Tables = &opened;
    let session = Session {
        args,
        rules,
        tables: Some(tables).filter(|tables| tables.rules() == rules),
        side,
        seed,
        game: Arc::new(Mutex::new(game)),
    };
    let game = Arc::clone(&session.game);
    interruption::on_stop(move || {
        let record = "\n".to_string() + &session::record(&game, rules);
        let _ = crate::output::print(&record);
        std::process::exit(INTERRUPTED.into());
    });
    session.play().or_else(|failure| {
        crate::output::print(&("\n".to_string() + &session::record(&session.game, rules)))?;
        Err(failure)
    })
}

impl Args {
    /// Returns the game to play: as recorded, or from a position.
    fn game(&self) -> Result<Game, Failure> {
        let mut start = Situation::START;
        if !self.position.is_empty() {
            start = position_arg::parse(&self.position)?.or_open();
        }
        let new = Game {
            start,
            ..Game::default()
        };
        let Some(file) = self.record.as_deref().filter(|file| file.exists()) else {
            return Ok(new);
        };
        let mut games = judge::parse(&judge::read(file)?)?;
        if games.len() > 1 || !self.position.is_empty() {
            let (what, help) = match games.len() {
                1 => ("already has a game", "leave out the position to go on"),
                _ => ("has several games", "keep one game in it"),
            };
            return Err(Failure::not_possible(
                format!("{} {what}", file.display()),
                format!("{help}, or name a new file"),
            ));
        }
        Ok(games.pop().unwrap_or(new))
    }
}
