//! The functions that the core leaves to its host on WebAssembly: bytes in, bytes out.
//!
//! A host loads this module when a call first asks for one, and may run it in a thread of its own: checking a password takes
//! a good part of a second. `docs/design/wasm.md` describes the messages.

#[cfg(target_arch = "wasm32")]
pub mod abi;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value as Json;
use sortkey_core::{Computation, Computed, compute, hash_password};

/// Answers a `compute` or a `hash` of a task: the bytes of the answer, or why there is none.
pub fn answered(message: &[u8]) -> Result<Vec<u8>, String> {
    let message: Json = serde_json::from_slice(message).map_err(|error| error.to_string())?;
    if let Some(hash) = message.get("hash") {
        return hashed(hash).map(String::into_bytes).ok_or_else(|| malformed("hash"));
    }
    let computation = message.get("compute").and_then(computation).ok_or_else(|| malformed("compute"))?;
    let value = compute(&computation).map_err(|failure| failure.message)?;
    Ok(value.to_string().into_bytes())
}

fn malformed(what: &str) -> String {
    format!("`{what}`: not what a task asks")
}

fn computation(message: &Json) -> Option<Computation> {
    Some(Computation {
        function: Computed::named(message["function"].as_str()?)?,
        arguments: message["arguments"].clone(),
        now_ms: message["now"].as_i64()?,
        random: message["random"].as_str()?.parse().ok()?,
    })
}

fn hashed(message: &Json) -> Option<String> {
    let bytes = |name: &str| STANDARD.decode(message[name].as_str()?).ok();
    let cost = u32::try_from(message["cost"].as_u64()?).ok().filter(|cost| (4..=31).contains(cost))?;
    let password = bytes("password").filter(|password| password.len() <= 71)?;
    Some(hash_password(&password, cost, bytes("salt")?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_and_functions_are_answered() {
        let hash = br#"{"hash":{"password":"cGFzcw==","cost":4,"salt":"AAAAAAAAAAAAAAAAAAAAAA=="}}"#;
        let hash = String::from_utf8(answered(hash).expect("a hash")).expect("text");
        assert!(hash.starts_with("$2b$04$") && hash.len() == 60, "{hash}");
        for (password, matches) in [("pass", "true"), ("word", "false")] {
            let arguments = serde_json::json!([password, hash]);
            let compute = serde_json::json!({
                "compute": { "function": "matches", "arguments": arguments, "now": 0, "random": "0" },
            });
            assert_eq!(answered(compute.to_string().as_bytes()), Ok(matches.as_bytes().to_vec()));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for message in ["", "{}", "[]", r#"{"hash":{}}"#, r#"{"compute":{"function":"no such"}}"#] {
            assert!(answered(message.as_bytes()).is_err(), "{message}");
        }
    }
}
