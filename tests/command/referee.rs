//! `granero referee`: fair to good engines, unmoved by bad ones, and nothing of them is
//! left behind. The engine of most tests is `tests/engine.sh`.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use granero::index::Layer;
use granero::player::Player;
use granero::{House, PlayerHouse, Ruleset, Side, Situation, Tables, Turn};
use granero_cli::referee::{End, Report, draw, open};
use granero_cli::uci::{Answer, Engine, Fault, FaultKind, KillSwitch, Patience, StartError};
use serde_json::Value;
use test_case::test_case;

use crate::program;
use crate::support::command::{code, eventually, peak_memory, piped, signal, stderr};
use crate::support::tables;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/engine.sh");

/// The command of the scripted engine that behaves in some manner.
fn scripted(manner: &str) -> String {
    format!("sh '{SCRIPT}' {manner}")
}

/// The command of `granero uci` with some tables.
fn perfect(db: &Path) -> String {
    format!("'{}' uci --db '{}'", program::path(), db.display())
}

fn referee(db: &Path, engine: &str, arguments: &[&str]) -> Command {
    let mut command = program::command();
    command.args(["referee", "--quiet", "--engine", engine, "--db"]);
    command.arg(db).args(arguments);
    command
}

fn run(db: &Path, engine: &str, arguments: &[&str]) -> (i32, Value) {
    let output = referee(db, engine, arguments)
        .arg("--json")
        .output()
        .unwrap();
    let document = serde_json::from_slice(&output.stdout);
    (
        code(&output),
        document.unwrap_or_else(|_| panic!("{}", stderr(&output))),
    )
}

fn faults(document: &Value) -> Vec<(&str, u64)> {
    let faults = document["faults"].as_object().unwrap();
    let counts = faults
        .iter()
        .map(|(kind, count)| (kind.as_str(), count.as_u64().unwrap()));
    counts.filter(|&(_, count)| count > 0).collect()
}

#[test_case(&[Ruleset::SlamEnds])]
#[test_case(&[Ruleset::Abapa, Ruleset::Awari] => ignore["slow: .ci/run has it"] ())]
fn a_perfect_engine_is_found_perfect(rulesets: &[Ruleset]) {
    for &ruleset in rulesets {
        let place = tables::build(ruleset, 8);
        // Enough for any slow machine.
        let patience = ["--grace", "60000"];
        let db = place.path();
        let (code, moves) = run(db, &perfect(db), &patience);
        assert_eq!(code, 0);
        assert_eq!(moves["rules"], ruleset.name());
        assert!(moves["engine"].as_str().unwrap().starts_with("granero "));
        assert_eq!(moves["asked"], 500);
        assert_eq!(moves["difference_lost"], 0);
        assert_eq!(moves["accuracy"], 1.0);
        assert_eq!(moves["best_moves"], moves["with_choice"]);
        assert!(moves["with_choice"].as_u64().unwrap() > 250);
        assert!(moves["worst"].as_array().unwrap().is_empty());

        let (code, games) = run(db, &perfect(db), &["--play", "--grace", "60000"]);
        assert_eq!(code, 0);
        assert_eq!(games["kept"], 20);
        assert_eq!(games["difference_lost"], 0);
        for game in games["games"].as_array().unwrap() {
            assert_eq!(game["result"], game["value"]);
            let start: Situation = game["notation"].as_str().unwrap().parse().unwrap();
            let text = format!("{start} {}", game["moves"].as_str().unwrap());
            let record = granero::notation::aalina::parse_game(&text).unwrap();
            assert!(record.replay(ruleset).is_ok());
        }
    }
}

