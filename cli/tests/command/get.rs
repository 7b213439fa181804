//! `tools/get`: tables from hosts that are slow, cut off, and lie.

use std::io::ErrorKind;
use std::process::Command;

use crate::support::command::{stderr, stdout};

#[test]
#[ignore = "slow: .ci/run has it"]
fn tables_are_downloaded_whole_or_not_at_all() {
    let mut python = Command::new("python3");
    match python
        .args(["../tools/get_test.py", "../data/sample"])
        .output()
    {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        output => {
            let output = output.unwrap();
            assert_eq!(stdout(&output), "all right\n", "{}", stderr(&output));
        }
    }
}
