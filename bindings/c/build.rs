//! Gives the shared library its name: that of the interface's version, so that programs keep to it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let unix = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    if unix {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libgranero.so.1");
    }
}
