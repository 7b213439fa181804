//! Words for people: numbers, times and rates; ranges of values; what tables hold, and their errors.
//!
//! indicatif shows counts. Its `HumanBytes` is not used: the library's errors show bytes with
//! `granero::build::bytes`, and the command shows them alike.

use std::error::Error;
use std::fmt;
use std::iter;
use std::time::Duration;

use granero::index::Layer;
use granero::table::{LayerStatistics, Manifest};
use granero::{
    Clamped, Cycles, Extent, FinalScore, MAX_SEEDS, Measured, Side, Situation, Tables, Value,
    seeds_text,
};
use indicatif::HumanCount;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A number with commas between its thousands.
pub fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// A rounded number: in millions from a million on.
pub fn rounded(number: u64) -> String {
    if number < 1_000_000 {
        grouped(number)
    } else {
        format!("{:.1} M", number as f64 / 1e6)
    }
}

/// A rate in a second: of positions, or of an engine's answers.
pub fn rate(per_second: f64) -> String {
    match per_second {
        ..100.0 => format!("{per_second:.1}/s"),
        ..1e6 => format!("{}/s", grouped(per_second as u64)),
        _ => format!("{:.1} M/s", per_second / 1e6),
    }
}

/// A number of something whose plural ends in `s`.
pub fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}

/// A time for people. `HumanDuration` of indicatif rounds to seconds, and many times are shorter.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        _ if seconds < 0.95 => format!("{:.0} ms", seconds * 1000.0),
        _ if seconds < 99.5 => format!("{seconds:.1} s"),
        _ if seconds < 5940.0 => format!("{:.0} min", seconds / 60.0),
        _ if seconds < 3600.0 * 48.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}

/// A range of values. With endless play by own-side, it holds the value however an endless
/// cycle is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Range {
    /// The least.
    #[serde(serialize_with = "as_seeds")]
    #[schemars(with = "i8")]
    pub low: Value,
    /// The most.
    #[serde(serialize_with = "as_seeds")]
    #[schemars(with = "i8")]
    pub high: Value,
}

fn as_seeds<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i8(value.seeds())
}

impl Range {
    /// The range of a value that deciding tables have cut off; `None` if nothing is cut off, or
    /// nothing is known. `seeds` is the number of seeds in the position, before a move.
    pub(crate) fn of_cut_off(clamped: Option<Measured<Clamped>>, seeds: u8) -> Option<Range> {
        let clamped = clamped.filter(|clamped| clamped.exactly().is_none())?;
        let [low, high] = clamped.range(seeds);
        Some(Range { low, high })
    }

    /// The value, if there is only one.
    pub(crate) fn exact(self) -> Option<Value> {
        (self.low == self.high).then_some(self.low)
    }

    /// The ends that say more of a position than its number of seeds does; none if the range holds most
    /// values of such a position.
    pub fn ends(self, seeds: u8) -> (Option<Value>, Option<Value>) {
        if self.high.seeds().abs_diff(self.low.seeds()) > seeds + seeds / 2 {
            return (None, None);
        }
        let says = |value: &Value| value.seeds().unsigned_abs() < seeds;
        let wins = |value: &Value| value.seeds() > 0;
        (
            Some(self.low).filter(|low| says(low) || wins(low)),
            Some(self.high).filter(|high| says(high) || !wins(high)),
        )
    }

    /// In short, `+2…+6`, if it says anything of a position with some number of seeds.
    pub fn brief(self, seeds: u8) -> String {
        match self.ends(seeds) {
            (None, None) => "not known yet".into(),
            _ => self.to_string(),
        }
    }

    /// In words, for a position with some number of seeds: `at least +2; at most +6`; `None` if
    /// nothing is known.
    pub fn in_words(self, seeds: u8) -> Option<String> {
        if let Some(value) = self.exact() {
            return Some(value.to_string());
        }
        match self.ends(seeds) {
            (None, None) => None,
            (Some(low), None) => Some(format!("at least {low}")),
            (None, Some(high)) => Some(format!("at most {high}")),
            (Some(low), Some(high)) => Some(format!("at least {low}; at most {high}")),
        }
    }
}

/// Says how a game ends that goes on from a situation: who wins, or `South ends with 22 to 25 seeds`.
pub fn ending(before: &Situation, ends: Measured<FinalScore>) -> String {
    match (ends.low(), ends.high()) {
        (low, high) if low == high => low.to_string(),
        _ => match souths(before, ends) {
            None => "not known yet".into(),
            Some(seeds) => format!("South ends with {seeds} seeds"),
        },
    }
}

/// The seeds that South ends with, in words, as far as they are known.
pub fn souths(before: &Situation, ends: Measured<FinalScore>) -> Option<String> {
    let [one, other] = [ends.low(), ends.high()].map(|end| end.seeds(Side::South));
    let least = Some(one.min(other)).filter(|&least| least > before.store(Side::South).into());
    let north = before.game() - before.store(Side::North);
    let most = Some(one.max(other)).filter(|&most| most < north.into());
    between(least, most)
}

