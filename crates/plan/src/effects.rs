//! The consequences of a write: the derived attributes, templates and guards that change with it, and the attributes of
//! the stored item that must be read first.
//!
//! This is the only place that determines them. A plan passes everything that an action may give; a running call passes
//! the values it has, and carries out the result.

mod arms;

pub use arms::arms;

use sortkey_design::model::{FieldOp, WriteVerb};
use sortkey_design::program::{
    AliasPiece, Attribute, AttributeId, Entity, EntityId, Expr, Program, TemplateId, Type, UniqueId,
};

use crate::AttributeSet;
use crate::facts::settles;

/// The values that a write gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// The kind of write.
    pub verb: WriteVerb,
    /// Attributes that are set as a whole.
    pub sets: AttributeSet,
    /// Attributes whose change depends on the old value: counted, added to, taken from, or written inside.
    pub moves: AttributeSet,
    /// Attributes that the key determines.
    pub known: AttributeSet,
    /// Of those that are set or moved: the ones whose new value is computed from the item.
    pub computed: AttributeSet,
    /// The attributes of the item that those values are computed from.
    pub asks: AttributeSet,
    /// Attributes that something is written inside of.
    pub within: AttributeSet,
    /// Attributes that are reduced: numbers that are counted down, sets that lose members.
    pub takes: AttributeSet,
}

/// The consequences of a write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// All attributes that may change, those that the write names included.
    pub touched: AttributeSet,
    /// The attributes that are computed anew, or whose `when` is decided anew, each behind those that it depends on.
    pub recomputes: Vec<AttributeId>,
    /// The templates whose text is made anew.
    pub templates: Vec<TemplateId>,
    /// The checks that mention an attribute that changes, by their places.
    pub checks: Vec<usize>,
    /// The unique clauses whose guards move.
    pub guards: Vec<UniqueId>,
    /// Attributes of the stored item that must be read first: they decide a value that is not given, or name an old
    /// guard. The item is read before it is written if there are any.
    pub needs: AttributeSet,
    /// The inputs of all computed values.
    /// A write that was prepared from the item is valid only while these are unchanged.
    pub consults: AttributeSet,
}

/// The consequences of a write of an entity.
pub fn effects(program: &Program, entity: EntityId, change: &Change) -> Effects {
    let of = &program.entities[entity];
    let writing = Writing { of, change };
    let mut effects = match change.changes(of) {
        true => writing.touched(),
        false => writing.everything(),
    };
    effects.checks = writing.checks(&effects.touched);
    effects.guards = writing.guards(&effects.touched);
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

    /// Adds one field: whether it is written inside the attribute, how it changes, and the value if the item takes part
    /// in it.
    pub fn add(&mut self, attribute: AttributeId, inside: bool, op: FieldOp, of_item: Option<&Expr>) {
        match !inside && op == FieldOp::Set {
            true => self.sets.insert(attribute),
            false => self.moves.insert(attribute),
        }
        if inside {
            self.within.insert(attribute);
        } else if op == FieldOp::Subtract {
            self.takes.insert(attribute);
        }
        if let Some(value) = of_item {
            let asks = value.attributes();
            // A value that uses the item as a whole depends at least on the attribute it changes.
            self.asks.extend(if asks.is_empty() { vec![attribute] } else { asks });
            self.computed.insert(attribute);
        }
    }

    /// Everything that is set or moved.
    pub fn given(&self) -> AttributeSet {
        let mut given = self.sets.clone();
        given.join(&self.moves);
        given
    }
}

struct Writing<'a> {
    of: &'a Entity,
    change: &'a Change,
}

