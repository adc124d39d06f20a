//! # referential-check-on-gsi
//!
//! ## What it notices
//!
//! "Is it still in use?" is asked of a global index.
//!
//! ## Why it matters
//!
//! A reference made a moment ago is not in the index yet. The thing is deleted, and the reference points
//! nowhere.
//!
//! ## Example
//!
//! ```sk
//! table Catalogs { key (catalogId) }
//! table Seasons  { key (seasonId)  index byCatalog (catalogId) project keys }
//! entity Catalog in Catalogs { catalogId uuid = new }
//! entity Season in Seasons {
//!   seasonId  uuid = new
//!   catalogId -> Catalog
//! }
//! pattern catalogInUse = exists Season by catalogId
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Catalogs { key (catalogId) }
//! table Seasons  { key (seasonId)  index byCatalog (catalogId) project keys }
//! entity Catalog in Catalogs {
//!   catalogId uuid = new
//!   seasons   int(0..) = 0 @counts(Season)
//! }
//! entity Season in Seasons {
//!   seasonId  uuid = new
//!   catalogId -> Catalog
//! }
//! pattern catalogInUse = exists Season by catalogId
//! ```
//!
//! ## When to allow
//!
//! When the answer is only shown, not acted upon.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::{Severity, a_quoted};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7007",
    name: "referential-check-on-gsi",
    theme: Theme::Protection,
    level: Severity::Warning,
    source: include_str!("referential_check_on_gsi.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    if !matches!(pattern.verb, ReadVerb::Exists | ReadVerb::Count) {
        return;
    }
    let Some(path) = cx.plan(pattern).map(|plan| plan.path) else { return };
    let entity = cx.entity_of(path);
    let reference =
        pattern.binds.iter().find_map(|bind| entity.attribute(&bind.name.text)?.reference.as_ref());
    let Some(target) = reference.and_then(|reference| cx.design.entity(&reference.entity.text)) else {
        return;
    };
    let counted = target.attributes.iter().any(|each| {
        each.annotation("counts")
            .is_some_and(|counts| counts.args.iter().any(|(_, value)| value.is_name(&entity.name.text)))
    });
    if path.is_global_index(cx.program) && !counted {
        let title = format!("`{}` can miss {} that was just made", pattern.name, a_quoted(&entity.name.text));
        cx.push(cx.at(pattern.verb_span, title).label(format!("reads through {}", path.describe(cx.program))).also(target.name.span, "what is referred to").note(format!("Count them where they are deleted: `{} int(0..) = 0 @counts({})` on `{}`, and `if {} = 0`.", "uses", entity.name, target.name, "uses")));
    }
}
