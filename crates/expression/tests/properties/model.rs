//! The naive model: values are trees, and every rule is written down the long way.

use std::cmp::Ordering;

use sortkey_expression::condition::{Condition, Operand};
use sortkey_expression::update::{Action, Change, SetOperand, SetValue, UpdateError};
use sortkey_expression::{Comparator, Path, Step};
use sortkey_value::{AttributeValue, Map};

pub(crate) fn find<'v>(item: &'v Map, path: &Path) -> Option<&'v AttributeValue> {
    let mut value = item.get(path.attribute_name())?;
    for step in path.steps() {
        value = match (value, step) {
            (AttributeValue::M(map), Step::Member(name)) => map.get(name)?,
            (AttributeValue::L(list), Step::Element(index)) => list.get(*index)?,
            _ => return None,
        };
    }
    Some(value)
}

fn operand(operand: &Operand, item: &Map) -> Option<AttributeValue> {
    match operand {
        Operand::Path(path) => find(item, path).cloned(),
        Operand::Constant(constant) => Some(constant.value().to_owned()),
        Operand::Size(inner) => {
            let size = match self::operand(inner, item)? {
                AttributeValue::S(text) => text.chars().map(char::len_utf16).sum(),
                AttributeValue::B(bytes) => bytes.len(),
                AttributeValue::L(list) => list.len(),
                AttributeValue::M(map) => map.len(),
                AttributeValue::Ss(set) => set.len(),
                AttributeValue::Ns(set) => set.len(),
                AttributeValue::Bs(set) => set.len(),
                _ => return None,
            };
            Some(AttributeValue::from(i64::try_from(size).unwrap()))
        }
    }
}

