//! Both designs of seller profiles, and calls of them by the system and by accounts.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use sortkey_core::{Failure, Runtime};
use sortkey_design::{Design, FileLoader, compile};
use sortkey_embedded::block_on;

pub(crate) fn design(name: &str) -> Arc<Design> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems/seller-profiles").join(name);
    let text = std::fs::read_to_string(&path).expect("the system");
    let compilation = compile(&path.to_string_lossy(), &text, &FileLoader);
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics.first().map(|each| &each.title));
    compilation.design
}

/// A call of the system.
pub(crate) fn try_system(
    runtime: &Runtime,
    name: &str,
    arguments: serde_json::Value,
) -> Result<serde_json::Value, Failure> {
    block_on(crate::support::try_call(runtime, name, arguments))
}

/// A call as an account; a call of the system where the design requires one.
pub(crate) fn try_as_owner(
    runtime: &Runtime,
    account: &str,
    name: &str,
    arguments: serde_json::Value,
) -> Result<serde_json::Value, Failure> {
    let caller = json!({ "accountId": account }).as_object().cloned().unwrap_or_default();
    let caller = runtime.caller(caller)?;
    let arguments = arguments.as_object().cloned().unwrap_or_default().try_into()?;
    let call = sortkey_core::Call { name, caller: Some(&caller), arguments, ..sortkey_core::Call::default() };
    Ok(match block_on(runtime.call(call))? {
        sortkey_core::Answer::Value(value) => value,
        sortkey_core::Answer::Page { items, .. } => json!(items),
        sortkey_core::Answer::Nothing => json!(null),
    })
}

pub(crate) fn as_owner(
    runtime: &Runtime,
    account: &str,
    name: &str,
    arguments: serde_json::Value,
) -> serde_json::Value {
    try_as_owner(runtime, account, name, arguments).unwrap_or_else(|failure| panic!("{name}: {failure}"))
}
