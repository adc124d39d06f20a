// What generated designs found.

use serde_json::json;
use sortkey_core::FailureKind;

use crate::support::{DEFAULTS, Database};

/// The condition of an `upsert` saw the values that the `upsert` itself sets, wherever the item lacked them.
#[test]
fn the_condition_of_an_upsert_is_about_the_item_before() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design generated
        {DEFAULTS}
        table Ns "nss" {{ key (id) }}
        entity N in Ns {{ id slug  owner? slug  n int = 3 }}
        pattern n = get N by id strong
        operation mk = create N
        operation claim(id, owner) {{ upsert N(id) if it.owner = owner else Taken {{ owner }} }}
        operation free(id, owner) {{ upsert N(id) if it.owner absent else Taken {{ owner }} }}
        operation count(id, n: int) {{ upsert N(id) if it.n = 3 else Taken {{ n }} }}"#
    ));
    app.call("mk", json!({ "id": "there" }));
    for id in ["there", "new"] {
        let failure = app.fails("claim", json!({ "id": id, "owner": "eve" }));
        assert_eq!(failure.kind, FailureKind::Declared("Taken".to_owned()), "{id}");
        // The default of what is set counts, not what it is set to.
        assert_eq!(app.call("count", json!({ "id": id, "n": 3 }))["n"], 3);
        assert_eq!(app.call("count", json!({ "id": id, "n": 4 }))["n"], 4);
        assert_eq!(app.fails("count", json!({ "id": id, "n": 3 })).kind, failure.kind);
        app.call("free", json!({ "id": id, "owner": "ada" }));
        assert_eq!(app.call("claim", json!({ "id": id, "owner": "ada" }))["owner"], "ada");
    }
}

/// A `create` and a `delete` of one item in one transaction became a `put` with the conditions of the `delete`: the item that was
/// there was replaced.
#[test]
fn a_transaction_does_not_create_and_delete_one_item() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design generated
        {DEFAULTS}
        table Ns "nss" {{ key (id) }}
        entity N in Ns {{ id slug  n int }}
        pattern n = get N by id strong
        operation mk = create N
        operation swap(old: slug, id, n) {{ transact {{ create N {{ id, n }} delete N(id: old) }} }}
        operation back(old: slug, id, n) {{ transact {{ delete N(id: old) create N {{ id, n }} }} }}"#
    ));
    app.call("mk", json!({ "id": "a", "n": 1 }));
    for name in ["swap", "back"] {
        let failure = app.fails(name, json!({ "old": "a", "id": "a", "n": 2 }));
        assert_eq!(failure.kind, FailureKind::Invalid, "{name}: {failure}");
        assert_eq!(app.call("n", json!({ "id": "a" }))["n"], 1, "{name}");
    }
    app.call("swap", json!({ "old": "a", "id": "b", "n": 2 }));
    assert_eq!(app.call("n", json!({ "id": "b" }))["n"], 2);
}

/// An entity whose key begins with a slot was taken for the owner of whatever lies in its collections: `collect` left out the
/// items of the other entity.
#[test]
fn the_types_of_slots_tell_entities_of_a_collection_apart() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design generated
        {DEFAULTS}
        table Ts "tss" {{ key (pk | sk) }}
        entity A in Ts {{ pk = "E#{{id}}"  sk = "{{at:ms}}"  id slug  at time(iso) }}
        entity B in Ts {{ pk = "E#{{id}}"  sk = "C#{{n}}#{{w}}"  id slug  n int  w slug }}
        pattern ab = collect A, B by id page 9
        pattern ba = collect B, A by id page 9
        pattern a = list A by id page 9
        pattern b = list B by id page 9
        operation mkA = create A
        operation mkB = create B"#
    ));
    app.call("mkA", json!({ "id": "x", "at": "2026-03-04T03:00:00.010Z" }));
    app.call("mkB", json!({ "id": "x", "n": 2, "w": "w" }));
    for (name, count) in [("ab", 2), ("ba", 2), ("a", 1), ("b", 1)] {
        let found = app.call(name, json!({ "id": "x" }));
        assert_eq!(found.as_array().map(Vec::len), Some(count), "{name}: {found}");
    }
}
