//! `granero-bindgen LIBRARY.wasm DIR`: writes `DIR/granero.js` and `granero_bg.wasm`.

use std::env;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [library, directory] = &arguments[..] else {
        eprintln!("usage: granero-bindgen LIBRARY.wasm DIR");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(library)
        .out_name("granero")
        .typescript(false);
    let made = bindgen
        .web(true)
        .map(|bindgen| {
            bindgen
                .remove_name_section(true)
                .remove_producers_section(true)
        })
        .and_then(|bindgen| bindgen.generate(directory));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:?}");
            ExitCode::FAILURE
        }
    }
}
