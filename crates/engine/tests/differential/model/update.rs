//! Updates: how they are written, and what they make of an item.

use sortkey_value::{AttributeType, AttributeValue, Map};

use super::path::{Path, Step};
use super::placeholders::Placeholders;

/// Changes that are made all at once, at paths that lie apart.
#[derive(Clone, Debug)]
pub(crate) struct Update(pub(crate) Vec<Action>);

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Set(Path, SetValue),
    Remove(Path),
    Add(Path, AttributeValue),
    Delete(Path, AttributeValue),
}

#[derive(Clone, Debug)]
pub(crate) enum SetValue {
    Operand(Operand),
    Plus(Operand, Operand),
    Minus(Operand, Operand),
    ListAppend(Operand, Operand),
}

#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Path(Path),
    Value(AttributeValue),
    IfNotExists(Path, AttributeValue),
}

const INVALID_PATH: &str = "The document path provided in the update expression is invalid for update";
const MISSING: &str = "The provided expression refers to an attribute that does not exist in the item";
pub(crate) const WRONG_TYPE: &str = "An operand in the update expression has an incorrect data type";

impl Update {
    pub(crate) fn text(&self, placeholders: &mut Placeholders) -> String {
        let mut sections: [Vec<String>; 4] = Default::default();
        for action in &self.0 {
            match action {
                Action::Set(path, value) => {
                    let path = path.text(placeholders);
                    sections[0].push(format!("{path} = {}", value.text(placeholders)));
                }
                Action::Remove(path) => sections[1].push(path.text(placeholders)),
                Action::Add(path, value) => {
                    let path = path.text(placeholders);
                    sections[2].push(format!("{path} {}", placeholders.value(value)));
                }
                Action::Delete(path, value) => {
                    let path = path.text(placeholders);
                    sections[3].push(format!("{path} {}", placeholders.value(value)));
                }
            }
        }
        let named = ["SET", "REMOVE", "ADD", "DELETE"].into_iter().zip(sections);
        let written = named.filter(|(_, actions)| !actions.is_empty());
        written.map(|(name, actions)| format!("{name} {}", actions.join(", "))).collect::<Vec<_>>().join(" ")
    }

    /// The paths that are written.
    pub(crate) fn paths(&self) -> Vec<Path> {
        self.0.iter().map(|action| action.path().clone()).collect()
    }

    /// The bytes that UpdateItem, and it alone, adds to the size of an item without its key: three, nineteen for every
    /// action that writes and two for every one that takes away.
    pub(crate) fn overhead(&self) -> usize {
        let overhead = |action: &Action| if action.takes_away() { 2 } else { 19 };
        3 + self.0.iter().map(overhead).sum::<usize>()
    }

