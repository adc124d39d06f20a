//! JSON, as far as policies need it: small, with a limit of depth, and strict about repeated names.

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// As it was written.
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Deeper documents are no policies.
const MAX_DEPTH: usize = 32;

/// Reads a document; an error contains the mistake and its byte offset.
pub(crate) fn parse(text: &str) -> Result<Json, String> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.error("there is more after the end of the document")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn error(&self, what: &str) -> String {
        format!("{what}, at byte {}", self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Result<(), String> {
        if self.peek() != Some(byte) {
            return Err(self.error(&format!("expected `{}`", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > MAX_DEPTH {
            return Err(self.error("the document is nested too deeply"));
        }
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                let words = [("true", Json::Bool(true)), ("false", Json::Bool(false)), ("null", Json::Null)];
                for (word, value) in words {
                    if self.text[self.at..].starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.error("expected a JSON value"))
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        self.take(b'{')?;
        let mut members: Vec<(String, Json)> = Vec::new();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(members));
        }
        loop {
            self.space();
            let name = self.string()?;
            if members.iter().any(|(known, _)| *known == name) {
                return Err(self.error(&format!("`{name}` is given twice")));
            }
            self.space();
            self.take(b':')?;
            members.push((name, self.value(depth + 1)?));
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                _ => {
                    self.take(b'}')?;
                    return Ok(Json::Object(members));
                }
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, String> {
        self.take(b'[')?;
        let mut values = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(values));
        }
        loop {
            values.push(self.value(depth + 1)?);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                _ => {
                    self.take(b']')?;
                    return Ok(Json::Array(values));
                }
            }
        }
    }

    fn number(&mut self) -> Result<Json, String> {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        match text.parse::<f64>() {
            Ok(_) => Ok(Json::Number(text.to_owned())),
            Err(_) => Err(self.error(&format!("`{text}` is not a number"))),
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.take(b'"')?;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(letter) = rest.chars().next() else { return Err(self.error("a string has no end")) };
            self.at += letter.len_utf8();
            match letter {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                letter if letter < ' ' => return Err(self.error("a string contains a control character")),
                letter => text.push(letter),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let byte = self.peek().ok_or_else(|| self.error("a string has no end"))?;
        self.at += 1;
        Ok(match byte {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return Err(self.error("unknown escape in a string")),
        })
    }

    fn unicode(&mut self) -> Result<char, String> {
        let high = self.four_digits()?;
        if !(0xD800..0xDC00).contains(&high) {
            return char::from_u32(high).ok_or_else(|| self.error("half of a surrogate pair"));
        }
        self.take(b'\\')?;
        self.take(b'u')?;
        let low = self.four_digits()?;
        if !(0xDC00..0xE000).contains(&low) {
            return Err(self.error("half of a surrogate pair"));
        }
        let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        char::from_u32(code).ok_or_else(|| self.error("half of a surrogate pair"))
    }

    fn four_digits(&mut self) -> Result<u32, String> {
        let digits = self.text.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4;
        value.ok_or_else(|| "an escape needs four hexadecimal digits".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents() {
        let text = |text: &str| Json::String(text.to_owned());
        for (document, expected) in [
            ("\"a\\u00e9\\n\\ud83d\\ude00/\\/\"", Some(text("aé\n😀//"))),
            (
                "[1, true, null]",
                Some(Json::Array(vec![Json::Number("1".into()), Json::Bool(true), Json::Null])),
            ),
            ("{\"a\": {}}", Some(Json::Object(vec![("a".into(), Json::Object(vec![]))]))),
            ("{\"a\": 1, \"a\": 2}", None),
            ("{\"a\" 1}", None),
            ("[1,]", None),
            ("\"\\ud83d\"", None),
            ("\"\\uzzzz\"", None),
            ("\"\\u00", None),
            ("\"é\\u00é\"", None),
            ("1 2", None),
            ("-", None),
            ("", None),
        ] {
            assert_eq!(parse(document).ok(), expected, "{document}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
