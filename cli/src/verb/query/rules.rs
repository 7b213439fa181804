//! One position under several rulesets: the tables of other directories beside the one that is named.

use std::fs;
use std::path::{Path, PathBuf};

use granero::notation::PositionText;
use granero::{Access, Assessment, Ruleset, TableError, Tables};

use super::Format;
use crate::answer::{PositionAnswer, reach};
use crate::causes::with_causes;
use crate::db::Db;
use crate::document::QueryDocument;
use crate::failure::Failure;
use crate::hint;
use crate::stderr::note;
use crate::style::{self, paint};

/// `--rules` of `query`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// These, or an error that says where they are.
    One(Ruleset),
    /// Those of all tables in the directory, and in those beside it.
    All,
}

impl Which {
    pub(super) fn parse(text: &str) -> Result<Which, String> {
        match text {
            "all" => Ok(Which::All),
            name => name.parse().map(Which::One).map_err(|_| {
                let names = Ruleset::ALL.map(Ruleset::name).join(", ");
                format!("it is one of {names}, or all")
            }),
        }
    }
}

/// The tables in a directory and in those beside it: for each ruleset those that reach furthest.
fn beside(db: &Db, access: Access) -> Vec<(PathBuf, Tables)> {
    let parent = match db.path().parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    paths.sort();
    let mut found: Vec<(PathBuf, Tables)> = Vec::new();
    for path in paths {
        match db.open_at(&path, access) {
            Ok(tables) if tables.max_seeds().is_some() => found.push((path, tables)),
            Ok(_) | Err(TableError::NoTables { .. } | TableError::OtherCycles { .. }) => {}
            // The others are sound.
            Err(error) => note(&with_causes(&error)),
        }
    }
    found.sort_by_key(|(_, tables)| {
        let place = Ruleset::ALL
            .iter()
            .position(|rules| *rules == tables.rules());
        (place, std::cmp::Reverse(tables.max_seeds()))
    });
    found.dedup_by_key(|(_, tables)| tables.rules());
    found
}

/// Makes sure that tables are of a ruleset, or says where such tables are.
pub(super) fn check(rules: Ruleset, tables: &Tables, db: &Db) -> Result<(), Failure> {
    if tables.rules() == rules {
        return Ok(());
    }
    let other = beside(db, Access::Read)
        .into_iter()
        .find(|(_, tables)| tables.rules() == rules);
    let place = match tables.directory() {
        Some(directory) => directory.display().to_string(),
        None => "the sample of this program".into(),
    };
    Err(Failure::NotPossible {
        message: format!(
            "{place} holds tables of the rules {}, not of {rules}",
            tables.rules()
        ),
        help: match other {
            Some((path, _)) => format!("such tables are in {0}: --db {0}", path.display()),
            None => format!(
                "build some: `granero build{} --db {rules}-db`",
                hint::by(rules)
            ),
        },
    })
}

/// Answers positions under the rules of all tables that there are.
pub(super) fn all(texts: &[PositionText], db: &Db, format: Format) -> Result<String, Failure> {
    let found = beside(db, Access::Read);
    if found.is_empty() {
        return Err(Failure::Data {
            message: format!(
                "there are no tables in {} or beside it",
                db.path().display()
            ),
            help: "build some: `granero build --rules NAME --db NAME-db`".into(),
        });
    }
    let mut output = String::new();
    for text in texts {
        let tables = found
            .iter()
            .map(|(_, tables)| PositionAnswer::new(tables, text));
        let answers: Vec<PositionAnswer<'_>> = tables.collect::<Result<_, _>>()?;
        for answer in &answers {
            output += &match format {
                Format::Json => crate::output::json(&QueryDocument::new(answer, None))?,
                Format::Tsv => format!("{}\t{}", answer.tables.rules(), answer.tsv()),
                _ => continue,
            };
        }
        if format == Format::Text {
            output += &table(text, &answers);
        }
    }
    Ok(output)
}

/// A table for people, with a line for each ruleset.
fn table(text: &PositionText, answers: &[PositionAnswer<'_>]) -> String {
    let heading = "rules              cycles    value    best moves";
    let mut table = format!(
        "{}\n\n{}\n",
        text.position(),
        paint(style::HEADING, heading)
    );
    for answer in answers {
        let tables = answer.tables;
        let Assessment { worth, clamped, .. } = &answer.assessment;
        let worth = worth.map(|worth| worth.to_string());
        let worth = worth.or_else(|| clamped.map(|clamped| clamped.to_string()));
        let best = answer
            .assessment
            .best()
            .map(|best| best.play.house.letter(answer.side()));
        let best = match (answer.assessment.over, &worth) {
            (Some(over), _) => format!("the game is over: {}", over.reason),
            (None, None) => reach(tables),
            (None, Some(_)) => best.map(String::from).collect::<Vec<_>>().join(" "),
        };
        table += &format!(
            "{:17}  {:8}  {:7}  {best}\n",
            tables.rules().name(),
            tables.cycles().name(),
            worth.unwrap_or_else(|| "?".into()),
        );
    }
    table
}
