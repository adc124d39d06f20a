//! Whether a value may be one of a type: the one door through which arguments and results of expressions enter.
//!
//! What passes is in the type's own form: times cut to their unit, sets sorted, text checked. What does not pass is
//! refused with the field named.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sortkey_design::formats;
use sortkey_design::model::{InputKind, TimeUnit};
use sortkey_design::program::{Attribute, Attributes, EntityId, Type};
use sortkey_value::Number;

use super::time::parse_day;
use super::{Fields, Val, date, month, parse_time};
use crate::Failure;
use crate::evaluate::{Scope, View};

/// Milliseconds have thirteen digits, seconds at most eleven until the year 5138.
const LAST_SECOND: i64 = 100_000_000_000;

/// How deep lists and maps may nest in an item.
const MAX_LEVELS: usize = 32;

const EMPTY_SET: &str = "is an empty set, and DynamoDB has none";

/// Which field is meant, written out only where somebody complains about it.
#[derive(Clone, Copy)]
enum Field<'a> {
    Name(&'a str),
    Member(&'a Field<'a>, &'a str),
    Element(&'a Field<'a>, usize),
}

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Field::Name(name) => f.write_str(name),
            Field::Member(whole, name) => write!(f, "{whole}.{name}"),
            Field::Element(whole, at) => write!(f, "{whole}[{at}]"),
        }
    }
}

/// Where a value comes from: JSON writes bytes and times as text, an expression has them as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An argument in JSON.
    Json,
    /// An expression of the design.
    Expression,
}