impl Writing<'_> {
    /// The consequences of creating or deleting a whole item.
    fn everything(&self) -> Effects {
        let stored = self.of.attributes.entries().filter(|(_, each)| each.is_stored());
        Effects {
            touched: stored.map(|(id, _)| id).collect(),
            templates: self.of.templates.ids().collect(),
            ..Effects::default()
        }
    }

    fn touched(&self) -> Effects {
        let given = self.change.given();
        let mut touched = given.clone();
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

    /// Attributes in topological order; those that depend on themselves keep the order of the design.
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
        let concerned = |condition: &Expr| {
            self.of.attributes.deciding(condition).into_iter().any(|id| touched.contains(id))
        };
        checks.filter(|(_, check)| concerned(&check.condition)).map(|(at, _)| at).collect()
    }

    fn guards(&self, touched: &AttributeSet) -> Vec<UniqueId> {
        if self.of.uniques.is_empty() {
            return Vec::new();
        }
        // An item that counts as deleted releases its unique values, and guards expire with their owners.
        let all =
            !self.change.changes(self.of) || self.change.is_soft(self.of) || self.lives().intersects(touched);
        let moved = |unique: &UniqueId| all || guard_inputs(self.of, *unique).intersects(touched);
        self.of.uniques.ids().filter(moved).collect()
    }

    /// The attributes that decide whether an item is live, and until when.
    fn lives(&self) -> AttributeSet {
        self.of.deleted.iter().flat_map(Expr::attributes).chain(self.of.ttl).collect()
    }

    /// Adds the attributes of the stored item that the write depends on.
    fn read_back(&self, effects: &mut Effects) {
        for unique in &effects.guards {
            effects.consults.join(&guard_inputs(self.of, *unique));
        }
        if self.change.verb == WriteVerb::Create {
            return;
        }
        // The old guard has the old value, and belongs to the item only while the item is live.
        effects.needs.join(&effects.consults);
        if !effects.guards.is_empty() {
            effects.consults.join(&self.lives());
        }
        if !self.change.changes(self.of) {
            return;
        }
        let mut known = self.change.known.clone();
        known.join(&self.change.sets.without(&self.change.computed));
        // A timestamp is the time of this write, whatever it was before.
        let is_stamp = |id: &AttributeId| {
            let fill = self.of.attributes[*id].fill.as_ref();
            fill.is_some_and(|fill| fill.derived && fill.value.attributes().is_empty())
        };
        known.extend(effects.recomputes.iter().copied().filter(is_stamp));
        let mut consulted = AttributeSet::new();
        for id in effects.touched.iter() {
            consulted.extend(inputs(self.of, id));
        }
        for template in &effects.templates {
            let template = &self.of.templates[*template];
            consulted.extend(template.slots());
            consulted.extend(template.when.iter().flat_map(Expr::attributes));
        }
        consulted.extend(self.change.given().iter().flat_map(|id| sealed_under(self.of, id)));
        effects.needs.extend(consulted.iter().filter(|input| !settles(self.of, &known, *input)));
        effects.consults.join(&consulted);
        let must_see = self.must_see(effects);
        effects.needs.join(&must_see);
        effects.consults.join(&must_see);
        for check in &effects.checks {
            effects.consults.extend(self.of.attributes.deciding(&self.of.checks[*check].condition));
        }
    }

    /// The attributes that must be read in any case, since DynamoDB cannot decide or compute their part by itself.
    fn must_see(&self, effects: &Effects) -> AttributeSet {
        let change = self.change;
        // A value that the item takes part in is computed from the item.
        let mut seen = change.asks.clone();
        // JSON text is written anew as a whole.
        let is_json = |id: &AttributeId| matches!(*self.of.attributes[*id].ty, Type::Json { .. });
        seen.extend(change.within.iter().filter(is_json));
        // No item may lack a set that is not optional, so its last member stays.
        let stays = |id: &AttributeId| {
            let attribute = &self.of.attributes[*id];
            matches!(*attribute.ty, Type::Set { .. }) && !attribute.optional
        };
        seen.extend(change.takes.iter().filter(stays));
        // Counting begins at the default of a missing number, which may depend on the item.
        let begins = |id: &AttributeId| {
            let fill = self.of.attributes[*id].fill.as_ref().filter(|fill| !fill.derived);
            fill.is_some_and(|fill| fill.value.concerns_item())
        };
        seen.extend(change.moves.iter().filter(begins));
        // A check on a number that is counted must see the number.
        for check in &effects.checks {
            let spoken_of: AttributeSet = {
                let condition = &self.of.checks[*check].condition;
                self.of.attributes.deciding(condition).into_iter().collect()
            };
            if spoken_of.intersects(&change.moves) {
                seen.join(&spoken_of);
            }
        }
        seen
    }
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

/// The inputs of a derived or conditional attribute. An input that is never stored cannot be read back: without it the
/// attribute stays as it is.
fn inputs(entity: &Entity, id: AttributeId) -> Vec<AttributeId> {
    let attribute = &entity.attributes[id];
    let fill = attribute.fill.as_ref().filter(|fill| fill.derived).map(|fill| &fill.value);
    let all = fill.into_iter().chain(&attribute.when).flat_map(Expr::attributes);
    all.filter(|input| entity.attributes[*input].is_stored()).collect()
}

/// The attributes that decide whether an item has a guard, and which.
fn guard_inputs(entity: &Entity, unique: UniqueId) -> AttributeSet {
    let unique = &entity.uniques[unique];
    unique.attributes.iter().copied().chain(unique.when.iter().flat_map(Expr::attributes)).collect()
}

/// The attributes that name the key under which an attribute is sealed.
fn sealed_under(entity: &Entity, id: AttributeId) -> Vec<AttributeId> {
    let pieces = entity.attributes[id].encrypted.iter().flatten();
    let slots = pieces.filter_map(|piece| match piece {
        AliasPiece::Slot(slot) => Some(*slot),
        AliasPiece::Literal(_) => None,
    });
    slots.collect()
}
