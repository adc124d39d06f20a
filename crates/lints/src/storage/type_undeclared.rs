//! # type-undeclared
//!
//! ## What it notices
//!
//! An attribute has no type, or a list, map or set has no member type.
//!
//! ## Why it matters
//!
//! Without a type nothing can be checked or generated: not the key's type, not the size, not a single write.
//!
//! ## Example
//!
//! ```sk
//! table Orders { key (orderId) }
//! entity Order in Orders {
//!   orderId      uuid = new
//!   customerName,
//!   notes        string(..200)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Orders { key (orderId) }
//! entity Order in Orders {
//!   orderId      uuid = new
//!   customerName string(..120) @personal
//!   notes        string(..200)
//! }
//! ```
//!
//! ## When to allow
//!
//! Write `any(max n)` if anything may be stored.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4001",
    name: "type-undeclared",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("type_undeclared.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(_entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    if attribute.ty.is_undeclared() && attribute.reference.is_none() && attribute.ty_span.is_none() {
        let title = format!("`{}` has no type", attribute.name);
        cx.push(cx.at(attribute.name.span, title).label("what is stored here?"));
    }
    untyped_elements(&attribute.ty, attribute, cx);
}

/// Types nest no deeper than the parser allows.
fn untyped_elements(ty: &Type, attribute: &Attribute, cx: &mut Context<'_>) {
    match ty {
        Type::List { of, .. } | Type::Set { of, .. } | Type::Map { of, .. }
            if **of == (Type::Any { max: None }) =>
        {
            let title = format!("`{}` does not say what its elements are", attribute.name);
            cx.push(cx.at(attribute.type_place(), title).label("elements of which type?"));
        }
        Type::List { of, .. } | Type::Set { of, .. } | Type::Map { of, .. } => {
            untyped_elements(of, attribute, cx);
        }
        Type::Object { attributes } => {
            attributes.iter().for_each(|inner| untyped_elements(&inner.ty, inner, cx))
        }
        _ => {}
    }
}
