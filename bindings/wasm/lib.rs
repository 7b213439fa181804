//! The files of the JavaScript package that a page needs, for `granero site`.

/// The path of each file in the folder of the package, and its contents.
pub const FILES: [(&str, &[u8]); 7] = [
    ("index.js", include_bytes!("index.js")),
    ("errors.js", include_bytes!("errors.js")),
    ("heads.js", include_bytes!("heads.js")),
    ("ranges.js", include_bytes!("ranges.js")),
    ("sources.js", include_bytes!("sources.js")),
    ("dist/granero.js", include_bytes!("dist/granero.js")),
    (
        "dist/granero_bg.wasm",
        include_bytes!("dist/granero_bg.wasm"),
    ),
];