/// A number of seeds in words, as far as its ends are known: `22 to 25`, `at least 22`.
pub fn between(least: Option<f64>, most: Option<f64>) -> Option<String> {
    match (least.map(seeds_text), most.map(seeds_text)) {
        (None, None) => None,
        (Some(least), None) => Some(format!("at least {least}")),
        (None, Some(most)) => Some(format!("at most {most}")),
        (Some(least), Some(most)) if least == most => Some(least),
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
    }
}

/// Says why scores have half seeds. `shown` is the text with the scores.
pub fn why_halves(shown: &str) -> &'static str {
    if shown.contains('½') {
        "Half a seed: endless play is shared; your tournament may count sides instead \
         (--cycles own-side).\n"
    } else {
        ""
    }
}

/// Words with a capital letter, for the beginning of a sentence.
pub fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// The value, or both ends: `+3`, `+2…+6`.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { low, high } = *self;
        Measured::Bounds { low, high }.fmt(f)
    }
}

pub fn reach(tables: &Tables) -> String {
    match tables.max_seeds() {
        Some(seeds) if seeds < MAX_SEEDS && tables.extent().max_seeds() == seeds => {
            format!("the tables decide the game of {seeds} seeds")
        }
        Some(seeds) => format!("the tables reach up to {seeds} seeds"),
        None => format!(
            "no tables of {} with {} have been built",
            tables.rules(),
            tables.cycles()
        ),
    }
}

/// Names what tables hold, like `exact values`.
pub fn held(manifest: &Manifest) -> &'static str {
    match (manifest.cycles, manifest.extent.is_full()) {
        (Cycles::Split, true) => "exact values",
        (Cycles::Split, false) => "deciding values",
        (Cycles::OwnSide, true) => "exact bounds",
        (Cycles::OwnSide, false) => "deciding bounds",
    }
}

/// Names the rules and the convention of tables, and says what deciding tables mean, at the beginning of a text.
pub fn heading_of(tables: &Tables) -> String {
    let (rules, cycles) = (tables.rules(), tables.cycles());
    format!("Rules {rules}, endless play by {cycles}.\n") + &meaning_of(tables.extent())
}

/// A sentence about deciding tables; empty for full tables.
pub fn meaning_of(extent: Extent) -> String {
    match extent.game() {
        None => String::new(),
        Some(game) => format!(
            "Deciding tables: values are cut off where they decide a game of {game} seeds, and counted \
             as cut off.\nUp to {} seeds nothing is cut off.\n",
            game / 2
        ),
    }
}

/// The shares of positions of a layer that are won, drawn and lost, as three columns of a table.
pub fn outcomes(layer: &LayerStatistics) -> String {
    let counts = [layer.wins(), layer.draws, layer.losses()];
    let [won, drawn, lost] = counts.map(|count| count as f64 / layer.positions as f64 * 100.0);
    format!("{won:4.0} %  {drawn:3.0} %  {lost:3.0} %")
}

/// The limit of the values of a layer, if they are cut off.
pub fn limit_of(tables: &Tables, layer: Layer) -> Option<u8> {
    let limit = tables.extent().limit(tables.cycles(), layer.seeds());
    (limit < layer.seeds()).then_some(limit)
}

/// An error and its causes in one line.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let errors = iter::successors(Some(error), |&error| error.source());
    let mut messages: Vec<String> = errors.map(ToString::to_string).collect();
    // Some errors repeat their cause.
    messages.dedup();
    messages.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1234567), "1,234,567");
        assert_eq!(rounded(999_999), "999,999");
        assert_eq!(rounded(1_234_567), "1.2 M");
        assert_eq!(rate(0.26), "0.3/s");
        assert_eq!(rate(12_345.6), "12,345/s");
        assert_eq!(rate(12_345_678.9), "12.3 M/s");
        assert_eq!(counted(1, "seed"), "1 seed");
        assert_eq!(counted(1000, "seed"), "1,000 seeds");
        assert_eq!(duration(Duration::from_millis(12)), "12 ms");
        assert_eq!(duration(Duration::from_secs(75)), "75.0 s");
        assert_eq!(duration(Duration::from_secs(600)), "10 min");
    }

    #[test]
    fn ranges_in_words() {
        for (low, high, words, short) in [
            (2, 6, Some("at least +2; at most +6"), "+2…+6"),
            (2, 18, Some("at least +2"), "+2…+18"),
            (-18, 0, Some("at most 0"), "-18…0"),
            (-18, 18, None, "-18…+18"),
            (-14, 14, None, "-14…+14"),
            (3, 3, Some("+3"), "+3"),
            (18, 18, Some("+18"), "+18"),
            (-18, -18, Some("-18"), "-18"),
        ] {
            let [low, high] = [low, high].map(|seeds| Value::new(seeds).unwrap());
            let range = Range { low, high };
            assert_eq!(range.in_words(18).as_deref(), words);
            assert_eq!(range.to_string(), short);
            assert_eq!(range.brief(18), words.map_or("not known yet", |_| short));
        }
    }
}
