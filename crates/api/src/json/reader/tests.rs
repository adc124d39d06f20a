use super::*;
use proptest::prelude::*;
use serde_json::Value;

/// Builds a tree with the reader, so that it can be held against serde_json's.
fn tree(reader: &mut Reader<'_>) -> Result<Value, Malformed> {
    Ok(match reader.peek()? {
        Kind::Object => {
            let mut members = serde_json::Map::new();
            reader.begin_object()?;
            while let Some(name) = reader.next_name()? {
                members.insert(name.into_owned(), tree(reader)?);
            }
            Value::Object(members)
        }
        Kind::Array => {
            let mut elements = Vec::new();
            reader.begin_array()?;
            while reader.next_element()? {
                elements.push(tree(reader)?);
            }
            Value::Array(elements)
        }
        Kind::String => Value::String(reader.string()?.into_owned()),
        Kind::Number => serde_json::from_str(reader.number()?).map_err(|_| Malformed)?,
        Kind::True | Kind::False => Value::Bool(reader.boolean()?),
        Kind::Null => reader.null().map(|()| Value::Null)?,
    })
}

fn read(document: &[u8]) -> Result<Value, Malformed> {
    let mut reader = Reader::new(document)?;
    let value = tree(&mut reader)?;
    reader.end()?;
    Ok(value)
}

fn skip(document: &[u8]) -> Result<(), Malformed> {
    let mut reader = Reader::new(document)?;
    reader.skip()?;
    reader.end()
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn reads_what_serde_json_writes(value in json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) }.unwrap();
        prop_assert_eq!(read(&text), Ok(value));
        prop_assert_eq!(skip(&text), Ok(()));
    }

    #[test]
    fn accepts_exactly_what_serde_json_accepts(
        text in r#"[\[\]{}",:0-9eE+.tfn \\ualsr-]{0,24}|(\{"a":|\[|1|"x"|\}|\]|,|true|null| ){0,9}"#,
    ) {
        let expected: Result<Value, _> = serde_json::from_str(&text);
        // serde_json refuses numbers that an f64 cannot hold; the reader keeps them as text.
        if expected.as_ref().is_err_and(|error| error.to_string().contains("out of range")) {
            return Ok(());
        }
        prop_assert_eq!(read(text.as_bytes()).ok(), expected.ok());
        prop_assert_eq!(skip(text.as_bytes()).is_ok(), serde_json::from_str::<Value>(&text).is_ok());
    }
}

#[test]
fn strings_without_escapes_are_borrowed() {
    let mut reader = Reader::new(br#"["plain", "es\u0063aped \ud83d\ude00"]"#).unwrap();
    reader.begin_array().unwrap();
    assert!(reader.next_element().unwrap());
    assert!(matches!(reader.string().unwrap(), Cow::Borrowed("plain")));
    assert!(reader.next_element().unwrap());
    assert_eq!(reader.string().unwrap(), "escaped 😀");
    assert!(!reader.next_element().unwrap());
}

#[test]
fn refuses() {
    for document in [
        "",
        " ",
        "hi",
        "{",
        "[1,]",
        "[,1]",
        "{\"a\":1,}",
        "{\"a\"}",
        "{a:1}",
        "01",
        "1.",
        "1e",
        "-",
        "+1",
        "\"\u{1}\"",
        "\"\\x\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"abc",
        "tru",
        "nul",
        "[1 2]",
        "1 1",
        "]",
        "{]",
        "[}",
    ] {
        assert_eq!(read(document.as_bytes()), Err(Malformed), "{document}");
        assert_eq!(skip(document.as_bytes()), Err(Malformed), "{document}");
    }
    assert_eq!(read(b"\"\xff\""), Err(Malformed));
}

#[test]
fn nesting_is_bounded_and_costs_no_stack() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(skip(nested(MAX_DEPTH).as_bytes()), Ok(()));
    assert_eq!(skip(nested(MAX_DEPTH + 1).as_bytes()), Err(Malformed));
    assert_eq!(skip("{\"a\":".repeat(1_000_000).as_bytes()), Err(Malformed));
}
