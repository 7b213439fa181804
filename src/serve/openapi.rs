//! The OpenAPI document: the endpoints, and the schemas of their answers, which come from the types of the answers.

use granero_answer::document::{
    Batch, Catalogue, ErrorDocument, ErrorJson, LineJson, PositionJson, ServedJudgement,
    ServedStatistics,
};
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Value, json};

use crate::endpoints::Health;
use crate::limits::{BATCH_POSITIONS, LONGEST};
use crate::reply::{JSON, TSV};

/// Makes the document.
pub(crate) fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let types = &mut settings.into_generator();
    let error = types.subschema_for::<ErrorDocument<ErrorJson>>();
    let rules = parameter("rules", "path", "The name of a ruleset.", "abapa");
    let position = "A position in any notation: twelve integers, the houses of the player to move first; a board with a \
                    slash; Aalina's notation with stores and side to move.";
    let cycles = "The convention for endless play: `split` or `own-side`; by default the first one with tables.";
    let time = "How long the search may take: a number with ms, s, min or h after it. Without it, `prove` searches \
                for a second, and `line` and `judge` do not search. `limits.prove_seconds` of `tables` is the most.";
    let positions = json!({
        "type": "array",
        "items": {"anyOf": [
            {"type": "string", "maxLength": LONGEST},
            {"type": "array", "items": {"type": "integer"}, "minItems": 12, "maxItems": 12},
        ]},
        "maxItems": BATCH_POSITIONS,
    });
    let lines =
        json!({"type": "string", "description": "A position in each line, as many as you like."});
    let game = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "Games in any notation."},
            "game": {"type": "integer", "minimum": 1, "description": "Which of them to judge [default: 1]."},
        },
        "required": ["text"],
        "additionalProperties": false,
    });
    let paths = json!({
        "/api/v1/tables": get::<Catalogue>(types, "The tables, rulesets and conventions", &[]),
        "/api/v1/{rules}/position": get::<PositionJson>(types,
            "What a position and each of its moves are worth", &["Rules", "P", "Cycles"]),
        "/api/v1/{rules}/prove": get::<PositionJson>(types,
            "What they are worth, as far as a search can prove it", &["Rules", "P", "Cycles", "Time"]),
        "/api/v1/{rules}/line": get::<LineJson>(types,
            "The best line from a position", &["Rules", "P", "Cycles", "Time"]),
        "/api/v1/{rules}/stats": get::<ServedStatistics>(types,
            "Statistics of all layers", &["Rules", "Cycles"]),
        "/api/v1/{rules}/batch": post(
            "What up to 10,000 positions are worth, or any number of them as lines of text", &["Rules", "Cycles"],
            json!({JSON: {"schema": positions}, TSV: {"schema": lines}}),
            json!({JSON: {"schema": types.subschema_for::<Batch<'_>>()}, TSV: {"schema": {"type": "string"}}}),
        ),
        "/api/v1/{rules}/judge": post(
            "What the moves of a game were worth", &["Rules", "Cycles", "Time"],
            json!({JSON: {"schema": game}}),
            json!({JSON: {"schema": types.subschema_for::<ServedJudgement>()}}),
        ),
        "/api/v1/openapi.json": {"get": operation(
            "This document", &[], json!({JSON: {"schema": {"type": "object"}}}))},
        "/healthz": get::<Health>(types, "Whether the server is up, and how many tables are open", &[]),
        "/metrics": {"get": operation(
            "Counters for Prometheus", &[], json!({"text/plain": {"schema": {"type": "string"}}}))},
    });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "granero",
            "summary": "Exact endgame tables for Oware",
            "version": "1",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
            "description": "What positions of Oware are worth, with best play by both. docs/http-api.md explains it.",
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "parameters": {
                "Rules": rules,
                "P": parameter("p", "query", position, "0,2,0,1,1,0,1,0,2,0,1,0"),
                "Cycles": parameter("cycles", "query", cycles, "split"),
                "Time": parameter("time", "query", time, "500ms"),
            },
            "responses": {"Error": {
                "description": "An error. 503 has the header Retry-After.",
                "content": {JSON: {"schema": error}},
            }},
            "schemas": types.take_definitions(true),
        },
    })
}

fn parameter(name: &str, place: &str, description: &str, example: &str) -> Value {
    json!({
        "name": name,
        "in": place,
        "required": matches!(name, "rules" | "p"),
        "description": description,
        "schema": {"type": "string"},
        "example": example,
    })
}

fn get<T: JsonSchema>(types: &mut SchemaGenerator, summary: &str, parameters: &[&str]) -> Value {
    let schema = types.subschema_for::<T>();
    json!({"get": operation(summary, parameters, json!({JSON: {"schema": schema}}))})
}

fn post(summary: &str, parameters: &[&str], body: Value, content: Value) -> Value {
    let mut operation = operation(summary, parameters, content);
    operation["requestBody"] = json!({"required": true, "content": body});
    json!({"post": operation})
}

fn operation(summary: &str, parameters: &[&str], content: Value) -> Value {
    let named = |name| json!({"$ref": format!("#/components/parameters/{name}")});
    json!({
        "summary": summary,
        "parameters": parameters.iter().map(named).collect::<Vec<_>>(),
        "responses": {
            "200": {"description": "The answer.", "content": content},
            "304": {"description": "The answer is the one that If-None-Match names."},
            "default": {"$ref": "#/components/responses/Error"},
        },
    })
}
