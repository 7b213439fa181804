//! The command: it prints what its documentation shows, exit codes are
//! kept, and no argument makes it panic.

#[allow(dead_code, unreachable_pub)]
#[path = "support/command.rs"]
mod support;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use proptest::prelude::*;

use support::{code, stdout, success};

fn granero<S: AsRef<OsStr>>(arguments: &[S]) -> Output {
    command(arguments).output().unwrap()
}

fn command<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_granero"));
    command.args(arguments);
    command
}

/// Runs every command with output in the README, the documents and `tests/cmd/`. Each file has a directory with a copy
/// of `tests/cmd/input/`, and without tables, so that the sample answers until a command builds some; the README has
/// tables. In `unix/` and `linux/` the commands are lines for a shell, which finds the program, and the repository in
/// `$ROOT`.
#[test]
fn documented_commands_print_what_they_should() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = |directory: &str| {
        let entries = std::fs::read_dir(root.join(directory)).unwrap();
        entries.map(|entry| entry.unwrap().path())
    };
    let documents = files("docs")
        .chain(files("docs/internals"))
        .chain(files("tests/cmd"))
        .chain([root.join("README.md")]);
    let for_a_shell = [
        ("tests/cmd/unix", cfg!(unix)),
        ("tests/cmd/linux", cfg!(target_os = "linux")),
    ];
    let for_a_shell = for_a_shell.iter().filter(|(_, runs_here)| *runs_here);
    let program = Path::new(env!("CARGO_BIN_EXE_granero"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(program.parent().unwrap().to_path_buf());
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap();
    for document in documents.chain(for_a_shell.flat_map(|(directory, _)| files(directory))) {
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
        if document.ends_with("README.md") {
            success(&granero(&["build", "--seeds", "8", "--quiet"]));
        }
        trycmd::TestCases::new()
            .register_bin("sh", Path::new("/bin/sh"))
            .env("ROOT", root.display().to_string())
            .env("PATH", path.to_str().unwrap())
            .case(document)
            .run();
        std::env::set_current_dir(env!("CARGO_MANIFEST_DIR")).unwrap();
    }
}

/// The remaining commands in the documents take long, run forever or need missing
/// files: the program accepts their arguments.
#[test]
fn documented_commands_are_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders =
        ["docs", "docs/internals"].map(|name| std::fs::read_dir(root.join(name)).unwrap());
    let documents = folders.into_iter().flatten();
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
    assert_eq!(count, 33);
}

#[test]
fn every_verb_has_help_with_examples_and_is_documented() {
    let help = granero(&["--help"]);
    let (_, commands) = stdout(&help).split_once("Commands:\n").unwrap();
    let verbs = commands
        .lines()
        .map_while(|line| line.split_whitespace().next());
    let verbs: Vec<&str> = verbs.filter(|verb| *verb != "help").collect();
    assert!(verbs.len() >= 20, "{verbs:?}");
    for verb in verbs {
        let help = granero(&[verb, "--help"]);
        assert!(success(&help).contains("Examples:"), "{verb}");
        let named = format!("granero {verb}");
        let documents = [
            include_str!("../docs/cli.md"),
            include_str!("../docs/json.md"),
        ];
        assert!(
            documents.iter().any(|text| text.contains(&named)),
            "{verb} is not in docs/cli.md or docs/json.md"
        );
    }
    let about =
        "Exact endgame tables for Oware, Awari, Wari, Awalé, the West African sowing game\n";
    assert!(stdout(&help).starts_with(about), "{help:?}");
    let version = granero(&["--version"]);
    let expected = format!("granero {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(stdout(&version), expected);
}

/// Its own tests are in `tests/get`.
#[cfg(not(feature = "get"))]
#[test]
fn a_program_that_cannot_fetch_tables_says_so() {
    let place = tempfile::tempdir().unwrap();
    let arguments = ["get", "https://tables.example.org/abapa"];
    let mut command = command(&arguments);
    command.current_dir(place.path()).env_remove("GRANERO_DB");
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    let message = "this program cannot fetch tables: it was compiled without the feature `get`\n";
    support::tells(&output, 2, &format!("error: {message}"));
    let help = "`cargo install --path src/cli --locked --features get`";
    support::shows(support::stderr(&output), help);
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
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
