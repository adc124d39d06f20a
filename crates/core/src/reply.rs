//! What a call answers, before anybody has looked at it.
//!
//! Items that only pass through stay in the form in which they are stored: a reply becomes text or a tree of JSON when it
//! is asked for, and costs nothing before.

use sortkey_design::model::ReadVerb;
use sortkey_design::program::EntityId;
use sortkey_value::Item;

use crate::anatomy::AttributeInfo;
use crate::answer::{Select, is_selected, print_public, public, to_public_json};
use crate::evaluate::Scope;
use crate::operate::{Outcome, value_of};
use crate::read::{Found, Hit, Read};
use crate::values::{ObjectPrinter, Val, print_json, print_stored};
use crate::{Answer, Failure};

/// The answer of a call.
pub struct Reply<'r> {
    scope: Scope<'r>,
    /// What the pattern selects.
    select: Option<&'r Select>,
    /// Whether items say which entity they are: those of `collect` do.
    says_entity: bool,
    body: Body,
    is_repeat: bool,
}

/// Where an item of several kinds says which it is. No attribute can be called so.
const ENTITY: &str = "$entity";

enum Body {
    Nothing,
    /// Fit for clients.
    Value(Val),
    /// An item of an entity as it is stored.
    Item(EntityId, Item),
    Page(Vec<Body>, Option<String>),
}

impl<'r> Reply<'r> {
    /// The reply of an operation.
    pub(crate) fn of_outcome(scope: Scope<'r>, outcome: Outcome) -> Result<Reply<'r>, Failure> {
        let body = match outcome {
            Outcome::Value(value) => Body::of_value(&scope, value, None)?,
            Outcome::Stored(entity, item) => Body::Item(entity, item),
        };
        Ok(Reply { scope, select: None, says_entity: false, body, is_repeat: false })
    }

    /// The reply of a pattern.
    pub(crate) fn of_found(scope: Scope<'r>, found: Found, read: &'r Read) -> Result<Reply<'r>, Failure> {
        let select = read.select.as_ref();
        let lists = matches!(read.pattern.verb, ReadVerb::List | ReadVerb::Collect | ReadVerb::Scan);
        let body = match found {
            Found::Item(Some(hit)) => Body::of_hit(&scope, hit, read)?,
            Found::Items { items, cursor } if lists => {
                let items = items.into_iter().map(|hit| Body::of_hit(&scope, hit, read));
                Body::Page(items.collect::<Result<_, _>>()?, cursor)
            }
            found => Body::of_value(&scope, value_of(&scope, found, read)?, select)?,
        };
        let says_entity = read.pattern.verb == ReadVerb::Collect;
        Ok(Reply { scope, select, says_entity, body, is_repeat: false })
    }

    /// The reply of a call that was carried out before: its idempotency key came again.
    pub(crate) fn repeated(self, is_repeat: bool) -> Reply<'r> {
        Reply { is_repeat, ..self }
    }

    /// Whether this is the answer of an earlier call with the same idempotency key, and nothing was done now.
    pub fn is_repeat(&self) -> bool {
        self.is_repeat
    }

    /// Whether there is nothing: an item that is not there, or an operation that returns nothing.
    pub fn is_nothing(&self) -> bool {
        matches!(self.body, Body::Nothing)
    }

    /// Writes the answer as JSON text. A page is `{"cursor": ..., "items": [...]}`, and nothing is `null`.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.reserve(self.body.room_bytes());
        self.print(&self.body, out);
    }

    /// The answer as a tree of JSON.
    pub fn into_answer(self) -> Answer {
        let Reply { scope, select, says_entity, body, .. } = self;
        match body {
            Body::Nothing => Answer::Nothing,
            Body::Page(items, cursor) => {
                let json = |body: Body| {
                    let entity = body.entity().filter(|_| says_entity);
                    let mut json = to_public_json(&scope, &body.into_val(&scope, select));
                    if let (Some(entity), Some(object)) = (entity, json.as_object_mut()) {
                        let name = &*scope.shared.program.entities[entity].name;
                        object.insert(ENTITY.to_owned(), name.into());
                    }
                    json
                };
                Answer::Page { items: items.into_iter().map(json).collect(), cursor }
            }
            body => Answer::Value(to_public_json(&scope, &body.into_val(&scope, select))),
        }
    }

    fn print(&self, body: &Body, out: &mut Vec<u8>) {
        match body {
            Body::Nothing => out.extend_from_slice(b"null"),
            Body::Value(value) => print_public(&self.scope, out, value),
            Body::Item(entity, item) => self.print_item(*entity, item, out),
            Body::Page(items, cursor) => {
                out.extend_from_slice(b"{\"cursor\":");
                print_json(out, &cursor.as_deref().into());
                out.extend_from_slice(b",\"items\":[");
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    self.print_member(item, out);
                }
                out.extend_from_slice(b"]}");
            }
        }
    }

    /// Prints an item of a page, with its entity first where items say it.
    fn print_member(&self, body: &Body, out: &mut Vec<u8>) {
        let Some(entity) = body.entity().filter(|_| self.says_entity) else {
            return self.print(body, out);
        };
        out.push(b'{');
        print_json(out, &ENTITY.into());
        out.push(b':');
        print_json(out, &(*self.scope.shared.program.entities[entity].name).into());
        let brace = out.len();
        self.print(body, out);
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
        match self {
            Body::Nothing | Body::Value(_) => 0,
            Body::Item(_, item) => item.as_bytes().len(),
            Body::Page(items, _) => items.iter().map(Body::room_bytes).sum(),
        }
    }

    /// The entity that it is an item of.
    fn entity(&self) -> Option<EntityId> {
        match self {
            Body::Item(entity, _) => Some(*entity),
            Body::Value(Val::Item(record)) => Some(record.entity),
            _ => None,
        }
    }

    fn of_value(scope: &Scope<'_>, value: Val, select: Option<&Select>) -> Result<Body, Failure> {
        Ok(match public(scope, value, select)? {
            Val::Absent => Body::Nothing,
            value => Body::Value(value),
        })
    }

    /// An item with encrypted attributes that somebody will see is opened now; all others stay as they are.
    fn of_hit(scope: &Scope<'_>, hit: Hit, read: &Read) -> Result<Body, Failure> {
        let select = read.select.as_ref();
        match hit {
            Hit::Stored(entity, item) if !shows_sealed(scope, entity, select) => Ok(Body::Item(entity, item)),
            hit => Body::of_value(scope, value_of(scope, Found::Item(Some(hit)), read)?, select),
        }
    }

    fn into_val(self, scope: &Scope<'_>, select: Option<&Select>) -> Val {
        match self {
            Body::Nothing | Body::Page(..) => Val::Absent,
            Body::Value(value) => value,
            Body::Item(entity, item) => {
                let info = &scope.shared.entities[entity];
                let mut fields = info.decode(&scope.shared.program, &item);
                fields.retain(|name, value| {
                    let attribute = info.anatomy.attribute(name);
                    !value.is_absent()
                        && attribute.is_some_and(|attribute| is_seen(entity, attribute, select))
                });
                Val::item(entity, fields)
            }
        }
    }
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
