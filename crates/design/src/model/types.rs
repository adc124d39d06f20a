//! Types of attributes: what values are allowed, and how DynamoDB stores them.

use super::{Attribute, Expr, Name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sortkey_diagnostics::Span;

/// The type of an attribute or parameter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Type {
    /// Nothing was written (a reference supplies the type), or what was written is unknown.
    #[default]
    Undeclared,
    /// Text.
    String {
        /// The format of the text.
        format: StringFormat,
        /// The fewest characters.
        min: u64,
        /// The most characters.
        max: Option<u64>,
    },
    /// A generated identifier with an optional prefix.
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
        of: Box<Type>,
    },
    /// One of a list of words.
    Enum {
        /// The declared enum, or none for a union written in place.
        name: Option<String>,
        /// The words.
        members: Vec<String>,
        /// Whether other words are accepted too.
        open: bool,
    },
    /// A list.
    List {
        /// The type of an element.
        of: Box<Type>,
        /// The most elements.
        max: Option<u64>,
    },
    /// A map from strings.
    Map {
        /// The type of a value.
        of: Box<Type>,
        /// The most entries.
        max: Option<u64>,
    },
    /// A set of strings, numbers or bytes.
    Set {
        /// The type of an element.
        of: Box<Type>,
        /// The most elements.
        max: Option<u64>,
    },
    /// A map with known attributes.
    Object {
        /// The attributes.
        attributes: Vec<Attribute>,
    },
    /// A declared record.
    Record {
        /// Its name.
        name: String,
    },
    /// Anything.
    Any {
        /// The most bytes.
        max: Option<u64>,
    },
    /// The input of an entity's creation, a patch of it, or its key (`new(E)`, `patch(E)`, `key(E)`).
    Input {
        /// The kind of input.
        of: InputKind,
        /// The entity.
        entity: String,
    },
}

/// The format of a string.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StringFormat {
    #[default]
    Plain,
    Slug,
    Email,
    Url,
    Cron,
    Matching(String),
}

/// The generated part of an id.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdBody {
    Uuid,
    Ulid,
    Nanoid(u64),
}

/// How a time is stored.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    Iso,
    IsoSeconds,
    Milliseconds,
    Seconds,
    /// A parameter that takes any of them.
    Unstated,
}

/// The three record types that an entity gives.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    New,
    Patch,
    Key,
    /// A whole item, as a worker receives it.
    Item,
}

/// DynamoDB's type of a stored attribute.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Stored {
    S,
    N,
    B,
    Bool,
    L,
    M,
    Ss,
    Ns,
    Bs,
    /// Any value.
    Any,
}

/// `enum Plan { free (retention: 24h) ... }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Enum {
    /// Its name.
    pub name: Name,
    /// Its members.
    pub members: Vec<Member>,
    /// The span of `...`.
    #[serde(skip)]
    pub open_span: Option<Span>,
    /// Whether other words are accepted.
    pub open: bool,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

/// A member of an enum with its constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    /// Its name.
    pub name: Name,
    /// Its constants.
    pub constants: Vec<(Name, Expr)>,
}

/// `record Rule { ... }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Its name.
    pub name: Name,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
}

impl Type {
    /// Whether the type is still unknown.
    pub fn is_undeclared(&self) -> bool {
        matches!(self, Type::Undeclared)
    }

    /// DynamoDB's type of a value.
    pub fn stored(&self) -> Stored {
        match self {
            Type::String { .. } | Type::Id { .. } | Type::Token { .. } | Type::Date | Type::Month => {
                Stored::S
            }
            Type::Json { .. } | Type::Enum { .. } => Stored::S,
            Type::Time { unit: TimeUnit::Iso | TimeUnit::IsoSeconds } => Stored::S,
            Type::Time { .. } | Type::Int { .. } | Type::Decimal { .. } => Stored::N,
            Type::Bool => Stored::Bool,
            Type::Bytes { .. } => Stored::B,
            Type::List { .. } => Stored::L,
            Type::Map { .. } | Type::Object { .. } | Type::Record { .. } | Type::Input { .. } => Stored::M,
            Type::Set { of, .. } => match of.stored() {
                Stored::N => Stored::Ns,
                Stored::B => Stored::Bs,
                _ => Stored::Ss,
            },
            Type::Any { .. } | Type::Undeclared => Stored::Any,
        }
    }

    /// Whether values are points in time, days or months.
    pub fn is_temporal(&self) -> bool {
        matches!(self, Type::Time { .. } | Type::Date | Type::Month)
    }

    /// Whether text made from values sorts as the values do: fixed width, or the natural order of text.
    pub fn text_keeps_order(&self) -> bool {
        match self {
            Type::Int { min: Some(min), max: Some(max) } => *min >= 0 && digits(*min) == digits(*max),
            Type::Int { .. } | Type::Decimal { .. } => false,
            // Milliseconds are written with thirteen digits, seconds with ten.
            _ => true,
        }
    }

    /// The number of different values, where it is small enough to matter.
    pub fn cardinality(&self) -> Option<u64> {
        match self {
            Type::Bool => Some(2),
            Type::Enum { members, .. } => Some(members.len() as u64),
            Type::Int { min: Some(min), max: Some(max) } if max >= min => {
                Some(max.abs_diff(*min).saturating_add(1))
            }
            _ => None,
        }
    }

    /// The name of the type in messages.
    pub fn describe(&self) -> String {
        match self {
            Type::Undeclared => "undeclared".to_owned(),
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
            Type::Enum { name: Some(name), .. } => name.clone(),
            Type::Enum { members, .. } => members.join(" | "),
            Type::List { of, .. } => format!("list({})", of.describe()),
            Type::Map { of, .. } => format!("map({})", of.describe()),
            Type::Set { of, .. } => format!("set({})", of.describe()),
            Type::Object { .. } => "{...}".to_owned(),
            Type::Record { name } => name.clone(),
            Type::Any { .. } => "any".to_owned(),
            Type::Input { of, entity } => format!("{}({entity})", of.word()),
        }
    }
}

impl StringFormat {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            StringFormat::Plain => "string",
            StringFormat::Slug => "slug",
            StringFormat::Email => "email",
            StringFormat::Url => "url",
            StringFormat::Cron => "cron",
            StringFormat::Matching(_) => "matching",
        }
    }
}

impl InputKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            InputKind::New => "new",
            InputKind::Patch => "patch",
            InputKind::Key => "key",
            InputKind::Item => "item",
        }
    }
}

impl IdBody {
    pub(crate) fn describe(self) -> String {
        match self {
            IdBody::Uuid => "uuid".to_owned(),
            IdBody::Ulid => "ulid".to_owned(),
            IdBody::Nanoid(length) => format!("nanoid {length}"),
        }
    }
}

impl TimeUnit {
    /// How the type is written.
    pub fn describe(self) -> &'static str {
        match self {
            TimeUnit::Iso => "time(iso)",
            TimeUnit::IsoSeconds => "time(iso_s)",
            TimeUnit::Milliseconds => "time(ms)",
            TimeUnit::Seconds => "time(s)",
            TimeUnit::Unstated => "time",
        }
    }
}

fn digits(number: i64) -> u32 {
    number.unsigned_abs().checked_ilog10().unwrap_or(0) + 1
}
