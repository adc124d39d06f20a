//! The children that are deleted with an item, since they refer to it `on delete cascade`, and how they are found.

use std::sync::Arc;

use sortkey_design::model::ReadVerb;
use sortkey_design::program::{
    Arena, Attribute, AttributeId, Bind, BindValue, Bound, EntityId, Id, LocalId, Parameter, Pattern,
    Program, Signature, Yields,
};

use crate::{ReadPlan, read::of_pattern};

/// The maximum number of queries for the children of one parent.
const MAX_QUERIES: u64 = 64;

/// One kind of children that are deleted too.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The children.
    pub child: EntityId,
    /// The attribute by which they refer to their parent.
    pub attribute: AttributeId,
    /// The attributes they are found by, each with the attribute of the parent that gives its value.
    pub binds: Vec<(AttributeId, AttributeId)>,
    /// How all children of one parent are found; none if there is no way to find them.
    pub finding: Option<Finding>,
}

/// The pattern that finds all children of one parent. Its parameters are the binds of the sweep, in order.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The pattern.
    pub pattern: Pattern,
    /// Its path.
    pub plan: ReadPlan,
}

/// The sweeps that deleting an item of an entity runs.
pub fn sweeps(program: &Program, parent: EntityId) -> Vec<Sweep> {
    let mut found = Vec::new();
    for (child, entity) in program.entities.entries() {
        for (attribute, each) in entity.attributes.entries() {
            if let Some(reference) = each.reference.filter(|each| each.entity == parent && each.cascades) {
                found.push(sweep(program, parent, child, (attribute, reference.attribute)));
            }
        }
    }
    found
}

/// Whether an item of an entity has children that are deleted with it.
fn has_children(program: &Program, parent: EntityId) -> bool {
    let refers = |each: &Attribute| each.reference.is_some_and(|each| each.entity == parent && each.cascades);
    program.entities.iter().any(|entity| entity.attributes.iter().any(refers))
}

/// Whether children are deleted in batches of twenty-five; those that are guarded, counted, soft-deleted or have children
/// of their own are deleted one by one.
pub fn goes_at_once(program: &Program, child: EntityId) -> bool {
    let entity = &program.entities[child];
    entity.deleted.is_none()
        && entity.uniques.is_empty()
        && counters(program, child).is_empty()
        && !has_children(program, child)
}

/// A number that counts the items which refer to the item it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The entity that the number is in.
    pub entity: EntityId,
    /// The number.
    pub attribute: AttributeId,
    /// The attribute of the counted item that refers to it.
    pub reference: AttributeId,
}

/// The numbers that count items of an entity.
pub fn counters(program: &Program, counted: EntityId) -> Vec<Counter> {
    let mut found = Vec::new();
    for (entity, each) in program.entities.entries() {
        for (attribute, _) in each.attributes.entries().filter(|(_, number)| number.counts.contains(&counted))
        {
            let of_counted = program.entities[counted].attributes.entries();
            let refers = of_counted.filter(|(_, each)| each.reference.is_some_and(|to| to.entity == entity));
            found.extend(refers.map(|(reference, _)| Counter { entity, attribute, reference }));
        }
    }
    found
}

fn sweep(program: &Program, parent: EntityId, child: EntityId, first: (AttributeId, AttributeId)) -> Sweep {
    let attributes = &program.entities[child].attributes;
    // If the reference alone leads to no key, attributes that parent and child share may complete one.
    let shared = attributes.entries().filter(|(id, _)| *id != first.0);
    let shared: Vec<(AttributeId, AttributeId)> =
        shared.filter_map(|(id, _)| Some((id, program.same_attribute(child, id, parent)?))).collect();
    let mut ways = vec![(vec![first], None)];
    ways.extend(shared.iter().map(|bind| (vec![*bind, first], None)));
    ways.push((std::iter::once(first).chain(shared).collect(), None));
    // Or every value of an attribute with few values completes it: one query each.
    let few = |each: &Attribute| each.ty.cardinality().is_some_and(|values| values <= MAX_QUERIES);
    let every = attributes.entries().filter(|(_, each)| few(each)).map(|(id, _)| id);
    ways.extend(every.map(|id| (vec![first], Some(id))));
    for (binds, every) in ways {
        // A child that was written a moment ago must be found, so the read is strong wherever the way allows it.
        for strong in [true, false] {
            let pattern = Pattern { strong, ..finding(program, child, &binds, every) };
            let plan = of_pattern(program, &pattern).and_then(|choice| choice.plan);
            if let Some(plan) = plan.filter(|plan| plan.omits.is_empty()) {
                let finding = Some(Finding { pattern, plan });
                return Sweep { child, attribute: first.0, binds, finding };
            }
        }
    }
    Sweep { child, attribute: first.0, binds: vec![first], finding: None }
}

/// The pattern that finds all children of one parent.
fn finding(
    program: &Program,
    child: EntityId,
    binds: &[(AttributeId, AttributeId)],
    every: Option<AttributeId>,
) -> Pattern {
    let of = &program.entities[child];
    let names: Vec<&str> = binds.iter().map(|(id, _)| &*of.attributes[*id].name).collect();
    let parameter = |(at, (id, _)): (usize, &(AttributeId, AttributeId))| Parameter {
        name: Arc::clone(&of.attributes[*id].name),
        ty: Arc::clone(&of.attributes[*id].ty),
        optional: false,
        of_caller: None,
        attribute: Some((child, *id)),
        default: None,
        local: LocalId::new(at),
        declared: false,
        span: of.attributes[*id].span,
    };
    let parameters: Arena<_, _> = binds.iter().enumerate().map(parameter).collect();
    let given = binds.iter().enumerate().map(|(at, (id, _))| Bind {
        to: Bound::Attribute(*id),
        value: BindValue::Parameter(LocalId::new(at)),
    });
    let all = every.map(|id| Bind { to: Bound::Attribute(id), value: BindValue::All });
    Pattern {
        name: format!("sweep {} by {}", of.name, names.join(", ")).into(),
        system: true,
        locals: binds.len(),
        signature: Signature { parameters, yields: Yields::Items(vec![child]) },
        verb: ReadVerb::List,
        entities: vec![child],
        summed: Vec::new(),
        binds: given.chain(all).collect(),
        conditions: Vec::new(),
        sieve: vec![Vec::new()],
        filters: Vec::new(),
        order: None,
        page: None,
        limit: None,
        all: true,
        strong: false,
        via: None,
        select: None,
        select_names: None,
        then: None,
        with_expired: false,
        with_deleted: false,
        requires: None,
        load: None,
        docs: None,
    }
}
