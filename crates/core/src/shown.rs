//! The answer of a call, as clients may see it.
//!
//! Items that only pass through stay in the form in which they are stored, and become text or a tree of JSON straight from it.

use sortkey_design::model::ReadVerb;
use sortkey_design::program::EntityId;
use sortkey_value::{Item, ValueRef};

use crate::anatomy::AttributeInfo;
use crate::answer::{Select, is_selected, print_public, print_record, public};
use crate::evaluate::Scope;
use crate::operate::{Outcome, value_of};
use crate::read::{Found, Hit, Read};
use crate::values::{ObjectPrinter, Val, print_json, print_stored};
use crate::{Answer, Failure};

/// The answer of a call, looked at.
pub struct Shown<'r> {
    scope: Scope<'r>,
    /// The attributes that the pattern selects.
    select: Option<&'r Select>,
    /// Whether items carry the name of their entity: those of `collect` do.
    says_entity: bool,
    body: Body,
    is_repeat: bool,
    /// The version of the item that an operation answers with, which clients may not see.
    version: Option<i64>,
}

/// The name of the attribute that counts the changes of an entity's items.
fn version_of<'r>(scope: &Scope<'r>, entity: EntityId) -> Option<&'r str> {
    let attributes = &scope.shared.program.entities[entity].attributes;
    attributes.iter().find(|each| each.flags.version).map(|each| &*each.name)
}

/// The member with the entity of an item in a collection. No attribute can have this name.
const ENTITY: &str = "$entity";

enum Body {
    Nothing,
    /// Fit for clients.
    Value(Val),
    Item(Hit),
    Page(Vec<Hit>, Option<String>),
}

impl<'r> Shown<'r> {
    /// The answer of an operation.
    pub(crate) fn of_outcome(
        scope: Scope<'r>,
        outcome: Outcome,
        is_repeat: bool,
    ) -> Result<Shown<'r>, Failure> {
        let version = match &outcome {
            Outcome::Value(Val::Item(record)) => {
                version_of(&scope, record.entity).and_then(|name| record.fields.get(name)?.as_integer())
            }
            _ => None,
        };
        let body = match outcome {
            Outcome::Value(value) => Body::of_value(&scope, value, None)?,
            Outcome::Stored(entity, item) => Body::Item(Hit::Stored(entity, item)),
        };
        Ok(Shown { scope, select: None, says_entity: false, body, is_repeat, version })
    }

    /// The answer of a pattern.
    pub(crate) fn of_found(scope: Scope<'r>, found: Found, read: &'r Read) -> Result<Shown<'r>, Failure> {
        let select = read.select.as_ref();
        let body = match found {
            Found::Item(Some(hit)) => Body::Item(opened(&scope, hit, read)?),
            Found::Items { items, cursor } => Body::Page(all_opened(&scope, items, read)?, cursor),
            found => Body::of_value(&scope, value_of(&scope, found, read)?, select)?,
        };
        let says_entity = read.pattern.verb == ReadVerb::Collect;
        Ok(Shown { scope, select, says_entity, body, is_repeat: false, version: None })
    }

    /// Whether this is the answer of an earlier call with the same idempotency key, and nothing was done now.
    pub fn is_repeat(&self) -> bool {
        self.is_repeat
    }

    /// Whether there is nothing: an item that is not there, or an operation that returns nothing.
    pub fn is_nothing(&self) -> bool {
        matches!(self.body, Body::Nothing)
    }

    /// The version of the item that this is, if it is one item of an entity with `@version`.
    pub fn version(&self) -> Option<i64> {
        match &self.body {
            Body::Item(Hit::Stored(entity, item)) => match item.get(version_of(&self.scope, *entity)?) {
                Some(ValueRef::N(version)) => version.to_i64(),
                _ => None,
            },
            Body::Item(Hit::Decoded(record)) if self.version.is_none() => {
                record.fields.get(version_of(&self.scope, record.entity)?)?.as_integer()
            }
            _ => self.version,
        }
    }

    /// The answer as it is, if it is text.
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            Body::Value(value) => value.as_text(),
            _ => None,
        }
    }

    /// Writes the answer as JSON text. A page is `{"cursor": ..., "items": [...]}`, and nothing is `null`.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.reserve(self.body.room_bytes());
        self.print(&self.body, out);
    }

    /// The answer as a tree of JSON, parsed from its text, so that there is one way from a stored value to a client.
    pub fn into_answer(self) -> Answer {
        let tree = |print: &dyn Fn(&mut Vec<u8>)| {
            let mut text = Vec::new();
            print(&mut text);
            // The printer writes JSON, which nests no deeper than items do.
            serde_json::from_slice(&text).unwrap_or_default()
        };
        match &self.body {
            Body::Nothing => Answer::Nothing,
            Body::Page(items, cursor) => Answer::Page {
                items: items.iter().map(|hit| tree(&|out| self.print_member(hit, out))).collect(),
                cursor: cursor.clone(),
            },
            body => Answer::Value(tree(&|out| self.print(body, out))),
        }
    }

    fn print(&self, body: &Body, out: &mut Vec<u8>) {
        match body {
            Body::Nothing => out.extend_from_slice(b"null"),
            Body::Value(value) => print_public(&self.scope, out, value),
            Body::Item(hit) => self.print_hit(hit, out),
            Body::Page(items, cursor) => {
                out.extend_from_slice(b"{\"cursor\":");
                print_json(out, &cursor.as_deref().into());
                out.extend_from_slice(b",\"items\":[");
                for (at, hit) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    self.print_member(hit, out);
                }
                out.extend_from_slice(b"]}");
            }
        }
    }

    fn print_hit(&self, hit: &Hit, out: &mut Vec<u8>) {
        match hit {
            Hit::Stored(entity, item) => self.print_item(*entity, item, out),
            Hit::Decoded(record) => print_record(&self.scope, out, record),
        }
    }

    /// Prints an item of a page, with its entity first in a collection.
    fn print_member(&self, hit: &Hit, out: &mut Vec<u8>) {
        if !self.says_entity {
            return self.print_hit(hit, out);
        }
        let entity = hit.entity();
        out.push(b'{');
        print_json(out, &ENTITY.into());
        out.push(b':');
        print_json(out, &(*self.scope.shared.program.entities[entity].name).into());
        let brace = out.len();
        self.print_hit(hit, out);
        // The brace of the item itself continues the object that has been begun.
        match out.get(brace + 1) {
            Some(b'}') => drop(out.remove(brace)),
            _ => out[brace] = b',',
        }
    }

    fn print_item(&self, entity: EntityId, item: &Item, out: &mut Vec<u8>) {
        let shared = self.scope.shared;
        let mut object = ObjectPrinter::begin(out);
        shared.entities[entity].anatomy.each_stored(item, |attribute, value| {
            if is_seen(entity, attribute, self.select) {
                let print = |out: &mut Vec<u8>| print_stored(out, &shared.program, &attribute.ty, value);
                object.labelled(&attribute.label, print);
            }
        });
        object.end();
    }
}

