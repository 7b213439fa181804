//! `granero uci`: the lines of boards and tournament programs, and nonsense.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use granero::index::Layer;
use granero::{
    Access, Clamped, Cycles, PlayerHouse, Position, Ruleset, Side, Situation, Tables, Turn,
};
use granero_cli::uci::Session;

use crate::program;
use crate::support::command::piped;
use crate::support::tables;

/// Returns the answer to some lines.
fn answers(directory: &Path, questions: &str) -> Vec<String> {
    let mut answers = Vec::new();
    let questions = std::io::Cursor::new(questions.to_string());
    let mut session = Session::open(directory, Access::Map).unwrap();
    session.run(questions, &mut answers).unwrap();
    let text = String::from_utf8(answers).unwrap();
    text.lines().map(String::from).collect()
}

/// Deciding tables: a score that is cut off is never shown as exact.
#[test]
fn scores_that_are_cut_off_are_bounds() {
    let place = tables::build_deciding(Ruleset::Abapa, Cycles::Split, 10, 8);
    let tables = Tables::open(place.path()).unwrap();
    let positions = Layer::new(8).unwrap().positions().step_by(997);
    let positions = positions.filter(|position| match Ruleset::Abapa.turn(position) {
        Turn::Play(_) => true,
        Turn::Over(_) => false,
    });
    let positions: Vec<Position> = positions.collect();
    let questions: String = positions
        .iter()
        .map(|position| {
            let situation = Situation::new(*position, Side::South, 20, 20).unwrap();
            format!("position fen {situation}\ngo depth 1\n")
        })
        .collect();
    let lines = answers(place.path(), &questions);
    let mut scores = lines.iter().filter(|line| line.starts_with("info depth"));
    let mut marked = [0; 3];
    for position in &positions {
        let value = tables.clamped_value(position).unwrap().unwrap();
        let (mark, kind) = match value.value().unwrap() {
            Clamped::Exactly(_) => ("", 0),
            Clamped::AtLeast(_) => (" lowerbound", 1),
            Clamped::AtMost(_) => (" upperbound", 2),
        };
        let centiseeds = 100 * i32::from(value.low().number().seeds());
        let score = format!(" score cp {centiseeds}{mark} pv ");
        let line = scores.next().unwrap();
        assert!(line.contains(&score), "{position}: {value}, but {line}");
        marked[kind] += 1;
    }
    assert!(marked.iter().all(|&count| count > 5), "{marked:?}");
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
        let score = 100 * (ahead + i32::from(assessment.exact().unwrap().seeds()));
        assert!(info.contains(&format!(" score cp {score} ")), "{info}");
        let answer = lines.next().unwrap().strip_prefix("bestmove ").unwrap();
        let house: PlayerHouse = answer.parse().unwrap();
        assert_eq!(house.side, side);
        assert!(assessment.best().any(|best| best.play.house == house.house));
    }
    assert_eq!(lines.next(), None);
}

/// A session with the command itself, line by line, while its input stays open.
struct Board {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Board {
    fn new() -> Board {
        let mut uci = program::command();
        let mut process = piped(uci.args(["uci", "--db", "/nowhere"]));
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Board { process, lines }
    }

    fn say(&mut self, text: &str) {
        program::say(&mut self.process, &format!("{text}\n"));
    }

    fn answer(&mut self) -> String {
        let line = self.lines.next().expect("an answer, not the end");
        line.unwrap()
    }

    /// The move of the next answer.
    fn best_move(&mut self) -> String {
        loop {
            let line = self.answer();
            if let Some(best) = line.strip_prefix("bestmove ") {
                return best.to_string();
            }
            assert!(line.starts_with("info "), "{line}");
        }
    }

    /// Checks that there is no answer, or no further one.
    fn says_nothing(&mut self) {
        self.say("isready");
        assert_eq!(self.answer(), "readyok");
    }

