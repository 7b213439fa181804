//! The command: what its documentation shows is what it prints, exit codes are
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

/// Every command with output in the README and the documents, and the cases in
/// `tests/cmd/`. They are run there, where nobody builds tables, so that the sample
/// answers.
#[test]
fn documented_commands_print_what_they_should() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::env::set_current_dir(root.join("tests/cmd")).unwrap();
    trycmd::TestCases::new()
        .case(root.join("README.md"))
        .case(root.join("docs/*.md"))
        .case(root.join("tests/cmd/*.md"));
}

#[test]
fn every_verb_has_help_with_examples() {
    for verb in [
        "rules",
        "moves",
        "build",
        "estimate",
        "info",
        "verify",
        "query",
        "line",
        "judge",
        "stats",
        "export",
        "compare",
        "referee",
        "uci",
        "serve",
        "completions",
    ] {
        let help = granero(&[verb, "--help"]);
        assert_eq!(code(&help), 0);
        assert!(text(&help.stdout).contains("Examples:"), "{verb}");
    }
    let version = granero(&["--version"]);
    let expected = format!("granero {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(text(&version.stdout), expected);
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
fn bad_arguments_exit_with_2_and_say_so_on_stderr() {
    for arguments in [
        &[] as &[&str],
        &["sow"],
        &["rules", "kalah"],
        &["moves"],
        &["moves", ""],
        &["moves", "-1", "2"],
        &["moves", "4 4 4 4 4 4 4 4 4 4 4 5"],
        &["moves", "4", "4"],
        &["moves", "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "--rules", "Abapa"],
        &["completions", "tcsh"],
        &["moves", "--jsn", "4"],
    ] {
        let output = granero(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn an_output_nobody_reads_to_the_end_is_no_error() {
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
        let alone: Value = serde_json::from_slice(&alone.stdout).unwrap();
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
