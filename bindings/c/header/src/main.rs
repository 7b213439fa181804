//! Makes `include/granero.h`; with `--check`, only tells if it is current.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let header = package.join("include/granero.h");
    let config = cbindgen::Config::from_file(package.join("cbindgen.toml"));
    let made = config.and_then(|config| {
        let made = cbindgen::generate_with_config(&package, config);
        made.map_err(|error| error.to_string())
    });
    let made = match made {
        Ok(made) => made,
        Err(error) => {
            eprintln!("the header cannot be made: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut bytes = Vec::new();
    made.write(&mut bytes);
    let is_current = std::fs::read(&header).is_ok_and(|there| there == bytes);
    if is_current {
        return ExitCode::SUCCESS;
    }
    if std::env::args().any(|argument| argument == "--check") {
        eprintln!("include/granero.h is not current: run this without --check, and commit it");
        return ExitCode::FAILURE;
    }
    match std::fs::write(&header, bytes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write {}: {error}", header.display());
            ExitCode::FAILURE
        }
    }
}
