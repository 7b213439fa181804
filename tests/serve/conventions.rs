//! One directory with the tables of both conventions for endless play.

use std::collections::BTreeSet;

use granero::Ruleset;
use serde_json::{Value as Json, json};

use crate::answers::{SEEDS, take, texts};
use crate::schema::{check, of_answer, openapi};
use crate::server::{Client, Server, build, build_by, encoded, granero};

const RULES: Ruleset = Ruleset::SlamEnds;

/// Serves a directory with both.
fn server() -> Server {
    let place = tempfile::tempdir().unwrap();
    build(RULES.name(), SEEDS, place.path(), "db");
    build_by("own-side", RULES.name(), SEEDS, place.path(), "db");
    Server::start(place, &["--db", "db"])
}

/// Returns the JSON that the command prints; `None` beyond the tables.
fn of_command(server: &Server, arguments: &[&str]) -> Option<Json> {
    let more = ["--json", "--cycles", "own-side", "--db", "db"];
    let output = granero(&[arguments, &more].concat(), server.place.path(), "");
    let found = output.status.success();
    found.then(|| {
        let mut document = serde_json::from_slice(&output.stdout).unwrap();
        take(&mut document, &["version"]);
        document
    })
}

fn get(client: &mut Client, route: &str, cycles: &str, text: &str) -> Json {
    let p = encoded(text);
    let answer = client.get(&format!("/api/v1/{RULES}/{route}?p={p}&cycles={cycles}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[test]
fn positions_have_bounds() {
    let server = server();
    let mut client = server.client();
    let document = openapi();
    let schema = of_answer(&document, "/api/v1/{rules}/position", "get", 200).unwrap();
    let mut ranges = 0;
    for text in texts(200) {
        let mut answer = get(&mut client, "position", "own-side", &text);
        assert_eq!(check(&document, schema, &answer), Ok(()), "{text}");
        ranges += u32::from(answer["low"] != answer["high"]);
        take(&mut answer, &["unit", "situation", "illegal"]);
        let over = take(&mut answer, &["over"]).remove(0);
        let mut expected = of_command(&server, &["query", "--prove", "off", &text]).unwrap();
        let short = take(&mut expected, &["over", "distance"]).remove(0);
        assert_eq!(over["reason"], short["reason"]);
        assert_eq!(answer, expected, "{text}");
    }
    assert!(ranges > 5, "{ranges}");
}

#[test]
fn without_a_convention_it_is_the_first() {
    let server = server();
    let mut client = server.client();
    for text in texts(20) {
        let p = encoded(&text);
        for route in ["position", "line"] {
            let path = format!("/api/v1/{RULES}/{route}?p={p}");
            let usual = client.get(&path);
            let [split, own_side] = ["split", "own-side"]
                .map(|cycles| client.ask("GET", &format!("{path}&cycles={cycles}"), &[], b""));
            assert_eq!(usual.body, split.body);
            assert_eq!(usual.header("etag"), split.header("etag"));
            assert_ne!(split.header("etag"), own_side.header("etag"));
            for (answer, status) in [(&own_side, 304), (&split, 200)] {
                let known = format!("If-None-Match: {}", answer.header("etag").unwrap());
                let again = client.ask("GET", &format!("{path}&cycles=own-side"), &[&known], b"");
                assert_eq!(again.status, status);
            }
        }
    }
    let catalogue = server.get("/api/v1/tables").json();
    assert_eq!(catalogue["default"]["cycles"], "split");
    let tables = catalogue["tables"].as_array().unwrap();
    let conventions: Vec<&Json> = tables.iter().map(|entry| &entry["cycles"]).collect();
    assert_eq!(conventions, ["split", "own-side"]);
    assert_ne!(tables[0]["fingerprint"], tables[1]["fingerprint"]);
    let more = format!("granero build --rules {RULES} --cycles own-side --seeds 7 --db DIR");
    assert_eq!(tables[1]["more"], more);
    for layer in tables[1]["layers"].as_array().unwrap() {
        let bytes = ["low", "high"].map(|bound| {
            let seeds = layer["seeds"].as_u64().unwrap();
            let file = format!("db/own-side/layer-{seeds:02}-{bound}.granero");
            server.place.path().join(file).metadata().unwrap().len()
        });
        assert_eq!(layer["bytes"], bytes.iter().sum::<u64>());
    }
    let metrics = String::from_utf8(server.get("/metrics").body).unwrap();
    for cycles in ["split", "own-side"] {
        let line = format!("granero_table_seeds{{rules=\"{RULES}\",cycles=\"{cycles}\"}} {SEEDS}");
        assert!(metrics.contains(&line), "{metrics}");
    }
}

#[test]
fn lines_show_both_bounds() {
    let server = server();
    let mut client = server.client();
    let document = openapi();
    let schema = of_answer(&document, "/api/v1/{rules}/line", "get", 200).unwrap();
    let mut numbers = BTreeSet::new();
    for text in texts(80) {
        let mut answer = get(&mut client, "line", "own-side", &text);
        assert_eq!(check(&document, schema, &answer), Ok(()), "{text}");
        let lines = answer["lines"].as_array().unwrap();
        numbers.insert(lines.len());
        for line in lines {
            let bound = line["bound"].as_str().unwrap();
            assert_eq!(line["value"], answer[bound], "{text}");
        }
        take(&mut answer, &["unit", "situation"]);
        match of_command(&server, &["line", "--prove", "off", &text]) {
            Some(expected) => assert_eq!(answer, expected, "{text}"),
            None => {
                let unknown = ["low", "high", "nominal", "end", "score"];
                assert_eq!(take(&mut answer, &unknown), vec![Json::Null; 5]);
                assert_eq!(
                    (&answer["moves"], &answer["lines"]),
                    (&json!([]), &json!([]))
                );
                assert_eq!(answer["reason"], "the tables reach up to 6 seeds");
            }
        }
    }
    assert_eq!(numbers.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn batches_and_statistics_have_both_bounds() {
    let server = server();
    let document = openapi();
    let texts = texts(300);
    let body = json!(texts).to_string();
    let path = format!("/api/v1/{RULES}/batch?cycles=own-side");
    let answer = server.post(&path, body.as_bytes()).json();
    let schema = of_answer(&document, "/api/v1/{rules}/batch", "post", 200).unwrap();
    assert_eq!(check(&document, schema, &answer), Ok(()));
    let mut client = server.client();
    for (text, found) in texts.iter().zip(answer["answers"].as_array().unwrap()) {
        let expected = get(&mut client, "position", "own-side", text);
        for field in ["position", "seeds", "low", "high", "nominal", "reason"] {
            assert_eq!(found.get(field), expected.get(field), "{text}");
        }
    }

    let answer = server
        .get(&format!("/api/v1/{RULES}/stats?cycles=own-side"))
        .json();
    let schema = of_answer(&document, "/api/v1/{rules}/stats", "get", 200).unwrap();
    assert_eq!(check(&document, schema, &answer), Ok(()));
    let expected = of_command(&server, &["stats"]).unwrap();
    let layers = answer["layers"].as_array().unwrap();
    assert_eq!(layers.len(), usize::from(SEEDS) + 1);
    for (layer, expected) in layers.iter().zip(expected["layers"].as_array().unwrap()) {
        for field in [
            "seeds",
            "positions",
            "exact",
            "capturing",
            "longest_capture",
            "sha256",
        ] {
            assert_eq!(layer[field], expected[field], "{field}");
        }
        assert_eq!(layer["low"]["histogram"], expected["histogram"]);
        assert_eq!(layer["low"]["mean"], expected["mean"]);
        assert_eq!(layer["low"]["wins"], expected["wins"]);
        let decided = ["wins", "draws", "losses"].map(|field| expected[field].as_u64().unwrap());
        let rest = expected["positions"].as_u64().unwrap() - decided.iter().sum::<u64>();
        assert_eq!(layer["undecided"], rest);
        for field in ["histogram", "gaps", "sha256"] {
            let found = match field {
                "histogram" => &layer["high"][field],
                "gaps" => &layer[field],
                _ => &layer["high_sha256"],
            };
            assert_eq!(found, &expected["high"][field], "{field}");
        }
        for bound in ["low", "high"] {
            let sign = |wanted: i64| -> u64 {
                let pairs = layer[bound]["histogram"].as_array().unwrap().iter();
                let wanted = pairs.filter(|pair| pair[0].as_i64().unwrap().signum() == wanted);
                wanted.map(|pair| pair[1].as_u64().unwrap()).sum()
            };
            for (field, wanted) in [("wins", 1), ("draws", 0), ("losses", -1)] {
                assert_eq!(layer[bound][field], sign(wanted), "{bound} {field}");
            }
        }
    }
}

#[test]
fn tables_that_are_there_share_the_cache() {
    let tables = tempfile::tempdir().unwrap();
    let decoded = |blocks: &str| {
        let db = tables.path().join("db");
        let arguments = ["--db", db.to_str().unwrap(), "--cache", "64M"];
        let server = Server::start(tempfile::tempdir().unwrap(), &arguments);
        let expected = format!("decoded blocks {blocks},");
        assert!(server.memory.contains(&expected), "{}", server.memory);
    };
    build_by("own-side", "abapa", 2, tables.path(), "db");
    // 64 for own-side, 32 for the other convention in case it appears, and 64 once more, for when
    // tables are opened again.
    decoded("160");
    build("abapa", 2, tables.path(), "db");
    decoded("96");
}
