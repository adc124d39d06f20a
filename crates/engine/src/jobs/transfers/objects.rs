//! The JSON objects in a text, each in bounded memory whatever the file contains.
//!
//! As on AWS, objects may follow each other on one line. The end of a line ends an object, too: what is broken off costs
//! no more than its line. This module does not parse: it only finds where an object ends.

use std::io::{self, BufRead};

/// Bytes that an object may have: an item is 400 KB, and every byte of it can be written as six.
const OBJECT_BYTES: usize = 4 * 1024 * 1024;

/// The objects of a text.
pub(super) struct Objects<R> {
    text: R,
}

/// Text that may be an object, or none, because it is broken off or longer than any item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Text(Vec<u8>),
    Broken,
}

impl<R: BufRead> Objects<R> {
    pub(super) fn new(text: R) -> Objects<R> {
        Objects { text }
    }

    /// The next object; `None` at the end. Blanks and empty lines do not count.
    pub(super) fn next(&mut self) -> io::Result<Option<Object>> {
        match self.first()? {
            None => Ok(None),
            Some(b'{') => self.object().map(Some),
            Some(_) => {
                self.text.skip_until(b'\n')?;
                Ok(Some(Object::Broken))
            }
        }
    }

    /// The first byte that is not blank, which is not consumed.
    fn first(&mut self) -> io::Result<Option<u8>> {
        loop {
            let input = self.text.fill_buf()?;
            let blanks = input.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let (first, is_end) = (input.get(blanks).copied(), input.is_empty());
            self.text.consume(blanks);
            if first.is_some() || is_end {
                return Ok(first);
            }
        }
    }

    fn object(&mut self) -> io::Result<Object> {
        let (mut object, mut is_too_long, mut place) = (Vec::new(), false, Place::default());
        loop {
            let input = self.text.fill_buf()?;
            if input.is_empty() {
                return Ok(Object::Broken);
            }
            let end = input.iter().position(|byte| place.is_end(*byte));
            let part = &input[..end.map_or(input.len(), |at| at + 1)];
            is_too_long |= object.len() + part.len() > OBJECT_BYTES;
            if !is_too_long {
                object.extend_from_slice(part);
            }
            let count = part.len();
            self.text.consume(count);
            if end.is_some() {
                let is_whole = place.depth == 0 && !is_too_long;
                return Ok(if is_whole { Object::Text(object) } else { Object::Broken });
            }
        }
    }
}

/// How deep a byte is in its object, and whether it is in a string.
#[derive(Default)]
struct Place {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

impl Place {
    /// Whether the object ends with this byte: it closes the outermost brace, or ends the line.
    fn is_end(&mut self, byte: u8) -> bool {
        match byte {
            b'\n' => return true,
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.in_string => self.is_escaped = true,
            b'"' => self.in_string = !self.in_string,
            b'{' if !self.in_string => self.depth += 1,
            b'}' if !self.in_string => {
                self.depth -= 1;
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    fn objects(text: &[u8]) -> Vec<Option<String>> {
        // A small buffer, so that strings and escapes are cut anywhere.
        let mut objects = Objects::new(BufReader::with_capacity(3, text));
        let mut found = Vec::new();
        while let Some(object) = objects.next().unwrap() {
            found.push(match object {
                Object::Text(text) => Some(String::from_utf8(text).unwrap()),
                Object::Broken => None,
            });
        }
        found
    }

    #[test]
    fn objects_are_told_apart() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(objects(b" \n\n\t"), []);
        assert_eq!(
            objects(b"{}{\"a\":{}} {}\r\n{}"),
            [some("{}"), some("{\"a\":{}}"), some("{}"), some("{}")]
        );
        let quoted = r#"{"a":"}\\\"{"}"#;
        assert_eq!(objects(format!("{quoted}{quoted}").as_bytes()), [some(quoted), some(quoted)]);
    }

    #[test]
    fn a_broken_object_costs_its_line_only() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            objects(b"{\"a\"\n{}\n}{}\n{}\nx\n[{}]\n{"),
            [None, some("{}"), None, some("{}"), None, None, None]
        );
    }

    // F-65: an object that no item can have is read to its end, and what follows it on its line is still found.
    #[test]
    fn objects_of_any_size_are_read_in_bounded_memory() {
        let huge = io::repeat(b'x').take(3 * OBJECT_BYTES as u64);
        let text = b"{\"a\":\"".chain(huge).chain(&b"\"}{}\n"[..]);
        let mut objects = Objects::new(BufReader::new(text));
        assert_eq!(objects.next().unwrap(), Some(Object::Broken));
        assert_eq!(objects.next().unwrap(), Some(Object::Text(b"{}".to_vec())));
        assert_eq!(objects.next().unwrap(), None);
    }
}
