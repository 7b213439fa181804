//! One directory with the tables of both conventions for endless play.

use granero::{Cycles, Ruleset};

use crate::answers::{SEEDS, of_command, server, texts};
use crate::server::{Server, build, build_by, encoded};

const RULES: Ruleset = Ruleset::SlamEnds;

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
    let catalogue = server.json("/api/v1/tables");
    let [.., split, own_side] = &catalogue["tables"].as_array().unwrap()[..] else {
        panic!("{catalogue}");
    };
    assert_ne!(split["fingerprint"], own_side["fingerprint"]);
    for layer in own_side["layers"].as_array().unwrap() {
        let seeds = layer["seeds"].as_u64().unwrap();
        let file = format!("{RULES}/own-side/layer-{seeds:02}.granero");
        let bytes = server.place.path().join(file).metadata().unwrap().len();
        assert_eq!(layer["bytes"], bytes);
    }
    let metrics = String::from_utf8(server.get("/metrics").body).unwrap();
    for cycles in ["split", "own-side"] {
        let line = format!("granero_table_seeds{{cycles=\"{cycles}\",rules=\"{RULES}\"}} {SEEDS}");
        assert!(metrics.contains(&line), "{metrics}");
    }
}

#[test]
fn statistics_have_both_bounds() {
    let server = server();
    let answer = server.json(&format!("/api/v1/{RULES}/stats?cycles=own-side"));
    let expected = of_command(&server, (RULES, Cycles::OwnSide), &["stats"]).unwrap();
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
        let server = Server::with(&arguments);
        let expected = format!("decoded blocks {blocks},");
        assert!(server.memory.contains(&expected), "{}", server.memory);
    };
    build_by("own-side", "abapa", 2, tables.path(), "db");
    // Once more for when tables are opened again.
    decoded("128");
    build("abapa", 2, tables.path(), "db");
    decoded("128");
}
