//! The data behind access control: the keys and policies of a table, and the stream that an iterator reads.

use std::sync::Arc;

use crate::catalog;
use crate::catalog::table::Table;
use crate::engine::Engine;
use crate::stream::shard::ShardIterator;

/// A table, as far as access control looks at it.
#[derive(Clone)]
pub struct TableAccess(Arc<Table>);

impl Engine {
    /// The table of a name, if there is one.
    pub fn table_access(&self, name: &str) -> Option<TableAccess> {
        let view = self.shared.committer.view();
        self.shared.catalog.find(&view, name).ok().flatten().map(TableAccess)
    }

    /// The table and the label of the stream that a shard iterator reads. The iterator's own text is not asked: a client
    /// could have changed it.
    pub fn iterator_stream(&self, iterator: &str) -> Option<(String, String)> {
        let iterator = ShardIterator::parse(iterator).ok()?;
        let view = self.shared.committer.view();
        let stream = catalog::stream(&view, iterator.stream).ok().flatten()?;
        Some((stream.table_name.clone(), stream.label.clone()))
    }
}

impl TableAccess {
    /// The first partition key attribute of the table or of one of its indexes.
    pub fn partition_key(&self, index: Option<&str>) -> Option<&str> {
        let key = match index {
            None => &self.0.key,
            Some(name) => &self.0.indexes.iter().find(|index| *index.name == *name)?.key,
        };
        key.partition.first().map(|attribute| attribute.name.as_str())
    }

    /// The policy of the table, and its revision.
    pub fn policy(&self) -> Option<(&str, &str)> {
        let policy = self.0.policy.as_ref()?;
        Some((&policy.document, &policy.revision))
    }

    /// The policy of one of the table's streams, and its revision.
    pub fn stream_policy(&self, label: &str) -> Option<(&str, &str)> {
        let policy = self.0.stream_policies.get(label)?;
        Some((&policy.document, &policy.revision))
    }
}
