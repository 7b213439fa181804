//! The format of the tables: `docs/internals/format.md`, an independent reader that follows it, and the
//! exact bytes.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use granero::index::Layer;
use granero::table::fingerprint;
use granero::{Clamped, Cycles, Extent, Kind, Measured, Position, Ruleset, Tables};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use test_case::test_case;

use crate::support::tables::{
    build, build_bounds, build_deciding, build_kind, copy, files, opened, sample,
};

const SAMPLE: &str = "../table/sample";

/// The output of Python; `None` without Python.
fn python(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Option<Output> {
    match Command::new("python3").args(arguments).output() {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        output => Some(output.unwrap()),
    }
}

/// Runs the reader once for each line of arguments, in one process, which starts more quickly than many.
const IN_TURN: &str = r#"
import contextlib, io, json, sys
sys.path.insert(0, "../../tools")
sys.dont_write_bytecode = True
import read_tables
for line in open(sys.argv[1]):
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            code = read_tables.main(json.loads(line))
        except SystemExit as end:
            code = end.code
    print(json.dumps([code, out.getvalue(), errors.getvalue()]))
"#;

/// A directory, and positions.
type Question = (PathBuf, Vec<String>);

/// The exit code, the output and the errors.
type Ended = (i32, String, String);

/// How the reader in Python ends with one question after the other; `None` without Python.
fn ended(questions: &[Question]) -> Option<Vec<Ended>> {
    let place = tempfile::tempdir().unwrap();
    let lines = place.path().join("arguments");
    let line = |(directory, texts): &Question| {
        let arguments = [&[directory.to_str().unwrap().to_string()], &texts[..]].concat();
        serde_json::to_string(&arguments).unwrap() + "\n"
    };
    fs::write(&lines, questions.iter().map(line).collect::<String>()).unwrap();
    let output = python([OsStr::new("-c"), OsStr::new(IN_TURN), lines.as_os_str()])?;
    assert!(output.status.success(), "{output:?}");
    let answers = str::from_utf8(&output.stdout).unwrap().lines();
    let answers: Vec<_> = answers
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), questions.len());
    Some(answers)
}

/// The Python code in the document accepts a manifest, and refuses one with a changed byte.
#[test]
fn the_python_of_the_document_checks_a_manifest() {
    let document = fs::read_to_string("../../docs/internals/format.md").unwrap();
    let pieces: Vec<&str> = document.split("```python\n").skip(1).collect();
    let [piece] = pieces[..] else {
        panic!("another number of pieces: {}", pieces.len());
    };
    let program = piece.split("```").next().unwrap().to_string()
        + r#"
content = open("../table/sample/granero.json", "rb").read()
print(is_sound(content), is_sound(content.replace(b"1", b"2", 1)))
"#;
    if let Some(output) = python(["-c", &program]) {
        assert_eq!(output.stdout, b"True False\n");
    }
}

#[test]
fn python_reads_positions_in_the_notations_of_the_program() {
    let reader = "../../tools/read_tables.py";
    let Some(help) = python([reader, "--help"]) else {
        return;
    };
    assert!(help.status.success());
    assert!(String::from_utf8_lossy(&help.stdout).contains("Aalina's"));
    let texts = ["0 0 0 0 0 2 / 0 0 0 0 0 1", "0 0 0 0 0 1 2 0 0 0 0 0"];
    let aalina = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N";
    let apart = "1,0 0 0 0 0,0 0 0 0 0 5";
    let mut asked = vec![vec![texts[0], aalina, texts[1], apart]];
    // One position in all notations, also an older one.
    let board = " F  E  D  C  B  A\n 5  0  0  0  0  0\n 1  0  0  0  0  0\n a  b  c  d  e  f";
    let state = "Player 1 score = 22 [PLAYING]\n  f  e  d  c  b  a\n  0  0  0  0  0  1\n  \
                 0  0  0  0  0  5\n  A  B  C  D  E  F\nPlayer 0 score = 20";
    let observation = "1 | 20 22 | 0 0 0 0 0 5 1 0 0 0 0 0";
    let (new, old) = ("5,1S/5,5S 20 22 N 1", "5A/5E_20_22_N");
    let texts = [aalina, board, state, observation, new, old];
    let position: Position = aalina.parse().unwrap();
    assert!(texts.iter().all(|text| text.parse() == Ok(position)));
    asked.push(texts.to_vec());
    let bad = [
        "0 0 1",
        "0-0-0-0-0-5-1-0-0-0-0-0-20-21-N",
        "1 / 2",
        "x",
        "5,1S/5,5S 20 21 N",
        "2 | 20 22 | 0 0 0 0 0 5 1 0 0 0 0 0",
    ];
    let first = python([reader, SAMPLE, bad[0]]).unwrap();
    assert_eq!(first.status.code(), Some(2));
    asked.extend(bad.map(|text| vec![text]));
    let question = |texts: &Vec<&str>| {
        let texts = texts.iter().map(ToString::to_string).collect();
        (PathBuf::from(SAMPLE), texts)
    };
    let questions: Vec<Question> = asked.iter().map(question).collect();
    let [apart, alike, refused @ ..] = &ended(&questions).unwrap()[..] else {
        unreachable!()
    };
    assert_eq!(apart.1, "-3\n6\n-3\n6\n");
    assert_eq!(alike.1, "6\n".repeat(6));
    for (ended, bad) in refused.iter().zip(bad) {
        assert_eq!(ended.0, 2, "{bad}");
    }
}

