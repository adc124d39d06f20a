//! # secret-in-plaintext
//!
//! ## What it notices
//!
//! A secret is stored as it is.
//!
//! ## Why it matters
//!
//! Everybody who may read the table, an index, a stream or a backup can use it.
//!
//! ## Example
//!
//! ```sk
//! table Sources { key (sourceId) }
//! entity Source in Sources {
//!   sourceId      uuid = new
//!   signingSecret string(..256)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Sources { key (sourceId) }
//! entity Source in Sources {
//!   sourceId      uuid = new
//!   signingSecret string(..256) @encrypted("alias/sources") @secret
//! }
//! ```
//!
//! ## When to allow
//!
//! When the whole table is encrypted by the client.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::{is_protected, is_secret};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7008",
    name: "secret-in-plaintext",
    theme: Theme::Protection,
    level: Severity::Warning,
    source: include_str!("secret_in_plaintext.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(_entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    if is_secret(attribute) && !is_protected(attribute) {
        let title = format!("`{}` is stored readable", attribute.name);
        cx.push(cx.at(attribute.name.span, title).label("a secret").note("`@encrypted(\"alias/key\")` encrypts it before it leaves the client; what is only compared can be hashed: `:= sha256(x)`.").fix(Fix::new("encrypt it", attribute.span.after(), " @encrypted(\"alias/design\") @secret")));
    }
}
