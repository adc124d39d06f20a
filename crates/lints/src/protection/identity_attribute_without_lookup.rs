//! # identity-attribute-without-lookup
//!
//! ## What it notices
//!
//! An id of another service is stored, and nothing finds the item by it.
//!
//! ## Why it matters
//!
//! The other service calls back with its id: a login from GitHub, a webhook from Stripe. Finding the item
//! would be a scan.
//!
//! ## Example
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users {
//!   userId    uuid = new
//!   githubId? string(..32)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users {
//!   userId    uuid = new
//!   githubId? string(..32)
//!   unique githubId
//! }
//! ```
//!
//! ## When to allow
//!
//! When the other service never calls back.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::parts;
use sortkey_design::model::*;
use sortkey_diagnostics::{Severity, a_quoted};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7011",
    name: "identity-attribute-without-lookup",
    theme: Theme::Protection,
    level: Severity::Warning,
    source: include_str!("identity_attribute_without_lookup.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    const SERVICES: [&str; 14] = [
        "github",
        "google",
        "apple",
        "facebook",
        "stripecustomer",
        "paypal",
        "slack",
        "auth0",
        "cognito",
        "twitter",
        "microsoft",
        "teams",
        "telegram",
        "discord",
    ];
    let name = attribute.name.text.as_str();
    let foreign = SERVICES.iter().any(|service| name.to_lowercase().starts_with(service))
        && (name.ends_with("Id") || name.ends_with("Sub"));
    if !foreign || !attribute.is_stored() {
        return;
    }
    let Some(table) = cx.design.table_of(entity) else {
        return;
    };
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    let keyed = keys.flat_map(Key::attributes).any(|key| parts(entity, &key.text).contains(&name));
    let unique = entity.uniques.iter().any(|unique| unique.names.iter().any(|each| each.is(name)));
    if !keyed && !unique {
        let title = format!("nothing finds {} by its `{name}`", a_quoted(&entity.name.text));
        cx.push(
            cx.at(attribute.name.span, title)
                .label("in no key, index or guard")
                .note(format!("`unique {name}` gives a guard by which it is found, strongly consistent.")),
        );
    }
}
