//! Cascades: the children of an item that goes, go too.
//!
//! See that the parent may go, sweep, delete the parent, sweep again: resumable, not atomic. A child that is soft-deleted,
//! guarded or a parent itself is deleted as any item is; the others go by twenty-five.

use futures_util::future::BoxFuture;
use sortkey_design::Program;
use sortkey_design::model::WriteVerb;
use sortkey_design::program::{Action, AttributeId, EntityId, Id, ItemKey, LocalId};
use sortkey_diagnostics::Span;
use sortkey_plan::{Counter, Finding, Sweep, counters, goes_at_once, sweeps};
use sortkey_value::Item;

use super::{Runner, batch};
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::read::{Found, Paging, Read, key_of};
use crate::settings::Settings;
use crate::values::{Fields, Val};
use crate::write::{Act, Prepared, Refusal, explain};
use crate::{Failure, FailureKind};

/// The child that is being removed, in the scope of its removal. Its counters follow.
pub(super) const CHILD: usize = 0;

/// A child entity and the way to the children of one parent.
#[derive(Debug)]
pub(crate) struct Cascade {
    pub(crate) parent: EntityId,
    pub(super) child: EntityId,
    /// The attributes of the parent that give the parameters of `read`, in their order.
    given: Vec<AttributeId>,
    /// Finds the children.
    read: Read,
    /// Whether the children go by twenty-five.
    at_once: bool,
    /// The numbers that count the children.
    pub(super) counts: Vec<Count>,
}

/// A number that counts children.
#[derive(Debug)]
pub(super) struct Count {
    /// The entity that the number is in.
    pub(super) entity: EntityId,
    pub(super) attribute: AttributeId,
    /// The attribute of the child that refers to it, and the attribute that this gives.
    pub(super) reference: (AttributeId, AttributeId),
}

/// A child that no path leads to, and the attribute that refers to its parent.
type Pathless = (EntityId, AttributeId);

/// The cascades of a design, and the children that no path leads to.
pub(crate) fn cascades(program: &Program, settings: &Settings) -> (Vec<Cascade>, Vec<Pathless>) {
    let (mut found, mut pathless) = (Vec::new(), Vec::new());
    for parent in program.entities.ids() {
        for Sweep { child, attribute, binds, finding } in sweeps(program, parent) {
            let Some(Finding { pattern, plan }) = finding else {
                pathless.push((child, attribute));
                continue;
            };
            found.push(Cascade {
                parent,
                child,
                given: binds.into_iter().map(|(_, from)| from).collect(),
                read: Read::planned(program, settings, &plan, pattern),
                at_once: goes_at_once(program, child),
                counts: counts(program, child),
            });
        }
    }
    (found, pathless)
}

fn counts(program: &Program, child: EntityId) -> Vec<Count> {
    let count = |counter: Counter| {
        let reference = program.entities[child].attributes[counter.reference].reference?;
        let (entity, attribute) = (counter.entity, counter.attribute);
        Some(Count { entity, attribute, reference: (counter.reference, reference.attribute) })
    };
    counters(program, child).into_iter().filter_map(count).collect()
}

/// Which children a sweep takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Children {
    /// Those of a parent that is there and may go: all, whoever's they are.
    All,
    /// Those that an earlier sweep left behind, of a parent that is gone: nobody knows whose it was, so the caller's own.
    LeftBehind,
}

