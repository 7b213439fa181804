//! The OpenAPI document as a judge of answers: as much of JSON Schema as it uses, and an
//! error for anything else.

use serde_json::Value as Json;

/// The document in the repository, which the server has to serve.
pub(crate) fn openapi() -> Json {
    serde_json::from_str(include_str!("../../src/serve/openapi.json")).unwrap()
}

/// The schema of the body of an answer.
pub(crate) fn of_answer<'a>(
    document: &'a Json,
    path: &str,
    method: &str,
    status: u16,
) -> Option<&'a Json> {
    let operation = &document["paths"][path][method];
    let response = &operation["responses"][status.to_string()];
    assert!(
        response.is_object(),
        "{method} {path} is not to give {status}"
    );
    response["content"]["application/json"].get("schema")
}

/// What is wrong with a value, if anything is.
pub(crate) fn check(document: &Json, schema: &Json, value: &Json) -> Result<(), String> {
    let schema = schema.as_object().unwrap();
    let wrong = |what: &str| Err(format!("{what}: {value}"));
    for (keyword, rule) in schema {
        match keyword.as_str() {
            "description" | "example" | "additionalProperties" => {}
            "$ref" => {
                let pointer = rule.as_str().unwrap().strip_prefix('#').unwrap();
                check(document, document.pointer(pointer).unwrap(), value)?;
            }
            "anyOf" => {
                let schemas = rule.as_array().unwrap().iter();
                let mut results = schemas.map(|schema| check(document, schema, value));
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
                // The only kind of pattern that there is.
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
                    check(document, rule, item)?;
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
                // All objects are closed: what is not described is not there.
                assert_eq!(schema["additionalProperties"], false);
                for (name, item) in value.as_object().into_iter().flatten() {
                    let Some(schema) = rule.get(name) else {
                        return wrong(&format!("with {name}"));
                    };
                    check(document, schema, item).map_err(|error| format!("{name}: {error}"))?;
                }
            }
            other => panic!("{other} is not known here"),
        }
    }
    Ok(())
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
    let document = openapi();
    let schemas = &document["components"]["schemas"];
    let example = serde_json::json!({
        "house": "F", "captured": 0, "value": -3, "best": true,
        "position": [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    });
    let judged = |change: &dyn Fn(&mut Json)| {
        let mut value = example.clone();
        change(&mut value);
        check(&document, &schemas["Move"], &value)
    };
    assert_eq!(judged(&|_| {}), Ok(()));
    assert_eq!(judged(&|value| value["value"] = Json::Null), Ok(()));
    for change in [
        (&|value: &mut Json| value["house"] = "G".into()) as &dyn Fn(&mut Json),
        &|value| value["captured"] = "0".into(),
        &|value| value["captured"] = (-1).into(),
        &|value| value["value"] = 49.into(),
        &|value| value["value"] = 0.5.into(),
        &|value| value["position"] = serde_json::json!([1, 2]),
        &|value| value["position"][3] = 49.into(),
        &|value| value["worth"] = 1.into(),
        &|value| drop(value.as_object_mut().unwrap().remove("best")),
        &|value| *value = Json::Null,
    ] {
        assert!(judged(change).is_err());
    }
}
