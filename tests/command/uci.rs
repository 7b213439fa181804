//! `granero uci`: the dialect as boards and tournament programs speak it, and nonsense.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use granero::index::Layer;
use granero::table::Tables;
use granero::uci::Session;
use granero::{PlayerHouse, Ruleset, Side, Situation, Turn};
use proptest::prelude::*;

use crate::support::tables;

/// What is answered to some lines.
fn answers(directory: &Path, questions: &str) -> Vec<String> {
    let mut answers = Vec::new();
    let questions = std::io::Cursor::new(questions.to_string());
    let mut session = Session::new(directory).unwrap();
    session.run(questions, &mut answers).unwrap();
    let text = String::from_utf8(answers).unwrap();
    text.lines().map(String::from).collect()
}

fn without_tables(questions: &str) -> Vec<String> {
    answers(Path::new("/nowhere"), questions)
}

#[test]
fn it_introduces_itself() {
    let lines = without_tables("uci\nisready\nquit\nisready\n");
    assert_eq!(
        lines[0],
        format!("id name granero {}", env!("CARGO_PKG_VERSION"))
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("option name Db type string default "))
    );
    assert!(
        lines
            .iter()
            .any(|line| line.contains("no tables in /nowhere"))
    );
    assert_eq!(lines[lines.len() - 2..], ["uciok", "readyok"]);
}

