//! Values that look like real ones, so that a reader can copy a request and change what matters.

use serde_json::{Map, Value as Json, json};
use sortkey_core::{Kind, Parameter, Signature, Yields};
use sortkey_design::Design;
use sortkey_design::facts::key_attributes;
use sortkey_design::model::{Attribute, Check, Fill, IdBody, InputKind, StringFormat, TimeUnit, Type};
use sortkey_testing::seeding::matching;

/// A record may hold itself; nobody reads an example deeper than this.
const DEPTH: usize = 4;

/// For whom an example is made.
#[derive(Clone, Copy)]
struct Examples<'d> {
    design: &'d Design,
    /// Whether nobody's tenant is filled in.
    system: bool,
}

/// Arguments for a declaration: everything it needs, and nothing it can do without.
pub(crate) fn arguments(design: &Design, signature: &Signature) -> Json {
    let checked = checked(design, signature);
    let needed = |parameter: &&Parameter| !parameter.optional || checked.contains(&parameter.name.as_str());
    let needed = signature.parameters.iter().filter(needed);
    let examples = Examples { design, system: signature.system };
    let given = |each: &Parameter| (each.name.clone(), examples.value(&each.name, &each.ty, DEPTH));
    Json::Object(needed.map(given).collect())
}

/// Parameters that may be left out one by one, but not all: of every `check` of a new item, the first that it speaks of.
fn checked<'a, 'd>(design: &'d Design, signature: &'a Signature) -> Vec<&'a str> {
    let makes = signature.kind == Kind::Operation && signature.parameters.iter().any(|each| !each.optional);
    let Yields::Item(entity) = &signature.yields else { return Vec::new() };
    let Some(entity) = design.entity(entity).filter(|_| makes) else { return Vec::new() };
    let inputs = |name: &'d str| -> Vec<&'d str> {
        match entity.attribute(name).and_then(|each| each.value.as_ref()) {
            Some(Fill { derived: true, value }) => value.names(),
            _ => vec![name],
        }
    };
    let first = |check: &'d Check| {
        let spoken_of: Vec<&str> = check.condition.names().into_iter().flat_map(inputs).collect();
        let mut names = signature.parameters.iter().map(|parameter| parameter.name.as_str());
        names.find(|name| spoken_of.contains(name))
    };
    entity.checks.iter().filter_map(first).collect()
}

/// Somebody who calls, as the header `Sortkey-Caller` says it.
pub(crate) fn caller(design: &Design) -> Json {
    Examples { design, system: false }.object(design.caller.iter(), DEPTH)
}

/// A value of a type.
pub(super) fn value(design: &Design, name: &str, ty: &Type, depth: usize) -> Json {
    Examples { design, system: false }.value(name, ty, depth)
}

