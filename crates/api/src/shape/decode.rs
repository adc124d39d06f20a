//! From JSON to shapes.
//!
//! A JSON value of the wrong type ends decoding at once with a SerializationException in AWS's words. A
//! required member that is missing does not: it is noted, and reported together with the violated
//! constraints, as AWS does.

use super::path::Path;
use crate::error::ApiError;
use crate::json::{Kind, Reader};
use crate::text::serialization as text;
use std::borrow::Cow;

/// A shape that can be read from JSON.
pub trait Decode: Sized {
    /// Takes the next JSON value, which is not `null`.
    fn decode(decoder: &mut Decoder<'_>, at: Path<'_>) -> Result<Self, ApiError>;

    /// The name of the type in the service's own language, which its error messages show.
    fn class_name() -> Cow<'static, str>;
}

/// Reads one input.
#[derive(Debug)]
pub struct Decoder<'a> {
    /// The document.
    pub reader: Reader<'a>,
    missing: Vec<String>,
    missing_text: Option<&'static str>,
}

impl<'a> Decoder<'a> {
    /// Starts at the beginning of `body`.
    pub fn new(body: &'a [u8]) -> Result<Self, ApiError> {
        Ok(Self { reader: Reader::new(body)?, missing: Vec::new(), missing_text: None })
    }

    /// Ends decoding: nothing may follow the input. Gives the paths of the required members that are missing.
    pub fn finish(mut self) -> Result<Vec<String>, ApiError> {
        self.reader.end()?;
        match self.missing_text {
            Some(text) => Err(ApiError::validation(text)),
            None => Ok(self.missing),
        }
    }

    /// Notes that the required member at this path is missing.
    pub fn note_missing(&mut self, at: Path<'_>) {
        self.missing.push(at.to_string());
    }

    /// Notes that a required member is missing whose absence AWS answers with a text of its own.
    pub fn note_missing_with_text(&mut self, text: &'static str) {
        self.missing_text.get_or_insert(text);
    }

    /// Takes the next value; an explicit `null` is the same as absence.
    pub fn optional<T: Decode>(&mut self, at: Path<'_>) -> Result<Option<T>, ApiError> {
        if self.reader.peek()? == Kind::Null {
            self.reader.null()?;
            return Ok(None);
        }
        T::decode(self, at).map(Some)
    }

    /// Enters a structure of this class.
    pub fn begin_structure(
        &mut self,
        class: fn() -> Cow<'static, str>,
        at: Path<'_>,
    ) -> Result<(), ApiError> {
        match self.reader.peek()? {
            Kind::Object => Ok(self.reader.begin_object()?),
            _ if at.is_root() => Err(ApiError::serialization("")),
            Kind::Array => Err(unexpected_class(&class())),
            _ if at.is_in_collection() => Err(ApiError::serialization(text::UNEXPECTED_VALUE)),
            _ => Err(ApiError::serialization(text::UNEXPECTED_FIELD)),
        }
    }

    /// Enters a map of this class.
    pub fn begin_map(&mut self, class: fn() -> Cow<'static, str>, at: Path<'_>) -> Result<(), ApiError> {
        match self.reader.peek()? {
            Kind::Object => Ok(self.reader.begin_object()?),
            Kind::Array => Err(ApiError::serialization(text::unexpected_collection(class()))),
            _ => Err(scalar_for_collection(at)),
        }
    }

    /// Enters a list.
    pub fn begin_list(&mut self, at: Path<'_>) -> Result<(), ApiError> {
        match self.reader.peek()? {
            Kind::Array => Ok(self.reader.begin_array()?),
            Kind::Object => Err(ApiError::serialization(text::UNEXPECTED_STRUCTURE)),
            _ => Err(scalar_for_collection(at)),
        }
    }

    /// The error for a value that is not a scalar of this class, `java.lang.String` for instance.
    pub fn not_a_scalar(&mut self, class: &str) -> Result<ApiError, ApiError> {
        let token = match self.reader.peek()? {
            Kind::Object => return Ok(ApiError::serialization(text::UNEXPECTED_STRUCTURE)),
            Kind::Array => return Ok(unexpected_class(class)),
            Kind::String => "STRING_VALUE",
            Kind::Number if self.reader.number()?.contains(['.', 'e', 'E']) => "DECIMAL_VALUE",
            Kind::Number => "NUMBER_VALUE",
            Kind::True => "TRUE_VALUE",
            Kind::False => "FALSE_VALUE",
            Kind::Null => "NULL_VALUE",
        };
        let simple = class.rsplit('.').next().unwrap_or(class);
        Ok(ApiError::serialization(text::not_convertible(token, simple)))
    }
}

fn unexpected_class(class: &str) -> ApiError {
    ApiError::serialization(text::unexpected_collection(format_args!("class {class}")))
}

fn scalar_for_collection(at: Path<'_>) -> ApiError {
    ApiError::serialization(if at.is_in_collection() { text::UNCASTABLE } else { text::UNEXPECTED_FIELD })
}
