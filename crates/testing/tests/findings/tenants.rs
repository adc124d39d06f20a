// F-05, F-39: a key that does not name the tenant did not protect it. `put` replaced another tenant's item, writes changed
// items whose attributes contradict their key, and counts, sums and `exists` included items that the caller may not see.

use serde_json::{Value as Json, json};
use sortkey_core::FailureKind;

use crate::support::{App, DEFAULTS, Database};

fn notes(database: &Database) -> App {
    database.up(&format!(
        r#"design tenants
        {DEFAULTS}
        caller {{ account slug }}
        table Notes "notes" {{ key (id) }}
        entity Note in Notes {{ id slug  account slug  text string(1..99) = "-"  n int = 0  tenant account }}
        pattern note = get Note by id strong
        operation make = create Note
        operation put1(id) {{ put Note {{ id, text: "mine" }} }}
        operation put2(id) {{ transact {{ put Note {{ id, text: "mine" }} }} }}
        operation putAll(ids: list(slug, max 9)) {{ each x in ids {{ put Note {{ id: x, text: "mine" }} }} }}
        operation save(id) {{ upsert Note(id) {{ text: "mine" }} }}
        operation saveAll(id) {{ transact {{ upsert Note(id) {{ text: "mine" }} }} }}
        operation count(id) {{ upsert Note(id) {{ n += 1 }} }}
        operation edit(id) {{ update Note(id) {{ text: "mine" }} }}
        operation drop(id) {{ delete Note(id) }}
        system operation anyPut(id, account) {{ put Note {{ id, account }} }}"#
    ))
}

#[test]
fn no_write_reaches_the_item_of_another_tenant() {
    let database = Database::new();
    let app = notes(&database);
    let one = app.caller(json!({ "account": "one" }));
    let two = app.caller(json!({ "account": "two" }));
    one.call("make", json!({ "id": "a", "text": "of one" }));
    let before = database.get("notes", json!({ "id": "a" }));
    for (name, arguments) in [
        ("put1", json!({ "id": "a" })),
        ("put2", json!({ "id": "a" })),
        ("putAll", json!({ "ids": ["a", "b"] })),
        ("save", json!({ "id": "a" })),
        ("saveAll", json!({ "id": "a" })),
        ("count", json!({ "id": "a" })),
        ("edit", json!({ "id": "a" })),
        ("drop", json!({ "id": "a" })),
    ] {
        assert_eq!(two.fails(name, arguments).kind, FailureKind::NotFound, "{name}");
        assert_eq!(database.get("notes", json!({ "id": "a" })), before, "{name}");
    }
    // The item beside it was free, and one's own may be replaced.
    assert_eq!(two.call("note", json!({ "id": "b" }))["text"], "mine");
    for name in ["put1", "put2", "save", "saveAll", "count", "edit"] {
        one.call(name, json!({ "id": "a" }));
    }
    one.call("putAll", json!({ "ids": ["a", "c"] }));
    assert_eq!(one.call("note", json!({ "id": "a" }))["text"], "mine");
    // The system acts for everybody.
    app.call("anyPut", json!({ "id": "a", "account": "two" }));
    assert_eq!(two.call("note", json!({ "id": "a" }))["account"], "two");
}

fn shops(database: &Database) -> App {
    database.up(&format!(
        r#"design tenants
        {DEFAULTS}
        caller {{ shop slug }}
        table Shops "shops" {{ key (PK | SK) }}
        entity Order in Shops {{
          PK = "SHOP#{{shop}}"  SK = "ORDER#{{id}}"  shop slug  id slug  sum int = 0  note? string(1..99)  tenant shop
        }}
        entity Other in Shops {{ PK = "SHOP#{{shop}}"  SK = "OTHER#{{id}}"  shop slug  id slug  tenant shop }}
        pattern order = get Order by shop, id strong
        operation add(id) {{ upsert Order(id) {{ sum += 1 }} }}
        operation note(id) {{ update Order(id) {{ note: "mine" }} }}
        operation set(id) {{ update Order(id) {{ sum: 7 }} }}
        operation save(id) {{ upsert Order(id) {{ note: "mine" }} }}
        operation saveAll(id) {{ transact {{ upsert Order(id) {{ note: "mine" }} }} }}
        operation replace(id) {{ put Order {{ id, sum: 7 }} }}
        operation drop(id) {{ delete Order(id) }}"#
    ))
}

