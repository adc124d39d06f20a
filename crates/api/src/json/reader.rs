//! A pull reader over one JSON document.
//!
//! The caller asks for the kind of the next value and then takes it; there is no tree, and names and
//! strings are borrowed unless they contain an escape. Invariants: the text is valid UTF-8 (checked
//! once, up front), nesting never exceeds [`MAX_DEPTH`], and nothing here recurses.

use super::run::run_length;
use std::borrow::Cow;
use std::fmt;

/// How deep a document may nest. DynamoDB's 32 levels of attributes need fewer than 100 levels of JSON;
/// the rest is room to answer deeper items with a clear error instead of a syntax error.
pub const MAX_DEPTH: usize = 1024;

/// The document is not JSON, or nests deeper than [`MAX_DEPTH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the document is not well-formed JSON")
    }
}

impl std::error::Error for Malformed {}

/// The kind of the next value, judged by its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `"`
    String,
    /// A digit or a minus sign.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
}

/// A cursor over one document.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    position: usize,
    depth: usize,
    /// True between an opening bracket and the first entry behind it: no comma is due there.
    fresh: bool,
}

impl<'a> Reader<'a> {
    /// Starts at the beginning of `document`.
    pub fn new(document: &'a [u8]) -> Result<Self, Malformed> {
        let text = std::str::from_utf8(document).map_err(|_| Malformed)?;
        Ok(Self { text, position: 0, depth: 0, fresh: false })
    }

    /// The kind of the next value, which stays unread.
    pub fn peek(&mut self) -> Result<Kind, Malformed> {
        match self.next_byte()? {
            b'{' => Ok(Kind::Object),
            b'[' => Ok(Kind::Array),
            b'"' => Ok(Kind::String),
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            b't' => Ok(Kind::True),
            b'f' => Ok(Kind::False),
            b'n' => Ok(Kind::Null),
            _ => Err(Malformed),
        }
    }

    /// Enters an object; follow with [`Reader::next_name`] until it returns `None`.
    pub fn begin_object(&mut self) -> Result<(), Malformed> {
        self.open(b'{')
    }

