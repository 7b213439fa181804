//! The parameters of a request, which follow the question mark.

use std::borrow::Cow;
use std::str;
use std::time::Duration;

use granero::Cycles;
use granero::notation::PositionText;
use percent_encoding::percent_decode_str;

use crate::reply::{Problem, quoted};
use granero_console::options;

/// The longest text of a position in bytes, several times longer than any notation needs.
pub const LONGEST: usize = 1000;

#[derive(Debug, Default)]
pub(crate) struct Parameters<'a> {
    position: Option<Cow<'a, [u8]>>,
    cycles: Option<Cow<'a, [u8]>>,
    time: Option<Cow<'a, [u8]>>,
}

/// The parameters that a request may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// `cycles`
    Tables,
    /// `cycles` and `time`
    Time,
    /// `cycles` and `p`
    Position,
    /// `cycles`, `p` and `time`
    Search,
}

impl<'a> Parameters<'a> {
    pub(crate) fn parse(query: Option<&'a str>, allowed: Allowed) -> Result<Self, Problem> {
        let mut parameters = Parameters::default();
        let pairs = query.unwrap_or_default().split('&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let place = match name {
                "cycles" => &mut parameters.cycles,
                "p" if matches!(allowed, Allowed::Position | Allowed::Search) => {
                    &mut parameters.position
                }
                "time" if matches!(allowed, Allowed::Time | Allowed::Search) => {
                    &mut parameters.time
                }
                _ => return Err(unknown(name, allowed)),
            };
            if place.is_some() {
                let message = format!("the parameter `{name}` is given twice");
                return Err(Problem::bad_parameter(message, "leave one out"));
            }
            *place = Some(decoded(value).ok_or_else(|| {
                let message = format!("the value of `{name}` is not percent-encoded");
                Problem::bad_parameter(message, "write a percent sign as %25")
            })?);
        }
        Ok(parameters)
    }

    pub(crate) fn position(&self) -> Result<PositionText, Problem> {
        let Some(bytes) = &self.position else {
            let hint = "give a position: ?p=0,0,0,0,0,1,2,0,0,0,0,0";
            return Err(Problem::bad_parameter("the parameter `p` is missing", hint));
        };
        position(text("p", bytes)?)
    }

    pub(crate) fn cycles(&self) -> Result<Option<Cycles>, Problem> {
        let Some(bytes) = &self.cycles else {
            return Ok(None);
        };
        Ok(Some(text("cycles", bytes)?.parse()?))
    }

    /// Returns the time to search, if one is given.
    pub(crate) fn time(&self) -> Result<Option<Duration>, Problem> {
        let Some(bytes) = &self.time else {
            return Ok(None);
        };
        let time = options::time(text("time", bytes)?).map_err(|error| {
            let message = format!("the value of `time` is not a time: {error}");
            Problem::bad_parameter(message, "give a time like time=500ms")
        });
        time.map(Some)
    }
}

/// Reads a position in any notation.
pub(crate) fn position(text: &str) -> Result<PositionText, Problem> {
    if text.len() > LONGEST {
        let message = format!("not a position: the text is longer than {LONGEST} bytes");
        return Err(Problem::bad_position(message));
    }
    Ok(text.parse()?)
}

fn unknown(name: &str, allowed: Allowed) -> Problem {
    let message = format!("unknown parameter `{}`", quoted(name, 40));
    Problem::bad_parameter(
        message,
        match allowed {
            Allowed::Tables => "the only parameter is cycles",
            Allowed::Time => "the parameters are cycles and time",
            Allowed::Position => "the parameters are p and cycles",
            Allowed::Search => "the parameters are p, cycles and time",
        },
    )
}

fn text<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str, Problem> {
    str::from_utf8(bytes).map_err(|_| {
        let message = format!("the value of `{name}` is not text in UTF-8");
        Problem::bad_parameter(message, "encode it as UTF-8 first, then percent-encode it")
    })
}

/// Decodes a value; returns `None` if its encoding is wrong.
fn decoded(value: &str) -> Option<Cow<'_, [u8]>> {
    // The crate would keep a percent sign that no two digits follow.
    let begins_with_digits = |text: &str| {
        let two = text.as_bytes().first_chunk::<2>();
        two.is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit))
    };
    if !value.split('%').skip(1).all(begins_with_digits) {
        return None;
    }
    Some(if value.contains('+') {
        percent_decode_str(&value.replace('+', " ")).collect()
    } else {
        percent_decode_str(value).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_encoding() {
        for (encoded, plain) in [
            ("", ""),
            ("0,1", "0,1"),
            ("0+1%202", "0 1 2"),
            ("%2f%2F", "//"),
            ("%c3%A9", "é"),
            ("%2525", "%25"),
        ] {
            assert_eq!(decoded(encoded).as_deref(), Some(plain.as_bytes()));
        }
        for bad in ["%", "%2", "0%", "%g0", "%0g", "%é", "%+1", "%-1"] {
            assert_eq!(decoded(bad), None, "{bad}");
        }
    }
}
