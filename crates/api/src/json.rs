//! JSON as DynamoDB speaks it: a pull reader and an append-only writer, both without a tree.
//!
//! Nothing here knows DynamoDB. The reader hands out borrowed text and never recurses, so a hostile
//! document costs a bounded amount of stack; the writer appends to a buffer that the caller owns.

mod base64;
mod reader;
mod writer;

pub use self::base64::{Base64Error, decode_base64, encode_base64};
pub use self::reader::{Kind, MAX_DEPTH, Malformed, Reader};
pub use self::writer::Writer;

/// The bytes that cannot stand in a string as they are: quote, backslash and control characters.
const ENDS_RUN: [bool; 256] = {
    let mut ends = [false; 256];
    let mut control = 0;
    while control < 0x20 {
        ends[control] = true;
        control += 1;
    }
    ends[b'"' as usize] = true;
    ends[b'\\' as usize] = true;
    ends
};
