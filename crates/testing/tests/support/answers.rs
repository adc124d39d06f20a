//! The naive interpreter of patterns: every item is looked at for every question.

#![expect(clippy::panic, reason = "a test that cannot go on says why")]

use std::cmp::Ordering;

use serde_json::{Map, Value as Json};

use super::model::Model;
use super::order::order;
use super::questions::{Asks, Given, Most, Question};

/// The items that a question asks for, in the order of their creation.
pub(crate) fn expected<'i>(
    question: &Question,
    given: &Given,
    model: &'i Model,
) -> Vec<&'i Map<String, Json>> {
    let asked = |(entity, item): &&(usize, Map<String, Json>)| {
        (*entity == question.entity || Some(*entity) == question.also)
            && (question.with_expired || !model.is_expired(item))
            && (question.with_deleted || !Model::is_deleted(item))
            && !Model::is_foreign(item, given.caller.as_deref())
            && given.equal.iter().all(|(name, value)| item.get(name).is_some_and(|own| same(own, value)))
            && given.listed.as_ref().is_none_or(|(name, values)| {
                item.get(name).is_some_and(|own| values.iter().any(|value| same(own, value)))
            })
            && given.range.as_ref().is_none_or(|(name, low, high)| {
                item.get(name).is_some_and(|value| {
                    low.as_ref().is_none_or(|low| order(value, low) != Ordering::Less)
                        && high.as_ref().is_none_or(|high| order(value, high) != Ordering::Greater)
                })
            })
            && given.prefix.as_ref().is_none_or(|(name, prefix)| {
                item.get(name).and_then(Json::as_str).is_some_and(|text| text.starts_with(prefix.as_str()))
            })
            // An item without the attribute has none of its values.
            && question.every.as_ref().is_none_or(|each| item.contains_key(&each.name))
            && question.omits.iter().all(|name| item.contains_key(name))
            && question.filter.as_ref().is_none_or(|filter| filter.holds(item))
    };
    model.items.iter().filter(asked).map(|(_, item)| item).collect()
}

fn same(left: &Json, right: &Json) -> bool {
    left == right || (left.is_number() && order(left, right) == Ordering::Equal)
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
            Asks::List | Asks::Collect => {
                let found = found.as_array().unwrap_or_else(|| panic!("{found}\n{}", about()));
                self.compare_lists(found, expected, about);
            }
        }
    }

    fn compare_lists(&self, found: &[Json], expected: &[&Map<String, Json>], about: &dyn Fn() -> String) {
        let text = |item: &Map<String, Json>| Json::Object(item.clone()).to_string();
        let plain = |item: &Json| match item {
            Json::Object(item) => {
                let item: Map<String, Json> =
                    item.clone().into_iter().filter(|(name, _)| name != "$entity").collect();
                text(&item)
            }
            other => other.to_string(),
        };
        let mut left: Vec<String> = found.iter().map(plain).collect();
        let mut right: Vec<String> = expected.iter().map(|item| text(item)).collect();
        left.sort();
        right.sort();
        if let Most::Limit(most) = self.most {
            assert_eq!(left.len(), right.len().min(most as usize), "{}", about());
            let is_known = left.iter().all(|item| right.contains(item));
            assert!(is_known && left.windows(2).all(|pair| pair[0] != pair[1]), "{}", about());
        } else {
            assert_eq!(left, right, "{}", about());
        }
        let Some((name, descending)) = &self.order else { return };
        let wrong = if *descending { Ordering::Less } else { Ordering::Greater };
        let ascends = found.windows(2).all(|pair| order(&pair[0][name], &pair[1][name]) != wrong);
        assert!(ascends, "not in order of {name}: {found:?}\n{}", about());
        // A limit leaves out what comes later in the order.
        if let Some(last) = found.last() {
            let nothing = Json::Null;
            let before = expected.iter().filter(|item| {
                let own = item.get(name).unwrap_or(&nothing);
                order(own, &last[name]) == if *descending { Ordering::Greater } else { Ordering::Less }
            });
            assert!(before.count() < found.len().max(1), "not the first in order of {name}\n{}", about());
        }
    }
}
