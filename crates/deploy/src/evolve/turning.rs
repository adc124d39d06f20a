//! Tables whose items are being rewritten, as the version that is being deployed sees them.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;
use sortkey_core::Runtime;
use sortkey_design::model::{Index, Projection};
use sortkey_value::Map;

use super::Old;
use super::entity::Entities;
use crate::tables::deployed_index_name;

/// Tables whose items are in two forms for a while.
pub struct Turning {
    /// The version that is being deployed, on the bare backend.
    pub(super) runtime: Runtime,
    pub(super) tables: Vec<Arc<Turned>>,
}

/// One of these tables.
pub(super) struct Turned {
    pub(super) name: String,
    old: Old,
    /// The attributes in which the two forms of some item differ.
    changed: BTreeSet<String>,
    rest: Mutex<Rest>,
}

/// The part of a table that may still have items in their old form.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rest {
    /// What a scan finds behind this key; all of it without one.
    Behind(Option<Map>),
    Nothing,
}

impl Turned {
    pub(super) fn new(name: &str, old: Old, changed: BTreeSet<String>, after: Option<Map>) -> Turned {
        Turned { name: name.to_owned(), old, changed, rest: Mutex::new(Rest::Behind(after)) }
    }

    pub(super) fn set(&self, rest: Rest) {
        *self.rest.lock() = rest;
    }

    pub(super) fn rest(&self) -> Rest {
        self.rest.lock().clone()
    }

    pub(super) fn entities<'a>(&'a self, runtime: &'a Runtime) -> Option<Entities<'a>> {
        Entities::of(runtime, &self.old, &self.name)
    }

    /// Whether items in their old form may lie elsewhere in an index, or not at all.
    pub(super) fn moves(&self, index: &Index) -> bool {
        index.key.attributes().any(|name| self.changed.contains(&name.text))
    }
}

impl Turning {
    /// The table of this name, while some of its items may be in their old form.
    pub(super) fn table(&self, name: &str) -> Option<&Arc<Turned>> {
        self.tables.iter().find(|table| table.name == name && table.rest() != Rest::Nothing)
    }

    /// An index of a table by its deployed name.
    pub(super) fn index(&self, table: &str, name: &str) -> Option<&Index> {
        let info = self.runtime.shared().entities.iter().find(|info| info.table.name() == table)?;
        let design = self.runtime.design();
        let declared = design.table_of(info.source(design))?;
        declared.indexes.iter().find(|index| deployed_index_name(index) == name)
    }
}

/// Whether an index has items as they are in their table.
pub(super) fn is_whole(index: &Index) -> bool {
    matches!(index.projection, None | Some(Projection::All))
}
