//! The dialect of UCI that engines for Oware speak: as an engine, and to one.
//!
//! UCI is the language between chess engines and boards: lines on standard input and
//! output. The dialect is that of the engine Aalina, with its notation for positions and
//! moves; `docs/engines.md` in the repository describes it.
//!
//! * [`Session`] answers as an engine.
//! * [`Answer`] is what an engine answers when it is asked for a move.
//! * `Engine` asks an engine. It is there only with the feature `cli`, as it needs what
//!   the system offers to end processes, and a program that looks positions up does not.

mod answer;
mod clock;
#[cfg(feature = "cli")]
mod command;
#[cfg(feature = "cli")]
mod engine;
mod go;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod guard;
mod input;
#[cfg(feature = "cli")]
mod leash;
mod lines;
mod position;
#[cfg(feature = "cli")]
mod process;
mod session;
mod thinking;

pub use answer::Answer;
#[cfg(feature = "cli")]
pub use command::{BadCommand, EngineCommand};
#[cfg(feature = "cli")]
pub use engine::{Engine, Patience, StartError};
#[cfg(all(feature = "cli", target_os = "linux"))]
pub use guard::guard;
#[cfg(feature = "cli")]
pub use leash::Leash;
pub use session::Session;
