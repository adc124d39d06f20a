//! What goes with an item that is deleted: the children that refer to it `on delete cascade`.

use super::cost::{Cost, write_units};
use super::{Obstacle, read};
use crate::facts::key_attributes;
use crate::model::*;
use crate::size::typical_bytes;

/// More queries than this for the children of one parent are no path.
const MAX_QUERIES: u64 = 64;

/// One kind of children that go too.
#[derive(Clone, Debug)]
pub struct Sweep<'a> {
    /// The children.
    pub child: &'a Entity,
    /// What they are found by.
    pub by: Vec<&'a str>,
    /// The path to them; none if there is no way to find them.
    pub path: Option<String>,
    /// Whether many are removed with one request; children that are guarded, soft-deleted or have children of their
    /// own take one each.
    pub batched: bool,
    /// Requests and units for the usual number of children.
    pub cost: Cost,
}

impl Sweep<'_> {
    /// The requests it consists of.
    pub fn requests(&self) -> &'static str {
        match self.child {
            _ if self.batched => "Query, BatchWriteItem",
            child if child.deleted.is_some() => "Query, UpdateItem",
            child if !child.uniques.is_empty() => "Query, TransactWriteItems",
            _ => "Query, DeleteItem",
        }
    }
}

/// The sweeps that deleting an item of an entity runs, the deepest first: a child is found through its parent, so the
/// parent must still be there.
pub fn cascade<'a>(design: &'a Design, entity: &'a Entity) -> Vec<Sweep<'a>> {
    let mut found = Vec::new();
    let mut seen = vec![entity.name.text.as_str()];
    children(design, entity, &mut seen, &mut found);
    found
}

/// Every entity is seen once, so this ends.
fn children<'a>(design: &'a Design, parent: &'a Entity, seen: &mut Vec<&'a str>, found: &mut Vec<Sweep<'a>>) {
    for child in &design.entities {
        let refers = |attribute: &&Attribute| {
            attribute.reference.as_ref().is_some_and(|reference| {
                reference.entity == parent.name && reference.on_delete == Some(OnDelete::Cascade)
            })
        };
        let Some(attribute) = child.attributes.iter().find(refers) else {
            continue;
        };
        if seen.contains(&child.name.text.as_str()) {
            continue;
        }
        seen.push(&child.name.text);
        let deeper = found.len();
        children(design, child, seen, found);
        let has_children = found.len() > deeper;
        found.push(sweep(design, parent, child, attribute, has_children));
    }
}

fn sweep<'a>(
    design: &'a Design,
    parent: &'a Entity,
    child: &'a Entity,
    attribute: &'a Attribute,
    has_children: bool,
) -> Sweep<'a> {
    let alone = vec![attribute.name.text.as_str()];
    let mut with_key = alone.clone();
    for key in key_attributes(design, parent) {
        let same = child.attribute(key).map(|each| each.name.text.as_str());
        with_key.extend(same.filter(|name| !alone.contains(name)));
    }
    let batched = child.uniques.is_empty() && child.deleted.is_none() && !has_children;
    let every = every(design, child, &finding(child, &alone, &[]));
    for (by, every) in [(&alone, &[][..]), (&with_key, &[]), (&alone, &every)] {
        let pattern = finding(child, by, every);
        if let Some(plan) = read(design, &pattern).and_then(|choice| choice.plan) {
            let cost = cost(design, child, plan.cost, by, batched);
            return Sweep { child, by: by.clone(), path: Some(plan.path.describe()), batched, cost };
        }
    }
    Sweep { child, by: alone, path: None, batched, cost: Cost::default() }
}

/// The attributes with few values that stand between the reference and a partition key: one query for each value.
fn every<'a>(design: &'a Design, child: &'a Entity, pattern: &Pattern) -> Vec<&'a str> {
    let rejected = read(design, pattern).map(|choice| choice.rejected).unwrap_or_default();
    let unbound = rejected.iter().filter_map(|each| match each.obstacle {
        Obstacle::PartitionUnbound(slot) => child.attribute(slot),
        _ => None,
    });
    let few = |attribute: &&Attribute| {
        design.type_of(attribute).cardinality().is_some_and(|values| values <= MAX_QUERIES)
    };
    unbound.filter(few).map(|attribute| attribute.name.text.as_str()).take(1).collect()
}

/// The pattern that finds all children of one parent.
fn finding(child: &Entity, by: &[&str], every: &[&str]) -> Pattern {
    let bind = |name: &&str| Bind {
        name: Name::new(*name, child.name.span),
        value: if every.contains(name) { BindValue::All } else { BindValue::Parameter },
    };
    Pattern {
        name: child.name.clone(),
        system: true,
        verb: ReadVerb::List,
        entities: vec![child.name.clone()],
        binds: by.iter().chain(every).map(bind).collect(),
        all: true,
        ..Pattern::default()
    }
}

/// Twenty-five deletes go into one BatchWriteItem.
fn cost(design: &Design, child: &Entity, found: Cost, by: &[&str], batched: bool) -> Cost {
    let per = child
        .volume
        .iter()
        .flat_map(|volume| &volume.per)
        .find(|(name, _, _)| by.contains(&name.text.as_str()));
    let count = per.map_or(10, |(_, usual, _)| *usual);
    let requests = if batched { count.div_ceil(25) } else { count };
    let each = write_units(typical_bytes(design, child));
    Cost { requests: found.requests + requests, rcu: found.rcu, wcu: count.saturating_mul(each) as f64 }
}
