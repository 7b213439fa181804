//! Signals of the system that would end the program without a message.
//!
//! SIGBUS: a mapped file of tables can no longer be read. SIGABRT: the standard library ends the program
//! because a request for memory fails. The handlers here print an error and end the program with the exit
//! code for it. SIGXFSZ: a file may not grow any more. The write fails, too, and its error is reported like
//! any other.

#[cfg(unix)]
pub(crate) use handler::{but_for_nohup, let_writes_fail, tell_of_faults};

/// On other systems a mapped file cannot be truncated, and a medium that fails, or a lack of memory,
/// ends the program.
#[cfg(not(unix))]
pub(crate) fn tell_of_faults() {}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub(crate) fn let_writes_fail() {}

/// Other systems have no `nohup`.
#[cfg(not(unix))]
pub(crate) fn but_for_nohup(install: impl FnOnce()) {
    install();
}

/// A handler may do little: it allocates no memory, takes no lock, and touches no state of the
/// program.
#[cfg(unix)]
#[allow(unsafe_code)]
mod handler {
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

    /// Printed first on a terminal, to clear a bar from the line.
    static NEW_LINE: OnceLock<&str> = OnceLock::new();

    /// What was done about the signal before: the standard library looks whether a stack is
    /// full, and ends the program.
    static BEFORE: OnceLock<sigaction> = OnceLock::new();

    /// Installs the handlers. Where that is not possible, a fault ends the program as
    /// the system has it.
    pub(crate) fn tell_of_faults() {
        let at_terminal = std::io::stderr().is_terminal();
        let _ = NEW_LINE.set(if at_terminal { "\n" } else { "" });
        // SAFETY: a `sigaction` of zeros is one: no flags, no signal blocked.
        let mut ours: sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
        ours.sa_sigaction = on_fault as *const () as usize;
        // The stack may be what is full; threads have another one for this.
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
    }

    /// Makes a write beyond the size limit of files an ordinary error. SIGXFSZ gets a handler that does
    /// nothing, because an engine would inherit an ignored signal.
    pub(crate) fn let_writes_fail() {
        let _ = flag::register(consts::SIGXFSZ, Arc::default());
    }

    /// Runs `install`, which sets a handler of SIGHUP, and ignores SIGHUP again if it was ignored before,
    /// as under `nohup`.
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
        // SAFETY: the system hands over a description of the signal. One that was sent by a
        // program has no address; then this is any number, which is not followed.
        let address = unsafe { (*info).si_addr() }.addr();
        match mapped_file(address) {
            Some(file) => tell([
                b"cannot read ",
                file.as_os_str().as_bytes(),
                b": it has become shorter, or its medium does not give it",
                UNREADABLE.as_bytes(),
            ]),
            None => give_back(signal),
        }
    }

    /// Called in the thread that aborts, after the standard library has said why: for lack of memory if
    /// the error of the last system call says so. Otherwise the signal ends the program, as when another
    /// program sent it.
    extern "C" fn on_abort(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
        let error = Error::last_os_error().kind();
        // SAFETY: the system hands over a description of the signal, with the process that sent it.
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

    /// Prints an error, whose last part is the help, and ends the program.
    fn tell([what, file, why, help]: [&[u8]; 4]) -> ! {
        static IS_BEING_TOLD: AtomicBool = AtomicBool::new(false);
        while IS_BEING_TOLD.swap(true, Ordering::AcqRel) {
            // Another thread has the same fault, and ends the program in a moment.
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
            // SAFETY: pointer and length are those of a slice. If the write fails, the exit code
            // must suffice.
            let _ = unsafe { libc::write(libc::STDERR_FILENO, piece.as_ptr().cast(), piece.len()) };
        }
        // SAFETY: it runs no code of the program.
        unsafe { libc::_exit(DATA.into()) }
    }

    /// Leaves the signal to the previous handler: the fault occurs again as soon as this handler
    /// returns.
    fn give_back(signal: c_int) {
        let before = BEFORE.get().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: `before` comes from the system, or is null, which changes nothing.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::sigaction(signal, before, ptr::null_mut());
        }
    }
}
