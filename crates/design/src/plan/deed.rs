//! What an action does to its item, as far as the text of the design tells: what it sets, what it counts, which states it
//! enters, and why the item may have to be read.

use crate::facts::{key_attributes, settable};
use crate::model::*;

/// What an action does to its item, as far as the text of the design tells.
#[derive(Clone, Debug)]
pub(super) struct Deed<'a> {
    pub(super) entity: &'a Entity,
    pub(super) verb: WriteVerb,
    /// The attributes that it may set.
    pub(super) given: Vec<&'a str>,
    /// Those that it counts up or down.
    pub(super) counted: Vec<&'a str>,
    /// What is written on entering the states that it may set.
    pub(super) entered: Vec<&'a str>,
    /// Whether all of the above surely happens.
    pub(super) is_certain: bool,
    /// Why the item must perhaps be read, whatever is set: a condition that DynamoDB may be unable to express.
    pub(super) doubts: Vec<&'a str>,
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
            doubts.extend(fields.iter().filter_map(|field| last_member(design, entity, field)));
            // What the key of the item tells is in hand.
            let keys = key_attributes(design, entity);
            let sealed = given.iter().flat_map(|name| sealed_under(entity, name));
            doubts.extend(sealed.filter(|slot| !keys.contains(slot)));
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

    /// The counting of something by a number of an item.
    pub(super) fn counting(design: &'a Design, entity: &'a Entity, number: &'a Attribute) -> Deed<'a> {
        let given = vec![number.name.text.as_str()];
        let (counted, entered, doubts) = (given.clone(), Vec::new(), Vec::new());
        let verb = WriteVerb::Update;
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
    pub(super) fn changes(&self) -> bool {
        self.is_soft() || matches!(self.verb, WriteVerb::Update | WriteVerb::Upsert)
    }
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

/// The set that a field may take the last member out of, where no item may lack it: it must be seen before.
fn last_member<'a>(design: &Design, entity: &'a Entity, field: &Field) -> Option<&'a str> {
    let [name] = field.path.as_slice() else { return None };
    let attribute = entity.attribute(&name.text)?;
    let is_set = matches!(design.type_of(attribute), Type::Set { .. });
    let takes = field.op == FieldOp::Subtract && field.index.is_none();
    (takes && is_set && !attribute.may_be_absent()).then_some(attribute.name.text.as_str())
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
