//! What goes with an item that is deleted: the children that refer to it `on delete cascade`, and the way to them.

use super::read;
use crate::model::*;

/// More queries than this for the children of one parent are no path.
const MAX_QUERIES: u64 = 64;

/// One kind of children that go too.
#[derive(Clone, Debug)]
pub struct Sweep<'a> {
    /// The children.
    pub child: &'a Entity,
    /// The attribute by which they refer to their parent.
    pub attribute: &'a Attribute,
    /// What they are found by: their attributes, and those of the parent that give the values.
    pub binds: Vec<(&'a str, &'a str)>,
    /// The pattern that finds all children of one parent; none if there is no way to find them.
    pub finding: Option<Pattern>,
}

/// The sweeps that deleting an item of an entity runs.
pub fn sweeps<'a>(design: &'a Design, parent: &'a Entity) -> Vec<Sweep<'a>> {
    let mut found = Vec::new();
    for child in &design.entities {
        for attribute in &child.attributes {
            if let Some(reference) = &attribute.reference
                && reference.entity == parent.name
                && reference.on_delete == Some(OnDelete::Cascade)
            {
                found.push(sweep(design, parent, child, attribute, reference));
            }
        }
    }
    found
}

/// Whether children go by twenty-five; those that are guarded, counted, soft-deleted or have children of their own go one by
/// one.
pub fn goes_at_once(design: &Design, child: &Entity) -> bool {
    child.deleted.is_none()
        && child.uniques.is_empty()
        && counters(design, child).is_empty()
        && sweeps(design, child).is_empty()
}

/// A number that counts the items which refer to the item it is in.
#[derive(Clone, Copy, Debug)]
pub struct Counter<'a> {
    /// The entity that the number is in.
    pub entity: &'a Entity,
    /// The number.
    pub attribute: &'a Attribute,
    /// The attribute of the counted item that refers to it.
    pub reference: &'a Attribute,
}

/// The numbers that count items of an entity.
pub fn counters<'a>(design: &'a Design, counted: &'a Entity) -> Vec<Counter<'a>> {
    let mut found = Vec::new();
    for entity in &design.entities {
        let counts = |attribute: &&Attribute| {
            let named = attribute.annotation("counts").into_iter().flat_map(|each| &each.args);
            named.into_iter().any(|(_, argument)| argument.is_name(&counted.name.text))
        };
        let refers = |each: &&Attribute| each.reference.as_ref().is_some_and(|to| to.entity == entity.name);
        for attribute in entity.attributes.iter().filter(counts) {
            for reference in counted.attributes.iter().filter(refers) {
                found.push(Counter { entity, attribute, reference });
            }
        }
    }
    found
}

fn sweep<'a>(
    design: &'a Design,
    parent: &'a Entity,
    child: &'a Entity,
    attribute: &'a Attribute,
    reference: &'a Reference,
) -> Sweep<'a> {
    let target = reference.attribute.as_ref().unwrap_or(&attribute.name);
    let first = (attribute.name.text.as_str(), target.text.as_str());
    // Where the reference alone leads nowhere, attributes that parent and child share may complete a key.
    let common = child.attributes.iter().map(|each| each.name.text.as_str());
    let shared: Vec<(&str, &str)> = common
        .filter(|name| *name != first.0 && parent.attribute(name).is_some())
        .map(|name| (name, name))
        .collect();
    let mut ways = vec![(vec![first], None)];
    ways.extend(shared.iter().map(|bind| (vec![*bind, first], None)));
    ways.push((std::iter::once(first).chain(shared).collect(), None));
    // Or every value of an attribute with few values completes it: one query each.
    let few =
        |each: &&Attribute| design.type_of(each).cardinality().is_some_and(|values| values <= MAX_QUERIES);
    let every = child.attributes.iter().filter(few).map(|each| each.name.text.as_str());
    ways.extend(every.map(|name| (vec![first], Some(name))));
    for (binds, every) in ways {
        let pattern = finding(child, &binds, every);
        if read(design, &pattern).and_then(|choice| choice.plan).is_some_and(|plan| plan.omits.is_empty()) {
            return Sweep { child, attribute, binds, finding: Some(pattern) };
        }
    }
    Sweep { child, attribute, binds: vec![first], finding: None }
}

/// The pattern that finds all children of one parent.
fn finding(child: &Entity, binds: &[(&str, &str)], every: Option<&str>) -> Pattern {
    let bind = |name: &str, value| Bind { name: Name::new(name, child.span), value };
    let by: Vec<&str> = binds.iter().map(|(name, _)| *name).collect();
    let given = binds.iter().map(|(name, _)| bind(name, BindValue::Parameter));
    Pattern {
        name: Name::new(format!("sweep {} by {}", child.name, by.join(", ")), child.span),
        system: true,
        verb: ReadVerb::List,
        entities: vec![child.name.clone()],
        binds: given.chain(every.map(|name| bind(name, BindValue::All))).collect(),
        all: true,
        ..Pattern::default()
    }
}