    /// The next member's name, with the cursor before its value; `None` closes the object.
    pub fn next_name(&mut self) -> Result<Option<Cow<'a, str>>, Malformed> {
        if !self.next_entry(b'}')? {
            return Ok(None);
        }
        let name = self.string()?;
        self.take(b':')?;
        Ok(Some(name))
    }

    /// Enters an array; follow with [`Reader::next_element`] until it returns `false`.
    pub fn begin_array(&mut self) -> Result<(), Malformed> {
        self.open(b'[')
    }

    /// Whether another element follows; `false` closes the array.
    pub fn next_element(&mut self) -> Result<bool, Malformed> {
        self.next_entry(b']')
    }

    /// Takes a string. Borrowed from the document unless it contains an escape.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Malformed> {
        self.take(b'"')?;
        let start = self.position;
        match self.plain_run()? {
            b'"' => {
                let text = &self.text[start..self.position];
                self.position += 1;
                Ok(Cow::Borrowed(text))
            }
            _ => self.escaped_string(start).map(Cow::Owned),
        }
    }

    /// Takes a number, as its text.
    pub fn number(&mut self) -> Result<&'a str, Malformed> {
        self.next_byte()?;
        let start = self.position;
        let bytes = self.text.as_bytes();
        let digits = |mut at: usize| -> Result<usize, Malformed> {
            let from = at;
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            if at == from { Err(Malformed) } else { Ok(at) }
        };
        let mut at = start + usize::from(bytes[start] == b'-');
        at = if bytes.get(at) == Some(&b'0') { at + 1 } else { digits(at)? };
        if bytes.get(at) == Some(&b'.') {
            at = digits(at + 1)?;
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            at = digits(at)?;
        }
        self.position = at;
        Ok(&self.text[start..at])
    }

    /// Takes `true` or `false`.
    pub fn boolean(&mut self) -> Result<bool, Malformed> {
        match self.peek()? {
            Kind::True => self.literal("true").map(|()| true),
            _ => self.literal("false").map(|()| false),
        }
    }

    /// Takes `null`.
    pub fn null(&mut self) -> Result<(), Malformed> {
        self.next_byte()?;
        self.literal("null")
    }

    /// Skips the next value of any kind, checking its syntax. The kind of each open bracket is kept in one
    /// bit, so depth costs no stack.
    pub fn skip(&mut self) -> Result<(), Malformed> {
        const WORD: usize = u64::BITS as usize;
        let mut objects = [0u64; MAX_DEPTH / WORD + 1];
        let outside = self.depth;
        loop {
            match self.peek()? {
                Kind::Object => {
                    self.begin_object()?;
                    objects[self.depth / WORD] |= 1 << (self.depth % WORD);
                }
                Kind::Array => {
                    self.begin_array()?;
                    objects[self.depth / WORD] &= !(1 << (self.depth % WORD));
                }
                Kind::String => drop(self.string()?),
                Kind::Number => drop(self.number()?),
                Kind::True | Kind::False => drop(self.boolean()?),
                Kind::Null => self.null()?,
            }
            loop {
                if self.depth == outside {
                    return Ok(());
                }
                let in_object = objects[self.depth / WORD] >> (self.depth % WORD) & 1 == 1;
                let more = if in_object { self.next_name()?.is_some() } else { self.next_element()? };
                if more {
                    break;
                }
            }
        }
    }

    /// Passes over the next value and gives its text.
    pub fn raw(&mut self) -> Result<&'a str, Malformed> {
        self.next_byte()?;
        let start = self.position;
        self.skip()?;
        Ok(&self.text[start..self.position])
    }

    /// Succeeds when nothing but white space is left.
    pub fn end(&mut self) -> Result<(), Malformed> {
        self.skip_white_space();
        if self.position == self.text.len() { Ok(()) } else { Err(Malformed) }
    }

    fn open(&mut self, bracket: u8) -> Result<(), Malformed> {
        self.take(bracket)?;
        if self.depth == MAX_DEPTH {
            return Err(Malformed);
        }
        self.depth += 1;
        self.fresh = true;
        Ok(())
    }

    fn next_entry(&mut self, closing: u8) -> Result<bool, Malformed> {
        let byte = self.next_byte()?;
        if byte == closing {
            self.position += 1;
            self.depth -= 1;
            self.fresh = false;
            return Ok(false);
        }
        if self.fresh {
            self.fresh = false;
        } else {
            self.take(b',')?;
        }
        Ok(true)
    }

    /// Moves to the first byte that ends a run of ordinary characters and gives it: a quote or a backslash.
    fn plain_run(&mut self) -> Result<u8, Malformed> {
        let rest = &self.text.as_bytes()[self.position..];
        let length = run_length(rest);
        self.position += length;
        match rest.get(length) {
            Some(stop @ (b'"' | b'\\')) => Ok(*stop),
            _ => Err(Malformed),
        }
    }

    fn escaped_string(&mut self, mut start: usize) -> Result<String, Malformed> {
        let mut out = String::new();
        loop {
            let stop = self.plain_run()?;
            out.push_str(&self.text[start..self.position]);
            self.position += 1;
            if stop == b'"' {
                return Ok(out);
            }
            out.push(self.escape()?);
            start = self.position;
        }
    }

    fn escape(&mut self) -> Result<char, Malformed> {
        let byte = *self.text.as_bytes().get(self.position).ok_or(Malformed)?;
        self.position += 1;
        Ok(match byte {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.unicode_escape()?,
            _ => return Err(Malformed),
        })
    }

    /// The character behind `\u`, joined with its second half when it is a surrogate pair.
    fn unicode_escape(&mut self) -> Result<char, Malformed> {
        let first = self.hex4()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first).ok_or(Malformed);
        }
        if !self.text[self.position..].starts_with("\\u") {
            return Err(Malformed);
        }
        self.position += 2;
        let second = self.hex4()?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(Malformed);
        }
        char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)).ok_or(Malformed)
    }

    fn hex4(&mut self) -> Result<u32, Malformed> {
        let bytes = self.text.as_bytes().get(self.position..self.position + 4).ok_or(Malformed)?;
        let value = bytes.iter().try_fold(0, |value, &byte| {
            char::from(byte).to_digit(16).map(|digit| value << 4 | digit).ok_or(Malformed)
        })?;
        self.position += 4;
        Ok(value)
    }

    fn literal(&mut self, word: &str) -> Result<(), Malformed> {
        if !self.text.as_bytes()[self.position..].starts_with(word.as_bytes()) {
            return Err(Malformed);
        }
        self.position += word.len();
        Ok(())
    }

    fn take(&mut self, expected: u8) -> Result<(), Malformed> {
        if self.next_byte()? != expected {
            return Err(Malformed);
        }
        self.position += 1;
        Ok(())
    }

    fn next_byte(&mut self) -> Result<u8, Malformed> {
        self.skip_white_space();
        self.text.as_bytes().get(self.position).copied().ok_or(Malformed)
    }

    fn skip_white_space(&mut self) {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.position), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }
}

#[cfg(test)]
mod tests;
