//! The fields of all JSON documents: `docs/json.md` comes from their types.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use granero_answer::document::{
    Batch, Catalogue, ErrorDocument, ErrorJson, LegalMoves, LineJson, PositionJson, RulesAndCycles,
    RulesetJson, Rulesets, ServedJudgement, ServedStatistics, Statistics,
};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::build::summary::Built;
use super::cite::Citation;
use super::estimate::Estimate;
use super::export::Exported;
use super::find::answer::FoundPositions;
use super::get::Fetched;
use super::info::Info;
use super::judge::estimates::WithEstimates;
use super::r#match::MatchJson;
use super::referee::document::{GameReportJson, MoveReportJson};
use super::verify::awari::ComparedTables;
use super::verify::{Verified, VerifiedFiles};

/// The line above the generated part of the page.
const MARK: &str =
    "<!-- Generated: TRYCMD=overwrite cargo test -p granero-cli --lib json_fields -->\n";

/// The title of the section with the fields about the tables, which other sections leave out.
const TABLES: &str = "All documents";

#[test]
fn json_fields_are_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let text = fs::read_to_string(&path).unwrap();
    let (head, fields) = text.split_once(MARK).unwrap();
    let generated = sections();
    if std::env::var_os("TRYCMD").is_some_and(|how| how == "overwrite") {
        fs::write(path, format!("{head}{MARK}{generated}")).unwrap();
    } else {
        assert!(fields == generated, "docs/json.md is out of date: {MARK}");
    }
}

/// Returns the sections of the page: of each document, and of each type that several fields have.
fn sections() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let types = &mut settings.into_generator();
    macro_rules! titled {
        ($($document:ty: $title:expr,)*) => {
            [$((types.subschema_for::<$document>(), $title)),*]
        };
    }
    let documents = titled! {
        RulesAndCycles: TABLES,
        LegalMoves: "granero moves",
        Rulesets: "granero rules",
        RulesetJson: "granero rules NAME",
        PositionJson: "granero query, /position, /prove",
        LineJson: "granero line, /line",
        WithEstimates: "granero judge",
        Statistics: "granero stats",
        FoundPositions: "granero find",
        Built: "granero build",
        Estimate: "granero estimate",
        Fetched: "granero get",
        Info: "granero info",
        Citation: "granero cite",
        Verified: "granero verify",
        VerifiedFiles: "granero verify --quick",
        ComparedTables: "granero verify --awari",
        Exported: "granero export",
        MatchJson: "granero match",
        MoveReportJson: "granero referee",
        GameReportJson: "granero referee with play",
        ServedJudgement: "/judge",
        Catalogue: "/tables",
        ServedStatistics: "/stats",
        Batch<'_>: "/batch",
        ErrorDocument<ErrorJson>: "Errors",
    };
    let types = types.take_definitions(false);
    let titles = documents.into_iter().map(|(schema, title)| {
        let name = name_of(schema.as_value()).unwrap().to_string();
        (name, title.to_string())
    });
    let mut page = Page {
        types: &types,
        titles: titles.collect(),
        described: BTreeMap::new(),
    };
    // A type that only one field has is described there, all others have a section of their own.
    let all = serde_json::to_string(&types).unwrap();
    let uses = |name: &str| all.matches(&format!("\"#/$defs/{name}\"")).count();
    for (name, schema) in &types {
        let is_new = page.titles.iter().all(|(other, _)| other != name);
        let has_fields = !fields(schema).is_empty() || !values(schema).is_empty();
        if is_new && uses(name) > 1 && has_fields {
            page.titles.push((name.clone(), name.clone()));
        }
    }
    let mut text = String::new();
    for (name, title) in page.titles.clone() {
        let mut rows = Vec::new();
        page.add_rows(&title, &types[&name], "", &mut rows);
        text += &format!("\n### {title}\n\n");
        // Fields that other sections describe stand together.
        let refers = |(_, about): &(String, String)| {
            about.starts_with('[') && about.ends_with('.') || about == "As above."
        };
        let (mut others, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(refers);
        others.sort_by(|one, other| one.1.cmp(&other.1));
        for rows in [rows, others] {
            for same in rows.chunk_by(|one, other| one.1 == other.1) {
                // Values stand below their field.
                let depth = same[0].0.len() - same[0].0.trim_start().len();
                let names = same.iter().map(|(name, _)| quoted(name.trim_start()));
                let names = names.collect::<Vec<_>>().join(", ");
                let line = format!("{:depth$}* {names}: {}", "", same[0].1);
                text += line.trim_end_matches(": ");
                text.push('\n');
            }
        }
    }
    text
}

