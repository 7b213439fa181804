//! The command that starts an engine.
//!
//! `shlex` is not used to split it: it removes the backslashes of Windows paths and takes `#` for a comment.

use std::str::FromStr;

/// The command that starts an engine: a program and its arguments.
///
/// It is split at white space; single or double quotes keep words together. No shell is involved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineCommand {
    /// A path, or the name of a command.
    pub(crate) program: String,
    /// The arguments.
    pub(crate) arguments: Vec<String>,
}

impl FromStr for EngineCommand {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineCommand, String> {
        let mut words = words(text)?.into_iter();
        match words.next() {
            Some(program) if !program.is_empty() => Ok(EngineCommand {
                program,
                arguments: words.collect(),
            }),
            _ => Err("it names no program".into()),
        }
    }
}

fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.map_or(Ok(words), |open| {
        Err(format!("a quote `{open}` has no end"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_quotes() {
        assert_eq!(words(" a  b\tc ").unwrap(), ["a", "b", "c"]);
        assert_eq!(words(r#"a'b c'd "" '"'"#).unwrap(), ["ab cd", "", "\""]);
        assert_eq!(words(r"C:\engines\my.exe").unwrap(), [r"C:\engines\my.exe"]);
        assert_eq!(words("").unwrap(), [""; 0]);
        assert_eq!(words("a 'b"), Err("a quote `'` has no end".into()));
    }
}
