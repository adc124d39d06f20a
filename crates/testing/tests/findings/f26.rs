// F-26: one item that a rule could not evaluate turned a list into a 403; patterns and operations judged one id differently.

use serde_json::json;
use sortkey_core::FailureKind;

use crate::support::{App, DEFAULTS, Database};

fn app(database: &Database) -> App {
    database.up(&format!(
        r#"design f26
        {DEFAULTS}
        caller {{ userId slug }}
        table Ds "dss" {{ key (box | id) }}
        entity D in Ds {{ box slug  id slug  team? slug  code? string(1..9) }}
        table Ms "mss" {{ key (team | userId) }}
        entity M in Ms {{ team slug  userId slug  level int }}
        table Is "iss" {{ key (code) }}
        entity I in Is {{ code token("", 26)  used bool = false }}
        rule inTeam(team) = M(team, userId: caller.userId) with (level > 0)
        pattern docs = list D by box page 10 requires inTeam(team)
        pattern doc = get D by box, id strong requires inTeam(team)
        pattern invite = get I by code strong
        operation put1 = create D
        operation join = create M
        operation redeem(code) {{ update I(code) if used = false {{ used: true }} }}
        operation burn(code) {{ delete I(code) }}
        operation issue(code) {{ upsert I(code) {{ used: false }} }}"#
    ))
}

#[test]
fn each_item_of_a_list_is_judged_on_its_own() {
    let database = Database::new();
    let app = app(&database).caller(json!({ "userId": "ada" }));
    app.call("join", json!({ "team": "red", "userId": "ada", "level": 1 }));
    for (id, team) in [("a", json!("red")), ("b", json!(null)), ("c", json!("blue")), ("d", json!("red"))] {
        app.call("put1", json!({ "box": "x", "id": id, "team": team }));
    }
    let docs = app.call("docs", json!({ "box": "x" }));
    let ids: Vec<&str> = docs.as_array().unwrap().iter().map(|each| each["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "d"]);
    app.call("put1", json!({ "box": "y", "id": "e", "team": "blue" }));
    for (name, arguments) in [("docs", json!({ "box": "y" })), ("doc", json!({ "box": "x", "id": "c" }))] {
        let failure = app.fails(name, arguments);
        assert_eq!(failure.kind, FailureKind::Forbidden, "{name}");
        // F-38: the failure names the missing value.
        assert!(failure.message.contains("`inTeam`"), "{failure}");
    }
    assert_eq!(app.call("docs", json!({ "box": "z" })), json!([]));
}

#[test]
fn an_id_of_another_form_is_one_that_nothing_has() {
    let database = Database::new();
    let app = app(&database).caller(json!({ "userId": "ada" }));
    let old = json!({ "code": "5CB7297E-C" });
    assert_eq!(app.call("invite", old.clone()), json!(null));
    assert_eq!(app.fails("redeem", old.clone()).kind, FailureKind::NotFound);
    // Items that are older than the form are found, and can be changed, by both.
    database.put("iss", json!({ "code": "5CB7297E-C", "used": false }));
    assert_eq!(app.call("invite", old.clone())["used"], false);
    assert_eq!(app.call("redeem", old.clone())["used"], true);
    app.call("burn", old.clone());
    // No new one is made.
    assert_eq!(app.fails("issue", old).kind, FailureKind::Invalid);
}
