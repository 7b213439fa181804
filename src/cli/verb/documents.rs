//! The fields of all JSON documents: `docs/json.md` comes from their types.

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

/// Returns the sections of the page: one for each document, then one for each type of their fields.
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
    let documents = documents.iter().map(|(schema, title)| {
        let name = name_of(schema.as_value()).unwrap();
        (name, *title)
    });
    let mut titles: Vec<(&str, &str)> = documents.collect();
    for (name, schema) in &types {
        let is_new = titles.iter().all(|(other, _)| other != name);
        if is_new && (!fields(schema).is_empty() || !values(schema).is_empty()) {
            titles.push((name, name));
        }
    }
    let of_tables = fields(&types[titles[0].0]);
    let mut text = String::new();
    for &(name, title) in &titles {
        text += &format!("\n### {title}\n\n");
        let values = values(&types[name]).into_iter();
        let values = values.map(|(value, about)| (value.to_string(), about.to_string()));
        let fields = fields(&types[name])
            .into_iter()
            .filter(|(name, field)| title == TABLES || of_tables.get(name) != Some(field));
        let fields = fields.map(|(name, field)| {
            let part = name_of(&field).map(|part| about_type(part, &types[part], &titles));
            let about = format!("{} {}", description(&field), part.unwrap_or_default());
            (name, about.trim().to_string())
        });
        let rows: Vec<(String, String)> = values.chain(fields).collect();
        for same in rows.chunk_by(|one, other| one.1 == other.1) {
            let names: Vec<String> = same.iter().map(|(name, _)| quoted(name)).collect();
            let line = format!("* {}: {}", names.join(", "), same[0].1);
            text += line.trim_end_matches(": ");
            text.push('\n');
        }
    }
    text
}

/// Returns the values of a type that are not described, or a link to its section.
fn about_type(name: &str, schema: &Value, titles: &[(&str, &str)]) -> String {
    if let Some(names) = schema["enum"].as_array() {
        let names = names.iter().map(|name| quoted(name.as_str().unwrap()));
        return names.collect::<Vec<_>>().join(", ") + ".";
    }
    let found = titles.iter().find(|(other, _)| *other == name);
    found.map_or_else(String::new, |(_, title)| link(title))
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
