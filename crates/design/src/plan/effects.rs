//! What a write changes besides what it names: derived attributes, keys of indexes, guards; and what it must know of
//! the item before it can.

use super::cost::write_units;
use crate::facts::{Membership, key_attributes, membership, settable, settles, source};
use crate::model::*;
use crate::size::typical_bytes;

/// The effects of one action.
#[derive(Clone, Debug, Default)]
pub struct Effects<'a> {
    /// The stored attributes that may change, derived ones and templates included.
    pub touched: Vec<&'a str>,
    /// The unique clauses whose guards move.
    pub guards: Vec<&'a Unique>,
    /// What must be read first, because it decides a derived value or names an old guard.
    pub read_back: Vec<&'a str>,
    /// Write units of the indexes.
    pub index_units: u64,
}

/// What an action of an operation does to its item.
pub fn effects<'a>(design: &'a Design, operation: &'a Operation, action: &'a Action) -> Effects<'a> {
    let Some(entity) = design.entity(&action.entity.text).filter(|_| action.verb.writes()) else {
        return Effects::default();
    };
    let given = settable(design, operation, action);
    let touched = touched(entity, action, &given);
    let guards = guards(entity, action, &touched);
    let read_back = read_back(design, entity, action, &given, &touched, &guards);
    let index_units = index_units(design, entity, action, &touched);
    Effects { touched, guards, read_back, index_units }
}

/// Whether an action makes or removes the item as a whole.
fn is_whole(action: &Action) -> bool {
    matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Delete | WriteVerb::Purge)
}

fn touched<'a>(entity: &'a Entity, action: &Action, given: &[&'a str]) -> Vec<&'a str> {
    if is_whole(action) {
        let templates = entity.templates.iter().map(|each| each.name.text.as_str());
        let stored = entity.attributes.iter().filter(|each| each.is_stored());
        return stored.map(|each| each.name.text.as_str()).chain(templates).collect();
    }
    let mut touched: Vec<&str> = given.to_vec();
    for states in &entity.states {
        if states.path.first().is_some_and(|name| touched.contains(&name.text.as_str())) {
            let fields = states.enters.iter().flat_map(|enter| &enter.fields.fields);
            touched.extend(fields.filter_map(|field| Some(field.path.first()?.text.as_str())));
        }
    }
    // One derived attribute may feed the next; a chain is at most as long as the list.
    for _ in 0..=entity.attributes.len() {
        let before = touched.len();
        for attribute in entity.attributes.iter().filter(|each| each.is_derived()) {
            let name = attribute.name.text.as_str();
            if !touched.contains(&name) && follows(entity, attribute, &touched) {
                touched.push(name);
            }
        }
        if touched.len() == before {
            break;
        }
    }
    for template in &entity.templates {
        let slots = template.slots().map(|slot| slot.text.as_str());
        let whens = template.when.iter().flat_map(Expr::names);
        if slots.chain(whens).any(|name| touched.contains(&name)) {
            touched.push(&template.name.text);
        }
    }
    touched.sort_unstable();
    touched.dedup();
    touched
}

/// Whether a derived attribute changes with what is touched: by its inputs, or with the time of every write.
fn follows(entity: &Entity, attribute: &Attribute, touched: &[&str]) -> bool {
    let value = attribute.value.iter().flat_map(|fill| fill.value.names());
    let names: Vec<&str> = value.chain(attribute.when.iter().flat_map(Expr::names)).collect();
    let stamp = names.contains(&"now") && !attribute.has("immutable");
    stamp || names.iter().any(|name| entity.attribute(name).is_some() && touched.contains(name))
}

fn guards<'a>(entity: &'a Entity, action: &Action, touched: &[&str]) -> Vec<&'a Unique> {
    let moved = |unique: &&Unique| {
        let whens = unique.when.iter().flat_map(Expr::names);
        let names = unique.names.iter().map(|name| name.text.as_str());
        is_whole(action) || names.chain(whens).any(|name| touched.contains(&name))
    };
    // A soft delete keeps the item and so its guards.
    let keeps = action.verb == WriteVerb::Delete && entity.deleted.is_some();
    entity.uniques.iter().filter(|unique| unique.via.is_none() && !keeps).filter(moved).collect()
}