#[test_case(&opened(build(Ruleset::Abapa, 6)).1)]
#[test_case(&Tables::open(SAMPLE).unwrap() => ignore["slow: .ci/run has it"] ())]
fn python_finds_the_values_that_the_manifest_promises(tables: &Tables) {
    let layers = &tables.manifest().layers;
    let Some(answers) = ended(&[question(tables, &[])]) else {
        return;
    };
    let (code, lines, errors) = &answers[0];
    assert_eq!(*code, 0, "{errors}");
    assert_eq!(lines.lines().count(), layers.len());
    for (line, layer) in lines.lines().zip(layers) {
        assert!(
            line.contains(&layer.statistics.values.as_ref().low().sha256.to_string()),
            "{line}"
        );
    }
}

/// Some positions of each layer.
fn some_of(layers: impl Iterator<Item = Layer>) -> Vec<Position> {
    let step = |layer: Layer| layer.len().div_ceil(60) as usize;
    let positions = layers.flat_map(|layer| layer.positions().step_by(step(layer)));
    positions.collect()
}

fn question(tables: &Tables, positions: &[Position]) -> Question {
    let texts = positions.iter().map(Position::to_string).collect();
    (tables.directory().unwrap().into(), texts)
}

/// Checks that the reader in Python finds the values of positions, also where they are cut off.
fn agrees(tables: &Tables, positions: &[Position], (code, found, errors): &Ended) {
    assert_eq!(*code, 0, "{errors}");
    let text = |clamped: Clamped| match clamped {
        Clamped::Exactly(value) => value.seeds().to_string(),
        Clamped::AtLeast(value) => format!("{}+", value.seeds()),
        Clamped::AtMost(value) => format!("{}-", value.seeds()),
    };
    let expected = positions.iter().map(|position| {
        let value = tables.clamped_value(position).unwrap().unwrap();
        match value.map(text) {
            Measured::Value(value) => value,
            Measured::Bounds { low, high } => format!("{low} {high}"),
        }
    });
    assert!(found.lines().eq(expected), "{found}");
    assert_eq!(found.contains('+'), !tables.extent().is_full());
}

/// Checks that the reader in Python accepts tables, and finds the values of some positions of the largest layer.
// With six seeds, the opponent may have no empty house.
#[test_case(all_kinds(Extent::FULL), 6 => ignore["slow: .ci/run has it"] ())]
#[test_case(all_kinds(game(7)), 6 => ignore["slow: .ci/run has it"] ())]
#[test_case([(Ruleset::Abapa, Cycles::Split, game(6))], 5 => ignore["slow: .ci/run has it"] ())]
#[test_case([(Ruleset::SlamEnds, Cycles::OwnSide, game(5))], 4 => ignore["slow: .ci/run has it"] ())]
#[test_case(all_kinds(game(8)), 7 => ignore["slow: .ci/long has it"] (); "at length")]
fn python_reads(kinds: impl IntoIterator<Item = impl Into<Kind>>, seeds: u8) {
    let kinds = kinds.into_iter();
    let built: Vec<_> = kinds.map(|kind| opened(build_kind(kind, seeds))).collect();
    let positions = some_of(Layer::new(seeds).into_iter());
    let questions: Vec<Question> = built
        .iter()
        .flat_map(|(_, tables)| [question(tables, &positions), question(tables, &[])])
        .collect();
    let Some(all) = ended(&questions) else {
        return;
    };
    for ((_, tables), ended) in built.iter().zip(all.chunks(2)) {
        agrees(tables, &positions, &ended[0]);
        assert_eq!(ended[1].0, 0, "{:?}", ended[1]);
    }
}

/// All rulesets and conventions, for games of some seeds.
fn all_kinds(extent: Extent) -> impl Iterator<Item = (Ruleset, Cycles, Extent)> {
    let rules = Ruleset::ALL.into_iter();
    rules.flat_map(move |rules| Cycles::ALL.map(|cycles| (rules, cycles, extent)))
}

fn game(seeds: u8) -> Extent {
    Extent::deciding(seeds).unwrap()
}

#[test]
fn python_and_granero_agree_on_positions() {
    let tables = Tables::open(SAMPLE).unwrap();
    let positions = some_of(Layer::all().take(9));
    if let Some(all) = ended(&[question(&tables, &positions)]) {
        agrees(&tables, &positions, &all[0]);
    }
    let of_rules = |rules| (rules, Cycles::OwnSide);
    python_reads(Ruleset::ALL.map(of_rules), 3);
}

