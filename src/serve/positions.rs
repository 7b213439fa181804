//! Reads a JSON list of positions.

use std::borrow::Cow;

use granero::{MAX_SEEDS, Position, TooManySeeds};
use granero_answer::document::{ErrorCode, ErrorJson};
use serde_json::value::RawValue;

use crate::parameters;
use crate::problem::Problem;

/// An entry of the list: a position, or why it is not one.
pub(crate) type Entry = Result<Position, Box<ErrorJson>>;

/// Reads a list of at most `most` entries. Entries that are not positions become errors.
pub(crate) fn parse(json: &[u8], most: usize) -> Result<Vec<Entry>, Problem> {
    let hint = "send a JSON list of positions, like [\"0 0 0 0 0 1 2 0 0 0 0 0\"]";
    let list: Vec<&RawValue> = serde_json::from_slice(json).map_err(|error| {
        let message = if error.is_data() {
            // Its own text would repeat a whole text in place of a list.
            "the body is JSON, but not a list of positions".into()
        } else {
            format!("the body is not a list of positions: {error}")
        };
        Problem::bad_json(message, hint)
    })?;
    if list.len() > most {
        let message = format!("the body has more than {most} positions");
        let hint = "send fewer positions at a time";
        return Err(Problem::new(ErrorCode::TooManyPositions, message, hint));
    }
    let entries = list.into_iter().map(|entry| {
        let position = position(entry.get());
        position.map_err(|problem| Box::new(problem.error))
    });
    Ok(entries.collect())
}

fn position(json: &str) -> Result<Position, Problem> {
    if let Ok(text) = serde_json::from_str::<Cow<'_, str>>(json) {
        return Ok(parameters::position(&text)?.position());
    }
    let Ok(houses) = serde_json::from_str::<[u64; 12]>(json) else {
        let expected = if json.starts_with('[') {
            "not a position: expected a list of twelve integers"
        } else {
            "not a position: expected a text or a list"
        };
        return Err(ErrorJson::bad_position(expected).into());
    };
    // Numbers that do not fit are told as they are.
    let all = houses
        .iter()
        .fold(0, |sum: u64, &seeds| sum.saturating_add(seeds));
    let seeds = u32::try_from(all).unwrap_or(u32::MAX);
    let position = if seeds > u32::from(MAX_SEEDS) {
        Err(TooManySeeds { seeds })
    } else {
        Position::new(houses.map(|seeds| seeds as u8))
    };
    position
        .map_err(|error| ErrorJson::impossible_position(format!("not a position: {error}")).into())
}
