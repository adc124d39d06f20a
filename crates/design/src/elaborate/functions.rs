//! The functions of the language: their arguments and results.

use crate::program::{Function, Kind, Ty};

/// The kind of value that an argument may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// Anything.
    Any,
    /// Text, or anything that is stored as text.
    Text,
    /// A number.
    Number,
    /// A time or a day.
    Time,
    /// Text or a list, which have a beginning and an end.
    Sequence,
    /// A list or a set.
    List,
    /// A map, such as the headers of a request.
    Map,
    /// Something with a size: text, bytes, a list, a set or a map.
    Sized,
}

/// The kind of value that a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    Text,
    Number,
    Bool,
    Time,
    Duration,
    Bytes,
    Map,
    Date,
    Month,
    /// The type of its first argument.
    First,
    /// The first of its arguments whose type is known.
    Known,
}

/// The arguments of a function, whether the last one may be repeated, and the kind of its result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) takes: &'static [Takes],
    pub(super) more: bool,
    /// How many of the last arguments may be left out.
    pub(super) optional: usize,
    pub(super) gives: Gives,
}

/// The shape of a function.
pub(super) fn shape(function: Function) -> Shape {
    use Takes::{Any, List, Map, Number, Sequence, Sized, Text, Time};
    let (takes, more, gives): (&'static [Takes], bool, Gives) = match function {
        Function::Sha256 | Function::Bcrypt => (&[Text], false, Gives::Text),
        Function::Lower | Function::Upper | Function::Trim | Function::Slug => (&[Text], false, Gives::Text),
        Function::Hmac => (&[Text, Text], false, Gives::Text),
        Function::Hash => (&[Any], false, Gives::Number),
        Function::Random | Function::Floor | Function::Round => (&[Number], false, Gives::Number),
        Function::First | Function::Last => (&[Sequence, Number], false, Gives::First),
        Function::Concat => (&[Text], true, Gives::Text),
        Function::ReplacePrefix => (&[Text, Text, Text], false, Gives::Text),
        Function::Size => (&[Sized], false, Gives::Number),
        Function::Count | Function::Sum => (&[List], false, Gives::Number),
        Function::Max | Function::Min | Function::Coalesce => (&[Any], true, Gives::Known),
        Function::Date => (&[Time], false, Gives::Date),
        Function::Month => (&[Time], false, Gives::Month),
        Function::CronNext => (&[Text, Time, Text], false, Gives::Time),
        Function::Matches | Function::Totp | Function::Same => (&[Text, Text], false, Gives::Bool),
        Function::Verified => (&[Text, Any, Map, Text, Text], false, Gives::Bool),
        Function::DeliveryId => (&[Text, Map, Text], false, Gives::Text),
        Function::StandardWebhook => (&[Text, Any, Text], false, Gives::Map),
        Function::Passes => (&[Any, Map, Text], false, Gives::Bool),
        Function::Transformed => (&[Any, Map, Text], false, Gives::Bytes),
        Function::TransformedHeaders => (&[Any, Map, Text], false, Gives::Map),
        Function::RetryDelay => (&[Number, List, Number], false, Gives::Duration),
        Function::PeriodStart => (&[Time, Number], false, Gives::Date),
        Function::Csv => (&[List, Text], true, Gives::Text),
        Function::RepeatNext => (&[Time, Text, Time, Text], false, Gives::Time),
        Function::Hour => (&[Time, Text], false, Gives::Text),
        Function::Base32 => (&[Text], false, Gives::Text),
        Function::ToJson => (&[Any], false, Gives::Text),
    };
    let optional = match function {
        Function::CronNext | Function::Verified | Function::RepeatNext | Function::Hour => 1,
        Function::RetryDelay => 2,
        _ => 0,
    };
    Shape { takes, more, optional, gives }
}

/// The function of that name.
pub(super) fn named(name: &str) -> Option<Function> {
    Function::ALL.iter().copied().find(|function| function.word() == name)
}

impl Takes {
    /// Whether an argument is accepted.
    pub(super) fn accepts(self, given: &Ty) -> bool {
        let kind = given.kind();
        match self {
            Takes::Any => true,
            _ if kind == Kind::Any => true,
            Takes::Text => {
                matches!(kind, Kind::Text | Kind::Word | Kind::Date | Kind::Month | Kind::Bytes)
            }
            Takes::Number => matches!(kind, Kind::Number | Kind::Duration),
            Takes::Time => matches!(kind, Kind::Time | Kind::Date),
            Takes::Sequence => matches!(kind, Kind::Text | Kind::List | Kind::Word),
            Takes::List => kind == Kind::List,
            Takes::Map => kind == Kind::Record,
            Takes::Sized => matches!(kind, Kind::Text | Kind::Bytes | Kind::List | Kind::Record),
        }
    }

    /// Its name in messages.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Takes::Any => "anything",
            Takes::Text => "text",
            Takes::Number => "a number",
            Takes::Time => "a time",
            Takes::Sequence => "text or a list",
            Takes::List => "a list",
            Takes::Map => "a map",
            Takes::Sized => "text, bytes, a list, a set or a map",
        }
    }
}
