//! Names the commit in the version of release builds, and recompiles the program when a file of the page
//! changes: the macro that embeds them cannot tell cargo about new ones.

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

/// Returns the commit: the value of `GRANERO_COMMIT`, or in a release build the commit of the working tree.
/// Other builds name none, so that a commit does not recompile everything.
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
    // This file changes with every commit.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"]).filter(|commit| !commit.is_empty())
}
