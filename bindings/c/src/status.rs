//! The status of calls.

use std::cell::RefCell;
use std::error::Error;
use std::ffi::{CStr, CString, c_char};

use granero_answer::causes::with_causes;

use crate::border;

/// The status of a call: `GRANERO_OK`, `GRANERO_UNKNOWN`, or a negative number for an error. After an
/// error, `granero_message` says what is wrong, and the call has written nothing.
pub type GraneroStatus = i32;

/// The call succeeded.
pub const GRANERO_OK: GraneroStatus = 0;
/// The position is beyond the tables: neither an error nor an answer.
pub const GRANERO_UNKNOWN: GraneroStatus = 1;
/// An argument is not possible: a null pointer, an unknown number, too many seeds.
pub const GRANERO_ERROR_ARGUMENT: GraneroStatus = -1;
/// A text cannot be read.
pub const GRANERO_ERROR_NOTATION: GraneroStatus = -2;
/// The rules do not allow the move.
pub const GRANERO_ERROR_ILLEGAL_MOVE: GraneroStatus = -3;
/// Tables cannot be read, or do not hold the requested values.
pub const GRANERO_ERROR_TABLES: GraneroStatus = -4;
/// There is a fault in the library.
pub const GRANERO_ERROR_FAULT: GraneroStatus = -5;

/// The failure of a call.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: GraneroStatus,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn argument(message: impl Into<String>) -> Failure {
        Failure {
            status: GRANERO_ERROR_ARGUMENT,
            message: message.into(),
        }
    }

    /// An error and its causes in one line.
    pub(crate) fn of(status: GraneroStatus, error: &(dyn Error + 'static)) -> Failure {
        Failure {
            status,
            message: with_causes(error),
        }
    }

    /// Keeps the message for this thread, and returns the status.
    pub(crate) fn report(self) -> GraneroStatus {
        let message = CString::new(self.message.replace('\0', "\\0")).unwrap_or_default();
        // While a thread ends, there may be no place for the message.
        let _ = MESSAGE.try_with(|place| place.replace(message));
        self.status
    }
}

impl From<granero::TableError> for Failure {
    fn from(error: granero::TableError) -> Failure {
        Failure::of(GRANERO_ERROR_TABLES, &error)
    }
}

impl From<granero::TooManySeeds> for Failure {
    fn from(error: granero::TooManySeeds) -> Failure {
        Failure::of(GRANERO_ERROR_ARGUMENT, &error)
    }
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// The message of the last error that a call of this thread reported: text in UTF-8, which stays until the
/// thread's next error. Empty if there was none.
#[unsafe(no_mangle)]
pub extern "C" fn granero_message() -> *const c_char {
    const NONE: &CStr = c"";
    border::guard_with(NONE.as_ptr(), || {
        let message = MESSAGE.try_with(|place| place.borrow().as_ptr());
        message.unwrap_or(NONE.as_ptr())
    })
}
