//! # single-use-without-conditional-delete
//!
//! ## What it notices
//!
//! Something that may be used once is consumed by no conditional delete or update.
//!
//! ## Why it matters
//!
//! Read, then delete: two callers read before either deletes, and both get in.
//!
//! ## Example
//!
//! ```sk
//! table States { key (state)  ttl expiresAt }
//! entity OAuthState in States {
//!   state     uuid = new
//!   expiresAt time(s) = now + 15m
//! }
//! operation begin = create OAuthState
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
//! operation begin = create OAuthState
//! operation finish(state) { let s = delete OAuthState(state)  return s }
//! ```
//!
//! ## When to allow
//!
//! When it may be used more than once.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::actions;
use sortkey_design::model::*;
use sortkey_diagnostics::{Severity, a_quoted};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6012",
    name: "single-use-without-conditional-delete",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("single_use_without_conditional_delete.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    const ONCE: [&str; 9] = [
        "State",
        "Otp",
        "Nonce",
        "Challenge",
        "Verification",
        "Invite",
        "Invitation",
        "ResetToken",
        "MagicLink",
    ];
    let expires = cx.design.table_of(entity).is_some_and(|table| table.ttl.is_some());
    if !expires || !ONCE.iter().any(|word| entity.name.text.ends_with(word)) {
        return;
    }
    let consumed =
        cx.design.operations.iter().flat_map(actions).filter(|site| site.action.entity == entity.name).any(
            |site| {
                let update = site.action.verb == WriteVerb::Update && site.action.condition.is_some();
                let delete =
                    matches!(site.action.verb, WriteVerb::Delete | WriteVerb::Purge) && site.bound.is_some();
                update || delete
            },
        );
    if !consumed {
        let title = format!("nothing makes sure that {} is used only once", a_quoted(&entity.name.text));
        cx.push(
            cx.at(entity.name.span, title).label("no conditional delete or update").note(
                "`let s = delete ...` returns what was deleted, in one request: only one caller gets it.",
            ),
        );
    }
}
