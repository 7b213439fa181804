//! Ctrl-C, and the other signals that ask a program to end. A search for proofs then ends early and prints its
//! results; a verification says how far it came.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::output::meter::Meter;
use granero_console::{Failure, INTERRUPTED, say};

/// The number of running pieces of [`Work`], which end by themselves.
static WORKING: AtomicUsize = AtomicUsize::new(0);

/// True once they have been asked to end.
static CAME: AtomicBool = AtomicBool::new(false);

/// Calls `handler` on Ctrl-C, SIGTERM and SIGHUP. Under `nohup` SIGHUP stays ignored.
pub(crate) fn on_stop(handler: impl FnMut() + Send + 'static) {
    let install = || {
        // Without a handler the program just stops, which is as safe.
        let _ = ctrlc::set_handler(handler);
    };
    #[cfg(unix)]
    crate::system::fault::but_for_nohup(install);
    #[cfg(not(unix))]
    install();
}

/// From now on Ctrl-C ends the program only if no [`Work`] is running, or the second time.
pub(crate) fn let_work_end() {
    on_stop(|| {
        if WORKING.load(Ordering::SeqCst) == 0 || CAME.swap(true, Ordering::SeqCst) {
            process::exit(INTERRUPTED.into());
        }
    });
}

/// From now on Ctrl-C ends the program, and says so with the text that `last_words` returns.
pub(crate) fn end_with(last_words: impl Fn() -> String + Send + 'static) {
    on_stop(move || {
        say(&format!("\nStopped{}", last_words()));
        process::exit(INTERRUPTED.into());
    });
}

/// From now on Ctrl-C says how far the work has come, and ends the program.
pub(crate) fn say_how_far(meter: Meter) -> Arc<Meter> {
    let meter = Arc::new(meter);
    let shown = Arc::clone(&meter);
    end_with(move || format!(": {}.", shown.so_far()));
    meter
}

/// Returns true if work has to end.
pub(crate) fn came() -> bool {
    CAME.load(Ordering::Relaxed)
}

/// Returns the output of work, marked as incomplete if the work was interrupted.
pub(crate) fn outcome(output: String) -> Result<String, Failure> {
    if came() {
        return Err(Failure::Stopped(output));
    }
    Ok(output)
}

/// Work that ends soon after an interruption [`came`].
pub(crate) struct Work(());

impl Work {
    pub(crate) fn begin() -> Work {
        // Before the handler: Ctrl-C may come at once.
        WORKING.fetch_add(1, Ordering::SeqCst);
        let_work_end();
        Work(())
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        WORKING.fetch_sub(1, Ordering::SeqCst);
    }
}
