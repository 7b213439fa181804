//! Asks the system for as many open files as the server may need. It does not start with fewer.

use granero_console::Failure;

/// Files besides connections and tables: the standard streams, files of the runtime and the
/// signals, manifest and lock of a directory that is checked, a refused connection.
const OTHERS: u64 = 64;

/// Makes sure that all these connections and files of tables can be open at a time.
pub(crate) fn allow(connections: u64, tables: u64) -> Result<(), Failure> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let needed = connections + tables + OTHERS;
    let mut limit = getrlimit(Resource::Nofile);
    let are_allowed = limit.current.is_none_or(|current| current >= needed);
    limit.current = Some(needed);
    if are_allowed || setrlimit(Resource::Nofile, limit).is_ok() {
        return Ok(());
    }
    let most = limit.maximum.unwrap_or(needed).min(needed - 1);
    let left = most.saturating_sub(tables + OTHERS);
    let raise = format!("raise the limit of open files to {needed} (`ulimit -Hn`, LimitNOFILE=)");
    Err(Failure::data(
        format!(
            "the server may need {needed} open files at a time ({connections} connections, \
             {tables} of tables, {OTHERS} more), but the system allows {most}"
        ),
        match left {
            0 => raise,
            _ => format!("serve with --connections {left}, or {raise}"),
        },
    ))
}
