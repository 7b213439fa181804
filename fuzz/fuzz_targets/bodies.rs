#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| granero_fuzz::bodies::run(bytes));
