//! Cascades: the children of an item that goes, go too.
//!
//! See that the parent may go, sweep, delete the parent, sweep again: resumable, not atomic. A child that is soft-deleted,
//! guarded or a parent itself is deleted as any item is; the others go by twenty-five.

use futures_util::future::BoxFuture;
use sortkey_design::model::{self, WriteVerb};
use sortkey_design::plan::{counters, goes_at_once, sweeps};
use sortkey_design::program::{
    Action, AttributeId, Bind, BindValue, Bound, EntityId, Id, ItemKey, LocalId, Parameter, Pattern,
    Signature,
};
use sortkey_design::{Design, Program};
use sortkey_diagnostics::Span;
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
type Pathless = (model::Name, model::Name);

/// The cascades of a design, and the children that no path leads to.
pub(crate) fn cascades(program: &Program, settings: &Settings) -> (Vec<Cascade>, Vec<Pathless>) {
    let design = &program.design;
    let (mut found, mut pathless) = (Vec::new(), Vec::new());
    for (parent, entity) in program.entities.ids().zip(&design.entities) {
        for sweep in sweeps(design, entity) {
            let cascade = sweep.finding.as_ref().and_then(|finding| {
                let child = entity_id(design, sweep.child)?;
                let read = Read::prepare(program, settings, finding, pattern(program, child, finding)?)?;
                let given =
                    sweep.binds.iter().map(|(_, from)| program.entities[parent].attributes.find(from));
                Some(Cascade {
                    parent,
                    child,
                    given: given.collect::<Option<_>>()?,
                    read,
                    at_once: goes_at_once(design, sweep.child),
                    counts: counts(program, sweep.child),
                })
            });
            match cascade {
                Some(cascade) => found.push(cascade),
                None => pathless.push((sweep.child.name.clone(), sweep.attribute.name.clone())),
            }
        }
    }
    (found, pathless)
}

fn entity_id(design: &Design, entity: &model::Entity) -> Option<EntityId> {
    design.entities.iter().position(|each| each.name == entity.name).map(EntityId::new)
}

/// The pattern that finds the children of one parent: what it binds are its parameters, in order.
fn pattern(program: &Program, child: EntityId, finding: &model::Pattern) -> Option<Pattern> {
    let attributes = &program.entities[child].attributes;
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut binds = Vec::new();
    for bind in &finding.binds {
        let id = attributes.find(&bind.name.text)?;
        let local = LocalId::new(parameters.len());
        let value = match bind.value {
            model::BindValue::Parameter => BindValue::Parameter(local),
            _ => BindValue::All,
        };
        if value != BindValue::All {
            parameters.push(Parameter {
                name: attributes[id].name.clone(),
                ty: attributes[id].ty.clone(),
                optional: false,
                of_caller: None,
                attribute: Some((child, id)),
                default: None,
                local,
                declared: false,
                span: bind.name.span,
            });
        }
        binds.push(Bind { to: Bound::Attribute(id), value });
    }
    Some(Pattern {
        name: finding.name.text.as_str().into(),
        system: true,
        locals: parameters.len(),
        signature: Signature { parameters: parameters.into_iter().collect(), ..Signature::default() },
        verb: finding.verb,
        entities: vec![child],
        summed: Vec::new(),
        binds,
        conditions: Vec::new(),
        sieve: Vec::new(),
        filters: Vec::new(),
        order: None,
        page: None,
        limit: None,
        all: true,
        strong: finding.strong,
        via: None,
        select: None,
        then: None,
        with_expired: false,
        with_deleted: false,
        requires: None,
        load: None,
        docs: None,
    })
}

fn counts(program: &Program, child: &model::Entity) -> Vec<Count> {
    let design = &program.design;
    let count = |counter: sortkey_design::plan::Counter<'_>| {
        let reference = counter.reference.reference.as_ref()?;
        let target = reference.attribute.as_ref().unwrap_or(&counter.reference.name);
        let (entity, child) = (entity_id(design, counter.entity)?, entity_id(design, child)?);
        let of = |entity: EntityId, name: &model::Name| program.entities[entity].attributes.find(&name.text);
        Some(Count {
            entity,
            attribute: of(entity, &counter.attribute.name)?,
            reference: (of(child, &counter.reference.name)?, of(entity, target)?),
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
            let info = &shared.entities[*parent];
            // What a parent that goes for good says of its children goes with it.
            let parent_goes = prepared.writes.first().is_some_and(|write| write.act == Act::Delete);
            let ours = || shared.cascades.iter().filter(|cascade| cascade.parent == *parent);
            let mut fields = known.clone();
            let lacks = |fields: &Fields| {
                ours().any(|each| each.given.iter().any(|id| !fields.contains_key(info.name_of(*id))))
            };
            if lacks(&fields) {
                fields = self.parent(scope, info, fields).await?;
            }
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
    let parent = prepared.cascades.as_ref().map(|(parent, _)| *parent);
    scope.shared.cascades.iter().any(|cascade| Some(cascade.parent) == parent)
}
