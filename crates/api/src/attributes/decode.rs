//! From JSON into the compact form.
//!
//! Recursion follows the nesting of lists and maps and stops at DynamoDB's limit of 32 levels; what lies
//! deeper is passed over without recursion.

use super::{AttributeFault, SuppliedItem, SuppliedValue, ValueFault, in_item};
use crate::error::ApiError;
use crate::json::{Kind, decode_base64};
use crate::shape::{Decode, Decoder, Path, decode_boolean, decode_text};
use crate::text::serialization as text;
use sortkey_value::{AttributeType, AttributeValue, Item, ItemBuilder, Number, limits};
use std::borrow::Cow;

impl Decode for SuppliedItem {
    fn decode(decoder: &mut Decoder<'_>, at: Path<'_>) -> Result<Self, ApiError> {
        decoder.begin_map(Self::class_name, at)?;
        let mut builder = Item::builder();
        let mut faults = Faults::default();
        let mut faulty_attribute = None;
        while let Some(name) = decoder.reader.next_name()? {
            builder.name(&name);
            value(decoder, at.entry(&name), &mut builder, 0, &mut faults)?;
            if faults.first.is_some() && faulty_attribute.is_none() {
                faulty_attribute = Some(name.into_owned());
            }
        }
        let fault = faults.first.zip(faulty_attribute);
        let fault = fault.map(|(fault, attribute)| Box::new(AttributeFault { attribute, fault }));
        Ok(Self { item: builder.finish(), fault })
    }

    fn class_name() -> Cow<'static, str> {
        "java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>".into()
    }
}

/// A plain item occurs only in outputs, where a fault cannot be deferred.
impl Decode for Item {
    fn decode(decoder: &mut Decoder<'_>, at: Path<'_>) -> Result<Self, ApiError> {
        SuppliedItem::decode(decoder, at)?.checked().cloned()
    }

    fn class_name() -> Cow<'static, str> {
        SuppliedItem::class_name()
    }
}

impl Decode for SuppliedValue {
    fn decode(decoder: &mut Decoder<'_>, at: Path<'_>) -> Result<Self, ApiError> {
        let mut faults = Faults::default();
        let mut result = Ok(());
        let item = in_item(|builder| result = value(decoder, at, builder, 0, &mut faults));
        result?;
        let value = item.get("").map_or(AttributeValue::Null, |value| value.to_owned());
        Ok(Self { value, fault: faults.first.map(Box::new) })
    }

    fn class_name() -> Cow<'static, str> {
        structure_class()
    }
}

fn structure_class() -> Cow<'static, str> {
    "com.amazonaws.dynamodb.v20120810.AttributeValue".into()
}

/// Remembers the first fault of an item.
#[derive(Default)]
struct Faults {
    first: Option<ValueFault>,
}

impl Faults {
    fn note(&mut self, fault: ValueFault) {
        self.first.get_or_insert(fault);
    }
}

/// Takes one `{"S":"x"}`. `level` counts the lists and maps around it.
fn value(
    decoder: &mut Decoder<'_>,
    at: Path<'_>,
    out: &mut ItemBuilder,
    level: usize,
    faults: &mut Faults,
) -> Result<(), ApiError> {
    if decoder.reader.peek()? == Kind::Null {
        decoder.reader.null()?;
        faults.note(ValueFault::Empty);
        out.null();
        return Ok(());
    }
    decoder.begin_structure(structure_class, at)?;
    let mut types = 0;
    while let Some(name) = decoder.reader.next_name()? {
        let Some(kind) = AttributeType::from_descriptor(&name) else {
            decoder.reader.skip()?;
            continue;
        };
        if decoder.reader.peek()? == Kind::Null {
            decoder.reader.null()?;
            continue;
        }
        types += 1;
        if types == 1 {
            typed(decoder, kind, out, level, faults)?;
        } else {
            // The value is lost already, but its JSON types and its own faults still count.
            let mut discarded = Ok(());
            in_item(|scratch| discarded = typed(decoder, kind, scratch, level, faults));
            discarded?;
        }
    }
    match types {
        0 => {
            faults.note(ValueFault::Empty);
            out.null();
        }
        1 => {}
        _ => faults.note(ValueFault::ManyTypes),
    }
    Ok(())
}

