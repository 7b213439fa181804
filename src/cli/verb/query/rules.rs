//! Answers under several rulesets, from several directories of tables.

use std::fs;
use std::path::{Path, PathBuf};

use granero::notation::PositionText;
use granero::{Access, Ruleset, TableError, Tables};

use super::Format;
use super::Shown;
use crate::arguments::proving::Search;
use crate::output::text::listed;
use crate::system::interruption::{self, Work};
use granero_answer::document::PositionJson;
use granero_answer::{PositionAnswer, Range, best_known, reach, with_causes};
use granero_console::{Failure, TablesOrSample, hint, note, paint, style};

/// `--rules` of `query`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// This ruleset, or an error that says where its tables are.
    One(Ruleset),
    /// The rules of all tables in the directory, and in the directories beside it.
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

/// Tables of several rulesets with their directories: for each ruleset the tables that reach furthest, in the
/// order of the rulesets.
type All = Vec<(PathBuf, Tables)>;

/// Opens the tables in a directory and in the directories beside it.
fn beside(db: &TablesOrSample, access: Access) -> All {
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
    let mut found = All::new();
    for path in paths {
        match db.open_at(&path, access) {
            Ok(tables) if tables.max_seeds().is_some() => found.push((path, tables)),
            Ok(_) | Err(TableError::NoTables { .. } | TableError::OtherCycles { .. }) => {}
            // Damaged tables do not keep the rest from answering.
            Err(error) => note(&with_causes(&error)),
        }
    }
    in_order(found)
}

fn in_order(mut found: All) -> All {
    found.sort_by_key(|(_, tables)| {
        let place = Ruleset::ALL
            .iter()
            .position(|rules| *rules == tables.rules());
        (place, std::cmp::Reverse(tables.max_seeds()))
    });
    found.dedup_by_key(|(_, tables)| tables.rules());
    found
}

/// Fails if tables have other rules, and says where tables of these rules are.
pub(super) fn check(rules: Ruleset, tables: &Tables, db: &TablesOrSample) -> Result<(), Failure> {
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
    Err(Failure::not_possible(
        format!(
            "{place} holds tables of the rules {}, not of {rules}",
            tables.rules()
        ),
        match other {
            Some((path, _)) => format!("such tables are in {0}: --db {0}", path.display()),
            None => format!(
                "build some: `granero build{} --db {rules}-db`",
                hint::option("rules", rules)
            ),
        },
    ))
}

/// Opens the tables for `--rules all`: of several directories, or of one and the directories beside it.
pub(super) fn tables(db: &TablesOrSample, several: Option<&[PathBuf]>) -> Result<All, Failure> {
    if let Some(paths) = several {
        let opened = paths.iter().map(|path| {
            let tables = db.open_at(path, Access::Read)?;
            Ok((path.clone(), tables))
        });
        return Ok(in_order(opened.collect::<Result<_, TableError>>()?));
    }
    let found = beside(db, Access::Read);
    if found.is_empty() {
        return Err(Failure::data(
            format!(
                "there are no tables in {} or beside it",
                db.path().display()
            ),
            "build some: `granero build --rules NAME --db NAME-db`",
        ));
    }
    Ok(found)
}

/// Answers positions under the rules of all these tables.
pub(super) fn all(
    texts: &[PositionText],
    mut found: All,
    search: Option<Search>,
    shown: &Shown,
) -> Result<String, Failure> {
    let _work = search.map(|_| Work::begin());
    let mut output = String::new();
    for text in texts {
        let tables = found
            .iter_mut()
            .map(|(_, tables)| super::answer(tables, text, search));
        let answers: Vec<PositionAnswer<'_>> = tables.collect::<Result<_, _>>()?;
        for answer in &answers {
            output += &match shown.format {
                Format::Json => crate::output::json(&PositionJson::new(answer, None))?,
                Format::Tsv => format!("{}\t{}", answer.tables.rules(), shown.tsv(answer)),
                _ => continue,
            };
        }
        if shown.format == Format::Text {
            output += &table(text, &answers, shown);
        }
    }
    interruption::outcome(output)
}

/// Formats a table for people, with a line for each ruleset.
fn table(text: &PositionText, answers: &[PositionAnswer<'_>], shown: &Shown) -> String {
    let position = match shown.notation {
        None => text.position().to_string(),
        Some(notation) => notation.write(text),
    };
    let heading = "rules              cycles    value    best moves";
    let mut table = format!(
        "{}\n\n{}\n",
        position.trim_end(),
        paint(style::HEADING, heading)
    );
    for answer in answers {
        let (tables, seeds) = (answer.tables, text.position().seeds());
        let value = answer.known();
        let proof = answer.proven.as_ref();
        let proof = proof.filter(|&proof| Range::from(proof).in_words(seeds).is_some());
        let best = match (answer.assessment.over, &value) {
            (Some(over), _) => format!("the game is over: {}", over.reason),
            (None, None) => match proof.map(|proof| best_known(proof, answer.side())) {
                Some(best) if !best.is_empty() => format!("best known {}", listed(&best, " ")),
                _ => reach(tables),
            },
            (None, Some(_)) => listed(&answer.best(), " "),
        };
        let range = || proof.map(|proof| Range::from(proof).brief(seeds));
        table += &format!(
            "{:17}  {:8}  {:7}  {best}\n",
            tables.rules().name(),
            tables.cycles().name(),
            value.or_else(range).unwrap_or_else(|| "-".into()),
        );
    }
    table
}