    /// The item after the update, or `None` if there is none; otherwise what can be wrong. Of several things AWS
    /// reports one; which one is not the model's business.
    pub(crate) fn apply(&self, existing: Option<&Map>, key: &Map) -> Result<Option<Map>, Vec<&'static str>> {
        let old = existing.unwrap_or(key);
        let mut edits: Vec<(Path, Option<AttributeValue>)> = Vec::new();
        let mut faults = Vec::new();
        for action in &self.0 {
            let has_place = has_place(old, action.path());
            // From an item that does not exist anything can be taken away.
            if !has_place && (existing.is_some() || !action.takes_away()) {
                faults.push(INVALID_PATH);
            }
            match action.result(old) {
                Ok(value) if has_place => edits.push((action.path().clone(), value)),
                Ok(_) => {}
                Err(fault) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        if existing.is_none() && self.0.iter().all(Action::takes_away) {
            return Ok(None);
        }
        let edits = edits.iter().map(|(path, value)| (path.whole(), value.clone())).collect::<Vec<_>>();
        let edits = edits.iter().map(|(steps, value)| (&**steps, value)).collect();
        match rebuild(Some(&AttributeValue::M(old.clone())), edits) {
            Some(AttributeValue::M(item)) => Ok(Some(item)),
            _ => Ok(None),
        }
    }

    /// The type of a whole attribute after the update, if the expression alone determines it.
    pub(crate) fn known_type(&self, attribute: &str) -> Option<AttributeType> {
        let path = Path::attribute(attribute);
        match self.0.iter().find(|action| *action.path() == path)? {
            Action::Set(_, SetValue::Operand(Operand::Value(value) | Operand::IfNotExists(_, value)))
            | Action::Add(_, value)
            | Action::Delete(_, value) => Some(value.attribute_type()),
            Action::Set(_, SetValue::Plus(..) | SetValue::Minus(..)) => Some(AttributeType::N),
            Action::Set(_, SetValue::ListAppend(..)) => Some(AttributeType::L),
            Action::Set(_, SetValue::Operand(Operand::Path(_))) | Action::Remove(_) => None,
        }
    }
}

impl Path {
    /// The path as seen from a map of all attributes.
    fn whole(&self) -> Vec<Step> {
        [vec![Step::Member(self.attribute.clone())], self.steps.clone()].concat()
    }
}

impl Action {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Action::Set(path, _) | Action::Remove(path) | Action::Add(path, _) | Action::Delete(path, _) => {
                path
            }
        }
    }

    fn takes_away(&self) -> bool {
        matches!(self, Action::Remove(_) | Action::Delete(..))
    }

    /// The new value at the path; `None` if there is none any more.
    fn result(&self, old: &Map) -> Result<Option<AttributeValue>, &'static str> {
        use AttributeValue::{Bs, N, Ns, Ss};
        fn minus<T: PartialEq>(mut set: Vec<T>, taken: &[T]) -> Option<Vec<T>> {
            set.retain(|member| !taken.contains(member));
            (!set.is_empty()).then_some(set)
        }
        let current = self.path().find(old).cloned();
        match (self, current) {
            (Action::Set(_, value), _) => value.evaluate(old).map(Some),
            (Action::Remove(_), _) | (Action::Delete(..), None) => Ok(None),
            (Action::Add(_, added), None) => Ok(Some(added.clone())),
            (Action::Add(_, added), Some(current)) => match (current, added.clone()) {
                (N(current), N(added)) => Ok(Some(N(current.checked_add(added).unwrap()))),
                (Ss(current), Ss(added)) => Ok(Some(AttributeValue::string_set([current, added].concat()))),
                (Ns(current), Ns(added)) => Ok(Some(AttributeValue::number_set([current, added].concat()))),
                (Bs(current), Bs(added)) => Ok(Some(AttributeValue::binary_set([current, added].concat()))),
                _ => Err(WRONG_TYPE),
            },
            (Action::Delete(_, taken), Some(current)) => match (current, taken) {
                (Ss(set), Ss(taken)) => Ok(minus(set, taken).map(Ss)),
                (Ns(set), Ns(taken)) => Ok(minus(set, taken).map(Ns)),
                (Bs(set), Bs(taken)) => Ok(minus(set, taken).map(Bs)),
                _ => Err(WRONG_TYPE),
            },
        }
    }
}

impl SetValue {
    fn text(&self, placeholders: &mut Placeholders) -> String {
        let mut both = |left: &Operand, by: &str, right: &Operand| {
            let left = left.text(placeholders);
            format!("{left}{by}{}", right.text(placeholders))
        };
        match self {
            SetValue::Plus(left, right) => both(left, " + ", right),
            SetValue::Minus(left, right) => both(left, " - ", right),
            SetValue::ListAppend(left, right) => format!("list_append({})", both(left, ", ", right)),
            SetValue::Operand(operand) => operand.text(placeholders),
        }
    }

