//! `granero find`: positions of a layer that satisfy a condition.

pub(in crate::verb) mod answer;

use std::ops::RangeInclusive;

use clap::builder::TypedValueParser;
use granero::find::{Condition, MoveKind};
use granero::player::Difficulty;
use granero::{Access, Cycles, House, MAX_SEEDS};

use crate::output::meter::{Meter, Unit};
use crate::verb::query::text;
use answer::Search;
use granero_console::{Failure, TablesOrSample, named, options};

/// Find positions of a layer that satisfy a condition
///
/// A layer is all positions with the same number of seeds. All given conditions must certainly hold:
/// with bounds, whichever position of an endless cycle counts; with deciding tables, whatever the
/// values beyond the limit are. Counts the positions, and shows the first, random ones, or those with
/// the most of something.
///
/// The layer and all smaller ones are held in memory: one byte per position, two with bounds.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero find --layer 12 --value 10..
  granero find --layer 12 --only-winning --stake 8.. --random 5 --seed 7
  granero find --layer 14 --best grand-slam --best-moves 1 --count
  granero find --layer 12 --zugzwang --format tsv --show 1000000
  granero find --layer 10 --cycles own-side --gap 6.. --json
  granero find --layer 16 --most stake --show 3
  granero find --layer 9 --only-winning --difficulty 4.. --random 20")]
pub(crate) struct Args {
    /// The layer: all positions with N seeds
    #[arg(long, value_name = "N", value_parser = options::seeds())]
    layer: u8,

    /// The value, like 5, 3..7, 3.. or ..-1; with bounds, both of them
    #[arg(long, value_name = "RANGE", value_parser = range, allow_hyphen_values = true)]
    value: Option<RangeInclusive<i8>>,

    /// The low bound
    #[arg(long, value_name = "RANGE", value_parser = range, allow_hyphen_values = true)]
    low: Option<RangeInclusive<i8>>,

    /// The high bound
    #[arg(long, value_name = "RANGE", value_parser = range, allow_hyphen_values = true)]
    high: Option<RangeInclusive<i8>>,

    /// The difference of the bounds
    #[arg(long, value_name = "RANGE", value_parser = up_to(2 * MAX_SEEDS, "seeds"), allow_hyphen_values = true)]
    gap: Option<RangeInclusive<i8>>,

    /// The number of legal moves
    #[arg(long, value_name = "RANGE", value_parser = up_to(MOVES, "moves"), allow_hyphen_values = true)]
    moves: Option<RangeInclusive<i8>>,

    /// The number of best moves; if several values are cut off alike, each may be the only best one
    #[arg(long, value_name = "RANGE", value_parser = up_to(MOVES, "moves"), allow_hyphen_values = true)]
    best_moves: Option<RangeInclusive<i8>>,

    /// The seeds that one wrong move can lose; if that is cut off, all possible numbers must lie in
    /// the range
    #[arg(long, value_name = "RANGE", value_parser = up_to(2 * MAX_SEEDS, "seeds"), allow_hyphen_values = true)]
    stake: Option<RangeInclusive<i8>>,

    /// Several moves are legal, and only one wins
    #[arg(long)]
    only_winning: bool,

    /// The player to move loses, but would not if it were the opponent's turn
    #[arg(long)]
    zugzwang: bool,

    /// The depth from which a plain search finds a best move, 0 to 7, see docs/engines.md: from 4
    /// on the best move is easy to miss
    #[arg(long, value_name = "RANGE", value_parser = up_to(Difficulty::DEEPEST + 1, "moves"), allow_hyphen_values = true)]
    difficulty: Option<RangeInclusive<i8>>,

    /// Every best move is of this kind: a sacrifice lets the opponent capture more than it
    /// captures, but at least one other move avoids this
    #[arg(long, value_name = "KIND", value_parser = named(MoveKind::ALL, MoveKind::name))]
    best: Option<MoveKind>,

    /// Only count the positions
    #[arg(long, conflicts_with_all = ["show", "random", "most"])]
    count: bool,

    /// Show the first K positions, in the order of the index [default: 10]
    #[arg(long, value_name = "K", value_parser = options::number::<u32>(1..=10_000_000))]
    show: Option<u32>,

