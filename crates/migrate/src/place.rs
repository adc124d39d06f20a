//! The place of an item: its table and key.

use std::fmt;
use std::sync::Arc;

use sortkey_api::TableName;
use sortkey_core::internals::EntityInfo;
use sortkey_value::{Item, Map, ValueRef};

/// A table and a key in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The deployed name of the table.
    pub table: Arc<str>,
    /// The key.
    pub key: Item,
}

impl Place {
    /// The place of an item of an entity.
    pub(crate) fn of(info: &EntityInfo, item: &Item) -> Place {
        Place::at(info, info.key_of(item))
    }

    /// A key in the table of an entity.
    pub(crate) fn at(info: &EntityInfo, key: impl Into<Item>) -> Place {
        Place { table: info.table.name().into(), key: key.into() }
    }

    /// The key as a map.
    pub(crate) fn map(&self) -> Map {
        self.key.to_map()
    }

    /// The table, as requests name it.
    pub(crate) fn table_name(&self) -> TableName {
        TableName::from(&*self.table)
    }

    /// An attribute of the key: the one whose absence means that there is no item.
    pub(crate) fn any_part(&self) -> &str {
        self.key.iter().next().map_or("", |(name, _)| name)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "table \"{}\"", self.table)?;
        for (name, value) in self.key.iter() {
            match value {
                ValueRef::S(text) => write!(f, ", {name} = {text:?}")?,
                ValueRef::N(number) => write!(f, ", {name} = {number}")?,
                other => write!(f, ", {name} = {other:?}")?,
            }
        }
        Ok(())
    }
}
