//! DynamoDB's dialect of JSON: a pull reader and an append-only writer, both without a tree.
//!
//! Nothing here is specific to DynamoDB's shapes. The reader returns borrowed text and never recurses, so a
//! hostile document costs a bounded amount of stack; the writer appends to a buffer that the caller owns.

mod base64;
mod reader;
mod run;
mod writer;

pub use self::base64::{Base64Error, decode_base64, encode_base64};
pub use self::reader::{Kind, MAX_DEPTH, Malformed, Reader};
pub use self::writer::{Writer, put_string};
