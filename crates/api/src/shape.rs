//! Shapes: what an operation's input and output are made of.
//!
//! A shape is declared once, one line per member, with `shape!` or
//! `choices!`; from that line come the Rust field, the JSON member, whether it is
//! required, and its constraints. Three traits work on every shape: [`Decode`] reads it from JSON,
//! [`Encode`] writes it, [`Check`] holds it against its constraints.

mod check;
mod choices;
mod constraint;
mod decode;
mod empty_body;
mod encode;
mod macros;
mod member;
mod path;
mod primitives;
mod raw;
mod string_map;
mod table_name;
mod timestamp;
mod tree_map;

pub use self::check::{Check, Measure, Part, Report};
pub use self::constraint::Constraint;
pub use self::decode::{Decode, Decoder};
pub use self::empty_body::EmptyBody;
pub use self::encode::Encode;
pub use self::member::{Member, MemberRule, Shape};
pub use self::path::Path;
pub use self::raw::RawJson;
pub use self::string_map::StringMap;
pub use self::table_name::TableName;
pub use self::timestamp::Timestamp;

pub(crate) use self::choices::choices;
pub(crate) use self::macros::{member_rule, shape};
pub(crate) use self::member::{check_member, encode_member, print_member};
pub(crate) use self::primitives::{decode_boolean, decode_text};

use crate::error::ApiError;
use crate::json::Writer;

/// Reads an input and checks its constraints.
///
/// The result can still contain faults in its attribute values: AWS reports those later, when the operation
/// uses them. See [`SuppliedItem`](crate::SuppliedItem).
pub fn decode<T: Decode + Check>(body: &[u8]) -> Result<T, ApiError> {
    let mut decoder = Decoder::new(body)?;
    let input = T::decode(&mut decoder, Path::ROOT)?;
    let missing = decoder.finish()?;
    check_given(&input, &missing)?;
    Ok(input)
}

/// Holds an input that was built in Rust against its constraints.
pub fn check<T: Check>(input: &T) -> Result<(), ApiError> {
    check_given(input, &[])
}

/// Appends the JSON of an output to `out`.
pub fn encode<T: Encode>(output: &T, out: &mut Vec<u8>) {
    output.encode(&mut Writer::new(out));
}

/// Reads an output that another DynamoDB sent. Missing members are empty, and unknown ones are skipped.
pub fn decode_output<T: Decode>(body: &[u8]) -> Result<T, ApiError> {
    let mut decoder = Decoder::new(body)?;
    let output = T::decode(&mut decoder, Path::ROOT)?;
    decoder.reader.end()?;
    Ok(output)
}

fn check_given<T: Check>(input: &T, missing: &[String]) -> Result<(), ApiError> {
    let mut report = Report::new(missing);
    input.check(Path::ROOT, &mut report);
    report.finish()
}
