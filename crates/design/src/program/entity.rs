//! Entities with their names resolved: attributes, templates, keys, and the rules that hold for every item.

use std::sync::Arc;

use sortkey_diagnostics::Span;

use super::{
    Arena, AttributeId, EntityId, ErrorId, Expr, ExprKind, IndexId, TableId, TemplateId, Type, UniqueId,
};
use crate::model::{Op, SlotFormat};

/// A table: the names of its key, and what its items have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name in the design.
    pub name: Arc<str>,
    /// Its name in DynamoDB, with deployment parameters in braces.
    pub deployed: Arc<str>,
    /// The stored attributes of its key.
    pub key: StoredKey,
    /// Its indexes.
    pub indexes: Arena<IndexId, Index>,
    /// The stored attribute that holds an item's expiry.
    pub ttl: Option<Arc<str>>,
    /// The stored attribute that holds the entity's name.
    pub kind: Option<Arc<str>>,
    /// The entities that live in it.
    pub entities: Vec<EntityId>,
}

/// An index of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// Its name in the design.
    pub name: Arc<str>,
    /// Its name in DynamoDB.
    pub deployed: String,
    /// Whether it shares the table's partition key.
    pub local: bool,
    /// The stored attributes of its key.
    pub key: StoredKey,
    /// The stored attributes that it copies; none if it copies all.
    pub projects: Option<Vec<Arc<str>>>,
    /// Whether its key is made of the table's own, so that guards and receipts are in it too.
    pub holds_reserved: bool,
}

/// The stored attributes of a key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredKey {
    /// The partition attributes.
    pub partition: Vec<Arc<str>>,
    /// The sort attributes.
    pub sort: Vec<Arc<str>>,
}

/// A kind of item.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// Its name.
    pub name: Arc<str>,
    /// The table it lives in; none if the design names no such table.
    pub table: Option<TableId>,
    /// Its attributes.
    pub attributes: Attributes,
    /// Stored attributes that are computed from others.
    pub templates: Arena<TemplateId, Template>,
    /// The values of the table's key.
    pub key: FilledKey,
    /// The values of each index's key.
    pub indexes: Vec<FilledKey>,
    /// The attributes that determine the key, partition first.
    pub key_attributes: Vec<AttributeId>,
    /// The unique attributes.
    pub uniques: Arena<UniqueId, Unique>,
    /// The conditions that always hold.
    pub checks: Vec<Check>,
    /// The attribute that names the owner.
    pub tenant: Option<Tenant>,
    /// When an item counts as deleted.
    pub deleted: Option<Expr>,
    /// The attribute by which items expire.
    pub ttl: Option<AttributeId>,
    /// State machines.
    pub states: Vec<States>,
    /// How many items there are, and how large.
    pub volume: Volume,
}

/// How many items of an entity there are, and how large they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Volume {
    /// The number of items; none if the design leaves it open.
    pub items: Option<u64>,
    /// The size to reckon with for one, in bytes: declared, or half of what the bounds of its attributes allow.
    pub bytes: u64,
    /// How many share a value of an attribute.
    pub per: Vec<Share>,
}

/// `20 per userId max 200`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The attribute.
    pub attribute: AttributeId,
    /// How many usually share a value of it.
    pub usual: u64,
    /// How many do at most.
    pub most: Option<u64>,
}

/// The sources of the attributes of a key: partition first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilledKey {
    /// The partition attributes.
    pub partition: Vec<KeyPart>,
    /// The sort attributes.
    pub sort: Vec<KeyPart>,
    /// The other values that an index copies; none if it copies everything.
    pub copies: Option<Vec<Source>>,
}

/// A stored attribute of a key, and what an entity fills it with.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyPart {
    /// Its stored name.
    pub stored: Arc<str>,
    /// Its source; none if the entity has none for it.
    pub source: Option<Source>,
}

/// The source of a stored attribute's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A template over other attributes.
    Template(TemplateId),
    /// The attribute of that name itself.
    Attribute(AttributeId),
}

/// The attributes of an entity, an object or the caller.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes {
    all: Arena<AttributeId, Attribute>,
    /// In the order of their names, as attributes of stored items are.
    by_name: Vec<AttributeId>,
}

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: Arc<str>,
    /// Its type, references followed.
    pub ty: Arc<Type>,
    /// Whether it is marked with `?`.
    pub optional: bool,
    /// Its annotations.
    pub flags: Flags,
    /// `@normalize`, in order.
    pub normalize: Vec<Normalize>,
    /// `@encrypted`: the name of the key, made of attributes.
    pub encrypted: Option<Vec<AliasPiece>>,
    /// Its target.
    pub reference: Option<Reference>,
    /// `@counts`: the entities whose items it counts, as far as they refer to its own.
    pub counts: Vec<EntityId>,
    /// The expression that fills it.
    pub fill: Option<Fill>,
    /// When it is present.
    pub when: Option<Expr>,
    /// The span of its name.
    pub span: Span,
}

