//! Types from dice: how a design declares them, and values that go with them.

use serde_json::{Value as Json, json};
use sortkey_testkit::Random;

/// A type with the text that declares it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Slug,
    Text,
    Int(i64, i64),
    Words,
    Bool,
    Date,
    Iso,
    Milliseconds,
    Seconds,
    Decimal,
}

/// An attribute.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) optional: bool,
    /// `:= ...`, and of what.
    pub(crate) derived: Option<String>,
    /// `= ...`
    pub(crate) default: Option<Json>,
    /// `@normalize(lower)`
    pub(crate) lower: bool,
}

pub(crate) const WORDS: [&str; 4] = ["open", "late", "done", "void"];
pub(crate) const START_MS: i64 = 1_767_225_600_000;

impl Kind {
    pub(crate) fn any(dice: &mut Random) -> Kind {
        match dice.below(12) {
            0 | 1 => Kind::Slug,
            2 | 3 => Kind::Text,
            4 => Kind::Int(0, 999),
            5 => Kind::Int(-20, 20),
            6 => Kind::Int(1, 9),
            7 => Kind::Words,
            8 => Kind::Bool,
            9 => Kind::Date,
            10 => dice.pick(&[Kind::Iso, Kind::Milliseconds, Kind::Seconds]).clone(),
            _ => Kind::Decimal,
        }
    }

    /// One that a key can be made of.
    pub(crate) fn of_key(dice: &mut Random) -> Kind {
        loop {
            let kind = Kind::any(dice);
            if kind != Kind::Bool {
                return kind;
            }
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Kind::Slug | Kind::Text | Kind::Words | Kind::Date | Kind::Iso)
    }

    pub(crate) fn is_time(&self) -> bool {
        matches!(self, Kind::Iso | Kind::Milliseconds | Kind::Seconds)
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Kind::Int(..) | Kind::Decimal)
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Kind::Slug => "slug(1..8)".to_owned(),
            Kind::Text => "string(1..12)".to_owned(),
            Kind::Int(least, most) => format!("int({least}..{most})"),
            Kind::Words => WORDS.join(" | "),
            Kind::Bool => "bool".to_owned(),
            Kind::Date => "date".to_owned(),
            Kind::Iso => "time(iso)".to_owned(),
            Kind::Milliseconds => "time(ms)".to_owned(),
            Kind::Seconds => "time(s)".to_owned(),
            Kind::Decimal => "decimal(6, 2)".to_owned(),
        }
    }

    /// A value as a call gives it and as its answer has it; few of them, so that they meet.
    pub(crate) fn value(&self, dice: &mut Random) -> Json {
        match self {
            Kind::Slug => json!(dice.pick(&["a", "b", "a-b", "ab", "z", "A", "a.b"])),
            Kind::Text => json!(dice.pick(&["a", "a b", "ü", "#", "a#b", "%", "Zz", "a%23b", "~", "日本"])),
            Kind::Int(least, most) => match dice.below(4) {
                0 => json!(least),
                1 => json!(most),
                _ => json!(dice.between(*least, *most)),
            },
            Kind::Words => json!(dice.pick(&WORDS)),
            Kind::Bool => json!(dice.once_in(2)),
            Kind::Date => json!(format!("2026-{:02}-{:02}", dice.between(1, 12), dice.between(1, 28))),
            Kind::Iso => {
                let (hour, milli) = (dice.between(0, 23), dice.pick(&[0, 1, 10, 999]));
                json!(format!("2026-03-{:02}T{hour:02}:00:00.{milli:03}Z", dice.between(1, 28)))
            }
            Kind::Milliseconds => json!(START_MS + dice.between(0, 5) * 1_000 + dice.between(0, 3)),
            Kind::Seconds => json!(START_MS / 1_000 + dice.between(0, 9)),
            Kind::Decimal => {
                dice.pick(&[json!(0), json!(1.5), json!(-2.25), json!(10), json!(9.99), json!(100)]).clone()
            }
        }
    }

    /// A value as a design writes it.
    pub(crate) fn literal(&self, value: &Json) -> String {
        match (self, value) {
            (Kind::Words, Json::String(word)) => word.clone(),
            (_, value) => value.to_string(),
        }
    }

    /// Whether values can be written in a design.
    pub(crate) fn is_written(&self) -> bool {
        !matches!(self, Kind::Milliseconds | Kind::Seconds)
    }

    /// A format of a slot that goes with the type. Free text that is not the last piece must be escaped.
    pub(crate) fn format(&self, is_last: bool, dice: &mut Random) -> &'static str {
        match (self, dice.below(3)) {
            (Kind::Text, _) if !is_last => ":escape",
            (Kind::Int(..), 0) => ":pad(3)",
            (Kind::Int(..), 1) => ":pad(2)",
            (Kind::Text, 0 | 1) => ":escape",
            (Kind::Iso | Kind::Milliseconds | Kind::Seconds, 0) => ":iso",
            (Kind::Iso | Kind::Milliseconds, 1) => ":ms",
            _ => "",
        }
    }
}

impl Attribute {
    pub(crate) fn new(name: &str, kind: Kind) -> Attribute {
        Attribute { name: name.to_owned(), kind, optional: false, derived: None, default: None, lower: false }
    }

    /// A value as it is stored and answered.
    pub(crate) fn stored(&self, value: Json) -> Json {
        match value {
            Json::String(text) if self.lower => Json::String(text.to_lowercase()),
            value => value,
        }
    }

    /// As an entity declares it.
    pub(crate) fn text(&self) -> String {
        let mark = if self.optional { "?" } else { "" };
        let derived = self.derived.as_ref().map(|of| format!(" := {of}")).unwrap_or_default();
        let default =
            self.default.as_ref().map(|value| format!(" = {}", self.kind.literal(value))).unwrap_or_default();
        let lower = if self.lower { " @normalize(lower)" } else { "" };
        format!("  {}{mark} {}{derived}{default}{lower}\n", self.name, self.kind.text())
    }

    /// Whether a condition may ask for it: it can be written, and its value is known before it is stored.
    pub(crate) fn is_plain(&self) -> bool {
        self.kind.is_written() && self.derived.is_none()
    }
}
