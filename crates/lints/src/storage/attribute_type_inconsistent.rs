//! # attribute-type-inconsistent
//!
//! ## What it notices
//!
//! One attribute name is stored with different types in different entities.
//!
//! ## Why it matters
//!
//! Shared code writes the wrong type sooner or later: a TTL as text never expires, a number compared with
//! text never matches.
//!
//! ## Example
//!
//! ```sk
//! table States { key (state) }
//! table Tokens { key (token) }
//! entity OAuthState in States {
//!   state     uuid = new
//!   expiresAt int
//! }
//! entity RefreshToken in Tokens {
//!   token     uuid = new
//!   expiresAt string(24)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table States { key (state) }
//! table Tokens { key (token) }
//! entity OAuthState in States {
//!   state     uuid = new
//!   expiresAt time(s)
//! }
//! entity RefreshToken in Tokens {
//!   token     uuid = new
//!   expiresAt time(s)
//! }
//! ```
//!
//! ## When to allow
//!
//! When the two are never handled by the same code.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;
use sortkey_diagnostics::a as article;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4010",
    name: "attribute-type-inconsistent",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("attribute_type_inconsistent.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    let design = cx.design;
    let mut seen: Vec<(&Entity, &Attribute)> = Vec::new();
    for entity in &design.entities {
        for attribute in entity.attributes.iter().filter(|each| each.is_stored()) {
            let earlier = seen.iter().find(|(_, other)| other.name == attribute.name);
            let Some((other, first)) = earlier else {
                seen.push((entity, attribute));
                continue;
            };
            let (a, b) = (design.type_of(first), design.type_of(attribute));
            // The type of a set includes that of its members; text, numbers, lists and maps are easily
            // confused.
            let plain = |ty: &Type| {
                use Stored::{B, Bool, L, M, N, S};
                matches!(ty.stored(), S | N | B | Bool | L | M)
            };
            // Times with a declared unit convert themselves.
            let typed = matches!((a, b), (Type::Time { .. }, Type::Time { .. }));
            if plain(a) && plain(b) && a.stored() != b.stored() && !typed {
                let title = format!(
                    "`{}` is {} in `{}` and {} in `{}`",
                    attribute.name,
                    article(&b.describe()),
                    entity.name,
                    article(&a.describe()),
                    other.name
                );
                cx.push(
                    cx.at(attribute.type_place(), title)
                        .label(format!("stored as {:?}", b.stored()))
                        .also(first.type_place(), format!("stored as {:?}", a.stored())),
                );
            }
        }
    }
}
