//! What calls report.

use std::cell::RefCell;
use std::error::Error;
use std::ffi::{CStr, CString, c_char};
use std::iter;

use crate::border;

/// What a call reports: `GRANERO_OK`, `GRANERO_UNKNOWN`, or a negative number for an error. After an
/// error `granero_message` says what is wrong, and what was to be written is not.
pub type GraneroStatus = i32;

/// The call has done what it should.
pub const GRANERO_OK: GraneroStatus = 0;
/// The position is beyond the tables: no error, and no answer.
pub const GRANERO_UNKNOWN: GraneroStatus = 1;
/// An argument is not possible: a null pointer, an unknown number, too many seeds.
pub const GRANERO_ERROR_ARGUMENT: GraneroStatus = -1;
/// A text cannot be read.
pub const GRANERO_ERROR_NOTATION: GraneroStatus = -2;
/// The rules do not allow the move.
pub const GRANERO_ERROR_ILLEGAL_MOVE: GraneroStatus = -3;
/// Tables cannot be read, or do not hold what is asked for.
pub const GRANERO_ERROR_TABLES: GraneroStatus = -4;
/// There is a fault in the library.
pub const GRANERO_ERROR_FAULT: GraneroStatus = -5;

/// Why a call fails.
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
        let errors = iter::successors(Some(error), |&error| error.source());
        let messages: Vec<String> = errors.map(ToString::to_string).collect();
        Failure {
            status,
            message: messages.join(": "),
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

/// What was wrong in the last call of this thread that reported an error: text in UTF-8, which stays
/// until the next such call of this thread. Empty if there was none.
#[unsafe(no_mangle)]
pub extern "C" fn granero_message() -> *const c_char {
    const NONE: &CStr = c"";
    border::guard_with(NONE.as_ptr(), || {
        let message = MESSAGE.try_with(|place| place.borrow().as_ptr());
        message.unwrap_or(NONE.as_ptr())
    })
}
