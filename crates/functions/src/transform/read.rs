//! JSON → steps. Every mistake names its place in the JSON.

use serde_json::{Map, Value};

use super::{
    Lookup, MAX_EACH_DEPTH, MAX_STEPS, MAX_TRANSFORM_BYTES, Step, Template, TransformError, TransformProblem,
};
use crate::config::{Place, is_header_name, unknown};
use crate::json;
use crate::pointer::Pointer;

/// Headers that the connection or the signature sets. A transform that could set them could contradict the body's length or forge an id.
const RESERVED: [&str; 13] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "webhook-id",
    "webhook-signature",
    "webhook-timestamp",
    "http2-settings",
];

pub(super) fn steps(value: &Value) -> Result<Vec<Step>, TransformError> {
    let place = Place::default();
    if json::extent(value).bytes > MAX_TRANSFORM_BYTES {
        return Err(TransformError { place, problem: TransformProblem::TooLarge });
    }
    Reader { steps: 0 }.list(value, &place, 0)
}

/// Counts what was read.
struct Reader {
    steps: usize,
}

/// An object that is being read.
struct Fields<'v> {
    object: &'v Map<String, Value>,
    place: &'v Place,
}

impl Reader {
    fn list(&mut self, value: &Value, place: &Place, depth: usize) -> Result<Vec<Step>, TransformError> {
        let wrong = |problem| TransformError { place: place.clone(), problem };
        if depth > MAX_EACH_DEPTH {
            return Err(wrong(TransformProblem::TooDeep));
        }
        let elements = value.as_array().ok_or_else(|| wrong(TransformProblem::List))?;
        let numbered = elements.iter().enumerate();
        numbered.map(|(at, element)| self.step(element, &place.at(at), depth)).collect()
    }

    fn step(&mut self, value: &Value, place: &Place, depth: usize) -> Result<Step, TransformError> {
        let wrong = |problem| TransformError { place: place.clone(), problem };
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(wrong(TransformProblem::TooManySteps));
        }
        let object = value.as_object().ok_or_else(|| wrong(TransformProblem::Shape))?;
        let operation = object.get("op").and_then(Value::as_str);
        let fields = Fields { object, place };
        match operation {
            Some("set") => {
                fields.only(&["path", "value"])?;
                Ok(Step::Set { path: fields.path("path")?, value: fields.value("value")?.clone() })
            }
            Some("copy") => {
                fields.only(&["from", "to"])?;
                Ok(Step::Copy { from: fields.path("from")?, to: fields.path("to")? })
            }
            Some("move") => fields.moved(),
            Some("remove") => {
                fields.only(&["path"])?;
                Ok(Step::Remove { path: fields.path("path")? })
            }
            Some("rename") => {
                fields.only(&["path", "to"])?;
                let path = fields.path("path")?;
                match path.split_last() {
                    Some(_) => Ok(Step::Rename { path, to: fields.text("to")?.to_owned() }),
                    None => Err(fields.wrong("path", TransformProblem::Root)),
                }
            }
            Some("template") => {
                fields.only(&["path", "template"])?;
                Ok(Step::Template { path: fields.path("path")?, template: fields.template()? })
            }
            Some("map") => self.map(&fields, depth),
            Some("wrap") => {
                fields.only(&["path", "key"])?;
                Ok(Step::Wrap { path: fields.path("path")?, key: fields.text("key")?.to_owned() })
            }
            Some("header") if depth > 0 => Err(wrong(TransformProblem::HeaderInEach)),
            Some("header") => fields.header(),
            _ => Err(fields.wrong("op", TransformProblem::Operation)),
        }
    }

    fn map(&mut self, fields: &Fields<'_>, depth: usize) -> Result<Step, TransformError> {
        fields.only(&["path", "each", "values", "default"])?;
        let path = fields.path("path")?;
        let (each, values) = (fields.object.get("each"), fields.object.get("values"));
        let default = fields.object.get("default").cloned();
        match (each, values) {
            (Some(each), None) if default.is_none() => {
                let steps = self.list(each, &fields.place.at("each"), depth + 1)?;
                Ok(Step::Each { path, steps })
            }
            (None, Some(values)) => {
                let values = values.as_object().cloned();
                let values =
                    values.ok_or_else(|| fields.wrong("values", TransformProblem::Type("an object")))?;
                Ok(Step::Lookup { path, lookup: Lookup { values, default } })
            }
            _ => Err(TransformError { place: fields.place.clone(), problem: TransformProblem::Map }),
        }
    }
}

impl Fields<'_> {
    fn wrong(&self, name: &str, problem: TransformProblem) -> TransformError {
        TransformError { place: self.place.at(name), problem }
    }

    /// Refuses members beside `op` and these.
    fn only(&self, known: &[&str]) -> Result<(), TransformError> {
        let known: Vec<&str> = known.iter().copied().chain(["op"]).collect();
        match unknown(self.object, &known) {
            None => Ok(()),
            Some(name) => Err(TransformError {
                place: self.place.clone(),
                problem: TransformProblem::UnknownField(name),
            }),
        }
    }

    fn value(&self, name: &'static str) -> Result<&Value, TransformError> {
        let missing =
            || TransformError { place: self.place.clone(), problem: TransformProblem::Missing(name) };
        self.object.get(name).ok_or_else(missing)
    }

    fn text(&self, name: &'static str) -> Result<&str, TransformError> {
        self.value(name)?.as_str().ok_or_else(|| self.wrong(name, TransformProblem::Type("a text")))
    }

    fn path(&self, name: &'static str) -> Result<Pointer, TransformError> {
        Pointer::parse(self.text(name)?).map_err(|problem| self.wrong(name, problem.into()))
    }

    fn template(&self) -> Result<Template, TransformError> {
        Template::parse(self.text("template")?).map_err(|problem| self.wrong("template", problem))
    }

    fn moved(&self) -> Result<Step, TransformError> {
        self.only(&["from", "to"])?;
        let (from, to) = (self.path("from")?, self.path("to")?);
        if from != to && from.contains(&to) {
            return Err(self.wrong("to", TransformProblem::IntoItself));
        }
        Ok(Step::Move { from, to })
    }

    fn header(&self) -> Result<Step, TransformError> {
        self.only(&["name", "template", "remove"])?;
        let name = self.text("name")?.to_owned();
        if !is_header_name(&name) {
            return Err(self.wrong("name", TransformProblem::HeaderName));
        }
        let lower = name.to_ascii_lowercase();
        if RESERVED.contains(&lower.as_str()) || lower.starts_with("proxy-") {
            return Err(self.wrong("name", TransformProblem::HeaderReserved));
        }
        let template = match (self.object.get("template"), self.object.get("remove")) {
            (Some(_), None) => Some(self.template()?),
            (None, Some(Value::Bool(true))) => None,
            _ => {
                return Err(TransformError {
                    place: self.place.clone(),
                    problem: TransformProblem::HeaderValue,
                });
            }
        };
        Ok(Step::Header { name, template })
    }
}
