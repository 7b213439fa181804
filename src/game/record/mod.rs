//! Recorded games: their moves, and what a record says of them.
//!
//! * `comments`: what a record says of moves;
//! * `game`: a recorded game, played through;
//! * `numbering`: how a record numbers its moves;
//! * `symbols`: `!`, `?` and others.

pub mod comments;
pub mod game;
pub mod numbering;
pub mod symbols;
