//! Every way to keep and to break the rules of every member of a request, one at a time.

use serde_json::{Value, json};
use sortkey_api::ErrorKind;

use crate::model::{Member, Model, Shape};
use crate::samples;

/// The required result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// It keeps the rules of the model: it is accepted, or refused by an error that the operation declares.
    Any,
    /// It breaks one.
    ValidationException,
    /// A value has another JSON type.
    SerializationException,
}

impl Expected {
    /// Whether an answer is as expected: no error, or one of this kind, where the operation declares these.
    pub(crate) fn is_met(self, error: Option<ErrorKind>, declared: &[&str]) -> bool {
        let name = error.map(ErrorKind::name);
        match self {
            Expected::ValidationException => name == Some("ValidationException"),
            Expected::SerializationException => name == Some("SerializationException"),
            Expected::Any => name.is_none_or(|name| {
                name == "ValidationException" || declared.contains(&name) && name != "InternalServerError"
            }),
        }
    }
}

/// A request that differs from a sample in one member.
pub(crate) struct Variant {
    /// The member's path and what was done to it.
    pub(crate) what: String,
    pub(crate) request: Value,
    pub(crate) expected: Expected,
}

/// Members that are read as a whole and refused: what is below them has no rules here.
const REFUSED: &[&str] = &[
    "FilterSpecification",
    "GlobalTableWitnessUpdates",
    "IncrementalExportSpecification",
    "ReplicaUpdates",
    "VectorIndexOverride",
    "VectorIndexUpdates",
    "VectorIndexes",
];

/// All variants of a sample, whose shape is the structure `input`.
pub(crate) fn of(model: &Model, input: &str, sample: &Value) -> Vec<Variant> {
    let mut sweep = Sweep { model, variants: Vec::new() };
    sweep.structure(input, &Place { sample: sample.clone(), pointer: String::new() });
    sweep.variants
}

/// A request and where in it a structure is.
struct Place {
    sample: Value,
    pointer: String,
}

impl Place {
    fn member(&self, name: &str) -> Option<&Value> {
        self.sample.pointer(&self.pointer).unwrap().get(name)
    }

    /// The request with another value for a member, or without it.
    fn with(&self, name: &str, value: Option<Value>) -> Value {
        let mut request = self.sample.clone();
        let structure = request.pointer_mut(&self.pointer).unwrap().as_object_mut().unwrap();
        match value {
            Some(value) => structure.insert(name.to_owned(), value),
            None => structure.remove(name),
        };
        request
    }
}

struct Sweep<'a> {
    model: &'a Model,
    variants: Vec<Variant>,
}

impl Sweep<'_> {
    fn structure(&mut self, name: &str, place: &Place) {
        let Shape::Structure(members) = self.model.shape(name) else { panic!("{name} is a structure") };
        for member in members {
            self.member(member, place);
        }
    }

    fn member(&mut self, member: &Member, place: &Place) {
        let known = place.member(member.name).cloned();
        let value = known.unwrap_or_else(|| samples::value(self.model, member.name, member.shape));
        let mut add = |what: &str, value: Option<Value>, expected: Expected| {
            let what = format!("{}/{}: {what}", place.pointer, member.name);
            self.variants.push(Variant { what, request: place.with(member.name, value), expected });
        };
        if REFUSED.contains(&member.name) {
            add("given", Some(value), Expected::ValidationException);
            return;
        }
        add("given", Some(value.clone()), Expected::Any);
        if member.is_required {
            add("missing", None, Expected::ValidationException);
            add("null", Some(Value::Null), Expected::ValidationException);
        }
        let shape = self.model.shape(member.shape);
        for wrong in wrong_types(shape) {
            add(&format!("{wrong}"), Some(wrong), Expected::SerializationException);
        }
        for (what, value, expected) in limits(shape, &value) {
            add(&what, Some(value), expected);
        }
        let below = |pointer: String| Place { sample: place.with(member.name, Some(value.clone())), pointer };
        let pointer = format!("{}/{}", place.pointer, member.name);
        match shape {
            Shape::Structure(_) => self.structure(member.shape, &below(pointer)),
            Shape::List { of, .. } if matches!(self.model.shape(of), Shape::Structure(_)) => {
                self.structure(of, &below(format!("{pointer}/0")));
            }
            _ => {}
        }
    }
}

/// JSON of other types than the shape's.
fn wrong_types(shape: &Shape) -> Vec<Value> {
    let all = [json!("text"), json!(1), json!(true), json!(["list"]), json!({"key": "value"})];
    let is_right = |value: &Value| match shape {
        Shape::Structure(_) | Shape::Map { .. } => value.is_object(),
        Shape::List { .. } => value.is_array(),
        Shape::Text { .. } | Shape::Enum(_) | Shape::Blob => value.is_string(),
        // A timestamp is a number; what AWS does with text is not known.
        Shape::Timestamp => value.is_number() || value.is_string(),
        Shape::Number { .. } => value.is_number(),
        Shape::Boolean => value.is_boolean(),
    };
    all.into_iter().filter(|value| !is_right(value)).collect()
}

/// Values at the limits of a shape and beyond them.
fn limits(shape: &Shape, valid: &Value) -> Vec<(String, Value, Expected)> {
    let kept = |what: String, value| (what, value, Expected::Any);
    let broken = |what: String, value| (what, value, Expected::ValidationException);
    let text = |length: i64| json!("n".repeat(usize::try_from(length).unwrap()));
    let list = |length: i64| json!(vec![valid[0].clone(); usize::try_from(length).unwrap()]);
    let mut found = Vec::new();
    match shape {
        Shape::Enum(values) => {
            found.extend(values.iter().map(|value| kept(format!("{value:?}"), json!(value))));
            found.push(broken("not in the enum".into(), json!("NONSENSE")));
        }
        Shape::Text { min, max, has_pattern } => {
            found.extend(min.map(|min| kept(format!("{min} characters"), text(min))));
            found.extend(max.map(|max| kept(format!("{max} characters"), text(max))));
            let short = min.filter(|min| *min > 0).map(|min| min - 1);
            found.extend(short.map(|min| broken(format!("{min} characters"), text(min))));
            found.extend(max.map(|max| broken(format!("{} characters", max + 1), text(max + 1))));
            found.extend(has_pattern.then(|| broken("against the pattern".into(), json!("$ \u{e4} $"))));
        }
        Shape::Number { min, max } => {
            found.extend(
                [*min, *max].into_iter().flatten().map(|bound| kept(format!("{bound}"), json!(bound))),
            );
            let beyond = [min.map(|min| min - 1), max.map(|max| max + 1)];
            found.extend(beyond.into_iter().flatten().map(|bound| broken(format!("{bound}"), json!(bound))));
            found.extend([i64::MIN, i64::MAX].map(|far| kept(format!("{far}"), json!(far))));
        }
        Shape::List { min, max, .. } => {
            found.extend(
                min.filter(|min| *min > 0).map(|min| broken(format!("{} entries", min - 1), list(min - 1))),
            );
            found.extend(max.map(|max| broken(format!("{} entries", max + 1), list(max + 1))));
            found.push(kept("no entries".into(), json!([])));
            found.push(kept("a hundred entries".into(), list(100)));
        }
        Shape::Boolean => found.push(kept("false".into(), json!(false))),
        Shape::Timestamp => {
            let far = [json!(0), json!(-1), json!(1e15), json!(1.5)];
            found.extend(far.map(|time| kept(format!("{time}"), time)));
        }
        Shape::Structure(_) => found.push(kept("empty".into(), json!({}))),
        Shape::Map { .. } | Shape::Blob => {}
    }
    found
}
