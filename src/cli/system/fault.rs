//! Signals that would end the program without a message.
//!
//! SIGBUS means that a mapped file of tables cannot be read any more, and SIGABRT that the standard library
//! ran out of memory. The handlers print an error and end the program with its exit code. SIGXFSZ means that a
//! file has reached its size limit: the signal is caught, and the write fails like any other.
//!
//! The handlers allocate no memory, take no lock, and touch no other state of the program. On other systems than Unix,
//! which have no such signals, a failing disk or a lack of memory ends the program.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::io::{Error, ErrorKind, IsTerminal};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use granero::table::mapped_file;
use libc::{sigaction, siginfo_t};
use signal_hook::{consts, flag};

use granero_console::failure::{DATA, MORE_MEMORY, UNREADABLE};

/// Printed first on a terminal, to leave the line of a bar.
static NEW_LINE: OnceLock<&str> = OnceLock::new();

/// The handler before: the standard library's, which checks for a stack overflow and ends the program.
static BEFORE: OnceLock<sigaction> = OnceLock::new();

/// Installs the handlers. If that fails, a fault ends the program without a message.
pub(crate) fn tell_of_faults() {
    let at_terminal = std::io::stderr().is_terminal();
    let _ = NEW_LINE.set(if at_terminal { "\n" } else { "" });
    // SAFETY: a `sigaction` of zeros is one: no flags, no signal blocked.
    let mut ours: sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    ours.sa_sigaction = on_fault as *const () as usize;
    // The stack may have overflowed; threads have a second one for signals.
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    let mut before = MaybeUninit::uninit();
    // SAFETY: both are what the function asks for, and `on_fault` has the signature that
    // goes with the flags.
    let done = unsafe { libc::sigaction(libc::SIGBUS, &ours, before.as_mut_ptr()) };
    if done == 0 {
        // SAFETY: it was filled in.
        let _ = BEFORE.set(unsafe { before.assume_init() });
    }
    ours.sa_sigaction = on_abort as *const () as usize;
    // SAFETY: as above.
    unsafe { libc::sigaction(libc::SIGABRT, &ours, ptr::null_mut()) };
    // An empty handler, instead of ignoring the signal, because an engine would inherit that.
    let _ = flag::register(consts::SIGXFSZ, Arc::default());
}

/// Runs `install`, which sets a handler for SIGHUP, then ignores SIGHUP again if it was ignored before, as
/// under `nohup`.
pub(crate) fn but_for_nohup(install: impl FnOnce()) {
    let mut before = MaybeUninit::<sigaction>::uninit();
    // SAFETY: without an action it only fills in `before`.
    let asked = unsafe { libc::sigaction(libc::SIGHUP, ptr::null(), before.as_mut_ptr()) };
    install();
    // SAFETY: `before` was filled in.
    if asked == 0 && unsafe { before.assume_init() }.sa_sigaction == libc::SIG_IGN {
        // SAFETY: the program began with it.
        unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
    }
}

extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the system passes a description of the signal. A signal that a program has sent has no
    // address; then this is an arbitrary number, which is not dereferenced.
    let address = unsafe { (*info).si_addr() }.addr();
    match mapped_file(address) {
        Some(file) => tell([
            b"cannot read ",
            file.as_os_str().as_bytes(),
            b": it was truncated, or the disk failed",
            UNREADABLE.as_bytes(),
        ]),
        // Restores the previous handler. The fault occurs again as soon as this one returns.
        None => {
            let before = BEFORE.get().map_or(ptr::null(), ptr::from_ref);
            // SAFETY: `before` comes from the system, or is null, which changes nothing.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                libc::sigaction(signal, before, ptr::null_mut());
            }
        }
    }
}

/// Runs in the aborting thread. If the last system call failed for lack of memory, so did the program.
/// Otherwise the signal ends the program, as it does when another program has sent it.
extern "C" fn on_abort(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    let error = Error::last_os_error().kind();
    // SAFETY: the system passes a description of the signal, with the process that sent it.
    let is_own = unsafe { (*info).si_pid() == libc::getpid() };
    if is_own && error == ErrorKind::OutOfMemory {
        tell([b"not enough memory", b"", b"", MORE_MEMORY.as_bytes()]);
    }
    // SAFETY: plain functions on numbers. The signal is blocked until this returns.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// Prints an error with its help, and ends the program.
fn tell([what, file, why, help]: [&[u8]; 4]) -> ! {
    static IS_BEING_TOLD: AtomicBool = AtomicBool::new(false);
    while IS_BEING_TOLD.swap(true, Ordering::AcqRel) {
        // Another thread has the same fault and is ending the program.
        // SAFETY: this only waits.
        unsafe { libc::pause() };
    }
    let pieces = [
        NEW_LINE.get().map_or(&b""[..], |text| text.as_bytes()),
        b"error: ",
        what,
        file,
        why,
        b"\nhelp: ",
        help,
        b"\n",
    ];
    for piece in pieces {
        // SAFETY: pointer and length come from a slice. If the write fails, the exit code has to do.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, piece.as_ptr().cast(), piece.len()) };
    }
    // SAFETY: it runs no code of the program.
    unsafe { libc::_exit(DATA.into()) }
}
