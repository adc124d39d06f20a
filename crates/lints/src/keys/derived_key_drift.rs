//! # derived-key-drift
//!
//! ## What it notices
//!
//! A key is a copy or a combination of other attributes, and nothing keeps it equal to them: a composite
//! attribute written by hand, a text copy of a flag, or a generic patch over the parts of an index key.
//!
//! ## Why it matters
//!
//! The parts and the key are written separately, so one day they differ: the item is found under a value
//! that it no longer has.
//!
//! ## Example
//!
//! ```sk
//! table Catalogs { key (catalogId)  index byPublic (isPublicText | createdAt) project all }
//! entity Catalog in Catalogs {
//!   catalogId    uuid = new
//!   isPublic     bool = false
//!   isPublicText string(5)
//!   createdAt    time(iso) = now
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Catalogs { key (catalogId)  index byPublic (isPublicText | createdAt) project all sparse }
//! entity Catalog in Catalogs {
//!   catalogId    uuid = new
//!   isPublic     bool = false
//!   isPublicText string(4) := "true" when isPublic = true
//!   createdAt    time(iso) = now
//! }
//! ```
//!
//! ## When to allow
//!
//! When another system writes both in one place.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::actions;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1007",
    name: "derived-key-drift",
    theme: Theme::Keys,
    level: Severity::Warning,
    source: include_str!("derived_key_drift.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    for attribute in entity.attributes.iter().filter(|attribute| attribute.value.is_none()) {
        let name = attribute.name.text.as_str();
        let parts: Vec<&str> = name.split('#').collect();
        let composite = parts.len() > 1
            && parts
                .iter()
                .all(|part| entity.attribute(part).is_some() || part.to_lowercase().contains("timestamp"));
        let copy_of =
            ["Str", "Text", "String", "Lower", "_lower"].iter().find_map(|ending| name.strip_suffix(ending));
        let copy = copy_of.is_some_and(|base| entity.attribute(base).is_some());
        if composite || copy {
            let title = format!("`{name}` repeats other attributes, and nothing keeps it equal to them");
            cx.push(
                cx.at(attribute.name.span, title)
                    .label("written separately from its parts")
                    .note("Derive it: a template for a composite key, `:=` for a copy."),
            );
        }
    }
    unfilled(entity, cx);
    patched(entity, cx);
}

/// A key that is named after its parts and filled by nothing: whoever writes it must do so at every change of a part.
fn unfilled(entity: &Entity, cx: &mut Context<'_>) {
    let Some(table) = cx.design.table_of(entity) else {
        return;
    };
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    for name in keys.flat_map(Key::attributes).filter(|name| !entity.stores(&name.text)) {
        let parts: Vec<&Attribute> = name.text.split('#').filter_map(|part| entity.attribute(part)).collect();
        if parts.len() < 2 || parts.len() < name.text.split('#').count() {
            continue;
        }
        let title = format!("`{name}` follows from other attributes, and nothing computes it");
        let mut diagnostic = cx.at(name.span, title).label("must be written again when a part changes");
        for part in parts {
            diagnostic = diagnostic.also(part.name.span, "a part of it");
        }
        cx.push(diagnostic.note(
            "Make it a template of the entity: it is then recomputed by every write that changes a part.",
        ));
    }
}

/// A patch that takes anything also takes the parts of index keys.
fn patched(entity: &Entity, cx: &mut Context<'_>) {
    let Some(table) = cx.design.table_of(entity) else {
        return;
    };
    for operation in &cx.design.operations {
        for site in actions(operation).into_iter().filter(|site| site.action.entity == entity.name) {
            if site.action.verb != WriteVerb::Update || site.action.fields.spreads.is_empty() {
                continue;
            }
            let in_index = |name: &&Name| table.indexes.iter().any(|index| index.key.contains(&name.text));
            let template =
                entity.templates.iter().find(|template| in_index(&&template.name) && !template.is_constant());
            let Some(template) = template else { continue };
            let title = format!("this patch may change what `{}` is made of", template.name);
            cx.push(
                cx.at(site.action.verb_span, title)
                    .label("takes any attribute")
                    .also(template.text_span, "an index key made of attributes")
                    .note("List the attributes that may change; those in keys are then recomputed, and the others stay out."),
            );
        }
    }
}
