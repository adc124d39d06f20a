//! Whether a value may be one of a type: the one door through which arguments and results of expressions enter.
//!
//! An admitted value is in the type's own form: times cut to their unit, sets sorted, text checked. Any other value
//! is refused with the field named.

mod objects;
mod scalars;
mod words;

pub(crate) use words::lacking;

use sortkey_design::formats;
use sortkey_design::model::StringFormat;
use sortkey_design::program::{Attribute, Type};

use self::words::{Field, expected, range, refuse_or, too_long_or_short};
use super::time::parse_day;
use super::{Fields, Val, date, month};
use crate::Failure;
use crate::evaluate::Scope;

const EMPTY_SET: &str = "is an empty set, and DynamoDB has none";

/// The origin of a value: JSON writes bytes and times as text, an expression has them as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An argument in JSON.
    Json,
    /// An expression of the design.
    Expression,
}

/// The purpose of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It will be stored.
    Storing,
    /// Something is looked for: an id of another form is not wrong, there is just nothing that has it.
    Finding,
}

/// Admits values, with what is needed to fill in the defaults of nested objects.
#[derive(Clone, Copy)]
pub struct Admit<'a> {
    pub(crate) scope: &'a Scope<'a>,
    pub(crate) origin: Origin,
    pub(crate) purpose: Purpose,
    /// Whether an empty set is a value, as in arguments, callers and JSON. DynamoDB has none: stored, it is absent.
    pub(crate) keeps_empty: bool,
}

/// Applies `@normalize` to text. Text that is as it should be is left alone.
pub(crate) fn normalize(attribute: &Attribute, value: Val) -> Val {
    match value {
        Val::Text(text) => Val::Text(formats::normalize(&attribute.normalize, text)),
        value => value,
    }
}