/// An item that reads call unreadable is never taken by a write for one of its own.
#[test]
fn no_write_changes_an_item_that_contradicts_its_key() {
    let key = json!({ "PK": "SHOP#a", "SK": "ORDER#x" });
    let with = |more: Json| {
        let mut item = key.clone();
        item.as_object_mut().expect("a key").extend(more.as_object().cloned().unwrap_or_default());
        item
    };
    let all = ["add", "note", "set", "save", "saveAll", "replace"];
    // A write that leaves the unreadable attribute as it is loses nothing; every read goes on to report it. `put` replaces all.
    let of_sum = ["add", "set"];
    let of_note = ["note", "save", "saveAll"];
    for (which, item, refused) in [
        ("another tenant's", with(json!({ "shop": "b", "id": "x", "sum": 3 })), &all[..]),
        ("another id", with(json!({ "shop": "a", "id": "y", "sum": 3 })), &all),
        ("another type", with(json!({ "shop": "a", "id": "x", "sum": "many" })), &of_sum),
        ("another type, optional", with(json!({ "shop": "a", "id": "x", "sum": 3, "note": 9 })), &of_note),
    ] {
        let database = Database::new();
        let app = shops(&database).caller(json!({ "shop": "a" }));
        database.put("shops", item.clone());
        assert_eq!(app.fails("order", json!({ "id": "x" })).kind, FailureKind::Unreadable, "{which}");
        for name in refused {
            let failure = app.fails(name, json!({ "id": "x" }));
            assert_eq!(failure.kind, FailureKind::Unreadable, "{which}, {name}: {failure}");
            assert!(failure.message.contains("ORDER#x"), "{which}, {name}: {failure}");
            assert_eq!(database.get("shops", key.clone()), Some(item.clone()), "{which}, {name}");
        }
    }
}

#[test]
fn counts_sums_and_exists_honour_requires() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design tenants
        {DEFAULTS}
        caller {{ user slug }}
        table Docs "docs" {{ key (box | id) }}
        entity Doc in Docs {{ box slug  id slug  owner slug  size int(0..99) = 1 }}
        pattern all    = list Doc by box page 10 requires owner = caller.user
        pattern many   = count Doc by box requires owner = caller.user
        pattern total  = sum (size) Doc by box requires owner = caller.user
        pattern any    = exists Doc by box requires owner = caller.user
        system operation make = create Doc"#
    ));
    for (id, owner, size) in [("a", "ada", 2), ("b", "bob", 30), ("c", "ada", 4)] {
        app.call("make", json!({ "box": "x", "id": id, "owner": owner, "size": size }));
    }
    let of = |user: &str| app.caller(json!({ "user": user }));
    let ada = of("ada");
    assert_eq!(ada.call("all", json!({ "box": "x" })).as_array().map(Vec::len), Some(2));
    assert_eq!(ada.call("many", json!({ "box": "x" })), json!(2));
    assert_eq!(ada.call("total", json!({ "box": "x" })), json!(6));
    assert_eq!(ada.call("any", json!({ "box": "x" })), json!(true));
    assert_eq!(of("bob").call("total", json!({ "box": "x" })), json!(30));
    for name in ["all", "many", "total", "any"] {
        assert_eq!(of("eve").fails(name, json!({ "box": "x" })).kind, FailureKind::Forbidden, "{name}");
    }
    assert_eq!(ada.call("many", json!({ "box": "empty" })), json!(0));
    assert_eq!(ada.call("any", json!({ "box": "empty" })), json!(false));
}

#[test]
fn whether_something_of_another_tenant_exists_is_not_told() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design tenants
        {DEFAULTS}
        caller {{ account slug }}
        table Ns "nss" {{ key (account | id) }}
        entity N in Ns {{ tenant account  account slug  id slug }}
        pattern any = exists N by account
        pattern one = exists N by account, id
        operation mk = create N"#
    ));
    let own = app.caller(json!({ "account": "one" }));
    own.call("mk", json!({ "id": "a" }));
    assert_eq!(own.call("any", json!({ "account": "one" })), json!(true));
    assert_eq!(own.call("one", json!({ "account": "one", "id": "b" })), json!(false));
    assert_eq!(own.fails("any", json!({ "account": "two" })).kind, FailureKind::NotFound);
    assert_eq!(own.fails("one", json!({ "account": "two", "id": "a" })).kind, FailureKind::NotFound);
}

/// A caller whose optional attribute is absent has no items of it, and not those of everybody.
#[test]
fn a_caller_without_an_attribute_finds_nothing_by_it() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design tenants
        {DEFAULTS}
        caller {{ user slug, team? slug }}
        table Ts "tss" {{ key (box | id)  index ByTeam (box, team | id) project all }}
        entity T in Ts {{ box slug  id slug  team slug }}
        pattern ofTeam = list T by box, team = caller.team page 10
        pattern first  = get T by box = "x", id = caller.team
        pattern under  = list T by box where id = caller.team page 10
        system operation mk = create T"#
    ));
    app.call("mk", json!({ "box": "x", "id": "red", "team": "red" }));
    app.call("mk", json!({ "box": "x", "id": "blue", "team": "blue" }));
    let of = |caller: Json| app.caller(caller);
    let red = of(json!({ "user": "ada", "team": "red" }));
    assert_eq!(red.call("ofTeam", json!({ "box": "x" })).as_array().map(Vec::len), Some(1));
    assert_eq!(red.call("first", json!({}))["id"], "red");
    assert_eq!(red.call("under", json!({ "box": "x" })).as_array().map(Vec::len), Some(1));
    let none = of(json!({ "user": "ada" }));
    assert_eq!(none.call("ofTeam", json!({ "box": "x" })), json!([]));
    assert_eq!(none.call("first", json!({})), json!(null));
    assert_eq!(none.call("under", json!({ "box": "x" })), json!([]));
}