/// Annotations without arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// It never changes after creation.
    pub immutable: bool,
    /// It is given or made, and never stored.
    pub transient: bool,
    /// It is computed when it is read.
    pub computed: bool,
    /// It is in no answer unless selected.
    pub secret: bool,
    /// It is the design's own affair: in no answer unless selected, though no secret.
    pub internal: bool,
    /// It is only counted up or down.
    pub counter: bool,
    /// It counts the changes of its item.
    pub version: bool,
    /// Null is a value of it.
    pub null: bool,
}

/// One step of `@normalize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalize {
    /// Without white space around it.
    Trim,
    /// Lower case.
    Lower,
    /// Upper case.
    Upper,
}

/// A piece of the name of an encryption key.
#[derive(Clone, Debug, PartialEq)]
pub enum AliasPiece {
    /// Text as it is.
    Literal(String),
    /// The text of an attribute.
    Slot(AttributeId),
}

/// `-> Profile.profileId on delete cascade`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The entity.
    pub entity: EntityId,
    /// Its attribute.
    pub attribute: AttributeId,
    /// Whether the item goes with the one it points to.
    pub cascades: bool,
}

/// The value that fills an attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Fill {
    /// `:=` keeps it derived for ever; `=` fills it at creation.
    pub derived: bool,
    /// The value.
    pub value: Expr,
}

/// `PK = "USER#{userId}" when ...`
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// The stored attribute.
    pub name: Arc<str>,
    /// Its pieces.
    pub pieces: Vec<Piece>,
    /// When it is present.
    pub when: Option<Expr>,
    /// The characters that `escape` encodes: those that follow a slot.
    pub delimiters: Vec<char>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Text as it is.
    Literal(String),
    /// The text of an attribute.
    Slot {
        /// The attribute.
        attribute: AttributeId,
        /// How its text is made.
        format: Option<SlotFormat>,
    },
}

/// `unique email when ... else EmailTaken`
#[derive(Clone, Debug, PartialEq)]
pub struct Unique {
    /// The attributes that together are unique.
    pub attributes: Vec<AttributeId>,
    /// Only among these items.
    pub when: Option<Expr>,
    /// The error.
    pub error: Option<ErrorId>,
    /// Its place among the clauses of the design's entity.
    pub place: usize,
    /// Whether no earlier clause has the same attributes, so that they alone name its guards.
    pub is_first: bool,
    /// The name of its guards, after the entity: its attributes, and a digest of its condition unless it is the first
    /// with them.
    pub guard: Arc<str>,
}

/// `check a <= b else Error`
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The condition.
    pub condition: Expr,
    /// The error.
    pub error: Option<ErrorId>,
}

/// `tenant accountId`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenant {
    /// The attribute that names the owner.
    pub attribute: AttributeId,
    /// The part of the caller that it must equal; none if callers have no such part.
    pub of_caller: Option<AttributeId>,
}

/// `states status { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct States {
    /// The attribute, and the way into it.
    pub path: Path,
    /// The moves.
    pub transitions: Vec<Transition>,
    /// The fields that are written on entry.
    pub enters: Vec<Enter>,
}

/// `a, b -> c if ...`
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// Before.
    pub from: Vec<Arc<str>>,
    /// After.
    pub to: Vec<Arc<str>>,
    /// Further conditions.
    pub condition: Option<Expr>,
}

/// `enter c { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct Enter {
    /// The states.
    pub states: Vec<Arc<str>>,
    /// The fields that are written.
    pub fields: Vec<super::Field>,
}

/// An attribute of an item, and the way into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The attribute.
    pub attribute: AttributeId,
    /// Names of members, from the outside in.
    pub inside: Vec<Arc<str>>,
    /// The type of what is at its end.
    pub ty: Arc<Type>,
}

impl Attributes {
    /// Attributes in the order of the design.
    pub fn new(all: Arena<AttributeId, Attribute>) -> Attributes {
        let mut by_name: Vec<AttributeId> = all.ids().collect();
        sortkey_value::order::sort_by(&mut by_name, |left, right| all[*left].name.cmp(&all[*right].name));
        Attributes { all, by_name }
    }

    /// The attribute of that name: for names that arrive with a call or with a stored item.
    pub fn find(&self, name: &str) -> Option<AttributeId> {
        let at = self.by_name.binary_search_by(|each| (*self.all[*each].name).cmp(name)).ok()?;
        self.by_name.get(at).copied()
    }

