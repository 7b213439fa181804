//! Answers are those of the command and the library, and fit the OpenAPI document.

use std::collections::BTreeSet;

use granero::notation::{aalina, board};
use granero::random::SplitMix64;
use granero::rules::IllegalMove;
use granero::{Cycles, House, Position, Ruleset, Side, Situation, Tables, Turn, Value};
use serde_json::{Value as Json, json};
use test_case::test_case;

use crate::documents;
use crate::server::{KNOWN, Server, build_by, encoded, granero};
use crate::support::random;

/// The tables here, with all ways to end a game. Those of the same rules share a directory.
const TABLES: [(Ruleset, Cycles); 4] = [
    (Ruleset::Abapa, Cycles::Split),
    (Ruleset::SlamIllegal, Cycles::Split),
    (Ruleset::SlamEnds, Cycles::Split),
    (Ruleset::SlamEnds, Cycles::OwnSide),
];

pub(crate) const SEEDS: u8 = 6;

/// Serves all these tables.
pub(crate) fn server() -> Server {
    let place = tempfile::tempdir().unwrap();
    let mut arguments = Vec::new();
    for (rules, cycles) in TABLES {
        let name = rules.name();
        build_by(cycles.name(), name, SEEDS, place.path(), name);
        if cycles == Cycles::Split {
            arguments.extend(["--db", name]);
        }
    }
    Server::start(place, &arguments)
}

/// Returns the JSON that the command prints; `None` beyond the tables.
pub(crate) fn of_command(
    server: &Server,
    (rules, cycles): (Ruleset, Cycles),
    arguments: &[&str],
) -> Option<Json> {
    let more = ["--json", "--cycles", cycles.name(), "--db", rules.name()];
    let output = granero(&[arguments, &more].concat(), server.place.path(), "");
    let code = output.status.code();
    assert!([Some(0), Some(3)].contains(&code), "{output:?}");
    (code == Some(0)).then(|| {
        let mut document = serde_json::from_slice(&output.stdout).unwrap();
        take(&mut document, &["version"]);
        document
    })
}

/// Returns positions as people write them, in all notations.
pub(crate) fn texts(number: u64) -> Vec<String> {
    let mut random = SplitMix64::new(1);
    let text = |number| {
        let position = random::position(&mut random, SEEDS + 2);
        match number % 4 {
            0 => position.to_string(),
            1 => position.houses().map(|seeds| seeds.to_string()).join(","),
            2 => {
                let board = board::write(&position, Side::South);
                let rows: Vec<&str> = board.lines().collect();
                format!("{} / {}", rows[1], rows[2])
            }
            _ => {
                let side = [Side::South, Side::North][random.below(2) as usize];
                let captured = 48 - position.seeds();
                let south = random.below(u64::from(captured) + 1) as u8;
                let situation = Situation::new(position, side, south, captured - south);
                aalina::write(&situation.unwrap())
            }
        }
    };
    (0..number).map(text).collect()
}

/// Takes fields out of a document.
pub(crate) fn take(document: &mut Json, names: &[&str]) -> Vec<Json> {
    let fields = document.as_object_mut().unwrap();
    let taken = names.iter().map(|name| fields.remove(*name));
    taken.map(Option::unwrap_or_default).collect()
}

#[test_case(400)]
#[test_case(1000 => ignore["slow: .ci/run has it"] ())]
fn positions_are_worth_what_the_command_says(number: u64) {
    let server = server();
    let mut client = server.client();
    let texts = texts(number);
    let lines: String = texts.iter().map(|text| format!("{text}\n")).collect();
    for (rules, cycles) in TABLES {
        #[rustfmt::skip]
        let arguments = [
            "query", "--batch", "-", "--format", "json", "--db", rules.name(), "--cycles", cycles.name(),
        ];
        let output = granero(&arguments, server.place.path(), &lines);
        let expected = std::str::from_utf8(&output.stdout).unwrap().lines();
        let (mut unknown, mut ranges) = (0, 0);
        for (text, expected) in texts.iter().zip(expected) {
            let p = encoded(text);
            let answer = client.get(&format!("/api/v1/{rules}/position?p={p}&cycles={cycles}"));
            assert_eq!(answer.status, 200, "{answer:?}");
            let mut json = answer.json();
            unknown += u32::from(json.get("reason").is_some());
            ranges += u32::from(json.get("low") != json.get("high"));
            let [unit, situation, over, illegal] =
                take(&mut json, &["unit", "situation", "over", "illegal"])
                    .try_into()
                    .unwrap();
            let mut expected: Json = serde_json::from_str(expected).unwrap();
            // The server has more fields in it.
            take(&mut expected, &["over", "version"]);
            assert_eq!(json, expected, "{text}");
            assert_eq!(unit, "seeds");
            let text: granero::notation::PositionText = text.parse().unwrap();
            assert_eq!(situation, expected_situation(text.situation()));
            let position = text.position();
            assert_eq!(over, expected_over(rules, &position));
            assert_eq!(illegal, expected_illegal(rules, &position));
        }
        assert!(unknown > 30, "{unknown}");
        assert_eq!(ranges > 25, cycles == Cycles::OwnSide, "{ranges}");
    }
}

