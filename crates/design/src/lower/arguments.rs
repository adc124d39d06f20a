//! The arguments of a type, which it takes one by one.

use super::Lower;
use crate::model::{IdBody, Name};
use crate::problems::{NUMBER, TYPE};
use sortkey_diagnostics::Span;
use sortkey_syntax::ast::{self, AstNode};

/// The types whose numbers may have a unit of size.
const SIZED: [&str; 8] = ["string", "slug", "email", "url", "cron", "matching", "bytes", "any"];

/// The words that a type takes instead of another type.
const TAKE_WORDS: [&str; 5] = ["time", "new", "patch", "key", "id"];

/// The arguments of a type.
pub(super) struct Arguments {
    /// Those that were not taken, with their text.
    args: Vec<(Argument, String, Span)>,
}

enum Argument {
    /// `1..9`
    Range(Option<i64>, Option<i64>),
    /// `16`
    Number(i64),
    /// `"usr_"`
    Text(String),
    /// `max 20`, `nanoid 16`
    Counted(Name, i64),
    /// `iso`, an entity
    Word(Name),
    /// Another type
    Type(ast::Type),
}

impl Arguments {
    /// The arguments as written.
    pub(super) fn read(lower: &mut Lower<'_>, name: &str, named: &ast::TypeName) -> Arguments {
        let mut args = Vec::new();
        for arg in named.args() {
            let span = lower.span(arg.range());
            let text = arg.syntax().text().to_string().trim().to_owned();
            let (low, high) = arg.bounds();
            let sized = SIZED.contains(&name);
            let mut whole = |bound: Option<ast::Bound>| bound.map(|bound| lower.bound(&bound, sized));
            let found = if arg.is_range() {
                Argument::Range(whole(low), whole(high))
            } else if let Some(number) = whole(low) {
                match arg.word() {
                    Some(word) => Argument::Counted(lower.name(Some(word)), number),
                    None => Argument::Number(number),
                }
            } else if let Some(text) = arg.text() {
                Argument::Text(text.value())
            } else {
                match arg.ty() {
                    Some(ast::Type::Named(inner))
                        if TAKE_WORDS.contains(&name) && inner.args().count() == 0 =>
                    {
                        Argument::Word(lower.name(inner.name()))
                    }
                    Some(ty) => Argument::Type(ty),
                    None => continue,
                }
            };
            args.push((found, text, span));
        }
        Arguments { args }
    }

    /// The arguments that the type did not take.
    pub(super) fn left(self) -> impl Iterator<Item = (String, Span)> {
        self.args.into_iter().map(|(_, text, span)| (text, span))
    }

    /// The first argument that is meant, taken out of the list.
    fn take<T>(&mut self, is_meant: impl Fn(&Argument) -> Option<T>) -> Option<T> {
        let (at, found) =
            self.args.iter().enumerate().find_map(|(at, (each, ..))| Some((at, is_meant(each)?)))?;
        self.args.remove(at);
        Some(found)
    }

    /// `1..9`
    pub(super) fn range(&mut self) -> Option<(Option<i64>, Option<i64>)> {
        self.take(|each| match each {
            Argument::Range(low, high) => Some((*low, *high)),
            _ => None,
        })
    }

    /// `1..9`, of which neither is negative.
    pub(super) fn lengths(&mut self) -> Option<(u64, Option<u64>)> {
        self.take(|each| match each {
            Argument::Range(low, high) => {
                let high = high.map(u64::try_from).transpose().ok()?;
                Some((u64::try_from(low.unwrap_or_default()).ok()?, high))
            }
            _ => None,
        })
    }

    /// `..9`, which begins nowhere or at zero.
    pub(super) fn at_most(&mut self) -> Option<u64> {
        self.take(|each| match each {
            Argument::Range(None | Some(0), Some(high)) => u64::try_from(*high).ok(),
            _ => None,
        })
    }

    /// `16`
    pub(super) fn number(&mut self) -> Option<u64> {
        self.take(|each| match each {
            Argument::Number(number) => u64::try_from(*number).ok(),
            _ => None,
        })
    }

    /// `max 20`
    pub(super) fn max(&mut self) -> Option<u64> {
        self.take(|each| match each {
            Argument::Counted(word, number) if word.is("max") => u64::try_from(*number).ok(),
            _ => None,
        })
    }

    /// `"usr_"`
    pub(super) fn text(&mut self) -> Option<String> {
        self.take(|each| match each {
            Argument::Text(text) => Some(text.clone()),
            _ => None,
        })
    }

    /// `iso`, or the name of an entity.
    pub(super) fn word(&mut self) -> Option<Name> {
        self.take(|each| match each {
            Argument::Word(word) => Some(word.clone()),
            _ => None,
        })
    }

    /// `uuid`, `ulid` or `nanoid 16`
    pub(super) fn body(&mut self) -> Option<IdBody> {
        self.take(|each| match each {
            Argument::Word(word) if word.is("uuid") => Some(IdBody::Uuid),
            Argument::Word(word) if word.is("ulid") => Some(IdBody::Ulid),
            Argument::Counted(word, number) if word.is("nanoid") => {
                u64::try_from(*number).ok().map(IdBody::Nanoid)
            }
            _ => None,
        })
    }

    /// Another type.
    pub(super) fn ty(&mut self) -> Option<ast::Type> {
        self.take(|each| match each {
            Argument::Type(ty) => Some(ty.clone()),
            _ => None,
        })
    }
}

impl Lower<'_> {
    /// A whole number with its sign.
    fn bound(&mut self, bound: &ast::Bound, sized: bool) -> i64 {
        let (span, digits) = (self.span(bound.number.range()), bound.number.digits());
        if !bound.number.unit().is_empty() && !sized {
            let title = format!("a number is expected, not a size in {}", bound.number.unit());
            self.problems.push(TYPE.at(span, title));
        }
        let signed = if bound.negative { format!("-{digits}") } else { digits.clone() };
        match signed.parse::<i64>() {
            Ok(number) if bound.number.unit().is_empty() => number,
            Err(_) if !digits.contains('.') => {
                let title = format!("{digits} does not fit into 64 bits");
                let note = "An `int` lies between -9223372036854775808 and 9223372036854775807; `decimal(38, 0)` is longer.";
                self.problems.push(NUMBER.at(span, title).note(note));
                i64::MAX
            }
            _ => {
                let count = i64::try_from(self.count(&bound.number)).unwrap_or(i64::MAX);
                if bound.negative { -count } else { count }
            }
        }
    }
}
