//! Has cargo compile the program again when a file of the page changes: the macro that embeds
//! them cannot tell cargo about new ones.

fn main() {
    for folder in ["web", "site", "reader"] {
        println!("cargo::rerun-if-changed={folder}");
    }
}
