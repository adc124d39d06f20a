//! Notes of cascades, by which an interrupted one is continued.
//!
//! Before a parent is deleted, a note in its table records whose children are to be deleted; when they are gone, the note
//! is removed. The notes of a table are in one item under a reserved key, each in an attribute of its own, so that one read
//! finds them all. A note whose parent is still there belongs to a deletion that did not happen. Children that are found
//! through a global index may be found late: their note stays until the index has caught up,
//! and they are looked for once more.

use sha2::{Digest, Sha256};
use sortkey_api::operations::UpdateItemInput;
use sortkey_design::program::{AttributeId, EntityId};
use sortkey_value::{AttributeValue, Item, Map, ValueRef};

use super::Runner;
use super::cascade::{Cascade, Children};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, hex};
use crate::guard::reserved_key;
use crate::read::{key_of, live};
use crate::session::failure;
use crate::values::Fields;
use crate::write::{Parent, Prepared};
use crate::{Failure, FailureKind, Runtime};

/// The key of a table's notes. No operation has an empty name, so no receipt has it.
const NOTES: &str = "receipt##cascades";
const ENTITY: &str = "entity";
const FIELDS: &str = "fields";
const SINCE: &str = "since";

/// How long a note is left alone: whoever wrote it may be at work, and an index may lag behind its table.
const PATIENCE_MS: i64 = 10_000;

/// A note that was written.
#[derive(Clone, Debug)]
pub(super) struct Note {
    entity: EntityId,
    name: String,
}

impl<'a> Runner<'_, 'a> {
    /// Notes that the children of what an action deletes are to go; none if it has none, or goes with a parent of its own.
    pub(super) async fn note(
        &self,
        scope: &Scope<'a>,
        prepared: &mut Prepared,
    ) -> Result<Option<Note>, Failure> {
        if scope.is_sweeping || !super::cascade::has_children(scope, prepared) {
            return Ok(None);
        }
        let Some(parent) = &mut prepared.cascades else { return Ok(None) };
        self.look(scope, parent).await?;
        let info = &scope.shared.entities[parent.entity];
        let fields = parent.fields();
        let mut ids: Vec<AttributeId> = info.keys.clone();
        ids.extend(of_parent(scope, parent.entity).flat_map(|cascade| &cascade.given));
        let program = &scope.shared.program;
        let stored = ids.into_iter().filter_map(|id| {
            let name = info.name_of(id);
            Some((name.to_string(), info.encode(program, id, fields.get(name)?)?))
        });
        let stored = sortkey_value::order::map(stored);
        let key = format!("{:?}", key_of(scope, info, fields));
        let name = format!("cascade#{}#{}", info.name, &hex(&Sha256::digest(key.as_bytes()))[..32]);
        let since = AttributeValue::from(scope.now_ms.div_euclid(1_000));
        let note = sortkey_value::order::map([
            (ENTITY.to_owned(), AttributeValue::S(info.name.to_string())),
            (FIELDS.to_owned(), AttributeValue::M(stored)),
            (SINCE.to_owned(), since),
        ]);
        let note = sortkey_value::order::map([(":note".to_owned(), AttributeValue::M(note))]);
        self.update_notes(scope, info, "SET #note = :note", &name, Some(note)).await?;
        Ok(Some(Note { entity: parent.entity, name }))
    }

    /// Takes a note away: the children are gone, or the parent did not go.
    pub(super) async fn forget(&self, scope: &Scope<'a>, note: &Note) -> Result<(), Failure> {
        let info = &scope.shared.entities[note.entity];
        self.update_notes(scope, info, "REMOVE #note", &note.name, None).await
    }

    /// After a write: the children go, then the note. One that an index may have been late for stays.
    pub(super) async fn carried_out(
        &self,
        scope: &Scope<'a>,
        prepared: &mut Prepared,
        note: Option<&Note>,
    ) -> Result<(), Failure> {
        if let Some(parent) = &mut prepared.cascades {
            self.sweep(scope, parent, Children::All).await?;
        }
        match note.filter(|note| !of_parent(scope, note.entity).any(Cascade::may_lag)) {
            Some(note) => self.forget(scope, note).await,
            None => Ok(()),
        }
    }

    /// After a refusal: children whose parent was gone before are the caller's to remove, and the note goes.
    pub(super) async fn refused(
        &self,
        scope: &Scope<'a>,
        prepared: &mut Prepared,
        note: Option<&Note>,
        failure: &Failure,
    ) -> Result<(), Failure> {
        let (Some(note), Some(parent)) = (note, &mut prepared.cascades) else { return Ok(()) };
        if failure.kind == FailureKind::NotFound && self.is_gone(scope, parent).await? {
            self.sweep(scope, parent, Children::LeftBehind).await?;
        }
        self.forget(scope, note).await
    }

    async fn is_gone(&self, scope: &Scope<'a>, parent: &Parent) -> Result<bool, Failure> {
        let info = &scope.shared.entities[parent.entity];
        let Some(key) = key_of(scope, info, parent.fields()) else { return Ok(true) };
        let Some(item) = self.session.get(&info.table, key, true).await? else { return Ok(true) };
        let mut anybody = scope.fresh();
        anybody.caller = None;
        Ok(live(&anybody, info, item)?.is_none())
    }

    async fn update_notes(
        &self,
        scope: &Scope<'a>,
        info: &EntityInfo,
        expression: &str,
        name: &str,
        values: Option<Map>,
    ) -> Result<(), Failure> {
        let input = UpdateItemInput {
            table_name: info.table.clone(),
            key: reserved_key(scope, info, NOTES).into(),
            update_expression: Some(expression.to_owned()),
            expression_attribute_names: Some(sortkey_value::order::map([(
                "#note".to_owned(),
                name.to_owned(),
            )])),
            expression_attribute_values: values.map(Into::into),
            ..UpdateItemInput::default()
        };
        self.session.update(input).await.map(drop).map_err(failure)
    }

    /// Continues the cascade of a note, if its parent is gone.
    async fn go_on(&self, scope: &Scope<'a>, note: Note, fields: Fields) -> Result<(), Failure> {
        let known = fields.clone();
        let mut parent = Parent { entity: note.entity, known, whole: Some(fields) };
        if self.is_gone(scope, &parent).await? {
            self.sweep(scope, &mut parent, Children::All).await?;
        }
        self.forget(scope, &note).await
    }
}

