//! Reads a JSON list of positions, and keeps nothing else of it.

use std::fmt;
use std::marker::PhantomData;

use granero::Position;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::parameters;
use crate::reply::problem::Problem;
use granero_answer::document::ErrorJson;

/// An entry of the list: a position, or why it is not one.
pub(crate) type BatchEntry = Result<Position, Box<ErrorJson>>;

/// Reads a list of at most `most` entries. Entries that are not positions become errors.
pub(crate) fn parse(json: &[u8], most: usize) -> Result<Vec<BatchEntry>, Problem> {
    let mut list = List {
        entries: Vec::new(),
        most,
        too_many: false,
    };
    // It refuses lists and objects that are nested more than 127 deep.
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let read = deserializer
        .deserialize_seq(&mut list)
        .and_then(|()| deserializer.end());
    match read {
        Ok(()) => Ok(list.entries),
        Err(_) if list.too_many => Err(Problem::too_many_positions(most)),
        // The text of this error would repeat a whole text in place of a list.
        Err(error) if error.is_data() => Err(Problem::bad_json(
            "the body is JSON, but not a list of positions",
        )),
        Err(error) => Err(Problem::bad_json(format!(
            "the body is not a list of positions: {error}"
        ))),
    }
}

/// The entries so far.
struct List {
    entries: Vec<BatchEntry>,
    most: usize,
    too_many: bool,
}

impl<'de> Visitor<'de> for &mut List {
    type Value = ();

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while self.entries.len() < self.most {
            match list.next_element_seed(EntrySeed)? {
                None => return Ok(()),
                Some(Ok(position)) => self.entries.push(Ok(position)),
                Some(Err(problem)) => self.entries.push(Err(Box::new(problem.error))),
            }
        }
        self.too_many = list.next_element::<IgnoredAny>()?.is_some();
        if self.too_many {
            return Err(A::Error::custom("too many positions"));
        }
        Ok(())
    }
}

/// Reads one entry, and skips anything that is not a position.
struct EntrySeed;

/// A position, or the problem of an entry.
type ReadEntry = Result<Position, Problem>;

fn neither() -> ReadEntry {
    Err(Problem::bad_position(
        "not a position: expected a text or a list",
    ))
}

impl<'de> DeserializeSeed<'de> for EntrySeed {
    type Value = ReadEntry;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ReadEntry, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for EntrySeed {
    type Value = ReadEntry;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a position")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ReadEntry, E> {
        Ok(parameters::position(text).map(|text| text.position()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ReadEntry, A::Error> {
        let mut houses = [0; 12];
        let mut number = 0;
        let mut is_good = true;
        while let Some(house) = list.next_element_seed(HouseSeed)? {
            match (houses.get_mut(number), house) {
                (Some(place), Some(seeds)) => *place = seeds,
                _ => is_good = false,
            }
            number += 1;
        }
        if number != houses.len() || !is_good {
            return Ok(Err(Problem::bad_position(
                "not a position: expected a list of twelve integers",
            )));
        }
        Ok(Position::new(houses)
            .map_err(|error| Problem::impossible_position(format!("not a position: {error}"))))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ReadEntry, A::Error> {
        skip(&mut map)?;
        Ok(neither())
    }

    fn visit_unit<E: Error>(self) -> Result<ReadEntry, E> {
        Ok(neither())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<ReadEntry, E> {
        Ok(neither())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<ReadEntry, E> {
        Ok(neither())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<ReadEntry, E> {
        Ok(neither())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<ReadEntry, E> {
        Ok(neither())
    }
}

/// Reads the seeds of a house, and skips anything else, which gives `None`.
struct HouseSeed;

impl<'de> DeserializeSeed<'de> for HouseSeed {
    type Value = Option<u8>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<u8>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for HouseSeed {
    type Value = Option<u8>;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a number of seeds")
    }

    fn visit_u64<E: Error>(self, seeds: u64) -> Result<Option<u8>, E> {
        // A number that is too large stays too large.
        Ok(Some(u8::try_from(seeds).unwrap_or(u8::MAX)))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Option<u8>, E> {
        Ok(None)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Option<u8>, E> {
        Ok(None)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Option<u8>, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<u8>, E> {
        Ok(None)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Option<u8>, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Option<u8>, A::Error> {
        while list.next_element_seed(HouseSeed)?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<u8>, A::Error> {
        skip(&mut map)?;
        Ok(None)
    }
}

fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    while map
        .next_entry_seed(PhantomData::<IgnoredAny>, HouseSeed)?
        .is_some()
    {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_are_not_positions_are_skipped() {
        let json = br#"[ "0 0 0 0 0 1 2 0 0 0 0 0", {"a":[{"":null}],"b":-1.5}, [[1],2], [1e9],
            [0,0,0,0,0,1,2,0,0,0,0,0], true, "x", [0,0,0,0,0,1,2,0,0,0,0,{"":[]}] ]"#;
        let entries = parse(json, 8).unwrap();
        let good: Vec<bool> = entries.iter().map(Result::is_ok).collect();
        assert_eq!(good, [true, false, false, false, true, false, false, false]);
        let problem = parse(json, 7).unwrap_err();
        assert_eq!(problem.status, hyper::StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth| format!("[{}0{}]", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(parse(nested(100).as_bytes(), 9).unwrap().len(), 1);
        assert!(parse(nested(200).as_bytes(), 9).is_err());
        let objects = format!("[{}", "{\"\":".repeat(200_000));
        assert!(parse(objects.as_bytes(), 9).is_err());
    }
}
