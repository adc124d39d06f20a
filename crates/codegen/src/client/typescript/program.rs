//! `program.ts`: the compiled program, and where answers differ from the JSON that a core gives.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::header;
use super::text::{property, quoted};
use crate::client::{RecordId, Surface, Type};
use crate::files::File;

/// The version of what generated clients expect of the package.
const PROTOCOL: u32 = 1;

/// The file of the program.
pub(super) fn file(surface: &Surface) -> File {
    let mut text = header(surface);
    text += "import type { Program, Shapes, TableRequest } from \"sortkey\";\n\n";
    let version = surface.version.map_or("undefined".to_owned(), |version| version.to_string());
    let _ = write!(
        text,
        "/** The compiled design. */\nexport const program: Program = {{\n  protocol: {PROTOCOL},\n  name: {},\n  \
         version: {version},\n  fingerprint: {},\n  text: {},\n}};\n\n",
        quoted(&surface.name),
        quoted(&surface.fingerprint),
        quoted(&surface.program),
    );
    text +=
        "/** Where an answer is more than its JSON: bytes, long numbers, sets. */\nexport const shapes = {\n";
    for (at, record) in surface.records.iter().enumerate() {
        if let Some(fields) = record_shape(surface, RecordId(at)) {
            let _ = writeln!(text, "  {}: {fields},", property(&record.name));
        }
    }
    text += "} satisfies Shapes;\n\n";
    text += "/** The tables as `CreateTable` takes them, for tests. */\nexport const tables: TableRequest[] = [\n";
    for table in &surface.tables {
        let ttl = table.time_to_live.as_ref().map_or("undefined".to_owned(), |name| quoted(name));
        let _ = writeln!(text, "  {{ create: {}, timeToLive: {ttl} }},", table.create);
    }
    text += "];\n";
    File::new("program.ts", text)
}

/// The expression of a type's shape; none if its JSON is its value.
pub(super) fn shape_of(surface: &Surface, ty: &Type) -> Option<String> {
    match ty {
        Type::Record(id) => {
            record_shape(surface, *id).map(|_| format!("shapes.{}", surface.record(*id).name))
        }
        Type::OneOf(ids) => {
            let kinds: BTreeMap<String, String> = ids
                .iter()
                .filter_map(|id| {
                    let shape = record_shape(surface, *id)?;
                    let kind = surface.fields(*id).into_iter().find_map(|field| match &field.ty {
                        Type::Literal(kind) if field.name == "$entity" => Some(kind.clone()),
                        _ => None,
                    })?;
                    Some((kind, shape))
                })
                .collect();
            let kinds: Vec<String> =
                kinds.iter().map(|(kind, shape)| format!("{}: {shape}", property(kind))).collect();
            (!kinds.is_empty()).then(|| format!("{{ kinds: {{ {} }} }}", kinds.join(", ")))
        }
        ty => inner(surface, ty, &mut BTreeSet::new()),
    }
}

fn record_shape(surface: &Surface, id: RecordId) -> Option<String> {
    inner(surface, &Type::Record(id), &mut BTreeSet::new())
}

/// The shape of a type, written in place. A record within itself ends the way down.
fn inner(surface: &Surface, ty: &Type, open: &mut BTreeSet<RecordId>) -> Option<String> {
    match ty {
        Type::Bytes => Some("\"bytes\"".to_owned()),
        Type::Digits | Type::Long => Some("\"digits\"".to_owned()),
        Type::List(of) | Type::Set(of) => Some(format!("{{ each: {} }}", inner(surface, of, open)?)),
        Type::Map(of) => Some(format!("{{ values: {} }}", inner(surface, of, open)?)),
        Type::Record(id) if open.insert(*id) => {
            let fields = surface.fields(*id);
            let shapes = fields.iter().filter_map(|field| {
                Some(format!("{}: {}", property(&field.name), inner(surface, &field.ty, open)?))
            });
            let shapes: Vec<String> = shapes.collect();
            // An empty set is stored as no set at all.
            let is_set = |ty: &Type| matches!(ty, Type::Set(_));
            let sets = fields.iter().filter(|field| !field.optional && is_set(&field.ty));
            let sets: Vec<String> = sets.map(|field| quoted(&field.name)).collect();
            open.remove(id);
            let mut parts = Vec::new();
            if !shapes.is_empty() {
                parts.push(format!("fields: {{ {} }}", shapes.join(", ")));
            }
            if !sets.is_empty() {
                parts.push(format!("sets: [{}]", sets.join(", ")));
            }
            (!parts.is_empty()).then(|| format!("{{ {} }}", parts.join(", ")))
        }
        _ => None,
    }
}
