//! `granero guard`: the process between a referee and an engine, see [`crate::uci::guard`]. The help does not list
//! it, because users do not need it.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use crate::uci::{Leash, guard};

/// The first argument of a guard.
const VERB: &str = "guard";

/// This program, even if its file no longer exists.
const PROGRAM: &str = "/proc/self/exe";

/// Returns a leash with this program as the guard; without a guard if there is no `/proc`, where a guard finds the
/// processes to end.
pub(super) fn leash() -> Leash {
    if Path::new(PROGRAM).exists() {
        Leash::with_guard([PROGRAM, VERB])
    } else {
        Leash::default()
    }
}

/// Runs the guard, if the arguments ask for it.
pub(crate) fn run() -> Option<ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match arguments.as_slice() {
        [verb, parent, engine, arguments @ ..] if verb == VERB => {
            let parent = parent.to_str()?.parse().ok()?;
            Some(guard(parent, engine, arguments))
        }
        _ => None,
    }
}
