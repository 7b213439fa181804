//! `granero find`: positions of a layer that satisfy a condition.

mod answer;
mod document;
mod search;

use std::ops::RangeInclusive;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::value_parser;
use granero::find::{Condition, Sort};
use granero::{Access, Cycles, House, MAX_SEEDS};

use crate::output::meter::Meter;
use crate::verb::ask::Text;
use answer::Answer;
use granero_console::db::{OpenedTables, TablesOrSample};
use granero_console::failure::Failure;
use granero_console::options;
use search::{Distances, look};

/// Find positions of a layer that satisfy a condition
///
/// A layer is all positions with the same number of seeds. All conditions that are given must hold,
/// and hold for certain: with bounds whichever position of an endless cycle counts, and with deciding
/// tables whatever is cut off. Says how many positions there are, and shows the first, some drawn at
/// random, or those with the most of something.
///
/// This reads the layer and all smaller ones and holds them in memory, a byte for each position, two
/// with bounds.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero find --layer 12 --value 10..
  granero find --layer 12 --only-winning --stake 8.. --random 5 --seed 7
  granero find --layer 14 --best grand-slam --best-moves 1 --count
  granero find --layer 12 --zugzwang --format tsv --show 1000000
  granero find --layer 10 --cycles own-side --gap 6.. --json
  granero find --layer 16 --most stake --show 3")]
pub(crate) struct Args {
    /// The layer: all positions with N seeds
    #[arg(long, value_name = "N", value_parser = options::seeds())]
    layer: u8,

    /// What the position is worth, like 5, 3..7, 3.. or ..-1; of bounds, both
    #[arg(long, value_name = "RANGE", value_parser = range, allow_hyphen_values = true)]
    value: Option<RangeInclusive<i8>>,

    /// The low bound
    #[arg(long, value_name = "RANGE", value_parser = range, allow_hyphen_values = true)]
    low: Option<RangeInclusive<i8>>,

    /// The high bound
    #[arg(long, value_name = "RANGE", value_parser = range, allow_hyphen_values = true)]
    high: Option<RangeInclusive<i8>>,

    /// How far the bounds are apart
    #[arg(long, value_name = "RANGE", value_parser = seeds_apart, allow_hyphen_values = true)]
    gap: Option<RangeInclusive<u8>>,

    /// The number of legal moves
    #[arg(long, value_name = "RANGE", value_parser = moves, allow_hyphen_values = true)]
    moves: Option<RangeInclusive<u8>>,

    /// The number of best moves; of moves whose values are cut off alike, any may be the only one
    #[arg(long, value_name = "RANGE", value_parser = moves, allow_hyphen_values = true)]
    best_moves: Option<RangeInclusive<u8>>,

    /// How many seeds can be lost by one wrong move; where that is cut off, all that it can be
    /// must lie in the range
    #[arg(long, value_name = "RANGE", value_parser = seeds_apart, allow_hyphen_values = true)]
    stake: Option<RangeInclusive<u8>>,

    /// There are several moves, and only one wins
    #[arg(long)]
    only_winning: bool,

    /// The player to move loses, but would not if the opponent had to move
    #[arg(long)]
    zugzwang: bool,

    /// Every best move is a sacrifice (the opponent can then capture more than it does, and another
    /// move would not allow that), or a grand-slam
    #[arg(long, value_name = "KIND", value_parser = sort_parser())]
    best: Option<Sort>,

    /// Say only how many there are
    #[arg(long, conflicts_with_all = ["show", "random", "most"])]
    count: bool,

    /// Show so many of them, the first in the order of the index [default: 10]
    #[arg(long, value_name = "K", value_parser = value_parser!(u32).range(1..=10_000_000))]
    show: Option<u32>,

    /// Show so many of them, drawn at random
    #[arg(long, value_name = "K", conflicts_with_all = ["show", "most"],
          value_parser = value_parser!(u32).range(1..=10_000_000))]
    random: Option<u32>,

    /// Draw other positions
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "random")]
    seed: u64,

    /// Show those with the most of something: value; stake (seeds that one wrong move loses); or
    /// distance (moves of best play to the next capture), which takes 300 bytes for each position,
    /// or, without so much memory, a search for each. With own-side it is always a search for each,
    /// because there best play depends on the bound that is played for, and only where both bounds are
    /// the same: good for small layers, or few positions. Of what is cut off, what it is at least counts
    #[arg(long, value_enum)]
    most: Option<Most>,

    #[command(flatten)]
    db: TablesOrSample,

    /// How to write the positions
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Print JSON, see docs/cli.md: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// What there may be much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Most {
    /// What the position is worth at least
    Value,
    /// What can be lost by one wrong move
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
    /// One JSON document, see docs/cli.md
    Json,
}