/// What a value is for.
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

    /// The same for what is looked for.
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
                // Text of ASCII alone has as many characters as bytes.
                let length = if text.is_ascii() { text.len() } else { text.chars().count() } as u64;
                let complaint = too_long_or_short(length, *min, *max, "characters")
                    .or_else(|| formats::complaint(format, &text));
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
                let complaint =
                    (!formats::is_id(prefix, *body, &text)).then(|| format!("is no {}", self.named(ty)));
                refuse_or(complaint, field, Val::Text(text))
            }
            (Type::Token { prefix, length }, Val::Text(text)) => {
                let good =
                    text.strip_prefix(prefix.as_str()).is_some_and(|rest| formats::is_token(rest, *length));
                refuse_or((!good).then(|| "is no token of this kind".to_owned()), field, Val::Text(text))
            }
            (Type::Int { min, max }, Val::Number(number)) => {
                let complaint = match number.to_i64() {
                    None => Some("is no integer of 64 bits".to_owned()),
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
                parse_day(&text).is_none().then(|| "is no day, YYYY-MM-DD".to_owned()),
                field,
                Val::Text(text),
            ),
            (Type::Month, Val::Time(time_ms)) => Ok(Val::Text(month(time_ms))),
            (Type::Month, Val::Text(text)) => {
                let good = text.len() == 7 && parse_day(&format!("{text}-01")).is_some();
                refuse_or((!good).then(|| "is no month, YYYY-MM".to_owned()), field, Val::Text(text))
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
                members.sort_by(|left, right| left.order(right).unwrap_or(std::cmp::Ordering::Equal));
                members.dedup();
                let complaint = too_long_or_short(members.len() as u64, 0, *max, "elements");
                let is_absent = members.is_empty() && !self.keeps_empty;
                refuse_or(complaint, field, if is_absent { Val::Absent } else { Val::Set(members) })
            }
            (Type::Map { of, max }, Val::Map(fields)) => {
                let complaint = too_long_or_short(fields.len() as u64, 0, *max, "entries");
                let mut admitted = Fields::new();
                for (name, value) in fields {
                    let value = self.value_at(of, value, Field::Member(&field, &name))?;
                    admitted.insert(name, value);
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

    /// The attributes of an object, with defaults filled in and derived ones computed.
    fn object(&self, attributes: &Attributes, mut given: Fields, field: Field<'_>) -> Result<Val, Failure> {
        if let Some(unknown) = given.keys().find(|name| attributes.find(name).is_none()) {
            let field = format!("{field}.{unknown}");
            return Err(Failure::invalid(&field, format!("`{field}` is not known")));
        }
        let mut admitted = Fields::with_capacity(attributes.len());
        for attribute in attributes.iter().filter(|attribute| !attribute.flags.computed) {
            let path = Field::Member(&field, &attribute.name);
            let given = given.remove(&attribute.name).unwrap_or_default();
            let filled = match &attribute.fill {
                Some(fill) if fill.derived || given.is_absent() => {
                    self.scope.fill(attribute, &fill.value, View::object(attributes, &admitted))?
                }
                _ => given,
            };
            let value = self.attribute_at(attribute, filled, path)?;
            if !value.is_absent() {
                admitted.insert(attribute.name.clone(), value);
                continue;
            }
            if !attribute.may_be_absent() {
                let is_set = matches!(*attribute.ty, Type::Set { .. });
                return Err(lacking(&path.to_string(), is_set && !self.keeps_empty));
            }
        }
        Ok(Val::Map(admitted))
    }

    /// `new(E)`, `patch(E)` and `key(E)`: attributes of an entity, each checked, none required here. An item may stand
    /// for its key.
    fn input(&self, of: InputKind, entity: EntityId, value: &Val, field: Field<'_>) -> Result<Val, Failure> {
        if of == InputKind::Item {
            // Only what runs workers gives a whole item, as it was read.
            return match value {
                Val::Item(record) if record.entity == entity => Ok(value.clone()),
                _ => Err(Failure::invalid(field.to_string(), format!("`{field}` is no item in hand"))),
            };
        }
        let entity = &self.scope.shared.program.entities[entity];
        let mut admitted = Fields::new();
        for (name, each) in value.fields().into_iter().flatten() {
            let path = Field::Member(&field, name);
            let id = entity.attributes.find(name);
            let attribute = id.map(|id| &entity.attributes[id]);
            let wanted = match of {
                InputKind::Key => id.is_some_and(|id| entity.key_attributes.contains(&id)),
                InputKind::New | InputKind::Patch | InputKind::Item => {
                    attribute.is_some_and(|each| !each.is_derived())
                }
            };
            match attribute {
                Some(attribute)
                    if of == InputKind::New && self.scope.caller.is_some() && attribute.is_made() =>
                {
                    return Err(Failure::invalid(path.to_string(), format!("`{path}` is made, not given")));
                }
                Some(attribute) if wanted => {
                    admitted.insert(name.clone(), self.attribute_at(attribute, each.clone(), path)?);
                }
                _ if matches!(value, Val::Item(_)) => {}
                Some(_) if of != InputKind::Key => {
                    return Err(Failure::invalid(
                        path.to_string(),
                        format!("`{path}` is derived and cannot be given"),
                    ));
                }
                _ => return Err(Failure::invalid(path.to_string(), format!("`{path}` is not known"))),
            }
        }
        Ok(Val::Map(admitted))
    }

    fn any(&self, max: Option<u64>, value: Val, field: Field<'_>) -> Result<Val, Failure> {
        let bytes = super::to_stored(&self.scope.shared.program, &Type::Unknown, &value)
            .map_or(0, |stored| stored.size_bytes() as u64);
        let deep = (depth(&value) > MAX_LEVELS)
            .then(|| format!("nests deeper than {MAX_LEVELS} levels, the most that DynamoDB stores"));
        refuse_or(deep.or_else(|| too_long_or_short(bytes, 0, max, "bytes")), field, value)
    }

    fn bytes(&self, max: Option<u64>, value: Val, field: Field<'_>) -> Result<Val, Failure> {
        let bytes = match (value, self.origin) {
            (Val::Text(text), Origin::Expression) => text.into_bytes(),
            (Val::Text(text), Origin::Json) => STANDARD
                .decode(text)
                .map_err(|_| Failure::invalid(field.to_string(), format!("`{field}` is not base64")))?,
            (Val::Bytes(bytes), _) => bytes,
            _ => Vec::new(),
        };
        refuse_or(too_long_or_short(bytes.len() as u64, 0, max, "bytes"), field, Val::Bytes(bytes))
    }

    fn decimal(&self, digits: u64, scale: u64, value: &Val, field: Field<'_>) -> Result<Val, Failure> {
        let number = match value {
            Val::Number(number) => Some(*number),
            Val::Text(text) => Number::parse(text).ok(),
            _ => None,
        };
        let Some(number) = number else {
            return Err(Failure::invalid(field.to_string(), format!("`{field}` is no decimal number")));
        };
        // Most are whole numbers of a few digits.
        if number.to_i64().is_some_and(|whole| has_at_most(whole, digits.saturating_sub(scale))) {
            return Ok(Val::Number(number));
        }
        let text = number.to_string();
        let (whole, fraction) = text.trim_start_matches('-').split_once('.').unwrap_or((&text, ""));
        let whole = whole.trim_start_matches(['-', '0']).len() as u64;
        let fits = fraction.len() as u64 <= scale && whole + scale <= digits;
        let complaint = (!fits)
            .then(|| format!("is {text}; at most {digits} digits, {scale} behind the point, are allowed"));
        refuse_or(complaint, field, Val::Number(number))
    }

    fn time(&self, unit: TimeUnit, value: Val, field: Field<'_>) -> Result<Val, Failure> {
        let time_ms = match (&value, unit) {
            (Val::Time(time_ms), _) => Some(*time_ms),
            (Val::Text(text), TimeUnit::Iso | TimeUnit::IsoSeconds | TimeUnit::Unstated) => parse_time(text),
            // More digits are milliseconds that somebody took for seconds.
            (Val::Number(number), TimeUnit::Seconds) => number
                .to_i64()
                .filter(|each| each.abs() < LAST_SECOND)
                .and_then(|each| each.checked_mul(1_000)),
            (Val::Number(number), TimeUnit::Milliseconds) => number.to_i64(),
            (Val::Number(number), TimeUnit::Unstated) => number
                .to_i64()
                .and_then(|each| if each.abs() < LAST_SECOND { each.checked_mul(1_000) } else { Some(each) }),
            _ => None,
        };
        match (time_ms, unit) {
            (None, _) => Err(Failure::invalid(
                field.to_string(),
                format!("`{field}` is {}; {} is expected", value.describe(), form(unit)),
            )),
            (Some(time_ms), TimeUnit::Seconds | TimeUnit::IsoSeconds) => {
                Ok(Val::Time(time_ms.div_euclid(1_000) * 1_000))
            }
            (Some(time_ms), _) => Ok(Val::Time(time_ms)),
        }
    }
}

/// Something required is not there.
pub(crate) fn lacking(field: &str, is_set: bool) -> Failure {
    let why = if is_set { ", with at least one member: DynamoDB has no empty sets" } else { "" };
    Failure::invalid(field, format!("`{field}` is required{why}"))
}

/// How many lists and objects are inside one another.
fn depth(value: &Val) -> usize {
    match value {
        Val::List(members) | Val::Set(members) => 1 + members.iter().map(depth).max().unwrap_or(0),
        Val::Map(fields) => 1 + fields.iter().map(|(_, each)| depth(each)).max().unwrap_or(0),
        _ => 0,
    }
}

/// Whether a whole number has no more digits than this.
fn has_at_most(number: i64, digits: u64) -> bool {
    let digits = u32::try_from(digits).unwrap_or(u32::MAX);
    10_u64.checked_pow(digits).is_none_or(|bound| number.unsigned_abs() < bound)
}

fn form(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Iso | TimeUnit::IsoSeconds => "a time in ISO-8601",
        TimeUnit::Seconds => "a time in seconds since 1970",
        TimeUnit::Milliseconds => "a time in milliseconds since 1970",
        TimeUnit::Unstated => "a time in ISO-8601, seconds or milliseconds",
    }
}

fn expected(ty: &Type) -> String {
    match ty {
        Type::Int { .. } | Type::Decimal { .. } => "a number".to_owned(),
        Type::Bool => "true or false".to_owned(),
        Type::List { .. } | Type::Set { .. } => "a list".to_owned(),
        Type::Map { .. } | Type::Object(_) | Type::Input { .. } => "an object".to_owned(),
        Type::Bytes { .. } => "base64 text".to_owned(),
        Type::Date | Type::Month => "a day or month".to_owned(),
        Type::Enum(words) => format!("one of {}", words.join(", ")),
        _ => "text".to_owned(),
    }
}

fn refuse_or(complaint: Option<String>, field: Field<'_>, value: Val) -> Result<Val, Failure> {
    match complaint {
        None => Ok(value),
        Some(complaint) => Err(Failure::invalid(field.to_string(), format!("`{field}` {complaint}"))),
    }
}

fn too_long_or_short(length: u64, min: u64, max: Option<u64>, unit: &str) -> Option<String> {
    let fits = length >= min && max.is_none_or(|max| length <= max);
    (!fits).then(|| match max {
        Some(max) if max == min => format!("has {length} {unit}; {max} are expected"),
        Some(max) if min == 0 => format!("has {length} {unit}; at most {max} are allowed"),
        Some(max) => format!("has {length} {unit}; {min} to {max} are allowed"),
        None => format!("has {length} {unit}; at least {min} are expected"),
    })
}

fn range(min: Option<i64>, max: Option<i64>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("{min} or more"),
        (None, Some(max)) => format!("{max} or less"),
        (None, None) => "any integer".to_owned(),
    }
}
