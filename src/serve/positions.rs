//! Reads a list of positions in JSON as it comes, and keeps only the positions.

use std::fmt;
use std::marker::PhantomData;

use granero::Position;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::parameters;
use crate::problem::Problem;
use granero_answer::document::ErrorJson;

/// An entry of the list: a position, or why it is not one.
pub(super) type Entry = Result<Position, Box<ErrorJson>>;

/// Reads a list of at most `most` entries, not all of which need be positions.
pub(super) fn parse(json: &[u8], most: usize) -> Result<Vec<Entry>, Problem> {
    let mut list = List {
        entries: Vec::new(),
        most,
        too_many: false,
    };
    // It lets lists be 127 deep within each other, and no deeper.
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let read = deserializer
        .deserialize_seq(&mut list)
        .and_then(|()| deserializer.end());
    match read {
        Ok(()) => Ok(list.entries),
        Err(_) if list.too_many => Err(Problem::too_many_positions(most)),
        // Otherwise the error would repeat the whole of a text that stands in place of a list.
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
    entries: Vec<Entry>,
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
            match list.next_element_seed(One)? {
                None => return Ok(()),
                Some(Ok(position)) => self.entries.push(Ok(position)),
                Some(Err(problem)) => self.entries.push(Err(Box::new(problem.error))),
            }
        }
        self.too_many = list.next_element::<IgnoredAny>()?.is_some();
        match self.too_many {
            true => Err(A::Error::custom("too many positions")),
            false => Ok(()),
        }
    }
}

/// Reads one entry. Skips what is not a position.
struct One;

/// What becomes of it.
type Found = Result<Position, Problem>;

fn neither() -> Found {
    Err(Problem::bad_position(
        "not a position: neither a text nor a list",
    ))
}

impl<'de> DeserializeSeed<'de> for One {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for One {
    type Value = Found;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a position")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Found, E> {
        Ok(parameters::position(text).map(|text| text.position()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Found, A::Error> {
        let mut houses = [0; 12];
        let mut number = 0;
        let mut is_good = true;
        while let Some(house) = list.next_element_seed(House)? {
            match (houses.get_mut(number), house) {
                (Some(place), Some(seeds)) => *place = seeds,
                _ => is_good = false,
            }
            number += 1;
        }
        if number != houses.len() || !is_good {
            return Ok(Err(Problem::bad_position(
                "not a position: not a list of twelve integers",
            )));
        }
        Ok(Position::new(houses)
            .map_err(|error| Problem::impossible_position(format!("not a position: {error}"))))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        read_past(&mut map)?;
        Ok(neither())
    }

    fn visit_unit<E: Error>(self) -> Result<Found, E> {
        Ok(neither())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Found, E> {
        Ok(neither())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Found, E> {
        Ok(neither())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Found, E> {
        Ok(neither())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Found, E> {
        Ok(neither())
    }
}

/// Reads the seeds of a house; `None` for anything else, which it skips.
struct House;

impl<'de> DeserializeSeed<'de> for House {
    type Value = Option<u8>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<u8>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for House {
    type Value = Option<u8>;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a number of seeds")
    }

    fn visit_u64<E: Error>(self, seeds: u64) -> Result<Option<u8>, E> {
        // More than a house can hold stays so.
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
        while list.next_element_seed(House)?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<u8>, A::Error> {
        read_past(&mut map)?;
        Ok(None)
    }
}

fn read_past<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    while map
        .next_entry_seed(PhantomData::<IgnoredAny>, House)?
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
