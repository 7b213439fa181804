//! The fields of all JSON documents: `docs/json.md` comes from their types.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use granero_answer::document::{
    Batch, Catalogue, ErrorDocument, ErrorJson, LegalMoves, LineJson, PositionJson, RulesAndCycles,
    RulesetJson, Rulesets, ServedJudgement, ServedStatistics, Statistics,
};
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
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
    let generated = Page::new().text();
    if std::env::var_os("TRYCMD").is_some_and(|how| how == "overwrite") {
        fs::write(path, format!("{head}{MARK}{generated}")).unwrap();
    } else {
        assert!(fields == generated, "docs/json.md is out of date: {MARK}");
    }
}

/// All types, by their names, and the titles of the documents among them, in their order.
struct Page {
    types: SchemaGenerator,
    titles: Vec<(String, String)>,
    /// The sections that have described a field, by the field.
    described: BTreeMap<String, String>,
}

impl Page {
    fn new() -> Page {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let mut page = Page {
            types: settings.into_generator(),
            titles: Vec::new(),
            described: BTreeMap::new(),
        };
        page.add::<RulesAndCycles>(TABLES);
        page.add::<LegalMoves>("granero moves");
        page.add::<Rulesets>("granero rules");
        page.add::<RulesetJson>("granero rules NAME");
        page.add::<PositionJson>("granero query, /position, /prove");
        page.add::<LineJson>("granero line, /line");
        page.add::<WithEstimates>("granero judge");
        page.add::<Statistics>("granero stats");
        page.add::<FoundPositions>("granero find");
        page.add::<Built>("granero build");
        page.add::<Estimate>("granero estimate");
        page.add::<Fetched>("granero get");
        page.add::<Info>("granero info");
        page.add::<Citation>("granero cite");
        page.add::<Verified>("granero verify");
        page.add::<VerifiedFiles>("granero verify --quick");
        page.add::<ComparedTables>("granero verify --awari");
        page.add::<Exported>("granero export");
        page.add::<MatchJson>("granero match");
        page.add::<MoveReportJson>("granero referee");
        page.add::<GameReportJson>("granero referee with play");
        page.add::<ServedJudgement>("/judge");
        page.add::<Catalogue>("/tables");
        page.add::<ServedStatistics>("/stats");
        page.add::<Batch<'_>>("/batch");
        page.add::<ErrorDocument<ErrorJson>>("Errors");
        page
    }

    fn add<T: JsonSchema>(&mut self, title: &str) {
        let schema = self.types.subschema_for::<T>();
        let name = name_of(schema.as_value()).unwrap();
        self.titles.push((name.into(), title.into()));
    }

    fn text(mut self) -> String {
        let types = self.types.take_definitions(false);
        // A type that only one field has is described there, all others have a section of their own.
        let all = serde_json::to_string(&types).unwrap();
        let uses = |name: &str| all.matches(&format!("\"#/$defs/{name}\"")).count();
        let has_fields = |schema: &Value| !fields(schema).is_empty() || !values(schema).is_empty();
        for (name, schema) in &types {
            let is_new = self.titles.iter().all(|(other, _)| other != name);
            if is_new && uses(name) > 1 && has_fields(schema) {
                self.titles.push((name.clone(), name.clone()));
            }
        }
        let mut text = String::new();
        for (name, title) in self.titles.clone() {
            let mut rows = Vec::new();
            self.add_rows(&types, &title, &types[&name], "", &mut rows);
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
                    let names = same
                        .iter()
                        .map(|(name, _)| format!("`{}`", name.trim_start()));
                    let names: Vec<_> = names.collect();
                    let line = format!("{:depth$}* {}: {}", "", names.join(", "), same[0].1);
                    text += line.trim_end_matches(": ");
                    text.push('\n');
                }
            }
        }
        text
    }

    /// Adds a row for each field of a type, or for each value.
    fn add_rows(
        &mut self,
        types: &Map<String, Value>,
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
            let part = name_of(field).map(|name| (name, &types[name]));
            let Some((part, schema)) = part else {
                rows.push((path, about));
                continue;
            };
            if let Some((_, title)) = self.titles.iter().find(|(name, _)| name == part) {
                about += &format!(" {}", link(title));
                rows.push((path, about.trim().into()));
            } else if let Some(names) = schema["enum"].as_array() {
                let names: Vec<_> = names
                    .iter()
                    .map(|name| format!("`{}`", name.as_str().unwrap()))
                    .collect();
                about += &format!(" {}.", names.join(", "));
                rows.push((path, about.trim().into()));
            } else {
                let list = if field.get("items").is_some() {
                    "[]"
                } else {
                    ""
                };
                rows.push((path.clone(), about));
                self.add_rows(types, section, schema, &format!("{path}{list}."), rows);
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

fn link(title: &str) -> String {
    let anchor = title.to_lowercase().replace(' ', "-");
    let anchor = anchor.replace(['/', ','], "");
    let name = title.trim_start_matches("granero ").split(',').next();
    format!("[{}](#{anchor})", name.unwrap_or(title))
}