    /// Show K random positions
    #[arg(long, value_name = "K", conflicts_with_all = ["show", "most"],
          value_parser = options::number::<u32>(1..=10_000_000))]
    random: Option<u32>,

    /// The seed for --random: another number draws other positions
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "random")]
    seed: u64,

    /// Show the positions with the most of something: value, stake (the seeds that one wrong move
    /// loses), or distance (the moves of best play to the next capture)
    ///
    /// Distances take 300 bytes of memory per position; with less memory, or with own-side, they
    /// take a search for each position: use this for small layers or few positions. With own-side,
    /// only positions whose bounds are equal count. If a number is cut off, its least value counts.
    #[arg(long, value_enum)]
    most: Option<Most>,

    #[command(flatten)]
    db: TablesOrSample,

    /// The form of the positions
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Print JSON, see docs/json.md: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// The quantity to sort by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Most {
    /// The value, or the low bound
    Value,
    /// The seeds that one wrong move can lose
    Stake,
    /// The moves of best play to the next capture or to the end
    Distance,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// As `granero query --format tsv`: the twelve houses, a tab, and the value or both bounds
    Tsv,
    /// One JSON document, see docs/json.md
    Json,
}

/// Reads a value or a range of values.
fn range(text: &str) -> Result<RangeInclusive<i8>, String> {
    let seeds = MAX_SEEDS as i8;
    range_within(text, -seeds..=seeds).ok_or_else(|| {
        "a range is a number of seeds, like 5, or two, like 3..7, 3.. or ..-1".to_string()
    })
}

/// Reads a number of something from 0 to `most`, or a range.
fn up_to(most: u8, what: &str) -> impl TypedValueParser<Value = RangeInclusive<i8>> {
    let problem = format!(
        "this is a number of {what} from 0 to {most}, like 2, or a range, like 2..4, 2.. or ..4"
    );
    move |text: &str| range_within(text, 0..=most as i8).ok_or_else(|| problem.clone())
}

/// The most moves of a position.
const MOVES: u8 = House::ALL.len() as u8;

/// Reads a number, or a range of which one end may be missing, within `all`.
fn range_within(text: &str, all: RangeInclusive<i8>) -> Option<RangeInclusive<i8>> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let end = |text: &str, open: i8| match text.trim() {
        "" if first != last => Some(open),
        text => text.parse().ok().filter(|end| all.contains(end)),
    };
    let range = end(first, *all.start())?..=end(last, *all.end())?;
    (!range.is_empty()).then_some(range)
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let mut tables = args.db.open(Access::Read)?;
    let layer = options::layer_of(&tables, args.layer, args.db.path())?;
    if tables.cycles() == Cycles::Split && args.gap.as_ref().is_some_and(|gap| !gap.contains(&0)) {
        return Err(Failure::not_possible(
            "--gap needs tables of bounds, and these hold values",
            "leave out --gap, or ask for tables of bounds with --cycles own-side",
        ));
    }
    if args.difficulty.is_some() {
        tables.hold_values()?;
    }
    let meter = Meter::new(Unit::Positions, layer.len());
    if tables.directory().is_some() {
        meter.begin(format!("reads {} seeds", args.layer));
        tables.keep_in_memory(args.layer)?;
    }
    let search = Search::new(args, &tables, layer);
    meter.begin(format!("looks at {} seeds", args.layer));
    let found = search.look(&meter)?;
    drop(meter);
    let format = if args.json { Format::Json } else { args.format };
    match format {
        Format::Text => search.describe(&found),
        Format::Tsv => {
            let lines = search.each(&found, |_, answer, _, _| text::tsv(answer));
            Ok(lines?.concat())
        }
        Format::Json => search.json(&found),
    }
}

impl Args {
    fn condition(&self) -> Condition {
        Condition {
            value: self.value.clone(),
            low: self.low.clone(),
            high: self.high.clone(),
            gap: self.gap.clone(),
            legal_moves: self.moves.clone(),
            best_moves: self.best_moves.clone(),
            stake: self.stake.clone(),
            only_winning: self.only_winning,
            zugzwang: self.zugzwang,
            // Every depth is no condition, and finding it takes long.
            difficulty: (self.difficulty.clone())
                .filter(|range| *range != (0..=Difficulty::DEEPEST as i8 + 1)),
            best_is: self.best,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(range("5"), Ok(5..=5));
        assert_eq!(range("-3"), Ok(-3..=-3));
        assert_eq!(range("3..7"), Ok(3..=7));
        assert_eq!(range("3.."), Ok(3..=48));
        assert_eq!(range("..-1"), Ok(-48..=-1));
        for bad in ["", "..", "7..3", "49", "x", "1..2..3", "1.5"] {
            assert!(range(bad).is_err(), "{bad}");
        }
        let read = |most, text: &str| range_within(text, 0..=most);
        assert_eq!(read(6, "2.."), Some(2..=6));
        assert_eq!(read(6, "..1"), Some(0..=1));
        for bad in ["..-1", "-1", "-1..3", "7", "3..7"] {
            assert_eq!(read(6, bad), None, "{bad}");
        }
        // One move may win all seeds, and another lose them.
        assert_eq!(read(96, "9.."), Some(9..=96));
        assert!(read(96, "..-1").is_none() && read(96, "97").is_none());
    }
}
