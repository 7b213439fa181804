//! `granero guard`: the process between a referee and an engine, see [`granero::uci::guard`].
//! It is no verb for people, so that the command line does not know it.

use std::ffi::OsString;
use std::process::ExitCode;

use granero::uci::{Leash, guard};

/// The first argument of a guard.
const VERB: &str = "guard";

/// A leash with this program as the guard.
pub(super) fn leash() -> Leash {
    // Also where its file is not there any more.
    Leash::with_guard(["/proc/self/exe", VERB])
}

/// The whole program, if its arguments are those of a guard.
pub(super) fn run() -> Option<ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match arguments.as_slice() {
        [verb, parent, engine, arguments @ ..] if verb == VERB => {
            let parent = parent.to_str()?.parse().ok()?;
            Some(guard(parent, engine, arguments))
        }
        _ => None,
    }
}