impl Examples<'_> {
    fn value(self, name: &str, ty: &Type, depth: usize) -> Json {
        if depth == 0 {
            return Json::Null;
        }
        match ty {
            Type::String { format, min, max } => text(name, format, *min, *max),
            Type::Id { prefix, body } => json!(format!("{prefix}{}", id_body(*body))),
            Type::Token { prefix, length } => {
                json!(format!("{prefix}{}", repeated("k7Qm2ZxPwT9vB4cRnY6hL1sDfG8jE3aU", *length)))
            }
            Type::Int { min, max } => json!(1.max(min.unwrap_or(1)).min(max.unwrap_or(i64::MAX))),
            Type::Decimal { .. } => json!(19.5),
            Type::Bool => json!(true),
            Type::Bytes { .. } => json!("e30="),
            Type::Time { unit } => match unit {
                TimeUnit::Iso | TimeUnit::Unstated => json!("2026-11-15T12:00:00.000Z"),
                TimeUnit::IsoSeconds => json!("2026-11-15T12:00:00Z"),
                TimeUnit::Milliseconds => json!(1_794_744_000_000_i64),
                TimeUnit::Seconds => json!(1_794_744_000),
            },
            Type::Date => json!("2026-11-15"),
            Type::Month => json!("2026-11"),
            Type::Json { of } => self.value(name, of, depth),
            Type::Enum { members, .. } => json!(members.first()),
            Type::List { of, .. } | Type::Set { of, .. } => json!([self.value(name, of, depth - 1)]),
            Type::Map { of, .. } => json!({ "key": self.value(name, of, depth - 1) }),
            Type::Object { attributes } => self.object(needed(attributes), depth - 1),
            Type::Record { name } => match self.design.record(name) {
                Some(record) => self.object(needed(&record.attributes), depth - 1),
                None => json!({}),
            },
            Type::Input { of, entity } => self.input(*of, entity, depth - 1),
            Type::Any { .. } | Type::Undeclared => json!({}),
        }
    }

    fn object<'a>(self, attributes: impl Iterator<Item = &'a Attribute>, depth: usize) -> Json {
        let mut members = Map::new();
        for attribute in attributes {
            let name = &attribute.name.text;
            members.insert(name.clone(), self.value(name, self.design.type_of(attribute), depth));
        }
        Json::Object(members)
    }

    fn input(self, kind: InputKind, entity: &str, depth: usize) -> Json {
        let Some(entity) = self.design.entity(entity) else { return json!({}) };
        let keys = key_attributes(self.design, entity);
        let is_key = |each: &&Attribute| keys.contains(&each.name.text.as_str());
        match kind {
            InputKind::Key => self.object(entity.attributes.iter().filter(is_key), depth),
            InputKind::Item => self.object(entity.attributes.iter(), depth),
            InputKind::Patch => {
                self.object(needed(&entity.attributes).filter(|each| !is_key(each)).take(1), depth)
            }
            InputKind::New => {
                // Where there is a caller, the tenant is theirs.
                let tenant = |each: &&Attribute| {
                    self.system || entity.tenant.as_ref().is_none_or(|name| *name != each.name)
                };
                self.object(needed(&entity.attributes).filter(tenant), depth)
            }
        }
    }
}

fn needed(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|each| !each.may_be_absent() && each.value.is_none())
}

/// Text by what the name suggests, within its bounds.
fn text(name: &str, format: &StringFormat, min: u64, max: Option<u64>) -> Json {
    let lower = name.to_lowercase();
    if let StringFormat::Matching(pattern) = format
        && let Some(text) = matching::example(pattern)
    {
        return json!(text);
    }
    let text = match format {
        StringFormat::Email => "ada@example.com",
        StringFormat::Url => "https://example.com/hook",
        StringFormat::Slug => "ada-lovelace",
        StringFormat::Cron => "0 * * * *",
        StringFormat::Plain if lower.ends_with("ip") => "203.0.113.9",
        StringFormat::Plain if lower.contains("password") => "correct horse",
        StringFormat::Plain if lower.contains("name") => "Ada",
        StringFormat::Plain | StringFormat::Matching(_) => name,
    };
    let mut text = cut(text, max.unwrap_or(u64::MAX)).to_owned();
    while (text.chars().count() as u64) < min.min(64) {
        text.push('x');
    }
    json!(text)
}

fn id_body(body: IdBody) -> String {
    match body {
        IdBody::Uuid => "7f9c24e5-1b7d-4a56-9d3e-2c1f0b8a6d42".to_owned(),
        IdBody::Ulid => "01JCQ8X5T3N7VZK4M2R9WYH6BD".to_owned(),
        IdBody::Nanoid(length) => repeated("V1StGXR8_Z5jdHi6B-myT", length),
    }
}

/// A text again and again, up to a length.
fn repeated(text: &str, length: u64) -> String {
    text.chars().cycle().take(usize::try_from(length.min(200)).unwrap_or(200)).collect()
}

/// The first characters of an ASCII text.
fn cut(text: &str, length: u64) -> &str {
    usize::try_from(length).ok().and_then(|length| text.get(..length)).unwrap_or(text)
}
