//! The signals that ask the server to end, SIGINT and SIGTERM, or to open its tables again, SIGHUP.
//!
//! While the server starts, the system ends it at once. While it serves, the first signal makes it finish the requests
//! in progress, in bounded time; the second one ends it at once.

use std::{io, process};

/// Waits for a signal to end. Each SIGHUP before that calls `hung_up`. Needs a runtime.
#[cfg(unix)]
pub(crate) fn end(hung_up: impl Fn()) -> io::Result<impl Future<Output = ()>> {
    use tokio::select;
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        loop {
            select! {
                _ = hang_up.recv() => hung_up(),
                _ = interrupt.recv() => break,
                _ = terminate.recv() => break,
            }
        }
        tokio::spawn(async move {
            select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            process::exit(0);
        });
    })
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn end(_hung_up: impl Fn()) -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::ctrl_c;

    Ok(async {
        let _ = ctrl_c().await;
        tokio::spawn(async {
            let _ = ctrl_c().await;
            process::exit(0);
        });
    })
}
