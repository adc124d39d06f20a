//! Proof that no operation was forgotten: each of the API's list is called by some file beside this one.

use std::fs;
use std::path::Path;

#[test]
fn every_operation_is_called() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk");
    let tests: String =
        fs::read_dir(here).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    let missing: Vec<&str> = sortkey_api::OperationId::SUPPORTED
        .iter()
        .map(|operation| operation.name())
        .filter(|name| !tests.contains(&format!(".{}()", snake_case(name))))
        .collect();
    assert_eq!(missing, [""; 0], "operations without a test");
}

/// The SDK's method for an operation.
fn snake_case(name: &str) -> String {
    let mut method = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !method.is_empty() {
            method.push('_');
        }
        method.push(letter.to_ascii_lowercase());
    }
    method
}
