//! The DynamoDB under test: one server for all tests of a process.

use std::sync::LazyLock;

/// Where requests go.
pub fn endpoint() -> &'static str {
    static ENDPOINT: LazyLock<String> =
        LazyLock::new(|| std::env::var("SORTKEY_E2E_ENDPOINT").expect("a server to test"));
    &ENDPOINT
}
