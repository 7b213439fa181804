//! The OpenAPI document as a judge of answers: as much of JSON Schema as it uses, and an error for
//! anything else.
//!
//! The document is written by hand: its descriptions, limits and examples are most of it, and are in
//! no structure. So all tests check their answers against it, and
//! `every_field_of_the_schemas_is_answered` finds fields that it should not have.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Value as Json, json};

use crate::server::{Server, build, encoded, granero};

/// The document in the repository, which the server must serve.
pub(crate) static OPENAPI: LazyLock<Json> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../src/serve/openapi.json")).unwrap());

/// The schema of the body of an answer; `None` if the document does not describe the body, or if the
/// path is not in it. There all errors have the same schema.
pub(crate) fn of_answer(target: &str, status: u16) -> Option<&'static Json> {
    let path = target.split('?').next().unwrap();
    let parts: Vec<&str> = path.split('/').collect();
    let path = match parts[..] {
        ["", "api", "v1", _, endpoint] => format!("/api/v1/{{rules}}/{endpoint}"),
        _ => path.to_string(),
    };
    let Some(operations) = OPENAPI["paths"][&path].as_object() else {
        let error = &OPENAPI["components"]["schemas"]["Error"];
        return (status >= 400).then_some(error);
    };
    assert_eq!(operations.len(), 1, "each path has one method");
    // With another one the answer is an error that this one lists.
    let operation = operations.values().next().unwrap();
    let response = &operation["responses"][status.to_string()];
    assert!(response.is_object(), "{path} does not describe {status}");
    response["content"]["application/json"].get("schema")
}

/// Returns an error if a value does not fit a schema.
pub(crate) fn check(schema: &Json, value: &Json) -> Result<(), String> {
    let schema = schema.as_object().unwrap();
    let wrong = |what: &str| Err(format!("{what}: {value}"));
    for (keyword, rule) in schema {
        match keyword.as_str() {
            "description" | "example" | "additionalProperties" => {}
            "$ref" => {
                let pointer = rule.as_str().unwrap().strip_prefix('#').unwrap();
                check(OPENAPI.pointer(pointer).unwrap(), value)?;
            }
            "anyOf" => {
                let schemas = rule.as_array().unwrap().iter();
                let mut results = schemas.map(|schema| check(schema, value));
                if results.all(|result| result.is_err()) {
                    return wrong("none of several");
                }
            }
            "type" => {
                let names = rule
                    .as_array()
                    .map_or(std::slice::from_ref(rule), Vec::as_slice);
                if !names.iter().any(|name| is(name.as_str().unwrap(), value)) {
                    return wrong(&format!("not {rule}"));
                }
            }
            "const" if rule != value => return wrong(&format!("not {rule}")),
            "enum" if !rule.as_array().unwrap().contains(value) => {
                return wrong(&format!("not one of {rule}"));
            }
            "const" | "enum" => {}
            "minimum" | "maximum" => {
                let limit = rule.as_f64().unwrap();
                let good = value.as_f64().is_none_or(|number| match keyword.as_str() {
                    "minimum" => number >= limit,
                    _ => number <= limit,
                });
                if !good {
                    return wrong(&format!("{keyword} {limit}"));
                }
            }
            "minItems" | "maxItems" => {
                let limit = rule.as_u64().unwrap() as usize;
                let good = value.as_array().is_none_or(|items| match keyword.as_str() {
                    "minItems" => items.len() >= limit,
                    _ => items.len() <= limit,
                });
                if !good {
                    return wrong(&format!("{keyword} {limit}"));
                }
            }
            "maxLength" => {
                let limit = rule.as_u64().unwrap() as usize;
                if value
                    .as_str()
                    .is_some_and(|text| text.chars().count() > limit)
                {
                    return wrong("too long");
                }
            }
            "pattern" => {
                // The document has no other kind of pattern.
                let rule = rule.as_str().unwrap();
                let digits = rule.strip_prefix("^[0-9a-f]{").unwrap();
                let digits: usize = digits.strip_suffix("}$").unwrap().parse().unwrap();
                let text = value.as_str().unwrap_or_default();
                let hexadecimal = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                if text.len() != digits || !text.bytes().all(hexadecimal) {
                    return wrong(rule);
                }
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    check(rule, item)?;
                }
            }
            "required" => {
                for name in rule.as_array().unwrap() {
                    if value.get(name.as_str().unwrap()).is_none() {
                        return wrong(&format!("without {name}"));
                    }
                }
            }
            "properties" => {
                // All objects are closed: they have only described fields.
                assert_eq!(schema["additionalProperties"], false);
                for (name, item) in value.as_object().into_iter().flatten() {
                    let Some(schema) = rule.get(name) else {
                        return wrong(&format!("with {name}"));
                    };
                    check(schema, item).map_err(|error| format!("{name}: {error}"))?;
                }
            }
            other => panic!("this judge does not know {other}"),
        }
    }
    Ok(())
}

