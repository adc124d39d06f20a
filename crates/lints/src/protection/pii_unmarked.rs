//! # pii-unmarked
//!
//! ## What it notices
//!
//! Personal data is not marked as such.
//!
//! ## Why it matters
//!
//! Data that is not marked is overlooked when somebody asks for their data, or for its deletion.
//!
//! ## Example
//!
//! ```sk
//! table Orders { key (orderId) }
//! entity Order in Orders {
//!   orderId       uuid = new
//!   customerPhone string(..30)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Orders { key (orderId) }
//! entity Order in Orders {
//!   orderId       uuid = new
//!   customerPhone string(..30) @personal
//! }
//! ```
//!
//! ## When to allow
//!
//! When it is about companies, not people.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7013",
    name: "pii-unmarked",
    theme: Theme::Protection,
    level: Severity::Hint,
    source: include_str!("pii_unmarked.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(_entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    const WORDS: [&str; 12] = [
        "email",
        "phone",
        "customername",
        "firstname",
        "lastname",
        "fullname",
        "ssn",
        "birthdate",
        "dateofbirth",
        "ipaddress",
        "homeaddress",
        "postaladdress",
    ];
    let lower = attribute.name.text.to_lowercase();
    let personal = WORDS.iter().any(|word| lower.ends_with(word));
    if personal && attribute.is_stored() && !attribute.has("personal") && !attribute.has("encrypted") {
        let title = format!("`{}` is personal data", attribute.name);
        cx.push(
            cx.at(attribute.name.span, title)
                .label("not marked")
                .fix(Fix::new("mark it", attribute.span.after(), " @personal").automatic()),
        );
    }
}
