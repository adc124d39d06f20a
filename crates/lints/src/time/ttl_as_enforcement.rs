//! # ttl-as-enforcement
//!
//! ## What it notices
//!
//! Something that opens a door (a token, an invitation, a state) is read with expired items included.
//!
//! ## Why it matters
//!
//! TTL deletes when it gets to it: usually within a few days, without promise. Until then the item is there
//! and works. Only a comparison with the clock enforces an expiry.
//!
//! ## Example
//!
//! ```sk
//! table States { key (state)  ttl expiresAt }
//! entity OAuthState in States {
//!   state     uuid = new
//!   expiresAt time(s) = now + 15m
//! }
//! pattern oauthState = get OAuthState by state including expired
//! ```
//!
//! ## Better
//!
//! ```sk
//! table States { key (state)  ttl expiresAt }
//! entity OAuthState in States {
//!   state     uuid = new
//!   expiresAt time(s) = now + 15m
//! }
//! pattern oauthState = get OAuthState by state
//! ```
//!
//! ## When to allow
//!
//! For an administrator who looks at what has expired.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::is_credential;
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK5004",
    name: "ttl-as-enforcement",
    theme: Theme::Time,
    level: Severity::Error,
    source: include_str!("ttl_as_enforcement.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(including) = pattern.including_expired else {
        return;
    };
    let Some(entity) = pattern.entities.first().and_then(|name| cx.design.entity(&name.text)) else {
        return;
    };
    if pattern.verb == ReadVerb::Get && is_credential(entity) {
        let title = format!("an expired `{}` still works", entity.name);
        cx.push(
            cx.at(including.span, title)
                .label("until TTL gets to it")
                .also(entity.name.span, "opens something")
                .note("Leave the words out: a read then compares the expiry with the clock.")
                .fix(Fix::new("refuse expired items", including.span, "").automatic()),
        );
    }
}
