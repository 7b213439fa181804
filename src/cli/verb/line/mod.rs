//! `granero line`: the best line from a position, or one for each bound.

mod text;

use granero::line::Line;
use granero::notation::aalina;
use granero::notation::ogn::Dialect;
use granero::prove::ProofProgress;
use granero::{Bound, Measure, Position};

use crate::arguments::position_arg;
use crate::arguments::proving::Proving;
use crate::output::meter::{Meter, Unit};
use crate::system::interruption::{self, Work};
use granero_answer::document::LineJson;
use granero_answer::{BestLines, PositionAnswer, reach, so_far};
use granero_console::{Failure, hint, named};

/// Show the best line from a position, to the end of the game or into a cycle
///
/// Both players play best moves: the winner hurries to the next capture or the end, the loser
/// delays it.
///
/// With endless play by own-side, the line shows the least that the player to move gets; a second
/// line shows the most, if that is more.
///
/// If the position has more seeds than the tables, the line follows proven best moves, into the
/// tables or until no best move is proven. The search takes a second for each position of the line,
/// or the time of --prove. Ctrl-C ends it, and the line up to there is printed, with exit code 130.
#[derive(Debug, clap::Args)]
#[command(after_help = position_arg::notations_and("\
Examples:
  granero line 1 1 0 2 4 0 1 1 1 0 0 0
  granero line 0-0-0-0-0-5-1-0-0-0-0-0-20-22-N
  granero line \"0 0 0 1 1 1 / 1 1 0 2 4 0\" --format ogn > line.ogn
  granero line 2 0 1 1 0 1 1 1 0 0 2 1 --prove 5s"))]
pub(crate) struct Args {
    #[arg(required = true, allow_negative_numbers = true, help = position_arg::HELP)]
    position: Vec<String>,

    #[command(flatten)]
    proving: Proving,

    /// With own-side: show only the line of this bound: low, the least that the player to move gets,
    /// or high, the most
    #[arg(long, value_name = "BOUND", value_parser = named([Measure::Low, Measure::High], Measure::name))]
    bound: Option<Measure>,

    /// The form of the line; if the position has no stores, the captured seeds are shared equally
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Print JSON, see docs/json.md: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// A table with the running score
    Text,
    /// The position and its moves in Aalina's notation; of two lines, the line of the low bound
    Moves,
    /// A game record in OGN, of the same line as moves
    Ogn,
    /// Like ogn, with PlayStrategy's moves and positions
    Playstrategy,
    /// A JSON document on one line, see docs/json.md
    Json,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let text = position_arg::parse(&args.position)?;
    let mut tables = args.proving.db.ask(args.proving.look_up.access())?;
    let position = text.position();
    let meter = Meter::late(Unit::Positions, None);
    let mut watch = |positions| meter.reach(positions as u64);
    let is_known = tables.assess(&position)?.value.is_some();
    let mut proof = None;
    let found = match args.proving.search(false).filter(|_| !is_known) {
        None => BestLines::find(&tables, &text, Line::LIMIT, &mut watch)?,
        Some(search) => {
            let _work = Work::begin();
            let tell = |progress: &ProofProgress| {
                meter.begin(so_far(progress, position.seeds()));
                meter.reach(progress.nodes);
            };
            let first = proof.insert(search.prove_loading(&mut tables, position, tell)?);
            let prove = |next: &Position| match next {
                _ if *next == position => Ok(first.clone()),
                next => search.prove(&tables, next, tell),
            };
            let found = BestLines::prove(&tables, &text, Line::LIMIT, &mut watch, prove)?;
            Some(found)
        }
    };
    let bound = args.bound.map_or(Bound::Low, Measure::bound);
    let found = match found {
        // A search that was stopped shows its proofs even without a line.
        Some(found) if !found.is_empty() || interruption::came() => found,
        unproven => match BestLines::keeping(&tables, &text, bound, Line::LIMIT, &mut watch)? {
            Some(kept) => kept,
            None => {
                let (seeds, reach) = (position.seeds(), reach(&tables));
                let has = format!("the position has {seeds} seeds");
                let extend = hint::extend(&tables, seeds, args.proving.db.path());
                let extend = format!("{extend}; `granero query` says what is known");
                let (message, help) = match unproven {
                    None => (format!("{has}, and {reach}"), extend),
                    Some(_) => (
                        format!("{has}, {reach}, and no move is proven to be best"),
                        format!("--prove gives the search more time; {extend}"),
                    ),
                };
                return Err(Failure::data(message, help));
            }
        },
    };
    drop(meter);
    let best = match args.bound {
        None => found,
        Some(measure) => found.only(measure.bound()),
    };
    let format = if args.json { Format::Json } else { args.format };
    let output = match format {
        Format::Text => {
            let mut answer = PositionAnswer::new(&tables, &text)?;
            if let Some(proof) = &proof {
                answer.prove(proof);
            }
            text::describe(&best, &answer)
        }
        Format::Moves => aalina::write_game(&best.first.game) + "\n",
        Format::Ogn => text::record(&best.first, Dialect::Ogn)?,
        Format::Playstrategy => text::record(&best.first, Dialect::PlayStrategy)?,
        Format::Json => crate::output::json(&LineJson::new(&tables, &text, Some(&best)))?,
    };
    interruption::outcome(output)
}
