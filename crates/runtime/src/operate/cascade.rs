//! Cascades: the children of an item that goes, go too.
//!
//! See that the parent may go, sweep, delete the parent, sweep again: resumable, not atomic. A child that is soft-deleted,
//! guarded or a parent itself is deleted as any item is; the others go by twenty-five.

use futures_util::future::BoxFuture;
use sortkey_design::Design;
use sortkey_design::model::*;
use sortkey_design::plan::{counters, goes_at_once, sweeps};
use sortkey_value::Item;

use super::{Runner, batch};
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::read::{Found, Paging, Read, key_of};
use crate::settings::Settings;
use crate::values::{Fields, Val};
use crate::write::{Act, Prepared, Refusal, explain};
use crate::{Failure, FailureKind};

/// Attributes of the child, and those of the parent that give their values.
type Binds = Vec<(String, String)>;

/// A child entity and the way to the children of one parent.
#[derive(Debug)]
pub(crate) struct Cascade {
    pub(crate) parent: usize,
    child: usize,
    binds: Binds,
    read: Read,
    /// Whether the children go by twenty-five.
    at_once: bool,
    /// The numbers that count the children.
    pub(super) counts: Vec<Count>,
}

/// A number that counts children.
#[derive(Debug)]
pub(super) struct Count {
    /// The entity that the number is in, by its place.
    pub(super) entity: usize,
    pub(super) attribute: String,
    /// The attribute of the child that refers to it, and the attribute that this gives.
    pub(super) reference: (String, String),
}

/// The cascades of a design, and the children that no path leads to.
pub(crate) fn cascades(design: &Design, settings: &Settings) -> (Vec<Cascade>, Vec<(Name, Name)>) {
    let (mut found, mut pathless) = (Vec::new(), Vec::new());
    for (parent, entity) in design.entities.iter().enumerate() {
        for sweep in sweeps(design, entity) {
            let child = design.entities.iter().position(|entity| entity.name == sweep.child.name);
            let read = sweep.finding.as_ref().and_then(|finding| Read::prepare(design, settings, finding));
            match child.zip(read) {
                Some((child, read)) => {
                    let owned = |(own, from): &(&str, &str)| ((*own).to_owned(), (*from).to_owned());
                    let binds = sweep.binds.iter().map(owned).collect();
                    let at_once = goes_at_once(design, sweep.child);
                    let counts = counts(design, sweep.child);
                    found.push(Cascade { parent, child, binds, read, at_once, counts });
                }
                None => pathless.push((sweep.child.name.clone(), sweep.attribute.name.clone())),
            }
        }
    }
    (found, pathless)
}

fn counts(design: &Design, child: &Entity) -> Vec<Count> {
    let count = |counter: sortkey_design::plan::Counter<'_>| {
        let reference = counter.reference.reference.as_ref()?;
        let target = reference.attribute.as_ref().unwrap_or(&counter.reference.name);
        Some(Count {
            entity: design.entities.iter().position(|each| each.name == counter.entity.name)?,
            attribute: counter.attribute.name.text.clone(),
            reference: (counter.reference.name.text.clone(), target.text.clone()),
        })
    };
    counters(design, child).into_iter().filter_map(count).collect()
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
        prepared: &'f Prepared,
        children: Children,
    ) -> BoxFuture<'f, Result<(), Failure>> {
        Box::pin(async move {
            let Some((parent, known)) = &prepared.cascades else { return Ok(()) };
            if !has_children(scope, prepared) {
                return Ok(());
            }
            let shared = scope.shared;
            // What a parent that goes for good says of its children goes with it.
            let parent_goes = prepared.writes.first().is_some_and(|write| write.act == Act::Delete);
            let ours = || shared.cascades.iter().filter(|cascade| cascade.parent == *parent);
            let mut fields = known.clone();
            let lacks = |fields: &Fields| {
                ours().any(|each| each.binds.iter().any(|(_, name)| !fields.contains_key(name)))
            };
            if lacks(&fields) {
                fields = self.parent(scope, &shared.entities[*parent], fields).await?;
            }
            for cascade in ours() {
                let mut inner = scope.fresh();
                if children == Children::All {
                    inner.caller = None;
                }
                for (child, name) in &cascade.binds {
                    inner.set(child.as_str(), fields.get(name).cloned().unwrap_or_default());
                }
                if let Found::Items { items, .. } =
                    cascade.read.run(self.session, &inner, Paging::default()).await?
                {
                    let items = items.into_iter().map(|hit| hit.into_val(&inner)).collect();
                    let gone = parent_goes.then(|| prepared.writes[0].key.clone());
                    self.remove(&mut inner.fresh(), cascade, items, gone.as_ref()).await?;
                }
            }
            Ok(())
        })
    }

    /// What the parent's key does not tell: the attributes by which its children know it.
    async fn parent(&self, scope: &Scope<'a>, info: &EntityInfo, known: Fields) -> Result<Fields, Failure> {
        let key = key_of(scope, info, &known);
        let item = match key {
            Some(key) => self.session.get(&info.table, key, true).await?,
            None => None,
        };
        item.map_or(Ok(known), |item| info.read(scope, &item))
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
        let entity = info.of(&shared.design);
        if cascade.at_once {
            let keys = items.iter().filter_map(|item| key_of(scope, info, item.fields()?));
            return self.batch(&info.table, keys.map(batch::delete).collect()).await;
        }
        for item in items {
            scope.set("child", item);
            let spreads = vec![Name::new("child", entity.span)];
            let action = Action {
                verb: WriteVerb::Delete,
                entity: entity.name.clone(),
                key: Some(Args { spreads, ..Args::default() }),
                ..Action::default()
            };
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

/// Whether an action deletes what may have children.
fn has_children(scope: &Scope<'_>, prepared: &Prepared) -> bool {
    let parent = prepared.cascades.as_ref().map(|(parent, _)| *parent);
    scope.shared.cascades.iter().any(|cascade| Some(cascade.parent) == parent)
}
