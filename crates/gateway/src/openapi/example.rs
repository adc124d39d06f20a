//! Values that look like real ones, so that a reader can copy a request and change what matters.

use serde_json::{Map, Value as Json, json};
use sortkey_design::Program;
use sortkey_design::model::{IdBody, InputKind, StringFormat, TimeUnit};
use sortkey_design::program::{Attribute, AttributeId, Check, EntityId, Expr, Parameter, Type, Yields};
use sortkey_testing::seeding::matching;

use crate::endpoints::Endpoint;

/// A record may hold itself; deeper examples would not help a reader.
const DEPTH: usize = 4;

/// The setting that an example is made for.
#[derive(Clone, Copy)]
struct Examples<'p> {
    program: &'p Program,
    /// Whether the caller's tenant is not filled in.
    system: bool,
}

/// Arguments for a declaration: everything it needs, and nothing it can do without.
pub(crate) fn arguments(program: &Program, endpoint: &Endpoint) -> Json {
    let checked = checked(program, endpoint);
    let needed = |parameter: &&Parameter| !parameter.optional || checked.contains(&&*parameter.name);
    let needed = endpoint.signature().parameters.iter().filter(needed);
    let examples = Examples { program, system: endpoint.is_system() };
    let given = |each: &Parameter| (each.name.to_string(), examples.value(&each.name, &each.ty, DEPTH));
    Json::Object(needed.map(given).collect())
}

/// Parameters that may be left out one by one, but not all: of every `check` of a new item, the first that it mentions.
fn checked<'a>(program: &'a Program, endpoint: &'a Endpoint) -> Vec<&'a str> {
    let parameters = &endpoint.signature().parameters;
    let makes = !endpoint.is_pattern() && parameters.iter().any(|each| !each.optional);
    let Yields::Item(entity) = endpoint.signature().yields else { return Vec::new() };
    if !makes {
        return Vec::new();
    }
    let entity = &program.entities[entity];
    let inputs = |id: AttributeId| match entity.attributes[id].fill.as_ref().filter(|fill| fill.derived) {
        Some(fill) => fill.value.attributes(),
        None => vec![id],
    };
    let first = |check: &Check| {
        let spoken_of = Expr::attributes(&check.condition).into_iter().flat_map(inputs);
        let spoken_of: Vec<&str> = spoken_of.map(|id| &*entity.attributes[id].name).collect();
        parameters.iter().map(|parameter| &*parameter.name).find(|name| spoken_of.contains(name))
    };
    entity.checks.iter().filter_map(first).collect()
}

/// An example of a caller, as in the header `Sortkey-Caller`.
pub(crate) fn caller(program: &Program) -> Json {
    Examples { program, system: false }.object(program.caller.iter(), DEPTH)
}

/// A value of a type.
pub(super) fn value(program: &Program, name: &str, ty: &Type, depth: usize) -> Json {
    Examples { program, system: false }.value(name, ty, depth)
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
            Type::Enum(words) => json!(words.words.first().map(|word| &**word)),
            Type::List { of, .. } | Type::Set { of, .. } => json!([self.value(name, of, depth - 1)]),
            Type::Map { of, .. } => json!({ "key": self.value(name, of, depth - 1) }),
            Type::Object(id) => {
                let attributes = self.program.objects[*id].attributes.iter();
                self.object(attributes.filter(|each| is_needed(each)), depth - 1)
            }
            Type::Input { of, entity } => self.input(*of, *entity, depth - 1),
            Type::Any { .. } | Type::Unknown => json!({}),
        }
    }

    fn object<'a>(self, attributes: impl Iterator<Item = &'a Attribute>, depth: usize) -> Json {
        let mut members = Map::new();
        for attribute in attributes {
            let name = &attribute.name;
            members.insert(name.to_string(), self.value(name, &attribute.ty, depth));
        }
        Json::Object(members)
    }

    fn input(self, kind: InputKind, entity: EntityId, depth: usize) -> Json {
        let entity = &self.program.entities[entity];
        let is_key = |id: AttributeId| entity.key_attributes.contains(&id);
        // If there is a caller, the tenant is theirs.
        let is_theirs =
            |id: AttributeId| !self.system && entity.tenant.is_some_and(|tenant| tenant.attribute == id);
        let chosen = entity.attributes.entries().filter(|(id, each)| match kind {
            InputKind::Key => is_key(*id),
            InputKind::Item => true,
            InputKind::Patch => is_needed(each) && !is_key(*id),
            InputKind::New => is_needed(each) && !is_theirs(*id),
        });
        // One changed attribute is enough for an example of a patch.
        let most = if kind == InputKind::Patch { 1 } else { usize::MAX };
        self.object(chosen.map(|(_, each)| each).take(most), depth)
    }
}

fn is_needed(attribute: &Attribute) -> bool {
    !attribute.may_be_absent() && attribute.fill.is_none()
}

/// Text by what the name suggests, within its bounds.
fn text(name: &str, format: &StringFormat, min: u64, max: Option<u64>) -> Json {
    let lower = name.to_lowercase();
    if let StringFormat::Matching(pattern) = format
        && let Some(text) = matching::example(pattern)
    {
        return json!(text);
    }
    let named = identity(name).unwrap_or_else(|| name.to_owned());
    let text = match format {
        StringFormat::Email => "ada@example.com",
        StringFormat::Url => "https://example.com/hook",
        StringFormat::Slug => "ada-lovelace",
        StringFormat::Cron => "0 * * * *",
        StringFormat::Plain if lower.ends_with("ip") => "203.0.113.9",
        StringFormat::Plain if lower.contains("password") => "correct horse",
        StringFormat::Plain if lower.contains("name") => "Ada",
        StringFormat::Plain | StringFormat::Matching(_) => named.as_str(),
    };
    let mut text = cut(text, max.unwrap_or(u64::MAX)).to_owned();
    while (text.chars().count() as u64) < min.min(64) {
        text.push('x');
    }
    json!(text)
}

/// An id that looks like one: `ada` for `userId`, `order-1` for `orderId`.
fn identity(name: &str) -> Option<String> {
    const PEOPLE: [&str; 8] = ["user", "caller", "owner", "author", "writer", "member", "agent", "customer"];
    let stem =
        ["Id", "_id", "ID"].iter().find_map(|end| name.strip_suffix(end)).filter(|stem| !stem.is_empty())?;
    let stem = stem.to_lowercase();
    match PEOPLE.iter().any(|person| stem.ends_with(person)) {
        true => Some("ada".to_owned()),
        false => Some(format!("{stem}-1")),
    }
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
