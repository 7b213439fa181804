//! Lets cargo compile the server again when a file of the page changes: the macro that embeds them
//! cannot tell cargo about new ones.

fn main() {
    println!("cargo::rerun-if-changed=web");
}
