//! Has cargo compile the program again when `web/` changes: the macro that embeds its files cannot
//! tell cargo about new ones.

fn main() {
    println!("cargo::rerun-if-changed=web");
}
