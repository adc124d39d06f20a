//! The values that a pattern or an operation can use while it runs.

use std::sync::Arc;

use sortkey_design::program::{Attribute, EntityId, Expr, ExprKind, Id, LocalId};
use sortkey_value::Item;

use super::View;
use crate::generate::new_id;
use crate::outbox::Outbox;
use crate::prepared::Shared;
use crate::values::{Fields, Val};
use crate::{Failure, Ids};

/// Parameters, `let`s, the caller and the moment of a call.
#[derive(Clone)]
pub struct Scope<'a> {
    /// The state that all calls share.
    pub shared: &'a Shared,
    /// The caller; none for `system`.
    pub caller: Option<Arc<Fields>>,
    /// One moment for the whole call, so that all its times agree.
    pub now_ms: i64,
    /// The version that items of an entity must have to be changed by this call.
    pub(crate) expected: Option<(EntityId, i64)>,
    /// Whether this is part of a cascade: what goes with a parent.
    pub(crate) is_sweeping: bool,
    /// The source of ids, tokens and random numbers.
    pub(crate) ids: &'a Ids,
    /// The outbox of a task; none if calls reach their environment directly.
    pub(crate) outbox: Option<&'a Outbox>,
    /// Whether the provider of a webhook says by its id that a call is a repeat: a receipt compares no arguments then.
    pub(crate) is_delivery: bool,
    /// How often the statement was prepared before, in vain.
    pub(crate) attempt: usize,
    /// By their ids. Nothing was given or bound where there is none, which is not the same as an absent value.
    locals: Vec<Option<Val>>,
    /// The results of expressions that take requests, by the address of the expression: a program never moves.
    settled: Vec<(usize, Val)>,
    /// Items read only so that `->` finds them.
    referred: Vec<(EntityId, Fields)>,
    /// Items that were looked for and not found: a write that relies on it is conditional on it.
    missed: Vec<(EntityId, Item)>,
}

/// The extent of a scope.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    locals: usize,
    referred: usize,
    missed: usize,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(shared: &'a Shared, caller: Option<Arc<Fields>>, now_ms: i64) -> Scope<'a> {
        Scope {
            shared,
            caller,
            now_ms,
            expected: None,
            is_sweeping: false,
            ids: &shared.settings.ids,
            outbox: None,
            is_delivery: false,
            attempt: 0,
            locals: Vec::new(),
            settled: Vec::new(),
            referred: Vec::new(),
            missed: Vec::new(),
        }
    }

    /// The scope of a task.
    pub(crate) fn asking(shared: &'a Shared, outbox: &'a Outbox, now_ms: i64) -> Scope<'a> {
        Scope { ids: &outbox.ids, outbox: Some(outbox), ..Scope::new(shared, None, now_ms) }
    }

    /// A scope of the same call in which nothing is bound yet: that of another body.
    pub(crate) fn fresh(&self) -> Scope<'a> {
        let (ids, outbox) = (self.ids, self.outbox);
        let (expected, is_sweeping) = (self.expected, self.is_sweeping);
        let fresh = Scope::new(self.shared, self.caller.clone(), self.now_ms);
        Scope { ids, outbox, expected, is_sweeping, ..fresh }
    }

    /// The value of a parameter, a `let` or an element; none if nothing was given or bound.
    pub(crate) fn get(&self, local: LocalId) -> Option<&Val> {
        self.locals.get(local.at())?.as_ref()
    }

    /// The members of the value that `...x` copies.
    pub(crate) fn spread(&self, local: LocalId) -> Option<&Fields> {
        self.get(local).and_then(Val::fields)
    }

    /// Gives a local its value.
    pub fn set(&mut self, local: LocalId, value: Val) {
        self.reserve(local.at() + 1);
        self.locals[local.at()] = Some(value);
    }

    /// Makes room for so many locals, to which nothing is bound yet.
    pub(crate) fn reserve(&mut self, count: usize) {
        if self.locals.len() < count {
            self.locals.resize(count, None);
        }
    }

    /// Sets the result of an expression that took a request.
    pub(crate) fn settle(&mut self, expr: &Expr, value: Val) {
        self.settled.push((std::ptr::from_ref(expr).addr(), value));
    }

    /// The result of an expression that took a request.
    pub(crate) fn settled(&self, expr: &Expr) -> Option<&Val> {
        let at = std::ptr::from_ref(expr).addr();
        self.settled.iter().find(|(each, _)| *each == at).map(|(_, value)| value)
    }

    /// How much is known, to come back to.
    pub(crate) fn mark(&self) -> Mark {
        Mark { locals: self.locals.len(), referred: self.referred.len(), missed: self.missed.len() }
    }

    /// Forgets what was learned since a mark: an operation starts again.
    pub(crate) fn forget_since(&mut self, mark: Mark) {
        self.locals.truncate(mark.locals);
        self.referred.truncate(mark.referred);
        self.missed.truncate(mark.missed);
    }

    /// Keeps an item in hand for `->`.
    pub(crate) fn refer(&mut self, entity: EntityId, fields: Fields) {
        self.referred.push((entity, fields));
    }

    /// Remembers that an item was not there.
    pub(crate) fn miss(&mut self, entity: EntityId, key: impl Into<Item>) {
        self.missed.push((entity, key.into()));
    }

    /// Whether an item was looked for and not found.
    pub(crate) fn missed(&self, entity: EntityId, key: &Item) -> bool {
        self.missed.iter().any(|(other, missed)| *other == entity && missed == key)
    }

    /// The items in hand, the latest first: what is bound later in the text has the greater id.
    pub(crate) fn items(&self) -> impl Iterator<Item = (EntityId, &Fields)> {
        let bound = self.locals.iter().rev().filter_map(|value| match value {
            Some(Val::Item(record)) => Some((record.entity, &record.fields)),
            _ => None,
        });
        bound.chain(self.referred.iter().rev().map(|(entity, fields)| (*entity, fields)))
    }

    /// The value of an attribute by `= expr` or `:= expr`; `new` makes an id of its type.
    pub(crate) fn fill(&self, attribute: &Attribute, value: &Expr, view: View<'_>) -> Result<Val, Failure> {
        match value.kind {
            ExprKind::New => self.new_value(attribute),
            _ => self.eval(value, Some(view)),
        }
    }

    /// A new id of an attribute's type.
    fn new_value(&self, attribute: &Attribute) -> Result<Val, Failure> {
        let id = new_id(self.ids, self.now_ms, &attribute.ty)
            .map_err(|error| Failure::internal(error.to_string()))?;
        Ok(id.map_or(Val::Absent, Val::Text))
    }
}
