//! Recorded games.
//!
//! * `comments`: comments on moves;
//! * `game`: the game, and replaying it;
//! * `numbering`: the numbers of moves.

pub mod comments;
pub mod game;
pub mod numbering;