fn expected_situation(situation: Option<Situation>) -> Json {
    situation.map_or(Json::Null, |situation| {
        json!({
            "notation": situation.to_string(),
            "to_move": situation.to_move().to_string().to_lowercase(),
            "south": situation.store(Side::South),
            "north": situation.store(Side::North),
        })
    })
}

fn expected_over(rules: Ruleset, position: &Position) -> Json {
    let Turn::Over(over) = rules.turn(position) else {
        return Json::Null;
    };
    // The two players take all seeds, and the difference is the value.
    let (seeds, value) = (i32::from(position.seeds()), i32::from(over.value.seeds()));
    json!({
        "reason": over.reason.name(),
        "text": over.reason.to_string(),
        "value": value,
        "mover": (seeds + value) / 2,
        "opponent": (seeds - value) / 2,
    })
}

fn expected_illegal(rules: Ruleset, position: &Position) -> Json {
    let illegal = House::ALL.into_iter().filter_map(|house| {
        let IllegalMove { house, refusal } = rules.play(position, house).err()?;
        Some(json!({
            "house": house.to_string(),
            "reason": refusal.name(),
            "text": refusal.to_string(),
        }))
    });
    illegal.collect()
}

#[test_case(50)]
#[test_case(160 => ignore["slow: .ci/run has it"] ())]
fn lines_are_those_of_the_command(number: u64) {
    let server = server();
    let mut client = server.client();
    let mut ends = BTreeSet::new();
    let mut numbers = BTreeSet::new();
    for text in texts(number) {
        for (rules, cycles) in [TABLES[0], TABLES[2], TABLES[3]] {
            let p = encoded(&text);
            let answer = client.get(&format!("/api/v1/{rules}/line?p={p}&cycles={cycles}"));
            assert_eq!(answer.status, 200, "{answer:?}");
            let mut json = answer.json();
            ends.insert(json["end"]["reason"].to_string());
            let [unit, situation] = take(&mut json, &["unit", "situation"]).try_into().unwrap();
            assert_eq!(unit, "seeds");
            let parsed: granero::notation::PositionText = text.parse().unwrap();
            assert_eq!(situation, expected_situation(parsed.situation()));
            if let Some(lines) = json["lines"].as_array() {
                numbers.insert(lines.len());
                for line in lines {
                    let bound = line["bound"].as_str().unwrap();
                    assert_eq!(line["value"], json[bound], "{text}");
                }
            }
            let arguments = ["line", "--prove", "off", &text];
            if let Some(expected) = of_command(&server, (rules, cycles), &arguments) {
                assert_eq!(json, expected, "{text}");
                continue;
            }
            // The position is beyond the tables.
            assert_eq!(json["reason"], "the tables reach up to 6 seeds");
            let (value, lines) = match cycles {
                Cycles::Split => (&["value"][..], Json::Null),
                Cycles::OwnSide => (&["low", "high", "nominal"][..], json!([])),
            };
            assert_eq!((&json["moves"], &json["lines"]), (&json!([]), &lines));
            for unknown in [value, &["end", "score"]].concat() {
                assert_eq!(json.get(unknown), Some(&Json::Null), "{unknown}");
            }
        }
    }
    assert!(ends.len() >= 4, "{ends:?}");
    assert!(numbers.into_iter().eq(0..=2));
}