/// The names of fields in schemas.
#[derive(Clone, Copy)]
pub(crate) enum Names {
    /// From the root of an answer: `moves.best`.
    Dotted,
    /// From the last schema with a name: `Move.best`.
    BySchema,
}

/// Collects the fields of a schema, or those that a value has.
pub(crate) fn collect_fields(
    schema: &Json,
    value: Option<&Json>,
    names: Names,
    place: &str,
    fields: &mut BTreeSet<String>,
) {
    let mut visit = |schema: &Json, value: Option<&Json>, place: &str| {
        collect_fields(schema, value, names, place, fields);
    };
    if let Some(pointer) = schema["$ref"].as_str() {
        let (path, name) = pointer.rsplit_once('/').unwrap();
        let named = &OPENAPI.pointer(path.strip_prefix('#').unwrap()).unwrap()[name];
        let place = match names {
            Names::Dotted => place,
            Names::BySchema => name,
        };
        return visit(named, value, place);
    }
    for schema in schema["anyOf"].as_array().into_iter().flatten() {
        if value.is_none_or(|value| check(schema, value).is_ok()) {
            visit(schema, value, place);
        }
    }
    if schema["items"].is_object() {
        match value {
            None => visit(&schema["items"], None, place),
            Some(value) => {
                let items = value.as_array().into_iter().flatten();
                items.for_each(|item| visit(&schema["items"], Some(item), place));
            }
        }
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let value = value.map(|value| value.get(name));
        if value == Some(None) {
            continue;
        }
        let place = match place {
            "" => name.clone(),
            _ => format!("{place}.{name}"),
        };
        collect_fields(schema, value.flatten(), names, &place, fields);
        fields.insert(place);
    }
}