/// Takes what follows the type: the `"x"` of `{"S":"x"}`.
fn typed(
    decoder: &mut Decoder<'_>,
    kind: AttributeType,
    out: &mut ItemBuilder,
    level: usize,
    faults: &mut Faults,
) -> Result<(), ApiError> {
    let here = Path::ROOT.member(kind.as_str());
    match kind {
        AttributeType::S => out.string(&decode_text(decoder)?),
        AttributeType::N => out.number(number(&decode_text(decoder)?, faults)),
        AttributeType::B => out.binary(&binary(decoder)?),
        AttributeType::Bool => out.boolean(decode_boolean(decoder)?),
        AttributeType::Null => {
            if !decode_boolean(decoder)? {
                faults.note(ValueFault::NullNotTrue);
            }
            out.null();
        }
        AttributeType::Ss => string_set(decoder, here, out, faults)?,
        AttributeType::Ns => number_set(decoder, here, out, faults)?,
        AttributeType::Bs => binary_set(decoder, here, out, faults)?,
        AttributeType::L | AttributeType::M if level == limits::NESTING_LEVELS => {
            decoder.reader.skip()?;
            faults.note(ValueFault::TooDeep);
            out.null();
        }
        AttributeType::L => {
            decoder.begin_list(here)?;
            out.begin_list();
            while decoder.reader.next_element()? {
                value(decoder, here.element(0), out, level + 1, faults)?;
            }
            out.end_list();
        }
        AttributeType::M => {
            decoder.begin_map(SuppliedItem::class_name, here)?;
            out.begin_map();
            while let Some(name) = decoder.reader.next_name()? {
                out.name(&name);
                value(decoder, here.entry(&name), out, level + 1, faults)?;
            }
            out.end_map();
        }
    }
    Ok(())
}

fn string_set(
    decoder: &mut Decoder<'_>,
    at: Path<'_>,
    out: &mut ItemBuilder,
    faults: &mut Faults,
) -> Result<(), ApiError> {
    let members = members(decoder, at, |decoder| decode_text(decoder))?;
    if members.is_empty() {
        faults.note(ValueFault::EmptyStringSet);
    }
    if out.string_set(members.iter().map(|member| &**member)).is_err() {
        faults.note(ValueFault::DuplicateStrings(members.join(", ")));
    }
    Ok(())
}

fn number_set(
    decoder: &mut Decoder<'_>,
    at: Path<'_>,
    out: &mut ItemBuilder,
    faults: &mut Faults,
) -> Result<(), ApiError> {
    let members = members(decoder, at, |decoder| Ok(number(&decode_text(decoder)?, faults)))?;
    if members.is_empty() {
        faults.note(ValueFault::EmptyNumberSet);
    }
    if out.number_set(members).is_err() {
        faults.note(ValueFault::DuplicateNumbers);
    }
    Ok(())
}

fn binary_set(
    decoder: &mut Decoder<'_>,
    at: Path<'_>,
    out: &mut ItemBuilder,
    faults: &mut Faults,
) -> Result<(), ApiError> {
    let members = members(decoder, at, |decoder| {
        let text = base64_text(decoder)?;
        decode_base64_text(&text).map(|bytes| (text, bytes))
    })?;
    if members.is_empty() {
        faults.note(ValueFault::EmptyBinarySet);
    }
    if out.binary_set(members.iter().map(|(_, bytes)| bytes.as_slice())).is_err() {
        let texts: Vec<&str> = members.iter().map(|(text, _)| &**text).collect();
        faults.note(ValueFault::DuplicateBinaries(texts.join(", ")));
    }
    Ok(())
}

/// Takes the members of a set. A `null` among them is passed over, as absence is everywhere.
fn members<'a, T>(
    decoder: &mut Decoder<'a>,
    at: Path<'_>,
    mut member: impl FnMut(&mut Decoder<'a>) -> Result<T, ApiError>,
) -> Result<Vec<T>, ApiError> {
    decoder.begin_list(at)?;
    let mut members = Vec::new();
    while decoder.reader.next_element()? {
        match decoder.reader.peek()? {
            Kind::Null => decoder.reader.null()?,
            _ => members.push(member(decoder)?),
        }
    }
    Ok(members)
}

/// Parses a number. If `text` is not a valid number, records a fault and returns zero.
fn number(text: &str, faults: &mut Faults) -> Number {
    Number::parse(text).unwrap_or_else(|error| {
        faults.note(ValueFault::of_number(error, text));
        Number::ZERO
    })
}

fn binary(decoder: &mut Decoder<'_>) -> Result<Vec<u8>, ApiError> {
    decode_base64_text(&base64_text(decoder)?)
}

fn decode_base64_text(text: &str) -> Result<Vec<u8>, ApiError> {
    decode_base64(text).map_err(|error| ApiError::serialization(error.to_string()))
}

fn base64_text<'a>(decoder: &mut Decoder<'a>) -> Result<Cow<'a, str>, ApiError> {
    match decoder.reader.peek()? {
        Kind::String => Ok(decoder.reader.string()?),
        Kind::Object | Kind::Array => Err(decoder.not_a_scalar("java.nio.ByteBuffer")?),
        _ => Err(ApiError::serialization(text::NOT_BASE64)),
    }
}
