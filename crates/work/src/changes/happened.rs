//! Records of a stream as changes of items.

use sortkey_api::shapes::stream::{OperationType, Record};
use sortkey_design::model::Change;
use sortkey_value::Item;

/// A change of an item.
#[derive(Debug)]
pub(crate) struct Happened {
    pub(super) change: Change,
    /// The key of the item.
    pub(super) key: Item,
    /// The item as the change left it, or as it was.
    pub(super) image: Item,
    /// The position in the stream.
    pub(super) at: String,
    /// When, to the second, in milliseconds since 1970.
    pub(super) at_ms: i64,
}

impl Happened {
    /// Reads a record; none if it holds nothing that could start a worker.
    pub(super) fn of(record: Record) -> Option<Happened> {
        let is_expiry = record
            .user_identity
            .as_ref()
            .is_some_and(|who| who.principal_id.as_deref() == Some("dynamodb.amazonaws.com"));
        let content = record.dynamodb?;
        let at_ms = content.approximate_creation_date_time.map_or(0, |time| time.millis);
        let (change, image) = match record.event_name? {
            OperationType::Insert => (Change::Create, content.new_image),
            OperationType::Modify => (Change::Update, content.new_image),
            OperationType::Remove if is_expiry => (Change::Expire, content.old_image),
            OperationType::Remove => (Change::Delete, content.old_image),
            OperationType::Unknown(_) => return None,
        };
        Some(Happened { change, key: content.keys?, image: image?, at: content.sequence_number?, at_ms })
    }
}
