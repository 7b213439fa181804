//! Options of several verbs.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use clap::builder::TypedValueParser;
use granero::build::Build;
use granero::index::Layer;
use granero::table::LayerReader;
use granero::{Cycles, Extent, MAX_SEEDS, Measured, Ruleset, Side, TableError, Tables};

use crate::db::DbOption;
use crate::failure::Failure;
use crate::named::named;
use crate::{hint, machine};

/// `--rules`
#[derive(Debug, clap::Args)]
pub struct RulesOption {
    /// The rules of the game; `granero rules` lists them
    #[arg(
        long,
        value_name = "NAME",
        value_parser = named(Ruleset::ALL, Ruleset::name),
        default_value = Ruleset::default().name(),
        hide_possible_values = true
    )]
    pub rules: Ruleset,
}

/// The options of the verbs about builds
#[derive(Debug, clap::Args)]
pub struct BuildOptions {
    #[command(flatten)]
    pub rules: RulesOption,

    /// The seeds of the last layer [default: 15, with --game all seeds of the game]
    #[arg(long, value_name = "N", value_parser = seeds())]
    seeds: Option<u8>,

    #[command(flatten)]
    pub db: DbOption,

    /// The number of threads [default: the number of processors]
    #[arg(long, value_name = "T", value_parser = number::<u16>(1..=256))]
    threads: Option<u16>,

    /// The most memory to use, like 8G [default: nine tenths of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<u64>,

    /// The value of endless play: the seeds are shared equally (split), or each player takes the
    /// seeds on their own side, so a position has a low and a high bound (own-side)
    #[arg(
        long,
        value_name = "CYCLES",
        value_parser = named(Cycles::ALL, Cycles::name),
        default_value = Cycles::default().name()
    )]
    cycles: Cycles,

    /// Tell values apart only as far as they decide who wins the game
    ///
    /// With n seeds on the board, a value of 49 - n or more wins the game, however the captured
    /// seeds are shared, so values are cut off there. The tables of the last layers become much
    /// smaller. Up to 24 seeds nothing is cut off.
    #[arg(long)]
    deciding: bool,

    /// Like --deciding, for a game of only G seeds: 36 is three in each house
    ///
    /// Values are cut off from G + 1 - n on. The last layer has G seeds, unless --seeds says otherwise.
    #[arg(long, value_name = "G", value_parser = game)]
    game: Option<Extent>,
}

impl BuildOptions {
    /// The build, if `on_this_machine` processes share this machine. Without `--seeds` and `--game` its last layer has
    /// `usual` seeds.
    pub fn build(&self, usual: u8, on_this_machine: usize) -> Build {
        let share = |free| free / on_this_machine as u64;
        let given = self
            .memory
            .map(|given| machine::process_room().map_or(given, |room| room.min(given)));
        // Other programs need some as well.
        let memory = given.or_else(|| Some(share(machine::available_memory()? / 10 * 9)));
        let decided = self.deciding.then_some(Extent::DECIDING);
        Build {
            cycles: self.cycles,
            extent: self.game.or(decided).unwrap_or(Extent::FULL),
            seeds: (self.seeds).unwrap_or_else(|| self.game.map_or(usual, Extent::max_seeds)),
            threads: self.threads.map_or_else(machine::threads, usize::from),
            memory: memory.unwrap_or(u64::MAX),
            checkpoint: Some(Duration::ZERO),
        }
    }
}

/// Reads the value of `--game`.
fn game(text: &str) -> Result<Extent, String> {
    let extent = text.trim().parse().ok().and_then(Extent::deciding);
    extent.ok_or_else(|| format!("expected a whole number from 1 to {MAX_SEEDS}, like 36"))
}

/// `--seeds`
pub fn seeds() -> impl TypedValueParser<Value = u8> {
    |text: &str| -> Result<u8, String> {
        let seeds = text.trim().parse().ok().filter(|&seeds| seeds <= MAX_SEEDS);
        seeds.ok_or_else(|| format!("expected a whole number from 0 to {MAX_SEEDS}, like 20"))
    }
}

/// `--layer` of verbs that can look at several layers
#[derive(Debug, clap::Args)]
pub struct LayersOption {
    /// Only the layers with these numbers of seeds, like 12, 8-12 or 4,6,8-12
    #[arg(long = "layer", value_name = "LAYERS", value_delimiter = ',', value_parser = layers)]
    chosen: Vec<RangeInclusive<u8>>,
}

impl LayersOption {
    pub fn are_chosen(&self) -> bool {
        !self.chosen.is_empty()
    }

    /// The chosen layers in order, all of which the tables hold; by default all layers of the tables,
    /// at least one.
    pub fn of(&self, tables: &Tables, db: &Path) -> Result<Vec<Layer>, Failure> {
        let mut seeds: BTreeSet<u8> = self.chosen.iter().cloned().flatten().collect();
        if !self.are_chosen() {
            seeds.extend(0..=tables.max_seeds().unwrap_or(0));
        }
        let layers = seeds.into_iter().map(|seeds| layer_of(tables, seeds, db));
        layers.collect()
    }
}

/// A layer that the tables in a directory hold.
pub fn layer_of(tables: &Tables, seeds: u8, db: &Path) -> Result<Layer, Failure> {
    let layer = Layer::new(seeds).filter(|_| seeds < tables.manifest().finished());
    layer.ok_or_else(|| {
        Failure::not_possible(
            match tables.max_seeds() {
                Some(most) => format!("the tables reach up to {most} seeds, not to {seeds}"),
                None => "the tables are empty".into(),
            },
            hint::extend(tables, seeds, db) + "; or choose other layers",
        )
    })
}

