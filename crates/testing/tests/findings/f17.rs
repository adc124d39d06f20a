// F-17: a harmless change to the condition of a sparse key was refused, with hashes instead of the conditions.

use serde_json::json;

use crate::support::{DEFAULTS, Database};

fn tickets(states: &str, condition: &str) -> String {
    format!(
        r#"design desk
        {DEFAULTS}
        table Tickets "tickets" {{ key (PK | SK)  index Active (activeKey | SK) }}
        entity Ticket in Tickets {{
          PK = "T#{{id}}"  SK = "T"
          activeKey = "ACTIVE#{{owner}}" when {condition}
          id     slug
          owner  slug
          status {states} = open
        }}
        system operation file = create Ticket
        system operation set(id, status) {{ update Ticket(id) {{ status }} }}
        system pattern active = list Ticket by owner where {condition} via Active page 50"#
    )
}

fn active(database: &Database, text: &str) -> Vec<String> {
    let found = database.up(text).call("active", json!({ "owner": "ada" }));
    let ids = found.as_array().into_iter().flatten().filter_map(|each| each["id"].as_str());
    ids.map(str::to_owned).collect()
}

#[test]
fn items_enter_and_leave_a_sparse_index_with_its_condition() {
    let database = Database::new();
    let app = database.up(&tickets("open | held | shut", "status = open"));
    for id in ["a", "b", "c"] {
        app.call("file", json!({ "id": id, "owner": "ada" }));
    }
    app.call("set", json!({ "id": "b", "status": "held" }));
    app.call("set", json!({ "id": "c", "status": "shut" }));
    // One more state, and the same condition in other words.
    assert_eq!(active(&database, &tickets("open | held | shut | lost", "status = open")), ["a"]);
    assert_eq!(active(&database, &tickets("open | held | shut | lost", "status in [open]")), ["a"]);
    // Another condition: the items that it admits come in, and the others go.
    assert_eq!(active(&database, &tickets("open | held | shut | lost", "status != shut")), ["a", "b"]);
    assert_eq!(active(&database, &tickets("open | held | shut | lost", "status = held")), ["b"]);
}
