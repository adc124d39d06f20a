//! Cascades: the children of a deleted item are deleted too.
//!
//! The parent is deleted first, so that a caller who may not delete it deletes no child either; a note records whose
//! children are still to be deleted (see `notes`). A child that is soft-deleted, guarded or a parent itself is deleted as
//! any item is, its own children before and after it; the others are deleted in batches of twenty-five.

use futures_util::future::BoxFuture;
use sortkey_design::Program;
use sortkey_design::model::WriteVerb;
use sortkey_design::program::{Action, Attribute, AttributeId, EntityId, Id, ItemKey, LocalId};
use sortkey_diagnostics::Span;
use sortkey_plan::{Counter, Finding, Sweep, counters, goes_at_once, sweeps};
use sortkey_value::Item;

use super::notes::of_parent;
use super::{Runner, batch};
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::read::{Found, Hit, Paging, Read, key_of};
use crate::settings::Settings;
use crate::values::{Fields, Val};
use crate::write::{Parent, Prepared};
use crate::{Failure, FailureKind};

/// The child that is being removed, in the scope of its removal. Its counters follow.
pub(super) const CHILD: usize = 0;

/// A child entity and the way to the children of one parent.
#[derive(Debug)]
pub(crate) struct Cascade {
    pub(crate) parent: EntityId,
    pub(super) child: EntityId,
    /// The attributes of the parent that give the parameters of `read`, in their order.
    pub(super) given: Vec<AttributeId>,
    /// Attributes of the parent's key that are not given, each with the equal attribute of the child.
    same: Vec<(AttributeId, AttributeId)>,
    /// Whether the given and the equal attributes distinguish children of this parent from those of all others.
    is_exact: bool,
    /// Finds the children.
    read: Read,
    /// Whether the children go by twenty-five.
    at_once: bool,
    /// Whether they are found through a global index, which may lag behind.
    lags: bool,
    /// The numbers that count the children.
    pub(super) counts: Vec<Count>,
}

impl Cascade {
    /// Whether children may be found late.
    pub(super) fn may_lag(&self) -> bool {
        self.lags
    }

    /// Whether an item that was found belongs to the parent with these attributes, and not to one that shares a part of its key.
    fn is_of(&self, scope: &Scope<'_>, hit: &Hit, parent: &Fields) -> bool {
        let info = &scope.shared.entities[self.parent];
        self.same.iter().all(|(of, own)| {
            let found = hit.view().get(scope.shared, *own);
            found.is_none_or(|found| parent.get(info.name_of(*of)).is_none_or(|wanted| *found == *wanted))
        })
    }
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
            let lags = plan.path.is_global_index(program);
            let given: Vec<AttributeId> = binds.into_iter().map(|(_, from)| from).collect();
            let same = same(program, parent, child, &given);
            let is_told = |key: &AttributeId| given.contains(key) || same.iter().any(|(of, _)| of == key);
            found.push(Cascade {
                parent,
                child,
                is_exact: program.entities[parent].key_attributes.iter().all(is_told),
                given,
                same,
                read: Read::planned(program, settings, plan, pattern),
                at_once: goes_at_once(program, child),
                lags,
                counts: counts(program, child),
            });
        }
    }
    (found, pathless)
}

/// The rest of the parent's key in its children. If they refer to a parent by a part of its key, others may have chosen an
/// equal part: items under another owner are not the owner's to delete.
fn same(
    program: &Program,
    parent: EntityId,
    child: EntityId,
    given: &[AttributeId],
) -> Vec<(AttributeId, AttributeId)> {
    let (parent, child) = (&program.entities[parent], &program.entities[child]);
    let rest = parent.key_attributes.iter().filter(|key| !given.contains(key));
    let found = rest.filter_map(|key| {
        let wanted = &parent.attributes[*key];
        let (id, found) = child.attributes.entries().find(|(_, each)| each.name == wanted.name)?;
        let target = |of: &Attribute| of.reference.map(|to| (to.entity, to.attribute));
        (wanted.reference.is_some() && target(found) == target(wanted) && !found.optional)
            .then_some((*key, id))
    });
    found.collect()
}

fn counts(program: &Program, child: EntityId) -> Vec<Count> {
    let count = |counter: Counter| {
        let reference = program.entities[child].attributes[counter.reference].reference?;
        let (entity, attribute) = (counter.entity, counter.attribute);
        Some(Count { entity, attribute, reference: (counter.reference, reference.attribute) })
    };
    counters(program, child).into_iter().filter_map(count).collect()
}

/// The children that a sweep takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Children {
    /// Those of a parent that is there and may go: all, whoever's they are.
    All,
    /// Those that an earlier sweep left behind, of a parent that is gone: its owner is unknown, so only the caller's own, and
    /// only where they cannot be those of another parent.
    LeftBehind,
}

impl<'a> Runner<'_, 'a> {
    /// Reads the attributes by which the children are found, unless the parent's key contains them or they are known.
    pub(super) async fn look(&self, scope: &Scope<'a>, parent: &mut Parent) -> Result<(), Failure> {
        let info = &scope.shared.entities[parent.entity];
        let lacks =
            |cascade: &Cascade| cascade.given.iter().any(|id| !parent.known.contains_key(info.name_of(*id)));
        if parent.whole.is_none() && of_parent(scope, parent.entity).any(lacks) {
            parent.whole = self.parent(scope, info, &parent.known).await?;
        }
        Ok(())
    }

    /// Deletes the children of an item.
    pub(super) fn sweep<'f>(
        &'f self,
        scope: &'f Scope<'a>,
        parent: &'f mut Parent,
        children: Children,
    ) -> BoxFuture<'f, Result<(), Failure>> {
        Box::pin(async move {
            self.look(scope, parent).await?;
            let info = &scope.shared.entities[parent.entity];
            let fields = parent.fields();
            // Counters of the parent itself are deleted with it.
            let own = key_of(scope, info, fields).map(Item::from);
            for cascade in of_parent(scope, parent.entity) {
                if children == Children::LeftBehind && !cascade.is_exact {
                    continue;
                }
                let mut inner = scope.fresh();
                inner.is_sweeping = true;
                if children == Children::All {
                    inner.caller = None;
                }
                for (at, id) in cascade.given.iter().enumerate() {
                    inner.set(LocalId::new(at), fields.get(info.name_of(*id)).cloned().unwrap_or_default());
                }
                if let Found::Items { items, .. } =
                    cascade.read.run(self.session, &inner, Paging::default()).await?
                {
                    let is_own = |hit: &Hit| cascade.is_of(&inner, hit, fields);
                    let items = items.into_iter().filter(is_own).map(|hit| hit.into_val(&inner)).collect();
                    self.remove(&mut inner.fresh(), cascade, items, own.as_ref()).await?;
                }
            }
            Ok(())
        })
    }

    /// Deletes the children of what an action deletes.
    pub(super) async fn sweep_prepared(
        &self,
        scope: &Scope<'a>,
        prepared: &mut Prepared,
    ) -> Result<(), Failure> {
        match &mut prepared.cascades {
            Some(parent) => self.sweep(scope, parent, Children::All).await,
            None => Ok(()),
        }
    }

    /// The parent's attributes, since its key does not contain all that its children refer to. None if it is gone.
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
pub(super) fn has_children(scope: &Scope<'_>, prepared: &Prepared) -> bool {
    let parent = prepared.cascades.as_ref().map(|parent| parent.entity);
    scope.shared.cascades.iter().any(|cascade| Some(cascade.parent) == parent)
}