/// Changes a file of copies of some tables, each at another place; Python must refuse each change.
fn python_refuses(place: &TempDir, name: &str, places: &[usize], words: &str) {
    let copies = tempfile::tempdir().unwrap();
    let changed = |&damaged: &usize| {
        let directory = copies.path().join(damaged.to_string());
        copy(place.path(), &directory);
        let path = directory.join(name);
        let mut bytes = fs::read(&path).unwrap();
        bytes[damaged] ^= 1;
        fs::write(&path, bytes).unwrap();
        (directory, Vec::new())
    };
    let questions: Vec<Question> = places.iter().map(changed).collect();
    for ((code, _, error), damaged) in ended(&questions).iter().flatten().zip(places) {
        assert_eq!(*code, 1, "byte {damaged}: {error}");
        assert!(
            error.starts_with("error: ") && error.contains(words),
            "{error}"
        );
    }
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn python_refuses_damaged_files() {
    let place = build(Ruleset::Abapa, 4);
    let name = "layer-04.granero";
    let length = fs::metadata(place.path().join(name)).unwrap().len() as usize;
    // In the header, the model, the index, a block, the checksum at the end.
    let places = [0, 8, 30, 100, 160, 400, length - 40, length - 1];
    python_refuses(&place, name, &places, name);
}

#[test]
fn python_refuses_a_manifest_with_any_wrong_byte() {
    let place = build(Ruleset::Abapa, 1);
    let path = place.path().join("granero.json");
    let end = fs::metadata(&path).unwrap().len() as usize;
    let places = [10, 60, 200, end - 79, end - 72, end - 40, end - 1];
    python_refuses(&place, "granero.json", &places, "manifest");
}

/// As long as granero writes version 6, the bytes of
/// `src/table/sample` do not change.
#[test]
fn the_bytes_of_the_format_stay_as_they_are() {
    let files = files(Path::new(SAMPLE)).into_iter();
    let sums =
        files.map(|(name, bytes)| format!("{}  {name}\n", hex::encode(Sha256::digest(bytes))));
    assert_eq!(sums.collect::<String>(), include_str!("sample.sha256"));
}

#[test]
fn a_build_gives_the_same_bytes_again() {
    for cycles in Cycles::ALL {
        let (_place, tables) = opened(build_kind((Ruleset::Abapa, cycles), 8));
        assert!(files(tables.directory().unwrap()) == files(&sample(cycles)));
    }
}

/// One hash of all files of some tables and their names.
fn hash_of_all(place: &TempDir) -> String {
    let tables = Tables::open(place.path()).unwrap();
    let mut all = Sha256::new();
    for (name, bytes) in files(tables.directory().unwrap()) {
        all.update(name);
        all.update(bytes);
    }
    hex::encode(all.finalize())
}

/// Larger tables, of rules with moves of last resort and moves that end the game.
#[test]
#[ignore = "slow: .ci/run has it"]
fn the_bytes_of_larger_tables_stay_as_they_are() {
    #[rustfmt::skip]
    let cases = [
        (build(Ruleset::Awari, 12), "85adba240d64955f637dda3e14348dfa90bb08b75cdd8ffd655cc24ad4af6901"),
        (build(Ruleset::SlamEnds, 12), "9a6b3840426f78c8882721e915445e396390f8acb5e40b7852e012f2be7e97d4"),
        (build(Ruleset::Abapa, 12), "792dc1d8152fee78008e2beeb3c6285e00206fa7328c030f422051bc5a13bdd3"),
        (build_bounds(Ruleset::Abapa, 11), "dc1c382c866ca8e9a79da0d2b8d1bf9a04bcf0af6998bacc5b24d98536fc42ca"),
    ];
    for (number, (place, expected)) in cases.iter().enumerate() {
        assert_eq!(hash_of_all(place), *expected, "case {number}");
    }
}

#[test]
fn the_documented_fingerprints_are_right() {
    let text = fs::read_to_string("../../docs/internals/format.md").unwrap();
    let mut table = text
        .lines()
        .skip_while(|line| *line != "| rules | `split` | `own-side` |")
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    for rules in Ruleset::ALL {
        let [split, own_side] =
            Cycles::ALL.map(|cycles| fingerprint((rules, cycles, Extent::FULL)));
        let row = format!("| `{rules}` | `{split}` | `{own_side}` |");
        assert_eq!(table.next().unwrap_or_default(), row);
    }
    assert_eq!(table.next(), None);
}

/// As long as granero writes this version, the bytes of deciding tables do not change.
#[test]
fn the_bytes_of_deciding_tables_stay_as_they_are() {
    #[rustfmt::skip]
    let cases = [
        (Ruleset::Abapa, Cycles::Split, "ca25099cc1934a2774ba981cfa3840117796acff09d56d8b4e7e13f053e02b4e"),
        (Ruleset::Awari, Cycles::OwnSide, "363dbe105dd3675e585d6c66455ec0b611f4e56196d88d89d15db86e34d61023"),
    ];
    for (rules, cycles, expected) in cases {
        let found = hash_of_all(&build_deciding(rules, cycles, 12, 9));
        assert_eq!(found, expected, "{rules}, {cycles}");
    }
}
