//! `granero query`: one position, several, and batches of them; and what is asked when
//! nothing has been built.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use granero::index::Layer;
use granero::line::Distance;
use granero::notation::aalina;
use granero::{FinalScore, Measured, Position, Side, Situation, Tables, Value};
use serde_json::{Value as Json, json};

use crate::program;
use crate::support::command::{code, shows, stderr, stdout, success, tells};
use crate::support::solved::Values;

/// Runs the command in an empty directory, so that it asks the sample: abapa, up to 8 seeds.
fn start<S: AsRef<OsStr>>(arguments: &[S], directory: &Path) -> Child {
    program::command()
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs the command in a directory.
fn granero_in(arguments: &[&str], directory: &Path) -> Output {
    let child = start(arguments, directory);
    child.wait_with_output().unwrap()
}

fn granero<S: AsRef<OsStr>>(arguments: &[S], input: &[u8]) -> Output {
    let place = tempfile::tempdir().unwrap();
    let mut child = start(arguments, place.path());
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // A command that fails early may not read it.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}

fn query(arguments: &[&str]) -> Output {
    granero(&[&["query"], arguments].concat(), b"")
}

fn batch(format: &str, input: &[u8]) -> Output {
    let arguments = ["query", "--batch", "-", "--format", format];
    granero(&arguments, input)
}

const NOTE: &str = "note: no tables in granero-db; using the sample of this program: \
                    abapa, up to 8 seeds. More: granero build\n";

/// Positions of 0 to `seeds` seeds, one per line, in a mixed order.
fn positions(number: usize, seeds: u8) -> Vec<Position> {
    let layers: Vec<Layer> = Layer::all().take(usize::from(seeds) + 1).collect();
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let position = |_| {
        let layer = layers[random(layers.len() as u64) as usize];
        let index = random(layer.len());
        layer.position(index).unwrap()
    };
    (0..number).map(position).collect()
}

/// The document that `docs/cli.md` describes, no more fields and no fewer.
fn expected(position: &Position, situation: Option<Situation>) -> Json {
    let tables = Tables::sample();
    let assessment = tables.assess(position).unwrap();
    let moves: Vec<Json> = assessment
        .moves
        .iter()
        .map(|assessed| {
            json!({
                "house": assessed.play.house.to_string(),
                "captured": assessed.play.captured,
                "value": assessed.value().map(|value| value.seeds()),
                "best": assessed.best,
                "position": assessed.play.position.houses(),
            })
        })
        .collect();
    let mut document = json!({
        "version": 1,
        "rules": "abapa",
        "cycles": "split",
        "position": position.houses(),
        "seeds": position.seeds(),
        "value": assessment.value().map(|value| value.seeds()),
        "over": null,
        "moves": moves,
    });
    if let Some(over) = assessment.over {
        document["over"] = json!({"reason": over.reason.name(), "value": over.value.seeds()});
    }
    match (assessment.value(), situation) {
        (None, _) => document["reason"] = "the tables reach up to 8 seeds".into(),
        (Some(value), Some(situation)) => {
            let store = |side| i32::from(situation.store(side));
            let mover = situation.to_move();
            let seeds = i32::from(position.seeds());
            let value = i32::from(value.seeds());
            let halves = |side| {
                let value = if side == mover { value } else { -value };
                2 * store(side) + seeds + value
            };
            let number = |halves: i32| match halves % 2 {
                0 => json!(halves / 2),
                _ => json!(f64::from(halves) / 2.0),
            };
            let [south, north] = [Side::South, Side::North].map(halves);
            document["final"] = json!({
                "south": number(south),
                "north": number(north),
                "winner": match south - north {
                    0 => Json::Null,
                    1.. => json!("south"),
                    _ => json!("north"),
                },
            });
        }
        (Some(_), None) => {}
    }
    document
}

#[test]
fn json_of_positions_with_and_without_stores() {
    let positions = positions(2000, 10);
    let mut lines = String::new();
    let mut documents = Vec::new();
    for (number, position) in positions.iter().enumerate() {
        let situation = (number % 2 == 0).then(|| {
            let side = [Side::South, Side::North][number / 2 % 2];
            let captured = 48 - position.seeds();
            let south = (number / 4 % (usize::from(captured) + 1)) as u8;
            Situation::new(*position, side, south, captured - south).unwrap()
        });
        lines += &match situation {
            Some(situation) => aalina::write(&situation),
            None => position.to_string(),
        };
        lines.push('\n');
        documents.push(expected(position, situation));
    }
    let output = batch("json", lines.as_bytes());
    let found: Vec<Json> = success(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(found, documents);
    // A single answer equals the answer among several, with the distance of the next capture.
    let few: Vec<&str> = lines.lines().take(20).collect();
    let several = query(&[&few[..], &["--json", "--prove", "off"]].concat());
    let one_by_one = few
        .iter()
        .map(|text| stdout(&query(&[text, "--json", "--prove", "off"])).to_string());
    assert_eq!(stdout(&several), one_by_one.collect::<String>());
    let alone = stdout(&several).lines().zip(&positions);
    let alone = alone.map(|(line, position)| {
        let mut document: Json = serde_json::from_str(line).unwrap();
        let distance = Distance::of(Tables::sample(), position, 200_000).unwrap();
        let found = document.as_object_mut().unwrap().remove("distance");
        assert_eq!(found, Some(json!(distance.moves())));
        document
    });
    assert_eq!(alone.collect::<Vec<Json>>(), documents[..20]);
}

#[test]
fn final_scores_in_words() {
    for (position, sentence) in [
        ("0-0-0-0-0-5-1-0-0-0-0-0-20-22-N", "North wins, 28 to 20"),
        ("0-0-0-0-0-5-1-0-0-0-0-0-26-16-N", "South wins, 26 to 22"),
        ("0-0-0-0-0-5-1-0-0-0-0-0-24-18-N", "a draw, 24 to 24"),
        ("0-0-0-0-0-0-0-0-0-0-0-0-24-24-S", "a draw, 24 to 24"),
        ("0-0-0-0-0-0-1-0-0-0-0-0-23-24-S", "North wins, 25 to 23"),
    ] {
        let output = query(&[position]);
        assert_eq!(code(&output), 0);
        let line = format!("\nFinal score: {sentence}.\n");
        shows(stdout(&output), &line);
        let output = batch("text", position.as_bytes());
        let end = format!("; {sentence}\n");
        assert!(stdout(&output).ends_with(&end), "{}", stdout(&output));
    }
    // Without stores, or beyond the tables, there is no final score.
    for position in ["0 0 0 0 0 1 2 0 0 0 0 0", "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"] {
        let output = query(&[position, "--prove", "off"]);
        assert!(!stdout(&output).contains("Final score"));
    }
}

#[test]
fn a_game_that_is_over_is_said_to_be() {
    for (position, reason, value, words) in [
        (
            "1 1 0 2 1 0 0 0 0 0 0 0",
            "cannot-feed",
            5,
            "South wins 5 of these seeds more than North",
        ),
        (
            "0 0 0 0 0 0 1 0 0 0 0 2",
            "no-seeds",
            -3,
            "South loses by 3 of these seeds",
        ),
    ] {
        let output = query(&[position]);
        let text = success(&output);
        shows(text, "\nThe game is over: the ");
        assert!(text.ends_with(&format!(": {words}.\n")), "{text}");
        let document = program::document(&query(&[position, "--json"]));
        assert_eq!(document["over"], json!({"reason": reason, "value": value}));
        assert_eq!(document["value"], value);
        assert_eq!(document["moves"], json!([]));
    }
    let document = query(&["0 0 0 0 0 1 2 0 0 0 0 0", "--json"]);
    shows(stdout(&document), "\"over\":null");
}

#[test]
fn endless_play_shares_an_odd_seed() {
    let tables = Tables::sample();
    let layer = Layer::new(7).unwrap();
    let drawn = layer
        .positions()
        .find(|position| tables.value(position).unwrap() == Value::new(0));
    let position = drawn.unwrap();
    for (to_move, other) in [(Side::South, Side::North), (Side::North, Side::South)] {
        let situation = Situation::new(position, to_move, 21, 20).unwrap();
        let score = FinalScore::new(&situation, Value::ZERO);
        assert_eq!(
            score.seeds(to_move) + score.seeds(other),
            48.0,
            "{situation}"
        );
        let text = aalina::write(&situation);
        let output = query(&[&text]);
        let why = "Final score: South wins, 24½ to 23½.\n";
        shows(stdout(&output), why);
        shows(stdout(&output), "your tournament may count sides instead");
        let document = program::document(&query(&[&text, "--json"]));
        let score = json!({"south": 24.5, "north": 23.5, "winner": "south"});
        assert_eq!(document["final"], score);
    }
}

#[test]
fn several_positions_or_the_words_of_one() {
    let one = "1 1 0 2 4 0 0 0 0 0 0 0";
    let two = "0 0 0 0 1 1 / 1 1 0 0 0 0";
    let three = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N";
    let alone = [one, two, three].map(|text| stdout(&query(&[text])).to_string());
    let together = query(&[one, two, three]);
    assert_eq!(success(&together), alone.join("\n"));
    let words: Vec<&str> = one.split(' ').collect();
    assert_eq!(stdout(&query(&words)), alone[0]);
    let words: Vec<&str> = two.split(' ').collect();
    assert_eq!(stdout(&query(&words)), alone[1]);
    assert_eq!(
        stdout(&query(&["0 0 0 0 1 1", "/", "1 1 0 0 0 0"])),
        alone[1]
    );
    let tsv = query(&[one, two, "--format", "tsv"]);
    let lines = [one, "1 1 0 0 0 0 1 1 0 0 0 0"];
    for (line, position) in stdout(&tsv).lines().zip(lines) {
        assert_eq!(line.split_once('\t').unwrap().0, position);
    }
    // An invalid one among several is the error, and nothing is answered.
    let output = query(&[one, "1 1 0 2 4", three]);
    assert_eq!(code(&output), 2);
    assert_eq!(stdout(&output), "");
    shows(stderr(&output), "  | 1 1 0 2 4\n");
}

#[test]
fn values_of_a_batch_in_their_order() {
    // Several chunks of a megabyte.
    let positions = positions(100_000, 9);
    let lines: String = positions
        .iter()
        .map(|position| format!("{position}\n"))
        .collect();
    assert!(lines.len() > 2 << 20);
    let worths = Tables::sample().worths(&positions).unwrap();
    let expected: String = positions
        .iter()
        .zip(worths)
        .map(|(position, worth)| {
            // Beyond the tables, but all moves may be within.
            let value = worth
                .map(Measured::low)
                .or(Tables::sample().assess(position).unwrap().value());
            let value = value.map_or("-".into(), |value| value.seeds().to_string());
            format!("{position}\t{value}\n")
        })
        .collect();
    let output = batch("tsv", lines.as_bytes());
    assert_eq!(code(&output), 0);
    assert_eq!(stderr(&output), NOTE);
    assert!(stdout(&output) == expected, "the values differ");
    // From a file, and without the end of the last line.
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("positions");
    fs::write(&file, lines.trim_end()).unwrap();
    let arguments = [
        "query",
        "--format",
        "tsv",
        "--batch",
        file.to_str().unwrap(),
    ];
    assert!(granero(&arguments, b"").stdout == output.stdout);
}

#[test]
fn bad_lines_stand_in_their_places() {
    let long = "1 ".repeat(100_000);
    let lines: [(&[u8], &str, &str); 11] = [
        (
            b"0 0 0 0 0 1 2 0 0 0 0 0",
            "0 0 0 0 0 1 2 0 0 0 0 0\t-3",
            "",
        ),
        (
            b"",
            "",
            "not a position: at character 1: expected a number of seeds for house 1 of 12, found the end of the text",
        ),
        (
            b"0,0,0,0,0,1,2,0,0,0,0,0\r",
            "0 0 0 0 0 1 2 0 0 0 0 0\t-3",
            "",
        ),
        (
            b"# a remark",
            "",
            "not a position: at character 1: expected a number of seeds, found `#`",
        ),
        (
            b"0 0 0 0 0 2 / 0 0 0 0 0 1",
            "0 0 0 0 0 1 2 0 0 0 0 0\t-3",
            "",
        ),
        (b"1 \xff", "", "the line is not text in UTF-8"),
        (long.as_bytes(), "", "the line is longer than 1000 bytes"),
        (
            b"0-0-0-0-0-5-1-0-0-0-0-0-20-22-N",
            "1 0 0 0 0 0 0 0 0 0 0 5\t6",
            "",
        ),
        (b"4 4 4 4 4 4 4 4 4 4 4 4", "4 4 4 4 4 4 4 4 4 4 4 4\t-", ""),
        (
            b"4 4 4 4 4 4 4 4 4 4 4 5",
            "",
            "not a position: at character 1: expected at most 48 seeds together, found 49 seeds",
        ),
        (
            b"0\t0 0 0 0 0 0 0 0 0 0 0",
            "0 0 0 0 0 0 0 0 0 0 0 0\t0",
            "",
        ),
    ];
    let input: Vec<u8> = lines.map(|(line, _, _)| line).join(&b'\n');
    for format in ["tsv", "text", "json"] {
        let output = batch(format, &input);
        assert_eq!(code(&output), 2, "{format}");
        let complaint = format!(
            "{NOTE}error: 5 of 11 lines are not valid positions\n\
             help: each of these lines of the output says what is wrong\n"
        );
        assert_eq!(stderr(&output), complaint);
        let answers: Vec<&str> = stdout(&output).lines().collect();
        assert_eq!(answers.len(), lines.len());
        for (answer, (line, tsv, reason)) in answers.iter().zip(&lines) {
            match (format, *reason) {
                ("json", "") => {
                    let document: Json = serde_json::from_str(answer).unwrap();
                    assert!(document["moves"].is_array());
                }
                ("json", reason) => {
                    let document: Json = serde_json::from_str(answer).unwrap();
                    assert_eq!(document, json!({ "version": 1, "error": reason }));
                }
                ("tsv", "") => assert_eq!(answer, tsv),
                ("text", "") => assert!(answer.starts_with(&tsv[..tsv.len().min(23)]), "{answer}"),
                (_, reason) => {
                    let line = String::from_utf8_lossy(&line[..line.len().min(80)]);
                    assert_eq!(*answer, format!("error\t{reason}"), "{line}");
                }
            }
        }
    }
}

#[test]
fn short_lines_for_people() {
    let input = "1 1 0 2 4 0 0 0 0 0 0 0\n\
                 0-0-0-0-0-5-1-0-0-0-0-0-20-22-N\n\
                 1 1 0 2 1 0 0 0 0 0 0 0\n\
                 4 4 4 4 4 4 4 4 4 4 4 4\n";
    let output = batch("text", input.as_bytes());
    let expected = "1 1 0 2 4 0 0 0 0 0 0 0: +2, with E\n\
                    1 0 0 0 0 0 0 0 0 0 0 5: +6, with a; North wins, 28 to 20\n\
                    1 1 0 2 1 0 0 0 0 0 0 0: +5, the game is over: ";
    assert!(stdout(&output).starts_with(expected), "{}", stdout(&output));
    let end = "4 4 4 4 4 4 4 4 4 4 4 4: unknown, the tables reach up to 8 seeds\n";
    assert!(stdout(&output).ends_with(end));
    assert_eq!(batch("text", b"").stdout, b"");
}

/// A typed position is answered before the next one.
#[test]
fn answers_come_line_by_line() {
    let place = tempfile::tempdir().unwrap();
    let arguments = ["query", "--batch", "-", "--format", "tsv"];
    let mut child = start(&arguments, place.path());
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for (line, expected) in [
        ("0 0 0 0 0 1 2 0 0 0 0 0\n", "0 0 0 0 0 1 2 0 0 0 0 0\t-3\n"),
        ("0 0 0 0 0 0 0 0 0 0 0 0\n", "0 0 0 0 0 0 0 0 0 0 0 0\t0\n"),
    ] {
        stdin.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert_eq!(answer, expected);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn output_that_may_not_grow_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    let script =
        "ulimit -f 1; yes '0 0 0 0 0 1 2 0 0 0 0 0' | head -1000 | \"$0\" query --batch - > out";
    let output = Command::new("sh")
        .args(["-c", script, &program::path()])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("error: cannot write the output: File too large"));
}

#[test]
fn a_batch_that_is_not_read_to_the_end_is_no_error() {
    let place = tempfile::tempdir().unwrap();
    let mut child = start(&["query", "--batch", "-"], place.path());
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    // As much as is read.
    while stdin.write_all(b"0 0 0 0 0 1 2 0 0 0 0 0\n").is_ok() {}
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0);
    assert_eq!(stderr(&output), NOTE);
}

#[test]
fn the_sample_serves_only_where_no_tables_were_asked_for() {
    let position = "0 0 0 0 0 1 2 0 0 0 0 0";
    for verb in ["query", "line"] {
        let output = granero(&[verb, position], b"");
        assert_eq!(code(&output), 0);
        assert_eq!(stderr(&output), NOTE);
        let output = granero(&[verb, position, "--db", "granero-db"], b"");
        assert_eq!(code(&output), 3);
        assert!(stderr(&output).starts_with("error: granero-db holds no tables"));
        assert_eq!(stdout(&output), "");
    }
    let game = b"0-0-0-0-0-5-1-0-0-0-0-0-20-22-N aF";
    let output = granero(&["judge", "-"], game);
    assert_eq!(code(&output), 0);
    assert_eq!(stderr(&output), NOTE);
    // Tables in the default directory are used without a word.
    let place = tempfile::tempdir().unwrap();
    let build = ["build", "--seeds", "3", "--quiet"];
    success(&granero_in(&build, place.path()));
    let output = granero_in(&["query", position], place.path());
    assert_eq!(stderr(&output), "");
    // Damaged tables are no reason to use others.
    fs::write(place.path().join("granero-db/granero.json"), "{").unwrap();
    assert_eq!(code(&granero_in(&["query", position], place.path())), 3);
}

#[test]
fn what_cannot_be_read_is_said_so() {
    let output = query(&["--batch", "no/such/file"]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).starts_with("error: cannot read no/such/file: "));
    for arguments in [
        &["--batch", "-", "0 0 0 0 0 1 2 0 0 0 0 0"][..],
        &[],
        &["--json", "--format", "tsv", "0 0 0 0 0 1 2 0 0 0 0 0"],
    ] {
        assert_eq!(code(&query(arguments)), 2, "{arguments:?}");
    }
    // The error for an unreadable directory does not mention writing.
    let place = tempfile::tempdir().unwrap();
    let manifest = place.path().join("granero.json");
    fs::create_dir(&manifest).unwrap();
    let db = place.path().to_str().unwrap();
    let output = query(&["0 0 0 0 0 1 2 0 0 0 0 0", "--db", db]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("help: check that it exists and can be read"));
}

#[test]
fn an_array_of_numpy_is_answered_with_an_array() {
    let place = tempfile::tempdir().unwrap();
    let positions: [[u8; 12]; 4] = [
        [0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0],
        [4; 12],
        [5; 12],
        [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5],
    ];
    let mut array = granero::export::npy::header(&[4, 12]);
    array.extend(positions.concat());
    let file = place.path().join("positions.npy");
    fs::write(&file, &array).unwrap();
    let name = file.to_str().unwrap();
    let output = query(&["--batch", name, "--format", "npy"]);
    // As for bad lines of text.
    assert_eq!(code(&output), 2);
    let message = "error: 1 of 4 rows is not a valid position\n\
                   help: each of these rows of the output holds -128, like an unknown position\n";
    assert!(stderr(&output).ends_with(message), "{}", stderr(&output));
    let mut expected = granero::export::npy::header(&[4]);
    // Positions beyond the tables and invalid ones are unknown.
    expected.extend([-3, -128, -128, 6_i8].map(|value| value as u8));
    assert!(output.stdout == expected);

    let bounds = query(&["--batch", name, "--format", "npy", "--cycles", "own-side"]);
    assert!(
        bounds
            .stdout
            .starts_with(&granero::export::npy::header(&[4, 2]))
    );
    assert_eq!(
        bounds.stdout.len(),
        granero::export::npy::header(&[4, 2]).len() + 8
    );

    let proofs = query(&["--batch", name, "--format", "npy", "--prove-positions", "9"]);
    assert_eq!(code(&proofs), 2);
    shows(
        stderr(&proofs),
        "--prove cannot be combined with --format npy\nhelp: leave out --prove",
    );

    // A file that ends early, and files of something else.
    fs::write(&file, &array[..array.len() - 1]).unwrap();
    assert_eq!(code(&query(&["--batch", name, "--format", "npy"])), 3);
    fs::write(&file, b"0 0 0 0 0 1 2 0 0 0 0 0\n").unwrap();
    let output = query(&["--batch", name, "--format", "npy"]);
    tells(&output, 2, "is not an array of positions");
    assert_eq!(
        code(&query(&["0 0 0 0 0 1 2 0 0 0 0 0", "--format", "npy"])),
        2
    );
}

#[test]
fn a_position_under_the_rules_of_all_tables() {
    let place = tempfile::tempdir().unwrap();
    for (rules, seeds, name) in [
        ("awari", "5", "one"),
        ("abapa", "4", "two"),
        ("abapa", "6", "three"),
    ] {
        let arguments = [
            "build", "--quiet", "--rules", rules, "--seeds", seeds, "--db", name,
        ];
        success(&granero_in(&arguments, place.path()));
    }
    let ask_of = |position, arguments: &[&str]| {
        let query = ["query", position, "--db", "one"];
        granero_in(&[&query, arguments].concat(), place.path())
    };
    let ask = |arguments: &[&str]| ask_of("1 0 0 0 0 0 / 0 0 0 0 0 3", arguments);
    let all = ask(&["--rules", "all", "--json"]);
    let documents = stdout(&all)
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap());
    let documents: Vec<Json> = documents.collect();
    let rules: Vec<&str> = documents
        .iter()
        .map(|found| found["rules"].as_str().unwrap())
        .collect();
    assert_eq!(rules, ["abapa", "awari"]);
    assert!(documents.iter().all(|found| found["value"].is_i64()));
    let text = ask(&["--rules", "all"]);
    shows(stdout(&text), "\nabapa ");
    // Only the tables of the named directories.
    let lines = ask(&["--rules", "all", "--db", "two", "--format", "tsv"]);
    let rules = |output| -> Vec<String> {
        let lines = stdout(output).lines().map(|line| line.split('\t').next());
        lines.map(|rules| rules.unwrap().to_string()).collect()
    };
    assert_eq!(rules(&lines), ["abapa", "awari"]);
    let lines = ask(&["--rules", "all", "--db", "four"]);
    assert_eq!(code(&lines), 3, "{}", stdout(&lines));
    let lines = ask(&["--db", "two"]);
    tells(&lines, 2, "help: add --rules all");
    // Beyond the tables, proofs answer.
    let ask_beyond = |arguments: &[&str]| {
        let arguments = [&["--rules", "all"], arguments].concat();
        ask_of("1 1 0 0 0 2 / 0 1 0 0 0 3", &arguments)
    };
    let unknown = ask_beyond(&["--format", "tsv"]);
    assert!(stdout(&unknown).lines().all(|line| line.ends_with("\t-")));
    let proven = ask_beyond(&["--format", "tsv", "--prove-positions", "1000"]);
    assert!(stdout(&proven).lines().all(|line| !line.ends_with("\t-")));
    assert_eq!(rules(&proven), ["abapa", "awari"]);
    let text = ask_beyond(&["--prove-positions", "30", "--notation", "observation"]);
    assert!(stdout(&text).starts_with("0 | 20 20 | 0 1 0 0 0 3 2 0 0 0 1 1\n"));

    let other = ask(&["--rules", "abapa"]);
    assert_eq!(code(&other), 2);
    let message =
        "error: one holds tables of the rules awari, not of abapa\nhelp: such tables are in ";
    assert!(stderr(&other).starts_with(message), "{}", stderr(&other));
    assert!(stderr(&ask(&["--rules", "italian"])).contains("--rules italian --db italian-db"));
    assert_eq!(code(&ask(&["--rules", "awari"])), 0);
}

#[test]
fn a_position_is_written_in_the_notation_that_is_chosen() {
    let position = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N";
    let written = "5,1S/5,5S 20 22 N 1";
    let tsv = query(&[position, "--notation", "playstrategy", "--format", "tsv"]);
    assert_eq!(stdout(&tsv), format!("{written}\t6\n"));
    let text = query(&[position, "--notation", "playstrategy"]);
    assert!(stdout(&text).starts_with(&format!("  {written}\n\nRules abapa")));
    // The output can be read again.
    assert_eq!(stdout(&query(&[written])), stdout(&query(&[position])));
    for (notation, format) in [("openspiel", "tsv"), ("aalina", "json")] {
        let refused = query(&[position, "--notation", notation, "--format", format]);
        assert_eq!(code(&refused), 2);
        assert!(stderr(&refused).contains("has no place in this format\nhelp: choose"));
    }
}
