//! What names stand for while a pattern or an operation runs.

use std::sync::Arc;

use sortkey_design::model::{Attribute, Expr};
use sortkey_value::Item;

use crate::Failure;
use crate::generate::new_id;
use crate::runtime::Shared;
use crate::values::{Fields, Val};

/// Parameters, `let`s, the caller and the moment of a call.
#[derive(Clone)]
pub(crate) struct Scope<'a> {
    pub(crate) shared: &'a Shared,
    /// Who calls; none for `system`.
    pub(crate) caller: Option<Arc<Fields>>,
    /// One moment for the whole call, so that all its times agree.
    pub(crate) now_ms: i64,
    /// How often the statement was prepared before, in vain.
    pub(crate) attempt: usize,
    /// The latest stands last and wins.
    names: Vec<(Arc<str>, Val)>,
    /// Items read only so that `->` finds them.
    referred: Vec<(usize, Fields)>,
    /// Items that were looked for and not found: a write that relies on it is conditional on it.
    missed: Vec<(usize, Item)>,
}

/// How much a scope knew.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    names: usize,
    referred: usize,
    missed: usize,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(shared: &'a Shared, caller: Option<Arc<Fields>>, now_ms: i64) -> Scope<'a> {
        Scope {
            shared,
            caller,
            now_ms,
            attempt: 0,
            names: Vec::new(),
            referred: Vec::new(),
            missed: Vec::new(),
        }
    }

    /// A scope of the same call that knows no names yet.
    pub(crate) fn fresh(&self) -> Scope<'a> {
        Scope::new(self.shared, self.caller.clone(), self.now_ms)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Val> {
        self.names.iter().rev().find(|(each, _)| **each == *name).map(|(_, value)| value)
    }

    pub(crate) fn set(&mut self, name: impl Into<Arc<str>>, value: Val) {
        self.names.push((name.into(), value));
    }

    /// How much is known, to come back to.
    pub(crate) fn mark(&self) -> Mark {
        Mark { names: self.names.len(), referred: self.referred.len(), missed: self.missed.len() }
    }

    /// Forgets what was learned since a mark: an operation starts again.
    pub(crate) fn forget_since(&mut self, mark: Mark) {
        self.names.truncate(mark.names);
        self.referred.truncate(mark.referred);
        self.missed.truncate(mark.missed);
    }

    /// Parameters and `let`s, the latest last.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&Arc<str>, &Val)> {
        self.names.iter().map(|(name, value)| (name, value))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Keeps an item in hand for `->`.
    pub(crate) fn refer(&mut self, entity: usize, fields: Fields) {
        self.referred.push((entity, fields));
    }

    /// Remembers that an item was not there.
    pub(crate) fn miss(&mut self, entity: usize, key: impl Into<Item>) {
        self.missed.push((entity, key.into()));
    }

    /// Whether an item was looked for and not found.
    pub(crate) fn missed(&self, entity: usize, key: &Item) -> bool {
        self.missed.iter().any(|(other, missed)| *other == entity && missed == key)
    }

    /// A scope in which bare names are the item's own, whatever the parameters are called; the items in hand stay.
    pub(crate) fn bare(&self) -> Scope<'a> {
        let mut bare = self.fresh();
        // `items` gives the latest first, and a scope keeps the latest last.
        let mut items: Vec<_> = self.items().map(|(entity, fields)| (entity, fields.clone())).collect();
        items.reverse();
        bare.referred = items;
        bare
    }

    /// The items in hand, the latest first.
    pub(crate) fn items(&self) -> impl Iterator<Item = (usize, &Fields)> {
        let named = self.names.iter().rev().filter_map(|(_, value)| match value {
            Val::Item(record) => Some((record.entity, &record.fields)),
            _ => None,
        });
        named.chain(self.referred.iter().rev().map(|(entity, fields)| (*entity, fields)))
    }

    /// What `= expr` or `:= expr` gives an attribute of a nested object; `new` makes an id of its type.
    pub(crate) fn fill(
        &self,
        attribute: &Attribute,
        value: &Expr,
        siblings: &Fields,
    ) -> Result<Val, Failure> {
        if value.is_name("new") {
            return self.new_value(attribute);
        }
        let mut inner = self.clone();
        for (name, value) in siblings {
            inner.set(name.clone(), value.clone());
        }
        inner.eval(value, None)
    }

    /// A new id of an attribute's type.
    pub(crate) fn new_value(&self, attribute: &Attribute) -> Result<Val, Failure> {
        let ty = self.shared.design.type_of(attribute);
        let id = new_id(&self.shared.settings.ids, self.now_ms, ty)
            .map_err(|error| Failure::internal(error.to_string()))?;
        Ok(id.map_or(Val::Absent, Val::Text))
    }
}
