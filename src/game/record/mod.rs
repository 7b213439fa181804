//! Recorded games.
//!
//! * `comments`: comments on moves;
//! * `game`: the game, and replaying it;
//! * `numbering`: the numbers of moves;
//! * `symbols`: `!`, `?` and others.

pub mod comments;
pub mod game;
pub mod numbering;
pub mod symbols;
