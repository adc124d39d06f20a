//! The scalars and lists that every structure is made of.

use super::check::{Check, Measure, Part, Report};
use super::decode::{Decode, Decoder};
use super::encode::Encode;
use super::path::Path;
use crate::error::ApiError;
use crate::json::{Kind, Writer};
use crate::text::serialization as text;
use sortkey_value::double;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

const STRING: &str = "java.lang.String";
const BOOLEAN: &str = "java.lang.Boolean";
const INTEGER: &str = "java.lang.Integer";
const LONG: &str = "java.lang.Long";
const DOUBLE: &str = "java.lang.Double";

/// Takes a text without copying it, if it has no escapes.
pub(crate) fn decode_text<'a>(decoder: &mut Decoder<'a>) -> Result<Cow<'a, str>, ApiError> {
    match decoder.reader.peek()? {
        Kind::String => Ok(decoder.reader.string()?),
        _ => Err(decoder.not_a_scalar(STRING)?),
    }
}

/// Takes a boolean. Texts are accepted as AWS accepts them: `"true"` and `"no"` are booleans, `"23"` is not.
pub(crate) fn decode_boolean(decoder: &mut Decoder<'_>) -> Result<bool, ApiError> {
    match decoder.reader.peek()? {
        Kind::True | Kind::False => Ok(decoder.reader.boolean()?),
        Kind::String => match decoder.reader.string()?.to_ascii_lowercase().as_str() {
            "true" | "yes" => Ok(true),
            "false" | "no" => Ok(false),
            _ => Err(ApiError::serialization(text::UNEXPECTED_TOKEN)),
        },
        _ => Err(decoder.not_a_scalar(BOOLEAN)?),
    }
}

/// Reads a whole number. A fraction is truncated and a number out of range is clamped: the error of a
/// constraint is then more helpful than a type error.
fn decode_integer(
    decoder: &mut Decoder<'_>,
    class: &str,
    range: RangeInclusive<i64>,
) -> Result<i64, ApiError> {
    if decoder.reader.peek()? != Kind::Number {
        return Err(decoder.not_a_scalar(class)?);
    }
    let digits = decoder.reader.number()?;
    let value = digits.parse().unwrap_or_else(|_| double::parse(digits).unwrap_or(0.0) as i64);
    Ok(value.clamp(*range.start(), *range.end()))
}

/// Implements what is the same for every scalar: how it is written, measured and printed.
macro_rules! scalar {
    ($type:ty, $write:expr, $measure:expr, $print:literal) => {
        impl Encode for $type {
            fn encode(&self, writer: &mut Writer<'_>) {
                let write: fn(&mut Writer<'_>, &Self) = $write;
                write(writer, self);
            }
        }

        impl Check for $type {
            fn measure(&self) -> Measure<'_> {
                let measure: fn(&Self) -> Measure<'_> = $measure;
                measure(self)
            }

            fn print(&self, out: &mut String) {
                // Writing into a string cannot fail.
                let _ = write!(out, $print, self);
            }
        }
    };
}

scalar!(String, |writer, text| writer.string(text), |text| Measure::Text(text), "{}");
scalar!(bool, |writer, flag| writer.boolean(*flag), |_| Measure::Opaque, "{}");
scalar!(i32, |writer, n| writer.integer(i64::from(*n)), |n| Measure::Integer(i64::from(*n)), "{}");
scalar!(i64, |writer, n| writer.integer(*n), |n| Measure::Integer(*n), "{}");
scalar!(f64, |writer, n| writer.decimal(*n), |_| Measure::Opaque, "{:?}");

impl Decode for String {
    fn decode(decoder: &mut Decoder<'_>, _: Path<'_>) -> Result<Self, ApiError> {
        decode_text(decoder).map(Cow::into_owned)
    }

    fn class_name() -> Cow<'static, str> {
        STRING.into()
    }
}

impl Decode for bool {
    fn decode(decoder: &mut Decoder<'_>, _: Path<'_>) -> Result<Self, ApiError> {
        decode_boolean(decoder)
    }

    fn class_name() -> Cow<'static, str> {
        BOOLEAN.into()
    }
}

impl Decode for i32 {
    fn decode(decoder: &mut Decoder<'_>, _: Path<'_>) -> Result<Self, ApiError> {
        let value = decode_integer(decoder, INTEGER, i64::from(i32::MIN)..=i64::from(i32::MAX))?;
        Ok(i32::try_from(value).expect("clamped to the range of an i32"))
    }

    fn class_name() -> Cow<'static, str> {
        INTEGER.into()
    }
}

impl Decode for i64 {
    fn decode(decoder: &mut Decoder<'_>, _: Path<'_>) -> Result<Self, ApiError> {
        decode_integer(decoder, LONG, i64::MIN..=i64::MAX)
    }

    fn class_name() -> Cow<'static, str> {
        LONG.into()
    }
}

impl Decode for f64 {
    fn decode(decoder: &mut Decoder<'_>, _: Path<'_>) -> Result<Self, ApiError> {
        match decoder.reader.peek()? {
            Kind::Number => Ok(double::parse(decoder.reader.number()?).unwrap_or(0.0)),
            _ => Err(decoder.not_a_scalar(DOUBLE)?),
        }
    }

    fn class_name() -> Cow<'static, str> {
        DOUBLE.into()
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(decoder: &mut Decoder<'_>, at: Path<'_>) -> Result<Self, ApiError> {
        decoder.begin_list(at)?;
        let mut elements = Vec::new();
        while decoder.reader.next_element()? {
            elements.extend(decoder.optional(at.element(elements.len()))?);
        }
        Ok(elements)
    }

    fn class_name() -> Cow<'static, str> {
        format!("java.util.List<{}>", T::class_name()).into()
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, writer: &mut Writer<'_>) {
        writer.begin_array();
        self.iter().for_each(|element| element.encode(writer));
        writer.end_array();
    }
}

impl<T: Check> Check for Vec<T> {
    fn measure(&self) -> Measure<'_> {
        Measure::Count(self.len())
    }

    fn for_each_part(&self, visit: &mut dyn FnMut(Part, Measure<'_>)) {
        self.iter().for_each(|element| visit(Part::Element, element.measure()));
    }

    fn check(&self, at: Path<'_>, report: &mut Report<'_>) {
        for (position, element) in self.iter().enumerate() {
            element.check(at.element(position), report);
        }
    }

    fn print(&self, out: &mut String) {
        out.push('[');
        for (position, element) in self.iter().enumerate() {
            if position > 0 {
                out.push_str(", ");
            }
            element.print(out);
        }
        out.push(']');
    }
}