impl Body {
    /// About as much as its text takes: items are printed in about as many bytes as they are stored in.
    fn room_bytes(&self) -> usize {
        let of = |hit: &Hit| match hit {
            Hit::Stored(_, item) => item.as_bytes().len(),
            Hit::Decoded(_) => 0,
        };
        match self {
            Body::Nothing | Body::Value(_) => 0,
            Body::Item(hit) => of(hit),
            Body::Page(items, _) => items.iter().map(of).sum(),
        }
    }

    fn of_value(scope: &Scope<'_>, value: Val, select: Option<&Select>) -> Result<Body, Failure> {
        Ok(match public(scope, value, select)? {
            Val::Absent => Body::Nothing,
            Val::Item(record) => Body::Item(Hit::Decoded(record)),
            value => Body::Value(value),
        })
    }
}

/// Items fit for clients. Those of which everything may be seen as it is stored stay as they are.
fn all_opened(scope: &Scope<'_>, items: Vec<Hit>, read: &Read) -> Result<Vec<Hit>, Failure> {
    match items.iter().all(|hit| passes_through(scope, hit, read)) {
        true => Ok(items),
        false => items.into_iter().map(|hit| opened(scope, hit, read)).collect(),
    }
}

/// An item fit for clients: with what is sealed and seen opened, and without what is not seen.
fn opened(scope: &Scope<'_>, hit: Hit, read: &Read) -> Result<Hit, Failure> {
    if passes_through(scope, &hit, read) {
        return Ok(hit);
    }
    let value = value_of(scope, Found::Item(Some(hit)), read)?;
    match public(scope, value, read.select.as_ref())? {
        Val::Item(record) => Ok(Hit::Decoded(record)),
        other => Err(Failure::internal(format!("an item became {}", other.describe()))),
    }
}

/// Whether an item needs nothing done before it is printed from its stored form.
fn passes_through(scope: &Scope<'_>, hit: &Hit, read: &Read) -> bool {
    matches!(hit, Hit::Stored(entity, _) if !shows_sealed(scope, *entity, read.select.as_ref()))
}

/// Whether clients see an attribute: what a pattern selects, or all but the secrets.
fn is_seen(entity: EntityId, attribute: &AttributeInfo, select: Option<&Select>) -> bool {
    match select {
        Some(_) => is_selected(select, entity, attribute.id),
        None => !attribute.is_secret,
    }
}

/// Whether clients see something of an entity that is stored encrypted.
fn shows_sealed(scope: &Scope<'_>, entity: EntityId, select: Option<&Select>) -> bool {
    let anatomy = &scope.shared.entities[entity].anatomy;
    let mut attributes = anatomy.attributes().iter();
    anatomy.has_encrypted && attributes.any(|each| each.is_encrypted && is_seen(entity, each, select))
}
