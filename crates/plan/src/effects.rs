//! What a write changes besides what it names: derived attributes, templates, entries of indexes, guards; and what must be
//! known of the item before it can be written.
//!
//! This is the one answer to that question. A plan asks it with everything that an action may give; a call that runs asks
//! it with what it really gives.

use sortkey_design::model::WriteVerb;
use sortkey_design::program::{
    Attribute, AttributeId, Entity, EntityId, Expr, FilledKey, Program, Source, TemplateId, UniqueId,
};

use crate::AttributeSet;
use crate::facts::{Membership, membership, settles, slots};
use crate::request::{Arm, EntryChange, entry_bytes};

/// What a write gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// What is done.
    pub verb: WriteVerb,
    /// Attributes that are set as a whole, to values that are in hand.
    pub sets: AttributeSet,
    /// Attributes that are changed from what they are: counted, added to, taken from, or written inside.
    pub moves: AttributeSet,
    /// Attributes that the key tells.
    pub known: AttributeSet,
}

/// What a write changes besides what it names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// All attributes that may change, those that the write names included.
    pub touched: AttributeSet,
    /// The attributes that are computed anew, or whose `when` is decided anew, each behind those that it depends on.
    pub recomputes: Vec<AttributeId>,
    /// The templates whose text is made anew.
    pub templates: Vec<TemplateId>,
    /// The checks that speak of something that changes, by their places.
    pub checks: Vec<usize>,
    /// The unique clauses whose guards move.
    pub guards: Vec<UniqueId>,
    /// The indexes that it can touch.
    pub arms: Vec<Arm>,
    /// Attributes of the stored item that must be read first: they decide a derived value, or name an old guard.
    pub needs: AttributeSet,
    /// Everything that decides what is computed. A write that was prepared with the item in hand holds only while these
    /// are what they were.
    pub consults: AttributeSet,
}

/// What a write of an entity does besides.
pub fn effects(program: &Program, entity: EntityId, change: &Change) -> Effects {
    let of = &program.entities[entity];
    let writing = Writing { of, change };
    let mut effects = match change.changes(of) {
        true => writing.touched(),
        false => writing.everything(),
    };
    effects.checks = writing.checks(&effects.touched);
    effects.guards = writing.guards(&effects.touched);
    effects.arms = arms(program, entity, change, &effects);
    writing.read_back(&mut effects);
    effects
}

impl Change {
    /// Whether the item stays and is marked as deleted.
    pub fn is_soft(&self, entity: &Entity) -> bool {
        self.verb == WriteVerb::Delete && entity.deleted.is_some()
    }

    /// Whether it changes an item that is there.
    pub fn changes(&self, entity: &Entity) -> bool {
        self.is_soft(entity) || matches!(self.verb, WriteVerb::Update | WriteVerb::Upsert)
    }
}

struct Writing<'a> {
    of: &'a Entity,
    change: &'a Change,
}

impl Writing<'_> {
    /// A whole item comes or goes.
    fn everything(&self) -> Effects {
        let stored = self.of.attributes.entries().filter(|(_, each)| each.is_stored());
        Effects {
            touched: stored.map(|(id, _)| id).collect(),
            templates: self.of.templates.ids().collect(),
            ..Effects::default()
        }
    }

    fn touched(&self) -> Effects {
        let mut touched = self.change.sets.clone();
        touched.join(&self.change.moves);
        let given = touched.clone();
        let mut follow = AttributeSet::new();
        // One derived attribute may feed the next; a chain is at most as long as the list.
        for _ in 0..=self.of.attributes.len() {
            let next = self.of.attributes.entries().find(|(id, each)| {
                let is_open = each.when.is_some() || !given.contains(*id);
                !follow.contains(*id) && is_open && each.is_stored() && follows(each, &touched)
            });
            let Some((next, _)) = next else { break };
            follow.insert(next);
            touched.insert(next);
        }
        let is_touched = |template: TemplateId| {
            let template = &self.of.templates[template];
            let whens = template.when.iter().flat_map(Expr::attributes);
            template.slots().chain(whens).any(|id| touched.contains(id))
        };
        let templates = self.of.templates.ids().filter(|id| is_touched(*id)).collect();
        Effects { recomputes: self.in_order(&follow), templates, touched, ..Effects::default() }
    }

    /// Attributes, each behind those that it depends on; what depends on itself keeps the order of the design.
    fn in_order(&self, all: &AttributeSet) -> Vec<AttributeId> {
        let (mut found, mut left) = (Vec::new(), all.clone());
        while !left.is_empty() {
            let is_ready = |id: &AttributeId| {
                let inputs: AttributeSet =
                    inputs(self.of, *id).into_iter().filter(|input| input != id).collect();
                !inputs.intersects(&left)
            };
            let Some(next) = left.iter().find(is_ready).or_else(|| left.iter().next()) else { break };
            found.push(next);
            left = left.without(&AttributeSet::from_iter([next]));
        }
        found
    }

    fn checks(&self, touched: &AttributeSet) -> Vec<usize> {
        let checks = self.of.checks.iter().enumerate();
        let concerned = |condition: &Expr| condition.attributes().into_iter().any(|id| touched.contains(id));
        checks.filter(|(_, check)| concerned(&check.condition)).map(|(at, _)| at).collect()
    }

    fn guards(&self, touched: &AttributeSet) -> Vec<UniqueId> {
        // What counts as deleted has its unique values free again, and guards expire with their owners.
        let lives = self.of.deleted.iter().flat_map(Expr::attributes).chain(self.of.ttl);
        let all = !self.change.changes(self.of)
            || self.change.is_soft(self.of)
            || lives.into_iter().any(|id| touched.contains(id));
        let moved = |unique: &UniqueId| all || guard_inputs(self.of, *unique).intersects(touched);
        self.of.uniques.ids().filter(moved).collect()
    }

    /// What the write must know of the item as it is.
    fn read_back(&self, effects: &mut Effects) {
        for unique in &effects.guards {
            effects.consults.join(&guard_inputs(self.of, *unique));
        }
        if self.change.verb == WriteVerb::Create {
            return;
        }
        // The old guard bears the old value.
        effects.needs.join(&effects.consults);
        if !self.change.changes(self.of) {
            return;
        }
        let mut known = self.change.known.clone();
        known.join(&self.change.sets);
        // A stamp is the time of this write, whatever it was before.
        let fresh = |each: &Attribute| {
            each.fill.as_ref().is_some_and(|fill| fill.derived && fill.value.attributes().is_empty())
        };
        known.extend(self.of.attributes.entries().filter(|(_, each)| fresh(each)).map(|(id, _)| id));
        let mut consulted = AttributeSet::new();
        for id in effects.touched.iter() {
            consulted.extend(inputs(self.of, id));
        }
        for template in &effects.templates {
            let template = &self.of.templates[*template];
            consulted.extend(template.slots());
            consulted.extend(template.when.iter().flat_map(Expr::attributes));
        }
        effects.needs.extend(consulted.iter().filter(|input| !settles(self.of, &known, *input)));
        effects.consults.join(&consulted);
    }
}

