//! # secret-projected-into-index
//!
//! ## What it notices
//!
//! A secret is copied into an index.
//!
//! ## Why it matters
//!
//! Every lookup through the index returns it, and it is stored once more for each index.
//!
//! ## Example
//!
//! ```sk
//! table Users { key (userId)  index byName (nick) project all }
//! entity User in Users {
//!   userId    uuid = new
//!   nick      string(..40)
//!   mfaSecret string(..128)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Users { key (userId)  index byName (nick) project keys }
//! entity User in Users {
//!   userId    uuid = new
//!   nick      string(..40)
//!   mfaSecret string(..128) @encrypted("alias/users")
//! }
//! ```
//!
//! ## When to allow
//!
//! When the secret is needed with every lookup.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::{is_protected, is_secret};
use sortkey_design::facts::{Membership, membership};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7009",
    name: "secret-projected-into-index",
    theme: Theme::Protection,
    level: Severity::Warning,
    source: include_str!("secret_projected_into_index.rs"),
    inspect: Inspect::Index(inspect),
};

fn inspect(table: &Table, index: &Index, cx: &mut Context<'_>) {
    for entity in cx.design.entities_in(table) {
        if matches!(membership(entity, &index.key), Membership::Never(_)) {
            continue;
        }
        let copied = |attribute: &&Attribute| match &index.projection {
            None | Some(Projection::All) => true,
            Some(Projection::Keys) => false,
            Some(Projection::Include(names)) => names.contains(&attribute.name),
        };
        let secret = entity.attributes.iter().find(|each| {
            (is_secret(each) || each.has("secret"))
                && !kept_safe(each)
                && copied(each)
                && !table.key.contains(&each.name.text)
                && !index.key.contains(&each.name.text)
        });
        if let Some(attribute) = secret {
            let place = index.projection_span.unwrap_or(index.name.span);
            let title = format!("`{}` is copied into `{}`", attribute.name, index.name);
            cx.push(
                cx.at(place, title)
                    .label("copies everything")
                    .also(attribute.name.span, "a secret")
                    .note("`project keys` or a list, and read the secret by the table's key."),
            );
        }
    }
}

/// A digest, or a ciphertext whose key is named. "Encrypted" alone does not count: the holder of the key is
/// not declared.
fn kept_safe(attribute: &Attribute) -> bool {
    match attribute.annotation("encrypted") {
        Some(encrypted) => !encrypted.args.is_empty(),
        None => is_protected(attribute),
    }
}
