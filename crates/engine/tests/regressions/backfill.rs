//! Indexes that are created while their table is written.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sortkey_api::operations::{DeleteItemInput, UpdateItemInput, UpdateTableInput};
use sortkey_storage::Store;
use sortkey_value::Item;

use crate::support::{Database, SlowStore, create_index};

/// A write to an item that the backfill had not come to yet subtracted the item's entry from the totals of the index,
/// which had never been added: the index was complete, and its ItemCount too small.
#[test]
fn the_totals_of_an_index_do_not_depend_on_who_comes_first() {
    let store = SlowStore::new(Duration::ZERO);
    let database = Database::with(Arc::clone(&store) as Arc<dyn Store>);
    database.create_table("table", false, json!({}));
    for key in ["deleted", "changed", "left"] {
        let item = json!({"pk": {"S": key}, "kind": {"S": "book"}});
        database.ok("PutItem", json!({"TableName": "table", "Item": item}));
    }
    let mut index = create_index("by-kind", "kind");
    index["TableName"] = json!("table");
    let index: UpdateTableInput = sortkey_api::decode(index.to_string().as_bytes()).unwrap();
    // The writes wait for the table's lock and get it before the backfill sees the index.
    store.hold();
    let created = database.engine.update_table(index);
    let deleted = database.engine.delete_item(DeleteItemInput {
        table_name: "table".into(),
        key: Item::from([("pk", "deleted")]).into(),
        ..Default::default()
    });
    let changed = database.engine.update_item(UpdateItemInput {
        table_name: "table".into(),
        key: Item::from([("pk", "changed")]).into(),
        update_expression: Some("SET extra = pk".into()),
        ..Default::default()
    });
    store.release();
    created.wait().unwrap();
    deleted.wait().unwrap();
    changed.wait().unwrap();
    let index = database.settled("table")["GlobalSecondaryIndexes"][0].take();
    let bytes: usize = "pkchangedkindbookextrachanged".len() + "pkleftkindbook".len();
    assert_eq!((&index["ItemCount"], &index["IndexSizeBytes"]), (&json!(2), &json!(bytes)));
}
