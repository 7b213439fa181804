//! The command, verb by verb.

#[path = "../support/mod.rs"]
mod support;

mod build;
mod deciding;
mod export;
mod find;
mod judge;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod play;
mod program;
#[cfg(target_os = "linux")]
mod prove;
mod query;
#[cfg(unix)]
mod referee;
mod site;
mod stats;
mod uci;
#[cfg(target_os = "linux")]
mod unreadable;
mod verify;
