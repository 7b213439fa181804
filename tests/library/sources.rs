//! Every example with a position in the documents on which the project is based: `sources.txt` quotes them.

use granero::rules::EndReason;
use granero::{House, Position, Ruleset, Turn};

fn position(board: &str) -> Position {
    board.parse().unwrap()
}

#[test]
fn examples_of_the_documents_are_right() {
    let lines = include_str!("sources.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let parts: Vec<&str> = line.split("; ").collect();
        let (kind, rules) = parts[0].split_once(' ').unwrap();
        let mut rulesets = Ruleset::ALL.to_vec();
        rulesets.retain(|ruleset| [ruleset.name(), "all"].contains(&rules));
        assert!(!rulesets.is_empty(), "{line}");
        for ruleset in rulesets {
            match parts[1..] {
                [board, house, after, captured] if kind == "play" => {
                    let is_it = |found: &House| found.to_string() == house;
                    let house = House::ALL.into_iter().find(is_it).unwrap();
                    let play = ruleset.play(&position(board), house).unwrap();
                    assert_eq!(play.position.turned(), position(after), "{ruleset}: {line}");
                    assert_eq!(play.captured.to_string(), captured, "{ruleset}: {line}");
                }
                [board, houses] if kind == "moves" => {
                    let moves = ruleset.moves(&position(board));
                    let found: Vec<String> = moves.iter().map(|m| m.house.to_string()).collect();
                    assert_eq!(found.join(" "), houses, "{ruleset}: {line}");
                }
                [board, reason, value] if kind == "over" => {
                    let Turn::Over(over) = ruleset.turn(&position(board)) else {
                        panic!("{ruleset}: {line}");
                    };
                    let found = (over.reason.name(), over.value.seeds().to_string());
                    assert_eq!(found, (reason, value.to_string()), "{ruleset}: {line}");
                }
                [board, seeds] if kind == "starves" => {
                    ends_by_not_feeding(ruleset, board, seeds.parse().unwrap());
                }
                _ => panic!("{line}"),
            }
        }
    }
}

/// Checks a position in which the mover has all the seeds and cannot give any to the opponent.
fn ends_by_not_feeding(ruleset: Ruleset, board: &str, seeds: i8) {
    // `awari` plays on: moves that do not feed are legal there if no move feeds.
    if ruleset != Ruleset::Awari {
        let Turn::Over(over) = ruleset.turn(&position(board)) else {
            panic!("{ruleset} has a move in {board}");
        };
        assert_eq!(over.reason, EndReason::CannotFeed);
        assert_eq!(over.value.seeds(), seeds);
        return;
    }
    for play in &Ruleset::Awari.moves(&position(board)) {
        let Turn::Over(over) = Ruleset::Awari.turn(&play.position) else {
            panic!("awari has an answer to {}", play.house);
        };
        assert_eq!(over.reason, EndReason::NoSeeds);
        assert_eq!(-over.value.seeds(), seeds);
    }
}

/// The documents show the board between sowing and capturing, too.
#[test]
fn seeds_are_sown_before_they_are_captured() {
    let board = position("6 0 0 2 1 2 / 4 0 0 1 3 1");
    let between = position("6 0 0 2 2 3 / 4 0 0 1 0 2");
    assert_eq!(board.sown(House::E).0, between);
    assert_eq!(position("4 4 4 4 4 4 / 4 4 4 4 4 4"), Position::START);
    assert_eq!(position("1 1 1 1 1 2 4 2 3 0 0 0").seeds(), 16);
}

// 004: «Si ha quando non è più possibile alcuna cattura: Sud e Nord recuperano ciascuno
//      il seme nel proprio campo e la partita termina.» (The end "per indeterminazione".
//      The board is a picture; the first is one that fits the words.)
// 000: «Cuando una posición en que hay semillas en los dos campos se repite
//      ciclicamente sin que los jugadores puedan o quieran evitarlo, la partida se
//      acaba» — 003 shows the second board: one seed follows the other around it.
// Such an end is endless play: it is not a matter of moves, but of the convention for endless play of a table.
#[test]
fn play_may_have_no_end() {
    for board in ["0 0 0 0 0 1 / 1 0 0 0 0 0", "0 0 0 0 1 1 / 1 1 0 0 0 0"] {
        let mut now = position(board);
        let seeds = now.seeds();
        let mut seen = std::collections::HashSet::new();
        while seen.insert(now) {
            let moves = Ruleset::Abapa.moves(&now);
            let quiet = moves.iter().find(|play| play.captured == 0);
            now = quiet.expect("a move that captures nothing").position;
            assert_eq!(now.seeds(), seeds);
        }
    }
}