    /// The attribute with an id, if there is one.
    pub fn get(&self, id: AttributeId) -> Option<&Attribute> {
        self.all.get(id)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All of them, in the order of the design.
    pub fn iter(&self) -> std::slice::Iter<'_, Attribute> {
        self.all.iter()
    }

    /// All of them with their ids, in the order of the design.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (AttributeId, &Attribute)> + ExactSizeIterator {
        self.all.entries()
    }

    /// The ids in the order of the names.
    pub fn by_name(&self) -> &[AttributeId] {
        &self.by_name
    }

    /// The attributes that decide an expression: those that it uses, and those that what it uses is computed from.
    pub fn deciding(&self, expr: &Expr) -> Vec<AttributeId> {
        let mut found = expr.attributes();
        let mut at = 0;
        while let Some(attribute) = found.get(at).map(|id| &self[*id]) {
            let fill = attribute.fill.as_ref().filter(|_| attribute.flags.computed);
            let inputs = fill.into_iter().flat_map(|fill| fill.value.attributes());
            let new: Vec<AttributeId> = inputs.filter(|id| !found.contains(id)).collect();
            found.extend(new);
            at += 1;
        }
        found
    }
}

impl std::ops::Index<AttributeId> for Attributes {
    type Output = Attribute;

    fn index(&self, id: AttributeId) -> &Attribute {
        &self.all[id]
    }
}

impl std::ops::IndexMut<AttributeId> for Attributes {
    fn index_mut(&mut self, id: AttributeId) -> &mut Attribute {
        &mut self.all[id]
    }
}

impl Attribute {
    /// Whether it is in the item at all.
    pub fn is_stored(&self) -> bool {
        !self.flags.transient && !self.flags.computed
    }

    /// Whether it is always recomputed.
    pub fn is_derived(&self) -> bool {
        self.fill.as_ref().is_some_and(|fill| fill.derived)
    }

    /// Whether a write may name a value for it at all.
    pub fn can_be_given(&self) -> bool {
        !self.is_derived() && !self.flags.computed
    }

    /// Whether an item cannot be made without a value for it.
    pub fn must_be_given(&self) -> bool {
        self.can_be_given() && self.fill.is_none() && !self.may_be_absent()
    }

    /// Whether an item may lack it.
    pub fn may_be_absent(&self) -> bool {
        self.optional || self.when.is_some()
    }

    /// Whether what is computed when an item is read may not be of its type. It is left out then.
    pub fn may_misfit(&self) -> bool {
        let Some(fill) = self.fill.as_ref().filter(|_| self.flags.computed) else { return false };
        let mut divides = false;
        fill.value.walk(&mut |part| {
            divides |= matches!(part.kind, ExprKind::Binary { op: Op::Div | Op::Rem, .. });
        });
        let is_bounded = match &*self.ty {
            Type::Int { min, max } => min.is_some() || max.is_some(),
            Type::Decimal { .. } => true,
            // Functions cut text to a length, or give a fixed one.
            Type::String { max, .. } => {
                max.is_some()
                    && !matches!(fill.value.kind, ExprKind::Function { .. } | ExprKind::Attribute(_))
            }
            _ => false,
        };
        divides || is_bounded
    }

    /// Whether clients see it only where a pattern selects it.
    pub fn is_hidden(&self) -> bool {
        self.flags.secret || self.flags.internal
    }

    /// Whether the value of a new item is the design's to make: an id, the time of its creation, a count, a version.
    pub fn is_made(&self) -> bool {
        let made = self.fill.as_ref().filter(|fill| !fill.derived).map(|fill| &fill.value.kind);
        let made = match made {
            Some(ExprKind::New) => true,
            Some(ExprKind::Now) => self.flags.immutable,
            _ => false,
        };
        made || self.flags.counter || self.flags.version
    }
}

impl FilledKey {
    /// All parts, partition first.
    pub fn parts(&self) -> impl Iterator<Item = &KeyPart> {
        self.partition.iter().chain(&self.sort)
    }
}

impl StoredKey {
    /// All stored attributes, partition first.
    pub fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.partition.iter().chain(&self.sort)
    }

    /// Whether a stored attribute is part of it.
    pub fn contains(&self, name: &str) -> bool {
        self.names().any(|each| **each == *name)
    }
}

impl Template {
    /// The attributes it is made of.
    pub fn slots(&self) -> impl Iterator<Item = AttributeId> + '_ {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Slot { attribute, .. } => Some(*attribute),
            Piece::Literal(_) => None,
        })
    }
}
