//! What a path costs: requests, and units for the declared or estimated sizes.

use super::Path;
use crate::model::*;
use crate::size::typical_bytes;

/// Requests and capacity units of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Requests for one page or one item.
    pub requests: u64,
    /// Read units.
    pub rcu: f64,
    /// Write units.
    pub wcu: f64,
}

/// Read units for some bytes: four kilobytes each, half if eventually consistent.
pub fn read_units(bytes: u64, strong: bool) -> f64 {
    let units = bytes.div_ceil(4096).max(1) as f64;
    if strong { units } else { units / 2.0 }
}

/// Write units for an item of some bytes: one kilobyte each.
pub fn write_units(bytes: u64) -> u64 {
    bytes.div_ceil(1024).max(1)
}

pub(super) fn of_read(
    design: &Design,
    pattern: &Pattern,
    entity: &Entity,
    path: Path<'_>,
    fetches: bool,
) -> Cost {
    let bytes = typical_bytes(design, entity);
    let strong = pattern.strong;
    let queries = fan_out(design, pattern, entity);
    let mut cost = match (pattern.verb, path) {
        (ReadVerb::Get, Path::Guard(..)) => {
            let rcu = read_units(200, strong) + read_units(bytes, strong);
            return Cost { requests: 2, rcu, wcu: 0.0 };
        }
        (ReadVerb::Get, _) => {
            Cost { requests: 1, rcu: read_units(if fetches { 200 } else { bytes }, strong), wcu: 0.0 }
        }
        _ => {
            let items = expected_items(pattern, entity);
            let read = if fetches { 200 } else { bytes };
            // Each query rounds up by itself.
            let each = read_units(items.saturating_mul(read).div_ceil(queries.max(1)), strong);
            Cost { requests: queries, rcu: each * queries as f64, wcu: 0.0 }
        }
    };
    if fetches {
        let items = if pattern.verb == ReadVerb::Get { 1 } else { expected_items(pattern, entity) };
        cost.requests += if pattern.verb == ReadVerb::Get { 1 } else { items.div_ceil(100) };
        cost.rcu += items as f64 * read_units(bytes, strong);
    }
    if let Some(next) = pattern.then.as_ref().and_then(|name| design.entity(&name.text)) {
        let items = expected_items(pattern, entity);
        cost.requests += items.div_ceil(100);
        cost.rcu += items as f64 * read_units(typical_bytes(design, next), strong);
    }
    cost
}

/// How many items one page or one call is expected to read.
fn expected_items(pattern: &Pattern, entity: &Entity) -> u64 {
    let bounded = pattern.page.or(pattern.limit);
    let per = entity.volume.as_ref().and_then(|volume| {
        let (_, usual, _) = volume.per.iter().find(|(name, _, _)| pattern.bind(&name.text).is_some())?;
        Some(*usual)
    });
    match (bounded, per) {
        (Some(bound), Some(per)) => bound.min(per.max(1)),
        (Some(bound), None) => bound,
        (None, Some(per)) => per,
        (None, None) => 10,
    }
}

/// One query per value of each `in all`.
fn fan_out(design: &Design, pattern: &Pattern, entity: &Entity) -> u64 {
    let values = pattern.binds.iter().map(|bind| match bind.value {
        BindValue::All => {
            let attribute = entity.attribute(&bind.name.text);
            attribute.and_then(|each| design.type_of(each).cardinality()).unwrap_or(1)
        }
        _ => 1,
    });
    values.fold(1, u64::saturating_mul)
}
