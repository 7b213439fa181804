//! The guard: a process between the program and an engine, which makes sure that nothing of the engine outlives
//! the program.
//!
//! The program can end an engine only while the program itself runs, and a process group holds only processes
//! that have not left it. Linux offers the rest to an ancestor of the engine: the guard is told when its parent
//! dies in any way (`PR_SET_PDEATHSIG`), and processes that the engine started and abandoned become children of
//! the guard (`PR_SET_CHILD_SUBREAPER`), even after `setsid`. The engine takes over the guard's input and output,
//! so the guard costs no time. It is not killed while processes are below it, because these would escape.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use granero::notation::visible;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process,
    set_child_subreaper, set_parent_process_death_signal, setrlimit, wait,
};

/// The guard's message that the engine cannot be started; the number of the system's error follows, or the text
/// of an error without a number.
const CANNOT_START: &str = "granero guard: cannot start: ";

/// Starts an engine, and ends when and as the engine does. When `parent`, which must be our parent, dies, or on
/// SIGTERM, ends the engine and all processes that it has started. Cannot end processes that became another
/// user's. Goes on as long as processes replace each other faster than they can be found.
///
/// This is the whole of a process for [`Leash::with_guard`](super::leash::Leash::with_guard): it hands over its
/// input and output, and is the parent of all that it finds.
pub(crate) fn guard(parent: u32, engine: &OsStr, arguments: &[OsString]) -> ExitCode {
    match watch(parent, engine, arguments) {
        Ok(status) => end_like(status),
        Err(error) => {
            let why = match error.raw_os_error() {
                Some(number) => number.to_string(),
                None => error.to_string(),
            };
            // Fails if the parent is gone.
            let _ = writeln!(io::stdout(), "{CANNOT_START}{why}");
            ExitCode::FAILURE
        }
    }
}

/// Reads the error in a guard's message that it cannot start an engine.
pub(super) fn not_started(line: &str) -> Option<io::Error> {
    let why = line.strip_prefix(CANNOT_START)?;
    Some(match why.parse() {
        Ok(number) => io::Error::from_raw_os_error(number),
        // An engine could write this, too.
        Err(_) => io::Error::other(visible(why)),
    })
}

/// The processes that were found below another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    /// Only processes that became another user's and cannot be ended.
    OutOfReach,
    /// Processes that were just killed.
    Killed,
}

/// Looks once for all processes below `root`, at any depth, and kills them.
///
/// Finding none proves nothing: this can miss a process that starts another one and ends.
pub(super) fn end_below(root: Pid) -> Found {
    let mut found = Found::Nothing;
    for pid in below(root) {
        match kill_process(pid, Signal::KILL) {
            Err(rustix::io::Errno::PERM) if found == Found::Nothing => found = Found::OutOfReach,
            Err(rustix::io::Errno::PERM) => {}
            // It may just have ended by itself.
            _ => found = Found::Killed,
        }
    }
    found
}

/// Kills all processes below this one until the waiting thread sees that none is left and ends this process, or
/// until the rest are out of reach.
///
/// The pauses grow, so that a process that escapes without end does not occupy a processor.
fn end_all_below() {
    let mut pause = Duration::from_millis(1);
    while end_below(getpid()) != Found::OutOfReach {
        thread::sleep(pause);
        pause = (pause + Duration::from_millis(1)).min(LONGEST_PAUSE);
    }
}

