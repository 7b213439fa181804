//! Writing tables: encoding layers, and adding them to a directory.
//!
//! * `copy`: tables that are copied from elsewhere;
//! * `durable`: files that are on the disk as a whole or not at all;
//! * `encoded`: a layer as the bytes of its file;
//! * `holder`: the process that holds a lock;
//! * `lock`: the only writer of a directory;
//! * `medium`: faults of writing, for tests;
//! * `writer`: a directory that layers are added to.

pub mod copy;
pub mod durable;
pub mod encoded;
mod holder;
pub mod lock;
mod medium;
pub mod writer;
