//! Percent-encoded text, read strictly: a form or a path that is wrongly encoded is rejected, where libraries leave it as it is.

/// The names and values of `a=1&b=two`, decoded; none if an escape is broken or a text is not UTF-8.
pub fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let parts = text.split('&').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            Some((decode(name, true)?, decode(value, true)?))
        })
        .collect()
}

/// A segment of a path, decoded; none if an escape is broken or the text is not UTF-8.
pub fn segment(text: &str) -> Option<String> {
    decode(text, false)
}

/// In forms a plus is a space.
fn decode(text: &str, is_form: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' if is_form => bytes.push(b' '),
            b'%' => bytes.push(hex(rest.next()?)? << 4 | hex(rest.next()?)?),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_decoded_strictly() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        for (text, expected) in [
            ("", Some(vec![])),
            ("a=1&b=two+words&c", Some(vec![pair("a", "1"), pair("b", "two words"), pair("c", "")])),
            ("e=a%40x.com&%C3%BC=%26", Some(vec![pair("e", "a@x.com"), pair("ü", "&")])),
            ("a=%", None),
            ("a=%4", None),
            ("a=%zz", None),
            ("a=%ff", None),
        ] {
            assert_eq!(pairs(text), expected, "{text}");
        }
        assert_eq!(segment("a+b%2Fc").as_deref(), Some("a+b/c"));
        assert_eq!(segment("%2"), None);
    }
}
