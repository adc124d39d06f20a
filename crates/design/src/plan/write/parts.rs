//! The items of a write: the one that an action names, its guards, and what must be read for them.

use super::{Parts, Plan};
use crate::facts::key_attributes;
use crate::model::*;
use crate::plan::deed::Deed;
use crate::plan::flow::Flow;
use crate::plan::request::{Act, KEY_BYTES, Part, Role, reserved_arms};
use crate::size::typical_bytes;

impl<'d> Plan<'d> {
    /// The item and its guards.
    pub(super) fn parts(&self, deed: &Deed<'d>, item: String, sometimes: bool) -> Parts<'d> {
        let entity = deed.entity;
        let Some((part, item)) = self.item(deed, item, sometimes) else {
            return Vec::new();
        };
        let table = part.table;
        let mut parts = vec![(part, item)];
        if deed.verb == WriteVerb::Check {
            return parts;
        }
        for unique in deed.effects(self.design).guards {
            let names: Vec<&str> = unique.names.iter().map(|name| name.text.as_str()).collect();
            let absent = |name: &&str| entity.attribute(name).is_none_or(Attribute::may_be_absent);
            let moves: &[(Act, &str)] = match deed.verb {
                WriteVerb::Create => &[(Act::Put, "put guard")],
                WriteVerb::Delete | WriteVerb::Purge => &[(Act::Delete, "delete guard")],
                _ => &[(Act::Delete, "delete guard"), (Act::Put, "put guard")],
            };
            // Only a new item surely takes its values.
            let sure = deed.verb == WriteVerb::Create && unique.when.is_none() && !names.iter().any(absent);
            for (act, word) in moves {
                let guard = Part {
                    act: *act,
                    table,
                    role: Role::Guard,
                    sometimes: sometimes || !sure,
                    many: false,
                    arms: reserved_arms(table),
                    bytes: KEY_BYTES,
                };
                parts.push((guard, format!("{word} {}({})", entity.name, names.join(", "))));
            }
        }
        parts
    }

    pub(super) fn item(&self, deed: &Deed<'d>, item: String, sometimes: bool) -> Option<(Part<'d>, String)> {
        let entity = deed.entity;
        let table = self.design.table_of(entity)?;
        let act = match deed.verb {
            WriteVerb::Create | WriteVerb::Put => Act::Put,
            WriteVerb::Upsert => Act::Upsert,
            WriteVerb::Check => Act::Check,
            WriteVerb::Delete | WriteVerb::Purge if !deed.is_soft() => Act::Delete,
            _ => Act::Update,
        };
        let arms = if act == Act::Check { Vec::new() } else { deed.effects(self.design).arms };
        let bytes = typical_bytes(self.design, entity);
        Some((Part { act, table, role: Role::Item(entity), sometimes, many: false, arms, bytes }, item))
    }

    /// What the write must know of the item as it is.
    pub(super) fn read_back(&self, deed: &Deed<'d>) -> Flow<'d> {
        if deed.verb == WriteVerb::Check {
            return Flow::nothing();
        }
        let effects = deed.effects(self.design);
        if effects.read_back.is_empty() {
            return Flow::nothing();
        }
        let item = format!("{} as it is, for {}", deed.entity.name, effects.read_back.join(", "));
        let read = self.get(deed.entity, true, item);
        if effects.reads { read } else { read.maybe() }
    }

    /// Whether a write will be refused is found out before the first child goes.
    pub(super) fn foreseen(&self, deed: &Deed<'d>) -> Flow<'d> {
        self.get(deed.entity, true, format!("{}, before children go", deed.entity.name))
    }

    /// The items that a new one takes values from, where no statement before has read them.
    pub(super) fn references(&self, entity: &'d Entity, action: &Action) -> Flow<'d> {
        if !matches!(action.verb, WriteVerb::Create | WriteVerb::Put) {
            return Flow::nothing();
        }
        let mut arrows: Vec<&str> = Vec::new();
        for fill in entity.attributes.iter().filter_map(|attribute| attribute.value.as_ref()) {
            fill.value.walk(&mut |expr| {
                if let ExprKind::Arrow { base, .. } = &expr.kind {
                    arrows.extend(base.as_name());
                }
            });
        }
        arrows.sort_unstable();
        arrows.dedup();
        let mut flows = Vec::new();
        for name in arrows {
            let reference = entity.attribute(name).and_then(|attribute| attribute.reference.as_ref());
            let Some(other) = reference.and_then(|each| self.design.entity(&each.entity.text)) else {
                continue;
            };
            let target = reference.and_then(|each| each.attribute.as_ref()).map_or(name, |each| &each.text);
            if key_attributes(self.design, other).iter().all(|key| *key == target) {
                flows.push(self.get(other, true, format!("{} for {name}->", other.name)).maybe());
            }
        }
        Flow::Seq(flows)
    }
}
