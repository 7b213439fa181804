//! The verbs with little memory.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use test_case::test_case;

use crate::program::{self, next_byte, say};
use crate::support::command::{code, piped, shows, signal, stderr, success};

/// Runs the program in a directory within a limit, such as `-v 100000`: 100 MB of addresses.
fn within(limit: &str, arguments: &str, place: &Path) -> Output {
    let script = format!("ulimit {limit}; exec $0 {arguments}");
    let mut limited = Command::new("sh");
    limited.args(["-c", &script, &program::path()]);
    // A backtrace takes memory, and its system calls hide the error of the failed one.
    limited.env_remove("RUST_BACKTRACE").current_dir(place);
    limited.env("RAYON_NUM_THREADS", "2").output().unwrap()
}

/// It says what is possible if the system says how much is free.
#[test]
#[ignore = "slow: .ci/run has it"]
fn an_estimate_of_all_seeds_fits_80_columns_and_says_what_is_possible() {
    let place = tempfile::tempdir().unwrap();
    let output = within("-c 0", "estimate --seeds 48", place.path());
    let text = success(&output);
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    if text.contains("Free here: ") && text.contains("enough memory") {
        assert!(text.contains(" seeds are possible.\n"), "{text}");
    }
}

#[test_case(&["query --batch lines --format tsv", "stats --layer 10"])]
#[test_case(&[
    "find --layer 10 --moves 1 --value 10 --most distance --format tsv",
    "query 4 4 4 4 0 0 0 0 1 1 1 1 --format tsv --prove-positions 5000 --threads 1",
    "line 0 0 1 1 1 1 1 1 0 2 1 1",
    "export --layer 9 --format csv",
    "verify --layer 10",
    "build --seeds 11 --quiet --db other",
] => ignore["slow: .ci/run has it"] (); "of other verbs")]
fn a_lack_of_memory_is_an_error(verbs: &[&str]) {
    let place = tempfile::tempdir().unwrap();
    let built = within("-c 0", "build --seeds 10 --quiet", place.path());
    assert_eq!(code(&built), 0, "{}", stderr(&built));
    let lines = "0 0 1 1 1 1 / 1 1 0 2 1 1\n1 0 1 1 0 1 / 1 1 0 2 1 0\n".repeat(5_000);
    fs::write(place.path().join("lines"), lines).unwrap();
    for verb in verbs {
        let all = within("-c 0", verb, place.path());
        assert_eq!(code(&all), 0, "{verb}: {}", stderr(&all));
        // The program itself takes some 20 MB of these.
        for limit in ["-v 26000", "-v 40000", "-v 100000", "-d 16384"] {
            let _ = fs::remove_dir_all(place.path().join("other"));
            let output = within(limit, verb, place.path());
            match code(&output) {
                0 if verb.starts_with("verify") || verb.starts_with("build") => {}
                0 => assert!(output.stdout == all.stdout, "{limit}, {verb}"),
                code => {
                    assert!(
                        code == 2 || code == 3,
                        "{limit}, {verb}: {}",
                        stderr(&output)
                    );
                    let said = stderr(&output);
                    shows(said, "error: ");
                    shows(said, "memory");
                }
            }
        }
    }
}

/// A signal from another process is not taken for a lack of memory.
#[test]
fn an_abort_that_is_sent_ends_the_program() {
    use std::os::unix::process::ExitStatusExt;
    let mut engine = piped(program::command().arg("uci"));
    say(&mut engine, "uci\n");
    // It answers once its handlers are installed.
    next_byte(&mut engine);
    signal(&engine, "ABRT");
    assert_eq!(engine.wait().unwrap().signal(), Some(6));
}
