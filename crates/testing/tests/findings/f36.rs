// F-36: `up` of a design with a pending migration made empty tables and served them as if they were everything.

use serde_json::json;

use crate::support::{DEFAULTS, Database};

fn before() -> String {
    format!(
        r#"design shop
        {DEFAULTS}
        table Notes "notes" {{ key (id) }}
        entity Note in Notes {{ id slug  words string(1..99) }}
        system operation write = create Note
        system pattern note = get Note by id"#
    )
}

fn after() -> String {
    format!(
        r#"design shop
        {DEFAULTS}
        table Memos "memos" {{ key (memoId) }}
        entity Memo in Memos {{ memoId slug  words string(1..99) }}
        system operation write = create Memo
        system pattern memo = get Memo by memoId
        migrate "before.sk" steps create, copy, switch {{ Memo from Note {{ memoId: id }} drop id }}"#
    )
}

#[test]
fn a_pending_migration_is_told_and_nothing_is_served() {
    let files = [("before.sk", before())];
    let database = Database::new();
    database.up(&before()).call("write", json!({ "id": "a", "words": "kept" }));
    let refused = database.try_up_with(&after(), &files).err().unwrap_or_default();
    assert_eq!(refused.len(), 1, "{refused:?}");
    for part in
        ["the migration from `before.sk` has not been carried out", "\"memos\"", "\"notes\" has items"]
    {
        assert!(refused[0].contains(part), "{refused:?}");
    }
    assert_eq!(database.up(&before()).call("note", json!({ "id": "a" }))["words"], "kept");
}

#[test]
fn without_old_items_or_with_new_ones_there_is_nothing_to_wait_for() {
    let files = [("before.sk", before())];
    let database = Database::new();
    database.up(&before());
    let app = database.try_up_with(&after(), &files).expect("nothing is there to be migrated");
    app.call("write", json!({ "memoId": "a", "words": "new" }));
    database.put("notes", json!({ "id": "b", "words": "old" }));
    database.try_up_with(&after(), &files).expect("the new tables are in use");
}
