//! Ways to the items of an entity.

use sortkey_design::program::{EntityId, FilledKey, Index, IndexId, Program, TableId, UniqueId};

/// A way to the items of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// The entity whose keys are used.
    pub entity: EntityId,
    /// The table it leads into.
    pub table: TableId,
    /// The way to the items.
    pub way: Way,
}

/// The way to the items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The table's own key.
    Key,
    /// An index.
    Index(IndexId),
    /// The guard item of a unique clause, then the item.
    Guard(UniqueId),
    /// Everything in the table, or in the index that `via` names.
    Scan(Option<IndexId>),
}

impl Path {
    /// Its name in plans and messages.
    pub fn describe(self, program: &Program) -> String {
        let table = &program.tables[self.table];
        match self.way {
            Way::Key => table.name.to_string(),
            Way::Index(index) => format!("{}.{}", table.name, table.indexes[index].name),
            Way::Guard(unique) => {
                let entity = &program.entities[self.entity];
                let names: Vec<&str> = entity.uniques[unique]
                    .attributes
                    .iter()
                    .map(|id| &*entity.attributes[*id].name)
                    .collect();
                format!("{} guard({})", table.name, names.join(", "))
            }
            Way::Scan(None) => format!("{} scan", table.name),
            Way::Scan(Some(index)) => format!("{}.{} scan", table.name, table.indexes[index].name),
        }
    }

    /// The index that is read, if it is one.
    pub fn index(self) -> Option<IndexId> {
        match self.way {
            Way::Index(index) | Way::Scan(Some(index)) => Some(index),
            Way::Key | Way::Guard(_) | Way::Scan(None) => None,
        }
    }

    /// That index in the program.
    pub fn index_in(self, program: &Program) -> Option<&Index> {
        self.index().map(|index| &program.tables[self.table].indexes[index])
    }

    /// Whether it is a global index: eventually consistent, whatever is asked.
    pub fn is_global_index(self, program: &Program) -> bool {
        matches!(self.way, Way::Index(index) if !program.tables[self.table].indexes[index].local)
    }

    /// The key that it uses, as the entity fills it.
    pub fn key(self, program: &Program) -> &FilledKey {
        use sortkey_design::program::Id;
        let entity = &program.entities[self.entity];
        match self.index() {
            Some(index) => entity.indexes.get(index.at()).unwrap_or(&entity.key),
            None => &entity.key,
        }
    }
}