fn read_back<'a>(
    design: &'a Design,
    entity: &'a Entity,
    action: &Action,
    given: &[&'a str],
    touched: &[&'a str],
    guards: &[&'a Unique],
) -> Vec<&'a str> {
    if matches!(action.verb, WriteVerb::Create | WriteVerb::Put) {
        return Vec::new();
    }
    let mut needed: Vec<&str> = Vec::new();
    // The old guard bears the old value.
    for unique in guards {
        needed.extend(unique.names.iter().map(|name| name.text.as_str()));
        needed.extend(unique.when.iter().flat_map(Expr::names));
    }
    let keys = key_attributes(design, entity);
    needed.retain(|name| !keys.contains(name) && entity.attribute(name).is_some());
    if matches!(action.verb, WriteVerb::Update | WriteVerb::Upsert) {
        let counted = |name: &&str| {
            let moves = |field: &&Field| field.path.first().is_some_and(|path| path.is(name));
            action.fields.fields.iter().filter(moves).any(|field| field.op != FieldOp::Set)
        };
        let mut known: Vec<&str> = given.iter().copied().filter(|name| !counted(name)).collect();
        known.extend(keys);
        // A stamp is the time of this write, whatever it was before.
        let fresh = |each: &&Attribute| {
            each.is_derived()
                && inputs(entity, &each.name.text).iter().all(|name| entity.attribute(name).is_none())
        };
        known.extend(entity.attributes.iter().filter(fresh).map(|each| each.name.text.as_str()));
        // What a state's entry writes is known as well.
        let enters = entity.states.iter().flat_map(|states| &states.enters);
        known.extend(
            enters
                .flat_map(|enter| &enter.fields.fields)
                .filter_map(|field| Some(field.path.first()?.text.as_str())),
        );
        for name in touched {
            let inputs = inputs(entity, name).into_iter().filter(|input| entity.attribute(input).is_some());
            needed.extend(inputs.filter(|input| !settles(entity, &known, input)));
        }
    }
    needed.sort_unstable();
    needed.dedup();
    needed
}

/// What a derived attribute or a template is made of.
fn inputs<'a>(entity: &'a Entity, name: &str) -> Vec<&'a str> {
    if let Some(template) = entity.template(name) {
        let slots = template.slots().map(|slot| slot.text.as_str());
        return slots.chain(template.when.iter().flat_map(Expr::names)).collect();
    }
    match entity.attribute(name) {
        Some(attribute) if attribute.is_derived() => {
            let value = attribute.value.iter().flat_map(|fill| fill.value.names());
            let whens = attribute.when.iter().flat_map(Expr::names);
            // What is never stored cannot be read back: without it the attribute stays as it is.
            let stored = |name: &&str| entity.attribute(name).is_none_or(Attribute::is_stored);
            value.chain(whens).filter(stored).collect()
        }
        _ => Vec::new(),
    }
}

/// Units of the indexes: an entry is written, removed, rewritten, or moved (which is two writes), or left alone.
fn index_units(design: &Design, entity: &Entity, action: &Action, touched: &[&str]) -> u64 {
    let Some(table) = design.table_of(entity) else {
        return 0;
    };
    let whole = write_units(typical_bytes(design, entity));
    let soft = action.verb == WriteVerb::Delete && entity.deleted.is_some();
    let held = |index: &&Index| !matches!(membership(entity, &index.key), Membership::Never(_));
    let mut units = 0;
    for index in table.indexes.iter().filter(held) {
        let entry = match &index.projection {
            Some(Projection::Keys) => 1,
            _ => whole,
        };
        let moves = index.key.attributes().any(|name| {
            touched.contains(&name.text.as_str())
                || source(entity, &name.text)
                    .is_some_and(|each| each.slots().iter().any(|slot| touched.contains(slot)))
        });
        let rewritten = match &index.projection {
            Some(Projection::Keys) => false,
            Some(Projection::Include(names)) => {
                names.iter().any(|name| touched.contains(&name.text.as_str()))
            }
            None | Some(Projection::All) => !touched.is_empty(),
        };
        units += match action.verb {
            _ if is_whole(action) && !soft => entry,
            _ if moves => 2 * entry,
            _ if rewritten => entry,
            _ => 0,
        };
    }
    units
}
