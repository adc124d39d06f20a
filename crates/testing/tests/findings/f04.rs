// F-04: a cascade did not count down `@counts`, so that a catalog whose seasons were gone could never be deleted.

use serde_json::json;

use crate::support::{App, DEFAULTS, Database};

/// A season belongs to a profile and to a catalog, which counts it; `more` is what a season is beside that.
fn seasons(more: &str, profile: &str, delete: &str) -> (Database, App) {
    let text = format!(
        r#"design f04
        {DEFAULTS}
        table Ps "pss" {{ key (pid) }}
        table Ks "kss" {{ key (kid) }}
        table Ss "sss" {{ key (pid | sid) }}
        entity P in Ps {{ pid slug  state live | gone = live  own int(0..) = 0 @counts(S)  {profile} }}
        entity K in Ks {{ kid slug  seasons int(0..) = 0 @counts(S)  all int(0..) = 0 @counts(S) }}
        entity S in Ss {{ pid -> P on delete cascade  sid slug  kid? -> K  state live | gone = live  {more} }}
        pattern p = get P by pid strong
        pattern k = get K by kid strong
        pattern s = list S by pid page 10
        operation mp = create P
        operation mk = create K
        operation ms(pid, sid, kid) {{
          transact {{
            create S {{ pid, sid, kid }}
            update K(kid) {{ seasons += 1, all += 1 }}
            update P(pid) {{ own += 1 }}
          }}
        }}
        operation loose(pid, sid) {{ create S {{ pid, sid }} }}
        operation gone(pid) {{ {delete} }}
        operation dk(kid) {{ delete K(kid) if seasons = 0 else InUse }}"#
    );
    let database = Database::new();
    let app = database.up(&text);
    for pid in ["p", "q"] {
        app.call("mp", json!({ "pid": pid }));
    }
    for kid in ["k", "l"] {
        app.call("mk", json!({ "kid": kid }));
    }
    for (pid, sid, kid) in [("p", "1", "k"), ("p", "2", "k"), ("p", "3", "l"), ("q", "1", "k")] {
        app.call("ms", json!({ "pid": pid, "sid": sid, "kid": kid }));
    }
    app.call("loose", json!({ "pid": "p", "sid": "4" }));
    (database, app)
}

#[test]
fn every_cascade_counts_down() {
    for (more, profile, delete) in [
        ("", "", "delete P(pid)"),
        ("", "", "purge P(pid)"),
        ("", "", "transact { delete P(pid) }"),
        ("", "deleted when state = gone", "delete P(pid)"),
        ("deleted when state = gone", "", "delete P(pid)"),
        ("badge? slug  unique badge", "", "delete P(pid)"),
    ] {
        let (_, app) = seasons(more, profile, delete);
        assert_eq!(app.fails("dk", json!({ "kid": "l" })).kind.name(), "InUse");
        app.call("gone", json!({ "pid": "p" }));
        let case = format!("{more} {profile} {delete}");
        assert_eq!(app.call("s", json!({ "pid": "p" })), json!([]), "{case}");
        assert_eq!(app.call("s", json!({ "pid": "q" })).as_array().map(Vec::len), Some(1), "{case}");
        assert_eq!(
            app.call("k", json!({ "kid": "k" })),
            json!({ "kid": "k", "seasons": 1, "all": 1 }),
            "{case}"
        );
        assert_eq!(
            app.call("k", json!({ "kid": "l" })),
            json!({ "kid": "l", "seasons": 0, "all": 0 }),
            "{case}"
        );
        assert_eq!(app.call("p", json!({ "pid": "q" }))["own"], 1, "{case}");
        app.call("dk", json!({ "kid": "l" }));
    }
}

#[test]
fn children_go_even_if_their_counter_is_missing_or_wrong() {
    let (database, app) = seasons("", "", "delete P(pid)");
    database.delete("kss", json!({ "kid": "l" }));
    database.put("kss", json!({ "kid": "k", "seasons": 0, "all": 0 }));
    app.call("gone", json!({ "pid": "p" }));
    assert_eq!(app.call("s", json!({ "pid": "p" })), json!([]));
}
