//! F-28: a list of another tenant's parent read all of its pages before it left the items out. All that a caller can measure (the
//! answer, the requests, the units) must be the same for a foreign parent and for one that does not exist.

use crate::support::Api;
use serde_json::json;
use sortkey_gateway::Admission;

const DESIGN: &str = r#"
design f28
caller { userId slug(1..20) }
defaults { billing on_demand  recovery 35d  protect deletion  encryption aws_owned }
table Sources "sources" { key (userId | sourceId) }
table Hooks "hooks" { key (hookId) }
table Events "events" { key (sourceId | n)  index byHook (hookId | n) project all }
entity Source in Sources { userId slug(1..20)  sourceId slug(1..20)  tenant userId }
entity Hook in Hooks { hookId slug(1..20)  userId slug(1..20)  tenant userId }
entity Event in Events {
  sourceId -> Source  n int(0..)  userId slug(1..20)  hookId -> Hook  words string(1..400)
  tenant userId
}
pattern events  = list Event by sourceId page 10 requires Source(userId: caller.userId, sourceId)
pattern ofHook  = list Event by hookId page 10 requires Hook(hookId) with (userId = caller.userId)
pattern howMany = count Event by sourceId requires Source(userId: caller.userId, sourceId)
pattern open    = list Event by sourceId page 10
  allow foreign-parent-read because "the test shows the difference"
operation addSource = create Source
operation addHook   = create Hook
operation add       = create Event
"#;

const ADA: [(&str, &str); 1] = [("sortkey-caller", r#"{"userId":"ada"}"#)];
const BOB: [(&str, &str); 1] = [("sortkey-caller", r#"{"userId":"bob"}"#)];

/// Everything that a caller can observe of a call.
fn observed(api: &Api, path: &str, caller: &[(&str, &str)]) -> (u16, String, String) {
    let answer = api.get(path, caller);
    let consumed = answer.headers["sortkey-consumed"].to_str().expect("text").to_owned();
    (answer.status, consumed, answer.text())
}

#[test]
fn a_foreign_parent_looks_like_none() {
    let api = Api::on(Api::runtime_of_text(DESIGN), Admission::Open);
    assert_eq!(api.post("/api/addSource", &BOB, &json!({ "sourceId": "bobs" })).status, 200);
    assert_eq!(api.post("/api/addHook", &BOB, &json!({ "hookId": "bobs" })).status, 200);
    for n in 0..200 {
        let event = json!({ "sourceId": "bobs", "hookId": "bobs", "n": n, "words": "x".repeat(300) });
        let added = api.post("/api/add", &BOB, &event);
        assert_eq!(added.status, 200, "{}", added.text());
    }
    for path in ["events?sourceId", "ofHook?hookId", "howMany?sourceId"] {
        let foreign = observed(&api, &format!("/api/{path}=bobs"), &ADA);
        let missing = observed(&api, &format!("/api/{path}=none"), &ADA);
        assert_eq!(foreign, missing, "{path}");
        assert_eq!(foreign.0, 403, "{path}: {foreign:?}");
        let own = observed(&api, &format!("/api/{path}=bobs"), &BOB);
        assert_eq!(own.0, 200, "{path}: {own:?}");
    }
    let foreign = observed(&api, "/api/open?sourceId=bobs", &ADA);
    let missing = observed(&api, "/api/open?sourceId=none", &ADA);
    assert_ne!(foreign.1, missing.1, "without `requires`, the units tell");
}
