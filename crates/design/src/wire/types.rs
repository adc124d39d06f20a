//! Types on the wire.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::attributes::Attribute;
use super::form::{Unreadable, Wire, cases, record};
use super::pool::{Reading, Writing};
use crate::model::{IdBody, InputKind, StringFormat, TimeUnit};
use crate::program::{self, Attributes, EntityId, EnumId, ObjectId};

cases! {
    /// The type of an attribute or parameter.
    Type {
        /// Nothing declares it.
        Unknown,
        /// Anything, of at most so many bytes.
        Any {
            /// The most bytes.
            max: Option<u64>,
        },
        /// Text.
        String {
            /// The format of the text.
            format: StringFormat,
            /// The fewest characters.
            min: u64,
            /// The most characters.
            max: Option<u64>,
        },
        /// A generated identifier.
        Id {
            /// Written before the generated part.
            prefix: String,
            /// The generated part.
            body: IdBody,
        },
        /// A random secret.
        Token {
            /// Written before the random part.
            prefix: String,
            /// The number of random characters.
            length: u64,
        },
        /// An integer.
        Int {
            /// The least.
            min: Option<i64>,
            /// The greatest.
            max: Option<i64>,
        },
        /// A decimal number with a fixed scale.
        Decimal {
            /// Digits in all.
            digits: u64,
            /// Digits behind the point.
            scale: u64,
        },
        /// True or false.
        Bool,
        /// Raw bytes.
        Bytes {
            /// The most bytes.
            max: Option<u64>,
        },
        /// A point in time.
        Time {
            /// How it is stored.
            unit: TimeUnit,
        },
        /// A day, `YYYY-MM-DD`.
        Date,
        /// A month, `YYYY-MM`.
        Month,
        /// JSON text of another type, in a string.
        Json {
            /// The type of the content.
            of: Arc<program::Type>,
        },
        /// One of a list of words.
        Enum(words: Arc<program::Words>),
        /// A list.
        List {
            /// The type of an element.
            of: Arc<program::Type>,
            /// The most elements.
            max: Option<u64>,
        },
        /// A map from strings.
        Map {
            /// The type of a value.
            of: Arc<program::Type>,
            /// The most entries.
            max: Option<u64>,
        },
        /// A set of strings, numbers or bytes.
        Set {
            /// The type of an element.
            of: Arc<program::Type>,
            /// The most elements.
            max: Option<u64>,
        },
        /// A map with known attributes.
        Object(id: ObjectId),
        /// `new(E)`, `patch(E)` or `key(E)`.
        Input {
            /// The kind of input.
            of: InputKind,
            /// The entity.
            entity: EntityId,
        },
    }
}

record! {
    /// The words of an enum or of a union written in place.
    Words {
        /// The declared enum; none for a union written in place.
        declared: Option<EnumId>,
        /// The words.
        words: Vec<Arc<str>>,
        /// Whether other words are accepted too.
        open: bool,
    }
}

impl Wire for Arc<program::Words> {
    type Form = Words;

    fn write(&self, out: &mut Writing) -> Words {
        (**self).write(out)
    }

    fn read(json: &Json, from: &Reading) -> Result<Self, Unreadable> {
        program::Words::read(json, from).map(Arc::new)
    }
}

record! {
    /// A declared enum.
    Enum {
        /// Its name.
        name: Arc<str>,
        /// Its words.
        words: Vec<program::Word>,
    }
}

record! {
    /// A word of an enum.
    Word {
        /// The word.
        name: Arc<str>,
        /// The constants that it carries, by name.
        constants: Vec<(Arc<str>, program::Expr)>,
    }
}

record! {
    /// A record, or an object type written in place.
    Object {
        /// The name of the record; none for an object written in place.
        name: Option<Arc<str>>,
        /// Its attributes.
        attributes: Attributes,
    }
}

impl Wire for Attributes {
    type Form = Vec<Attribute>;

    fn write(&self, out: &mut Writing) -> Vec<Attribute> {
        self.iter().map(|each| each.write(out)).collect()
    }

    fn read(json: &Json, from: &Reading) -> Result<Attributes, Unreadable> {
        Wire::read(json, from).map(Attributes::new)
    }
}

cases! {
    /// The type of an expression.
    Ty {
        /// Nothing is known.
        Unknown,
        /// A value of a declared type.
        Is(ty: Arc<program::Type>),
        /// Text written in place.
        Literal,
        /// Text that was computed.
        Text,
        /// A number that was written or computed.
        Number,
        /// A length of time.
        Duration,
        /// A condition.
        Bool,
        /// A point in time.
        Time,
        /// A day.
        Date,
        /// A month.
        Month,
        /// An item, with all its attributes.
        Item(entity: EntityId),
        /// Several of something.
        List(of: Arc<program::Ty>),
        /// A map written in place.
        Map,
        /// The caller.
        Caller,
        /// `absent` or `null`.
        Nothing,
    }
}

impl Wire for Arc<program::Ty> {
    type Form = Box<Ty>;

    fn write(&self, out: &mut Writing) -> Box<Ty> {
        Box::new((**self).write(out))
    }

    fn read(json: &Json, from: &Reading) -> Result<Self, Unreadable> {
        program::Ty::read(json, from).map(Arc::new)
    }
}
