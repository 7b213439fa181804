//! Oware's dialect of UCI, from both sides.
//!
//! UCI is the protocol between chess engines and boards: lines on standard input and output. The dialect is that
//! of the engine Aalina, with its notation for positions and moves; `docs/engines.md` describes it.
//!
//! * [`Session`] answers as an engine.
//! * [`Answer`] is an engine's answer to the question for a move, or a [`Fault`].
//! * [`Engine`] asks an engine, and a [`KillSwitch`] ends all that it has started.

mod engine;
pub(crate) mod lines;
mod position;
mod session;

use std::time::{Duration, Instant};

pub use engine::process::KillSwitch;
pub use engine::{Answer, Engine, EngineCommand, Fault, FaultKind, Patience, StartError, answer};
pub use session::Session;

/// Returns the moment when `time` from now ends; a year from now if clocks do not reach that far.
fn within(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time)
        .unwrap_or(now + Duration::from_secs(365 * 86400))
}
