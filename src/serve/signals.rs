//! The signals that ask the server to end: SIGINT, which is Ctrl-C, and SIGTERM. SIGHUP does not.
//!
//! While the server starts, a signal ends it at once. While it serves, the first signal makes it
//! finish the requests in progress, in bounded time; the second one ends it at once. "At once" is
//! `_exit` within the signal handler, which waits for no thread and no lock.

use std::io;
use std::sync::Arc;

use tokio::sync::Notify;

#[cfg(unix)]
pub(crate) use unix::Signals;

#[cfg(not(unix))]
pub(crate) use other::Signals;

/// Notified when the server should end.
pub(crate) type Shutdown = Arc<Notify>;

#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::{flag, iterator, low_level};

    use super::{Arc, Shutdown, io};

    const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

    pub(crate) struct Signals {
        /// While this is set, a signal ends the program at once. A signal sets it.
        at_once: Arc<AtomicBool>,
    }

    impl Signals {
        /// Makes a signal end the program at once.
        pub(crate) fn new() -> io::Result<Signals> {
            flag::register(SIGHUP, Arc::default())?;
            let at_once = Arc::new(AtomicBool::new(true));
            for signal in SIGNALS {
                // The handlers run in this order.
                flag::register_conditional_shutdown(signal, 0, Arc::clone(&at_once))?;
                flag::register(signal, Arc::clone(&at_once))?;
            }
            Ok(Signals { at_once })
        }

        /// Makes the first signal notify `shutdown`, and end the program if it still runs `within`
        /// some time after it. Each SIGHUP before that calls `hung_up`.
        pub(crate) fn tell(
            self,
            shutdown: Shutdown,
            within: Duration,
            hung_up: impl Fn() + Send + 'static,
        ) -> io::Result<()> {
            let mut signals = iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
            let wait = move || {
                for signal in signals.forever() {
                    if signal == SIGHUP {
                        hung_up();
                    } else {
                        shutdown.notify_one();
                        thread::sleep(within);
                        low_level::exit(0);
                    }
                }
            };
            thread::Builder::new().name("signals".into()).spawn(wait)?;
            self.at_once.store(false, Ordering::SeqCst);
            Ok(())
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::process;
    use std::thread;
    use std::time::Duration;

    use super::{Shutdown, io};

    /// The handler of Ctrl-C.
    pub(crate) struct Signals;

    impl Signals {
        /// Does nothing: while the server starts, the system ends the program.
        pub(crate) fn new() -> io::Result<Signals> {
            Ok(Signals)
        }

        /// Makes the first Ctrl-C notify `shutdown`. A second one, or the end of a time after the
        /// first, ends the program.
        pub(crate) fn tell(
            self,
            shutdown: Shutdown,
            within: Duration,
            _hung_up: impl Fn() + Send + 'static,
        ) -> io::Result<()> {
            let mut asked = false;
            let handler = move || {
                if asked {
                    process::exit(0);
                }
                asked = true;
                shutdown.notify_one();
                thread::spawn(move || {
                    thread::sleep(within);
                    process::exit(0);
                });
            };
            ctrlc::set_handler(handler).map_err(io::Error::other)
        }
    }
}
