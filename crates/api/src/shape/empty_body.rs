//! The output of operations that answer with no body at all, not even `{}`.

use super::decode::{Decode, Decoder};
use super::encode::Encode;
use super::path::Path;
use crate::error::ApiError;
use crate::json::Writer;
use std::borrow::Cow;

/// Nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmptyBody;

impl Encode for EmptyBody {
    fn encode(&self, _: &mut Writer<'_>) {}
}

/// Other DynamoDBs may send `{}` all the same.
impl Decode for EmptyBody {
    fn decode(decoder: &mut Decoder<'_>, _: Path<'_>) -> Result<Self, ApiError> {
        decoder.reader.skip()?;
        Ok(Self)
    }

    fn class_name() -> Cow<'static, str> {
        "java.lang.Void".into()
    }
}