/// The indexes that a write can touch: an entry comes, goes, changes in place or moves.
fn arms(program: &Program, entity: EntityId, change: &Change, effects: &Effects) -> Vec<Arm> {
    let of = &program.entities[entity];
    let Some(table) = of.table else {
        return Vec::new();
    };
    let changes = change.changes(of);
    let is_touched = |source: Source| match source {
        Source::Attribute(id) => effects.touched.contains(id),
        Source::Template(id) => {
            effects.templates.contains(&id)
                || slots(of, source).into_iter().any(|slot| effects.touched.contains(slot))
        }
    };
    let held = |key: &FilledKey| !matches!(membership(of, key), Membership::Never(_));
    let mut arms = Vec::new();
    for ((index, declared), key) in program.tables[table].indexes.entries().zip(&of.indexes) {
        let moves = key.parts().filter_map(|part| part.source).any(is_touched);
        let rewritten = match &key.copies {
            Some(copies) => copies.iter().copied().any(is_touched),
            None => !effects.touched.is_empty(),
        };
        let change = match change.verb {
            _ if !held(key) => continue,
            _ if !changes || moves => EntryChange::Moved,
            _ if rewritten => EntryChange::InPlace,
            WriteVerb::Upsert => EntryChange::Born,
            _ => continue,
        };
        arms.push(Arm { index, change, bytes: entry_bytes(declared, of.volume.bytes) });
    }
    arms
}

/// Whether an attribute changes with what is touched: by its inputs, by its `when`, or with the time of every write.
fn follows(attribute: &Attribute, touched: &AttributeSet) -> bool {
    let concerned = |expr: &Expr| expr.attributes().into_iter().any(|id| touched.contains(id));
    let by_when = attribute.when.as_ref().is_some_and(concerned);
    match attribute.fill.as_ref().filter(|fill| fill.derived) {
        None => by_when,
        Some(fill) => {
            let is_stamp = |expr: &Expr| expr.depends_on_time() && !attribute.flags.immutable;
            let stamped = is_stamp(&fill.value) || attribute.when.as_ref().is_some_and(is_stamp);
            stamped || by_when || concerned(&fill.value)
        }
    }
}

/// What a derived or conditional attribute is made of. What is never stored cannot be read back: without it the attribute
/// stays as it is.
fn inputs(entity: &Entity, id: AttributeId) -> Vec<AttributeId> {
    let attribute = &entity.attributes[id];
    let fill = attribute.fill.as_ref().filter(|fill| fill.derived).map(|fill| &fill.value);
    let all = fill.into_iter().chain(&attribute.when).flat_map(Expr::attributes);
    all.filter(|input| entity.attributes[*input].is_stored()).collect()
}

/// What decides whether an item has a guard, and which.
fn guard_inputs(entity: &Entity, unique: UniqueId) -> AttributeSet {
    let unique = &entity.uniques[unique];
    unique.attributes.iter().copied().chain(unique.when.iter().flat_map(Expr::attributes)).collect()
}
