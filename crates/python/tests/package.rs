//! The extension module is built beside the tests, so that the Python suite needs no build of its own; and the package has the
//! version of the workspace.

use std::path::{Path, PathBuf};

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[test]
fn the_library_is_an_extension_module() {
    let test = std::env::current_exe().expect("a path");
    let built = test.parent().expect("target/debug/deps");
    let name = format!("{}sortkey_native{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = std::fs::read(built.join(name)).expect("cargo builds the library for this test");
    let symbol = b"PyInit__native";
    assert!(library.windows(symbol.len()).any(|bytes| bytes == symbol), "no entry point in the library");
}

#[test]
fn every_native_class_has_a_stub() {
    let stubs = std::fs::read_to_string(here("python/sortkey/_native.pyi")).expect("the stubs are there");
    for file in ["call", "core", "design", "engine", "keys"] {
        let source = std::fs::read_to_string(here("src").join(format!("{file}.rs"))).expect("a source");
        let methods = source.split("#[pymethods]").nth(1).and_then(|rest| rest.split("\n}").next());
        for line in methods.unwrap_or_default().lines() {
            let Some(name) = line.strip_prefix("    fn ").and_then(|rest| rest.split(['(', '<']).next())
            else {
                continue;
            };
            let stub = if name == "new" { "def __init__(".to_owned() } else { format!("def {name}(") };
            assert!(stubs.contains(&stub), "{file}.rs: `{name}` is not in _native.pyi");
        }
    }
}