#[test]
fn inside_the_tables_every_move_is_a_best_one() {
    let place = tables::build(Ruleset::Abapa, 7);
    let tables = Tables::open(place.path()).unwrap();
    let situations: Vec<Situation> = Layer::new(7)
        .unwrap()
        .positions()
        .step_by(97)
        .enumerate()
        .map(|(number, position)| {
            let side = [Side::South, Side::North][number % 2];
            Situation::new(position, side, 21, 20).unwrap()
        })
        .collect();
    let questions: String = situations
        .iter()
        .map(|situation| format!("position fen {situation}\ngo movetime 1000\n"))
        .collect();
    let lines = answers(place.path(), &questions);
    let mut lines = lines.iter();
    for situation in situations {
        let assessment = tables.assess(&situation.position()).unwrap();
        if assessment.over.is_some() {
            assert_eq!(lines.next().unwrap(), "bestmove 0000");
            continue;
        }
        let info = lines.next().unwrap();
        let side = situation.to_move();
        let ahead = if side == Side::South { 1 } else { -1 };
        let score = 100 * (ahead + i32::from(assessment.value().unwrap().seeds()));
        assert!(info.contains(&format!(" score cp {score} ")), "{info}");
        let answer = lines.next().unwrap().strip_prefix("bestmove ").unwrap();
        let house: PlayerHouse = answer.parse().unwrap();
        assert_eq!(house.side, side);
        assert!(assessment.best().any(|best| best.play.house == house.house));
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn a_position_that_cannot_be_is_ignored() {
    let good = "position fen 0-0-0-0-0-5-1-0-0-0-0-0-20-22-N\n";
    for bad in [
        "position fen 0-0-0-0-0-5-1-0-0-0-0-0-20-23-N\n",
        "position startpos moves FF\n",
        "position startpos moves f\n",
        "position startpos moves FfF\n",
        "position fen\n",
        "position\n",
        "position moves\n",
        "position fen 4-4\n",
    ] {
        let lines = without_tables(&format!("{good}{bad}go depth 2\n"));
        assert!(
            lines[0].starts_with("info string position ignored: "),
            "{bad}"
        );
        assert_eq!(lines.last().unwrap(), "bestmove a", "{bad}");
    }
}

#[test]
fn moves_are_played_on_the_position() {
    let lines = without_tables("position startpos moves F\ngo depth 1\n");
    let answer = lines.last().unwrap().strip_prefix("bestmove ").unwrap();
    assert_eq!(answer.parse::<PlayerHouse>().unwrap().side, Side::North);
    // North cannot feed South then.
    let over = "position fen 0-0-0-0-0-1-0-0-0-0-0-0-23-24-S moves F\ngo depth 3\n";
    assert_eq!(without_tables(over), ["bestmove 0000"]);
}

#[test]
fn the_rules_are_those_of_the_tables() {
    // A grand slam, which is no legal move there.
    let place = tables::build(Ruleset::SlamIllegal, 3);
    let slam = "position fen 0-0-0-0-0-1-1-0-0-0-0-0-23-23-S moves F\nuci\n";
    let lines = answers(place.path(), slam);
    assert!(
        lines[0].starts_with("info string position ignored: move 1 (F)"),
        "{lines:?}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.contains("rules slam-illegal, perfect up to 3 seeds"))
    );
}

#[test]
fn tables_can_be_chosen_later() {
    let place = tables::build(Ruleset::Awari, 3);
    let other = tables::build(Ruleset::Abapa, 2);
    let damaged = tables::build(Ruleset::Abapa, 2);
    std::fs::write(damaged.path().join("granero.json"), "{").unwrap();
    let lines = answers(
        other.path(),
        &format!(
            "setoption name Db value {}\nsetoption name db value {}\nuci\n",
            place.path().display(),
            damaged.path().display()
        ),
    );
    assert!(
        lines[0].contains("rules awari, perfect up to 3 seeds"),
        "{lines:?}"
    );
    assert!(lines[1].contains("granero.json is damaged"), "{lines:?}");
    assert!(
        lines
            .iter()
            .any(|line| line.contains(&place.path().display().to_string()))
    );
    assert!(Session::new(damaged.path()).is_err());
}

#[test]
fn tables_that_turn_out_damaged_do_not_lose_the_game() {
    let place = tables::build(Ruleset::Abapa, 4);
    for entry in std::fs::read_dir(place.path()).unwrap() {
        let path = entry.unwrap().path();
        if !path.ends_with("granero.json") {
            std::fs::write(path, "").unwrap();
        }
    }
    let Ok(mut session) = Session::new(place.path()) else {
        return;
    };
    let mut answers = Vec::new();
    let questions = "position fen 0-0-0-0-0-1-1-0-0-0-0-1-22-23-S\ngo depth 3\n";
    session.run(questions.as_bytes(), &mut answers).unwrap();
    let text = String::from_utf8(answers).unwrap();
    assert!(text.starts_with("info string "), "{text}");
    assert!(text.contains("\nbestmove F\n"), "{text}");
}

/// A session with the command itself, question by question.
struct Board {
    process: std::process::Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Board {
    fn new() -> Board {
        let mut process = Command::new(env!("CARGO_BIN_EXE_granero"))
            .args(["uci", "--db", "/nowhere"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Board { process, lines }
    }

    fn say(&mut self, text: &str) {
        writeln!(self.process.stdin.as_ref().unwrap(), "{text}").unwrap();
    }

    fn answer(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }
}

#[test]
fn an_endless_search_listens() {
    let mut board = Board::new();
    for _ in 0..2 {
        board.say("position startpos\ngo infinite\nisready");
        assert_eq!(board.answer(), "readyok");
        std::thread::sleep(Duration::from_millis(50));
        board.say("isready");
        assert_eq!(board.answer(), "readyok");
        board.say("stop");
        assert!(board.answer().starts_with("info depth "));
        assert!(board.answer().starts_with("bestmove "));
    }
    // Also where the answer is known at once.
    board.say("position fen 0-0-0-0-0-0-0-0-0-0-0-0-24-24-S\ngo infinite\nisready");
    assert_eq!(board.answer(), "readyok");
    board.say("go depth 1\nstop\nquit");
    drop(board.process.stdin.take());
    assert_eq!(board.answer(), "bestmove 0000");
    assert!(board.process.wait().unwrap().success());
}

#[test]
fn it_quits_during_a_search_and_at_the_end_of_the_input() {
    for last in ["go infinite\nquit", "go infinite", "go movetime 200", ""] {
        let mut board = Board::new();
        board.say(last);
        drop(board.process.stdin.take());
        assert!(board.process.wait().unwrap().success());
        let answered = board
            .lines
            .any(|line| line.unwrap().starts_with("bestmove "));
        assert_eq!(answered, !last.is_empty(), "{last}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_is_said_it_answers_and_ends(
        lines in prop::collection::vec(
            prop_oneof![
                "[^\n]{0,40}",
                "(position|go|setoption|stop|isready) [ -~]{0,30}",
                "position (startpos|fen [0-9-]{0,30}[SN]?)( moves [A-Fa-f ]{0,8})?",
                "go (depth [0-3]|movetime [0-9]|depth -1 movetime 1|movetime 1 infinite)",
                Just("go depth 99999999999999999999 movetime 1".to_string()),
            ],
            0..8,
        ),
    ) {
        // What takes the usual time is for other tests.
        let quick = lines.iter().filter(|line| {
            !line.starts_with("go") || line.contains("depth ") || line.contains("movetime ")
        });
        let text: String = quick.map(|line| format!("{line}\n")).collect();
        let answers = without_tables(&text.replace("go d", "go movetime 1 d"));
        for answer in answers.iter().filter_map(|line| line.strip_prefix("bestmove ")) {
            prop_assert!(answer == "0000" || answer.parse::<PlayerHouse>().is_ok());
        }
    }
}

#[test]
fn without_tables_moves_are_legal() {
    let mut situation = Situation::START;
    for _ in 0..30 {
        if !matches!(Ruleset::Abapa.turn(&situation.position()), Turn::Play(_)) {
            break;
        }
        let lines = without_tables(&format!("position fen {situation}\ngo depth 5\n"));
        let answer = lines.last().unwrap().strip_prefix("bestmove ").unwrap();
        let house: PlayerHouse = answer.parse().unwrap();
        (_, situation) = situation.play(Ruleset::Abapa, house.house).unwrap();
    }
}
