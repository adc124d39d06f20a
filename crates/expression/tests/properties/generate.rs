//! Random items, paths and trees. Names and values come from small sets, so that conditions hold and paths meet
//! often enough to matter.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use sortkey_expression::condition::{Condition, Operand};
use sortkey_expression::update::{Action, Change, SetOperand, SetValue};
use sortkey_expression::{Comparator, Path, Step};
use sortkey_value::{AttributeType, AttributeValue, Map, Number};

pub(crate) fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just("a"), Just("b"), Just("name"), Just("a.b"), Just("ä")].prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(""), Just("a"), Just("ab"), Just("b"), Just("😀")].prop_map(str::to_owned)
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![Just("0"), Just("1"), Just("2"), Just("-1.5"), Just("3E10")]
        .prop_map(|text| Number::parse(text).unwrap())
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(0u8..2, 0..3)
}

pub(crate) fn set() -> impl Strategy<Value = AttributeValue> {
    prop_oneof![
        vec(text(), 1..3).prop_map(AttributeValue::string_set),
        vec(number(), 1..3).prop_map(AttributeValue::number_set),
        vec(bytes(), 1..3).prop_map(AttributeValue::binary_set),
    ]
}

pub(crate) fn value() -> impl Strategy<Value = AttributeValue> {
    let scalar = prop_oneof![
        3 => text().prop_map(AttributeValue::S),
        3 => number().prop_map(AttributeValue::N),
        1 => bytes().prop_map(AttributeValue::B),
        1 => any::<bool>().prop_map(AttributeValue::Bool),
        1 => Just(AttributeValue::Null),
        2 => set(),
    ];
    scalar.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(AttributeValue::L),
            btree_map(name(), inner, 0..4).prop_map(AttributeValue::M),
        ]
    })
}

pub(crate) fn attributes() -> impl Strategy<Value = Map> {
    btree_map(name(), value(), 0..5)
}

pub(crate) fn path() -> impl Strategy<Value = Path> {
    let step = prop_oneof![name().prop_map(Step::Member), (0usize..4).prop_map(Step::Element)];
    (name(), vec(step, 0..3)).prop_map(|(attribute, steps)| Path::new(attribute, steps))
}

fn operand() -> impl Strategy<Value = Operand> {
    let simple = prop_oneof![
        path().prop_map(Operand::Path),
        value().prop_map(|value| Operand::Constant(value.into())),
    ];
    prop_oneof![
        4 => simple.clone(),
        1 => simple.prop_map(|operand| Operand::Size(Box::new(operand))),
    ]
}

fn comparator() -> impl Strategy<Value = Comparator> {
    prop_oneof![
        Just(Comparator::Equal),
        Just(Comparator::NotEqual),
        Just(Comparator::Less),
        Just(Comparator::LessOrEqual),
        Just(Comparator::Greater),
        Just(Comparator::GreaterOrEqual),
    ]
}

pub(crate) fn condition() -> impl Strategy<Value = Condition> {
    let simple = prop_oneof![
        (comparator(), operand(), operand()).prop_map(|(operator, left, right)| Condition::Compare {
            operator,
            left,
            right,
        }),
        (operand(), operand(), operand()).prop_map(|(operand, lower, upper)| Condition::Between {
            operand,
            lower,
            upper,
        }),
        (operand(), vec(operand(), 1..4)).prop_map(|(operand, members)| Condition::In { operand, members }),
        path().prop_map(Condition::Exists),
        path().prop_map(Condition::NotExists),
        (operand(), proptest::sample::select(AttributeType::ALL.to_vec()))
            .prop_map(|(operand, kind)| Condition::HasType(operand, kind)),
        (operand(), operand()).prop_map(|(value, prefix)| Condition::BeginsWith(value, prefix)),
        (operand(), operand()).prop_map(|(value, member)| Condition::Contains(value, member)),
    ];
    simple.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Condition::Not(Box::new(inner))),
            vec(inner.clone(), 2..4).prop_map(Condition::And),
            vec(inner, 2..4).prop_map(Condition::Or),
        ]
    })
}

fn set_operand() -> impl Strategy<Value = SetOperand> {
    let simple = prop_oneof![
        path().prop_map(SetOperand::Path),
        value().prop_map(|value| SetOperand::Constant(value.into())),
        number().prop_map(|number| SetOperand::Constant(AttributeValue::N(number).into())),
    ];
    (option::weighted(0.4, path()), simple).prop_map(|(path, operand)| match path {
        Some(path) => SetOperand::IfNotExists(path, Box::new(operand)),
        None => operand,
    })
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => set_operand().prop_map(|operand| Change::Set(SetValue::Operand(operand))),
        1 => (set_operand(), set_operand())
            .prop_map(|(left, right)| Change::Set(SetValue::Plus(left, right))),
        1 => (set_operand(), set_operand())
            .prop_map(|(left, right)| Change::Set(SetValue::Minus(left, right))),
        1 => (set_operand(), set_operand())
            .prop_map(|(left, right)| Change::Set(SetValue::ListAppend(left, right))),
        3 => Just(Change::Remove),
        2 => prop_oneof![number().prop_map(AttributeValue::N), set()]
            .prop_map(|value| Change::Add(value.into())),
        2 => set().prop_map(|value| Change::Delete(value.into())),
    ]
}

/// Actions whose paths may or may not lie apart.
pub(crate) fn actions() -> impl Strategy<Value = Vec<Action>> {
    vec((path(), change()).prop_map(|(path, change)| Action { path, change }), 1..5)
}
