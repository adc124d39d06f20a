//! What a write changes besides what it names: derived attributes, keys of indexes, guards; and what it must know of
//! the item before it can.

use super::request::{Arm, Change, entry_bytes};
use crate::facts::{Membership, key_attributes, membership, settable, settles, source};
use crate::model::*;
use crate::size::typical_bytes;

/// What an action does to its item, as far as the text of the design tells.
#[derive(Clone, Debug)]
pub(super) struct Deed<'a> {
    pub(super) entity: &'a Entity,
    pub(super) verb: WriteVerb,
    /// The attributes that it may set.
    given: Vec<&'a str>,
    /// Those that it counts up or down.
    counted: Vec<&'a str>,
    /// What is written on entering the states that it may set.
    entered: Vec<&'a str>,
    /// Whether all of the above surely happens.
    is_certain: bool,
    /// Why the item must perhaps be read, whatever is set: a condition that DynamoDB may be unable to express.
    doubts: Vec<&'a str>,
}

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
    /// What an action of an operation does. `named` are the names that stand for something else than the item.
    pub(super) fn of(
        design: &'a Design,
        operation: &'a Operation,
        entity: &'a Entity,
        action: &'a Action,
        named: &[&str],
    ) -> Deed<'a> {
        let fields = &action.fields.fields;
        let first = |field: &'a Field| field.path.first().map(|name| name.text.as_str());
        let counted = fields.iter().filter(|field| field.op != FieldOp::Set).filter_map(first);
        let given = settable(design, operation, action);
        let mut doubts: Vec<&str> = Vec::new();
        if !matches!(action.verb, WriteVerb::Create | WriteVerb::Put) {
            let condition = action.condition.iter();
            doubts.extend(condition.flat_map(|condition| doubtful(design, entity, named, condition)));
        }
        if matches!(action.verb, WriteVerb::Update | WriteVerb::Upsert) {
            let of_item = fields.iter().filter(|field| concerns(entity, named, &field.value));
            doubts.extend(of_item.flat_map(|field| field.value.names()));
            doubts.extend(fields.iter().filter_map(|field| within_json(design, entity, field)));
            doubts.extend(given.iter().flat_map(|name| sealed_under(entity, name)));
        }
        let whole = !matches!(action.verb, WriteVerb::Update | WriteVerb::Upsert);
        let is_certain = whole || (operation.short.is_none() && action.fields.spreads.is_empty());
        let counted = counted.collect();
        let entered = Vec::new();
        let mut deed = Deed { entity, verb: action.verb, given, counted, entered, is_certain, doubts };
        for states in &entity.states {
            deed.enter(states, action, named);
        }
        deed.completed(design)
    }

    /// The deletion of a child with its parent.
    pub(super) fn deletion(design: &'a Design, entity: &'a Entity) -> Deed<'a> {
        let (given, counted, entered, doubts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let verb = WriteVerb::Delete;
        Deed { entity, verb, given, counted, entered, is_certain: true, doubts }.completed(design)
    }

    /// Adds what is written on entering the state that an action sets; if the text does not tell which, that of any.
    fn enter(&mut self, states: &'a States, action: &Action, named: &[&str]) {
        let first = states.path.first().map(|name| name.text.as_str());
        if !first.is_some_and(|first| self.given.contains(&first)) {
            return;
        }
        let sets =
            |field: &&Field| field.path == states.path && field.index.is_none() && field.op == FieldOp::Set;
        let value = action.fields.fields.iter().find(sets).and_then(|field| field.value.as_name());
        let state = value.filter(|state| !named.contains(state));
        let enters = states
            .enters
            .iter()
            .filter(|enter| state.is_none_or(|state| enter.states.iter().any(|each| each.is(state))));
        let fields = enters.flat_map(|enter| &enter.fields.fields);
        let before = self.entered.len();
        self.entered.extend(fields.filter_map(|field| Some(field.path.first()?.text.as_str())));
        self.is_certain &= state.is_some() || self.entered.len() == before;
    }

    /// Adds what the entity itself says: how an item is marked as deleted, that its version counts, which checks must see
    /// the item.
    fn completed(mut self, design: &Design) -> Deed<'a> {
        if self.is_soft() {
            self.given = self.entity.deleted.iter().flat_map(Expr::names).collect();
            self.given.retain(|name| self.entity.attribute(name).is_some());
        }
        if self.changes() {
            let version = self.entity.attributes.iter().filter(|each| each.has("version"));
            let version: Vec<&str> = version.map(|each| each.name.text.as_str()).collect();
            self.given.extend(&version);
            self.counted.extend(version);
            for check in &self.entity.checks {
                let names = check.condition.names();
                if names.iter().any(|name| self.given.contains(name)) {
                    self.doubts.extend(doubtful(design, self.entity, &[], &check.condition));
                }
                if names.iter().any(|name| self.counted.contains(name)) {
                    self.doubts.extend(names);
                }
            }
            let rules = self.entity.states.iter().flat_map(|states| &states.transitions);
            let rules = rules.filter_map(|transition| transition.condition.as_ref());
            self.doubts.extend(rules.flat_map(|rule| doubtful(design, self.entity, &[], rule)));
        }
        self.doubts.retain(|name| self.entity.attribute(name).is_some());
        self
    }

    /// Whether the item stays and is marked as deleted.
    pub(super) fn is_soft(&self) -> bool {
        self.verb == WriteVerb::Delete && self.entity.deleted.is_some()
    }

    /// Whether it changes an item that is there.
    fn changes(&self) -> bool {
        self.is_soft() || matches!(self.verb, WriteVerb::Update | WriteVerb::Upsert)
    }

    /// What it does besides.
    pub(super) fn effects(&self, design: &'a Design) -> Effects<'a> {
        let touched = self.touched();
        let guards = self.guards(&touched);
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

    fn guards(&self, touched: &[&str]) -> Vec<&'a Unique> {
        // What counts as deleted has its unique values free again.
        let all = !self.changes() || self.is_soft();
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

/// The names of a condition that DynamoDB may be unable to express: it computes with the item, or looks into JSON text or
/// at a constant of an enum.
fn doubtful<'a>(design: &Design, entity: &Entity, named: &[&str], condition: &'a Expr) -> Vec<&'a str> {
    let mut odd = false;
    condition.walk(&mut |expr| {
        let inside = |base: &Expr| {
            let attribute =
                base.as_name().filter(|name| !named.contains(name)).and_then(|name| entity.attribute(name));
            let ty = attribute.map(|attribute| design.type_of(attribute));
            matches!(ty, Some(Type::Json { .. } | Type::Enum { .. }))
        };
        odd |= match &expr.kind {
            ExprKind::Binary { op: Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem, .. } => {
                concerns(entity, named, expr)
            }
            ExprKind::Negative { .. } | ExprKind::Arrow { .. } => concerns(entity, named, expr),
            ExprKind::Call { callee, .. } => !callee.is_name("size") && concerns(entity, named, expr),
            ExprKind::Member { base, .. } => inside(base),
            _ => false,
        };
    });
    if odd { condition.names() } else { Vec::new() }
}

