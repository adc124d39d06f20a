//! Types with their names resolved: what values are allowed, and how DynamoDB stores them.

use std::sync::Arc;

use super::{Attributes, EntityId, EnumId, Expr, ObjectId, Program};
use crate::model::{IdBody, InputKind, Stored, StringFormat, TimeUnit};

/// The type of an attribute or parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Type {
    /// Nothing declares it.
    #[default]
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
        of: Arc<Type>,
    },
    /// One of a list of words.
    Enum(Arc<Words>),
    /// A list.
    List {
        /// The type of an element.
        of: Arc<Type>,
        /// The most elements.
        max: Option<u64>,
    },
    /// A map from strings.
    Map {
        /// The type of a value.
        of: Arc<Type>,
        /// The most entries.
        max: Option<u64>,
    },
    /// A set of strings, numbers or bytes.
    Set {
        /// The type of an element.
        of: Arc<Type>,
        /// The most elements.
        max: Option<u64>,
    },
    /// A map with known attributes: a record, or an object type written in place.
    Object(ObjectId),
    /// `new(E)`, `patch(E)` or `key(E)`.
    Input {
        /// The kind of input.
        of: InputKind,
        /// The entity.
        entity: EntityId,
    },
}

/// The words of an enum or of a union written in place.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// The declared enum; none for a union written in place.
    pub declared: Option<EnumId>,
    /// The words.
    pub words: Vec<Arc<str>>,
    /// Whether other words are accepted too.
    pub open: bool,
}

/// A declared enum: its words and the constants that they carry.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// Its name.
    pub name: Arc<str>,
    /// Its words.
    pub words: Vec<Word>,
}

/// A word of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// The word.
    pub name: Arc<str>,
    /// The constants that it carries, by name.
    pub constants: Vec<(Arc<str>, Expr)>,
}

/// A record, or an object type written in place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    /// The name of the record; none for an object written in place.
    pub name: Option<Arc<str>>,
    /// Its attributes.
    pub attributes: Attributes,
}

impl Words {
    /// Whether a text is one of them, or accepted as another.
    pub fn accept(&self, text: &str) -> bool {
        self.has(text) || (self.open && !text.is_empty() && text.len() <= 256)
    }

    /// Whether a text is one of them.
    pub fn has(&self, text: &str) -> bool {
        self.words.iter().any(|word| **word == *text)
    }

    /// The words with commas.
    pub fn join(&self, separator: &str) -> String {
        self.words.join(separator)
    }
}

impl Type {
    /// JSON text is written, compared and read as what it holds.
    pub fn content(&self) -> &Type {
        let mut ty = self;
        while let Type::Json { of } = ty {
            ty = of;
        }
        ty
    }

    /// DynamoDB's type of a value.
    pub fn stored(&self) -> Stored {
        match self {
            Type::String { .. } | Type::Id { .. } | Type::Token { .. } | Type::Date | Type::Month => {
                Stored::S
            }
            Type::Json { .. } | Type::Enum(_) => Stored::S,
            Type::Time { unit: TimeUnit::Iso | TimeUnit::IsoSeconds } => Stored::S,
            Type::Time { .. } | Type::Int { .. } | Type::Decimal { .. } => Stored::N,
            Type::Bool => Stored::Bool,
            Type::Bytes { .. } => Stored::B,
            Type::List { .. } => Stored::L,
            Type::Map { .. } | Type::Object(_) | Type::Input { .. } => Stored::M,
            Type::Set { of, .. } => match of.stored() {
                Stored::N => Stored::Ns,
                Stored::B => Stored::Bs,
                _ => Stored::Ss,
            },
            Type::Any { .. } | Type::Unknown => Stored::Any,
        }
    }

    /// Whether stored text, numbers and Booleans are the values themselves.
    pub fn is_plain(&self) -> bool {
        !matches!(self, Type::Time { .. } | Type::Json { .. })
    }

    /// Whether it is a point in time, a day or a month.
    pub fn is_temporal(&self) -> bool {
        matches!(self, Type::Time { .. } | Type::Date | Type::Month)
    }

    /// The number of different values, where it is small enough to matter.
    pub fn cardinality(&self) -> Option<u64> {
        match self {
            Type::Bool => Some(2),
            Type::Enum(words) => Some(words.words.len() as u64),
            Type::Int { min: Some(min), max: Some(max) } if max >= min => {
                Some(max.abs_diff(*min).saturating_add(1))
            }
            _ => None,
        }
    }

    /// The name of the type in messages.
    pub fn describe(&self, program: &Program) -> String {
        match self {
            Type::Unknown => "undeclared".to_owned(),
            Type::String { format, .. } => format.word().to_owned(),
            Type::Id { prefix, body } if prefix.is_empty() => body.describe(),
            Type::Id { prefix, body } => format!("id(\"{prefix}\", {})", body.describe()),
            Type::Token { .. } => "token".to_owned(),
            Type::Int { .. } => "int".to_owned(),
            Type::Decimal { .. } => "decimal".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Bytes { .. } => "bytes".to_owned(),
            Type::Time { unit } => unit.describe().to_owned(),
            Type::Date => "date".to_owned(),
            Type::Month => "month".to_owned(),
            Type::Json { .. } => "json".to_owned(),
            Type::Enum(words) => match words.declared.and_then(|id| program.enums.get(id)) {
                Some(declared) => declared.name.to_string(),
                None => words.join(" | "),
            },
            Type::List { of, .. } => format!("list({})", of.describe(program)),
            Type::Map { of, .. } => format!("map({})", of.describe(program)),
            Type::Set { of, .. } => format!("set({})", of.describe(program)),
            Type::Object(id) => match program.objects.get(*id).and_then(|object| object.name.as_ref()) {
                Some(name) => name.to_string(),
                None => "{...}".to_owned(),
            },
            Type::Any { .. } => "any".to_owned(),
            Type::Input { of, entity } => {
                let entity = program.entities.get(*entity).map(|entity| &*entity.name).unwrap_or_default();
                format!("{}({entity})", of.word())
            }
        }
    }
}
