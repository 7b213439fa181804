//! The parameters of a request, which follow the question mark.

use std::time::Duration;

use granero::Cycles;
use granero::notation::PositionText;
use granero_answer::document::ErrorJson;
use granero_console::options;
use percent_encoding::percent_decode_str;

use crate::problem::{Problem, quoted};

/// The longest text of a position in bytes, several times longer than any notation needs.
pub const LONGEST: usize = 1000;

/// The names and values of the parameters.
pub(crate) struct Parameters<'a>(Vec<(&'a str, String)>);

impl<'a> Parameters<'a> {
    /// Reads parameters, which may have the names in `allowed`.
    pub(crate) fn parse(query: Option<&'a str>, allowed: &[&str]) -> Result<Self, Problem> {
        let mut all: Vec<(&str, String)> = Vec::new();
        let pairs = query.unwrap_or_default().split('&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if !allowed.contains(&name) {
                let message = format!("unknown parameter `{}`", quoted(name, 40));
                let hint = match allowed {
                    [] => "there are no parameters".into(),
                    [one] => format!("the only parameter is {one}"),
                    [most @ .., last] => {
                        format!("the parameters are {} and {last}", most.join(", "))
                    }
                };
                return Err(Problem::bad_parameter(message, hint));
            }
            if all.iter().any(|(other, _)| *other == name) {
                let message = format!("the parameter `{name}` is given twice");
                return Err(Problem::bad_parameter(message, "leave one out"));
            }
            all.push((name, decoded(name, value)?));
        }
        Ok(Parameters(all))
    }

    fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(other, _)| *other == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn position(&self) -> Result<PositionText, Problem> {
        let hint = "give a position: ?p=0,0,0,0,0,1,2,0,0,0,0,0";
        let missing = || Problem::bad_parameter("the parameter `p` is missing", hint);
        position(self.get("p").ok_or_else(missing)?)
    }

    pub(crate) fn cycles(&self) -> Result<Option<Cycles>, Problem> {
        Ok(self.get("cycles").map(str::parse).transpose()?)
    }

    /// Returns the time to search, if one is given.
    pub(crate) fn time(&self) -> Result<Option<Duration>, Problem> {
        let time = self.get("time").map(options::time).transpose();
        time.map_err(|error| {
            let message = format!("the value of `time` is not a time: {error}");
            Problem::bad_parameter(message, "give a time like time=500ms")
        })
    }
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
    // The crate would keep a percent sign that no two digits follow.
    let begins_with_digits = |text: &str| {
        let two = text.as_bytes().first_chunk::<2>();
        two.is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit))
    };
    if !value.split('%').skip(1).all(begins_with_digits) {
        let message = format!("the value of `{name}` is not percent-encoded");
        return Err(Problem::bad_parameter(
            message,
            "write a percent sign as %25",
        ));
    }
    let spaces = value.replace('+', " ");
    let text = percent_decode_str(&spaces).decode_utf8();
    text.map(Into::into).map_err(|_| {
        let message = format!("the value of `{name}` is not text in UTF-8");
        Problem::bad_parameter(message, "encode it as UTF-8 first, then percent-encode it")
    })
}