#[test]
fn every_field_of_the_schemas_is_answered() {
    let mut described = BTreeSet::new();
    for (path, operations) in OPENAPI["paths"].as_object().unwrap() {
        for operation in operations.as_object().unwrap().values() {
            for (status, _) in operation["responses"].as_object().unwrap() {
                let schema = of_answer(path, status.parse().unwrap());
                let schema = schema.unwrap_or(&Json::Null);
                collect_fields(schema, None, Names::BySchema, "", &mut described);
            }
        }
    }
    let mut answered = BTreeSet::new();
    let mut ask = |server: &Server, rules: &str, endpoint: &str, query: &str, body: &Json| {
        let target = match endpoint {
            "tables" => "/api/v1/tables".into(),
            "healthz" => "/healthz".into(),
            _ => format!("/api/v1/{rules}/{endpoint}{query}"),
        };
        let answer = match body {
            Json::Null => server.get(&target),
            _ => server.post(&target, body.to_string().as_bytes()),
        };
        let schema = of_answer(&target, answer.status).unwrap();
        let (json, names) = (answer.json(), Names::BySchema);
        collect_fields(schema, Some(&json), names, "", &mut answered);
    };
    let none = &Json::Null;
    let of = |text: &str| format!("?p={}", encoded(text));
    let own_side = |text: &str| of(text) + "&cycles=own-side";

    let sample = Server::with(&["--prove", "20s"]);
    ask(&sample, "", "tables", "", none);
    ask(&sample, "", "healthz", "", none);
    let stores = "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S";
    ask(&sample, "abapa", "position", &of(stores), none);
    ask(&sample, "abapa", "position", &own_side(stores), none);
    ask(
        &sample,
        "abapa",
        "position",
        &of("5 0 0 0 0 0 0 0 0 0 0 0"),
        none,
    );
    ask(&sample, "abapa", "position", &of("one"), none);
    let beyond = of("1 0 2 0 0 2 0 1 2 0 1 0") + "&time=20s";
    ask(&sample, "abapa", "prove", &beyond, none);
    ask(&sample, "abapa", "line", &beyond, none);
    ask(&sample, "abapa", "line", &of(stores), none);
    let cycle = "0 0 0 3 0 1 0 0 0 0 0 2";
    ask(&sample, "abapa", "line", &of(cycle), none);
    ask(&sample, "abapa", "line", &own_side(cycle), none);
    for cycles in ["?cycles=split", "?cycles=own-side"] {
        let batch = json!([cycle, "4 4 4 4 4 4 4 4 4 4 4 4", "one"]);
        ask(&sample, "abapa", "batch", cycles, &batch);
        ask(&sample, "abapa", "stats", cycles, none);
        let game = "[Variant \"abapa\"]\n[South \"Ama\"]\n[Favours \"North\"]\n\
                    [FEN \"0-2-0-1-1-0-1-0-2-0-1-0-20-20-S\"]\n35. B a 36. D c";
        for game in [
            game.into(),
            game.replace("[Favours \"North\"]\n", "") + " A",
        ] {
            ask(&sample, "abapa", "judge", cycles, &json!({ "text": game }));
        }
        for game in ["FfBe", "0-0-3-3-3-3-0-0-2-2-2-2-28-0-S Ca"] {
            let query = format!("{cycles}&time=1ms");
            for _ in 0..5 {
                ask(&sample, "abapa", "judge", &query, &json!({ "text": game }));
            }
        }
    }

    let place = tempfile::tempdir().unwrap();
    build("slam-ends", 2, place.path(), "db");
    let slam_ends = Server::start(place, &["--db", "db"]);
    let slam = of("0 0 0 0 0 1 1 0 0 0 0 0");
    ask(&slam_ends, "slam-ends", "position", &slam, none);
    ask(&slam_ends, "slam-ends", "line", &slam, none);

    let place = tempfile::tempdir().unwrap();
    let game = "build --quiet --game 8 --seeds 7 --db db".split(' ');
    let built = granero(&game.collect::<Vec<&str>>(), place.path(), "");
    assert!(built.status.success(), "{built:?}");
    let decided = Server::start(place, &["--db", "db"]);
    let won = "0 0 0 0 0 1 0 0 0 0 0 6";
    ask(&decided, "", "tables", "", none);
    ask(&decided, "abapa", "position", &of(won), none);
    let stores = "0-0-0-0-0-1-0-0-0-0-0-6-20-21-S";
    ask(&decided, "abapa", "position", &of(stores), none);
    ask(&decided, "abapa", "line", &of(won), none);
    ask(&decided, "abapa", "stats", "", none);
    ask(&decided, "abapa", "batch", "", &json!([won]));
    let game = json!({ "text": "1-0-0-0-0-0-6-0-0-0-0-0-20-21-S A" });
    ask(&decided, "abapa", "judge", "", &game);

    let missing: Vec<&String> = described.difference(&answered).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn is(name: &str, value: &Json) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("{other} is no type"),
    }
}

#[test]
fn the_judge_finds_faults() {
    let schema = &OPENAPI["components"]["schemas"]["Move"];
    let example = json!({
        "house": "F", "captured": 0, "value": -3, "outcome": "loss", "best": true,
        "position": [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    });
    let judged = |change: &dyn Fn(&mut Json)| {
        let mut value = example.clone();
        change(&mut value);
        check(schema, &value)
    };
    assert_eq!(judged(&|_| {}), Ok(()));
    assert_eq!(judged(&|value| value["value"] = Json::Null), Ok(()));
    for change in [
        (&|value: &mut Json| value["house"] = "G".into()) as &dyn Fn(&mut Json),
        &|value| value["captured"] = "0".into(),
        &|value| value["captured"] = (-1).into(),
        &|value| value["value"] = 49.into(),
        &|value| value["value"] = 0.5.into(),
        &|value| value["position"] = json!([1, 2]),
        &|value| value["position"][3] = 49.into(),
        &|value| value["worth"] = 1.into(),
        &|value| drop(value.as_object_mut().unwrap().remove("best")),
        &|value| *value = Json::Null,
    ] {
        assert!(judged(change).is_err());
    }
}
