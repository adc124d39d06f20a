//! The compact form against the tree form.

use proptest::prelude::*;

use super::*;
use crate::{Picked, compare_names};

pub(crate) fn any_value() -> impl Strategy<Value = AttributeValue> {
    let number = (any::<i64>(), -40i32..40)
        .prop_map(|(digits, exponent)| Number::parse(&format!("{digits}E{exponent}")).expect("in range"));
    let bytes = proptest::collection::vec(any::<u8>(), 0..20);
    let leaf = prop_oneof![
        "\\PC{0,12}".prop_map(AttributeValue::S),
        number.clone().prop_map(AttributeValue::N),
        bytes.clone().prop_map(AttributeValue::B),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null),
        proptest::collection::vec("\\PC{1,6}", 1..5).prop_map(AttributeValue::string_set::<String>),
        proptest::collection::vec(number, 1..5).prop_map(AttributeValue::number_set::<Number>),
        proptest::collection::vec(bytes, 1..5).prop_map(AttributeValue::binary_set::<Vec<u8>>),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(AttributeValue::L),
            proptest::collection::btree_map("\\PC{0,5}", inner, 0..5).prop_map(AttributeValue::M),
        ]
    })
}

pub(crate) fn any_map() -> impl Strategy<Value = Map> {
    proptest::collection::btree_map("[a-zé]{0,4}", any_value(), 0..8)
}

#[test]
fn order_of_names_does_not_matter_and_the_last_of_two_wins() {
    let build = |names: &[(&str, i64)]| {
        let mut builder = Item::builder();
        for (name, value) in names {
            builder.name(name);
            builder.begin_map();
            builder.name("z");
            builder.number((*value).into());
            builder.name("a");
            builder.null();
            builder.end_map();
        }
        builder.finish()
    };
    let item = build(&[("b", 1), ("a", 2), ("c", 3), ("b", 4)]);
    assert_eq!(item, build(&[("a", 2), ("b", 4), ("c", 3)]));
    assert_eq!(item.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn sets_are_sorted_and_duplicates_reported() {
    let mut builder = Item::builder();
    builder.name("s");
    assert_eq!(builder.string_set(["b", "a", "b"]), Err(DuplicateInSet));
    let item = builder.finish();
    assert_eq!(item.to_map()["s"], AttributeValue::string_set(["a", "b"]));
}

#[test]
fn sizes_as_dynamodb_accounts_them() {
    let list = AttributeValue::L(vec!["ab".into(), true.into()]);
    let map = AttributeValue::M(Map::from([("k".into(), AttributeValue::Null)]));
    let item = Item::from_map(&Map::from([
        ("pk".into(), "é".into()),
        ("n".into(), 1.into()),
        ("l".into(), list),
        ("m".into(), map),
    ]));
    // pk: 2 + 2; n: 1 + 2; l: 1 + 3 + (1 + 2) + (1 + 1); m: 1 + 3 + (1 + 1 + 1)
    assert_eq!(item.size_bytes(), 4 + 3 + 9 + 7);
}

#[test]
fn what_was_overwritten_takes_no_room() {
    let mut item = Item::builder();
    for text in ["first", "second"] {
        item.name("m");
        item.begin_map();
        for number in [1, 2] {
            item.name("a");
            item.string(&text.repeat(number));
        }
        item.end_map();
    }
    let item = item.finish();
    let expected = Item::from_map(&item.to_map());
    assert_eq!(item.size_bytes(), 1 + 3 + 1 + 1 + "secondsecond".len());
    assert_eq!(item, expected);
}

proptest! {
    #[test]
    fn trees_come_back(map in any_map()) {
        let item = Item::from_map(&map);
        prop_assert_eq!(&item.to_map(), &map);
        prop_assert_eq!(item.len(), map.len());
        let size: usize = map.iter().map(|(name, value)| name.len() + value.size_bytes()).sum();
        prop_assert_eq!(item.size_bytes(), size);
        for (name, value) in &map {
            prop_assert_eq!(item.get(name).map(|found| found.to_owned()), Some(value.clone()));
        }
        prop_assert_eq!(item.get("absent-name"), None);
        let mut walk = item.entries().walk();
        for (at, (name, value)) in item.iter().enumerate() {
            prop_assert_eq!(walk.name(), Some(name.as_bytes()));
            match at % 2 {
                0 => prop_assert_eq!(walk.value(), Some(value)),
                _ => prop_assert_eq!(walk.skip(), Some(())),
            }
        }
        prop_assert_eq!(walk.name(), None);
        let mut copy = Item::builder();
        for (name, value) in item.iter() {
            copy.name(name);
            copy.value(value);
        }
        prop_assert_eq!(copy.finish(), item);
    }

    #[test]
    fn equality_is_that_of_trees(a in any_map(), b in any_map()) {
        prop_assert_eq!(Item::from_map(&a) == Item::from_map(&b), a == b);
    }

    #[test]
    fn damaged_bytes_never_panic(map in any_map(), flips in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..6)) {
        let mut bytes = Item::from_map(&map).as_bytes().to_vec();
        for (at, value) in flips {
            let at = usize::from(at) % bytes.len();
            bytes[at] = value;
        }
        let item = Item::from_bytes(bytes.into());
        let _ = (item.to_map(), item.size_bytes(), item.get("a"));
        let mut walk = item.entries().walk();
        while walk.name().and_then(|_| walk.skip()).is_some() {}
    }

    #[test]
    fn names_are_ordered_as_their_bytes_are(left in "[a-c]{0,20}", right in "[a-c]{0,20}", end in "[a-c]") {
        let near = format!("{}{end}", &left[..left.len().saturating_sub(1)]);
        for (one, other) in [(&left, &right), (&left, &left), (&left, &near)] {
            prop_assert_eq!(compare_names(one.as_bytes(), other.as_bytes()), one.cmp(other));
        }
    }
}

#[test]
fn several_values_are_picked_in_one_walk() {
    let number = AttributeValue::from(2);
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let item = Item::from([("a", text("1")), ("b", number), ("d", text("ü")), ("e", AttributeValue::Null)]);
    for wanted in [&["a", "d"][..], &["", "b", "c", "e", "f"], &["c"], &["x"], &[]] {
        let mut found = [None; 5];
        item.entries().pick(wanted, &mut found);
        for (name, value) in wanted.iter().zip(found) {
            assert_eq!(value.and_then(Picked::value), item.get(name), "{name} of {wanted:?}");
        }
    }
}
