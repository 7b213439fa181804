//! The border to C: reads and writes through the caller's pointers, and lets no panic out.
//!
//! Callers from C promise what the header says of each pointer. All code that relies on it is here: it
//! finds null pointers, and cannot check anything else.

use std::any::Any;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

use granero::{Position, TooManySeeds};

use crate::status::{Failure, GRANERO_ERROR_FAULT, GRANERO_OK, GraneroStatus};

/// Does the work of a call. Reports failures and panics.
pub(crate) fn guard(work: impl FnOnce() -> Result<GraneroStatus, Failure>) -> GraneroStatus {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(status)) => status,
        Ok(Err(failure)) => guard_with(failure.status, || failure.report()),
        Err(panic) => {
            let message = format!("a fault in the library: {}", text_of(&*panic));
            let failure = Failure {
                status: GRANERO_ERROR_FAULT,
                message,
            };
            guard_with(GRANERO_ERROR_FAULT, || failure.report())
        }
    }
}

/// Does the work of a call that cannot report a failure: after a panic it returns `otherwise`.
pub(crate) fn guard_with<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    // After a panic only tables are used again, and they are sound at any time.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message")
}

fn null(what: &str) -> Failure {
    Failure::argument(format!("{what} is a null pointer"))
}

/// Reads through a pointer of the caller.
pub(crate) fn read<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller promises that it points to a `T`, or is null.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// Writes through the caller's pointer; fails if it is null.
pub(crate) fn write<T>(pointer: *mut T, value: T, what: &str) -> Result<GraneroStatus, Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller promises that there is room for a `T`, which need not be one yet.
    unsafe { ptr::write(pointer, value) };
    Ok(GRANERO_OK)
}

/// Reads an array of the caller.
pub(crate) fn read_many<'a, T>(
    pointer: *const T,
    count: usize,
    what: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(what));
    }
    if count > isize::MAX as usize / size_of::<T>() {
        return Err(Failure::argument(format!("there are no {count} {what}")));
    }
    // SAFETY: the caller promises `count` elements, which do not change during the call.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// Writes an array through a pointer of the caller.
pub(crate) fn write_many<T: Copy>(
    pointer: *mut T,
    values: &[T],
    what: &str,
) -> Result<(), Failure> {
    if values.is_empty() {
        return Ok(());
    }
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller promises room for all values.
    unsafe { ptr::copy_nonoverlapping(values.as_ptr(), pointer, values.len()) };
    Ok(())
}

/// Houses as positions, in place, or the number of the first row that is not a position, with its error. A
/// look-up would wait for the bytes of a copy.
pub(crate) fn positions(houses: &[[u8; 12]]) -> Result<&[Position], (usize, TooManySeeds)> {
    for (row, &houses) in houses.iter().enumerate() {
        Position::new(houses).map_err(|error| (row, error))?;
    }
    // SAFETY: a `Position` is transparent and holds only its houses, and all these houses are positions.
    Ok(unsafe { slice::from_raw_parts(houses.as_ptr().cast(), houses.len()) })
}

/// A text of the caller, as bytes.
pub(crate) fn bytes<'a>(text: *const c_char, what: &str) -> Result<&'a [u8], Failure> {
    if text.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller promises that it ends with a zero.
    Ok(unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// A text of the caller.
pub(crate) fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Failure> {
    let bytes = bytes(text, what)?;
    std::str::from_utf8(bytes).map_err(|_| Failure::argument(format!("{what} is not UTF-8")))
}

/// Takes back a box that was given to the caller by `Box::into_raw`; nothing for null.
pub(crate) fn take_back<T>(pointer: *mut T) -> Option<Box<T>> {
    // SAFETY: the caller promises that the pointer came from this library, and is not used again.
    (!pointer.is_null()).then(|| unsafe { Box::from_raw(pointer) })
}

/// Gives a text to the caller.
pub(crate) fn give_text(
    text: String,
    place: *mut *mut c_char,
    what: &str,
) -> Result<GraneroStatus, Failure> {
    let text = CString::new(text);
    let text = text.map_err(|error| Failure::of(GRANERO_ERROR_FAULT, &error))?;
    let given = text.into_raw();
    write(place, given, what).inspect_err(|_| take_back_text(given))
}

/// Takes back a text that was given to the caller; nothing for null.
pub(crate) fn take_back_text(text: *mut c_char) {
    // SAFETY: the caller promises that the pointer came from this library, and is not used again.
    drop((!text.is_null()).then(|| unsafe { CString::from_raw(text) }));
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;
    use crate::status::{GRANERO_ERROR_TABLES, GRANERO_OK, granero_message};

    fn message() -> String {
        let message = unsafe { CStr::from_ptr(granero_message()) };
        message.to_str().unwrap().into()
    }

    #[test]
    fn a_panic_is_reported_and_goes_no_further() {
        assert_eq!(guard(|| panic!("number {}", 7)), GRANERO_ERROR_FAULT);
        assert_eq!(message(), "a fault in the library: number 7");
        assert_eq!(guard(|| panic!("fixed")), GRANERO_ERROR_FAULT);
        assert_eq!(message(), "a fault in the library: fixed");
        assert_eq!(
            guard(|| std::panic::panic_any(5)),
            GRANERO_ERROR_FAULT,
            "a panic without a message"
        );
        assert_eq!(guard_with(3, || panic!("lost")), 3);
    }

    #[test]
    fn a_failure_is_kept_for_its_thread() {
        let failure = || Failure {
            status: GRANERO_ERROR_TABLES,
            message: "a\0b".into(),
        };
        assert_eq!(guard(|| Err(failure())), GRANERO_ERROR_TABLES);
        assert_eq!(guard(|| Ok(GRANERO_OK)), GRANERO_OK);
        assert_eq!(message(), "a\\0b");
        std::thread::spawn(|| assert_eq!(message(), ""))
            .join()
            .unwrap();
    }

    /// Every function that C can call begins with a guard and does nothing else.
    #[test]
    fn every_exported_function_is_guarded() {
        let sources = [
            include_str!("position.rs"),
            include_str!("rules.rs"),
            include_str!("search.rs"),
            include_str!("status.rs"),
            include_str!("tables.rs"),
            include_str!("version.rs"),
        ];
        let mut functions = 0;
        for source in sources {
            for function in source.split("#[unsafe(no_mangle)]").skip(1) {
                let end = function.find("\n}\n").unwrap();
                let (head, body) = function[..end].split_once(" {\n").unwrap();
                assert!(head.contains("extern \"C\" fn granero_"), "{head}");
                // A constant of the function may come first; the guard is its last expression.
                let calls: Vec<&str> = body
                    .lines()
                    .filter(|line| line.starts_with("    ") && !line.starts_with("     "))
                    .filter(|line| !line.starts_with("    const ") && !line.starts_with("    }"))
                    .collect();
                assert_eq!(calls.len(), 1, "{head}");
                let guarded = ["border::guard(", "border::guard_with("];
                let call = calls[0].trim_start();
                assert!(
                    guarded.iter().any(|guard| call.starts_with(guard)),
                    "{call}"
                );
                functions += 1;
            }
        }
        assert_eq!(functions, 21);
    }
}