#[test]
fn batches_are_answered_in_order_whatever_is_in_them() {
    let server = server();
    let tables = Tables::open(server.place.path().join("abapa")).unwrap();
    let positions = random::positions(10_000, SEEDS + 1, 2);
    let questions = positions
        .iter()
        .enumerate()
        .map(|(number, position)| match number % 2 {
            0 => json!(position.to_string()),
            _ => json!(position.houses()),
        });
    let questions: Json = questions.collect();
    let answer = server.post("/api/v1/abapa/batch", questions.to_string().as_bytes());
    assert_eq!(answer.status, 200);
    let json = answer.json();
    assert_eq!(json["unit"], "seeds");
    let answers = json["answers"].as_array().unwrap();
    assert_eq!(answers.len(), positions.len());
    for (answer, position) in answers.iter().zip(&positions) {
        let value = tables.assess(position).unwrap().exact();
        let mut expected = json!({
            "position": position.houses(),
            "seeds": position.seeds(),
            "value": value.map(Value::seeds),
        });
        if value.is_none() {
            expected["reason"] = "the tables reach up to 6 seeds".into();
        }
        assert_eq!(answer, &expected);
    }
    // An entry that is not a position gives an error in its place.
    let nested = (0..100).fold(json!(0), |inner, _| json!([inner]));
    let questions = json!([
        "0 0 0 0 0 1 2 0 0 0 0 0", "one", "49 0 0 0 0 0 0 0 0 0 0 0", 5, null, [1, 2],
        [48, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0.5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        "1".repeat(1001), "0 0 0 0 0 1 / 2 0 0 0 0 0",
        [1e99, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], {"p": [{"": null}], "q": -1.5}, [[1], 2], true,
        [0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, {"": []}], nested, [0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0],
    ]);
    let json = server
        .post("/api/v1/abapa/batch", questions.to_string().as_bytes())
        .json();
    let answers = json["answers"].as_array().unwrap().iter();
    let codes: Vec<&str> = answers
        .map(|answer| answer["error"]["code"].as_str().unwrap_or("good"))
        .collect();
    let (bad, impossible) = ("bad-position", "impossible-position");
    assert_eq!(
        codes,
        [
            "good", bad, impossible, bad, bad, bad, impossible, bad, bad, "good", bad, bad, bad,
            bad, bad, bad, "good"
        ]
    );
    let nothing = server.post("/api/v1/abapa/batch", b"[]").json();
    assert_eq!(nothing["answers"], json!([]));
}

#[test]
fn statistics_are_those_of_the_command() {
    let server = server();
    for tables in TABLES.into_iter().take(3) {
        let mut json = server.json(&format!("/api/v1/{}/stats", tables.0));
        assert_eq!(take(&mut json, &["unit"]), ["seeds"]);
        let mut expected = of_command(&server, tables, &["stats"]).unwrap();
        take(&mut expected, &["plot"]);
        assert_eq!(json, expected);
    }
    let nothing = server.json("/api/v1/awari/stats");
    assert_eq!(nothing["layers"], json!([]));
}

#[test]
fn the_catalogue_lists_what_there_is() {
    let server = server();
    let json = server.json("/api/v1/tables");
    let tables = json["tables"].as_array().unwrap();
    assert_eq!(tables.len(), TABLES.len());
    for (entry, (rules, cycles)) in tables.iter().zip(TABLES) {
        let info = of_command(&server, (rules, cycles), &["info"]).unwrap();
        for field in ["rules", "cycles", "positions", "bytes", "building"] {
            assert_eq!(entry[field], info[field], "{field}");
        }
        assert_eq!(entry["sample"], false);
        assert_eq!(entry["max_seeds"], SEEDS);
        let option = match cycles {
            Cycles::Split => "",
            Cycles::OwnSide => " --cycles own-side",
        };
        let more = format!("granero build --rules {rules}{option} --seeds 7 --db DIR");
        assert_eq!(entry["more"], more);
        let layers = entry["layers"].as_array().unwrap();
        assert_eq!(layers.len(), 7);
        for (layer, expected) in layers.iter().zip(info["layers"].as_array().unwrap()) {
            for field in ["seeds", "positions", "bytes", "sha256"] {
                assert_eq!(layer[field], expected[field], "{field}");
            }
        }
    }
    let default = json!({"rules": "abapa", "cycles": "split"});
    assert_eq!(json["default"], default);
    let rulesets = json["rulesets"].as_array().unwrap();
    let output = granero(&["rules", "--json"], server.place.path(), "");
    let mut expected: Json = serde_json::from_slice(&output.stdout).unwrap();
    for (entry, expected) in rulesets
        .iter()
        .zip(expected["rulesets"].as_array_mut().unwrap())
    {
        let rules: Ruleset = entry["name"].as_str().unwrap().parse().unwrap();
        let of_rules = TABLES.iter().filter(|tables| tables.0 == rules);
        expected["tables"] = of_rules.map(|tables| tables.1.name()).collect();
        assert_eq!(entry, expected);
    }
    assert_eq!(rulesets.len(), Ruleset::ALL.len());
    // The answer does not reveal where they are.
    let place = server.place.path().to_string_lossy().into_owned();
    assert!(!json.to_string().contains(&place));
}

#[test]
fn the_sample_is_served_where_nothing_is_built() {
    let server = Server::sample();
    let [split, own_side] =
        ["split", "own-side"].map(|cycles| format!("sample of abapa/{cycles} up to 8 seeds"));
    let line = format!("Serving {split}, {own_side} at http://127.");
    assert!(server.line.starts_with(&line), "{}", server.line);
    assert_eq!(server.stderr(), "");
}

/// Every operation of the document exists, with its parameters, and both documents have the same.
#[test]
fn the_document_describes_the_routes() {
    let server = Server::sample();
    let document = server.json("/api/v1/openapi.json");
    let mut endpoints = documents::endpoints();
    assert!(endpoints.remove("GET /"), "the page is for people");
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let endpoint = format!("{} {path}", method.to_uppercase());
            let is_known = endpoints.remove(&*endpoint);
            assert!(is_known, "{endpoint} is not in docs/http-api.md");
            let parameters = operation["parameters"].as_array();
            let parameters = parameters.into_iter().flatten();
            let names: Vec<&str> = parameters
                .map(|parameter| parameter["$ref"].as_str().unwrap())
                .collect();
            let mut target = path.replace("{rules}", "abapa");
            if names.contains(&"#/components/parameters/P") {
                target += "?p=0,0,0,0,0,1,2,0,0,0,0,0";
            }
            if names.contains(&"#/components/parameters/Cycles") {
                target += if target.contains('?') { "&" } else { "?" };
                target += "cycles=split";
            }
            let answer = match method.as_str() {
                "get" => server.get(&target),
                _ if path.ends_with("/judge") => server.post(&target, b"{\"text\": \"Ff\"}"),
                _ => server.post(&target, b"[]"),
            };
            assert_eq!(answer.status, 200, "{target}");
            let kind = answer.header("content-type").unwrap();
            let kind = kind.split(';').next().unwrap();
            let content = &operation["responses"]["200"]["content"][kind];
            assert!(content.is_object(), "{target}: {kind}");
            if kind == "application/json" {
                answer.json();
            }
            // Any other method gets the allowed ones.
            let other = server.ask("DELETE", &target, &[], b"");
            other.assert_error(405, "method-not-allowed");
            let allowed = other.header("allow").unwrap().to_lowercase();
            assert!(allowed.contains(method), "{target}: {allowed}");
        }
    }
    assert!(endpoints.is_empty(), "{endpoints:?} lead nowhere");
}

