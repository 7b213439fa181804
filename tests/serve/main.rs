//! `granero serve`: its answers, its errors for bad requests, and its life from start to end while
//! tables grow.

mod abuse;
mod answers;
mod conventions;
mod documents;
mod errors;
mod headers;
mod judge;
mod lines;
mod prove;
#[cfg(unix)]
mod running;
mod server;
#[allow(unreachable_pub, dead_code)]
#[path = "../support"]
mod support {
    pub mod command;
    pub mod http;
    pub mod random;
}
