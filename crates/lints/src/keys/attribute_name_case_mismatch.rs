//! # attribute-name-case-mismatch
//!
//! ## What it notices
//!
//! A key attribute and an attribute of the entity differ only in upper and lower case, or in `_`.
//!
//! ## Why it matters
//!
//! Names are case-sensitive: the key attribute is never filled, so items cannot be written, or never appear
//! in the index.
//!
//! ## Example
//!
//! ```sk
//! table Users { key (userId)  index byTeam (teamID) project all }
//! entity User in Users {
//!   userId uuid = new
//!   teamId uuid
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Users { key (userId)  index byTeam (teamId) project all }
//! entity User in Users {
//!   userId uuid = new
//!   teamId uuid
//! }
//! ```
//!
//! ## When to allow
//!
//! Never.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1013",
    name: "attribute-name-case-mismatch",
    theme: Theme::Keys,
    level: Severity::Error,
    source: include_str!("attribute_name_case_mismatch.rs"),
    inspect: Inspect::Table(inspect),
};

fn inspect(table: &Table, cx: &mut Context<'_>) {
    let plain = |name: &str| name.to_lowercase().replace('_', "");
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    for name in keys.flat_map(Key::attributes) {
        if cx.design.entities_in(table).any(|entity| entity.stores(&name.text)) {
            continue;
        }
        let attributes = cx.design.entities_in(table).flat_map(|entity| &entity.attributes);
        let Some(near) = attributes.into_iter().find(|each| plain(&each.name.text) == plain(&name.text))
        else {
            continue;
        };
        let title = format!("`{name}` is spelt `{}` in the entity", near.name);
        cx.push(
            cx.at(name.span, title)
                .label("names are case-sensitive")
                .also(near.name.span, "spelt like this here")
                .fix(
                    Fix::new(format!("write `{}`", near.name), name.span, near.name.text.clone()).automatic(),
                ),
        );
    }
    in_patterns(table, cx);
}

/// A pattern that spells a stored key in another case asks for an attribute that no item has.
fn in_patterns(table: &Table, cx: &mut Context<'_>) {
    let design = cx.design;
    for pattern in &design.patterns {
        let entity = pattern.entities.first().and_then(|name| design.entity(&name.text));
        let Some(entity) = entity.filter(|entity| entity.table == table.name) else {
            continue;
        };
        for bind in pattern.binds.iter().filter(|bind| entity.attribute(&bind.name.text).is_none()) {
            let same = |name: &&Name| name.text.eq_ignore_ascii_case(&bind.name.text) && **name != bind.name;
            let Some(near) = entity.templates.iter().map(|template| &template.name).find(same) else {
                continue;
            };
            let title = format!("`{}` is spelt `{near}` in the entity", bind.name);
            cx.push(
                cx.at(bind.name.span, title)
                    .label("names are case-sensitive")
                    .also(near.span, "spelt like this here")
                    .fix(Fix::new(format!("write `{near}`"), bind.name.span, near.text.clone()).automatic()),
            );
        }
    }
}