/// Computes the report on an engine that plays the first house with seeds, from the
/// tables.
#[test]
fn an_engine_that_errs_is_told_what_it_gave_away() {
    let place = tables::build(Ruleset::Abapa, 8);
    let tables = Tables::open(place.path()).unwrap();
    let arguments = ["--random", "300", "--seed", "5", "--grace", "60000"];
    let (code, report) = run(place.path(), &scripted("first"), &arguments);
    assert_eq!(report["engine"], "Scripted (first)");
    let moves = report["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 300);
    let (mut given_away, mut choices, mut best, mut illegal) = (0, 0, 0, 0);
    let mut losses = Vec::new();
    let drawn = draw(Ruleset::Abapa, 8, 5);
    for (verdict, situation) in moves.iter().zip(drawn) {
        assert_eq!(verdict["notation"], situation.to_string());
        let houses = situation.position().houses();
        assert_eq!(verdict["position"], serde_json::json!(houses));
        let assessment = tables.assess(&situation.position()).unwrap();
        let value = i64::from(assessment.exact().unwrap().seeds());
        assert_eq!(verdict["value"], value);
        let side = situation.to_move();
        let letters = |house: House| house.letter(side);
        let expected: Vec<char> = assessment
            .best()
            .map(|best| letters(best.play.house))
            .collect();
        assert_eq!(verdict["best"], serde_json::json!(expected));
        let choice = assessment
            .moves
            .iter()
            .any(|assessed| assessed.exact() != assessment.exact());
        assert_eq!(verdict["choice"], choice);
        choices += u64::from(choice);

        let first = House::ALL
            .into_iter()
            .find(|&house| situation.position().seeds_in(house) > 0);
        let first = first.unwrap();
        let mut assessed = assessment.moves.iter();
        match assessed.find(|assessed| assessed.play.house == first) {
            Some(assessed) => {
                let played = i64::from(assessed.exact().unwrap().seeds());
                assert_eq!(verdict["played"], letters(first).to_string());
                assert_eq!(verdict["played_value"], played);
                assert_eq!(verdict["difference_lost"], value - played);
                assert_eq!(verdict["fault"], Value::Null);
                given_away += value - played;
                best += u64::from(choice && value == played);
                if value > played {
                    losses.push(value - played);
                }
            }
            None => {
                illegal += 1;
                assert_eq!(verdict["played"], Value::Null);
                assert_eq!(verdict["fault"]["kind"], "illegal");
                assert!(
                    verdict["fault"]["what"]
                        .as_str()
                        .unwrap()
                        .contains("would give none")
                );
            }
        }
    }
    assert!(illegal > 0 && given_away > 0);
    assert_eq!(code, 1, "for its illegal moves");
    assert_eq!(report["difference_lost"], given_away);
    assert_eq!(report["with_choice"], choices);
    assert_eq!(report["best_moves"], best);
    assert_eq!(report["accuracy"], best as f64 / choices as f64);
    assert_eq!(faults(&report), [("illegal", illegal)]);
    losses.sort_by_key(|&seeds| std::cmp::Reverse(seeds));
    let worst = report["worst"].as_array().unwrap();
    let worst: Vec<i64> = worst
        .iter()
        .map(|verdict| verdict["difference_lost"].as_i64().unwrap())
        .collect();
    assert_eq!(worst, losses[..10]);
}

#[test]
fn every_fault_is_counted_and_survived() {
    let place = tables::build(Ruleset::Abapa, 6);
    for (manner, kind, restarts) in [
        ("zero", "no-move", 0),
        ("nonsense", "nonsense", 0),
        ("nul", "nonsense", 0),
        ("bytes", "nonsense", 0),
        ("mute", "ended", 3),
        ("other", "illegal", 0),
        ("die", "ended", 3),
        ("crash", "ended", 3),
        ("silent", "timeout", 3),
        ("hang", "timeout", 3),
        ("flood", "timeout", 3),
        ("babble", "timeout", 3),
        ("stubborn", "no-move", 0),
    ] {
        // An answer may take long on a slow machine.
        let grace = if kind == "timeout" { "30" } else { "60000" };
        let arguments = format!("--random 6 --movetime 20 --restarts 3 --grace {grace}");
        let arguments: Vec<&str> = arguments.split(' ').collect();
        // A fault ends a game as it ends a single move, so a few manners are enough.
        let of_games = ["nonsense", "die", "flood"].contains(&manner);
        let of_games = of_games.then_some(&["--play"] as &[&str]);
        for play in of_games.into_iter().chain([&[] as &[&str]]) {
            let arguments = [&arguments[..], play].concat();
            let (code, report) = run(place.path(), &scripted(manner), &arguments);
            assert_eq!(code, 1, "{manner}");
            // A start and the restarts, unless no restart was needed.
            let asked = if restarts == 0 { 6 } else { restarts + 1 };
            assert_eq!(report["restarts"], restarts, "{manner}");
            assert_eq!(report["unasked"], 6 - asked, "{manner}");
            assert_eq!(faults(&report), [(kind, asked)], "{manner}");
            let list = if play.is_empty() { "moves" } else { "games" };
            for entry in report[list].as_array().unwrap() {
                assert_eq!(entry["fault"]["kind"], kind);
                assert_eq!(entry["difference_lost"], Value::Null);
                let what = entry["fault"]["what"].as_str().unwrap();
                match manner {
                    "die" => assert_eq!(what, "exit status: 7"),
                    "crash" => assert!(what.starts_with("signal: 11 (SIGSEGV)"), "{what}"),
                    _ => {}
                }
            }
        }
    }
}

/// Long names and remarks, much on stderr, and a child that keeps the pipes open.
#[test]
fn an_engine_may_be_noisy() {
    let place = tables::build(Ruleset::Abapa, 6);
    for manner in ["boast", "remark", "mess", "orphan"] {
        let arguments = ["--random", "4", "--grace", "60000"];
        let (_, report) = run(place.path(), &scripted(manner), &arguments);
        assert_eq!(
            (&report["asked"], &report["restarts"]),
            (&4.into(), &0.into())
        );
        // The first house need not be legal.
        let mut faults = faults(&report).into_iter();
        assert!(faults.all(|(kind, _)| kind == "illegal"), "{manner}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_flood_does_not_fill_the_memory() {
    let place = tables::build(Ruleset::Abapa, 4);
    for manner in ["flood", "babble"] {
        let arguments = ["--random", "1", "--movetime", "300", "--grace", "0"];
        let mut child = referee(place.path(), &scripted(manner), &arguments)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut most = 0;
        let mut ended = None;
        eventually("it ends", || {
            // A process that has ended has no memory.
            most = peak_memory(&child).unwrap_or(most);
            ended = child.try_wait().unwrap();
            ended.is_some()
        });
        assert!((1..32 << 20).contains(&most), "{most} bytes");
        assert_eq!(ended.unwrap().code(), Some(1));
    }
}

/// The numbers of the processes that scripted engines have started.
fn started(pids: &Path) -> Vec<u32> {
    let text = fs::read_to_string(pids).unwrap_or_default();
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    whole.lines().map(|line| line.parse().unwrap()).collect()
}

/// Returns true if a process is running: one that has ended may be listed
/// until its parent has waited for it.
fn is_running(pid: u32) -> bool {
    let state = match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit(") ").next().unwrap().to_string(),
        Err(_) if Path::new("/proc/self/stat").exists() => String::new(),
        Err(_) => {
            let mut ps = Command::new("ps");
            let output = ps.args(["-o", "stat=", "-p", &pid.to_string()]).output();
            String::from_utf8(output.unwrap().stdout).unwrap()
        }
    };
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn no_process_is_left_behind() {
    let place = tables::build(Ruleset::Abapa, 5);
    for manner in [
        "first", "hang", "die", "flood", "stubborn", "parrot", "stop", "orphan",
    ] {
        let pids = place.path().join(format!("pids of {manner}"));
        let arguments = ["--random", "3", "--grace", "100", "--restarts", "1"];
        let output = referee(place.path(), &scripted(manner), &arguments)
            .env("PIDS", &pids)
            .output()
            .unwrap();
        assert!(matches!(code(&output), 0 | 1), "{}", stderr(&output));
        let started = started(&pids);
        assert!(!started.is_empty());
        eventually(&format!("{manner} to end"), || {
            !started.iter().any(|&pid| is_running(pid))
        });
    }
}

/// Engines that wait or are busy, most of which ignore signals; and referees that are stopped in all ways.
#[test]
fn no_process_is_left_behind_by_a_referee_that_is_stopped() {
    let place = tables::build(Ruleset::Abapa, 5);
    let mut cases = Vec::new();
    // It goes on after SIGHUP, like this shell.
    let under_nohup = Command::new("sh").args(["-c", "kill -HUP $$"]).status();
    let under_nohup = under_nohup.unwrap().success();
    for (manner, processes) in [("hang", 2), ("busy", 1)] {
        for signal in ["INT", "TERM", "HUP"] {
            if !(under_nohup && signal == "HUP") {
                cases.push((manner, processes, signal));
            }
        }
    }
    for (manner, processes, signal) in cases {
        let pids = place.path().join(format!("pids of {manner} {signal}"));
        let mut referee = referee(place.path(), &scripted(manner), &["--movetime", "3600000"]);
        let mut child = piped(referee.env("PIDS", &pids));
        // The engine, and the processes that it has started.
        let what = format!("{manner} to start everything");
        eventually(&what, || started(&pids).len() == processes);
        let processes = started(&pids);
        assert!(processes.iter().all(|&pid| is_running(pid)));
        self::signal(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        eventually(&format!("{manner} to end after {signal}"), || {
            !processes.iter().any(|&pid| is_running(pid))
        });
    }
}

#[test]
fn an_engine_has_so_long_to_get_ready() {
    let patience = Patience {
        start: Duration::from_millis(300),
        ..Patience::default()
    };
    let command = scripted("deaf").parse().unwrap();
    let begin = Instant::now();
    let error = Engine::start(command, patience, false, &KillSwitch::default()).unwrap_err();
    assert!(begin.elapsed() >= patience.start);
    assert!(
        matches!(
            error,
            StartError::NoAnswer {
                question: "uci",
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn nothing_starts_after_the_switch_was_pulled() {
    let kill_switch = KillSwitch::default();
    let command = || scripted("first").parse().unwrap();
    let engine = Engine::start(command(), Patience::default(), false, &kill_switch);
    let mut engine = engine.unwrap();
    kill_switch.pull();
    let answer = engine.ask(&Situation::START, &[]);
    let fault = answer.unwrap().unwrap_err();
    let is_gone = matches!(fault.kind, FaultKind::Ended | FaultKind::Timeout);
    assert!(is_gone, "{fault:?}");
    assert_eq!(engine.ask(&Situation::START, &[]), None);
    assert!(Engine::start(command(), Patience::default(), false, &kill_switch).is_err());
}

#[test]
fn drawn_positions_are_open_and_always_the_same() {
    for ruleset in Ruleset::ALL {
        for seeds in [1, 2, 7, 15, 48] {
            let drawn: Vec<Situation> = draw(ruleset, seeds, 3).take(500).collect();
            for (situation, side) in drawn.iter().zip([Side::South, Side::North].iter().cycle()) {
                assert_eq!(situation.to_move(), *side);
                assert!(situation.position().seeds() <= seeds);
                let (mover, other) = (situation.store(*side), situation.store(side.other()));
                assert!(mover == other || mover == other + 1);
                assert!(mover <= 24);
                assert!(matches!(ruleset.turn(&situation.position()), Turn::Play(_)));
            }
        }
        assert_eq!(draw(ruleset, 0, 3).count(), 0);
    }
    let first: Vec<String> = draw(Ruleset::Abapa, 15, 1)
        .take(3)
        .map(|s| s.to_string())
        .collect();
    assert_eq!(
        first,
        [
            "1-0-4-0-1-0-0-0-0-9-0-0-17-16-S",
            "1-1-0-0-0-0-6-1-0-0-3-3-16-17-N",
            "2-1-1-1-1-0-3-1-0-0-2-1-18-17-S"
        ]
    );
}

#[test]
fn an_open_game_has_no_winner_yet() {
    for (text, expected) in [
        ("1 0 0 0 0 0 0 0 0 0 0 0", "1-0-0-0-0-0-0-0-0-0-0-0-24-23-S"),
        (
            "0-0-0-0-0-1-0-0-0-0-0-0-24-23-N",
            "0-0-0-0-0-1-0-0-0-0-0-0-24-23-N",
        ),
        (
            "0-0-0-0-0-1-0-0-0-0-0-0-22-25-N",
            "0-0-0-0-0-1-0-0-0-0-0-0-23-24-N",
        ),
    ] {
        assert_eq!(open(&text.parse().unwrap()).to_string(), expected);
    }
}

/// The house that `choose` picks, as an answer.
fn answer(situation: &Situation, house: House) -> Option<Answer> {
    let side = situation.to_move();
    Some(Ok(PlayerHouse { side, house }))
}

/// The situation after some moves.
fn after(rules: Ruleset, start: &Situation, moves: &[PlayerHouse]) -> Situation {
    moves.iter().fold(*start, |now, sown| {
        assert_eq!(sown.side, now.to_move());
        now.play(rules, sown.house).unwrap().1
    })
}

/// Every position of small layers: no player gets more than it is worth, a perfect player
/// gets as much, and the result follows from the moves.
#[test]
fn results_of_games_follow_from_their_moves() {
    for ruleset in Ruleset::ALL {
        let most = if ruleset == Ruleset::Abapa { 4 } else { 3 };
        let (_place, tables) = tables::opened(tables::build(ruleset, most));
        let player = Player::new(&tables);
        let mut careless = Report::default();
        let mut careful = Report::default();
        let positions = (1..=most).flat_map(|seeds| Layer::new(seeds).unwrap().positions());
        for (position, side) in positions.zip([Side::South, Side::North].iter().cycle()) {
            let south = Situation::open(position);
            let start = match side {
                Side::South => south,
                Side::North => south.turned(),
            };
            let first = |start: &Situation, moves: &[PlayerHouse]| {
                let now = after(ruleset, start, moves);
                answer(&now, ruleset.moves(&now.position())[0].house)
            };
            let best = |start: &Situation, moves: &[PlayerHouse]| {
                let now = after(ruleset, start, moves);
                let choice = player.choose(&now.position(), 1, || false).unwrap();
                answer(&now, choice.unwrap().play.house)
            };
            careless.judge(&tables, &start, Some(1000), first).unwrap();
            careful.judge(&tables, &start, Some(1000), best).unwrap();
        }
        assert_eq!(careful.difference_lost(), 0);
        assert_eq!(careful.kept(), careful.judged.len());
        assert!(careless.difference_lost() > 0);
        for game in careless.judged.iter().chain(&careful.judged) {
            let mut now = game.start;
            let mut seen = HashSet::from([now]);
            let mut again = false;
            for sown in &game.moves {
                assert!(!again, "no move after a position has come again");
                now = now.play(ruleset, sown.house).unwrap().1;
                again = !seen.insert(now);
            }
            let side = game.start.to_move();
            let got = |situation: &Situation| {
                i32::from(situation.store(side)) - i32::from(situation.store(side.other()))
            };
            let rest = match ruleset.turn(&now.position()) {
                Turn::Over(over) if now.to_move() == side => i32::from(over.value.seeds()),
                Turn::Over(over) => -i32::from(over.value.seeds()),
                Turn::Play(_) => 0,
            };
            assert_eq!(game.end == Some(End::Repetition), again);
            assert_eq!(game.end == Some(End::Over), !again);
            let result = got(&now) - got(&game.start) + rest;
            assert_eq!(
                game.result.as_ref().map(|value| i32::from(value.seeds())),
                Ok(result)
            );
            assert!(result <= i32::from(game.value.seeds()), "{}", game.start);
        }
    }
}

/// A player with more than 24 seeds has won, and many programs stop there. An engine loses
/// nothing by stopping or by playing on.
#[test]
fn an_engine_may_end_a_game_that_is_decided() {
    let (_place, tables) = tables::opened(tables::build(Ruleset::Abapa, 6));
    let player = Player::new(&tables);
    let most = |now: &Situation| now.store(Side::South).max(now.store(Side::North));
    let answers = |start: &Situation, moves: &[PlayerHouse], enough: u8| {
        let now = after(Ruleset::Abapa, start, moves);
        if most(&now) > enough {
            return Some(Err(Fault::new(FaultKind::NoMove, "")));
        }
        let choice = player.choose(&now.position(), 1, || false).unwrap();
        answer(&now, choice.unwrap().play.house)
    };
    let mut reports = [48, 24, 23].map(|enough| (enough, Report::default()));
    for drawn in draw(Ruleset::Abapa, 6, 2).take(300) {
        // South's next capture is the last that counts.
        let (position, rest) = (drawn.position(), 24 - drawn.position().seeds());
        let start = Situation::new(position, drawn.to_move(), 24, rest).unwrap();
        for (enough, report) in &mut reports {
            let ask = |start: &Situation, moves: &[PlayerHouse]| answers(start, moves, *enough);
            report.judge(&tables, &start, Some(1000), ask).unwrap();
        }
    }
    let [(_, to_the_end), (_, stops), (_, too_early)] = &reports;
    assert_eq!(to_the_end.ended(&End::Majority), 0);
    assert_eq!(to_the_end.faults().count(), 0);
    assert!(stops.ended(&End::Majority) > 10);
    assert_eq!(stops.faults().count(), 0);
    for (whole, short) in to_the_end.judged.iter().zip(&stops.judged) {
        assert_eq!(whole.result, short.result, "{}", whole.start);
        if short.end == Some(End::Majority) {
            let last = after(Ruleset::Abapa, &short.start, &short.moves);
            assert!(most(&last) > 24);
            assert_eq!(last.to_move(), short.start.to_move());
            assert!(whole.moves.starts_with(&short.moves));
        } else {
            assert_eq!(whole, short);
        }
    }
    assert!(too_early.faults().count() > 10);
    for (game, fault) in too_early.faults() {
        assert_eq!(fault.kind, FaultKind::NoMove);
        let last = after(Ruleset::Abapa, &game.start, &game.moves);
        assert_eq!(most(&last), 24);
    }
}

#[test]
fn a_game_ends_after_so_many_moves() {
    let (_place, tables) = tables::opened(tables::build(Ruleset::Abapa, 6));
    let start = open(&"2 1 0 0 0 0 0 0 0 1 0 2".parse().unwrap());
    let mut report = Report::default();
    let first = |start: &Situation, moves: &[PlayerHouse]| {
        assert!(moves.is_empty());
        answer(start, House::B)
    };
    report.judge(&tables, &start, Some(1), first).unwrap();
    assert_eq!(report.judged[0].end, Some(End::TooLong));
    assert_eq!(report.judged[0].moves.len(), 1);

    let mut unasked = Report::default();
    unasked.judge(&tables, &start, None, |_, _| None).unwrap();
    assert_eq!(unasked.unjudged.unasked, 1);
}
