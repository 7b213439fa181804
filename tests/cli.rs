//! The command: it prints what its documentation shows, exit codes are
//! kept, and no argument makes it panic.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use granero::{Position, Ruleset};
use proptest::prelude::*;
use serde_json::{Value, json};

fn granero<S: AsRef<OsStr>>(arguments: &[S]) -> Output {
    command(arguments).output().unwrap()
}

fn command<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_granero"));
    command.args(arguments);
    command
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("not ended by a signal")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Runs every command with output in the README, the documents and `tests/cmd/`. Each file has a directory with a copy
/// of `tests/cmd/input/`, and without tables, so that the sample answers until a command builds some.
#[test]
fn documented_commands_print_what_they_should() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = |directory: &str| {
        let entries = std::fs::read_dir(root.join(directory)).unwrap();
        entries.map(|entry| entry.unwrap().path())
    };
    for document in files("docs")
        .chain(files("tests/cmd"))
        .chain([root.join("README.md")])
    {
        let is_case = ["md", "toml"]
            .iter()
            .any(|kind| document.extension() == Some(OsStr::new(kind)));
        if !is_case {
            continue;
        }
        let place = tempfile::tempdir().unwrap();
        for input in files("tests/cmd/input") {
            std::fs::copy(&input, place.path().join(input.file_name().unwrap())).unwrap();
        }
        std::env::set_current_dir(place.path()).unwrap();
        trycmd::TestCases::new().case(document).run();
        std::env::set_current_dir(env!("CARGO_MANIFEST_DIR")).unwrap();
    }
}

/// The remaining commands in the documents take long, run forever or need missing
/// files: the program accepts their arguments.
#[test]
fn documented_commands_are_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let documents = std::fs::read_dir(root.join("docs")).unwrap();
    let documents = documents.map(|entry| entry.unwrap().path());
    let documents = documents.filter(|path| path.extension() == Some(OsStr::new("md")));
    let mut count = 0;
    for path in documents.chain([root.join("README.md")]) {
        let document = std::fs::read_to_string(&path).unwrap();
        // A command goes on behind a backslash.
        let document = document.replace("\\\n", " ");
        let shells = ["sh", "ini"].map(|language| format!("\n```{language}\n"));
        let shells = shells
            .iter()
            .flat_map(|begin| document.split(begin).skip(1))
            .map(|text| text.split("\n```").next().unwrap());
        for line in shells.flat_map(str::lines) {
            let line = line.replace("ExecStart=/usr/local/bin/", "");
            // As it is, or behind the options of a container.
            let container = line.strip_prefix("podman run ").and_then(|line| {
                let (_, command) = line.split_once("    granero ")?;
                Some(command)
            });
            let Some(command) = container.or(line.strip_prefix("granero ")) else {
                continue;
            };
            let words = shlex::split(command).unwrap();
            let output = granero(&[words, vec!["--help".to_string()]].concat());
            assert_eq!(code(&output), 0, "{}: {line}", path.display());
            count += 1;
        }
    }
    assert_eq!(count, 42);
}

#[test]
fn every_verb_has_help_with_examples_and_is_documented() {
    let help = granero(&["--help"]);
    let (_, commands) = text(&help.stdout).split_once("Commands:\n").unwrap();
    let verbs = commands
        .lines()
        .map_while(|line| line.split_whitespace().next());
    let verbs: Vec<&str> = verbs.filter(|verb| *verb != "help").collect();
    assert!(verbs.len() >= 20, "{verbs:?}");
    for verb in verbs {
        let help = granero(&[verb, "--help"]);
        assert_eq!(code(&help), 0);
        assert!(text(&help.stdout).contains("Examples:"), "{verb}");
        let named = format!("granero {verb}");
        assert!(
            include_str!("../docs/cli.md").contains(&named),
            "{verb} is not in docs/cli.md"
        );
    }
    let about =
        "Exact endgame tables for Oware, Awari, Wari, Awalé, the West African sowing game\n";
    assert!(text(&help.stdout).starts_with(about), "{help:?}");
    let version = granero(&["--version"]);
    let expected = format!("granero {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(text(&version.stdout), expected);
}

/// Its own tests are in `tests/get`.
#[cfg(not(feature = "get"))]
#[test]
fn a_program_that_cannot_fetch_tables_says_so() {
    let place = tempfile::tempdir().unwrap();
    let arguments = ["get", "https://tables.example.org/abapa"];
    let output = granero_in(place.path(), &arguments);
    assert_eq!(code(&output), 2);
    let message =
        "error: this program cannot fetch tables: it was compiled without the feature `get`\n";
    assert!(text(&output.stderr).starts_with(message), "{output:?}");
    assert!(
        text(&output.stderr).contains("`cargo install --path src/cli --locked --features get`")
    );
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = granero(&["completions", shell]);
        assert_eq!(code(&script), 0);
        assert!(text(&script.stdout).contains("granero"), "{shell}");
    }
}

