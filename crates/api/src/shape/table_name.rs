//! The name of a table, or its ARN: requests accept either.

use super::check::{Check, Measure, Report};
use super::constraint::Constraint;
use super::decode::{Decode, Decoder};
use super::encode::Encode;
use super::path::Path;
use super::primitives::decode_text;
use crate::error::ApiError;
use crate::json::Writer;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Since the member accepts an ARN, AWS first asks only that it is not empty.
const NOT_EMPTY: &[Constraint] = &[Constraint::MinLength(1)];
const NAME: &[Constraint] =
    &[Constraint::NameCharacters, Constraint::MinLength(3), Constraint::MaxLength(255)];
const ARN: &[Constraint] = &[Constraint::MaxLength(1024)];

/// The table that a request is about, by name or ARN. Clones are cheap: a client that repeats requests shares
/// the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TableName(Arc<str>);

impl TableName {
    /// The table's name, whichever form was sent.
    pub fn name(&self) -> &str {
        Self::name_of(&self.0)
    }

    /// The table's name in a text that is either its name or its ARN.
    pub fn name_of(text: &str) -> &str {
        if !text.starts_with("arn:") {
            return text;
        }
        // The rest can name a part of the table: `table/NAME/index/I`.
        text.split_once(":table/").and_then(|(_, rest)| rest.split('/').next()).unwrap_or(text)
    }

    /// The ARN, if that is what was sent.
    pub fn arn(&self) -> Option<&str> {
        self.0.starts_with("arn:").then_some(&*self.0)
    }

    /// The text as sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The rules that this text has to satisfy.
    fn constraints(&self) -> &'static [Constraint] {
        match self.arn() {
            Some(_) => ARN,
            None if self.0.is_empty() => NOT_EMPTY,
            None => NAME,
        }
    }
}

impl From<&str> for TableName {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for TableName {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Decode for TableName {
    fn decode(decoder: &mut Decoder<'_>, _: Path<'_>) -> Result<Self, ApiError> {
        decode_text(decoder).map(|text| Self(text.into()))
    }

    fn class_name() -> Cow<'static, str> {
        String::class_name()
    }
}

impl Encode for TableName {
    fn encode(&self, writer: &mut Writer<'_>) {
        writer.string(&self.0);
    }
}

impl Check for TableName {
    fn measure(&self) -> Measure<'_> {
        Measure::Text(&self.0)
    }

    fn check(&self, at: Path<'_>, report: &mut Report<'_>) {
        report.hold(self, self.constraints(), at);
    }

    fn print(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_arns() {
        for (text, name) in [
            ("orders", "orders"),
            ("arn:aws:dynamodb:us-east-1:000000000000:table/orders", "orders"),
            ("arn:aws:dynamodb:us-east-1:000000000000:table/orders/index/by-date", "orders"),
            ("arn:aws:s3:::bucket", "arn:aws:s3:::bucket"),
        ] {
            assert_eq!(TableName::from(text).name(), name);
        }
    }
}