impl<'a> Runner<'_, 'a> {
    /// Finds out what stands against some actions that are sent together, before the children of one of them go: whoever
    /// may not delete a parent may not delete its children either.
    pub(super) async fn foresee(
        &self,
        scope: &Scope<'a>,
        prepared: &[&Prepared],
    ) -> Result<Children, Refusal> {
        if !prepared.iter().any(|each| has_children(scope, each)) {
            return Ok(Children::All);
        }
        let mut missing = None;
        for each in prepared {
            let Some(write) = each.writes.first() else { continue };
            let table = &scope.shared.entities[write.entity].table;
            let stored = self.session.get(table, write.key.clone(), true).await?;
            if write.unmet(scope, stored.as_ref())?.is_none() {
                continue;
            }
            match explain(scope, write, stored.as_ref())? {
                Refusal::Failed(failure)
                    if failure.kind == FailureKind::NotFound && has_children(scope, each) =>
                {
                    missing.get_or_insert(failure);
                }
                // That there is no parent says more than what follows from it.
                refusal => return Err(missing.map_or(refusal, Refusal::Failed)),
            }
        }
        Ok(if missing.is_some() { Children::LeftBehind } else { Children::All })
    }

    /// Deletes the children of what a prepared action deletes.
    pub(super) fn sweep<'f>(
        &'f self,
        scope: &'f Scope<'a>,
        prepared: &'f mut Prepared,
        children: Children,
    ) -> BoxFuture<'f, Result<(), Failure>> {
        Box::pin(async move {
            if !has_children(scope, prepared) {
                return Ok(());
            }
            // What a parent that goes for good says of its children goes with it.
            let first = prepared.writes.first().filter(|write| write.act == Act::Delete);
            let gone = first.map(|write| write.key.clone());
            let Some(parent) = &mut prepared.cascades else { return Ok(()) };
            let info = &scope.shared.entities[parent.entity];
            let ours = || scope.shared.cascades.iter().filter(|cascade| cascade.parent == info.at);
            let lacks = |cascade: &Cascade| {
                cascade.given.iter().any(|id| !parent.known.contains_key(info.name_of(*id)))
            };
            if ours().any(lacks)
                && let Some(whole) = self.parent(scope, info, &parent.known).await?
            {
                parent.whole = Some(whole);
            }
            let fields = parent.whole.as_ref().unwrap_or(&parent.known);
            for cascade in ours() {
                let mut inner = scope.fresh();
                if children == Children::All {
                    inner.caller = None;
                }
                for (at, id) in cascade.given.iter().enumerate() {
                    inner.set(LocalId::new(at), fields.get(info.name_of(*id)).cloned().unwrap_or_default());
                }
                if let Found::Items { items, .. } =
                    cascade.read.run(self.session, &inner, Paging::default()).await?
                {
                    let items = items.into_iter().map(|hit| hit.into_val(&inner)).collect();
                    self.remove(&mut inner.fresh(), cascade, items, gone.as_ref()).await?;
                }
            }
            Ok(())
        })
    }

    /// What the parent's key does not tell: the attributes by which its children know it. None if it is gone.
    async fn parent(
        &self,
        scope: &Scope<'a>,
        info: &EntityInfo,
        known: &Fields,
    ) -> Result<Option<Fields>, Failure> {
        let item = match key_of(scope, info, known) {
            Some(key) => self.session.get(&info.table, key, true).await?,
            None => None,
        };
        item.map(|item| info.read(scope, &item)).transpose()
    }

    async fn remove(
        &self,
        scope: &mut Scope<'a>,
        cascade: &Cascade,
        items: Vec<Val>,
        parent: Option<&Item>,
    ) -> Result<(), Failure> {
        let shared = scope.shared;
        let info = &shared.entities[cascade.child];
        if cascade.at_once {
            let keys = items.iter().filter_map(|item| key_of(scope, info, item.fields()?));
            return self.batch(&info.table, keys.map(batch::delete).collect()).await;
        }
        for item in items {
            let child = LocalId::new(CHILD);
            scope.set(child, item);
            let action = action(WriteVerb::Delete, cascade.child, child);
            let counters = self.counters(scope, cascade, parent)?;
            let counted = match counters.is_empty() {
                true => false,
                false => self.uncount(scope, &action, &counters).await?,
            };
            if counted {
                continue;
            }
            match self.perform(scope, &action).await {
                // Somebody else was faster.
                Err(failure) if failure.kind == FailureKind::NotFound => {}
                done => drop(done?),
            }
        }
        Ok(())
    }
}

/// An action on the item whose key a local holds.
pub(super) fn action(verb: WriteVerb, entity: EntityId, local: LocalId) -> Action {
    Action {
        verb,
        entity,
        key: Some(ItemKey { entity, values: Vec::new(), spreads: vec![local] }),
        strong: false,
        condition: None,
        error: None,
        spreads: Vec::new(),
        takes: Vec::new(),
        fields: Vec::new(),
        when: None,
        span: Span::default(),
    }
}

/// Whether an action deletes what may have children.
fn has_children(scope: &Scope<'_>, prepared: &Prepared) -> bool {
    let parent = prepared.cascades.as_ref().map(|parent| parent.entity);
    scope.shared.cascades.iter().any(|cascade| Some(cascade.parent) == parent)
}
