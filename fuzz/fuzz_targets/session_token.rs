#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| sortkey_fuzz::targets::session_token(data));
