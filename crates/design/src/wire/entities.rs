//! Entities on the wire.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::form::{Unreadable, Wire, cases, record};
use super::pool::{Reading, Writing};
use crate::model::SlotFormat;
use crate::program::{self, Arena, AttributeId, Attributes, ErrorId, TableId, TemplateId, Type, UniqueId};

record! {
    /// A kind of item.
    Entity {
        /// Its name.
        name: Arc<str>,
        /// The table it lives in.
        table: Option<TableId>,
        /// Its attributes.
        attributes: Attributes,
        /// Stored attributes that are computed from others.
        templates: Arena<TemplateId, program::Template>,
        /// The values of the table's key.
        key: program::FilledKey,
        /// The values of each index's key.
        indexes: Vec<program::FilledKey>,
        /// The attributes that determine the key, partition first.
        key_attributes: Vec<AttributeId>,
        /// The unique attributes.
        uniques: Arena<UniqueId, program::Unique>,
        /// The conditions that always hold.
        checks: Vec<program::Check>,
        /// The attribute that names the owner.
        tenant: Option<program::Tenant>,
        /// When an item counts as deleted.
        deleted: Option<program::Expr>,
        /// The attribute by which items expire.
        ttl: Option<AttributeId>,
        /// State machines.
        states: Vec<program::States>,
        /// How many items there are, and how large.
        volume: program::Volume,
    }
}

record! {
    /// How many items of an entity there are, and how large they are.
    Volume {
        /// The number of items; null if the design leaves it open.
        items: Option<u64>,
        /// The size to reckon with for one, in bytes.
        bytes: u64,
        /// How many share a value of an attribute.
        per: Vec<program::Share>,
    }
}

record! {
    /// How many items share a value of an attribute.
    Share {
        /// The attribute.
        attribute: AttributeId,
        /// How many usually do.
        usual: u64,
        /// How many do at most.
        most: Option<u64>,
    }
}

record! {
    /// The sources of the attributes of a key.
    FilledKey {
        /// The partition attributes.
        partition: Vec<program::KeyPart>,
        /// The sort attributes.
        sort: Vec<program::KeyPart>,
        /// The other values that an index copies; null if it copies everything.
        copies: Option<Vec<program::Source>>,
    }
}

record! {
    /// A stored attribute of a key, and what an entity fills it with.
    KeyPart {
        /// Its stored name.
        stored: Arc<str>,
        /// The expression that fills it.
        source: Option<program::Source>,
    }
}

cases! {
    /// The source of a stored attribute's value.
    Source {
        /// A template over other attributes.
        Template(id: TemplateId),
        /// The attribute of that name itself.
        Attribute(id: AttributeId),
    }
}

record! {
    /// A stored attribute that is made of others.
    Template {
        /// The stored attribute.
        name: Arc<str>,
        /// Its pieces.
        pieces: Vec<program::Piece>,
        /// When it is present.
        when: Option<program::Expr>,
        /// The characters that `escape` encodes.
        delimiters: Vec<char>,
    }
}

cases! {
    /// A piece of a template.
    Piece {
        /// Text as it is.
        Literal(text: String),
        /// The text of an attribute.
        Slot {
            /// The attribute.
            attribute: AttributeId,
            /// How its text is made.
            format: Option<SlotFormat>,
        },
    }
}

record! {
    /// Attributes that together are unique.
    Unique {
        /// The attributes.
        attributes: Vec<AttributeId>,
        /// Only among these items.
        when: Option<program::Expr>,
        /// The error.
        error: Option<ErrorId>,
        /// Its place among the clauses of the entity.
        place: usize,
        /// Whether no earlier clause has the same attributes.
        is_first: bool,
        /// The name of its guards, after the entity.
        guard: Arc<str>,
    }
}

record! {
    /// The conditions that always hold.
    Check {
        /// The condition.
        condition: program::Expr,
        /// The error.
        error: Option<ErrorId>,
    }
}

record! {
    /// Whose an item is.
    Tenant {
        /// The attribute that names the owner.
        attribute: AttributeId,
        /// The part of the caller that it must equal.
        of_caller: Option<AttributeId>,
    }
}

record! {
    /// A state machine.
    States {
        /// The attribute, and the way into it.
        path: program::Path,
        /// The moves.
        transitions: Vec<program::Transition>,
        /// The fields that are written on entry.
        enters: Vec<program::Enter>,
    }
}

record! {
    /// A move from some states to others.
    Transition {
        /// Before.
        from: Vec<Arc<str>>,
        /// After.
        to: Vec<Arc<str>>,
        /// Further conditions.
        condition: Option<program::Expr>,
    }
}

record! {
    /// The fields that are written on entering some states.
    Enter {
        /// The states.
        states: Vec<Arc<str>>,
        /// The fields that are written.
        fields: Vec<program::Field>,
    }
}

record! {
    /// An attribute of an item, and the way into it.
    Path {
        /// The attribute.
        attribute: AttributeId,
        /// Names of members, from the outside in.
        inside: Vec<Arc<str>>,
        /// The type of what is at its end.
        ty: Arc<Type>,
    }
}