    /// Returns the answers after the end of the input.
    fn end(mut self) -> Vec<String> {
        drop(self.process.stdin.take());
        let rest = self.lines.map(|line| line.unwrap()).collect();
        assert!(self.process.wait().unwrap().success());
        rest
    }
}

#[test]
fn an_endless_search_listens() {
    let mut board = Board::new();
    for _ in 0..2 {
        board.say("position startpos\ngo infinite\nisready");
        assert_eq!(board.answer(), "readyok");
        thread::sleep(Duration::from_millis(50));
        board.says_nothing();
        board.say("stop");
        assert!(board.answer().starts_with("info depth "));
        assert!(board.answer().starts_with("bestmove "));
    }
    // Even if the answer is known at once.
    board.say("position fen 0-0-0-0-0-0-0-0-0-0-0-0-24-24-S\ngo infinite\nisready");
    assert_eq!(board.answer(), "readyok");
    board.say("go depth 1\nstop\nquit");
    assert_eq!(board.end(), ["bestmove 0000", "bestmove 0000"]);
}

/// Any limits, alone or together, give one answer, without a further
/// command.
#[test]
fn every_limit_ends_a_search() {
    let mut board = Board::new();
    for side in ["", " moves F"] {
        for go in [
            "go wtime 300 btime 300",
            "go wtime 300 btime 300 winc 0 binc 0 depth 127",
            "go wtime 1000 btime 1000 winc 20 binc 20 depth 127",
            "go wtime 0 btime 0 depth 127",
            "go wtime -500 btime -12 winc 20 binc 20 depth 127",
            "go wtime 60000 btime 60000 depth 3",
            "go wtime 600 btime 600 movestogo 20",
            "go wtime 60000 btime 60000 movetime 10",
            "go wtime 300 btime 300 depth 5 nodes 100 movetime 50 movestogo 2",
            "go depth 127 movetime 20",
            "go movetime 20 depth 127",
            "go depth 4 movetime 3600000",
            "go movetime 0",
            "go movetime -1",
            "go depth 3",
            "go depth 0",
            "go depth x movetime 10",
            "go nodes 500",
            "go nodes 0",
            "go nodes 500 movetime 3600000 depth 60",
        ] {
            board.say(&format!("position startpos{side}\n{go}"));
            let house: PlayerHouse = board.best_move().parse().unwrap();
            assert_eq!(house.side == Side::South, side.is_empty(), "{go}");
            board.says_nothing();
        }
    }
    // Also when the game is over, and without any limit.
    board.say("position fen 0-0-0-0-0-0-0-0-0-0-0-0-24-24-S\ngo wtime 10 btime 10 depth 127");
    assert_eq!(board.answer(), "bestmove 0000");
    board.say("position startpos\ngo");
    board.best_move();
    assert!(board.end().is_empty());
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn a_search_with_only_a_depth_that_is_out_of_reach_ends() {
    let mut board = Board::new();
    board.say("position startpos\ngo depth 127\ngo");
    board.best_move();
    board.best_move();
    assert!(board.end().is_empty());
}

/// A held search has no answer before `ponderhit` or `stop`, even if it has long
/// ended.
#[test]
fn what_is_held_waits() {
    let mut board = Board::new();
    let positions = ["startpos", "fen 0-0-0-0-0-0-0-0-0-0-0-0-24-24-S"];
    for position in positions {
        for go in [
            "go ponder",
            "go ponder depth 1",
            "go ponder nodes 10",
            "go ponder wtime 100 btime 100 winc 0 binc 0 depth 127",
            "go wtime 0 btime 0 ponder",
            "go movetime 1 ponder",
            "go infinite",
            "go infinite depth 1",
            "go infinite movetime 1",
            "go infinite nodes 5",
            "go ponder infinite",
        ] {
            for release in ["stop", "ponderhit"] {
                board.say(&format!("position {position}\n{go}"));
                board.says_nothing();
                thread::sleep(Duration::from_millis(5));
                board.says_nothing();
                board.say(release);
                if release == "ponderhit" && go.contains("infinite") {
                    board.says_nothing();
                    board.say("stop");
                }
                assert_eq!(board.best_move() == "0000", position != "startpos", "{go}");
                board.says_nothing();
            }
        }
    }
    // No search is running that these could be about.
    board.say("stop\nponderhit");
    board.says_nothing();
    assert!(board.end().is_empty());
}

/// An endless flood of lines does not stop the clock.
#[test]
fn a_flood_of_lines_does_not_hold_up_the_answer() {
    for line in ["isready", "", "ucinewgame", "nonsense", "ponderhit"] {
        let mut board = Board::new();
        board.say("go movetime 100");
        let mut input = board.process.stdin.take().unwrap();
        let flood = format!("{line}\n").repeat(1000);
        let answered = Arc::new(AtomicBool::new(false));
        let is_answered = Arc::clone(&answered);
        let flooding = thread::spawn(move || {
            while !is_answered.load(Ordering::Relaxed) && input.write_all(flood.as_bytes()).is_ok()
            {
            }
        });
        let best = board
            .lines
            .by_ref()
            .map(Result::unwrap)
            .any(|answer| answer.starts_with("bestmove "));
        answered.store(true, Ordering::Relaxed);
        assert!(best, "{line}");
        // It still answers the commands before the end of the flood.
        board.end();
        flooding.join().unwrap();
    }
}

/// Lines without any meaning do not end a search that waits for `stop`; too many commands do.
#[test]
fn only_commands_wait_for_the_end_of_a_search() {
    for go in ["go infinite", "go ponder depth 1"] {
        let mut board = Board::new();
        board.say(go);
        for line in ["", "nonsense", "ucinewgame", "xyzzy go"] {
            board.say(&vec![line; 1100].join("\n"));
            board.says_nothing();
        }
        board.say("stop");
        board.best_move();
        board.say(go);
        board.say(&vec!["setoption name Hash value 1"; 1100].join("\n"));
        board.best_move();
        board.says_nothing();
        assert!(board.end().is_empty());
    }
}

#[test]
fn it_quits_during_a_search_and_at_the_end_of_the_input() {
    for (go, at_end) in [
        ("go infinite", true),
        ("go ponder", true),
        ("go ponder wtime 100 btime 100 depth 127", true),
        ("go movetime 18446744073709551615", true),
        ("go movetime 99999999999999999999", true),
        ("go movetime 3600000", true),
        ("go wtime 360000000 btime 360000000 depth 127", true),
        ("go movetime 100", true),
        ("go depth 5", true),
        // At the end of the input a search with a depth goes on for some time.
        ("go depth 60", false),
        ("go nodes 18446744073709551615", false),
    ] {
        let endings = [Some("quit"), Some("stop\nquit"), at_end.then_some("")];
        for last in endings.into_iter().flatten() {
            let mut board = Board::new();
            board.say(&format!("{go}\n{last}"));
            let answers = board.end();
            let mut moves = answers.iter().filter(|line| line.starts_with("bestmove "));
            assert!(moves.next().is_some(), "{go}, {last}");
            assert_eq!(moves.next(), None, "{go}, {last}");
        }
    }
    assert!(Board::new().end().is_empty());
}
