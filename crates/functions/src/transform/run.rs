//! The steps, one after the other.

use serde_json::Value;

use super::document::{Budget, Document};
use super::{
    ApplyError, ApplyProblem, MAX_HEADER_BYTES, MAX_INPUT_BYTES, MAX_OUTPUT_BYTES, Step, Template,
    Transformed,
};
use crate::Headers;
use crate::config::Place;
use crate::json;
use crate::pointer::{Pointer, find_mut};

pub(super) fn apply(steps: &[Step], body: &[u8], headers: Headers<'_>) -> Result<Transformed, ApplyError> {
    let top = Place::default();
    let wrong = |problem| ApplyError { place: top.clone(), problem };
    let mut document = Value::Null;
    if steps.iter().any(Step::needs_body) {
        if body.len() > MAX_INPUT_BYTES {
            return Err(wrong(ApplyProblem::InputTooLarge));
        }
        document = json::read(body).ok_or_else(|| wrong(ApplyProblem::NotJson))?;
    }
    let mut budget = Budget::of(&document);
    let mut run = Run { headers, changed: Vec::new() };
    run.steps(steps, &mut Document { root: &mut document, budget: &mut budget, depth: 0 }, &top)?;
    let body =
        if steps.iter().any(Step::changes_body) { document.to_string().into_bytes() } else { body.to_vec() };
    if body.len() > MAX_OUTPUT_BYTES {
        return Err(wrong(ApplyProblem::TooLarge));
    }
    Ok(Transformed { body, headers: run.changed })
}

struct Run<'a> {
    headers: Headers<'a>,
    changed: Vec<(String, Option<String>)>,
}

impl Run<'_> {
    fn steps(
        &mut self,
        steps: &[Step],
        document: &mut Document<'_>,
        place: &Place,
    ) -> Result<(), ApplyError> {
        for (at, step) in steps.iter().enumerate() {
            match step {
                Step::Each { path, steps } => self.each(path.names(), steps, document, &place.at(at))?,
                step => self
                    .step(step, document)
                    .map_err(|problem| ApplyError { place: place.at(at), problem })?,
            }
        }
        Ok(())
    }

    fn each(
        &mut self,
        names: &[String],
        steps: &[Step],
        document: &mut Document<'_>,
        place: &Place,
    ) -> Result<(), ApplyError> {
        let wrong = |problem| ApplyError { place: place.clone(), problem };
        document.budget.step().map_err(wrong)?;
        let Some(Value::Array(elements)) = find_mut(document.root, names) else { return Ok(()) };
        let (inside, depth) = (place.at("each"), document.depth + names.len() + 1);
        for element in elements {
            document.budget.step().map_err(wrong)?;
            let budget = &mut *document.budget;
            self.steps(steps, &mut Document { root: element, budget, depth }, &inside)?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Step, document: &mut Document<'_>) -> Result<(), ApplyProblem> {
        document.budget.step()?;
        match step {
            Step::Set { path, value } => {
                document.budget.measure(value)?;
                document.put(path, value.clone())
            }
            Step::Copy { from, to } => match document.copy(from)? {
                Some(value) => document.put(to, value),
                None => Ok(()),
            },
            Step::Move { from, to } if from == to => Ok(()),
            Step::Move { from, to } => match document.take(from)? {
                Some(value) => document.put(to, value),
                None => Ok(()),
            },
            Step::Remove { path } => document.take(path).map(drop),
            Step::Rename { path, to } => rename(document, path.names(), to),
            Step::Template { path, template } => {
                let text = template.render(document.root, self.headers, MAX_OUTPUT_BYTES, document.budget)?;
                document.put(path, Value::String(text.ok_or(ApplyProblem::TooLarge)?))
            }
            Step::Lookup { path, lookup } => {
                let found = path.find(document.root).and_then(|value| lookup.find(value)).cloned();
                found.map_or(Ok(()), |value| document.put(path, value))
            }
            Step::Wrap { path, key } => document.wrap(path, key),
            Step::Header { name, template } => self.header(name, template.as_ref(), document),
            // Handled where steps are walked, since errors inside it have places of their own.
            Step::Each { .. } => Ok(()),
        }
    }

    fn header(
        &mut self,
        name: &str,
        template: Option<&Template>,
        document: &mut Document<'_>,
    ) -> Result<(), ApplyProblem> {
        let value = match template {
            None => None,
            Some(template) => {
                let text = template.render(document.root, self.headers, MAX_HEADER_BYTES, document.budget)?;
                let text = text.map(|text| visible(&text)).filter(|text| text.len() <= MAX_HEADER_BYTES);
                Some(text.ok_or(ApplyProblem::HeaderTooLong)?)
            }
        };
        self.changed.retain(|(changed, _)| !changed.eq_ignore_ascii_case(name));
        self.changed.push((name.to_owned(), value));
        Ok(())
    }
}

/// Another name for a member of an object.
fn rename(document: &mut Document<'_>, names: &[String], to: &str) -> Result<(), ApplyProblem> {
    let Some((last, parents)) = names.split_last() else { return Ok(()) };
    let is_member = matches!(find_mut(document.root, parents), Some(Value::Object(_)));
    if last == to || !is_member {
        return Ok(());
    }
    match document.take(&Pointer::new(parents, last))? {
        Some(value) => document.put(&Pointer::new(parents, to), value),
        None => Ok(()),
    }
}

/// A value of a header: visible ASCII and spaces as they are, every other byte as `%XX`. A line's end in a value would begin another header.
fn visible(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' => value.push(char::from(byte)),
            other => value.push_str(&format!("%{other:02X}")),
        }
    }
    value.trim_matches(' ').to_owned()
}
