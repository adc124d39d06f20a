//! The functions of the language: what each takes and what it gives.

use super::ty::{Kind, Ty};

/// What an argument may be.
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
    /// Text or a list: what has a beginning and an end.
    Sequence,
    /// A list or a set.
    List,
    /// Something with a size: text, bytes, a list, a set or a map.
    Sized,
}

/// What a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    Text,
    Number,
    Date,
    Month,
    /// The same as its first argument.
    First,
    /// The first of its arguments whose type is known.
    Known,
    /// What the arguments are, all alike.
    Unknown,
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) takes: &'static [Takes],
    /// Whether the last argument may be repeated.
    pub(super) more: bool,
    pub(super) gives: Gives,
}

const fn function(name: &'static str, takes: &'static [Takes], gives: Gives) -> Function {
    Function { name, takes, more: false, gives }
}

const fn variadic(name: &'static str, takes: &'static [Takes], gives: Gives) -> Function {
    Function { name, takes, more: true, gives }
}

/// All of them.
pub(super) const FUNCTIONS: &[Function] = &[
    function("sha256", &[Takes::Text], Gives::Text),
    function("bcrypt", &[Takes::Text], Gives::Text),
    function("hmac", &[Takes::Text, Takes::Text], Gives::Text),
    function("hash", &[Takes::Any], Gives::Number),
    function("random", &[Takes::Number], Gives::Number),
    function("first", &[Takes::Sequence, Takes::Number], Gives::First),
    function("last", &[Takes::Sequence, Takes::Number], Gives::First),
    function("lower", &[Takes::Text], Gives::Text),
    function("upper", &[Takes::Text], Gives::Text),
    function("trim", &[Takes::Text], Gives::Text),
    function("slug", &[Takes::Text], Gives::Text),
    variadic("concat", &[Takes::Text], Gives::Text),
    function("replace_prefix", &[Takes::Text, Takes::Text, Takes::Text], Gives::Text),
    function("size", &[Takes::Sized], Gives::Number),
    function("count", &[Takes::List], Gives::Number),
    function("sum", &[Takes::List], Gives::Number),
    variadic("max", &[Takes::Any], Gives::Known),
    variadic("min", &[Takes::Any], Gives::Known),
    function("floor", &[Takes::Number], Gives::Number),
    function("round", &[Takes::Number], Gives::Number),
    variadic("coalesce", &[Takes::Any], Gives::Known),
    function("date", &[Takes::Time], Gives::Date),
    function("month", &[Takes::Time], Gives::Month),
    function("stored", &[Takes::Any], Gives::Unknown),
];

/// The function of that name.
pub(super) fn named(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl Takes {
    /// Whether an argument will do.
    pub(super) fn accepts(self, given: &Ty<'_>) -> bool {
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
            Takes::Sized => matches!(kind, Kind::Text | Kind::Bytes | Kind::List | Kind::Record),
        }
    }

    /// How it is called in a message.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Takes::Any => "anything",
            Takes::Text => "text",
            Takes::Number => "a number",
            Takes::Time => "a time",
            Takes::Sequence => "text or a list",
            Takes::List => "a list",
            Takes::Sized => "text, bytes, a list, a set or a map",
        }
    }
}
