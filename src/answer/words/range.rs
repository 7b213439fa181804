//! Ranges that hold an unknown value, and their words.

use std::fmt;

use granero::{Clamped, FinalScore, Measured, Side, Situation, Value, seeds_text};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

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

/// The seeds that South ends with, in words, as far as they are known: `22 to 25`, `at least 22`.
pub fn souths(before: &Situation, ends: Measured<FinalScore>) -> Option<String> {
    let [one, other] = [ends.low(), ends.high()].map(|end| end.seeds(Side::South));
    let least = Some(one.min(other)).filter(|&least| least > before.store(Side::South).into());
    let north = before.game() - before.store(Side::North);
    let most = Some(one.max(other)).filter(|&most| most < north.into());
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

#[cfg(test)]
mod tests {
    use super::*;

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