/// A layer, or the layers from one to another.
fn layers(text: &str) -> Result<RangeInclusive<u8>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let seeds = |text: &str| text.trim().parse().ok().filter(|&seeds| seeds <= MAX_SEEDS);
    match (seeds(first), seeds(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        (Some(first), Some(last)) => Err(format!(
            "the range must begin with fewer seeds: {last}-{first}"
        )),
        _ => Err(format!(
            "expected a number of seeds up to {MAX_SEEDS}, like 12, or a range, like 8-12"
        )),
    }
}

/// Reads a whole number within a range.
pub fn number<T: TryFrom<u64> + Clone + Send + Sync + 'static>(
    range: RangeInclusive<u64>,
) -> impl TypedValueParser<Value = T> {
    move |text: &str| -> Result<T, String> {
        let number = text.trim().parse().ok();
        let number = number.filter(|number| range.contains(number));
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| match (*range.start(), *range.end()) {
                (0, u64::MAX) => "expected a whole number".into(),
                (least, u64::MAX) => format!("expected a whole number of at least {least}"),
                (least, most) => format!("expected a whole number from {least} to {most}"),
            })
    }
}

/// `--memory`: bytes, with K, M, G or T after the number for KiB to TiB.
pub fn memory(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = text[digits.len()..].trim().to_ascii_uppercase();
    let unit = unit.trim_end_matches('B').trim_end_matches('I');
    let shift = match unit {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("expected a number with K, M, G or T after it, like 8G".into()),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "expected a whole number, like 8G".to_string())?;
    number
        .checked_mul(1 << shift)
        .ok_or_else(|| "the size is too large".into())
}

/// A time: a number with ms, s, min or h after it.
pub fn time(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
    let seconds = match text[number.len()..].trim() {
        "ms" => 0.001,
        "s" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a number with ms, s, min or h after it, like 500ms".into()),
    };
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let number: f64 = Some(number)
        .filter(|number| number.chars().all(is_part))
        .and_then(|number| number.parse().ok())
        .ok_or("expected a number first, like 1.5s")?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| "expected a shorter time".into())
}

/// A time, or none: the value of `--prove` and of `--checkpoint`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeOrOff(pub Option<Duration>);

/// A time, or `off`.
pub fn time_or_off(text: &str) -> Result<TimeOrOff, String> {
    match text.trim() {
        "off" => Ok(TimeOrOff(None)),
        text => time(text)
            .map(|time| TimeOrOff(Some(time)))
            .map_err(|error| format!("{error}; or off")),
    }
}

/// Reads a file, or the standard input if it is called `-`. A pipe or a device may never end, so
/// anything longer than `most` MiB is refused.
pub fn read_file(file: &Path, most: u64, help: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        io::stdin().take((most << 20) + 1).read_to_end(&mut bytes)
    } else {
        let opened = File::open(file);
        opened.and_then(|opened| opened.take((most << 20) + 1).read_to_end(&mut bytes))
    };
    match read {
        Ok(length) if length as u64 > most << 20 => Err(Failure::not_possible(
            format!("{} is longer than {most} MiB, the limit", file.display()),
            help,
        )),
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::unreadable(file, &error, help)),
    }
}

/// Reads up to a layer. A verb chooses layers that exist, and reads them in order.
pub fn read_layer(
    reader: &mut LayerReader<'_>,
    layer: Layer,
) -> Result<Measured<Vec<i8>>, TableError> {
    loop {
        let (read, values) = reader.next().expect("a layer of these tables")?;
        if read == layer {
            return Ok(values);
        }
    }
}

/// The name of a side on the command line.
pub fn side_name(side: Side) -> &'static str {
    match side {
        Side::South => "south",
        Side::North => "north",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(memory("4096"), Ok(4096));
        assert_eq!(memory("1K"), Ok(1024));
        assert_eq!(memory("2g"), Ok(2 << 30));
        assert_eq!(memory("3 MiB"), Ok(3 << 20));
        for bad in ["", "G", "1.5G", "-1", "1X", "99999999999999T", "é"] {
            assert!(memory(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times() {
        for (text, milliseconds) in [
            ("0ms", 0),
            ("250ms", 250),
            ("1s", 1000),
            (" 1.5 s ", 1500),
            ("2min", 120_000),
            ("1h", 3_600_000),
            ("1000000h", 3_600_000_000_000),
        ] {
            assert_eq!(
                time(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
        let [long, longer] = [20, 1000].map(|digits| "9".repeat(digits) + "s");
        for bad in [
            "", "1", "s", "-1s", "+1s", "1e3s", "1.2.3s", ".s", "1S", "1 m s", "infs", "NaNs",
            "1µs", "1d", &long, &longer,
        ] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ranges_of_layers() {
        assert_eq!(layers("12"), Ok(12..=12));
        assert_eq!(layers("8-12"), Ok(8..=12));
        assert_eq!(layers("0-48"), Ok(0..=48));
        for bad in [
            "", "-", "-3", "3-", "9-8", "49", "8-49", "4..6", "x", "1-2-3",
        ] {
            assert!(layers(bad).is_err(), "{bad}");
        }
    }
}
