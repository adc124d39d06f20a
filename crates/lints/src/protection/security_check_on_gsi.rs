//! # security-check-on-gsi
//!
//! ## What it notices
//!
//! A secret, a hash or a token family is looked up through a global index.
//!
//! ## Why it matters
//!
//! An index lags: a key that was just revoked still opens the door, and one that was just made does not.
//!
//! ## Example
//!
//! ```sk
//! table Keys { key (userId | keyId)  index byHash (keyHash) project all }
//! entity ApiKey in Keys {
//!   userId  uuid
//!   keyId   uuid = new
//!   keyHash string(64)
//! }
//! pattern apiKey = get ApiKey by keyHash
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Keys { key (userId | keyId) }
//! entity ApiKey in Keys {
//!   userId  uuid
//!   keyId   uuid = new
//!   keyHash string(64)
//!   unique keyHash
//! }
//! pattern apiKey = get ApiKey by keyHash strong
//! ```
//!
//! ## When to allow
//!
//! When a moment's delay is accepted for revocation too.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7006",
    name: "security-check-on-gsi",
    theme: Theme::Protection,
    level: Severity::Warning,
    source: include_str!("security_check_on_gsi.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    const SIGNS: [&str; 6] = ["hash", "token", "secret", "session", "tokenfamily", "apikey"];
    let Some(path) = cx.plan(pattern).map(|plan| plan.path) else { return };
    if !path.is_global_index(cx.program) {
        return;
    }
    for bind in &pattern.binds {
        let Some(attribute) = cx.entity_of(path).attribute(&bind.name.text) else {
            continue;
        };
        let lower = bind.name.text.to_lowercase();
        let secret = SIGNS.iter().any(|sign| lower.ends_with(sign)) || lower.starts_with("token");
        if secret && attribute.reference.is_none() {
            let title = format!("`{}` decides about access by an index that lags", pattern.name);
            cx.push(cx.at(bind.name.span, title).label(format!("read through {}", path.describe(cx.program))).note("`unique` gives a strongly consistent path through its guard; or make it the table's key."));
        }
    }
}
