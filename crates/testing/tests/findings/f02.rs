// F-02: a rule in a filter, in the condition of a write, or with a parameter was silently false, so that `not rule()` showed everything.

use serde_json::{Value as Json, json};
use sortkey_design::{NoFiles, compile};

use crate::support::{App, DEFAULTS, Database};

fn notes(more: &str) -> String {
    format!(
        r#"design f02
        {DEFAULTS}
        caller {{ userId slug, role agent | customer }}
        table Notes "notes" {{ key (PK | SK)  index Open (openBox | SK) project all sparse }}
        entity Note in Notes {{
          PK = "N#{{box}}"  SK = "N#{{id}}"
          openBox = "O#{{box}}" when isOpen(internal)
          box slug  id slug
          internal bool = false
          agent    slug = "nobody"
          level    int(0..9) = 0
          check    fits(level) else TooHigh
        }}
        rule isAgent() = caller.role = agent
        rule isOpen(hidden) = hidden = false
        rule isOpenOrAgent(hidden) = isOpen(hidden) or isAgent()
        rule atMost(n: int, most: int = 3) = n <= most
        rule fits(n: int) = atMost(n, 5)
        pattern agents    = list Note by box filter isAgent() page 10
        pattern notAgents = list Note by box filter not isAgent() page 10
        pattern either    = list Note by box filter internal = false or isAgent() page 10
        pattern opens     = list Note by box filter isOpen(internal) page 10
        pattern closed    = list Note by box filter not isOpen(hidden: internal) page 10
        pattern nested    = list Note by box filter isOpenOrAgent(internal) page 10
        pattern low       = list Note by box filter atMost(level) page 10
        pattern lower(top: int) = list Note by box filter atMost(level, top) page 10
        pattern counted   = count Note by box filter not isAgent()
        pattern openOnes  = list Note by box where internal = false via Open page 10
        system operation write = create Note
        operation ifAgent(box, id)     {{ update Note(box, id) if isAgent() else NoAgent {{ level: 1 }} }}
        operation ifNotAgent(box, id)  {{ update Note(box, id) if not isAgent() else Agent {{ level: 1 }} }}
        operation ifOpen(box, id)      {{ update Note(box, id) if isOpen(internal) else Closed {{ level: 1 }} }}
        operation ifEither(box, id)    {{ update Note(box, id) if isOpenOrAgent(internal) else Closed {{ level: 1 }} }}
        operation dropOpen(box, id)    {{ delete Note(box, id) if isOpen(internal) else Closed }}
        operation requireAgent(box, id) {{ require isAgent() else NoAgent  update Note(box, id) {{ level: 1 }} }}
        operation whenAgent(box, id)   {{ update Note(box, id) {{ level: 2 }} when isAgent() }}
        operation checkOpen(box, id)   {{ transact {{ check Note(box, id) if isOpen(internal) else Closed  put Note {{ box, id: "x" }} }} }}
        operation raise(box, id, level) {{ update Note(box, id) {{ level }} }}
        {more}"#
    )
}

fn app() -> (App, App) {
    let app = Database::new().up(&notes(""));
    app.call("write", json!({ "box": "b", "id": "open" }));
    app.call("write", json!({ "box": "b", "id": "shut", "internal": true, "level": 5 }));
    let agent = app.caller(json!({ "userId": "u", "role": "agent" }));
    let customer = app.caller(json!({ "userId": "u", "role": "customer" }));
    (agent, customer)
}

fn ids(app: &App, pattern: &str, more: Json) -> Vec<String> {
    let mut arguments = json!({ "box": "b" });
    arguments.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    let found = app.call(pattern, arguments);
    found
        .as_array()
        .expect("a list")
        .iter()
        .map(|each| each["id"].as_str().expect("text").to_owned())
        .collect()
}

#[test]
fn filters_have_the_value_of_the_rule() {
    let (agent, customer) = app();
    let none = || json!({});
    for (pattern, for_agent, for_customer) in [
        ("agents", &["open", "shut"][..], &[][..]),
        ("notAgents", &[], &["open", "shut"]),
        ("either", &["open", "shut"], &["open"]),
        ("opens", &["open"], &["open"]),
        ("closed", &["shut"], &["shut"]),
        ("nested", &["open", "shut"], &["open"]),
        ("low", &["open"], &["open"]),
        ("openOnes", &["open"], &["open"]),
    ] {
        assert_eq!(ids(&agent, pattern, none()), for_agent, "{pattern}");
        assert_eq!(ids(&customer, pattern, none()), for_customer, "{pattern}");
    }
    assert_eq!(ids(&customer, "lower", json!({ "top": 5 })), ["open", "shut"]);
    assert_eq!(ids(&customer, "lower", json!({ "top": 0 })), ["open"]);
    assert_eq!(agent.call("counted", json!({ "box": "b" })), json!(0));
    assert_eq!(customer.call("counted", json!({ "box": "b" })), json!(2));
}

#[test]
fn conditions_of_writes_have_the_value_of_the_rule() {
    let (agent, customer) = app();
    let open = || json!({ "box": "b", "id": "open" });
    let shut = || json!({ "box": "b", "id": "shut" });
    agent.call("ifAgent", open());
    assert_eq!(customer.fails("ifAgent", open()).kind.name(), "NoAgent");
    customer.call("ifNotAgent", open());
    assert_eq!(agent.fails("ifNotAgent", open()).kind.name(), "Agent");
    customer.call("ifOpen", open());
    assert_eq!(customer.fails("ifOpen", shut()).kind.name(), "Closed");
    agent.call("ifEither", shut());
    assert_eq!(customer.fails("ifEither", shut()).kind.name(), "Closed");
    agent.call("requireAgent", open());
    assert_eq!(customer.fails("requireAgent", open()).kind.name(), "NoAgent");
    assert_eq!(agent.call("whenAgent", open())["level"], 2);
    assert_eq!(customer.call("whenAgent", open()), json!(null));
    customer.call("checkOpen", open());
    assert_eq!(customer.fails("checkOpen", shut()).kind.name(), "Closed");
    assert_eq!(
        customer.fails("raise", json!({ "box": "b", "id": "open", "level": 6 })).kind.name(),
        "TooHigh"
    );
    assert_eq!(customer.fails("dropOpen", shut()).kind.name(), "Closed");
    customer.call("dropOpen", open());
}

#[test]
fn what_cannot_be_asked_there_is_refused_by_the_compiler() {
    let share = r#"entity Share in Notes { PK = "S#{box}"  SK = "S"  box slug  open bool = true }
        pattern share = get Share by box
        rule mayRead(box) = Share(box) with (open)"#;
    for (more, expected) in [
        ("pattern x = list Note by box filter mayRead(box) page 10", 1),
        ("pattern x = list Note by box filter not mayRead(box) page 10", 1),
        ("pattern x = list Note by box filter Share(box) with (open) page 10", 1),
        ("operation x(box, id) { update Note(box, id) if mayRead(box) { level: 1 } }", 1),
        ("operation x(box, id) { update Note(box, id) { internal: mayRead(box) } }", 1),
        ("pattern x = list Note by box page 10 requires mayRead(box)", 0),
        ("operation x(box, id) { require mayRead(box) else No  update Note(box, id) { level: 1 } }", 0),
    ] {
        let text = notes(&format!("{share} {more}"));
        let found = compile("t.sk", &text, &NoFiles).diagnostics;
        let found: Vec<&str> = found.iter().map(|each| each.rule).collect();
        assert_eq!(found, vec!["read-in-condition"; expected], "{more}");
    }
}
