//! From shapes to JSON.

use crate::json::Writer;

/// A shape that can be written as JSON.
pub trait Encode {
    /// Writes the value.
    fn encode(&self, writer: &mut Writer<'_>);
}
