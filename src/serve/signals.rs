//! The signals that ask the server to end, SIGINT and SIGTERM, or to open its tables again, SIGHUP.
//!
//! While the server starts, a signal ends it at once. While it serves, the first signal makes it
//! finish the requests in progress, in bounded time; the second one ends it at once. On Unix, "at
//! once" is `_exit` within the signal handler, which waits for no thread and no lock.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(crate) struct Signals {
    /// While this is set, a signal ends the program at once. A signal sets it.
    #[cfg_attr(not(unix), expect(dead_code, reason = "the system ends the program"))]
    at_once: Arc<AtomicBool>,
}

impl Signals {
    /// Makes a signal end the program at once.
    pub(crate) fn new() -> io::Result<Signals> {
        let at_once = Arc::new(AtomicBool::new(true));
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
            use signal_hook::flag;
            flag::register(SIGHUP, Arc::default())?;
            for signal in [SIGINT, SIGTERM] {
                // The handlers run in this order.
                flag::register_conditional_shutdown(signal, 0, Arc::clone(&at_once))?;
                flag::register(signal, Arc::clone(&at_once))?;
            }
        }
        Ok(Signals { at_once })
    }

    /// Waits for a signal to end. Calls `hung_up` after SIGHUP, and once more if another one comes
    /// meanwhile. Needs a runtime.
    #[cfg(unix)]
    pub(crate) fn end(self, hung_up: impl AsyncFn()) -> io::Result<impl Future<Output = ()>> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hang_up = signal(SignalKind::hangup())?;
        self.at_once
            .store(false, std::sync::atomic::Ordering::SeqCst);
        Ok(async move {
            let each_time = async {
                while hang_up.recv().await.is_some() {
                    hung_up().await;
                }
            };
            tokio::select! {
                () = each_time => {}
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        })
    }

    /// Waits for Ctrl-C. A second one ends the program.
    #[cfg(not(unix))]
    pub(crate) fn end(self, _hung_up: impl AsyncFn()) -> io::Result<impl Future<Output = ()>> {
        use tokio::signal::ctrl_c;
        Ok(async {
            let _ = ctrl_c().await;
            tokio::spawn(async {
                let _ = ctrl_c().await;
                std::process::exit(0);
            });
        })
    }
}
