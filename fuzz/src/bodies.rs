//! The slow twin for the body of a batch over HTTP, which first builds a tree of all values.

use granero::Position;
use granero::notation::PositionText;
use serde_json::Value;
use serde_json::value::RawValue;

/// The longest text that may be a position.
const LONGEST: usize = 1000;

/// An entry of the list: a position, or the code of its error.
pub type Entry = Result<Position, &'static str>;

/// The entries of a list of at most `most`, or the codes of the errors that it may get. An entry that is
/// nested too deep, or has a text or number that cannot be read, is not a position.
pub fn list(json: &[u8], most: usize) -> Result<Vec<Entry>, &'static [&'static str]> {
    match serde_json::from_slice::<Vec<Box<RawValue>>>(json) {
        Ok(list) if list.len() > most => Err(&["too-many-positions"]),
        Ok(list) => Ok(list
            .iter()
            .map(|raw| {
                let value: Option<Value> = serde_json::from_str(raw.get()).ok();
                entry(&value.ok_or("bad-position")?)
            })
            .collect()),
        Err(_) => Err(&["bad-json"]),
    }
}

fn entry(entry: &Value) -> Entry {
    match entry {
        Value::String(text) => position(text).map(|text| text.position()),
        Value::Array(houses) => {
            let houses: Option<Vec<u64>> = houses.iter().map(Value::as_u64).collect();
            let houses: Option<[u64; 12]> = houses.and_then(|houses| houses.try_into().ok());
            let houses = houses.ok_or("bad-position")?;
            let houses = houses.map(|seeds| seeds.min(255) as u8);
            Position::new(houses).map_err(|_| "impossible-position")
        }
        _ => Err("bad-position"),
    }
}

/// The position in a text, or the code of its error.
pub fn position(text: &str) -> Result<PositionText, &'static str> {
    if text.len() > LONGEST {
        return Err("bad-position");
    }
    text.parse()
        .map_err(|error: granero::notation::ParseError| {
            if error.impossible {
                "impossible-position"
            } else {
                "bad-position"
            }
        })
}