const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// Starts the engine, waits until all its processes have ended, and returns the engine's status.
fn watch(parent: u32, engine: &OsStr, arguments: &[OsString]) -> io::Result<Option<WaitStatus>> {
    let is_started = Arc::new(Mutex::new(false));
    let is_started_by_now = Arc::clone(&is_started);
    // The signal means that the parent has died, or is done.
    ctrlc::set_handler(move || {
        // Locked until the end, so that nothing more is started.
        let started = is_started_by_now.lock();
        let started = started.unwrap_or_else(PoisonError::into_inner);
        if *started {
            end_all_below();
        }
        std::process::exit(ENDED_BY_SIGNAL);
    })
    .map_err(io::Error::other)?;
    set_child_subreaper(Some(getpid()))?;
    set_parent_process_death_signal(Some(Signal::TERM))?;
    // The parent may have died before.
    if getppid().map(|pid| pid.as_raw_nonzero().get()) != i32::try_from(parent).ok() {
        return Ok(None);
    }
    let child = {
        let mut started = is_started.lock().unwrap_or_else(PoisonError::into_inner);
        let child = Command::new(engine).args(arguments).spawn()?;
        *started = true;
        child
    };
    let child = Pid::from_child(&child);
    // From now on only the engine has them, so each side sees when the other ends.
    leave_input_and_output()?;
    let mut status = None;
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, ended))) if pid == child => status = Some(ended),
            // A process that the engine abandoned.
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Ok(status),
        }
    }
}

/// The exit code of a guard that was told to end. Processes that it leaves running are out of its reach.
const ENDED_BY_SIGNAL: i32 = 130;

fn leave_input_and_output() -> io::Result<()> {
    let nowhere: File = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nowhere)?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    rustix::stdio::dup2_stderr(&nowhere)?;
    Ok(())
}

/// Ends this process as the engine ended, so that the parent sees it. A signal that does not end a guard becomes
/// an exit code, as in a shell.
fn end_like(status: Option<WaitStatus>) -> ExitCode {
    let Some(status) = status else {
        return ExitCode::FAILURE;
    };
    let Some(signal) = status.terminating_signal() else {
        return ExitCode::from(status.exit_status().unwrap_or(1) as u8);
    };
    let caught = [Signal::HUP, Signal::INT, Signal::TERM];
    if let Some(signal) = Signal::from_named_raw(signal)
        && !caught.contains(&signal)
    {
        // The engine has left a core dump; the guard needs none.
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        let _ = setrlimit(Resource::Core, none);
        // The first signal may only remove Rust's handler.
        for _ in 0..2 {
            let _ = kill_process(getpid(), signal);
        }
    }
    ExitCode::from(128_u8.wrapping_add(signal as u8))
}

/// Returns all processes below `root`, except zombies.
fn below(root: Pid) -> Vec<Pid> {
    let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
    for (pid, parent) in processes() {
        children.entry(parent).or_default().push(pid);
    }
    let mut all = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        let found = children.remove(&parent).unwrap_or_default();
        all.extend(&found);
        parents.extend(found);
    }
    all
}

/// Returns all running processes, each with its parent.
fn processes() -> impl Iterator<Item = (Pid, Pid)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // Its name, in parentheses, may hold any text.
        let (_, rest) = stat.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        let state = fields.next()?;
        let parent: i32 = fields.next()?.parse().ok()?;
        // The first thread may end before the rest.
        let threads = || fs::read_dir(entry.path().join("task")).map_or(0, Iterator::count);
        if matches!(state, "Z" | "X") && threads() <= 1 {
            return None;
        }
        Some((Pid::from_raw(pid)?, Pid::from_raw(parent)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_start_that_failed() {
        let error = not_started("granero guard: cannot start: 2").unwrap();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let error = not_started("granero guard: cannot start: a reason").unwrap();
        assert_eq!(error.to_string(), "a reason");
        assert!(not_started("id name granero guard").is_none());
    }

    #[test]
    fn what_is_below_a_process() {
        // The shell has a child.
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 1000 & wait"])
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&shell);
        while below(pid).is_empty() {
            thread::sleep(Duration::from_millis(1));
        }
        let ours = below(getpid());
        assert!(ours.contains(&pid));
        assert!(below(pid).iter().all(|child| ours.contains(child)));
        while end_below(pid) == Found::Killed {
            thread::sleep(Duration::from_millis(1));
        }
        shell.wait().unwrap();
        assert!(!below(getpid()).contains(&pid));
    }
}
