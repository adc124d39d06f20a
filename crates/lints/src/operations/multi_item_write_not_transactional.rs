//! # multi-item-write-not-transactional
//!
//! ## What it notices
//!
//! An operation writes several items, one after the other, outside `transact`.
//!
//! ## Why it matters
//!
//! A crash, a throttle or a failed condition between them leaves half of it: an invitation used up and no
//! share made.
//!
//! ## Example
//!
//! ```sk
//! table Invites { key (code) }
//! table Shares  { key (profileId | accountId) }
//! entity Invite in Invites {
//!   code    string(26)
//!   usedAt? time(iso)
//! }
//! entity Share in Shares {
//!   profileId uuid
//!   accountId uuid
//! }
//! operation redeem(code, profileId, accountId) {
//!   update Invite(code) if usedAt absent else Used { usedAt: now }
//!   create Share { profileId, accountId }
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Invites { key (code) }
//! table Shares  { key (profileId | accountId) }
//! entity Invite in Invites {
//!   code    string(26)
//!   usedAt? time(iso)
//! }
//! entity Share in Shares {
//!   profileId uuid
//!   accountId uuid
//! }
//! operation redeem(code, profileId, accountId) {
//!   transact {
//!     update Invite(code) if usedAt absent else Used { usedAt: now }
//!     create Share { profileId, accountId }
//!   }
//! }
//! ```
//!
//! ## When to allow
//!
//! When the operation can be repeated until it is whole, and readers bear the time between.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::actions;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6003",
    name: "multi-item-write-not-transactional",
    theme: Theme::Operations,
    level: Severity::Error,
    source: include_str!("multi_item_write_not_transactional.rs"),
    inspect: Inspect::Operation(inspect),
};

fn inspect(operation: &Operation, cx: &mut Context<'_>) {
    let sites = actions(operation);
    let alone: Vec<_> = sites
        .iter()
        .filter(|site| site.action.verb.writes() && site.transact.is_none() && !site.handler)
        .collect();
    let together = sites.iter().any(|site| site.action.verb.writes() && site.transact.is_some());
    let second = if together { alone.first() } else { alone.get(1) };
    if let Some(site) = second {
        let title = format!("`{}` may stop halfway", operation.name);
        let mut diagnostic = cx.at(site.action.span, title).label("written separately from the rest");
        if let Some(first) = alone.first().filter(|first| first.action.span != site.action.span) {
            diagnostic = diagnostic.also(first.action.verb_span, "already done by then");
        }
        cx.push(diagnostic.note("Put both into `transact { }`: all or nothing, up to 100 items."));
    }
}
