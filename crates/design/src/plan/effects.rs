//! What a write changes besides what it names: derived attributes, keys of indexes, guards; and what it must know of
//! the item before it can.

use super::deed::Deed;
use super::request::{Arm, Change, entry_bytes};
use crate::facts::{Membership, key_attributes, membership, settles, source};
use crate::model::*;
use crate::size::typical_bytes;

/// The effects of one action.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects<'a> {
    /// The unique clauses whose guards move.
    pub(super) guards: Vec<&'a Unique>,
    /// What must be read first, because it decides a derived value or names an old guard.
    pub(super) read_back: Vec<&'a str>,
    /// Whether it is read whatever the arguments are.
    pub(super) reads: bool,
    /// The indexes that it can touch.
    pub(super) arms: Vec<Arm<'a>>,
}

impl<'a> Deed<'a> {
    /// What it does besides.
    pub(super) fn effects(&self, design: &'a Design) -> Effects<'a> {
        let touched = self.touched();
        let guards = self.guards(design, &touched);
        let (mut read_back, mut reads) = (self.read_back(design, &touched, &guards), self.is_certain);
        reads &= !read_back.is_empty();
        read_back.extend(&self.doubts);
        read_back.sort_unstable();
        read_back.dedup();
        // What the key tells is only mentioned if it is all there is.
        let keys = key_attributes(design, self.entity);
        if read_back.iter().any(|name| !keys.contains(name)) {
            read_back.retain(|name| !keys.contains(name));
        }
        Effects { read_back, reads, arms: self.arms(design, &touched), guards }
    }

    fn touched(&self) -> Vec<&'a str> {
        let entity = self.entity;
        if !self.changes() {
            let templates = entity.templates.iter().map(|each| each.name.text.as_str());
            let stored = entity.attributes.iter().filter(|each| each.is_stored());
            return stored.map(|each| each.name.text.as_str()).chain(templates).collect();
        }
        let mut touched = self.given.clone();
        touched.extend(&self.entered);
        // One derived attribute may feed the next; a chain is at most as long as the list.
        for _ in 0..=entity.attributes.len() {
            let before = touched.len();
            for attribute in &entity.attributes {
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

    fn guards(&self, design: &'a Design, touched: &[&str]) -> Vec<&'a Unique> {
        // What counts as deleted has its unique values free again, and guards expire with their owners.
        let ttl = design.table_of(self.entity).and_then(|table| table.ttl.as_ref());
        let rules = self.entity.deleted.iter().flat_map(Expr::names);
        let lives = rules.chain(ttl.map(|name| name.text.as_str())).any(|name| touched.contains(&name));
        let all = !self.changes() || self.is_soft() || lives;
        let moved = |unique: &&Unique| {
            let whens = unique.when.iter().flat_map(Expr::names);
            let names = unique.names.iter().map(|name| name.text.as_str());
            all || names.chain(whens).any(|name| touched.contains(&name))
        };
        self.entity.uniques.iter().filter(|unique| unique.via.is_none()).filter(moved).collect()
    }

    fn read_back(&self, design: &'a Design, touched: &[&'a str], guards: &[&'a Unique]) -> Vec<&'a str> {
        let entity = self.entity;
        let mut needed: Vec<&str> = Vec::new();
        if self.verb == WriteVerb::Create {
            return needed;
        }
        // The old guard bears the old value.
        for unique in guards {
            needed.extend(unique.names.iter().map(|name| name.text.as_str()));
            needed.extend(unique.when.iter().flat_map(Expr::names));
        }
        needed.retain(|name| entity.attribute(name).is_some());
        if self.changes() {
            let keys = key_attributes(design, entity);
            let mut known: Vec<&str> =
                self.given.iter().copied().filter(|name| !self.counted.contains(name)).collect();
            known.extend(keys);
            // A stamp is the time of this write, whatever it was before.
            let fresh = |each: &&Attribute| {
                each.is_derived()
                    && inputs(entity, &each.name.text).iter().all(|name| entity.attribute(name).is_none())
            };
            known.extend(entity.attributes.iter().filter(fresh).map(|each| each.name.text.as_str()));
            known.extend(&self.entered);
            for name in touched {
                let inputs =
                    inputs(entity, name).into_iter().filter(|input| entity.attribute(input).is_some());
                needed.extend(inputs.filter(|input| !settles(entity, &known, input)));
            }
        }
        needed
    }

    /// The indexes that the write can touch: an entry comes, goes, changes in place or moves.
    fn arms(&self, design: &'a Design, touched: &[&str]) -> Vec<Arm<'a>> {
        let Some(table) = design.table_of(self.entity) else {
            return Vec::new();
        };
        let bytes = typical_bytes(design, self.entity);
        let held = |index: &&Index| !matches!(membership(self.entity, &index.key), Membership::Never(_));
        let mut arms = Vec::new();
        for index in table.indexes.iter().filter(held) {
            let moves = index.key.attributes().any(|name| {
                touched.contains(&name.text.as_str())
                    || source(self.entity, &name.text)
                        .is_some_and(|each| each.slots().iter().any(|slot| touched.contains(slot)))
            });
            let rewritten = match &index.projection {
                Some(Projection::Keys) => false,
                Some(Projection::Include(names)) => {
                    names.iter().any(|name| touched.contains(&name.text.as_str()))
                }
                None | Some(Projection::All) => !touched.is_empty(),
            };
            let change = match self.verb {
                _ if !self.changes() || moves => Change::Moved,
                _ if rewritten => Change::InPlace,
                WriteVerb::Upsert => Change::Born,
                _ => continue,
            };
            arms.push(Arm { index, change, bytes: entry_bytes(index, bytes) });
        }
        arms
    }
}

/// Whether an attribute changes with what is touched: by its inputs, by its `when`, or with the time of every write.
fn follows(entity: &Entity, attribute: &Attribute, touched: &[&str]) -> bool {
    let whens = attribute.when.iter().flat_map(Expr::names);
    let own = |name: &&str| entity.attribute(name).is_some() && touched.contains(name);
    if !attribute.is_derived() {
        return whens.into_iter().any(|name| own(&name));
    }
    let value = attribute.value.iter().flat_map(|fill| fill.value.names());
    let names: Vec<&str> = value.chain(whens).collect();
    let stamp = names.contains(&"now") && !attribute.has("immutable");
    stamp || names.iter().any(own)
}

/// What a derived attribute, a conditional one or a template is made of.
fn inputs<'a>(entity: &'a Entity, name: &str) -> Vec<&'a str> {
    if let Some(template) = entity.template(name) {
        let slots = template.slots().map(|slot| slot.text.as_str());
        return slots.chain(template.when.iter().flat_map(Expr::names)).collect();
    }
    let Some(attribute) = entity.attribute(name) else {
        return Vec::new();
    };
    let value = attribute.value.iter().filter(|fill| fill.derived).flat_map(|fill| fill.value.names());
    // What is never stored cannot be read back: without it the attribute stays as it is.
    let stored = |name: &&str| entity.attribute(name).is_none_or(Attribute::is_stored);
    value.chain(attribute.when.iter().flat_map(Expr::names)).filter(stored).collect()
}
