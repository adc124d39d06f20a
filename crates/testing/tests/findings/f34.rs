// F-34: a transaction whose first `upsert` may be left out answered with an item that lacks what was counted, and
// `plan --measure` took the request for another one than the plan's.

use std::collections::BTreeMap;

use serde_json::json;
use sortkey_design::{NoFiles, compile};
use sortkey_testing::measure::trial;

use crate::support::{DEFAULTS, Database};

fn design() -> String {
    format!(
        r#"design f34
        {DEFAULTS}
        table Ls "lss" {{ key (PK | SK)  index Who (whoKey | SK) project all }}
        entity T in Ls {{
          PK = "T#{{id}}"  SK = "T"  whoKey = "W#{{who}}#{{state}}" when who exists
          id slug  who? slug  state open | done = open
        }}
        entity L in Ls {{ PK = "L#{{id}}"  SK = "L"  id slug  n int(0..) = 0 @counter }}
        pattern l = get L by id strong
        pattern byWho = list T by who, state where who exists page 10
        operation mk = create T
        operation re(id, to: slug) {{
          let x = get T(id) else Gone
          transact {{
            update T(id) {{ who: to }}
            upsert L(id: x.who) {{ n -= 1 }} when x.who exists
            upsert L(id: to) {{ n += 1 }}
          }}
        }}"#
    )
}

#[test]
fn the_first_item_that_is_made_is_answered_as_it_is_stored() {
    let database = Database::new();
    let app = database.up(&design());
    app.call("mk", json!({ "id": "a" }));
    // Nobody had it: the second `upsert` is the first that happens.
    assert_eq!(app.call("re", json!({ "id": "a", "to": "x" })), json!({ "id": "x", "n": 1 }));
    assert_eq!(app.call("re", json!({ "id": "a", "to": "y" })), json!({ "id": "x", "n": 0 }));
    assert_eq!(app.call("l", json!({ "id": "y" })), json!({ "id": "y", "n": 1 }));
}

#[test]
fn what_is_sent_is_what_the_plan_says() {
    let compilation = compile("f34.sk", &design(), &NoFiles);
    assert_eq!(compilation.diagnostics, []);
    let report = pollster::block_on(trial(compilation.design, BTreeMap::new(), 60, 10, 1)).expect("it runs");
    let differences: Vec<&String> = report.entries.iter().flat_map(|entry| &entry.differences).collect();
    assert!(differences.is_empty(), "{differences:?}");
    assert!(report.missing().is_empty(), "{}", report.text());
}
