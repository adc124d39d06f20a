//! What an expression is known to be, and when one thing can be used as another.
//!
//! `Unknown` agrees with everything: one mistake is reported once, where it was made.

use crate::model::*;

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum Ty<'a> {
    /// Nothing is known, or something was already reported.
    Unknown,
    /// A value of a declared type.
    Is(&'a Type),
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
    /// A point in time, in whatever form.
    Time,
    /// A day.
    Date,
    /// A month.
    Month,
    /// An item, with all its attributes.
    Item(&'a Entity),
    /// Several of something.
    List(Box<Ty<'a>>),
    /// A map written in place.
    Map,
    /// Whoever calls.
    Caller,
    /// `absent` or `null`.
    Nothing,
}

/// What matters when two things are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Any,
    Text,
    Number,
    Duration,
    Bool,
    Bytes,
    Time,
    Date,
    Month,
    Word,
    List,
    Record,
}

impl<'a> Ty<'a> {
    /// A value of a declared type. JSON text is read as what it holds.
    pub(super) fn of(ty: &'a Type) -> Ty<'a> {
        match ty {
            Type::Undeclared | Type::Any { .. } => Ty::Unknown,
            Type::Json { of } => Ty::of(of),
            other => Ty::Is(other),
        }
    }

    /// Its kind.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Ty::Unknown | Ty::Nothing => Kind::Any,
            Ty::Is(ty) => kind(ty),
            Ty::Literal | Ty::Text => Kind::Text,
            Ty::Number => Kind::Number,
            Ty::Duration => Kind::Duration,
            Ty::Bool => Kind::Bool,
            Ty::Time => Kind::Time,
            Ty::Date => Kind::Date,
            Ty::Month => Kind::Month,
            Ty::List(_) => Kind::List,
            Ty::Item(_) | Ty::Map | Ty::Caller => Kind::Record,
        }
    }

    /// What an element is, if it has elements.
    pub(super) fn element(&self) -> Option<Ty<'a>> {
        match self {
            Ty::Unknown => Some(Ty::Unknown),
            Ty::List(of) => Some((**of).clone()),
            Ty::Is(Type::List { of, .. } | Type::Set { of, .. }) => Some(Ty::of(of)),
            _ => None,
        }
    }

    /// What it is called in a message, with its article.
    pub(super) fn named(&self) -> String {
        match self {
            Ty::Literal | Ty::Text => "text".to_owned(),
            other => article(&other.describe()),
        }
    }

    /// What it is called in a message.
    pub(super) fn describe(&self) -> String {
        match self {
            Ty::Unknown => "unknown".to_owned(),
            Ty::Is(ty) => ty.describe(),
            Ty::Literal | Ty::Text => "text".to_owned(),
            Ty::Number => "number".to_owned(),
            Ty::Duration => "duration".to_owned(),
            Ty::Bool => "bool".to_owned(),
            Ty::Time => "time".to_owned(),
            Ty::Date => "date".to_owned(),
            Ty::Month => "month".to_owned(),
            Ty::Item(entity) => entity.name.text.clone(),
            Ty::List(of) => format!("list({})", of.describe()),
            Ty::Map => "map".to_owned(),
            Ty::Caller => "caller".to_owned(),
            Ty::Nothing => "absent".to_owned(),
        }
    }
}

/// The kind of a declared type.
pub(super) fn kind(ty: &Type) -> Kind {
    match ty {
        Type::Undeclared | Type::Any { .. } => Kind::Any,
        Type::String { .. } | Type::Id { .. } | Type::Token { .. } => Kind::Text,
        Type::Int { .. } | Type::Decimal { .. } => Kind::Number,
        Type::Bool => Kind::Bool,
        Type::Bytes { .. } => Kind::Bytes,
        Type::Time { .. } => Kind::Time,
        Type::Date => Kind::Date,
        Type::Month => Kind::Month,
        Type::Json { of } => kind(of),
        Type::Enum { .. } => Kind::Word,
        Type::List { .. } | Type::Set { .. } => Kind::List,
        Type::Map { .. } | Type::Object { .. } | Type::Record { .. } | Type::Input { .. } => Kind::Record,
    }
}

/// Whether two values can be equal or not at all.
pub(super) fn comparable(left: &Ty<'_>, right: &Ty<'_>) -> bool {
    use Kind::{Any, Bytes, Date, Duration, Month, Number, Text, Time, Word};
    // A time may be written as text; text that is computed is not one.
    let written = |ty: &Ty<'_>| matches!(ty, Ty::Literal);
    match (left.kind(), right.kind()) {
        (Any, _) | (_, Any) => true,
        (a, b) if a == b => true,
        (Text, Word | Bytes) | (Word | Bytes, Text) | (Number, Duration) | (Duration, Number) => true,
        (Time | Date | Month, Text) => written(right),
        (Text, Time | Date | Month) => written(left),
        _ => false,
    }
}

/// Whether values of a kind have an order that DynamoDB can use.
pub(super) fn ordered(kind: Kind) -> bool {
    !matches!(kind, Kind::Bool | Kind::Word | Kind::List | Kind::Record)
}

/// Whether a value can be stored where a type is declared.
pub(super) fn fits(target: &Type, given: &Ty<'_>) -> bool {
    let kind_of = given.kind();
    if kind_of == Kind::Any {
        return true;
    }
    match target {
        Type::Undeclared | Type::Any { .. } => true,
        Type::String { .. } | Type::Token { .. } => matches!(kind_of, Kind::Text | Kind::Word),
        // Two formats of one id are two ids; free text is checked when it arrives.
        Type::Id { .. } => match given {
            Ty::Is(other @ (Type::Id { .. } | Type::Token { .. })) => target == *other,
            _ => kind_of == Kind::Text,
        },
        Type::Int { .. } => match given {
            Ty::Is(Type::Decimal { scale, .. }) => *scale == 0,
            _ => matches!(kind_of, Kind::Number | Kind::Duration),
        },
        Type::Decimal { .. } => matches!(kind_of, Kind::Number | Kind::Duration),
        Type::Bytes { .. } => matches!(kind_of, Kind::Bytes | Kind::Text),
        Type::Json { of } => fits(of, given) || kind_of == Kind::Text,
        Type::Enum { members, open, .. } => match given {
            Ty::Is(Type::Enum { members: others, open: wide, .. }) => {
                *open || (!wide && others.iter().all(|other| members.contains(other)))
            }
            _ => *open && kind_of == Kind::Text,
        },
        Type::List { of, .. } | Type::Set { of, .. } => given.element().is_some_and(|each| fits(of, &each)),
        Type::Map { .. } | Type::Object { .. } => kind_of == Kind::Record,
        Type::Record { name } => match given {
            Ty::Is(Type::Record { name: other }) => name == other,
            _ => kind_of == Kind::Record,
        },
        Type::Input { entity, .. } => match given {
            Ty::Item(item) => item.name.is(entity),
            Ty::Is(Type::Input { entity: other, .. }) => entity == other,
            _ => kind_of == Kind::Record,
        },
        Type::Bool | Type::Time { .. } | Type::Date | Type::Month => kind(target) == kind_of,
    }
}

/// With its article: "an int", "a bool".
pub(super) fn article(what: &str) -> String {
    // "a uuid", "a url": a word that begins with u is spoken with a consonant here.
    let vowel = what.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']);
    format!("{} {what}", if vowel { "an" } else { "a" })
}
