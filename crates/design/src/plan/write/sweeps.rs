//! Cascades: the children of what is deleted are found and deleted, before and after.

use super::{Parts, Plan};
use crate::facts::key_attributes;
use crate::model::*;
use crate::plan::cascade::{counters, goes_at_once, sweeps};
use crate::plan::deed::Deed;
use crate::plan::flow::Flow;
use crate::plan::pages::{expected_items, reads};
use crate::plan::read;
use crate::plan::request::{Act, Part, Request, Role};
use crate::size::typical_bytes;

/// How far children of children are followed.
const MAX_DEPTH: usize = 4;
/// How many sweeps a plan tells; a design in which everything is a child of everything has no end of them.
const MAX_SWEEPS: usize = 200;

impl<'d> Plan<'d> {
    /// Finds the children of what is deleted and deletes them: at once, or each as any item is deleted.
    pub(super) fn sweeps(&mut self, deed: &Deed<'d>, seen: &mut Vec<&'d str>) -> Flow<'d> {
        let parent = deed.entity;
        let name = parent.name.text.as_str();
        let deletes = matches!(deed.verb, WriteVerb::Delete | WriteVerb::Purge);
        // Children of children of the same kind are swept as these are.
        if !deletes || seen.contains(&name) || seen.len() >= MAX_DEPTH || self.swept > MAX_SWEEPS {
            return Flow::nothing();
        }
        seen.push(name);
        let keys = key_attributes(self.design, parent);
        let mut flows = Vec::new();
        let found = sweeps(self.design, parent);
        // What the key does not tell is read; once the item is gone, it cannot be told any more.
        let told = found.iter().flat_map(|sweep| &sweep.binds).all(|(_, from)| keys.contains(from));
        if !told {
            flows.push(self.get(parent, true, format!("{name} for its children")));
        }
        for sweep in found {
            self.swept += 1;
            let Some(pattern) = &sweep.finding else { continue };
            let Some(plan) = read(self.design, pattern).and_then(|choice| choice.plan) else { continue };
            let usual = expected_items(pattern, sweep.child, true) as f64;
            let children = reads(self.design, pattern, &plan, true);
            flows.push(if told { children } else { children.maybe() });
            flows.push(self.children(sweep.child, usual, seen));
        }
        seen.pop();
        Flow::Seq(flows)
    }

    /// The counters that an item is counted by, as parts of the transaction that deletes it.
    fn counted(&self, child: &'d Entity) -> Parts<'d> {
        let mut parts: Parts<'d> = Vec::new();
        for counter in counters(self.design, child) {
            let entity = counter.entity;
            let item = format!("update {}, {} -= 1", entity.name, counter.attribute.name);
            let Some(table) = self.design.table_of(entity) else { continue };
            let arms = Deed::counting(self.design, entity, counter.attribute).effects(self.design).arms;
            let bytes = typical_bytes(self.design, entity);
            let (act, role) = (Act::Update, Role::Item(entity));
            parts.push((Part { act, table, role, sometimes: true, many: false, arms, bytes }, item));
        }
        parts
    }

    fn children(&mut self, child: &'d Entity, usual: f64, seen: &mut Vec<&'d str>) -> Flow<'d> {
        let deed = Deed::deletion(self.design, child);
        let item = format!("delete {}", child.name);
        let of = format!("the {} items", child.name);
        match goes_at_once(self.design, child) {
            true => match self.item(&deed, item, false) {
                Some((part, item)) => Flow::Send(Request::batch(part, item)).each(of, usual),
                None => Flow::nothing(),
            },
            false => {
                let counted = self.counted(child);
                let flow = self.counted_alone(&deed, item, counted, seen);
                flow.each(of, usual)
            }
        }
    }
}
