//! Cascades: the children of what is deleted are found and deleted after it; those of a child also before it.

use sortkey_design::model::WriteVerb;
use sortkey_design::program::EntityId;

use super::{Deed, Parts, Plan};
use crate::cascade::{Sweep, counters, goes_at_once, sweeps};
use crate::flow::Flow;
use crate::pages::{expected_items, reads};
use crate::request::{Act, KEY_BYTES, Part, Request, Role, reserved_arms};

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
        let mut flows = Vec::new();
        let found = sweeps(self.program, parent);
        let told = self.is_told(parent, &found);
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

    /// Whether the key of a parent contains everything that its children are found by.
    fn is_told(&self, parent: EntityId, found: &[Sweep]) -> bool {
        let keys = &self.program.entities[parent].key_attributes;
        found.iter().flat_map(|sweep| &sweep.binds).all(|(_, from)| keys.contains(from))
    }

    /// The read of the parent before its deletion, if its key does not lead to the children.
    pub(super) fn looked(&self, deed: &Deed) -> Flow {
        let name = &self.program.entities[deed.entity].name;
        match self.is_told(deed.entity, &sweeps(self.program, deed.entity)) {
            true => Flow::nothing(),
            false => self.get(deed.entity, true, format!("{name} for its children")),
        }
    }

    /// The note of whose children are to go, which makes an interrupted cascade go on.
    pub(super) fn noted(&self, deed: &Deed, words: &str) -> Flow {
        let of = &self.program.entities[deed.entity];
        let Some(table) = of.table else { return Flow::nothing() };
        let arms = reserved_arms(self.program, table);
        let (act, role, bytes) = (Act::Upsert, Role::Receipt, KEY_BYTES);
        let part = Part { act, table, role, sometimes: false, many: false, arms, bytes };
        Flow::Send(Request::write(vec![(part, format!("{words} {}", of.name))]))
    }

    /// The requests after the write that deletes a parent: its children are deleted, then the note, unless an index may lag
    /// behind. If the write is refused, the note is deleted, after any children whose parent was gone before.
    pub(super) fn aftermath(&self, deed: &Deed, sweeps: Flow) -> Flow {
        let forgotten = self.noted(deed, "forget the cascade of");
        let name = &self.program.entities[deed.entity].name;
        let gone = self.get(deed.entity, true, format!("{name}, whether it is gone"));
        let left = Flow::Seq(vec![gone, self.looked(deed).maybe(), sweeps.clone().maybe()]).maybe();
        let refused = Flow::Seq(vec![left, forgotten.clone()]);
        let done = match self.lags(deed.entity) {
            true => sweeps,
            false => Flow::Seq(vec![sweeps, forgotten]),
        };
        Flow::Any(vec![done, refused])
    }

    /// Whether a global index leads to some of the children.
    fn lags(&self, parent: EntityId) -> bool {
        let found = sweeps(self.program, parent);
        found
            .iter()
            .filter_map(|sweep| sweep.finding.as_ref())
            .any(|each| each.plan.path.is_global_index(self.program))
    }

    /// The counters that an item is counted by, as parts of the transaction that deletes it. If there is no counter, or it
    /// is exhausted, the child is deleted alone.
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