    fn evaluate(&self, old: &Map) -> Result<AttributeValue, &'static str> {
        use AttributeValue::{L, N};
        let (left, right) = match self {
            SetValue::Operand(operand) => return operand.evaluate(old).ok_or(MISSING),
            SetValue::Plus(left, right)
            | SetValue::Minus(left, right)
            | SetValue::ListAppend(left, right) => (left.evaluate(old), right.evaluate(old)),
        };
        let wanted =
            if matches!(self, SetValue::ListAppend(..)) { AttributeType::L } else { AttributeType::N };
        if [&left, &right].into_iter().flatten().any(|value| value.attribute_type() != wanted) {
            return Err(WRONG_TYPE);
        }
        match (self, left.ok_or(MISSING)?, right.ok_or(MISSING)?) {
            (SetValue::Plus(..), N(left), N(right)) => Ok(N(left.checked_add(right).unwrap())),
            (SetValue::Minus(..), N(left), N(right)) => Ok(N(left.checked_sub(right).unwrap())),
            (_, L(left), L(right)) => Ok(L([left, right].concat())),
            _ => Err(WRONG_TYPE),
        }
    }
}

impl Operand {
    fn text(&self, placeholders: &mut Placeholders) -> String {
        match self {
            Operand::Path(path) => path.text(placeholders),
            Operand::Value(value) => placeholders.value(value),
            Operand::IfNotExists(path, value) => {
                let path = path.text(placeholders);
                format!("if_not_exists({path}, {})", placeholders.value(value))
            }
        }
    }

    fn evaluate(&self, old: &Map) -> Option<AttributeValue> {
        match self {
            Operand::Path(path) => path.find(old).cloned(),
            Operand::Value(value) => Some(value.clone()),
            Operand::IfNotExists(path, value) => Some(path.find(old).unwrap_or(value).clone()),
        }
    }
}

/// Whether what a path leads through exists and is a map or list, as its last step needs.
fn has_place(item: &Map, path: &Path) -> bool {
    let Some((last, through)) = path.steps.split_last() else { return true };
    let container = Path { attribute: path.attribute.clone(), steps: through.to_vec() };
    matches!(
        (container.find(item), last),
        (Some(AttributeValue::M(_)), Step::Member(_)) | (Some(AttributeValue::L(_)), Step::Element(_))
    )
}

/// A value with edits made inside of it. Positions in lists are those from before; what is set behind the end of
/// a list is appended in the order of the positions.
fn rebuild(
    value: Option<&AttributeValue>,
    edits: Vec<(&[Step], &Option<AttributeValue>)>,
) -> Option<AttributeValue> {
    if let Some((_, new)) = edits.iter().find(|(steps, _)| steps.is_empty()) {
        return (*new).clone();
    }
    let behind = |first: &Step| -> Vec<(&[Step], &Option<AttributeValue>)> {
        let inside = edits.iter().filter(|(steps, _)| steps[0] == *first);
        inside.map(|(steps, value)| (&steps[1..], *value)).collect()
    };
    let mut firsts: Vec<&Step> = edits.iter().map(|(steps, _)| &steps[0]).collect();
    firsts.sort();
    firsts.dedup();
    match value {
        Some(AttributeValue::M(map)) => {
            let mut map = map.clone();
            for first in firsts {
                let Step::Member(name) = first else { continue };
                match rebuild(map.get(name), behind(first)) {
                    Some(value) => map.insert(name.clone(), value),
                    None => map.remove(name),
                };
            }
            Some(AttributeValue::M(map))
        }
        Some(AttributeValue::L(list)) => {
            let end = firsts.iter().filter_map(|step| match step {
                Step::Element(index) => Some(*index + 1),
                Step::Member(_) => None,
            });
            let end = end.max().unwrap_or(0).max(list.len());
            let elements =
                (0..end).filter_map(|index| rebuild(list.get(index), behind(&Step::Element(index))));
            Some(AttributeValue::L(elements.collect()))
        }
        other => other.cloned(),
    }
}
