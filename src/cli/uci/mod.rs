//! The dialect of UCI that engines for Oware speak: as an engine, and to one.
//!
//! UCI is the language between chess engines and boards: lines on standard input and
//! output. The dialect is that of the engine Aalina, with its notation for positions and
//! moves; `docs/engines.md` in the repository describes it.
//!
//! * [`Session`] answers as an engine.
//! * [`Answer`] is what an engine answers when it is asked for a move.
//! * [`Engine`] asks an engine, and a [`Leash`] ends all that it has started.

mod answer;
mod clock;
mod command;
mod engine;
mod go;
#[cfg(target_os = "linux")]
mod guard;
mod input;
mod leash;
mod lines;
mod position;
mod process;
mod session;
mod thinking;

pub use answer::Answer;
pub use command::{BadCommand, EngineCommand};
pub use engine::{Engine, Patience, StartError};
#[cfg(target_os = "linux")]
pub(crate) use guard::guard;
pub use leash::Leash;
pub use session::Session;