fn sort_parser() -> impl TypedValueParser<Value = Sort> {
    PossibleValuesParser::new(Sort::ALL.map(Sort::name)).map(|name| {
        let named = Sort::ALL.into_iter().find(|sort| sort.name() == name);
        named.expect("one of the possible values")
    })
}

/// What a position is worth, or a range of that.
fn range(text: &str) -> Result<RangeInclusive<i8>, String> {
    let seeds = MAX_SEEDS as i8;
    range_within(text, -seeds..=seeds).ok_or_else(|| {
        "a range is a number of seeds, like 5, or two, like 3..7, 3.. or ..-1".to_string()
    })
}

/// By how many seeds two things can differ: one may be as far above 0 as the other is below.
fn seeds_apart(text: &str) -> Result<RangeInclusive<u8>, String> {
    not_negative(text, 2 * MAX_SEEDS, "seeds")
}

/// How many moves there can be.
fn moves(text: &str) -> Result<RangeInclusive<u8>, String> {
    not_negative(text, House::ALL.len() as u8, "moves")
}

fn not_negative(text: &str, most: u8, what: &str) -> Result<RangeInclusive<u8>, String> {
    let range = range_within(text, 0..=most as i8).ok_or_else(|| {
        format!(
            "this is a number of {what} from 0 to {most}, like 2, or a range, like 2..4, 2.. or ..4"
        )
    })?;
    Ok(*range.start() as u8..=*range.end() as u8)
}

/// A number, or a range of which one end may be missing, within all that there can be.
fn range_within(text: &str, all: RangeInclusive<i8>) -> Option<RangeInclusive<i8>> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let end = |text: &str, open: i8| match text.trim() {
        "" if first != last => Some(open),
        text => text.parse().ok().filter(|end| all.contains(end)),
    };
    let range = end(first, *all.start())?..=end(last, *all.end())?;
    (!range.is_empty()).then_some(range)
}

pub(super) fn run(args: &Args) -> Result<String, Failure> {
    let mut tables = args.db.open(Access::Read)?;
    let layer = options::layer_of(&tables, args.layer, args.db.path())?;
    if tables.cycles() == Cycles::Split && args.gap.as_ref().is_some_and(|gap| !gap.contains(&0)) {
        return Err(Failure::NotPossible {
            message: "these tables hold values: there are no bounds that are apart".into(),
            help: "leave out --gap, or ask tables of bounds: --cycles own-side".into(),
        });
    }
    let meter = Meter::new(layer.len());
    if let OpenedTables::Directory(tables) = &mut tables {
        meter.begin(format!("reads {} seeds", args.layer));
        tables.keep_in_memory(args.layer)?;
    }
    let distances = Distances::new(&tables, layer);
    meter.begin(format!("looks at {} seeds", args.layer));
    let (found, shown) = look(args, &distances, layer, &meter)?;
    drop(meter);
    let answer = Answer {
        args,
        tables: &tables,
        distances,
        layer,
        found,
        shown,
    };
    let format = if args.json { Format::Json } else { args.format };
    match format {
        Format::Text => answer.describe(),
        Format::Tsv => answer.each(|answer| Text(answer).tsv()),
        Format::Json => answer.json(),
    }
}

impl Args {
    fn condition(&self) -> Condition {
        Condition {
            worth: self.value.clone(),
            low: self.low.clone(),
            high: self.high.clone(),
            gap: self
                .gap
                .clone()
                .map(|gap| *gap.start() as i8..=*gap.end() as i8),
            legal_moves: self.moves.clone(),
            best_moves: self.best_moves.clone(),
            stake: self.stake.clone(),
            only_winning: self.only_winning,
            zugzwang: self.zugzwang,
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
        assert_eq!(moves("2.."), Ok(2..=6));
        assert_eq!(moves("..1"), Ok(0..=1));
        for bad in ["..-1", "-1", "-1..3", "7", "3..7"] {
            assert!(moves(bad).is_err(), "{bad}");
        }
        // One move may win all seeds, and another lose them.
        assert_eq!(seeds_apart("9.."), Ok(9..=96));
        assert!(seeds_apart("..-1").is_err() && seeds_apart("97").is_err());
    }
}
