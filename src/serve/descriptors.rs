//! The files that the server may have open: it asks for as many as it may need, and does not
//! start without them.

use granero_console::failure::Failure;

/// Besides connections and tables: the standard streams and copies of them, what the runtime
/// and the signals need, the manifest and the lock of a directory that is looked at, a
/// connection that is refused.
#[cfg(unix)]
const OTHERS: u64 = 64;

/// Makes sure that all these connections and files of tables can be open at the same time.
#[cfg(unix)]
pub(super) fn allow(connections: u64, tables: u64) -> Result<(), Failure> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let needed = connections + tables + OTHERS;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    let raised = Rlimit {
        current: Some(needed),
        maximum: limit.maximum,
    };
    let most = limit.maximum.unwrap_or(u64::MAX);
    if needed <= most && setrlimit(Resource::Nofile, raised).is_ok() {
        return Ok(());
    }
    let most = most.min(needed - 1);
    let left = most.saturating_sub(tables + OTHERS);
    let raise = format!("raise the limit of open files to {needed}: `ulimit -Hn`, LimitNOFILE=");
    Err(Failure::Data {
        message: format!(
            "{needed} files may have to be open at a time ({connections} connections, \
             {tables} of tables, {OTHERS} others), and the system allows {most}"
        ),
        help: match left {
            0 => raise,
            _ => format!("serve with --connections {left}, or {raise}"),
        },
    })
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(super) fn allow(_connections: u64, _tables: u64) -> Result<(), Failure> {
    Ok(())
}