/// Whether an expression speaks of the item. `named` are the names that stand for something else.
fn concerns(entity: &Entity, named: &[&str], expr: &Expr) -> bool {
    let own = |name: &str| name == "it" || (entity.attribute(name).is_some() && !named.contains(&name));
    expr.names().into_iter().any(own)
}

/// The attribute that a field looks into, if it is JSON text: all of it is written anew.
fn within_json<'a>(design: &Design, entity: &'a Entity, field: &Field) -> Option<&'a str> {
    let attribute = entity.attribute(&field.path.first()?.text)?;
    let inside = field.path.len() > 1 || field.index.is_some();
    (inside && matches!(design.type_of(attribute), Type::Json { .. })).then_some(attribute.name.text.as_str())
}

/// The attributes that name the key under which an attribute is sealed.
fn sealed_under<'a>(entity: &'a Entity, name: &str) -> Vec<&'a str> {
    let annotation = entity.attribute(name).and_then(|attribute| attribute.annotation("encrypted"));
    let mut slots = Vec::new();
    for (_, argument) in annotation.iter().flat_map(|annotation| &annotation.args) {
        if let ExprKind::Text { value } = &argument.kind {
            slots.extend(value.split('{').skip(1).filter_map(|part| part.split('}').next()));
        }
    }
    slots
}
