//! The types of expressions.
//!
//! `Unknown` agrees with everything: one mistake is reported once, where it was made.

use std::sync::Arc;

use super::{EntityId, Program, Type};
use crate::model::InputKind;

/// The kinds of expressions.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Ty {
    /// Nothing is known, or something was already reported.
    #[default]
    Unknown,
    /// A value of a declared type.
    Is(Arc<Type>),
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
    Item(EntityId),
    /// Several of something.
    List(Arc<Ty>),
    /// A map written in place.
    Map,
    /// The caller.
    Caller,
    /// `absent` or `null`.
    Nothing,
}

/// The kinds of values, as far as comparisons distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
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

impl Ty {
    /// A value of a declared type. JSON text is read as what it holds.
    pub fn of(ty: &Arc<Type>) -> Ty {
        match &**ty {
            Type::Unknown | Type::Any { .. } => Ty::Unknown,
            Type::Json { of } => Ty::of(of),
            Type::Input { of: InputKind::Item, entity } => Ty::Item(*entity),
            _ => Ty::Is(Arc::clone(ty)),
        }
    }

    /// The declared type, if it has one.
    pub fn declared(&self) -> Option<&Type> {
        match self {
            Ty::Is(ty) => Some(ty),
            _ => None,
        }
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
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

    /// The type of an element, if it has elements.
    pub fn element(&self) -> Option<Ty> {
        match self {
            Ty::Unknown => Some(Ty::Unknown),
            Ty::List(of) => Some((**of).clone()),
            Ty::Is(ty) => match &**ty {
                Type::List { of, .. } | Type::Set { of, .. } => Some(Ty::of(of)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Its name in messages, with its article.
    pub fn named(&self, program: &Program) -> String {
        match self {
            Ty::Literal | Ty::Text => "text".to_owned(),
            other => article(&other.describe(program)),
        }
    }

    /// Its name in messages.
    pub fn describe(&self, program: &Program) -> String {
        match self {
            Ty::Unknown => "unknown".to_owned(),
            Ty::Is(ty) => ty.describe(program),
            Ty::Literal | Ty::Text => "text".to_owned(),
            Ty::Number => "number".to_owned(),
            Ty::Duration => "duration".to_owned(),
            Ty::Bool => "bool".to_owned(),
            Ty::Time => "time".to_owned(),
            Ty::Date => "date".to_owned(),
            Ty::Month => "month".to_owned(),
            Ty::Item(entity) => {
                program.entities.get(*entity).map_or_else(String::new, |it| it.name.to_string())
            }
            Ty::List(of) => format!("list({})", of.describe(program)),
            Ty::Map => "map".to_owned(),
            Ty::Caller => "caller".to_owned(),
            Ty::Nothing => "absent".to_owned(),
        }
    }
}

/// The kind of a declared type.
pub(crate) fn kind(ty: &Type) -> Kind {
    match ty {
        Type::Unknown | Type::Any { .. } => Kind::Any,
        Type::String { .. } | Type::Id { .. } | Type::Token { .. } => Kind::Text,
        Type::Int { .. } | Type::Decimal { .. } => Kind::Number,
        Type::Bool => Kind::Bool,
        Type::Bytes { .. } => Kind::Bytes,
        Type::Time { .. } => Kind::Time,
        Type::Date => Kind::Date,
        Type::Month => Kind::Month,
        Type::Json { of } => kind(of),
        Type::Enum(_) => Kind::Word,
        Type::List { .. } | Type::Set { .. } => Kind::List,
        Type::Map { .. } | Type::Object(_) | Type::Input { .. } => Kind::Record,
    }
}

/// Whether two values can be equal or not at all.
pub(crate) fn comparable(left: &Ty, right: &Ty) -> bool {
    use Kind::{Any, Bytes, Date, Duration, Month, Number, Text, Time, Word};
    // A time may be written as text; text that is computed is not one.
    let written = |ty: &Ty| matches!(ty, Ty::Literal);
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
pub(crate) fn ordered(kind: Kind) -> bool {
    !matches!(kind, Kind::Bool | Kind::Word | Kind::List | Kind::Record)
}

/// Whether a value can be stored where a type is declared.
pub(crate) fn fits(target: &Type, given: &Ty) -> bool {
    let kind_of = given.kind();
    if kind_of == Kind::Any {
        return true;
    }
    match target {
        Type::Unknown | Type::Any { .. } => true,
        Type::String { .. } | Type::Token { .. } => matches!(kind_of, Kind::Text | Kind::Word),
        // Two formats of one id are two ids; free text is checked when it arrives.
        Type::Id { .. } => match given.declared() {
            Some(other @ (Type::Id { .. } | Type::Token { .. })) => target == other,
            _ => kind_of == Kind::Text,
        },
        Type::Int { .. } => match given.declared() {
            Some(Type::Decimal { scale, .. }) => *scale == 0,
            _ => matches!(kind_of, Kind::Number | Kind::Duration),
        },
        Type::Decimal { .. } => matches!(kind_of, Kind::Number | Kind::Duration),
        Type::Bytes { .. } => matches!(kind_of, Kind::Bytes | Kind::Text),
        Type::Json { of } => fits(of, given) || kind_of == Kind::Text,
        Type::Enum(words) => match given.declared() {
            Some(Type::Enum(others)) => {
                words.open || (!others.open && others.words.iter().all(|other| words.has(other)))
            }
            _ => words.open && kind_of == Kind::Text,
        },
        Type::List { of, .. } | Type::Set { of, .. } => given.element().is_some_and(|each| fits(of, &each)),
        Type::Map { .. } => kind_of == Kind::Record,
        Type::Object(_) => match given.declared() {
            Some(Type::Object(_)) => given.declared() == Some(target),
            _ => kind_of == Kind::Record,
        },
        Type::Input { entity, .. } => match given {
            Ty::Item(item) => item == entity,
            _ => match given.declared() {
                Some(Type::Input { entity: other, .. }) => entity == other,
                _ => kind_of == Kind::Record,
            },
        },
        Type::Bool | Type::Time { .. } | Type::Date | Type::Month => kind(target) == kind_of,
    }
}

/// With its article: "an int", "a bool".
pub(crate) fn article(what: &str) -> String {
    // "a uuid", "a url": a word that begins with u is spoken with a consonant here.
    let vowel = what.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']);
    format!("{} {what}", if vowel { "an" } else { "a" })
}
