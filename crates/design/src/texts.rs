//! The text of a value within a key: which characters it may have, and how many.
//!
//! The module answers two questions about templates. Can two different lists of values make one text? And does the text
//! sort as the values do? Both depend only on the type of a slot, its format and what follows it.

mod alphabet;
mod expression;

use crate::model::{self, IdBody, SlotFormat, StringFormat, TimeUnit};
use crate::program;

pub use alphabet::Alphabet;
pub(crate) use expression::beginning;

/// The digits of a time in seconds in a key: until 2286.
pub const SECONDS_WIDTH: usize = 10;
/// The digits of a time in milliseconds in a key: until 2286.
pub const MILLISECONDS_WIDTH: usize = 13;

/// The properties shared by all texts that the values of a type have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// The characters that occur.
    pub alphabet: Alphabet,
    /// The characters that occur behind the first: a number has a sign only in front.
    pub later: Alphabet,
    /// The number of characters, if all texts have as many.
    pub width: Option<u64>,
    /// All texts, if they are few.
    pub words: Vec<String>,
}

impl Texts {
    /// The texts of a slot: of a type, in a format, in a template whose `escape` encodes these characters.
    pub fn of_slot(ty: Kind<'_>, format: Option<&SlotFormat>, delimiters: &[char]) -> Texts {
        match format {
            None => Texts::of(ty),
            Some(SlotFormat::Pad(width)) => match ty {
                Kind::Int { min: Some(0..), max: Some(max) } if digits(max) <= u64::from(*width) => {
                    Texts::of_alphabet(Alphabet::digits()).wide(u64::from(*width))
                }
                ty => Texts::of(ty),
            },
            Some(SlotFormat::Time(form)) => match (form.as_str(), ty) {
                ("s", Kind::Time(_)) => Texts::of(Kind::Time(TimeUnit::Seconds)),
                ("ms", Kind::Time(_)) => Texts::of(Kind::Time(TimeUnit::Milliseconds)),
                ("date", Kind::Time(_)) => Texts::of(Kind::Date),
                ("month", Kind::Time(_)) => Texts::of(Kind::Month),
                (_, Kind::Time(_)) => Texts::of(Kind::Time(TimeUnit::Iso)),
                (_, ty) => Texts::of(ty),
            },
            Some(SlotFormat::Escape) => {
                let plain = Texts::of(ty);
                if !plain.alphabet.contains('%') && !delimiters.iter().any(|c| plain.alphabet.contains(*c)) {
                    return plain;
                }
                let kept = plain.alphabet.without(delimiters.iter().copied());
                Texts::of_alphabet(kept.or(&Alphabet::of("%0123456789ABCDEF")))
            }
            // Another case may be another character, and more than one.
            Some(SlotFormat::Lower) => match ty {
                Kind::String(StringFormat::Slug, ..) => Texts::of(ty),
                _ => Texts { width: None, words: Vec::new(), ..Texts::of(Kind::Any) },
            },
        }
    }

