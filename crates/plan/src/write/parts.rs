//! The items of a write: the one that an action names, its guards, and what must be read for them.

use sortkey_design::model::WriteVerb;
use sortkey_design::program::{Action, AttributeId, EntityId, ExprKind};

use super::{Deed, Parts, Plan};
use crate::flow::Flow;
use crate::request::{Act, KEY_BYTES, Part, Role, reserved_arms};

impl Plan<'_> {
    /// The item and its guards.
    pub(super) fn parts(&self, deed: &Deed, item: String, sometimes: bool) -> Parts {
        let entity = &self.program.entities[deed.entity];
        let verb = deed.change.verb;
        let Some((part, item)) = self.item(deed, item, sometimes) else {
            return Vec::new();
        };
        let table = part.table;
        let mut parts = vec![(part, item)];
        if verb == WriteVerb::Check {
            return parts;
        }
        for id in &deed.effects.guards {
            let unique = &entity.uniques[*id];
            let names: Vec<&str> = unique.attributes.iter().map(|id| &*entity.attributes[*id].name).collect();
            let absent = |id: &AttributeId| entity.attributes[*id].may_be_absent();
            let moves: &[(Act, &str)] = match verb {
                WriteVerb::Create => &[(Act::Put, "put guard")],
                WriteVerb::Delete | WriteVerb::Purge => &[(Act::Delete, "delete guard")],
                _ => &[(Act::Delete, "delete guard"), (Act::Put, "put guard")],
            };
            // Only a new item surely takes its values.
            let sure =
                verb == WriteVerb::Create && unique.when.is_none() && !unique.attributes.iter().any(absent);
            for (act, word) in moves {
                let guard = Part {
                    act: *act,
                    table,
                    role: Role::Guard(deed.entity, *id),
                    sometimes: sometimes || !sure,
                    many: false,
                    arms: reserved_arms(self.program, table),
                    bytes: KEY_BYTES,
                };
                parts.push((guard, format!("{word} {}({})", entity.name, names.join(", "))));
            }
        }
        parts
    }

    pub(super) fn item(&self, deed: &Deed, item: String, sometimes: bool) -> Option<(Part, String)> {
        let entity = &self.program.entities[deed.entity];
        let table = entity.table?;
        let act = match deed.change.verb {
            WriteVerb::Create | WriteVerb::Put => Act::Put,
            WriteVerb::Upsert => Act::Upsert,
            WriteVerb::Check => Act::Check,
            WriteVerb::Delete | WriteVerb::Purge if !deed.change.is_soft(entity) => Act::Delete,
            _ => Act::Update,
        };
        let arms = if act == Act::Check { Vec::new() } else { deed.arms.clone() };
        let role = Role::Item(deed.entity);
        Some((Part { act, table, role, sometimes, many: false, arms, bytes: entity.volume.bytes }, item))
    }

    /// The read of the stored item that the write depends on.
    pub(super) fn read_back(&self, deed: &Deed) -> Flow {
        let entity = &self.program.entities[deed.entity];
        let (read, surely) = deed.read_back(entity);
        if read.is_empty() {
            return Flow::nothing();
        }
        let mut names: Vec<&str> = read.iter().map(|id| &*entity.attributes[id].name).collect();
        sortkey_value::order::sort(&mut names);
        let item = format!("{} as it is, for {}", entity.name, names.join(", "));
        let read = self.get(deed.entity, true, item);
        if surely { read } else { read.maybe() }
    }

    /// The items that a new one takes values from, where no statement before has read them.
    pub(super) fn references(&self, action: &Action) -> Flow {
        if !matches!(action.verb, WriteVerb::Create | WriteVerb::Put) {
            return Flow::nothing();
        }
        let entity = &self.program.entities[action.entity];
        let mut arrows: Vec<(&str, EntityId, AttributeId)> = Vec::new();
        for fill in entity.attributes.iter().filter_map(|attribute| attribute.fill.as_ref()) {
            fill.value.walk(&mut |expr| {
                if let ExprKind::Arrow { from, to, .. } = &expr.kind {
                    arrows.push((from, to.entity, to.attribute));
                }
            });
        }
        sortkey_value::order::sort(&mut arrows);
        arrows.dedup();
        let mut flows = Vec::new();
        for (from, other, target) in arrows {
            let of = &self.program.entities[other];
            if of.key_attributes.iter().all(|key| *key == target) {
                flows.push(self.get(other, true, format!("{} for {from}->", of.name)).maybe());
            }
        }
        Flow::Seq(flows)
    }
}