/// The cascades of an entity.
pub(super) fn of_parent<'a>(scope: &Scope<'a>, parent: EntityId) -> impl Iterator<Item = &'a Cascade> {
    scope.shared.cascades.iter().filter(move |cascade| cascade.parent == parent)
}

impl Runtime {
    /// Goes on with cascades that were interrupted, by a crash or by a backend that could not be reached, and looks once more
    /// for children that an index was late for. Returns how many there were. A program that serves a design calls it when it
    /// starts and every few seconds; one that is not due yet is left for the next time.
    pub async fn resume(&self) -> Result<usize, Failure> {
        let session = self.session();
        let runner = Runner { is_test: false, ..Runner::new(&session, None) };
        let scope = self.scope(None);
        let mut tables: Vec<&EntityInfo> = Vec::new();
        for cascade in &self.shared().cascades {
            let info = &self.shared().entities[cascade.parent];
            if !tables.iter().any(|each| each.table == info.table) {
                tables.push(info);
            }
        }
        let mut resumed = 0;
        for info in tables {
            let key = reserved_key(&scope, info, NOTES);
            let Some(item) = session.get(&info.table, key, true).await? else { continue };
            for (note, fields) in due(&scope, &item)? {
                runner.go_on(&scope, note, fields).await?;
                resumed += 1;
            }
        }
        Ok(resumed)
    }
}

/// The notes of a table that are old enough.
fn due(scope: &Scope<'_>, item: &Item) -> Result<Vec<(Note, Fields)>, Failure> {
    let mut found = Vec::new();
    for (name, value) in item.iter() {
        let ValueRef::M(note) = value else { continue };
        let part = |wanted: &str| note.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let (Some(ValueRef::S(entity)), Some(ValueRef::M(fields))) = (part(ENTITY), part(FIELDS)) else {
            continue;
        };
        let since = match part(SINCE) {
            Some(ValueRef::N(since)) => since.to_i64().unwrap_or(0),
            _ => 0,
        };
        if since.saturating_mul(1_000).saturating_add(PATIENCE_MS) > scope.now_ms {
            continue;
        }
        let info = scope.shared.entity_called(entity)?;
        let stored =
            sortkey_value::order::map(fields.iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
        let fields = info.decode(&scope.shared.program, &Item::from(stored));
        found.push((Note { entity: info.at, name: name.to_owned() }, fields));
    }
    Ok(found)
}