#[test]
fn errors_have_a_code_and_are_said_on_stderr_alone() {
    let ten_seeds = "2 0 1 1 0 1 1 1 0 0 2 1";
    for (expected, arguments) in [
        (2, &[] as &[&str]),
        (2, &["sow"]),
        (2, &["rules", "kalah"]),
        (2, &["moves"]),
        (2, &["moves", ""]),
        (2, &["moves", "-1", "2"]),
        (2, &["moves", "4 4 4 4 4 4 4 4 4 4 4 5"]),
        (2, &["moves", "4", "4"]),
        (
            2,
            &["moves", "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "--rules", "Abapa"],
        ),
        (2, &["completions", "tcsh"]),
        (2, &["moves", "--jsn", "4"]),
        (2, &["query", ten_seeds, "1 1 0 2 4"]),
        (2, &["query", ten_seeds, "--prove", "5"]),
        (2, &["build", "--threads", "0"]),
        (2, &["stats", "--layer", "49"]),
        (2, &["referee", "--engine", ""]),
        (3, &["query", ten_seeds, "--db", "nowhere"]),
        (3, &["line", ten_seeds, "--prove", "off"]),
        (3, &["export", "--layer", "3", "--db", "nowhere"]),
    ] {
        let output = granero(arguments);
        assert_eq!(code(&output), expected, "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn an_output_that_is_not_read_to_the_end_is_no_error() {
    let mut child = command(&["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut complaints = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut complaints).unwrap();
    assert_eq!(complaints, "");
    assert!(child.wait().unwrap().success());
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_exits_with_3() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    for verb in ["rules", "--help", "--version"] {
        let full = full.try_clone().unwrap();
        let output = command(&[verb]).stdout(full).output().unwrap();
        assert_eq!(code(&output), 3, "{verb}");
        assert!(text(&output.stderr).starts_with("error: cannot write the output"));
    }
}

#[test]
fn colours_only_where_they_are_wanted() {
    let coloured = |no_color: bool| {
        let mut command = command(&["rules"]);
        command.env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR");
        if no_color {
            command.env("NO_COLOR", "1");
        }
        command.output().unwrap().stdout.contains(&0x1b)
    };
    assert!(coloured(false));
    assert!(!coloured(true));
    assert!(!granero(&["rules"]).stdout.contains(&0x1b));
}

/// The fields documented in `docs/cli.md`, no more and no fewer.
fn expected_moves(ruleset: Ruleset, position: &Position) -> Value {
    let moves: Vec<Value> = ruleset
        .moves(position)
        .iter()
        .map(|play| {
            let mut entry = json!({
                "house": play.house.to_string(),
                "index": play.house.index(),
                "captured": play.captured,
                "position": play.position.houses(),
            });
            if play.ends_game {
                entry["conceded"] = play.conceded.into();
            }
            entry
        })
        .collect();
    let over = match ruleset.turn(position) {
        granero::Turn::Play(_) => Value::Null,
        granero::Turn::Over(over) => json!({
            "reason": over.reason.name(),
            "value": over.value.seeds(),
        }),
    };
    json!({
        "version": 1,
        "rules": ruleset.name(),
        "position": position.houses(),
        "seeds": position.seeds(),
        "over": over,
        "moves": moves,
    })
}

#[test]
fn json_of_moves() {
    for position in [
        "6 0 0 2 1 2 / 4 0 0 1 3 1",
        "0 0 0 1 1 1 / 1 1 0 2 4 0",
        "0 0 0 0 0 0 / 1 1 0 2 1 0",
        "0 0 0 0 0 2 / 0 0 0 0 0 1",
        "0 0 0 0 0 1 / 0 0 0 0 0 0",
        "0 0 0 0 0 0 / 0 0 0 0 0 0",
    ] {
        for ruleset in Ruleset::ALL {
            let output = granero(&["moves", position, "--rules", ruleset.name(), "--json"]);
            assert_eq!(code(&output), 0);
            let document: Value = serde_json::from_slice(&output.stdout).unwrap();
            let expected = expected_moves(ruleset, &position.parse().unwrap());
            assert_eq!(document, expected);
            assert_eq!(text(&output.stdout).lines().count(), 1);
        }
    }
}

#[test]
fn json_of_rules() {
    let output = granero(&["rules", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rulesets = document["rulesets"].as_array().unwrap();
    assert_eq!(rulesets.len(), 8);
    for (entry, ruleset) in rulesets.iter().zip(Ruleset::ALL) {
        assert_eq!(entry["name"], ruleset.name());
        assert_eq!(entry["default"], ruleset == Ruleset::Abapa);
        let alone = granero(&["rules", ruleset.name(), "--json"]);
        let mut alone: Value = serde_json::from_slice(&alone.stdout).unwrap();
        assert_eq!(
            alone.as_object_mut().unwrap().remove("version"),
            Some(json!(1))
        );
        assert_eq!(&alone, entry);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_argument_makes_it_panic(
        arguments in prop::collection::vec(
            prop_oneof![
                "[-0-9 /,NSx]{0,40}",
                "[^\0]{0,40}",
                Just("moves".to_string()),
                Just("rules".to_string()),
                Just("--json".to_string()),
            ],
            0..5,
        ),
    ) {
        let output = granero(&[&["moves".to_string()], arguments.as_slice()].concat());
        prop_assert!(matches!(code(&output), 0 | 2), "{output:?}");
    }
}

#[cfg(unix)]
#[test]
fn arguments_need_not_be_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let output = granero(&[OsStr::new("moves"), OsStr::from_bytes(b"4 \xff 4")]);
    assert_eq!(code(&output), 2);
}

/// Runs the command in a directory.
fn granero_in(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = command(arguments);
    command.current_dir(directory).env_remove("GRANERO_DB");
    command.stdin(Stdio::null()).output().unwrap()
}

/// The command between backquotes, or in a line by itself.
fn commands(message: &str) -> Vec<Vec<String>> {
    let quoted = message.split('`').skip(1).step_by(2);
    let lines = message.lines().filter_map(|line| line.strip_prefix("  "));
    let shown = quoted
        .chain(lines)
        .filter_map(|command| command.strip_prefix("granero "));
    shown
        .map(|command| shlex::split(command).expect("quotes that end"))
        .collect()
}

/// The commands that messages suggest work as shown.
#[test]
fn commands_in_messages_work_as_they_are_shown() {
    let place = tempfile::tempdir().unwrap();
    let db = "my tables";
    let run = |arguments: &[&str]| granero_in(place.path(), arguments);
    let build = |seeds: &str| {
        let rules = ["build", "--rules", "italian", "--quiet"];
        run(&[&rules[..], &["--seeds", seeds, "--db", db]].concat())
    };
    let engine = format!("{} uci", env!("CARGO_BIN_EXE_granero"));
    let too_many = "0 0 0 0 0 3 2 0 0 0 0 0";
    // Without tables, with too few, and what a build says at its end.
    for arguments in [
        &["stats"][..],
        &["stats", "--layer", "5"],
        &["verify", "--layer", "5"],
        &["export", "--layer", "5", "--out", "out"],
        &["line", too_many, "--prove", "off"],
        &["referee", "--engine", &engine, "--seeds", "5"],
    ] {
        let none = place.path().join("my tables");
        let _ = std::fs::remove_dir_all(&none);
        if arguments.len() > 1 {
            assert_eq!(code(&build("2")), 0);
        }
        let output = run(&[arguments, &["--db", db]].concat());
        assert!(matches!(code(&output), 2 | 3), "{output:?}");
        let commands = commands(text(&output.stderr));
        assert_eq!(commands.len(), 1, "{output:?}");
        let words: Vec<&str> = commands[0].iter().map(String::as_str).collect();
        assert_eq!(words[0], "build");
        // As many seeds as it builds by default take seconds; `.ci/run` builds them.
        let few: &[&str] = if words.contains(&"--seeds") {
            &[]
        } else {
            &["--seeds", "3"]
        };
        let extended = run(&[&words[..], few, &["--quiet"]].concat());
        assert_eq!(code(&extended), 0, "{words:?}: {extended:?}");
        let again = [arguments, &["--db", db]].concat();
        if arguments[0] != "referee" {
            assert_eq!(code(&run(&again)), 0, "{again:?}");
        }
    }
}

/// Tables of one convention for endless play, when the other one is asked for.
#[test]
fn tables_of_the_other_convention_are_told_with_what_to_build() {
    let engine = format!("{} uci", env!("CARGO_BIN_EXE_granero"));
    let position = "0 0 0 0 0 1 1 0 0 0 0 0";
    let of_bounds = "--cycles own-side";
    let of_values = "";
    for (built, wanted, arguments) in [
        (of_bounds, of_values, &["referee", "--engine", &engine][..]),
        (of_bounds, of_values, &["uci"]),
        (of_bounds, "--cycles split", &["stats"]),
        (of_bounds, "--cycles split", &["query", position]),
        (of_values, of_bounds, &["query", position]),
        (of_values, of_bounds, &["line", position]),
        (of_values, of_bounds, &["judge", "game", "--prove", "off"]),
        (of_values, of_bounds, &["stats"]),
        (
            of_values,
            of_bounds,
            &["export", "--layer", "1", "--format", "csv"],
        ),
        (of_values, of_bounds, &["info"]),
        ("none", of_bounds, &["query", position]),
        ("none", of_bounds, &["stats"]),
    ] {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("game"), "Ff").unwrap();
        let run = |arguments: &[&str], options: &str| {
            let options: Vec<&str> = options.split_whitespace().collect();
            let arguments = [arguments, &options, &["--db", "db"]].concat();
            granero_in(place.path(), &arguments)
        };
        let there_are_others = built != "none";
        if there_are_others {
            let small = ["build", "--rules", "italian", "--seeds", "2", "--quiet"];
            assert_eq!(code(&run(&small, built)), 0);
        }
        let output = run(arguments, wanted);
        assert_eq!(code(&output), 3, "{output:?}");
        let message = text(&output.stderr);
        let (found, asked) = match wanted {
            "--cycles own-side" => ("split", "own-side"),
            _ => ("own-side", "split"),
        };
        let expected = if there_are_others {
            format!("error: db holds tables with endless play by `{found}`, not by `{asked}`\n")
        } else {
            "error: db holds no tables".to_string()
        };
        assert!(message.starts_with(&expected), "{message}");
        let commands = commands(message);
        let mut expected = vec!["build"];
        if there_are_others {
            expected.extend(["--rules", "italian"]);
        }
        if asked == "own-side" {
            expected.extend(["--cycles", "own-side"]);
        }
        expected.extend(["--db", "db"]);
        assert_eq!(commands, [expected.clone()], "{message}");
        let command = [&expected[..], &["--seeds", "2", "--quiet"]].concat();
        let built = granero_in(place.path(), &command);
        assert_eq!(code(&built), 0, "{built:?}");
        if arguments[0] != "referee" {
            let again = run(arguments, wanted);
            assert_eq!(code(&again), 0, "{again:?}");
        }
    }
}

#[test]
fn damaged_tables_are_told_with_what_to_do() {
    let place = tempfile::tempdir().unwrap();
    let built = granero_in(
        place.path(),
        &["build", "--quiet", "--seeds", "3", "--db", "db"],
    );
    assert_eq!(code(&built), 0);
    let file = place.path().join("db/layer-02.granero");
    let good = std::fs::read(&file).unwrap();
    std::fs::write(&file, &good[..good.len() - 1]).unwrap();
    let position = "0 0 0 0 0 1 1 0 0 0 0 0";
    let asked = granero_in(place.path(), &["query", position, "--db", "db"]);
    assert_eq!(code(&asked), 3);
    let expected = "help: put a good copy of the file in its place; or remove db and build it \
                    again: `granero build --db db`, with the --seeds and --rules that it had\n";
    assert!(text(&asked.stderr).ends_with(expected), "{asked:?}");
    std::fs::write(&file, &good).unwrap();
    let asked = granero_in(place.path(), &["query", position, "--db", "db"]);
    assert_eq!(code(&asked), 0);

    // Bounds have a place of their own within the directory.
    let of_bounds = ["--cycles", "own-side", "--db", "db"];
    let built = [&["build", "--quiet", "--seeds", "3"], &of_bounds[..]].concat();
    assert_eq!(code(&granero_in(place.path(), &built)), 0);
    std::fs::write(place.path().join("db/own-side/layer-02.granero"), "").unwrap();
    let asked = [&["query", position], &of_bounds[..]].concat();
    let asked = granero_in(place.path(), &asked);
    assert_eq!(code(&asked), 3);
    let expected = "help: put a good copy of the file in its place; or remove db/own-side and build \
                    it again: `granero build --cycles own-side --db db`, with the --seeds and --rules \
                    that it had\n";
    assert!(text(&asked.stderr).ends_with(expected), "{asked:?}");
}
