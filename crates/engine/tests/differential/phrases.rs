//! Random expressions: conditions, updates and projections that are well formed, whatever they find in an item.

use sortkey_testkit::Random;
use sortkey_value::{AttributeType, AttributeValue};

use crate::model::condition::{Comparator, Condition, Operand, order};
use crate::model::path::{Path, Step};
use crate::model::update::{self, Action, SetValue, Update};
use crate::shape::{PLAIN_ATTRIBUTES, TableShape};
use crate::values::{self, Weight, key_value, set, value};

/// The attributes and values that an expression is about.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'s> {
    pub(crate) shape: &'s TableShape,
    pub(crate) now_ms: u64,
}

impl Scene<'_> {
    /// A path to an attribute that is part of no key, or into it.
    pub(crate) fn path(&self, dice: &mut Random) -> Path {
        let mut path = Path::attribute(dice.pick::<&str>(&PLAIN_ATTRIBUTES));
        let depth = match path.attribute.as_str() {
            "m" | "l" => *dice.pick(&[0, 0, 1, 1, 2]),
            _ => usize::from(dice.chance(10)),
        };
        for level in 0..depth {
            let element = if level == 0 && path.attribute == "l" { 90 } else { 20 };
            path.steps.push(match dice.chance(element) {
                true => Step::Element(dice.below(4)),
                false => Step::Member((*dice.pick(&["x", "y", "a.b"])).to_owned()),
            });
        }
        path
    }

    /// A path, now and then to an attribute of a key.
    fn any_path(&self, dice: &mut Random) -> Path {
        if dice.chance(75) {
            return self.path(dice);
        }
        let attributes: Vec<&str> =
            self.shape.key.attributes().chain(&self.shape.pool).map(|attribute| &*attribute.name).collect();
        Path::attribute(dice.pick::<&str>(&attributes))
    }

    /// A condition for writes, which may concern all attributes.
    pub(crate) fn condition(&self, dice: &mut Random) -> Condition {
        self.condition_of_depth(dice, 2, &|dice| self.any_path(dice))
    }

    /// A filter, which concerns no attribute of a key.
    pub(crate) fn filter(&self, dice: &mut Random) -> Condition {
        self.condition_of_depth(dice, 2, &|dice| self.path(dice))
    }

    fn condition_of_depth(
        &self,
        dice: &mut Random,
        depth: usize,
        path: &dyn Fn(&mut Random) -> Path,
    ) -> Condition {
        if depth > 0 && dice.chance(35) {
            let mut inner = || self.condition_of_depth(dice, depth - 1, path);
            let terms = vec![inner(), inner()];
            return match dice.below(3) {
                0 => Condition::Not(Box::new(terms[0].clone())),
                1 => Condition::And(terms),
                _ => Condition::Or(terms),
            };
        }
        let subject = path(dice);
        match dice.below(9) {
            0 => Condition::Exists(subject),
            1 => Condition::NotExists(subject),
            2 => Condition::HasType(subject, *dice.pick(&AttributeType::ALL)),
            3 => {
                let kind = *dice.pick(&[AttributeType::S, AttributeType::B]);
                Condition::BeginsWith(subject, key_value(dice, kind))
            }
            4 => Condition::Contains(subject, value(dice, 0)),
            5 => {
                let (low, high) = bounds(dice);
                Condition::Between(subject, low, high)
            }
            6 => Condition::In(subject, (0..1 + dice.below(3)).map(|_| value(dice, 1)).collect()),
            _ => self.comparison(dice, subject, path),
        }
    }

    fn comparison(&self, dice: &mut Random, subject: Path, path: &dyn Fn(&mut Random) -> Path) -> Condition {
        let comparator = *dice.pick(&Comparator::ALL);
        let left = match dice.chance(20) {
            true => Operand::Size(subject.clone()),
            false => Operand::Path(subject.clone()),
        };
        let other = path(dice);
        let right = match dice.below(4) {
            // An attribute cannot be compared with itself.
            0 if other != subject => Operand::Path(other),
            1 => Operand::Value((dice.below(4) as i64).into()),
            _ if matches!(comparator, Comparator::Equal | Comparator::NotEqual) => {
                Operand::Value(value(dice, 1))
            }
            _ => Operand::Value(ordered_value(dice)),
        };
        Condition::Compare(left, comparator, right)
    }

    /// One to three actions whose paths lie apart.
    pub(crate) fn update(&self, dice: &mut Random) -> Update {
        let mut actions: Vec<Action> = Vec::new();
        for _ in 0..1 + dice.below(3) {
            let path = self.written_path(dice);
            if actions.iter().all(|action| action.path().is_apart_from(&path)) {
                actions.push(self.action(dice, path));
            }
        }
        Update(actions)
    }

    fn written_path(&self, dice: &mut Random) -> Path {
        match dice.below(100) {
            // Refused: it is part of the key.
            0 => Path::attribute("pk"),
            1..35 => Path::attribute(&dice.pick(&self.shape.pool).name),
            _ => self.path(dice),
        }
    }

    fn action(&self, dice: &mut Random, path: Path) -> Action {
        let is_key_of_index = self.shape.pool.iter().any(|attribute| attribute.name == path.attribute);
        // Most of what can be done to an attribute would give an index a value of the wrong type.
        if is_key_of_index && dice.chance(80) {
            let value = values::typical(dice, self.shape, &path.attribute, self.now_ms, Weight::Light);
            return Action::Set(path, SetValue::Operand(update::Operand::Value(value)));
        }
        match dice.below(10) {
            0 | 1 => Action::Remove(path),
            2 => {
                Action::Add(path, if dice.chance(50) { key_value(dice, AttributeType::N) } else { set(dice) })
            }
            3 => Action::Delete(path, set(dice)),
            _ => {
                let value = self.set_value(dice, &path);
                Action::Set(path, value)
            }
        }
    }

    fn set_value(&self, dice: &mut Random, path: &Path) -> SetValue {
        // Mostly the place itself is read, since it is most likely to be there.
        let read = |dice: &mut Random| if dice.chance(60) { path.clone() } else { self.path(dice) };
        let operand = |dice: &mut Random, value: AttributeValue| match dice.below(8) {
            0 => update::Operand::Path(read(dice)),
            1 | 2 => update::Operand::IfNotExists(read(dice), value),
            _ => update::Operand::Value(value),
        };
        match dice.below(8) {
            0 | 1 => {
                let (left, right) = (key_value(dice, AttributeType::N), key_value(dice, AttributeType::N));
                let (left, right) = (operand(dice, left), operand(dice, right));
                if dice.chance(50) { SetValue::Plus(left, right) } else { SetValue::Minus(left, right) }
            }
            2 => {
                let (left, right) = (values::list(dice, 1), values::list(dice, 1));
                SetValue::ListAppend(operand(dice, left), operand(dice, right))
            }
            _ => {
                let value = match path.steps.is_empty() {
                    true => values::typical(dice, self.shape, &path.attribute, self.now_ms, Weight::Light),
                    false => value(dice, 1),
                };
                SetValue::Operand(operand(dice, value))
            }
        }
    }

    /// One to three paths that lie apart, all of which satisfy `fits`.
    pub(crate) fn projection(&self, dice: &mut Random, fits: impl Fn(&Path) -> bool) -> Option<Vec<Path>> {
        let mut paths: Vec<Path> = Vec::new();
        for _ in 0..1 + dice.below(4) {
            let path = self.any_path(dice);
            if fits(&path) && paths.iter().all(|other| other.is_apart_from(&path)) {
                paths.push(path);
            }
        }
        (!paths.is_empty()).then_some(paths)
    }
}

fn ordered_value(dice: &mut Random) -> AttributeValue {
    let kind = *dice.pick(&[AttributeType::S, AttributeType::N, AttributeType::B]);
    key_value(dice, kind)
}

/// Two values of one type, the lower one first.
fn bounds(dice: &mut Random) -> (AttributeValue, AttributeValue) {
    let one = ordered_value(dice);
    let two = key_value(dice, one.attribute_type());
    if order(&one, &two).is_some_and(std::cmp::Ordering::is_le) { (one, two) } else { (two, one) }
}
