//! Verbs for other programs: files that they read, and engines.

/// What the verbs share that ask engines for moves.
mod engines;
/// `granero export`: a layer as a file.
pub(crate) mod export;
/// `granero match`: two engines play each other.
pub(crate) mod r#match;
/// `granero referee`: an engine's mistakes.
pub(crate) mod referee;
/// `granero uci`: plays as an engine.
pub(crate) mod uci;
