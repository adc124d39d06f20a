//! Limits of one request: an attribute is written once, an item is in a transaction once, and the result of a transaction
//! is known only as far as the text determines it.

use sortkey_diagnostics::Span;

use super::Elaboration;
use crate::model::{self, FieldOp, WriteVerb};
use crate::problems::{ARGUMENT, NOT_SETTABLE};
use crate::program::{
    Action, AttributeId, Entity, Expr, ExprKind, Field, Function, LocalId, Statement, StatementKind, Value,
};

/// An item that the current transaction changes.
#[derive(Clone, Debug)]
pub(super) struct Unsent {
    local: LocalId,
    /// The attributes whose values are known before it is sent.
    known: Vec<AttributeId>,
    span: Span,
}

impl<'a> Elaboration<'a, '_> {
    /// No attribute is written twice by one action, and none as a whole and in part.
    pub(super) fn given_once(&mut self, action: &'a model::Action, fields: &[Field]) {
        for (at, field) in fields.iter().enumerate() {
            let Some(earlier) = fields[..at].iter().find(|earlier| overlap(earlier, field)) else { continue };
            let span = field.value.span;
            let name = action.fields.fields.iter().find(|each| each.value.span == span);
            let place = name.map_or(span, |each| each.span);
            let problem = NOT_SETTABLE.at(place, "this is written twice by one action");
            let problem = problem.label("the second value").also(earlier.value.span, "the first");
            self.push(
                problem.note("DynamoDB refuses paths that overlap. Compute one value, and write that."),
            );
        }
    }

    /// No item is in a transaction twice.
    pub(super) fn items_once(&mut self, body: &[Statement]) {
        let mut seen: Vec<(Vec<(AttributeId, &Expr)>, &Action)> = Vec::new();
        for statement in body {
            let (StatementKind::Do(Value::Action(action))
            | StatementKind::Let { value: Value::Action(action), .. }) = &statement.kind
            else {
                continue;
            };
            // An action with `when` may be the other half of a choice.
            if action.when.is_some() || action.verb == WriteVerb::Get {
                continue;
            }
            let Some(key) = key_of(&self.program.entities[action.entity], action) else { continue };
            let same = seen.iter().find(|(other, earlier)| earlier.entity == action.entity && *other == key);
            if let Some((_, earlier)) = same {
                let problem = ARGUMENT.at(action.span, "this item is in the transaction twice");
                let problem = problem.label("the second time").also(earlier.span, "the first");
                self.problems.push(
                    problem.note("DynamoDB takes one action for each item: put both changes into one."),
                );
            } else {
                seen.push((key, action));
            }
        }
    }

    /// Records the changes of a transaction to a named item.
    pub(super) fn will_change(&mut self, local: LocalId, action: &Action) {
        let changes = matches!(action.verb, WriteVerb::Update | WriteVerb::Upsert);
        if !self.scope.in_transaction || !changes || !action.spreads.is_empty() {
            return;
        }
        let of = &self.program.entities[action.entity];
        let set = action.fields.iter().filter(|each| each.op == FieldOp::Set && each.path.inside.is_empty());
        let mut known: Vec<AttributeId> = set.map(|each| each.path.attribute).collect();
        known.extend(&of.key_attributes);
        known.extend(action.key.iter().flat_map(|key| &key.values).map(|(id, _)| *id));
        known.extend(of.attributes.entries().filter(|(_, each)| each.is_derived()).map(|(id, _)| id));
        self.unsent.push(Unsent { local, known, span: action.span });
    }

    /// The span of the action that leaves an attribute's value to the database in the same transaction;
    /// none if the value is known before.
    pub(super) fn decided_by(&self, item: &Expr, attribute: AttributeId) -> Option<Span> {
        let ExprKind::Local(local) = &item.kind else { return None };
        let unsent = self.unsent.iter().find(|each| each.local == *local)?;
        (self.scope.in_transaction && !unsent.known.contains(&attribute)).then_some(unsent.span)
    }
}

/// Whether two fields write the same place, or one a part of the other's.
fn overlap(one: &Field, other: &Field) -> bool {
    let same_way = one.path.inside.iter().zip(&other.path.inside).all(|(a, b)| a == b);
    let (short, long) = (one.path.inside.len(), other.path.inside.len());
    let elements = match (&one.element, &other.element) {
        (Some(a), Some(b)) if short == long => a == b,
        (Some(_), _) if short < long => false,
        (_, Some(_)) if long < short => false,
        _ => true,
    };
    one.path.attribute == other.path.attribute && same_way && elements
}

/// The key of the item that an action is about, if its text determines all of it.
fn key_of<'e>(entity: &Entity, action: &'e Action) -> Option<Vec<(AttributeId, &'e Expr)>> {
    let keyed = action.key.as_ref();
    if !action.spreads.is_empty() || keyed.is_some_and(|key| !key.spreads.is_empty()) {
        return None;
    }
    let by_key = |id: AttributeId| {
        keyed.into_iter().flat_map(|key| &key.values).find(|(each, _)| *each == id).map(|(_, value)| value)
    };
    let by_field = |id: AttributeId| {
        let whole = |each: &&Field| {
            each.path.attribute == id && each.path.inside.is_empty() && each.element.is_none()
        };
        action.fields.iter().find(whole).map(|each| &each.value)
    };
    let mut key = Vec::new();
    for id in &entity.key_attributes {
        let value = by_key(*id).or_else(|| by_field(*id))?;
        if is_chance(value) {
            return None;
        }
        key.push((*id, value));
    }
    (!key.is_empty()).then_some(key)
}

/// Whether an expression has another value each time it is evaluated.
fn is_chance(value: &Expr) -> bool {
    let mut found = false;
    value.walk(&mut |each| {
        found |= matches!(each.kind, ExprKind::New | ExprKind::Missing)
            || matches!(&each.kind, ExprKind::Function { function: Function::Random, .. });
    });
    found
}