fn order(left: &AttributeValue, right: &AttributeValue) -> Option<Ordering> {
    match (left, right) {
        (AttributeValue::S(left), AttributeValue::S(right)) => Some(left.cmp(right)),
        (AttributeValue::N(left), AttributeValue::N(right)) => Some(left.cmp(right)),
        (AttributeValue::B(left), AttributeValue::B(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn compare(operator: Comparator, left: Option<AttributeValue>, right: Option<AttributeValue>) -> bool {
    let (Some(left), Some(right)) = (left, right) else {
        return operator == Comparator::NotEqual;
    };
    match operator {
        Comparator::Equal => left == right,
        Comparator::NotEqual => left != right,
        Comparator::Less => order(&left, &right) == Some(Ordering::Less),
        Comparator::Greater => order(&left, &right) == Some(Ordering::Greater),
        Comparator::LessOrEqual => matches!(order(&left, &right), Some(Ordering::Less | Ordering::Equal)),
        Comparator::GreaterOrEqual => {
            matches!(order(&left, &right), Some(Ordering::Greater | Ordering::Equal))
        }
    }
}

pub(crate) fn holds(condition: &Condition, item: &Map) -> bool {
    let get = |operand: &Operand| self::operand(operand, item);
    match condition {
        Condition::Compare { operator, left, right } => compare(*operator, get(left), get(right)),
        Condition::Between { operand, lower, upper } => {
            compare(Comparator::LessOrEqual, get(lower), get(operand))
                && compare(Comparator::LessOrEqual, get(operand), get(upper))
        }
        Condition::In { operand, members } => {
            members.iter().any(|member| compare(Comparator::Equal, get(operand), get(member)))
        }
        Condition::Exists(path) => find(item, path).is_some(),
        Condition::NotExists(path) => find(item, path).is_none(),
        Condition::HasType(operand, kind) => {
            get(operand).is_some_and(|value| value.attribute_type() == *kind)
        }
        Condition::BeginsWith(operand, prefix) => match (get(operand), get(prefix)) {
            (Some(AttributeValue::S(text)), Some(AttributeValue::S(prefix))) => text.starts_with(&prefix),
            (Some(AttributeValue::B(bytes)), Some(AttributeValue::B(prefix))) => bytes.starts_with(&prefix),
            _ => false,
        },
        Condition::Contains(operand, member) => match (get(operand), get(member)) {
            (Some(AttributeValue::S(text)), Some(AttributeValue::S(part))) => text.contains(&part),
            (Some(AttributeValue::B(bytes)), Some(AttributeValue::B(part))) => {
                (0..=bytes.len()).any(|start| bytes[start..].starts_with(&part))
            }
            (Some(AttributeValue::Ss(set)), Some(AttributeValue::S(member))) => set.contains(&member),
            (Some(AttributeValue::Ns(set)), Some(AttributeValue::N(member))) => set.contains(&member),
            (Some(AttributeValue::Bs(set)), Some(AttributeValue::B(member))) => set.contains(&member),
            (Some(AttributeValue::L(list)), Some(member)) => list.contains(&member),
            _ => false,
        },
        Condition::Not(inner) => !holds(inner, item),
        Condition::And(terms) => terms.iter().all(|term| holds(term, item)),
        Condition::Or(terms) => terms.iter().any(|term| holds(term, item)),
    }
}

fn set_operand(operand: &SetOperand, old: &Map) -> Result<AttributeValue, UpdateError> {
    match operand {
        SetOperand::Path(path) => find(old, path).cloned().ok_or(UpdateError::MissingAttribute),
        SetOperand::Constant(constant) => Ok(constant.value().to_owned()),
        SetOperand::IfNotExists(path, default) => match find(old, path) {
            Some(value) => Ok(value.clone()),
            None => set_operand(default, old),
        },
    }
}

/// The value that `SET` assigns.
fn set_value(value: &SetValue, old: &Map) -> Result<AttributeValue, UpdateError> {
    let numbers = |left, right| match (set_operand(left, old), set_operand(right, old)) {
        (Ok(AttributeValue::N(left)), Ok(AttributeValue::N(right))) => Ok((left, right)),
        (Ok(AttributeValue::N(_)) | Err(_), Ok(AttributeValue::N(_)) | Err(_)) => {
            Err(UpdateError::MissingAttribute)
        }
        _ => Err(UpdateError::IncorrectType),
    };
    match value {
        SetValue::Operand(operand) => set_operand(operand, old),
        SetValue::Plus(left, right) => {
            let (left, right) = numbers(left, right)?;
            left.checked_add(right).map(AttributeValue::N).map_err(UpdateError::Number)
        }
        SetValue::Minus(left, right) => {
            let (left, right) = numbers(left, right)?;
            left.checked_sub(right).map(AttributeValue::N).map_err(UpdateError::Number)
        }
        SetValue::ListAppend(left, right) => match (set_operand(left, old), set_operand(right, old)) {
            (Ok(AttributeValue::L(left)), Ok(AttributeValue::L(right))) => {
                Ok(AttributeValue::L([left, right].concat()))
            }
            (Ok(AttributeValue::L(_)) | Err(_), Ok(AttributeValue::L(_)) | Err(_)) => {
                Err(UpdateError::MissingAttribute)
            }
            _ => Err(UpdateError::IncorrectType),
        },
    }
}

/// The new value that an action makes of a value, or nothing.
fn result(action: &Action, old: &Map) -> Result<Option<AttributeValue>, UpdateError> {
    use AttributeValue::{Bs, N, Ns, Ss};
    let current = find(old, &action.path).cloned();
    match &action.change {
        Change::Set(value) => set_value(value, old).map(Some),
        Change::Remove => Ok(None),
        Change::Add(constant) => Ok(Some(match (current, constant.value().to_owned()) {
            (None, added) => added,
            (Some(N(current)), N(added)) => N(current.checked_add(added).map_err(UpdateError::Number)?),
            (Some(Ss(current)), Ss(added)) => AttributeValue::string_set([current, added].concat()),
            (Some(Ns(current)), Ns(added)) => AttributeValue::number_set([current, added].concat()),
            (Some(Bs(current)), Bs(added)) => AttributeValue::binary_set([current, added].concat()),
            _ => return Err(UpdateError::IncorrectType),
        })),
        Change::Delete(constant) => Ok(match (current, constant.value().to_owned()) {
            (None, _) => None,
            (Some(Ss(mut set)), Ss(deleted)) => {
                set.retain(|member| !deleted.contains(member));
                (!set.is_empty()).then_some(Ss(set))
            }
            (Some(Ns(mut set)), Ns(deleted)) => {
                set.retain(|member| !deleted.contains(member));
                (!set.is_empty()).then_some(Ns(set))
            }
            (Some(Bs(mut set)), Bs(deleted)) => {
                set.retain(|member| !deleted.contains(member));
                (!set.is_empty()).then_some(Bs(set))
            }
            _ => return Err(UpdateError::IncorrectType),
        }),
    }
}

/// The container that a path writes into, if it is one that has such a place.
fn container<'v>(item: &'v mut Map, path: &Path) -> Option<&'v mut AttributeValue> {
    let (last, through) = path.steps().split_last()?;
    let mut value = item.get_mut(path.attribute_name())?;
    for step in through {
        value = match (value, step) {
            (AttributeValue::M(map), Step::Member(name)) => map.get_mut(name)?,
            (AttributeValue::L(list), Step::Element(index)) => list.get_mut(*index)?,
            _ => return None,
        };
    }
    match (&value, last) {
        (AttributeValue::M(_), Step::Member(_)) | (AttributeValue::L(_), Step::Element(_)) => Some(value),
        _ => None,
    }
}

/// Applies actions one after another. List elements are removed last, the later ones first, so that positions
/// stay what they were; elements behind the end come in the order of their index.
pub(crate) fn apply(actions: &[Action], old: &Map) -> Result<Map, UpdateError> {
    let mut results = Vec::new();
    for action in actions {
        results.push((&action.path, result(action, old)?));
        let is_placed = !action.path.is_nested() || container(&mut old.clone(), &action.path).is_some();
        if !is_placed {
            return Err(UpdateError::InvalidPath);
        }
    }
    let mut new = old.clone();
    results.sort_by_key(|(path, value)| (value.is_none(), *path));
    let (puts, removals): (Vec<_>, Vec<_>) = results.into_iter().partition(|(_, value)| value.is_some());
    for (path, value) in puts {
        let value = value.unwrap();
        match (path.steps().last(), container(&mut new, path)) {
            (Some(Step::Member(name)), Some(AttributeValue::M(map))) => {
                map.insert(name.clone(), value);
            }
            (Some(Step::Element(index)), Some(AttributeValue::L(list))) => match list.get_mut(*index) {
                Some(element) => *element = value,
                None => list.push(value),
            },
            _ => {
                new.insert(path.attribute_name().to_owned(), value);
            }
        }
    }
    for (path, _) in removals.into_iter().rev() {
        let original_length = match find(old, &parent(path)) {
            Some(AttributeValue::L(list)) => list.len(),
            _ => 0,
        };
        match (path.steps().last(), container(&mut new, path)) {
            (Some(Step::Member(name)), Some(AttributeValue::M(map))) => {
                map.remove(name);
            }
            (Some(Step::Element(index)), Some(AttributeValue::L(list))) => {
                if *index < original_length {
                    list.remove(*index);
                }
            }
            _ => {
                new.remove(path.attribute_name());
            }
        }
    }
    Ok(new)
}

fn parent(path: &Path) -> Path {
    let steps = path.steps();
    Path::new(path.attribute_name(), steps[..steps.len().saturating_sub(1)].to_vec())
}
