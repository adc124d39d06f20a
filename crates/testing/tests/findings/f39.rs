// F-39: `sum` for another tenant was 0 where `list` finds nothing of another tenant; a guard did not serve its own condition.

use serde_json::json;
use sortkey_core::FailureKind;

use crate::support::{DEFAULTS, Database};

#[test]
fn a_sum_of_another_tenant_is_not_found() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design f39
        {DEFAULTS}
        caller {{ account slug }}
        table Ns "nss" {{ key (account | id) }}
        entity N in Ns {{ tenant account  account slug  id slug  n int }}
        pattern ns = list N by account page 10
        pattern total = sum (n) N by account
        pattern many = count N by account
        operation mk = create N"#
    ));
    let app = app.caller(json!({ "account": "one" }));
    app.call("mk", json!({ "id": "a", "n": 2 }));
    assert_eq!(app.call("total", json!({ "account": "one" })), json!(2));
    for name in ["ns", "total", "many"] {
        assert_eq!(app.fails(name, json!({ "account": "two" })).kind, FailureKind::NotFound, "{name}");
    }
}

#[test]
fn a_guard_serves_its_own_condition() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design f39
        {DEFAULTS}
        table Ts "tss" {{ key (id) }}
        entity T in Ts {{
          id slug  event slug  seat int  status held | sold | void = held
          unique event, seat when status != void else SeatTaken
        }}
        pattern holder = get T by event, seat where status != void strong
        operation mk = create T
        operation cancel(id) {{ update T(id) {{ status: void }} }}"#
    ));
    let seat = json!({ "event": "e", "seat": 7 });
    app.call("mk", json!({ "id": "a", "event": "e", "seat": 7 }));
    assert_eq!(app.call("holder", seat.clone())["id"], "a");
    assert_eq!(app.fails("mk", json!({ "id": "b", "event": "e", "seat": 7 })).kind.name(), "SeatTaken");
    app.call("cancel", json!({ "id": "a" }));
    assert_eq!(app.call("holder", seat.clone()), json!(null));
    app.call("mk", json!({ "id": "b", "event": "e", "seat": 7 }));
    assert_eq!(app.call("holder", seat)["id"], "b");
}

#[test]
fn text_in_conditions_is_normalised_as_what_is_stored() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design f39
        {DEFAULTS}
        table Vs "vss" {{ key (v) }}
        entity V in Vs {{ v slug @normalize(trim, lower)  w slug = " The-W " @normalize(trim, lower)  n int = 0 }}
        pattern one = get V by v filter w = "THE-W"
        operation mk() {{ create V {{ v: " Arena-One " }} }}
        operation bump() {{ update V(v: "ARENA-one") if w = " THE-w" else Other {{ n += 1 }} }}
        operation asked() {{ let it2 = get V(v: "arena-ONE ") else Gone  require it2.w in ["The-W "] else Other  return it2.n }}"#
    ));
    assert_eq!(app.call("mk", json!({})), json!({ "v": "arena-one", "w": "the-w", "n": 0 }));
    assert_eq!(app.call("bump", json!({}))["n"], 1);
    assert_eq!(app.call("asked", json!({})), json!(1));
    assert_eq!(app.call("one", json!({ "v": "arena-one" }))["n"], 1);
}
