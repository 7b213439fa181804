//! The `granero` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    granero_cli::main()
}
