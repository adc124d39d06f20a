//! The domains of attributes, and whether the existing items still have such values.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use sortkey_api::ApiError;
use sortkey_api::operations::ScanInput;
use sortkey_design::model::{Attribute, Type};
use sortkey_design::{Design, TABLE_DIFFERS};
use sortkey_diagnostics::Diagnostic;
use sortkey_value::{AttributeValue, Item, Map};

use super::Layout;
use sortkey_core::Requests as _;
use sortkey_core::internals::{Admit, EntityInfo, Scope, Val, hex};

/// So many items are enough to show what is wrong.
const SHOWN: usize = 3;

/// The domain of each attribute of some entities, by `Entity.attribute`, in a form that can be compared later.
pub(super) fn domains(design: &Design, infos: &[&EntityInfo]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for info in infos {
        for attribute in info.source(design).attributes.iter().filter(|each| each.is_stored()) {
            let domain = json!({ "type": design.type_of(attribute), "optional": attribute.may_be_absent() });
            found.insert(format!("{}.{}", info.name, attribute.name), domain.to_string());
        }
    }
    found
}

/// Whether every item that was valid before is still valid, as far as an attribute is concerned. `before` is its
/// recorded domain; none if the attribute is new.
fn is_kept(design: &Design, attribute: &Attribute, before: Option<&String>) -> bool {
    let may_lack = attribute.may_be_absent() || attribute.value.is_some();
    let Some(before) = before else { return may_lack };
    let Ok(before) = serde_json::from_str::<Json>(before) else { return true };
    let was_optional = before["optional"] == json!(true);
    let ty: Option<Type> = serde_json::from_value(before["type"].clone()).ok();
    (may_lack || !was_optional) && ty.is_some_and(|ty| takes(design.type_of(attribute), &ty))
}

/// Whether a type takes every value of another.
fn takes(new: &Type, old: &Type) -> bool {
    let at_most =
        |new: Option<u64>, old: Option<u64>| new.is_none_or(|new| old.is_some_and(|old| old <= new));
    match (new, old) {
        (Type::Enum { members, open, .. }, Type::Enum { members: before, open: was_open, .. }) => {
            *open || (!was_open && before.iter().all(|word| members.contains(word)))
        }
        (Type::Int { min, max }, Type::Int { min: from, max: to }) => {
            min.is_none_or(|min| from.is_some_and(|from| from >= min))
                && max.is_none_or(|max| to.is_some_and(|to| to <= max))
        }
        (
            Type::String { format, min, max },
            Type::String { format: old_format, min: old_min, max: old_max },
        ) => format == old_format && min <= old_min && at_most(*max, *old_max),
        (Type::List { of, max }, Type::List { of: old, max: before })
        | (Type::Set { of, max }, Type::Set { of: old, max: before })
        | (Type::Map { of, max }, Type::Map { of: old, max: before }) => {
            at_most(*max, *before) && takes(of, old)
        }
        (Type::Any { max }, Type::Any { max: before }) => at_most(*max, *before),
        (new, old) => new == old,
    }
}

impl Layout<'_> {
    /// Items whose values the design no longer allows. They are only searched for if it allows less than before.
    pub(super) async fn unfit(&self) -> Result<Vec<Diagnostic>, ApiError> {
        let Some(before) = &self.domains else { return Ok(Vec::new()) };
        let design = self.runtime.design();
        let mut narrowed: Vec<(&EntityInfo, Vec<&Attribute>)> = Vec::new();
        for info in &self.infos {
            let prefix = format!("{}.", info.name);
            // An entity that is new has no items.
            if !before.keys().any(|label| label.starts_with(&prefix)) {
                continue;
            }
            let stored = info.source(design).attributes.iter().filter(|each| each.is_stored());
            let less =
                stored.filter(|each| !is_kept(design, each, before.get(&format!("{prefix}{}", each.name))));
            let less: Vec<&Attribute> = less.collect();
            if !less.is_empty() {
                narrowed.push((info, less));
            }
        }
        if narrowed.is_empty() {
            return Ok(Vec::new());
        }
        let scope = self.runtime.scope(None);
        let mut wrong: Vec<(&EntityInfo, &Attribute, Vec<String>)> = Vec::new();
        let mut input = ScanInput {
            table_name: self.first.table.clone(),
            consistent_read: Some(true),
            ..ScanInput::default()
        };
        loop {
            let page = self.runtime.backend().scan(input.clone()).await?;
            for item in page.items.iter().flatten() {
                for (info, attributes) in
                    narrowed.iter().filter(|(info, _)| info.owns(&scope.shared.program, item))
                {
                    for attribute in attributes {
                        let Some(why) = complaint(&scope, info, attribute, item) else { continue };
                        let at = wrong.iter().position(|(entity, each, _)| {
                            entity.at == info.at && each.name == attribute.name
                        });
                        match at {
                            Some(at) => wrong[at].2.push(why),
                            None => wrong.push((info, attribute, vec![why])),
                        }
                    }
                }
            }
            match page.last_evaluated_key {
                Some(key) if wrong.iter().all(|(_, _, items)| items.len() < SHOWN) => {
                    input.exclusive_start_key = Some(key.into());
                }
                _ => break,
            }
        }
        Ok(wrong.into_iter().map(|(info, attribute, items)| explained(info, attribute, items)).collect())
    }
}

/// Why an item's attribute does not fit the design, with the key of the item.
pub(crate) fn complaint(
    scope: &Scope<'_>,
    info: &EntityInfo,
    attribute: &Attribute,
    item: &Item,
) -> Option<String> {
    let name = &attribute.name.text;
    let fields = info.decode_leniently(scope, item);
    let why = match fields.get(name) {
        None | Some(Val::Absent) if attribute.may_be_absent() => return None,
        None | Some(Val::Absent) => format!("has no `{name}`"),
        Some(Val::Sealed(_)) => return None,
        Some(value) => {
            let attributes = &info.of(&scope.shared.program).attributes;
            let attribute = &attributes[attributes.find(name)?];
            Admit::computed(scope).attribute(attribute, value.clone(), name).err()?.message
        }
    };
    Some(format!("{}: {why}", key_text(&info.key_of(item))))
}

/// A key as a person reads it: `PK = "U#ada", at = 17`.
pub(crate) fn key_text(key: &Map) -> String {
    let part = |(name, value): (&String, &AttributeValue)| match value {
        AttributeValue::S(text) => format!("{name} = {text:?}"),
        AttributeValue::N(number) => format!("{name} = {number}"),
        AttributeValue::B(bytes) => format!("{name} = bytes {}", hex(bytes)),
        other => format!("{name} = {other:?}"),
    };
    key.iter().map(part).collect::<Vec<_>>().join(", ")
}

fn explained(info: &EntityInfo, attribute: &Attribute, mut items: Vec<String>) -> Diagnostic {
    items.truncate(SHOWN);
    let title = format!("items that are there do not fit `{}.{}` any more", info.name, attribute.name);
    let mut problem = TABLE_DIFFERS.at(attribute.type_place(), title).label("allows less than it did");
    for item in items {
        problem = problem.note(item);
    }
    problem.note("Let the design allow what is stored, change the items while the design is as it was, or give the attribute a new name.")
}
