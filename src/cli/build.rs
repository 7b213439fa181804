//! Has cargo compile the program again when a file of the page changes: the macro that embeds
//! them cannot tell cargo about new ones. And names the commit in the version of release builds.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=site");
    println!("cargo::rerun-if-env-changed=GRANERO_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    let version = match commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo::rustc-env=GRANERO_VERSION={version}");
}

/// The commit: what `GRANERO_COMMIT` says, or in a release build that of the working tree. Others do
/// without, so that a commit does not have everything compiled again.
fn commit() -> Option<String> {
    if let Ok(commit) = env::var("GRANERO_COMMIT") {
        return Some(commit).filter(|commit| !commit.is_empty());
    }
    if env::var("PROFILE").as_deref() != Ok("release") {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_string())
    };
    // A file that changes with every commit.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"]).filter(|commit| !commit.is_empty())
}
