//! Members whose content nothing here reads: their JSON is kept as it came, so that their presence can
//! be noticed and refused.

use super::check::Check;
use super::decode::{Decode, Decoder};
use super::encode::Encode;
use super::path::Path;
use crate::error::ApiError;
use crate::json::Writer;
use std::borrow::Cow;

/// A JSON value, unread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawJson(String);

impl RawJson {
    /// The JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Decode for RawJson {
    fn decode(decoder: &mut Decoder<'_>, _: Path<'_>) -> Result<Self, ApiError> {
        Ok(Self(decoder.reader.raw()?.to_owned()))
    }

    fn class_name() -> Cow<'static, str> {
        "java.lang.Object".into()
    }
}

impl Encode for RawJson {
    fn encode(&self, writer: &mut Writer<'_>) {
        writer.raw(format_args!("{}", self.0));
    }
}

impl Check for RawJson {
    fn print(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}
