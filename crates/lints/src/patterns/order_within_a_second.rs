//! # order-within-a-second
//!
//! ## What it notices
//!
//! A pattern promises the newest or the oldest items first, and the key sorts them by a time of whole seconds that is filled with
//! `now`, with nothing behind it that sorts by time.
//!
//! ## Why it matters
//!
//! Items of one second come back in the order of whatever follows in the key, such as a random id: the newest one is not first, and
//! a page may end between items that belong the other way round.
//!
//! ## Example
//!
//! ```sk
//! table Activities { key (userId | SK) }
//! entity Activity in Activities {
//!   SK = "{at}#{id}"
//!   userId uuid
//!   id     uuid = new
//!   at     time(iso_s) = now @immutable
//! }
//! pattern activities = list Activity by userId newest first page 50
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Activities { key (userId | SK) }
//! entity Activity in Activities {
//!   SK = "{at}#{id}"
//!   userId uuid
//!   id     ulid = new
//!   at     time(iso_s) = now @immutable
//! }
//! pattern activities = list Activity by userId newest first page 50
//! ```
//!
//! ## When to allow
//!
//! When there is never more than one item a second, or when their order within a second does not matter.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_design::program::Id;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3018",
    name: "order-within-a-second",
    theme: Theme::Patterns,
    level: Severity::Warning,
    source: include_str!("order_within_a_second.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    // Workers take what is due, in no order that anybody was promised.
    if pattern.internal {
        return;
    }
    // A number that `order by` names may have equals; `newest first` promises an order of events.
    let Some(order) = pattern.order.as_ref().filter(|order| order.by.is_none()) else { return };
    let Some(plan) = cx.plan(pattern) else { return };
    let entity = cx.entity_of(plan.path);
    let Some(time) = plan.ordered_by.and_then(|id| entity.attributes.get(id.at())) else { return };
    let coarse =
        matches!(cx.design.type_of(time), Type::Time { unit: TimeUnit::Seconds | TimeUnit::IsoSeconds });
    let is_now = time.value.as_ref().is_some_and(|fill| fill.value.as_name() == Some("now"));
    if !coarse || !is_now {
        return;
    }
    let table = cx.table_of(plan.path);
    let key = plan.path.index().map_or(&table.key, |index| &table.indexes[index.at()].key);
    let pieces: Vec<&str> = key.sort.iter().flat_map(|name| attributes(entity, &name.text)).collect();
    let next = pieces.iter().skip_while(|name| **name != time.name.text).nth(1);
    let next = next.and_then(|name| entity.attribute(name));
    if next.is_some_and(|next| matches!(cx.design.type_of(next), Type::Id { body: IdBody::Ulid, .. })) {
        return;
    }
    let title = format!("`{}` has no order among items of one second", pattern.name);
    let behind = match next {
        Some(next) => format!("within a second, the order is that of `{}`", next.name),
        None => "within a second, any order".to_owned(),
    };
    cx.push(
        cx.at(order.span, title)
            .label(behind)
            .also(time.span, "the time that sorts, in whole seconds")
            .note("Sort by `time(iso)` or `time(ms)`, or put an id of type `ulid` behind the time."),
    );
}

/// The attributes whose text makes up a key attribute, in order.
fn attributes<'e>(entity: &'e Entity, name: &'e str) -> Vec<&'e str> {
    let Some(template) = entity.templates.iter().find(|template| template.name.text == name) else {
        return vec![name];
    };
    let slot = |piece: &'e Piece| match piece {
        Piece::Literal(_) => None,
        Piece::Slot { attribute, .. } => Some(attribute.text.as_str()),
    };
    template.pieces.iter().filter_map(slot).collect()
}
