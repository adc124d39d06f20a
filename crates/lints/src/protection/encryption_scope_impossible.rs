//! # encryption-scope-impossible
//!
//! ## What it notices
//!
//! Encryption at rest is asked for with a key per item or tenant.
//!
//! ## Why it matters
//!
//! A table is encrypted with one key. Separate keys per tenant need encryption before the data leaves the
//! client.
//!
//! ## Example
//!
//! ```sk
//! table Tokens { key (sourceId)  encryption customer "alias/tokens-{accountId}" }
//! entity Grant in Tokens {
//!   sourceId  uuid
//!   accountId uuid
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Tokens { key (sourceId)  encryption customer "alias/tokens" }
//! entity Grant in Tokens {
//!   sourceId  uuid
//!   accountId uuid
//!   content   string(..4 KB) @encrypted("alias/tokens-{accountId}")
//! }
//! ```
//!
//! ## When to allow
//!
//! Never: it is not possible.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7012",
    name: "encryption-scope-impossible",
    theme: Theme::Protection,
    level: Severity::Error,
    source: include_str!("encryption_scope_impossible.rs"),
    inspect: Inspect::Table(inspect),
};

fn inspect(table: &Table, cx: &mut Context<'_>) {
    let Some(encryption) = &table.encryption else {
        return;
    };
    let (Some(key), Some(span)) = (&encryption.key, encryption.key_span) else {
        return;
    };
    let mut slots = key.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let per_item = slots.find(|slot| !cx.design.parameters.iter().any(|parameter| parameter.name.is(slot)));
    if let Some(slot) = per_item {
        let title = format!("a table cannot have one key per `{slot}`");
        cx.push(cx.at(span, title).label("one key per table").also(table.name.span, "this table").note("`@encrypted(\"alias/key-{accountId}\")` on the attribute encrypts with a key per value, in the client."));
    }
}