impl<'a> Admit<'a> {
    /// Admits results of expressions that will be stored.
    pub fn computed(scope: &'a Scope<'a>) -> Admit<'a> {
        Admit { scope, origin: Origin::Expression, purpose: Purpose::Storing, keeps_empty: false }
    }

    /// Admits values that are not stored as they are: an empty set stays one.
    pub(crate) fn keeping_empty(self) -> Admit<'a> {
        Admit { keeps_empty: true, ..self }
    }

    /// Admits values that something is looked for by.
    pub(crate) fn finding(self) -> Admit<'a> {
        Admit { purpose: Purpose::Finding, ..self }
    }

    /// Admits arguments.
    pub fn argument(scope: &'a Scope<'a>, origin: Origin) -> Admit<'a> {
        Admit { scope, origin, purpose: Purpose::Storing, keeps_empty: false }
    }
    /// A value for an attribute: normalised, then of its type. Null takes an optional attribute away.
    pub fn attribute(&self, attribute: &Attribute, value: Val, field: &str) -> Result<Val, Failure> {
        self.attribute_at(attribute, value, Field::Name(field))
    }

    fn attribute_at(&self, attribute: &Attribute, value: Val, field: Field<'_>) -> Result<Val, Failure> {
        match value {
            Val::Null if attribute.flags.null => Ok(Val::Null),
            Val::Null if attribute.may_be_absent() => Ok(Val::Absent),
            Val::Sealed(_) if attribute.encrypted.is_some() => Ok(value),
            value => self.value_at(&attribute.ty, normalize(attribute, value), field),
        }
    }

    /// A value for a type.
    pub fn value(&self, ty: &Type, value: Val, field: &str) -> Result<Val, Failure> {
        self.value_at(ty, value, Field::Name(field))
    }

    /// Types nest as deep as their text does, which the parser bounds.
    fn value_at(&self, ty: &Type, value: Val, field: Field<'_>) -> Result<Val, Failure> {
        let wrong = |value: &Val, wanted: &str| {
            Failure::invalid(
                field.to_string(),
                format!("`{field}` is {}; {wanted} is expected", value.describe()),
            )
        };
        match (ty, value) {
            (_, Val::Absent) => Ok(Val::Absent),
            (Type::Any { max }, value) => self.any(*max, value, field),
            (Type::Unknown, value) => Ok(value),
            (Type::Json { of }, value) => self.keeping_empty().value_at(of, value, field),
            (Type::String { format, min, max }, Val::Text(text)) => {
                let is_composed = formats::is_composed(format, &text);
                let text = if is_composed { self.scope.composed(text)? } else { text };
                // Text of ASCII alone has as many characters as bytes.
                let length = if text.is_ascii() { text.len() } else { text.chars().count() } as u64;
                let complaint = match (too_long_or_short(length, *min, *max, "characters"), format) {
                    (None, StringFormat::Matching(pattern)) => {
                        (!self.scope.is_match(pattern, &text)?).then(|| formats::mismatch(pattern))
                    }
                    (None, format) => formats::misshapen(format, &text),
                    (complaint, _) => complaint,
                };
                refuse_or(complaint, field, Val::Text(text))
            }
            (Type::Id { .. } | Type::Token { .. }, Val::Text(text)) if self.purpose == Purpose::Finding => {
                refuse_or(
                    too_long_or_short(text.len() as u64, 1, Some(1_000), "bytes"),
                    field,
                    Val::Text(text),
                )
            }
            (Type::Id { prefix, body }, Val::Text(text)) => {
                let complaint = (!formats::is_id(prefix, *body, &text))
                    .then(|| format!("is not a valid {}", self.named(ty)));
                refuse_or(complaint, field, Val::Text(text))
            }
            (Type::Token { prefix, length }, Val::Text(text)) => {
                let good =
                    text.strip_prefix(prefix.as_str()).is_some_and(|rest| formats::is_token(rest, *length));
                refuse_or((!good).then(|| "is not a token of this kind".to_owned()), field, Val::Text(text))
            }
            (Type::Int { min, max }, Val::Number(number)) => {
                let complaint = match number.to_i64() {
                    None => Some("is not an integer of 64 bits".to_owned()),
                    Some(number)
                        if min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max) =>
                    {
                        Some(format!("is {number}; {} is allowed", range(*min, *max)))
                    }
                    Some(_) => None,
                };
                refuse_or(complaint, field, Val::Number(number))
            }
            (Type::Decimal { digits, scale }, value @ (Val::Number(_) | Val::Text(_))) => {
                self.decimal(*digits, *scale, &value, field)
            }
            (Type::Bool, Val::Bool(value)) => Ok(Val::Bool(value)),
            (Type::Bytes { max }, value @ (Val::Bytes(_) | Val::Text(_))) => self.bytes(*max, value, field),
            (Type::Time { unit }, value) => self.time(*unit, value, field),
            (Type::Date, Val::Time(time_ms)) => Ok(Val::Text(date(time_ms))),
            (Type::Date, Val::Text(text)) => refuse_or(
                parse_day(&text).is_none().then(|| "is not a day, YYYY-MM-DD".to_owned()),
                field,
                Val::Text(text),
            ),
            (Type::Month, Val::Time(time_ms)) => Ok(Val::Text(month(time_ms))),
            (Type::Month, Val::Text(text)) => {
                let good = text.len() == 7 && parse_day(&format!("{text}-01")).is_some();
                refuse_or((!good).then(|| "is not a month, YYYY-MM".to_owned()), field, Val::Text(text))
            }
            (Type::Enum(words), Val::Text(text)) => {
                let complaint = (!words.accept(&text))
                    .then(|| format!("is `{text}`; one of {} is expected", words.join(", ")));
                refuse_or(complaint, field, Val::Text(text))
            }
            (Type::List { of, max }, Val::List(members) | Val::Set(members)) => {
                let complaint = too_long_or_short(members.len() as u64, 0, *max, "elements");
                refuse_or(complaint, field, Val::List(self.members(of, members, field)?))
            }
            (Type::Set { of, max }, Val::List(members) | Val::Set(members)) => {
                let mut members = self.members(of, members, field)?;
                sortkey_value::order::sort_by(&mut members, |left, right| {
                    left.order(right).unwrap_or(std::cmp::Ordering::Equal)
                });
                members.dedup();
                let complaint = too_long_or_short(members.len() as u64, 0, *max, "elements");
                let is_absent = members.is_empty() && !self.keeps_empty;
                refuse_or(complaint, field, if is_absent { Val::Absent } else { Val::Set(members) })
            }
            (Type::Map { of, max }, Val::Map(fields)) => {
                let complaint = too_long_or_short(fields.len() as u64, 0, *max, "entries");
                let mut admitted = Fields::new();
                for (name, value) in fields {
                    let is_given = !value.is_absent();
                    let member = Field::Member(&field, &name);
                    let value = self.value_at(of, value, Field::Member(&field, &name))?;
                    let complaint = (is_given && value.is_absent()).then(|| EMPTY_SET.to_owned());
                    let value = refuse_or(complaint, member, value)?;
                    if !value.is_absent() {
                        admitted.insert(name, value);
                    }
                }
                refuse_or(complaint, field, Val::Map(admitted))
            }
            (Type::Object(id), Val::Map(given)) => {
                self.object(&self.scope.shared.program.objects[*id].attributes, given, field)
            }
            (Type::Object(id), Val::Item(given)) => {
                self.object(&self.scope.shared.program.objects[*id].attributes, given.fields, field)
            }
            (Type::Input { of, entity }, value @ (Val::Map(_) | Val::Item(_))) => {
                self.input(*of, *entity, &value, field)
            }
            (_, value) => Err(wrong(&value, &expected(ty))),
        }
    }

    fn named(&self, ty: &Type) -> String {
        ty.describe(&self.scope.shared.program)
    }

    fn members(&self, of: &Type, members: Vec<Val>, field: Field<'_>) -> Result<Vec<Val>, Failure> {
        let admit = |(at, each): (usize, Val)| {
            let field = Field::Element(&field, at);
            let is_given = !each.is_absent();
            let value = self.value_at(of, each, field)?;
            // An element that is left out would move all behind it.
            let complaint = (is_given && value.is_absent()).then(|| EMPTY_SET.to_owned());
            refuse_or(complaint, field, value)
        };
        members.into_iter().enumerate().map(admit).collect()
    }
}
