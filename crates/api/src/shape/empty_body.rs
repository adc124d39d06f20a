//! The output of operations that answer with no body at all, not even `{}`.

use super::encode::Encode;
use crate::json::Writer;

/// Nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmptyBody;

impl Encode for EmptyBody {
    fn encode(&self, _: &mut Writer<'_>) {}
}