#[test]
fn the_health_and_the_counters() {
    let server = Server::sample();
    server.get("/healthz");
    server.get(KNOWN);
    server.get("/api/v1/abapa/position?p=x");
    let batch = b"[\"0,0,0,0,0,1,2,0,0,0,0,0\",\"x\"]";
    server.post("/api/v1/abapa/batch", batch);
    let answer = server.get("/metrics");
    let text = String::from_utf8(answer.body).unwrap();
    for line in [
        "granero_requests_total{route=\"healthz\",status=\"200\"} 1",
        "granero_requests_total{route=\"position\",status=\"200\"} 1",
        "granero_requests_total{route=\"position\",status=\"400\"} 1",
        "granero_request_seconds_count{route=\"position\"} 2",
        "granero_request_seconds_bucket{route=\"batch\",le=\"+Inf\"} 1",
        "granero_positions_total 3",
        "granero_overloaded_total 0",
        "granero_table_seeds{cycles=\"split\",rules=\"abapa\"} 8",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    // Each line is a comment, or a name with labels and a number.
    for line in text.lines().filter(|line| !line.starts_with("# ")) {
        let (name, number) = line.rsplit_once(' ').unwrap();
        assert!(name.starts_with("granero_"), "{line}");
        assert!(number.parse::<f64>().is_ok(), "{line}");
    }
}
