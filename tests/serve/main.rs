//! `granero serve`: what it answers, what it makes of everything that is no proper request,
//! and how it goes on while tables grow and ends when it is told to.

mod abuse;
mod answers;
mod conventions;
mod deciding;
mod documents;
mod errors;
mod headers;
mod hosts;
mod judge;
mod lines;
mod prove;
mod running;
mod schema;
mod server;
