//! Reads a JSON list of positions, and keeps nothing else of it.

use std::fmt;
use std::marker::PhantomData;

use granero::Position;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::parameters;
use crate::reply::Problem;
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
            let Some(item) = list.next_element_seed(Item::Entry)? else {
                return Ok(());
            };
            let position = match item {
                Read::Position(position) => position,
                Read::Seeds(_) | Read::Other => Err(Problem::bad_position(
                    "not a position: expected a text or a list",
                )),
            };
            let entry = position.map_err(|problem| Box::new(problem.error));
            self.entries.push(entry);
        }
        self.too_many = list.next_element::<IgnoredAny>()?.is_some();
        if self.too_many {
            return Err(A::Error::custom("too many positions"));
        }
        Ok(())
    }
}

/// Any JSON value, which is read and not kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    /// An entry of the list, which should be a position.
    Entry,
    /// Anything within an entry.
    Inner,
}

enum Read {
    Position(Result<Position, Problem>),
    Seeds(u8),
    Other,
}

impl<'de> DeserializeSeed<'de> for Item {
    type Value = Read;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Read, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Item {
    type Value = Read;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a position")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Read, E> {
        Ok(match self {
            Item::Entry => {
                let text = parameters::position(text);
                Read::Position(text.map(|text| text.position()))
            }
            Item::Inner => Read::Other,
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Read, A::Error> {
        let mut houses = [0; 12];
        let mut number = 0;
        let mut is_good = true;
        while let Some(item) = list.next_element_seed(Item::Inner)? {
            match (houses.get_mut(number), item) {
                (Some(house), Read::Seeds(seeds)) => *house = seeds,
                _ => is_good = false,
            }
            number += 1;
        }
        if self == Item::Inner {
            return Ok(Read::Other);
        }
        Ok(Read::Position(if is_good && number == houses.len() {
            Position::new(houses)
                .map_err(|error| Problem::impossible_position(format!("not a position: {error}")))
        } else {
            Err(Problem::bad_position(
                "not a position: expected a list of twelve integers",
            ))
        }))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Read, A::Error> {
        let key = PhantomData::<IgnoredAny>;
        while map.next_entry_seed(key, Item::Inner)?.is_some() {}
        Ok(Read::Other)
    }

    fn visit_u64<E: Error>(self, seeds: u64) -> Result<Read, E> {
        // A number that is too large stays too large.
        Ok(Read::Seeds(u8::try_from(seeds).unwrap_or(u8::MAX)))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Read, E> {
        Ok(Read::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Read, E> {
        Ok(Read::Other)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Read, E> {
        Ok(Read::Other)
    }

    fn visit_unit<E: Error>(self) -> Result<Read, E> {
        Ok(Read::Other)
    }
}