    /// The texts of a type.
    pub fn of(ty: Kind<'_>) -> Texts {
        let prefixed = |prefix: &str, body: Alphabet, width: u64| {
            Texts::of_alphabet(body.or(&Alphabet::of(prefix))).wide(prefix.chars().count() as u64 + width)
        };
        match ty {
            Kind::String(format, min, max) => {
                let alphabet = match format {
                    StringFormat::Plain => Alphabet::any(),
                    StringFormat::Slug => Alphabet::word().or(&Alphabet::of(".")),
                    StringFormat::Email | StringFormat::Url => Alphabet::printing(),
                    StringFormat::Cron => Alphabet::word().or(&Alphabet::of(" \t\n\r\u{b}\u{c}*/,?")),
                    StringFormat::Matching(pattern) => expression::alphabet(pattern),
                };
                let width = max.filter(|max| *max == min);
                Texts { width, ..Texts::of_alphabet(alphabet) }
            }
            Kind::Id(prefix, IdBody::Uuid) => prefixed(prefix, Alphabet::of("0123456789abcdef-"), 36),
            Kind::Id(prefix, IdBody::Ulid) => prefixed(prefix, Alphabet::word().without("_-".chars()), 26),
            Kind::Id(prefix, IdBody::Nanoid(length)) | Kind::Token(prefix, length) => {
                prefixed(prefix, Alphabet::word(), length)
            }
            Kind::Int { min, max } => {
                let signed = min.is_none_or(|min| min < 0);
                let alphabet = Alphabet::digits().or(&Alphabet::of(if signed { "-" } else { "" }));
                let width = match (min, max) {
                    (Some(min @ 0..), Some(max)) if digits(min) == digits(max) => Some(digits(max)),
                    _ => None,
                };
                Texts { alphabet, later: Alphabet::digits(), width, words: Vec::new() }
            }
            Kind::Decimal => {
                let later = Alphabet::digits().or(&Alphabet::of("."));
                Texts { alphabet: later.or(&Alphabet::of("-")), later, width: None, words: Vec::new() }
            }
            Kind::Time(TimeUnit::Seconds) => {
                Texts::of_alphabet(Alphabet::digits()).wide(SECONDS_WIDTH as u64)
            }
            Kind::Time(TimeUnit::Milliseconds) => {
                Texts::of_alphabet(Alphabet::digits()).wide(MILLISECONDS_WIDTH as u64)
            }
            Kind::Time(unit) => {
                let width = if unit == TimeUnit::IsoSeconds { 20 } else { 24 };
                Texts::of_alphabet(Alphabet::digits().or(&Alphabet::of("TZ:.-"))).wide(width)
            }
            Kind::Date => Texts::of_alphabet(Alphabet::digits().or(&Alphabet::of("-"))).wide(10),
            Kind::Month => Texts::of_alphabet(Alphabet::digits().or(&Alphabet::of("-"))).wide(7),
            Kind::Words(words) => {
                let alphabet = words.iter().fold(Alphabet::none(), |all, word| all.or(&Alphabet::of(word)));
                Texts { words, ..Texts::of_alphabet(alphabet) }
            }
            Kind::Any => Texts::of_alphabet(Alphabet::any()),
        }
    }

    fn of_alphabet(alphabet: Alphabet) -> Texts {
        Texts { later: alphabet.clone(), alphabet, width: None, words: Vec::new() }
    }

    fn wide(self, width: u64) -> Texts {
        Texts { width: Some(width), ..self }
    }

    /// Whether the end of a text is unambiguous before what follows it: a delimiter, or another slot.
    pub fn ends_before(&self, next: Next<'_>) -> bool {
        if self.width.is_some() {
            return true;
        }
        match next {
            Next::End => true,
            // No text followed by the delimiter may begin with another one followed by it.
            Next::Literal(literal) if !self.words.is_empty() => {
                let ended = |word: &String| format!("{word}{literal}");
                self.words.iter().all(|long| {
                    let long_ended = ended(long);
                    self.words.iter().all(|short| short == long || !long_ended.starts_with(&ended(short)))
                })
            }
            Next::Literal(literal) => literal.chars().any(|c| !self.later.contains(c)),
            Next::Slot(texts) => self.later.common(&texts.alphabet).is_none(),
        }
    }

    /// Whether these texts sort in the same order with what follows as without it: no text that continues another may do so
    /// with a character that sorts before the one that follows.
    pub fn sort_before(&self, next: Next<'_>) -> bool {
        let least = self.later.least();
        self.width.is_some()
            || match next {
                Next::End => true,
                Next::Literal(literal) => literal.chars().next().is_none_or(|next| least > Some(next)),
                Next::Slot(_) => false,
            }
    }
}

