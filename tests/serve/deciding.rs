//! Deciding tables: no answer shows a value that is cut off as if it were exact.

use granero::table::TableWriter;
use granero::{Cycles, Extent, Ruleset, solver};
use serde_json::{Value as Json, json};

use crate::server::{Server, encoded};

/// Serves tables of a game with eight seeds, for at most seven on the board.
pub(crate) fn server(cycles: Cycles) -> Server {
    let place = tempfile::tempdir().unwrap();
    let extent = Extent::deciding(8).unwrap();
    let rules = Ruleset::Abapa;
    let db = place.path().join("db");
    let mut writer = TableWriter::open(db, (rules, cycles, extent)).unwrap();
    for values in solver::solve_all((rules, cycles, extent), 7, 1) {
        writer.add_layer(&values).unwrap();
    }
    drop(writer);
    Server::start(place, &["--db", "db"])
}

#[test]
fn answers_say_where_worths_are_cut_off() {
    for (cycles, [least, number]) in [
        (Cycles::Split, ["2", "value"]),
        (Cycles::OwnSide, ["3", "low"]),
    ] {
        let server = server(cycles);
        let mut client = server.client();
        let won = "0 0 0 0 0 1 0 0 0 0 0 6";
        let range = json!({"low": least.parse::<i8>().unwrap(), "high": 7});
        // A value that is cut off is no reason to search.
        for route in ["position", "line", "prove"] {
            let path = format!("/api/v1/abapa/{route}?p={}", encoded(won));
            let answer = client.get(&path).json();
            assert_eq!(answer["extent"], "deciding");
            assert_eq!(answer["decides"], 8);
            assert_eq!(answer[number], Json::Null);
            assert_eq!(answer["range"], range, "{answer}");
            assert_eq!(
                answer["reason"],
                "the tables hold only what decides the game"
            );
        }
        // With stores that decide the game, it has a winner.
        for (stores, winner) in [("3-2-S", json!("south")), ("18-23-S", Json::Null)] {
            let path = format!("/api/v1/abapa/position?p=0-0-0-0-0-1-0-0-0-0-0-6-{stores}");
            assert_eq!(client.get(&path).json()["winner"], winner);
        }
        let body = json!([won, "0 0 0 0 0 0 0 0 0 0 0 1"]).to_string();
        let answer = server.post("/api/v1/abapa/batch", body.as_bytes()).json();
        assert_eq!(answer["extent"], "deciding");
        assert_eq!(answer["answers"][0]["range"], range);
        assert_eq!(answer["answers"][1][number], -1);
        assert_eq!(answer["answers"][1].get("range"), None);
        let answer = client.get("/api/v1/abapa/stats").json();
        assert_eq!(answer["extent"], "deciding");
        assert_eq!(answer["layers"][7]["limit"], range["low"]);
        let catalogue = client.get("/api/v1/tables").json();
        assert_eq!(catalogue["tables"][0]["extent"], "deciding");
        let more = catalogue["tables"][0]["more"].as_str().unwrap();
        assert!(more.contains(" --game 8 "), "{more}");
    }
}
