//! Names the shared library after the version of its interface, so that programs keep to this version.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let unix = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    if unix {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libgranero.so.1");
    }
}