/// The part of a template that follows a slot.
#[derive(Clone, Copy, Debug)]
pub enum Next<'a> {
    /// Nothing.
    End,
    /// Text as it is.
    Literal(&'a str),
    /// Another slot.
    Slot(&'a Texts),
}

/// A type as far as the text of its values depends on it.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub enum Kind<'a> {
    String(&'a StringFormat, u64, Option<u64>),
    Id(&'a str, IdBody),
    Token(&'a str, u64),
    Int { min: Option<i64>, max: Option<i64> },
    Decimal,
    Time(TimeUnit),
    Date,
    Month,
    Words(Vec<String>),
    Any,
}

impl<'a> From<&'a model::Type> for Kind<'a> {
    fn from(ty: &'a model::Type) -> Kind<'a> {
        use model::Type;
        match ty {
            Type::String { format, min, max } => Kind::String(format, *min, *max),
            Type::Id { prefix, body } => Kind::Id(prefix, *body),
            Type::Token { prefix, length } => Kind::Token(prefix, *length),
            Type::Int { min, max } => Kind::Int { min: *min, max: *max },
            Type::Decimal { .. } => Kind::Decimal,
            Type::Time { unit } => Kind::Time(*unit),
            Type::Date => Kind::Date,
            Type::Month => Kind::Month,
            Type::Bool => truth(),
            Type::Enum { members, open: false, .. } => Kind::Words(members.clone()),
            _ => Kind::Any,
        }
    }
}

impl<'a> From<&'a program::Type> for Kind<'a> {
    fn from(ty: &'a program::Type) -> Kind<'a> {
        use program::Type;
        match ty {
            Type::String { format, min, max } => Kind::String(format, *min, *max),
            Type::Id { prefix, body } => Kind::Id(prefix, *body),
            Type::Token { prefix, length } => Kind::Token(prefix, *length),
            Type::Int { min, max } => Kind::Int { min: *min, max: *max },
            Type::Decimal { .. } => Kind::Decimal,
            Type::Time { unit } => Kind::Time(*unit),
            Type::Date => Kind::Date,
            Type::Month => Kind::Month,
            Type::Bool => truth(),
            Type::Enum(words) if !words.open => {
                Kind::Words(words.words.iter().map(ToString::to_string).collect())
            }
            _ => Kind::Any,
        }
    }
}

fn truth<'a>() -> Kind<'a> {
    Kind::Words(vec!["true".to_owned(), "false".to_owned()])
}

fn digits(number: i64) -> u64 {
    u64::from(number.unsigned_abs().checked_ilog10().unwrap_or(0)) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(format: &StringFormat) -> Texts {
        Texts::of(Kind::String(format, 1, Some(40)))
    }

    #[test]
    fn the_end_of_a_text_is_told_by_its_own_alphabet() {
        let matching = |pattern: &str| StringFormat::Matching(pattern.to_owned());
        for (format, delimiter, told) in [
            (StringFormat::Slug, "#", true),
            (StringFormat::Slug, "-", false),
            (StringFormat::Slug, ".", false),
            (StringFormat::Slug, "_", false),
            (StringFormat::Slug, "-#", true),
            (StringFormat::Email, "#", false),
            (StringFormat::Email, " ", true),
            (StringFormat::Plain, "\u{10ffff}", false),
            (matching("[a-z ]+"), "_", true),
            (matching("[a-z_]+"), "_", false),
            (matching(r"\w+"), "_", false),
            (matching(r"[^#]+"), "#", true),
            (matching(r"(a|b#)c"), "#", false),
        ] {
            let texts = string(&format);
            assert_eq!(texts.ends_before(Next::Literal(delimiter)), told, "{format:?} {delimiter}");
        }
        let words = |words: &[&str]| Texts::of(Kind::Words(words.iter().map(|w| (*w).to_owned()).collect()));
        assert!(words(&["in-work", "done"]).ends_before(Next::Literal("-")));
        assert!(!words(&["in-work", "in"]).ends_before(Next::Literal("-")));
        assert!(Texts::of(Kind::Int { min: None, max: None }).ends_before(Next::Literal("-")));
        assert!(!Texts::of(Kind::Decimal).ends_before(Next::Literal(".")));
        assert!(Texts::of(Kind::Id("u_", IdBody::Uuid)).ends_before(Next::Literal("-")));
    }

    #[test]
    fn what_may_continue_a_text_decides_its_order() {
        let matching = |pattern: &str| StringFormat::Matching(pattern.to_owned());
        for (format, delimiter, kept) in [
            (StringFormat::Slug, "#", true),
            (StringFormat::Slug, "|", false),
            (matching("[a-z ]+"), "_", false),
            (matching("[a-zA-Z]+"), "_", false),
            (matching("[a-z]+"), "_", true),
            (matching("[a-z]+"), "", true),
        ] {
            let next = if delimiter.is_empty() { Next::End } else { Next::Literal(delimiter) };
            assert_eq!(string(&format).sort_before(next), kept, "{format:?} {delimiter}");
        }
    }
}
