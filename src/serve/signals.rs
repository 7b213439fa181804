//! The signals that ask a program to end: SIGINT, which is Ctrl-C, and SIGTERM; and SIGHUP, which
//! ends no server.
//!
//! While the server starts, a signal ends it at once. While it serves, the first signal makes it
//! finish requests in progress, in bounded time; the second one ends it at once. "At once" is
//! `_exit` within the signal handler, which waits for no thread and no lock.

use std::io;
use std::sync::Arc;

use tokio::sync::Notify;

#[cfg(unix)]
pub(crate) use unix::Signals;

#[cfg(not(unix))]
pub(crate) use other::Signals;

/// Told when the server is to end.
pub(crate) type End = Arc<Notify>;

#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::{flag, iterator, low_level};

    use super::{Arc, End, io};

    const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

    /// What is done with signals.
    pub(crate) struct Signals {
        /// While this is set, a signal ends the program at once. A signal sets it.
        at_once: Arc<AtomicBool>,
    }

    impl Signals {
        /// From now on a signal ends the program at once.
        pub(in super::super) fn new() -> io::Result<Signals> {
            flag::register(SIGHUP, Arc::default())?;
            let at_once = Arc::new(AtomicBool::new(true));
            for signal in SIGNALS {
                // The handlers run in this order.
                flag::register_conditional_shutdown(signal, 0, Arc::clone(&at_once))?;
                flag::register(signal, Arc::clone(&at_once))?;
            }
            Ok(Signals { at_once })
        }

        /// From now on the first signal is told to `end`. If the program has not ended `within`
        /// some time after it, it is ended. Each SIGHUP before that calls `hung_up`.
        pub(in super::super) fn tell(
            self,
            end: End,
            within: Duration,
            hung_up: impl Fn() + Send + 'static,
        ) -> io::Result<()> {
            let mut signals = iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
            let wait = move || {
                for signal in signals.forever() {
                    if signal == SIGHUP {
                        hung_up();
                    } else {
                        end.notify_one();
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

    use super::{End, io};

    /// What is done with Ctrl-C.
    pub(crate) struct Signals;

    impl Signals {
        /// While the server starts, the system ends the program.
        pub(in super::super) fn new() -> io::Result<Signals> {
            Ok(Signals)
        }

        /// From now on the first Ctrl-C is told to `end`. The second one, or the end of a time
        /// after the first, ends the program.
        pub(in super::super) fn tell(
            self,
            end: End,
            within: Duration,
            _hung_up: impl Fn() + Send + 'static,
        ) -> io::Result<()> {
            let mut asked = false;
            let handler = move || {
                if asked {
                    process::exit(0);
                }
                asked = true;
                end.notify_one();
                thread::spawn(move || {
                    thread::sleep(within);
                    process::exit(0);
                });
            };
            ctrlc::set_handler(handler).map_err(io::Error::other)
        }
    }
}
