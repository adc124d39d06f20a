//! Attributes on the wire.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::form::{Unreadable, Wire, cases, record};
use super::pool::{Reading, Writing};
use crate::program::{self, AttributeId, EntityId, Type};

record! {
    /// An attribute.
    Attribute {
        /// Its name.
        name: Arc<str>,
        /// Its type.
        ty: Arc<Type>,
        /// Whether it may be absent.
        optional: bool,
        /// Its annotations.
        flags: program::Flags,
        /// How its text is normalised, in order.
        normalize: Vec<program::Normalize>,
        /// The name of the key that it is encrypted under.
        encrypted: Option<Vec<program::AliasPiece>>,
        /// Its target.
        reference: Option<program::Reference>,
        /// The entities whose items it counts.
        counts: Vec<EntityId>,
        /// The expression that fills it.
        fill: Option<program::Fill>,
        /// When it is present.
        when: Option<program::Expr>,
    }
    places { span }
}

record! {
    /// Annotations without arguments.
    Flags {
        /// It never changes after creation.
        immutable: bool,
        /// It is given or made, and never stored.
        transient: bool,
        /// It is computed when it is read.
        computed: bool,
        /// It is in no answer unless selected.
        secret: bool,
        /// It is the design's own affair: in no answer unless selected.
        internal: bool,
        /// It is only counted up or down.
        counter: bool,
        /// It counts the changes of its item.
        version: bool,
        /// Null is a value of it.
        null: bool,
    }
}

cases! {
    /// One step of normalising text.
    Normalize {
        /// Without white space around it.
        Trim,
        /// Lower case.
        Lower,
        /// Upper case.
        Upper,
    }
}

cases! {
    /// A piece of the name of an encryption key.
    AliasPiece {
        /// Text as it is.
        Literal(text: String),
        /// The text of an attribute.
        Slot(id: AttributeId),
    }
}

record! {
    /// A reference to an attribute of another entity.
    Reference {
        /// The entity.
        entity: EntityId,
        /// Its attribute.
        attribute: AttributeId,
        /// Whether the item goes with the one it points to.
        cascades: bool,
    }
}

record! {
    /// The value that fills an attribute.
    Fill {
        /// Whether it is derived for ever, rather than filled at creation.
        derived: bool,
        /// The value.
        value: program::Expr,
    }
}
