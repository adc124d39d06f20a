//! An append-only JSON writer.
//!
//! It keeps no state of its own: whether a comma is due is read off the last byte written. The caller
//! keeps brackets balanced, which the generated shapes do by construction.

use super::base64::encode_base64;
use super::run::run_length;
use std::io::Write;

/// Appends JSON to a buffer.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> Writer<'a> {
    /// Appends to `out`.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }

    /// Opens an object.
    pub fn begin_object(&mut self) {
        self.separate();
        self.out.push(b'{');
    }

    /// Opens an object and writes the name of its first member; `opening` is the literal text of both:
    /// `{"S":`.
    pub fn begin_object_with(&mut self, opening: &'static str) {
        self.quoted_name(opening);
    }

    /// Closes an object.
    pub fn end_object(&mut self) {
        self.out.push(b'}');
    }

    /// Opens an array.
    pub fn begin_array(&mut self) {
        self.separate();
        self.out.push(b'[');
    }

    /// Closes an array.
    pub fn end_array(&mut self) {
        self.out.push(b']');
    }

    /// Writes a member's name; its value follows.
    pub fn name(&mut self, name: &str) {
        self.string(name);
        self.out.push(b':');
    }

    /// Writes a member's name that is already quoted, escaped and followed by its colon: `"Item":`.
    pub fn quoted_name(&mut self, name: &'static str) {
        self.separate();
        self.out.extend_from_slice(name.as_bytes());
    }

    /// Writes a string.
    pub fn string(&mut self, text: &str) {
        self.separate();
        put_string(self.out, text);
    }

    /// Writes text that needs no escaping, such as the digits of a number, as a string.
    pub fn plain_string(&mut self, text: impl std::fmt::Display) {
        self.separate();
        // Writing into a vector cannot fail.
        let _ = write!(self.out, "\"{text}\"");
    }

    /// Writes bytes as a base64 string.
    pub fn binary(&mut self, bytes: &[u8]) {
        self.separate();
        self.out.push(b'"');
        encode_base64(bytes, self.out);
        self.out.push(b'"');
    }

    /// Writes an integer.
    pub fn integer(&mut self, value: i64) {
        self.separate();
        self.digits(value);
    }

    /// Writes an integer as a string.
    pub fn quoted_integer(&mut self, value: i64) {
        self.separate();
        self.out.push(b'"');
        self.digits(value);
        self.out.push(b'"');
    }

    /// Writes a decimal with at least one digit behind the point, as AWS prints capacity units: `5.0`.
    /// JSON has no infinities; they print as `null`.
    pub fn decimal(&mut self, value: f64) {
        self.separate();
        // Writing into a vector cannot fail.
        let _ = if value.is_finite() { write!(self.out, "{value:?}") } else { write!(self.out, "null") };
    }

    /// Writes a value that is already JSON.
    pub fn raw(&mut self, json: std::fmt::Arguments<'_>) {
        self.separate();
        // Writing into a vector cannot fail.
        let _ = self.out.write_fmt(json);
    }

    /// Writes `true` or `false`.
    pub fn boolean(&mut self, value: bool) {
        self.separate();
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
    }

    fn digits(&mut self, value: i64) {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        let mut rest = value.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + u8::try_from(rest % 10).expect("a decimal digit");
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if value < 0 {
            self.out.push(b'-');
        }
        self.out.extend_from_slice(&digits[at..]);
    }

    /// Writes a comma, unless the output is empty or ends with an opening bracket or a name.
    fn separate(&mut self) {
        if !matches!(self.out.last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(b',');
        }
    }
}

/// Appends a string, quoted and escaped.
pub fn put_string(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (run, behind) = rest.split_at(run_length(rest));
        out.extend_from_slice(run);
        let Some((&stop, behind)) = behind.split_first() else { break };
        put_escape(out, stop);
        rest = behind;
    }
    out.push(b'"');
}

fn put_escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            // Writing into a vector cannot fail.
            let _ = write!(out, "\\u{byte:04x}");
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn written(write: impl FnOnce(&mut Writer<'_>)) -> String {
        let mut out = Vec::new();
        write(&mut Writer::new(&mut out));
        String::from_utf8(out).unwrap()
    }

    proptest! {
        #[test]
        fn strings_are_read_back_by_serde_json(text in any::<String>(), control in "[\0-\u{1f}\"\\\\]{0,8}") {
            let text = text + &control;
            let json = written(|writer| writer.string(&text));
            prop_assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), Value::from(text));
        }

        #[test]
        fn integers_print_as_the_standard_library_prints_them(value in any::<i64>()) {
            prop_assert_eq!(written(|writer| writer.integer(value)), value.to_string());
        }

        #[test]
        fn decimals_lose_nothing(value in any::<f64>()) {
            prop_assert_eq!(written(|writer| writer.decimal(value)).parse(), Ok(value));
        }
    }

    #[test]
    fn decimals_keep_a_digit_behind_the_point() {
        for (value, expected) in [(5.0, "5.0"), (0.5, "0.5"), (-1.25, "-1.25"), (f64::INFINITY, "null")] {
            assert_eq!(written(|writer| writer.decimal(value)), expected);
        }
        assert_eq!(written(|writer| writer.integer(i64::MIN)), i64::MIN.to_string());
    }

    #[test]
    fn commas_fall_between_entries_only() {
        let json = written(|writer| {
            writer.begin_object();
            writer.quoted_name("\"a\":");
            writer.begin_array();
            writer.integer(1);
            writer.boolean(true);
            writer.begin_object();
            writer.end_object();
            writer.binary(b"abc");
            writer.end_array();
            writer.name("b");
            writer.plain_string(7);
            writer.name("q");
            writer.quoted_integer(-7);
            writer.name("c:");
            writer.raw(format_args!("1.5"));
            writer.end_object();
        });
        assert_eq!(json, r#"{"a":[1,true,{},"YWJj"],"b":"7","q":"-7","c:":1.5}"#);
        assert!(serde_json::from_str::<Value>(&json).is_ok());
    }
}
