//! Cascades: the children of what is deleted are found and deleted, before and after.

use sortkey_design::model::WriteVerb;
use sortkey_design::program::EntityId;

use super::{Deed, Parts, Plan};
use crate::cascade::{counters, goes_at_once, sweeps};
use crate::flow::Flow;
use crate::pages::{expected_items, reads};
use crate::request::{Act, Part, Request, Role};

/// How far children of children are followed.
const MAX_DEPTH: usize = 4;
/// How many sweeps are in a plan; a design in which everything is a child of everything has no end of them.
const MAX_SWEEPS: usize = 200;

impl Plan<'_> {
    /// Finds the children of what is deleted and deletes them: at once, or each as any item is deleted.
    pub(super) fn sweeps(&mut self, deed: &Deed, seen: &mut Vec<EntityId>) -> Flow {
        let parent = deed.entity;
        let deletes = matches!(deed.change.verb, WriteVerb::Delete | WriteVerb::Purge);
        // Children of children of the same kind are swept as these are.
        if !deletes || seen.contains(&parent) || seen.len() >= MAX_DEPTH || self.swept > MAX_SWEEPS {
            return Flow::nothing();
        }
        seen.push(parent);
        let of = &self.program.entities[parent];
        let mut flows = Vec::new();
        let found = sweeps(self.program, parent);
        // What the key does not tell is read; once the item is gone, it cannot be told any more.
        let mut binds = found.iter().flat_map(|sweep| &sweep.binds);
        let told = binds.all(|(_, from)| of.key_attributes.contains(from));
        if !told {
            flows.push(self.get(parent, true, format!("{} for its children", of.name)));
        }
        for sweep in found {
            self.swept += 1;
            let Some(finding) = &sweep.finding else { continue };
            let child = &self.program.entities[sweep.child];
            let usual = expected_items(&finding.pattern, child, true) as f64;
            let children = reads(self.program, &finding.pattern, &finding.plan, true);
            flows.push(if told { children } else { children.maybe() });
            flows.push(self.children(sweep.child, usual, seen));
        }
        seen.pop();
        Flow::Seq(flows)
    }

    /// The counters that an item is counted by, as parts of the transaction that deletes it. Where there is no counter, or it
    /// is at its end, the child goes alone.
    fn counted(&self, child: EntityId) -> Parts {
        let mut parts: Parts = Vec::new();
        for counter in counters(self.program, child) {
            let entity = &self.program.entities[counter.entity];
            let number = &entity.attributes[counter.attribute].name;
            let item = format!("update {}, {number} -= 1", entity.name);
            let Some(table) = entity.table else { continue };
            let arms = Deed::counting(self.program, counter.entity, counter.attribute).arms;
            let (act, role, bytes) = (Act::Update, Role::Item(counter.entity), entity.volume.bytes);
            parts.push((Part { act, table, role, sometimes: true, many: false, arms, bytes }, item));
        }
        parts
    }

    fn children(&mut self, child: EntityId, usual: f64, seen: &mut Vec<EntityId>) -> Flow {
        let deed = Deed::deletion(self.program, child);
        let name = &self.program.entities[child].name;
        let item = format!("delete {name}");
        let of = format!("the {name} items");
        match goes_at_once(self.program, child) {
            true => match self.item(&deed, item, false) {
                Some((part, item)) => Flow::Send(Request::batch(part, item)).each(of, usual),
                None => Flow::nothing(),
            },
            false => {
                let counted = self.counted(child);
                let flow = self.together(&deed, item, Flow::nothing(), false, counted, seen);
                flow.each(of, usual)
            }
        }
    }
}
