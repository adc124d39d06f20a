//! The naive interpreter: every item is looked at for every question.

#![expect(clippy::panic, reason = "a test that cannot go on says why")]

use std::cmp::Ordering;

use serde_json::{Map, Value as Json};

use super::design::{Asks, Given, Question};
use super::order::order;

/// The items that a question asks for, in the order of their creation.
pub(crate) fn expected<'i>(
    question: &Question,
    given: &Given,
    items: &'i [(usize, Map<String, Json>)],
) -> Vec<&'i Map<String, Json>> {
    let asked = |(entity, item): &&(usize, Map<String, Json>)| {
        *entity == question.entity
            && given.equal.iter().all(|(name, value)| item.get(name) == Some(value))
            && given.range.as_ref().is_none_or(|(name, low, high)| {
                item.get(name).is_some_and(|value| {
                    low.as_ref().is_none_or(|low| order(value, low) != Ordering::Less)
                        && high.as_ref().is_none_or(|high| order(value, high) != Ordering::Greater)
                })
            })
            && given.prefix.as_ref().is_none_or(|(name, prefix)| {
                item.get(name).and_then(Json::as_str).is_some_and(|text| text.starts_with(prefix.as_str()))
            })
            && question.filter.as_ref().is_none_or(|filter| filter.holds(item))
    };
    items.iter().filter(asked).map(|(_, item)| item).collect()
}

impl Question {
    /// Whether an answer is the one that the interpreter gives.
    pub(crate) fn compare(&self, found: &Json, expected: &[&Map<String, Json>], about: &dyn Fn() -> String) {
        match self.asks {
            Asks::Count => assert_eq!(found.as_u64(), Some(expected.len() as u64), "{}", about()),
            Asks::Exists => assert_eq!(found.as_bool(), Some(!expected.is_empty()), "{}", about()),
            Asks::Sum => {
                let of = |item: &&Map<String, Json>| item.get(self.summed.as_ref()?)?.as_f64();
                let sum: f64 = expected.iter().filter_map(of).sum();
                let found = found.as_f64().unwrap_or(f64::NAN);
                assert!((found - sum).abs() < 1e-6, "{found} is not {sum}\n{}", about());
            }
            Asks::Get => match found {
                Json::Null => assert!(expected.is_empty(), "{}", about()),
                Json::Object(item) => assert!(expected.contains(&item), "{}", about()),
                other => panic!("{other}\n{}", about()),
            },
            Asks::List => {
                let found = found.as_array().unwrap_or_else(|| panic!("{found}\n{}", about()));
                let text = |item: &Map<String, Json>| Json::Object(item.clone()).to_string();
                let mut left: Vec<String> = found.iter().map(ToString::to_string).collect();
                let mut right: Vec<String> = expected.iter().map(|item| text(item)).collect();
                left.sort();
                right.sort();
                assert_eq!(left, right, "{}", about());
                if let Some((name, descending)) = &self.order {
                    let ascends = found.windows(2).all(|pair| {
                        let order = order(&pair[0][name], &pair[1][name]);
                        order != if *descending { Ordering::Less } else { Ordering::Greater }
                    });
                    assert!(ascends, "not in order of {name}: {found:?}\n{}", about());
                }
            }
        }
    }
}
