//! Conditions from dice, as text and as a test on JSON.

use std::cmp::Ordering;

use serde_json::{Map, Value as Json};

use super::kinds::{Attribute, Kind};
use super::order::order;
use sortkey_testkit::Random;

/// A condition on an item.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Compare(String, Sign, Json, Kind),
    OneOf(String, Vec<Json>, Kind),
    Between(String, Json, Json, Kind),
    Exists(String),
    Absent(String),
    Not(Box<Condition>),
    Both(Box<Condition>, Box<Condition>),
    Either(Box<Condition>, Box<Condition>),
    Implies(Box<Condition>, Box<Condition>),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sign {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Condition {
    /// A condition on some of the attributes.
    pub(crate) fn any(attributes: &[Attribute], depth: usize, dice: &mut Random) -> Condition {
        let boxed = |dice: &mut Random| Box::new(Condition::any(attributes, depth - 1, dice));
        match dice.below(if depth == 0 { 5 } else { 9 }) {
            0 => Condition::Exists(dice.pick(attributes).name.clone()),
            1 => Condition::Absent(dice.pick(attributes).name.clone()),
            2 => {
                let each = dice.pick(attributes);
                let values = (0..=dice.below(3)).map(|_| each.stored(each.kind.value(dice))).collect();
                Condition::OneOf(each.name.clone(), values, each.kind.clone())
            }
            3 | 4 => {
                let each = dice.pick(attributes);
                let ordered = !matches!(each.kind, Kind::Words | Kind::Bool);
                if ordered && dice.once_in(4) {
                    let value = |dice: &mut Random| each.stored(each.kind.value(dice));
                    let (low, high) = (value(dice), value(dice));
                    return Condition::Between(each.name.clone(), low, high, each.kind.clone());
                }
                let signs: &[Sign] = match ordered {
                    true => {
                        &[Sign::Equal, Sign::Unequal, Sign::Less, Sign::AtMost, Sign::Greater, Sign::AtLeast]
                    }
                    false => &[Sign::Equal, Sign::Unequal],
                };
                let sign = *dice.pick(signs);
                let value = each.stored(each.kind.value(dice));
                Condition::Compare(each.name.clone(), sign, value, each.kind.clone())
            }
            5 => Condition::Not(boxed(dice)),
            6 => Condition::Both(boxed(dice), boxed(dice)),
            7 => Condition::Either(boxed(dice), boxed(dice)),
            _ => Condition::Implies(boxed(dice), boxed(dice)),
        }
    }

    /// As a design has it; `of` stands before the name of each attribute.
    pub(crate) fn text(&self, of: &str) -> String {
        let inner = |condition: &Condition| condition.text(of);
        match self {
            Condition::Compare(name, sign, value, kind) => {
                let sign = match sign {
                    Sign::Equal => "=",
                    Sign::Unequal => "!=",
                    Sign::Less => "<",
                    Sign::AtMost => "<=",
                    Sign::Greater => ">",
                    Sign::AtLeast => ">=",
                };
                format!("{of}{name} {sign} {}", kind.literal(value))
            }
            Condition::OneOf(name, values, kind) => {
                let values: Vec<String> = values.iter().map(|value| kind.literal(value)).collect();
                format!("{of}{name} in [{}]", values.join(", "))
            }
            Condition::Between(name, low, high, kind) => {
                format!("{of}{name} in {}..{}", kind.literal(low), kind.literal(high))
            }
            Condition::Exists(name) => format!("{of}{name} exists"),
            Condition::Absent(name) => format!("{of}{name} absent"),
            Condition::Not(inside) => format!("not ({})", inner(inside)),
            Condition::Both(left, right) => format!("({}) and ({})", inner(left), inner(right)),
            Condition::Either(left, right) => format!("({}) or ({})", inner(left), inner(right)),
            Condition::Implies(left, right) => format!("({}) implies ({})", inner(left), inner(right)),
        }
    }

    /// Whether it holds for an item. What is absent equals nothing and has no order.
    pub(crate) fn holds(&self, item: &Map<String, Json>) -> bool {
        match self {
            Condition::Compare(name, sign, value, _) => {
                let own = item.get(name);
                let ordered =
                    |wanted: &[Ordering]| own.is_some_and(|own| wanted.contains(&order(own, value)));
                match sign {
                    Sign::Equal => own.is_some_and(|own| same(own, value)),
                    Sign::Unequal => !own.is_some_and(|own| same(own, value)),
                    Sign::Less => ordered(&[Ordering::Less]),
                    Sign::AtMost => ordered(&[Ordering::Less, Ordering::Equal]),
                    Sign::Greater => ordered(&[Ordering::Greater]),
                    Sign::AtLeast => ordered(&[Ordering::Greater, Ordering::Equal]),
                }
            }
            Condition::OneOf(name, values, _) => {
                item.get(name).is_some_and(|own| values.iter().any(|value| same(own, value)))
            }
            Condition::Between(name, low, high, _) => item.get(name).is_some_and(|own| {
                order(own, low) != Ordering::Less && order(own, high) != Ordering::Greater
            }),
            Condition::Exists(name) => item.contains_key(name),
            Condition::Absent(name) => !item.contains_key(name),
            Condition::Not(inner) => !inner.holds(item),
            Condition::Both(left, right) => left.holds(item) && right.holds(item),
            Condition::Either(left, right) => left.holds(item) || right.holds(item),
            Condition::Implies(left, right) => !left.holds(item) || right.holds(item),
        }
    }
}

fn same(left: &Json, right: &Json) -> bool {
    match (left.as_bool(), right.as_bool()) {
        (Some(left), Some(right)) => left == right,
        _ => order(left, right) == Ordering::Equal,
    }
}
