//! The parameters of a request, which follow the question mark.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use granero::notation::PositionText;
use granero::{Cycles, Position};
use percent_encoding::percent_decode_str;
use serde_json::value::RawValue;

use crate::limits::LONGEST;
use crate::problem::{Problem, quoted};
use granero_answer::document::{ErrorCode, ErrorJson};
use granero_console::options;

#[derive(Default)]
pub(crate) struct Parameters {
    pub(crate) position: Option<PositionText>,
    pub(crate) cycles: Option<Cycles>,
    /// The time to search.
    pub(crate) time: Option<Duration>,
}

impl Parameters {
    /// Reads parameters, which may have the names in `allowed`.
    pub(crate) fn parse(query: Option<&str>, allowed: &[&str]) -> Result<Self, Problem> {
        let mut parameters = Parameters::default();
        let mut names = BTreeSet::new();
        let pairs = query.unwrap_or_default().split('&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if !allowed.contains(&name) {
                let message = format!("unknown parameter `{}`", quoted(name, 40));
                let hint = format!("the parameters here: {}", allowed.join(", "));
                return Err(Problem::bad_parameter(message, hint));
            }
            if !names.insert(name) {
                let message = format!("the parameter `{name}` is given twice");
                return Err(Problem::bad_parameter(message, "leave one out"));
            }
            let value = decoded(name, value)?;
            match name {
                "p" => parameters.position = Some(position(&value)?),
                "cycles" => parameters.cycles = Some(value.parse()?),
                _ => parameters.time = Some(time(&value)?),
            }
        }
        Ok(parameters)
    }
}

fn time(text: &str) -> Result<Duration, Problem> {
    options::time(text).map_err(|error| {
        let message = format!("the value of `time` is not a time: {error}");
        Problem::bad_parameter(message, "give a time like time=500ms")
    })
}

/// Reads a position in any notation.
pub(crate) fn position(text: &str) -> Result<PositionText, Problem> {
    if text.len() > LONGEST {
        let message = format!("not a position: the text is longer than {LONGEST} bytes");
        return Err(ErrorJson::bad_position(message).into());
    }
    Ok(text.parse()?)
}

/// Decodes a value.
fn decoded(name: &str, value: &str) -> Result<String, Problem> {
    let spaces = value.replace('+', " ");
    let text = percent_decode_str(&spaces).decode_utf8();
    text.map(Into::into).map_err(|_| {
        let message = format!("the value of `{name}` is not text in UTF-8");
        Problem::bad_parameter(message, "encode it as UTF-8 first, then percent-encode it")
    })
}

/// An entry of the list: a position, or why it is not one.
pub(crate) type Entry = Result<Position, Box<ErrorJson>>;

/// Reads a list of at most `most` entries. Entries that are not positions become errors.
pub(crate) fn parse(json: &[u8], most: usize) -> Result<Vec<Entry>, Problem> {
    let hint = "send a JSON list of positions, like [\"0 0 0 0 0 1 2 0 0 0 0 0\"]";
    let list = serde_json::from_slice::<Vec<&RawValue>>(json);
    let list = list.map_err(|error| Problem::bad_json("a list of positions", &error, hint))?;
    if list.len() > most {
        let message = format!("the body has more than {most} positions");
        let hint = "send fewer positions at a time";
        return Err(Problem::new(ErrorCode::TooManyPositions, message, hint));
    }
    let entries = list.into_iter().map(|entry| {
        let position = self::entry(entry.get());
        position.map_err(|problem| Box::new(problem.0))
    });
    Ok(entries.collect())
}

fn entry(json: &str) -> Result<Position, Problem> {
    if let Ok(text) = serde_json::from_str::<Cow<'_, str>>(json) {
        return Ok(position(&text)?.position());
    }
    let Ok(houses) = serde_json::from_str::<[i128; 12]>(json) else {
        let expected = if json.starts_with('[') {
            "not a position: expected a list of twelve integers"
        } else {
            "not a position: expected a text or a list"
        };
        return Err(ErrorJson::bad_position(expected).into());
    };
    let text = houses.map(|seeds| seeds.to_string()).join(",");
    Ok(position(&text)?.position())
}
