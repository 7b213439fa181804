//! What is said when a mapped file of tables can no longer be read.
//!
//! The operating system reports that with a signal, SIGBUS, which would end the program
//! without a word. The handler here says the same as if the file had been read, and ends the
//! program with the same code.

#[cfg(unix)]
pub(super) use handler::tell_of_mapped_files;

/// Elsewhere a mapped file cannot be cut off, and a medium that fails ends the program.
#[cfg(not(unix))]
pub(super) fn tell_of_mapped_files() {}

/// What may be done in a handler is little: no memory is taken, no lock, and nothing of what
/// the program was doing is touched.
#[cfg(unix)]
#[allow(unsafe_code)]
mod handler {
    use std::ffi::{c_int, c_void};
    use std::io::IsTerminal;
    use std::mem::MaybeUninit;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    use granero::table::mapped_file;
    use libc::{sigaction, siginfo_t};

    use crate::failure::{DATA, UNREADABLE};

    /// What is begun with at a terminal, where a bar may stand on the line.
    static NEW_LINE: OnceLock<&str> = OnceLock::new();

    /// What was done about the signal before: the standard library looks whether a stack is
    /// full, and ends the program.
    static BEFORE: OnceLock<sigaction> = OnceLock::new();

    /// Makes the handler the one of this program. Where that is not possible, faults end it as
    /// the system has it.
    pub(crate) fn tell_of_mapped_files() {
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
    }

    extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
        // SAFETY: the system hands over a description of the signal. One that was sent by a
        // program has no address; then this is any number, which is not followed.
        let address = unsafe { (*info).si_addr() }.addr();
        match mapped_file(address) {
            Some(file) => tell(file),
            None => give_back(signal),
        }
    }

    /// Says that a file cannot be read, and ends the program.
    fn tell(file: &Path) -> ! {
        static IS_BEING_TOLD: AtomicBool = AtomicBool::new(false);
        while IS_BEING_TOLD.swap(true, Ordering::AcqRel) {
            // Another thread has met the same, and ends the program in a moment.
            // SAFETY: this only waits.
            unsafe { libc::pause() };
        }
        let pieces: [&[u8]; 6] = [
            NEW_LINE.get().map_or(b"", |text| text.as_bytes()),
            b"error: cannot read ",
            file.as_os_str().as_bytes(),
            b": it has become shorter, or its medium does not give it\nhelp: ",
            UNREADABLE.as_bytes(),
            b"\n",
        ];
        for piece in pieces {
            // SAFETY: these are so many bytes. If they cannot be written, the code has to do.
            let _ = unsafe { libc::write(libc::STDERR_FILENO, piece.as_ptr().cast(), piece.len()) };
        }
        // SAFETY: nothing is run on the way out.
        unsafe { libc::_exit(DATA.into()) }
    }

    /// Leaves the signal to whoever had it before: what was a fault is one again as soon as
    /// this handler is left.
    fn give_back(signal: c_int) {
        let before = BEFORE.get().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: `before` is what the system has told, or null, which changes nothing; then
        // the default stays, which ends the program.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::sigaction(signal, before, ptr::null_mut());
        }
    }
}
