//! Properties of all statements.

use proptest::collection::vec;
use proptest::prelude::*;
use sortkey_expression::Condition;
use sortkey_partiql::parse;
use sortkey_partiql::plan::{KeyRead, KeySchema, ReadPlan, plan_read};
use sortkey_value::{AttributeType, Item};

use crate::support::{condition, item};

const KEY: KeySchema<'static> =
    KeySchema { partition: ("pk", AttributeType::S), sort: Some(("sk", AttributeType::S)) };

fn token() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "SELECT",
        "*",
        "FROM",
        "\"t\"",
        "t",
        ".",
        "WHERE",
        "pk",
        "=",
        "'x'",
        "1",
        "-",
        "1e5",
        "?",
        "(",
        ")",
        "[",
        "]",
        "<<",
        ">>",
        "{",
        "}",
        ":",
        ",",
        ";",
        "AND",
        "OR",
        "NOT",
        "IN",
        "IS",
        "NULL",
        "MISSING",
        "BETWEEN",
        "INSERT",
        "INTO",
        "VALUE",
        "UPDATE",
        "SET",
        "REMOVE",
        "DELETE",
        "RETURNING",
        "ALL",
        "OLD",
        "EXISTS",
        "size",
        "begins_with",
        "set_add",
        "ORDER",
        "BY",
        "DESC",
        "--",
        "/*",
        "*/",
        "`x`",
        "é",
        "\n",
    ])
}

/// Conditions on a small key space, as text.
fn where_clause() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(vec![
        "pk = 'a'",
        "pk = 'b'",
        "pk IN ['a', 'c']",
        "sk = '1'",
        "sk = '2'",
        "sk > '1'",
        "sk <= '1'",
        "sk BETWEEN '1' AND '2'",
        "begins_with(sk, '1')",
        "sk <> '2'",
        "sk IN ['1', '3']",
        "f = 1",
        "f <> 1",
        "attribute_exists(f)",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 2..4).prop_map(|terms| format!("({})", terms.join(" AND "))),
            vec(inner.clone(), 2..4).prop_map(|terms| format!("({})", terms.join(" OR "))),
            inner.prop_map(|term| format!("(NOT {term})")),
        ]
    })
}

fn all_items() -> Vec<Item> {
    let mut items = Vec::new();
    for pk in ["a", "b", "c"] {
        for sk in ["1", "10", "2", "3"] {
            for f in [None, Some(1), Some(2)] {
                let mut map = item([("pk", pk.into()), ("sk", sk.into())]).to_map();
                if let Some(f) = f {
                    map.insert("f".into(), f.into());
                }
                items.push(Item::from(map));
            }
        }
    }
    items
}

/// Whether a read by key returns an item: the range is tested by a condition of its own.
fn returns(read: &KeyRead, item: &Item) -> bool {
    use sortkey_expression::{Comparator, Operand, Path, SortRange};
    let compare = |name: &str, operator, value: &sortkey_expression::Constant| Condition::Compare {
        operator,
        left: Operand::Path(Path::attribute(name)),
        right: Operand::Constant(value.clone()),
    };
    let mut terms = vec![compare("pk", Comparator::Equal, &read.partition)];
    terms.extend(read.filter.clone());
    terms.extend(read.sort.as_ref().map(|range| match range {
        SortRange::Equal(value) => compare("sk", Comparator::Equal, value),
        SortRange::Less(value) => compare("sk", Comparator::Less, value),
        SortRange::LessOrEqual(value) => compare("sk", Comparator::LessOrEqual, value),
        SortRange::Greater(value) => compare("sk", Comparator::Greater, value),
        SortRange::GreaterOrEqual(value) => compare("sk", Comparator::GreaterOrEqual, value),
        SortRange::Between(lower, upper) => Condition::And(vec![
            compare("sk", Comparator::GreaterOrEqual, lower),
            compare("sk", Comparator::LessOrEqual, upper),
        ]),
        SortRange::BeginsWith(prefix) => {
            Condition::BeginsWith(Operand::Path(Path::attribute("sk")), Operand::Constant(prefix.clone()))
        }
    }));
    Condition::And(terms).matches(item)
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,80}") {
        let _ = parse(&text).map(|parsed| parsed.bind(&[]));
    }

    #[test]
    fn any_tokens_are_read_or_refused(tokens in vec(token(), 0..40)) {
        let _ = parse(&tokens.join(" ")).map(|parsed| parsed.bind(&["x".into()]));
        let _ = parse(&tokens.concat()).map(|parsed| parsed.bind(&[]));
    }

    #[test]
    fn a_plan_returns_each_matching_item_once(text in where_clause()) {
        let condition = condition(&text);
        let Ok(plan) = plan_read(Some(&condition), KEY) else { return Ok(()) };
        for item in all_items() {
            let times = match &plan {
                ReadPlan::Scan { filter } => {
                    usize::from(filter.as_ref().is_none_or(|filter| filter.matches(&item)))
                }
                ReadPlan::Keys(reads) => reads.iter().filter(|read| returns(read, &item)).count(),
            };
            prop_assert_eq!(times, usize::from(condition.matches(&item)), "{} {:?}", text, item);
        }
    }
}