/// All types, by their names, and the titles of the documents among them, in their order.
struct Page<'a> {
    types: &'a Map<String, Value>,
    titles: Vec<(String, String)>,
    /// The sections that have described a field, by the field.
    described: BTreeMap<String, String>,
}

impl Page<'_> {
    /// Adds a row for each field of a type, or for each value.
    fn add_rows(
        &mut self,
        section: &str,
        schema: &Value,
        before: &str,
        rows: &mut Vec<(String, String)>,
    ) {
        for (value, about) in values(schema) {
            rows.push((format!("  {value}"), about.into()));
        }
        for (name, field) in &fields(schema) {
            let path = format!("{before}{name}");
            let mut about = description(field);
            let key = format!("{name} {field}");
            if let Some(first) = self.described.get(&key) {
                match first.as_str() {
                    TABLES => continue,
                    _ if about.is_empty() && name_of(field).is_none() => {}
                    first if first == section => about = "As above.".into(),
                    first => about = format!("{}.", link(first)),
                }
                rows.push((path, about));
                continue;
            }
            self.described.insert(key, section.to_string());
            let part = name_of(field).map(|name| (name, &self.types[name]));
            let Some((part, schema)) = part else {
                rows.push((path, about));
                continue;
            };
            if let Some((_, title)) = self.titles.iter().find(|(name, _)| name == part) {
                about += &format!(" {}", link(title));
                rows.push((path, about.trim().into()));
            } else if let Some(names) = schema["enum"].as_array() {
                let names = names.iter().map(|name| quoted(name.as_str().unwrap()));
                let names: Vec<_> = names.collect();
                about += &format!(" {}.", names.join(", "));
                rows.push((path, about.trim().into()));
            } else {
                let list = field.get("items").map_or("", |_| "[]");
                rows.push((path.clone(), about));
                self.add_rows(section, schema, &format!("{path}{list}."), rows);
            }
        }
    }
}

/// Returns the name of the type of a field, of its elements, or of what it is if it is not `null`.
fn name_of(field: &Value) -> Option<&str> {
    if let Some(name) = field["$ref"].as_str() {
        return name.rsplit('/').next();
    }
    let mut inner = field["anyOf"].as_array().into_iter().flatten();
    let inner = inner.find_map(name_of);
    inner.or_else(|| field.get("items").and_then(name_of))
}

/// Returns the fields of a type, with those that stand in the place of others.
fn fields(schema: &Value) -> Map<String, Value> {
    let mut all = schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    for keyword in ["anyOf", "allOf"] {
        for part in schema[keyword].as_array().into_iter().flatten() {
            for (name, field) in fields(part) {
                all.entry(name).or_insert(field);
            }
        }
    }
    all
}

/// Returns the values of a type that are described, with their descriptions.
fn values(schema: &Value) -> Vec<(&str, &str)> {
    let all = schema["oneOf"].as_array().into_iter().flatten();
    let all =
        all.filter_map(|value| Some((value["const"].as_str()?, value["description"].as_str()?)));
    all.collect()
}

fn description(field: &Value) -> String {
    let text = field["description"].as_str().unwrap_or_default();
    text.replace('\n', " ")
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}

fn link(title: &str) -> String {
    let anchor = title.to_lowercase().replace(' ', "-");
    let anchor = anchor.replace(['/', ','], "");
    let name = title.trim_start_matches("granero ").split(',').next();
    format!("[{}](#{anchor})", name.unwrap_or(title))
}
