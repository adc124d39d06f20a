//! Cascades: the children of an item that goes, go too.
//!
//! See that the parent may go, sweep, delete the parent, sweep again: resumable, not atomic. A child that is soft-deleted,
//! guarded or a parent itself is deleted as any item is; the others go by twenty-five.

use futures_util::future::BoxFuture;
use sortkey_design::Design;
use sortkey_design::model::*;

use super::{Runner, batch};
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::read::{Found, Paging, Read, key_of};
use crate::settings::Settings;
use crate::values::{Fields, Val};
use crate::write::{Prepared, Refusal, explain};
use crate::{Failure, FailureKind};

/// More queries than this for the children of one parent are no path.
const MAX_QUERIES: u64 = 64;

/// Attributes of the child, and those of the parent that give their values.
type Binds = Vec<(String, String)>;

/// A child entity and the way to the children of one parent.
#[derive(Debug)]
pub(crate) struct Cascade {
    pub(crate) parent: usize,
    child: usize,
    binds: Binds,
    read: Read,
}

/// The cascades of a design, and the children that no path leads to.
pub(crate) fn cascades(design: &Design, settings: &Settings) -> (Vec<Cascade>, Vec<(Name, Name)>) {
    let (mut found, mut pathless) = (Vec::new(), Vec::new());
    for (child_at, child) in design.entities.iter().enumerate() {
        for attribute in &child.attributes {
            let Some(reference) = &attribute.reference else { continue };
            let parent = design.entities.iter().position(|entity| entity.name == reference.entity);
            let (Some(OnDelete::Cascade), Some(parent)) = (reference.on_delete, parent) else { continue };
            let target = reference.attribute.as_ref().unwrap_or(&attribute.name).text.clone();
            let first = vec![(attribute.name.text.clone(), target)];
            // Where the reference alone leads nowhere, attributes that parent and child share may complete a key.
            let shared = child.attributes.iter().filter(|each| {
                each.name != attribute.name && design.entities[parent].attribute(&each.name.text).is_some()
            });
            let wider: Vec<(String, String)> = first
                .iter()
                .cloned()
                .chain(shared.map(|each| (each.name.text.clone(), each.name.text.clone())))
                .collect();
            let mut ways: Vec<(Binds, Option<&str>)> = vec![(first.clone(), None)];
            ways.extend(wider[1..].iter().map(|bind| (vec![bind.clone(), first[0].clone()], None)));
            ways.push((wider, None));
            // Or every value of an attribute with few values completes it: one query each.
            let few = |each: &&Attribute| {
                design.type_of(each).cardinality().is_some_and(|values| values <= MAX_QUERIES)
            };
            ways.extend(
                child
                    .attributes
                    .iter()
                    .filter(few)
                    .map(|each| (first.clone(), Some(each.name.text.as_str()))),
            );
            let read = |binds: &[(String, String)], every: Option<&str>| {
                Read::prepare(design, settings, &pattern(child, binds, every))
            };
            match ways.into_iter().find_map(|(binds, every)| read(&binds, every).map(|read| (binds, read))) {
                Some((binds, read)) => found.push(Cascade { parent, child: child_at, binds, read }),
                None => pathless.push((child.name.clone(), attribute.name.clone())),
            }
        }
    }
    (found, pathless)
}

fn pattern(child: &Entity, binds: &[(String, String)], every: Option<&str>) -> Pattern {
    let bind = |name: &str, value| Bind { name: Name::new(name, child.span), value };
    let given = binds.iter().map(|(name, _)| bind(name, BindValue::Parameter));
    Pattern {
        name: Name::new(format!("children of {}", child.name), child.span),
        system: true,
        verb: ReadVerb::List,
        entities: vec![child.name.clone()],
        binds: given.chain(every.map(|name| bind(name, BindValue::All))).collect(),
        all: true,
        ..Pattern::default()
    }
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
        let mut children = Children::All;
        if !prepared.iter().any(|each| has_children(scope, each)) {
            return Ok(children);
        }
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
                    children = Children::LeftBehind;
                }
                refusal => return Err(refusal),
            }
        }
        Ok(children)
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
                    self.remove(&mut inner.fresh(), cascade.child, items).await?;
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
        Ok(item.map_or(known, |item| info.decode(&scope.shared.design, &item)))
    }

    async fn remove(&self, scope: &mut Scope<'a>, child: usize, items: Vec<Val>) -> Result<(), Failure> {
        let shared = scope.shared;
        let info = &shared.entities[child];
        let entity = info.of(&shared.design);
        let plain = entity.deleted.is_none()
            && entity.uniques.is_empty()
            && !shared.cascades.iter().any(|cascade| cascade.parent == child);
        if plain {
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
