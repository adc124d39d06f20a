use super::*;
use crate::shape::{Decode, Decoder, Encode, Path};
use proptest::prelude::*;
use sortkey_value::Number;

fn decode(json: &str) -> Result<SuppliedItem, ApiError> {
    let mut decoder = Decoder::new(json.as_bytes())?;
    let item = SuppliedItem::decode(&mut decoder, Path::ROOT.member("Item"))?;
    decoder.finish()?;
    Ok(item)
}

fn encode(value: &impl Encode) -> String {
    let mut out = Vec::new();
    crate::shape::encode(value, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn every_type_round_trips() {
    let json = concat!(
        r#"{"b":{"B":"AAEC"},"bool":{"BOOL":false},"bs":{"BS":["AA==","AQ=="]},"l":{"L":[{"S":""},{"L":[]}]},"#,
        r#""m":{"M":{"x":{"N":"-1.5"},"y":{"M":{}}}},"n":{"N":"150"},"ns":{"NS":["1","2"]},"null":{"NULL":true},"#,
        r#""s":{"S":"a \"quoted\" \n text 😀"},"ss":{"SS":["a","b"]}}"#
    );
    let item = decode(json).unwrap();
    assert_eq!(item.fault(), None);
    assert_eq!(encode(&item), json);
    assert_eq!(encode(item.checked().unwrap()), json);
}

#[test]
fn faults_wait_to_be_asked_for() {
    for (value, expected) in [
        ("{}", "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        ("null", "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        (
            r#"{"x":1}"#,
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        (
            r#"{"S":null}"#,
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        (
            r#"{"L":[{}]}"#,
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        (
            r#"{"S":"a","N":"1"}"#,
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
        ),
        (r#"{"S":"a","N":"b"}"#, "The parameter cannot be converted to a numeric value: b"),
        (r#"{"N":""}"#, "The parameter cannot be converted to a numeric value"),
        (r#"{"NS":["1","b"]}"#, "The parameter cannot be converted to a numeric value: b"),
        (r#"{"NS":["1","1.0"]}"#, "Input collection contains duplicates"),
        (r#"{"SS":[]}"#, "One or more parameter values were invalid: An string set  may not be empty"),
        (r#"{"NS":[]}"#, "One or more parameter values were invalid: An number set  may not be empty"),
        (r#"{"BS":[]}"#, "One or more parameter values were invalid: Binary sets should not be empty"),
        (
            r#"{"SS":["a","a"]}"#,
            "One or more parameter values were invalid: Input collection [a, a] contains duplicates.",
        ),
        (
            r#"{"BS":["Yg==","Yg=="]}"#,
            "One or more parameter values were invalid: Input collection [Yg==, Yg==]of type BS contains duplicates.",
        ),
        (
            r#"{"NULL":false}"#,
            "One or more parameter values were invalid: Null attribute value types must have the value of true",
        ),
        (
            r#"{"NULL":"no"}"#,
            "One or more parameter values were invalid: Null attribute value types must have the value of true",
        ),
        (
            r#"{"N":"123456789012345678901234567890123456789"}"#,
            "Attempting to store more than 38 significant digits in a Number",
        ),
        (
            r#"{"N":"-1e126"}"#,
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
        ),
        (
            r#"{"N":"1e-131"}"#,
            "Number underflow. Attempting to store a number with magnitude smaller than supported range",
        ),
    ] {
        let item = decode(&format!(r#"{{"ok":{{"S":"x"}},"a":{value},"z":{{"SS":[]}}}}"#)).unwrap();
        assert_eq!(item.checked().unwrap_err(), ApiError::validation(expected), "{value}");
        let named = format!("ExpressionAttributeValues contains invalid value: {expected} for key a");
        assert_eq!(item.checked_expression_values().unwrap_err(), ApiError::validation(named), "{value}");
    }
}

#[test]
fn wrong_types_fail_at_once() {
    const CLASS: &str = "com.amazonaws.dynamodb.v20120810.AttributeValue";
    for (value, expected) in [
        (r#""x""#, "Unexpected value type in payload".to_owned()),
        ("[]", format!("Unrecognized collection type class {CLASS}")),
        (r#"{"S":5}"#, "NUMBER_VALUE cannot be converted to String".to_owned()),
        (r#"{"S":5.5}"#, "DECIMAL_VALUE cannot be converted to String".to_owned()),
        (r#"{"N":true}"#, "TRUE_VALUE cannot be converted to String".to_owned()),
        (r#"{"S":[]}"#, "Unrecognized collection type class java.lang.String".to_owned()),
        (r#"{"S":{}}"#, "Start of structure or map found where not expected".to_owned()),
        (r#"{"BOOL":"23"}"#, "Unexpected token received from parser".to_owned()),
        (r#"{"BOOL":1}"#, "NUMBER_VALUE cannot be converted to Boolean".to_owned()),
        (r#"{"B":true}"#, "only base-64-encoded strings are convertible to bytes".to_owned()),
        (r#"{"B":[]}"#, "Unrecognized collection type class java.nio.ByteBuffer".to_owned()),
        (
            r#"{"B":"23456"}"#,
            "Base64 encoded length is expected a multiple of 4 bytes but found: 5".to_owned(),
        ),
        (r#"{"BS":["+/+="]}"#, "Invalid last non-pad Base64 character dectected".to_owned()),
        (r#"{"SS":"x"}"#, "Unexpected field type".to_owned()),
        (r#"{"SS":{}}"#, "Start of structure or map found where not expected".to_owned()),
        (r#"{"L":[5]}"#, "Unexpected value type in payload".to_owned()),
        (r#"{"M":5}"#, "Unexpected field type".to_owned()),
        (r#"{"M":[]}"#, format!("Unrecognized collection type java.util.Map<java.lang.String, {CLASS}>")),
        (r#"{"N":"x","S":5}"#, "NUMBER_VALUE cannot be converted to String".to_owned()),
    ] {
        let error = decode(&format!(r#"{{"a":{value}}}"#)).unwrap_err();
        assert_eq!(error, ApiError::serialization(expected), "{value}");
    }
}

#[test]
fn nesting_is_limited_to_32_levels() {
    let nested = |levels: usize| {
        format!(
            r#"{{"a":{}{{"S":"x"}}{}}}"#,
            r#"{"L":[{"M":{"m":"#.repeat(levels / 2),
            "}}]}".repeat(levels / 2)
        )
    };
    assert_eq!(decode(&nested(32)).unwrap().fault(), None);
    assert_eq!(decode(&nested(34)).unwrap().fault(), Some(&ValueFault::TooDeep));
    assert_eq!(decode(&nested(600)).unwrap_err(), ApiError::serialization(""));
}

#[test]
fn single_values() {
    let mut decoder = Decoder::new(br#"{"L":[{"N":"7"}]}"#).unwrap();
    let value = SuppliedValue::decode(&mut decoder, Path::ROOT.member("Value")).unwrap();
    assert_eq!(value.checked().unwrap(), &AttributeValue::L(vec![Number::from(7).into()]));
    assert_eq!(encode(&value), r#"{"L":[{"N":"7"}]}"#);
}

fn any_value() -> impl Strategy<Value = AttributeValue> {
    let leaf = prop_oneof![
        any::<String>().prop_map(AttributeValue::S),
        any::<i64>().prop_map(AttributeValue::from),
        any::<Vec<u8>>().prop_map(AttributeValue::B),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null),
        prop::collection::vec(any::<String>(), 1..5).prop_map(AttributeValue::string_set),
        prop::collection::vec(any::<i64>(), 1..5).prop_map(AttributeValue::number_set),
        prop::collection::vec(any::<Vec<u8>>(), 1..5).prop_map(AttributeValue::binary_set),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(AttributeValue::L),
            prop::collection::btree_map(any::<String>(), inner, 0..6).prop_map(AttributeValue::M),
        ]
    })
}

proptest! {
    #[test]
    fn any_item_round_trips(map in prop::collection::btree_map(any::<String>(), any_value(), 0..8)) {
        let item = Item::from(map);
        let decoded = decode(&encode(&item)).unwrap();
        prop_assert_eq!(decoded.checked().unwrap(), &item);
    }
}
