//! # low-entropy-secret-key
//!
//! ## What it notices
//!
//! A code that opens something has too few random bits.
//!
//! ## Why it matters
//!
//! Ten hexadecimal digits are 40 bits. An attacker who may try a thousand codes a second finds one of a
//! million valid codes within minutes.
//!
//! ## Example
//!
//! ```sk
//! table Invites { key (inviteCode) }
//! entity Pass in Invites { inviteCode string(10) }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Invites { key (inviteCode) }
//! entity Pass in Invites { inviteCode token("", 26) = new }
//! ```
//!
//! ## When to allow
//!
//! When a second factor or a limit on attempts protects it.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7010",
    name: "low-entropy-secret-key",
    theme: Theme::Protection,
    level: Severity::Warning,
    source: include_str!("low_entropy_secret_key.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let lower = attribute.name.text.to_lowercase();
    let bearer =
        ["invitecode", "invitationcode", "token", "secretcode", "accesscode", "sharecode", "magiclink"]
            .iter()
            .any(|word| lower.ends_with(word));
    let characters = match &attribute.ty {
        Type::String { max: Some(max), .. } => *max,
        Type::Token { length, .. } => *length,
        _ => return,
    };
    let key = cx.design.table_of(entity).is_some_and(|table| {
        table.key.contains(&attribute.name.text)
            || table.indexes.iter().any(|index| index.key.contains(&attribute.name.text))
    });
    if bearer && key && characters < 20 && attribute.is_stored() {
        let title = format!("`{}` can be guessed", attribute.name);
        cx.push(
            cx.at(attribute.type_place(), title)
                .label(format!("{characters} characters: about {} bits", characters * 4))
                .note("128 bits are out of reach: token(\"\", 26)."),
        );
    }
}
